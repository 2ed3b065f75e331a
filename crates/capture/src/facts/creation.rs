//! Facts about a new object: the answers of its getters, recorded once, at its creation.
//!
//! A replay on another device needs them, and a program may never ask for them. FORMAT.md, "Facts", has their payloads.
//! Invariant: only getters of the runtime are called, and only on objects that the program has not seen yet. A getter that
//! fails gives no fact.

use crate::Convention;
use crate::session::{environment, record};
use crate::tracking::Mapping;
use crate::wrapper::object::Chain;
use crate::{model, real};
use core::ffi::c_void;
use reprise_d3d12::feature;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::place::{self, ID, MOST, MOST_GROUPS};
use reprise_d3d12::types::{
    D3D12_DESCRIPTOR_HEAP_DESC, D3D12_HEAP_DESC, D3D12_HEAP_PROPERTIES, D3D12_RESOURCE_ALLOCATION_INFO,
    D3D12_RESOURCE_DESC,
};
use reprise_environment::runtime::{ADDRESSES, REPEATABLE};
use reprise_trace::fact;
use std::sync::OnceLock;

const BUFFER: i64 = 1;
const TEXTURE_FIRST: i64 = 2;
const SHADER_VISIBLE: i64 = 1;
/// Calls a getter of a wrapped object's real one.
///
/// # Safety
/// The object has the method; the words are valid arguments.
unsafe fn ask(chain: &Chain, method: MethodId, words: &[u64]) -> u64 {
    // SAFETY: the caller says that the object has the method and takes these words.
    unsafe { real::ask(chain.identity().convention, chain.real(), method, words) }
}

