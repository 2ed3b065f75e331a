//! Fragments of a draw one by one: the draw again for each, into targets of replay's own, where the stencil test lets only the fragment
//! with that number through and counts the others.
//!
//! Invariant: nothing but what is set in the list is touched of the program's, and the caller sets that back.

use std::collections::HashMap;

use reprise_d3d12::description;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_CLEAR_FLAGS, D3D12_CPU_DESCRIPTOR_HANDLE as Handle, D3D12_DEPTH_STENCIL_VIEW_DESC,
    D3D12_DSV_DIMENSION, D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_RENDER_TARGET_VIEW_DESC,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State,
    D3D12_RTV_DIMENSION, D3D12_SUBRESOURCE_FOOTPRINT, D3D12_TEXTURE_COPY_LOCATION, DXGI_FORMAT, DXGI_SAMPLE_DESC, RECT,
};

use super::pipeline::{DEPTH, Output, Singles, WORDS};
use crate::opened::SET_TARGETS;
use crate::report::pixel::Fragment;
use crate::runtime::Runtime;
use crate::runtime::barrier::{aliasing, barriers, transition};
use crate::runtime::copy;
use crate::runtime::replay_objects::{committed, mapped, readback_buffer};
use crate::target_sets::Heaps;

const LIST: &str = "ID3D12GraphicsCommandList";
/// Fragments that are shown of a draw.
pub(super) const MOST: u32 = 8;
/// Bytes between what is read back, as copies of textures want it.
const STEP: u64 = 512;
/// What is read back of a fragment: identity, output, and the depth of both.
const PIECES: u64 = 4;
/// `DXGI_FORMAT_R32_TYPELESS` and `_R32G8X24_TYPELESS`.
const R32: u32 = 39;
const FAMILY: u32 = 19;

/// Targets of replay's own that end at the pixel. Pointers are references held.
#[derive(Default)]
pub(super) struct Scratch {
    /// By slot and format: the texture, and its view behind those of no target.
    colours: HashMap<(usize, u32), (u64, Handle)>,
    depth: Option<Depth>,
}

#[derive(Clone, Copy)]
struct Depth {
    texture: u64,
    view: Handle,
    /// What its depth goes through.
    between: u64,
    pitch: u32,
}

/// What a list brings of the fragments of a draw. The pointer is a reference held.
pub(super) struct Brought {
    values: u64,
    has_output: bool,
    has_primitives: bool,
    pub(super) format: u32,
}

/// A place to draw to.
struct Place<'p> {
    scratch: &'p mut Scratch,
    heaps: &'p mut Heaps,
    at: (u32, u32),
}

/// Records the draws of each fragment. `draw` draws with a pipeline.
pub(super) fn record(
    runtime: &Runtime,
    list: u64,
    (scratch, heaps): (&mut Scratch, &mut Heaps),
    (singles, slot, at): (&Singles, usize, (u32, u32)),
    mut draw: impl FnMut(u64),
) -> Result<Brought, String> {
    let mut place = Place { scratch, heaps, at };
    let depth = place.depth(runtime)?;
    let identity = (singles.identity, 0, place.colour(runtime, 0, WORDS)?, WORDS);
    let output = match singles.output {
        Some(Output { writing, format, .. }) => Some((writing, slot, place.colour(runtime, slot, format)?, format)),
        None => None,
    };
    let device = place.heaps.device;
    let values = readback_buffer(runtime, device, STEP * PIECES * u64::from(MOST))?.into_pointer();
    let (x, y) = at;
    let pixel = RECT { left: x as i32, top: y as i32, right: x as i32 + 1, bottom: y as i32 + 1 };
    let of = |name| method(LIST, name);
    for number in 0..MOST {
        for (piece, pass) in [Some(&identity), output.as_ref()].into_iter().enumerate() {
            let Some((pipeline, slot, (texture, view), format)) = pass else { continue };
            let flags = D3D12_CLEAR_FLAGS::DEPTH.0 | D3D12_CLEAR_FLAGS::STENCIL.0;
            let (handles, back) = ([*view], [depth.view]);
            // SAFETY: the list is alive, recording and in no render pass; views and textures are ours, and arrays live until the calls end.
            unsafe {
                let words = [*slot as u64 + 1, handles.as_ptr() as u64, 1, back.as_ptr() as u64];
                runtime.call(list, SET_TARGETS, &words);
                let words = [depth.view.ptr, u64::from(flags), 0, 0, 1, core::ptr::from_ref(&pixel) as u64];
                runtime.call(list, of("ClearDepthStencilView"), &words);
                runtime.call(list, of("OMSetStencilRef"), &[u64::from(number)]);
            }
            draw(*pipeline);
            let offset = STEP * (PIECES * u64::from(number) + piece as u64);
            let shown = (values, offset, *format);
            copy_texel(runtime, list, (*texture, at), shown);
            copy_depth(runtime, list, (&depth, at), (values, offset + 2 * STEP));
            // What is read back may lie in one buffer with what the program draws from, and a layer takes all of that for read.
            barriers(runtime, list, &[aliasing()]);
        }
    }
    let format = singles.output.map_or(0, |output| output.format);
    Ok(Brought { values, has_output: singles.output.is_some(), has_primitives: singles.has_primitives, format })
}

