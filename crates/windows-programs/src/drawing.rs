//! Pictures that a test knows, drawn into back buffers and read back.
//!
//! A picture is one colour, with a rectangle of another at a place that depends on the frame. Both are drawn by clears, which every
//! runtime can do. Colours have no other values than 0 and 255, so no rounding is between what is drawn and what is read.

use crate::com;
use crate::device::Device;
use crate::object::Object;
use reprise_d3d12::generated::types::*;
use reprise_d3d12::method;
use std::ffi::c_void;
use std::time::{Duration, Instant};

/// Longest that a frame takes, unless something hangs.
const PATIENCE: Duration = Duration::from_secs(20);
/// The rectangle's size, in pixels.
const SIDE: u32 = 24;

/// What a frame shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picture {
    pub(crate) size: [u32; 2],
    frame: u32,
}

impl Picture {
    pub(crate) fn new(frame: u32, size: [u32; 2]) -> Picture {
        Picture { size, frame }
    }

    /// Red, green and blue behind the rectangle, and in it.
    fn colours(self) -> [[u8; 3]; 2] {
        let colour = |bits: u32| [bits & 1, bits >> 1 & 1, bits >> 2 & 1].map(|bit| (bit * 255) as u8);
        let behind = self.frame % 8;
        [colour(behind), colour(7 - behind)]
    }

    /// The rectangle's upper left corner.
    fn corner(self) -> [u32; 2] {
        [self.frame * 5 % (self.size[0] - SIDE), self.frame * 3 % (self.size[1] - SIDE)]
    }

    /// The colour at a place.
    pub(crate) fn at(self, [x, y]: [u32; 2]) -> [u8; 3] {
        let [left, top] = self.corner();
        let inside = (left..left + SIDE).contains(&x) && (top..top + SIDE).contains(&y);
        self.colours()[usize::from(inside)]
    }

    /// A place in the middle of the rectangle.
    pub(crate) fn middle(self) -> [u32; 2] {
        self.corner().map(|start| start + SIDE / 2)
    }
}

/// A device with what is needed to draw.
pub(crate) struct Drawing {
    list: Object,
    allocator: Object,
    fence: Object,
    done: u64,
    views: Object,
    pub(crate) queue: Object,
    pub(crate) device: Device,
}

impl Drawing {
    pub(crate) fn new(device: Device) -> Option<Drawing> {
        let make = |name: &str, words: &[u64], class: &str| device.make(name, words, class).map(Object);
        let queue = D3D12_COMMAND_QUEUE_DESC::default();
        let queue = make("CreateCommandQueue", &[(&raw const queue) as u64], "ID3D12CommandQueue")?;
        let allocator = make("CreateCommandAllocator", &[0], "ID3D12CommandAllocator")?;
        let list = make("CreateCommandList", &[0, 0, allocator.0 as u64, 0], "ID3D12GraphicsCommandList")?;
        list.call("ID3D12GraphicsCommandList", "Close", &[]);
        let views = D3D12_DESCRIPTOR_HEAP_DESC {
            Type: D3D12_DESCRIPTOR_HEAP_TYPE::RTV,
            NumDescriptors: 1,
            ..Default::default()
        };
        let views = make("CreateDescriptorHeap", &[(&raw const views) as u64], "ID3D12DescriptorHeap")?;
        let fence = make("CreateFence", &[0, 0], "ID3D12Fence")?;
        Some(Drawing { list, allocator, fence, done: 0, views, queue, device })
    }

    /// Draws a picture into a back buffer; with `check`, reads it back and says whether it is what was drawn.
    pub(crate) fn draw(&mut self, back: &Object, picture: Picture, check: bool) -> Option<bool> {
        let copy = if check { Some(self.readback(picture.size)?) } else { None };
        self.allocator.call("ID3D12CommandAllocator", "Reset", &[]);
        self.list.call("ID3D12GraphicsCommandList", "Reset", &[self.allocator.0 as u64, 0]);
        let mut view = D3D12_CPU_DESCRIPTOR_HANDLE { ptr: 0 };
        let handle = method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart");
        // SAFETY: the heap is alive; the method writes a handle to the place that it takes first.
        unsafe { com::call(self.views.0, handle, &[(&raw mut view) as u64]) };
        // SAFETY: the device is alive; null is the view of the whole resource.
        unsafe {
            com::call(self.device.0, method("ID3D12Device", "CreateRenderTargetView"), &[back.0 as u64, 0, view.ptr]);
        }
        type State = D3D12_RESOURCE_STATES;
        self.transition(back, State::PRESENT, State::RENDER_TARGET);
        let [behind, before] = picture.colours().map(|colour| {
            let [red, green, blue] = colour.map(|part| f32::from(part) / 255.0);
            [red, green, blue, 1.0f32]
        });
        let [left, top] = picture.corner().map(|start| start as i32);
        let rect = RECT { left, top, right: left + SIDE as i32, bottom: top + SIDE as i32 };
        let clear = |colour: &[f32; 4], rects: &[RECT]| {
            let words = [view.ptr, colour.as_ptr() as u64, rects.len() as u64, rects.as_ptr() as u64];
            self.list.call("ID3D12GraphicsCommandList", "ClearRenderTargetView", &words);
        };
        clear(&behind, &[]);
        clear(&before, &[rect]);
        match &copy {
            Some(copy) => {
                self.transition(back, State::RENDER_TARGET, State::COPY_SOURCE);
                self.copy(back, copy, picture.size);
                self.transition(back, State::COPY_SOURCE, State::PRESENT);
            }
            None => self.transition(back, State::RENDER_TARGET, State::PRESENT),
        }
        self.list.call("ID3D12GraphicsCommandList", "Close", &[]);
        let lists = [self.list.0];
        self.queue.call("ID3D12CommandQueue", "ExecuteCommandLists", &[1, lists.as_ptr() as u64]);
        self.finish()?;
        copy.map_or(Some(true), |copy| read(&copy, picture))
    }

