//! `cargo xtask commands [--check]`: docs/commands.md, from what the programs themselves say behind `--help`.
//!
//! Invariant: nothing in that file is written by hand. What a program at the edge says is taken anew where it is built, and stays as it is
//! where it is not.

use anyhow::{Context, Result, bail, ensure};
use reprise_testing::artifact;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PAGE: &str = "docs/commands.md";
const HEAD: &str = "\
# Every command

What each command says of itself; `cargo xtask commands` makes this page from it, and the tests hold the page against the programs. Option by
option it is the same as `reprise COMMAND --help`. `reprise man` has it as manual pages, and `reprise completions` for the Tab key.

";
/// Programs of their own: where they lie when they are built, and their subcommands.
const EDGE: [(&str, &str, &[&str]); 3] = [
    ("query", "target/edge/debug/reprise-query", &[]),
    ("inspect", "target/edge/debug/reprise-inspect", &[]),
    ("farm", "target/edge/farm/venv/bin/reprise-farm", &["run", "report"]),
];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let check = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--check"] => true,
        _ => bail!("usage: cargo xtask commands [--check]"),
    };
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let program = target.unwrap_or_else(|| artifact::workspace().join("target")).join("debug/reprise");
    ensure!(program.is_file(), "{} is not there: cargo build --workspace --bin reprise", program.display());
    let path = artifact::workspace().join(PAGE);
    let old = fs::read_to_string(&path).unwrap_or_default();
    let new = page(&program, &old)?;
    if check {
        ensure!(
            old == new,
            "{PAGE} is not what the programs say: run `cargo xtask commands`, {}",
            difference(&old, &new)
        );
    } else if old != new {
        fs::write(&path, new).with_context(|| path.display().to_string())?;
        println!("commands: {PAGE}");
    }
    Ok(())
}

fn page(program: &Path, old: &str) -> Result<String> {
    let overview = help(program, &["help"])?;
    let mut text = HEAD.to_owned();
    section(&mut text, 2, "reprise", &overview);
    for name in names(&overview) {
        let title = format!("reprise {name}");
        if let Some((_, place, subs)) = EDGE.iter().find(|(edge, ..)| *edge == name) {
            let place: PathBuf = artifact::workspace().join(place);
            let ask = |title: &str, words: &[&str]| match place.is_file() {
                true => help(&place, words),
                false => Ok(kept(old, title).to_owned()),
            };
            section(&mut text, 2, &title, &ask(&title, &["--help"])?);
            for sub in *subs {
                let title = format!("{title} {sub}");
                section(&mut text, 3, &title, &ask(&title, &[sub, "--help"])?);
            }
            continue;
        }
        let said = help(program, &[&name, "--help"])?;
        section(&mut text, 2, &title, &said);
        for sub in names(&said) {
            section(&mut text, 3, &format!("{title} {sub}"), &help(program, &[&name, &sub, "--help"])?);
        }
    }
    Ok(text)
}

fn section(text: &mut String, level: usize, title: &str, said: &str) {
    let _ = write!(text, "{} {title}\n\n```text\n{}\n```\n\n", "#".repeat(level), said.trim_end());
}

/// What stands in the page under a title already.
fn kept<'t>(old: &'t str, title: &str) -> &'t str {
    let from = format!("# {title}\n\n```text\n");
    old.split_once(&from).and_then(|(_, rest)| rest.split_once("\n```\n")).map_or("", |(said, _)| said)
}

/// The names of subcommands in a help, but for `help` itself: lines with two blanks, a name, and what it does.
fn names(help: &str) -> Vec<String> {
    let listed = help.split("\nOptions:").next().unwrap_or_default();
    let name = |line: &str| {
        let (name, about) = line.strip_prefix("  ")?.split_once(' ')?;
        let is_name = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-');
        (is_name && !about.trim().is_empty() && name != "help").then(|| name.to_owned())
    };
    listed.lines().skip_while(|line| !line.starts_with("Usage:")).filter_map(name).collect()
}

/// What a program prints, without colour, 100 columns wide.
fn help(program: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE");
    let output = command.stdin(Stdio::null()).output().with_context(|| program.display().to_string())?;
    ensure!(output.status.success(), "{} {} failed", program.display(), arguments.join(" "));
    let text = String::from_utf8(output.stdout).context("help is no UTF-8")?;
    Ok(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
}

fn difference(old: &str, new: &str) -> String {
    let first = old.lines().zip(new.lines()).enumerate().find(|(_, (old, new))| old != new);
    match first {
        Some((line, (old, new))) => format!("line {} is {old:?} and would be {new:?}", line + 1),
        None => "which is of another length".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subcommands_are_found_in_a_help() {
        let help = "A program\n  not this  one\n\nUsage: reprise [OPTIONS] <COMMAND>\n\nRecord:\n  capture     Run\n  completions Print\n  no-about    \n\n\
                    Labs:\n  suite       Keep\n  help        Print\n\nOptions:\n  not-this  either\n";
        assert_eq!(names(help), ["capture", "completions", "suite"]);
    }

    #[test]
    fn what_is_not_built_stays() {
        let mut text = String::new();
        section(&mut text, 2, "reprise query", "Asks\n\nUsage\n");
        section(&mut text, 2, "reprise inspect", "Looks");
        assert_eq!(kept(&text, "reprise query"), "Asks\n\nUsage");
        assert_eq!(kept(&text, "reprise farm"), "");
    }
}
