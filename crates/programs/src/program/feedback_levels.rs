//! `feedback-levels`: a shader says which levels and regions of textures it would read, in more levels than 32 bits a region tell.
//! Maps of both kinds, of one layer and of two, are decoded into textures and a buffer; encoded from others; cleared, copied, placed
//! in a heap.
//!
//! The model is a set of regions. Each read is in the middle of a region, or at the corner of four.

use std::collections::BTreeSet;

use super::Program;
use super::feedback;
use crate::buffer::{self, Buffer};
use crate::com::{Com, Null, call, create};
use crate::descriptor::{AS_IS, Elements, Heap};
use crate::digest::Digest;
use crate::draw::ClearValue;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_RESOLVE_MODE as Mode, D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "feedback-levels", about: "sampler feedback of nine levels, placed maps, parts of levels", run };

const LEVEL: Shader = shader!("feedback_levels.level" dxil);
/// Texels of a side of the textures, and of a region; regions of a side of level 0.
const SIZE: u32 = 256;
const REGION: u32 = 16;
const GRID: u32 = SIZE / REGION;
/// With more than eight levels a map needs more than 32 bits for a region.
const LEVELS: u32 = 9;
const LAYERS: u32 = 2;
const BYTES: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8_UINT;
/// What a texture holds where nothing is decoded.
const OLD: u8 = 0x11;
const NONE: u8 = 0xff;
const ALL: u32 = u32::MAX;

/// A region that was read: level, column, row, layer.
type Seen = BTreeSet<[u32; 4]>;

/// Regions of a side of a level.
fn grid(level: u32) -> u32 {
    (SIZE >> level).div_ceil(REGION)
}

/// A feedback map: `least` is MIN_MIP, else MIP_REGION_USED.
struct Map {
    com: Com,
    least: bool,
    layers: u32,
}

impl Map {
    fn desc(least: bool, layers: u32) -> D3D12_RESOURCE_DESC1 {
        D3D12_RESOURCE_DESC1 {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: SIZE.into(),
            Height: SIZE,
            DepthOrArraySize: layers as u16,
            MipLevels: LEVELS as u16,
            Format: match least {
                true => DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE,
                false => DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE,
            },
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
            SamplerFeedbackMipRegion: D3D12_MIP_REGION { Width: REGION, Height: REGION, Depth: 1 },
            ..Default::default()
        }
    }

    fn new(newer: &Com, least: bool, layers: u32, state: State) -> Result<Self, Failure> {
        let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
        let desc = Self::desc(least, layers);
        let com = create!(
            newer, "ID3D12Device8", "CreateCommittedResource2",
            &raw const properties, 0u32, &raw const desc, state.0, Null, Null; "ID3D12Resource"
        )?;
        Ok(Self { com, least, layers })
    }

    fn placed(newer: &Com, heap: &Com, least: bool, layers: u32, state: State) -> Result<Self, Failure> {
        let desc = Self::desc(least, layers);
        let com = create!(
            newer, "ID3D12Device8", "CreatePlacedResource1",
            heap, 0u64, &raw const desc, state.0, Null; "ID3D12Resource"
        )?;
        Ok(Self { com, least, layers })
    }

    /// A texture of bytes that the map is decoded into, or encoded from.
    fn bytes(&self) -> D3D12_RESOURCE_DESC {
        let (side, levels) = if self.least { (GRID, 1) } else { (SIZE, LEVELS) };
        D3D12_RESOURCE_DESC {
            DepthOrArraySize: self.layers as u16,
            MipLevels: levels as u16,
            ..flat(BYTES, side, side)
        }
    }

