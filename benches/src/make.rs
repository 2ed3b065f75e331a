//! Making the objects of a measured program, in either convention. Nothing is released: the process ends after the measurement.

use crate::com::{Library, iid, slot};
use crate::{call, call_at, dxbc};
use anyhow::{Context, Result, ensure};
use core::ffi::{CStr, c_void};
use reprise_d3d12::description;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;

/// Fails with a call's name and result.
///
/// # Errors
/// The result is a failure.
pub fn check(what: &str, result: i32) -> Result<()> {
    ensure!(result >= 0, "{what} failed with 0x{result:08x}");
    Ok(())
}

/// A device and what makes objects of it.
#[derive(Clone, Copy, Debug)]
pub struct Maker<const WIN64: bool> {
    library: Library,
    /// The device.
    pub device: *mut c_void,
}

impl<const WIN64: bool> Maker<WIN64> {
    /// Makes a device of feature level 11.0.
    ///
    /// # Errors
    /// A call that failed, with its result.
    ///
    /// # Safety
    /// The library is a D3D12 runtime of this convention. So for all that the device makes.
    pub unsafe fn new(library: Library) -> Result<Self> {
        let mut device: *mut c_void = core::ptr::null_mut();
        let id = iid("ID3D12Device")?;
        // SAFETY: an export of the API, and pointers of ours.
        let result = unsafe {
            call_at!(WIN64, library.export("D3D12CreateDevice")?,
                (*mut c_void, i32, *const Guid, *mut *mut c_void) -> i32,
                (core::ptr::null_mut(), 0xb000, &raw const id, &raw mut device))
        };
        check("D3D12CreateDevice", result)?;
        Ok(Self { library, device })
    }

    /// Makes objects of a device that is there.
    ///
    /// # Safety
    /// The device is one of this library, of this convention.
    pub unsafe fn of(library: Library, device: *mut c_void) -> Self {
        Self { library, device }
    }

    /// Another interface of an object; `None` where it has none.
    ///
    /// # Errors
    /// The model does not have the interface.
    ///
    /// # Safety
    /// As [`Maker::new`]; an object of this device, or the device.
    pub unsafe fn query(&self, object: *mut c_void, interface: &str) -> Result<Option<*mut c_void>> {
        let (id, mut out) = (iid(interface)?, core::ptr::null_mut());
        // SAFETY: by the caller's promise; every object has this method in slot 0.
        let result =
            unsafe { call!(WIN64, object, 0, (*const Guid, *mut *mut c_void) -> i32, (&raw const id, &raw mut out)) };
        Ok((result >= 0).then_some(out))
    }

    /// The answer to a feature that asks nothing of the program; `None` where the library does not know it.
    ///
    /// # Errors
    /// The model lacks `ID3D12Device`, which cannot be.
    ///
    /// # Safety
    /// As [`Maker::new`]; `T` is the feature's structure.
    pub unsafe fn feature<T: Default>(&self, feature: D3D12_FEATURE) -> Result<Option<T>> {
        let mut data = T::default();
        // SAFETY: by the caller's promise; the structure is ours.
        let result = unsafe {
            call!(WIN64, self.device, slot("ID3D12Device", "CheckFeatureSupport")?,
                (D3D12_FEATURE, *mut T, u32) -> i32, (feature, &raw mut data, size_of::<T>() as u32))
        };
        Ok((result >= 0).then_some(data))
    }

