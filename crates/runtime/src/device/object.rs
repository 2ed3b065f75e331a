//! The device as an object.

use core::ffi::c_void;
use core::ops::Deref;
use core::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, OnceLock};

use reprise_com::result::S_OK;
use reprise_com::{Facet, Object};
use reprise_d3d12::types::D3D_SHADER_MODEL;
use reprise_gpu::loss::Reason;
use reprise_gpu::requirements::Chain;

use crate::Error;
use crate::device::adapter::Adapter;
use crate::message::Queue;
use crate::register::Register;
use crate::trail::Trail;

/// The body of `ID3D12Device`.
pub struct Device {
    /// The Vulkan device, and what all its users share.
    pub gpu: Arc<reprise_gpu::Device>,
    /// The highest shader model, by [`levels`](crate::device::levels).
    pub shader_model: D3D_SHADER_MODEL,
    /// The adapter of DXGI that it is of.
    pub adapter: Adapter,
    /// Resources that views of targets name.
    pub targets: Register,
    /// How far its GPU is, and where objects lie.
    pub trail: Arc<Trail>,
    /// Its further interfaces.
    pub facets: Facets,
    /// Whether ray tracing pipelines meet opacity micromaps whatever their config says: NVIDIA's library says so once for all.
    pub asks_for_micromaps: AtomicBool,
    /// Pipeline states that it made since it was asked for, counted where one of them is slow (`REPRISE_SLOW`).
    pub pipeline_states: AtomicU64,
    /// Whether it was made with the debug layer.
    pub is_debugged: bool,
    /// What the debug layer has to say of it.
    pub(crate) messages: Arc<Queue>,
    /// The features, where a program has asked for their address.
    pub features: OnceLock<Chain>,
}

/// Interfaces of a device beside its own chain.
#[derive(Debug)]
pub struct Facets {
    /// `ID3D12DeviceConfiguration1`.
    pub configuration: Facet,
    /// `ID3D12DeviceExt`.
    pub device_ext: Facet,
    /// `ID3D12DXVKInteropDevice`.
    pub interop: Facet,
    /// `ID3DLowLatencyDevice`.
    pub low_latency: Facet,
    /// `ID3D12DeviceRemovedExtendedData2`.
    pub removed: Facet,
    /// `ID3D12InfoQueue1`.
    pub info_queue: Facet,
    /// `ID3D12DebugDevice2`.
    pub debug_device: Facet,
    /// `ID3D12DebugDevice1`.
    pub debug_parameters: Facet,
}

impl Device {
    /// The reason the device is removed, `S_OK` while it is not.
    pub fn removed_reason(&self) -> i32 {
        match self.loss.reason() {
            None => S_OK,
            Some(Reason::GivenUp(reason)) => *reason,
            Some(Reason::Failed(error)) => Error::from(error.clone()).code(),
        }
    }

    /// Notes the GPU virtual address at which the device faulted; the first one stays.
    pub fn faulted(&self, address: u64) {
        self.trail.faulted(address);
    }

    /// Marks the device as removed, and lets everybody go who waits for a fence; the first reason stays. Not to be called
    /// with a fence's lock held.
    pub fn remove(&self, reason: i32) {
        self.loss.lose(Reason::GivenUp(reason));
    }
}

impl core::fmt::Debug for Device {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.gpu.fmt(f)
    }
}

impl Deref for Device {
    type Target = Arc<reprise_gpu::Device>;

    #[inline(always)]
    fn deref(&self) -> &Arc<reprise_gpu::Device> {
        &self.gpu
    }
}

/// The device of a method's `this`.
///
/// # Safety
/// `this` is the COM pointer of a living device of ours.
#[inline(always)]
pub unsafe fn this<'a>(this: *mut c_void) -> &'a Object<Device> {
    // SAFETY: the caller passes the COM pointer of a living device of ours.
    unsafe { Object::this(this) }
}
