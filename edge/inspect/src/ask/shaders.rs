//! Shaders as text, and root signatures.

use crate::answer::{Answer, Answered, Deadline, Refused, part};
use crate::job::replay;
use crate::parameters::Parameters;
use crate::subject::Subject;
use reprise_dxbc::{Container, Program, Tag, library, signature};
use reprise_view::shaders::Shader;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
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
    Ok(Answer::Bytes(shader.code(&subject.trace)?.to_vec(), "application/octet-stream"))
}

pub(crate) fn one(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let shader = asked(subject, with, until)?;
    let bytes = shader.code(&subject.trace)?;
    let survey = subject.survey(until)?;
    let container = Container::parse(&bytes).ok();
    let parts: Vec<Json> = container
        .iter()
        .flat_map(|container| container.parts())
        .map(|part| json!({ "name": String::from_utf8_lossy(&part.tag.0), "bytes": part.data.len() }))
        .collect();
    let program = container.as_ref().and_then(|container| Program::of(container).ok());
    let is_dxil = program.is_some_and(|program| program.tag == Tag::DXIL);
    let rows = |tags: [&[u8; 4]; 3]| container.as_ref().map_or_else(Vec::new, |container| elements(container, tags));
    // Both are read by processes of their own, at the same time.
    let entry = with.text("entry");
    let entry_alone = entry.map(|entry| format!("--entry={entry}"));
    let (ours, spirv) = std::thread::scope(|scope| {
        let spirv = scope.spawn(|| disassembled("spirv", entry_alone.as_deref(), &bytes));
        (disassembled("ours", None, &bytes), spirv.join())
    });
    let spirv = spirv.unwrap_or_else(|_| Err("the thread that read it panicked".to_owned()));
    let ours = ours.and_then(|text| match entry {
        Some(entry) => function(&text, entry).ok_or_else(|| {
            format!(
                "the disassembly of the library has no function {entry:?}, or ends before it: look at the whole library"
            )
        }),
        None => Ok(text),
    });
    let (disassembly, disassembly_error) = apart(ours);
    let (spirv, spirv_error) = apart(spirv);
    let pipelines: Vec<Json> = shader.pipelines.iter().map(|id| survey.object_json(*id)).collect();
    Ok(json!({
        "hash": format!("{:032x}", shader.hash), "bytes": shader.bytes, "kind": if is_dxil { "DXIL" } else { "DXBC" },
        "stage": program.map_or(shader.stage, |program| program.stage),
        "model": program.map(|Program { model: (major, minor), .. }| format!("{major}.{minor}")),
        "entry": entry, "exports": exports(&bytes), "parts": parts,
        "inputs": rows([b"ISG1", b"ISGN", b"ISGN"]), "outputs": rows([b"OSG1", b"OSG5", b"OSGN"]),
        "patches": rows([b"PSG1", b"PCSG", b"PCSG"]),
        "sources": sources(&bytes),
        "disassembly": disassembly, "disassembly_error": disassembly_error, "spirv": spirv, "spirv_error": spirv_error,
        "pipelines": pipelines, "call": shader.call,
    }))
}

/// The texts of HLSL that a container has, by the names of their files.
fn sources(bytes: &[u8]) -> Vec<Json> {
    // What is wrong with debug information is told where somebody steps through the shader.
    let files = reprise_dxbc::source::source(bytes).ok().flatten().map(|source| source.files).unwrap_or_default();
    let files: BTreeMap<String, String> = files.into_iter().collect();
    let mut left = TEXT;
    let fits = files.into_iter().take_while(|(_, text)| {
        let fits = text.len() <= left;
        left = left.saturating_sub(text.len());
        fits
    });
    fits.map(|(file, text)| json!({ "file": file, "text": text })).collect()
}

/// A shader as text, by `reprise disassemble`.
///
/// # Errors
/// Why there is no text.
fn disassembled(form: &str, option: Option<&str>, bytes: &[u8]) -> Result<String, String> {
    let words: Vec<&str> = ["disassemble", form].into_iter().chain(option).collect();
    let text = replay::run(&words, bytes, READING)?;
    Ok(String::from_utf8_lossy(&text[..text.len().min(TEXT)]).into_owned())
}

/// The text of one function of a library's disassembly, without the byte by which LLVM marks names that are to stay as they are.
fn function(text: &str, entry: &str) -> Option<String> {
    let names = [format!("@{entry}("), format!("@\u{1}{entry}("), format!("@\"{entry}\"(")];
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("define ") && names.iter().any(|name| line.contains(name)) {
            let own = &text[begin..];
            let end = own.find("\n}").map_or(own.len(), |end| end + "\n}\n".len());
            return Some(own[..end.min(own.len())].replace('\u{1}', ""));
        }
        begin += line.len();
    }
    None
}

/// The exports of a state object of ray tracing, with their shaders.
pub(crate) fn of_rays(subject: &Subject, with: &Parameters) -> Result<Json, Refused> {
    let object = with.needed::<u32>("object")?;
    let shaders = subject.ray_shaders(object)?;
    serde_json::to_value(shaders).map_err(|error| Refused::missing(error.to_string()))
}

/// A text or why there is none, each for a member of its own.
fn apart(read: Result<String, String>) -> (Option<String>, Option<String>) {
    match read {
        Ok(text) => (Some(text), None),
        Err(why) => (None, Some(why)),
    }
}

/// The rows of the first of these parts that a container has; none where that part cannot be read.
fn elements(container: &Container<'_>, tags: [&[u8; 4]; 3]) -> Vec<Json> {
    let part = tags.iter().find_map(|tag| container.part(Tag(**tag)));
    let rows = part.and_then(|part| signature::parse(&part).ok()).unwrap_or_default();
    rows.iter().map(element).collect()
}

fn element(row: &signature::Element) -> Json {
    // D3D_REGISTER_COMPONENT_TYPE, and D3D_MIN_PRECISION where it narrows that.
    let kind = match (row.component_type, row.min_precision) {
        (_, 1) => "min16float",
        (_, 2) => "min10float",
        (_, 4) => "min16int",
        (_, 5) => "min16uint",
        (1, _) => "uint",
        (2, _) => "int",
        (3, _) => "float",
        (4, _) => "uint16",
        (5, _) => "int16",
        (6, _) => "float16",
        (7, _) => "uint64",
        (8, _) => "int64",
        (9, _) => "double",
        _ => "unknown",
    };
    let mask: String =
        "xyzw".chars().enumerate().filter_map(|(bit, name)| (row.mask >> bit & 1 == 1).then_some(name)).collect();
    json!({
        "name": row.semantic, "index": row.index, "register": (row.register != u32::MAX).then_some(row.register),
        "mask": mask, "type": kind, "stream": row.stream,
    })
}

/// The entry points of a library, each with its stage. A shader that is no library has one entry point, whose name the container does not keep.
fn exports(bytes: &[u8]) -> Vec<Json> {
    let functions = library::functions(bytes).unwrap_or_default();
    let entries = functions.iter().filter(|function| function.stage != Some("library"));
    entries.map(|function| json!({ "name": function.name, "stage": function.stage })).collect()
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
