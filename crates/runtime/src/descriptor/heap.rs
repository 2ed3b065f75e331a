//! `ID3D12DescriptorHeap`.
//!
//! A heap is a [`Region`]: a [`Header`] in place 0, then one [`Record`] per descriptor. Shader-visible heaps have a
//! Vulkan [`Heap`] besides. Invariant: the region and the Vulkan heap live until the last reference of any kind goes.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use reprise_com::{Class, Object, Public, Tables, Vtable, vtable};
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_CPU_DESCRIPTOR_HANDLE, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_FLAGS, D3D12_DESCRIPTOR_HEAP_TYPE,
    D3D12_GPU_DESCRIPTOR_HANDLE,
};
use reprise_d3d12::{interface, method};

use crate::checks::Heap as Checked;
use crate::descriptor::handle::{self, CpuHandle, GpuHandle, INCREMENT};
use crate::device::{Child, Device};
use crate::{Error, Result};
use reprise_gpu::descriptor::checks::{Checks, HeapFacts, Info};
use reprise_gpu::descriptor::heap::{Bytes, Heap};
use reprise_gpu::descriptor::offset::Entry;
use reprise_gpu::descriptor::publish::Target;
use reprise_gpu::descriptor::record::Record;
use reprise_gpu::descriptor::region::Region;
use reprise_gpu::descriptor::table::SAMPLERS;

/// What lies in place 0 of a heap's region.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct Header {
    /// Where the heap's descriptors go; null where the records are all there is.
    target: *const Target,
    /// What checks know of the descriptors; null where there are no checks.
    infos: *mut Info,
    /// What checks of the device share; null where there are none.
    checks: *const Checks,
}

impl Header {
    /// What checks know of the descriptors, and what they share; `None` where there are no checks.
    #[inline(always)]
    pub fn checked(&self) -> Option<(*mut Info, &Checks)> {
        // SAFETY: null, or the device's own, which lives as long as the heap.
        unsafe { self.checks.as_ref() }.map(|checks| (self.infos, checks))
    }

    /// Where the heap's descriptors go; `None` where the records are all there is.
    #[inline(always)]
    pub fn target(&self) -> Option<&Target> {
        // SAFETY: null, or the heap's own, which lives as long as the region.
        unsafe { self.target.as_ref() }
    }
}

const _: () = assert!(size_of::<Header>() == INCREMENT as usize);

// SAFETY: all but the heap's memory and what checks know of its descriptors never changes. Programs write a descriptor from one thread at a time,
// and not while it is read, and checks write what they know with it; both are reached through pointers only, never by a reference that another
// thread's write would break.
unsafe impl Send for DescriptorHeap {}
// SAFETY: the same: shared references lead to what never changes, and to the memory by pointers only.
unsafe impl Sync for DescriptorHeap {}

/// The body of `ID3D12DescriptorHeap`.
pub struct DescriptorHeap {
    device: Child,
    /// As created.
    pub desc: D3D12_DESCRIPTOR_HEAP_DESC,
    cpu: CpuHandle,
    gpu: GpuHandle,
    visible: Option<Heap>,
    /// Bytes of descriptors that shaders do not see, where those that they see are bytes.
    _bytes: Option<Bytes>,
    region: Region,
    /// What checks know of descriptors that shaders see.
    facts: Option<HeapFacts>,
    /// What checks know of other descriptors.
    _infos: Option<Box<[core::cell::UnsafeCell<Info>]>>,
    /// The call that made the heap.
    call: u64,
    /// The header points here.
    _target: Option<Box<Target>>,
}

impl core::fmt::Debug for DescriptorHeap {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DescriptorHeap")
            .field("type", &self.desc.Type.0)
            .field("count", &self.desc.NumDescriptors)
            .field("visible", &self.visible)
            .finish_non_exhaustive()
    }
}

static VTABLE: Vtable<{ INTERFACE.slots() as usize }> = vtable(
    INTERFACE,
    Object::<DescriptorHeap>::SHARED,
    &[
        ("GetDesc", get_desc as *const c_void),
        ("GetCPUDescriptorHandleForHeapStart", get_cpu_handle as *const c_void),
        ("GetGPUDescriptorHandleForHeapStart", get_gpu_handle as *const c_void),
    ],
);

