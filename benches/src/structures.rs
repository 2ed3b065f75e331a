//! Acceleration structures of a measured program: one of a triangle, one of 10,000 instances of it, and a frame that works with both.
//!
//! *Frame*: the program writes all instances anew, as engines do whose objects move; a list builds the structure of the triangle and
//! has its compacted size written, builds the one of the instances (every fourth frame) or updates it, and compacts the first into memory
//! that was made for that; the list runs, and the program waits for it and reads the size. System V libraries only.

use crate::call;
use crate::com::{WIN64, slot};
use crate::make::{Maker, buffer_desc, check};
use crate::queue::Queue;
use crate::stage::Stage;
use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags;
use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as After;
use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Level;
use D3D12_RESOURCE_STATES as State;
use anyhow::{Context, Result, ensure};
use core::ffi::c_void;
use reprise_d3d12::description;
use reprise_d3d12::types::*;

/// Instances of the upper structure.
pub const INSTANCES: u32 = 10_000;
/// Frames from one build of the upper structure to the next.
const BUILT_EVERY: u32 = 4;

/// What a structure is built from.
pub(crate) type Inputs = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS;
/// A build.
pub(crate) type Build = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC;
type Sizes = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO;

/// Both structures, with room for their builds.
#[derive(Clone, Copy)]
pub struct Structures {
    list: *mut c_void,
    record: usize,
    instances: *mut D3D12_RAYTRACING_INSTANCE_DESC,
    /// The build of the triangle.
    pub(crate) bottom: Build,
    /// The build of the instances.
    pub(crate) top: Build,
}

impl Structures {
    /// Makes buffers of the sizes that builds with these flags need; `None` where the device has no acceleration structures.
    ///
    /// # Errors
    /// A call failed.
    ///
    /// # Safety
    /// The stage's library is a D3D12 runtime in System V, and `make` is of its device.
    pub(crate) unsafe fn new(
        stage: &Stage,
        make: &Maker<WIN64>,
        [of_bottom, of_top]: [Flags; 2],
    ) -> Result<Option<Structures>> {
        // SAFETY: a runtime's device, by the caller's promise; so below.
        let options = unsafe { make.feature::<D3D12_FEATURE_DATA_D3D12_OPTIONS5>(D3D12_FEATURE::D3D12_OPTIONS5)? };
        if options.is_none_or(|options| options.RaytracingTier < D3D12_RAYTRACING_TIER::TIER_1_0) {
            return Ok(None);
        }
        // SAFETY: the runtime's own device.
        let device = unsafe { make.query(make.device, "ID3D12Device5")? }.context("the device has no ID3D12Device5")?;
        let ask = slot("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo")?;
        // A build with buffers of the size that it needs.
        let plan = |inputs: Inputs| -> Result<Build> {
            let mut sizes = Sizes::default();
            // SAFETY: the inputs lie in memory of ours and of the device.
            unsafe {
                call!(WIN64, device, ask, (*const Inputs, *mut Sizes) -> (), (&raw const inputs, &raw mut sizes));
                let scratch = sizes.ScratchDataSizeInBytes.max(sizes.UpdateScratchDataSizeInBytes);
                Ok(Build {
                    DestAccelerationStructureData: structure(make, sizes.ResultDataMaxSizeInBytes)?,
                    ScratchAccelerationStructureData: writable(make, scratch, State::UNORDERED_ACCESS)?.1,
                    Inputs: inputs,
                    ..Default::default()
                })
            }
        };
        let geometry: &'static _ = Box::leak(Box::new(triangle(stage)));
        let mut bottom = Inputs { Type: Level::BOTTOM_LEVEL, NumDescs: 1, Flags: of_bottom, ..Default::default() };
        bottom.Anonymous.pGeometryDescs = geometry;
        let bottom = plan(bottom)?;
        // SAFETY: objects of one device.
        let (instances, at) = unsafe {
            let size = u64::from(INSTANCES) * size_of::<D3D12_RAYTRACING_INSTANCE_DESC>() as u64;
            let upload = make.resource(2, &buffer_desc(size))?;
            (mapped(upload)?.cast(), make.address(upload)?)
        };
        let mut top = Inputs { Type: Level::TOP_LEVEL, NumDescs: INSTANCES, Flags: of_top, ..Default::default() };
        top.Anonymous.InstanceDescs = at;
        let top = plan(top)?;
        // SAFETY: the stage's own list.
        let list = unsafe { make.query(stage.list, "ID3D12GraphicsCommandList4")? };
        let list = list.context("lists have no version 4")?;
        let record = slot("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure")?;
        let made = Structures { list, record, instances, bottom, top };
        // SAFETY: nothing reads them yet.
        unsafe { made.write_instances(0) };
        Ok(Some(made))
    }

