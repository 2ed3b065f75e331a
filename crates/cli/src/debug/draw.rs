//! What a trace says of a draw: its shaders, its vertices, what is bound.

use super::Refused;
use super::before::Before;
use super::indirect::{Indirect, Work};
use super::invocation::{Command, Invocation};
use super::mesh::Meshes;
use super::pipeline::{Attribute, Pipeline, Raster};
use super::place::Place;
use super::rows::{constants, rows};
use super::stage::Stage;
use crate::ours::Linked;
use anyhow::{Context, anyhow};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_INDIRECT_ARGUMENT_TYPE as Type;
use reprise_dxbc::registers::registers;
use reprise_dxbc::root_signature::Kind;
use reprise_dxbc::signature::Element;
use reprise_replay::{DrawCounts, DrawnAlone, LoneDraw};
use reprise_timeline::argument::{Argument, Damaged};
use reprise_timeline::index::Index;
use reprise_timeline::state::lists::{Action, Bound, action};
use reprise_timeline::{Call, State, argument};
use reprise_trace::read::{Trace, content_hash};

const PLAIN: MethodId = method("ID3D12GraphicsCommandList", "DrawInstanced");
const INDEXED: MethodId = method("ID3D12GraphicsCommandList", "DrawIndexedInstanced");
const MESHES: MethodId = method("ID3D12GraphicsCommandList6", "DispatchMesh");

const NO_VERTICES: &str = "mesh shaders read no vertices: name a thread by --thread X,Y,Z, or a pixel by --pixel X,Y";

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

