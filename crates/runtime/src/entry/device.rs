//! Making the device, and finding it again.

use core::ffi::c_void;
use core::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use reprise_com::result::S_OK;
use reprise_com::{Object, Public};
use reprise_gpu::Instance;
use reprise_gpu::adapter;
use reprise_gpu::cache::Storage;
use reprise_shader::cache::{Cache, Key};

use crate::debug_layer;
use crate::device::adapter::describe;
use crate::device::levels;
use crate::device::object::{Device, Facets};
use crate::dred;
use crate::entry::configuration;
use crate::environment::settings;
use crate::message;
use crate::pipeline::shader;
use crate::trail::Trail;
use crate::vendor;
use crate::{Error, Result};

/// A device that the program still holds.
struct Known(core::ptr::NonNull<Object<Device>>);

// SAFETY: an address; `Device` is `Send` and `Sync`.
unsafe impl Send for Known {}

/// Devices that the program holds. [`forget`] takes the lock before a device's memory can go.
static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The process's device for an adapter of DXGI, or an `independent` one that nobody finds again. Without an adapter, or where the
/// user names a device ([`ADAPTER`](reprise_environment::runtime::ADAPTER)), it is the best device that is allowed.
///
/// # Errors
/// When there is no such adapter, or it lacks what the runtime needs; also when the process's device is removed and still
/// held.
///
/// # Safety
/// `adapter` is null or a living COM pointer.
pub unsafe fn create(adapter: *mut c_void, independent: bool) -> Result<Public<Device>> {
    let instance = Instance::shared(&settings().gpu)?;
    // The adapter is another's, which may make or release devices itself: the lock comes later.
    // SAFETY: the caller passes null or a living COM pointer.
    let described = (!adapter.is_null()).then(|| unsafe { describe(&instance, adapter) }).transpose()?;
    let physical = match &described {
        Some(described) if settings().gpu.adapter.is_none() => adapter::of_dxgi(&instance, described)?,
        _ => adapter::pick(&instance)?,
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !independent {
        for Known(device) in known.iter() {
            // SAFETY: `forget` removes a device, under this lock, before its memory goes.
            let device = unsafe { device.as_ref() };
            if device.logical.physical == physical
                && let Some(device) = device.again_if_held()
            {
                device.pipeline_states.store(0, Ordering::Relaxed);
                // Given back outside the lock if it is of no use: the last release takes the lock.
                drop(known);
                return if device.removed_reason() == S_OK { Ok(device) } else { Err(Error::REMOVED) };
            }
        }
    }
    let device = Object::make(make(instance, physical)?);
    if let Some(described) = described {
        device.adapter.name(described.luid);
    }
    if !independent {
        known.push(Known(core::ptr::NonNull::from(&*device)));
    }
    drop(known);
    // SAFETY: the caller passes null or a living COM pointer.
    unsafe { device.adapter.hold(adapter) };
    Ok(device)
}

/// An independent device of the best adapter.
///
/// # Errors
/// As [`create`].
pub fn independent() -> Result<Public<Device>> {
    // SAFETY: null is allowed.
    unsafe { create(core::ptr::null_mut(), true) }
}

/// The program has released the device.
pub(super) fn forget(device: &Object<Device>) {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|entry| !core::ptr::eq(entry.0.as_ptr(), device));
    if device.bindings.checks().is_some() {
        crate::checks::sweep();
    }
}

fn make(instance: Arc<Instance>, physical: vk::PhysicalDevice) -> Result<Device> {
    let disk = shader::disk().map(|disk| Box::new(PipelineStorage(disk)) as Box<dyn Storage>);
    let gpu = reprise_gpu::Device::new(instance, physical, disk)?;
    let trail = Trail::new(&gpu, dred::settings::wishes(), settings().fault_dump.clone());
    let shader_model = levels::of_device(&gpu.caps);
    let is_debugged = debug_layer::layer::is_enabled();
    let messages = Arc::<message::Queue>::default();
    if is_debugged {
        message::connect(&messages);
    }
    let [info_queue, debug_device, debug_parameters] = debug_layer::device_facets();
    Ok(Device {
        gpu,
        shader_model,
        targets: Default::default(),
        adapter: Default::default(),
        facets: Facets {
            configuration: configuration::facet::<Device>(),
            device_ext: vendor::device_ext(),
            interop: vendor::interop(),
            low_latency: vendor::low_latency(),
            removed: dred::data::new_facet(),
            info_queue,
            debug_device,
            debug_parameters,
        },
        asks_for_micromaps: Default::default(),
        pipeline_states: Default::default(),
        is_debugged,
        messages,
        features: Default::default(),
        trail,
    })
}

/// What drivers make of pipelines, in the folder of translated shaders.
#[derive(Debug)]
struct PipelineStorage(&'static Cache);

impl Storage for PipelineStorage {
    fn get(&self, name: &[u8; 16]) -> Option<Vec<u8>> {
        self.0.bytes(Key::of(name))
    }

    fn put(&self, name: &[u8; 16], bytes: &[u8]) {
        self.0.put_bytes(Key::of(name), bytes);
    }
}
