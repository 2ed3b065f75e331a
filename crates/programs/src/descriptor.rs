//! Descriptor heaps, and the views that are written into them.

use crate::buffer::Buffer;
use crate::com::{Com, Null, call, create};
use crate::device::Device;
use crate::failure::Failure;
use reprise_d3d12::types::*;

/// A descriptor heap.
pub(crate) struct Heap {
    pub(crate) com: Com,
    device: Com,
    kind: D3D12_DESCRIPTOR_HEAP_TYPE,
    pub(crate) count: u32,
    cpu: D3D12_CPU_DESCRIPTOR_HANDLE,
    /// 0 where shaders do not see the heap.
    gpu: D3D12_GPU_DESCRIPTOR_HANDLE,
    /// Bytes between descriptors.
    increment: u32,
}

impl Heap {
    /// A heap of views that shaders see.
    pub(crate) fn visible(device: &Device, count: u32) -> Result<Self, Failure> {
        Self::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV, count, true)
    }

    /// A heap of views to copy from.
    pub(crate) fn staging(device: &Device, count: u32) -> Result<Self, Failure> {
        Self::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV, count, false)
    }

    /// Any heap.
    pub(crate) fn new(
        device: &Device,
        kind: D3D12_DESCRIPTOR_HEAP_TYPE,
        count: u32,
        visible: bool,
    ) -> Result<Self, Failure> {
        let flags =
            if visible { D3D12_DESCRIPTOR_HEAP_FLAGS::SHADER_VISIBLE } else { D3D12_DESCRIPTOR_HEAP_FLAGS::NONE };
        let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: count, Flags: flags, NodeMask: 0 };
        let com = create!(device.com, "ID3D12Device", "CreateDescriptorHeap", &raw const desc; "ID3D12DescriptorHeap")?;
        let mut cpu = D3D12_CPU_DESCRIPTOR_HANDLE::default();
        call!(com, "ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart", &raw mut cpu);
        let mut gpu = D3D12_GPU_DESCRIPTOR_HANDLE::default();
        if visible {
            call!(com, "ID3D12DescriptorHeap", "GetGPUDescriptorHandleForHeapStart", &raw mut gpu);
        }
        let increment = call!(device.com, "ID3D12Device", "GetDescriptorHandleIncrementSize", kind.0) as u32;
        Ok(Self { com, device: device.com.clone(), kind, count, cpu, gpu, increment })
    }

    /// A descriptor as the processor names it.
    ///
    /// # Panics
    /// When the heap has no such descriptor.
    pub(crate) fn cpu(&self, index: u32) -> D3D12_CPU_DESCRIPTOR_HANDLE {
        assert!(index < self.count, "descriptor {index} of {}", self.count);
        D3D12_CPU_DESCRIPTOR_HANDLE { ptr: self.cpu.ptr + u64::from(index) * u64::from(self.increment) }
    }

    /// A descriptor as lists name it.
    ///
    /// # Panics
    /// When the heap has no such descriptor, or shaders do not see it.
    pub(crate) fn gpu(&self, index: u32) -> D3D12_GPU_DESCRIPTOR_HANDLE {
        assert!(index < self.count && self.gpu.ptr != 0, "descriptor {index} of {}", self.count);
        D3D12_GPU_DESCRIPTOR_HANDLE { ptr: self.gpu.ptr + u64::from(index) * u64::from(self.increment) }
    }

    /// Copies descriptors that follow each other in both heaps, which are of one kind.
    pub(crate) fn copy(&self, to: u32, from: &Heap, first: u32, count: u32) {
        let (to, from) = (self.cpu(to).ptr, from.cpu(first).ptr);
        call!(self.device, "ID3D12Device", "CopyDescriptorsSimple", count, to, from, self.kind.0);
    }

    /// Copies ranges to ranges, each (first, count); the same number of descriptors on both sides.
    pub(crate) fn copy_ranges(&self, to: &[(u32, u32)], from: &Heap, ranges: &[(u32, u32)]) {
        let split = |heap: &Heap, ranges: &[(u32, u32)]| -> (Vec<D3D12_CPU_DESCRIPTOR_HANDLE>, Vec<u32>) {
            ranges.iter().map(|&(first, count)| (heap.cpu(first), count)).unzip()
        };
        let (to_starts, to_sizes) = split(self, to);
        let (from_starts, from_sizes) = split(from, ranges);
        call!(
            self.device,
            "ID3D12Device",
            "CopyDescriptors",
            to_starts.len() as u32,
            to_starts.as_ptr(),
            to_sizes.as_ptr(),
            from_starts.len() as u32,
            from_starts.as_ptr(),
            from_sizes.as_ptr(),
            self.kind.0
        );
    }

    /// Writes a view of anything to read.
    pub(crate) fn srv(&self, index: u32, resource: &Com, desc: &D3D12_SHADER_RESOURCE_VIEW_DESC) {
        let at = self.cpu(index).ptr;
        call!(self.device, "ID3D12Device", "CreateShaderResourceView", resource, &raw const *desc, at);
    }

    /// Writes a view of the acceleration structure at an address; 0: of none.
    pub(crate) fn structure(&self, index: u32, address: u64) {
        let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
            ViewDimension: D3D12_SRV_DIMENSION::RAYTRACING_ACCELERATION_STRUCTURE,
            Shader4ComponentMapping: AS_IS,
            ..Default::default()
        };
        desc.Anonymous.RaytracingAccelerationStructure =
            D3D12_RAYTRACING_ACCELERATION_STRUCTURE_SRV { Location: address };
        let at = self.cpu(index).ptr;
        call!(self.device, "ID3D12Device", "CreateShaderResourceView", Null, &raw const desc, at);
    }

    /// Writes a view of anything to write.
    pub(crate) fn uav(&self, index: u32, resource: &Com, desc: &D3D12_UNORDERED_ACCESS_VIEW_DESC) {
        let at = self.cpu(index).ptr;
        call!(self.device, "ID3D12Device", "CreateUnorderedAccessView", resource, Null, &raw const *desc, at);
    }

    /// Writes a constant buffer view; `size` is a multiple of 256.
    pub(crate) fn cbv(&self, index: u32, address: u64, size: u32) {
        let desc = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: address, SizeInBytes: size };
        call!(self.device, "ID3D12Device", "CreateConstantBufferView", &raw const desc, self.cpu(index).ptr);
    }

    /// Writes a view of a buffer to read.
    pub(crate) fn buffer_srv(&self, index: u32, buffer: &Buffer, elements: Elements) {
        let (format, stride, raw) = elements.form();
        let flags = if raw { D3D12_BUFFER_SRV_FLAGS::RAW } else { D3D12_BUFFER_SRV_FLAGS::NONE };
        let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_SRV_DIMENSION::BUFFER,
            Shader4ComponentMapping: AS_IS,
            ..Default::default()
        };
        desc.Anonymous.Buffer = D3D12_BUFFER_SRV {
            FirstElement: elements.first,
            NumElements: elements.count,
            StructureByteStride: stride,
            Flags: flags,
        };
        self.srv(index, &buffer.com, &desc);
    }

    /// Writes a view of a buffer to write.
    pub(crate) fn buffer_uav(&self, index: u32, buffer: &Buffer, elements: Elements) {
        let (format, stride, raw) = elements.form();
        let flags = if raw { D3D12_BUFFER_UAV_FLAGS::RAW } else { D3D12_BUFFER_UAV_FLAGS::NONE };
        let mut desc = D3D12_UNORDERED_ACCESS_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_UAV_DIMENSION::BUFFER,
            ..Default::default()
        };
        desc.Anonymous.Buffer = D3D12_BUFFER_UAV {
            FirstElement: elements.first,
            NumElements: elements.count,
            StructureByteStride: stride,
            CounterOffsetInBytes: 0,
            Flags: flags,
        };
        self.uav(index, &buffer.com, &desc);
    }
}

