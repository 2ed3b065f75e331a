//! What `reprise help` shows: the commands in groups, by what people want to do.
//!
//! Invariant: each command that is not hidden stands in one group (a test holds the table against the program).

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt::Write;

/// What people want to do, and the commands for it.
const GROUPS: &[(&str, &[&str])] = &[
    ("Record", &["capture", "run"]),
    ("Play", &["replay", "verify"]),
    ("Make pictures", &["show", "thumbnails", "draws", "overdraw", "mesh", "scene"]),
    ("Look", &["inspect", "info", "dump", "state", "stat", "notes", "query", "extract", "convert"]),
    ("Compare", &["diff", "features", "bisect"]),
    ("Find what is wrong", &["lint", "diagnose", "pixel", "debug"]),
    ("Measure", &["time"]),
    ("Cut, change and mend", &["trim", "edit", "repair"]),
    ("Test drivers", &["suite", "farm"]),
    ("This machine", &["gpus", "completions", "man", "help"]),
];

/// The same command, whose texts below the options are in paragraphs: a line of the source is not a line of a terminal.
pub(crate) fn readable(mut command: Command) -> Command {
    if let Some(text) = command.get_after_help().map(|text| paragraphs(&text.to_string())) {
        command = command.after_help(text);
    }
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, readable))
}

/// Prose that goes on in the next line becomes one line. Prose begins at the margin; a line that ends early ends its paragraph.
fn paragraphs(text: &str) -> String {
    const EARLY: usize = 72;
    let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
    let mut lines = text.lines().peekable();
    let mut joined = String::new();
    while let Some(line) = lines.next() {
        joined.push_str(line);
        let goes_on = is_prose(line) && line.chars().count() > EARLY && !line.ends_with(':');
        match lines.peek() {
            Some(next) if goes_on && is_prose(next) => joined.push(' '),
            Some(_) => joined.push('\n'),
            None => {}
        }
    }
    joined
}

/// The same command, whose help lists its subcommands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let mut command = readable(command);
    command.build();
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in *names {
            // Some are not there on Windows.
            let Some(about) = command.find_subcommand(name).and_then(Command::get_about) else { continue };
            let _ = writeln!(text, "  {name:<12}{about}");
        }
        text.push('\n');
    }
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}Options:\n{{options}}{{after-help}}");
    command.help_template(template)
}

/// The same command without those that are hidden, which are for programs.
pub(crate) fn for_people(command: &Command) -> Command {
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set()).cloned();
    Command::new("reprise").version(env!("CARGO_PKG_VERSION")).args(command.get_arguments().cloned()).subcommands(shown)
}

/// The same error, which does not suggest hidden commands.
pub(crate) fn suggesting(mut error: clap::Error, command: &Command) -> clap::Error {
    let Some(ContextValue::Strings(mut names)) = error.remove(ContextKind::SuggestedSubcommand) else { return error };
    names.retain(|name| command.find_subcommand(name).is_none_or(|one| !one.is_hide_set()));
    if !names.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(names));
    }
    error
}

/// Adds to an error of the command line what the user should have typed, in two cases: a trace without a command before it, and a
/// program without `--` before it. Other errors stay as they are.
pub(crate) fn with_tip(mut error: clap::Error) -> clap::Error {
    let word = |kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let tip = match error.kind() {
        ErrorKind::InvalidSubcommand => word(ContextKind::InvalidSubcommand)
            .filter(|word| word.ends_with(".reprise"))
            .map(|trace| format!("a command stands before the trace: reprise info {trace}")),
        ErrorKind::UnknownArgument if usage.contains("-- <PROGRAM>") => word(ContextKind::InvalidArg)
            .filter(|word| !word.starts_with('-'))
            .map(|program| format!("two dashes stand before the program: -- {program}")),
        _ => None,
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::collections::BTreeSet;

    #[test]
    fn prose_is_joined_and_examples_are_not() {
        let long = "x".repeat(80);
        let text = format!("{long}\nb\n\nExamples:\n  {long}\n  c\nexit 0 is success\nexit 1 is not");
        let want = format!("{long} b\n\nExamples:\n  {long}\n  c\nexit 0 is success\nexit 1 is not");
        assert_eq!(paragraphs(&text), want);
    }

    #[test]
    fn hidden_commands_are_not_offered() {
        let program = grouped(crate::Arguments::command());
        for (typed, offered) in [("picture", "'capture'"), ("translat", "--help")] {
            let error = program.clone().try_get_matches_from(["reprise", typed]).err();
            let said = error.map(|error| suggesting(error, &program).to_string()).unwrap_or_default();
            assert!(said.contains(offered), "{said}");
            assert!(!said.contains("pictures") && !said.contains("translate"), "{said}");
        }
        assert!(for_people(&crate::Arguments::command()).get_subcommands().all(|one| !one.is_hide_set()));
    }

    #[test]
    fn errors_say_what_to_type() {
        for (typed, tip) in [
            (&["x.reprise"][..], "reprise info x.reprise"),
            (&["capture", "game"], "-- game"),
            (&["capture", "game", "-dx12"], "-- game"),
        ] {
            let words = ["reprise"].iter().chain(typed);
            let error = grouped(crate::Arguments::command()).try_get_matches_from(words).err();
            let said = error.map(|error| with_tip(error).to_string()).unwrap_or_default();
            assert!(said.contains("tip: ") && said.contains(tip), "{said}");
        }
    }

    #[test]
    fn every_command_stands_in_one_group() {
        let mut command = crate::Arguments::command();
        command.build();
        let there: BTreeSet<&str> =
            command.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let once: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(once.len(), listed.len(), "a command stands in two groups");
        #[cfg(unix)]
        assert_eq!(once, there);
        #[cfg(windows)]
        assert!(once.is_superset(&there), "{there:?}");
    }
}
