//! Jobs: work that takes long. A job runs on a thread of its own, and is cancelled when nobody has asked for it for a while.
//!
//! Invariants: the same question about the same trace is the same job. A job that has ended keeps what it found until the program ends.

mod alignment;
mod debug;
mod diff;
mod edit;
mod heat;
mod lint;
mod mesh;
mod outputs;
mod overlay;
mod picture;
mod pixel;
pub(crate) mod replay;
mod replays;
mod scene;
mod search;
mod store;
mod thumbnails;
mod usage;
mod view;

pub(crate) use alignment::Alignment;

use crate::answer::{Answer, Answered, Refused, part};
use crate::attached::Attached;
use crate::parameters::Parameters;
use crate::subject::Subject;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use store::Store;

/// A job that nobody has asked for so long is cancelled.
const FORGOTTEN: Duration = Duration::from_secs(10);
/// Jobs that wait or run.
const MOST: usize = 64;
/// Jobs that are remembered.
const REMEMBERED: usize = 512;
/// Items of one job.
pub(crate) const ITEMS: usize = 100_000;
/// How many jobs that replay run at a time, and how many others.
const AT_A_TIME: [usize; 2] = [1, 3];

/// Why two replays are not compared.
const NO_REPLAYS: &str = "one replay of this trace is looked at: --replay compares two";

/// How a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Done,
    Failed,
    Cancelled,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Done => "done",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    fn ended(self) -> bool {
        !matches!(self, State::Waiting | State::Running)
    }
}

/// What is known of a job.
#[derive(Debug)]
struct Known {
    state: State,
    done: u64,
    of: u64,
    text: String,
    items: Vec<Json>,
    more: bool,
    result: Json,
    error: Option<String>,
    asked: Instant,
    /// Rises with every change.
    version: u64,
}

/// A job.
pub(crate) struct Job {
    number: u64,
    t: usize,
    kind: String,
    question: Json,
    cancelled: AtomicBool,
    known: Mutex<Known>,
    changed: Condvar,
}

impl Job {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        let mut known = self.known();
        change(&mut known);
        known.version += 1;
        self.changed.notify_all();
    }

    /// # Errors
    /// Nobody wants it any more.
    pub(crate) fn go_on(&self) -> Result<(), Refused> {
        match self.cancelled.load(Ordering::Relaxed) {
            true => Err(Refused::unavailable("cancelled")),
            false => Ok(()),
        }
    }

    /// Says how far it is.
    pub(crate) fn progress(&self, done: u64, of: u64, text: impl FnOnce() -> String) {
        let text = text();
        self.change(|known| (known.done, known.of, known.text) = (done, of, text));
    }

    /// Adds what was found; false when there are as many as are kept.
    pub(crate) fn found(&self, item: Json) -> bool {
        let mut room = true;
        self.change(|known| {
            if known.items.len() < ITEMS {
                known.items.push(item);
            } else {
                known.more = true;
                room = false;
            }
        });
        room
    }

    fn json(&self) -> Json {
        let known = self.known();
        json!({
            "job": format!("j{}", self.number), "t": self.t, "kind": self.kind, "state": known.state.name(),
            "progress": { "done": known.done, "of": known.of, "text": known.text },
            "found": known.items.len(), "more": known.more, "error": known.error, "result": known.result,
        })
    }
}

/// All jobs of a run.
pub(crate) struct Jobs {
    all: Arc<Mutex<BTreeMap<u64, Arc<Job>>>>,
    next: AtomicU64,
    /// How many jobs of each sort run. The condition tells those that wait when one ends.
    running: Arc<(Mutex<[usize; 2]>, Condvar)>,
    store: Arc<Store>,
    /// What pages attached to their questions.
    pub(crate) attached: Attached,
    alignment: Arc<Mutex<Option<Arc<Alignment>>>>,
}

impl Jobs {
    pub(crate) fn new() -> Jobs {
        let all: Arc<Mutex<BTreeMap<u64, Arc<Job>>>> = Arc::default();
        let watched = Arc::downgrade(&all);
        // Jobs that nobody asks for are cancelled.
        std::thread::spawn(move || {
            while let Some(all) = watched.upgrade() {
                for job in all.lock().unwrap_or_else(PoisonError::into_inner).values() {
                    let known = job.known();
                    if !known.state.ended() && known.asked.elapsed() >= FORGOTTEN {
                        job.cancelled.store(true, Ordering::Relaxed);
                    }
                }
                drop(all);
                std::thread::sleep(Duration::from_millis(500));
            }
        });
        Jobs {
            all,
            next: AtomicU64::new(1),
            running: Arc::default(),
            store: Arc::new(Store::new()),
            attached: Attached::default(),
            alignment: Arc::default(),
        }
    }

