//! The interface of DXGI's swap chains.

use core::ffi::c_void;
use core::ptr::NonNull;

use ash::vk;
use reprise_com::result::{
    DXGI_ERROR_INVALID_CALL, DXGI_ERROR_NOT_FOUND, DXGI_ERROR_UNSUPPORTED, E_FAIL, E_INVALIDARG, E_POINTER, S_OK,
};
use reprise_com::{Class, Object, Slots, Tables, Vtable, guard, vtable_of_lists};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::{
    DXGI_COLOR_SPACE_TYPE, DXGI_FORMAT, DXGI_FRAME_STATISTICS, DXGI_HDR_METADATA_HDR10, DXGI_HDR_METADATA_TYPE,
    DXGI_MODE_DESC, DXGI_MODE_ROTATION, DXGI_PRESENT_PARAMETERS, DXGI_SWAP_CHAIN_DESC, DXGI_SWAP_CHAIN_DESC1,
    DXGI_SWAP_CHAIN_FULLSCREEN_DESC,
};

use crate::error::code;
use crate::queue::swap_chain::dxgi::foreign::Foreign;
use crate::queue::swap_chain::dxgi::object::SwapChain;
use crate::queue::swap_chain::dxgi::rules::{self, Resize};
use crate::queue::swap_chain::hdr;

const NEWEST: InterfaceId = interface("IDXGISwapChain4");

/// `DXGI_SWAP_CHAIN_COLOR_SPACE_SUPPORT_FLAG_PRESENT`.
const SUPPORTS_PRESENT: u32 = 1;

static VTABLE: Vtable<{ NEWEST.slots() as usize }> =
    vtable_of_lists(NEWEST, Object::<SwapChain>::SHARED, &[PRESENTING, BUFFERS, WINDOW, APPEARANCE, LATENCY]);

const PRESENTING: &Slots = &[
    ("Present", present as *const c_void),
    ("Present1", present1 as *const c_void),
    ("GetFrameStatistics", get_frame_statistics as *const c_void),
    ("GetLastPresentCount", get_last_present_count as *const c_void),
    ("IsTemporaryMonoSupported", is_temporary_mono_supported as *const c_void),
];

const BUFFERS: &Slots = &[
    ("GetParent", get_parent as *const c_void),
    ("GetBuffer", get_buffer as *const c_void),
    ("GetCurrentBackBufferIndex", get_current_back_buffer_index as *const c_void),
    ("GetDesc", get_desc as *const c_void),
    ("GetDesc1", get_desc1 as *const c_void),
    ("ResizeBuffers", resize_buffers as *const c_void),
    ("ResizeBuffers1", resize_buffers1 as *const c_void),
];

const WINDOW: &Slots = &[
    ("SetFullscreenState", set_fullscreen_state as *const c_void),
    ("GetFullscreenState", get_fullscreen_state as *const c_void),
    ("GetFullscreenDesc", get_fullscreen_desc as *const c_void),
    ("ResizeTarget", resize_target as *const c_void),
    ("GetContainingOutput", get_containing_output as *const c_void),
    ("GetRestrictToOutput", get_restrict_to_output as *const c_void),
    ("GetHwnd", get_hwnd as *const c_void),
    ("GetCoreWindow", get_core_window as *const c_void),
];

const APPEARANCE: &Slots = &[
    ("SetBackgroundColor", set_background_color as *const c_void),
    ("GetBackgroundColor", get_background_color as *const c_void),
    ("SetRotation", set_rotation as *const c_void),
    ("GetRotation", get_rotation as *const c_void),
    ("SetSourceSize", set_source_size as *const c_void),
    ("GetSourceSize", get_source_size as *const c_void),
    ("SetMatrixTransform", matrix_transform as *const c_void),
    ("GetMatrixTransform", matrix_transform as *const c_void),
    ("CheckColorSpaceSupport", check_color_space_support as *const c_void),
    ("SetColorSpace1", set_color_space1 as *const c_void),
    ("SetHDRMetaData", set_hdr_meta_data as *const c_void),
];

const LATENCY: &Slots = &[
    ("SetMaximumFrameLatency", set_maximum_frame_latency as *const c_void),
    ("GetMaximumFrameLatency", get_maximum_frame_latency as *const c_void),
    ("GetFrameLatencyWaitableObject", get_frame_latency_waitable_object as *const c_void),
];

