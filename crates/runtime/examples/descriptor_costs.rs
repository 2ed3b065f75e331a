//! What descriptors cost: nanoseconds per creation and copy, the least of several rounds, by method and kind of descriptor.
//!
//! `cargo run --release -p reprise-runtime --example descriptor_costs`. Copies are scattered: source and destination go
//! through the heaps in steps that visit every descriptor once, one `CopyDescriptorsSimple` each, through the vtable.

use core::ffi::c_void;
use core::ptr::{null, null_mut};
use std::time::Instant;

use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_runtime::entry;

const COUNT: u64 = 16384;
const ROUNDS: usize = 25;
type Cpu = D3D12_CPU_DESCRIPTOR_HANDLE;

/// A method's function.
///
/// # Safety
/// `F` is the method's type, `object` has the interface.
unsafe fn slot<F: Copy>(object: *mut c_void, owner: &str, name: &str) -> F {
    let slot = usize::from(method(owner, name).get().slot);
    // SAFETY: the caller promises: `F` is the method's type, `object` has the interface.
    unsafe { core::mem::transmute_copy(&*(*object.cast::<*const *const c_void>()).add(slot)) }
}

fn measure(name: &str, mut each: impl FnMut(u64, u64)) {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for at in 0..COUNT {
            each(at * 7919 % COUNT, at * 104_729 % COUNT);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / COUNT as f64);
    }
    println!("{name:44} {best:7.1} ns");
}

fn main() {
    type Create =
        unsafe extern "C" fn(*mut c_void, *const D3D12_DESCRIPTOR_HEAP_DESC, *const Guid, *mut *mut c_void) -> i32;
    type Committed = unsafe extern "C" fn(
        *mut c_void,
        *const D3D12_HEAP_PROPERTIES,
        D3D12_HEAP_FLAGS,
        *const D3D12_RESOURCE_DESC,
        D3D12_RESOURCE_STATES,
        *const D3D12_CLEAR_VALUE,
        *const Guid,
        *mut *mut c_void,
    ) -> i32;
    type Start = unsafe extern "C" fn(*mut c_void, *mut Cpu) -> *mut Cpu;
    type Srv = unsafe extern "C" fn(*mut c_void, *mut c_void, *const D3D12_SHADER_RESOURCE_VIEW_DESC, Cpu);
    type Cbv = unsafe extern "C" fn(*mut c_void, *const D3D12_CONSTANT_BUFFER_VIEW_DESC, Cpu);
    type Copy = unsafe extern "C" fn(*mut c_void, u32, Cpu, Cpu, D3D12_DESCRIPTOR_HEAP_TYPE);
    let mut device = null_mut();
    // SAFETY: slots are called with the types above; descriptions and places are locals, handles lie within their heaps, and nothing is
    // released before the process ends.
    unsafe {
        let made = entry::create_device(
            null_mut(),
            D3D_FEATURE_LEVEL::LEVEL_11_0,
            &interface("ID3D12Device").get().iid,
            &mut device,
        );
        assert_eq!(made, 0, "is there a Vulkan 1.3 driver?");
        let heap = |visible: bool| {
            let desc = D3D12_DESCRIPTOR_HEAP_DESC {
                Type: D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV,
                NumDescriptors: COUNT as u32,
                Flags: D3D12_DESCRIPTOR_HEAP_FLAGS(visible.into()),
                NodeMask: 0,
            };
            let (mut heap, mut start) = (null_mut(), Cpu { ptr: 0 });
            let create: Create = slot(device, "ID3D12Device", "CreateDescriptorHeap");
            assert_eq!(create(device, &desc, &interface("ID3D12DescriptorHeap").get().iid, &mut heap), 0);
            slot::<Start>(heap, "ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart")(heap, &mut start);
            start
        };
        let resource = |desc: &D3D12_RESOURCE_DESC| {
            let properties = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
            let mut out = null_mut();
            let create: Committed = slot(device, "ID3D12Device", "CreateCommittedResource");
            let (none, state) = (D3D12_HEAP_FLAGS(0), D3D12_RESOURCE_STATES(0));
            let iid = &interface("ID3D12Resource").get().iid;
            assert_eq!(create(device, &properties, none, desc, state, null(), iid, &mut out), 0);
            out
        };
        let one = DXGI_SAMPLE_DESC { Count: 1, Quality: 0 };
        let buffer = resource(&D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
            Width: 1 << 20,
            Height: 1,
            DepthOrArraySize: 1,
            MipLevels: 1,
            SampleDesc: one,
            Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
            ..Default::default()
        });
        let texture = resource(&D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: 64,
            Height: 64,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
            SampleDesc: one,
            ..Default::default()
        });
        let address: unsafe extern "C" fn(*mut c_void) -> u64 = slot(buffer, "ID3D12Resource", "GetGPUVirtualAddress");
        let address = address(buffer);
        let (source, cpu, gpu) = (heap(false), heap(false), heap(true));
        let at = |heap: Cpu, index: u64| Cpu { ptr: heap.ptr + index * 64 };
        let srv: Srv = slot(device, "ID3D12Device", "CreateShaderResourceView");
        let cbv: Cbv = slot(device, "ID3D12Device", "CreateConstantBufferView");
        let copy: Copy = slot(device, "ID3D12Device", "CopyDescriptorsSimple");
        let mut shown = D3D12_SHADER_RESOURCE_VIEW_DESC {
            ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
            Shader4ComponentMapping: 0x1688,
            ..Default::default()
        };
        shown.Anonymous.Texture2D.MipLevels = 1;
        let mut read = D3D12_SHADER_RESOURCE_VIEW_DESC { ViewDimension: D3D12_SRV_DIMENSION::BUFFER, ..shown };
        read.Anonymous.Buffer = D3D12_BUFFER_SRV {
            FirstElement: 3,
            NumElements: 16,
            StructureByteStride: 20,
            Flags: D3D12_BUFFER_SRV_FLAGS::NONE,
        };
        let constants = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: address, SizeInBytes: 256 };
        let kind = D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV;
        type Make<'a> = (&'a str, &'a dyn Fn(Cpu));
        let makes: [Make<'_>; 3] = [
            ("texture SRV", &|to| srv(device, texture, &shown, to)),
            ("structured buffer SRV", &|to| srv(device, buffer, &read, to)),
            ("CBV", &|to| cbv(device, &constants, to)),
        ];
        for (name, make) in makes {
            measure(&format!("{name}: create, CPU heap"), |to, _| make(at(source, to)));
            measure(&format!("{name}: create, GPU heap"), |to, _| make(at(gpu, to)));
            measure(&format!("{name}: copy, CPU to CPU heap"), |to, from| {
                copy(device, 1, at(cpu, to), at(source, from), kind)
            });
            measure(&format!("{name}: copy, CPU to GPU heap"), |to, from| {
                copy(device, 1, at(gpu, to), at(source, from), kind)
            });
            measure(&format!("{name}: copy, 16 at once, per descriptor"), |to, from| {
                if to % 16 == 0 {
                    copy(device, 16, at(gpu, to), at(source, from & !15), kind);
                }
            });
        }
    }
}
