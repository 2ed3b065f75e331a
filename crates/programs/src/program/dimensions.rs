//! `copy-dimensions`: copies between textures of one, two and three dimensions, and between textures and buffers whose rows follow
//! each other without padding.

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use crate::texture::{Texture, flat, in_buffer};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "copy-dimensions", about: "copies between lines, planes, volumes and tight rows", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;
/// Odd, so that tight rows begin where no footprint of the API's own would.
const SIZE: u32 = 7;
const DEPTH: u32 = 3;
type State = D3D12_RESOURCE_STATES;

fn description(dimension: D3D12_RESOURCE_DIMENSION, height: u32, depth: u32) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC { Dimension: dimension, DepthOrArraySize: depth as u16, ..flat(FORMAT, SIZE, height) }
}

/// A part of a texture: from one corner to the other.
fn part(left: u32, top: u32, front: u32, right: u32, bottom: u32) -> D3D12_BOX {
    D3D12_BOX { left, top, front, right, bottom, back: front + 1 }
}

/// A texture as the processor has it.
struct Model {
    height: u32,
    words: Vec<u32>,
}

impl Model {
    fn at(&mut self, x: u32, y: u32, z: u32) -> &mut u32 {
        &mut self.words[((z * self.height + y) * SIZE + x) as usize]
    }

    /// Copies a part of another one to a place.
    fn copy(&mut self, [x, y, z]: [u32; 3], from: &mut Model, of: &D3D12_BOX) {
        for row in of.top..of.bottom {
            for column in of.left..of.right {
                *self.at(x + column - of.left, y + row - of.top, z) = *from.at(column, row, of.front);
            }
        }
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS13::default();
    let known = device.feature(D3D12_FEATURE::D3D12_OPTIONS13, &mut options);
    if !known
        || options.TextureCopyBetweenDimensionsSupported == 0
        || options.UnrestrictedBufferTextureCopyPitchSupported == 0
    {
        return Err(Failure::Cannot("the library neither copies between dimensions nor takes any pitch".into()));
    }
    let mut random = Random(31);
    let mut list = List::direct(device)?;
    type Kind = D3D12_RESOURCE_DIMENSION;
    let shapes = [(Kind::TEXTURE1D, 1, 1), (Kind::TEXTURE2D, SIZE, 1), (Kind::TEXTURE3D, SIZE, DEPTH)];
    let (mut textures, mut models, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for (dimension, height, depth) in shapes {
        let words = random.words(SIZE * height * depth);
        let texture = Texture::new(device, &description(dimension, height, depth), State::COPY_DEST, None)?;
        kept.push(texture.fill(device, &mut list, &[bytes_of(&words)])?);
        textures.push(texture);
        models.push(Model { height, words });
    }
    // From, to, the part, where to: each way between two of line, plane and volume.
    let copies = [
        (2, 1, part(1, 2, 1, 5, 6), [2, 1, 0]),
        (1, 2, part(0, 3, 0, 4, 7), [3, 0, 2]),
        (0, 1, part(2, 0, 0, 6, 1), [1, 5, 0]),
        (1, 0, part(3, 4, 0, 7, 5), [0, 0, 0]),
        (2, 0, part(1, 6, 2, 3, 7), [5, 0, 0]),
        (0, 2, part(0, 0, 0, 7, 1), [0, 3, 1]),
    ];
    for (from, to, of, at) in copies {
        list.transition(&textures[from].com, State::COPY_DEST, State::COPY_SOURCE);
        list.copy_texture(&textures[to].part(0), at, &textures[from].part(0), Some(&of));
        list.transition(&textures[from].com, State::COPY_SOURCE, State::COPY_DEST);
        let mut source = Model { height: models[from].height, words: models[from].words.clone() };
        models[to].copy(at, &mut source, &of);
    }

    // Tight rows, out of the plane and into it: what comes in is what went out of the volume's middle.
    let shape = |height: u32| D3D12_SUBRESOURCE_FOOTPRINT {
        Format: FORMAT,
        Width: SIZE,
        Height: height,
        Depth: 1,
        RowPitch: 4 * SIZE,
    };
    let tight = Buffer::copied(device, 1024)?;
    let place = in_buffer(&tight, D3D12_PLACED_SUBRESOURCE_FOOTPRINT { Offset: 512, Footprint: shape(SIZE) });
    list.transition(&textures[2].com, State::COPY_DEST, State::COPY_SOURCE);
    list.copy_texture(&place, [0; 3], &textures[2].part(0), Some(&part(0, 0, 1, SIZE, SIZE)));
    list.transition(&textures[2].com, State::COPY_SOURCE, State::COPY_DEST);
    list.transition(&tight.com, State::COPY_DEST, State::COPY_SOURCE);
    list.copy_texture(&textures[1].part(0), [0, 2, 0], &place, Some(&part(0, 1, 0, SIZE, 4)));
    let mut middle = Model { height: models[2].height, words: models[2].words.clone() };
    models[1].copy([0, 2, 0], &mut middle, &part(0, 1, 1, SIZE, 4));
    let readback = Buffer::readback(device, 1024)?;
    list.copy_bytes(&readback, 0, &tight, 0, 1024);

    let mut digest = Digest::new();
    for (what, (texture, model)) in ["line", "plane", "volume"].into_iter().zip(textures.iter().zip(&models)) {
        let got = texture.read(stage, &mut list, State::COPY_DEST)?;
        Failure::unless_equal(what, &got[0], &bytes_of(&model.words))?;
        digest.add(&got[0]);
    }
    let count = (SIZE * SIZE) as usize;
    let rows = &readback.read()?[512..512 + 4 * count];
    let expected = bytes_of(&models[2].words[count..2 * count]);
    Failure::unless_equal("tight rows", rows, &expected)?;
    digest.add(rows);
    Ok(digest)
}
