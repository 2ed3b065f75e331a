//! The frame loop of the mix of structures.
//!
//! A frame builds eight bottom levels, asks for their compacted sizes and reads those back; then it compacts the eight side by side, by these
//! sizes, builds a top level of 10,000 instances of them, and updates it with the same instances elsewhere. All instances are
//! written anew for both, in mapped memory, as by an engine in which everything moves. Two submissions, each waited for.

use super::{Build, Builder, bottom, instance, top, triangles};
use crate::call;
use crate::com::slot;
use crate::make::{Maker, check};
use crate::queue::Queue;
use crate::stage::Stage;
use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS as Flags;
use D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question;
use anyhow::{Context, Result, ensure};
use core::ffi::c_void;
use reprise_d3d12::types::*;

/// Instances of the top level.
pub const INSTANCES: u32 = 10_000;
/// Bottom levels of a frame.
const MESHES: usize = 8;
/// Triangles of each.
const TRIANGLES: u32 = 256;
/// Structures begin at multiples of this.
const ALIGNMENT: u64 = 256;

/// What the loop needs, made once.
pub struct Frames<'s> {
    stage: &'s Stage,
    queue: Queue,
    /// The stage's list as one that builds.
    list: *mut c_void,
    meshes: [Build; MESHES],
    /// Compacted sizes, where the GPU puts them and where the CPU reads them.
    sizes: (*mut c_void, u64),
    read: (*mut c_void, *mut u64),
    /// Where the compacted ones go, frames taking turns, and how many bytes there are.
    pools: [u64; 2],
    room: u64,
    /// The instances of the build and those of the update.
    instances: [(*mut D3D12_RAYTRACING_INSTANCE_DESC, u64); 2],
    top: Build,
    build: usize,
    copy: usize,
    copy_bytes: usize,
}

impl<'s> Frames<'s> {
    /// Makes everything.
    ///
    /// # Errors
    /// The device builds no acceleration structures, or a call failed.
    ///
    /// # Safety
    /// A stage of the System V convention (win64 on Windows), and its device.
    pub unsafe fn new(stage: &'s Stage, make: &Maker<{ cfg!(windows) }>) -> Result<Self> {
        // SAFETY: the stage's own device; so below.
        let builder = unsafe { Builder::new(make)? }.context("the device builds no acceleration structures")?;
        let corners = TRIANGLES as usize * 3;
        // SAFETY: as many corners are mapped as are written.
        let (_, vertices, address) = unsafe { builder.mapped::<[f32; 3]>(2, corners * MESHES)? };
        for corner in 0..corners * MESHES {
            let (triangle, side) = ((corner / 3) as f32, corner % 3);
            let at =
                [triangle.sin() + (side == 1) as u8 as f32, triangle.cos() + (side == 2) as u8 as f32, 0.1 * triangle];
            // SAFETY: so many corners are mapped.
            unsafe { vertices.add(corner).write(at) };
        }
        let mut meshes = [Build::default(); MESHES];
        let mut room = 0;
        for (number, mesh) in meshes.iter_mut().enumerate() {
            let at = address + (number * corners * size_of::<[f32; 3]>()) as u64;
            let mut inputs = bottom(triangles(at, TRIANGLES));
            inputs.Flags = Flags::ALLOW_COMPACTION;
            // SAFETY: a geometry of mapped corners.
            unsafe {
                *mesh = builder.plan(inputs)?;
                room += builder.sizes(&inputs).ResultDataMaxSizeInBytes.next_multiple_of(ALIGNMENT);
            }
        }
        // SAFETY: objects of one device.
        unsafe {
            let pools = [builder.buffer(room, true)?.1, builder.buffer(room, true)?.1];
            let sizes = builder.buffer((MESHES * size_of::<u64>()) as u64, false)?;
            let (read, bytes, _) = builder.mapped::<u64>(3, MESHES)?;
            let instances = || builder.mapped::<D3D12_RAYTRACING_INSTANCE_DESC>(2, INSTANCES as usize);
            let instances = [instances()?, instances()?].map(|(_, bytes, address)| (bytes, address));
            let mut inputs = top(instances[0].1, INSTANCES);
            inputs.Flags = Flags::ALLOW_UPDATE;
            let list = make.query(stage.list, "ID3D12GraphicsCommandList4")?.context("lists have no version 4")?;
            let of_lists = |name| slot("ID3D12GraphicsCommandList4", name);
            Ok(Self {
                stage,
                queue: Queue::new(stage, make)?,
                list,
                meshes,
                sizes,
                read: (read, bytes),
                pools,
                room,
                instances,
                top: builder.plan(inputs)?,
                build: of_lists("BuildRaytracingAccelerationStructure")?,
                copy: of_lists("CopyRaytracingAccelerationStructure")?,
                copy_bytes: slot("ID3D12GraphicsCommandList", "CopyBufferRegion")?,
            })
        }
    }

