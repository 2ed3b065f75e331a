//! Methods of `ID3D12Resource`.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_com::result::{E_INVALIDARG, E_POINTER, S_OK};
use reprise_com::{Class, Object, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup::method;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    D3D12_BOX, D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_RANGE, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1,
};

use crate::error::{code_at, code_of_method};
use crate::handle::sweep_for;
use crate::own::is_own;
use crate::resource::desc;
use crate::resource::map::Rows;
use crate::resource::object::Resource;
use crate::resource::place;

const NEWEST: InterfaceId = interface("ID3D12Resource2");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<Resource>::SHARED, RESOURCE_METHODS);

impl Class for Resource {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn lasts(object: &Object<Resource>) -> bool {
        object.lasts
    }

    fn facet(object: &Object<Resource>, iid: &Guid) -> Option<*mut c_void> {
        is_own(iid).then(|| object.pointer())
    }

    fn own_data(object: &Object<Resource>, id: &Guid) -> Option<Vec<u8>> {
        place::of_slice(&object.device, id, object.buffer().map(|buffer| &buffer.slice))
    }

    fn leaving(object: &Object<Resource>) {
        object.device.trail.release(object);
    }

    fn released(object: &Object<Resource>) {
        sweep_for(object.heap_flags);
        if let Some(checks) = object.device.bindings.checks().filter(|_| !object.lasts) {
            checks.gone(object.cookie, object.address, crate::checks::call());
        }
        let going = object.is_going();
        if object.lasts && !going {
            // A swap chain goes on to show it.
            return object.device.release();
        }
        object.device.targets.leave(&object.number);
        if going {
            if object.device.graveyard.is_calm() {
                return;
            }
            if let Some(buffer) = object.buffer() {
                buffer.slice.leave();
            }
        }
        let (kept, (_, bytes)) = (object.keep(), object.range());
        object.device.release();
        object.device.graveyard.bury(kept, bytes);
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

const RESOURCE_METHODS: &Slots = &[
    ("Map", map as *const c_void),
    ("Unmap", unmap as *const c_void),
    ("GetDesc", get_desc as *const c_void),
    ("GetDesc1", get_desc1 as *const c_void),
    ("GetGPUVirtualAddress", get_gpu_virtual_address as *const c_void),
    ("WriteToSubresource", write_to_subresource as *const c_void),
    ("ReadFromSubresource", read_from_subresource as *const c_void),
    ("GetHeapProperties", get_heap_properties as *const c_void),
];

/// # Safety
/// `resource` is a resource of ours.
unsafe fn this<'a>(resource: *mut c_void) -> &'a Object<Resource> {
    // SAFETY: the caller promises: `resource` is a resource of ours.
    unsafe { Object::this(resource) }
}

unsafe extern "C" fn map(
    resource: *mut c_void,
    subresource: u32,
    _read: *const D3D12_RANGE,
    data: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        // SAFETY: a resource of ours; `data` is null or writable.
        unsafe {
            let place = match this(resource).map(subresource, !data.is_null()) {
                Ok(place) => place,
                Err(error) => return code_at(Err(error), const { method("ID3D12Resource", "Map") }),
            };
            if let (Some(place), false) = (place, data.is_null()) {
                data.write(place.as_ptr().cast());
            }
            S_OK
        }
    })
}

/// Memory stays mapped for its whole life, and is coherent: there is nothing to undo and nothing to flush.
unsafe extern "C" fn unmap(_resource: *mut c_void, _subresource: u32, _written: *const D3D12_RANGE) {}

unsafe extern "C" fn get_desc(resource: *mut c_void, out: *mut D3D12_RESOURCE_DESC) -> *mut D3D12_RESOURCE_DESC {
    // SAFETY: a resource of ours; the place is the caller's.
    unsafe { out.write(desc::older(&this(resource).desc)) };
    out
}

unsafe extern "C" fn get_desc1(resource: *mut c_void, out: *mut D3D12_RESOURCE_DESC1) -> *mut D3D12_RESOURCE_DESC1 {
    // SAFETY: a resource of ours; the place is the caller's.
    unsafe { out.write(this(resource).desc) };
    out
}

unsafe extern "C" fn get_gpu_virtual_address(resource: *mut c_void) -> u64 {
    // SAFETY: a resource of ours.
    unsafe { this(resource) }.address
}

unsafe extern "C" fn write_to_subresource(
    resource: *mut c_void,
    subresource: u32,
    within: *const D3D12_BOX,
    data: *mut u8,
    row_pitch: u32,
    slice_pitch: u32,
) -> i32 {
    guard(E_INVALIDARG, || {
        let Some(bytes) = NonNull::new(data) else { return E_POINTER };
        let rows = Rows { bytes, row_pitch: row_pitch.into(), slice_pitch: slice_pitch.into() };
        // SAFETY: the slot is of a resource's vtable; the box is null or readable, and the memory, which is not null, holds the rows of
        // that part of the subresource by these pitches.
        unsafe {
            code_of_method(
                this(resource).write(subresource, within.as_ref(), rows),
                method("ID3D12Resource", "WriteToSubresource"),
            )
        }
    })
}

unsafe extern "C" fn read_from_subresource(
    resource: *mut c_void,
    data: *mut u8,
    row_pitch: u32,
    slice_pitch: u32,
    subresource: u32,
    within: *const D3D12_BOX,
) -> i32 {
    guard(E_INVALIDARG, || {
        let Some(bytes) = NonNull::new(data) else { return E_POINTER };
        let rows = Rows { bytes, row_pitch: row_pitch.into(), slice_pitch: slice_pitch.into() };
        // SAFETY: the slot is of a resource's vtable; the box is null or readable, and the memory, which is not null, has room for the rows
        // of that part of the subresource by these pitches.
        unsafe {
            code_of_method(
                this(resource).read(subresource, within.as_ref(), rows),
                method("ID3D12Resource", "ReadFromSubresource"),
            )
        }
    })
}

unsafe extern "C" fn get_heap_properties(
    resource: *mut c_void,
    properties: *mut D3D12_HEAP_PROPERTIES,
    flags: *mut D3D12_HEAP_FLAGS,
) -> i32 {
    // SAFETY: a resource of ours; the places are null or writable.
    unsafe {
        let resource = this(resource);
        // A reserved resource is in no heap.
        if resource.tiles.is_some() {
            return E_INVALIDARG;
        }
        if !properties.is_null() {
            properties.write(resource.heap_properties);
        }
        if !flags.is_null() {
            flags.write(resource.heap_flags);
        }
    }
    S_OK
}