const INTERFACE: InterfaceId = interface("ID3D12DescriptorHeap");

impl Class for DescriptorHeap {
    const INTERFACE: InterfaceId = INTERFACE;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<DescriptorHeap>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

impl DescriptorHeap {
    /// Makes a heap.
    ///
    /// # Errors
    /// The API has no such heaps, or there is no memory.
    pub fn create(device: &Object<Device>, desc: &D3D12_DESCRIPTOR_HEAP_DESC) -> Result<Public<DescriptorHeap>> {
        static NUMBERS: AtomicU32 = AtomicU32::new(1);
        let visible = desc.Flags.0 & D3D12_DESCRIPTOR_HEAP_FLAGS::SHADER_VISIBLE.0 != 0;
        let samplers = desc.Type == D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER;
        match desc.Type {
            D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV | D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER => {}
            D3D12_DESCRIPTOR_HEAP_TYPE::RTV | D3D12_DESCRIPTOR_HEAP_TYPE::DSV if !visible => {}
            _ => return Err(Error::Invalid("descriptor heap: this type does not exist or is never shader visible")),
        }
        if visible && samplers && desc.NumDescriptors > SAMPLERS {
            return Err(Error::Invalid("descriptor heap: more than 2048 samplers in a shader-visible heap"));
        }
        let log2 = handle::region_log2(desc.NumDescriptors);
        let region = Region::new(log2 + INCREMENT.trailing_zeros())?;
        let base = region.base();
        let (mut seen, mut bytes, mut target) = (None, None, None);
        if visible {
            let heap = Heap::new(&device.logical, &device.bindings, samplers, desc.NumDescriptors)?;
            target = Some(Box::new(heap.target()?));
            seen = Some(heap);
        } else if (samplers || desc.Type == D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV)
            && let Some((memory, place)) = Bytes::new(&device.bindings, samplers, desc.NumDescriptors)?
        {
            (bytes, target) = (Some(memory), Some(Box::new(place)));
        }
        let gpu = if visible { GpuHandle::first(NUMBERS.fetch_add(1, Ordering::Relaxed)) } else { GpuHandle::new(0) };
        let shown = samplers || desc.Type == D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV;
        let checks = device.bindings.checks().filter(|_| shown);
        let (mut facts, mut infos, mut first) = (None, None, core::ptr::null_mut());
        match (checks, visible) {
            (None, _) => {}
            (Some(_), true) => {
                let most = if samplers { SAMPLERS } else { device.bindings.view_limit() };
                let made = HeapFacts::new(&device.logical, desc.NumDescriptors.min(most), gpu.heap())?;
                first = made.first();
                facts = Some(made);
                let call = crate::checks::call();
                crate::checks::known(Checked { number: gpu.heap(), count: desc.NumDescriptors, call, samplers });
            }
            (Some(_), false) => {
                let made: Box<[core::cell::UnsafeCell<Info>]> =
                    (0..desc.NumDescriptors).map(|_| core::cell::UnsafeCell::default()).collect();
                first = made.as_ptr().cast::<Info>().cast_mut();
                infos = Some(made);
            }
        }
        let header = Header {
            target: target.as_deref().map_or(core::ptr::null(), |it| it),
            infos: first,
            checks: checks.map_or(core::ptr::null(), Arc::as_ptr),
        };
        // SAFETY: place 0 of a new region.
        unsafe { base.cast::<Header>().write(header) };
        let heap = DescriptorHeap {
            device: Child::new(device),
            desc: *desc,
            cpu: CpuHandle::first(base.expose_provenance(), log2),
            gpu,
            visible: seen,
            _bytes: bytes,
            region,
            facts,
            _infos: infos,
            call: crate::checks::call(),
            _target: target,
        };
        Ok(Object::make(heap))
    }

    /// Whether the heap is one of samplers.
    pub fn is_sampler(&self) -> bool {
        self.desc.Type == D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER
    }

    /// What shaders see; `None` for heaps that they do not see. The descriptors of new ones are null, because shaders may look at
    /// those that the program never wrote, as long as they do not use what they find.
    pub fn visible(&self) -> Option<&Heap> {
        self.visible.as_ref()
    }

