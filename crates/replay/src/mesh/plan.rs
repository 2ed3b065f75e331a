//! What is bound at the draws whose vertices are wanted.

use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Version;
use reprise_timeline::argument::{Argument, ObjectId};
use reprise_timeline::state::bindings::root_signature;
use reprise_timeline::state::lists::{Action, Bound, action};
use reprise_timeline::{Call, State, argument};

use super::primitive;
use crate::input::source::{Blobs, Source};
use crate::pipeline_origin::Origin;
use crate::report::lone_draw::{DrawnAlone, LoneDraw};
use crate::report::mesh::{MeshOf, MeshWish};
use crate::wished::{self, Drawn};

const SIGNATURE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
const VERTICES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawInstanced", "VertexCountPerInstance");
const INSTANCES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawInstanced", "InstanceCount");
const INDICES: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawIndexedInstanced", "IndexCountPerInstance");
const INDEXED_INSTANCES: Argument<u32> =
    argument!("ID3D12GraphicsCommandList", "DrawIndexedInstanced", "InstanceCount");
const GROUPS_X: Argument<u32> = argument!("ID3D12GraphicsCommandList6", "DispatchMesh", "ThreadGroupCountX");
const GROUPS_Y: Argument<u32> = argument!("ID3D12GraphicsCommandList6", "DispatchMesh", "ThreadGroupCountY");
const GROUPS_Z: Argument<u32> = argument!("ID3D12GraphicsCommandList6", "DispatchMesh", "ThreadGroupCountZ");

/// The first type of queries that count what our draw does, too: statistics of pipelines and of stream output. Occlusion counts
/// samples, and our draw has none.
const COUNTING: u32 = 3;

/// Why draws of mesh shaders have nothing of other stages.
pub(super) const NO_VERTICES: &str =
    "mesh shaders have no vertex stage, and nothing comes between them and the rasteriser";

/// `D3D_PRIMITIVE_TOPOLOGY_POINTLIST`.
const POINTS: u32 = 1;

/// A draw whose vertices are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) origin: Origin,
    /// The root signature that is bound, its id and its contents.
    pub(crate) signature: u32,
    pub(crate) root: (RootSignature, Version),
    /// What is set there.
    pub(crate) bound: Bound,
    /// `D3D_PRIMITIVE_TOPOLOGY`.
    pub(crate) topology: u32,
    /// That of the program, where our draw has points in its place, and the vertex shader alone.
    pub(crate) instead_of: Option<u32>,
    /// Vertices of an instance, instances, and whether indices name them; `None` where only the GPU knows them.
    pub(crate) counts: Option<(u64, u64, bool)>,
    /// Groups in each direction of a draw by mesh shaders; `None` where only the GPU knows them.
    pub(crate) groups: Option<[u32; 3]>,
    /// One of the draws that the call makes, and what the list has bound.
    pub(crate) lone: Option<(LoneDraw, Bound)>,
    /// The view instance that is asked for.
    pub(crate) view: Option<u32>,
    pub(crate) of: MeshOf,
}

/// All draws that are wanted.
pub(crate) type Plan = wished::Plan<Draw>;

impl Drawn for Draw {
    fn made(&self) -> u64 {
        self.origin.call
    }
}

/// # Errors
/// The trace cannot be read.
pub(crate) fn plan(source: &mut dyn Source, blobs: &dyn Blobs, wishes: &[MeshWish]) -> Result<Plan, String> {
    let calls: Vec<wished::Wish> = wishes.iter().map(|wish| (wish.call, wish.submission)).collect();
    wished::plan(source, &calls, &mut |at, state, call| {
        let wish = wishes.get(at);
        let draw = draw(state, blobs, call, wish.and_then(|wish| wish.lone.as_ref()))?;
        let of = wish.map_or(MeshOf::Rasteriser, |wish| wish.of);
        let draw = Draw { view: wish.and_then(|wish| wish.view), of, ..draw };
        Ok(if of == MeshOf::VertexShader {
            Draw { topology: POINTS, instead_of: Some(draw.topology), ..draw }
        } else {
            draw
        })
    })
}

