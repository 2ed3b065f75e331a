//! `--diagnose`: where the GPU stopped. A replay without the option that ends at a stopped GPU is played again with it. That happens in a
//! process of its own, because devices of a process that has lost one may fail.

use crate::diagnosis::{self, Told};
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::output::Output;
use crate::trace::open;
use anyhow::Context;
use reprise_replay::diagnosis::Diagnosis;
use reprise_replay::{Error, Options};
use std::cell::RefCell;
use std::ffi::OsString;
use std::process::Command;
use std::rc::Rc;

/// Whether and how to look for where the GPU stopped.
#[derive(Debug, clap::Args)]
pub(crate) struct Diagnosing {
    /// Put markers around every operation of the lists, and tell where the GPU was if a wait expires or the device is lost: the calls that
    /// were begun and not completed, what was bound there, the fault's address. Markers also show what a replay without --diagnose ended
    /// at: it is played again with this option. With --sync the operations that were begun are played once more, one after another
    #[arg(long, conflicts_with_all = ["check", "loop_frame"])]
    diagnose: bool,
    /// Do not play again to find out where the GPU stopped
    #[arg(long, conflicts_with = "diagnose")]
    no_diagnosis: bool,
    /// Begin operations of these calls once all before them are done: A-B
    #[arg(long, value_name = "A-B", value_parser = range, requires = "diagnose", hide = true)]
    serially: Option<(u64, u64)>,
}

fn range(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('-').and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    parts.ok_or_else(|| "must be two numbers of calls: 120-150".to_owned())
}

/// Whether a wait for the GPU expired, or the device was lost.
pub(crate) fn is_of_the_gpu(error: &Error) -> bool {
    matches!(error, Error::FenceWait { .. } | Error::Unended { .. } | Error::DeviceRemoved { .. })
}

/// Where a diagnosis comes to.
#[derive(Clone, Default)]
pub(crate) struct Found(Rc<RefCell<Option<Diagnosis>>>);

impl Diagnosing {
    /// Asks for a diagnosis, where it is wanted.
    pub(crate) fn apply(&self, options: &mut Options<'_>) -> Found {
        let found = Found::default();
        if self.diagnose {
            let kept = found.0.clone();
            options.on_diagnosis = Some(Box::new(move |diagnosis| *kept.borrow_mut() = Some(diagnosis)));
            options.diagnose_serially = self.serially;
        }
        found
    }

    /// Whether a replay that the GPU ended is to be played again for a diagnosis.
    pub(crate) fn asks_again(&self) -> bool {
        !self.diagnose && !self.no_diagnosis
    }

    /// Writes what was found. Where several operations are begun, and `alone` says so, plays once more to tell them apart.
    ///
    /// # Errors
    /// Nothing can be written, or the trace cannot be read any more.
    pub(crate) fn write(
        &self,
        found: &Found,
        source: &open::Source,
        alone: bool,
        json: bool,
    ) -> Result<Option<u8>, Failure> {
        let Some(diagnosis) = found.0.borrow_mut().take() else { return Ok(None) };
        let suspects = diagnosis.suspects();
        if alone
            && self.serially.is_none()
            && let (Some(first), Some(last)) = (suspects.iter().min(), suspects.iter().max())
            && first != last
        {
            reprise_log::warning(format_args!(
                "{} operations are begun and not completed; the trace is played again with each of them alone",
                suspects.len()
            ));
            return again(&["--serially", &format!("{first}-{last}")]).map(Some);
        }
        let trace = source.open()?;
        let told = diagnosis::tell(&trace, diagnosis);
        print(&told, source, json).context("cannot write to standard output").or_exit(exit::FAILED)?;
        Ok(Some(exit::STOPPED))
    }
}

fn print(told: &Told, source: &open::Source, json: bool) -> std::io::Result<()> {
    let mut output = Output::new();
    if json {
        output.line(&serde_json::json!({ "diagnosis": diagnosis::as_json(told) }).to_string())?;
    } else {
        for line in diagnosis::lines(told, &source.trace, output.colour()) {
            output.line(&line)?;
        }
    }
    output.flush().map(|_| ())
}

/// Plays again in a process of its own, as this one was asked to and with these options; gives its exit code.
///
/// # Errors
/// There is no such process.
pub(crate) fn again(options: &[&str]) -> Result<u8, Failure> {
    let program = std::env::current_exe().context("cannot tell the path of this program").or_exit(exit::FAILED)?;
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    arguments.extend(options.iter().map(OsString::from));
    let status = Command::new(program).args(arguments).status();
    let status = status.context("cannot play the trace again").or_exit(exit::FAILED)?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::FAILED))
}