    /// The address at which shaders find the facts about the heap, and the heap as findings name it. Zeros where there are no checks.
    pub fn checked(&self) -> (u64, Checked) {
        let address = self.facts.as_ref().map_or(0, HeapFacts::address);
        let count = self.desc.NumDescriptors;
        let samplers = self.is_sampler();
        (address, Checked { number: self.gpu.heap(), count, call: self.call, samplers })
    }

    /// The first descriptor's GPU handle, 0 for heaps that shaders do not see.
    pub fn gpu(&self) -> GpuHandle {
        self.gpu
    }

    /// The first descriptor's CPU handle.
    pub fn cpu(&self) -> CpuHandle {
        self.cpu
    }

    /// Offset entry and counter's address as shaders see them; `None` for descriptors that they do not see.
    pub fn published(&self, index: u32) -> Option<(Entry, u64)> {
        self.visible.as_ref()?.side(index)
    }

    /// A descriptor, for debugging and for commands that take GPU handles.
    pub fn record(&self, index: u32) -> Option<Record> {
        if index >= self.desc.NumDescriptors {
            return None;
        }
        // SAFETY: inside of the region; zeroed memory is an empty record. The program does not write it meanwhile.
        Some(unsafe { self.region.base().cast::<Record>().add(index as usize + 1).read() })
    }
}

/// The descriptor behind a CPU handle.
///
/// # Safety
/// The handle is null or that of a descriptor in a living heap of ours, which nobody writes meanwhile.
#[inline(always)]
pub unsafe fn record(handle: D3D12_CPU_DESCRIPTOR_HANDLE) -> Option<Record> {
    let handle = CpuHandle::new(handle.ptr)?;
    // SAFETY: the caller promises: the handle is null or that of a descriptor in a living heap of ours, which nobody writes
    // meanwhile.
    Some(unsafe { core::ptr::with_exposed_provenance::<Record>(handle.record()).read() })
}

unsafe extern "C" fn get_desc(
    heap: *mut c_void,
    out: *mut D3D12_DESCRIPTOR_HEAP_DESC,
) -> *mut D3D12_DESCRIPTOR_HEAP_DESC {
    // SAFETY: a heap of ours; the place is the caller's.
    unsafe { out.write(Object::<DescriptorHeap>::this(heap).desc) };
    out
}

unsafe extern "C" fn get_cpu_handle(
    heap: *mut c_void,
    out: *mut D3D12_CPU_DESCRIPTOR_HANDLE,
) -> *mut D3D12_CPU_DESCRIPTOR_HANDLE {
    // SAFETY: a heap of ours; the place is the caller's.
    unsafe { out.write(D3D12_CPU_DESCRIPTOR_HANDLE { ptr: Object::<DescriptorHeap>::this(heap).cpu.get() }) };
    out
}

unsafe extern "C" fn get_gpu_handle(
    heap: *mut c_void,
    out: *mut D3D12_GPU_DESCRIPTOR_HANDLE,
) -> *mut D3D12_GPU_DESCRIPTOR_HANDLE {
    // SAFETY: a heap of ours; the place is the caller's.
    unsafe { out.write(D3D12_GPU_DESCRIPTOR_HANDLE { ptr: Object::<DescriptorHeap>::this(heap).gpu.get() }) };
    out
}

/// `ID3D12Device::CreateDescriptorHeap`.
pub(super) unsafe extern "C" fn create_descriptor_heap(
    device: *mut c_void,
    desc: *const D3D12_DESCRIPTOR_HEAP_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    reprise_com::guard(reprise_com::result::E_FAIL, || {
        // SAFETY: the slot is of a device's vtable, and the heap holds the device; description and id are null or readable, `out` is null
        // or room for a pointer.
        unsafe {
            let (Some(desc), Some(iid)) = (desc.as_ref(), iid.as_ref()) else {
                return reprise_com::result::E_INVALIDARG;
            };
            match DescriptorHeap::create(crate::device::this(device), desc) {
                Ok(heap) => heap.give(iid, out),
                Err(error) => {
                    crate::error::code_at(Err(error), const { method("ID3D12Device", "CreateDescriptorHeap") })
                }
            }
        }
    })
}

/// `ID3D12Device::GetDescriptorHandleIncrementSize`.
pub(super) unsafe extern "C" fn get_increment(_device: *mut c_void, _kind: i32) -> u32 {
    INCREMENT
}