/// A draw with what is bound there, or why its vertices cannot be had.
fn draw(state: &State, blobs: &dyn Blobs, call: &Call<'_>, lone: Option<&LoneDraw>) -> Result<Draw, String> {
    let action = match action(call.method) {
        _ if lone.is_some() => Action::Draw,
        Some(action @ (Action::Draw | Action::DrawIndexed | Action::DrawMesh | Action::Indirect)) => action,
        _ => {
            return Err(wished::no_draw(call.method));
        }
    };
    let list = state.lists.get(call.object).ok_or("the trace does not have the list of this draw")?;
    let bound = lone.map_or(&list.bound, |lone| &*lone.bound);
    if let Some(lone) = lone {
        lone.check(&list.bound)?;
    }
    if list.is_bundle() {
        return Err("the draw stands in a bundle, where no stream output can be set: not supported".into());
    }
    if list.queries.keys().any(|(_, kind, _)| *kind >= COUNTING) {
        return Err("a query of statistics is open at the draw, which would count a second draw: not supported".into());
    }
    let origin = Origin::of(state, blobs, bound)?;
    let signature = bound.graphics.signature.map(|signature| signature.value).filter(|id| *id != 0);
    let signature = signature.ok_or("no root signature is bound at the draw")?;
    let root = root_signature(|place| blobs.at(place), state, signature)?;
    let topology = bound.topology.map_or(0, |topology| topology.value);
    let groups = match (action, lone.map(|lone| lone.drawn)) {
        (_, Some(DrawnAlone::Meshes(groups))) => Some(groups),
        (Action::DrawMesh, None) => {
            let damaged = |error: reprise_timeline::Damaged| error.to_string();
            Some([
                GROUPS_X.of(call).map_err(damaged)?,
                GROUPS_Y.of(call).map_err(damaged)?,
                GROUPS_Z.of(call).map_err(damaged)?,
            ])
        }
        _ => None,
    };
    let counts = match action {
        _ if lone.is_some() => None,
        Action::DrawMesh => None,
        Action::Indirect => {
            let signature = SIGNATURE.of(call).map_err(|error| error.to_string())?;
            let commands = state.lists.commands(signature.0).ok_or("its command signature is not in the trace")?;
            if commands.dispatches {
                return Err("the indirect call draws nothing".into());
            }
            if !commands.changes.is_empty() {
                return Err("the indirect call sets root arguments or buffers, for the program's root signature only: not supported".into());
            }
            None
        }
        Action::DrawIndexed => {
            let (count, instances) = (INDICES.of(call), INDEXED_INSTANCES.of(call));
            Some((count, instances, true))
        }
        _ => Some((VERTICES.of(call), INSTANCES.of(call), false)),
    };
    let counts = match counts {
        Some((count, instances, indexed)) => {
            let damaged = |error: reprise_timeline::Damaged| error.to_string();
            Some((u64::from(count.map_err(damaged)?), u64::from(instances.map_err(damaged)?), indexed))
        }
        None => match lone.map(|lone| lone.drawn) {
            None => None,
            Some(DrawnAlone::Vertices(counts)) => {
                Some((u64::from(counts.vertices), u64::from(counts.instances), counts.base.is_some()))
            }
            Some(DrawnAlone::Meshes(_)) => None,
        },
    };
    let lone = lone.map(|lone| (lone.clone(), list.bound.clone()));
    Ok(Draw {
        origin,
        signature,
        root,
        bound: bound.clone(),
        topology,
        instead_of: None,
        counts,
        groups,
        lone,
        view: None,
        of: MeshOf::Rasteriser,
    })
}

impl Draw {
    /// Vertices that stream output makes of the draw where no stage behind the vertex stage changes their number: of a primitive, of
    /// an instance, and of all.
    pub(super) fn listed(&self) -> Option<(u32, u64, u64)> {
        let (count, instances, _) = self.counts?;
        let (primitive, each) = primitive::of_topology(self.topology, count)?;
        Some((primitive, each, each.saturating_mul(instances)))
    }
}
