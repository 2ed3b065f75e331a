//! Notes that people keep beside a trace; `reprise notes` shows and changes the same file.

use crate::answer::Refused;
use crate::subject::Subject;
use reprise_view::notes::{self, Note};
use serde_json::{Value as Json, json};
use std::sync::{Mutex, PoisonError};

/// Changes come one after the other, so that none is lost.
static CHANGING: Mutex<()> = Mutex::new(());

fn read(subject: &Subject) -> Result<Vec<Note>, Refused> {
    notes::read(&notes::beside(&subject.file), &subject.trace).map_err(Refused::conflict)
}

fn told(all: &[Note]) -> Json {
    json!({ "items": all })
}

/// All of them.
pub(crate) fn list(subject: &Subject) -> Result<Json, Refused> {
    Ok(told(&read(subject)?))
}

/// Adds one (`add`) or removes one (`remove`: the note as it was).
pub(crate) fn change(subject: &Subject, body: &Json) -> Result<Json, Refused> {
    let note = |name: &str| -> Result<Option<Note>, Refused> {
        let Some(json) = body.get(name) else { return Ok(None) };
        serde_json::from_value(json.clone()).map(Some).map_err(|error| Refused::question(format!("{name}: {error}")))
    };
    let _one = CHANGING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = read(subject)?;
    match (note("add")?, note("remove")?) {
        (Some(new), None) => all.push(new),
        (None, Some(old)) => {
            let place = all.iter().position(|note| *note == old);
            all.remove(place.ok_or_else(|| Refused::missing("there is no such note any more"))?);
        }
        _ => return Err(Refused::question("the body has a note to add or one to remove")),
    }
    let all = notes::write(&notes::beside(&subject.file), &subject.trace, all).map_err(Refused::question)?;
    Ok(told(&all))
}
