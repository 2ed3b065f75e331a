//! Descriptors of every kind, created and copied the way a C program does it. Needs a Vulkan 1.3 driver (lavapipe does).
//!
//! `validation_says_nothing` runs the others again in processes of their own, under Vulkan's validation layer where it is
//! installed, with every sharing of descriptor arrays.
#![allow(clippy::unwrap_used)]

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use reprise_com::Object;
use reprise_com::result::*;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_gpu::descriptor::record::{Record, RecordKind as Kind};
use reprise_runtime::descriptor::DescriptorHeap;
use reprise_runtime::descriptor::heap::record;
use reprise_runtime::entry;

type Cpu = D3D12_CPU_DESCRIPTOR_HANDLE;
const STEP: u64 = 64;

/// Calls a method by name with the argument types given.
macro_rules! call {
    ($object:expr, $owner:literal $name:literal ($($arg:expr => $ty:ty),*) -> $result:ty) => {{
        let object: *mut c_void = $object;
        let slot = usize::from(method($owner, $name).get().slot);
        // SAFETY: the object has the interface, and the types are those of the method.
        unsafe {
            let function = *(*object.cast::<*const *const c_void>()).add(slot);
            let function: unsafe extern "C" fn(*mut c_void, $($ty),*) -> $result = core::mem::transmute(function);
            function(object, $($arg),*)
        }
    }};
}

fn release(object: *mut c_void) -> u32 {
    call!(object, "IUnknown" "Release" () -> u32)
}

fn device() -> *mut c_void {
    let mut out = null_mut();
    // SAFETY: no adapter is named, the id is of the model and lives as long as the process, and the place is a local.
    let made = unsafe {
        entry::create_device(null_mut(), D3D_FEATURE_LEVEL::LEVEL_11_0, &interface("ID3D12Device").get().iid, &mut out)
    };
    assert_eq!(made, S_OK, "is there a Vulkan 1.3 driver?");
    out
}

struct Heap {
    object: *mut c_void,
    start: Cpu,
}

impl Heap {
    fn new(device: *mut c_void, kind: D3D12_DESCRIPTOR_HEAP_TYPE, count: u32, visible: bool) -> Heap {
        let desc = D3D12_DESCRIPTOR_HEAP_DESC {
            Type: kind,
            NumDescriptors: count,
            Flags: D3D12_DESCRIPTOR_HEAP_FLAGS(visible.into()),
            NodeMask: 0,
        };
        let mut object = null_mut();
        let made = call!(device, "ID3D12Device" "CreateDescriptorHeap"
            (&raw const desc => *const D3D12_DESCRIPTOR_HEAP_DESC, &raw const interface("ID3D12DescriptorHeap").get().iid => *const Guid,
             &raw mut object => *mut *mut c_void) -> i32);
        assert_eq!(made, S_OK);
        let mut start = Cpu { ptr: 0 };
        call!(object, "ID3D12DescriptorHeap" "GetCPUDescriptorHandleForHeapStart" (&raw mut start => *mut Cpu) -> *mut Cpu);
        Heap { object, start }
    }

    fn at(&self, index: u64) -> Cpu {
        Cpu { ptr: self.start.ptr + index * STEP }
    }

    fn heap(&self) -> &Object<DescriptorHeap> {
        // SAFETY: ours, alive.
        unsafe { Object::from_pointer(self.object) }.unwrap()
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        assert_eq!(release(self.object), 0);
    }
}

const DEFAULT: D3D12_HEAP_TYPE = D3D12_HEAP_TYPE::DEFAULT;

fn resource(device: *mut c_void, desc: &D3D12_RESOURCE_DESC) -> *mut c_void {
    let properties = D3D12_HEAP_PROPERTIES { Type: DEFAULT, ..Default::default() };
    let mut out = null_mut();
    let made = call!(device, "ID3D12Device" "CreateCommittedResource"
        (&raw const properties => *const D3D12_HEAP_PROPERTIES, D3D12_HEAP_FLAGS(0) => D3D12_HEAP_FLAGS,
         core::ptr::from_ref(desc) => *const D3D12_RESOURCE_DESC, D3D12_RESOURCE_STATES(0) => D3D12_RESOURCE_STATES,
         null() => *const D3D12_CLEAR_VALUE, &raw const interface("ID3D12Resource").get().iid => *const Guid,
         &raw mut out => *mut *mut c_void) -> i32);
    assert_eq!(made, S_OK);
    out
}