    /// A heap for buffers in the GPU's memory, of so many bytes.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn memory(&self, bytes: u64) -> Result<*mut c_void> {
        let desc = D3D12_HEAP_DESC {
            SizeInBytes: bytes,
            Properties: D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() },
            Flags: D3D12_HEAP_FLAGS::ALLOW_ONLY_BUFFERS,
            ..Default::default()
        };
        let (id, mut out) = (iid("ID3D12Heap")?, core::ptr::null_mut());
        // SAFETY: by the caller's promise; everything pointed to is ours.
        let code = unsafe {
            call!(WIN64, self.device, slot("ID3D12Device", "CreateHeap")?,
                (*const D3D12_HEAP_DESC, *const Guid, *mut *mut c_void) -> i32,
                (&raw const desc, &raw const id, &raw mut out))
        };
        check("CreateHeap", code)?;
        Ok(out)
    }

    /// `CreateX(kind, iid, out)`.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn create(&self, method: &str, interface: &str, kind: i32) -> Result<*mut c_void> {
        let mut out = core::ptr::null_mut();
        let id = iid(interface)?;
        // SAFETY: by the caller's promise; the out pointer is ours.
        let result = unsafe {
            call!(WIN64, self.device, slot("ID3D12Device", method)?,
                (i32, *const Guid, *mut *mut c_void) -> i32, (kind, &raw const id, &raw mut out))
        };
        check(method, result)?;
        Ok(out)
    }

    /// A direct command list, open.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::new`]; objects of this device.
    pub unsafe fn list(&self, allocator: *mut c_void, pipeline: *mut c_void) -> Result<*mut c_void> {
        let mut list = core::ptr::null_mut();
        let id = iid("ID3D12GraphicsCommandList")?;
        // SAFETY: by the caller's promise; the out pointer is ours.
        let result = unsafe {
            call!(WIN64, self.device, slot("ID3D12Device", "CreateCommandList")?,
                (u32, i32, *mut c_void, *mut c_void, *const Guid, *mut *mut c_void) -> i32,
                (0, 0, allocator, pipeline, &raw const id, &raw mut list))
        };
        check("CreateCommandList", result)?;
        Ok(list)
    }

    /// A descriptor heap with its first CPU and GPU descriptors.
    ///
    /// # Errors
    /// A call failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn heap(&self, kind: i32, number: u32, visible: bool) -> Result<(*mut c_void, u64, u64)> {
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
            let result = call!(WIN64, self.device, slot("ID3D12Device", "CreateDescriptorHeap")?,
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

    /// A resource of its own memory: `heap` is 1 for the GPU's, 2 for uploads.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn resource(&self, heap: i32, desc: &D3D12_RESOURCE_DESC) -> Result<*mut c_void> {
        let target = desc.Flags.0 & D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0 != 0;
        let state = match heap {
            2 => D3D12_RESOURCE_STATES::GENERIC_READ,
            _ if target => D3D12_RESOURCE_STATES::RENDER_TARGET,
            _ => D3D12_RESOURCE_STATES::COMMON,
        };
        // SAFETY: by the caller's promise.
        unsafe { self.resource_in(heap, desc, state) }
    }

    /// The same, in a state of the caller's choice.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn resource_in(
        &self,
        heap: i32,
        desc: &D3D12_RESOURCE_DESC,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<*mut c_void> {
        let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE(heap), ..Default::default() };
        let id = iid("ID3D12Resource")?;
        let mut out = core::ptr::null_mut();
        // SAFETY: by the caller's promise; everything pointed to is ours.
        let result = unsafe {
            call!(WIN64, self.device, slot("ID3D12Device", "CreateCommittedResource")?,
                (*const D3D12_HEAP_PROPERTIES, u32, *const D3D12_RESOURCE_DESC, D3D12_RESOURCE_STATES, *const c_void, *const Guid, *mut *mut c_void) -> i32,
                (&raw const properties, 0, desc, state, core::ptr::null(), &raw const id, &raw mut out))
        };
        check("CreateCommittedResource", result)?;
        Ok(out)
    }

    /// A buffer's address.
    ///
    /// # Errors
    /// The model lacks `ID3D12Resource`, which cannot be.
    ///
    /// # Safety
    /// As [`Maker::new`]; a buffer of this device.
    pub unsafe fn address(&self, buffer: *mut c_void) -> Result<u64> {
        // SAFETY: by the caller's promise.
        Ok(unsafe { call!(WIN64, buffer, slot("ID3D12Resource", "GetGPUVirtualAddress")?, () -> u64, ()) })
    }

    /// A root signature that allows input layouts.
    ///
    /// # Errors
    /// A call failed.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn root_signature(&self, parameters: &[D3D12_ROOT_PARAMETER]) -> Result<*mut c_void> {
        let desc = D3D12_ROOT_SIGNATURE_DESC {
            NumParameters: parameters.len() as u32,
            pParameters: parameters.as_ptr(),
            Flags: D3D12_ROOT_SIGNATURE_FLAGS::ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT,
            ..Default::default()
        };
        let (mut blob, mut error): (*mut c_void, *mut c_void) = (core::ptr::null_mut(), core::ptr::null_mut());
        let mut out = core::ptr::null_mut();
        let id = iid("ID3D12RootSignature")?;
        // SAFETY: by the caller's promise; everything pointed to is ours.
        unsafe {
            let result = call_at!(WIN64, self.library.export("D3D12SerializeRootSignature")?,
                (*const D3D12_ROOT_SIGNATURE_DESC, i32, *mut *mut c_void, *mut *mut c_void) -> i32,
                (&raw const desc, 1, &raw mut blob, &raw mut error));
            check("D3D12SerializeRootSignature", result)?;
            let bytes = call!(WIN64, blob, 3, () -> *const c_void, ());
            let size = call!(WIN64, blob, 4, () -> usize, ());
            let result = call!(WIN64, self.device, slot("ID3D12Device", "CreateRootSignature")?,
                (u32, *const c_void, usize, *const Guid, *mut *mut c_void) -> i32,
                (0, bytes, size, &raw const id, &raw mut out));
            check("CreateRootSignature", result)?;
        }
        Ok(out)
    }

    /// A pipeline with a vertex shader only, for one target; `input` makes it read a position from vertex buffer 0.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::new`]; a root signature of this device.
    pub unsafe fn pipeline(&self, root_signature: *mut c_void, input: bool) -> Result<*mut c_void> {
        // SAFETY: by the caller's promise.
        unsafe { self.pipeline_of(root_signature, input, &dxbc::vertex_shader(input)) }
    }

    /// The same with a vertex shader of its own, which has an input or not.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::pipeline`].
    pub unsafe fn pipeline_of(&self, root_signature: *mut c_void, input: bool, shader: &[u8]) -> Result<*mut c_void> {
        const POSITION: &CStr = c"POSITION";
        let element = D3D12_INPUT_ELEMENT_DESC {
            SemanticName: POSITION.as_ptr().cast(),
            Format: DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT,
            ..Default::default()
        };
        let mut desc = D3D12_GRAPHICS_PIPELINE_STATE_DESC {
            pRootSignature: root_signature,
            VS: code(shader),
            SampleMask: u32::MAX,
            InputLayout: D3D12_INPUT_LAYOUT_DESC { pInputElementDescs: &raw const element, NumElements: input.into() },
            PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE,
            NumRenderTargets: 1,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            ..Default::default()
        };
        desc.RTVFormats[0] = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
        desc.RasterizerState.FillMode = D3D12_FILL_MODE::SOLID;
        desc.RasterizerState.CullMode = D3D12_CULL_MODE::NONE;
        desc.BlendState.RenderTarget[0].RenderTargetWriteMask = 15;
        // SAFETY: by the caller's promise.
        unsafe { self.state("CreateGraphicsPipelineState", (&raw const desc).cast()) }
    }

    /// A compute pipeline whose shader does nothing.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::new`]; a root signature of this device.
    pub unsafe fn compute(&self, root_signature: *mut c_void) -> Result<*mut c_void> {
        // SAFETY: by the caller's promise.
        unsafe { self.compute_of(root_signature, &dxbc::compute_shader()) }
    }

    /// The same with a shader of its own.
    ///
    /// # Errors
    /// The call failed.
    ///
    /// # Safety
    /// As [`Maker::compute`].
    pub unsafe fn compute_of(&self, root_signature: *mut c_void, shader: &[u8]) -> Result<*mut c_void> {
        let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC {
            pRootSignature: root_signature,
            CS: code(shader),
            ..Default::default()
        };
        // SAFETY: by the caller's promise.
        unsafe { self.state("CreateComputePipelineState", (&raw const desc).cast()) }
    }

    /// A pipeline of a mesh shader and a pixel shader, for one target of four 32-bit numbers.
    ///
    /// # Errors
    /// The call failed, or the device has no `ID3D12Device2`.
    ///
    /// # Safety
    /// As [`Maker::new`]; a root signature of this device.
    pub unsafe fn meshes(&self, root_signature: *mut c_void, mesh: &[u8], pixel: &[u8]) -> Result<*mut c_void> {
        /// A pipeline state stream: each subobject begins at a multiple of 8 bytes.
        #[repr(C, align(8))]
        struct Subobject<T>(D3D12_PIPELINE_STATE_SUBOBJECT_TYPE, T);
        #[repr(C)]
        struct Stream {
            root: Subobject<*mut c_void>,
            mesh: Subobject<D3D12_SHADER_BYTECODE>,
            pixel: Subobject<D3D12_SHADER_BYTECODE>,
            rasterizer: Subobject<D3D12_RASTERIZER_DESC>,
            blend: Subobject<D3D12_BLEND_DESC>,
            targets: Subobject<D3D12_RT_FORMAT_ARRAY>,
        }
        use D3D12_PIPELINE_STATE_SUBOBJECT_TYPE as Type;
        let mut stream = Stream {
            root: Subobject(Type::ROOT_SIGNATURE, root_signature),
            mesh: Subobject(Type::MS, code(mesh)),
            pixel: Subobject(Type::PS, code(pixel)),
            rasterizer: Subobject(Type::RASTERIZER, D3D12_RASTERIZER_DESC::default()),
            blend: Subobject(Type::BLEND, D3D12_BLEND_DESC::default()),
            targets: Subobject(Type::RENDER_TARGET_FORMATS, D3D12_RT_FORMAT_ARRAY::default()),
        };
        stream.rasterizer.1.FillMode = D3D12_FILL_MODE::SOLID;
        stream.rasterizer.1.CullMode = D3D12_CULL_MODE::NONE;
        stream.blend.1.RenderTarget[0].RenderTargetWriteMask = 15;
        stream.targets.1.NumRenderTargets = 1;
        stream.targets.1.RTFormats[0] = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
        let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
            SizeInBytes: size_of::<Stream>() as u64,
            pPipelineStateSubobjectStream: (&raw mut stream).cast(),
        };
        let (id, mut out) = (iid("ID3D12PipelineState")?, core::ptr::null_mut());
        // SAFETY: by the caller's promise; everything pointed to is ours.
        let result = unsafe {
            let device = self.query(self.device, "ID3D12Device2")?.context("the device has no ID3D12Device2")?;
            call!(WIN64, device, slot("ID3D12Device2", "CreatePipelineState")?,
                (*const D3D12_PIPELINE_STATE_STREAM_DESC, *const Guid, *mut *mut c_void) -> i32,
                (&raw const desc, &raw const id, &raw mut out))
        };
        check("CreatePipelineState", result)?;
        Ok(out)
    }

    unsafe fn state(&self, method: &str, desc: *const c_void) -> Result<*mut c_void> {
        let id = iid("ID3D12PipelineState")?;
        let mut out = core::ptr::null_mut();
        // SAFETY: by the caller's promise; everything pointed to is ours.
        let result = unsafe {
            call!(WIN64, self.device, slot("ID3D12Device", method)?,
                (*const c_void, *const Guid, *mut *mut c_void) -> i32, (desc, &raw const id, &raw mut out))
        };
        check(method, result)?;
        Ok(out)
    }
}

