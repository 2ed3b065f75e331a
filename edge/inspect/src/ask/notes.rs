//! Notes that people keep beside a trace; `reprise notes` shows and changes the same file.

use crate::answer::Refused;
use crate::subject::Subject;
use reprise_view::notes::{self, Note};
use serde_json::{Value as Json, json};

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
    let file = notes::beside(&subject.file);
    let all = match (note("add")?, note("remove")?) {
        (Some(new), None) => {
            let mut index;
            let chronicle = match new.object.is_some() || new.frame.is_some() {
                true => {
                    index = subject.index()?;
                    Some(index.get()?.chronicle())
                }
                false => None,
            };
            let chronicle = || chronicle.ok_or_else(|| "the index of the trace is not there".to_owned());
            notes::is_about(&subject.trace, &new, chronicle).map_err(Refused::question)?;
            notes::change(&file, &subject.trace, |all| {
                all.push(new);
                Ok(())
            })
        }
        (None, Some(old)) => notes::change(&file, &subject.trace, |all| {
            let place = all.iter().position(|note| *note == old).ok_or("there is no such note any more")?;
            all.remove(place);
            Ok(())
        }),
        _ => return Err(Refused::question("the body has a note to add or one to remove")),
    };
    let gone = body.get("remove").is_some();
    let all = all.map_err(|error| match error {
        notes::Error::Asked(what) if gone => Refused::missing(what),
        notes::Error::Asked(what) => Refused::question(what),
        notes::Error::File(what) => Refused::conflict(what),
        notes::Error::Write(what) => Refused::unavailable(what),
    })?;
    Ok(told(&all))
}
