//! Acceleration structures, built again from what their builds read.
//!
//! Each is built at its own address, in the order in which all were made, so bottom levels are there before the instances that name them.
//! Inputs lie in a buffer of trimming's own, at addresses that no buffer of the trace has. Invariant: an instance names a structure that was
//! built before it, or none.

use super::{Restorer, S_OK, map, release, unmap};
use crate::Inputs;
use crate::error::Error;
use crate::inputs::{BUILD, Described, INSTANCE, INSTANCE_STRUCTURE};
use crate::output::Output;
use crate::structures::{Build, COPY, Spot, Step, Structure};
use reprise_d3d12::types::*;
use reprise_d3d12::{description, method};
use reprise_trace::fact;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Room for inputs, in bytes, more where one build reads more.
const ROOM: u64 = 8 << 20;
/// What addresses of structures, and of inputs here, are multiples of.
const ALIGNMENT: u64 = 256;
/// What addresses of buffers are multiples of.
const BUFFER: u64 = 64 << 10;

/// What builds read, by their calls.
pub(crate) type AllTaken = HashMap<u64, Taken>;

/// Building under way.
#[derive(Default)]
pub(super) struct Rebuilding {
    taken: Rc<AllTaken>,
    /// Only what lies in buffers from before this call is built.
    before: Option<u64>,
    done: bool,
    /// Addresses where structures were built.
    built: HashSet<u64>,
    memory: Option<Memory>,
}

/// What a build read.
#[derive(Clone)]
pub(crate) struct Taken {
    sizes: D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO,
    pub(crate) bytes: Vec<Vec<u8>>,
}

/// Buffers of trimming's own: for inputs, for builds, and for structures that are copied.
#[derive(Clone, Copy)]
struct Memory {
    inputs: Buffer,
    used: u64,
    scratch: Buffer,
    whole: Option<Buffer>,
}

#[derive(Clone, Copy)]
pub(super) struct Buffer {
    pub(super) id: u32,
    pub(super) address: u64,
    pub(super) bytes: u64,
}

impl Taken {
    pub(crate) fn of(inputs: &Inputs<'_>) -> Taken {
        Taken { sizes: inputs.sizes, bytes: inputs.bytes.to_vec() }
    }

    fn room(&self) -> u64 {
        self.bytes.iter().map(|bytes| (bytes.len() as u64).next_multiple_of(ALIGNMENT)).sum()
    }
}

