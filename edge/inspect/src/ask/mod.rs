//! The questions of the interface, a file for each group, as `API.md` states them.

mod calls;
mod compare;
mod costs;
mod flame;
mod frames;
mod memory;
mod notes;
mod objects;
mod shaders;
mod state;
mod timeline;
mod traces;
mod tree;

use crate::answer::{Answer, Answered, Deadline, Refused};
use crate::job::Jobs;
use crate::parameters::Parameters;
use crate::subject::Subject;
use serde_json::Value as Json;
use std::sync::Arc;
use std::time::Duration;

/// How long a question may take.
const LONGEST: Duration = Duration::from_secs(20);

/// What all questions share.
pub(crate) struct Shared {
    pub(crate) subjects: Vec<Arc<Subject>>,
    pub(crate) jobs: Jobs,
}

/// A question, as it came.
pub(crate) struct Question {
    /// Behind `api/`.
    pub(crate) path: String,
    pub(crate) parameters: Parameters,
    pub(crate) how: How,
}

/// The method of a request.
#[derive(Debug)]
pub(crate) enum How {
    Get,
    /// With a body.
    Post(Json),
    Delete,
}

impl Shared {
    /// For these traces.
    pub(crate) fn new(subjects: Vec<Subject>) -> Arc<Shared> {
        let subjects = subjects.into_iter().map(Arc::new).collect();
        Arc::new(Shared { subjects, jobs: Jobs::new() })
    }

    /// Begins to read the traces.
    pub(crate) fn begin(&self) {
        for subject in &self.subjects {
            let subject = Arc::clone(subject);
            std::thread::spawn(move || subject.prepare());
        }
    }

    /// Whether both subjects are replays of one trace.
    fn replays(&self) -> bool {
        matches!(&self.subjects[..], [a, b] if a.shares(b))
    }

    fn subject(&self, t: &str) -> Result<&Arc<Subject>, Refused> {
        let number = t.parse::<usize>().ok();
        number.and_then(|t| self.subjects.get(t)).ok_or_else(|| Refused::missing("there is no such trace"))
    }
}

/// Answers a question.
///
/// # Errors
/// Why there is no answer.
pub(crate) fn answer(shared: &Shared, question: &Question) -> Answered {
    let deadline = Deadline::after(LONGEST);
    let words: Vec<&str> = question.path.split('/').collect();
    let with = &question.parameters;
    match (&question.how, &words[..]) {
        (How::Get, ["traces"]) => traces::list(shared),
        (How::Get, ["compare"]) => compare::frames(shared, &deadline),
        (How::Get, ["compare", "row"]) => compare::row(shared, with, &deadline),
        (How::Get, ["jobs", job]) => shared.jobs.ask(job, with),
        (How::Get, ["jobs", job, "items"]) => shared.jobs.items(job, with),
        (How::Delete, ["jobs", job]) => shared.jobs.cancel(job),
        (How::Get, ["files", file]) => shared.jobs.file(file),
        (How::Post(body), [t, "jobs"]) => shared.jobs.begin(&shared.subjects, shared.subject(t)?, body),
        (How::Post(body), [t, "notes"]) => notes::change(shared.subject(t)?, body).map(Answer::from),
        (How::Get, [t, rest @ ..]) => of_trace(shared, shared.subject(t)?, rest, with, &deadline),
        _ => Err(Refused::missing("there is no such question")),
    }
}

fn of_trace(shared: &Shared, subject: &Subject, words: &[&str], with: &Parameters, until: &Deadline) -> Answered {
    let json: Result<Json, Refused> = match words {
        ["info"] => traces::info(subject),
        ["rows"] => calls::rows(subject, with, until),
        ["row"] => calls::row(subject, with, until),
        ["call"] => calls::call(subject, with, until),
        ["methods"] => calls::methods(subject, until),
        ["frames"] => frames::list(subject, with, until),
        ["timeline"] => timeline::of(subject, with, until),
        ["times"] => costs::about(subject),
        ["costs"] => costs::list(subject, with, until),
        ["costs", "against"] => costs::against(subject, with, until),
        ["costs", "flame"] => flame::of(subject, with, until),
        ["costs", "heat"] => costs::heat(subject, with, until),
        ["costs", "pipelines"] => costs::pipelines(subject, with, until),
        ["tree"] => tree::children(subject, with, until),
        ["tree", "path"] => tree::path(subject, with, until),
        ["state"] => state::at(subject, with),
        ["state", "before"] => state::before(subject, with, until),
        ["state", "differences"] => state::differences(shared, subject, with),
        ["shaders"] => shaders::list(subject, with, until),
        ["shader"] => shaders::one(subject, with, until),
        ["ray_shaders"] => shaders::of_rays(subject, with),
        ["shader", "bytes"] => return shaders::bytes(subject, with, until),
        ["root_signature"] => shaders::root_signature(subject, with, until),
        ["objects"] => objects::list(subject, with, until),
        ["classes"] => objects::classes(subject, until),
        ["object"] => objects::one(subject, with, until),
        ["descriptors"] => objects::descriptors(subject, with),
        ["heap"] => objects::heap(subject, with, until),
        ["notes"] => notes::list(subject),
        ["memory"] => memory::writes(subject, with, until),
        ["memory", "bytes"] => memory::bytes(subject, with, until),
        _ => Err(Refused::missing("there is no such question")),
    };
    json.map(Answer::from)
}
