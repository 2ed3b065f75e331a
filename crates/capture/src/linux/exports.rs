//! The entry points that a program finds in us before it finds them in its runtime.
//!
//! Every export is a jump through a table. At first all entries lead to one piece of assembly that keeps every argument
//! register of both calling conventions and asks [`dispatch`]; where nothing is to be recorded the entry becomes the real
//! function for good. Invariants: a call that is passed on reaches the runtime with all registers and the stack as the
//! program left them; a call made by the runtime's own code is passed on.

use core::ffi::{CStr, c_void};
use std::arch::naked_asm;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};

#[cfg(test)]
use reprise_d3d12::model::Type;
use reprise_d3d12::model::{Method, MethodId};

use super::next::{self, Next};
use super::shared::Shared;
use super::{adapter, present, private, surface};
use crate::entry::{self, Convention};

/// How a function is declared by the libraries that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Takes the convention of the runtime's world.
    Direct3d,
    /// System V always; its objects are of the runtime's world.
    Vkd3d,
    /// System V, no objects.
    Vulkan,
}

struct Export {
    name: &'static CStr,
    kind: Kind,
    /// Stands between the recorder and the real function: given the runtime's arguments, in System V.
    hook: Option<fn() -> *const c_void>,
    /// What we export.
    own: unsafe extern "sysv64" fn(),
    /// The same function or its hook, callable by win64.
    bridge: unsafe extern "win64" fn(u64, u64, u64, u64, u64, u64) -> u64,
}

/// Most parameters that any export has.
const MAX_WORDS: usize = 6;

macro_rules! exports {
    ($($name:ident $kind:ident $($hook:path)?;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($name,)* Count }
        static EXPORTS: [Export; Index::Count as usize] = [$(Export {
            // SAFETY: a literal without inner zeros, and one at the end.
            name: unsafe { CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) },
            kind: Kind::$kind,
            hook: exports!(@hook $($hook)?),
            own: $name,
            bridge: bridge::<{ Index::$name as usize }>,
        }),*];
        $(
            /// Exported in the runtime's place.
            ///
            /// # Safety
            /// As the function of this name.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            #[allow(non_snake_case)]
            pub(super) unsafe extern "sysv64" fn $name() {
                naked_asm!(
                    "mov eax, {index}",
                    "jmp qword ptr [rip + {table} + 8*{index}]",
                    index = const Index::$name as usize,
                    table = sym TABLE,
                )
            }
        )*
    };
    (@hook) => { None };
    (@hook $hook:path) => { Some(|| $hook as *const c_void) };
}

exports! {
    D3D12CreateDevice Direct3d;
    D3D12CreateDeviceVKD3D Direct3d;
    D3D12GetDebugInterface Direct3d;
    D3D12GetInterface Direct3d;
    D3D12EnableExperimentalFeatures Direct3d;
    D3D12SerializeRootSignature Direct3d;
    D3D12SerializeVersionedRootSignature Direct3d;
    D3D12CreateRootSignatureDeserializer Direct3d;
    D3D12CreateVersionedRootSignatureDeserializer Direct3d;
    D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary Direct3d;
    CreateDXGIFactory Direct3d;
    CreateDXGIFactory1 Direct3d;
    CreateDXGIFactory2 Direct3d;
    DXGIGetDebugInterface1 Direct3d;
    vkd3d_create_instance Vkd3d;
    vkd3d_instance_decref Vkd3d;
    vkd3d_instance_get_vk_instance Vkd3d;
    vkd3d_instance_incref Vkd3d;
    vkd3d_create_device Vkd3d;
    vkd3d_get_device_parent Vkd3d;
    vkd3d_get_vk_device Vkd3d surface::get_vk_device;
    vkd3d_get_vk_physical_device Vkd3d;
    vkd3d_instance_from_device Vkd3d;
    vkd3d_get_vk_queue_family_index Vkd3d;
    vkd3d_acquire_vk_queue Vkd3d surface::acquire_vk_queue;
    vkd3d_release_vk_queue Vkd3d;
    vkd3d_create_image_resource Vkd3d;
    vkd3d_resource_decref Vkd3d;
    vkd3d_resource_incref Vkd3d;
    vkd3d_serialize_root_signature Vkd3d;
    vkd3d_create_root_signature_deserializer Vkd3d;
    vkd3d_get_vk_format Vkd3d;
    vkd3d_get_dxgi_format Vkd3d;
    vkd3d_serialize_versioned_root_signature Vkd3d;
    vkd3d_create_versioned_root_signature_deserializer Vkd3d;
    vkd3d_create_event Vkd3d;
    vkd3d_signal_event Vkd3d;
    vkd3d_wait_event Vkd3d;
    vkd3d_destroy_event Vkd3d;
    vkCreateXcbSurfaceKHR Vulkan;
    vkCreateXlibSurfaceKHR Vulkan;
    vkCreateWaylandSurfaceKHR Vulkan;
    vkDestroySurfaceKHR Vulkan;
    vkGetPhysicalDeviceSurfaceSupportKHR Vulkan;
    vkGetPhysicalDeviceSurfaceCapabilitiesKHR Vulkan;
    vkGetPhysicalDeviceSurfaceFormatsKHR Vulkan;
    vkGetPhysicalDeviceSurfacePresentModesKHR Vulkan;
    vkCreateFence Vulkan;
    vkDestroyFence Vulkan;
    vkResetFences Vulkan;
    vkWaitForFences Vulkan;
    vkCreateSwapchainKHR Vulkan surface::create_swapchain;
    vkDestroySwapchainKHR Vulkan surface::destroy_swapchain;
    vkGetSwapchainImagesKHR Vulkan;
    vkAcquireNextImageKHR Vulkan;
    vkAcquireNextImage2KHR Vulkan;
    vkQueuePresentKHR Vulkan present::queue_present;
}