    /// What each subresource of [`Map::bytes`] holds after decoding: bytes of regions by the model, old bytes elsewhere.
    fn model(&self, seen: &Seen) -> Vec<Vec<u8>> {
        let desc = self.bytes();
        let parts = 0..self.layers * u32::from(desc.MipLevels);
        let part = |index: u32| {
            let (layer, level) = (index / u32::from(desc.MipLevels), index % u32::from(desc.MipLevels));
            let side = desc.Height >> level;
            let mut bytes = vec![OLD; (side * side) as usize];
            for (x, y) in (0..grid(level) * grid(level)).map(|at| (at % grid(level), at / grid(level))) {
                let is_seen = |level: u32, x: u32, y: u32| match self.layers {
                    // The shader tells a map of one layer of reads from all.
                    1 => (0..LAYERS).any(|layer| seen.contains(&[level, x, y, layer])),
                    _ => seen.contains(&[level, x, y, layer]),
                };
                let at = |level: u32, place: u32| (place >> level).min(grid(level) - 1);
                bytes[(y * side + x) as usize] = match self.least {
                    true => (0..LEVELS).find(|of| is_seen(*of, at(*of, x), at(*of, y))).map_or(NONE, |of| of as u8),
                    false if is_seen(level, x, y) => NONE,
                    false => 0,
                };
            }
            bytes
        };
        parts.map(part).collect()
    }
}

/// Reads, four numbers each, and what they touch.
fn reads() -> (Vec<f32>, Seen) {
    let (mut random, mut seen, mut reads) = (Random(65), Seen::new(), Vec::new());
    for _ in 0..60 {
        let [level, x, y, layer] = [LEVELS, 1 << 16, 1 << 16, LAYERS].map(|below| random.next() % below);
        let (x, y) = (x % grid(level), y % grid(level));
        let size = (SIZE >> level) as f32;
        let middle = |place: u32| (place as f32 + 0.5) * (REGION as f32).min(size) / size;
        reads.extend([middle(x), middle(y), level as f32, layer as f32]);
        seen.insert([level, x, y, layer]);
    }
    for (level, x, y, layer) in [(0, 5, 9, 0), (1, 3, 2, 1), (2, 1, 3, 0)] {
        let corner = |place: u32| (place * REGION) as f32 / (SIZE >> level) as f32;
        reads.extend([corner(x), corner(y), level as f32, layer as f32]);
        seen.extend([(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)].map(|(x, y)| [level, x, y, layer]));
    }
    (reads, seen)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    feedback::needed(stage)?;
    let newer = feedback::device8(device)?;
    let (mut list, mut digest) = (List::direct(device)?, Digest::new());
    let maps = written(stage, &newer, &mut list)?;
    let (_, seen) = reads();
    for map in &maps {
        decoded(stage, &mut list, (map, &seen), &mut digest)?;
    }
    parts(stage, &mut list, (&maps[0], &maps[1]), &seen, &mut digest)?;
    encoded(stage, &newer, &mut list, &mut digest)?;
    copied(stage, &newer, &mut list, (&maps[3], &seen), &mut digest)?;
    Ok(digest)
}

