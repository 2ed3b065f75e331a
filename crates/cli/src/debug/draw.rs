//! What a trace says of a draw: its shaders, its vertices, what is bound.

use super::Refused;
use super::indirect::{Indirect, Work};
use super::invocation::{Command, Invocation};
use super::pipeline::{Attribute, Pipeline, Raster};
use super::place::Place;
use anyhow::{Context, anyhow};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_INDIRECT_ARGUMENT_TYPE as Type;
use reprise_dxbc::signature::{self, Element};
use reprise_dxbc::{Container, Tag};
use reprise_replay::{DrawCounts, LoneDraw};
use reprise_timeline::argument::{Argument, Damaged};
use reprise_timeline::index::Index;
use reprise_timeline::state::lists::{Action, Bound, action};
use reprise_timeline::{Call, argument};
use reprise_trace::read::{Trace, content_hash};

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

/// A draw.
pub(crate) struct Draw {
    /// The shader that is run, with what is bound.
    pub(crate) shader: Invocation,
    pub(crate) layout: Vec<Attribute>,
    /// What of the pipeline's description is needed.
    pub(crate) raster: Raster,
    /// Rows of the signatures: what the shader takes in and gives out.
    pub(crate) inputs: Vec<Element>,
    pub(crate) outputs: Vec<Element>,
    /// The call draws it with others: a bundle, or an indirect call.
    is_of_several: bool,
    /// Its bundle draws before it.
    follows_others: bool,
}

impl Draw {
    /// The draw of a call, as a submission runs it; without one the first that does. Of an indirect call what its commands have in common.
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
            Some(Action::Indirect) => {}
            Some(Action::DrawMesh) => return unsupported("a draw of mesh shaders is not supported yet"),
            Some(action) if !action.draws() => {
                return asked("the call draws nothing: --thread X,Y,Z is for dispatches");
            }
            _ => {
                return asked("the call draws nothing: `reprise dump --methods 'Draw*Instanced'` lists calls that do");
            }
        }
        let state = &moment.state;
        let Some(own) = state.lists.get(entered.object) else { return asked("the trace does not have its list") };
        let place = Place::of(index.chronicle(), (call, entered.object, own), submission)?;
        let outer = place.outer(trace, index, call, progress)?;
        let named = |what: String| anyhow!("call {call}: {what}");
        let indirect = match entered.method {
            PLAIN | INDEXED => None,
            _ => Some(Indirect::of(&entered, state).map_err(named)?),
        };
        match indirect.as_ref().and_then(Indirect::last) {
            None | Some(Type::DRAW | Type::DRAW_INDEXED) => {}
            Some(Type::DISPATCH_MESH) => return unsupported("a draw of mesh shaders is not supported yet"),
            Some(_) => return asked("the call draws nothing: --thread X,Y,Z is for dispatches"),
        }
        let counts = counts(&entered).map_err(|error| named(error.to_string()))?;
        let bound = outer.as_ref().map_or_else(|| own.bound.clone(), |outer| outer.within(&own.bound));
        let state = outer.as_ref().map_or(state, |outer| &outer.state);
        let mut follows_others = false;
        for inner in outer.iter().flat_map(|outer| &outer.calls).take_while(|inner| **inner < call) {
            let moment = index.at(trace, *inner, progress)?;
            follows_others = action(moment.call.call().method).is_some_and(Action::draws);
            if follows_others {
                break;
            }
        }
        let pipeline = Pipeline::bound(trace, state, &bound).with_context(|| format!("call {call}"))?;
        if ["AS", "MS"].iter().any(|stage| pipeline.shaders.contains_key(stage)) {
            return unsupported("a draw of mesh shaders is not supported yet");
        }
        let code = pipeline.shaders.get(stage.short()).cloned();
        let code = code.ok_or_else(|| anyhow!("call {call}: its pipeline has no {} shader", stage.name()))?;
        if pipeline.raster.view_instances > 1 {
            return unsupported("several view instances are not supported yet");
        }
        let (inputs, outputs) = rows(&code).with_context(|| format!("call {call}: its {} shader", stage.name()))?;
        let predicated = |bound: &Bound| bound.predication.as_ref().is_some_and(|set| set.value.is_some());
        let predicated = predicated(&bound);
        let hash = content_hash(&code);
        let command = Command::of(trace, state, (bound, Work::Draw(counts)), (hash, code));
        let command = command.with_context(|| format!("call {call}"))?;
        let is_of_several = outer.is_some() || indirect.is_some();
        // Descriptors are read when the list runs.
        let state = index.at(trace, place.submission, progress)?.state;
        let shader = Invocation::new((call, &place), (vec![command], 0), indirect, predicated, state);
        let Pipeline { layout, raster, .. } = pipeline;
        Ok(Draw { shader, layout, raster, inputs, outputs, is_of_several, follows_others })
    }

    /// What the draw reads of its vertices; nothing where that is not known yet.
    pub(crate) fn counts(&self) -> DrawCounts {
        self.shader.command().counts.unwrap_or_default()
    }

    /// What is bound.
    pub(crate) fn bound(&self) -> &Bound {
        &self.shader.command().bound
    }

    /// What the call draws before it, which is not there when it is made by itself.
    pub(crate) fn behind(&self) -> Option<&'static str> {
        match (self.shader.number, self.follows_others) {
            (0, false) => None,
            (0, true) => Some("draws of its bundle come before it"),
            _ => Some("other commands come before it"),
        }
    }

    /// The draw by itself, where the call makes others, too.
    pub(crate) fn lone(&self) -> Option<LoneDraw> {
        self.is_of_several.then(|| LoneDraw::new(self.bound().clone(), self.counts()))
    }
}

fn counts(call: &Call<'_>) -> Result<DrawCounts, Damaged> {
    Ok(match call.method {
        INDEXED => DrawCounts {
            vertices: INDICES.of(call)?,
            instances: INDEXED_INSTANCES.of(call)?,
            start: INDEXED_START.of(call)?,
            base: Some(BASE.of(call)?),
            first_instance: INDEXED_FIRST.of(call)?,
        },
        PLAIN => DrawCounts {
            vertices: VERTICES.of(call)?,
            instances: INSTANCES.of(call)?,
            start: START.of(call)?,
            base: None,
            first_instance: FIRST.of(call)?,
        },
        _ => DrawCounts::default(),
    })
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
