//! A copy of a resource into memory that the CPU can read: recorded into a list, then read.
//!
//! Invariant: the recording leaves the list's state as it was. The bytes that are read lie in the buffer of the copy, whole and in
//! bounds.

use std::time::Duration;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT as Footprint, D3D12_RESOLVE_MODE, D3D12_RESOURCE_BARRIER,
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
    DXGI_SAMPLE_DESC,
};

use super::contents::{Contents, Piece};
use super::plan::Job;
use super::samples::Samples;
use crate::format::{planes, typed};
use crate::runtime::Runtime;
use crate::runtime::barrier::{aliasing, barriers, transition};
use crate::runtime::copy::{copy_texels, placed, whole};
use crate::runtime::reference::Reference;
use crate::runtime::replay_objects;

const PREDICATE: MethodId = method("ID3D12GraphicsCommandList", "SetPredication");
const ALL: u32 = u32::MAX;

/// The largest readback buffer, in bytes; more than any texture in memory has.
const MOST_BYTES: u64 = 16 << 30;

/// A resource of the program that is alive.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) pointer: u64,
    pub(super) desc: D3D12_RESOURCE_DESC,
    /// `D3D12_HEAP_TYPE`.
    pub(super) heap_type: u32,
}

/// A recorded copy. Each pointer is a reference held.
pub(super) struct Copy {
    buffer: u64,
    bytes: u64,
    /// Single-sample textures that were resolved to.
    resolved: Option<u64>,
    desc: D3D12_RESOURCE_DESC,
    layout: Layout,
}

enum Layout {
    /// The offset in the program's buffer.
    Buffer(u64),
    /// Number of the subresource, its place in the readback buffer, rows, bytes a row.
    Texture(Vec<(u32, Footprint, u32, u64)>),
    /// All samples of this subresource, and which one is wanted. The buffer is null.
    Samples(u32, Samples, u32),
}

impl Copy {
    /// Records a copy into `list`, which is recording and no bundle.
    pub(super) fn record(
        runtime: &Runtime,
        device: u64,
        list: u64,
        source: &Source,
        job: &Job,
        predicate: Option<(u64, u64, u32)>,
    ) -> Result<Self, String> {
        let desc = &source.desc;
        let copy = if desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER {
            Self::buffer(runtime, device, desc, job)?
        } else {
            Self::texture(runtime, device, desc, job)?
        };
        if predicate.is_some() {
            // SAFETY: the list is alive and recording; a null buffer means no predicate.
            unsafe { runtime.call(list, PREDICATE, &[0, 0, 0]) };
        }
        match &copy.layout {
            Layout::Buffer(offset) => {
                let (mut before, mut after) = around(source, job, &[0], State::COPY_SOURCE);
                if job.is_looked_at() {
                    // Buffers are written without a barrier of the program's.
                    before.push(aliasing());
                    after.push(aliasing());
                }
                barriers(runtime, list, &before);
                const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyBufferRegion");
                // SAFETY: the list is recording, both buffers are alive and have this range.
                unsafe { runtime.call(list, COPY, &[copy.buffer, 0, source.pointer, *offset, copy.bytes]) };
                barriers(runtime, list, &after);
            }
            Layout::Texture(pieces) => copy.record_texture(runtime, list, source, job, pieces)?,
            Layout::Samples(subresource, samples, _) => {
                // Some drivers copy the planes of samples together only.
                let together = u32::from(desc.DepthOrArraySize) == 1;
                let all: Vec<u32> = (0..planes(desc.Format.0 as u32)).collect();
                let copied = if together { &all[..] } else { core::slice::from_ref(subresource) };
                let (mut before, mut after) = around(source, job, copied, State::COPY_SOURCE);
                before.push(aliasing());
                after.push(aliasing());
                barriers(runtime, list, &before);
                if together {
                    const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyResource");
                    // SAFETY: the list is recording, both textures are alive and of one shape.
                    unsafe { runtime.call(list, COPY, &[samples.place().0, source.pointer]) };
                } else {
                    copy_texels(runtime, list, whole((source.pointer, *subresource)), whole(samples.place()));
                }
                barriers(runtime, list, &after);
            }
        }
        if let Some((buffer, offset, operation)) = predicate {
            // SAFETY: the list is recording, the buffer is alive: the program's own call set it.
            unsafe { runtime.call(list, PREDICATE, &[buffer, offset, u64::from(operation)]) };
        }
        Ok(copy)
    }

