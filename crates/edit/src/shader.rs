//! Other shaders in the descriptions of pipelines.
//!
//! Invariant: a new shader has the stage of the old one. Its inputs are outputs of the stage before it, and its outputs are inputs of the next.
//! The root signature has its registers.

use crate::editor::{Draft, Editor};
use crate::error::{Error, refused};
use crate::language::{Edit, STAGES, Shader, ShaderOf, is_source};
use crate::plan::Source;
use reprise_codec::literal::Literal;
use reprise_codec::{Place, Placed, Value, wire};
use reprise_d3d12::interface;
use reprise_d3d12::model::{BlobKind, Role};
use reprise_dxbc::registers::registers;
use reprise_dxbc::root_signature::{Content, Kind, Range, StaticSampler, UNBOUNDED};
use reprise_dxbc::signature::{self, Element};
use reprise_dxbc::{Checksum, Container, Program, RootSignature, Stage, Tag};
use reprise_trace::read::content_hash;
use std::sync::Arc;

/// Stages as descriptions name them, and as code does, in [`STAGES`]' order.
const CODE: [&str; 8] = ["vertex", "hull", "domain", "geometry", "pixel", "compute", "amplification", "mesh"];

/// A shader in the arguments of a call.
struct Found {
    place: Place,
    /// As the description names it; of no pipeline: the place's last name.
    stage: String,
    bytes: Arc<[u8]>,
}

/// Replaces the shaders of a call that the edit is about.
pub(crate) fn replace(
    editor: &mut Editor<'_, '_>,
    edit: &Edit,
    index: usize,
    what: &Shader,
    draft: &mut Draft<'_>,
) -> Result<(), Error> {
    let call = draft.event.number;
    let name = draft.method.get().name;
    let loads = matches!(name, "LoadGraphicsPipeline" | "LoadComputePipeline" | "LoadPipeline");
    let makes = matches!(name, "CreateGraphicsPipelineState" | "CreateComputePipelineState" | "CreatePipelineState");
    let state_object = matches!(name, "CreateStateObject" | "AddToStateObject");
    if !loads && !makes && !state_object {
        return match what.of {
            ShaderOf::Pipeline(id, _) if editor.survey.made.get(&id).is_some_and(|made| made.call == call) => {
                Err(refused(edit, call, format!("object {id} is made by {name}, and is no pipeline with shaders")))
            }
            _ => Ok(()),
        };
    }
    if let ShaderOf::Pipeline(id, _) = &what.of
        && !editor.survey.makes.get(&call).is_some_and(|made| made.contains(id))
    {
        return Ok(());
    }
    let all = shaders(editor, draft)?;
    let meant: Vec<&Found> = match &what.of {
        ShaderOf::Hash(hash) => all.iter().filter(|found| content_hash(&found.bytes) == *hash).collect(),
        ShaderOf::Pipeline(id, stage) => {
            let meant: Vec<&Found> = all.iter().filter(|found| found.stage == *stage).collect();
            if meant.is_empty() {
                let stages: Vec<&str> = all.iter().map(|found| &*found.stage).collect();
                let what = format!("pipeline {id} has no {stage}: it has {}", stages.join(", "));
                return Err(refused(edit, call, what));
            }
            meant
        }
    };
    if meant.is_empty() {
        return Ok(());
    }
    if loads {
        let what = format!(
            "{name} takes a pipeline out of a library that the program stored, with its shaders: they cannot be replaced there"
        );
        return Err(refused(edit, call, what));
    }
    if state_object {
        return Err(refused(edit, call, "shaders of state objects are libraries with exports, and cannot be replaced"));
    }
    let places: Vec<(String, String)> =
        meant.iter().map(|found| (found.place.path.clone(), found.stage.clone())).collect();
    for (path, stage) in places {
        let entry = what.entry.as_deref().unwrap_or("main");
        let source = is_source(&what.file).then_some(Source { stage: &stage, entry });
        let bytes = (editor.files)(&what.file, source).map_err(|why| refused(edit, call, why))?;
        let file = what.file.display();
        is_of_stage(&bytes, &stage).map_err(|why| refused(edit, call, format!("{file} {why}")))?;
        rooted(editor, draft, &bytes, &stage).map_err(|why| refused(edit, call, format!("{file} {why}")))?;
        editor.set(edit, index, draft, &path, &Literal::Bytes(bytes))?;
    }
    // What a driver kept of the pipeline has the old shader in it.
    let cached = editor.codec.places(draft.method, &draft.enter).map_err(|error| Error::Trace(error.to_string()))?;
    let cached = cached.iter().find(|place| {
        matches!(&place.what, Placed::Pointer(Role::Blob(BlobKind::CachedPipeline), child) if !child.is_empty())
    });
    if let Some(cached) = cached {
        editor.set(edit, index, draft, &cached.path, &Literal::Null)?;
    }
    agree(editor, draft).map_err(|why| refused(edit, call, why))?;
    Ok(())
}

