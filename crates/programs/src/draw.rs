//! What lists record for graphics, and the rectangle that most programs draw.
//!
//! As in `list`: the API's methods under shorter names.

use crate::com::{Com, Null, Word, call};
use crate::descriptor::Heap;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::Area;
use crate::root::{Parameter, RootSignature};
use crate::target::{Depth, Target};
use core::ffi::c_void;
use reprise_d3d12::interface;
use reprise_d3d12::types::*;

/// A rectangle as `rectangle.hlsl` draws it: a strip of four vertices on the edges of pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rectangle {
    pub(crate) area: Area,
    /// Of the square viewport, in pixels: a power of two.
    pub(crate) viewport: u32,
    pub(crate) depth: f32,
    /// For the pixel shader.
    pub(crate) choice: u32,
    /// For the pixel shader.
    pub(crate) value: [u32; 4],
}

impl Rectangle {
    /// The root parameter that takes it, at `b0`.
    pub(crate) const PARAMETER: Parameter<'static> = Parameter::Constants { register: 0, count: 12 };

    /// Nearest depth, and a value for the pixel shader.
    pub(crate) fn new(area: Area, viewport: u32, value: [u32; 4]) -> Self {
        assert!(viewport.is_power_of_two(), "else corners are not exact");
        Self { area, viewport, depth: 0.0, choice: 0, value }
    }

    /// The constants as the shaders take them.
    pub(crate) fn words(&self) -> [u32; 12] {
        let Area { left, top, right, bottom } = self.area;
        let scale = (2.0 / self.viewport as f32).to_bits();
        let [a, b, c, d] = self.value;
        [left, top, right, bottom, scale, scale, self.depth.to_bits(), self.choice, a, b, c, d]
    }
}

impl List {
    /// Draws a rectangle; its constants are the first root parameter. The topology must be a strip of triangles.
    pub(crate) fn rectangle(&mut self, rectangle: &Rectangle) {
        self.graphics_constants(0, &rectangle.words());
        self.draw(4, 1, 0, 0);
    }

    /// A square viewport at the origin with a scissor that cuts nothing off, and strips of triangles.
    pub(crate) fn square(&mut self, size: u32) {
        self.viewport(Area::at(0, 0, size, size));
        self.scissor(Area::at(0, 0, size, size));
        self.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
    }

    /// Where positions from -1 to 1 lie; depths are 0 to 1.
    pub(crate) fn viewport(&mut self, area: Area) {
        let viewport = D3D12_VIEWPORT {
            TopLeftX: area.left as f32,
            TopLeftY: area.top as f32,
            Width: (area.right - area.left) as f32,
            Height: (area.bottom - area.top) as f32,
            MinDepth: 0.0,
            MaxDepth: 1.0,
        };
        call!(self.com, "ID3D12GraphicsCommandList", "RSSetViewports", 1u32, &raw const viewport);
    }

    /// What draws may touch.
    pub(crate) fn scissor(&mut self, area: Area) {
        let rect = rect(area);
        call!(self.com, "ID3D12GraphicsCommandList", "RSSetScissorRects", 1u32, &raw const rect);
    }

    /// What draws write to.
    pub(crate) fn targets(&mut self, targets: &[&Target], depth: Option<&Depth>) {
        let views: Vec<D3D12_CPU_DESCRIPTOR_HANDLE> = targets.iter().map(|target| target.view()).collect();
        let depth = depth.map(Depth::view);
        self.target_views(&views, depth.as_ref());
    }

    /// What draws write to, by its views.
    pub(crate) fn target_views(
        &mut self,
        views: &[D3D12_CPU_DESCRIPTOR_HANDLE],
        depth: Option<&D3D12_CPU_DESCRIPTOR_HANDLE>,
    ) {
        let count = views.len() as u32;
        let first = if views.is_empty() { Word::from(Null) } else { views.as_ptr().into() };
        let depth = depth.map_or(Word::from(Null), |view| (&raw const *view).into());
        call!(self.com, "ID3D12GraphicsCommandList", "OMSetRenderTargets", count, first, 0i32, depth);
    }

    /// How vertices become primitives.
    pub(crate) fn topology(&mut self, topology: D3D_PRIMITIVE_TOPOLOGY) {
        call!(self.com, "ID3D12GraphicsCommandList", "IASetPrimitiveTopology", topology.0);
    }