fn buffer(device: *mut c_void, size: u64) -> *mut c_void {
    resource(
        device,
        &D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
            Width: size,
            Height: 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
            Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS,
            ..Default::default()
        },
    )
}

#[allow(clippy::too_many_arguments, reason = "a texture has as many sides")]
fn texture(
    device: *mut c_void,
    dimension: D3D12_RESOURCE_DIMENSION,
    format: DXGI_FORMAT,
    height: u32,
    layers: u16,
    levels: u16,
    samples: u32,
    flags: D3D12_RESOURCE_FLAGS,
) -> *mut c_void {
    resource(
        device,
        &D3D12_RESOURCE_DESC {
            Dimension: dimension,
            Width: 64,
            Height: height,
            DepthOrArraySize: layers,
            MipLevels: levels,
            Format: format,
            SampleDesc: DXGI_SAMPLE_DESC { Count: samples, Quality: 0 },
            Flags: flags,
            ..Default::default()
        },
    )
}

/// The descriptor behind a handle of a living heap, which nobody writes meanwhile.
fn read(at: Cpu) -> Record {
    // SAFETY: the tests use handles of their own heaps, on one thread.
    unsafe { record(at) }.unwrap()
}

fn try_srv(device: *mut c_void, resource: *mut c_void, desc: *const D3D12_SHADER_RESOURCE_VIEW_DESC, at: Cpu) -> i32 {
    let mut newest = null_mut();
    let asked = call!(device, "IUnknown" "QueryInterface"
        (&raw const interface("ID3D12Device15").get().iid => *const Guid, &raw mut newest => *mut *mut c_void) -> i32);
    assert_eq!(asked, S_OK);
    release(newest);
    call!(device, "ID3D12Device15" "TryCreateShaderResourceView"
        (resource => *mut c_void, desc => *const D3D12_SHADER_RESOURCE_VIEW_DESC, at => Cpu) -> i32)
}

fn try_uav(
    device: *mut c_void,
    resource: *mut c_void,
    counter: *mut c_void,
    desc: *const D3D12_UNORDERED_ACCESS_VIEW_DESC,
    at: Cpu,
) -> i32 {
    call!(device, "ID3D12Device15" "TryCreateUnorderedAccessView"
        (resource => *mut c_void, counter => *mut c_void, desc => *const D3D12_UNORDERED_ACCESS_VIEW_DESC, at => Cpu) -> i32)
}

fn cbv(device: *mut c_void, address: u64, size: u32, at: Cpu) {
    let desc = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: address, SizeInBytes: size };
    call!(device, "ID3D12Device" "CreateConstantBufferView"
        (&raw const desc => *const D3D12_CONSTANT_BUFFER_VIEW_DESC, at => Cpu) -> ());
}

fn copy(device: *mut c_void, count: u32, to: Cpu, from: Cpu) {
    call!(device, "ID3D12Device" "CopyDescriptorsSimple"
        (count => u32, to => Cpu, from => Cpu, VIEWS => D3D12_DESCRIPTOR_HEAP_TYPE) -> ());
}

const VIEWS: D3D12_DESCRIPTOR_HEAP_TYPE = D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV;
const RGBA: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
use D3D12_RESOURCE_DIMENSION as Dimension;
use D3D12_RESOURCE_FLAGS as Flags;
use D3D12_SRV_DIMENSION as Srv;
use D3D12_UAV_DIMENSION as Uav;

/// A texture's views: dimension of the SRV and of the UAV, 0 for none.
type Case = (Dimension, DXGI_FORMAT, u32, u16, u16, u32, Flags, &'static [i32], &'static [i32]);

