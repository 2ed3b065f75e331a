//! The interface of swap chains that DXVK's dxgi and native programs use.

use core::ffi::c_void;

use ash::vk;
use reprise_com::result::{E_FAIL, E_INVALIDARG, E_NOINTERFACE, E_NOTIMPL, E_POINTER, S_OK};
use reprise_com::{Class, Object, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    DXGI_COLOR_SPACE_TYPE, DXGI_HDR_METADATA_TYPE, DXGI_SWAP_CHAIN_DESC1, DXGI_VK_FRAME_STATISTICS,
    DXGI_VK_HDR_METADATA, RECT,
};

use crate::error::code;
use crate::queue::swap_chain::chain::{Chain, Presented, Request};
use crate::queue::swap_chain::hdr;
use crate::{Error, Result};

const NEWEST: InterfaceId = interface("IDXGIVkSwapChain2");

/// `DXGI_STATUS_OCCLUDED`.
const OCCLUDED: i32 = 0x087a_0001;
/// `DXGI_PRESENT_TEST`.
const TEST: u32 = 1;
/// `DXGI_SWAP_CHAIN_COLOR_SPACE_SUPPORT_FLAG_PRESENT`.
const SUPPORTS_PRESENT: u32 = 1;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable(
    NEWEST,
    Object::<VulkanSwapChain>::SHARED,
    &[
        ("GetDesc", get_desc as *const c_void),
        ("GetAdapter", get_adapter as *const c_void),
        ("GetDevice", get_device as *const c_void),
        ("GetImage", get_image as *const c_void),
        ("GetImageIndex", get_image_index as *const c_void),
        ("GetFrameLatency", get_frame_latency as *const c_void),
        ("GetFrameLatencyEvent", get_frame_latency_event as *const c_void),
        ("ChangeProperties", change_properties as *const c_void),
        ("SetPresentRegion", set_present_region as *const c_void),
        ("SetGammaControl", set_gamma_control as *const c_void),
        ("SetFrameLatency", set_frame_latency as *const c_void),
        ("Present", present as *const c_void),
        ("CheckColorSpaceSupport", check_color_space_support as *const c_void),
        ("SetColorSpace", set_color_space as *const c_void),
        ("SetHDRMetaData", set_hdr_meta_data as *const c_void),
        ("GetLastPresentCount", get_last_present_count as *const c_void),
        ("GetFrameStatistics", get_frame_statistics as *const c_void),
        ("SetTargetFrameRate", set_target_frame_rate as *const c_void),
    ],
);

/// The body of `IDXGIVkSwapChain`.
pub(super) struct VulkanSwapChain(pub(super) Chain);

impl Class for VulkanSwapChain {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<VulkanSwapChain>) {
        object.0.release();
    }
}

/// # Safety
/// `chain` is the COM pointer of a living swap chain of ours.
unsafe fn this<'a>(chain: *mut c_void) -> &'a Chain {
    // SAFETY: the caller passes the COM pointer of a living swap chain of ours.
    unsafe { &Object::<VulkanSwapChain>::this(chain).0 }
}

unsafe extern "C" fn get_desc(chain: *mut c_void, out: *mut DXGI_SWAP_CHAIN_DESC1) -> i32 {
    guard(E_FAIL, || {
        if out.is_null() {
            return E_POINTER;
        }
        // SAFETY: a swap chain of ours; the place is the program's.
        unsafe { out.write(this(chain).desc()) };
        S_OK
    })
}

unsafe extern "C" fn get_adapter(chain: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_NOINTERFACE, || {
        if iid.is_null() || out.is_null() {
            return E_POINTER;
        }
        // SAFETY: a swap chain of ours; the program's id and place.
        unsafe {
            out.write(core::ptr::null_mut());
            let device = this(chain).queue.device();
            device.adapter.query(&device.logical, &*iid, out)
        }
    })
}

unsafe extern "C" fn get_device(chain: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_NOINTERFACE, || {
        if iid.is_null() {
            return E_POINTER;
        }
        // SAFETY: a swap chain of ours; the program's id and place.
        unsafe { this(chain).queue.device().query(&*iid, out) }
    })
}

unsafe extern "C" fn get_image(chain: *mut c_void, index: u32, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_INVALIDARG, || {
        if iid.is_null() || out.is_null() {
            return E_POINTER;
        }
        // SAFETY: a swap chain of ours; the program's id and place.
        unsafe {
            out.write(core::ptr::null_mut());
            match this(chain).buffer(index) {
                Ok(buffer) => buffer.give(&*iid, out),
                Err(error) => code(Err(error)),
            }
        }
    })
}

unsafe extern "C" fn get_image_index(chain: *mut c_void) -> u32 {
    // SAFETY: a swap chain of ours.
    guard(0, || unsafe { this(chain) }.index())
}