/// Calls a getter that returns a structure.
///
/// # Safety
/// As [`ask`]; `T` is the structure.
unsafe fn structure<T: Default>(chain: &Chain, method: MethodId) -> T {
    let mut value = T::default();
    // SAFETY: the getter takes one word, the place of its structure, which is `T`.
    unsafe { ask(chain, method, &[(&raw mut value) as u64]) };
    value
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Descriptor increments, nodes, adapter, features.
///
/// # Safety
/// The chain is a new device's.
pub(crate) unsafe fn device(chain: &Chain) {
    const INCREMENT: MethodId = reprise_d3d12::method("ID3D12Device", "GetDescriptorHandleIncrementSize");
    const NODES: MethodId = reprise_d3d12::method("ID3D12Device", "GetNodeCount");
    const LUID: MethodId = reprise_d3d12::method("ID3D12Device", "GetAdapterLuid");
    // SAFETY: getters of the device; LUID is 8 bytes, returned by value or through a pointer as the model says.
    unsafe {
        let mut luid = 0u64;
        if LUID.get().returns_structure {
            ask(chain, LUID, &[(&raw mut luid) as u64]);
        } else {
            luid = ask(chain, LUID, &[]);
        }
        let mut bytes = words(&[luid]);
        bytes.extend((ask(chain, NODES, &[]) as u32).to_le_bytes());
        for kind in 0..4 {
            bytes.extend((ask(chain, INCREMENT, &[kind]) as u32).to_le_bytes());
        }
        bytes.extend([0; 4]);
        record::fact(chain.id, fact::DEVICE, &bytes);
    }
    const CHECK: MethodId = reprise_d3d12::method("ID3D12Device", "CheckFeatureSupport");
    let has = |interface: InterfaceId| {
        // SAFETY: a live device; the reference that the answer brings is given back.
        unsafe {
            let answer = real::query(chain.identity().convention, chain.real(), &interface.get().iid);
            if !answer.is_null() {
                real::release(chain.identity().convention, answer);
            }
            !answer.is_null()
        }
    };
    let check = |feature: u32, data: &mut [u64], size: u32| {
        // SAFETY: a live device; the data has the feature's size.
        let result = unsafe { ask(chain, CHECK, &[feature.into(), data.as_mut_ptr() as u64, size.into()]) };
        result as i32 >= 0
    };
    feature::answers(has, check, |feature, size, data| {
        let mut bytes = words(&[u64::from(feature) | u64::from(size) << 32]);
        bytes.extend(words(data));
        record::fact(chain.id, fact::FEATURE, &bytes);
    });
}

/// Where our runtime put a heap or buffer, so that a later process can have the same place. Other runtimes are not asked: the
/// launcher's variable says that ours shall tell.
///
/// # Safety
/// The chain is that of a new heap or resource.
pub(crate) unsafe fn place(chain: &Chain) {
    if !addresses_are_kept() {
        return;
    }
    // SAFETY: heaps and resources have private data.
    let found = unsafe { private_data(chain.identity().convention, chain.real()) };
    if let Some((address, size)) = place::range(&found) {
        let mut bytes = words(&[address, size]);
        bytes.extend(found);
        record::fact(chain.id, fact::CAPTURE_ADDRESS, &bytes);
    }
}

/// With which handles of shader groups a later process can have the same identifiers, where our runtime says so.
///
/// # Safety
/// The chain is that of a new state object.
pub(crate) unsafe fn groups(chain: &Chain) {
    if !addresses_are_kept() {
        return;
    }
    // SAFETY: state objects have private data.
    let found = unsafe { private_data(chain.identity().convention, chain.real()) };
    if place::is_of_groups(&found) {
        record::fact(chain.id, fact::GROUP_HANDLES, &found);
    }
}

/// Whether our runtime, if it is what the program uses, was asked for addresses that a later process can have.
pub(crate) fn addresses_are_kept() -> bool {
    static KEPT: OnceLock<bool> = OnceLock::new();
    *KEPT.get_or_init(|| environment::get(ADDRESSES).is_some_and(|value| value == REPEATABLE))
}

/// The private data of [`reprise_d3d12::place::ID`]; empty where the object has none.
///
/// # Safety
/// The object is one of Direct3D 12's, alive, of the convention.
pub(crate) unsafe fn private_data(convention: Convention, object: *mut c_void) -> Vec<u8> {
    const GET: MethodId = reprise_d3d12::method("ID3D12Object", "GetPrivateData");
    /// `DXGI_ERROR_MORE_DATA`.
    const MORE_DATA: u32 = 0x887a_0003;
    let mut bytes = vec![0u8; MOST];
    let mut size = MOST as u32;
    let ask = |bytes: &mut Vec<u8>, size: &mut u32| {
        let asked = [(&raw const ID) as u64, core::ptr::from_mut(size) as u64, bytes.as_mut_ptr() as u64];
        // SAFETY: the object has the method; the words lead to an id, a size, and so many bytes.
        unsafe { real::ask(convention, object, GET, &asked) }
    };
    let mut result = ask(&mut bytes, &mut size);
    // The size is what is needed then. Handles of shader groups are longer than places.
    if result as u32 == MORE_DATA && size as usize <= MOST_GROUPS {
        bytes.resize(size as usize, 0);
        result = ask(&mut bytes, &mut size);
    }
    bytes.truncate(if (result as i32) < 0 { 0 } else { size as usize });
    bytes
}

/// `ID3D12Resource::GetDesc`.
///
/// # Safety
/// The chain is a resource's.
pub(crate) unsafe fn resource_desc(chain: &Chain) -> D3D12_RESOURCE_DESC {
    const DESC: MethodId = reprise_d3d12::method("ID3D12Resource", "GetDesc");
    // SAFETY: the chain is a resource's, and the structure is the getter's.
    unsafe { structure(chain, DESC) }
}

/// A buffer's address range; a texture's size and alignment on this device; what a swap chain's buffer is.
///
/// # Safety
/// The chain is a new resource's, made by a call on `maker`.
pub(crate) unsafe fn resource(chain: &Chain, maker: Option<&Chain>) {
    const ADDRESS: MethodId = reprise_d3d12::method("ID3D12Resource", "GetGPUVirtualAddress");
    const INFO: MethodId = reprise_d3d12::method("ID3D12Device", "GetResourceAllocationInfo");
    // SAFETY: getters of the resource, and of the device that made it.
    unsafe {
        let desc = resource_desc(chain);
        let dimension = i64::from(desc.Dimension.0);
        if dimension == BUFFER {
            let address = ask(chain, ADDRESS, &[]);
            if address != 0 {
                record::fact(chain.id, fact::ADDRESS_RANGE, &words(&[address, desc.Width]));
            }
        } else if dimension >= TEXTURE_FIRST
            && maker
                .and_then(|maker| maker.interface)
                .is_some_and(|maker| model::derives(maker, model::known().swap_chain))
        {
            let sizes = [desc.Width as u32, desc.Height, desc.Format.0 as u32, desc.DepthOrArraySize.into()];
            let numbers = sizes.into_iter().chain([desc.Flags.0, 0]);
            record::fact(chain.id, fact::BACK_BUFFER, &numbers.flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
        } else if dimension >= TEXTURE_FIRST
            && let Some(device) = maker.filter(|maker| {
                maker.interface.is_some_and(|interface| model::derives(interface, model::known().device))
            })
        {
            let mut info = D3D12_RESOURCE_ALLOCATION_INFO::default();
            ask(device, INFO, &[(&raw mut info) as u64, 0, 1, (&raw const desc) as u64]);
            if info.SizeInBytes != u64::MAX {
                record::fact(chain.id, fact::ALLOCATION, &words(&[info.SizeInBytes, info.Alignment]));
            }
        }
    }
}

/// A heap's size and alignment as the runtime made it.
///
/// # Safety
/// The chain is a new heap's.
pub(crate) unsafe fn heap(chain: &Chain) {
    const DESC: MethodId = reprise_d3d12::method("ID3D12Heap", "GetDesc");
    // SAFETY: a getter of the heap.
    let desc: D3D12_HEAP_DESC = unsafe { structure(chain, DESC) };
    record::fact(chain.id, fact::ALLOCATION, &words(&[desc.SizeInBytes, desc.Alignment]));
}

/// Where a descriptor heap begins, and its increment.
///
/// # Safety
/// The chain is a new descriptor heap's, made by a call on `maker`.
pub(crate) unsafe fn descriptor_heap(chain: &Chain, maker: Option<&Chain>) {
    const DESC: MethodId = reprise_d3d12::method("ID3D12DescriptorHeap", "GetDesc");
    const CPU: MethodId = reprise_d3d12::method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart");
    const GPU: MethodId = reprise_d3d12::method("ID3D12DescriptorHeap", "GetGPUDescriptorHandleForHeapStart");
    const INCREMENT: MethodId = reprise_d3d12::method("ID3D12Device", "GetDescriptorHandleIncrementSize");
    // SAFETY: getters of the heap, and of the device that made it.
    unsafe {
        let desc: D3D12_DESCRIPTOR_HEAP_DESC = structure(chain, DESC);
        let cpu: u64 = structure(chain, CPU);
        let visible = i64::from(desc.Flags.0) & SHADER_VISIBLE != 0;
        let gpu: u64 = if visible { structure(chain, GPU) } else { 0 };
        let device = maker
            .filter(|maker| maker.interface.is_some_and(|interface| model::derives(interface, model::known().device)));
        let increment = device.map_or(0, |device| ask(device, INCREMENT, &[desc.Type.0 as u32 as u64]) as u32);
        let mut bytes = words(&[cpu, gpu]);
        bytes.extend(increment.to_le_bytes());
        bytes.extend(desc.NumDescriptors.to_le_bytes());
        record::fact(chain.id, fact::DESCRIPTOR_HEAP, &bytes);
    }
}

/// The heap of a resource; of type 0 where the runtime does not say (reserved resources).
///
/// # Safety
/// The chain is a resource's.
pub(crate) unsafe fn heap_properties(chain: &Chain) -> D3D12_HEAP_PROPERTIES {
    const HEAP: MethodId = reprise_d3d12::method("ID3D12Resource", "GetHeapProperties");
    let mut properties = D3D12_HEAP_PROPERTIES::default();
    let mut flags = 0u32;
    // SAFETY: a getter of the resource, with places for both results.
    let result = unsafe { ask(chain, HEAP, &[(&raw mut properties) as u64, (&raw mut flags) as u64]) };
    if (result as i32) < 0 { D3D12_HEAP_PROPERTIES::default() } else { properties }
}

/// A subresource is mapped here.
pub(crate) fn mapping(mapping: &Mapping) {
    let last = u64::from(mapping.subresource) | u64::from(mapping.heap_type) << 32;
    record::fact(mapping.object, fact::MAPPING, &words(&[mapping.address as u64, mapping.size, last]));
}

const _: () = assert!(size_of::<*mut c_void>() == 8);
