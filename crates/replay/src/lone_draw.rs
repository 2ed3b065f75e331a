//! A draw of a bundle or of an indirect call, made by itself in the list that runs these: what it has bound is set there, and set back.
//!
//! Invariant: the list has after [`Swap::end`] what it had before [`Swap::begin`], but for a pipeline, root signature or topology that it never
//! had: those of the draw stay.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_INDEX_BUFFER_VIEW, D3D12_VERTEX_BUFFER_VIEW, DXGI_FORMAT};
use reprise_d3d12::{interface, method};
use reprise_timeline::state::lists::Bound;

use crate::pipeline_origin::Own;
use crate::report::lone_draw::{DrawCounts, DrawnAlone, LoneDraw};
use crate::root_arguments::{Arguments, Dynamic};
use crate::world::World;

const LIST: &str = "ID3D12GraphicsCommandList";

impl DrawnAlone {
    /// The method that draws so, and its words.
    pub(crate) fn call(&self) -> (MethodId, Vec<u64>) {
        let counts = match *self {
            DrawnAlone::Vertices(counts) => counts,
            DrawnAlone::Meshes(groups) => {
                return (method("ID3D12GraphicsCommandList6", "DispatchMesh"), groups.map(u64::from).to_vec());
            }
        };
        let DrawCounts { vertices, instances, start, base, first_instance } = counts;
        let [vertices, instances, start, first] = [vertices, instances, start, first_instance].map(u64::from);
        match base {
            // A number with a sign, as words of calls have it.
            Some(base) => {
                let base = u64::from(base as u32);
                (method(LIST, "DrawIndexedInstanced"), vec![vertices, instances, start, base, first])
            }
            None => (method(LIST, "DrawInstanced"), vec![vertices, instances, start, first]),
        }
    }
}

impl LoneDraw {
    /// # Errors
    /// It differs from what the list has in what is not set for it.
    pub(crate) fn check(&self, own: &Bound) -> Result<(), String> {
        let depth_bounds = |bound: &Bound| bound.depth_bounds.map(|set| set.value);
        let rate = |bound: &Bound| bound.shading_rate.as_ref().map(|set| set.value);
        let image = |bound: &Bound| bound.shading_rate_image.as_ref().map_or(0, |set| set.value);
        let mask = |bound: &Bound| bound.view_instances.as_ref().map_or(0, |set| set.value);
        let others = [
            ("depth bounds", depth_bounds(&self.bound) != depth_bounds(own)),
            ("shading rates", rate(&self.bound) != rate(own) || image(&self.bound) != image(own)),
            ("view instances", mask(&self.bound) != mask(own)),
        ];
        match others.into_iter().find(|(_, differ)| *differ) {
            Some((what, _)) => Err(format!("its bundle has other {what} than the list that runs it: not supported")),
            None => Ok(()),
        }
    }
}

/// What a draw has bound, in the place of what the list that runs it has.
pub(crate) struct Swap {
    draw: Inputs,
    list: Inputs,
}

impl Swap {
    /// Of a draw, in a list that has `own` bound.
    ///
    /// # Errors
    /// A value means nothing here.
    pub(crate) fn of(world: &mut World, list: u32, (lone, own): (&LoneDraw, &Bound)) -> Result<Swap, String> {
        // Slots that only one of the two has are set to nothing by the other.
        let slots = lone.bound.vertices.len().max(own.vertices.len());
        Ok(Swap { draw: Inputs::of(world, list, &lone.bound, slots)?, list: Inputs::of(world, list, own, slots)? })
    }

    /// The list has what the draw has.
    pub(crate) fn begin(&self, world: &World) {
        self.draw.set(world);
    }

    /// The list has its own again.
    pub(crate) fn end(&self, world: &World) {
        self.list.set(world);
    }
}

/// What a list has bound before the rasteriser, and the reference of stencils, in values of this replay.
struct Inputs {
    list: u64,
    pipeline: Own,
    /// Pointer of the root signature; 0 where none is set.
    root: u64,
    arguments: Arguments,
    dynamic: Dynamic,
    vertices: Vec<D3D12_VERTEX_BUFFER_VIEW>,
    index: Option<D3D12_INDEX_BUFFER_VIEW>,
    topology: u32,
    stencil: [u32; 2],
}

impl Inputs {
    /// Those of a list, by what is bound there; so many slots of vertex buffers are set.
    ///
    /// # Errors
    /// A value means nothing here.
    fn of(world: &mut World, id: u32, bound: &Bound, slots: usize) -> Result<Self, String> {
        let list = world.pointer(id, interface(LIST))?;
        let pipeline = Own::of(world, id, bound)?;
        let root = match bound.graphics.signature.map_or(0, |set| set.value) {
            0 => 0,
            root => world.pointer(root, interface("ID3D12RootSignature"))?,
        };
        let mut place = |address: u64| match address {
            0 => Ok(0),
            address => {
                world.replayed_address(address).map_err(|what| format!("a buffer of vertices or indices: {what}"))
            }
        };
        let mut vertices = vec![D3D12_VERTEX_BUFFER_VIEW::default(); slots.max(bound.vertices.len())];
        for (view, slot) in vertices.iter_mut().zip(&bound.vertices) {
            let Some(set) = slot.as_ref().and_then(|slot| slot.value) else { continue };
            view.BufferLocation = place(set.address)?;
            (view.SizeInBytes, view.StrideInBytes) = (set.size, set.stride);
        }
        let index = match bound.index.as_ref().and_then(|set| set.value) {
            Some(set) => Some(D3D12_INDEX_BUFFER_VIEW {
                BufferLocation: place(set.address)?,
                SizeInBytes: set.size,
                Format: DXGI_FORMAT(set.format as _),
            }),
            None => None,
        };
        let arguments = Arguments::of(world, bound)?;
        let dynamic = Dynamic::of(world, id, bound)?;
        let topology = bound.topology.as_ref().map_or(0, |set| set.value);
        let stencil = bound.stencil_ref.as_ref().map_or([0; 2], |set| set.value);
        if stencil[0] != stencil[1] {
            return Err(
                "the references of stencils of both faces differ: not supported for one of several draws".into()
            );
        }
        Ok(Self { list, pipeline, root, arguments, dynamic, vertices, index, topology, stencil })
    }

    /// Sets them.
    fn set(&self, world: &World) {
        let of = |name| method(LIST, name);
        let index = self.index.as_ref().map_or(0, |view| core::ptr::from_ref(view) as u64);
        let (runtime, list) = (&world.runtime, self.list);
        if self.root != 0 {
            self.arguments.set(world, list, self.root);
        }
        // SAFETY: the list is recording, what is set is alive, and arrays are ours.
        unsafe {
            if !self.vertices.is_empty() {
                let words = [0, self.vertices.len() as u64, self.vertices.as_ptr() as u64];
                runtime.call(list, of("IASetVertexBuffers"), &words);
            }
            runtime.call(list, of("IASetIndexBuffer"), &[index]);
            runtime.call(list, of("OMSetStencilRef"), &[self.stencil[0].into()]);
            if self.topology != 0 {
                runtime.call(list, of("IASetPrimitiveTopology"), &[self.topology.into()]);
            }
        }
        self.pipeline.set(world);
        self.dynamic.set(world, true);
    }
}
