//! Query heaps and what lists do with them.
//!
//! A heap is a Vulkan query pool. A query is reset where it begins, so it may be issued again; a query that no list has
//! issued resolves to zero, as the API says. Invariant: Vulkan never waits for a query that nobody has ended.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use reprise_com::result::{E_FAIL, E_INVALIDARG};
use reprise_com::{Class, Object, Slots, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_QUERY_HEAP_DESC, D3D12_QUERY_HEAP_TYPE as Heap};

use crate::device::{self, Child, Device};
use crate::{Error, Result, error};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[("CreateQueryHeap", create as *const c_void)];

/// The body of `ID3D12QueryHeap`.
#[derive(Debug)]
pub struct QueryHeap {
    device: Child,
    /// What is counted.
    pub kind: Heap,
    /// The queries.
    pub pool: vk::QueryPool,
    /// Which of them a list has ended.
    ended: Box<[AtomicBool]>,
}

/// All counts of pipelines, in the order that Vulkan and the API share.
const STATISTICS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(0x7ff);

impl QueryHeap {
    fn new(device: &Object<Device>, desc: &D3D12_QUERY_HEAP_DESC) -> Result<QueryHeap> {
        if desc.Count == 0 {
            return Err(Error::Invalid("a query heap without queries"));
        }
        let mut info = vk::QueryPoolCreateInfo::default().query_count(desc.Count);
        info.query_type = match desc.Type {
            Heap::OCCLUSION => vk::QueryType::OCCLUSION,
            Heap::TIMESTAMP | Heap::COPY_QUEUE_TIMESTAMP => vk::QueryType::TIMESTAMP,
            Heap::PIPELINE_STATISTICS if device.caps.features.base.pipeline_statistics_query != 0 => {
                info.pipeline_statistics = STATISTICS;
                vk::QueryType::PIPELINE_STATISTICS
            }
            _ => return Err(Error::Unsupported("query heaps of this type")),
        };
        // SAFETY: the structure lives until the call returns.
        let pool = unsafe { device.vk.create_query_pool(&info, None) };
        let pool = device.check("vkCreateQueryPool", pool)?;
        // SAFETY: the pool is new.
        unsafe { device.vk.reset_query_pool(pool, 0, desc.Count) };
        let ended = core::iter::repeat_with(AtomicBool::default).take(desc.Count as usize).collect();
        Ok(QueryHeap { device: Child::new(device), kind: desc.Type, pool, ended })
    }

    /// Number of queries.
    pub fn count(&self) -> u32 {
        self.ended.len() as u32
    }

    /// Bytes of a result.
    pub fn size(&self) -> u64 {
        if self.kind == Heap::PIPELINE_STATISTICS { 88 } else { 8 }
    }

    /// A list has recorded the end of a query.
    pub fn end(&self, index: u32) {
        if let Some(ended) = self.ended.get(index as usize) {
            ended.store(true, Ordering::Relaxed);
        }
    }

    /// The run of queries from `first` on, at most `count`, that were all ended or all never: its length, and which.
    pub fn run(&self, first: u32, count: u32) -> (u32, bool) {
        let range = self.ended.iter().skip(first as usize).take(count as usize);
        let mut states = range.map(|ended| ended.load(Ordering::Relaxed));
        let Some(ended) = states.next() else { return (0, false) };
        (1 + states.take_while(|other| *other == ended).count() as u32, ended)
    }
}

impl Drop for QueryHeap {
    fn drop(&mut self) {
        // SAFETY: recordings hold the heaps that they use.
        unsafe { self.device.vk.destroy_query_pool(self.pool, None) };
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
        if desc.is_null() || iid.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a device of ours; the rest is the program's.
        unsafe {
            match QueryHeap::new(device::this(this), &*desc) {
                Ok(heap) => Object::make(heap).give(&*iid, out),
                Err(error) => {
                    if !out.is_null() {
                        out.write(core::ptr::null_mut());
                    }
                    error::code(Err(error))
                }
            }
        }
    })
}