const CASES: &[Case] = &[
    (Dimension::TEXTURE1D, RGBA, 1, 1, 3, 1, Flags::ALLOW_UNORDERED_ACCESS, &[2, 3], &[2, 3]),
    (Dimension::TEXTURE1D, RGBA, 1, 4, 3, 1, Flags::ALLOW_UNORDERED_ACCESS, &[2, 3], &[2, 3]),
    (Dimension::TEXTURE2D, RGBA, 64, 1, 3, 1, Flags::ALLOW_UNORDERED_ACCESS, &[4, 5], &[4, 5]),
    (Dimension::TEXTURE2D, RGBA, 64, 12, 3, 1, Flags::ALLOW_UNORDERED_ACCESS, &[4, 5, 9, 10], &[4, 5]),
    (Dimension::TEXTURE2D, RGBA, 64, 1, 1, 4, Flags::ALLOW_RENDER_TARGET, &[6, 7], &[]),
    (Dimension::TEXTURE2D, RGBA, 64, 3, 1, 4, Flags::ALLOW_RENDER_TARGET, &[6, 7], &[]),
    (Dimension::TEXTURE3D, RGBA, 64, 8, 3, 1, Flags::ALLOW_UNORDERED_ACCESS, &[8], &[8]),
    (Dimension::TEXTURE2D, DXGI_FORMAT::FORMAT_BC3_UNORM, 64, 6, 3, 1, Flags::NONE, &[4, 5, 9, 10], &[]),
    (Dimension::TEXTURE2D, DXGI_FORMAT::FORMAT_R32_FLOAT, 64, 1, 1, 1, Flags::ALLOW_UNORDERED_ACCESS, &[4], &[4]),
];

fn srv_desc(format: DXGI_FORMAT, dimension: i32) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: format,
        ViewDimension: Srv(dimension),
        Shader4ComponentMapping: 0x1688,
        ..Default::default()
    };
    match desc.ViewDimension {
        Srv::TEXTURE2DMSARRAY => {
            desc.Anonymous.Texture2DMSArray = D3D12_TEX2DMS_ARRAY_SRV { FirstArraySlice: 0, ArraySize: u32::MAX }
        }
        // Level 0, all levels, first layer 0, all layers: the other members are at the same places.
        _ => {
            desc.Anonymous.Texture2DArray =
                D3D12_TEX2D_ARRAY_SRV { MipLevels: u32::MAX, ArraySize: u32::MAX, ..Default::default() }
        }
    }
    if desc.ViewDimension == Srv::TEXTURECUBE || desc.ViewDimension == Srv::TEXTURE2D {
        // In these, what follows the levels is the plane or the least level.
        desc.Anonymous.Texture2DArray.MostDetailedMip = 0;
        desc.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: u32::MAX, ..Default::default() };
    }
    desc
}

fn uav_desc(format: DXGI_FORMAT, dimension: i32) -> D3D12_UNORDERED_ACCESS_VIEW_DESC {
    let mut desc =
        D3D12_UNORDERED_ACCESS_VIEW_DESC { Format: format, ViewDimension: Uav(dimension), ..Default::default() };
    if matches!(desc.ViewDimension, Uav::TEXTURE1DARRAY | Uav::TEXTURE2DARRAY | Uav::TEXTURE3D) {
        desc.Anonymous.Texture3D = D3D12_TEX3D_UAV { MipSlice: 0, FirstWSlice: 0, WSize: u32::MAX };
    }
    desc
}

fn buffer_srv(format: DXGI_FORMAT, first: u64, count: u32, stride: u32, raw: bool) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut desc = srv_desc(format, 1);
    desc.Anonymous.Buffer = D3D12_BUFFER_SRV {
        FirstElement: first,
        NumElements: count,
        StructureByteStride: stride,
        Flags: D3D12_BUFFER_SRV_FLAGS(raw.into()),
    };
    desc
}

