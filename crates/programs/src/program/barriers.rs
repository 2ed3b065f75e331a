//! `barriers`: a texture goes from each layout of enhanced barriers to each other one, and is read or written in all of them. Barriers
//! are whole or split, name everything or a level, and say the narrowest access or any. Then samples are resolved, and depth is
//! copied, between the layouts for these.

use super::Program;
use crate::buffer::Buffer;
use crate::com::{Com, Null, call, create};
use crate::descriptor::{AS_IS, Heap};
use crate::device::Device;
use crate::digest::Digest;
use crate::draw::ClearValue;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{in_buffer, part};
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_BARRIER_ACCESS as Access, D3D12_BARRIER_LAYOUT as Layout, D3D12_BARRIER_SYNC as Sync, *,
};

pub(super) const PROGRAM: Program =
    Program { name: "barriers", about: "a texture between all layouts of enhanced barriers", run };

const READ: Shader = shader!("views.read_plane");

/// A side of the texture, which is the group of the shader that reads it.
const SIZE: u32 = 8;
/// Bytes of a reading: rows of footprints, or what the shader writes.
const ROOM: u64 = 2048;
const ROW: u32 = 256;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;

/// What is done with the texture in a layout.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    /// Copied to a buffer.
    CopyOut,
    /// Read by a shader.
    Read,
    /// A row copied from a buffer.
    CopyIn,
    /// An area cleared as a render target.
    Target,
    /// An area cleared by unordered access.
    Unordered,
}

/// A layout, and the narrowest that its use may say.
struct Stop {
    layout: Layout,
    sync: Sync,
    access: Access,
    act: Act,
}

const fn stop(layout: Layout, act: Act) -> Stop {
    let (sync, access) = match act {
        Act::CopyOut => (Sync::COPY, Access::COPY_SOURCE),
        Act::Read => (Sync::COMPUTE_SHADING, Access::SHADER_RESOURCE),
        Act::CopyIn => (Sync::COPY, Access::COPY_DEST),
        Act::Target => (Sync::RENDER_TARGET, Access::RENDER_TARGET),
        Act::Unordered => (Sync::CLEAR_UNORDERED_ACCESS_VIEW, Access::UNORDERED_ACCESS),
    };
    Stop { layout, sync, access, act }
}

/// Every layout that a texture of the direct queue with these uses may have.
const STOPS: [Stop; 15] = [
    stop(Layout::COPY_DEST, Act::CopyIn),
    stop(Layout::COMMON, Act::CopyOut),
    stop(Layout::GENERIC_READ, Act::Read),
    stop(Layout::RENDER_TARGET, Act::Target),
    stop(Layout::UNORDERED_ACCESS, Act::Unordered),
    stop(Layout::SHADER_RESOURCE, Act::Read),
    stop(Layout::COPY_SOURCE, Act::CopyOut),
    stop(Layout::DIRECT_QUEUE_COMMON, Act::CopyIn),
    stop(Layout::DIRECT_QUEUE_GENERIC_READ, Act::CopyOut),
    stop(Layout::DIRECT_QUEUE_UNORDERED_ACCESS, Act::Unordered),
    stop(Layout::DIRECT_QUEUE_SHADER_RESOURCE, Act::Read),
    stop(Layout::DIRECT_QUEUE_COPY_SOURCE, Act::CopyOut),
    stop(Layout::DIRECT_QUEUE_COPY_DEST, Act::CopyIn),
    stop(Layout::DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE, Act::Read),
    // The same layout by another command.
    stop(Layout::COMMON, Act::Read),
];

/// The same subresource, named in the two ways that there are.
const EVERYTHING: D3D12_BARRIER_SUBRESOURCE_RANGE = D3D12_BARRIER_SUBRESOURCE_RANGE {
    IndexOrFirstMipLevel: u32::MAX,
    NumMipLevels: 0,
    FirstArraySlice: 0,
    NumArraySlices: 0,
    FirstPlane: 0,
    NumPlanes: 0,
};
const LEVEL_0: D3D12_BARRIER_SUBRESOURCE_RANGE = D3D12_BARRIER_SUBRESOURCE_RANGE {
    IndexOrFirstMipLevel: 0,
    NumMipLevels: 1,
    FirstArraySlice: 0,
    NumArraySlices: 1,
    FirstPlane: 0,
    NumPlanes: 1,
};

