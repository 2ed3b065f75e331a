//! `planes`: depth and stencil as the two planes that they are: filled from buffers, copied to another texture one by one, cleared
//! one by one, and read back.

use super::Program;
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::stage::Stage;
use crate::target::depth_view;
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS as Clear, D3D12_CLEAR_VALUE, D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DESCRIPTOR_HEAP_TYPE,
    D3D12_DSV_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "planes", about: "depth and stencil planes: filled, copied, cleared and read one by one", run };

const SIZE: u32 = 16;

/// A format, and how its depths are words: exact at both ends of the range. Bits that are no depth are not compared.
struct Case {
    name: &'static str,
    format: DXGI_FORMAT,
    far: u32,
    mask: u32,
    /// Of a place: any depth.
    depth: fn(u32) -> u32,
}

const CASES: [Case; 2] = [
    Case {
        name: "32 bits of float",
        format: DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT,
        far: 0x3f80_0000,
        mask: u32::MAX,
        depth: |at| (at as f32 / 256.0).to_bits(),
    },
    Case {
        name: "24 bits",
        format: DXGI_FORMAT::FORMAT_D24_UNORM_S8_UINT,
        far: 0x00ff_ffff,
        mask: 0x00ff_ffff,
        depth: |at| at.wrapping_mul(0x0001_0f0f) & 0x00ff_ffff,
    },
];

/// Both planes as they should be.
#[derive(Clone)]
struct Model {
    depth: Picture<u32>,
    stencil: Picture<u8>,
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    for case in &CASES {
        case.run(stage, &mut digest)?;
    }
    Ok(digest)
}

impl Case {
    fn run(&self, stage: &Stage, digest: &mut Digest) -> Result<(), Failure> {
        let device = &stage.device;
        let mut list = List::direct(device)?;
        // One that is filled from a buffer.
        let mut model = Model { depth: Picture::new(SIZE, SIZE, 0), stencil: Picture::new(SIZE, SIZE, 0) };
        model.depth.draw(whole(), |x, y, depth| *depth = (self.depth)(x + SIZE * y));
        model.stencil.draw(whole(), |x, y, stencil| *stencil = (x * 16 + (15 - y)) as u8);
        let from = self.texture(stage, State::COPY_DEST)?;
        let content = [bytes(&model.depth.texels), model.stencil.texels.clone()];
        let _upload = from.fill(device, &mut list, &content)?;
        list.transition(&from.com, State::COPY_DEST, State::COPY_SOURCE);
        self.check(stage, &mut list, &from, State::COPY_SOURCE, &model, digest)?;

        // One that is cleared, and then given the other's stencil, and a part of it cleared again; and the same for depth.
        let filled = model.clone();
        let to = self.texture(stage, State::DEPTH_WRITE)?;
        let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 1, false)?;
        let view = D3D12_DEPTH_STENCIL_VIEW_DESC {
            Format: self.format,
            ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        depth_view(device, &to.com, &view, heap.cpu(0));
        let view = heap.cpu(0);
        list.clear_depth_view(view, Clear(Clear::DEPTH.0 | Clear::STENCIL.0), (1.0, 0x5a), &[]);
        let mut model = Model { depth: Picture::new(SIZE, SIZE, self.far), stencil: Picture::new(SIZE, SIZE, 0x5a) };
        for (plane, flags) in [(1, Clear::STENCIL), (0, Clear::DEPTH)] {
            list.transition(&to.com, State::DEPTH_WRITE, State::COPY_DEST);
            list.copy_texture(&to.part(plane), [0; 3], &from.part(plane), None);
            list.transition(&to.com, State::COPY_DEST, State::DEPTH_WRITE);
            let area = Area::at(3 + plane, 2, 7, 9);
            list.clear_depth_view(view, flags, (0.0, 0xff), &[area]);
            if plane == 1 {
                model.stencil = filled.stencil.clone();
                model.stencil.fill(area, 0xff);
            } else {
                model.depth = filled.depth.clone();
                model.depth.fill(area, 0);
            }
            self.check(stage, &mut list, &to, State::DEPTH_WRITE, &model, digest)?;
        }
        Ok(())
    }

    fn texture(&self, stage: &Stage, state: State) -> Result<Texture, Failure> {
        let mut desc = flat(self.format, SIZE, SIZE);
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
        let mut clear = D3D12_CLEAR_VALUE { Format: self.format, ..Default::default() };
        clear.Anonymous.DepthStencil.Depth = 1.0;
        Texture::of_planes(&stage.device, &desc, state, Some(&clear), 2)
    }

    fn check(
        &self,
        stage: &Stage,
        list: &mut List,
        texture: &Texture,
        state: State,
        model: &Model,
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        let planes = texture.read(stage, list, state)?;
        let depth: Vec<u32> = texels::<u32>(&planes[0]).iter().map(|word| word & self.mask).collect();
        model.depth.check(&format!("depth of {}", self.name), &depth)?;
        model.stencil.check(&format!("stencil beside {}", self.name), &planes[1])?;
        digest.add(&bytes(&depth));
        digest.add(&planes[1]);
        Ok(())
    }
}

fn whole() -> Area {
    Area::at(0, 0, SIZE, SIZE)
}
