//! The options of runs of Windows programs, captured or not.

use std::path::PathBuf;

/// Where our libraries stand
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Place {
    /// Beside the program, and beside other programs in folders below
    #[default]
    Program,
    /// In the prefix, for programs that look at their folder or load the system's libraries
    System,
}

/// Windows programs
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Windows programs (under Wine or Proton)")]
pub(crate) struct Options {
    /// Where our libraries are while the program runs
    #[arg(long, value_enum, value_name = "WHERE", default_value_t)]
    pub(super) place: Place,
    /// Put them beside the programs in and below this folder, too: for a launcher whose game is elsewhere
    #[arg(long, value_name = "FOLDER")]
    pub(super) beside: Vec<PathBuf>,
    /// Put back what runs that were killed left in this folder and below it, and run nothing
    #[arg(long, value_name = "FOLDER", exclusive = true)]
    pub(crate) clean_up: Option<PathBuf>,
}
