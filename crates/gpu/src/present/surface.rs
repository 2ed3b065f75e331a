//! A surface that the program made on this crate's instance.

use std::sync::Arc;

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::families::Family;
use crate::logical::Logical;

/// A surface, destroyed with this.
pub struct Surface {
    logical: Arc<Logical>,
    functions: ash::khr::surface::Instance,
    /// The surface.
    pub(super) surface: vk::SurfaceKHR,
    /// Formats, with the colour spaces in which it shows them.
    pub(super) formats: Vec<vk::SurfaceFormatKHR>,
    /// Paces.
    pub(super) modes: Vec<vk::PresentModeKHR>,
}

impl Surface {
    /// Takes a surface over.
    ///
    /// # Errors
    /// The device has no swap chains, queues of this family do not show on the surface, or Vulkan cannot say what it offers.
    ///
    /// # Safety
    /// The surface was made on the instance of the device, and is nobody else's.
    pub unsafe fn new(logical: &Arc<Logical>, surface: vk::SurfaceKHR, family: Family) -> Result<Surface> {
        let functions = logical.instance.surfaces.clone();
        let functions = functions.ok_or(Error::Unsupported("surfaces: the Vulkan loader knows none"))?;
        let mut taken =
            Surface { logical: logical.clone(), functions, surface, formats: Vec::new(), modes: Vec::new() };
        let (functions, physical) = (&taken.functions, logical.physical);
        // SAFETY: the surface is of this instance, as the caller says, and lives as long as `taken`.
        unsafe {
            let shows = functions.get_physical_device_surface_support(physical, family.index, surface);
            if !shows.call("vkGetPhysicalDeviceSurfaceSupportKHR")? {
                return Err(Error::Invalid("this queue cannot show frames on the surface"));
            }
            let formats = functions.get_physical_device_surface_formats(physical, surface);
            let modes = functions.get_physical_device_surface_present_modes(physical, surface);
            taken.formats = formats.call("vkGetPhysicalDeviceSurfaceFormatsKHR")?;
            taken.modes = modes.call("vkGetPhysicalDeviceSurfacePresentModesKHR")?;
        }
        Ok(taken)
    }

    /// What it offers now: the window may have been resized.
    ///
    /// # Errors
    /// The surface is lost, or memory is.
    pub(super) fn capabilities(&self) -> Result<vk::SurfaceCapabilitiesKHR> {
        // SAFETY: the surface lives as long as this.
        unsafe { self.functions.get_physical_device_surface_capabilities(self.logical.physical, self.surface) }
            .call("vkGetPhysicalDeviceSurfaceCapabilitiesKHR")
    }
}

impl Drop for Surface {
    fn drop(&mut self) {
        // SAFETY: whatever was made on the surface is gone: its presenter drops the swap chain first.
        unsafe { self.functions.destroy_surface(self.surface, None) };
    }
}

impl core::fmt::Debug for Surface {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Surface").field("surface", &self.surface).finish_non_exhaustive()
    }
}
