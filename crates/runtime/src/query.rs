//! Query heaps.
//!
//! A heap is its results: numbers in memory, zero at first, which the lists that end a query write (`list/counting`). So a
//! query that no executed list has ended resolves to what it had, and Vulkan never waits for it.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_com::result::{E_FAIL, E_INVALIDARG, S_OK};
use reprise_com::{Class, Object, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::counters;
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_QUERY_HEAP_DESC, D3D12_QUERY_HEAP_FLAGS as Flags, D3D12_QUERY_HEAP_TYPE as Heap, D3D12_QUERY_TYPE as Type,
};
use reprise_gpu::counter_pool::CounterPool;
use reprise_gpu::memory::{CpuAccess, Slice};

use crate::device::{self, Child, Device};
use crate::{Error, Result};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateQueryHeap", create as *const c_void),
    ("CreateQueryHeap1", create_with as *const c_void),
    ("ResolveQueryData", resolve as *const c_void),
];

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
    /// Whether the CPU may ask for results.
    readable: bool,
    /// Queries of the driver's counters, whose results are no memory of the heap's.
    pub counters: Option<CounterPool>,
}

/// Counts of `D3D12_QUERY_DATA_PIPELINE_STATISTICS`.
pub const STATISTICS: u64 = 11;
/// Counts of `D3D12_QUERY_DATA_PIPELINE_STATISTICS1`, which adds those of amplification and mesh shaders.
pub const MESH_STATISTICS: u64 = 14;

/// Bytes of a result of a heap's kind.
fn size(kind: Heap) -> u64 {
    match kind {
        Heap::PIPELINE_STATISTICS => 8 * STATISTICS,
        Heap::PIPELINE_STATISTICS1 => 8 * MESH_STATISTICS,
        Heap::SO_STATISTICS => 16,
        _ => 8,
    }
}

impl QueryHeap {
    fn new(device: &Object<Device>, desc: &D3D12_QUERY_HEAP_DESC, flags: Flags) -> Result<QueryHeap> {
        if desc.Count == 0 {
            return Err(Error::Invalid("a query heap without queries"));
        }
        let features = &device.caps.features;
        let there = match desc.Type {
            Heap::OCCLUSION | Heap::TIMESTAMP => true,
            Heap::COPY_QUEUE_TIMESTAMP => device.families.copies_are_timed(),
            Heap::PIPELINE_STATISTICS => features.base.pipeline_statistics_query != 0,
            Heap::PIPELINE_STATISTICS1 => {
                features.base.pipeline_statistics_query != 0 && features.mesh.mesh_shader_queries != 0
            }
            Heap::SO_STATISTICS => features.transform_feedback.transform_feedback != 0,
            // Whether the process asked for counters is known when they are made.
            counters::HEAP => true,
            _ => false,
        };
        if !there {
            let create = reprise_d3d12::method("ID3D12Device", "CreateQueryHeap");
            reprise_com::unsupported(create, " of this type on this device");
            return Err(Error::Unsupported("query heaps of this type"));
        }
        let readable = flags.0 & Flags::CPU_RESOLVE.0 != 0;
        let access = if readable { CpuAccess::Readback } else { CpuAccess::None };
        let counters =
            (desc.Type == counters::HEAP).then(|| CounterPool::new(&device.logical, desc.Count)).transpose()?;
        // The driver keeps what its counters counted: no buffer may be empty.
        let bytes = if counters.is_some() { 8 } else { u64::from(desc.Count) * size(desc.Type) };
        let results = device.memory.buffer(access, bytes)?;
        Ok(QueryHeap { device: Child::new(device), kind: desc.Type, count: desc.Count, results, readable, counters })
    }

    /// Results as they are now. What the GPU is about to write may be there in part, as the API says.
    fn read(&self, query: Type, first: u32, count: u32) -> Result<Vec<u64>> {
        let inside = first.checked_add(count).is_some_and(|end| end <= self.count);
        if !self.readable || !inside || !self.has(query) {
            return Err(Error::Invalid("ResolveQueryData: not queries that the CPU may ask for"));
        }
        let words = self.size() as usize / 8;
        let all = self.results.mapped().ok_or(Error::Fail("results that the CPU does not see"))?.cast::<u64>();
        let place = |word: usize| {
            // SAFETY: the slice is mapped, begins at a multiple of 8, and has all queries.
            let value = unsafe { all.add(first as usize * words + word).read_volatile() };
            if query == Type::BINARY_OCCLUSION { value.min(1) } else { value }
        };
        Ok((0..count as usize * words).map(place).collect())
    }

    /// Bytes of a result.
    pub fn size(&self) -> u64 {
        size(self.kind)
    }

    /// Whether queries of a type are in heaps like this.
    pub fn has(&self, query: Type) -> bool {
        match self.kind {
            Heap::OCCLUSION => matches!(query, Type::OCCLUSION | Type::BINARY_OCCLUSION),
            Heap::TIMESTAMP | Heap::COPY_QUEUE_TIMESTAMP => query == Type::TIMESTAMP,
            Heap::PIPELINE_STATISTICS => query == Type::PIPELINE_STATISTICS,
            Heap::PIPELINE_STATISTICS1 => query == Type::PIPELINE_STATISTICS1,
            counters::HEAP => query == counters::QUERY,
            Heap::SO_STATISTICS => (Type::SO_STATISTICS_STREAM0.0..=Type::SO_STATISTICS_STREAM3.0).contains(&query.0),
            _ => false,
        }
    }
}

const NEWEST: InterfaceId = interface("ID3D12QueryHeap");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<QueryHeap>::SHARED, &[]);

impl Class for QueryHeap {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<Self>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }

    fn own_data(object: &Object<Self>, id: &Guid) -> Option<Vec<u8>> {
        let pool = object.counters.as_ref().filter(|_| *id == counters::ID)?;
        match pool.read() {
            Ok(results) => Some(counters::write(&results)),
            Err(error) => {
                reprise_log::error(format_args!("what the driver counted cannot be read: {error}"));
                None
            }
        }
    }

    fn take_data(object: &Object<Self>, id: &Guid, _bytes: Option<&[u8]>) -> Option<i32> {
        let pool = object.counters.as_ref().filter(|_| *id == counters::ID)?;
        pool.reset();
        Some(S_OK)
    }
}

unsafe extern "C" fn create(
    this: *mut c_void,
    desc: *const D3D12_QUERY_HEAP_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the same arguments.
    unsafe { create_with(this, desc, Flags::NONE, iid, out) }
}

/// `ID3D12Device15::ResolveQueryData`.
unsafe extern "C" fn resolve(
    _this: *mut c_void,
    heap: *mut c_void,
    query: Type,
    first: u32,
    count: u32,
    out: *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: null or the program's heap.
        let heap = unsafe { Object::<QueryHeap>::from_pointer(heap) };
        let Some(heap) = heap.filter(|_| !out.is_null()) else { return E_INVALIDARG };
        match heap.read(query, first, count) {
            Ok(words) => {
                // SAFETY: the program has room for the results.
                unsafe { out.cast::<u64>().copy_from_nonoverlapping(words.as_ptr(), words.len()) };
                S_OK
            }
            Err(error) => crate::error::code(Err(error)),
        }
    })
}

unsafe extern "C" fn create_with(
    this: *mut c_void,
    desc: *const D3D12_QUERY_HEAP_DESC,
    flags: Flags,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of our device's vtable; the description is not null and readable, `iid` is null or readable, and `out` is null or
        // room for a pointer.
        unsafe { device::give(QueryHeap::new(device::this(this), &*desc, flags), iid, out) }
    })
}
