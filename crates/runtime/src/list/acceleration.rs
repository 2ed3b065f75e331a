//! Builds of acceleration structures, copies of them, and what is told about those that are built.

use core::ffi::c_void;

use ash::vk;
use reprise_com::Slots;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_COPY_MODE as Mode,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_DESC as Question,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO_TYPE as Info,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes,
};
use reprise_gpu::encoder;
use reprise_gpu::memory::Structure;
use reprise_gpu::query::Pool;

use crate::acceleration::{Inputs, told};
use crate::environment::settings;
use crate::list::array::array;
use crate::list::recording::Recording;
use crate::{Error, Result};

/// Methods about acceleration structures.
pub(super) const LIST_METHODS: &Slots = &[
    ("BuildRaytracingAccelerationStructure", build as *const c_void),
    ("EmitRaytracingAccelerationStructurePostbuildInfo", emit as *const c_void),
    ("CopyRaytracingAccelerationStructure", copy as *const c_void),
];

const ABSENT: Error = Error::Unsupported("acceleration structures on this device");

const NOWHERE: Error =
    Error::Call("an acceleration structure at an address without a resource, or between multiples of 256");

/// Fails where no structure can lie.
fn check(device: &reprise_gpu::Device, address: u64) -> Result<()> {
    match address.is_multiple_of(256) && device.memory.addresses().find(address).is_some() {
        true => Ok(()),
        false => Err(NOWHERE),
    }
}

/// Fails where a build reads what lies nowhere: the GPU would stop.
fn check_inputs(device: &reprise_gpu::Device, inputs: &Inputs) -> Result<()> {
    for (geometry, count) in inputs.geometries.iter().zip(&inputs.counts).filter(|(_, count)| **count != 0) {
        let [places, others @ ..] = encoder::inputs(geometry, *count);
        let named = others.iter().filter(|range| !range.is_empty());
        if [&places].into_iter().chain(named).any(|range| device.memory.addresses().find(range.start).is_none()) {
            return Err(Error::Call("a build of an acceleration structure from an address without a resource"));
        }
    }
    Ok(())
}

/// A structure that is copied or asked about.
fn source(device: &reprise_gpu::Device, address: u64) -> Result<Structure> {
    check(device, address)?;
    let structure = device.memory.structure(address)?;
    if structure.size.is_none() && device.caps.sizes_structures_by_objects() {
        return Err(Error::Unsupported(
            "copies and sizes of acceleration structures from serialised ones on this device",
        ));
    }
    Ok(structure)
}

impl Recording {
    /// # Safety
    /// The description's pointers lead to as many geometries as it says.
    unsafe fn build(&mut self, desc: &Build, questions: &[Question]) -> Result<()> {
        self.computes()?;
        let device = self.encoder.device.clone();
        device.ext.acceleration.as_ref().ok_or(ABSENT)?;
        // SAFETY: the caller promises the same of the description.
        unsafe { self.inputs.read(&device, &desc.Inputs)? };
        let at = desc.DestAccelerationStructureData;
        if self.inputs.micromaps.is_some() {
            return self.build_micromaps(desc, questions);
        }
        check(&device, at)?;
        check_inputs(&device, &self.inputs)?;
        self.inputs.find_micromaps(&device)?;
        let inputs = &self.inputs;
        let sizes = inputs.sizes(&device);
        let bytes = sizes.ResultDataMaxSizeInBytes;
        // Elsewhere objects go on to the end of their buffers, and nobody asks for sizes.
        let to = match device.caps.sizes_structures_by_objects() {
            true => device.memory.structure_of(at, bytes)?,
            false => device.memory.structure(at)?,
        };
        if device.caps.has_micromaps() {
            device.memory.micromaps().leave(at);
        }
        let (from, source, room) = match inputs.updates {
            true => {
                let source = desc.SourceAccelerationStructureData;
                check(&device, source)?;
                let from = device.memory.structure(source)?.vk;
                (from, source..source.saturating_add(bytes), sizes.UpdateScratchDataSizeInBytes)
            }
            false => (vk::AccelerationStructureKHR::null(), 0..0, sizes.ScratchDataSizeInBytes),
        };
        let scratch = desc.ScratchAccelerationStructureData;
        if room != 0 && device.memory.addresses().find(scratch).is_none() {
            return Err(Error::Call("a build with scratch memory at an address without a resource"));
        }
        let build = encoder::Build {
            level: inputs.level,
            flags: inputs.flags,
            from,
            to: to.vk,
            source,
            result: at..at.saturating_add(bytes),
            scratch: scratch..scratch.saturating_add(room),
        };
        self.encoder.build(build, &inputs.geometries, &inputs.linkages, &inputs.counts);
        if settings().inflate.is_some() {
            let update = self.inputs.updates;
            let told = told(sizes);
            let scratch = |of: &Sizes| if update { of.UpdateScratchDataSizeInBytes } else { of.ScratchDataSizeInBytes };
            let rest = sizes.ResultDataMaxSizeInBytes..told.ResultDataMaxSizeInBytes;
            self.encoder.spoil_behind_builds(at, rest);
            let rest = scratch(&sizes)..scratch(&told);
            self.encoder.spoil_behind_builds(desc.ScratchAccelerationStructureData, rest);
        }
        questions.iter().try_for_each(|question| self.emit(question, &[desc.DestAccelerationStructureData]))
    }