    /// Vertex buffers from a slot on.
    pub(crate) fn vertex_buffers(&mut self, first: u32, views: &[D3D12_VERTEX_BUFFER_VIEW]) {
        let count = views.len() as u32;
        call!(self.com, "ID3D12GraphicsCommandList", "IASetVertexBuffers", first, count, views.as_ptr());
    }

    /// Where indices come from.
    pub(crate) fn index_buffer(&mut self, view: &D3D12_INDEX_BUFFER_VIEW) {
        call!(self.com, "ID3D12GraphicsCommandList", "IASetIndexBuffer", &raw const *view);
    }

    /// The value that stencils are compared with and replaced by.
    pub(crate) fn stencil_reference(&mut self, value: u32) {
        call!(self.com, "ID3D12GraphicsCommandList", "OMSetStencilRef", value);
    }

    /// The constant of blending.
    pub(crate) fn blend_factor(&mut self, factor: [f32; 4]) {
        call!(self.com, "ID3D12GraphicsCommandList", "OMSetBlendFactor", factor.as_ptr());
    }

    /// Draws vertices: how many, how often, from which on.
    pub(crate) fn draw(&mut self, vertices: u32, instances: u32, first_vertex: u32, first_instance: u32) {
        call!(
            self.com,
            "ID3D12GraphicsCommandList",
            "DrawInstanced",
            vertices,
            instances,
            first_vertex,
            first_instance
        );
    }

    /// Runs groups of the mesh shader, or of the amplification shader before it.
    pub(crate) fn dispatch_mesh(&mut self, x: u32, y: u32, z: u32) -> Result<(), Failure> {
        let list = self.com.query(interface("ID3D12GraphicsCommandList6"));
        let list = list.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList6".into()))?;
        call!(list, "ID3D12GraphicsCommandList6", "DispatchMesh", x, y, z);
        Ok(())
    }

    /// Draws indices: how many, how often, from which on, plus what, and from which instance on.
    pub(crate) fn draw_indexed(
        &mut self,
        indices: u32,
        instances: u32,
        first_index: u32,
        base_vertex: i32,
        first_instance: u32,
    ) {
        call!(
            self.com,
            "ID3D12GraphicsCommandList",
            "DrawIndexedInstanced",
            indices,
            instances,
            first_index,
            base_vertex,
            first_instance
        );
    }

    /// Gives areas of a target one colour; no areas are the whole target.
    pub(crate) fn clear_target(&mut self, target: &Target, colour: [f32; 4], areas: &[Area]) {
        self.clear_view(target.view(), colour, areas);
    }

    /// As [`List::clear_target`], by its view.
    pub(crate) fn clear_view(&mut self, view: D3D12_CPU_DESCRIPTOR_HANDLE, colour: [f32; 4], areas: &[Area]) {
        let rects = rects(areas);
        let (count, first) = (rects.len() as u32, pointer(&rects));
        call!(self.com, "ID3D12GraphicsCommandList", "ClearRenderTargetView", view.ptr, colour.as_ptr(), count, first);
    }

    /// Gives areas of a depth buffer one depth, one stencil or both; no areas are the whole buffer.
    pub(crate) fn clear_depth(&mut self, depth: &Depth, flags: D3D12_CLEAR_FLAGS, to: (f32, u8), areas: &[Area]) {
        self.clear_depth_view(depth.view(), flags, to, areas);
    }

    /// As [`List::clear_depth`], by its view.
    pub(crate) fn clear_depth_view(
        &mut self,
        view: D3D12_CPU_DESCRIPTOR_HANDLE,
        flags: D3D12_CLEAR_FLAGS,
        (depth, stencil): (f32, u8),
        areas: &[Area],
    ) {
        let rects = rects(areas);
        let (count, first) = (rects.len() as u32, pointer(&rects));
        call!(
            self.com,
            "ID3D12GraphicsCommandList",
            "ClearDepthStencilView",
            view.ptr,
            flags.0,
            depth,
            stencil,
            count,
            first
        );
    }

    /// Gives areas of a view for writing one value, as numbers or as floats. The views are one in a heap that shaders see, and
    /// the same in one that they do not.
    pub(crate) fn clear_writable(
        &mut self,
        (seen, unseen): (D3D12_GPU_DESCRIPTOR_HANDLE, D3D12_CPU_DESCRIPTOR_HANDLE),
        resource: &Com,
        value: ClearValue,
        areas: &[Area],
    ) {
        let rects = rects(areas);
        let (count, first) = (rects.len() as u32, pointer(&rects));
        match value {
            ClearValue::Numbers(value) => {
                let value = value.as_ptr();
                call!(
                    self.com,
                    "ID3D12GraphicsCommandList",
                    "ClearUnorderedAccessViewUint",
                    seen.ptr,
                    unseen.ptr,
                    resource,
                    value,
                    count,
                    first
                );
            }
            ClearValue::Floats(value) => {
                let value = value.as_ptr();
                call!(
                    self.com,
                    "ID3D12GraphicsCommandList",
                    "ClearUnorderedAccessViewFloat",
                    seen.ptr,
                    unseen.ptr,
                    resource,
                    value,
                    count,
                    first
                );
            }
        }
    }