fn code(shader: &[u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE { pShaderBytecode: shader.as_ptr().cast(), BytecodeLength: shader.len() as u64 }
}

/// A root table of one range of one CBV at b0.
pub fn table(range: &D3D12_DESCRIPTOR_RANGE) -> D3D12_ROOT_PARAMETER {
    let table = D3D12_ROOT_DESCRIPTOR_TABLE { NumDescriptorRanges: 1, pDescriptorRanges: range };
    D3D12_ROOT_PARAMETER {
        ParameterType: D3D12_ROOT_PARAMETER_TYPE::TYPE_DESCRIPTOR_TABLE,
        Anonymous: D3D12_ROOT_PARAMETER_1 { DescriptorTable: table },
        ..Default::default()
    }
}

/// One range of one CBV at b0.
pub fn range() -> D3D12_DESCRIPTOR_RANGE {
    D3D12_DESCRIPTOR_RANGE {
        RangeType: D3D12_DESCRIPTOR_RANGE_TYPE::CBV,
        NumDescriptors: 1,
        OffsetInDescriptorsFromTableStart: u32::MAX,
        ..Default::default()
    }
}

/// Four root constants at b1.
pub fn constants() -> D3D12_ROOT_PARAMETER {
    let constants = D3D12_ROOT_CONSTANTS { ShaderRegister: 1, RegisterSpace: 0, Num32BitValues: 4 };
    D3D12_ROOT_PARAMETER {
        ParameterType: D3D12_ROOT_PARAMETER_TYPE::TYPE_32BIT_CONSTANTS,
        Anonymous: D3D12_ROOT_PARAMETER_1 { Constants: constants },
        ..Default::default()
    }
}

/// A root CBV at b2.
pub fn constant_buffer() -> D3D12_ROOT_PARAMETER {
    let descriptor = D3D12_ROOT_DESCRIPTOR { ShaderRegister: 2, RegisterSpace: 0 };
    D3D12_ROOT_PARAMETER {
        ParameterType: D3D12_ROOT_PARAMETER_TYPE::TYPE_CBV,
        Anonymous: D3D12_ROOT_PARAMETER_1 { Descriptor: descriptor },
        ..Default::default()
    }
}

/// A buffer.
pub fn buffer_desc(size: u64) -> D3D12_RESOURCE_DESC {
    description::buffer(size, D3D12_RESOURCE_FLAGS::default())
}

/// A square texture of 32 bits a texel with one level.
pub fn texture_desc(size: u32, flags: D3D12_RESOURCE_FLAGS) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: size.into(),
        Height: size,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Flags: flags,
        ..Default::default()
    }
}
