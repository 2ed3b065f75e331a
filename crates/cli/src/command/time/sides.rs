//! Where replays are measured: in this process, in one for each side, or each in one of its own.
//!
//! Invariant: where the other side wants another environment or driver, or where an experiment may hang or crash the GPU's driver, no replay runs in
//! this process; a replay of an experiment shares its process with no other one.

use crate::command::replay;
use crate::options::adapter;
use crate::terminal;
use crate::terminal::exit::{self, Failure};
#[cfg(unix)]
use crate::timing::apart::Apart;
use crate::timing::counters;
use crate::timing::keep;
#[cfg(unix)]
use crate::timing::kept::Kept;
use crate::timing::left_out;
use crate::timing::measured::{Measured, Replays};
use crate::trace::open;
#[cfg(unix)]
use crate::trial::{
    candidate::Candidate,
    outcome::{Ending, Outcome},
};
use reprise_replay::{LoopFrames, TimeKind, TimeWish};
use reprise_times::{About, ReadBack, Times};
use reprise_trace::layout::MAGIC;
use reprise_trace::read::Trace;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

/// What is left out with the calls that run bundles of it; by whether it is this side's trace, and what is left out.
type LeftOutCalls = BTreeMap<(bool, BTreeSet<u64>), BTreeSet<u64>>;

/// Both sides, or the one that there is.
pub(crate) struct Sides<'a> {
    runtime: &'a replay::Runtime,
    source: &'a open::Source,
    trace: &'a Trace,
    /// How long the CPU was in the runtime is kept.
    cpu: bool,
    /// The trace that the other side plays, where `--against` names one.
    other: Option<(open::Source, Trace)>,
    /// What was left out so far.
    left_out: RefCell<LeftOutCalls>,
    /// How replays are given processes of their own.
    #[cfg(unix)]
    apart: Apart,
    #[cfg(unix)]
    processes: Option<Processes>,
}

/// Processes of replays.
#[cfg(unix)]
struct Processes {
    /// Those of this side and of the other one.
    here: RefCell<Kept>,
    there: RefCell<Kept>,
}

/// Why replays have processes of their own.
#[cfg(unix)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The other side has variables, or a driver.
    Environment,
    /// They are experiments.
    Experiments,
    /// It is asked for: `--fresh`.
    Asked,
}

/// What replays are like, as the command line has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// They are experiments, and those that these are compared with.
    pub(crate) experiments: bool,
    /// How long the CPU was in the runtime is kept.
    pub(crate) cpu: bool,
    /// No process plays a second replay.
    pub(crate) fresh: bool,
    /// Replays of each process that are not counted.
    pub(crate) warm_up: u32,
}