/// The shaders in the arguments of a call.
fn shaders(editor: &Editor<'_, '_>, draft: &Draft<'_>) -> Result<Vec<Found>, Error> {
    let places = editor.codec.places(draft.method, &draft.enter).map_err(|error| Error::Trace(error.to_string()))?;
    let stages = subobjects(editor, draft);
    let mut all = Vec::new();
    for place in places {
        let Placed::Pointer(Role::Blob(BlobKind::Shader), child) = &place.what else { continue };
        let Some(child) = draft.enter.get(child.clone()) else { continue };
        let word = |at: usize| child.get(at..at + 8).and_then(|b| b.first_chunk()).map(|b| u64::from_le_bytes(*b));
        let bytes: Arc<[u8]> = match word(0).and_then(wire::parse) {
            Some((wire::Kind::Inline, count)) => child.get(8..8 + count as usize).unwrap_or_default().into(),
            Some((wire::Kind::Blob, _)) => blob(editor, draft, word(8).unwrap_or(0))?,
            _ => continue,
        };
        // `pDesc.PS.pShaderBytecode`, or `….pPipelineStateSubobjectStream[3].Value.pShaderBytecode`.
        let mut names = place.path.rsplit('.').skip(1);
        let stage = match names.next() {
            Some("Value") => {
                let index =
                    names.next().and_then(|name| name.rsplit_once('[')?.1.strip_suffix(']')?.parse::<usize>().ok());
                index.and_then(|index| stages.get(index).cloned()).unwrap_or_default()
            }
            name => name.unwrap_or_default().to_owned(),
        };
        all.push(Found { place, stage, bytes });
    }
    Ok(all)
}

fn blob(editor: &Editor<'_, '_>, draft: &Draft<'_>, number: u64) -> Result<Arc<[u8]>, Error> {
    if let Some((_, bytes)) = draft.added.iter().rev().find(|(own, _)| u64::from(*own) == number) {
        return Ok(bytes.clone());
    }
    let id = draft.event.blobs.iter().rev().find(|(own, _)| u64::from(*own) == number).map(|(_, id)| *id);
    let id =
        id.ok_or_else(|| Error::Trace(format!("call {} names blob {number}, which is not there", draft.event.number)))?;
    editor.trace.blob_by_id(id).map_err(|error| Error::Trace(error.to_string()))
}

