//! `ID3D12StateObjectProperties2` and what came before it: identifiers, stacks, root signatures.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::result::{E_INVALIDARG, E_NOTIMPL};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::lookup;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::D3D12_PROGRAM_IDENTIFIER;

use super::object::StateObject;
use crate::own::is_of;
use crate::wide::text;

const NEWEST: InterfaceId = interface("ID3D12StateObjectProperties2");

/// The facet's number.
const NUMBER: usize = 0;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    <StateObject as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("GetShaderIdentifier", get_shader_identifier as *const c_void),
        ("GetShaderStackSize", get_shader_stack_size as *const c_void),
        ("GetPipelineStackSize", get_pipeline_stack_size as *const c_void),
        ("SetPipelineStackSize", set_pipeline_stack_size as *const c_void),
        ("GetProgramIdentifier", get_program_identifier as *const c_void),
        ("GetGlobalRootSignatureForProgram", get_root_for_program as *const c_void),
        ("GetGlobalRootSignatureForShader", get_root_for_shader as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for StateObject {
    const PLACE: usize = offset_of!(StateObject, properties);
}

/// The facet of a new state object.
pub(super) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet, where it is asked for.
pub(super) fn answer(object: &Object<StateObject>, iid: &Guid) -> Option<*mut c_void> {
    let asked = lookup::by_iid(iid)?;
    is_of(NEWEST, asked).then(|| facet::pointer::<StateObject, NUMBER>(object))
}

unsafe extern "C" fn get_shader_identifier(this: *mut c_void, name: *const u16) -> *const c_void {
    guard(core::ptr::null(), || {
        // SAFETY: our facet; the program's name ends with zero.
        let (object, name) = unsafe { (facet::object::<StateObject, NUMBER>(this), text(name)) };
        let found = name.ok().and_then(|name| object.identifier(&name).map(|(bytes, _)| bytes.as_ptr()));
        found.map_or(core::ptr::null(), |bytes| bytes.cast())
    })
}

unsafe extern "C" fn get_shader_stack_size(this: *mut c_void, name: *const u16) -> u64 {
    /// The API's answer for a name that is no shader's.
    const UNKNOWN: u64 = 0xffff_ffff;
    guard(UNKNOWN, || {
        // SAFETY: our facet; the program's name ends with zero.
        let (object, name) = unsafe { (facet::object::<StateObject, NUMBER>(this), text(name)) };
        name.ok().and_then(|name| object.shader_stack(&name)).unwrap_or(UNKNOWN)
    })
}

unsafe extern "C" fn get_pipeline_stack_size(this: *mut c_void) -> u64 {
    // SAFETY: our facet.
    unsafe { facet::object::<StateObject, NUMBER>(this) }.stack()
}

unsafe extern "C" fn set_pipeline_stack_size(this: *mut c_void, bytes: u64) {
    // SAFETY: our facet.
    unsafe { facet::object::<StateObject, NUMBER>(this) }.set_stack(bytes);
}

unsafe extern "C" fn get_program_identifier(
    this: *mut c_void,
    out: *mut D3D12_PROGRAM_IDENTIFIER,
    name: *const u16,
) -> *mut D3D12_PROGRAM_IDENTIFIER {
    guard(out, || {
        // SAFETY: our facet; the program's name ends with zero.
        let (object, name) = unsafe { (facet::object::<StateObject, NUMBER>(this), text(name)) };
        let words = name.ok().and_then(|name| object.program_identifier(&name));
        let identifier = words.map(|words| D3D12_PROGRAM_IDENTIFIER { OpaqueData: words });
        if !out.is_null() {
            // SAFETY: the place is the caller's.
            unsafe { out.write(identifier.unwrap_or_default()) };
        }
        out
    })
}

unsafe extern "C" fn get_root_for_program(
    this: *mut c_void,
    name: *const u16,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_NOTIMPL, || {
        if iid.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: `this` is the facet with this number of a state object that the program holds; the name is null or ends with a zero,
        // `iid` is not null, `out` is null or room for a pointer.
        unsafe {
            let object = facet::object::<StateObject, NUMBER>(this);
            match text(name).ok().and_then(|name| object.program_root(&name)) {
                Some(root) => root.query(&*iid, out),
                None => {
                    if !out.is_null() {
                        out.write(core::ptr::null_mut());
                    }
                    E_INVALIDARG
                }
            }
        }
    })
}

unsafe extern "C" fn get_root_for_shader(
    this: *mut c_void,
    name: *const u16,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_NOTIMPL, || {
        if iid.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: `this` is the facet with this number of a state object that the program holds; the name is null or ends with a zero,
        // `iid` is not null, `out` is null or room for a pointer.
        unsafe {
            let object = facet::object::<StateObject, NUMBER>(this);
            match text(name).ok().and_then(|name| object.root_of(&name)) {
                Some(root) => root.query(&*iid, out),
                None => E_INVALIDARG,
            }
        }
    })
}
