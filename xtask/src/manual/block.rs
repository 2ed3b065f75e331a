//! The commands in a chapter, and what they print.

use anyhow::{Context, Result, bail, ensure};

/// What a block may need that not every machine has, and what that is.
pub(super) const NEEDS: [(&str, &str); 4] = [
    ("query", "reprise-query (`cargo xtask edge build --release`)"),
    ("pyarrow", "Python's pyarrow"),
    ("wine", "Wine and a Windows program"),
    ("steam", "Steam and a game"),
];

/// A command that a chapter shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Its line in the chapter, from 1.
    pub(super) line: usize,
    pub(super) command: String,
    /// The exit code that it must end with.
    pub(super) exit: i32,
    pub(super) prints: Vec<String>,
    /// What its block needs: words of [`NEEDS`].
    pub(super) needs: Vec<String>,
}

/// Reads all blocks marked `console`. `console,needs-WORD` says what the commands of a block need.
///
/// # Errors
/// A block has output without a command, has no end, does not begin at the margin, or needs what nobody knows; or a line that begins with `$ `
/// stands in a block that is not marked.
pub(super) fn read(text: &str) -> Result<Vec<Shown>> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut block: Option<(usize, Vec<String>)> = None;
    let mut other = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if other {
            other = line.trim() != "```";
            ensure!(
                !other || !line.trim_start().starts_with("$ "),
                "line {number}: a command in a block that is not run"
            );
            continue;
        }
        let Some((first, needs)) = &block else {
            let fence = line.trim_start().starts_with("```");
            ensure!(
                !fence || line.starts_with("```"),
                "line {number}: a block that does not begin at the margin is not run"
            );
            match line.strip_prefix("```") {
                Some(mark) if mark.split(',').next() == Some("console") => {
                    block = Some((shown.len(), needs_of(mark).with_context(|| format!("line {number}"))?));
                }
                Some(_) => other = true,
                None => {}
            }
            continue;
        };
        match line.strip_prefix("$ ") {
            _ if line == "```" => block = None,
            Some(command) => {
                let (command, exit) = match command.rsplit_once("# exit ") {
                    Some((command, code)) => (command, code.trim().parse().context("no exit code")?),
                    None => (command, 0),
                };
                let (command, needs) = (command.trim_end().to_owned(), needs.clone());
                shown.push(Shown { line: number, command, exit, prints: Vec::new(), needs });
            }
            None if shown.len() > *first => {
                let Some(last) = shown.last_mut() else { continue };
                match line.strip_prefix("> ").filter(|_| last.prints.is_empty()) {
                    Some(more) => {
                        last.command.push('\n');
                        last.command.push_str(more);
                    }
                    None => last.prints.push(line.to_owned()),
                }
            }
            None => bail!("line {number}: output without a command"),
        }
    }
    ensure!(block.is_none() && !other, "a block has no end");
    Ok(shown)
}

fn needs_of(mark: &str) -> Result<Vec<String>> {
    let known = |word: &str| NEEDS.iter().any(|(name, _)| *name == word);
    let words = mark.split(',').skip(1).map(|word| match word.strip_prefix("needs-") {
        Some(need) if known(need) => Ok(need.to_owned()),
        _ => bail!("a block marked {word:?}: needs-WORD with one of {}", NEEDS.map(|(name, _)| name).join(", ")),
    });
    words.collect()
}

/// The pictures that a chapter shows: the names of files in `pictures`.
pub(super) fn pictures(text: &str) -> Vec<String> {
    let after = text.split("](pictures/").skip(1);
    after.filter_map(|rest| rest.split_once(')')).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_what_stands_below_them() -> Result<()> {
        let text = "# A\n\n```console\n$ one | two\na\n…\n$ three  # exit 5\n```\n\n```sql\nnot this\n```\n\
                    ```console,needs-query\n$ four\n```\n";
        let shown = read(text)?;
        assert_eq!(shown.len(), 3);
        assert_eq!((shown[0].line, &shown[0].command[..], shown[0].exit), (4, "one | two", 0));
        assert_eq!(shown[0].prints, ["a", "…"]);
        assert_eq!((shown[1].line, &shown[1].command[..], shown[1].exit), (7, "three", 5));
        assert!(shown[1].prints.is_empty() && shown[1].needs.is_empty());
        assert_eq!(shown[2].needs, ["query"]);
        Ok(())
    }

    #[test]
    fn commands_go_on_behind_a_sign() -> Result<()> {
        let shown = read("```console\n$ cat <<END\n> a\n> END\na\n> b\n```\n")?;
        assert_eq!((shown.len(), &shown[0].command[..]), (1, "cat <<END\na\nEND"));
        assert_eq!(shown[0].prints, ["a", "> b"]);
        Ok(())
    }

    #[test]
    fn output_needs_a_command_and_blocks_an_end() {
        assert!(read("```console\na\n```\n").is_err());
        assert!(read("```console\n$ a\n```\n```console\nb\n```\n").is_err());
        assert!(read("```console\n$ a\n").is_err());
        assert!(read("```console\n$ a # exit x\n```\n").is_err());
        assert!(read("```console,needs-luck\n$ a\n```\n").is_err());
    }

    #[test]
    fn no_command_hides_in_another_block() {
        assert!(read("```\n$ reprise info x\n```\n").is_err());
        assert!(read("```\nreprise info x\n```\n").is_ok());
        assert!(read("- so:\n  ```console\n  $ reprise info x\n  ```\n").is_err());
    }

    #[test]
    fn pictures_are_found() {
        assert_eq!(pictures("![a](pictures/a.png) and ![b](pictures/b.png)\n[c](../x.md)"), ["a.png", "b.png"]);
    }

    /// The chapters as they are: all blocks can be read, so that no command is left out by a slip of the pen.
    #[test]
    fn all_chapters_can_be_read() -> Result<()> {
        for chapter in super::super::chapters(&[])? {
            let text = std::fs::read_to_string(&chapter)?;
            read(&text).with_context(|| chapter.display().to_string())?;
        }
        Ok(())
    }
}