type Point = (Sync, Access, Layout);

/// A barrier of a texture.
fn between(texture: &Com, before: Point, after: Point) -> D3D12_TEXTURE_BARRIER {
    D3D12_TEXTURE_BARRIER {
        SyncBefore: before.0,
        SyncAfter: after.0,
        AccessBefore: before.1,
        AccessAfter: after.1,
        LayoutBefore: before.2,
        LayoutAfter: after.2,
        pResource: texture.as_ptr(),
        Subresources: EVERYTHING,
        Flags: D3D12_TEXTURE_BARRIER_FLAGS::NONE,
    }
}

/// A list and its interface for enhanced barriers.
struct Recorder {
    list: List,
    newer: Com,
}

impl Recorder {
    fn new(device: &Device) -> Result<Recorder, Failure> {
        let list = List::direct(device)?;
        let newer = list.com.query(interface("ID3D12GraphicsCommandList7"));
        let newer = newer.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList7".into()))?;
        Ok(Recorder { list, newer })
    }

    fn group(&mut self, group: D3D12_BARRIER_GROUP) {
        call!(self.newer, "ID3D12GraphicsCommandList7", "Barrier", 1u32, &raw const group);
    }

    fn texture(&mut self, barrier: &D3D12_TEXTURE_BARRIER) {
        let mut group = D3D12_BARRIER_GROUP { Type: D3D12_BARRIER_TYPE::TEXTURE, NumBarriers: 1, ..Default::default() };
        group.Anonymous.pTextureBarriers = barrier;
        self.group(group);
    }

    fn buffer(&mut self, buffer: &Buffer, before: (Sync, Access), after: (Sync, Access)) {
        let barrier = D3D12_BUFFER_BARRIER {
            SyncBefore: before.0,
            SyncAfter: after.0,
            AccessBefore: before.1,
            AccessAfter: after.1,
            pResource: buffer.com.as_ptr(),
            Offset: 0,
            Size: u64::MAX,
        };
        let mut group = D3D12_BARRIER_GROUP { Type: D3D12_BARRIER_TYPE::BUFFER, NumBarriers: 1, ..Default::default() };
        group.Anonymous.pBufferBarriers = &raw const barrier;
        self.group(group);
    }

    /// Orders everything that wrote before everything that reads.
    fn global(&mut self, before: (Sync, Access), after: (Sync, Access)) {
        let barrier = D3D12_GLOBAL_BARRIER {
            SyncBefore: before.0,
            SyncAfter: after.0,
            AccessBefore: before.1,
            AccessAfter: after.1,
        };
        let mut group = D3D12_BARRIER_GROUP { Type: D3D12_BARRIER_TYPE::GLOBAL, NumBarriers: 1, ..Default::default() };
        group.Anonymous.pGlobalBarriers = &raw const barrier;
        self.group(group);
    }
}

/// A texture of the journey's size.
fn description(format: DXGI_FORMAT, samples: u32, flags: D3D12_RESOURCE_FLAGS) -> D3D12_RESOURCE_DESC1 {
    D3D12_RESOURCE_DESC1 {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: SIZE.into(),
        Height: SIZE,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: format,
        SampleDesc: DXGI_SAMPLE_DESC { Count: samples, Quality: 0 },
        Flags: flags,
        ..Default::default()
    }
}

/// A texture with memory of its own that begins in a layout.
fn texture(device: &Com, desc: &D3D12_RESOURCE_DESC1, layout: Layout, casts: &[DXGI_FORMAT]) -> Result<Com, Failure> {
    let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    create!(
        device, "ID3D12Device10", "CreateCommittedResource3",
        &raw const properties, 0u32, &raw const *desc, layout.0, Null, Null, casts.len() as u32, casts.as_ptr();
        "ID3D12Resource"
    )
}

