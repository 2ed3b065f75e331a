//! `sampler-feedback`: what of textures shaders read, level by level and as the finest level of each region; from compute and pixel
//! shaders, copied, decoded into textures and buffers, and encoded from both. Of DXIL only.

use super::Program;
use crate::buffer::Buffer;
use crate::com::{Com, Null, call, create};
use crate::descriptor::{AS_IS, Elements, Heap};
use crate::device::Device;
use crate::digest::Digest;
use crate::draw::{ClearValue, Rectangle};
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::Area;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler::clamping;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "sampler-feedback", about: "what of textures shaders read, decoded and encoded", run };

const FINEST: Shader = shader!("feedback.finest" dxil);
const USED: Shader = shader!("feedback.used" dxil);
const PIXEL: Shader = shader!("feedback.pixel" dxil);

const MIN_MIP: DXGI_FORMAT = DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIN_MIP_OPAQUE;
const MIP_REGION_USED: DXGI_FORMAT = DXGI_FORMAT::FORMAT_SAMPLER_FEEDBACK_MIP_REGION_USED_OPAQUE;
type State = D3D12_RESOURCE_STATES;

/// No power of two, so regions of one level overlap those of another unevenly.
const WIDTH: u32 = 100;
const HEIGHT: u32 = 72;
const LEVELS: u32 = 4;
/// Texels of a region.
const REGION: [u32; 2] = [8, 4];
/// Reads of a dispatch: one group.
const READS: u32 = 32;
/// A side of the square that the pixel shader draws to.
const SIZE: u32 = 64;
const ALL: u32 = u32::MAX;
/// A region that was not read has no finest level, and one that was read is used.
const SET: u8 = 0xff;

fn extent(level: u32) -> [u32; 2] {
    [WIDTH >> level, HEIGHT >> level]
}

/// Regions of a level.
fn regions(level: u32) -> [u32; 2] {
    let [width, height] = extent(level);
    [width.div_ceil(REGION[0]), height.div_ceil(REGION[1])]
}

/// A read of a texel, which lies at no edge of its region: how far filters reach is the device's affair.
struct Read {
    texel: [u32; 2],
    layer: u32,
    level: u32,
}

impl Read {
    fn new(random: &mut Random, layers: u32) -> Read {
        let level = random.below(LEVELS);
        let size = extent(level);
        let mut texel = [0, 1].map(|axis| random.below(size[axis]));
        for axis in 0..2 {
            let edge = texel[axis] % REGION[axis];
            // The region's second texel at least, and its last but one at most.
            texel[axis] = (texel[axis] - edge + edge.clamp(1, REGION[axis] - 2)).min(size[axis] - 1);
            if texel[axis].is_multiple_of(REGION[axis]) {
                // The last region of a level is cut to one texel: the one before is whole.
                texel[axis] -= 2;
            }
        }
        Read { texel, layer: random.below(layers), level }
    }

    fn words(&self) -> [u32; 4] {
        let size = extent(self.level);
        let place = [0, 1].map(|axis| ((self.texel[axis] as f32 + 0.5) / size[axis] as f32).to_bits());
        [place[0], place[1], self.layer, self.level]
    }
}

/// Which regions of a layer were read: by level, then by row.
#[derive(Clone)]
struct Model(Vec<Vec<bool>>);

impl Model {
    fn new() -> Model {
        Model((0..LEVELS).map(|level| vec![false; regions(level).iter().product::<u32>() as usize]).collect())
    }

    fn read(&mut self, texel: [u32; 2], level: u32) {
        let columns = regions(level)[0];
        self.0[level as usize][(texel[1] / REGION[1] * columns + texel[0] / REGION[0]) as usize] = true;
    }

    /// Bytes of a level: whether each region was read.
    fn used(&self, level: u32) -> Vec<u8> {
        self.0[level as usize].iter().map(|read| if *read { SET } else { 0 }).collect()
    }

    /// For each region of level 0, the finest level of which a shader read texels there.
    fn finest(&self) -> Vec<u8> {
        let [columns, rows] = regions(0);
        let mut finest = vec![SET; (columns * rows) as usize];
        for level in (0..LEVELS).rev() {
            let (size, count) = (extent(level), regions(level));
            for (at, read) in self.0[level as usize].iter().enumerate() {
                let region = [at as u32 % count[0], at as u32 / count[0]];
                // In texels of level 0, times the size of the level.
                let covers = |axis: usize, of: u32| {
                    let whole = [WIDTH, HEIGHT][axis];
                    let (first, end) = (region[axis] * whole, (region[axis] + 1) * whole);
                    of * size[axis] < end && (of + 1) * size[axis] > first
                };
                for of in (0..columns * rows).filter(|of| *read && covers(0, of % columns) && covers(1, of / columns)) {
                    finest[of as usize] = level as u8;
                }
            }
        }
        finest
    }
}

