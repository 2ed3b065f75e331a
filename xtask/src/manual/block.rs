//! The commands in a chapter, and what they print.

use anyhow::{Context, Result, bail};

/// A command that a chapter shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Its line in the chapter, from 1.
    pub(super) line: usize,
    pub(super) command: String,
    /// The exit code that it must end with.
    pub(super) exit: i32,
    pub(super) prints: Vec<String>,
}

/// Reads all blocks marked `console`.
///
/// # Errors
/// A block has output without a command, or has no end.
pub(super) fn read(text: &str) -> Result<Vec<Shown>> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut block = None;
    for (index, line) in text.lines().enumerate() {
        match (&block, line) {
            (None, "```console") => block = Some(shown.len()),
            (None, _) => {}
            (Some(_), "```") => block = None,
            (Some(first), line) => match line.strip_prefix("$ ") {
                Some(command) => {
                    let (command, exit) = match command.rsplit_once("# exit ") {
                        Some((command, code)) => (command, code.trim().parse().context("no exit code")?),
                        None => (command, 0),
                    };
                    let command = command.trim_end().to_owned();
                    shown.push(Shown { line: index + 1, command, exit, prints: Vec::new() });
                }
                None if shown.len() > *first => {
                    if let Some(last) = shown.last_mut() {
                        last.prints.push(line.to_owned());
                    }
                }
                None => bail!("line {}: output without a command", index + 1),
            },
        }
    }
    if block.is_some() {
        bail!("a block has no end");
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_what_stands_below_them() -> Result<()> {
        let text = "# A\n\n```console\n$ one | two\na\n…\n$ three  # exit 5\n```\n\n```\n$ not this\n```\n";
        let shown = read(text)?;
        assert_eq!(shown.len(), 2);
        assert_eq!((shown[0].line, &shown[0].command[..], shown[0].exit), (4, "one | two", 0));
        assert_eq!(shown[0].prints, ["a", "…"]);
        assert_eq!((shown[1].line, &shown[1].command[..], shown[1].exit), (7, "three", 5));
        assert!(shown[1].prints.is_empty());
        Ok(())
    }

    #[test]
    fn output_needs_a_command_and_blocks_an_end() {
        assert!(read("```console\na\n```\n").is_err());
        assert!(read("```console\n$ a\n```\n```console\nb\n```\n").is_err());
        assert!(read("```console\n$ a\n").is_err());
        assert!(read("```console\n$ a # exit x\n```\n").is_err());
    }
}
