//! Shaders as text, and root signatures.

use crate::answer::{Answer, Answered, Deadline, Refused, part};
use crate::job::replay;
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::shaders::Shader;
use reprise_dxbc::{Container, Tag};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// How long reading a shader may take.
const READING: Duration = Duration::from_secs(15);
/// Bytes of text that are told.
const TEXT: usize = 8 << 20;

pub(crate) fn list(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let (first, count) = with.part(1000)?;
    let shaders = subject.shaders(until)?;
    let item = |shader: &Shader| {
        json!({
            "hash": format!("{:032x}", shader.hash), "stage": shader.stage, "bytes": shader.bytes, "call": shader.call,
            "pipelines": shader.pipelines.len(),
        })
    };
    let items = shaders.list.iter().skip(first as usize).take(count as usize).map(item).collect();
    Ok(part(shaders.list.len() as u64, first, items))
}

fn asked<'s>(subject: &'s Subject, with: &Parameters, until: &Deadline) -> Result<&'s Shader, Refused> {
    let shaders = subject.shaders(until)?;
    let hash = match (with.text("hash"), with.number::<u64>("blob")?) {
        (Some(hash), _) => {
            u128::from_str_radix(hash, 16).map_err(|_| Refused::question("hash must be 32 hex digits"))?
        }
        (None, Some(blob)) => subject.trace.blob_hash(blob)?,
        (None, None) => return Err(Refused::question("hash or blob is missing")),
    };
    shaders.get(hash).ok_or_else(|| Refused::missing("no pipeline of the trace is made of such a shader"))
}

pub(crate) fn bytes(subject: &Subject, with: &Parameters, until: &Deadline) -> Answered {
    let shader = asked(subject, with, until)?;
    Ok(Answer::Bytes(subject.code(shader)?.to_vec(), "application/octet-stream"))
}

pub(crate) fn one(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let shader = asked(subject, with, until)?;
    let bytes = subject.code(shader)?;
    let survey = subject.survey(until)?;
    let container = Container::parse(&bytes).ok();
    let parts: Vec<Json> = container
        .iter()
        .flat_map(|container| container.parts())
        .map(|part| json!({ "name": String::from_utf8_lossy(&part.tag.0), "bytes": part.data.len() }))
        .collect();
    let is_dxil = container.as_ref().is_some_and(|container| container.part(Tag(*b"DXIL")).is_some());
    let (disassembly, error) = match replay::run(&["disassemble", "ours"], &bytes, READING) {
        Ok(text) => {
            let text = String::from_utf8_lossy(&text[..text.len().min(TEXT)]).into_owned();
            (Some(text), None)
        }
        Err(why) => (None, Some(why)),
    };
    let pipelines: Vec<Json> = shader.pipelines.iter().map(|id| survey.object_json(*id)).collect();
    Ok(json!({
        "hash": format!("{:032x}", shader.hash), "bytes": shader.bytes, "kind": if is_dxil { "DXIL" } else { "DXBC" },
        "stage": shader.stage, "parts": parts, "disassembly": disassembly, "disassembly_error": error,
        "pipelines": pipelines, "call": shader.call,
    }))
}

/// A root signature in words of HLSL.
pub(crate) fn root_signature(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let object = with.needed::<u32>("object")?;
    let survey = subject.survey(until)?;
    let none = || Refused::missing(format!("object {object} is no root signature that the trace has"));
    let created = survey.objects.get(&object).ok_or_else(none)?.call;
    let call = match with.number::<u64>("call")? {
        Some(call) => call,
        // The first call that finds it.
        None => {
            let row = survey.row_from(created.saturating_add(1));
            survey.call_of(row).ok_or_else(none)?
        }
    };
    let mut index = subject.index()?;
    let moment = index.get()?.at(&subject.trace, call, &mut |_| {})?;
    drop(index);
    let read = |place: u64| subject.trace.blob_by_id(place).map_err(|error| error.to_string());
    let found = reprise_timeline::state::bindings::root_signature(read, &moment.state, object);
    let (signature, version) = found.map_err(|error| Refused::missing(error.to_string()))?;
    let json = reprise_view::root_signature::json(&reprise_view::api::codec(), &signature, version);
    Ok(json!({ "object": survey.object_json(object), "call": call, "text": signature.hlsl(version), "json": json }))
}
