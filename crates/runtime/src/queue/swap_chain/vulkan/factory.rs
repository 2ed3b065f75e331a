//! `IDXGIVkSwapChainFactory`: a facet of the queue, with the queue's counts.

use core::ffi::c_void;
use core::mem::offset_of;

use ash::vk;
use ash::vk::Handle;
use reprise_com::result::{E_INVALIDARG, E_POINTER, S_OK};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::types::DXGI_SWAP_CHAIN_DESC1;
use reprise_d3d12::{interface, method};

use crate::error::code;
use crate::queue::object::{CommandQueue, Facets};
use crate::queue::swap_chain::chain::Chain;
use crate::queue::swap_chain::vulkan::methods::VulkanSwapChain;
use crate::{Error, Result};

const FACTORY: InterfaceId = interface("IDXGIVkSwapChainFactory");

/// The facet's number.
const NUMBER: usize = 0;

static VTABLE: Vtable<{ FACTORY.slots() as usize }> = vtable(
    FACTORY,
    <CommandQueue as Faceted<NUMBER>>::UNKNOWN,
    &[("CreateSwapChain", create_swap_chain as *const c_void)],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for CommandQueue {
    const PLACE: usize = offset_of!(CommandQueue, facets) + offset_of!(Facets, swap_chains);
}

/// The facet of a new queue.
pub(crate) fn facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet that answers an interface id.
pub(crate) fn answer(object: &Object<CommandQueue>, iid: &Guid) -> Option<*mut c_void> {
    (*iid == FACTORY.get().iid).then(|| facet::pointer::<CommandQueue, NUMBER>(object))
}

unsafe extern "C" fn create_swap_chain(
    this: *mut c_void,
    surfaces: *mut c_void,
    desc: *const DXGI_SWAP_CHAIN_DESC1,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_INVALIDARG, || {
        if out.is_null() {
            return E_POINTER;
        }
        // SAFETY: our facet; the program's object, structure and place, none of them null.
        unsafe {
            out.write(core::ptr::null_mut());
            if surfaces.is_null() || desc.is_null() {
                return E_INVALIDARG;
            }
            let queue = facet::object::<CommandQueue, NUMBER>(this);
            match surface(queue, surfaces).and_then(|surface| Chain::new(queue, &*desc, surface)) {
                Ok(chain) => Object::make(VulkanSwapChain(chain)).give(&interface("IDXGIVkSwapChain").get().iid, out),
                Err(error) => {
                    reprise_log::error(format_args!("no swap chain: {error}"));
                    code(Err(error))
                }
            }
        }
    })
}

/// Asks the program's factory for a surface on our instance.
///
/// # Safety
/// `surfaces` is an `IDXGIVkSurfaceFactory`.
unsafe fn surface(queue: &CommandQueue, surfaces: *mut c_void) -> Result<vk::SurfaceKHR> {
    const CREATE: MethodId = method("IDXGIVkSurfaceFactory", "CreateSurface");
    type Create = unsafe extern "C" fn(*mut c_void, vk::Instance, vk::PhysicalDevice, *mut vk::SurfaceKHR) -> i32;
    let device = queue.device();
    let mut surface = vk::SurfaceKHR::null();
    // SAFETY: a COM pointer begins with its vtable; slot and signature are the model's.
    let result = unsafe {
        let create = *(*surfaces.cast::<*const *const c_void>()).add(CREATE.get().slot as usize);
        let create: Create = core::mem::transmute(create);
        create(surfaces, device.instance.instance.handle(), device.physical, &raw mut surface)
    };
    if result == S_OK && !surface.is_null() {
        Ok(surface)
    } else {
        let result = if result < 0 { vk::Result::from_raw(result) } else { vk::Result::ERROR_INITIALIZATION_FAILED };
        Err(Error::Gpu(reprise_gpu::Error::Vulkan("the program's surface factory", result)))
    }
}
