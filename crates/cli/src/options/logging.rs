//! The options that say what goes to people, and where.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::identity;
use crate::terminal::place;
use anyhow::Context;
use reprise_log::{Level, Settings};
#[cfg(unix)]
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Which messages, and whether into a file
#[derive(Debug, clap::Args)]
pub(crate) struct Logging {
    /// The least of messages that are shown: debug (decisions of our runtime, and why it refuses what it does), info, warning,
    /// error, fatal [default: info, or what REPRISE_LOG_LEVEL says]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<Level>,
    /// Write messages to this file, too, a line each: level, process, message
    #[arg(long, value_name = "FILE")]
    log_file: Option<PathBuf>,
}

impl Logging {
    /// Begins the file, and tells this process; nothing may have been said before. `others` are files of this command.
    ///
    /// # Errors
    /// A usage failure where the file is one of those, or cannot be made.
    pub(crate) fn begin(&self, others: &[&Path]) -> Result<(), Failure> {
        if self.log_level.is_none() && self.log_file.is_none() {
            return Ok(());
        }
        if let Some(file) = &self.log_file {
            place::named(file)?;
            let at = |path: &Path| place::absolute(path).unwrap_or_else(|_| path.to_owned());
            let is_one = |other: &Path| identity::of(other).is_some_and(|one| Some(one) == identity::of(file));
            let same = |other: &&Path| at(other) == at(file) || is_one(other);
            if others.iter().any(same) {
                let message = format!("--log-file: {} is a file of this command already", file.display());
                return Err(Failure::message(exit::USAGE, message));
            }
            File::create(file).with_context(|| format!("--log-file {}", file.display())).or_exit(exit::USAGE)?;
        }
        let absolute = |file: &PathBuf| place::absolute(file).unwrap_or_else(|_| file.clone());
        let level = std::env::var(reprise_environment::log::LEVEL).ok().and_then(|level| level.parse().ok());
        let level = self.log_level.or(level).unwrap_or_default();
        reprise_log::set(Settings { level, file: self.log_file.as_ref().map(absolute) });
        Ok(())
    }

    /// The variables that tell another process the same; none where neither option was given. A process of a quiet command says what is
    /// wrong only, unless the user has asked for more.
    #[cfg(unix)]
    pub(crate) fn environment(&self, quiet: bool) -> Vec<(&'static str, OsString)> {
        const LEVEL: &str = reprise_environment::log::LEVEL;
        let mut variables = match (&self.log_level, &self.log_file) {
            (None, None) => Vec::new(),
            _ => reprise_log::environment(),
        };
        if quiet && self.log_level.is_none() && std::env::var_os(LEVEL).is_none() {
            variables.retain(|(name, _)| *name != LEVEL);
            variables.push((LEVEL, "warning".into()));
        }
        variables
    }
}
