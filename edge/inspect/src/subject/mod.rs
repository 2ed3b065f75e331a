//! A trace, with what the server has found out about it.
//!
//! Invariant: each thing is found out once, when it is first asked for. Who asks for it meanwhile waits, at most until their question's deadline.

pub(crate) mod flame;
pub(crate) mod grid;
pub(crate) mod history;
pub(crate) mod kind;
mod making;
pub(crate) mod measured;
pub(crate) mod queues;
pub(crate) mod recording;
pub(crate) mod rows;
mod shaders;
pub(crate) mod side;
pub(crate) mod survey;

use crate::answer::{Deadline, Refused};
use measured::Measured;
use recording::Recordings;
use reprise_codec::translate::Translation;
use reprise_timeline::frames::{self, FrameBoundary, NoFrames};
use reprise_timeline::index::{Cache, Index};
use reprise_trace::read::Trace;
use reprise_view::open::OpenError;
use reprise_view::ray_shaders::RayShaders;
use reprise_view::shaders::Shaders;
use reprise_view::uses::UseReport;
use rows::Windows;
use serde_json::Value as Json;
use side::Side;
use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use survey::Survey;

/// By resource: the place of its last write among all, and the write.
pub(crate) type LastWrites = BTreeMap<u32, (u64, UseReport)>;

/// A trace, and what its replays play on. Two replays of one trace are two subjects that share what was found out about it.
pub(crate) struct Subject {
    /// Its number among the subjects.
    pub(crate) t: usize,
    pub(crate) side: Side,
    /// It was dropped onto a page: it goes with the server, and so does what is kept beside it.
    pub(crate) dropped: bool,
    opened: Arc<Opened>,
}

impl Deref for Subject {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        &self.opened
    }
}

/// See the module.
pub(crate) struct Opened {
    pub(crate) file: PathBuf,
    pub(crate) rings: Option<PathBuf>,
    pub(crate) trace: Trace,
    pub(crate) translation: Option<Arc<Translation>>,
    pub(crate) identity: u128,
    survey: OnceLock<Result<Survey, String>>,
    /// The last call that the survey has read.
    pub(crate) surveyed: AtomicU64,
    begun: AtomicBool,
    made: (Mutex<()>, Condvar),
    index: Mutex<Option<Index>>,
    pub(crate) windows: Windows,
    pub(crate) recordings: Recordings,
    pub(crate) shaders: OnceLock<Shaders>,
    ray_shaders: OnceLock<HashMap<u32, RayShaders>>,
    measured: OnceLock<Result<Option<Measured>, String>>,
    /// By resource, once somebody asked.
    last_writes: OnceLock<LastWrites>,
}

/// Why a trace is not opened.
#[derive(Debug)]
pub(crate) struct NotOpened {
    /// Whether other options would open it.
    pub(crate) is_usage: bool,
    pub(crate) error: anyhow::Error,
}

impl From<OpenError> for NotOpened {
    fn from(error: OpenError) -> NotOpened {
        NotOpened { is_usage: matches!(error, OpenError::Rings { .. }), error: error.into() }
    }
}

impl Subject {
    /// Opens a trace, with frames that end where the user says.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn open(
        t: usize,
        file: &Path,
        rings: Option<&Path>,
        boundary: Option<&FrameBoundary>,
        side: Side,
    ) -> Result<Subject, NotOpened> {
        let (trace, translation) = reprise_view::open::open(file, rings)?;
        if let Some(boundary) = boundary {
            frames::end_by(&trace, boundary).map_err(|error| NotOpened {
                is_usage: matches!(error, NoFrames::Nothing(_)),
                error: anyhow::anyhow!("{}: --frame-boundary {error}", file.display()),
            })?;
        }
        let opened = Opened {
            file: file.to_path_buf(),
            rings: rings.map(Path::to_path_buf),
            identity: trace.identity(),
            trace,
            translation,
            survey: OnceLock::new(),
            surveyed: AtomicU64::new(0),
            begun: AtomicBool::new(false),
            made: (Mutex::new(()), Condvar::new()),
            index: Mutex::new(None),
            windows: Windows::default(),
            recordings: Recordings::default(),
            shaders: OnceLock::new(),
            ray_shaders: OnceLock::new(),
            measured: OnceLock::new(),
            last_writes: OnceLock::new(),
        };
        Ok(Subject { t, side, dropped: false, opened: Arc::new(opened) })
    }

    /// The same trace, played on something else.
    pub(crate) fn played_on(&self, t: usize, side: Side) -> Subject {
        Subject { t, side, dropped: self.dropped, opened: Arc::clone(&self.opened) }
    }

    /// Whether both are replays of one trace that was opened once.
    pub(crate) fn shares(&self, other: &Subject) -> bool {
        Arc::ptr_eq(&self.opened, &other.opened)
    }
}

