//! `odd-blocks`: compressed textures whose sides are no multiples of their blocks: read by shaders, copied whole and in parts.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_FEATURE as Feature, D3D12_FEATURE_DATA_D3D12_OPTIONS8 as Options8, D3D12_RESOURCE_STATES as State,
    D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION, D3D12_TEX2D_ARRAY_SRV, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "odd-blocks", about: "compressed textures whose sides are no multiples of blocks", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_BC1_UNORM;
/// Width, height and levels; each has two layers.
const SHAPES: [[u32; 3]; 4] = [[7, 6, 3], [1, 1, 1], [13, 3, 4], [6, 17, 2]];
const LAYERS: u32 = 2;

/// A block whose texels are one of two colours, each part of which is nothing or all.
#[derive(Clone, Copy)]
struct Block {
    /// Bit 2 is red, bit 0 blue.
    colours: [u32; 2],
    /// A bit for each texel: which colour.
    texels: u16,
}

impl Block {
    fn random(random: &mut Random) -> Self {
        // The first colour's number is greater, else the format means something else.
        let first = 1 + random.below(7);
        Self { colours: [first, random.below(first)], texels: random.next() as u16 }
    }

    fn bytes(self) -> [u8; 8] {
        let colour = |bits: u32| {
            (if bits & 4 != 0 { 31 << 11 } else { 0 })
                | (if bits & 2 != 0 { 63 << 5 } else { 0 })
                | (if bits & 1 != 0 { 31 } else { 0 })
        };
        let [first, second] = self.colours.map(|bits| (colour(bits) as u16).to_le_bytes());
        // Two bits a texel.
        let which = (0..16).fold(0u32, |word, texel| word | u32::from(self.texels >> texel & 1) << (2 * texel));
        let which = which.to_le_bytes();
        [first[0], first[1], second[0], second[1], which[0], which[1], which[2], which[3]]
    }

    fn texel(self, x: u32, y: u32) -> [f32; 4] {
        let bits = self.colours[usize::from(self.texels >> (4 * y + x) & 1)];
        let part = |bit: u32| if bits & bit != 0 { 1.0 } else { 0.0 };
        [part(4), part(2), part(1), 1.0]
    }
}

/// One level of one layer.
#[derive(Clone)]
struct Part {
    size: [u32; 2],
    blocks: Vec<Block>,
}

impl Part {
    fn random(size: [u32; 2], random: &mut Random) -> Self {
        let count = size[0].div_ceil(4) * size[1].div_ceil(4);
        Self { size, blocks: (0..count).map(|_| Block::random(random)).collect() }
    }

    fn bytes(&self) -> Vec<u8> {
        self.blocks.iter().flat_map(|block| block.bytes()).collect()
    }

    fn texels(&self) -> impl Iterator<Item = [f32; 4]> {
        let [width, height] = self.size;
        let across = width.div_ceil(4);
        (0..width * height).map(move |at| {
            let (x, y) = (at % width, at / width);
            self.blocks[(y / 4 * across + x / 4) as usize].texel(x % 4, y % 4)
        })
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let what = "compressed textures of any size (UnalignedBlockTexturesSupported)";
    stage.needs(Feature::D3D12_OPTIONS8, what, |is: &Options8| is.UnalignedBlockTexturesSupported != 0)?;
    let mut random = Random(8);
    let mut digest = Digest::new();
    for shape in SHAPES {
        check(stage, shape, &mut random, &mut digest)?;
    }
    Ok(digest)
}

fn check(
    stage: &Stage,
    [width, height, levels]: [u32; 3],
    random: &mut Random,
    digest: &mut Digest,
) -> Result<(), Failure> {
    let device = &stage.device;
    let name = format!("{width} x {height}");
    let mut desc = flat(FORMAT, width, height);
    (desc.MipLevels, desc.DepthOrArraySize) = (levels as u16, LAYERS as u16);
    let mut parts = || -> Vec<Part> {
        (0..LAYERS * levels)
            .map(|part| [(width >> (part % levels)).max(1), (height >> (part % levels)).max(1)])
            .map(|size| Part::random(size, random))
            .collect()
    };
    let (from, mut model) = (parts(), parts());
    let mut list = List::direct(device)?;
    let content = |parts: &[Part]| parts.iter().map(Part::bytes).collect::<Vec<_>>();
    let (source, _first) = Texture::filled(device, &mut list, &desc, &content(&from), State::COPY_SOURCE)?;
    let (texture, _second) = Texture::filled(device, &mut list, &desc, &content(&model), State::COPY_DEST)?;
    // The second layer's first level whole; of the first layer's the last blocks, which are cut off by the edges.
    list.copy_texture(&texture.part(levels), [0; 3], &source.part(levels), None);
    model[levels as usize].blocks.clone_from(&from[levels as usize].blocks);
    // The validation layer 1.3.239 takes the ends of odd layers for the beginnings of the next, unless something lies between.
    list.transition(&texture.com, State::COPY_DEST, State::COPY_SOURCE);
    list.transition(&texture.com, State::COPY_SOURCE, State::COPY_DEST);
    let (left, top) = ((width - 1) / 4 * 4, (height - 1) / 4 * 4);
    let corner = D3D12_BOX { left, top, front: 0, right: width, bottom: height, back: 1 };
    list.copy_texture(&texture.part(0), [left, top, 0], &source.part(0), Some(&corner));
    if let (Some(to), Some(from)) = (model[0].blocks.last_mut(), from[0].blocks.last()) {
        *to = *from;
    }
    let state = State::NON_PIXEL_SHADER_RESOURCE;
    list.transition(&texture.com, State::COPY_DEST, state);

    let heap = Heap::visible(device, 1)?;
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2DARRAY,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    view.Anonymous.Texture2DArray =
        D3D12_TEX2D_ARRAY_SRV { MipLevels: levels, ArraySize: LAYERS, ..Default::default() };
    heap.srv(0, &texture.com, &view);
    let expected: Vec<[f32; 4]> = model.iter().flat_map(Part::texels).collect();
    let output = Buffer::writable(device, expected.len() as u64 * 16)?;
    let constants = Parameter::Constants { register: 0, count: 4 };
    let root = RootSignature::compute(device, &[constants, Parameter::Table(&[Range::srv(0, 1)]), Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("blocks.main"))?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_constants(0, &[width, height, levels, LAYERS]);
    list.compute_table(1, heap.gpu(0));
    list.compute_uav(2, output.address);
    list.dispatch(1, 1, 1);
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, State::UNORDERED_ACCESS)?.read()?;
    Failure::unless_equal(&format!("texels of {name}"), &texels::<[f32; 4]>(&got), &expected)?;
    digest.add(&got);
    let read = texture.read(stage, &mut list, state)?;
    Failure::unless_equal(&format!("blocks of {name}"), &read, &content(&model))?;
    read.iter().for_each(|part| digest.add(part));
    Ok(())
}
