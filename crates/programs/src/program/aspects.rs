//! `aspects`: a depth buffer in memory that held something else. Its depth and its stencil are cleared one after the other, each
//! as a whole, in both orders: that is how the API lets a program begin with it.

use super::Program;
use crate::buffer::Buffer;
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::random::Random;
use crate::stage::Stage;
use crate::target::depth_view;
use crate::texel::texels;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS as Clear, D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_DSV_DIMENSION,
    D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES as State, DXGI_FORMAT,
};

pub(super) const PROGRAM: Program =
    Program { name: "aspects", about: "depth and stencil cleared one after the other in memory of another", run };

const SIZE: u32 = 64;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut desc = flat(FORMAT, SIZE, SIZE);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_DEPTH_STENCIL;
    let size = Memory::room(device, &desc).size.next_multiple_of(Memory::ALIGNMENT);
    let memory = Memory::new(device, size)?;
    let other = Buffer::placed(&memory, 0, size)?;
    let depth = Texture::placed_planes(device, (&memory, 0), &desc, State::DEPTH_WRITE, 2)?;
    let heap = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 1, false)?;
    let view = D3D12_DEPTH_STENCIL_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    depth_view(device, &depth.com, &view, heap.cpu(0));

    let (mut random, mut list, mut digest) = (Random(41), List::direct(device)?, Digest::new());
    for round in 0..stage.frames(4) {
        // Whatever the driver keeps beside texels is made of random words now.
        let words = Buffer::uploaded(device, &random.words(size as u32 / 4))?;
        list.alias(Some(&depth.com), Some(&other.com));
        list.copy_bytes(&other, 0, &words, 0, size);
        list.alias(Some(&other.com), Some(&depth.com));
        let (far, mark) = ((1 + round) as f32 / 8.0, 0x11 * (1 + round as u8));
        let order = if round % 2 == 0 { [Clear::DEPTH, Clear::STENCIL] } else { [Clear::STENCIL, Clear::DEPTH] };
        for aspect in order {
            list.clear_depth_view(heap.cpu(0), aspect, (far, mark), &[]);
        }
        let got = depth.read(stage, &mut list, State::DEPTH_WRITE)?;
        let all = (SIZE * SIZE) as usize;
        Failure::unless_equal("depth", &texels::<f32>(&got[0]), &vec![far; all])?;
        Failure::unless_equal("stencil", &got[1], &vec![mark; all])?;
        got.iter().for_each(|plane| digest.add(plane));
    }
    Ok(digest)
}