#[test]
fn every_view_is_created_copied_and_destroyed() {
    let device = device();
    let (cpu, gpu) = (Heap::new(device, VIEWS, 256, false), Heap::new(device, VIEWS, 256, true));
    let mut used = 0;
    let mut resources = Vec::new();
    let mut next = |kind: Kind, make: &dyn Fn(Cpu) -> i32| {
        for heap in [&cpu, &gpu] {
            assert_eq!(make(heap.at(used)), S_OK, "descriptor {used}");
            assert_eq!(read(heap.at(used)).kind, kind);
        }
        used += 1;
    };
    for &(dimension, format, height, layers, levels, samples, flags, srvs, uavs) in CASES {
        let texture = texture(device, dimension, format, height, layers, levels, samples, flags);
        resources.push(texture);
        next(Kind::SampledImage, &|at| try_srv(device, texture, null(), at));
        for &view in srvs {
            let desc = srv_desc(DXGI_FORMAT::FORMAT_UNKNOWN, view);
            next(Kind::SampledImage, &|at| try_srv(device, texture, &desc, at));
        }
        for &view in uavs {
            let desc = uav_desc(format, view);
            next(Kind::StorageImage, &|at| try_uav(device, texture, null_mut(), &desc, at));
        }
    }
    let data = buffer(device, 1 << 16);
    resources.push(data);
    use DXGI_FORMAT as D;
    for desc in [
        buffer_srv(D::FORMAT_R32_TYPELESS, 4, 100, 0, true),
        buffer_srv(D::FORMAT_UNKNOWN, 3, 100, 20, false),
        buffer_srv(D::FORMAT_R32_FLOAT, 1, 100, 0, false),
        buffer_srv(D::FORMAT_R8G8B8A8_UNORM, 7, 100, 0, false),
        buffer_srv(D::FORMAT_R16G16B16A16_FLOAT, 7, 10, 0, false),
    ] {
        next(Kind::ReadBuffer, &|at| try_srv(device, data, &desc, at));
        next(Kind::ReadBuffer, &|at| try_srv(device, null_mut(), &desc, at));
        let mut write = uav_desc(desc.Format, 1);
        // SAFETY: plain numbers.
        let read = unsafe { desc.Anonymous.Buffer };
        write.Anonymous.Buffer = D3D12_BUFFER_UAV {
            FirstElement: read.FirstElement,
            NumElements: read.NumElements,
            StructureByteStride: read.StructureByteStride,
            CounterOffsetInBytes: 0,
            Flags: D3D12_BUFFER_UAV_FLAGS(read.Flags.0),
        };
        next(Kind::WriteBuffer, &|at| try_uav(device, data, null_mut(), &write, at));
        next(Kind::WriteBuffer, &|at| try_uav(device, null_mut(), null_mut(), &write, at));
        next(Kind::WriteBuffer, &|at| try_uav(device, data, data, &write, at));
    }
    for view in 2..=10 {
        let desc = srv_desc(RGBA, view);
        next(Kind::SampledImage, &|at| try_srv(device, null_mut(), &desc, at));
    }
    for view in 2..=8 {
        let desc = uav_desc(RGBA, view);
        next(Kind::StorageImage, &|at| try_uav(device, null_mut(), null_mut(), &desc, at));
    }
    let address = call!(data, "ID3D12Resource" "GetGPUVirtualAddress" () -> u64);
    for (address, size) in [(address, 256), (address + 512, 1 << 15), (0, 0)] {
        next(Kind::ConstantBuffer, &|at| {
            cbv(device, address, size, at);
            S_OK
        });
    }
    assert!(used < 128);
    // All of them, one by one backwards and at once, and those that were never written.
    for at in 0..128 {
        copy(device, 1, gpu.at(255 - at), cpu.at(at));
    }
    copy(device, 128, gpu.at(64), cpu.at(100));
    copy(device, 128, gpu.at(0), cpu.at(0));
    copy(device, 128, cpu.at(128), cpu.at(0));
    drop((cpu, gpu));
    for resource in resources {
        assert_eq!(release(resource), 0);
    }
    release(device);
}

#[test]
fn offsets_and_counters_reach_the_shaders_buffers() {
    let device = device();
    let (cpu, gpu) = (Heap::new(device, VIEWS, 8, false), Heap::new(device, VIEWS, 8, true));
    let data = buffer(device, 4096);
    let base = call!(data, "ID3D12Resource" "GetGPUVirtualAddress" () -> u64);
    let mut desc = uav_desc(DXGI_FORMAT::FORMAT_UNKNOWN, 1);
    desc.Anonymous.Buffer = D3D12_BUFFER_UAV {
        FirstElement: 5,
        NumElements: 9,
        StructureByteStride: 20,
        CounterOffsetInBytes: 4092,
        Flags: D3D12_BUFFER_UAV_FLAGS::NONE,
    };
    assert_eq!(try_uav(device, data, data, &desc, cpu.at(2)), S_OK);
    copy(device, 1, gpu.at(6), cpu.at(2));
    let (entry, counter) = gpu.heap().published(6).unwrap();
    // Byte 100 of the buffer: 180 bytes, or words 25 to 70. Typed descriptors that are made of addresses begin with their view.
    let first = if std::env::var("REPRISE_DESCRIPTORS").is_ok_and(|way| way == "buffers") { 0 } else { 25 };
    let made = read(gpu.at(6));
    assert_eq!((entry.byte_count, entry.element_offset, entry.element_count), (180, first, 45));
    assert_eq!(made.offset + u64::from(entry.byte_offset), base_offset(&made, 100));
    assert_eq!(counter, base + 4092);
    // A texture in the same place leaves nothing of it.
    let srv = srv_desc(RGBA, 4);
    assert_eq!(try_srv(device, null_mut(), &srv, gpu.at(6)), S_OK);
    assert_eq!(gpu.heap().published(6).unwrap(), Default::default());
    // Behind the heap is a null, and behind that nothing.
    assert_eq!(gpu.heap().published(8).unwrap(), Default::default());
    assert_eq!(gpu.heap().published(9), None);
    // A counter outside of its buffer.
    desc.Anonymous.Buffer.CounterOffsetInBytes = 4096;
    assert_eq!(try_uav(device, data, data, &desc, cpu.at(2)), E_INVALIDARG);
    drop((cpu, gpu));
    release(data);
    release(device);
}