unsafe extern "C" fn get_frame_latency(chain: *mut c_void) -> u32 {
    // SAFETY: a swap chain of ours.
    guard(0, || unsafe { this(chain) }.latency.get())
}

unsafe extern "C" fn get_frame_latency_event(chain: *mut c_void) -> *mut c_void {
    // SAFETY: a swap chain of ours.
    guard(core::ptr::null_mut(), || unsafe { this(chain) }.latency.handle())
}

/// Node masks and queues are not looked at: there is one node, and the chain's queue presents.
unsafe extern "C" fn change_properties(
    chain: *mut c_void,
    desc: *const DXGI_SWAP_CHAIN_DESC1,
    _masks: *const u32,
    _queues: *const *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a swap chain of ours; the program's structure.
        code(unsafe { this(chain).change(&*desc) })
    })
}

/// Shows a part of later frames; null for all of them.
unsafe extern "C" fn set_present_region(chain: *mut c_void, region: *const RECT) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's structure.
        let (chain, region) = unsafe { (this(chain), region.as_ref()) };
        code(region.map(rectangle).transpose().and_then(|part| chain.set_part(part)))
    })
}

/// Vulkan's form of a rectangle.
fn rectangle(region: &RECT) -> Result<vk::Rect2D> {
    let size = |from: i32, to: i32| to.checked_sub(from).and_then(|size| u32::try_from(size).ok());
    let size = (size(region.left, region.right), size(region.top, region.bottom));
    let (Some(width), Some(height)) = size else {
        return Err(Error::Invalid("a rectangle that ends before it begins"));
    };
    Ok(vk::Rect2D { offset: vk::Offset2D { x: region.left, y: region.top }, extent: vk::Extent2D { width, height } })
}

/// Vulkan's swap chains have no gamma ramps.
unsafe extern "C" fn set_gamma_control(_chain: *mut c_void, _count: u32, _points: *const c_void) -> i32 {
    E_NOTIMPL
}

unsafe extern "C" fn set_frame_latency(chain: *mut c_void, latency: u32) -> i32 {
    // SAFETY: a swap chain of ours.
    guard(E_FAIL, || code(unsafe { this(chain) }.latency.set(latency)))
}

unsafe extern "C" fn present(chain: *mut c_void, interval: u32, flags: u32, _parameters: *const c_void) -> i32 {
    guard(E_FAIL, || {
        let request = Request { interval, test: flags & TEST != 0, ..Default::default() };
        // SAFETY: a swap chain of ours.
        match unsafe { this(chain) }.present(request) {
            Ok(Presented::Occluded) => OCCLUDED,
            Ok(Presented::Shown | Presented::Busy) => S_OK,
            Err(error) => code(Err(error)),
        }
    })
}

unsafe extern "C" fn check_color_space_support(chain: *mut c_void, space: DXGI_COLOR_SPACE_TYPE) -> u32 {
    // SAFETY: a swap chain of ours.
    guard(0, || if unsafe { this(chain) }.has(space) { SUPPORTS_PRESENT } else { 0 })
}

unsafe extern "C" fn set_color_space(chain: *mut c_void, space: DXGI_COLOR_SPACE_TYPE) -> i32 {
    // SAFETY: a swap chain of ours.
    guard(E_FAIL, || code(unsafe { this(chain) }.set_space(space)))
}

unsafe extern "C" fn set_hdr_meta_data(chain: *mut c_void, data: *const DXGI_VK_HDR_METADATA) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's structure.
        let (chain, data) = unsafe { (this(chain), data.as_ref()) };
        match data.map(|data| (data.Type, &data.HDR10)) {
            None => return E_INVALIDARG,
            Some((DXGI_HDR_METADATA_TYPE::NONE, _)) => chain.set_hdr(None),
            Some((DXGI_HDR_METADATA_TYPE::HDR10, data)) => chain.set_hdr(Some(hdr::of(data))),
            Some(_) => return E_INVALIDARG,
        }
        S_OK
    })
}

unsafe extern "C" fn get_last_present_count(chain: *mut c_void, out: *mut u64) {
    guard((), || {
        if !out.is_null() {
            // SAFETY: a swap chain of ours; the place is the program's.
            unsafe { out.write(this(chain).presented()) };
        }
    });
}

unsafe extern "C" fn get_frame_statistics(chain: *mut c_void, out: *mut DXGI_VK_FRAME_STATISTICS) {
    guard((), || {
        if !out.is_null() {
            // SAFETY: a swap chain of ours; the place is the program's.
            unsafe {
                let (count, time) = this(chain).latency.done();
                out.write(DXGI_VK_FRAME_STATISTICS { PresentCount: count, PresentQPCTime: time });
            }
        }
    });
}

unsafe extern "C" fn set_target_frame_rate(chain: *mut c_void, rate: f64) {
    // SAFETY: a swap chain of ours.
    guard((), || unsafe { this(chain) }.set_rate(rate));
}
