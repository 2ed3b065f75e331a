//! Descriptions of state objects as a trace has them, told to a `reprise_state_object::Reader`.

use super::{Blobs, StateObject, StateObjects, Told};
use crate::call::Call;
use crate::decoded::{self, member, members, object, renames};
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::types::D3D12_STATE_SUBOBJECT_TYPE as Type;
use reprise_dxbc::{Container, Program, rdat};
use reprise_state_object::association::Value as Setting;
use reprise_state_object::plan::{HitGroup, Invalid, Plan, Rename, give, name_lone_export};
use reprise_state_object::reader::{pipeline_config, shader_config};
use reprise_state_object::{Reader, association::Settings};
use std::sync::Arc;

/// What is read of one description.
struct Reading<'s, 'b> {
    objects: &'s mut StateObjects,
    call: &'s Call<'s>,
    blob: &'s mut Blobs<'b>,
    reader: Reader,
    /// The state objects that something is taken over from, in the order of the description's.
    parents: Vec<Arc<StateObject>>,
    /// The state object that this one grows from is the first of them.
    grows: bool,
    problem: Option<String>,
}

/// The state object that a call makes.
pub(super) fn state_object(
    objects: &mut StateObjects,
    call: &Call<'_>,
    arguments: &[Member<'_>],
    blob: &mut Blobs<'_>,
) -> StateObject {
    let mut reading =
        Reading { objects, call, blob, reader: Reader::default(), parents: Vec::new(), grows: false, problem: None };
    // `CreateStateObject` and `AddToStateObject` name their descriptions otherwise.
    let desc = member(arguments, "pDesc").or_else(|| member(arguments, "pAddition"));
    if let Some(id) = member(arguments, "pStateObjectToGrowFrom").and_then(object) {
        let took = reading.inherit(id, &[]);
        reading.grows = took.is_ok();
        let settings = reading.parents.first().map(|grown| grown.settings());
        reading.reader.grows(settings.unwrap_or_default());
        reading.note(took.map_err(|what| format!("what it grows from: {what}")));
    }
    let desc = desc.map(members).unwrap_or_default();
    let kind = number(desc, "Type");
    let all = match member(desc, "pSubobjects") {
        Some(Value::Array(all)) => &all[..],
        _ => &[],
    };
    // Associations name other subobjects, so they are read behind all of them.
    for associations in [false, true] {
        for (place, subobject) in all.iter().enumerate() {
            let subobject = members(subobject);
            let (kind, desc) = (Type(number(subobject, "Type") as i32), member(subobject, "pDesc"));
            let read = match desc {
                _ if is_association(kind) != associations => continue,
                Some(desc @ Value::Struct(..)) => reading.subobject(place, kind, members(desc)),
                _ if kind == Type::NODE_MASK => Ok(()),
                // What generic programs list; some of it is a number.
                Some(desc) if is_of_programs(kind) && !matches!(desc, Value::Null) => Ok(()),
                _ => Err("the trace does not say what it is".to_owned()),
            };
            reading.note(read.map_err(|what| format!("subobject {place}, of type {}: {what}", kind.0)));
        }
    }
    let Reading { objects, reader, parents, grows, mut problem, .. } = reading;
    let (plan, wrong) = Plan::resolve(reader.finish());
    problem = problem.or(wrong.map(|wrong| wrong.to_string()));
    let ambiguous = plan.groups.iter().find(|group| group.settings.ambiguous);
    problem = problem.or(ambiguous.map(|group| format!("export {:?} has several local root signatures", group.name)));
    let told = |group: &reprise_state_object::plan::Group| {
        let of = |(parent, index): (usize, usize)| {
            parents.get(parent).and_then(|it| it.exports.get(index)).map(|it| it.told.clone())
        };
        match (group.origin, group.origin.and_then(of)) {
            // Whoever grows keeps the identifiers that there are, and those that are asked for later.
            (Some((0, _)), Some(told)) if grows => told,
            (_, from) => Arc::new(Told { from, ..Told::default() }),
        }
    };
    StateObject::new((call.number, kind), plan, problem, &objects.roots, told)
}

impl StateObject {
    /// What its exports have in common, by the first of them.
    fn settings(&self) -> Settings {
        self.plan.groups.first().map(|group| group.settings).unwrap_or_default()
    }
}

impl Reading<'_, '_> {
    /// Keeps the first thing that is wrong.
    fn note(&mut self, read: Result<(), String>) {
        if let Err(what) = read {
            self.problem.get_or_insert(what);
        }
    }

    /// Takes over another state object's exports.
    fn inherit(&mut self, id: u32, wanted: &[Rename]) -> Result<(), String> {
        let from = self.objects.objects.get(&id).cloned();
        let from = from.ok_or_else(|| format!("state object {id} is not in the trace"))?;
        // Numbers of root signatures mean the same in all state objects here.
        let numbers: Vec<usize> = (0..self.objects.roots.known.len()).collect();
        let groups = from.plan.groups.iter().zip(&from.exports).map(|(group, export)| (group, export.complete));
        let (inherited, missing) = give(from.plan.shaders.iter(), groups, wanted, &numbers);
        self.reader.inherit(inherited);
        self.parents.push(from);
        missing.map_or(Ok(()), |missing| Err(missing.to_string()))
    }

    fn subobject(&mut self, place: usize, kind: Type, desc: &[Member<'_>]) -> Result<(), String> {
        match kind {
            Type::STATE_OBJECT_CONFIG => self.reader.config(number(desc, "Flags")),
            Type::GLOBAL_ROOT_SIGNATURE => {
                let id = member(desc, "pGlobalRootSignature").and_then(object).unwrap_or(0);
                let value = Setting::Global(self.objects.roots.of_object(id)?);
                self.reader.value(place, value);
            }
            Type::LOCAL_ROOT_SIGNATURE => {
                let id = member(desc, "pLocalRootSignature").and_then(object).unwrap_or(0);
                let value = Setting::Local(self.objects.roots.of_object(id)?);
                self.reader.value(place, value);
            }
            Type::RAYTRACING_SHADER_CONFIG => {
                let sizes = (number(desc, "MaxPayloadSizeInBytes"), number(desc, "MaxAttributeSizeInBytes"));
                self.reader.value(place, shader_config(sizes.0, sizes.1).map_err(|what| what.to_string())?);
            }
            Type::RAYTRACING_PIPELINE_CONFIG | Type::RAYTRACING_PIPELINE_CONFIG1 => {
                // The first kind has no flags, which `number` says is 0.
                let (depth, flags) = (number(desc, "MaxTraceRecursionDepth"), number(desc, "Flags"));
                self.reader.value(place, pipeline_config(depth, flags).map_err(|what| what.to_string())?);
            }
            Type::HIT_GROUP => self.reader.hit_group(HitGroup {
                name: text(desc, "HitGroupExport"),
                procedural: number(desc, "Type") != 0,
                imports: ["AnyHitShaderImport", "ClosestHitShaderImport", "IntersectionShaderImport"]
                    .map(|name| text(desc, name)),
                library: None,
            }),
            Type::DXIL_LIBRARY => return self.library(desc),
            Type::EXISTING_COLLECTION => {
                let id = member(desc, "pExistingCollection").and_then(object).unwrap_or(0);
                return self.inherit(id, &renames(desc));
            }
            Type::SUBOBJECT_TO_EXPORTS_ASSOCIATION => match member(desc, "pSubobjectToAssociate") {
                // What cannot be associated with anything that matters here is left out: flags, nodes, hit groups.
                Some(Value::Reference(Some(place))) => {
                    self.reader.associate(usize::try_from(*place).unwrap_or(usize::MAX), names(desc));
                }
                _ => return Err("the subobject that is associated is not in the array".to_owned()),
            },
            Type::DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION => {
                let declared = self.reader.associate_declared(&text(desc, "SubobjectToAssociate"), names(desc));
                declared.map_err(|what| what.to_string())?;
            }
            // Programs have no records of ray tracing.
            Type::NODE_MASK => {}
            kind if is_of_programs(kind) => {}
            _ => return Err("what it means is not known here".to_owned()),
        }
        Ok(())
    }

    fn library(&mut self, desc: &[Member<'_>]) -> Result<(), String> {
        let code = member(desc, "DXILLibrary").map(members).unwrap_or_default();
        let bytes: Arc<[u8]> = match member(code, "pShaderBytecode") {
            Some(Value::Bytes(bytes)) => Arc::from(&**bytes),
            Some(Value::Blob(number, ..)) => {
                let place = self.call.enter.blob(*number);
                (self.blob)(place.ok_or_else(|| format!("blob {number} is missing"))?)?
            }
            _ => return Err("the trace does not have its code".to_owned()),
        };
        let code = Container::parse(&bytes).and_then(|container| Program::of(&container));
        if code.is_ok_and(|code| code.stage != "library") {
            // One shader of graphics, which generic programs name.
            return Ok(());
        }
        let found = rdat::library(&bytes).map_err(|error| error.to_string())?;
        let mut wanted = renames(desc);
        name_lone_export(&found, &mut wanted).map_err(|what| what.to_string())?;
        // Where nobody asks for the code of a shader, it is not kept.
        let code = if self.objects.keeps_code { bytes } else { Arc::from(&[][..]) };
        let roots = &mut self.objects.roots;
        let mut root = |bytes: &[u8], _: bool| roots.of_part(bytes).map_err(Invalid);
        let read = self.reader.library(&code, &found, &wanted, &mut root);
        read.map_err(|what| what.to_string())
    }
}

/// Whether it is a graph, a generic program, or what these list.
fn is_of_programs(kind: Type) -> bool {
    matches!(kind, Type(13..=30))
}

fn is_association(kind: Type) -> bool {
    matches!(kind, Type::SUBOBJECT_TO_EXPORTS_ASSOCIATION | Type::DXIL_SUBOBJECT_TO_EXPORTS_ASSOCIATION)
}

/// A number; 0 where there is none.
fn number(members: &[Member<'_>], name: &str) -> u32 {
    match member(members, name) {
        Some(Value::Unsigned(number)) => *number as u32,
        Some(Value::Signed(number)) => *number as u32,
        Some(Value::Enum(_, number) | Value::Bool(number)) => *number,
        _ => 0,
    }
}

/// A text; empty where there is none.
fn text(members: &[Member<'_>], name: &str) -> String {
    member(members, name).and_then(decoded::text).unwrap_or_default()
}

/// The exports that an association names.
fn names(desc: &[Member<'_>]) -> Vec<String> {
    match member(desc, "pExports") {
        Some(Value::Array(all)) => all.iter().filter_map(decoded::text).collect(),
        _ => Vec::new(),
    }
}
