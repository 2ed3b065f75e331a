//! `dxgi`: from the factory to the screen: a swap chain for a window, presented in each way, resized, and asked what it is.
//!
//! The frames are clears, which every library can do. What was in each buffer when it was presented is copied, and checked at the
//! end: a runtime that draws nothing has gone through all calls by then.

use super::Program;
use crate::buffer::Buffer;
use crate::com::{Com, Null, attempt, call, create};
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::stage::Stage;
use crate::swap_chain::{SwapChain, Window};
use crate::texel::texels;
use crate::texture::in_buffer;
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "dxgi", about: "DXGI: a swap chain that is presented in each way, and resized", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM;
/// `DXGI_PRESENT_TEST`.
const TEST: u32 = 1;
/// The chain's size in pixels, and its later one: rows of a copy lie without a gap, in which nobody writes.
const SIZES: [[u32; 2]; 2] = [[64, 48], [128, 40]];
/// Frames before the chain is resized, and after.
const FRAMES: [u32; 2] = [7, 5];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let window = Window::new()?;
    let mut chain = SwapChain::new(stage, &window, SIZES[0], FORMAT, 3)?;
    let fence = Fence::of(&stage.device, 0, D3D12_FENCE_FLAGS::SHARED)?;
    let mut frames = Frames { stage, list: List::direct(&stage.device)?, fence, shown: Vec::new() };
    for number in 0..FRAMES[0] {
        frames.show(&chain, number)?;
        // Asks whether there is anything to present, and presents nothing.
        attempt!(chain.com, "IDXGISwapChain", "Present", 0u32, TEST)?;
    }
    chain.resize(SIZES[1], 2)?;
    for number in FRAMES[0]..FRAMES[0] + FRAMES[1] {
        frames.show(&chain, number)?;
    }
    let digest = frames.check()?;
    chain.ask_what_it_is()?;
    Ok(digest)
}

/// What is presented, frame by frame.
struct Frames<'s> {
    stage: &'s Stage,
    list: List,
    fence: Fence,
    /// For each frame the copy of what was presented, and its picture.
    shown: Vec<(Buffer, Picture<u32>)>,
}

impl Frames<'_> {
    /// Draws a frame into the buffer that is next, keeps a copy of it, and presents it.
    fn show(&mut self, chain: &SwapChain, number: u32) -> Result<(), Failure> {
        let device = &self.stage.device;
        let back: Com = create!(chain.com, "IDXGISwapChain", "GetBuffer", chain.current(); "ID3D12Resource")?;
        let views = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1, false)?;
        call!(device.com, "ID3D12Device", "CreateRenderTargetView", &back, Null, views.cpu(0).ptr);
        let [width, height] = chain.size;
        let area = Area::at(number, 2 * number, 16, 8);
        let (behind, before) = (colour(number), colour(100 + number));
        self.list.transition(&back, State::PRESENT, State::RENDER_TARGET);
        self.list.clear_view(views.cpu(0), floats(behind), &[]);
        self.list.clear_view(views.cpu(0), floats(before), &[area]);
        self.list.transition(&back, State::RENDER_TARGET, State::COPY_SOURCE);
        let copy = Buffer::readback(device, u64::from(pitch(width) * height))?;
        let place = D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
            Offset: 0,
            Footprint: D3D12_SUBRESOURCE_FOOTPRINT {
                Format: FORMAT,
                Width: width,
                Height: height,
                Depth: 1,
                RowPitch: pitch(width),
            },
        };
        self.list.copy_texture(&in_buffer(&copy, place), [0; 3], &first_part(&back), None);
        self.list.transition(&back, State::COPY_SOURCE, State::PRESENT);
        self.list.close()?;
        self.stage.queue.execute(&[&self.list]);
        let value = u64::from(number) + 1;
        self.stage.queue.signal(&self.fence, value)?;
        chain.present(number, area)?;
        self.fence.wait(value)?;
        self.list.reset()?;
        let mut expected = Picture::new(width, height, behind);
        expected.fill(area, before);
        self.shown.push((copy, expected));
        Ok(())
    }

    /// Every buffer held what was drawn when it was presented.
    fn check(&self) -> Result<Digest, Failure> {
        let mut digest = Digest::new();
        for (number, (copy, expected)) in self.shown.iter().enumerate() {
            let row = 4 * expected.width as usize;
            let rows = copy.read()?;
            let got: Vec<u8> =
                rows.chunks(pitch(expected.width) as usize).flat_map(|bytes| &bytes[..row]).copied().collect();
            expected.check(&format!("frame {number}"), &texels(&got))?;
            digest.add(&got);
        }
        Ok(digest)
    }
}

/// Bytes from row to row of a copy.
fn pitch(width: u32) -> u32 {
    (4 * width).next_multiple_of(256)
}

/// All of a buffer, as copies name it.
fn first_part(back: &Com) -> D3D12_TEXTURE_COPY_LOCATION {
    let index = D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX;
    D3D12_TEXTURE_COPY_LOCATION { pResource: back.as_ptr(), Type: index, ..Default::default() }
}

/// Blue, green, red and alpha: other ones for each number.
fn colour(number: u32) -> u32 {
    u32::from_le_bytes([number as u8, (3 * number) as u8, (200 - number) as u8, 255])
}

/// The same as clears take it.
fn floats(colour: u32) -> [f32; 4] {
    let [blue, green, red, alpha] = colour.to_le_bytes().map(|byte| f32::from(byte) / 255.0);
    [red, green, blue, alpha]
}