    fn buffer(runtime: &Runtime, device: u64, desc: &D3D12_RESOURCE_DESC, job: &Job) -> Result<Self, String> {
        if job.subresource.is_some_and(|subresource| subresource != 0) {
            return Err("a buffer has subresource 0 only".into());
        }
        let (offset, size) = job.bytes.unwrap_or((0, u64::MAX));
        let left = desc.Width.checked_sub(offset).filter(|&left| left > 0);
        let bytes = left.ok_or_else(|| format!("the buffer has {} bytes, and none at {offset}", desc.Width))?.min(size);
        let buffer = replay_objects::readback_buffer(runtime, device, bytes)?.into_pointer();
        Ok(Self { buffer, bytes, resolved: None, desc: *desc, layout: Layout::Buffer(offset) })
    }

    fn texture(runtime: &Runtime, device: u64, desc: &D3D12_RESOURCE_DESC, job: &Job) -> Result<Self, String> {
        if job.bytes.is_some() {
            return Err("only buffers are dumped by bytes; a texture is by subresource, as in 12:3@345".into());
        }
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let slices = if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) };
        let count = u32::from(desc.MipLevels).max(1) * slices * planes(desc.Format.0 as u32);
        let range = match job.subresource {
            Some(subresource) if subresource >= count => {
                return Err(format!("the texture has {count} subresources, from 0 on"));
            }
            Some(subresource) => subresource..subresource + 1,
            None => 0..count,
        };
        let multisampled = desc.SampleDesc.Count > 1;
        if let (true, Some(part), Some(subresource)) =
            (multisampled, job.shot.as_ref().and_then(|shot| shot.part), job.subresource)
        {
            let samples = Samples::new(runtime, device, desc, part.plane)?;
            let layout = Layout::Samples(subresource, samples, part.sample);
            return Ok(Self { buffer: 0, bytes: 0, resolved: None, desc: *desc, layout });
        }
        let decoded = job.regions.map(|regions| decoded(desc, regions));
        let mut single = decoded.unwrap_or(*desc);
        let range = match decoded {
            Some(bytes) => 0..u32::from(bytes.MipLevels) * u32::from(bytes.DepthOrArraySize),
            None => range,
        };
        if multisampled {
            single.SampleDesc = DXGI_SAMPLE_DESC { Count: 1, Quality: 0 };
            single.Format =
                DXGI_FORMAT(resolvable(job.marks().map_or(desc.Format.0 as u32, |(_, format)| format))? as _);
            single.Alignment = 0;
            single.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
        }
        let (pieces, bytes) = footprints(runtime, device, &single, range)?;
        let resolved = match multisampled || decoded.is_some() {
            true => Some(replay_objects::committed(
                runtime,
                device,
                D3D12_HEAP_TYPE::DEFAULT,
                &single,
                State::RESOLVE_DEST,
            )?),
            false => None,
        };
        let buffer = replay_objects::readback_buffer(runtime, device, bytes)?.into_pointer();
        let resolved = resolved.map(Reference::into_pointer);
        Ok(Self { buffer, bytes, resolved, desc: single, layout: Layout::Texture(pieces) })
    }

    fn record_texture(
        &self,
        runtime: &Runtime,
        list: u64,
        source: &Source,
        job: &Job,
        pieces: &[(u32, Footprint, u32, u64)],
    ) -> Result<(), String> {
        let subresources: Vec<u32> = pieces.iter().map(|piece| piece.0).collect();
        let wanted = if self.resolved.is_some() { State::RESOLVE_SOURCE } else { State::COPY_SOURCE };
        let all: Vec<u32> = match job.regions {
            Some(_) => (0..u32::from(source.desc.MipLevels) * u32::from(source.desc.DepthOrArraySize)).collect(),
            None => subresources.clone(),
        };
        let (mut before, mut after) = around(source, job, &all, wanted);
        if job.is_looked_at() {
            // Whatever writes next waits for this copy, where the resource is in no state that says so.
            before.push(aliasing());
            after.push(aliasing());
        }
        barriers(runtime, list, &before);
        if let Some(resolved) = self.resolved {
            const RESOLVE: MethodId = method("ID3D12GraphicsCommandList", "ResolveSubresource");
            if job.regions.is_some() {
                decode(runtime, list, source.pointer, resolved)?;
            }
            for &subresource in subresources.iter().filter(|_| job.regions.is_none()) {
                let at = u64::from(subresource);
                let words = [resolved, at, source.pointer, at, self.desc.Format.0 as u64];
                // SAFETY: the list is recording, both textures are alive and alike but for the samples.
                unsafe { runtime.call(list, RESOLVE, &words) };
            }
            barriers(runtime, list, &[transition(resolved, ALL, State::RESOLVE_DEST, State::COPY_SOURCE)]);
        }
        let copied = self.resolved.unwrap_or(source.pointer);
        for (subresource, footprint, ..) in pieces {
            copy_texels(runtime, list, whole((copied, *subresource)), placed(self.buffer, *footprint));
        }
        barriers(runtime, list, &after);
        Ok(())
    }

    /// The contents that the copy brought; its work is done.
    pub(super) fn read(&self, runtime: &Runtime, timeout: Duration) -> Result<Contents, String> {
        if let Layout::Samples(subresource, samples, sample) = &self.layout {
            let bytes = samples.read(runtime, *sample, timeout)?;
            let (width, height) = (self.desc.Width as u32, self.desc.Height);
            let piece = Piece { subresource: *subresource, width, height, depth: 1, bytes };
            return Ok(Contents::Texture { desc: self.desc, pieces: vec![piece] });
        }
        replay_objects::mapped(runtime, self.buffer, self.bytes, |bytes| {
            let pieces = match &self.layout {
                Layout::Buffer(offset) => {
                    return Ok(Contents::Buffer { offset: *offset, width: self.desc.Width, bytes: bytes.to_vec() });
                }
                Layout::Texture(pieces) => pieces.as_slice(),
                // Read above.
                Layout::Samples(..) => &[],
            };
            let pieces = pieces.iter().map(|(subresource, placed, rows, row_bytes)| {
                let footprint = &placed.Footprint;
                let mut packed = Vec::new();
                for row in 0..u64::from(*rows) * u64::from(footprint.Depth) {
                    let start = (placed.Offset + row * u64::from(footprint.RowPitch)) as usize;
                    let row = bytes.get(start..start + *row_bytes as usize);
                    packed.extend(row.ok_or("the readback buffer is smaller than the texture")?);
                }
                let (width, height, depth) = (footprint.Width, footprint.Height, footprint.Depth);
                Ok(Piece { subresource: *subresource, width, height, depth, bytes: packed })
            });
            Ok(Contents::Texture { desc: self.desc, pieces: pieces.collect::<Result<_, String>>()? })
        })
    }

    /// Looks at the bytes as they lie in the buffer, and where the subresources of a texture lie in it; its work is done.
    pub(super) fn look(
        &self,
        runtime: &Runtime,
        look: impl FnOnce(&[u8], &[(u32, Footprint)]) -> Result<(), String>,
    ) -> Result<(), String> {
        let subresources: Vec<_> = match &self.layout {
            Layout::Buffer(_) | Layout::Samples(..) => Vec::new(),
            Layout::Texture(pieces) => pieces.iter().map(|(subresource, placed, ..)| (*subresource, *placed)).collect(),
        };
        replay_objects::mapped(runtime, self.buffer, self.bytes, |bytes| look(bytes, &subresources))
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives all references back; no work is pending, and no list that holds it will run again.
    pub(super) fn release(self, runtime: &Runtime) {
        use crate::runtime::com::Com;
        if self.buffer != 0 {
            runtime.release(self.buffer);
        }
        if let Layout::Samples(_, samples, _) = self.layout {
            samples.release(runtime);
        }
        self.resolved.into_iter().for_each(|resolved| runtime.release(resolved));
    }
}

