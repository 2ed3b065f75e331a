//! Where replays are measured: in this process, or each in one of its own.
//!
//! Invariant: where the other side wants another environment or driver, or where an experiment may hang or crash the GPU's driver, no replay runs in
//! this process.

use crate::command::replay;
use crate::options::adapter;
use crate::terminal::exit::{self, Failure};
#[cfg(unix)]
use crate::timing::apart::Apart;
use crate::timing::keep;
use crate::timing::measured::{Measured, Replays};
use crate::trace::open;
#[cfg(unix)]
use crate::trial::{candidate::Candidate, outcome::Outcome};
use reprise_replay::{TimeKind, TimeWish};
use reprise_times::{About, ReadBack, Times};
use reprise_trace::layout::MAGIC;
use reprise_trace::read::Trace;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// Both sides, or the one that there is.
pub(crate) struct Sides<'a> {
    runtime: &'a replay::Runtime,
    source: &'a open::Source,
    trace: &'a Trace,
    /// How long the CPU was in the runtime is kept.
    cpu: bool,
    /// The trace that the other side plays, where `--against` names one.
    other: Option<(open::Source, Trace)>,
    #[cfg(unix)]
    apart: Option<(Apart, Candidate)>,
}

/// Why replays have processes of their own.
#[cfg(unix)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The other side has variables, or a driver.
    Environment,
    /// They are experiments.
    Experiments,
}

impl<'a> Sides<'a> {
    /// # Errors
    /// `--against` cannot be understood, or what is asked for does not reach a process of its own.
    pub(crate) fn new(
        (source, trace): (&'a open::Source, &'a Trace),
        (runtime, adapter): (&'a replay::Runtime, &adapter::Choice),
        against: Option<&str>,
        (experiments, cpu): (bool, bool),
    ) -> Result<Self, Failure> {
        let other = against.filter(|named| is_trace(Path::new(named))).map(|named| {
            let other = open::Source::new(named.into(), None).by(&source.boundary);
            other.open().map(|trace| (other, trace))
        });
        let other = other.transpose()?;
        let against = against.filter(|_| other.is_none());
        #[cfg(unix)]
        let apart = {
            let other = against.map(other_side).transpose()?;
            let other = other.filter(|other| !other.variables.is_empty());
            let reason = match (other.is_some(), experiments) {
                (true, _) => Some(Reason::Environment),
                (false, true) => Some(Reason::Experiments),
                (false, false) => None,
            };
            if let Some(reason) = reason
                && (adapter.validates() || runtime.convention().is_some())
            {
                let (what, instead) = match reason {
                    Reason::Environment => ("--against with variables or a driver", ", or name a library alone"),
                    Reason::Experiments => ("--what-if", ""),
                };
                let told = format!(
                    "{what} plays each replay in a process of its own, which --validate and --convention do not reach: leave \
                     them out{instead}"
                );
                return Err(Failure::message(exit::USAGE, told));
            }
            let apart = |_| {
                let apart = Apart {
                    trace: source.trace.clone(),
                    rings: source.rings.clone(),
                    boundary: source.boundary.clone(),
                    runtime: runtime.name().unwrap_or("ours").to_owned(),
                    gpu: adapter.gpu().map(str::to_owned),
                    fence_timeout: runtime.fence_timeout(),
                    patience: None,
                    cpu,
                };
                (apart, other.clone().unwrap_or_default())
            };
            // In this process the environment is read once.
            reason.map(apart)
        };
        #[cfg(windows)]
        let _ = (adapter, against, experiments);
        Ok(Self {
            runtime,
            source,
            trace,
            cpu,
            other,
            #[cfg(unix)]
            apart,
        })
    }

    /// Whether replays are made in this process, so that later ones find what the driver and the runtime kept of earlier ones.
    pub(crate) fn share_a_process(&self) -> bool {
        #[cfg(unix)]
        return self.apart.is_none();
        #[cfg(windows)]
        return true;
    }

    /// # Errors
    /// The replay fails.
    pub(crate) fn here(&self, wish: TimeWish) -> Result<Times, Failure> {
        self.measure(&Measured { wish, experiment: None })?.map_err(|why| Failure::message(exit::FAILED, why))
    }

    /// # Errors
    /// The replay fails.
    pub(crate) fn there(&self, other: &str, wish: TimeWish) -> Result<Times, Failure> {
        let measured = Measured { wish, experiment: None };
        if let Some((source, trace)) = &self.other {
            return self.play((source, trace), None, &measured);
        }
        #[cfg(unix)]
        if let Some((apart, other)) = &self.apart {
            return well(apart.measure(other, &measured)?);
        }
        self.once(Some(other), &measured)
    }

    /// The trace that the other side plays, where that is another one.
    pub(crate) fn other(&self) -> Option<&Trace> {
        self.other.as_ref().map(|(_, trace)| trace)
    }

    /// Refuses a file to write that is the other side's trace.
    ///
    /// # Errors
    /// A usage failure when it is.
    pub(crate) fn spare(&self, output: &Path) -> Result<(), Failure> {
        self.other.iter().try_for_each(|(source, _)| source.spare(output))
    }

    /// One replay in this process.
    ///
    /// # Errors
    /// It fails.
    pub(crate) fn once(&self, library: Option<&str>, measured: &Measured<'_>) -> Result<Times, Failure> {
        self.play((self.source, self.trace), library, measured)
    }

    fn play(
        &self,
        (source, trace): (&open::Source, &Trace),
        library: Option<&str>,
        measured: &Measured<'_>,
    ) -> Result<Times, Failure> {
        let wish = measured.wish;
        let mut options = self.runtime.options()?;
        if let Some(library) = library {
            options.runtime = Some(library.to_owned());
            options.convention = None;
        }
        let about = About {
            trace_bytes: std::fs::metadata(&source.trace).map_or(0, |file| file.len()),
            frames: (wish.frames.0, (wish.frames.1 != u64::MAX).then_some(wish.frames.1)),
            serial: wish.serial,
            by_operation: wish.what == TimeKind::Operations,
            runtime: options.runtime.clone().unwrap_or_default(),
        };
        options.timing = Some(wish);
        options.experiment = measured.experiment.cloned();
        options.quit_after_frame = (wish.frames.1 != u64::MAX).then_some(wish.frames.1);
        let mut report = replay::play_quietly(source, options)?;
        replay::sound(&report, source)?;
        let experiment = report.experiment.take();
        let read_back = ReadBack { compared: report.compared_bytes, different: report.different_bytes };
        let mut report = report.timing.take().unwrap_or_default();
        let cpu = std::mem::take(&mut report.cpu);
        let mut times = keep::times(report, about, wish.what, trace);
        if let Some(run) = times.runs.first_mut().filter(|_| self.cpu) {
            run.cpu = Some(cpu);
        }
        times.experiment = experiment.map(keep::changed);
        times.read_back = Some(read_back);
        Ok(times)
    }
}

impl Replays for Sides<'_> {
    fn measure(&self, measured: &Measured<'_>) -> Result<Result<Times, String>, Failure> {
        #[cfg(unix)]
        if let Some((apart, _)) = &self.apart {
            return Ok(apart.measure(&Candidate::default(), measured)?.map_err(|outcome| outcome.to_string()));
        }
        self.once(None, measured).map(Ok)
    }