    /// Copies texels between subresources or parts of buffers.
    pub(crate) fn copy_texture(
        &mut self,
        to: &D3D12_TEXTURE_COPY_LOCATION,
        [x, y, z]: [u32; 3],
        from: &D3D12_TEXTURE_COPY_LOCATION,
        part: Option<&D3D12_BOX>,
    ) {
        let part = part.map_or(Word::from(Null), |part| (&raw const *part).into());
        call!(
            self.com,
            "ID3D12GraphicsCommandList",
            "CopyTextureRegion",
            &raw const *to,
            x,
            y,
            z,
            &raw const *from,
            part
        );
    }

    /// Lets tables lead into these heaps: one of views and one of samplers.
    pub(crate) fn set_heaps(&mut self, views: &Heap, samplers: &Heap) {
        let heaps: [*mut c_void; 2] = [views.com.as_ptr(), samplers.com.as_ptr()];
        call!(self.com, "ID3D12GraphicsCommandList", "SetDescriptorHeaps", 2u32, heaps.as_ptr());
    }

    /// Sets what draws are given, in which form.
    pub(crate) fn set_graphics_root(&mut self, root: &RootSignature) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetGraphicsRootSignature", &root.com);
    }

    /// Root constants from the first on.
    pub(crate) fn graphics_constants(&mut self, parameter: u32, values: &[u32]) {
        self.graphics_constants_at(parameter, 0, values);
    }

    /// Root constants from any one on.
    pub(crate) fn graphics_constants_at(&mut self, parameter: u32, offset: u32, values: &[u32]) {
        let (count, first) = (values.len() as u32, values.as_ptr());
        call!(self.com, "ID3D12GraphicsCommandList", "SetGraphicsRoot32BitConstants", parameter, count, first, offset);
    }

    /// A root constant buffer, by its address.
    pub(crate) fn graphics_cbv(&mut self, parameter: u32, address: u64) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetGraphicsRootConstantBufferView", parameter, address);
    }

    /// A root buffer to read, by its address.
    pub(crate) fn graphics_srv(&mut self, parameter: u32, address: u64) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetGraphicsRootShaderResourceView", parameter, address);
    }

    /// A buffer that shaders write.
    pub(crate) fn graphics_uav(&mut self, parameter: u32, address: u64) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetGraphicsRootUnorderedAccessView", parameter, address);
    }

    /// A table that begins at a descriptor of the heap that is set.
    pub(crate) fn graphics_table(&mut self, parameter: u32, first: D3D12_GPU_DESCRIPTOR_HANDLE) {
        call!(self.com, "ID3D12GraphicsCommandList", "SetGraphicsRootDescriptorTable", parameter, first.ptr);
    }

    /// One subresource from one state to another.
    pub(crate) fn transition_part(
        &mut self,
        resource: &Com,
        index: u32,
        before: D3D12_RESOURCE_STATES,
        after: D3D12_RESOURCE_STATES,
    ) {
        let mut barrier =
            D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION, ..Default::default() };
        barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: resource.as_ptr(),
            Subresource: index,
            StateBefore: before,
            StateAfter: after,
        };
        self.barriers(&[barrier]);
    }
}

/// An area as the API has it.
pub(crate) fn rect(area: Area) -> D3D12_RECT {
    D3D12_RECT { left: area.left as i32, top: area.top as i32, right: area.right as i32, bottom: area.bottom as i32 }
}

fn rects(areas: &[Area]) -> Vec<D3D12_RECT> {
    areas.iter().copied().map(rect).collect()
}

/// What a view for writing is cleared to: bits as they are, or converted to its format.
#[derive(Clone, Copy)]
pub(crate) enum ClearValue {
    Numbers([u32; 4]),
    Floats([f32; 4]),
}

/// Null where there is nothing.
fn pointer<T>(values: &[T]) -> Word {
    if values.is_empty() { Null.into() } else { values.as_ptr().into() }
}