/// What a map of sampler feedback with regions of this size decodes to: a byte a region. Of the finest levels there is one picture, else one
/// of each level. Sides are powers of two, and long enough to be halved from level to level: so there is room for every level's regions.
fn decoded(map: &D3D12_RESOURCE_DESC, regions: [u32; 2]) -> D3D12_RESOURCE_DESC {
    let finest = map.Format == DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE;
    let levels = if finest { 1 } else { map.MipLevels.max(1) };
    let room = |texels: u32, of: u32| texels.div_ceil(of.max(1)).next_power_of_two().max(1 << (levels - 1).min(15));
    D3D12_RESOURCE_DESC {
        Alignment: 0,
        Width: room(map.Width as u32, regions[0]).into(),
        Height: room(map.Height, regions[1]),
        MipLevels: levels,
        Format: DXGI_FORMAT::FORMAT_R8_UINT,
        Flags: D3D12_RESOURCE_FLAGS::NONE,
        ..*map
    }
}

/// Decodes a map of sampler feedback into a texture of bytes.
fn decode(runtime: &Runtime, list: u64, map: u64, bytes: u64) -> Result<(), String> {
    use crate::runtime::com::Com;
    const RESOLVE: MethodId = method("ID3D12GraphicsCommandList1", "ResolveSubresourceRegion");
    let newer = runtime.query(list, &reprise_d3d12::interface("ID3D12GraphicsCommandList1").get().iid);
    let newer = newer.ok_or("the runtime's lists have no ResolveSubresourceRegion, which decodes sampler feedback")?;
    let (format, mode) = (DXGI_FORMAT::FORMAT_R8_UINT.0, D3D12_RESOLVE_MODE::DECODE_SAMPLER_FEEDBACK.0);
    let words = [bytes, ALL.into(), 0, 0, map, ALL.into(), 0, format as u64, mode as u64];
    // SAFETY: the list is recording, both textures are alive; without a rectangle all is decoded.
    unsafe { runtime.call(newer, RESOLVE, &words) };
    runtime.release(newer);
    Ok(())
}

