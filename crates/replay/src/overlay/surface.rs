//! Textures of replay's own in which fragments leave marks.

use std::time::Duration;

use reprise_d3d12::method;
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_HEAP_TYPE, D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RESOURCE_DESC,
    D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, D3D12_RTV_DIMENSION, DXGI_FORMAT,
    DXGI_SAMPLE_DESC,
};

use crate::opened::SET_TARGETS;
use crate::pixel::Mark;
use crate::resource_dump::own_samples;
use crate::runtime::Runtime;
use crate::runtime::barrier::{barriers, transition};
use crate::runtime::copy::{copy_texels, whole};
use crate::runtime::replay_objects::committed;
use crate::target_sets::Heaps;

const CLEAR: reprise_d3d12::model::MethodId = method("ID3D12GraphicsCommandList", "ClearRenderTargetView");

/// A texture that marks are left in. The pointer is a reference held until the process ends: lists of the program name it.
#[derive(Clone, Copy)]
pub(super) struct Surface {
    texture: u64,
    desc: D3D12_RESOURCE_DESC,
    /// The views of all slots up to that of the mark; those before it are of nothing.
    first: Handle,
    slots: u64,
    /// That of the mark.
    view: Handle,
    /// What it is cleared to, in each channel.
    empty: f32,
}

impl Surface {
    /// As large as a target, with as many samples.
    ///
    /// # Errors
    /// There is no memory, or no descriptor.
    pub(super) fn new(
        runtime: &Runtime,
        heaps: &mut Heaps,
        (width, height, samples): (u32, u32, DXGI_SAMPLE_DESC),
        (mark, empty): (Mark, f32),
    ) -> Result<Self, String> {
        let (slot, format) = mark.target();
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: width.into(),
            Height: height,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT(format as _),
            SampleDesc: samples,
            Flags: D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET,
            ..Default::default()
        };
        Self::with_view(runtime, heaps, &desc, (slot, format), empty)
    }

    /// With the description of one level and slice of a program's target, for a view in this slot, of this `DXGI_FORMAT`.
    ///
    /// # Errors
    /// As [`Surface::new`].
    pub(super) fn copy_of(
        runtime: &Runtime,
        heaps: &mut Heaps,
        desc: &D3D12_RESOURCE_DESC,
        (slot, format): (usize, u32),
        (width, height): (u32, u32),
    ) -> Result<Self, String> {
        let desc = D3D12_RESOURCE_DESC {
            Alignment: 0,
            Width: width.into(),
            Height: height,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Flags: D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET,
            Layout: Default::default(),
            ..*desc
        };
        Self::with_view(runtime, heaps, &desc, (slot, format), 0.0)
    }

    fn with_view(
        runtime: &Runtime,
        heaps: &mut Heaps,
        desc: &D3D12_RESOURCE_DESC,
        (slot, format): (usize, u32),
        empty: f32,
    ) -> Result<Self, String> {
        let texture = committed(runtime, heaps.device, D3D12_HEAP_TYPE::DEFAULT, desc, State::RENDER_TARGET)?;
        let slots = slot as u64 + 1;
        let first = heaps.take(false, slots)?;
        let view_desc = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: DXGI_FORMAT(format as _),
            ViewDimension: match desc.SampleDesc.Count {
                0 | 1 => D3D12_RTV_DIMENSION::TEXTURE2D,
                _ => D3D12_RTV_DIMENSION::TEXTURE2DMS,
            },
            ..Default::default()
        };
        for at in 0..slots {
            let resource = if at + 1 == slots { texture.pointer() } else { 0 };
            let words = [resource, core::ptr::from_ref(&view_desc) as u64, first.ptr + heaps.step() * at];
            // SAFETY: device and texture are alive, the description and the descriptor are ours; a view of nothing says its format.
            unsafe { runtime.call(heaps.device, method("ID3D12Device", "CreateRenderTargetView"), &words) };
        }
        let view = Handle { ptr: first.ptr + heaps.step() * (slots - 1) };
        Ok(Self { texture: texture.into_pointer(), desc: *desc, first, slots, view, empty })
    }

    /// Fills it from a subresource of a target of the program's, which is bound, in a list that is recording, and in no render pass and under no
    /// predicate.
    pub(super) fn fill(&self, runtime: &Runtime, list: u64, (from, subresource): (u64, u32)) {
        let before = [
            transition(from, subresource, State::RENDER_TARGET, State::COPY_SOURCE),
            transition(self.texture, 0, State::RENDER_TARGET, State::COPY_DEST),
        ];
        let after = [
            transition(from, subresource, State::COPY_SOURCE, State::RENDER_TARGET),
            transition(self.texture, 0, State::COPY_DEST, State::RENDER_TARGET),
        ];
        barriers(runtime, list, &before);
        copy_texels(runtime, list, whole((from, subresource)), whole((self.texture, 0)));
        barriers(runtime, list, &after);
    }

    /// Empties it in a list that is recording, and in no render pass and under no predicate.
    pub(super) fn clear(&self, runtime: &Runtime, list: u64) {
        let colour = [self.empty; 4];
        // SAFETY: the list is recording, the view is ours, the array lives until the call ends.
        unsafe { runtime.call(list, CLEAR, &[self.view.ptr, colour.as_ptr() as u64, 0, 0]) };
    }

    /// Makes it the target, beside this depth buffer.
    pub(super) fn set(&self, runtime: &Runtime, list: u64, depth: Option<Handle>) {
        let (first, depth) = ([self.first], depth.map(|depth| [depth]));
        let depth = depth.as_ref().map_or(0, |depth| depth.as_ptr() as u64);
        // SAFETY: the list is recording; descriptors are ours, arrays live until the call ends.
        unsafe { runtime.call(list, SET_TARGETS, &[self.slots, first.as_ptr() as u64, 1, depth]) };
    }

    /// The texels of each sample. No pending work writes it.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn texels(&self, runtime: &Runtime, timeout: Duration) -> Result<Vec<Vec<u8>>, String> {
        own_samples(runtime, self.texture, &self.desc, (0, State::RENDER_TARGET), timeout)
    }

    /// Whether each texel has a mark in one of its samples, row by row. No pending work writes it.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(&self, runtime: &Runtime, timeout: Duration) -> Result<Vec<bool>, String> {
        let texels = self.desc.Width as usize * self.desc.Height as usize;
        let mut marked = vec![false; texels];
        for bytes in self.texels(runtime, timeout)? {
            let size = (bytes.len() / texels.max(1)).max(1);
            let empty: Vec<u8> = match size {
                // Of `R8_UNORM`.
                1 => vec![(self.empty * 255.0) as u8],
                _ => (self.empty as u32).to_le_bytes().repeat(size / 4),
            };
            marked.iter_mut().zip(bytes.chunks_exact(size)).for_each(|(marked, texel)| *marked |= texel != empty);
        }
        Ok(marked)
    }
}
