//! The shaders that calls of a trace are given: each content once, with the pipelines that are made of it.

use crate::api;
use reprise_codec::value::Member;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{BlobKind, MethodId, Role};
use reprise_timeline::{At, Call, Interests, Pass, Walk};
use reprise_trace::read::{ReadError, Trace, content_hash};
use std::collections::HashMap;
use std::sync::Arc;

/// Most pipelines that a shader is said to be in.
const PIPELINES: usize = 1000;

/// A shader.
#[derive(Clone, Debug)]
pub struct Shader {
    /// XXH3-128 of its bytes.
    pub hash: u128,
    /// How many bytes it has.
    pub bytes: u64,
    /// As the argument names it: `VS`, or `library`.
    pub stage: &'static str,
    /// The call that was given it first.
    pub call: u64,
    /// What was made of it.
    pub pipelines: Vec<u32>,
    /// Where its bytes are.
    pub content: Content,
}

/// Where bytes of a call's argument are.
#[derive(Clone, Debug)]
pub enum Content {
    /// Among the trace's contents, under this number.
    Blob(u64),
    /// In the call's own record, because they are few.
    Inline(Arc<[u8]>),
}

impl Shader {
    /// Its bytes.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn code(&self, trace: &Trace) -> Result<Arc<[u8]>, ReadError> {
        self.content.bytes(trace)
    }
}

impl Content {
    /// The bytes.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn bytes(&self, trace: &Trace) -> Result<Arc<[u8]>, ReadError> {
        match self {
            Content::Blob(id) => trace.blob_by_id(*id),
            Content::Inline(bytes) => Ok(bytes.clone()),
        }
    }
}

/// All of them, in the order in which they were first given.
#[derive(Debug, Default)]
pub struct Shaders {
    /// Each content once.
    pub list: Vec<Shader>,
    /// Calls whose arguments cannot be decoded.
    pub undecoded: u64,
    places: HashMap<u128, usize>,
}

impl Shaders {
    /// Reads all calls that make pipelines; of more shaders than `most` the later ones are left out.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn of(trace: &Trace, most: usize) -> Result<Shaders, ReadError> {
        let mut collect = Collect { trace, codec: api::codec(), most, shaders: Shaders::default() };
        let mut walk = Walk::new_as(api::model(), &[&mut collect]);
        walk.run(&mut trace.events().without_pages(), 0, &mut [&mut collect])?;
        walk.finish(&mut [&mut collect]);
        Ok(collect.shaders)
    }

    /// The one with this hash.
    pub fn get(&self, hash: u128) -> Option<&Shader> {
        self.places.get(&hash).and_then(|place| self.list.get(*place))
    }
}

struct Collect<'t> {
    trace: &'t Trace,
    codec: Codec,
    most: usize,
    shaders: Shaders,
}

impl Pass for Collect<'_> {
    fn interests(&self) -> Interests {
        let makes = |method: MethodId| {
            let name = api::method(method.0).map_or("", |method| method.name);
            name.starts_with("Create") && (name.contains("PipelineState") || name.contains("StateObject"))
                || name.starts_with("AddToStateObject")
                || name.starts_with("Load") && name.ends_with("Pipeline")
        };
        Interests::new().calls_where(makes)
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        let Ok(arguments) = self.codec.decode_enter(call.method, call.enter.bytes) else {
            self.shaders.undecoded += 1;
            return;
        };
        let made = call.leave().and_then(|leave| {
            self.codec.output_ids(call.method, call.enter.bytes, leave.bytes).ok()?.into_iter().find(|id| *id != 0)
        });
        let mut found = Vec::new();
        members(&self.codec, &arguments.members, "shader", &mut found);
        for (stage, value) in found {
            let (hash, bytes, content) = match value {
                Value::Blob(number, _, bytes) => {
                    let Some(id) = call.enter.blob(*number) else { continue };
                    let Ok(hash) = self.trace.blob_hash(id) else { continue };
                    (hash, *bytes, Content::Blob(id))
                }
                Value::Bytes(bytes) if !bytes.is_empty() => {
                    (content_hash(bytes), bytes.len() as u64, Content::Inline(Arc::from(&**bytes)))
                }
                _ => continue,
            };
            let Shaders { list, places, .. } = &mut self.shaders;
            let place = match places.get(&hash) {
                Some(place) => *place,
                None if list.len() >= self.most => continue,
                None => {
                    list.push(Shader { hash, bytes, stage, call: call.number, pipelines: Vec::new(), content });
                    places.insert(hash, list.len() - 1);
                    list.len() - 1
                }
            };
            if let Some(made) = made
                && let Some(shader) = list.get_mut(place)
                && shader.pipelines.len() < PIPELINES
                && shader.pipelines.last() != Some(&made)
            {
                shader.pipelines.push(made);
            }
        }
    }
}

/// The shaders that a call is given, by stage: `CS`.
///
/// # Errors
/// In words: its arguments cannot be decoded.
pub fn of_call(trace: &Trace, call: &Call<'_>) -> Result<Vec<(&'static str, Content)>, String> {
    let codec = api::codec();
    let arguments = codec.decode_enter(call.method, call.enter.bytes).map_err(|error| error.to_string())?;
    let mut found = Vec::new();
    members(&codec, &arguments.members, "shader", &mut found);
    let content = |value: &Value<'_>| match value {
        Value::Blob(number, ..) => {
            call.enter.blob(*number).filter(|id| trace.blob_hash(*id).is_ok()).map(Content::Blob)
        }
        Value::Bytes(bytes) if !bytes.is_empty() => Some(Content::Inline(Arc::from(&**bytes))),
        _ => None,
    };
    Ok(found.into_iter().filter_map(|(stage, value)| Some((stage, content(value)?))).collect())
}

/// The values that are the code of shaders, each with the argument that it stands below.
fn members<'v, 'a>(
    codec: &Codec,
    all: &'v [Member<'a>],
    stage: &'static str,
    found: &mut Vec<(&'static str, &'v Value<'a>)>,
) {
    for member in all {
        let stage = match member.field.name {
            "DXILLibrary" => "library",
            name => self::stage(name).unwrap_or(stage),
        };
        match (member.field.role, &member.value) {
            (Role::Blob(BlobKind::Shader), code) => found.push((stage, code)),
            (_, other) => value(codec, other, stage, found),
        }
    }
}

fn value<'v, 'a>(
    codec: &Codec,
    of: &'v Value<'a>,
    stage: &'static str,
    found: &mut Vec<(&'static str, &'v Value<'a>)>,
) {
    match of {
        Value::Struct(_, inner) => members(codec, inner, stage, found),
        Value::Array(values) => values.iter().for_each(|inner| value(codec, inner, stage, found)),
        Value::Stream(subobjects) => {
            for (number, inner) in subobjects {
                let name = codec.subobject_name(*number);
                let own = name.rsplit('_').next().and_then(self::stage);
                value(codec, inner, own.unwrap_or(stage), found);
            }
        }
        _ => {}
    }
}

/// A stage's short name, if it is one.
fn stage(name: &str) -> Option<&'static str> {
    ["VS", "PS", "DS", "HS", "GS", "CS", "AS", "MS"].into_iter().find(|stage| *stage == name)
}
