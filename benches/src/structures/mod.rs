//! Acceleration structures of measured programs: memory for builds, and a frame loop that builds, updates and compacts them.
//!
//! Nothing is released: the process ends after the measurement.

mod frames;

pub use frames::{Frames, INSTANCES};

use crate::call;
use crate::com::slot;
use crate::make::{Maker, check};
use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Level;
use anyhow::{Context, Result};
use core::ffi::c_void;
use reprise_d3d12::description;
use reprise_d3d12::types::*;

/// What a structure is built from.
pub type Inputs = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS;
/// A build: inputs, and where structure and scratch memory lie.
pub type Build = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC;
/// What a device says of the sizes.
pub type Sizes = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO;

/// So many triangles without indices, one after another from an address on, as a geometry.
pub fn triangles(address: u64, number: u32) -> D3D12_RAYTRACING_GEOMETRY_DESC {
    let triangles = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
        VertexFormat: DXGI_FORMAT::FORMAT_R32G32B32_FLOAT,
        VertexCount: number * 3,
        VertexBuffer: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: address, StrideInBytes: 12 },
        ..Default::default()
    };
    D3D12_RAYTRACING_GEOMETRY_DESC {
        Type: D3D12_RAYTRACING_GEOMETRY_TYPE::TRIANGLES,
        Flags: D3D12_RAYTRACING_GEOMETRY_FLAGS::OPAQUE,
        Anonymous: D3D12_RAYTRACING_GEOMETRY_DESC_2 { Triangles: triangles },
    }
}

/// A bottom level of one geometry, which lives as long as the process.
pub fn bottom(geometry: D3D12_RAYTRACING_GEOMETRY_DESC) -> Inputs {
    let mut inputs = Inputs { Type: Level::BOTTOM_LEVEL, NumDescs: 1, ..Default::default() };
    inputs.Anonymous.pGeometryDescs = Box::leak(Box::new(geometry));
    inputs
}

/// A top level of so many instances at an address.
pub fn top(instances: u64, number: u32) -> Inputs {
    let mut inputs = Inputs { Type: Level::TOP_LEVEL, NumDescs: number, ..Default::default() };
    inputs.Anonymous.InstanceDescs = instances;
    inputs
}

/// Number `i` of instances that stand side by side, in a square of 100: of the structure at an address, so far above the ground.
pub fn instance(i: u32, structure: u64, height: f32) -> D3D12_RAYTRACING_INSTANCE_DESC {
    let (x, y) = ((i % 100) as f32, (i / 100) as f32);
    D3D12_RAYTRACING_INSTANCE_DESC {
        Transform: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, height]],
        // Seen by all rays; the number is the instance's id.
        _bitfield1: 0xff00_0000 | i,
        AccelerationStructure: structure,
        ..Default::default()
    }
}

/// A device that builds structures.
#[derive(Clone, Copy, Debug)]
pub struct Builder<const WIN64: bool> {
    make: Maker<WIN64>,
    device: *mut c_void,
    ask: usize,
}

impl<const WIN64: bool> Builder<WIN64> {
    /// `None` where the device builds none.
    ///
    /// # Errors
    /// The device says that it does, and has not the interface.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn new(make: &Maker<WIN64>) -> Result<Option<Self>> {
        // SAFETY: by the caller's promise.
        let options = unsafe { make.feature::<D3D12_FEATURE_DATA_D3D12_OPTIONS5>(D3D12_FEATURE::D3D12_OPTIONS5)? };
        if options.is_none_or(|options| options.RaytracingTier < D3D12_RAYTRACING_TIER::TIER_1_0) {
            return Ok(None);
        }
        // SAFETY: as above.
        let device = unsafe { make.query(make.device, "ID3D12Device5")? }.context("the device has no ID3D12Device5")?;
        let ask = slot("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo")?;
        Ok(Some(Self { make: *make, device, ask }))
    }

    /// How large a structure may get, and how much memory its builds need.
    ///
    /// # Safety
    /// As [`Maker::new`]; the inputs are valid.
    pub unsafe fn sizes(&self, inputs: &Inputs) -> Sizes {
        let mut sizes = Sizes::default();
        // SAFETY: by the caller's promise.
        unsafe {
            call!(WIN64, self.device, self.ask, (*const Inputs, *mut Sizes) -> (), (inputs, &raw mut sizes));
        }
        sizes
    }

    /// A build with buffers of the size that it needs.
    ///
    /// # Errors
    /// A buffer cannot be made.
    ///
    /// # Safety
    /// As [`Builder::sizes`].
    pub unsafe fn plan(&self, inputs: Inputs) -> Result<Build> {
        // SAFETY: by the caller's promise; so below.
        let sizes = unsafe { self.sizes(&inputs) };
        let scratch = sizes.ScratchDataSizeInBytes.max(sizes.UpdateScratchDataSizeInBytes);
        // SAFETY: as above.
        let (result, scratch) =
            unsafe { (self.buffer(sizes.ResultDataMaxSizeInBytes, true)?.1, self.buffer(scratch, false)?.1) };
        Ok(Build {
            DestAccelerationStructureData: result,
            ScratchAccelerationStructureData: scratch,
            Inputs: inputs,
            ..Default::default()
        })
    }

    /// A new buffer in the GPU's memory and its address: one for structures, or one that shaders and builds write.
    ///
    /// # Errors
    /// It cannot be made.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn buffer(&self, bytes: u64, structures: bool) -> Result<(*mut c_void, u64)> {
        use D3D12_RESOURCE_STATES as State;
        let desc = description::buffer(bytes.max(256), D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
        let state = if structures { State::RAYTRACING_ACCELERATION_STRUCTURE } else { State::UNORDERED_ACCESS };
        // SAFETY: by the caller's promise.
        unsafe {
            let buffer = self.make.resource_in(1, &desc, state)?;
            Ok((buffer, self.make.address(buffer)?))
        }
    }

    /// A new buffer that the CPU writes (heap type 2) or reads (3), mapped for good: the buffer, its bytes, its address.
    ///
    /// # Errors
    /// It cannot be made.
    ///
    /// # Safety
    /// As [`Maker::new`].
    pub unsafe fn mapped<T>(&self, heap: i32, number: usize) -> Result<(*mut c_void, *mut T, u64)> {
        use D3D12_RESOURCE_STATES as State;
        let desc = description::buffer((number * size_of::<T>()) as u64, D3D12_RESOURCE_FLAGS::default());
        let state = if heap == 3 { State::COPY_DEST } else { State::GENERIC_READ };
        let mut at: *mut T = core::ptr::null_mut();
        // SAFETY: by the caller's promise; the out pointer is ours.
        unsafe {
            let buffer = self.make.resource_in(heap, &desc, state)?;
            let code = call!(WIN64, buffer, slot("ID3D12Resource", "Map")?,
                (u32, *const c_void, *mut *mut T) -> i32, (0, core::ptr::null(), &raw mut at));
            check("Map", code)?;
            Ok((buffer, at, self.make.address(buffer)?))
        }
    }
}
