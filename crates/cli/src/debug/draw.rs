//! What a trace says of a draw: its shaders, its vertices, what is bound.

use super::Refused;
use super::dispatch::Dispatch;
use super::layout::{self, Attribute};
use anyhow::{Context, anyhow};
use reprise_codec::json::Plain;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_dxbc::signature::{self, Element};
use reprise_dxbc::{Container, Tag};
use reprise_timeline::argument::{Argument, Damaged};
use reprise_timeline::index::Index;
use reprise_timeline::state::lists::{Action, Bound, Pipeline, action};
use reprise_timeline::{Call, State, argument};
use reprise_trace::read::{Trace, content_hash};
use reprise_view::{api, shaders};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::Arc;

const PLAIN: MethodId = method("ID3D12GraphicsCommandList", "DrawInstanced");
const INDEXED: MethodId = method("ID3D12GraphicsCommandList", "DrawIndexedInstanced");

macro_rules! argument_of {
    ($method:literal, $parameter:literal) => {
        argument!("ID3D12GraphicsCommandList", $method, $parameter)
    };
}

const VERTICES: Argument<u32> = argument_of!("DrawInstanced", "VertexCountPerInstance");
const INSTANCES: Argument<u32> = argument_of!("DrawInstanced", "InstanceCount");
const START: Argument<u32> = argument_of!("DrawInstanced", "StartVertexLocation");
const FIRST: Argument<u32> = argument_of!("DrawInstanced", "StartInstanceLocation");
const INDICES: Argument<u32> = argument_of!("DrawIndexedInstanced", "IndexCountPerInstance");
const INDEXED_INSTANCES: Argument<u32> = argument_of!("DrawIndexedInstanced", "InstanceCount");
const INDEXED_START: Argument<u32> = argument_of!("DrawIndexedInstanced", "StartIndexLocation");
const BASE: Argument<i32> = argument_of!("DrawIndexedInstanced", "BaseVertexLocation");
const INDEXED_FIRST: Argument<u32> = argument_of!("DrawIndexedInstanced", "StartInstanceLocation");

/// A stage of a pipeline whose shader is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Vertex,
    Pixel,
}

impl Stage {
    fn short(self) -> &'static str {
        match self {
            Stage::Vertex => "VS",
            Stage::Pixel => "PS",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex",
            Stage::Pixel => "pixel",
        }
    }
}

/// What a draw says of its vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) vertices: u32,
    pub(crate) instances: u32,
    /// The first vertex, or the first index.
    pub(crate) start: u32,
    /// What is added to indices; `None`: none name the vertices.
    pub(crate) base: Option<i32>,
    pub(crate) first_instance: u32,
}

/// A draw.
pub(crate) struct Draw {
    /// The shader that is run, with what is bound.
    pub(crate) shader: Dispatch,
    pub(crate) counts: Counts,
    pub(crate) bound: Bound,
    pub(crate) layout: Vec<Attribute>,
    /// What of the pipeline's description is needed.
    pub(crate) raster: Raster,
    /// Rows of the signatures: what the shader takes in and gives out.
    pub(crate) inputs: Vec<Element>,
    pub(crate) outputs: Vec<Element>,
}

/// What of a pipeline decides about its pixels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Raster {
    /// `FRONT`, `BACK` or nothing.
    pub(crate) cull: Option<bool>,
    pub(crate) depth_bias: bool,
    pub(crate) conservative: bool,
    pub(crate) samples: u64,
    pub(crate) forced_samples: u64,
    pub(crate) view_instances: u64,
    /// `DXGI_FORMAT` of the targets.
    pub(crate) targets: Vec<u32>,
}

