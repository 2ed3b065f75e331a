//! The methods that do something real, by name.

use crate::context::{Context, E_NOINTERFACE, E_POINTER, MORE_DATA, NOT_FOUND, S_FALSE, S_OK};
use crate::event;
use crate::object::Object;
use crate::read::units;
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, MethodId, Type};
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO,
    DXGI_SWAP_CHAIN_DESC1,
};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::Ordering;

/// Does a call, or declines (`None`) and leaves it to the filler.
pub(crate) type Special = unsafe fn(&Context<'_>) -> Option<u64>;

/// By family (without its version; empty for any) and method or function name.
const SPECIALS: &[(&str, &str, Special)] = &[
    ("", "QueryInterface", query_interface),
    ("", "AddRef", add_ref),
    ("", "Release", release),
    ("", "GetPrivateData", get_private_data),
    ("", "SetPrivateData", set_private_data),
    ("", "SetPrivateDataInterface", set_private_data_interface),
    ("", "SetName", set_name),
    ("", "GetDevice", get_parent),
    ("", "GetParent", get_parent),
    ("", "Map", map),
    ("", "GetDesc", get_desc),
    ("", "GetDesc1", get_desc),
    ("", "GetBufferPointer", get_buffer_pointer),
    ("", "GetBufferSize", get_buffer_size),
    ("ID3D12Resource", "GetHeapProperties", get_heap_properties),
    ("", "GetGPUVirtualAddress", gpu_address),
    ("", "GetCPUDescriptorHandleForHeapStart", cpu_start),
    ("", "GetGPUDescriptorHandleForHeapStart", gpu_start),
    ("", "GetDescriptorHandleIncrementSize", increment),
    ("ID3D12StateObjectProperties", "GetShaderIdentifier", shader_identifier),
    ("ID3D12Device", "GetRaytracingAccelerationStructurePrebuildInfo", prebuild_info),
    ("ID3D12Fence", "GetCompletedValue", get_completed_value),
    ("ID3D12Fence", "SetEventOnCompletion", set_event_on_completion),
    ("ID3D12Fence", "Signal", fence_signal),
    ("ID3D12CommandQueue", "Signal", queue_signal),
    ("ID3D12Device", "SetEventOnMultipleFenceCompletion", set_event_on_multiple),
    ("IDXGISwapChain", "Present", present),
    ("IDXGISwapChain", "Present1", present),
    ("IDXGISwapChain", "ResizeBuffers", resize_buffers),
    ("IDXGISwapChain", "GetCurrentBackBufferIndex", current_buffer),
    ("", "D3D12CreateDevice", create_device),
    ("", "vkd3d_create_event", create_event),
    ("", "vkd3d_signal_event", signal_event),
    ("", "vkd3d_wait_event", wait_event),
    ("", "vkd3d_destroy_event", destroy_event),
];

static TABLE: LazyLock<Vec<Option<Special>>> = LazyLock::new(|| {
    let model = crate::model();
    let find = |method: &reprise_d3d12::model::Method| {
        let interface = method.interface.map_or("", |i| model.interfaces[i.0 as usize].name);
        let unversioned = interface.trim_end_matches(|c: char| c.is_ascii_digit());
        let fits = |family: &str| family.is_empty() || family == unversioned;
        SPECIALS.iter().find(|(family, name, _)| *name == method.name && fits(family)).map(|s| s.2)
    };
    model.methods.iter().map(find).collect()
});

pub(crate) fn of(method: MethodId) -> Option<Special> {
    TABLE[method.0 as usize]
}

/// Reads a `Guid` argument.
///
/// # Safety
/// The word is null or points to one.
unsafe fn guid(word: u64) -> Option<Guid> {
    // SAFETY: the caller promises a readable id; ids in program memory need not be aligned.
    (word != 0).then(|| unsafe { (word as *const Guid).read_unaligned() })
}

/// # Safety
/// The words are valid arguments of `QueryInterface`.
unsafe fn query_interface(call: &Context<'_>) -> Option<u64> {
    let out = call.words[1] as *mut *mut c_void;
    if out.is_null() {
        return Some(u64::from(E_POINTER));
    }
    // SAFETY: the arguments of QueryInterface, null apart.
    unsafe {
        let found = guid(call.words[0]).and_then(|iid| call.object?.query(&iid));
        out.write(found.unwrap_or(core::ptr::null_mut()));
        Some(u64::from(if found.is_some() { S_OK } else { E_NOINTERFACE }))
    }
}

/// # Safety
/// None beyond a live object.
unsafe fn add_ref(call: &Context<'_>) -> Option<u64> {
    Some(u64::from(call.object?.add_ref()))
}

/// # Safety
/// The caller owns a reference.
unsafe fn release(call: &Context<'_>) -> Option<u64> {
    // SAFETY: the program gives up a reference that it owns.
    Some(u64::from(unsafe { Object::release(call.object?) }))
}

/// # Safety
/// The words are valid arguments of `GetPrivateData`.
unsafe fn get_private_data(call: &Context<'_>) -> Option<u64> {
    let size = call.words[1] as *mut u32;
    let data = call.words[2] as *mut u8;
    // SAFETY: the arguments of GetPrivateData: the size is in and out, the data have that much room or are null.
    unsafe {
        let Some(size) = size.as_mut() else { return Some(u64::from(E_POINTER)) };
        let Some(bytes) = call.object?.private(&guid(call.words[0])?, !data.is_null()) else {
            *size = 0;
            return Some(u64::from(NOT_FOUND));
        };
        let room = core::mem::replace(size, bytes.len() as u32) as usize;
        if data.is_null() {
            return Some(u64::from(S_OK));
        }
        if room < bytes.len() {
            return Some(u64::from(MORE_DATA));
        }
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), data, bytes.len());
        Some(u64::from(S_OK))
    }
}