/// Where byte `at` of the test's buffer is in the Vulkan buffer: the descriptor begins at most 256 bytes before.
fn base_offset(made: &Record, at: u64) -> u64 {
    let begin = made.offset + u64::from(made.entry.byte_offset);
    assert_eq!(begin % 256, at, "buffers begin at multiples of 256");
    begin
}

#[test]
fn targets_say_what_they_show() {
    let device = device();
    let targets = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 8, false);
    let depths = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::DSV, 8, false);
    let color = texture(device, Dimension::TEXTURE2D, RGBA, 32, 6, 4, 1, Flags::ALLOW_RENDER_TARGET);
    let volume = texture(device, Dimension::TEXTURE3D, RGBA, 32, 8, 2, 1, Flags::ALLOW_RENDER_TARGET);
    let depth = texture(
        device,
        Dimension::TEXTURE2D,
        DXGI_FORMAT::FORMAT_D32_FLOAT_S8X24_UINT,
        32,
        1,
        1,
        1,
        Flags::ALLOW_DEPTH_STENCIL,
    );
    let rtv = |resource: *mut c_void, desc: *const D3D12_RENDER_TARGET_VIEW_DESC, at: Cpu| {
        call!(device, "ID3D12Device" "CreateRenderTargetView"
            (resource => *mut c_void, desc => *const D3D12_RENDER_TARGET_VIEW_DESC, at => Cpu) -> ());
    };
    let dsv = |resource: *mut c_void, desc: *const D3D12_DEPTH_STENCIL_VIEW_DESC, at: Cpu| {
        call!(device, "ID3D12Device" "CreateDepthStencilView"
            (resource => *mut c_void, desc => *const D3D12_DEPTH_STENCIL_VIEW_DESC, at => Cpu) -> ());
    };
    let target = |at: Cpu| read(at).target().unwrap();
    let mut desc = D3D12_RENDER_TARGET_VIEW_DESC {
        Format: DXGI_FORMAT::FORMAT_UNKNOWN,
        ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2DARRAY,
        ..Default::default()
    };
    desc.Anonymous.Texture2DArray =
        D3D12_TEX2D_ARRAY_RTV { MipSlice: 2, FirstArraySlice: 1, ArraySize: 3, PlaneSlice: 0 };
    rtv(color, &desc, targets.at(1));
    copy(device, 1, targets.at(5), targets.at(1));
    let made = target(targets.at(5));
    assert_eq!((made.width, made.height, made.mip, made.first_layer, made.layers), (16, 8, 2, 1, 3));
    assert_eq!(made.samples, 1);
    assert_ne!(made.resource, null_mut());
    rtv(null_mut(), &desc, targets.at(5));
    assert_eq!(target(targets.at(5)).resource, null_mut());
    rtv(color, null(), targets.at(2));
    rtv(volume, null(), targets.at(3));
    // Records have numbers of resources: one for each.
    assert_eq!(target(targets.at(2)).resource, made.resource);
    assert_ne!(target(targets.at(3)).resource, made.resource);
    assert_eq!((target(targets.at(3)).layers, target(targets.at(2)).layers), (8, 6));
    dsv(depth, null(), depths.at(0));
    let flags = D3D12_DEPTH_STENCIL_VIEW_DESC {
        ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2D,
        Flags: D3D12_DSV_FLAGS::READ_ONLY_DEPTH,
        ..Default::default()
    };
    dsv(depth, &flags, depths.at(7));
    assert_eq!((target(depths.at(0)).flags, target(depths.at(7)).flags), (0, 1));
    // A colour texture is no depth target: null, and nothing else.
    dsv(color, null(), depths.at(7));
    assert_eq!(target(depths.at(7)).view, Default::default());
    drop((targets, depths));
    for resource in [color, volume, depth] {
        assert_eq!(release(resource), 0);
    }
    release(device);
}