/// Components in their own order (`D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING`).
pub(crate) const AS_IS: u32 = 0x1688;

/// The part of a buffer that a view shows, and as what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    first: u64,
    count: u32,
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// Words of 32 bits.
    Raw,
    /// Structures of so many bytes.
    Structured(u32),
    Typed(DXGI_FORMAT),
}

impl Elements {
    /// Words of 32 bits.
    pub(crate) fn raw(first: u64, count: u32) -> Self {
        Self { first, count, form: Form::Raw }
    }

    /// Structures of `stride` bytes.
    pub(crate) fn structured(first: u64, count: u32, stride: u32) -> Self {
        Self { first, count, form: Form::Structured(stride) }
    }

    /// Texels of a format.
    pub(crate) fn typed(first: u64, count: u32, format: DXGI_FORMAT) -> Self {
        Self { first, count, form: Form::Typed(format) }
    }

    /// Format, stride, and whether the view is raw.
    fn form(self) -> (DXGI_FORMAT, u32, bool) {
        match self.form {
            Form::Raw => (DXGI_FORMAT::FORMAT_R32_TYPELESS, 0, true),
            Form::Structured(stride) => (DXGI_FORMAT::FORMAT_UNKNOWN, stride, false),
            Form::Typed(format) => (format, 0, false),
        }
    }
}
