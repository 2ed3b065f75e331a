//! Objects of one device that are passed where nothing is: zeros to read, a buffer to write to, targets that are null.
//!
//! Invariant: each is made at the first use and lives until the replay ends, because lists keep nothing alive.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_HEAP_TYPE, D3D12_RENDER_TARGET_VIEW_DESC,
    D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES, D3D12_RTV_DIMENSION, DXGI_FORMAT,
};
use reprise_d3d12::{description, interface, method};

use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::runtime::replay_objects::{address, committed, create, stored};

/// Bytes that a buffer has at least: more than what most views show, and what shaders read behind an address.
const LEAST: u64 = 16 << 20;
/// And at most, whatever a trace says of the buffer that was there.
const MOST: u64 = 256 << 20;
/// Targets that a list sets at once.
const TARGETS: u32 = 8;

struct Buffer {
    pointer: u64,
    address: u64,
    bytes: u64,
}

/// The part of a device.
pub(crate) struct Nowhere {
    /// With a reference.
    device: u64,
    /// Larger ones last.
    zeros: Vec<Buffer>,
    sinks: Vec<Buffer>,
    /// A heap with null targets, and its first handle.
    targets: Option<(u64, u64)>,
}

impl Nowhere {
    /// Takes over the reference.
    pub(super) fn new(device: u64) -> Self {
        Self { device, zeros: Vec::new(), sinks: Vec::new(), targets: None }
    }

    pub(super) fn device(&self) -> u64 {
        self.device
    }

    /// The address of so many zeros, or of as many as there are at most.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn zeros(&mut self, runtime: &Runtime, bytes: u64) -> Result<u64, String> {
        let bytes = room(bytes);
        if let Some(buffer) = self.zeros.last().filter(|buffer| buffer.bytes >= bytes) {
            return Ok(buffer.address);
        }
        let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::NONE);
        let state = D3D12_RESOURCE_STATES::GENERIC_READ;
        let made = committed(runtime, self.device, D3D12_HEAP_TYPE::UPLOAD, &desc, state)?;
        clear(runtime, made.pointer(), bytes)?;
        let address = address(runtime, made.pointer());
        self.zeros.push(Buffer { pointer: made.into_pointer(), address, bytes });
        Ok(address)
    }

    /// Whether a recorded address was replaced by one of zeros.
    pub(crate) fn is_zeros(&self, address: u64) -> bool {
        self.zeros.iter().any(|buffer| address.wrapping_sub(buffer.address) < buffer.bytes)
    }

    /// The address of so many bytes that nothing of the program's reads.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn sink(&mut self, runtime: &Runtime, bytes: u64) -> Result<u64, String> {
        let bytes = room(bytes);
        if let Some(buffer) = self.sinks.last().filter(|buffer| buffer.bytes >= bytes) {
            return Ok(buffer.address);
        }
        let desc = description::buffer(bytes, D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
        let state = D3D12_RESOURCE_STATES::COMMON;
        let made = committed(runtime, self.device, D3D12_HEAP_TYPE::DEFAULT, &desc, state)?;
        let address = address(runtime, made.pointer());
        self.sinks.push(Buffer { pointer: made.into_pointer(), address, bytes });
        Ok(address)
    }

    /// The handle of the first of as many null targets as a list can set.
    ///
    /// # Errors
    /// The device makes no heap for them.
    pub(crate) fn targets(&mut self, runtime: &Runtime) -> Result<u64, String> {
        if let Some((_, handle)) = self.targets {
            return Ok(handle);
        }
        const START: MethodId = method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart");
        const STEP: MethodId = method("ID3D12Device", "GetDescriptorHandleIncrementSize");
        const VIEW: MethodId = method("ID3D12Device", "CreateRenderTargetView");
        let kind = D3D12_DESCRIPTOR_HEAP_TYPE::RTV;
        let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: TARGETS, ..Default::default() };
        let heap = create(runtime, self.device, "a descriptor heap", interface("ID3D12DescriptorHeap"), |iid, out| {
            (method("ID3D12Device", "CreateDescriptorHeap"), vec![core::ptr::from_ref(&desc) as u64, iid, out])
        })?;
        let mut start = 0u64;
        let view = D3D12_RENDER_TARGET_VIEW_DESC {
            // R8G8B8A8_UNORM: any format does.
            Format: DXGI_FORMAT(28),
            ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        // SAFETY: device and heap are alive; the arguments are numbers and memory of ours, and null is a resource that a target may have.
        unsafe {
            runtime.call(heap.pointer(), START, &[core::ptr::from_mut(&mut start) as u64]);
            let step = runtime.call(self.device, STEP, &[kind.0 as u64]) & u64::from(u32::MAX);
            for target in 0..u64::from(TARGETS) {
                runtime.call(self.device, VIEW, &[0, core::ptr::from_ref(&view) as u64, start + target * step]);
            }
        }
        self.targets = Some((heap.into_pointer(), start));
        Ok(start)
    }

    /// Whether a handle is that of the null targets.
    pub(crate) fn is_target(&self, handle: u64) -> bool {
        self.targets.is_some_and(|(_, first)| first == handle)
    }

    /// Gives everything back; nothing is in use.
    pub(super) fn release(self, runtime: &Runtime) {
        let buffers = self.zeros.into_iter().chain(self.sinks).map(|buffer| buffer.pointer);
        buffers.chain(self.targets.map(|(heap, _)| heap)).for_each(|pointer| runtime.release(pointer));
        runtime.release(self.device);
    }
}

fn room(bytes: u64) -> u64 {
    bytes.clamp(LEAST, MOST).next_power_of_two()
}

/// Stores zeros: not every library makes memory without contents.
fn clear(runtime: &Runtime, buffer: u64, bytes: u64) -> Result<(), String> {
    stored(runtime, buffer, bytes, |memory| memory.fill(0))
}