impl Class for SwapChain {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<SwapChain>) {
        object.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        NonNull::new(self.chain.queue.device().pointer())
    }
}

/// # Safety
/// `chain` is the COM pointer of a living swap chain of ours.
unsafe fn this<'a>(chain: *mut c_void) -> &'a Object<SwapChain> {
    // SAFETY: the caller passes the COM pointer of a living swap chain of ours.
    unsafe { Object::this(chain) }
}

/// Writes an answer to the program's place.
///
/// # Safety
/// `chain` is a living swap chain of ours, `out` null or writable.
unsafe fn answer<T>(chain: *mut c_void, out: *mut T, null: i32, what: impl FnOnce(&SwapChain) -> T) -> i32 {
    guard(E_FAIL, || {
        if out.is_null() {
            return null;
        }
        // SAFETY: a swap chain of ours and a place that is not null, as the caller says.
        unsafe { out.write(what(this(chain))) };
        S_OK
    })
}

/// An object for the program's place, with a reference; null where there is none.
fn shared(object: Option<Foreign>) -> *mut c_void {
    object.map_or(core::ptr::null_mut(), |object| object.share())
}

unsafe extern "C" fn present(chain: *mut c_void, interval: u32, flags: u32) -> i32 {
    // SAFETY: a swap chain of ours.
    guard(E_FAIL, || unsafe { this(chain) }.present(interval, flags))
}

unsafe extern "C" fn present1(
    chain: *mut c_void,
    interval: u32,
    flags: u32,
    parameters: *const DXGI_PRESENT_PARAMETERS,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's structure.
        let (chain, parameters) = unsafe { (this(chain), parameters.as_ref()) };
        match parameters.map(rules::changes) {
            Some(Err(wrong)) => wrong,
            _ => chain.present(interval, flags),
        }
    })
}

unsafe extern "C" fn get_frame_statistics(chain: *mut c_void, out: *mut DXGI_FRAME_STATISTICS) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, SwapChain::statistics) }
}

unsafe extern "C" fn get_last_present_count(chain: *mut c_void, out: *mut u32) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, |chain| chain.chain.presented() as u32) }
}

/// No chain of ours is in stereo.
unsafe extern "C" fn is_temporary_mono_supported(_chain: *mut c_void) -> i32 {
    0
}

unsafe extern "C" fn get_parent(chain: *mut c_void, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_FAIL, || {
        if iid.is_null() || out.is_null() {
            return E_POINTER;
        }
        // SAFETY: a swap chain of ours; the program's id and place.
        unsafe { this(chain).factory.give(iid, out) }
    })
}

unsafe extern "C" fn get_buffer(chain: *mut c_void, index: u32, iid: *const Guid, out: *mut *mut c_void) -> i32 {
    guard(E_FAIL, || {
        if iid.is_null() || out.is_null() {
            return DXGI_ERROR_INVALID_CALL;
        }
        // SAFETY: a swap chain of ours; the program's id and place.
        unsafe {
            out.write(core::ptr::null_mut());
            this(chain).chain.buffer(index).map_or(DXGI_ERROR_INVALID_CALL, |buffer| buffer.give(&*iid, out))
        }
    })
}

unsafe extern "C" fn get_current_back_buffer_index(chain: *mut c_void) -> u32 {
    // SAFETY: a swap chain of ours.
    guard(0, || unsafe { this(chain) }.chain.index())
}

unsafe extern "C" fn get_desc(chain: *mut c_void, out: *mut DXGI_SWAP_CHAIN_DESC) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, SwapChain::desc) }
}

unsafe extern "C" fn get_desc1(chain: *mut c_void, out: *mut DXGI_SWAP_CHAIN_DESC1) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, |chain| chain.chain.desc()) }
}

unsafe extern "C" fn resize_buffers(
    chain: *mut c_void,
    count: u32,
    width: u32,
    height: u32,
    format: DXGI_FORMAT,
    flags: u32,
) -> i32 {
    // SAFETY: a swap chain of ours.
    guard(E_FAIL, || unsafe { this(chain) }.resize(Resize { count, size: [width, height], format, flags }))
}