/// A map of feedback, in a heap of its own.
fn map(device: &Device, format: DXGI_FORMAT, layers: u16, state: State) -> Result<Com, Failure> {
    let desc = D3D12_RESOURCE_DESC1 {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: WIDTH.into(),
        Height: HEIGHT,
        DepthOrArraySize: layers,
        MipLevels: LEVELS as u16,
        Format: format,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
        SamplerFeedbackMipRegion: D3D12_MIP_REGION { Width: REGION[0], Height: REGION[1], Depth: 1 },
        ..Default::default()
    };
    let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let newer = device8(device)?;
    create!(
        newer, "ID3D12Device8", "CreateCommittedResource2",
        &raw const properties, 0u32, &raw const desc, state.0, Null, Null; "ID3D12Resource"
    )
}

/// The interface that makes maps of feedback.
pub(super) fn device8(device: &Device) -> Result<Com, Failure> {
    let newer = device.com.query(reprise_d3d12::interface("ID3D12Device8"));
    newer.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device8".into()))
}

/// Ends the program where there is no sampler feedback, or no shader model that it needs.
pub(super) fn needed(stage: &Stage) -> Result<(), Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_5)?;
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS7::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS7, &mut options);
    match known && options.SamplerFeedbackTier >= D3D12_SAMPLER_FEEDBACK_TIER::TIER_0_9 {
        true => Ok(()),
        false => Err(Failure::Cannot("the library has no sampler feedback".into())),
    }
}

impl List {
    /// Decodes or encodes a map: the index and place of the target, the index and rectangle of the source.
    pub(super) fn resolve(
        &mut self,
        (to, to_index, [x, y]): (&Com, u32, [u32; 2]),
        (from, from_index): (&Com, u32),
        rect: Option<&D3D12_RECT>,
        mode: D3D12_RESOLVE_MODE,
    ) -> Result<(), Failure> {
        let newer = self.com.query(reprise_d3d12::interface("ID3D12GraphicsCommandList1"));
        let newer = newer.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList1".into()))?;
        let rect = rect.map_or(crate::com::Word::from(Null), |rect| (&raw const *rect).into());
        let format = DXGI_FORMAT::FORMAT_R8_UINT.0;
        call!(
            newer,
            "ID3D12GraphicsCommandList1",
            "ResolveSubresourceRegion",
            to,
            to_index,
            x,
            y,
            from,
            from_index,
            rect,
            format,
            mode.0
        );
        Ok(())
    }
}

/// Bytes that maps are decoded to and encoded from, with room for the regions of so many levels.
fn bytes(levels: u16, layers: u16) -> D3D12_RESOURCE_DESC {
    let room = |axis: usize| regions(0)[axis].next_power_of_two();
    D3D12_RESOURCE_DESC {
        MipLevels: levels,
        DepthOrArraySize: layers,
        ..flat(DXGI_FORMAT::FORMAT_R8_UINT, room(0), room(1))
    }
}

/// The regions of a level out of a decoded subresource.
fn cut(bytes: &[u8], level: u32) -> Vec<u8> {
    let pitch = regions(0)[0].next_power_of_two() >> level;
    let [columns, rows] = regions(level);
    (0..rows).flat_map(|row| &bytes[(row * pitch) as usize..(row * pitch + columns) as usize]).copied().collect()
}

/// A texture, its map, and how shaders see both.
struct Pair {
    map: Com,
    heap: Heap,
    _texture: Texture,
    _reads: Buffer,
}