/// Where a reading lies in a buffer of readings.
fn place(buffer: &Buffer, number: u64, format: DXGI_FORMAT) -> D3D12_TEXTURE_COPY_LOCATION {
    let shape = D3D12_SUBRESOURCE_FOOTPRINT { Format: format, Width: SIZE, Height: SIZE, Depth: 1, RowPitch: ROW };
    in_buffer(buffer, D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: number * ROOM, Footprint: shape })
}

/// Words of a reading by a copy.
fn copied(bytes: &[u8], number: usize) -> Vec<u32> {
    let start = number * ROOM as usize;
    let row = |row: usize| &bytes[start + row * ROW as usize..start + row * ROW as usize + 4 * SIZE as usize];
    (0..SIZE as usize).flat_map(row).copied().collect::<Vec<u8>>().chunks_exact(4).map(word).collect()
}

/// Words of a reading by the shader: the first of each four, behind the sizes.
fn shaded(bytes: &[u8], number: usize) -> Vec<u32> {
    let start = number * ROOM as usize + 16;
    bytes[start..start + 16 * (SIZE * SIZE) as usize].chunks_exact(16).map(word).collect()
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS12::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS12, &mut options);
    if !known || options.EnhancedBarriersSupported == 0 || options.RelaxedFormatCastingSupported == 0 {
        return Err(Failure::Cannot("the library has no enhanced barriers with casts of formats".into()));
    }
    let newer = stage.device.com.query(interface("ID3D12Device10"));
    let newer = newer.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device10".into()))?;
    let mut digest = Digest::new();
    journey(stage, &newer, &mut digest)?;
    samples_and_depth(stage, &newer, &mut digest)?;
    Ok(digest)
}

/// All pairs of stops, each once: from one to each later one and back.
fn pairs() -> Vec<usize> {
    let mut way = vec![0];
    for first in 0..STOPS.len() {
        for second in first + 1..STOPS.len() {
            way.extend([second, first]);
        }
        // On to the next one, which is one more visit.
        way.extend((first + 1 < STOPS.len()).then_some(first + 1));
    }
    way
}