    /// Writes what is asked about structures, one answer after the other.
    pub(super) fn emit(&mut self, question: &Question, structures: &[u64]) -> Result<()> {
        self.computes()?;
        let device = self.encoder.device.clone();
        if device.caps.has_micromaps() && structures.iter().any(|at| device.memory.micromaps().find(*at).is_some()) {
            return self.emit_each(question, structures);
        }
        let ext = device.ext.acceleration.as_ref().ok_or(ABSENT)?;
        let maintained = device.caps.features.ray_maintenance.ray_tracing_maintenance1 != 0;
        // The words of an answer, 64 bits each.
        let words: &[vk::QueryType] = match question.InfoType {
            Info::COMPACTED_SIZE => &[vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR],
            Info::CURRENT_SIZE if maintained => &[vk::QueryType::ACCELERATION_STRUCTURE_SIZE_KHR],
            Info::SERIALIZATION if maintained => &[
                vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR,
                vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR,
            ],
            Info::CURRENT_SIZE => {
                return Err(Error::Unsupported("current sizes of acceleration structures on this device"));
            }
            Info::SERIALIZATION => {
                return Err(Error::Unsupported("serialised acceleration structures on this device"));
            }
            _ => return Err(Error::Unsupported("acceleration structures in the form for tools")),
        };
        let handles = structures.iter().map(|address| Ok(source(&device, *address)?.vk));
        let handles = handles.collect::<Result<Vec<_>>>()?;
        let count = structures.len() as u32;
        let stride = size_of_val(&[0u64; 2][..words.len()]) as u64;
        let place = self.encoder.addresses.find(question.DestBuffer);
        let place = place.filter(|place| place.offset.is_multiple_of(8) && place.left >= stride * u64::from(count));
        let place = place
            .ok_or(Error::Call("post-build information for an address without a resource, or less than it needs"))?;
        if count == 0 {
            return Ok(());
        }
        self.encoder.begin_builds();
        for (kind, word) in words.iter().zip(0u64..) {
            // After the build, and after an answer before: the places of answers with several words overlap.
            self.encoder.builds_wait();
            let pool = Pool::new(&device.logical, *kind, count)?;
            let (vk, buffer) = (&device.vk, self.encoder.buffer);
            // SAFETY: a new pool with as many queries, kept until the GPU is done; the place has room for the answers.
            unsafe {
                vk.cmd_reset_query_pool(buffer, pool.vk, 0, count);
                ext.cmd_write_acceleration_structures_properties(buffer, &handles, *kind, pool.vk, 0);
                let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
                let offset = place.offset + 8 * word;
                vk.cmd_copy_query_pool_results(buffer, pool.vk, 0, count, place.buffer, offset, stride, flags);
            }
            self.counting.kept.push(pool);
        }
        let to = question.DestBuffer..question.DestBuffer + stride * u64::from(count);
        self.encoder.has_answered(structures, to);
        Ok(())
    }