/// Of a stream, the name of each subobject's type.
fn subobjects(editor: &Editor<'_, '_>, draft: &Draft<'_>) -> Vec<String> {
    fn find<'v>(value: &'v Value<'v>) -> Option<&'v [(u32, Value<'v>)]> {
        match value {
            Value::Stream(all) => Some(all),
            Value::Struct(_, members) => members.iter().find_map(|member| find(&member.value)),
            _ => None,
        }
    }
    let Ok(arguments) = editor.codec.decode_enter(draft.method, &draft.enter) else { return Vec::new() };
    let stream = arguments.members.iter().find_map(|member| find(&member.value));
    let name = |number: u32| editor.codec.subobject_name(number);
    let name = |number: u32| name(number).rsplit('_').next().unwrap_or_default().to_owned();
    stream.unwrap_or_default().iter().map(|(number, _)| name(*number)).collect()
}

/// # Errors
/// The bytes are no sound container, or of another stage.
fn is_of_stage(bytes: &[u8], stage: &str) -> Result<(), String> {
    let container =
        Container::parse(bytes).map_err(|error| format!("is no shader container (DXBC or DXIL): {error}"))?;
    if container.checksum() == Checksum::Wrong {
        return Err("has a wrong checksum: the container is damaged, or was changed".into());
    }
    let program = Program::of(&container).map_err(|error| format!("has no code: {error}"))?;
    let wanted = STAGES.iter().position(|name| *name == stage).and_then(|at| CODE.get(at));
    match wanted {
        Some(wanted) if *wanted == program.stage => Ok(()),
        _ => Err(format!("is a {} shader, and cannot be {stage}", program.stage)),
    }
}

/// # Errors
/// The shader reads or writes what the pipeline's root signature does not have for its stage.
fn rooted(editor: &Editor<'_, '_>, draft: &Draft<'_>, bytes: &[u8], stage: &str) -> Result<(), String> {
    let Some((id, signature)) = root_signature(editor, draft) else { return Ok(()) };
    let code = STAGES.iter().position(|name| *name == stage).and_then(|at| CODE.get(at));
    let Some(stage_of) = Stage::ALL.into_iter().find(|of| Some(&of.name()) == code) else { return Ok(()) };
    for wanted in registers(bytes).iter().filter(|wanted| wanted.space < RESERVED_SPACES) {
        // Of an array without an end only the beginning has to be there.
        let ends = if wanted.last == u32::MAX { [wanted.first; 2] } else { [wanted.first, wanted.last] };
        if !ends.iter().all(|register| has(&signature, stage_of, wanted.kind, wanted.space, *register)) {
            let letter = match wanted.kind {
                Kind::Cbv => 'b',
                Kind::Srv => 't',
                Kind::Uav => 'u',
                Kind::Sampler => 's',
            };
            let register = format!("{letter}{} of space {}", wanted.first, wanted.space);
            return Err(format!("uses register {register}, which root signature {id} does not have for {stage}"));
        }
    }
    Ok(())
}

/// Register spaces from here on are the runtime's.
const RESERVED_SPACES: u32 = 0xffff_fff0;

/// Whether a root signature has a register for a stage.
fn has(signature: &RootSignature, stage: Stage, kind: Kind, space: u32, register: u32) -> bool {
    let in_range = |range: &Range| {
        let end = if range.count == UNBOUNDED { u32::MAX } else { range.register.saturating_add(range.count) };
        range.kind == kind && range.space == space && range.register <= register && register < end
    };
    let given = |content: &Content| match content {
        Content::Table(ranges) => ranges.iter().any(in_range),
        Content::Constants(of) => kind == Kind::Cbv && (of.register, of.space) == (register, space),
        Content::Descriptor(of) => of.kind == kind && (of.register, of.space) == (register, space),
    };
    let parameter = signature.parameters.iter().any(|it| stage.sees(it.visibility) && given(&it.content));
    let sampler = |it: &StaticSampler| stage.sees(it.visibility) && (it.register, it.space) == (register, space);
    parameter || kind == Kind::Sampler && signature.samplers.iter().any(sampler)
}

/// The root signature that a pipeline's description names, with its id; none where it names none, or where its bytes are not known.
fn root_signature(editor: &Editor<'_, '_>, draft: &Draft<'_>) -> Option<(u32, RootSignature)> {
    fn find(value: &Value<'_>) -> Option<u32> {
        match value {
            Value::Object(id, of) if *id != 0 && *of == interface("ID3D12RootSignature") => Some(*id),
            Value::Struct(_, members) => members.iter().find_map(|member| find(&member.value)),
            Value::Stream(all) => all.iter().find_map(|(_, value)| find(value)),
            _ => None,
        }
    }
    let arguments = editor.codec.decode_enter(draft.method, &draft.enter).ok()?;
    let id = arguments.members.iter().find_map(|member| find(&member.value))?;
    let made = editor.survey.made.get(&id)?;
    let arguments = editor.codec.decode_enter(made.method, &made.enter).ok()?;
    let bytes: Arc<[u8]> = arguments.members.iter().find_map(|member| match &member.value {
        Value::Bytes(bytes) => Some(Arc::from(&**bytes)),
        Value::Blob(number, ..) => {
            let id = made.blobs.iter().rev().find(|(own, _)| own == number).map(|(_, id)| *id)?;
            editor.trace.blob_by_id(id).ok()
        }
        _ => None,
    })?;
    RootSignature::from_container(&bytes).ok().map(|(signature, _)| (id, signature))
}

/// Rows that a part has; none where the container lacks the part.
fn rows(container: &Container<'_>, tags: &[Tag]) -> Vec<Element> {
    let parts = tags.iter().filter_map(|tag| container.part(*tag));
    parts.flat_map(|part| signature::parse(&part).unwrap_or_default()).collect()
}

/// What a stage gives: the semantic, its index, and its components.
type Given = (String, u32, u8);

const INPUTS: [Tag; 2] = [Tag(*b"ISGN"), Tag(*b"ISG1")];
const OUTPUTS: [Tag; 5] = [Tag(*b"OSGN"), Tag(*b"OSG5"), Tag(*b"OSG1"), Tag(*b"PSG1"), Tag(*b"PCSG")];

/// # Errors
/// A stage takes in what nobody gives.
fn agree(editor: &Editor<'_, '_>, draft: &Draft<'_>) -> Result<(), String> {
    let all = shaders(editor, draft).map_err(|error| error.to_string())?;
    let mut before: Option<(String, Vec<Given>)> = None;
    for stage in ["VS", "HS", "DS", "GS", "MS", "PS"] {
        let Some(found) = all.iter().find(|found| found.stage == stage && !found.bytes.is_empty()) else { continue };
        // What was there before may be of a kind that is not read here; the new one has been.
        let Ok(container) = Container::parse(&found.bytes) else { return Ok(()) };
        let inputs = rows(&container, &INPUTS);
        let (giver, given) = match (&before, stage) {
            (None, "VS") => ("the input layout".to_owned(), input_layout(editor, draft)),
            (Some(before), _) => before.clone(),
            (None, _) => continue,
        };
        for input in inputs.iter().filter(|input| input.system_value == 0) {
            let is_given = |(name, index, mask): &Given| {
                name.eq_ignore_ascii_case(&input.semantic) && *index == input.index && input.mask & !mask == 0
            };
            if stage != "MS" && !given.iter().any(is_given) {
                return Err(format!("{stage} takes in {}{}, which {giver} does not give", input.semantic, input.index));
            }
        }
        let outputs = rows(&container, &OUTPUTS);
        before = Some((stage.to_owned(), outputs.into_iter().map(|row| (row.semantic, row.index, row.mask)).collect()));
    }
    Ok(())
}

/// What the input layout of a pipeline gives: semantics, their indices, all components.
fn input_layout(editor: &Editor<'_, '_>, draft: &Draft<'_>) -> Vec<Given> {
    fn find(value: &Value<'_>, all: &mut Vec<Given>) {
        match value {
            Value::Struct(_, members) => {
                let named = |name: &str| members.iter().find(|member| member.field.name == name).map(|it| &it.value);
                if let (Some(Value::Text(name)), Some(Value::Unsigned(index)), Some(_)) =
                    (named("SemanticName"), named("SemanticIndex"), named("InputSlot"))
                {
                    all.push((name.clone(), *index as u32, u8::MAX));
                }
                members.iter().for_each(|member| find(&member.value, all));
            }
            Value::Array(values) => values.iter().for_each(|value| find(value, all)),
            Value::Stream(values) => values.iter().for_each(|(_, value)| find(value, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    if let Ok(arguments) = editor.codec.decode_enter(draft.method, &draft.enter) {
        arguments.members.iter().for_each(|member| find(&member.value, &mut all));
    }
    all
}
