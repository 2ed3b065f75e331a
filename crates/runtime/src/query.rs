//! Query heaps.
//!
//! A heap is its results: numbers in memory, zero at first, which the lists that end a query write (`list/counting`). So a
//! query that no executed list has ended resolves to what it had, and Vulkan never waits for it.

use core::ffi::c_void;
use core::ptr::NonNull;

use ash::vk;
use reprise_com::result::{E_FAIL, E_INVALIDARG};
use reprise_com::{Class, Object, Slots, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_QUERY_HEAP_DESC, D3D12_QUERY_HEAP_TYPE as Heap, D3D12_QUERY_TYPE as Type};

use crate::device::{self, Child, Device, DeviceRef};
use crate::memory::Slice;
use crate::memory::allocator::buffer;
use crate::{Error, Result};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[("CreateQueryHeap", create as *const c_void)];

/// The body of `ID3D12QueryHeap`.
#[derive(Debug)]
pub struct QueryHeap {
    device: Child,
    /// What is counted.
    pub kind: Heap,
    /// Number of queries.
    pub count: u32,
    /// The results, one after the other, [`QueryHeap::size`] bytes each.
    pub results: Slice,
}

/// A Vulkan query pool.
#[derive(Debug)]
pub struct Pool {
    device: DeviceRef,
    /// The pool.
    pub vk: vk::QueryPool,
}

impl Pool {
    /// A pool of so many queries of a kind.
    pub fn new(device: &Object<Device>, kind: vk::QueryType, count: u32) -> Result<Pool> {
        let mut info = vk::QueryPoolCreateInfo::default().query_count(count).query_type(kind);
        if kind == vk::QueryType::PIPELINE_STATISTICS {
            info.pipeline_statistics = STATISTICS;
        }
        // SAFETY: the structure lives until the call returns.
        let pool = unsafe { device.vk.create_query_pool(&info, None) };
        Ok(Pool { device: device.keep(), vk: device.check("vkCreateQueryPool", pool)? })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: recordings hold the pools that they use.
        unsafe { self.device.vk.destroy_query_pool(self.vk, None) };
    }
}

/// All counts of pipelines, in the order that Vulkan and the API share.
const STATISTICS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(0x7ff);

/// Bytes of a result of a heap's kind.
fn size(kind: Heap) -> u64 {
    match kind {
        Heap::PIPELINE_STATISTICS => 88,
        Heap::SO_STATISTICS => 16,
        _ => 8,
    }
}

impl QueryHeap {
    fn new(device: &Object<Device>, desc: &D3D12_QUERY_HEAP_DESC) -> Result<QueryHeap> {
        if desc.Count == 0 {
            return Err(Error::Invalid("a query heap without queries"));
        }
        let features = &device.caps.features;
        let there = match desc.Type {
            Heap::OCCLUSION | Heap::TIMESTAMP => true,
            Heap::PIPELINE_STATISTICS => features.base.pipeline_statistics_query != 0,
            Heap::SO_STATISTICS => features.transform_feedback.transform_feedback != 0,
            _ => false,
        };
        if !there {
            let create = reprise_d3d12::method("ID3D12Device", "CreateQueryHeap");
            reprise_com::unsupported(create, " of this type on this device");
            return Err(Error::Unsupported("query heaps of this type"));
        }
        let results = buffer(device, u64::from(desc.Count) * size(desc.Type))?;
        Ok(QueryHeap { device: Child::new(device), kind: desc.Type, count: desc.Count, results })
    }

    /// Bytes of a result.
    pub fn size(&self) -> u64 {
        size(self.kind)
    }

    /// Whether queries of a type are in heaps like this.
    pub fn has(&self, query: Type) -> bool {
        match self.kind {
            Heap::OCCLUSION => matches!(query, Type::OCCLUSION | Type::BINARY_OCCLUSION),
            Heap::TIMESTAMP => query == Type::TIMESTAMP,
            Heap::PIPELINE_STATISTICS => query == Type::PIPELINE_STATISTICS,
            Heap::SO_STATISTICS => (Type::SO_STATISTICS_STREAM0.0..=Type::SO_STATISTICS_STREAM3.0).contains(&query.0),
            _ => false,
        }
    }
}

const NEWEST: InterfaceId = interface("ID3D12QueryHeap");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<QueryHeap>::SHARED, &[]);

impl Class for QueryHeap {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: &'static [*const c_void] = VTABLE.slots();

    fn released(object: &Object<Self>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

unsafe extern "C" fn create(
    this: *mut c_void,
    desc: *const D3D12_QUERY_HEAP_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a device of ours; the rest is the program's.
        unsafe { device::give(QueryHeap::new(device::this(this), &*desc), iid, out) }
    })
}