impl Brought {
    /// The fragments, of which there are so many; `aligned`: none of them is without output. The submission is done.
    pub(super) fn read(&self, runtime: &Runtime, count: u64, aligned: bool) -> Result<Vec<Fragment>, String> {
        let count = count.min(MOST.into());
        mapped(runtime, self.values, STEP * PIECES * u64::from(MOST), |bytes| {
            let word = |at: u64| -> Option<u32> {
                bytes.get(at as usize..)?.first_chunk::<4>().map(|word| u32::from_le_bytes(*word))
            };
            let fragment = |number: u64| {
                let first = STEP * PIECES * number;
                let has_output = self.has_output && aligned;
                let size = reprise_d3d12::format::texel_bytes(self.format).unwrap_or(0) as usize;
                let output = bytes.get((first + STEP) as usize..).and_then(|bytes| bytes.get(..size));
                let depth = word(first + STEP * if has_output { 3 } else { 2 });
                Fragment {
                    primitive: word(first).filter(|_| self.has_primitives),
                    instance: None,
                    front: word(first + 4).map(|front| front != 0),
                    depth: depth.map(f32::from_bits),
                    output: output.filter(|_| has_output).map(<[u8]>::to_vec),
                }
            };
            Ok((0..count).map(fragment).collect())
        })
    }
}

impl Place<'_> {
    /// A texture that ends at the pixel.
    fn desc(&self, format: u32, flags: D3D12_RESOURCE_FLAGS) -> D3D12_RESOURCE_DESC {
        D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: (self.at.0 + 1).into(),
            Height: self.at.1 + 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT(format as _),
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Flags: flags,
            ..Default::default()
        }
    }

    fn depth(&mut self, runtime: &Runtime) -> Result<Depth, String> {
        if let Some(depth) = self.scratch.depth {
            return Ok(depth);
        }
        let device = self.heaps.device;
        let desc = self.desc(FAMILY, D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL);
        let texture = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, State::DEPTH_WRITE)?;
        let pitch = (desc.Width as u32 * 4).next_multiple_of(256);
        let buffer = description::buffer(u64::from(pitch) * u64::from(desc.Height), D3D12_RESOURCE_FLAGS::default());
        let between = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &buffer, State::COPY_DEST)?;
        let view = self.heaps.take(true, 1)?;
        let desc = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: DXGI_FORMAT(DEPTH as _),
            ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        let words = [texture.pointer(), core::ptr::from_ref(&desc) as u64, view.ptr];
        // SAFETY: device and texture are alive, the description and the descriptor are ours.
        unsafe { runtime.call(device, method("ID3D12Device", "CreateDepthStencilView"), &words) };
        let depth = Depth { texture: texture.into_pointer(), view, between: between.into_pointer(), pitch };
        self.scratch.depth = Some(depth);
        Ok(depth)
    }

    /// A texture in this slot; there is no target in those before it.
    fn colour(&mut self, runtime: &Runtime, slot: usize, format: u32) -> Result<(u64, Handle), String> {
        if let Some(colour) = self.scratch.colours.get(&(slot, format)) {
            return Ok(*colour);
        }
        let device = self.heaps.device;
        let desc = self.desc(format, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
        let texture = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, State::RENDER_TARGET)?;
        let first = self.heaps.take(false, slot as u64 + 1)?;
        let none = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: DXGI_FORMAT(format as _),
            ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        for at in 0..=slot as u64 {
            let resource = if at == slot as u64 { texture.pointer() } else { 0 };
            let words = [resource, core::ptr::from_ref(&none) as u64, first.ptr + self.heaps.step() * at];
            // SAFETY: the device is alive, so is the texture, the description and the descriptor are ours; a view of nothing says its format.
            unsafe { runtime.call(device, method("ID3D12Device", "CreateRenderTargetView"), &words) };
        }
        let colour = (texture.into_pointer(), first);
        self.scratch.colours.insert((slot, format), colour);
        Ok(colour)
    }
}