    /// How calls of the two traces belong together, once that is known.
    pub(crate) fn alignment(&self) -> Option<Arc<Alignment>> {
        self.alignment.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn get(&self, name: &str) -> Result<Arc<Job>, Refused> {
        let number = name.strip_prefix('j').and_then(|number| number.parse::<u64>().ok());
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let job = number.and_then(|number| all.get(&number)).cloned();
        job.ok_or_else(|| Refused::missing("there is no such job"))
    }

    /// How a job stands, at once or when it changes.
    pub(crate) fn ask(&self, name: &str, with: &Parameters) -> Answered {
        let job = self.get(name)?;
        let wait = Duration::from_millis(with.number::<u64>("wait")?.unwrap_or(0).min(5000));
        {
            let mut known = job.known();
            known.asked = Instant::now();
            let version = known.version;
            if !known.state.ended() && wait > Duration::ZERO {
                let waited = job.changed.wait_timeout_while(known, wait, |known| known.version == version);
                let (mut known, _) = waited.unwrap_or_else(PoisonError::into_inner);
                known.asked = Instant::now();
            }
        }
        Ok(job.json().into())
    }

    /// What was found so far.
    pub(crate) fn items(&self, name: &str, with: &Parameters) -> Answered {
        let job = self.get(name)?;
        let (first, count) = with.part(1000)?;
        let mut known = job.known();
        known.asked = Instant::now();
        let items = known.items.iter().skip(first as usize).take(count as usize).cloned().collect();
        Ok(part(known.items.len() as u64, first, items).into())
    }

    pub(crate) fn cancel(&self, name: &str) -> Answered {
        let job = self.get(name)?;
        job.cancelled.store(true, Ordering::Relaxed);
        Ok(job.json().into())
    }

    /// A file that a job wrote.
    pub(crate) fn file(&self, name: &str) -> Answered {
        let (bytes, kind) = self.store.read(name)?;
        Ok(Answer::Bytes(bytes, kind))
    }

    /// Begins a job, or finds the one that answers the same question.
    pub(crate) fn begin(&self, all: &[Arc<Subject>], subject: &Arc<Subject>, question: &Json) -> Answered {
        let kind = question.get("kind").and_then(Json::as_str).unwrap_or_default().to_owned();
        let work = work(&kind, all, subject, question, self)?;
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let same = all.values().find(|job| {
            let known = job.known();
            let good = !matches!(known.state, State::Failed | State::Cancelled);
            // What was written once may be gone, or is to be refused.
            let good = good && !(kind == "save" && known.state.ended());
            good && !job.cancelled.load(Ordering::Relaxed) && job.t == subject.t && job.question == *question
        });
        if let Some(job) = same {
            job.known().asked = Instant::now();
            return Ok(job.json().into());
        }
        if all.values().filter(|job| !job.known().state.ended()).count() >= MOST {
            return Err(Refused::busy("too many jobs wait: cancel some, or ask again later"));
        }
        while all.len() >= REMEMBERED {
            let old = all.values().find(|job| job.known().state.ended()).map(|job| job.number);
            let Some(old) = old else { break };
            all.remove(&old);
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let job = Arc::new(Job {
            number,
            t: subject.t,
            kind,
            question: question.clone(),
            cancelled: AtomicBool::new(false),
            known: Mutex::new(Known {
                state: State::Waiting,
                done: 0,
                of: 0,
                text: String::new(),
                items: Vec::new(),
                more: false,
                result: Json::Null,
                error: None,
                asked: Instant::now(),
                version: 0,
            }),
            changed: Condvar::new(),
        });
        all.insert(number, job.clone());
        drop(all);
        let (running, own) = (Arc::clone(&self.running), job.clone());
        let started = std::thread::Builder::new().name("reprise-job".into()).spawn(move || run(&own, &running, work));
        if started.is_err() {
            job.change(|known| (known.state, known.error) = (State::Failed, Some("no thread can be started".into())));
        }
        Ok(job.json().into())
    }
}

/// What a job does, and whether it replays.
struct Work {
    replays: bool,
    #[allow(clippy::type_complexity)]
    run: Box<dyn FnOnce(&Job) -> Result<Json, Refused> + Send>,
}

fn work(kind: &str, all: &[Arc<Subject>], subject: &Arc<Subject>, with: &Json, jobs: &Jobs) -> Result<Work, Refused> {
    let (subject, store) = (Arc::clone(subject), Arc::clone(&jobs.store));
    Ok(match kind {
        "search" => {
            let search = search::Search::of(with)?;
            Work { replays: false, run: Box::new(move |job| search.run(job, &subject)) }
        }
        "uses" => {
            let object =
                with.get("object").and_then(Json::as_u64).ok_or_else(|| Refused::question("object is missing"))?;
            let search = search::Search::of(&json!({ "objects": [object] }))?;
            Work { replays: false, run: Box::new(move |job| search.run(job, &subject)) }
        }
        "usage" => {
            let object = object_of(with)?;
            let call = picture::call(with)?;
            Work { replays: false, run: Box::new(move |job| usage::around(job, &subject, call, object)) }
        }
        "resource_uses" => {
            let object = object_of(with)?;
            Work { replays: false, run: Box::new(move |job| usage::all(job, &subject, object)) }
        }
        "last_writes" => Work { replays: false, run: Box::new(move |job| usage::last_writes(job, &subject)) },
        "overlay" => {
            let wish = overlay::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| overlay::run(job, &subject, &wish, &store)) }
        }
        "lint" => Work { replays: false, run: Box::new(move |job| lint::run(job, &subject)) },
        "diff" => {
            let [a, b] = all else {
                return Err(Refused::conflict("there is one trace: --compare names another"));
            };
            let (a, b, alignment) = (Arc::clone(a), Arc::clone(b), Arc::clone(&jobs.alignment));
            Work { replays: false, run: Box::new(move |job| diff::run(job, [&a, &b], &alignment)) }
        }
        "replays" => {
            let [a, b] = all else { return Err(Refused::conflict(NO_REPLAYS)) };
            if !a.shares(b) {
                return Err(Refused::conflict(NO_REPLAYS));
            }
            let (a, b) = (Arc::clone(a), Arc::clone(b));
            Work { replays: true, run: Box::new(move |job| replays::run(job, [&a, &b], &store)) }
        }
        "thumbnails" => {
            let wish = thumbnails::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| thumbnails::run(job, &subject, &wish, &store)) }
        }
        "picture" => {
            let wish = picture::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| picture::run(job, &subject, &wish, &store)) }
        }
        "heat" => {
            let wish = heat::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| heat::run(job, &subject, &wish, &store)) }
        }
        "pixel" => {
            let wish = pixel::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| pixel::run(job, &subject, &wish, &store)) }
        }
        "debug" => {
            let wish = debug::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| debug::run(job, &subject, &wish, &store)) }
        }
        "scene" => {
            let wish = scene::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| scene::run(job, &subject, &wish, &store)) }
        }
        "edit" => {
            let wish = edit::Wish::of(with, &jobs.attached)?;
            Work { replays: true, run: Box::new(move |job| edit::run(job, &subject, &wish, &store)) }
        }
        "save" => {
            let wish = edit::Save::of(with, &jobs.attached, &subject)?;
            Work { replays: false, run: Box::new(move |job| edit::save(job, &subject, &wish, &store)) }
        }
        "view" => {
            let wish = view::Wish::of(with, &jobs.attached)?;
            Work { replays: true, run: Box::new(move |job| view::run(job, &subject, &wish, &store)) }
        }
        "buffer" => {
            let wish = picture::Bytes::of(with)?;
            Work { replays: true, run: Box::new(move |job| picture::bytes(job, &subject, &wish, &store)) }
        }
        "mesh" => {
            let wish = mesh::Wish::of(with)?;
            Work { replays: true, run: Box::new(move |job| mesh::run(job, &subject, &wish, &store)) }
        }
        other => return Err(Refused::question(format!("there is no job of the kind {other}"))),
    })
}