    /// Writes all instances where they stand in a frame.
    ///
    /// # Safety
    /// The GPU reads none of them meanwhile.
    unsafe fn write_instances(&self, frame: u32) {
        for i in 0..INSTANCES {
            let (x, y) = ((i % 100) as f32, (i / 100) as f32);
            let instance = D3D12_RAYTRACING_INSTANCE_DESC {
                Transform: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, frame as f32]],
                _bitfield1: 0xff00_0000 | i,
                AccelerationStructure: self.bottom.DestAccelerationStructureData,
                ..Default::default()
            };
            // SAFETY: as many as the mapped bytes have room for.
            unsafe { self.instances.add(i as usize).write(instance) };
        }
    }

    /// Records a build, and what is to be told after it.
    ///
    /// # Safety
    /// The stage's list is open.
    pub(crate) unsafe fn build(&self, desc: &Build, after: &[After]) {
        // SAFETY: the addresses are of buffers of this device.
        unsafe {
            call!(WIN64, self.list, self.record, (*const Build, u32, *const After) -> (),
                (desc, after.len() as u32, after.as_ptr()));
        }
    }
}

/// The frame.
pub struct Frame<'a> {
    stage: &'a Stage,
    structures: Structures,
    queue: Queue,
    /// The compacted size, where the GPU writes it and where the program reads it.
    size: (*mut c_void, u64),
    read: (*mut c_void, *const u64),
    /// Where the compacted structure goes.
    compacted: u64,
    copy: usize,
    copy_bytes: usize,
}

