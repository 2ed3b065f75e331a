//! `ID3D12GraphicsCommandListExt` and its successors: the command buffer behind a list. Kernels for one vendor's hardware fail by
//! name.

use core::ffi::c_void;
use core::mem::offset_of;

use ash::vk;
use reprise_com::result::{E_INVALIDARG, S_OK};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::BOOL;
use reprise_d3d12::{interface, lookup};

use crate::error::code;
use crate::list::CommandList;
use crate::own::is_of;

const NEWEST: InterfaceId = interface("ID3D12GraphicsCommandListExt2");

/// The facet's number.
const NUMBER: usize = 0;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    <CommandList as Faceted<NUMBER>>::UNKNOWN,
    &[
        ("GetVulkanHandle", get_vulkan_handle as *const c_void),
        ("VerifyOpacityMicromapArrayNVAPI", verify_opacity_micromap_array as *const c_void),
    ],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for CommandList {
    const PLACE: usize = offset_of!(CommandList, ext);
}

/// The facet of a new list.
pub(crate) fn new_facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet that answers an interface id.
pub(crate) fn answer(object: &Object<CommandList>, iid: &Guid) -> Option<*mut c_void> {
    let asked = lookup::by_iid(iid)?;
    is_of(NEWEST, asked).then(|| facet::pointer::<CommandList, NUMBER>(object))
}

/// What the program records there comes after what the list has.
unsafe extern "C" fn get_vulkan_handle(this: *mut c_void, out: *mut vk::CommandBuffer) -> i32 {
    guard(E_INVALIDARG, || {
        if out.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: our facet of a list; the program calls no other method of it meanwhile; its place is not null.
        match unsafe { facet::object::<CommandList, NUMBER>(this).lend() } {
            Ok(buffer) => {
                // SAFETY: the place is not null, so it is writable.
                unsafe { out.write(buffer) };
                S_OK
            }
            Err(error) => code(Err(error)),
        }
    })
}

/// Whether opacity micromaps lie there, as far as is recorded.
unsafe extern "C" fn verify_opacity_micromap_array(this: *mut c_void, array: u64) -> BOOL {
    guard(0, || {
        // SAFETY: our facet of a list.
        let list = unsafe { facet::object::<CommandList, NUMBER>(this) };
        list.device.memory.micromaps().find(array).is_some().into()
    })
}
