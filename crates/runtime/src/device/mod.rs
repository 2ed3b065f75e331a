//! The device: what all objects share.
//!
//! One device per adapter and process: a program that creates it again gets the same object. The Vulkan device dies with
//! the last reference of any kind.

mod adapter;
mod caps;
mod child;
mod create;
mod features;
mod formats;
mod interop;
mod methods;
mod policy;
mod requirements;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use ash::vk;
use reprise_com::result::{DXGI_ERROR_DEVICE_REMOVED, S_OK};
use reprise_com::{Facet, Object, Ref};
use reprise_d3d12::types::LUID;

pub use adapter::{Adapter, adapters, is_meant};
pub use caps::{Caps, Extensions};
pub use child::{Child, give};
pub use create::create;
pub use requirements::{Enabled, Features};

use crate::{Error, Instance, Result, address, descriptor, kernel, memory, pipeline, queue};

/// The body of `ID3D12Device`.
pub struct Device {
    /// The process's Vulkan instance.
    pub instance: Arc<Instance>,
    /// The adapter.
    pub physical: vk::PhysicalDevice,
    /// The adapter's name in the API.
    pub luid: LUID,
    /// The Vulkan device.
    pub vk: ash::Device,
    /// Functions of extensions, as far as the device has them.
    pub ext: Extensions,
    /// What the device can do; decided once.
    pub caps: Caps,
    /// Queue families.
    pub families: Families,
    /// The Vulkan queues.
    pub queues: queue::Queues,
    /// Images that no submission has taken out of `UNDEFINED` yet.
    pub fresh: queue::Fresh,
    /// Device memory.
    pub memory: memory::Allocator,
    /// GPU virtual addresses.
    pub addresses: address::Map,
    /// Set layouts and null descriptors.
    pub bindings: descriptor::Layouts,
    /// Compute shaders of the runtime's own.
    pub kernels: kernel::Kernels,
    /// What the driver has made of pipelines.
    pub pipelines: pipeline::cache::DiskCache,
    /// Why the device is removed; 0 while it is not. The first reason stays.
    pub removed: AtomicI32,
    /// The private interface for Vulkan's handles.
    pub interop: Facet,
    /// `ID3D12DeviceConfiguration1`.
    pub configuration: Facet,
}

/// An internal reference to the device.
pub type DeviceRef = Ref<Device>;

/// What the constructors of the device's parts may use: all that is there before them.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The process's Vulkan instance.
    pub instance: &'a Instance,
    /// The adapter.
    pub physical: vk::PhysicalDevice,
    /// The Vulkan device.
    pub vk: &'a ash::Device,
    /// Functions of extensions.
    pub ext: &'a Extensions,
    /// What the device can do.
    pub caps: &'a Caps,
    /// Queue families.
    pub families: &'a Families,
}

/// A queue family and how many of its queues the device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Index of the Vulkan queue family.
    pub index: u32,
    /// Queues created in it, at least one.
    pub count: u32,
    /// Bits of its timestamps that count; 0 when it has none.
    pub timestamp_bits: u32,
}

/// Queue families; several may be the same one (lavapipe has one family with one queue).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Families {
    /// For direct queues: graphics, compute and transfer.
    pub graphics: Family,
    /// For compute queues: compute and transfer.
    pub compute: Family,
    /// For copy queues.
    pub copy: Family,
    /// Whether queues of all of them map memory piece by piece.
    pub sparse: bool,
}

impl Families {
    /// The different family indices, for resources that all queues use.
    pub fn distinct(&self) -> Vec<u32> {
        let mut indices = vec![self.graphics.index, self.compute.index, self.copy.index];
        indices.sort_unstable();
        indices.dedup();
        indices
    }
}

impl Device {
    /// What `CheckFeatureSupport` answers for a feature, in its structure.
    pub(crate) fn answer<T: Default + Copy>(&self, feature: reprise_d3d12::types::D3D12_FEATURE) -> T {
        features::answer(self, feature)
    }

    /// The highest feature level, from what `CheckFeatureSupport` answers.
    pub fn feature_level(&self) -> reprise_d3d12::types::D3D_FEATURE_LEVEL {
        features::feature_level(self)
    }

    /// The reason the device is removed, `S_OK` while it is not.
    pub fn removed_reason(&self) -> i32 {
        self.removed.load(Ordering::Acquire)
    }

    /// Marks the device as removed, and lets everybody go who waits for a fence; the first reason stays. Not to be called
    /// with a fence's lock held.
    pub fn remove(&self, reason: i32) {
        if self.removed.compare_exchange(S_OK, reason, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            reprise_log::error(format_args!("the device is removed ({reason:#010x})"));
            self.queues.removed();
        }
    }

    /// The result of a Vulkan call; a lost device marks the device as removed.
    pub fn check<T>(&self, name: &'static str, result: core::result::Result<T, vk::Result>) -> Result<T> {
        result.map_err(|error| {
            if error == vk::Result::ERROR_DEVICE_LOST {
                self.remove(DXGI_ERROR_DEVICE_REMOVED);
            }
            Error::Vulkan(name, error)
        })
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: every child holds the device, so nothing of it is left; its parts are destroyed before it.
        unsafe {
            let _ = self.vk.device_wait_idle();
            self.queues.destroy(&self.vk);
            self.pipelines.destroy(&self.vk);
            self.kernels.destroy(&self.vk);
            self.bindings.destroy(&self.vk);
            self.memory.destroy(&self.vk);
            self.vk.destroy_device(None);
        }
    }
}

impl core::fmt::Debug for Device {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Device")
            .field("name", &self.caps.name)
            .field("families", &self.families)
            .finish_non_exhaustive()
    }
}

/// The device of a method's `this`.
///
/// # Safety
/// `this` is the COM pointer of a living device of ours.
#[inline(always)]
pub unsafe fn this<'a>(this: *mut core::ffi::c_void) -> &'a Object<Device> {
    // SAFETY: by contract.
    unsafe { Object::this(this) }
}
