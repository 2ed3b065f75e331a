//! What `reprise help` shows: the commands in groups, by what people want to do.
//!
//! Invariant: each command that is not hidden stands in one group (a test holds the table against the program).

use clap::Command;
use std::fmt::Write;

/// What people want to do, and the commands for it.
const GROUPS: &[(&str, &[&str])] = &[
    ("Record", &["capture", "run"]),
    ("Play", &["replay", "verify"]),
    ("Make pictures", &["show", "thumbnails", "draws", "overdraw"]),
    ("Look", &["inspect", "info", "dump", "state", "stat", "query", "extract", "convert"]),
    ("Compare", &["diff", "features", "bisect"]),
    ("Find what is wrong", &["lint", "diagnose"]),
    ("Cut and mend", &["trim", "repair"]),
    ("Labs", &["suite", "farm"]),
    ("This machine", &["gpus", "help"]),
];

/// The same command, whose help lists its subcommands in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let mut command = command;
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::collections::BTreeSet;

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
