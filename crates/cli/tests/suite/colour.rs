//! Colours: where they are wanted, nowhere else, and nothing but colours; and readers that go away.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

/// Standard output of `reprise` with these variables.
fn output(bench: &Bench, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = bench.command();
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR").env("TERM", "xterm");
    let finished = reprise_testing::run(command.args(arguments).envs(variables.iter().copied()), PATIENCE).unwrap();
    assert!(finished.status.success(), "{arguments:?}: {}", finished.errors());
    finished.text()
}

/// A text without escape sequences, which end with a letter.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

#[test]
fn colours_are_where_they_are_wanted_and_change_nothing() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    for command in ["dump", "info", "stat"] {
        let piped = output(&bench, &[command, "trace.reprise"], &[]);
        assert!(!piped.contains('\u{1b}'), "{command}: a pipe is no terminal");
        let coloured = output(&bench, &[command, "--color", "always", "trace.reprise"], &[("NO_COLOR", "1")]);
        assert!(coloured.contains('\u{1b}'), "{command}");
        assert_eq!(plain(&coloured), piped, "{command}");
        let cases = [
            (&[][..], &[("CLICOLOR_FORCE", "1")][..], true),
            (&["--color=never"], &[("CLICOLOR_FORCE", "1")], false),
            (&["--colour=auto"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
            (&[], &[("CLICOLOR_FORCE", "")], false),
            (&["--json", "--color=always"], &[], false),
        ];
        for (options, variables, expected) in cases {
            let text = output(&bench, &[&[command, "trace.reprise"], options].concat(), variables);
            assert_eq!(text.contains('\u{1b}'), expected, "{command} {options:?} {variables:?}");
        }
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let bench = Bench::new();
    programs::capture(&bench, "threads", &programs::ours());
    for arguments in [["dump", "trace.reprise"], ["dump", "--json"]] {
        let mut command = bench.command();
        command.args(arguments).args(arguments[1].starts_with('-').then_some("trace.reprise"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::with_capacity(64, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        assert!(!first.is_empty());
        let (status, timed_out) = reprise_testing::program::wait(&mut child, PATIENCE).unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(status.success() && !timed_out && said.is_empty(), "{arguments:?}: {status} {said}");
    }
}