/// # Safety
/// The words are valid arguments of `SetPrivateData`.
unsafe fn set_private_data(call: &Context<'_>) -> Option<u64> {
    // SAFETY: the data, when not null, are as long as the size says.
    unsafe {
        let guid = guid(call.words[0])?;
        let data = call.words[2] as *const u8;
        let bytes = (!data.is_null()).then(|| core::slice::from_raw_parts(data, call.bits(1) as usize));
        call.object?.set_private(&guid, bytes);
    }
    Some(u64::from(S_OK))
}

/// # Safety
/// The words are valid arguments of `SetPrivateDataInterface`.
unsafe fn set_private_data_interface(call: &Context<'_>) -> Option<u64> {
    // SAFETY: the id is readable, the interface null or live.
    unsafe { call.object?.set_private_interface(&guid(call.words[0])?, call.words[1]) };
    Some(u64::from(S_OK))
}

/// The name is private data under an id of its own, as in Microsoft's runtime.
///
/// # Safety
/// The words are valid arguments of `SetName`.
unsafe fn set_name(call: &Context<'_>) -> Option<u64> {
    const NAME: Guid = Guid {
        data1: 0x4cca_5fd8,
        data2: 0x921f,
        data3: 0x42c8,
        data4: [0x85, 0x66, 0x70, 0xca, 0xf2, 0xa9, 0xb7, 0x41],
    };
    let Type::Pointer(pointee) = call.method.params[0].ty else { return None };
    let bytes = (call.words[0] != 0).then(|| {
        // SAFETY: a name that is not null is terminated text.
        let units = unsafe { units(call.words[0] as *const u8, pointee.ty) };
        units.into_iter().chain([0]).flat_map(|u| (u as u16).to_le_bytes()).collect::<Vec<u8>>()
    });
    call.object?.set_private(&NAME, bytes.as_deref());
    Some(u64::from(S_OK))
}

/// # Safety
/// The words are valid arguments of `GetDevice(riid, out)`.
unsafe fn get_parent(call: &Context<'_>) -> Option<u64> {
    if call.method.params.len() != 2 {
        return None;
    }
    // SAFETY: a parent lives as long as its child; the arguments are those of QueryInterface.
    unsafe {
        let parent = call.object?.parent.as_ref()?;
        let context = Context { object: Some(parent), ..*call };
        query_interface(&context)
    }
}

/// An identifier for each name, the same on every state object, so that one that grows keeps those it had. It lives as long as the
/// state object. Null runtimes do not look into libraries: every name is an export.
///
/// # Safety
/// The words are valid arguments of `GetShaderIdentifier`.
unsafe fn shader_identifier(call: &Context<'_>) -> Option<u64> {
    let Type::Pointer(pointee) = call.method.params[0].ty else { return None };
    if call.words[0] == 0 {
        return Some(0);
    }
    // SAFETY: a name is terminated text.
    let name = unsafe { units(call.words[0] as *const u8, pointee.ty) };
    Some(call.object?.state.identifier(&name) as u64)
}

/// Sizes that grow with what a structure is built from, in multiples of 256 as everywhere.
///
/// # Safety
/// The words are valid arguments of `GetRaytracingAccelerationStructurePrebuildInfo`.
unsafe fn prebuild_info(call: &Context<'_>) -> Option<u64> {
    type Inputs = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS;
    type Sizes = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO;
    // SAFETY: null, or the method's structures.
    let (inputs, sizes) =
        unsafe { ((call.words[0] as *const Inputs).as_ref(), (call.words[1] as *mut Sizes).as_mut()) };
    let size = 256 * (1 + u64::from(inputs?.NumDescs));
    *sizes? = Sizes {
        ResultDataMaxSizeInBytes: 4 * size,
        ScratchDataSizeInBytes: 2 * size,
        UpdateScratchDataSizeInBytes: size,
    };
    Some(0)
}