impl<'a> Sides<'a> {
    /// # Errors
    /// `--against` cannot be understood, or what is asked for does not reach a process of its own.
    pub(crate) fn new(
        (source, trace): (&'a open::Source, &'a Trace),
        (runtime, adapter): (&'a replay::Runtime, &adapter::Choice),
        against: Option<&str>,
        way: Way,
    ) -> Result<Self, Failure> {
        let Way { experiments, cpu, fresh, warm_up } = way;
        let other = against.filter(|named| is_trace(Path::new(named))).map(|named| {
            let other = open::Source::new(named.into(), None).by(&source.boundary);
            other.open().map(|trace| (other, trace))
        });
        let other = other.transpose()?;
        if fresh && other.is_some() {
            let told = "--fresh plays each replay in a process of its own, and those of another trace (--against) are played in this one: leave one of both out";
            return Err(Failure::message(exit::USAGE, told));
        }
        let against = against.filter(|_| other.is_none());
        #[cfg(unix)]
        let (apart, processes) = {
            let other = against.map(other_side).transpose()?;
            let has_variables = other.as_ref().is_some_and(|other| !other.variables.is_empty());
            let reason = match () {
                () if has_variables => Some(Reason::Environment),
                () if experiments => Some(Reason::Experiments),
                () => fresh.then_some(Reason::Asked),
            };
            if let Some(reason) = reason
                && (adapter.validates() || runtime.convention().is_some())
            {
                let (what, instead) = match reason {
                    Reason::Environment => ("--against with variables or a driver", ", or name a library alone"),
                    Reason::Experiments => ("--what-if", ""),
                    Reason::Asked => ("--fresh", ""),
                };
                let told = format!(
                    "{what} plays replays in processes of their own, which --validate and --convention do not reach: leave \
                     them out{instead}"
                );
                return Err(Failure::message(exit::USAGE, told));
            }
            let apart = Apart {
                trace: source.trace.clone(),
                rings: source.rings.clone(),
                boundary: source.boundary.clone(),
                runtime: runtime.name().unwrap_or("ours").to_owned(),
                gpu: adapter.gpu().map(str::to_owned),
                fence_timeout: runtime.fence_timeout(),
                patience: None,
                cpu,
                fresh,
            };
            let processes = |_| {
                let side = |candidate| RefCell::new(Kept::new(apart.clone(), candidate, warm_up));
                let (here, there) = (side(Candidate::default()), side(other.clone().unwrap_or_default()));
                Processes { here, there }
            };
            // In this process the environment is read once.
            let processes = reason.map(processes);
            (apart, processes)
        };
        #[cfg(windows)]
        let _ = (adapter, against, experiments, fresh, warm_up);
        Ok(Self {
            runtime,
            source,
            trace,
            cpu,
            other,
            left_out: RefCell::default(),
            #[cfg(unix)]
            apart,
            #[cfg(unix)]
            processes,
        })
    }

    /// Whether replays are made in this process, so that later ones find what the driver and the runtime kept of earlier ones.
    pub(crate) fn share_a_process(&self) -> bool {
        #[cfg(unix)]
        return self.processes.is_none();
        #[cfg(windows)]
        return true;
    }

    /// Replays from here on find no process that is kept.
    pub(crate) fn begin_anew(&self) {
        #[cfg(unix)]
        if let Some(Processes { here, there }) = &self.processes {
            here.borrow_mut().begin_anew();
            there.borrow_mut().begin_anew();
        }
    }

    /// # Errors
    /// The replay fails.
    pub(crate) fn here(&self, wish: TimeWish) -> Result<Times, Failure> {
        #[cfg(unix)]
        if let Some(processes) = &self.processes {
            return well(processes.here.borrow_mut().measure(wish)?);
        }
        self.measure(&Measured::of(wish))?.map_err(|why| Failure::message(exit::FAILED, why))
    }

    /// One replay in this process that plays the frames so often, each with times of its own.
    ///
    /// # Errors
    /// The replay fails, or the frames cannot be repeated.
    pub(crate) fn repeated(&self, wish: TimeWish, rounds: u32) -> Result<Times, Failure> {
        self.once(None, &Measured { rounds: Some(rounds), ..Measured::of(wish) })
    }

    /// One replay in which queries of the API count. Of libraries other than ours it has a process of its own, but on Windows, because queries around its work may be
    /// more than a library or its driver is used to: libvkd3d 1.2 on lavapipe 25.0.7 crashes at most of our programs.
    ///
    /// # Errors
    /// The replay fails.
    pub(crate) fn counted(&self, wish: TimeWish) -> Result<Times, Failure> {
        #[cfg(unix)]
        if let Some(library) = self.runtime.name().filter(|name| *name != "ours" && self.runtime.convention().is_none())
        {
            let counted = self.apart.measure(&Candidate::default(), &Measured::of(wish))?;
            return counted.map_err(|outcome| {
                let told = format!("--counters on {library}: {outcome}. Without --counters it is timed");
                Failure::message(exit_of(&outcome), told)
            });
        }
        self.here(wish)
    }

    /// One replay in a process of its own, in which the driver counts.
    ///
    /// # Errors
    /// The replay fails.
    #[cfg(unix)]
    pub(crate) fn driven(&self, wish: TimeWish, counters: &[u32]) -> Result<Times, Failure> {
        well(self.apart.measure(&Candidate::default(), &Measured { counters, ..Measured::of(wish) })?)
    }

    /// # Errors
    /// The replay fails.
    pub(crate) fn there(&self, other: &str, wish: TimeWish) -> Result<Times, Failure> {
        let measured = Measured::of(wish);
        if let Some((source, trace)) = &self.other {
            return self.play((source, trace), None, &measured);
        }
        #[cfg(unix)]
        if let Some(processes) = &self.processes {
            return well(processes.there.borrow_mut().measure(wish)?);
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

    /// What is left out, with the calls that run bundles of it. Replays of one side leave out the same: each trace is read once.
    fn left_out_calls(&self, calls: &BTreeSet<u64>, trace: &Trace) -> Result<BTreeSet<u64>, Failure> {
        if calls.is_empty() {
            return Ok(BTreeSet::new());
        }
        let key = (std::ptr::eq(trace, self.trace), calls.clone());
        if let Some(all) = self.left_out.borrow().get(&key) {
            return Ok(all.clone());
        }
        let all = left_out::with_bundles(trace, calls)?;
        self.left_out.borrow_mut().insert(key, all.clone());
        Ok(all)
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
            ..About::default()
        };
        options.timing = Some(wish);
        options.experiment = measured.experiment.cloned();
        match measured.rounds {
            // A loop ends by itself.
            Some(count) => options.rounds = Some(LoopFrames { frames: wish.frames, count: count.into() }),
            None => options.quit_after_frame = (wish.frames.1 != u64::MAX).then_some(wish.frames.1),
        }
        let library = options.runtime.clone();
        let mut report = match measured.reads {
            true => replay::play_and_compare(source, options)?,
            false => replay::play_quietly(source, options)?,
        };
        replay::sound(&report, source)?;
        let about = About {
            left_out: terminal::left_out::warning(&report, library.as_deref()).unwrap_or_default(),
            left_out_calls: self.left_out_calls(report.left_out_work.calls(), trace)?,
            ..about
        };
        if !report.unlike_rounds.is_empty() {
            let frames: Vec<String> = report.unlike_rounds.iter().map(u64::to_string).collect();
            reprise_log::warning(format_args!(
                "--loop: these frames show other pictures in later rounds, because what the GPU writes goes from round to round: {}",
                frames.join(", ")
            ));
        }
        let experiment = report.experiment.take();
        let read_back = ReadBack { compared: report.compared_bytes, different: report.different_bytes };
        let mut report = report.timing.take().unwrap_or_default();
        let (driver, uncounted) = (std::mem::take(&mut report.driver), report.counted.uncounted.clone());
        let mut times = keep::times(report, about, wish.what, trace);
        // Of what stands in bundles their calls are left, and nothing of other frames.
        times.about.left_out_calls.retain(|call| times.operations.contains_key(call));
        if wish.what == TimeKind::Driver {
            times.driver = vec![counters::counted(driver, uncounted, measured.counters, &counters::there()?)];
        }
        if !self.cpu {
            times.runs.iter_mut().for_each(|run| run.cpu = None);
        }
        times.experiment = experiment.map(keep::changed);
        times.read_back = Some(read_back);
        Ok(times)
    }
}

impl Replays for Sides<'_> {
    fn measure(&self, measured: &Measured<'_>) -> Result<Result<Times, String>, Failure> {
        #[cfg(unix)]
        if self.processes.is_some() {
            return Ok(self.apart.measure(&Candidate::default(), measured)?.map_err(|outcome| outcome.to_string()));
        }
        self.once(None, measured).map(Ok)
    }

    fn wait_at_most(&mut self, patience: Duration) {
        #[cfg(unix)]
        if self.processes.is_some() {
            self.apart.patience = Some(patience);
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
    played.map_err(|outcome| Failure::message(exit_of(&outcome), outcome.to_string()))
}

/// The exit code for a replay that ended so.
#[cfg(unix)]
fn exit_of(outcome: &Outcome) -> u8 {
    if outcome.ending == Ending::Absent { exit::USAGE } else { exit::FAILED }
}