impl Draw {
    /// The draw of a call, as a submission runs it; without one the first that does.
    ///
    /// # Errors
    /// When there is none, or it cannot be debugged.
    pub(crate) fn of(
        trace: &Trace,
        index: &mut Index,
        (call, submission): (u64, Option<u64>),
        stage: Stage,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Draw, Refused> {
        let moment = index.at(trace, call, progress)?;
        let entered = moment.call.call();
        let asked = |what: &str| Err(Refused::Asked(format!("call {call}: {what}")));
        let unsupported = |what: &str| Err(Refused::Unsupported(format!("call {call}: {what}")));
        match action(entered.method) {
            _ if matches!(entered.method, PLAIN | INDEXED) => {}
            Some(Action::Indirect) => {
                return unsupported("an indirect draw, whose vertices the GPU knows, is not supported yet");
            }
            Some(Action::DrawMesh) => return unsupported("a draw of mesh shaders is not supported yet"),
            Some(action) if !action.draws() => {
                return asked("the call draws nothing: --thread X,Y,Z is for dispatches");
            }
            _ => {
                return asked("the call draws nothing: `reprise dump --methods 'Draw*Instanced'` lists calls that do");
            }
        }
        let state = &moment.state;
        let Some(list) = state.lists.get(entered.object) else { return asked("the trace does not have its list") };
        if list.is_bundle() {
            return unsupported("a draw in a bundle is not supported yet");
        }
        let ran = match submission {
            Some(submission) => index.chronicle().submissions.iter().find(|ran| {
                ran.call == submission
                    && ran.lists.iter().any(|ran| ran.list == entered.object && ran.begun == list.begun)
            }),
            None => index.chronicle().submission_of(entered.object, list.begun, call),
        };
        let Some(ran) = ran.map(|ran| ran.call) else {
            return asked(match submission {
                Some(_) => "the submission that is asked for does not run its list",
                None => "no submission runs its list",
            });
        };
        let counts = counts(&entered).map_err(|error| anyhow!("call {call}: {error}"))?;
        let bound = list.bound.clone();
        let pipeline = pipeline(trace, state, &bound).with_context(|| format!("call {call}"))?;
        let code = pipeline.shaders.get(stage.short()).cloned();
        let code = code.ok_or_else(|| anyhow!("call {call}: its pipeline has no {} shader", stage.name()))?;
        if ["AS", "MS"].iter().any(|stage| pipeline.shaders.contains_key(stage)) {
            return unsupported("a draw of mesh shaders is not supported yet");
        }
        if pipeline.raster.view_instances > 1 {
            return unsupported("several view instances are not supported yet");
        }
        let (inputs, outputs) = rows(&code).with_context(|| format!("call {call}: its {} shader", stage.name()))?;
        let hash = content_hash(&code);
        let shader = Dispatch::bound_to(trace, state, (call, ran), (&bound, &bound.graphics), (hash, code))?;
        let layout = layout::of(&pipeline.description).map_err(|what| anyhow!("call {call}: {what}"))?;
        // Descriptors are read when the list runs.
        let shader = shader.at_submission(index.at(trace, ran, progress)?.state);
        Ok(Draw { shader, counts, bound, layout, raster: pipeline.raster, inputs, outputs })
    }
}

fn counts(call: &Call<'_>) -> Result<Counts, Damaged> {
    Ok(match call.method {
        INDEXED => Counts {
            vertices: INDICES.of(call)?,
            instances: INDEXED_INSTANCES.of(call)?,
            start: INDEXED_START.of(call)?,
            base: Some(BASE.of(call)?),
            first_instance: INDEXED_FIRST.of(call)?,
        },
        _ => Counts {
            vertices: VERTICES.of(call)?,
            instances: INSTANCES.of(call)?,
            start: START.of(call)?,
            base: None,
            first_instance: FIRST.of(call)?,
        },
    })
}

struct Described {
    shaders: BTreeMap<&'static str, Arc<[u8]>>,
    description: Json,
    raster: Raster,
}

/// The pipeline that is bound.
fn pipeline(trace: &Trace, state: &State, bound: &Bound) -> anyhow::Result<Described> {
    let id = match bound.pipeline.as_ref().map(|pipeline| pipeline.value) {
        Some(Pipeline::State(id)) if id != 0 => id,
        Some(Pipeline::StateObject(_) | Pipeline::Program(_)) => {
            return Err(anyhow!("a program of a state object is not supported yet"));
        }
        _ => return Err(anyhow!("no pipeline is set")),
    };
    let object = state.objects.get(id).ok_or_else(|| anyhow!("pipeline {id} is gone"))?;
    let creation = object.creation();
    let wrong = |what: String| anyhow!("pipeline {id}: {what}");
    let found = shaders::of_call(trace, &creation).map_err(wrong)?;
    let mut all = BTreeMap::new();
    for (stage, content) in found {
        all.insert(stage, content.bytes(trace)?);
    }
    let codec = api::codec();
    let arguments =
        codec.decode_enter(creation.method, creation.enter.bytes).map_err(|error| wrong(error.to_string()))?;
    let description = Json::Object(codec.json_arguments(&arguments, &Plain));
    let number = |name: &str| layout::found(&description, name).and_then(Json::as_f64).unwrap_or(0.0);
    let word = |name: &str| layout::found(&description, name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let targets = layout::found(&description, "RTVFormats").or_else(|| layout::found(&description, "RTFormats"));
    let targets = targets.and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let count = layout::found(&description, "NumRenderTargets").and_then(Json::as_u64).unwrap_or(0);
    let samples = layout::found(&description, "SampleDesc").or_else(|| layout::found(&description, "SAMPLE_DESC"));
    let raster = Raster {
        cull: match word("CullMode") {
            mode if mode.ends_with("FRONT") => Some(true),
            mode if mode.ends_with("NONE") => None,
            _ => Some(false),
        },
        depth_bias: number("DepthBias") != 0.0 || number("SlopeScaledDepthBias") != 0.0,
        conservative: word("ConservativeRaster").ends_with("_ON"),
        samples: samples.and_then(|samples| samples["Count"].as_u64()).unwrap_or(1).max(1),
        forced_samples: number("ForcedSampleCount") as u64,
        view_instances: number("ViewInstanceCount") as u64,
        targets: targets.iter().take(count as usize).map(|name| layout::format(name).unwrap_or(0)).collect(),
    };
    Ok(Described { shaders: all, description, raster })
}

/// What a shader takes in and gives out.
pub(super) fn rows(shader: &[u8]) -> anyhow::Result<(Vec<Element>, Vec<Element>)> {
    let container = Container::parse(shader)?;
    let part = |tags: &[[u8; 4]]| -> anyhow::Result<Vec<Element>> {
        match tags.iter().find_map(|tag| container.part(Tag(*tag))) {
            Some(part) => Ok(signature::parse(&part)?),
            None => Ok(Vec::new()),
        }
    };
    Ok((part(&[*b"ISG1", *b"ISGN"])?, part(&[*b"OSG1", *b"OSG5", *b"OSGN"])?))
}
