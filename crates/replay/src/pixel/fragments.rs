//! Fragments of a draw one by one: the draw again for each, into targets of replay's own, where the stencil test lets only the fragment
//! with that number through and counts the others.
//!
//! Invariant: nothing but what is set in the list is touched of the program's, and the caller sets that back.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

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
use crate::resource_dump::Samples;
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
/// `DXGI_FORMAT_R32_TYPELESS` and `_R32G8X24_TYPELESS`.
const R32: u32 = 39;
const FAMILY: u32 = 19;

/// Targets of replay's own that end at the pixel. Pointers are references held.
#[derive(Default)]
pub(super) struct Scratch {
    /// By slot, format and samples: the texture, and its view behind those of no target.
    colours: HashMap<(usize, u32, u32), (u64, Handle)>,
    /// By samples.
    depths: HashMap<u32, Depth>,
}

#[derive(Clone, Copy)]
struct Depth {
    texture: u64,
    view: Handle,
    /// What its depth goes through, where it has one sample; else null.
    between: u64,
    pitch: u32,
}

/// What a list brings of the fragments of a draw: of each its identity and its outputs.
pub(super) struct Brought {
    values: Values,
    sample: u32,
    has_primitives: bool,
    /// Slots and formats of the outputs.
    outputs: Vec<(u32, u32)>,
}

/// Where what was drawn lies.
enum Values {
    /// In a buffer, of which a reference is held: of each fragment the pieces, and the depth of each.
    Texels(u64),
    /// In copies with all samples: of each fragment and piece the texels, and the depth.
    Samples(Vec<(Samples, Samples)>),
}

/// A place to draw to.
struct Place<'p> {
    scratch: &'p mut Scratch,
    heaps: &'p mut Heaps,
    at: (u32, u32),
    /// Samples of a texel, and their quality.
    samples: (u32, u32),
}

/// Memory that copies of several samples take at most, but for one fragment.
const MOST_BYTES: u64 = 1 << 30;

/// Records the draws of each fragment. `draw` draws with a pipeline.
pub(super) fn record(
    runtime: &Runtime,
    list: u64,
    (scratch, heaps): (&mut Scratch, &mut Heaps),
    (singles, at, sample): (&Singles, (u32, u32), u32),
    mut draw: impl FnMut(u64),
) -> Result<Brought, String> {
    let mut place = Place { scratch, heaps, at, samples: singles.samples };
    let depth = place.depth(runtime)?;
    let mut pieces = vec![(singles.identity, 0, place.colour(runtime, 0, WORDS)?, WORDS)];
    for Output { slot, writing, format } in &singles.outputs {
        pieces.push((*writing, *slot, place.colour(runtime, *slot, *format)?, *format));
    }
    let device = place.heaps.device;
    let is_multisampled = singles.samples.0 > 1;
    let mut most = MOST;
    let mut copies = Vec::new();
    let values = match is_multisampled {
        false => readback_buffer(runtime, device, bytes_of(pieces.len()))?.into_pointer(),
        true => {
            let texels = (u64::from(at.0) + 1) * (u64::from(at.1) + 1) * u64::from(singles.samples.0);
            // Of each piece a texel of sixteen bytes at most, and its depth with a stencil.
            let one = texels.saturating_mul(24 * pieces.len() as u64).max(1);
            most = u32::try_from(MOST_BYTES / one).unwrap_or(MOST).clamp(1, MOST);
            0
        }
    };
    let (x, y) = at;
    let pixel = RECT { left: x as i32, top: y as i32, right: x as i32 + 1, bottom: y as i32 + 1 };
    let of = |name| method(LIST, name);
    for number in 0..most {
        for (piece, (pipeline, slot, (texture, view), format)) in pieces.iter().enumerate() {
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
            if is_multisampled {
                let colours = place.copy(runtime, list, (*texture, *format, false))?;
                copies.push((colours, place.copy(runtime, list, (depth.texture, FAMILY, true))?));
            } else {
                let offset = STEP * (2 * pieces.len() as u64 * u64::from(number) + piece as u64);
                copy_texel(runtime, list, (*texture, at), (values, offset, *format));
                copy_depth(runtime, list, (&depth, at), (values, offset + pieces.len() as u64 * STEP));
            }
            // What is read back may lie in one buffer with what the program draws from, and a layer takes all of that for read.
            barriers(runtime, list, &[aliasing()]);
        }
    }
    let values = if is_multisampled { Values::Samples(copies) } else { Values::Texels(values) };
    let outputs = singles.outputs.iter().map(|output| (output.slot as u32, output.format)).collect();
    Ok(Brought { values, sample, has_primitives: singles.has_primitives, outputs })
}

