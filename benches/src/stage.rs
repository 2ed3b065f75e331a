//! What a measured program needs before it can record draws: device, heaps, target, root signature, pipeline, list.

use crate::call;
use crate::com::{Library, slot};
use crate::make::{self, Maker};
use anyhow::Result;
use core::ffi::c_void;
use reprise_d3d12::types::*;

/// Slots of the methods that are called, looked up once.
pub struct Slots {
    /// `ID3D12GraphicsCommandList::Reset`.
    pub reset: usize,
    /// `ID3D12GraphicsCommandList::Close`.
    pub close: usize,
    /// `ID3D12CommandAllocator::Reset`.
    pub allocator_reset: usize,
    /// `ID3D12Device::CopyDescriptorsSimple`.
    pub copy_simple: usize,
    /// `ID3D12GraphicsCommandList::SetGraphicsRootSignature`.
    pub root_signature: usize,
    /// `ID3D12GraphicsCommandList::SetGraphicsRoot32BitConstants`.
    pub constants: usize,
    /// `ID3D12GraphicsCommandList::SetGraphicsRootDescriptorTable`.
    pub table: usize,
    /// `ID3D12GraphicsCommandList::DrawInstanced`.
    pub draw: usize,
    /// `ID3D12GraphicsCommandList::SetDescriptorHeaps`.
    pub heaps: usize,
    /// `ID3D12GraphicsCommandList::OMSetRenderTargets`.
    pub targets: usize,
    /// `ID3D12GraphicsCommandList::RSSetViewports`.
    pub viewports: usize,
    /// `ID3D12GraphicsCommandList::RSSetScissorRects`.
    pub scissors: usize,
    /// `ID3D12GraphicsCommandList::IASetPrimitiveTopology`.
    pub topology: usize,
    /// `ID3D12GraphicsCommandList::ResourceBarrier`.
    pub barrier: usize,
    /// `ID3D12GraphicsCommandList::IASetVertexBuffers`.
    pub vertex_buffers: usize,
    /// `ID3D12GraphicsCommandList::SetPipelineState`.
    pub pipeline: usize,
}

/// Everything that is made once. Nothing is released: the process ends after the measurement.
pub struct Stage {
    /// Slots of the methods called.
    pub slots: Slots,
    /// The device.
    pub device: *mut c_void,
    /// A direct command allocator.
    pub allocator: *mut c_void,
    /// A direct command list, open.
    pub list: *mut c_void,
    /// Table of one CBV, then four constants, then perhaps a root CBV.
    pub root_signature: *mut c_void,
    /// A pipeline with a vertex shader only.
    pub pipeline: *mut c_void,
    /// Shader-visible heap.
    pub heap: *mut c_void,
    /// A buffer of 64 KiB in an upload heap.
    pub buffer: *mut c_void,
    /// Its address.
    pub address: u64,
    /// First descriptor of the heap that is copied from.
    pub source: u64,
    /// First descriptor of the shader-visible heap, for the CPU.
    pub cpu: u64,
    /// First descriptor of the shader-visible heap, for the GPU.
    pub gpu: u64,
    /// Bytes between descriptors.
    pub increment: u64,
    /// Render target view of the 16 x 16 target.
    pub target: u64,
}

/// Descriptors in each of the two heaps.
pub const DESCRIPTORS: u32 = 65_536;

impl Stage {
    /// Makes everything. `constant_buffer` adds a root CBV to the root signature.
    ///
    /// # Errors
    /// A call that failed, with its result.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn new<const WIN64: bool>(library: Library, constant_buffer: bool) -> Result<Self> {
        // SAFETY: by the caller's promise.
        unsafe { Self::with::<WIN64>(library, constant_buffer, DESCRIPTORS) }
    }

    /// The same with so many descriptors in each heap, for mixes that use none: they start sooner.
    ///
    /// # Errors
    /// As [`Stage::new`].
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn with<const WIN64: bool>(library: Library, constant_buffer: bool, descriptors: u32) -> Result<Self> {
        // SAFETY: all calls below follow the API, on objects that they made.
        unsafe {
            let make = Maker::<WIN64>::new(library)?;
            let device = make.device;
            let list_method = |name| slot("ID3D12GraphicsCommandList", name);
            let slots = Slots {
                reset: list_method("Reset")?,
                close: list_method("Close")?,
                allocator_reset: slot("ID3D12CommandAllocator", "Reset")?,
                copy_simple: slot("ID3D12Device", "CopyDescriptorsSimple")?,
                root_signature: list_method("SetGraphicsRootSignature")?,
                constants: list_method("SetGraphicsRoot32BitConstants")?,
                table: list_method("SetGraphicsRootDescriptorTable")?,
                draw: list_method("DrawInstanced")?,
                heaps: list_method("SetDescriptorHeaps")?,
                targets: list_method("OMSetRenderTargets")?,
                viewports: list_method("RSSetViewports")?,
                scissors: list_method("RSSetScissorRects")?,
                topology: list_method("IASetPrimitiveTopology")?,
                barrier: list_method("ResourceBarrier")?,
                vertex_buffers: list_method("IASetVertexBuffers")?,
                pipeline: list_method("SetPipelineState")?,
            };
            let increment =
                call!(WIN64, device, slot("ID3D12Device", "GetDescriptorHandleIncrementSize")?, (i32) -> u32, (0));
            let (_, source, _) = make.heap(0, descriptors, false)?;
            let (heap, cpu, gpu) = make.heap(0, descriptors, true)?;
            let (_, target, _) = make.heap(2, 1, false)?;
            let texture = make.resource(1, &make::texture_desc(16, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET))?;
            call!(WIN64, device, slot("ID3D12Device", "CreateRenderTargetView")?,
                (*mut c_void, *const c_void, u64) -> (), (texture, core::ptr::null(), target));
            let buffer = make.resource(2, &make::buffer_desc(65_536))?;
            let address = make.address(buffer)?;
            let view = slot("ID3D12Device", "CreateConstantBufferView")?;
            for i in 0..descriptors {
                let desc = D3D12_CONSTANT_BUFFER_VIEW_DESC {
                    BufferLocation: address + u64::from(i % 256) * 256,
                    SizeInBytes: 256,
                };
                let at = source + u64::from(i) * u64::from(increment);
                call!(WIN64, device, view, (*const D3D12_CONSTANT_BUFFER_VIEW_DESC, u64) -> (), (&raw const desc, at));
            }
            let range = make::range();
            let parameters = [make::table(&range), make::constants(), make::constant_buffer()];
            let root_signature = make.root_signature(&parameters[..if constant_buffer { 3 } else { 2 }])?;
            let pipeline = make.pipeline(root_signature, false)?;
            let allocator = make.create("CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
            let list = make.list(allocator, pipeline)?;
            let increment = u64::from(increment);
            Ok(Self {
                slots,
                device,
                allocator,
                list,
                root_signature,
                pipeline,
                heap,
                buffer,
                address,
                source,
                cpu,
                gpu,
                increment,
                target,
            })
        }
    }
}