/// The object that a question is about.
fn object_of(with: &Json) -> Result<u32, Refused> {
    let id = with.get("object").and_then(Json::as_u64).and_then(|id| u32::try_from(id).ok()).filter(|id| *id != 0);
    id.ok_or_else(|| Refused::question("object is missing: the id of a resource"))
}

fn run(job: &Job, running: &(Mutex<[usize; 2]>, Condvar), work: Work) {
    let sort = usize::from(!work.replays);
    let mut counts = running.0.lock().unwrap_or_else(PoisonError::into_inner);
    while counts[sort] >= AT_A_TIME[sort] && job.go_on().is_ok() {
        let waited = running.1.wait_timeout(counts, Duration::from_millis(500));
        counts = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    counts[sort] += 1;
    drop(counts);
    job.change(|known| known.state = State::Running);
    // A panic is a fault of this program. It must end this job only.
    let body = std::panic::AssertUnwindSafe(|| job.go_on().and_then(|()| (work.run)(job)));
    let ended = std::panic::catch_unwind(body);
    job.change(|known| match ended {
        Ok(Ok(result)) => (known.state, known.result) = (State::Done, result),
        Ok(Err(_)) if job.cancelled.load(Ordering::Relaxed) => known.state = State::Cancelled,
        Ok(Err(refused)) => (known.state, known.error) = (State::Failed, Some(refused.why)),
        Err(_) => (known.state, known.error) = (State::Failed, Some("this is a fault of reprise inspect".into())),
    });
    let mut counts = running.0.lock().unwrap_or_else(PoisonError::into_inner);
    counts[sort] -= 1;
    running.1.notify_all();
}
