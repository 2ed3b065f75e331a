//! What a measured program needs before it can record draws: device, heaps, target, root signature, pipeline, list.

use crate::com::{export, iid, slot};
use crate::dxbc;
use crate::{call, call_at};
use anyhow::{Result, ensure};
use core::ffi::c_void;
use reprise_d3d12::model::Guid;
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
    /// Table of one CBV, then four constants.
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

fn check(what: &str, result: i32) -> Result<()> {
    ensure!(result >= 0, "{what} failed with 0x{result:08x}");
    Ok(())
}

impl Stage {
    /// Makes everything through the first `D3D12CreateDevice` of the process.
    ///
    /// # Errors
    /// A call that failed, with its result.
    ///
    /// # Safety
    /// The process has a D3D12 library of this convention loaded.
    pub unsafe fn new<const WIN64: bool>() -> Result<Self> {
        let mut device: *mut c_void = core::ptr::null_mut();
        let device_iid = iid("ID3D12Device")?;
        // SAFETY: all calls below follow the API, on objects that they made.
        unsafe {
            let result = call_at!(WIN64, export("D3D12CreateDevice")?,
                (*mut c_void, i32, *const Guid, *mut *mut c_void) -> i32,
                (core::ptr::null_mut(), 0xb000, &raw const device_iid, &raw mut device));
            check("D3D12CreateDevice", result)?;
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
            let (_, source, _) = heap::<WIN64>(device, 0, DESCRIPTORS, false)?;
            let (heap_object, cpu, gpu) = heap::<WIN64>(device, 0, DESCRIPTORS, true)?;
            let (_, target, _) = heap::<WIN64>(device, 2, 1, false)?;
            let texture = resource::<WIN64>(device, 1, &target_desc())?;
            call!(WIN64, device, slot("ID3D12Device", "CreateRenderTargetView")?,
                (*mut c_void, *const c_void, u64) -> (), (texture, core::ptr::null(), target));
            let buffer = resource::<WIN64>(device, 2, &buffer_desc(65_536))?;
            let address = call!(WIN64, buffer, slot("ID3D12Resource", "GetGPUVirtualAddress")?, () -> u64, ());
            let view = slot("ID3D12Device", "CreateConstantBufferView")?;
            for i in 0..DESCRIPTORS {
                let desc = D3D12_CONSTANT_BUFFER_VIEW_DESC {
                    BufferLocation: address + u64::from(i % 256) * 256,
                    SizeInBytes: 256,
                };
                let at = source + u64::from(i) * u64::from(increment);
                call!(WIN64, device, view, (*const D3D12_CONSTANT_BUFFER_VIEW_DESC, u64) -> (), (&raw const desc, at));
            }
            let root_signature = root_signature::<WIN64>(device)?;
            let pipeline = pipeline::<WIN64>(device, root_signature)?;
            let allocator = create::<WIN64>(device, "CreateCommandAllocator", "ID3D12CommandAllocator", 0)?;
            let mut list = core::ptr::null_mut();
            let list_iid = iid("ID3D12GraphicsCommandList")?;
            let result = call!(WIN64, device, slot("ID3D12Device", "CreateCommandList")?,
                (u32, i32, *mut c_void, *mut c_void, *const Guid, *mut *mut c_void) -> i32,
                (0, 0, allocator, pipeline, &raw const list_iid, &raw mut list));
            check("CreateCommandList", result)?;
            let increment = u64::from(increment);
            Ok(Self {
                slots,
                device,
                allocator,
                list,
                root_signature,
                pipeline,
                heap: heap_object,
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

/// `CreateX(kind, iid, out)`.
///
/// # Safety
/// A live device of this convention.
unsafe fn create<const WIN64: bool>(
    device: *mut c_void,
    method: &str,
    interface: &str,
    kind: i32,
) -> Result<*mut c_void> {
    let mut out = core::ptr::null_mut();
    let id = iid(interface)?;
    // SAFETY: by the caller's promise; the out pointer is ours.
    let result = unsafe {
        call!(WIN64, device, slot("ID3D12Device", method)?,
            (i32, *const Guid, *mut *mut c_void) -> i32, (kind, &raw const id, &raw mut out))
    };
    check(method, result)?;
    Ok(out)
}

/// A descriptor heap with its first CPU and GPU descriptors.
///
/// # Safety
/// A live device of this convention.
unsafe fn heap<const WIN64: bool>(
    device: *mut c_void,
    kind: i32,
    number: u32,
    visible: bool,
) -> Result<(*mut c_void, u64, u64)> {
    let desc = D3D12_DESCRIPTOR_HEAP_DESC {
        Type: D3D12_DESCRIPTOR_HEAP_TYPE(kind),
        NumDescriptors: number,
        Flags: D3D12_DESCRIPTOR_HEAP_FLAGS(u32::from(visible)),
        NodeMask: 0,
    };
    let id = iid("ID3D12DescriptorHeap")?;
    let mut out = core::ptr::null_mut();
    let (mut cpu, mut gpu) = (0u64, 0u64);
    // SAFETY: by the caller's promise; structures are returned through an explicit pointer.
    unsafe {
        let result = call!(WIN64, device, slot("ID3D12Device", "CreateDescriptorHeap")?,
            (*const D3D12_DESCRIPTOR_HEAP_DESC, *const Guid, *mut *mut c_void) -> i32,
            (&raw const desc, &raw const id, &raw mut out));
        check("CreateDescriptorHeap", result)?;
        let start = slot("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart")?;
        call!(WIN64, out, start, (*mut u64) -> *mut u64, (&raw mut cpu));
        if visible {
            let start = slot("ID3D12DescriptorHeap", "GetGPUDescriptorHandleForHeapStart")?;
            call!(WIN64, out, start, (*mut u64) -> *mut u64, (&raw mut gpu));
        }
    }
    Ok((out, cpu, gpu))
}

fn buffer_desc(size: u64) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Width: size,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        ..Default::default()
    }
}

fn target_desc() -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: 16,
        Height: 16,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Flags: D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET,
        ..Default::default()
    }
}

/// # Safety
/// A live device of this convention.
unsafe fn resource<const WIN64: bool>(
    device: *mut c_void,
    heap: i32,
    desc: &D3D12_RESOURCE_DESC,
) -> Result<*mut c_void> {
    let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE(heap), ..Default::default() };
    let id = iid("ID3D12Resource")?;
    let state = if heap == 2 { 0xac3 } else { 4 }; // GENERIC_READ, RENDER_TARGET
    let mut out = core::ptr::null_mut();
    // SAFETY: by the caller's promise; everything pointed to is ours.
    let result = unsafe {
        call!(WIN64, device, slot("ID3D12Device", "CreateCommittedResource")?,
            (*const D3D12_HEAP_PROPERTIES, u32, *const D3D12_RESOURCE_DESC, i32, *const c_void, *const Guid, *mut *mut c_void) -> i32,
            (&raw const properties, 0, desc, state, core::ptr::null(), &raw const id, &raw mut out))
    };
    check("CreateCommittedResource", result)?;
    Ok(out)
}