/// Maps that a shader writes, in `RESOLVE_SOURCE`: of the least level and of all, of one layer and of two.
fn written(stage: &Stage, newer: &Com, list: &mut List) -> Result<Vec<Map>, Failure> {
    let device = &stage.device;
    let kinds = [(true, 1), (false, 1), (true, LAYERS), (false, LAYERS)];
    let state = State::UNORDERED_ACCESS;
    let maps: Vec<Map> =
        kinds.into_iter().map(|(least, layers)| Map::new(newer, least, layers, state)).collect::<Result<_, _>>()?;
    let plane = D3D12_RESOURCE_DESC { MipLevels: LEVELS as u16, ..flat(DXGI_FORMAT::FORMAT_R8_UNORM, SIZE, SIZE) };
    let planes = D3D12_RESOURCE_DESC { DepthOrArraySize: LAYERS as u16, ..plane };
    let read = State::NON_PIXEL_SHADER_RESOURCE;
    let textures = [Texture::new(device, &plane, read, None)?, Texture::new(device, &planes, read, None)?];
    let (reads, _) = reads();
    let count = reads.len() as u32 / 4;
    let words: Vec<u32> = reads.iter().map(|number| number.to_bits()).collect();
    let places = Buffer::uploaded(device, &words)?;

    let (heap, staging) = (Heap::visible(device, 7)?, Heap::staging(device, 4)?);
    for (index, map) in (0..).zip(&maps) {
        let target = &textures[usize::from(map.layers > 1)].com;
        let at = staging.cpu(index).ptr;
        call!(newer, "ID3D12Device8", "CreateSamplerFeedbackUnorderedAccessView", target, &map.com, at);
    }
    heap.copy(0, &staging, 0, 4);
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: plane.Format,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: LEVELS, ..Default::default() };
    heap.srv(4, &textures[0].com, &view);
    view.ViewDimension = D3D12_SRV_DIMENSION::TEXTURE2DARRAY;
    view.Anonymous.Texture2DArray =
        D3D12_TEX2D_ARRAY_SRV { MipLevels: LEVELS, ArraySize: LAYERS, ..Default::default() };
    heap.srv(5, &textures[1].com, &view);
    heap.buffer_srv(6, &places, Elements::structured(0, count, 16));

    let points = D3D12_STATIC_SAMPLER_DESC { ShaderVisibility: D3D12_SHADER_VISIBILITY::ALL, ..sampler::clamping(0) };
    let root = RootSignature::new(
        device,
        &[Parameter::Constants { register: 0, count: 2 }, Parameter::Table(&[Range::uav(0, 4), Range::srv(0, 3)])],
        &[points],
        D3D12_ROOT_SIGNATURE_FLAGS::NONE,
    )?;
    let pipeline = Pipeline::compute(stage, &root, &LEVEL)?;
    list.set_heap(&heap);
    for (index, map) in (0..).zip(&maps) {
        let views = (heap.gpu(index), staging.cpu(index));
        // Whatever the value: a map is cleared to regions that nobody has read.
        list.clear_writable(views, &map.com, ClearValue::Numbers([7; 4]), &[]);
        list.uav_barrier(&map.com);
    }
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_table(1, heap.gpu(0));
    // In two runs: the second one adds to what the first has left.
    for first in [0, count / 2] {
        list.compute_constants(0, &[first, count - first]);
        list.dispatch(1, 1, 1);
        maps.iter().for_each(|map| list.uav_barrier(&map.com));
    }
    maps.iter().for_each(|map| list.transition(&map.com, state, State::RESOLVE_SOURCE));
    stage.queue.run(list)?;
    Ok(maps)
}

/// A texture for what a map decodes to, full of old bytes.
fn target(stage: &Stage, list: &mut List, map: &Map) -> Result<Texture, Failure> {
    let desc = map.bytes();
    let side = |level: u32| desc.Height >> level;
    let levels = u32::from(desc.MipLevels);
    let content: Vec<Vec<u8>> = (0..map.layers * levels)
        .map(|index| vec![OLD; (side(index % levels) * side(index % levels)) as usize])
        .collect();
    let (texture, _upload) = Texture::filled(&stage.device, list, &desc, &content, State::RESOLVE_DEST)?;
    stage.queue.run(list)?;
    Ok(texture)
}

/// A map as bytes is what the model says.
fn decoded(stage: &Stage, list: &mut List, (map, seen): (&Map, &Seen), digest: &mut Digest) -> Result<(), Failure> {
    let texture = target(stage, list, map)?;
    list.resolve((&texture.com, ALL, [0; 2]), (&map.com, ALL), None, Mode::DECODE_SAMPLER_FEEDBACK)?;
    let what = format!("a map of {} layers, of the least level: {}", map.layers, map.least);
    let got = texture.read(stage, list, State::RESOLVE_DEST)?;
    for (got, expected) in got.iter().zip(map.model(seen)) {
        Failure::unless_equal(&what, got, &expected)?;
        digest.add(got);
    }
    Ok(())
}

