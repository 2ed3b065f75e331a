//! The interface of state objects, and the methods of the device that make them.

use core::ffi::c_void;
use core::ptr::NonNull;

use reprise_com::result::{E_FAIL, E_INVALIDARG};
use reprise_com::{Class, Facet, Object, Slots, Tables, Vtable, guard, vtable};
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::place::ID;
use reprise_d3d12::types::{
    D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS5, D3D12_RAYTRACING_TIER, D3D12_STATE_OBJECT_DESC,
    D3D12_STATE_OBJECT_TYPE,
};
use reprise_d3d12::{executables, interface};

use super::generic;
use super::graph_properties;
use super::handles;
use super::invalid;
use super::object::{Read, StateObject};
use super::piece::ABSENT;
use super::properties;
use crate::device::{self, Device, features};
use crate::pipeline;
use crate::{Error, Result};

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots =
    &[("CreateStateObject", create as *const c_void), ("AddToStateObject", add as *const c_void)];

const NEWEST: InterfaceId = interface("ID3D12StateObject");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(NEWEST, Object::<StateObject>::SHARED, &[]);

impl Class for StateObject {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn facet(object: &Object<StateObject>, iid: &Guid) -> Option<*mut c_void> {
        properties::answer(object, iid).or_else(|| graph_properties::answer(object, iid))
    }

    fn own_data(object: &Object<StateObject>, id: &Guid) -> Option<Vec<u8>> {
        if *id == executables::ID && object.has_executables {
            let wholes = object.wholes.iter().map(|whole| whole.vk);
            // SAFETY: the state object has its pipelines until it goes, and they were made to keep what the driver says.
            return unsafe { pipeline::executables::of(&object.device, wholes) };
        }
        (*id == ID).then(|| object.handles.as_ref().map(|handles| handles.bytes(&object.device.caps.driver_build())))?
    }

    fn released(object: &Object<StateObject>) {
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

/// The facets of a new state object.
fn facets() -> [Facet; 2] {
    [properties::new_facet(), graph_properties::new_facet()]
}

/// # Safety
/// The description is readable as its type says, and each pointer in it is null or leads to as many elements as the count beside it.
unsafe fn make(
    device: &Object<Device>,
    desc: &D3D12_STATE_OBJECT_DESC,
    grown: Option<&Object<StateObject>>,
) -> Result<StateObject> {
    match desc.Type {
        D3D12_STATE_OBJECT_TYPE::COLLECTION | D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE => {}
        D3D12_STATE_OBJECT_TYPE::EXECUTABLE => {
            // SAFETY: the caller promises a description whose subobjects, and what these point at, are readable until the call returns.
            let read = unsafe { (Read::new(device, desc, grown)?, generic::read(desc)?) };
            // Graphics pipelines need nothing that other pipelines do not.
            if !read.0.graphs.is_empty() && !features::has_work_graphs(device) {
                return Err(Error::Unsupported("work graphs, on this device"));
            }
            return StateObject::executable(device, read, grown.map(|grown| &**grown), facets());
        }
        _ => return Err(invalid(format!("{} is no type of state objects", desc.Type.0))),
    }
    let options: D3D12_FEATURE_DATA_D3D12_OPTIONS5 = features::answer(device, D3D12_FEATURE::D3D12_OPTIONS5);
    if options.RaytracingTier == D3D12_RAYTRACING_TIER::TIER_NOT_SUPPORTED {
        return Err(ABSENT);
    }
    // SAFETY: the caller promises a description whose subobjects, and what these point at, are readable until the call returns.
    let read = unsafe { Read::new(device, desc, grown)? };
    StateObject::new(device, desc.Type, read, grown.map(|grown| &**grown), (facets(), handles::next(device)))
}

/// Says what is not supported, and gives the object or the code.
///
/// # Safety
/// `iid` is null or readable, `out` null or writable.
unsafe fn give(made: Result<StateObject>, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    if let Some(what) = made.as_ref().err().and_then(Error::unsupported) {
        reprise_log::warning_once("not supported in state objects:", what);
    }
    // SAFETY: the caller promises: `iid` is null or readable, `out` null or writable.
    unsafe { device::give(made, iid, out) }
}

unsafe extern "C" fn create(
    this: *mut c_void,
    desc: *const D3D12_STATE_OBJECT_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of our device's vtable; the description is not null, and the API obliges the program to keep all that it leads to
        // readable until the call returns; `iid` is null or readable, and `out` null or room for a pointer.
        unsafe { give(make(device::this(this), &*desc, None), iid, out) }
    })
}

unsafe extern "C" fn add(
    this: *mut c_void,
    desc: *const D3D12_STATE_OBJECT_DESC,
    grown: *mut c_void,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: as for `create`; `grown` is null or a living COM object.
        unsafe {
            let made = match Object::<StateObject>::from_pointer(grown) {
                None => Err(invalid("AddToStateObject: not a state object of this runtime".to_owned())),
                Some(grown) if !grown.is_open() => {
                    Err(invalid("AddToStateObject: the state object was made without allowing additions".to_owned()))
                }
                Some(grown) if grown.kind != (*desc).Type => {
                    Err(invalid("AddToStateObject: the addition is of another type".to_owned()))
                }
                Some(grown) => make(device::this(this), &*desc, Some(grown)),
            };
            give(made, iid, out)
        }
    })
}