impl<'a> Frame<'a> {
    /// Makes what a frame needs.
    ///
    /// # Errors
    /// The device has no acceleration structures, or a call failed.
    ///
    /// # Safety
    /// As [`Maker::new`], in System V; the stage and `make` are of one device.
    pub unsafe fn new(stage: &'a Stage, make: &Maker<WIN64>) -> Result<Frame<'a>> {
        let flags = [Flags::ALLOW_COMPACTION, Flags::ALLOW_UPDATE];
        // SAFETY: by the caller's promise.
        unsafe {
            let structures = Structures::new(stage, make, flags)?.context("the device has no ray tracing")?;
            let read = make.resource_in(3, &buffer_desc(256), State::COPY_DEST)?;
            Ok(Frame {
                stage,
                structures,
                queue: Queue::new(stage, make)?,
                size: writable(make, 256, State::UNORDERED_ACCESS)?,
                read: (read, mapped(read)?.cast()),
                // A compacted structure is no larger than what it was made from.
                compacted: structure(make, 1 << 16)?,
                copy: slot("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure")?,
                copy_bytes: slot("ID3D12GraphicsCommandList", "CopyBufferRegion")?,
            })
        }
    }

    /// Runs one frame.
    ///
    /// # Errors
    /// The compacted size is none.
    ///
    /// # Safety
    /// No frame runs, and nobody else uses the stage's list.
    pub unsafe fn run(&self, frame: u32) -> Result<()> {
        let Structures { list, bottom, top, .. } = self.structures;
        let mut top = top;
        if !frame.is_multiple_of(BUILT_EVERY) {
            top.Inputs.Flags.0 |= Flags::PERFORM_UPDATE.0;
            top.SourceAccelerationStructureData = top.DestAccelerationStructureData;
        }
        let after = After {
            DestBuffer: self.size.1,
            InfoType: D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE::COMPACTED_SIZE,
        };
        // SAFETY: the last frame is done; calls of the API, on live objects.
        unsafe {
            self.structures.write_instances(frame);
            self.stage.begin::<WIN64>();
            self.structures.build(&bottom, &[after]);
            self.barrier(None);
            self.structures.build(&top, &[]);
            call!(WIN64, list, self.copy, (u64, u64, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE) -> (),
                (self.compacted, bottom.DestAccelerationStructureData, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE::COMPACT));
            self.barrier(Some((State::UNORDERED_ACCESS, State::COPY_SOURCE)));
            call!(WIN64, list, self.copy_bytes, (*mut c_void, u64, *mut c_void, u64, u64) -> (),
                (self.read.0, 0, self.size.0, 0, 8));
            self.barrier(Some((State::COPY_SOURCE, State::UNORDERED_ACCESS)));
            check("Close", call!(WIN64, list, self.stage.slots.close, () -> i32, ()))?;
            self.queue.run(list);
            ensure!(self.read.1.read_volatile() != 0, "frame {frame}: a compacted structure has no bytes");
        }
        Ok(())
    }

    /// All builds are done before what follows; or the size's buffer goes from one state to another.
    unsafe fn barrier(&self, states: Option<(State, State)>) {
        let mut barrier = D3D12_RESOURCE_BARRIER::default();
        match states {
            None => barrier.Type = D3D12_RESOURCE_BARRIER_TYPE::UAV,
            Some((before, after)) => {
                barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
                    pResource: self.size.0,
                    Subresource: 0,
                    StateBefore: before,
                    StateAfter: after,
                };
            }
        }
        // SAFETY: the stage's list is open.
        unsafe {
            call!(WIN64, self.stage.list, self.stage.slots.barrier, (u32, *const D3D12_RESOURCE_BARRIER) -> (), (1, &raw const barrier));
        }
    }
}

/// Three corners at the start of the stage's buffer, as a geometry.
fn triangle(stage: &Stage) -> D3D12_RAYTRACING_GEOMETRY_DESC {
    let triangles = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC {
        VertexFormat: DXGI_FORMAT::FORMAT_R32G32B32_FLOAT,
        VertexCount: 3,
        VertexBuffer: D3D12_GPU_VIRTUAL_ADDRESS_AND_STRIDE { StartAddress: stage.address, StrideInBytes: 12 },
        ..Default::default()
    };
    D3D12_RAYTRACING_GEOMETRY_DESC {
        Type: D3D12_RAYTRACING_GEOMETRY_TYPE::TRIANGLES,
        Flags: D3D12_RAYTRACING_GEOMETRY_FLAGS::OPAQUE,
        Anonymous: D3D12_RAYTRACING_GEOMETRY_DESC_2 { Triangles: triangles },
    }
}

/// The first byte of a mapped buffer.
unsafe fn mapped(buffer: *mut c_void) -> Result<*mut c_void> {
    let mut at = core::ptr::null_mut();
    // SAFETY: a buffer that the processor sees, by the caller's promise.
    let code = unsafe {
        call!(WIN64, buffer, slot("ID3D12Resource", "Map")?, (u32, *const c_void, *mut *mut c_void) -> i32,
            (0, core::ptr::null(), &raw mut at))
    };
    check("Map", code)?;
    Ok(at)
}

/// The address of a new buffer for a structure.
unsafe fn structure(make: &Maker<WIN64>, bytes: u64) -> Result<u64> {
    // SAFETY: by the caller's promise.
    Ok(unsafe { writable(make, bytes, State::RAYTRACING_ACCELERATION_STRUCTURE)? }.1)
}

/// A new buffer in the GPU's memory that shaders may write, and its address.
unsafe fn writable(make: &Maker<WIN64>, bytes: u64, state: State) -> Result<(*mut c_void, u64)> {
    let desc = description::buffer(bytes.max(256), D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS);
    // SAFETY: by the caller's promise.
    unsafe {
        let buffer = make.resource_in(1, &desc, state)?;
        Ok((buffer, make.address(buffer)?))
    }
}
