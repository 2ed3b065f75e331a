//! `reprise man`: pages for `man`, made from the help of each command.

use crate::terminal::exit::{self, Ended, OrExit};
use crate::terminal::{output, whole_file};
use anyhow::Context;
use clap::Command;
use clap_mangen::Man;
use std::io::{self, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Without -o the page of reprise itself is printed. The packages bring all pages along.

Examples:
  reprise man | man -l -                      read the page
  reprise man -o ~/.local/share/man/man1      a page for each command: man reprise-capture

Exit codes:
  0  success
  1  a file cannot be written
  2  wrong usage";

/// Print the manual page, or write one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The folder for a page of each command, made if absent
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// `program` is the whole command line.
pub(crate) fn run(arguments: &Arguments, mut program: Command) -> Ended {
    program.build();
    let Some(folder) = &arguments.output else {
        let page = page(&program, "reprise").context("no page").or_exit(exit::FAILED)?;
        output::write(&page).context("cannot write to standard output").or_exit(exit::FAILED)?;
        return Ok(0);
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| write(&program, "reprise", folder));
    written.with_context(|| folder.display().to_string()).or_exit(exit::FAILED)?;
    Ok(0)
}

/// Writes the page of a command, and those of its subcommands that are for people.
fn write(command: &Command, name: &str, folder: &std::path::Path) -> io::Result<()> {
    whole_file::write(&folder.join(format!("{name}.1")), &page(command, name)?)?;
    let for_people = |one: &&Command| !one.is_hide_set() && one.get_name() != "help";
    command.get_subcommands().filter(for_people).try_for_each(|one| {
        let name = format!("{name}-{}", one.get_name());
        write(one, &name, folder)
    })
}

/// A page. What stands behind the options in the help keeps its lines: it has tables and examples.
fn page(command: &Command, name: &str) -> io::Result<Vec<u8>> {
    // Dates and versions of the build would make each build another.
    let man = Man::new(command.clone()).source("reprise").manual("Reprise").date("");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if command.get_arguments().any(|one| !one.is_hide_set()) {
        man.render_options_section(&mut page)?;
    }
    if command.get_subcommands().any(|one| !one.is_hide_set() && one.get_name() != "help") {
        writeln!(page, ".SH COMMANDS")?;
        for one in command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help") {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            writeln!(page, ".TP\n{}\n{}", escaped(&format!("{name}-{}(1)", one.get_name())), escaped(&about))?;
        }
    }
    if let Some(text) = command.get_after_help().map(ToString::to_string) {
        writeln!(page, ".SH NOTES\n.nf")?;
        for line in text.lines() {
            let is_head = |head: &&str| !head.starts_with(' ') && head.split(' ').count() < 4;
            // Some say the codes in the same line.
            let (head, rest) = match line.strip_prefix("Exit codes: ") {
                Some(rest) => (Some("Exit codes"), rest),
                None => (line.strip_suffix(':').filter(is_head), line),
            };
            if let Some(head) = head {
                writeln!(page, ".fi\n.SH {}\n.nf", escaped(&head.to_uppercase()))?;
            }
            if head.is_none() || rest != line {
                writeln!(page, "{}", escaped(rest))?;
            }
        }
        writeln!(page, ".fi")?;
    }
    Ok(page)
}

/// A line of text as roff prints it.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_for_people_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut program = crate::Arguments::command();
        program.build();
        write(&program, "reprise", folder.path()).unwrap();
        for name in ["reprise", "reprise-capture", "reprise-suite-run", "reprise-query"] {
            let text = std::fs::read_to_string(folder.path().join(format!("{name}.1"))).unwrap();
            assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{name}: {text}");
        }
        let capture = std::fs::read_to_string(folder.path().join("reprise-capture.1")).unwrap();
        assert!(capture.contains(".SH EXAMPLES") && capture.contains(".SH EXIT CODES"), "{capture}");
        // The writer is not for people.
        assert!(!folder.path().join("reprise-write.1").exists());
    }

    #[test]
    fn lines_are_not_taken_for_requests() {
        assert_eq!(escaped(".5 of a-b"), "\\&.5 of a\\-b");
        assert_eq!(escaped("C:\\x"), "C:\\ex");
    }
}