/// Where each export jumps to: [`ask`], or the real function.
static TABLE: [AtomicPtr<c_void>; Index::Count as usize] =
    [const { AtomicPtr::new(ask as *mut c_void) }; Index::Count as usize];

/// The argument registers of both conventions, as `ask` lays them out.
#[repr(C)]
struct Registers {
    rdi: u64,
    rsi: u64,
    rdx: u64,
    rcx: u64,
    r8: u64,
    r9: u64,
}

/// What `ask` does next: returns `value`, or jumps to `target` where that is not null.
#[repr(C)]
struct Answer {
    value: u64,
    target: *const c_void,
}

/// Keeps the argument registers of both conventions (and what win64 wants preserved), asks [`dispatch`], and then either
/// returns or jumps on as if it had never been there. `eax` holds the export's index.
#[unsafe(naked)]
unsafe extern "sysv64" fn ask() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "sub rsp, 304",
        "and rsp, -16",
        "mov [rsp], rdi",
        "mov [rsp+8], rsi",
        "mov [rsp+16], rdx",
        "mov [rsp+24], rcx",
        "mov [rsp+32], r8",
        "mov [rsp+40], r9",
        "movaps [rsp+48], xmm0",
        "movaps [rsp+64], xmm1",
        "movaps [rsp+80], xmm2",
        "movaps [rsp+96], xmm3",
        "movaps [rsp+112], xmm4",
        "movaps [rsp+128], xmm5",
        "movaps [rsp+144], xmm6",
        "movaps [rsp+160], xmm7",
        "movaps [rsp+176], xmm8",
        "movaps [rsp+192], xmm9",
        "movaps [rsp+208], xmm10",
        "movaps [rsp+224], xmm11",
        "movaps [rsp+240], xmm12",
        "movaps [rsp+256], xmm13",
        "movaps [rsp+272], xmm14",
        "movaps [rsp+288], xmm15",
        "mov edi, eax",
        "mov rsi, rsp",
        "lea rdx, [rbp+8]",
        "call {dispatch}",
        "mov r11, rdx",
        "movaps xmm0, [rsp+48]",
        "movaps xmm1, [rsp+64]",
        "movaps xmm2, [rsp+80]",
        "movaps xmm3, [rsp+96]",
        "movaps xmm4, [rsp+112]",
        "movaps xmm5, [rsp+128]",
        "movaps xmm6, [rsp+144]",
        "movaps xmm7, [rsp+160]",
        "movaps xmm8, [rsp+176]",
        "movaps xmm9, [rsp+192]",
        "movaps xmm10, [rsp+208]",
        "movaps xmm11, [rsp+224]",
        "movaps xmm12, [rsp+240]",
        "movaps xmm13, [rsp+256]",
        "movaps xmm14, [rsp+272]",
        "movaps xmm15, [rsp+288]",
        "mov rdi, [rsp]",
        "mov rsi, [rsp+8]",
        "mov rdx, [rsp+16]",
        "mov rcx, [rsp+24]",
        "mov r8, [rsp+32]",
        "mov r9, [rsp+40]",
        "leave",
        "test r11, r11",
        "jnz 2f",
        "ret",
        "2:",
        "jmp r11",
        dispatch = sym dispatch,
    )
}