/// Bytes of what is read back, where each fragment has so many pieces.
fn bytes_of(pieces: usize) -> u64 {
    STEP * 2 * pieces as u64 * u64::from(MOST)
}

/// What is read of a piece of a fragment: the texel, and the depth.
type Piece = (Vec<u8>, Vec<u8>);

impl Brought {
    /// `DXGI_FORMAT` of the output that was asked for; 0 without one.
    pub(super) fn format(&self, slot: Option<u32>) -> u32 {
        self.outputs.iter().find(|(own, _)| slot == Some(*own)).map_or(0, |(_, format)| *format)
    }

    /// The fragments, of which there are so many; `aligned`: none of them is without output. The submission is done.
    pub(super) fn read(
        &self,
        runtime: &Runtime,
        (count, aligned): (u64, bool),
        (slot, timeout): (Option<u32>, Duration),
    ) -> Result<Vec<Fragment>, String> {
        let pieces = 1 + self.outputs.len();
        let all: Vec<Piece> = match &self.values {
            Values::Texels(values) => mapped(runtime, *values, bytes_of(pieces), |bytes| {
                let bytes = |at: u64| bytes.get(at as usize..).unwrap_or_default();
                let part = |bytes: &[u8], size: usize| bytes.get(..size).unwrap_or_default().to_vec();
                let formats = || std::iter::once(WORDS).chain(self.outputs.iter().map(|(_, format)| *format));
                let sizes = formats().map(|format| reprise_d3d12::format::texel_bytes(format).unwrap_or(0) as usize);
                let sizes: Vec<usize> = sizes.collect();
                let piece = |number: u64, piece: usize| {
                    let at = STEP * (2 * pieces as u64 * number + piece as u64);
                    (part(bytes(at), sizes[piece]), part(bytes(at + STEP * pieces as u64), 4))
                };
                let wanted = count.min(MOST.into());
                Ok((0..wanted)
                    .flat_map(|number| (0..pieces).map(move |at| (number, at)))
                    .map(|(n, at)| piece(n, at))
                    .collect())
            })?,
            Values::Samples(copies) => {
                let wanted = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(pieces);
                let read = |samples: &Samples| samples.last(runtime, self.sample, timeout);
                let wanted = copies.iter().take(wanted);
                wanted.map(|(colours, depth)| Ok((read(colours)?, read(depth)?))).collect::<Result<_, String>>()?
            }
        };
        let word = |bytes: &[u8], at: usize| bytes.get(at..).and_then(|bytes| bytes.first_chunk::<4>()).copied();
        let word = |bytes: &[u8], at: usize| word(bytes, at).map(u32::from_le_bytes);
        let fragment = |pieces: &[Piece]| {
            let (identity, depth) = pieces.first().map_or((&[][..], &[][..]), |(words, depth)| (words, depth));
            let given = if aligned { &pieces[1.min(pieces.len())..] } else { &[] };
            let outputs = self.outputs.iter().zip(given);
            let outputs: BTreeMap<u32, (u32, Vec<u8>)> =
                outputs.map(|((slot, format), (texel, _))| (*slot, (*format, texel.clone()))).collect();
            let depth = given.first().map_or(depth, |(_, depth)| depth);
            Fragment {
                primitive: word(identity, 0).filter(|_| self.has_primitives),
                instance: None,
                front: word(identity, 4).map(|front| front != 0),
                depth: word(depth, 0).map(f32::from_bits),
                output: slot.and_then(|slot| Some(outputs.get(&slot)?.1.clone())),
                outputs,
            }
        };
        Ok(all.chunks(pieces).map(fragment).collect())
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
            SampleDesc: DXGI_SAMPLE_DESC { Count: self.samples.0.max(1), Quality: self.samples.1 },
            Flags: flags,
            ..Default::default()
        }
    }

    fn depth(&mut self, runtime: &Runtime) -> Result<Depth, String> {
        if let Some(depth) = self.scratch.depths.get(&self.samples.0) {
            return Ok(*depth);
        }
        let device = self.heaps.device;
        let desc = self.desc(FAMILY, D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL);
        let texture = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, State::DEPTH_WRITE)?;
        let pitch = (desc.Width as u32 * 4).next_multiple_of(256);
        let buffer = description::buffer(u64::from(pitch) * u64::from(desc.Height), D3D12_RESOURCE_FLAGS::default());
        let between = match self.samples.0 {
            0 | 1 => committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &buffer, State::COPY_DEST)?.into_pointer(),
            _ => 0,
        };
        let view = self.heaps.take(true, 1)?;
        let desc = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: DXGI_FORMAT(DEPTH as _),
            ViewDimension: match self.samples.0 {
                0 | 1 => D3D12_DSV_DIMENSION::TEXTURE2D,
                _ => D3D12_DSV_DIMENSION::TEXTURE2DMS,
            },
            ..Default::default()
        };
        let words = [texture.pointer(), core::ptr::from_ref(&desc) as u64, view.ptr];
        // SAFETY: device and texture are alive, the description and the descriptor are ours.
        unsafe { runtime.call(device, method("ID3D12Device", "CreateDepthStencilView"), &words) };
        let depth = Depth { texture: texture.into_pointer(), view, between, pitch };
        self.scratch.depths.insert(self.samples.0, depth);
        Ok(depth)
    }

    /// A texture in this slot; there is no target in those before it.
    fn colour(&mut self, runtime: &Runtime, slot: usize, format: u32) -> Result<(u64, Handle), String> {
        if let Some(colour) = self.scratch.colours.get(&(slot, format, self.samples.0)) {
            return Ok(*colour);
        }
        let device = self.heaps.device;
        let desc = self.desc(format, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
        let texture = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &desc, State::RENDER_TARGET)?;
        let first = self.heaps.take(false, slot as u64 + 1)?;
        let none = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: DXGI_FORMAT(format as _),
            ViewDimension: match self.samples.0 {
                0 | 1 => D3D12_RTV_DIMENSION::TEXTURE2D,
                _ => D3D12_RTV_DIMENSION::TEXTURE2DMS,
            },
            ..Default::default()
        };
        for at in 0..=slot as u64 {
            let resource = if at == slot as u64 { texture.pointer() } else { 0 };
            let words = [resource, core::ptr::from_ref(&none) as u64, first.ptr + self.heaps.step() * at];
            // SAFETY: the device is alive, so is the texture, the description and the descriptor are ours; a view of nothing says its format.
            unsafe { runtime.call(device, method("ID3D12Device", "CreateRenderTargetView"), &words) };
        }
        let colour = (texture.into_pointer(), first);
        self.scratch.colours.insert((slot, format, self.samples.0), colour);
        Ok(colour)
    }

    /// A copy of a target as it is now, with all samples.
    fn copy(
        &self,
        runtime: &Runtime,
        list: u64,
        (texture, format, is_depth): (u64, u32, bool),
    ) -> Result<Samples, String> {
        let (flags, state) = match is_depth {
            true => (D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL, State::DEPTH_WRITE),
            false => (D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET, State::RENDER_TARGET),
        };
        let samples = Samples::new(runtime, self.heaps.device, &self.desc(format, flags), 0)?;
        // Some drivers copy the planes of samples together only.
        let planes = if is_depth { 0..2 } else { 0..1 };
        let turned =
            |from, to| -> Vec<_> { planes.clone().map(|plane| transition(texture, plane, from, to)).collect() };
        barriers(runtime, list, &turned(state, State::COPY_SOURCE));
        // SAFETY: the list is recording, both textures are alive, ours and of one shape.
        unsafe { runtime.call(list, method(LIST, "CopyResource"), &[samples.place().0, texture]) };
        barriers(runtime, list, &turned(State::COPY_SOURCE, state));
        Ok(samples)
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
