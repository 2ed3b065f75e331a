//! Objects: lists of them, one at a call, descriptor heaps, heaps as maps.

use crate::answer::{Deadline, Refused, part};
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::survey::{Object, Survey};
use reprise_d3d12::model::MethodId;
use reprise_view::api;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// When objects were made and released.
type Lives = BTreeMap<u32, Vec<reprise_timeline::index::Life>>;

fn lives(subject: &Subject) -> Result<Lives, Refused> {
    Ok(subject.index()?.get()?.chronicle().lives.clone())
}

/// The call that released an object at last; none where it lives at the end.
fn released(lives: &Lives, id: u32) -> Option<u64> {
    lives.get(&id).and_then(|lives| lives.last()?.released)
}

/// Whether a call finds an object. One that was released may be given out again, so it may be gone in between.
fn is_alive(lives: &Lives, id: u32, object: &Object, call: u64) -> bool {
    match lives.get(&id) {
        Some(lives) => {
            lives.iter().any(|life| life.created < call && life.released.is_none_or(|released| call <= released))
        }
        None => object.call < call,
    }
}

pub(crate) fn list(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let survey = subject.survey(until)?;
    let (first, count) = with.part(1000)?;
    let lives = lives(subject)?;
    let class = with.text("class").map(str::to_lowercase);
    let name = with.text("name").map(str::to_lowercase);
    let alive = with.number::<u64>("alive")?;
    let wanted = |(id, object): &(&u32, &Object)| {
        let class_fits =
            class.as_ref().is_none_or(|class| object.class.to_lowercase().contains(class.trim_matches('*')));
        let own = object.name.as_deref().unwrap_or_default().to_lowercase();
        let name_fits = name.as_ref().is_none_or(|name| own.contains(name) || id.to_string() == *name);
        class_fits && name_fits && alive.is_none_or(|call| is_alive(&lives, **id, object, call))
    };
    let mut all: Vec<(&u32, &Object)> = survey.objects.iter().filter(wanted).collect();
    let bytes = |id: &u32| survey.made.get(id).map_or(0, |made| made.bytes);
    match with.text("sort").unwrap_or("id") {
        "id" => {}
        "class" => all.sort_by_key(|(id, object)| (object.class, **id)),
        "created" => all.sort_by_key(|(id, object)| (object.call, **id)),
        "bytes" => all.sort_by_key(|(id, _)| (bytes(id), **id)),
        "written" => {
            let Some(written) = subject.last_writes() else {
                return Err(Refused::conflict("who wrote what last is not known yet: begin the job last_writes"));
            };
            // In the order in which the writes happened.
            all.sort_by_key(|(id, _)| (written.get(id).map(|(place, _)| *place), **id));
        }
        _ => return Err(Refused::question("sort must be id, class, created, bytes or written")),
    }
    if with.text("down").is_some_and(|down| down != "0") {
        all.reverse();
    }
    let items = all.iter().skip(first as usize).take(count as usize);
    let items = items.map(|(id, object)| written(subject, **id, one_of(survey, &lives, **id, object))).collect();
    Ok(part(all.len() as u64, first, items))
}

/// With who wrote it last, where that is known.
fn written(subject: &Subject, id: u32, mut json: Json) -> Json {
    if let Some((_, last)) = subject.last_writes().and_then(|all| all.get(&id)) {
        json["written"] = json!({ "call": last.call, "frame": last.frame, "kind": last.kind, "method": last.method });
    }
    json
}

fn one_of(survey: &Survey, lives: &Lives, id: u32, object: &Object) -> Json {
    let mut json = json!({
        "id": id,
        "class": object.class,
        "name": object.name,
        "created": object.call,
        "created_by": api::name(MethodId(object.method)),
        "released": released(lives, id),
    });
    let Some(made) = survey.made.get(&id) else { return json };
    json["bytes"] = made.bytes.into();
    if let Some((heap, offset)) = made.place {
        json["heap"] = heap.into();
        json["offset"] = offset.into();
    }
    if let Some(desc) = made.resource {
        let format = api::enum_name("DXGI_FORMAT", desc.format as u32);
        let kind = match desc.dimension {
            1 => "buffer",
            2 => "texture1d",
            3 => "texture2d",
            4 => "texture3d",
            _ => "unknown",
        };
        let label = match kind {
            "buffer" => format!("buffer of {} bytes", desc.width),
            _ => {
                let short = format.trim_start_matches("DXGI_FORMAT_");
                let mut label = format!("{} {}x{}", kind.to_uppercase(), desc.width, desc.height);
                for (count, word) in
                    [(u32::from(desc.depth), "slices"), (u32::from(desc.mips), "mips"), (desc.samples, "samples")]
                {
                    if count > 1 {
                        label += &format!(", {count} {word}");
                    }
                }
                format!("{label}, {short}")
            }
        };
        json["kind"] = kind.into();
        json["label"] = label.into();
        json["format"] = if kind == "buffer" { Json::Null } else { format.into() };
        json["width"] = desc.width.into();
        json["height"] = desc.height.into();
        json["depth"] = desc.depth.into();
        json["mips"] = desc.mips.into();
        json["samples"] = desc.samples.into();
    }
    json
}