impl Pair {
    /// A texture and its cleared map, beside `reads`.
    fn new(
        device: &Device,
        list: &mut List,
        format: DXGI_FORMAT,
        layers: u16,
        reads: &[Read],
    ) -> Result<Pair, Failure> {
        let desc = D3D12_RESOURCE_DESC {
            MipLevels: LEVELS as u16,
            DepthOrArraySize: layers,
            ..flat(DXGI_FORMAT::FORMAT_R8_UNORM, WIDTH, HEIGHT)
        };
        let texture = Texture::new(device, &desc, State::ALL_SHADER_RESOURCE, None)?;
        let map = map(device, format, layers, State::UNORDERED_ACCESS)?;
        let words: Vec<u32> = reads.iter().flat_map(Read::words).collect();
        let reads = Buffer::uploaded(device, if words.is_empty() { &[0; 4] } else { &words })?;
        let (heap, staging) = (Heap::visible(device, 3)?, Heap::staging(device, 1)?);
        heap.buffer_srv(0, &reads, Elements::structured(0, (words.len() as u32 / 4).max(1), 16));
        let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: desc.Format,
            ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
            Shader4ComponentMapping: AS_IS,
            ..Default::default()
        };
        view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: LEVELS, ..Default::default() };
        if layers > 1 {
            view.ViewDimension = D3D12_SRV_DIMENSION::TEXTURE2DARRAY;
            view.Anonymous.Texture2DArray =
                D3D12_TEX2D_ARRAY_SRV { MipLevels: LEVELS, ArraySize: layers.into(), ..Default::default() };
        }
        heap.srv(1, &texture.com, &view);
        let newer = device8(device)?;
        call!(
            newer,
            "ID3D12Device8",
            "CreateSamplerFeedbackUnorderedAccessView",
            &texture.com,
            &map,
            staging.cpu(0).ptr
        );
        heap.copy(2, &staging, 0, 1);
        list.set_heap(&heap);
        // What a map is cleared to is its own affair.
        list.clear_writable((heap.gpu(2), staging.cpu(0)), &map, ClearValue::Numbers([7; 4]), &[]);
        list.uav_barrier(&map);
        Ok(Pair { map, heap, _texture: texture, _reads: reads })
    }

    fn dispatch(&self, list: &mut List, root: &RootSignature, pipeline: &Pipeline) {
        list.set_heap(&self.heap);
        list.set_compute_root(root);
        list.set_pipeline(pipeline);
        list.compute_table(0, self.heap.gpu(0));
        list.dispatch(1, 1, 1);
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    needed(stage)?;
    let device = &stage.device;
    let mut digest = Digest::new();
    let table = Parameter::Table(&[Range::srv(0, 2), Range::uav(0, 1)]);
    let sampler = D3D12_STATIC_SAMPLER_DESC { ShaderVisibility: D3D12_SHADER_VISIBILITY::ALL, ..clamping(0) };
    let root = RootSignature::new(device, &[table], &[sampler], D3D12_ROOT_SIGNATURE_FLAGS::NONE)?;
    finest(stage, &root, &mut digest)?;
    used(stage, &root, &mut digest)?;
    encoded(stage, &mut digest)?;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, table], &[sampler])?;
    drawn(stage, &root, &mut digest)?;
    Ok(digest)
}

const DECODE: D3D12_RESOLVE_MODE = D3D12_RESOLVE_MODE::DECODE_SAMPLER_FEEDBACK;
const ENCODE: D3D12_RESOLVE_MODE = D3D12_RESOLVE_MODE::ENCODE_SAMPLER_FEEDBACK;

/// The finest levels of two layers, out of a copy of the map.
fn finest(stage: &Stage, root: &RootSignature, digest: &mut Digest) -> Result<(), Failure> {
    const LAYERS: u16 = 2;
    let device = &stage.device;
    let pipeline = Pipeline::compute(stage, root, &FINEST)?;
    let mut random = Random(12);
    let reads: Vec<Read> = (0..READS).map(|_| Read::new(&mut random, LAYERS.into())).collect();
    let mut list = List::direct(device)?;
    let pair = Pair::new(device, &mut list, MIN_MIP, LAYERS, &reads)?;
    pair.dispatch(&mut list, root, &pipeline);
    let copy = map(device, MIN_MIP, LAYERS, State::COPY_DEST)?;
    list.transition(&pair.map, State::UNORDERED_ACCESS, State::COPY_SOURCE);
    call!(list.com, "ID3D12GraphicsCommandList", "CopyResource", &copy, &pair.map);
    list.transition(&copy, State::COPY_DEST, State::RESOLVE_SOURCE);
    let desc = bytes(1, LAYERS);
    let [all, second] = [(); 2].map(|()| Texture::new(device, &desc, State::RESOLVE_DEST, None));
    let (all, second) = (all?, second?);
    list.resolve((&all.com, ALL, [0; 2]), (&copy, ALL), None, DECODE)?;
    list.resolve((&second.com, 1, [0; 2]), (&copy, ALL), None, DECODE)?;
    let all = all.read(stage, &mut list, State::RESOLVE_DEST)?;
    let second = second.read(stage, &mut list, State::RESOLVE_DEST)?;
    for layer in 0..u32::from(LAYERS) {
        let mut model = Model::new();
        reads.iter().filter(|read| read.layer == layer).for_each(|read| model.read(read.texel, read.level));
        let got = cut(&all[layer as usize], 0);
        Failure::unless_equal(&format!("finest levels of layer {layer}"), &got, &model.finest())?;
        digest.add(&got);
        if layer == 1 {
            Failure::unless_equal("layer 1 by itself", &cut(&second[1], 0), &model.finest())?;
        }
    }
    Failure::unless(second[0].iter().all(|byte| *byte == 0), || "layer 0 was decoded, too".into())
}

