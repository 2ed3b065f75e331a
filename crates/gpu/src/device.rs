//! The device: the logical device with the parts that all its users share.
//!
//! Invariant: no part takes this type; each takes the logical device, and other parts by name. So this module imports the
//! parts, and they never import it.

use core::ops::Deref;
use std::sync::Arc;

use ash::vk;

use crate::cache::{DeviceCache, Storage};
use crate::descriptor::bindings::Bindings;
use crate::error::Result;
use crate::executables::Executables;
use crate::families::Role;
use crate::graveyard::Graveyard;
use crate::instance::Instance;
use crate::kernel::Kernels;
use crate::logical::Logical;
use crate::memory::Memory;
use crate::queue::CommandQueue;
use crate::queue::hardware::Queues;
use crate::queue::initialisation::Initialisation;
use crate::staging::{self, Staging};

/// A Vulkan device with everything that its users share.
#[derive(Debug)]
pub struct Device {
    /// What the GPU must do to new images and memory before their first use.
    pub initialisation: Arc<Initialisation>,
    /// What the program has let go and work may still need.
    pub graveyard: Arc<Graveyard>,
    /// The Vulkan queues.
    pub queues: Queues,
    /// Texels for the CPU.
    pub staging: Staging,
    /// What the driver has made of pipelines.
    pub pipelines: Arc<DeviceCache>,
    /// Whether pipelines keep what the driver says of them.
    pub executables: Executables,
    /// The compute shaders of this crate.
    pub kernels: Kernels,
    /// Set layouts and samplers.
    pub bindings: Arc<Bindings>,
    /// Device memory and its addresses.
    pub memory: Arc<Memory>,
    /// Vulkan's device.
    pub logical: Arc<Logical>,
}

impl Device {
    /// Makes a device of an adapter. `disk` keeps what the driver makes of pipelines.
    ///
    /// # Errors
    /// As [`Logical::new`]; also where the set layouts or kernels cannot be made.
    pub fn new(
        instance: Arc<Instance>,
        physical: vk::PhysicalDevice,
        disk: Option<Box<dyn Storage>>,
    ) -> Result<Arc<Device>> {
        let logical = Logical::new(instance, physical)?;
        let memory = Memory::new(&logical);
        let bindings = Arc::new(Bindings::new(&logical)?);
        Ok(Arc::new(Device {
            initialisation: Arc::new(Initialisation::new(&memory)),
            graveyard: memory.graveyard().clone(),
            queues: Queues::new(&logical),
            staging: Staging::default(),
            pipelines: Arc::new(DeviceCache::open(&logical, disk)),
            executables: Executables::default(),
            kernels: Kernels::new(&logical, bindings.descriptors())?,
            bindings,
            memory,
            logical,
        }))
    }

    /// What pipelines of the program's are made with.
    pub fn pipeline_flags(&self) -> vk::PipelineCreateFlags {
        self.bindings.descriptors().pipeline_flags() | self.executables.flags()
    }

    /// A new command queue.
    ///
    /// # Errors
    /// Vulkan objects or threads cannot be made.
    pub fn command_queue(self: &Arc<Device>, role: Role) -> Result<CommandQueue> {
        let parts = (&self.initialisation, &self.graveyard);
        CommandQueue::new(&self.logical, parts, self.queues.pick(role), self.clone())
    }

    /// What [`Device::staging`] needs of the others.
    pub fn parts(&self) -> staging::Parts<'_> {
        let Device { logical, memory, initialisation, queues, .. } = self;
        staging::Parts { logical, memory, initialisation, queues }
    }
}

impl Deref for Device {
    type Target = Arc<Logical>;

    #[inline(always)]
    fn deref(&self) -> &Arc<Logical> {
        &self.logical
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.logical.gates.open_all(&self.logical.vk);
        // SAFETY: queues and recordings hold the device, so no other thread uses a queue now. What fails here is a lost device,
        // whose objects may be destroyed.
        let _ = unsafe { self.logical.vk.device_wait_idle() };
    }
}
