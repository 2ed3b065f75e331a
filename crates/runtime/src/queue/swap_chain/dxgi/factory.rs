//! `IWineDXGISwapChainFactory`: a facet of the queue, with the queue's counts.

use core::ffi::c_void;
use core::mem::offset_of;

use reprise_com::result::{DXGI_ERROR_INVALID_CALL, E_FAIL, S_OK};
use reprise_com::{Facet, Faceted, Object, Vtable, facet, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE, DXGI_SWAP_CHAIN_DESC1, DXGI_SWAP_CHAIN_FULLSCREEN_DESC};
use reprise_gpu::present::surface_of_window;

use crate::error::code;
use crate::queue::object::{CommandQueue, Facets};
use crate::queue::swap_chain::chain::Chain;
use crate::queue::swap_chain::dxgi::foreign::Foreign;
use crate::queue::swap_chain::dxgi::object::SwapChain;
use crate::queue::swap_chain::dxgi::rules;
use crate::queue::swap_chain::dxgi::window::Window;
use crate::{Error, Result};

const FACTORY: InterfaceId = interface("IWineDXGISwapChainFactory");

/// The facet's number.
const NUMBER: usize = 1;

static VTABLE: Vtable<{ FACTORY.slots() as usize }> = vtable(
    FACTORY,
    <CommandQueue as Faceted<NUMBER>>::UNKNOWN,
    &[("create_swapchain", create_swap_chain as *const c_void)],
);

// SAFETY: the field of this offset is a facet with the vtable of this module.
unsafe impl Faceted<NUMBER> for CommandQueue {
    const PLACE: usize = offset_of!(CommandQueue, facets) + offset_of!(Facets, window_swap_chains);
}

/// The facet of a new queue.
pub(crate) fn facet() -> Facet {
    Facet::new(VTABLE.tables())
}

/// The facet that answers an interface id.
pub(crate) fn answer(object: &Object<CommandQueue>, iid: &Guid) -> Option<*mut c_void> {
    (*iid == FACTORY.get().iid).then(|| facet::pointer::<CommandQueue, NUMBER>(object))
}

/// A chain in a window, where the program does not say that it be full screen.
const WINDOWED: DXGI_SWAP_CHAIN_FULLSCREEN_DESC = DXGI_SWAP_CHAIN_FULLSCREEN_DESC {
    RefreshRate: reprise_d3d12::types::DXGI_RATIONAL { Numerator: 0, Denominator: 0 },
    ScanlineOrdering: reprise_d3d12::types::DXGI_MODE_SCANLINE_ORDER::UNSPECIFIED,
    Scaling: reprise_d3d12::types::DXGI_MODE_SCALING::UNSPECIFIED,
    Windowed: 1,
};

unsafe extern "C" fn create_swap_chain(
    this: *mut c_void,
    factory: *mut c_void,
    window: *mut c_void,
    desc: *const DXGI_SWAP_CHAIN_DESC1,
    full_screen: *const DXGI_SWAP_CHAIN_FULLSCREEN_DESC,
    output: *mut c_void,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if out.is_null() {
            return DXGI_ERROR_INVALID_CALL;
        }
        // SAFETY: our facet; the caller's place; null or the program's structures and objects.
        unsafe {
            out.write(core::ptr::null_mut());
            let queue = facet::object::<CommandQueue, NUMBER>(this);
            let (factory, output) = (Foreign::new(factory), Foreign::new(output));
            let (Some(factory), Some(desc)) = (factory, desc.as_ref()) else { return DXGI_ERROR_INVALID_CALL };
            let window = Window(window);
            if !window.is_there() || queue.desc.Type != D3D12_COMMAND_LIST_TYPE::DIRECT {
                return DXGI_ERROR_INVALID_CALL;
            }
            let desc = sized(desc, window);
            if let Err(wrong) = rules::description(&desc) {
                return wrong;
            }
            let full_screen = full_screen.as_ref().unwrap_or(&WINDOWED);
            match chain(queue, &desc, window) {
                Ok(chain) => {
                    let chain = SwapChain::new(chain, window, full_screen, factory, output);
                    let chain = Object::make(chain);
                    if full_screen.Windowed == 0 {
                        // A window that cannot be full screen now is shown as it is.
                        let result = chain.set_full_screen(true, None);
                        if result != S_OK {
                            reprise_log::warning(format_args!("a swap chain begins in its window: {result:#x}"));
                        }
                    }
                    chain.give(&interface("IDXGISwapChain1").get().iid, out)
                }
                Err(error) => {
                    reprise_log::error(format_args!("no swap chain: {error}"));
                    code(Err(error))
                }
            }
        }
    })
}

/// The description with the window's size in the place of zeros.
fn sized(desc: &DXGI_SWAP_CHAIN_DESC1, window: Window) -> DXGI_SWAP_CHAIN_DESC1 {
    let [width, height] = window.inside();
    let or = |size: u32, otherwise: u32| if size == 0 { otherwise } else { size };
    DXGI_SWAP_CHAIN_DESC1 { Width: or(desc.Width, width), Height: or(desc.Height, height), ..*desc }
}

fn chain(queue: &Object<CommandQueue>, desc: &DXGI_SWAP_CHAIN_DESC1, window: Window) -> Result<Chain> {
    // SAFETY: a program keeps its window until the chain is gone, as DXGI demands; a surface whose window is gone shows nothing.
    let surface = unsafe { surface_of_window(&queue.device().logical, window.0) }.map_err(Error::Gpu)?;
    // SAFETY: the surface was just made on the device's instance.
    unsafe { Chain::new(queue, desc, surface) }
}