/// One level of a map, in part, to another place; and the least levels in a buffer.
fn parts(
    stage: &Stage,
    list: &mut List,
    (least, used): (&Map, &Map),
    seen: &Seen,
    digest: &mut Digest,
) -> Result<(), Failure> {
    let (texture, buffer) = (target(stage, list, used)?, Buffer::copied(&stage.device, u64::from(GRID * GRID))?);
    let rect = D3D12_RECT { left: 2, top: 1, right: 7, bottom: 5 };
    let mode = Mode::DECODE_SAMPLER_FEEDBACK;
    list.resolve((&texture.com, 2, [9, 30]), (&used.com, 1), Some(&rect), mode)?;
    list.transition(&buffer.com, State::COPY_DEST, State::RESOLVE_DEST);
    list.resolve((&buffer.com, 0, [0; 2]), (&least.com, ALL), None, mode)?;
    let got = texture.read(stage, list, State::RESOLVE_DEST)?;
    let (side, from) = (SIZE as usize >> 2, &used.model(seen)[1]);
    let mut expected = vec![OLD; side * side];
    for (x, y) in (0..20).map(|at| (at % 5, at / 5)) {
        expected[(30 + y) * side + 9 + x] = from[(1 + y) * 2 * side + 2 + x];
    }
    Failure::unless_equal("a part of a level", &got[2], &expected)?;
    digest.add(&got[2]);
    let bytes = buffer::fetch(&stage.device, &stage.queue, list, &buffer, State::RESOLVE_DEST)?.read()?;
    Failure::unless_equal("least levels in a buffer", &bytes, &least.model(seen)[0])?;
    digest.add(&bytes);
    Ok(())
}

/// Bytes become a map and bytes again.
fn encoded(stage: &Stage, newer: &Com, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let mut random = Random(9);
    for least in [true, false] {
        let map = Map::new(newer, least, LAYERS, State::RESOLVE_DEST)?;
        let desc = map.bytes();
        let levels = u32::from(desc.MipLevels);
        let content: Vec<Vec<u8>> = (0..LAYERS * levels)
            .map(|index| {
                let count = (desc.Height >> (index % levels)) * (desc.Height >> (index % levels));
                let byte = |number: u32| match least {
                    true if number % 10 == 9 => NONE,
                    true => (number % 10) as u8,
                    false => {
                        if number.is_multiple_of(3) {
                            NONE
                        } else {
                            0
                        }
                    }
                };
                (0..count).map(|_| byte(random.next() >> 8)).collect()
            })
            .collect();
        let (from, _upload) = Texture::filled(device, list, &desc, &content, State::RESOLVE_SOURCE)?;
        list.resolve((&map.com, ALL, [0; 2]), (&from.com, ALL), None, Mode::ENCODE_SAMPLER_FEEDBACK)?;
        list.transition(&map.com, State::RESOLVE_DEST, State::RESOLVE_SOURCE);
        stage.queue.run(list)?;
        let to = target(stage, list, &map)?;
        for index in 0..LAYERS * levels {
            let of = if least { ALL } else { index };
            list.resolve((&to.com, index, [0; 2]), (&map.com, of), None, Mode::DECODE_SAMPLER_FEEDBACK)?;
        }
        let got = to.read(stage, list, State::RESOLVE_DEST)?;
        for ((got, given), index) in got.iter().zip(&content).zip(0..) {
            let (level, side) = (index % levels, (desc.Height >> (index % levels)) as usize);
            let mut expected = vec![OLD; side * side];
            let regions = grid(level) as usize;
            for row in 0..regions {
                expected[row * side..][..regions].copy_from_slice(&given[row * side..][..regions]);
            }
            Failure::unless_equal("bytes that were encoded", got, &expected)?;
            digest.add(got);
        }
    }
    Ok(())
}

/// A map is copied to one in a heap.
fn copied(
    stage: &Stage,
    newer: &Com,
    list: &mut List,
    (map, seen): (&Map, &Seen),
    digest: &mut Digest,
) -> Result<(), Failure> {
    let desc = D3D12_HEAP_DESC {
        SizeInBytes: 1 << 20,
        Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
        Flags: D3D12_HEAP_FLAGS(D3D12_HEAP_FLAGS::DENY_BUFFERS.0 | D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0),
        ..Default::default()
    };
    let heap = create!(stage.device.com, "ID3D12Device", "CreateHeap", &raw const desc; "ID3D12Heap")?;
    let copy = Map::placed(newer, &heap, map.least, map.layers, State::COPY_DEST)?;
    list.transition(&map.com, State::RESOLVE_SOURCE, State::COPY_SOURCE);
    call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", &copy.com, &map.com);
    list.transition(&copy.com, State::COPY_DEST, State::RESOLVE_SOURCE);
    stage.queue.run(list)?;
    decoded(stage, list, (&copy, seen), digest)
}
