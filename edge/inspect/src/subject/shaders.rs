//! The shaders of a trace: each by the hash of its bytes, with the pipelines that are made of it.

use super::Subject;
use crate::answer::{Deadline, Refused};
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::BlobKind;
use reprise_timeline::{At, Call, Interests, Pass, Walk};
use reprise_trace::read::{Trace, content_hash};
use reprise_view::api;
use std::collections::HashMap;
use std::sync::Arc;

/// Most that are listed.
const MOST: usize = 100_000;

/// A shader.
#[derive(Clone, Debug)]
pub(crate) struct Shader {
    pub(crate) hash: u128,
    pub(crate) bytes: u64,
    /// As the argument names it: `VS`, or `library`.
    pub(crate) stage: String,
    /// The call that was given it first.
    pub(crate) call: u64,
    /// What was made of it.
    pub(crate) pipelines: Vec<u32>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Blob(u64),
    Inline(Arc<[u8]>),
}

/// All of them, in the order in which they were first given.
#[derive(Debug, Default)]
pub(crate) struct Shaders {
    pub(crate) list: Vec<Shader>,
    places: HashMap<u128, usize>,
}

impl Shaders {
    /// The one with this hash.
    pub(crate) fn get(&self, hash: u128) -> Option<&Shader> {
        self.places.get(&hash).and_then(|place| self.list.get(*place))
    }
}

struct Collect<'t> {
    trace: &'t Trace,
    codec: reprise_codec::Codec,
    shaders: Shaders,
}

impl Pass for Collect<'_> {
    fn interests(&self) -> Interests {
        let makes = |method: reprise_d3d12::model::MethodId| {
            let name = api::method(method.0).map_or("", |method| method.name);
            name.starts_with("Create") && (name.contains("PipelineState") || name.contains("StateObject"))
                || name.starts_with("AddToStateObject")
        };
        Interests::new().calls_where(makes)
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        let Ok(arguments) = self.codec.decode_enter(call.method, call.enter.bytes) else { return };
        let made = call.leave().and_then(|leave| {
            self.codec.output_ids(call.method, call.enter.bytes, leave.bytes).ok()?.into_iter().find(|id| *id != 0)
        });
        let mut found = Vec::new();
        members(&arguments.members, "", &mut found);
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
            let Shaders { list, places } = &mut self.shaders;
            let place = match places.get(&hash) {
                Some(place) => *place,
                None if list.len() >= MOST => continue,
                None => {
                    let (stage, call) = (stage.to_owned(), call.number);
                    list.push(Shader { hash, bytes, stage, call, pipelines: Vec::new(), content });
                    places.insert(hash, list.len() - 1);
                    list.len() - 1
                }
            };
            if let Some(made) = made
                && let Some(shader) = list.get_mut(place)
                && shader.pipelines.len() < 1000
                && shader.pipelines.last() != Some(&made)
            {
                shader.pipelines.push(made);
            }
        }
    }
}

/// The values that are the code of shaders, each with the argument that it stands below.
fn members<'v, 'a>(all: &'v [Member<'a>], stage: &'static str, found: &mut Vec<(&'static str, &'v Value<'a>)>) {
    for member in all {
        let name = member.field.name;
        let stage = match name {
            "VS" | "PS" | "DS" | "HS" | "GS" | "CS" | "AS" | "MS" => name,
            "DXILLibrary" => "library",
            _ => stage,
        };
        let is_code = matches!(name, "pShaderBytecode");
        value(&member.value, stage, is_code, found);
    }
}

fn value<'v, 'a>(
    of: &'v Value<'a>,
    stage: &'static str,
    is_code: bool,
    found: &mut Vec<(&'static str, &'v Value<'a>)>,
) {
    match of {
        Value::Blob(_, BlobKind::Shader, _) => found.push((if stage.is_empty() { "shader" } else { stage }, of)),
        Value::Bytes(_) if is_code => found.push((if stage.is_empty() { "shader" } else { stage }, of)),
        Value::Struct(_, inner) => members(inner, stage, found),
        Value::Array(values) => values.iter().for_each(|inner| value(inner, stage, is_code, found)),
        Value::Stream(subobjects) => {
            let codec = api::codec();
            for (number, inner) in subobjects {
                let name = codec.subobject_name(*number);
                let own = match name.rsplit('_').next() {
                    Some("VS") => "VS",
                    Some("PS") => "PS",
                    Some("DS") => "DS",
                    Some("HS") => "HS",
                    Some("GS") => "GS",
                    Some("CS") => "CS",
                    Some("AS") => "AS",
                    Some("MS") => "MS",
                    _ => stage,
                };
                value(inner, own, is_code, found);
            }
        }
        _ => {}
    }
}

impl Subject {
    /// The shaders of the trace; the first question reads all that makes pipelines.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn shaders(&self, _deadline: &Deadline) -> Result<&Shaders, Refused> {
        if let Some(shaders) = self.shaders.get() {
            return Ok(shaders);
        }
        let mut collect = Collect { trace: &self.trace, codec: api::codec(), shaders: Shaders::default() };
        let mut walk = Walk::new_as(api::model(), &[&mut collect]);
        walk.run(&mut self.trace.events().without_pages(), 0, &mut [&mut collect])?;
        walk.finish(&mut [&mut collect]);
        Ok(self.shaders.get_or_init(|| collect.shaders))
    }

    /// The bytes of a shader.
    ///
    /// # Errors
    /// They cannot be read.
    pub(crate) fn code(&self, shader: &Shader) -> Result<Arc<[u8]>, Refused> {
        match &shader.content {
            Content::Blob(id) => Ok(self.trace.blob_by_id(*id)?),
            Content::Inline(bytes) => Ok(bytes.clone()),
        }
    }
}