/// # Safety
/// A live device of this convention.
unsafe fn root_signature<const WIN64: bool>(device: *mut c_void) -> Result<*mut c_void> {
    let range = D3D12_DESCRIPTOR_RANGE {
        RangeType: D3D12_DESCRIPTOR_RANGE_TYPE::CBV,
        NumDescriptors: 1,
        OffsetInDescriptorsFromTableStart: u32::MAX,
        ..Default::default()
    };
    let table = D3D12_ROOT_DESCRIPTOR_TABLE { NumDescriptorRanges: 1, pDescriptorRanges: &raw const range };
    let constants = D3D12_ROOT_CONSTANTS { ShaderRegister: 1, RegisterSpace: 0, Num32BitValues: 4 };
    let parameters = [
        D3D12_ROOT_PARAMETER {
            ParameterType: D3D12_ROOT_PARAMETER_TYPE::TYPE_DESCRIPTOR_TABLE,
            Anonymous: D3D12_ROOT_PARAMETER_1 { DescriptorTable: table },
            ..Default::default()
        },
        D3D12_ROOT_PARAMETER {
            ParameterType: D3D12_ROOT_PARAMETER_TYPE(1),
            Anonymous: D3D12_ROOT_PARAMETER_1 { Constants: constants },
            ..Default::default()
        },
    ];
    let desc = D3D12_ROOT_SIGNATURE_DESC { NumParameters: 2, pParameters: parameters.as_ptr(), ..Default::default() };
    let (mut blob, mut error): (*mut c_void, *mut c_void) = (core::ptr::null_mut(), core::ptr::null_mut());
    let mut out = core::ptr::null_mut();
    let id = iid("ID3D12RootSignature")?;
    // SAFETY: by the caller's promise; everything pointed to is ours.
    unsafe {
        let result = call_at!(WIN64, export("D3D12SerializeRootSignature")?,
            (*const D3D12_ROOT_SIGNATURE_DESC, i32, *mut *mut c_void, *mut *mut c_void) -> i32,
            (&raw const desc, 1, &raw mut blob, &raw mut error));
        check("D3D12SerializeRootSignature", result)?;
        let bytes = call!(WIN64, blob, 3, () -> *const c_void, ());
        let size = call!(WIN64, blob, 4, () -> usize, ());
        let result = call!(WIN64, device, slot("ID3D12Device", "CreateRootSignature")?,
            (u32, *const c_void, usize, *const Guid, *mut *mut c_void) -> i32,
            (0, bytes, size, &raw const id, &raw mut out));
        check("CreateRootSignature", result)?;
    }
    Ok(out)
}

/// # Safety
/// A live device of this convention and its root signature.
unsafe fn pipeline<const WIN64: bool>(device: *mut c_void, root_signature: *mut c_void) -> Result<*mut c_void> {
    let shader = dxbc::vertex_shader();
    let mut desc = D3D12_GRAPHICS_PIPELINE_STATE_DESC {
        pRootSignature: root_signature,
        VS: D3D12_SHADER_BYTECODE { pShaderBytecode: shader.as_ptr().cast(), BytecodeLength: shader.len() as u64 },
        SampleMask: u32::MAX,
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE,
        NumRenderTargets: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    };
    desc.RTVFormats[0] = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
    desc.RasterizerState.FillMode = D3D12_FILL_MODE::SOLID;
    desc.RasterizerState.CullMode = D3D12_CULL_MODE::NONE;
    desc.BlendState.RenderTarget[0].RenderTargetWriteMask = 15;
    let id = iid("ID3D12PipelineState")?;
    let mut out = core::ptr::null_mut();
    // SAFETY: by the caller's promise; everything pointed to is ours.
    let result = unsafe {
        call!(WIN64, device, slot("ID3D12Device", "CreateGraphicsPipelineState")?,
            (*const D3D12_GRAPHICS_PIPELINE_STATE_DESC, *const Guid, *mut *mut c_void) -> i32,
            (&raw const desc, &raw const id, &raw mut out))
    };
    check("CreateGraphicsPipelineState", result)?;
    Ok(out)
}