/// A view of a plane is null, and what is drawn to it left out, where the device says that the format is no render target: drivers lose it or draw it
/// to another plane.
#[test]
fn planes_are_targets_where_the_format_is_one() {
    let device = device();
    let mut support = D3D12_FEATURE_DATA_FORMAT_SUPPORT { Format: DXGI_FORMAT::FORMAT_NV12, ..Default::default() };
    let (feature, size) = (D3D12_FEATURE::FORMAT_SUPPORT, size_of_val(&support) as u32);
    let result = call!(device, "ID3D12Device" "CheckFeatureSupport"
        (feature => D3D12_FEATURE, (&raw mut support).cast() => *mut c_void, size => u32) -> i32);
    assert_eq!(result, 0);
    let drawn = support.Support1.0 & D3D12_FORMAT_SUPPORT1::RENDER_TARGET.0 != 0;
    let video =
        texture(device, Dimension::TEXTURE2D, DXGI_FORMAT::FORMAT_NV12, 32, 1, 1, 1, Flags::ALLOW_RENDER_TARGET);
    let targets = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 2, false);
    for (plane, format) in [DXGI_FORMAT::FORMAT_R8_UNORM, DXGI_FORMAT::FORMAT_R8G8_UNORM].into_iter().enumerate() {
        let mut desc = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        desc.Anonymous.Texture2D = D3D12_TEX2D_RTV { MipSlice: 0, PlaneSlice: plane as u32 };
        let at = targets.at(plane as u64);
        call!(device, "ID3D12Device" "CreateRenderTargetView"
            (video => *mut c_void, &raw const desc => *const D3D12_RENDER_TARGET_VIEW_DESC, at => Cpu) -> ());
        assert_eq!(read(at).target().unwrap().view != Default::default(), drawn, "plane {plane}");
    }
    drop(targets);
    assert_eq!(release(video), 0);
    release(device);
}

#[test]
fn samplers_of_every_filter() {
    let device = device();
    let kind = D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER;
    let (cpu, gpu) = (Heap::new(device, kind, 512, false), Heap::new(device, kind, 2048, true));
    let mut used = 0;
    for reduction in 0..4 {
        for filter in [0, 1, 4, 5, 0x10, 0x11, 0x14, 0x15, 0x54, 0x55] {
            for mode in 1..=5 {
                let address = D3D12_TEXTURE_ADDRESS_MODE(mode);
                let desc = D3D12_SAMPLER_DESC {
                    Filter: D3D12_FILTER(reduction << 7 | filter),
                    AddressU: address,
                    AddressV: address,
                    AddressW: address,
                    MipLODBias: 0.5,
                    MaxAnisotropy: 16,
                    ComparisonFunc: D3D12_COMPARISON_FUNC(1 + mode),
                    BorderColor: [0.0, 0.25, 0.5, 1.0],
                    MinLOD: 0.0,
                    MaxLOD: f32::MAX,
                };
                call!(device, "ID3D12Device" "CreateSampler" (&raw const desc => *const D3D12_SAMPLER_DESC, cpu.at(used) => Cpu) -> ());
                assert_eq!(read(cpu.at(used)).kind, Kind::Sampler, "{reduction} {filter:#x} {mode}");
                used += 1;
            }
        }
    }
    copy(device, used as u32, gpu.at(1000), cpu.at(0));
    copy(device, 1, gpu.at(2047), cpu.at(3));
    drop((cpu, gpu));
    release(device);
}