    /// Runs one frame.
    ///
    /// # Errors
    /// A call failed, or a compacted size cannot be.
    ///
    /// # Safety
    /// Frames run one after another, on the thread that made them.
    pub unsafe fn run(&self, frame: u32) -> Result<()> {
        use D3D12_RESOURCE_STATES as State;
        self.begin()?;
        for (number, mesh) in self.meshes.iter().enumerate() {
            let answer = self.sizes.1 + (number * size_of::<u64>()) as u64;
            let compacted = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE::COMPACTED_SIZE;
            self.build(mesh, &[Question { DestBuffer: answer, InfoType: compacted }]);
        }
        let bytes = (MESHES * size_of::<u64>()) as u64;
        self.change(State::UNORDERED_ACCESS, State::COPY_SOURCE);
        // SAFETY: two buffers of so many bytes, in these states.
        unsafe {
            call!(WIN64, self.list, self.copy_bytes, (*mut c_void, u64, *mut c_void, u64, u64) -> (),
                (self.read.0, 0, self.sizes.0, 0, bytes));
        }
        self.change(State::COPY_SOURCE, State::UNORDERED_ACCESS);
        self.end()?;
        // SAFETY: the GPU has written so many sizes; nobody writes them now.
        let sizes: [u64; MESHES] = core::array::from_fn(|number| unsafe { self.read.1.add(number).read_volatile() });

        let mut places = [0; MESHES];
        let mut next = 0;
        for (place, size) in places.iter_mut().zip(sizes) {
            ensure!(size != 0 && size <= self.room - next, "a structure of {size} bytes does not fit");
            *place = self.pools[frame as usize % 2] + next;
            next += size.next_multiple_of(ALIGNMENT);
        }
        for (part, (instances, _)) in self.instances.iter().enumerate() {
            for i in 0..INSTANCES {
                let height = (frame * 2 + part as u32) as f32 * 0.01;
                // SAFETY: so many instances are mapped; the GPU is done with them.
                unsafe { instances.add(i as usize).write(instance(i, places[i as usize % MESHES], height)) };
            }
        }
        self.begin()?;
        for (mesh, place) in self.meshes.iter().zip(places) {
            let compact = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE::COMPACT;
            // SAFETY: the structure is there, and its compacted size is free at the place.
            unsafe {
                call!(WIN64, self.list, self.copy, (u64, u64, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE) -> (),
                    (place, mesh.DestAccelerationStructureData, compact));
            }
        }
        self.wait_for_writes();
        self.build(&self.top, &[]);
        self.wait_for_writes();
        let mut update = self.top;
        update.SourceAccelerationStructureData = update.DestAccelerationStructureData;
        update.Inputs.Flags = Flags(Flags::ALLOW_UPDATE.0 | Flags::PERFORM_UPDATE.0);
        update.Inputs.Anonymous.InstanceDescs = self.instances[1].1;
        self.build(&update, &[]);
        self.end()
    }

    fn begin(&self) -> Result<()> {
        let slots = &self.stage.slots;
        // SAFETY: the list is closed, and the GPU is done with it.
        unsafe {
            let code = call!(WIN64, self.stage.allocator, slots.allocator_reset, () -> i32, ());
            check("Reset of an allocator", code)?;
            let code = call!(WIN64, self.stage.list, slots.reset, (*mut c_void, *mut c_void) -> i32,
                (self.stage.allocator, core::ptr::null_mut()));
            check("Reset of a list", code)
        }
    }

    /// Closes the list, runs it, and waits for it.
    fn end(&self) -> Result<()> {
        // SAFETY: the list is open.
        check("Close", unsafe { call!(WIN64, self.stage.list, self.stage.slots.close, () -> i32, ()) })?;
        self.queue.run(self.stage.list);
        Ok(())
    }

    fn build(&self, build: &Build, questions: &[Question]) {
        // SAFETY: the list is open; buffers of this device are as large as it said.
        unsafe {
            call!(WIN64, self.list, self.build, (*const Build, u32, *const Question) -> (),
                (build, questions.len() as u32, questions.as_ptr()));
        }
    }

    /// A barrier for all memory that is written.
    fn wait_for_writes(&self) {
        self.barrier(&D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::UAV, ..Default::default() });
    }

    /// The buffer of sizes changes its state.
    fn change(&self, from: D3D12_RESOURCE_STATES, to: D3D12_RESOURCE_STATES) {
        let mut barrier =
            D3D12_RESOURCE_BARRIER { Type: D3D12_RESOURCE_BARRIER_TYPE::TRANSITION, ..Default::default() };
        barrier.Anonymous.Transition = D3D12_RESOURCE_TRANSITION_BARRIER {
            pResource: self.sizes.0.cast(),
            Subresource: u32::MAX,
            StateBefore: from,
            StateAfter: to,
        };
        self.barrier(&barrier);
    }

    fn barrier(&self, barrier: &D3D12_RESOURCE_BARRIER) {
        // SAFETY: the list is open; the barrier is valid.
        unsafe {
            call!(WIN64, self.list, self.stage.slots.barrier, (u32, *const D3D12_RESOURCE_BARRIER) -> (), (1, barrier));
        }
    }
}

/// The convention of the libraries.
const WIN64: bool = cfg!(windows);