/// What is known about an export after its first use.
struct Known {
    next: Next,
    /// `None` where the model does not have the function: it is passed on.
    method: Option<MethodId>,
}

// SAFETY: the address of a function that stays loaded.
unsafe impl Send for Known {}
// SAFETY: as above.
unsafe impl Sync for Known {}

static KNOWN: [OnceLock<Option<Known>>; Index::Count as usize] = [const { OnceLock::new() }; Index::Count as usize];

fn known(index: usize) -> Option<&'static Known> {
    let known = KNOWN.get(index)?.get_or_init(|| {
        let export = &EXPORTS[index];
        next::note_runtime();
        // A library that is open for one asker only is in nobody's order.
        let behind = BEHIND[index].load(Ordering::Acquire);
        let next = if behind.is_null() { next::find(export.name)? } else { next::at(behind) };
        Some(Known { next, method: function(export.name) })
    });
    known.as_ref()
}

/// What lookups behind a library's handle have found for each export.
static BEHIND: [AtomicPtr<c_void>; Index::Count as usize] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; Index::Count as usize];

/// The export of this name.
pub(super) fn index_of(name: &CStr) -> Option<usize> {
    let bytes = name.to_bytes();
    // Nearly all lookups are of something else.
    if !matches!(bytes.first(), Some(b'D' | b'C' | b'v')) {
        return None;
    }
    EXPORTS.iter().position(|export| export.name == name)
}

/// What a program gets that looks an export up behind a handle, where the library has `found`; null: just that.
pub(super) fn found_behind_handle(index: usize, found: *const c_void) -> *const c_void {
    let own = EXPORTS[index].own as *const c_void;
    if found.is_null() || found == own {
        return core::ptr::null();
    }
    let before =
        BEHIND[index].compare_exchange(core::ptr::null_mut(), found.cast_mut(), Ordering::AcqRel, Ordering::Acquire);
    let first = match before {
        Ok(_) => known(index).map(|known| known.next.address),
        Err(first) => Some(first.cast_const()),
    };
    if first == Some(found) {
        return own;
    }
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        let name = EXPORTS[index].name.to_string_lossy();
        crate::session::say(&format!("the program uses a second library's {name}, which is not recorded"));
    }
    core::ptr::null()
}

/// The model's number of an exported function.
fn function(name: &CStr) -> Option<MethodId> {
    let functions = reprise_d3d12::MODEL.methods.iter().enumerate().rev();
    let mut functions = functions.take_while(|(_, method)| method.interface.is_none());
    let found = functions.find(|(_, method)| method.name.as_bytes() == name.to_bytes())?;
    Some(MethodId(found.0 as u16))
}

/// `E_NOTIMPL`, and a negative `VkResult`: nobody behind us has the function.
const NOBODY: u64 = 0x8000_4001;

/// Decides about one call of an export.
///
/// # Safety
/// Called by `ask`, with the registers and the stack pointer of the program's call.
unsafe extern "sysv64" fn dispatch(index: u32, registers: &Registers, stack: *const u64) -> Answer {
    let index = index as usize;
    let Some(known) = known(index) else {
        return Answer { value: NOBODY, target: core::ptr::null() };
    };
    let pass = Answer { value: 0, target: known.next.address };
    let (true, Some(method)) = (wanted(), known.method) else {
        TABLE[index].store(known.next.address.cast_mut(), Ordering::Relaxed);
        return pass;
    };
    // SAFETY: `stack` points to the return address of the program's call.
    let caller = unsafe { stack.read() } as usize;
    if entry::inside() || next::is_runtime(caller) {
        return pass;
    }
    let export = &EXPORTS[index];
    // Vulkan is of interest for what it does to Direct3D's images only: a program's other use of it is its own.
    static STARTED: AtomicBool = AtomicBool::new(false);
    if export.kind != Kind::Vulkan {
        STARTED.store(true, Ordering::Relaxed);
    } else if !STARTED.load(Ordering::Relaxed) {
        return pass;
    }
    let declared = if export.kind == Kind::Direct3d { known.next.world } else { Convention::SystemV };
    // SAFETY: the registers and stack are those of a call of this method in this convention.
    let words = unsafe { words(method.get(), declared, registers, stack) };
    let words = &words[..method.get().params.len().min(MAX_WORDS)];
    // SAFETY: the first argument of this function is the id of a class.
    if index == Index::D3D12GetInterface as usize && unsafe { private::asked_for(words[0] as *const c_void) } {
        return pass;
    }
    let (convention, function) = match export.kind {
        Kind::Direct3d => (declared, known.next.address),
        Kind::Vulkan => (Convention::SystemV, target(index)),
        // The recorder takes one convention for a function and for the objects that come out of it.
        Kind::Vkd3d if known.next.world == Convention::Win64 => (Convention::Win64, export.bridge as *const c_void),
        Kind::Vkd3d => (Convention::SystemV, target(index)),
    };
    // Hashes are numbered as the frames are, so no other present may come between a call and its frame.
    let _order = (index == Index::vkQueuePresentKHR as usize).then(present::in_order);
    // SAFETY: the function has the method's signature in that convention; the words are the program's own.
    let value = unsafe { entry::call_function(convention, method, function, words) };
    // SAFETY: the call has just returned, its arguments are alive.
    unsafe { after(index, words, value, known.next.world) };
    Answer { value, target: core::ptr::null() }
}

