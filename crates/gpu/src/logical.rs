//! The logical device: Vulkan's device and all that is known of it, without anything that is made of it.
//!
//! Every other part holds the logical device. Invariant: it is destroyed after everything that was made of it.

use core::ffi::CStr;
use std::sync::Arc;

use ash::vk;

use crate::answers::Answers;
use crate::caps::Caps;
use crate::counters;
use crate::error::{Context, Error, Result};
use crate::extensions::Extensions;
use crate::families::{Families, QUEUES};
use crate::gates::Gates;
use crate::instance::Instance;
use crate::loss::{Loss, Reason};
use crate::requirements;
use crate::settings::{Descriptors, Layouts};
use crate::wide::Wide;

/// Vulkan's device.
pub struct Logical {
    /// The process's Vulkan instance.
    pub instance: Arc<Instance>,
    /// The adapter.
    pub physical: vk::PhysicalDevice,
    /// The Vulkan device.
    pub vk: ash::Device,
    /// Functions of extensions, as far as the device has them.
    pub ext: Extensions,
    /// What the device can do; decided once.
    pub caps: Caps,
    /// What the driver said of images.
    pub answers: Answers,
    /// Names of the extensions that are switched on.
    pub extensions: Vec<&'static CStr>,
    /// Queue families.
    pub families: Families,
    /// Whether the device is lost.
    pub loss: Loss,
    /// Gates that the GPU does not pass yet.
    pub gates: Gates,
    /// How images change their layouts.
    pub layouts: Layouts,
    /// The profiling lock, where the process asks for counters of the driver.
    pub(crate) profiling: Option<counters::Lock>,
    /// Views of 64-bit texels for atomics, where the device has those.
    pub wide: Option<Wide>,
}

impl Logical {
    /// Makes a device of an adapter, with every queue and feature that this crate uses.
    ///
    /// # Errors
    /// [`Error::Device`] names what the adapter lacks; [`Error::Vulkan`] names a call that failed.
    pub fn new(instance: Arc<Instance>, physical: vk::PhysicalDevice) -> Result<Arc<Logical>> {
        let (enabled, names, mut features) = requirements::choose(&instance, physical)?;
        let families = Families::pick(&instance, physical)?;
        let priorities = [1.0; QUEUES as usize];
        let mut queues: Vec<vk::DeviceQueueCreateInfo<'_>> = Vec::new();
        for family in [families.graphics, families.compute, families.copy] {
            if queues.iter().all(|queue| queue.queue_family_index != family.index) {
                queues.push(
                    vk::DeviceQueueCreateInfo::default()
                        .queue_family_index(family.index)
                        .queue_priorities(&priorities[..family.count as usize]),
                );
            }
        }
        let pointers: Vec<*const i8> = names.iter().map(|name| name.as_ptr()).collect();
        let vk = features.chained(&enabled, |head| {
            let mut info =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&pointers);
            info.p_next = core::ptr::from_mut(head).cast();
            // SAFETY: the chain and the arrays live until the call returns.
            unsafe { instance.instance.create_device(physical, &info, None) }
        });
        let vk = vk.call("vkCreateDevice")?;
        let mut caps = Caps::read(&instance, physical, &vk, enabled, features);
        let room = &mut caps.limits.max_push_constants_size;
        *room = (*room).min(instance.settings.push_bytes.unwrap_or(u32::MAX));
        if caps.breaks_mesh_shaders() {
            caps.features.mesh = vk::PhysicalDeviceMeshShaderFeaturesEXT::default();
        }
        if !instance.settings.list_cuts {
            caps.features.list_restart = vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT::default();
        }
        let ext = Extensions::load(&instance, &vk, &enabled);
        reprise_log::debug(|| format!("device {} ({families:?})", caps.name));
        let layouts = instance.settings.layouts.unwrap_or(match caps.has_free_layouts() {
            true => Layouts::Unified,
            false => Layouts::Tracked,
        });
        let mut logical = Logical {
            instance,
            physical,
            vk,
            ext,
            caps,
            answers: Answers::default(),
            extensions: names,
            families,
            loss: Loss::default(),
            gates: Gates::default(),
            layouts,
            profiling: None,
            wide: None,
        };
        if !logical.instance.settings.counters.is_empty() {
            let features = &logical.caps.features.counters;
            if !logical.extensions.contains(&counters::EXTENSION) || features.performance_counter_query_pools == 0 {
                return Err(Error::Device(
                    "the Vulkan device lacks VK_KHR_performance_query, or performanceCounterQueryPools".into(),
                ));
            }
            let passes = counters::passes(&logical.instance, physical, &logical.instance.settings.counters)?;
            if passes != 1 {
                let told = format!("counters of {passes} passes were asked for at once; one replay has one pass");
                return Err(Error::Device(told));
            }
            logical.profiling = Some(counters::Lock::acquire(&logical.instance, &logical.vk)?);
        }
        // A set is no part of a layout for descriptor buffers.
        if logical.instance.settings.descriptors != Some(Descriptors::Buffers) {
            logical.wide = Wide::new(&logical.vk, &logical.caps)?;
        }
        Ok(Arc::new(logical))
    }

    /// Whether the device is lost.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.loss.reason().is_some()
    }

    /// Names a Vulkan call that failed. A lost device is marked as such.
    ///
    /// # Errors
    /// [`Error::Vulkan`] when the call failed.
    pub fn check<T>(&self, name: &'static str, result: core::result::Result<T, vk::Result>) -> Result<T> {
        result.map_err(|error| {
            if error == vk::Result::ERROR_DEVICE_LOST {
                self.loss.lose(Reason::Failed(Error::Lost));
            }
            Error::Vulkan(name, error)
        })
    }
}

impl Drop for Logical {
    fn drop(&mut self) {
        // SAFETY: whatever was made of the device held it, so nothing of it is left.
        unsafe {
            if let Some(wide) = &mut self.wide {
                wide.destroy(&self.vk);
            }
            if let Some(lock) = self.profiling.take() {
                lock.release();
            }
            self.vk.destroy_device(None);
        }
    }
}

impl core::fmt::Debug for Logical {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Logical")
            .field("name", &self.caps.name)
            .field("families", &self.families)
            .finish_non_exhaustive()
    }
}
