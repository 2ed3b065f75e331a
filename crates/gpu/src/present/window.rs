//! Surfaces of Windows' windows.

use core::ffi::c_void;

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::logical::Logical;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleW(name: *const u16) -> *mut c_void;
}

/// Makes a surface on a window, for [`Surface::new`](crate::present::Surface::new).
///
/// # Errors
/// The Vulkan loader does not know windows, or has no memory.
///
/// # Safety
/// The window lives as long as the surface.
pub unsafe fn surface(logical: &Logical, window: *mut c_void) -> Result<vk::SurfaceKHR> {
    let (entry, instance) = (&logical.instance.entry, &logical.instance.instance);
    // SAFETY: the instance lives; the name ends with zero.
    if unsafe { entry.get_instance_proc_addr(instance.handle(), c"vkCreateWin32SurfaceKHR".as_ptr()) }.is_none() {
        return Err(Error::Unsupported("surfaces: the Vulkan loader knows none of windows"));
    }
    let functions = ash::khr::win32_surface::Instance::new(entry, instance);
    // SAFETY: the program itself is always loaded.
    let module = unsafe { GetModuleHandleW(core::ptr::null()) };
    let info = vk::Win32SurfaceCreateInfoKHR::default().hinstance(module as isize).hwnd(window as isize);
    // SAFETY: the structure is ours; the window lives, as the caller says.
    unsafe { functions.create_win32_surface(&info, None) }.call("vkCreateWin32SurfaceKHR")
}