fn journey(stage: &Stage, newer: &Com, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let way = pairs();
    let uses = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0 | D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0;
    let colours = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
    let desc = description(FORMAT, 1, D3D12_RESOURCE_FLAGS(uses));
    let travelling = texture(newer, &desc, Layout::UNDEFINED, &[FORMAT, colours])?;
    let mut random = Random(17);
    let rows = random.words(way.len() as u32 * SIZE);
    let mut upload = Buffer::upload(device, way.len() as u64 * u64::from(ROW) * 2)?;
    let out = Buffer::readback(device, way.len() as u64 * ROOM)?;
    let shader_out = Buffer::writable(device, way.len() as u64 * ROOM)?;

    let (heap, staging) = (Heap::visible(device, 2)?, Heap::staging(device, 1)?);
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() };
    heap.srv(0, &travelling, &view);
    let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    heap.uav(1, &travelling, &view);
    staging.uav(0, &travelling, &view);
    let targets = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
    let view = D3D12_RENDER_TARGET_VIEW_DESC {
        Format: colours,
        ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    call!(device.com, "ID3D12Device", "CreateRenderTargetView", &travelling, &raw const view, targets.cpu(0).ptr);

    let parameters =
        [Parameter::Constants { register: 0, count: 1 }, Parameter::Table(&[Range::srv(0, 1)]), Parameter::Uav(0)];
    let root = RootSignature::compute(device, &parameters)?;
    let pipeline = Pipeline::compute(stage, &root, &READ)?;
    let mut recorder = Recorder::new(device)?;
    recorder.list.set_heap(&heap);
    recorder.list.set_compute_root(&root);
    recorder.list.set_pipeline(&pipeline);
    recorder.list.compute_constants(0, &[0]);
    recorder.list.compute_table(1, heap.gpu(0));

    let mut model = Picture::new(SIZE, SIZE, 0u32);
    let mut expected = Vec::new();
    for (number, at) in way.iter().enumerate() {
        let stop = &STOPS[*at];
        let after = (stop.sync, stop.access, stop.layout);
        if number == 0 {
            let before = (Sync::NONE, Access::NO_ACCESS, Layout::UNDEFINED);
            let mut barrier = between(&travelling, before, after);
            barrier.Flags = D3D12_TEXTURE_BARRIER_FLAGS::DISCARD;
            recorder.texture(&barrier);
        } else {
            let before = &STOPS[way[number - 1]];
            step(&mut recorder, &travelling, number, (before.sync, before.access, before.layout), after);
        }
        let area = Area::at(random.below(6), random.below(6), 2, 2);
        let list = &mut recorder.list;
        match stop.act {
            Act::CopyOut => {
                list.copy_texture(&place(&out, number as u64, FORMAT), [0; 3], &part(&travelling, 0), None);
                expected.push((number, false, model.texels.clone()));
            }
            Act::Read => {
                list.compute_uav(2, shader_out.address + number as u64 * ROOM);
                list.dispatch(1, 1, 1);
                expected.push((number, true, model.texels.clone()));
            }
            Act::CopyIn => {
                // The first one is of everything: the texture had no contents.
                let count = if number == 0 { SIZE } else { 1 };
                let values = &rows[number * SIZE as usize..(number + 1) * SIZE as usize];
                let from = number as u64 * u64::from(ROW) * 2;
                upload.write(from, &crate::buffer::bytes_of(values));
                for row in (0..count).map(|row| if number == 0 { row } else { area.top }) {
                    let shape =
                        D3D12_SUBRESOURCE_FOOTPRINT { Format: FORMAT, Width: SIZE, Height: 1, Depth: 1, RowPitch: ROW };
                    let line =
                        in_buffer(&upload, D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: from, Footprint: shape });
                    list.copy_texture(&part(&travelling, 0), [0, row, 0], &line, None);
                    model.draw(Area::at(0, row, SIZE, 1), |x, _, texel| *texel = values[x as usize]);
                }
            }
            Act::Target => {
                list.clear_view(targets.cpu(0), [1.0, 0.0, (number % 2) as f32, 1.0], &[area]);
                model.fill(area, 0xff00_00ff | if number % 2 == 1 { 0x00ff_0000 } else { 0 });
            }
            Act::Unordered => {
                let value = rows[number];
                list.clear_writable(
                    (heap.gpu(1), staging.cpu(0)),
                    &travelling,
                    ClearValue::Numbers([value; 4]),
                    &[area],
                );
                model.fill(area, value);
            }
        }
    }
    let read = Buffer::readback(device, shader_out.size)?;
    recorder.buffer(&shader_out, (Sync::COMPUTE_SHADING, Access::UNORDERED_ACCESS), (Sync::COPY, Access::COPY_SOURCE));
    recorder.list.copy_bytes(&read, 0, &shader_out, 0, shader_out.size);
    stage.queue.run(&mut recorder.list)?;
    let (copies, reads) = (out.read()?, read.read()?);
    for (number, by_shader, expected) in expected {
        let got = if by_shader { shaded(&reads, number) } else { copied(&copies, number) };
        let from = number.checked_sub(1).map_or(Layout::UNDEFINED, |before| STOPS[way[before]].layout);
        let what = format!("step {number}, from layout {} to {}", from.0, STOPS[way[number]].layout.0);
        Failure::unless_equal(&what, &got, &expected)?;
        digest.add(&crate::buffer::bytes_of(&got));
    }
    Ok(())
}

/// A barrier in one of its forms, by the number of the step.
fn step(recorder: &mut Recorder, texture: &Com, number: usize, before: Point, after: Point) {
    match number % 4 {
        0 => recorder.texture(&D3D12_TEXTURE_BARRIER { Subresources: LEVEL_0, ..between(texture, before, after) }),
        1 => {
            let begins = between(texture, before, (Sync::SPLIT, after.1, after.2));
            let ends = between(texture, (Sync::SPLIT, before.1, before.2), after);
            recorder.texture(&begins);
            recorder.texture(&ends);
        }
        2 => {
            let any = |point: Point| (Sync::ALL, Access::COMMON, point.2);
            recorder.texture(&between(texture, any(before), any(after)));
        }
        _ => {
            recorder.texture(&between(texture, before, after));
            recorder.global((Sync::ALL, Access::COMMON), (Sync::ALL, Access::COMMON));
        }
    }
}