impl Restorer<'_> {
    /// Remembers what a build read.
    pub(crate) fn inputs(&mut self, inputs: &Inputs<'_>) {
        Rc::make_mut(&mut self.rebuilding.taken).insert(inputs.call, Taken::of(inputs));
    }

    /// What builds read is known already.
    pub(crate) fn with_inputs(mut self, taken: &Rc<AllTaken>) -> Self {
        self.rebuilding.taken = taken.clone();
        self
    }

    /// Builds the structures of buffers that are there before a call, and serialises what the part reads, so that lists can be recorded that
    /// name them. What they are built from is there, and what their instances name may not be: all are built again where the part begins.
    /// The result is the next free id.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(crate) fn rebuild_before(mut self, output: &mut Output<'_>, call: u64) -> Result<u32, Error> {
        self.rebuilding.before = Some(call);
        self.rebuild(output)?;
        self.serialise(output)?;
        self.end(output)?;
        Ok(self.next)
    }

    /// Builds all structures, once.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(super) fn rebuild(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        let plan = self.plan;
        if self.rebuilding.done || plan.structures.is_empty() && plan.serialised.is_empty() {
            return Ok(());
        }
        self.rebuilding.done = true;
        self.begin(output)?;
        self.make_memory(output)?;
        for (at, made) in &plan.structures {
            let Some(address) = self.address(*at) else { continue };
            self.make(output, made, address)?;
            self.rebuilding.built.insert(address);
        }
        Ok(())
    }

    /// Serialises structures to where the part reads them.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(super) fn serialise(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        for (at, made) in &self.plan.serialised {
            let (Some(address), Some(from)) = (self.address(*at), self.whole()) else { continue };
            self.make(output, made, from)?;
            let mode = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE::SERIALIZE;
            self.record(output, COPY, &[address, from, mode.0 as u64])?;
            self.barrier_of_all(output)?;
        }
        Ok(())
    }

    /// Lets the buffers go; nothing runs any more.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(super) fn drop_memory(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        let Some(Memory { inputs, scratch, whole, .. }) = self.rebuilding.memory.take() else { return Ok(()) };
        unmap(output, inputs.id)?;
        whole.into_iter().chain([scratch, inputs]).try_for_each(|buffer| release(output, buffer.id))
    }

    /// What was recorded has run.
    pub(super) fn free_inputs(&mut self) {
        if let Some(memory) = &mut self.rebuilding.memory {
            memory.used = 0;
        }
    }

    fn address(&self, (buffer, offset): Spot) -> Option<u64> {
        let (start, made) = *self.plan.addresses.get(&buffer)?;
        self.rebuilding.before.is_none_or(|call| made < call).then_some(start + offset)
    }

    /// Whether only some structures are built, before the part begins.
    pub(super) fn is_early(&self) -> bool {
        self.rebuilding.before.is_some()
    }

    fn whole(&self) -> Option<u64> {
        self.rebuilding.memory.and_then(|memory| memory.whole).map(|buffer| buffer.address)
    }

    fn make_memory(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        let taken = self.rebuilding.taken.values();
        let most =
            |size: &dyn Fn(&Taken) -> u64| taken.clone().map(size).max().unwrap_or(0).next_multiple_of(ALIGNMENT);
        let inputs = most(&Taken::room).max(ROOM);
        let scratch = most(&|it| it.sizes.ScratchDataSizeInBytes.max(it.sizes.UpdateScratchDataSizeInBytes));
        let whole = most(&|it| it.sizes.ResultDataMaxSizeInBytes);
        let is_compact = |made: &Structure| made.steps.iter().flatten().any(|step| matches!(step, Step::Compact));
        let is_copied =
            !self.plan.serialised.is_empty() || self.plan.structures.iter().any(|(_, made)| is_compact(made));
        use D3D12_RESOURCE_STATES as S;
        let upload = D3D12_HEAP_TYPE::UPLOAD;
        let inputs = self.make_buffer(output, upload, inputs, S::GENERIC_READ)?;
        map(output, inputs.id, 0, 0)?;
        let default = D3D12_HEAP_TYPE::DEFAULT;
        let scratch = self.make_buffer(output, default, scratch.max(ALIGNMENT), S::UNORDERED_ACCESS)?;
        let state = S::RAYTRACING_ACCELERATION_STRUCTURE;
        let whole = if is_copied { Some(self.make_buffer(output, default, whole, state)?) } else { None };
        self.rebuilding.memory = Some(Memory { inputs, used: 0, scratch, whole });
        Ok(())
    }

    pub(super) fn make_buffer(
        &mut self,
        output: &mut Output<'_>,
        heap: D3D12_HEAP_TYPE,
        bytes: u64,
        state: D3D12_RESOURCE_STATES,
    ) -> Result<Buffer, Error> {
        let writes = heap == D3D12_HEAP_TYPE::DEFAULT;
        let flags = if writes { D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS } else { D3D12_RESOURCE_FLAGS::default() };
        let desc = description::buffer(bytes, flags);
        let first = self.free.max(BUFFER).checked_next_multiple_of(BUFFER);
        let place = first.and_then(|first| Some((first, first.checked_add(bytes)?)));
        let Some((address, end)) = place else {
            return Err(Error::Trace("its buffers leave no address free".into()));
        };
        self.free = end;
        let id = self.committed(output, heap, &desc, state)?;
        output.fact(id, fact::ADDRESS_RANGE, &[address.to_le_bytes(), bytes.to_le_bytes()].concat())?;
        Ok(Buffer { id, address, bytes })
    }

    /// Makes a structure at an address, step by step.
    fn make(&mut self, output: &mut Output<'_>, made: &Structure, address: u64) -> Result<(), Error> {
        let Ok(steps) = &made.steps else { return Ok(()) };
        let compact = steps.iter().position(|step| matches!(step, Step::Compact));
        for (place, step) in steps.iter().enumerate() {
            let before = compact.is_some_and(|compact| place <= compact);
            let at = match self.whole().filter(|_| before) {
                // What is serialised is made there itself.
                Some(whole) if whole != address => whole,
                _ => address,
            };
            match step {
                Step::Build(build, _) => self.build(output, build, at)?,
                Step::Compact if at == address => continue,
                Step::Compact => {
                    let mode = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE::COMPACT;
                    self.record(output, COPY, &[address, at, mode.0 as u64])?;
                }
            }
            self.barrier_of_all(output)?;
        }
        Ok(())
    }

    /// Builds, or changes what is there.
    fn build(&mut self, output: &mut Output<'_>, build: &Build, at: u64) -> Result<(), Error> {
        let all = self.rebuilding.taken.clone();
        all.get(&build.call).map_or(Ok(()), |taken| self.build_from(output, build, taken, at))
    }

    fn build_from(&mut self, output: &mut Output<'_>, build: &Build, taken: &Taken, at: u64) -> Result<(), Error> {
        let mut described = Described::of(&build.enter).map_err(Error::Trace)?;
        let room = taken.room();
        if self.rebuilding.memory.is_some_and(|memory| memory.used + room > memory.inputs.bytes) {
            self.run(output, true)?;
        }
        let Some(memory) = &mut self.rebuilding.memory else { return Ok(()) };
        let (first, inputs, scratch) = (memory.used, memory.inputs, memory.scratch.address);
        memory.used += room;
        let mut places: HashMap<u64, u64> = HashMap::new();
        let mut next = first;
        let mut put = |output: &mut Output<'_>, bytes: &[u8]| {
            let place = next;
            next += (bytes.len() as u64).next_multiple_of(ALIGNMENT);
            output.memory(inputs.id, place, bytes).map(|()| inputs.address + place)
        };
        if described.is_top() {
            let mut instances = match build.by_pointers.is_some() {
                true => taken.bytes.get(1..).unwrap_or_default().concat(),
                false => taken.bytes.concat(),
            };
            for instance in instances.chunks_exact_mut(INSTANCE as usize) {
                let named = &mut instance[INSTANCE_STRUCTURE..];
                let is_there = named
                    .first_chunk()
                    .is_some_and(|address| self.rebuilding.built.contains(&u64::from_le_bytes(*address)));
                if !is_there {
                    named.fill(0);
                }
            }
            let place = put(output, &instances)?;
            places.extend(build.reads.first().map(|read| (read.address, place)));
        } else {
            for (read, bytes) in build.reads.iter().zip(&taken.bytes) {
                places.insert(read.address, put(output, bytes)?);
            }
        }
        // An address from which the build reads nothing may be any.
        described.each(|address, _| *address = places.get(address).copied().unwrap_or(inputs.address));
        let desc = described.desc();
        desc.DestAccelerationStructureData = at;
        desc.ScratchAccelerationStructureData = scratch;
        let update = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_BUILD_FLAGS::PERFORM_UPDATE.0;
        let updates = build.updates && !build.is_top;
        desc.SourceAccelerationStructureData = if updates { at } else { 0 };
        if !updates {
            desc.Inputs.Flags.0 &= !update;
        }
        if build.by_pointers.is_some() {
            desc.Inputs.DescsLayout = D3D12_ELEMENTS_LAYOUT::ARRAY;
        }
        // A program asks for the sizes; a device that wants others sees from them that it does.
        let ask = method("ID3D12Device5", "GetRaytracingAccelerationStructurePrebuildInfo");
        let sizes = taken.sizes;
        let words = [(&raw const desc.Inputs) as u64, (&raw const sizes) as u64];
        // SAFETY: the words are arguments of the method; inputs and answer live until the call is written.
        unsafe { output.call(self.plan.device, ask, &words, S_OK)? };
        self.record(output, BUILD, &[(&raw const *desc) as u64, 0, 0])
    }

    /// What follows waits for what was built.
    fn barrier_of_all(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        let uav = D3D12_RESOURCE_UAV_BARRIER { pResource: std::ptr::null_mut() };
        let barrier = D3D12_RESOURCE_BARRIER {
            Type: D3D12_RESOURCE_BARRIER_TYPE::UAV,
            Anonymous: D3D12_RESOURCE_BARRIER_2 { UAV: uav },
            ..Default::default()
        };
        self.barriers(output, &[barrier])
    }
}