pub(crate) fn classes(subject: &Subject, until: &Deadline) -> Result<Json, Refused> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    subject.survey(until)?.objects.values().for_each(|object| *counts.entry(object.class).or_default() += 1);
    let items: Vec<Json> = counts.iter().map(|(class, count)| json!({ "class": class, "count": count })).collect();
    Ok(json!({ "items": items }))
}

/// The last call at which an object still was there.
fn last_call(survey: &Survey, lives: &Lives, id: u32) -> Option<u64> {
    match released(lives, id) {
        Some(released) => Some(released),
        None => survey.call_of(survey.rows.checked_sub(1)?),
    }
}

pub(crate) fn one(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let id = with.needed::<u32>("object")?;
    let survey = subject.survey(until)?;
    let lives = lives(subject)?;
    let object = survey.objects.get(&id).ok_or_else(|| Refused::missing(format!("the trace has no object {id}")))?;
    let at = with.number::<u64>("call")?.or_else(|| last_call(survey, &lives, id));
    let mut life = one_of(survey, &lives, id, object);
    let place = survey.frames.partition_point(|frame| frame.calls.is_none_or(|(_, last)| last < object.call));
    life["frame"] = (place as u64 + 1).into();
    let report = at.map(|at| subject.report(at, Some(id)));
    let (report, refused) = match report {
        Some(Ok(mut report)) => (report["object"].take(), None),
        Some(Err(refused)) => (Json::Null, Some(refused.why)),
        None => (Json::Null, None),
    };
    Ok(json!({ "life": life, "at": at, "report": report, "refused": refused }))
}

/// The object's part of a report.
fn about(subject: &Subject, with: &Parameters, name: &str) -> Result<(u32, Json), Refused> {
    let (id, call) = (with.needed::<u32>(name)?, with.needed::<u64>("call")?);
    let mut report = subject.report(call, Some(id))?;
    Ok((id, report["object"].take()))
}

/// The slots of a descriptor heap.
pub(crate) fn descriptors(subject: &Subject, with: &Parameters) -> Result<Json, Refused> {
    let (id, mut report) = about(subject, with, "heap")?;
    let mut heap = report["descriptor_heap"].take();
    let Json::Array(slots) = heap["slots"].take() else {
        return Err(Refused::missing(format!("object {id} is no descriptor heap")));
    };
    let (first, count) = with.part(1000)?;
    let total = slots.len() as u64;
    let items = slots.into_iter().skip(first as usize).take(count as usize).collect();
    let mut json = part(total, first, items);
    json["heap"] = report["object"].take();
    json["type"] = heap["type"].take();
    json["size"] = heap["count"].take();
    Ok(json)
}

/// A heap as a map: the resources in it at a call, and those that ever were.
pub(crate) fn heap(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let (id, mut report) = about(subject, with, "heap")?;
    let survey = subject.survey(until)?;
    let lives = lives(subject)?;
    let mut heap = report["heap"].take();
    if heap.is_null() {
        return Err(Refused::missing(format!("object {id} is no heap")));
    }
    let mut ever: Vec<Json> = survey
        .made
        .iter()
        .filter_map(|(resource, made)| {
            let (_, offset) = made.place.filter(|(own, _)| *own == id)?;
            let object = survey.objects.get(resource)?;
            Some(json!({
                "resource": survey.object_json(*resource), "offset": offset, "bytes": made.bytes,
                "from_call": object.call, "to_call": released(&lives, *resource),
            }))
        })
        .collect();
    ever.sort_by_key(|one| (one["from_call"].as_u64(), one["offset"].as_u64()));
    heap["heap"] = report["object"].take();
    heap["lives"] = ever.into();
    Ok(heap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_timeline::index::Life;

    #[test]
    fn an_object_is_gone_between_two_lives() {
        let all = [Life { created: 5, released: Some(9) }, Life { created: 20, released: None }];
        let lives = Lives::from([(7, all.to_vec())]);
        let object = Object { class: "ID3D12Resource", name: None, call: 5, method: 0 };
        let alive: Vec<u64> = (0..30).filter(|call| is_alive(&lives, 7, &object, *call)).collect();
        assert_eq!(alive, (6..=9).chain(21..30).collect::<Vec<_>>());
        // Of an object whose lives nobody noted only the first call is known.
        assert!(is_alive(&lives, 8, &object, 6) && !is_alive(&lives, 8, &object, 5));
        assert_eq!((released(&lives, 7), released(&Lives::from([(7, all[..1].to_vec())]), 7)), (None, Some(9)));
    }
}