unsafe extern "C" fn resize_buffers1(
    chain: *mut c_void,
    count: u32,
    width: u32,
    height: u32,
    format: DXGI_FORMAT,
    flags: u32,
    masks: *const u32,
    queues: *const *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours.
        let chain = unsafe { this(chain) };
        let buffers = if count == 0 { chain.chain.desc().BufferCount } else { count } as usize;
        if masks.is_null() || queues.is_null() || buffers > 16 {
            return DXGI_ERROR_INVALID_CALL;
        }
        // SAFETY: the program's arrays, one element for each buffer, as DXGI demands; objects are null or alive.
        let (masks, right) = unsafe {
            let queues = core::slice::from_raw_parts(queues, buffers);
            (core::slice::from_raw_parts(masks, buffers), chain.presents_on(queues))
        };
        // There is one node.
        if masks.iter().any(|mask| *mask > 1) {
            return DXGI_ERROR_INVALID_CALL;
        }
        match right {
            Ok(()) => chain.resize(Resize { count, size: [width, height], format, flags }),
            Err(wrong) => wrong,
        }
    })
}

unsafe extern "C" fn set_fullscreen_state(chain: *mut c_void, wanted: i32, target: *mut c_void) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's output.
        unsafe { this(chain).set_full_screen(wanted != 0, Foreign::new(target)) }
    })
}

unsafe extern "C" fn get_fullscreen_state(chain: *mut c_void, wanted: *mut i32, target: *mut *mut c_void) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's places.
        unsafe {
            let chain = this(chain);
            if !wanted.is_null() {
                wanted.write(i32::from(!chain.full_screen.is_windowed()));
            }
            if !target.is_null() {
                target.write(shared(chain.full_screen.output()));
            }
        }
        S_OK
    })
}

unsafe extern "C" fn get_fullscreen_desc(chain: *mut c_void, out: *mut DXGI_SWAP_CHAIN_FULLSCREEN_DESC) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, |chain| chain.full_screen.desc()) }
}

unsafe extern "C" fn resize_target(chain: *mut c_void, mode: *const DXGI_MODE_DESC) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's structure.
        let (chain, mode) = unsafe { (this(chain), mode.as_ref()) };
        mode.map_or(DXGI_ERROR_INVALID_CALL, |mode| chain.full_screen.resize(mode, &chain.chain.desc()))
    })
}

unsafe extern "C" fn get_containing_output(chain: *mut c_void, out: *mut *mut c_void) -> i32 {
    guard(E_FAIL, || {
        if out.is_null() {
            return DXGI_ERROR_INVALID_CALL;
        }
        // SAFETY: a swap chain of ours; the program's place.
        unsafe {
            let output = this(chain).containing();
            let code = if output.is_some() { S_OK } else { DXGI_ERROR_NOT_FOUND };
            out.write(shared(output));
            code
        }
    })
}

unsafe extern "C" fn get_restrict_to_output(chain: *mut c_void, out: *mut *mut c_void) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, |chain| shared(chain.restricted.clone())) }
}

unsafe extern "C" fn get_hwnd(chain: *mut c_void, out: *mut *mut c_void) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, |chain| chain.window.0) }
}

/// The chain is on a window of the desktop.
unsafe extern "C" fn get_core_window(_chain: *mut c_void, _iid: *const Guid, out: *mut *mut c_void) -> i32 {
    if !out.is_null() {
        // SAFETY: the program's place.
        unsafe { out.write(core::ptr::null_mut()) };
    }
    DXGI_ERROR_INVALID_CALL
}

unsafe extern "C" fn set_background_color(chain: *mut c_void, color: *const [f32; 4]) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's colour of four floats.
        let (chain, color) = unsafe { (this(chain), color.as_ref()) };
        let color = color.filter(|color| color.iter().all(|part| (0.0..=1.0).contains(part)));
        color.map_or(E_INVALIDARG, |color| {
            chain.chain.set_background(*color);
            S_OK
        })
    })
}

unsafe extern "C" fn get_background_color(chain: *mut c_void, out: *mut [f32; 4]) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place for four floats.
    unsafe { answer(chain, out, DXGI_ERROR_INVALID_CALL, |chain| chain.chain.background()) }
}