/// Bytes that a resource has, from what it was made with: buffers exactly, textures generously.
fn resource_bytes(object: &Object) -> usize {
    const MOST: u64 = 64 << 20;
    let description =
        ["D3D12_RESOURCE_DESC1", "D3D12_RESOURCE_DESC"].iter().find_map(|n| object.state.descriptions.get(n));
    let Some(bytes) = description else { return 65_536 };
    let u64_at = |at: usize| bytes[at..].first_chunk::<8>().map_or(0, |b| u64::from_le_bytes(*b));
    let u32_at = |at: usize| bytes[at..].first_chunk::<4>().map_or(0, |b| u32::from_le_bytes(*b));
    let (dimension, width, height) = (u32_at(0), u64_at(16), u64::from(u32_at(24)));
    let wanted = if dimension == 1 { width } else { width.saturating_mul(height.max(1)).saturating_mul(16) };
    wanted.clamp(1, MOST) as usize
}

/// # Safety
/// The words are valid arguments of `Map`.
unsafe fn map(call: &Context<'_>) -> Option<u64> {
    let index = call.method.params.iter().position(|p| p.name.ends_with("ppData"))?;
    let start = call.object?.state.memory(resource_bytes(call.object?));
    let out = call.words[index] as *mut *mut u8;
    if !out.is_null() {
        // SAFETY: the output is not null, so it has room for a pointer.
        unsafe { out.write(start) };
    }
    Some(u64::from(S_OK))
}

/// The description that the object was made with, where it is known under this name or one that extends it.
///
/// # Safety
/// Parameter 0 is the structure to fill, or null.
unsafe fn get_desc(call: &Context<'_>) -> Option<u64> {
    let Type::Pointer(pointee) = call.method.params.first()?.ty else { return None };
    let Type::Struct(id) = pointee.ty else { return None };
    let structure = &crate::model().structs[id.0 as usize];
    let stem = structure.name.trim_end_matches('1');
    let known = call.object?.state.descriptions.iter().find(|(name, _)| name.trim_end_matches('1') == stem)?.1;
    let out = call.words[0] as *mut u8;
    if !out.is_null() {
        // SAFETY: the output is one such structure; what the known one is shorter by stays as the caller had it.
        unsafe { core::ptr::copy_nonoverlapping(known.as_ptr(), out, known.len().min(structure.size as usize)) };
    }
    call.method.returns_structure.then_some(call.words[0]).or(Some(u64::from(S_OK)))
}

/// The heap that a committed resource was asked for; captures keep it as a fact.
///
/// # Safety
/// The words are valid arguments of `GetHeapProperties`.
unsafe fn get_heap_properties(call: &Context<'_>) -> Option<u64> {
    let state = &call.object?.state;
    let known = state.descriptions.get("D3D12_HEAP_PROPERTIES")?;
    let (properties, flags) = (call.words[0] as *mut u8, call.words[1] as *mut u32);
    // SAFETY: the outputs are null or have room for the structure, which the known one is, and for the flags.
    unsafe {
        if !properties.is_null() {
            core::ptr::copy_nonoverlapping(known.as_ptr(), properties, known.len());
        }
        if !flags.is_null() {
            flags.write(state.heap_flags);
        }
    }
    Some(u64::from(S_OK))
}

/// The buffers of a swap chain come in turn; a test of `Present` takes none.
///
/// # Safety
/// None beyond a live object.
unsafe fn present(call: &Context<'_>) -> Option<u64> {
    const TEST: u64 = 1;
    let next = &call.object?.state.next_buffer;
    next.fetch_add(u32::from(call.words[1] & TEST == 0), Ordering::Relaxed);
    Some(u64::from(S_OK))
}

/// # Safety
/// None beyond a live object.
unsafe fn resize_buffers(call: &Context<'_>) -> Option<u64> {
    let state = &call.object?.state;
    state.next_buffer.store(0, Ordering::Relaxed);
    if call.words[0] != 0 {
        state.buffers.store(call.words[0] as u32, Ordering::Relaxed);
    }
    Some(u64::from(S_OK))
}

/// # Safety
/// None beyond a live object.
unsafe fn current_buffer(call: &Context<'_>) -> Option<u64> {
    let state = &call.object?.state;
    let count = match state.buffers.load(Ordering::Relaxed) {
        0 => buffer_count(&state.descriptions),
        count => count,
    };
    Some(u64::from(state.next_buffer.load(Ordering::Relaxed) % count.max(1)))
}