/// The source of a frame that a present ends, as in FORMAT.md.
const FRAME_PRESENT: u32 = 1;

/// What a call means beyond its records.
///
/// # Safety
/// `words` are the program's arguments of a call of this export that has just returned `value`.
unsafe fn after(index: usize, words: &[u64], value: u64, world: Convention) {
    const CREATE: usize = Index::D3D12CreateDevice as usize;
    const CREATE_VKD3D: usize = Index::D3D12CreateDeviceVKD3D as usize;
    const CREATE_RAW: usize = Index::vkd3d_create_device as usize;
    let device = match index {
        CREATE | CREATE_VKD3D => words.get(3),
        CREATE_RAW => words.get(2),
        _ => None,
    };
    if let Some(out) = device.filter(|_| value as i32 >= 0) {
        // SAFETY: where a call that succeeded was told to put the device.
        unsafe { adapter::device_made(*out as *const _, world) };
        private::told();
    }
    if index == Index::vkQueuePresentKHR as usize {
        entry::frame(FRAME_PRESENT);
    } else if index == Index::vkd3d_create_image_resource as usize && value as i32 >= 0 {
        // SAFETY: the second and third argument are those of a call that succeeded.
        unsafe { surface::image_resource_made(words[1] as *const _, words[2] as *const _) };
    }
}

/// The hook of an export, or the real function.
fn target(index: usize) -> *const c_void {
    match EXPORTS[index].hook {
        Some(hook) => hook(),
        None => known(index).map_or(core::ptr::null(), |known| known.next.address),
    }
}

/// Arguments as the model wants them: one word each, zero-extended from the parameter's size.
///
/// # Safety
/// Registers and stack are those of a call of the method in this convention, `stack` at its return address.
unsafe fn words(method: &Method, convention: Convention, registers: &Registers, stack: *const u64) -> [u64; MAX_WORDS] {
    let r = registers;
    let mut words = match convention {
        Convention::SystemV => [r.rdi, r.rsi, r.rdx, r.rcx, r.r8, r.r9],
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

/// The real function behind an export, for hooks.
pub(super) fn real(name: &CStr) -> Option<*const c_void> {
    let index = EXPORTS.iter().position(|export| export.name == name)?;
    known(index).map(|known| known.next.address)
}

/// Finds the bytes stored to mapped memory.
static MEMORY: Shared = Shared::new();

/// True when this process is to be recorded: the launcher said where to, and the program does not run with another's
/// rights.
pub(super) fn wanted() -> bool {
    const UNKNOWN: u8 = 0;
    const NO: u8 = 1;
    const YES: u8 = 2;
    static WANTED: AtomicU8 = AtomicU8::new(UNKNOWN);
    match WANTED.load(Ordering::Relaxed) {
        UNKNOWN => {
            // SAFETY: reads a word that the kernel left for the process.
            let secure = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
            let asked = crate::environment::get(crate::session::FOLDER).is_some();
            if asked && secure {
                crate::session::say("not recorded: the program runs with rights that its user has not");
            }
            let wanted = asked && !secure && crate::process::is_wanted();
            if wanted {
                crate::memory::install(&MEMORY);
            }
            WANTED.store(if wanted { YES } else { NO }, Ordering::Relaxed);
            wanted
        }
        known => known == YES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_export_is_a_function_of_the_model_that_fits() {
        for export in &EXPORTS {
            let method = function(export.name).expect("in the model").get();
            assert!(method.params.len() <= MAX_WORDS, "{:?}", export.name);
            assert!(!method.params.iter().any(|parameter| matches!(parameter.ty, Type::F32 | Type::F64)));
        }
    }
}
