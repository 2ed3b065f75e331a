//! Finds calls, with the filters of `reprise dump` and words of its own.

use super::Job;
use crate::answer::{Deadline, Refused};
use crate::subject::Subject;
use crate::subject::kind::Kinds;
use crate::subject::rows;
use reprise_view::dump::Dump;
use reprise_view::dump::filter::{Filter, Selection};
use serde_json::{Map, Value as Json, json};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Events from one report of progress to the next.
const STEP: u64 = 1 << 14;

/// What is looked for.
pub(super) struct Search {
    selection: Selection,
    text: Option<String>,
    kinds: Option<Kinds>,
}

impl Search {
    /// From the question.
    ///
    /// # Errors
    /// A member is of another type, or names nothing.
    pub(super) fn of(with: &Json) -> Result<Search, Refused> {
        let wrong = |name: &str| Refused::question(format!("{name} is of another type than API.md says"));
        let numbers = |name: &str| -> Result<Vec<u32>, Refused> {
            let Some(list) = with.get(name).filter(|list| !list.is_null()) else { return Ok(Vec::new()) };
            let number = |json: &Json| json.as_u64().and_then(|number| u32::try_from(number).ok());
            list.as_array().and_then(|list| list.iter().map(number).collect()).ok_or_else(|| wrong(name))
        };
        let texts = |name: &str| -> Result<Vec<String>, Refused> {
            let Some(list) = with.get(name).filter(|list| !list.is_null()) else { return Ok(Vec::new()) };
            let text = |json: &Json| json.as_str().map(str::to_owned);
            list.as_array().and_then(|list| list.iter().map(text).collect()).ok_or_else(|| wrong(name))
        };
        let range = |name: &str| -> Result<Option<RangeInclusive<u64>>, Refused> {
            let Some(list) = with.get(name).filter(|list| !list.is_null()) else { return Ok(None) };
            let ends = (list.get(0).and_then(Json::as_u64), list.get(1).map(|end| end.as_u64().unwrap_or(u64::MAX)));
            match ends {
                (Some(first), Some(last)) if first >= 1 && first <= last => Ok(Some(first..=last)),
                _ => Err(Refused::question(format!(
                    "{name} must be two numbers from 1, the first of them not the greater one"
                ))),
            }
        };
        let mut kinds = None;
        for word in texts("kinds")? {
            let named = Kinds::named(&word).ok_or_else(|| Refused::question(format!("there is no kind {word}")))?;
            kinds = Some(kinds.map_or(named, |all: Kinds| all.and(named)));
        }
        Ok(Search {
            selection: Selection {
                frames: range("frames")?,
                calls: range("calls")?,
                threads: numbers("threads")?,
                methods: texts("methods")?,
                objects: numbers("objects")?,
            },
            text: with.get("text").and_then(Json::as_str).filter(|text| !text.is_empty()).map(str::to_lowercase),
            kinds,
        })
    }

    /// Goes through the trace.
    ///
    /// # Errors
    /// It is cancelled, a pattern names no method, or the trace cannot be read.
    pub(super) fn run(&self, job: &Job, subject: &Subject) -> Result<Json, Refused> {
        let survey = subject.survey(&Deadline::after(Duration::from_secs(600)))?;
        let filter = Filter::new(&self.selection).map_err(Refused::question)?;
        let (frame, call) = filter.first();
        let mut dump: Dump<'_, Map<String, Json>> = Dump::new(filter, Map::clone);
        let mut events = subject.trace.events_known_from(frame, call).without_pages();
        let mut count = 0;
        let mut kept = true;
        let take = |line: &Map<String, Json>| {
            if !line.contains_key("call") {
                return true;
            }
            let number = line.get("call").and_then(Json::as_u64).and_then(|call| survey.row_of(call));
            let row = rows::row(survey, number, line);
            !self.admits(&row, line) || job.found(row)
        };
        while let Some(event) = events.next()? {
            count += 1;
            if count % STEP == 0 {
                job.go_on()?;
                job.progress(event.number, survey.call_of(survey.rows.saturating_sub(1)).unwrap_or(0), || {
                    format!("call {}", event.number)
                });
            }
            if dump.is_done(&event) {
                break;
            }
            dump.event(&event);
            while let Some(line) = dump.next() {
                kept = kept && take(&line);
            }
            if !kept {
                break;
            }
        }
        while kept && let Some(line) = dump.rest() {
            kept = take(&line);
        }
        Ok(json!({ "complete": kept }))
    }

    fn admits(&self, row: &Json, line: &Map<String, Json>) -> bool {
        let word = |name: &str| row[name].as_str().unwrap_or_default();
        let of_kind = |kinds: Kinds| Kinds::named(word("kind")).is_some_and(|kind| kinds.meets(kind));
        self.kinds.is_none_or(of_kind)
            && self.text.as_ref().is_none_or(|text| {
                let name = line.get("method").and_then(Json::as_str).unwrap_or_default();
                let object = row["this"]["name"].as_str().unwrap_or_default();
                let arguments = line.get("args").and_then(Json::as_object);
                name.to_lowercase().contains(text)
                    || object.to_lowercase().contains(text)
                    || arguments.is_some_and(|arguments| {
                        reprise_view::dump::arguments_for_people(arguments).to_lowercase().contains(text)
                    })
            })
    }
}
