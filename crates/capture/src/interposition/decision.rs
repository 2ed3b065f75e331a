//! The decision about one call of an export: passed on, or recorded and forwarded.
//!
//! Invariant: a call by the runtime's own code, or from within a recorded call of this thread, is passed on.

use core::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use reprise_d3d12::model::Method;

use super::private_interfaces;
use super::recorded_process::is_recorded;
use crate::entry::{self, Convention};
use crate::loader::names::{COUNT, Declared, EXPORTS, Index, each_export};
use crate::loader::next;
use crate::loader::resolved::known;
use crate::picture;
use crate::presentation::{present, swapchains};
use reprise_trace::record::FrameSource;

/// Most parameters that any export has.
const MAX_WORDS: usize = 6;

/// The argument registers of both conventions, as `ask` lays them out.
#[repr(C)]
pub(super) struct Registers {
    rdi: u64,
    rsi: u64,
    rdx: u64,
    rcx: u64,
    r8: u64,
    r9: u64,
}

/// What becomes of a call.
pub(super) enum Decision {
    /// It goes on to this function.
    Pass(*const c_void),
    /// So does every later call of this export.
    PassAlways(*const c_void),
    /// It was recorded and forwarded, with this result.
    Recorded(u64),
    /// No library behind us has the function.
    Nobody,
}

/// Decides about one call of an export.
///
/// # Safety
/// Registers and stack are those of the program's call, `stack` at its return address.
pub(super) unsafe fn decide(index: usize, registers: &Registers, stack: *const u64) -> Decision {
    let Some(known) = known(index) else { return Decision::Nobody };
    let address = known.next.address;
    let (true, Some(method)) = (is_recorded(), known.method) else { return Decision::PassAlways(address) };
    // SAFETY: `stack` points to the return address of the program's call.
    let caller = unsafe { stack.read() } as usize;
    if entry::inside() || next::is_runtime(caller) {
        return Decision::Pass(address);
    }
    let declared_as = EXPORTS[index].declared;
    // Vulkan is of interest for what it does to Direct3D's images only: a program's other use of it is its own.
    static STARTED: AtomicBool = AtomicBool::new(false);
    if declared_as != Declared::Vulkan {
        STARTED.store(true, Ordering::Relaxed);
    } else if !STARTED.load(Ordering::Relaxed) {
        return Decision::Pass(address);
    }
    let declared = if declared_as == Declared::Direct3d { known.next.world } else { Convention::SystemV };
    // SAFETY: the registers and stack are those of a call of this method in this convention.
    let words = unsafe { words(method.get(), declared, registers, stack) };
    let words = &words[..method.get().params.len().min(MAX_WORDS)];
    if index == Index::D3D12GetInterface as usize {
        let (class, interface) = (words[0] as *const c_void, words[1] as *const c_void);
        // SAFETY: the first arguments of this function are the ids of a class and of an interface.
        if unsafe { private_interfaces::asked_for(class, interface) } {
            return Decision::Pass(address);
        }
    }
    let (convention, function) = match declared_as {
        Declared::Direct3d => (declared, known.next.address),
        Declared::Vulkan => (Convention::SystemV, target(index)),
        // The recorder takes one convention for a function and for the objects that come out of it.
        Declared::Vkd3d if known.next.world == Convention::Win64 => {
            (Convention::Win64, BRIDGES[index] as *const c_void)
        }
        Declared::Vkd3d => (Convention::SystemV, target(index)),
    };
    // Hashes are numbered as the frames are, so no other present may come between a call and its frame.
    let _order = (index == Index::vkQueuePresentKHR as usize).then(picture::in_order);
    // SAFETY: the function has the method's signature in that convention; the words are the program's own.
    let value = unsafe { entry::call_function(convention, method, function, words) };
    // SAFETY: the call has just returned, its arguments are alive.
    unsafe { after(index, words, value) };
    Decision::Recorded(value)
}

