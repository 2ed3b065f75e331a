//! Facts about a new object: the answers of its getters, recorded once, at its creation.
//!
//! A replay on another device needs them, and a program may never ask for them. FORMAT.md, "Facts", has their payloads.
//! Invariant: only getters of the runtime are called, and only on objects that the program has not seen yet. A getter that
//! fails gives no fact.

use crate::session::record;
use crate::tracking::Mapping;
use crate::wrapper::object::Chain;
use crate::{model, real};
use core::ffi::c_void;
use reprise_d3d12::model::{InterfaceId, MethodId, Type};
use reprise_d3d12::types::{
    D3D12_CPU_PAGE_PROPERTY, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_HEAP_DESC, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE,
    D3D12_RESOURCE_ALLOCATION_INFO, D3D12_RESOURCE_DESC,
};
use reprise_trace::fact;

const BUFFER: i64 = 1;
const TEXTURE_FIRST: i64 = 2;
const SHADER_VISIBLE: i64 = 1;
/// From these features on (`D3D12_FEATURE_D3D12_OPTIONS6`, 7, 8, 12) a runtime is asked only if its device has the
/// interface that came with them: one that does not know a feature may complain on the program's standard error.
const SINCE: [(u32, InterfaceId); 4] = [
    (30, reprise_d3d12::interface("ID3D12Device6")),
    (32, reprise_d3d12::interface("ID3D12Device8")),
    (36, reprise_d3d12::interface("ID3D12Device9")),
    (41, reprise_d3d12::interface("ID3D12Device10")),
];
/// Features whose answer depends on a question (a format, a command, a queue): what the program asks of them is in its calls.
const QUESTIONS: [u32; 7] = [3, 4, 5, 10, 20, 28, 31];
const FEATURE_SHADER_MODEL: u32 = 7;
const FEATURE_ROOT_SIGNATURE: u32 = 12;
/// `D3D_SHADER_MODEL_6_9`; a runtime that does not know it refuses, and the next lower is tried.
const SHADER_MODELS: core::ops::RangeInclusive<u32> = 0x51..=0x69;

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
    let Some(features) = reprise_d3d12::lookup::select("FeatureData") else { return };
    // SAFETY: a live device.
    let end = unsafe { end_of_known(chain) };
    for (feature, ty) in features.cases {
        let Type::Struct(id) = ty else { continue };
        let layout = &model::tables().structs[id.0 as usize];
        let feature = *feature as u32;
        if feature >= end {
            break;
        }
        if !layout.flat || QUESTIONS.contains(&feature) {
            continue;
        }
        // SAFETY: the structure is the feature's.
        let known = unsafe { self::feature(chain, feature, layout.size) };
        // From there on a runtime knows all features up to one, and none after it.
        if !known && feature >= SINCE[0].0 {
            break;
        }
    }
}

/// The first feature that is newer than the interfaces of the device.
///
/// # Safety
/// The chain is a live device's.
unsafe fn end_of_known(chain: &Chain) -> u32 {
    let missing = SINCE.iter().find(|(_, interface)| {
        let convention = chain.identity().convention;
        // SAFETY: the device is alive; the reference that the answer brings is given back.
        unsafe {
            let answer = real::query(convention, chain.real(), &interface.get().iid);
            if !answer.is_null() {
                real::release(convention, answer);
            }
            answer.is_null()
        }
    });
    missing.map_or(u32::MAX, |(feature, _)| *feature)
}

/// Asks for one feature and states the answer; whether the runtime knows the feature.
///
/// # Safety
/// The chain is a live device's; `size` is that of the feature's structure, in bytes.
unsafe fn feature(chain: &Chain, feature: u32, size: u32) -> bool {
    const CHECK: MethodId = reprise_d3d12::method("ID3D12Device", "CheckFeatureSupport");
    let mut data = vec![0u64; size.div_ceil(8) as usize];
    let ask = |data: &mut Vec<u64>| {
        // SAFETY: the data has the feature's size.
        let result = unsafe { self::ask(chain, CHECK, &[feature.into(), data.as_mut_ptr() as u64, size.into()]) };
        result as i32 >= 0
    };
    // Two features answer "the highest up to what you say".
    let known = match feature {
        FEATURE_SHADER_MODEL => SHADER_MODELS.rev().any(|model| {
            data[0] = model.into();
            ask(&mut data)
        }),
        FEATURE_ROOT_SIGNATURE => (1..=3u64).rev().any(|version| {
            data[0] = version;
            ask(&mut data)
        }),
        _ => ask(&mut data),
    };
    if known {
        let mut bytes = words(&[u64::from(feature) | u64::from(size) << 32]);
        bytes.extend(words(&data));
        record::fact(chain.id, fact::FEATURE, &bytes);
    }
    known
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

/// The memory that a resource lies in.
#[derive(Clone, Copy, Default)]
pub(crate) struct Home {
    /// `D3D12_HEAP_TYPE`; 0 where the runtime does not say (reserved resources).
    pub(crate) kind: u32,
    /// Programs read from it what the GPU wrote: a readback heap, or a custom one whose pages the processor caches.
    pub(crate) read_back: bool,
}

/// The memory of a resource.
///
/// # Safety
/// The chain is a resource's.
pub(crate) unsafe fn home(chain: &Chain) -> Home {
    const HEAP: MethodId = reprise_d3d12::method("ID3D12Resource", "GetHeapProperties");
    let mut properties = D3D12_HEAP_PROPERTIES::default();
    let mut flags = 0u32;
    // SAFETY: a getter of the resource, with places for both results.
    let result = unsafe { ask(chain, HEAP, &[(&raw mut properties) as u64, (&raw mut flags) as u64]) };
    if (result as i32) < 0 {
        return Home::default();
    }
    let cached = properties.CPUPageProperty == D3D12_CPU_PAGE_PROPERTY::WRITE_BACK;
    let read_back = match properties.Type {
        D3D12_HEAP_TYPE::READBACK => true,
        D3D12_HEAP_TYPE::CUSTOM => cached,
        _ => false,
    };
    Home { kind: properties.Type.0 as u32, read_back }
}

/// A subresource is mapped here.
pub(crate) fn mapping(mapping: &Mapping) {
    let last = u64::from(mapping.subresource) | u64::from(mapping.heap_type) << 32;
    record::fact(mapping.object, fact::MAPPING, &words(&[mapping.address as u64, mapping.size, last]));
}

const _: () = assert!(size_of::<*mut c_void>() == 8);