#[test]
fn random_copies_do_what_a_list_of_values_does() {
    let device = device();
    let (cpu, gpu) = (Heap::new(device, VIEWS, 64, false), Heap::new(device, VIEWS, 64, true));
    let data = buffer(device, 1 << 16);
    let base = call!(data, "ID3D12Resource" "GetGPUVirtualAddress" () -> u64);
    for at in 0..64 {
        cbv(device, base + at * 256, 256, cpu.at(at));
        cbv(device, base, 256 + at as u32 * 256, gpu.at(at));
    }
    let values = |heap: &Heap| (0..64).map(|at| read(heap.at(at))).map(|it| (it.offset, it.range)).collect::<Vec<_>>();
    let (source, mut model) = (values(&cpu), values(&gpu));
    let mut seed = 1u32;
    let mut random = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % below
    };
    for _ in 0..300 {
        let mut ranges = || (0..random(5)).map(|_| (random(58), random(7))).collect::<Vec<_>>();
        let (to, from) = (ranges(), ranges());
        let flat =
            |ranges: &[(u32, u32)]| ranges.iter().flat_map(|&(first, count)| first..first + count).collect::<Vec<_>>();
        for (to, from) in flat(&to).into_iter().zip(flat(&from)) {
            model[to as usize] = source[from as usize];
        }
        let starts = |heap: &Heap, ranges: &[(u32, u32)]| {
            ranges.iter().map(|range| heap.at(range.0.into())).collect::<Vec<Cpu>>()
        };
        let sizes = |ranges: &[(u32, u32)]| ranges.iter().map(|range| range.1).collect::<Vec<u32>>();
        let (to_starts, to_sizes, from_starts, from_sizes) =
            (starts(&gpu, &to), sizes(&to), starts(&cpu, &from), sizes(&from));
        call!(device, "ID3D12Device" "CopyDescriptors"
            (to.len() as u32 => u32, to_starts.as_ptr() => *const Cpu, to_sizes.as_ptr() => *const u32,
             from.len() as u32 => u32, from_starts.as_ptr() => *const Cpu, from_sizes.as_ptr() => *const u32,
             VIEWS => D3D12_DESCRIPTOR_HEAP_TYPE) -> ());
        assert_eq!(values(&gpu), model);
    }
    drop((cpu, gpu));
    release(data);
    release(device);
}

#[test]
fn heaps_have_the_apis_limits() {
    let device = device();
    let make = |kind: D3D12_DESCRIPTOR_HEAP_TYPE, count: u32| {
        let desc = D3D12_DESCRIPTOR_HEAP_DESC {
            Type: kind,
            NumDescriptors: count,
            Flags: D3D12_DESCRIPTOR_HEAP_FLAGS(1),
            NodeMask: 0,
        };
        let mut object = null_mut();
        let made = call!(device, "ID3D12Device" "CreateDescriptorHeap"
            (&raw const desc => *const D3D12_DESCRIPTOR_HEAP_DESC, &raw const interface("ID3D12DescriptorHeap").get().iid => *const Guid,
             &raw mut object => *mut *mut c_void) -> i32);
        if made == S_OK {
            release(object);
        }
        made
    };
    assert_eq!(make(D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 1), E_INVALIDARG, "never shader visible");
    assert_eq!(make(D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER, 2049), E_INVALIDARG);
    assert_eq!(make(VIEWS, 1_000_000), S_OK);
    let (first, second) = (Heap::new(device, VIEWS, 2, true), Heap::new(device, VIEWS, 2, true));
    assert_ne!(first.heap().gpu().heap(), second.heap().gpu().heap());
    drop((first, second));
    release(device);
}

#[test]
fn validation_says_nothing() {
    if std::env::var_os("REPRISE_VALIDATION").is_some() {
        return;
    }
    if reprise_testing::require(reprise_testing::missing::validation_layer()).is_none() {
        return;
    }
    let ways = ["0", "1", "views", "families"].map(|separate| (separate, "sets"));
    for (separate, descriptors) in
        ways.into_iter().chain(["families", "views", "1"].map(|separate| (separate, "buffers")))
    {
        let way = format!("separate sets: {separate}, descriptors: {descriptors}");
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--nocapture", "--test-threads=1", "--skip", "heaps_have_the_apis_limits"])
            .env("REPRISE_VALIDATION", "1")
            .env("REPRISE_SEPARATE_SETS", separate)
            .env("REPRISE_DESCRIPTORS", descriptors)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{way}\n{text}");
        // Each device that goes says what was counted until then.
        let counts: Vec<&str> = text.lines().filter(|line| line.contains("Vulkan validation: ")).collect();
        assert!(!counts.is_empty(), "no instance was destroyed\n{text}");
        assert!(counts.iter().all(|line| line.contains(": 0 errors, 0 warnings")), "{way}\n{text}");
    }
}