/// The regions of all levels; then a part of one level, decoded to a place.
fn used(stage: &Stage, root: &RootSignature, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let pipeline = Pipeline::compute(stage, root, &USED)?;
    let mut random = Random(13);
    let reads: Vec<Read> = (0..READS).map(|_| Read::new(&mut random, 1)).collect();
    let mut model = Model::new();
    reads.iter().for_each(|read| model.read(read.texel, read.level));
    let mut list = List::direct(device)?;
    let pair = Pair::new(device, &mut list, MIP_REGION_USED, 1, &reads)?;
    pair.dispatch(&mut list, root, &pipeline);
    list.transition(&pair.map, State::UNORDERED_ACCESS, State::RESOLVE_SOURCE);
    let desc = bytes(LEVELS as u16, 1);
    let [all, part] = [(); 2].map(|()| Texture::new(device, &desc, State::RESOLVE_DEST, None));
    let (all, part) = (all?, part?);
    list.resolve((&all.com, ALL, [0; 2]), (&pair.map, ALL), None, DECODE)?;
    let rect = D3D12_RECT { left: 2, top: 1, right: 6, bottom: 8 };
    list.resolve((&part.com, 0, [5, 3]), (&pair.map, 1), Some(&rect), DECODE)?;
    let all = all.read(stage, &mut list, State::RESOLVE_DEST)?;
    for level in 0..LEVELS {
        let got = cut(&all[level as usize], level);
        Failure::unless_equal(&format!("regions of level {level}"), &got, &model.used(level))?;
        digest.add(&got);
    }
    let part = part.read(stage, &mut list, State::RESOLVE_DEST)?;
    let (pitch, columns, level) = (regions(0)[0].next_power_of_two(), regions(1)[0], model.used(1));
    for at in 0..pitch * regions(0)[1] {
        let (x, y) = ((at % pitch).wrapping_sub(5), (at / pitch).wrapping_sub(3));
        let expected = if x < 4 && y < 7 { level[((y + 1) * columns + x + 2) as usize] } else { 0 };
        let got = part[0][at as usize];
        Failure::unless(got == expected, || format!("a part of level 1: byte {at} is {got} instead of {expected}"))?;
    }
    digest.add(&part[0]);
    Ok(())
}