const COPY: MethodId = method(LIST, "CopyTextureRegion");

/// Texels in a buffer.
fn placed(
    buffer: u64,
    offset: u64,
    format: u32,
    (width, height, pitch): (u32, u32, u32),
) -> D3D12_TEXTURE_COPY_LOCATION {
    let footprint = D3D12_SUBRESOURCE_FOOTPRINT {
        Format: DXGI_FORMAT(format as _),
        Width: width,
        Height: height,
        Depth: 1,
        RowPitch: pitch,
    };
    copy::placed(buffer, D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: offset, Footprint: footprint })
}

fn copy_texel(
    runtime: &Runtime,
    list: u64,
    (texture, (x, y)): (u64, (u32, u32)),
    (values, offset, format): (u64, u64, u32),
) {
    let part = D3D12_BOX { left: x, top: y, front: 0, right: x + 1, bottom: y + 1, back: 1 };
    let (to, from) = (placed(values, offset, format, (1, 1, 256)), copy::whole((texture, 0)));
    barriers(runtime, list, &[transition(texture, 0, State::RENDER_TARGET, State::COPY_SOURCE)]);
    let part = core::ptr::from_ref(&part) as u64;
    let words = [core::ptr::from_ref(&to) as u64, 0, 0, 0, core::ptr::from_ref(&from) as u64, part];
    // SAFETY: the list is recording, both resources are alive and have the texel, the structures are ours.
    unsafe { runtime.call(list, COPY, &words) };
    barriers(runtime, list, &[transition(texture, 0, State::COPY_SOURCE, State::RENDER_TARGET)]);
}

/// Depth cannot be copied in parts: all of it goes through a buffer.
fn copy_depth(runtime: &Runtime, list: u64, (depth, (x, y)): (&Depth, (u32, u32)), (values, offset): (u64, u64)) {
    let (to, from) = (placed(depth.between, 0, R32, (x + 1, y + 1, depth.pitch)), copy::whole((depth.texture, 0)));
    barriers(runtime, list, &[transition(depth.texture, 0, State::DEPTH_WRITE, State::COPY_SOURCE)]);
    copy::copy_texels(runtime, list, from, to);
    let back = [
        transition(depth.texture, 0, State::COPY_SOURCE, State::DEPTH_WRITE),
        transition(depth.between, 0, State::COPY_DEST, State::COPY_SOURCE),
    ];
    barriers(runtime, list, &back);
    let at = u64::from(y) * u64::from(depth.pitch) + u64::from(x) * 4;
    // SAFETY: the list is recording, both buffers are alive, ours, and have these bytes.
    unsafe { runtime.call(list, method(LIST, "CopyBufferRegion"), &[values, offset, depth.between, at, 4]) };
    barriers(runtime, list, &[transition(depth.between, 0, State::COPY_SOURCE, State::COPY_DEST)]);
}