/// Programs say how their frames are turned already, on displays that are turned. Ours are not.
unsafe extern "C" fn set_rotation(_chain: *mut c_void, rotation: DXGI_MODE_ROTATION) -> i32 {
    match rotation {
        DXGI_MODE_ROTATION::UNSPECIFIED | DXGI_MODE_ROTATION::IDENTITY => S_OK,
        DXGI_MODE_ROTATION::ROTATE90 | DXGI_MODE_ROTATION::ROTATE180 | DXGI_MODE_ROTATION::ROTATE270 => {
            DXGI_ERROR_UNSUPPORTED
        }
        _ => DXGI_ERROR_INVALID_CALL,
    }
}

unsafe extern "C" fn get_rotation(chain: *mut c_void, out: *mut DXGI_MODE_ROTATION) -> i32 {
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, |_| DXGI_MODE_ROTATION::IDENTITY) }
}

unsafe extern "C" fn set_source_size(chain: *mut c_void, width: u32, height: u32) -> i32 {
    let extent = vk::Extent2D { width, height };
    // SAFETY: a swap chain of ours.
    guard(E_FAIL, || code(unsafe { this(chain) }.chain.set_part(Some(extent.into()))))
}

unsafe extern "C" fn get_source_size(chain: *mut c_void, width: *mut u32, height: *mut u32) -> i32 {
    guard(E_FAIL, || {
        if width.is_null() || height.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a swap chain of ours; the program's places.
        unsafe {
            let [across, down] = this(chain).chain.shown();
            width.write(across);
            height.write(down);
        }
        S_OK
    })
}

/// Only chains that another program composes have one.
unsafe extern "C" fn matrix_transform(_chain: *mut c_void, _matrix: *mut c_void) -> i32 {
    DXGI_ERROR_INVALID_CALL
}

unsafe extern "C" fn check_color_space_support(chain: *mut c_void, space: DXGI_COLOR_SPACE_TYPE, out: *mut u32) -> i32 {
    let support = |chain: &SwapChain| if chain.chain.has(space) { SUPPORTS_PRESENT } else { 0 };
    // SAFETY: a swap chain of ours; null or the program's place.
    unsafe { answer(chain, out, E_INVALIDARG, support) }
}

unsafe extern "C" fn set_color_space1(chain: *mut c_void, space: DXGI_COLOR_SPACE_TYPE) -> i32 {
    // SAFETY: a swap chain of ours.
    guard(E_FAIL, || code(unsafe { this(chain) }.chain.set_space(space)))
}

unsafe extern "C" fn set_hdr_meta_data(
    chain: *mut c_void,
    kind: DXGI_HDR_METADATA_TYPE,
    size: u32,
    data: *const DXGI_HDR_METADATA_HDR10,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours.
        let chain = unsafe { this(chain) };
        match kind {
            DXGI_HDR_METADATA_TYPE::NONE => chain.chain.set_hdr(None),
            DXGI_HDR_METADATA_TYPE::HDR10
                if size as usize == size_of::<DXGI_HDR_METADATA_HDR10>() && !data.is_null() =>
            {
                // SAFETY: the program's structure, as large as it says.
                let data = unsafe { data.read_unaligned() };
                chain.chain.set_hdr(Some(hdr::of(&data)));
            }
            _ => return E_INVALIDARG,
        }
        S_OK
    })
}

unsafe extern "C" fn set_maximum_frame_latency(chain: *mut c_void, latency: u32) -> i32 {
    // SAFETY: a swap chain of ours.
    guard(E_FAIL, || code(unsafe { this(chain) }.chain.latency.set(latency)))
}

unsafe extern "C" fn get_maximum_frame_latency(chain: *mut c_void, out: *mut u32) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a swap chain of ours; null or the program's place.
        unsafe {
            if out.is_null() || !this(chain).chain.latency.is_waitable() {
                return DXGI_ERROR_INVALID_CALL;
            }
            out.write(this(chain).chain.latency.get());
        }
        S_OK
    })
}

unsafe extern "C" fn get_frame_latency_waitable_object(chain: *mut c_void) -> *mut c_void {
    // SAFETY: a swap chain of ours.
    guard(core::ptr::null_mut(), || unsafe { this(chain) }.chain.latency.handle())
}