const X: Argument<u32> = argument!("ID3D12GraphicsCommandList6", "DispatchMesh", "ThreadGroupCountX");
const Y: Argument<u32> = argument!("ID3D12GraphicsCommandList6", "DispatchMesh", "ThreadGroupCountY");
const Z: Argument<u32> = argument!("ID3D12GraphicsCommandList6", "DispatchMesh", "ThreadGroupCountZ");

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
    /// Of a hull shader what it gives of a patch itself.
    pub(crate) constants: Vec<Element>,
    /// Of a hull, domain or geometry shader those that run before it.
    pub(crate) before: Option<Before>,
    /// The shaders before the rasteriser, where these are of meshes.
    pub(crate) meshes: Option<Meshes>,
    /// Its pixel shader writes to resources.
    pub(crate) writes_pixels: bool,
    /// The view instance that is looked at.
    pub(crate) view: u32,
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
        match action(entered.method) {
            _ if matches!(entered.method, PLAIN | INDEXED) => {}
            Some(Action::Indirect) => {}
            Some(Action::DrawMesh) if stage.is_of_vertices() => return asked(NO_VERTICES),
            Some(Action::DrawMesh) => {}
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
            PLAIN | INDEXED | MESHES => None,
            _ => Some(Indirect::of(&entered, state).map_err(named)?),
        };
        match indirect.as_ref().and_then(Indirect::last) {
            None | Some(Type::DRAW | Type::DRAW_INDEXED) => {}
            Some(Type::DISPATCH_MESH) if stage.is_of_vertices() => return asked(NO_VERTICES),
            Some(Type::DISPATCH_MESH) => {}
            Some(_) => return asked("the call draws nothing: --thread X,Y,Z is for dispatches"),
        }
        let work = match (entered.method, indirect.as_ref().and_then(Indirect::last)) {
            (MESHES, _) => Work::Meshes(groups(&entered).map_err(|error| named(error.to_string()))?),
            (_, Some(Type::DISPATCH_MESH)) => Work::Meshes([0; 3]),
            _ => Work::Draw(counts(&entered).map_err(|error| named(error.to_string()))?),
        };
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
        let code = pipeline.shaders.get(stage.short()).cloned();
        let code = match (code, stage) {
            (Some(code), _) => code,
            (None, Stage::Amplification | Stage::Hull | Stage::Domain | Stage::Geometry) => {
                return asked(&format!("its pipeline has no {} shader", stage.name()));
            }
            _ => return Err(anyhow!("call {call}: its pipeline has no {} shader", stage.name()).into()),
        };
        let constants = if stage == Stage::Hull { constants(&code) } else { Ok(Vec::new()) };
        let constants = constants.with_context(|| format!("call {call}: its hull shader"))?;
        let (inputs, outputs) = rows(&code).with_context(|| format!("call {call}: its {} shader", stage.name()))?;
        let predicated = |bound: &Bound| bound.predication.as_ref().is_some_and(|set| set.value.is_some());
        let predicated = predicated(&bound);
        let hash = content_hash(&code);
        let at_call = || format!("call {call}");
        let mut linked = Linked { samples: pipeline.raster.samples, ..Linked::default() };
        if stage == Stage::Domain {
            linked.patch_location_offset =
                Before::offset(trace, state, &bound, work, &pipeline).with_context(at_call)?;
        }
        let command = Command::of(trace, state, (bound, work), (hash, code), linked).with_context(at_call)?;
        let before = match stage {
            Stage::Hull | Stage::Domain | Stage::Geometry => Some(Before::of(&command, &pipeline, stage)),
            _ => None,
        };
        let before = before.transpose().with_context(at_call)?;
        let meshes = match (work, pipeline.shaders.get("MS")) {
            (Work::Meshes(_), Some(mesh)) => Some(Meshes::of(&command, pipeline.shaders.get("AS"), mesh)),
            (Work::Meshes(_), None) => Err(anyhow!("its pipeline has no mesh shader"))?,
            _ => None,
        };
        let meshes = meshes.transpose().with_context(|| format!("call {call}"))?;
        let writes_pixels = pipeline.shaders.get("PS").is_some_and(|shader| writes(shader));
        let is_of_several = outer.is_some() || indirect.is_some();
        // Descriptors are read when the list runs.
        let state = index.at(trace, place.submission, progress)?.state;
        let shader = Invocation::new((call, &place), (vec![command], 0), indirect, predicated, state);
        let Pipeline { layout, raster, .. } = pipeline;
        Ok(Draw {
            shader,
            layout,
            raster,
            inputs,
            outputs,
            constants,
            before,
            meshes,
            writes_pixels,
            view: 0,
            is_of_several,
            follows_others,
        })
    }

    /// What the draw reads of its vertices; nothing where that is not known yet.
    pub(crate) fn counts(&self) -> DrawCounts {
        match self.shader.command().work {
            Work::Draw(counts) => counts,
            _ => DrawCounts::default(),
        }
    }

    /// What is bound.
    pub(crate) fn bound(&self) -> &Bound {
        &self.shader.command().bound
    }

    /// Another view instance is looked at.
    pub(crate) fn be_of_view(&mut self, view: u32) {
        self.view = view;
        self.meshes.iter_mut().for_each(|meshes| meshes.be_of_view(view));
        self.before.iter_mut().for_each(|before| before.be_of_view(view));
    }

    /// The view instance that is looked at, where the pipeline has several.
    pub(crate) fn asked_view(&self) -> Option<u32> {
        (self.raster.view_instances > 1).then_some(self.view)
    }

    /// The view instances that are drawn; of a pipeline without them the first.
    pub(crate) fn views(&self) -> Vec<u32> {
        (0..self.raster.view_instances.max(1)).filter(|view| self.lacks(*view).is_none()).collect()
    }

    /// Why there is no such view instance; `None`: there is.
    pub(crate) fn lacks(&self, view: u32) -> Option<String> {
        let all = self.raster.view_instances.max(1);
        let mask = self.bound().view_instances.as_ref().map_or(0, |set| set.value);
        if view >= all {
            return Some(format!("there is no view {view}: the pipeline has {all}"));
        }
        let is_masked = self.raster.masked_views && mask >> view & 1 == 0;
        is_masked.then(|| format!("the mask {mask:#x} of the list leaves view {view} out"))
    }

    /// What the call draws before it, which is not there when it is made by itself.
    pub(crate) fn behind(&self) -> Option<&'static str> {
        match (self.shader.number, self.follows_others) {
            (0, false) => None,
            (0, true) => Some("draws of its bundle come before it"),
            _ => Some("other commands come before it"),
        }
    }

    /// Whether the call draws others, too.
    pub(crate) fn is_of_several(&self) -> bool {
        self.is_of_several
    }

    /// The draw by itself, where the call makes others, too.
    pub(crate) fn lone(&self) -> Option<LoneDraw> {
        let drawn = match self.shader.command().work {
            Work::Draw(counts) => DrawnAlone::Vertices(counts),
            Work::Meshes(groups) => DrawnAlone::Meshes(groups),
            // These draw nothing.
            Work::Groups(_) | Work::Rays(_) => return None,
        };
        self.is_of_several.then(|| LoneDraw::new(self.bound().clone(), drawn))
    }

    /// The same draw with other counts.
    pub(crate) fn with(&self, counts: DrawCounts) -> LoneDraw {
        LoneDraw::new(self.bound().clone(), DrawnAlone::Vertices(counts))
    }
}

/// Whether a call draws by mesh shaders, directly or by the commands that the GPU reads.
pub(crate) fn draws_meshes(call: &Call<'_>, state: &State) -> bool {
    match action(call.method) {
        Some(Action::DrawMesh) => true,
        Some(Action::Indirect) => {
            Indirect::of(call, state).is_ok_and(|indirect| indirect.last() == Some(Type::DISPATCH_MESH))
        }
        _ => false,
    }
}

/// Whether a shader writes to resources.
fn writes(shader: &[u8]) -> bool {
    registers(shader).iter().any(|register| register.kind == Kind::Uav)
}

/// The groups of a direct draw of meshes.
fn groups(call: &Call<'_>) -> Result<[u32; 3], Damaged> {
    Ok([X.of(call)?, Y.of(call)?, Z.of(call)?])
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