impl Opened {
    /// Surveys the trace, unless somebody does already, and then opens its index.
    pub(crate) fn prepare(&self) {
        if self.begun.swap(true, Ordering::AcqRel) {
            return;
        }
        let progress = |call: u64| {
            self.surveyed.store(call, Ordering::Relaxed);
            true
        };
        let survey = Survey::of(&self.trace, &progress).map_err(|error| error.to_string());
        let _ = self.survey.set(survey);
        let _held = self.made.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.made.1.notify_all();
        drop(_held);
        // The page asks for a state soon.
        let _ = self.index();
    }

    /// What `reprise time --save` measured, read once; `None` where there is nothing.
    ///
    /// # Errors
    /// In words: the file is damaged, or of another trace.
    pub(crate) fn measured(&self) -> Result<Option<&Measured>, &str> {
        // What is measured names frames that the trace has by itself.
        let beside = || if self.has_other_frames() { Ok(None) } else { Measured::beside(&self.file) };
        let measured = self.measured.get_or_init(beside);
        measured.as_ref().map(Option::as_ref).map_err(String::as_str)
    }

    /// What was measured, for whoever asks of nothing else.
    ///
    /// # Errors
    /// There is nothing, or it cannot be read.
    pub(crate) fn times(&self) -> Result<&Measured, Refused> {
        let lacks = || Refused::missing("nothing was measured of this trace yet: `reprise time --save` does");
        self.measured().map_err(Refused::unavailable)?.ok_or_else(lacks)
    }

    /// Takes these files of times, instead of what lies beside the trace; none stand for that.
    ///
    /// # Errors
    /// In words: a file cannot be read, is damaged, or of another trace.
    pub(crate) fn take_times(&self, files: &[PathBuf]) -> Result<(), String> {
        if self.has_other_frames() {
            return match files {
                [] => Ok(()),
                _ => Err("a file of times has the frames that the trace has by itself: leave out --times or --frame-boundary".into()),
            };
        }
        if let Some(measured) = Measured::of(&self.file, files)? {
            // Nobody has asked yet.
            let _ = self.measured.set(Ok(Some(measured)));
        }
        Ok(())
    }

    /// Whether its frames are not those that it has by itself.
    fn has_other_frames(&self) -> bool {
        self.trace.chosen_ends().is_some()
    }

    /// Whether there is a file of times, be it damaged.
    pub(crate) fn has_times(&self) -> bool {
        self.measured.get().is_some_and(|measured| !matches!(measured, Ok(None)))
            || (!self.has_other_frames() && reprise_times::beside(&self.file).exists())
    }

    /// The survey, if it is there.
    pub(crate) fn survey_now(&self) -> Option<&Survey> {
        self.survey.get()?.as_ref().ok()
    }

    /// The survey.
    ///
    /// # Errors
    /// It is not there in time, or the trace cannot be read.
    pub(crate) fn survey(&self, deadline: &Deadline) -> Result<&Survey, Refused> {
        let mut held = self.made.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match self.survey.get() {
                Some(Ok(survey)) => return Ok(survey),
                Some(Err(why)) => return Err(Refused::damaged(why)),
                None if deadline.left() == Duration::ZERO => {
                    let (done, of) = (self.surveyed.load(Ordering::Relaxed), self.trace.statistics().calls);
                    return Err(Refused::unavailable(format!("the trace is still being read: call {done} of {of}")));
                }
                None => {
                    let waited = self.made.1.wait_timeout(held, deadline.left());
                    held = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    /// Who wrote each resource last, once somebody asked.
    pub(crate) fn last_writes(&self) -> Option<&LastWrites> {
        self.last_writes.get()
    }

    /// Keeps that.
    pub(crate) fn keep_last_writes(&self, found: LastWrites) {
        // Who found it first found the same.
        let _ = self.last_writes.set(found);
    }

    /// What `reprise state --json` prints for a call, and an object where one is asked for.
    ///
    /// # Errors
    /// There is no such call or object, or the trace is damaged there.
    pub(crate) fn report(&self, call: u64, object: Option<u32>) -> Result<Json, Refused> {
        let mut index = self.index()?;
        let report = reprise_view::state::report(&self.trace, index.get()?, call, object, &mut |_| {})?;
        // Through text: floats of 32 bits stay as short as they are.
        let text = serde_json::to_string(&report).map_err(Refused::damaged)?;
        serde_json::from_str(&text).map_err(Refused::damaged)
    }

    /// The index, which is opened now if it was not.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn index(&self) -> Result<Indexed<'_>, Refused> {
        let mut held = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            *held = Some(Index::open(&self.trace, Cache::user(), &mut |_| {})?);
        }
        Ok(Indexed(held))
    }
}

/// The index of a trace, for as long as a question needs it.
pub(crate) struct Indexed<'s>(MutexGuard<'s, Option<Index>>);

impl Indexed<'_> {
    /// The index.
    ///
    /// # Errors
    /// None: it was opened.
    pub(crate) fn get(&mut self) -> Result<&mut Index, Refused> {
        self.0.as_mut().ok_or_else(|| Refused::unavailable("the index is gone: ask again"))
    }
}