    fn copy_structure(&mut self, to: u64, from: u64, mode: Mode) -> Result<()> {
        self.computes()?;
        let device = self.encoder.device.clone();
        if device.caps.has_micromaps() && self.copy_micromaps(&device, to, from, mode)? {
            return Ok(());
        }
        let ext = device.ext.acceleration.as_ref().ok_or(ABSENT)?;
        let (buffer, places) = (self.encoder.buffer, (to, from));
        if [to, from].iter().any(|at| device.memory.addresses().find(*at).is_none()) {
            return Err(NOWHERE);
        }
        match mode {
            Mode::CLONE | Mode::COMPACT => {
                let mode = match mode {
                    Mode::CLONE => vk::CopyAccelerationStructureModeKHR::CLONE,
                    _ => vk::CopyAccelerationStructureModeKHR::COMPACT,
                };
                let from = source(&device, from)?;
                let to = match from.size {
                    Some(size) => device.memory.structure_of(to, size)?,
                    None => device.memory.structure(to)?,
                };
                let info = vk::CopyAccelerationStructureInfoKHR::default().src(from.vk).dst(to.vk).mode(mode);
                self.encoder.begin_structure_copy(places.0, places.1);
                // SAFETY: structures in living buffers.
                unsafe { ext.cmd_copy_acceleration_structure(buffer, &info) };
            }
            Mode::SERIALIZE => {
                let info = vk::CopyAccelerationStructureToMemoryInfoKHR::default()
                    .src(source(&device, from)?.vk)
                    .dst(vk::DeviceOrHostAddressKHR { device_address: to })
                    .mode(vk::CopyAccelerationStructureModeKHR::SERIALIZE);
                self.encoder.begin_structure_copy(places.0, places.1);
                // SAFETY: the source is a structure of a buffer that lives, and `to` an address in a buffer that the program keeps until
                // the GPU is done, with the room that the size it was told for this asks for.
                unsafe { ext.cmd_copy_acceleration_structure_to_memory(buffer, &info) };
            }
            Mode::DESERIALIZE => {
                let info = vk::CopyMemoryToAccelerationStructureInfoKHR::default()
                    .src(vk::DeviceOrHostAddressConstKHR { device_address: from })
                    .dst(device.memory.structure(to)?.vk)
                    .mode(vk::CopyAccelerationStructureModeKHR::DESERIALIZE);
                self.encoder.begin_structure_copy(places.0, places.1);
                // SAFETY: the target is a structure of a buffer that lives, and `from` an address in a buffer that the program keeps until
                // the GPU is done, with what a serialisation left there.
                unsafe { ext.cmd_copy_memory_to_acceleration_structure(buffer, &info) };
            }
            _ => return Err(Error::Unsupported("acceleration structures in the form for tools")),
        }
        Ok(())
    }
}

unsafe extern "C" fn build(this: *mut c_void, desc: *const Build, count: u32, questions: *const Question) {
    // SAFETY: a list of ours, the program's description and array.
    unsafe {
        Recording::outside_pass(this, |recording| {
            let desc = desc.as_ref().ok_or(Error::Call("a build without a description"))?;
            recording.build(desc, array(questions, count))
        });
    }
}

unsafe extern "C" fn emit(this: *mut c_void, question: *const Question, count: u32, structures: *const u64) {
    // SAFETY: a list of ours, the program's description and array.
    unsafe {
        Recording::outside_pass(this, |recording| {
            let question = question.as_ref().ok_or(Error::Call("post-build information without a description"))?;
            recording.emit(question, array(structures, count))
        });
    }
}

unsafe extern "C" fn copy(this: *mut c_void, to: u64, from: u64, mode: Mode) {
    // SAFETY: a list of ours.
    unsafe { Recording::outside_pass(this, |recording| recording.copy_structure(to, from, mode)) };
}