/// What is encoded decodes to itself: finest levels through buffers, regions of a level over what was there.
fn encoded(stage: &Stage, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let mut random = Random(14);
    let [columns, rows] = regions(0);
    let mut list = List::direct(device)?;
    // Buffers are of words.
    let room = (columns * rows).next_multiple_of(4);
    let finest: Vec<u8> = (0..room).map(|_| [0, 1, 2, 3, SET][random.below(5) as usize]).collect();
    let words: Vec<u32> =
        finest.chunks(4).map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte))).collect();
    let upload = Buffer::uploaded(device, &words)?;
    let given = Buffer::copied(device, room.into())?;
    list.copy_bytes(&given, 0, &upload, 0, room.into());
    list.transition(&given.com, State::COPY_DEST, State::RESOLVE_SOURCE);
    let map_of_levels = map(device, MIN_MIP, 1, State::RESOLVE_DEST)?;
    list.resolve((&map_of_levels, ALL, [0; 2]), (&given.com, 0), None, ENCODE)?;
    list.transition(&map_of_levels, State::RESOLVE_DEST, State::RESOLVE_SOURCE);
    let taken = Buffer::readback(device, room.into())?;
    let decoded = Buffer::copied(device, room.into())?;
    list.transition(&decoded.com, State::COPY_DEST, State::RESOLVE_DEST);
    list.resolve((&decoded.com, 0, [0; 2]), (&map_of_levels, ALL), None, DECODE)?;
    list.transition(&decoded.com, State::RESOLVE_DEST, State::COPY_SOURCE);
    list.copy_bytes(&taken, 0, &decoded, 0, room.into());

    let desc = bytes(LEVELS as u16, 1);
    let part = |random: &mut Random, level: u32| -> Vec<u8> {
        let size = (u64::from(desc.Height >> level) * (desc.Width >> level)) as usize;
        (0..size).map(|_| if random.below(2) == 0 { 0 } else { SET }).collect()
    };
    let before: Vec<Vec<u8>> = (0..LEVELS).map(|level| part(&mut random, level)).collect();
    let after: Vec<Vec<u8>> = (0..LEVELS).map(|level| part(&mut random, level)).collect();
    let (old, _old) = Texture::filled(device, &mut list, &desc, &before, State::RESOLVE_SOURCE)?;
    let (new, _new) = Texture::filled(device, &mut list, &desc, &after, State::RESOLVE_SOURCE)?;
    let map_of_regions = map(device, MIP_REGION_USED, 1, State::RESOLVE_DEST)?;
    list.resolve((&map_of_regions, ALL, [0; 2]), (&old.com, ALL), None, ENCODE)?;
    let rect = D3D12_RECT { left: 1, top: 2, right: 5, bottom: 6 };
    list.resolve((&map_of_regions, 1, [2, 1]), (&new.com, 1), Some(&rect), ENCODE)?;
    list.transition(&map_of_regions, State::RESOLVE_DEST, State::RESOLVE_SOURCE);
    let back = Texture::new(device, &desc, State::RESOLVE_DEST, None)?;
    list.resolve((&back.com, ALL, [0; 2]), (&map_of_regions, ALL), None, DECODE)?;
    let back = back.read(stage, &mut list, State::RESOLVE_DEST)?;

    let count = (columns * rows) as usize;
    let got = &taken.read()?[..count];
    Failure::unless_equal("finest levels that were encoded", got, &finest[..count])?;
    digest.add(got);
    for level in 0..LEVELS {
        let mut expected = cut(&before[level as usize], level);
        if level == 1 {
            let (columns, new) = (regions(1)[0], cut(&after[1], 1));
            for (x, y) in (0..16).map(|at| (at % 4, at / 4)) {
                expected[((y + 1) * columns + x + 2) as usize] = new[((y + 2) * columns + x + 1) as usize];
            }
        }
        let got = cut(&back[level as usize], level);
        Failure::unless_equal(&format!("regions of level {level} that were encoded"), &got, &expected)?;
        digest.add(&got);
    }
    Ok(())
}

/// Rectangles of pixels, each of which reads a texel of level 1.
fn drawn(stage: &Stage, root: &RootSignature, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let pipeline = Pipeline::graphics(stage, &plain(stage, root, &shader!("rectangle.vertex"), &PIXEL, &[]))?;
    let mut list = List::direct(device)?;
    let pair = Pair::new(device, &mut list, MIP_REGION_USED, 1, &[])?;
    call!(list.com, "ID3D12GraphicsCommandList", "SetGraphicsRootSignature", &root.com);
    list.set_pipeline(&pipeline);
    call!(list.com, "ID3D12GraphicsCommandList", "SetGraphicsRootDescriptorTable", 1u32, pair.heap.gpu(0).ptr);
    list.square(SIZE);
    let mut model = Model::new();
    // Within regions, whose size is 8 by 4, and across some.
    for area in [Area::at(1, 1, 6, 2), Area::at(18, 9, 4, 1), Area::at(34, 21, 13, 6)] {
        list.rectangle(&Rectangle::new(area, SIZE, [0; 4]));
        for (x, y) in (area.top..area.bottom).flat_map(|y| (area.left..area.right).map(move |x| (x, y))) {
            model.read([x, y], 1);
        }
    }
    list.transition(&pair.map, State::UNORDERED_ACCESS, State::RESOLVE_SOURCE);
    let target = Texture::new(device, &bytes(LEVELS as u16, 1), State::RESOLVE_DEST, None)?;
    list.resolve((&target.com, ALL, [0; 2]), (&pair.map, ALL), None, DECODE)?;
    let got = target.read(stage, &mut list, State::RESOLVE_DEST)?;
    for level in 0..LEVELS {
        let got = cut(&got[level as usize], level);
        Failure::unless_equal(&format!("regions of level {level} that pixels read"), &got, &model.used(level))?;
        digest.add(&got);
    }
    Ok(())
}
