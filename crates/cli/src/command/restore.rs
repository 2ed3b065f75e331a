//! `reprise restore`: puts the folders of a Windows program back when its capture was killed. Not for people: `reprise capture`
//! starts it, and has `--clean-up` for them.

use crate::capture::windows::{journal, processes};
use crate::command::write::become_deaf;
use crate::terminal::exit::Ended;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

/// Put folders back when the capture has ended
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the capture's rings
    #[arg(long, value_name = "DIR")]
    session: PathBuf,
    /// The folders
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    const LOOK: Duration = Duration::from_millis(200);
    become_deaf();
    let mut byte = [0];
    while std::io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {}
    let is_left = || arguments.folders.iter().any(|folder| folder.join(journal::NAME).exists());
    // A program that still runs may load a library late.
    while is_left() && !processes::of_capture(&arguments.session).is_empty() {
        std::thread::sleep(LOOK);
    }
    for folder in &arguments.folders {
        match journal::restore(folder) {
            Ok(left) => left.iter().flatten().for_each(reprise_log::warning),
            // Another capture came first, and has put it back itself.
            Err(journal::Refusal::Busy(_)) => {}
            Err(refusal) => reprise_log::error(refusal.message(folder)),
        }
    }
    Ok(0)
}