/// What a swap chain was made with; two where that is not known.
fn buffer_count(descriptions: &BTreeMap<&'static str, Vec<u8>>) -> u32 {
    const OFFSET: usize = core::mem::offset_of!(DXGI_SWAP_CHAIN_DESC1, BufferCount);
    let desc = descriptions.get("DXGI_SWAP_CHAIN_DESC1");
    let bytes = desc.and_then(|bytes| bytes.get(OFFSET..)?.first_chunk::<4>());
    bytes.map_or(2, |bytes| u32::from_le_bytes(*bytes))
}

/// # Safety
/// None beyond a live object.
unsafe fn get_buffer_pointer(call: &Context<'_>) -> Option<u64> {
    let object = call.object?;
    let start = object.state.memory(object.state.bytes);
    for i in 0..object.state.bytes {
        // SAFETY: the memory has that many bytes. Written again at every call, to the same values.
        unsafe { start.add(i).write((object.serial as usize * 7 + i) as u8) };
    }
    Some(start as u64)
}

/// # Safety
/// None beyond a live object.
unsafe fn get_buffer_size(call: &Context<'_>) -> Option<u64> {
    Some(call.object?.state.bytes as u64)
}

/// Each resource has 4 GiB of addresses to itself.
///
/// # Safety
/// None beyond a live object.
unsafe fn gpu_address(call: &Context<'_>) -> Option<u64> {
    Some(call.object?.serial << 32)
}

/// # Safety
/// Parameter 0 is the handle to fill, or null.
unsafe fn handle(call: &Context<'_>, value: u64) -> Option<u64> {
    let out = call.words.first().copied()? as *mut u64;
    if !out.is_null() {
        // SAFETY: the output is one handle of eight bytes.
        unsafe { out.write(value) };
    }
    Some(out as u64)
}

/// # Safety
/// As for [`handle`].
unsafe fn cpu_start(call: &Context<'_>) -> Option<u64> {
    // SAFETY: passed on.
    unsafe { handle(call, 0x0010_0000_0000 + (call.object?.serial << 28)) }
}

/// # Safety
/// As for [`handle`].
unsafe fn gpu_start(call: &Context<'_>) -> Option<u64> {
    // SAFETY: passed on.
    unsafe { handle(call, 0x4000_0000_0000 + (call.object?.serial << 28)) }
}

/// # Safety
/// None.
unsafe fn increment(call: &Context<'_>) -> Option<u64> {
    Some(32 + call.bits(0).min(3) * 8)
}

/// # Safety
/// None beyond a live object.
unsafe fn get_completed_value(call: &Context<'_>) -> Option<u64> {
    Some(call.object?.state.completed())
}

/// # Safety
/// None beyond a live object.
unsafe fn set_event_on_completion(call: &Context<'_>) -> Option<u64> {
    call.object?.state.notify(call.words[0], call.words[1]);
    Some(u64::from(S_OK))
}

/// # Safety
/// None beyond a live object.
unsafe fn fence_signal(call: &Context<'_>) -> Option<u64> {
    call.object?.state.signal(call.words[0]);
    Some(u64::from(S_OK))
}

/// # Safety
/// Parameter 0 is null or a fence of this runtime.
unsafe fn queue_signal(call: &Context<'_>) -> Option<u64> {
    if crate::live::serial_of(call.words[0]).is_some() {
        // SAFETY: a live facet, as just looked up.
        unsafe { Object::from_facet(call.words[0] as *mut c_void) }.state.signal(call.words[1]);
    }
    Some(u64::from(S_OK))
}

/// # Safety
/// The words are valid arguments of `SetEventOnMultipleFenceCompletion`.
unsafe fn set_event_on_multiple(call: &Context<'_>) -> Option<u64> {
    event::signal(call.named("hEvent")?);
    Some(u64::from(S_OK))
}

/// # Safety
/// The words are valid arguments of `D3D12CreateDevice`.
unsafe fn create_device(call: &Context<'_>) -> Option<u64> {
    // Without an output the caller only asks whether a device could be made.
    (call.words.last() == Some(&0)).then_some(u64::from(S_FALSE))
}

/// # Safety
/// None.
unsafe fn create_event(_: &Context<'_>) -> Option<u64> {
    Some(event::create())
}

/// # Safety
/// Parameter 0 is an event.
unsafe fn signal_event(call: &Context<'_>) -> Option<u64> {
    event::signal(call.words[0]);
    Some(0)
}

/// # Safety
/// Parameter 0 is an event.
unsafe fn wait_event(call: &Context<'_>) -> Option<u64> {
    Some(event::wait(call.words[0], call.bits(1) as u32))
}

/// # Safety
/// Parameter 0 is an event, not used again.
unsafe fn destroy_event(call: &Context<'_>) -> Option<u64> {
    event::destroy(call.words[0]);
    Some(0)
}