    /// Waits until the GPU is done.
    pub(crate) fn finish(&mut self) -> Option<()> {
        self.done += 1;
        self.queue.call("ID3D12CommandQueue", "Signal", &[self.fence.0 as u64, self.done]);
        let start = Instant::now();
        // SAFETY: the fence is alive.
        while unsafe { com::call(self.fence.0, method("ID3D12Fence", "GetCompletedValue"), &[]) } < self.done {
            if start.elapsed() > PATIENCE {
                return None;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        Some(())
    }

    /// The device's newest interface that these programs use, where there is one.
    pub(crate) fn device5(&self) -> Option<Object> {
        // SAFETY: the device is alive; `QueryInterface` takes an id and a place.
        unsafe { com::make(self.device.0, method("IUnknown", "QueryInterface"), &[], "ID3D12Device5").map(Object) }
    }

    /// Releases nothing, with a queue that waits for what nobody signals.
    pub(crate) fn abandon(self) -> Option<()> {
        let never = self.done + 1;
        let results =
            ["Wait", "Signal"].map(|name| self.queue.call("ID3D12CommandQueue", name, &[self.fence.0 as u64, never]));
        std::mem::forget(self);
        (results == [0, 0]).then_some(())
    }

    fn transition(&self, resource: &Object, before: D3D12_RESOURCE_STATES, after: D3D12_RESOURCE_STATES) {
        let mut barrier =
            D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION, ..Default::default() };
        barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: resource.0,
            Subresource: u32::MAX,
            StateBefore: before,
            StateAfter: after,
        };
        self.list.call("ID3D12GraphicsCommandList", "ResourceBarrier", &[1, (&raw const barrier) as u64]);
    }

    fn readback(&self, [width, height]: [u32; 2]) -> Option<Object> {
        let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::READBACK, ..Default::default() };
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
            Width: u64::from(pitch(width)) * u64::from(height),
            Height: 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
            ..Default::default()
        };
        let state = D3D12_RESOURCE_STATES::COPY_DEST.0 as u64;
        let words = [(&raw const heap) as u64, 0, (&raw const desc) as u64, state, 0];
        self.device.make("CreateCommittedResource", &words, "ID3D12Resource").map(Object)
    }

    fn copy(&self, from: &Object, to: &Object, [width, height]: [u32; 2]) {
        let location = |resource: &Object, kind| D3D12_TEXTURE_COPY_LOCATION {
            pResource: resource.0,
            Type: kind,
            ..Default::default()
        };
        let from = location(from, D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX);
        let mut to = location(to, D3D12_TEXTURE_COPY_TYPE::PLACED_FOOTPRINT);
        to.Anonymous.PlacedFootprint.Footprint = D3D12_SUBRESOURCE_FOOTPRINT {
            Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
            Width: width,
            Height: height,
            Depth: 1,
            RowPitch: pitch(width),
        };
        let words = [(&raw const to) as u64, 0, 0, 0, (&raw const from) as u64, 0];
        self.list.call("ID3D12GraphicsCommandList", "CopyTextureRegion", &words);
    }
}

/// Bytes from row to row in a buffer: a multiple of 256.
fn pitch(width: u32) -> u32 {
    (width * 4).next_multiple_of(256)
}

/// Whether a copy is the picture.
fn read(copy: &Object, picture: Picture) -> Option<bool> {
    let mut memory: *mut c_void = std::ptr::null_mut();
    if copy.call("ID3D12Resource", "Map", &[0, 0, (&raw mut memory) as u64]) < 0 {
        return None;
    }
    let [width, height] = picture.size;
    let right = |x: u32, y: u32| {
        let offset = y as usize * pitch(width) as usize + x as usize * 4;
        // SAFETY: within the buffer, which is mapped and as large as the picture's rows.
        let pixel = unsafe { memory.byte_add(offset).cast::<[u8; 4]>().read_unaligned() };
        pixel[..3] == picture.at([x, y])
    };
    let all = (0..height).all(|y| (0..width).all(|x| right(x, y)));
    copy.call("ID3D12Resource", "Unmap", &[0, 0]);
    Some(all)
}