/// The format that samples are averaged in.
fn resolvable(format: u32) -> Result<u32, String> {
    let typed = typed(format, 0);
    match typed {
        // Floats and normalised integers.
        2
        | 6
        | 10
        | 11
        | 13
        | 16
        | 24
        | 26
        | 28
        | 29
        | 31
        | 34
        | 35
        | 37
        | 41
        | 49
        | 51
        | 54
        | 56
        | 58
        | 61
        | 63
        | 65
        | 85..=88
        | 91
        | 93
        | 115
            if planes(format) == 1 && !matches!(format, 40 | 55) =>
        {
            Ok(typed)
        }
        _ => Err(format!(
            "multisampled contents are dumped resolved, and samples of DXGI format {format} (depth, stencil, integers) have \
             no average"
        )),
    }
}

/// Where the runtime wants subresources in a buffer: place, rows and bytes a row of each; and all bytes.
type Footprints = (Vec<(u32, Footprint, u32, u64)>, u64);

fn footprints(
    runtime: &Runtime,
    device: u64,
    desc: &D3D12_RESOURCE_DESC,
    range: std::ops::Range<u32>,
) -> Result<Footprints, String> {
    const GET: MethodId = method("ID3D12Device", "GetCopyableFootprints");
    let count = range.len();
    let mut placed = vec![Footprint::default(); count];
    let (mut rows, mut row_bytes, mut total) = (vec![0u32; count], vec![0u64; count], 0u64);
    let words = [
        core::ptr::from_ref(desc) as u64,
        u64::from(range.start),
        count as u64,
        0,
        placed.as_mut_ptr() as u64,
        rows.as_mut_ptr() as u64,
        row_bytes.as_mut_ptr() as u64,
        core::ptr::from_mut(&mut total) as u64,
    ];
    // SAFETY: the device is alive; each output is ours and has room for `count` elements.
    unsafe { runtime.call(device, GET, &words) };
    if total == 0 || total > MOST_BYTES {
        return Err(format!("the runtime does not say how DXGI format {} is copied to a buffer", desc.Format.0));
    }
    let pieces = range.zip(placed).zip(rows.into_iter().zip(row_bytes));
    Ok((pieces.map(|((subresource, placed), (rows, bytes))| (subresource, placed, rows, bytes)).collect(), total))
}

/// Barriers before and after a copy out of `source`.
fn around(
    source: &Source,
    job: &Job,
    subresources: &[u32],
    wanted: State,
) -> (Vec<D3D12_RESOURCE_BARRIER>, Vec<D3D12_RESOURCE_BARRIER>) {
    if source.heap_type == D3D12_HEAP_TYPE::READBACK.0 as u32 || source.heap_type == D3D12_HEAP_TYPE::UPLOAD.0 as u32 {
        // Such heaps have one state for good; this waits for whatever wrote there.
        return (vec![aliasing()], vec![aliasing()]);
    }
    let state = |subresource: u32| job.states.get(subresource).unwrap_or(0);
    let first = subresources.first().map_or(0, |&subresource| state(subresource));
    let whole = job.subresource.is_none() && subresources.iter().all(|&subresource| state(subresource) == first);
    let places = if whole { vec![(ALL, first)] } else { subresources.iter().map(|&at| (at, state(at))).collect() };
    // Where it may be copied already nothing changes, and nothing can be written beside the copy.
    let places = places.into_iter().filter(|&(_, state)| state & wanted.0 == 0);
    let both = places.map(|(at, state)| {
        let state = State(state);
        (transition(source.pointer, at, state, wanted), transition(source.pointer, at, wanted, state))
    });
    both.unzip()
}
