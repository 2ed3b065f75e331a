//! What happened to a pixel in a frame, as `reprise pixel` tells it.

use super::store::Store;
use super::{Job, replay};
use crate::answer::Refused;
use crate::subject::Subject;
use serde_json::{Value as Json, json};

/// The parts of a texture, as the option that names each is called.
const PARTS: [&str; 4] = ["mip", "slice", "plane", "sample"];

/// Which pixel of which texture, in which frame.
pub(super) struct Wish {
    frame: u64,
    at: [u32; 2],
    resource: Option<u32>,
    parts: [u32; 4],
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let number = |json: &Json| json.as_u64().and_then(|number| u32::try_from(number).ok());
        let at = with.get("at").and_then(Json::as_array).map(Vec::as_slice);
        let at = match at {
            Some([x, y]) => number(x).zip(number(y)),
            _ => None,
        };
        let (x, y) = at.ok_or_else(|| Refused::question("at is a column and a row, from 0"))?;
        let part = |name: &str| match with.get(name) {
            None | Some(Json::Null) => Ok(0),
            Some(part) => number(part).ok_or_else(|| Refused::question(format!("{name} is a number, from 0"))),
        };
        let [mip, slice, plane, sample] = PARTS.map(part);
        let frame = with.get("frame").and_then(Json::as_u64).filter(|frame| *frame > 0);
        let resource = match with.get("resource") {
            None | Some(Json::Null) => None,
            Some(id) => Some(number(id).ok_or_else(|| Refused::question("resource is an id"))?),
        };
        Ok(Wish {
            frame: frame.ok_or_else(|| Refused::question("frame is missing; frames count from 1"))?,
            at: [x, y],
            resource,
            parts: [mip?, slice?, plane?, sample?],
        })
    }

    /// In the words of `reprise pixel`.
    fn words(&self) -> Vec<String> {
        let [x, y] = self.at;
        let mut words = vec![format!("--frame={}", self.frame), format!("--at={x},{y}")];
        words.extend(self.resource.map(|id| format!("--target={id}")));
        let parts = PARTS.iter().zip(self.parts).filter(|(_, value)| *value != 0);
        words.extend(parts.map(|(part, value)| format!("--{part}={value}")));
        words
    }
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let words = wish.words();
    let key = Store::key(subject, &json!({ "kind": "pixel", "words": words }));
    if let Some(known) = store.answer(&key) {
        return Ok(named(known, subject));
    }
    let mut said = None;
    let all: Vec<&str> = ["pixel", "--json"].into_iter().chain(words.iter().map(String::as_str)).collect();
    let ended = replay::lines(job, subject, &all, None, |line| {
        said = Some(serde_json::from_str::<Json>(line).map_err(Refused::unavailable)?);
        Ok(())
    });
    let answer = match (said, ended) {
        (None, Err(why)) => return Err(why),
        (None, Ok(())) => return Err(Refused::unavailable("the replay ended before it came to the frame")),
        // A value that cannot be read fails the command; the rest is true, and each event says what it lacks.
        (Some(mut said), Err(why)) => {
            said["failed"] = why.why.into();
            said
        }
        (Some(said), Ok(())) => said,
    };
    if answer.get("failed").is_none() {
        store.keep(&key, &answer)?;
    }
    Ok(named(answer, subject))
}

/// An answer with the texture as it is called today: its name may be known later than its history.
fn named(mut answer: Json, subject: &Subject) -> Json {
    if let (Some(survey), Some(id)) = (subject.survey_now(), answer["resource"].as_u64()) {
        answer["object"] = survey.object_json(u32::try_from(id).unwrap_or(0));
    }
    answer
}