/// Samples are resolved into a placed texture, and depth is copied, by the layouts for each.
fn samples_and_depth(stage: &Stage, newer: &Com, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let format = DXGI_FORMAT::FORMAT_R32_FLOAT;
    let flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    let samples = texture(newer, &description(format, 4, flags), Layout::RENDER_TARGET, &[])?;
    let memory = Memory::new(device, 1 << 20)?;
    let desc = description(format, 1, D3D12_RESOURCE_FLAGS::NONE);
    let resolved = create!(
        newer, "ID3D12Device10", "CreatePlacedResource2",
        memory.com(), 0u64, &raw const desc, Layout::RESOLVE_DEST.0, Null, 0u32, Null; "ID3D12Resource"
    )?;
    let depth_format = DXGI_FORMAT::FORMAT_D32_FLOAT;
    let desc = description(depth_format, 1, D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL);
    let depth = texture(newer, &desc, Layout::DEPTH_STENCIL_WRITE, &[])?;
    let targets = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
    call!(device.com, "ID3D12Device", "CreateRenderTargetView", &samples, Null, targets.cpu(0).ptr);
    let depths = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 1, false)?;
    call!(device.com, "ID3D12Device", "CreateDepthStencilView", &depth, Null, depths.cpu(0).ptr);
    let out = Buffer::readback(device, 2 * ROOM)?;

    let mut recorder = Recorder::new(device)?;
    recorder.list.clear_view(targets.cpu(0), [0.25; 4], &[]);
    recorder.list.clear_view(targets.cpu(0), [0.75; 4], &[Area::at(2, 1, 3, 4)]);
    let before = (Sync::RENDER_TARGET, Access::RENDER_TARGET, Layout::RENDER_TARGET);
    let after = (Sync::RESOLVE, Access::RESOLVE_SOURCE, Layout::RESOLVE_SOURCE);
    recorder.texture(&between(&samples, before, after));
    let format = format.0;
    call!(
        recorder.list.com,
        "ID3D12GraphicsCommandList",
        "ResolveSubresource",
        &resolved,
        0u32,
        &samples,
        0u32,
        format
    );
    let before = (Sync::RESOLVE, Access::RESOLVE_DEST, Layout::RESOLVE_DEST);
    let copy = (Sync::COPY, Access::COPY_SOURCE, Layout::COPY_SOURCE);
    recorder.texture(&between(&resolved, before, copy));
    recorder.list.copy_texture(&place(&out, 0, FORMAT), [0; 3], &part(&resolved, 0), None);

    let clear = D3D12_CLEAR_FLAGS::DEPTH;
    recorder.list.clear_depth_view(depths.cpu(0), clear, (0.5, 0), &[]);
    recorder.list.clear_depth_view(depths.cpu(0), clear, (0.125, 0), &[Area::at(0, 3, 8, 2)]);
    let write = (Sync::DEPTH_STENCIL, Access::DEPTH_STENCIL_WRITE, Layout::DEPTH_STENCIL_WRITE);
    let read = (Sync::DEPTH_STENCIL, Access::DEPTH_STENCIL_READ, Layout::DEPTH_STENCIL_READ);
    recorder.texture(&between(&depth, write, read));
    recorder.texture(&between(&depth, read, copy));
    let floats = DXGI_FORMAT::FORMAT_R32_FLOAT;
    recorder.list.copy_texture(&place(&out, 1, floats), [0; 3], &part(&depth, 0), None);
    stage.queue.run(&mut recorder.list)?;

    let bytes = out.read()?;
    let mut colours = Picture::new(SIZE, SIZE, 0.25f32.to_bits());
    colours.fill(Area::at(2, 1, 3, 4), 0.75f32.to_bits());
    let mut deep = Picture::new(SIZE, SIZE, 0.5f32.to_bits());
    deep.fill(Area::at(0, 3, 8, 2), 0.125f32.to_bits());
    for (number, (what, expected)) in [("resolved samples", colours), ("depth", deep)].into_iter().enumerate() {
        let got = copied(&bytes, number);
        expected.check(what, &got)?;
        digest.add(&crate::buffer::bytes_of(&got));
    }
    Ok(())
}