    fn wait_at_most(&mut self, patience: Duration) {
        #[cfg(unix)]
        if let Some((apart, _)) = &mut self.apart {
            apart.patience = Some(patience);
        }
        #[cfg(windows)]
        let _ = patience;
    }
}

/// Whether a file is a trace, by its name or by how it begins.
fn is_trace(file: &Path) -> bool {
    if file.extension().is_some_and(|extension| extension == "reprise") {
        return true;
    }
    let mut begin = [0; MAGIC.len()];
    File::open(file).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == MAGIC
}

/// The other side of `--against`.
///
/// # Errors
/// It cannot be understood, or names what is not there.
#[cfg(unix)]
fn other_side(line: &str) -> Result<Candidate, Failure> {
    let wrong = |what: String| Failure::message(exit::USAGE, format!("--against: {what}"));
    if line.trim().is_empty() {
        return Err(wrong("names nothing: a library, variables of the environment, or a Vulkan driver's file".into()));
    }
    let other = Candidate::of_line(line).map_err(wrong)?;
    for file in other.drivers() {
        if !file.is_file() {
            return Err(wrong(format!("there is no Vulkan driver's file {}", file.display())));
        }
    }
    Ok(other)
}

#[cfg(unix)]
fn well(played: Result<Times, Outcome>) -> Result<Times, Failure> {
    played.map_err(|outcome| Failure::message(exit::FAILED, outcome.to_string()))
}
