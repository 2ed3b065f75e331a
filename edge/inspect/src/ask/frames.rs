//! Frames.

use crate::answer::{Deadline, Refused, part};
use crate::parameters::Parameters;
use crate::subject::Subject;
use reprise_view::api;
use serde_json::{Value as Json, json};

pub(crate) fn list(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let survey = subject.survey(until)?;
    let (first, count) = with.part(10_000)?;
    let from = usize::try_from(first).unwrap_or(usize::MAX);
    let measured = subject.measured().ok().flatten();
    let frames = survey.frames.iter().enumerate().skip(from).take(count as usize).map(|(place, frame)| {
        let image = frame.image.as_ref().map(|(hash, width, height, format)| {
            let format = api::enum_name("DXGI_FORMAT", *format);
            json!({ "hash": hash, "width": width, "height": height, "format": format })
        });
        json!({
            "frame": place + 1,
            "first_call": frame.calls.map(|(first, _)| first),
            "last_call": frame.calls.map(|(_, last)| last),
            "first_row": frame.first_row,
            "calls": frame.count,
            "draws": frame.draws,
            "dispatches": frame.dispatches,
            "submissions": frame.submissions,
            "begin_ns": frame.begin_ns,
            "end_ns": frame.end_ns,
            "source": frame.source,
            "image": image,
            "gpu_ns": measured.and_then(|measured| measured.frames.get(&(place as u64 + 1))),
        })
    });
    Ok(part(survey.frames.len() as u64, first, frames.collect()))
}