/// What a call means beyond its records.
///
/// # Safety
/// `words` are the program's arguments of a call of this export that has just returned `value`.
unsafe fn after(index: usize, words: &[u64], value: u64) {
    const CREATE: usize = Index::D3D12CreateDevice as usize;
    const CREATE_VKD3D: usize = Index::D3D12CreateDeviceVKD3D as usize;
    const CREATE_RAW: usize = Index::vkd3d_create_device as usize;
    let makes_device = matches!(index, CREATE | CREATE_VKD3D | CREATE_RAW);
    if makes_device && value as i32 >= 0 {
        private_interfaces::told();
    }
    if index == Index::vkQueuePresentKHR as usize {
        // SAFETY: the second argument is the program's structure.
        if unsafe { present::ends_frame(words[1] as *const _) } {
            entry::frame(FrameSource::Present);
        }
    } else if index == Index::vkd3d_create_image_resource as usize && value as i32 >= 0 {
        // SAFETY: the second and third argument are those of a call that succeeded.
        unsafe { swapchains::image_resource_made(words[1] as *const _, words[2] as *const _) };
    }
}

/// What stands between the recorder and the real function of an export: it gets the runtime's arguments, in System V.
fn hook(index: usize) -> Option<*const c_void> {
    const GET_DEVICE: usize = Index::vkd3d_get_vk_device as usize;
    const ACQUIRE_QUEUE: usize = Index::vkd3d_acquire_vk_queue as usize;
    const CREATE_SWAPCHAIN: usize = Index::vkCreateSwapchainKHR as usize;
    const DESTROY_SWAPCHAIN: usize = Index::vkDestroySwapchainKHR as usize;
    const PRESENT: usize = Index::vkQueuePresentKHR as usize;
    Some(match index {
        GET_DEVICE => swapchains::get_vk_device as *const c_void,
        ACQUIRE_QUEUE => swapchains::acquire_vk_queue as *const c_void,
        CREATE_SWAPCHAIN => swapchains::create_swapchain as *const c_void,
        DESTROY_SWAPCHAIN => swapchains::destroy_swapchain as *const c_void,
        PRESENT => present::queue_present as *const c_void,
        _ => return None,
    })
}

/// The hook of an export, or the real function.
fn target(index: usize) -> *const c_void {
    hook(index).or_else(|| known(index).map(|known| known.next.address)).unwrap_or(core::ptr::null())
}

/// Arguments as the model wants them: one word each, zero-extended from the parameter's size.
///
/// # Safety
/// Registers and stack are those of a call of the method in this convention, `stack` at its return address.
unsafe fn words(method: &Method, convention: Convention, registers: &Registers, stack: *const u64) -> [u64; MAX_WORDS] {
    let r = registers;
    let mut words = match convention {
        Convention::SystemV | Convention::Itanium => [r.rdi, r.rsi, r.rdx, r.rcx, r.r8, r.r9],
        Convention::Win64 => [r.rcx, r.rdx, r.r8, r.r9, 0, 0],
    };
    let structs = reprise_d3d12::MODEL.structs;
    for (index, parameter) in method.params.iter().enumerate().take(MAX_WORDS) {
        if convention == Convention::Win64 && index >= 4 {
            // SAFETY: past the return address and the four words of shadow space lie the further arguments.
            words[index] = unsafe { stack.add(1 + index).read() };
        }
        let size = parameter.ty.size(structs);
        if size < 8 {
            words[index] &= (1 << (size * 8)) - 1;
        }
    }
    words
}

/// Calls an export's hook or its real function, by System V, for a caller that speaks win64.
unsafe extern "win64" fn bridge<const INDEX: usize>(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
    // SAFETY: a System V function of at most six words; the surplus is in registers it does not look at.
    let function = unsafe {
        core::mem::transmute::<*const c_void, unsafe extern "sysv64" fn(u64, u64, u64, u64, u64, u64) -> u64>(target(
            INDEX,
        ))
    };
    // SAFETY: the words are the arguments of a call of this function.
    unsafe { function(a, b, c, d, e, f) }
}

macro_rules! bridges {
    ($($name:ident $declared:ident;)*) => {
        /// Each export's hook or real function, callable by win64.
        static BRIDGES: [unsafe extern "win64" fn(u64, u64, u64, u64, u64, u64) -> u64; COUNT] =
            [$(bridge::<{ Index::$name as usize }>),*];
    };
}

each_export!(bridges);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loader::resolved::function;
    use reprise_d3d12::model::Type;

    #[test]
    fn every_export_is_a_function_of_the_model_that_fits() {
        for export in &EXPORTS {
            let method = function(export.name).expect("in the model").get();
            assert!(method.params.len() <= MAX_WORDS, "{:?}", export.name);
            assert!(!method.params.iter().any(|parameter| matches!(parameter.ty, Type::F32 | Type::F64)));
        }
    }
}
