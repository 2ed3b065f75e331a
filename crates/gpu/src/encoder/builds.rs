//! Builds of acceleration structures. They wait for the next command that has to come after them, so that Vulkan gets many in one
//! call: drivers make those side by side.
//!
//! The API wants barriers between builds and what uses them. Programs leave them out, and drivers of the API put builds in order all
//! the same. So a command that may read what is built, and a build that depends on another or uses the same memory, waits by a
//! barrier of its own wherever the program has asked for none since. Invariant: builds of one call of Vulkan are of one level, and no two
//! touch a byte that one of them writes.

use core::ops::Range;

use ash::vk;

use crate::encoder::micromaps::{Linkage, chain};
use crate::encoder::spans::Spans;
use crate::encoder::{Dirty, Encoder};
use crate::scope::{Gathered, Scope};

/// A build without its geometries.
#[derive(Clone, Debug)]
pub struct Build {
    /// Level of the structure.
    pub level: vk::AccelerationStructureTypeKHR,
    /// Flags.
    pub flags: vk::BuildAccelerationStructureFlagsKHR,
    /// The structure that is updated; null for one that is built anew.
    pub from: vk::AccelerationStructureKHR,
    /// The structure that is built.
    pub to: vk::AccelerationStructureKHR,
    /// Addresses of the structure that is updated; empty for one that is built anew.
    pub source: Range<u64>,
    /// Addresses of the structure that is built.
    pub result: Range<u64>,
    /// Addresses of the memory that the build uses for a while.
    pub scratch: Range<u64>,
}

/// Builds of a command buffer.
#[derive(Debug, Default)]
pub(super) struct Builds {
    /// The command buffer has builds. From the first one on, every barrier is for builds, too: the API has no states of their own
    /// for what they read and write.
    pub(super) begun: bool,
    /// The command buffer has builds or copies of opacity micromaps: the scope of builds knows nothing of their stage and accesses,
    /// which are there with their extension only. From the first one on, every barrier is for everything.
    pub(super) micromaps: bool,
    /// Those that wait, each with its number of geometries.
    waiting: Vec<(Build, usize)>,
    geometries: Vec<vk::AccelerationStructureGeometryKHR<'static>>,
    /// Micromaps of some of the geometries.
    linkages: Vec<Linkage>,
    ranges: Vec<vk::AccelerationStructureBuildRangeInfoKHR>,
    /// Bytes of buffers that are overwritten behind the builds that wait: buffer, offset, count.
    spoils: Vec<(vk::Buffer, u64, u64)>,
    since: Since,
    /// The commands that have not seen what was built, copied or answered: the program has asked for no barrier between.
    unseen: Dirty,
    /// The commands that may have read structures since the last barrier for them.
    used: Dirty,
}

/// What builds and copies of structures have done since the last barrier, whether they wait or were recorded.
#[derive(Debug, Default)]
struct Since {
    /// There were any.
    any: bool,
    /// The level of what was built; `None` without a build.
    level: Option<vk::AccelerationStructureTypeKHR>,
    /// A structure was copied, of whatever level.
    copied: bool,
    /// There was something that is not among the ranges.
    unknown: bool,
    writes: Spans,
    reads: Spans,
}

impl Since {
    /// Whether something that reads and writes these has to wait for what there was.
    fn holds_up(
        &self,
        mut reads: impl Iterator<Item = Range<u64>>,
        mut writes: impl Iterator<Item = Range<u64>>,
    ) -> bool {
        self.unknown
            || reads.any(|range| self.writes.meets(&range))
            || writes.any(|range| self.writes.meets(&range) || self.reads.meets(&range))
    }

    fn add(&mut self, reads: impl Iterator<Item = Range<u64>>, writes: impl Iterator<Item = Range<u64>>) {
        self.any = true;
        reads.for_each(|range| self.reads.add(range));
        writes.for_each(|range| self.writes.add(range));
    }

    fn clear(&mut self) {
        (self.any, self.level, self.copied, self.unknown) = (false, None, false, false);
        self.writes.clear();
        self.reads.clear();
    }
}

/// Which commands that may read structures have all of their stages among these.
fn commands(stages: vk::PipelineStageFlags2) -> Dirty {
    use vk::PipelineStageFlags2 as Stages;
    let part = |wanted: Stages, those: Dirty| match stages.contains(Stages::ALL_COMMANDS) || stages.contains(wanted) {
        true => those,
        false => Dirty::NONE,
    };
    let drawn = part(Stages::PRE_RASTERIZATION_SHADERS | Stages::FRAGMENT_SHADER, Dirty::DRAWN_BUILDS);
    drawn.or(part(Stages::COMPUTE_SHADER, Dirty::DISPATCHED_BUILDS))
}

/// The addresses that a build reads of a geometry: vertices, boxes or instances; indices; a transform.
pub fn inputs(geometry: &vk::AccelerationStructureGeometryKHR<'_>, count: u32) -> [Range<u64>; 3] {
    let count = u64::from(count);
    let at = |address: u64, bytes: u64| if address == 0 { 0..0 } else { address..address.saturating_add(bytes) };
    // SAFETY: the type says which arm of the union is set, and addresses are of the device.
    unsafe {
        match geometry.geometry_type {
            vk::GeometryTypeKHR::INSTANCES => {
                let it = geometry.geometry.instances;
                let each = if it.array_of_pointers != 0 { size_of::<u64>() } else { INSTANCE };
                [at(it.data.device_address, count * each as u64), 0..0, 0..0]
            }
            vk::GeometryTypeKHR::AABBS => {
                let it = geometry.geometry.aabbs;
                [at(it.data.device_address, count * it.stride), 0..0, 0..0]
            }
            _ => {
                let it = geometry.geometry.triangles;
                let index = match it.index_type {
                    vk::IndexType::UINT16 => 2,
                    vk::IndexType::UINT32 => 4,
                    vk::IndexType::UINT8_KHR => 1,
                    _ => 0,
                };
                let vertices = (u64::from(it.max_vertex) + 1) * it.vertex_stride;
                [
                    at(it.vertex_data.device_address, vertices),
                    at(it.index_data.device_address, 3 * count * index),
                    at(it.transform_data.device_address, size_of::<vk::TransformMatrixKHR>() as u64),
                ]
            }
        }
    }
}

/// Bytes of an instance.
const INSTANCE: usize = size_of::<vk::AccelerationStructureInstanceKHR>();

// SAFETY: geometries hold addresses of the GPU; their pointers to other structures are null.
unsafe impl Send for Builds {}
// SAFETY: shared references allow nothing but reading plain numbers.
unsafe impl Sync for Builds {}

/// Builds that wait at most; what they hold stays allocated as long as the encoder.
const MOST: usize = 256;

impl Builds {
    /// Forgets everything, for a new command buffer.
    pub(super) fn clear(&mut self) {
        self.begun = false;
        self.micromaps = false;
        self.waiting.clear();
        self.geometries.clear();
        self.linkages.clear();
        self.ranges.clear();
        self.spoils.clear();
        self.since.clear();
        (self.unseen, self.used) = (Dirty::NONE, Dirty::NONE);
    }

    /// Whether there were builds, copies or answers since the last barrier, which is for copies, too.
    pub(super) fn hold_up_copies(&self) -> bool {
        self.since.any
    }

    /// A barrier stands behind them, for other builds and from the first stages to the last.
    pub(super) fn are_ordered(&mut self, [before, after]: [vk::PipelineStageFlags2; 2]) {
        self.since.clear();
        self.used = self.used.without(commands(before));
        self.unseen = self.unseen.without(commands(after));
    }
}

impl Encoder {
    /// Before a build of an acceleration structure, a copy of one, or a question about one: outside of rendering. The first in a command
    /// buffer waits for everything before it.
    pub fn begin_builds(&mut self) {
        self.outside();
        if !self.builds.begun {
            self.builds.begun = true;
            self.barriers(&Gathered { before: Scope::ALL, after: Scope::BUILDS });
        } else if self.builds.used != Dirty::NONE {
            // What is built next may take the place of what is still read.
            self.barriers(&Gathered { before: Scope::ALL, after: Scope::BUILDS });
        }
        self.transitions();
    }

    /// Builds a structure of these geometries, of each as many triangles, boxes or instances as the counts say, with micromaps of
    /// some. Geometries that chain other structures are not for this.
    pub fn build(
        &mut self,
        build: Build,
        geometries: &[vk::AccelerationStructureGeometryKHR<'static>],
        linkages: &[Linkage],
        counts: &[u32],
    ) {
        self.begin_builds();
        let read = || geometries.iter().zip(counts).flat_map(|(geometry, count)| inputs(geometry, *count));
        let reads = || read().chain([build.source.clone()]);
        let writes = || [build.result.clone(), build.scratch.clone()].into_iter();
        let since = &self.builds.since;
        // Instances name structures that nobody looks for here.
        let other = since.level.is_some_and(|level| level != build.level)
            || since.copied && build.level == vk::AccelerationStructureTypeKHR::TOP_LEVEL;
        if since.any && (other || since.holds_up(reads(), writes())) {
            self.builds_wait();
        }
        self.has_built();
        let builds = &mut self.builds;
        builds.since.add(reads(), writes());
        builds.since.level = Some(build.level);
        let first = builds.geometries.len();
        builds
            .linkages
            .extend(linkages.iter().map(|linkage| Linkage { geometry: first + linkage.geometry, ..*linkage }));
        builds.waiting.push((build, geometries.len()));
        builds.geometries.extend_from_slice(geometries);
        let range = |count: &u32| vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(*count);
        builds.ranges.extend(counts.iter().map(range));
        if builds.waiting.len() == MOST {
            self.flush_builds();
        }
    }

    /// Overwrites a range of bytes behind an address, once all builds that wait are done: for tests, room that a build was told to need and
    /// does not. What else lies there is lost.
    pub fn spoil_behind_builds(&mut self, address: u64, range: core::ops::Range<u64>) {
        let place = self.addresses.find(address.wrapping_add(range.start)).filter(|_| address != 0);
        let bytes = range.end.saturating_sub(range.start);
        if let Some(place) = place.filter(|place| place.left.min(bytes) >= 4) {
            self.builds.spoils.push((place.buffer, place.offset, bytes.min(place.left) & !3));
        }
    }

    /// Before a copy of the structure at an address, or of its serialised form, to another one.
    pub fn begin_structure_copy(&mut self, to: u64, from: u64) {
        self.begin_builds();
        self.flush_builds();
        // Their sizes are not known. No two structures begin at the same address, or within another.
        let [to, from] = [to, from].map(|at| at..at.saturating_add(1));
        let (reads, writes) = (|| [from.clone()].into_iter(), || [to.clone()].into_iter());
        if self.builds.since.holds_up(reads(), writes()) {
            self.builds_wait();
        }
        self.builds.since.add(reads(), writes());
        self.builds.since.copied = true;
        self.has_built();
    }

    /// Before something whose places are not looked at: it waits for all builds, copies and answers, and all later ones wait for it.
    pub(super) fn begin_unknown(&mut self) {
        if self.builds.since.any {
            self.builds_wait();
        }
        (self.builds.since.any, self.builds.since.unknown) = (true, true);
        self.has_built();
    }

    fn has_built(&mut self) {
        self.builds.unseen = Dirty::BUILDS;
        self.dirty.set(Dirty::BUILDS);
    }

    /// Something of builds was recorded that no range says, and that other commands may read: answers about structures.
    pub fn has_answered(&mut self) {
        self.builds.since.any = true;
        self.has_built();
    }

    /// Before the first command of a kind behind a barrier or a build: it may read what was built, copied or answered, and waits, where
    /// the program has no barrier since.
    #[cold]
    pub fn see_builds(&mut self, commands: Dirty) {
        if self.builds.unseen.has(commands) {
            self.barriers(&Gathered { before: Scope::BUILDS, after: Scope::ALL });
        }
        if self.builds.begun {
            self.builds.used.set(commands);
        }
    }

    /// Records the builds that wait, outside of rendering.
    pub fn flush_builds(&mut self) {
        if self.builds.waiting.is_empty() {
            return;
        }
        self.outside();
        // Nothing waits on a device without the extension.
        let Some(ext) = &self.logical.ext.acceleration else { return };
        let builds = &mut self.builds;
        let _chained = chain(&mut builds.geometries, &builds.linkages);
        let (mut infos, mut ranges) = (Vec::new(), Vec::new());
        let mut first = 0;
        for (build, count) in &builds.waiting {
            let updates = build.from != vk::AccelerationStructureKHR::null();
            let mode = match updates {
                true => vk::BuildAccelerationStructureModeKHR::UPDATE,
                false => vk::BuildAccelerationStructureModeKHR::BUILD,
            };
            let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::default()
                .ty(build.level)
                .flags(build.flags)
                .mode(mode)
                .src_acceleration_structure(build.from)
                .dst_acceleration_structure(build.to)
                .geometries(&builds.geometries[first..first + count]);
            info.scratch_data.device_address = build.scratch.start;
            infos.push(info);
            ranges.push(&builds.ranges[first..first + count]);
            first += count;
        }
        // SAFETY: structures in living buffers, one range for each geometry; the addresses are the program's, as the API demands them.
        unsafe { ext.cmd_build_acceleration_structures(self.buffer, &infos, &ranges) };
        let builds = &mut self.builds;
        builds.waiting.clear();
        builds.geometries.clear();
        builds.linkages.clear();
        builds.ranges.clear();
        let spoils = core::mem::take(&mut builds.spoils);
        if spoils.is_empty() {
            return;
        }
        let all = Gathered { before: Scope::ALL, after: Scope::ALL };
        self.barriers(&all);
        for (buffer, offset, bytes) in spoils {
            // SAFETY: the range lies in a living buffer, outside of rendering.
            unsafe { self.logical.vk.cmd_fill_buffer(self.buffer, buffer, offset, bytes, 0xcdcd_cdcd) };
        }
        self.barriers(&all);
    }

    /// Between commands on acceleration structures that have to be in order although the program asks for no barrier.
    pub fn builds_wait(&mut self) {
        self.barriers(&Gathered { before: Scope::BUILDS, after: Scope::BUILDS });
    }

    /// The end of a command buffer: the barriers of the next one in the queue know nothing of this one's builds.
    pub fn end_builds(&mut self) {
        if self.builds.begun {
            self.barriers(&Gathered { before: Scope::BUILDS, after: Scope::ALL });
            (self.builds.begun, self.builds.micromaps) = (false, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: u64) -> vk::DeviceOrHostAddressConstKHR {
        vk::DeviceOrHostAddressConstKHR { device_address: address }
    }

    fn of(
        kind: vk::GeometryTypeKHR,
        geometry: vk::AccelerationStructureGeometryDataKHR<'static>,
    ) -> vk::AccelerationStructureGeometryKHR<'static> {
        vk::AccelerationStructureGeometryKHR::default().geometry_type(kind).geometry(geometry)
    }

    #[test]
    fn builds_read_what_their_geometries_name() {
        let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
            .vertex_data(at(0x1000))
            .vertex_stride(12)
            .max_vertex(9)
            .index_type(vk::IndexType::UINT16)
            .index_data(at(0x2000))
            .transform_data(at(0x3000));
        let found =
            inputs(&of(vk::GeometryTypeKHR::TRIANGLES, vk::AccelerationStructureGeometryDataKHR { triangles }), 5);
        assert_eq!(found, [0x1000..0x1000 + 120, 0x2000..0x2000 + 30, 0x3000..0x3000 + 48]);
        let plain = triangles.index_type(vk::IndexType::NONE_KHR).index_data(at(0)).transform_data(at(0));
        let geometry = vk::AccelerationStructureGeometryDataKHR { triangles: plain };
        assert_eq!(inputs(&of(vk::GeometryTypeKHR::TRIANGLES, geometry), 5)[1..], [0..0, 0..0]);
        let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR::default().data(at(0x4000)).stride(24);
        let found = inputs(&of(vk::GeometryTypeKHR::AABBS, vk::AccelerationStructureGeometryDataKHR { aabbs }), 3);
        assert_eq!(found[0], 0x4000..0x4000 + 72);
        for (pointers, each) in [(false, 64), (true, 8)] {
            let instances = vk::AccelerationStructureGeometryInstancesDataKHR::default()
                .array_of_pointers(pointers)
                .data(at(0x5000));
            let geometry = vk::AccelerationStructureGeometryDataKHR { instances };
            assert_eq!(inputs(&of(vk::GeometryTypeKHR::INSTANCES, geometry), 2)[0], 0x5000..0x5000 + 2 * each);
        }
    }

    /// Builds wait where one writes what the other touches, and nowhere else.
    #[test]
    fn builds_wait_for_bytes_that_one_of_them_writes() {
        let mut since = Since::default();
        type Pair = (u64, u64);
        let list = |ranges: &[Pair]| ranges.iter().map(|(from, to)| *from..*to).collect::<Vec<_>>().into_iter();
        since.add(list(&[(0, 10)]), list(&[(20, 30)]));
        let waits = |since: &Since, reads: &[Pair], writes: &[Pair]| since.holds_up(list(reads), list(writes));
        assert!(!waits(&since, &[(0, 10)], &[(30, 40)]), "both read, and the results touch");
        assert!(waits(&since, &[(29, 31)], &[]), "what was built is read");
        assert!(waits(&since, &[], &[(25, 26)]), "one result or scratch memory");
        assert!(waits(&since, &[], &[(5, 6)]), "what was read is written");
        since.clear();
        assert!(!waits(&since, &[(29, 31)], &[(25, 26)]), "behind a barrier");
        since.unknown = true;
        assert!(waits(&since, &[], &[]), "nobody knows what");
    }

    #[test]
    fn a_barrier_lets_those_commands_see_builds_whose_stages_it_names() {
        use vk::PipelineStageFlags2 as Stages;
        let draws = Stages::PRE_RASTERIZATION_SHADERS | Stages::FRAGMENT_SHADER;
        assert_eq!(commands(Stages::ALL_COMMANDS), Dirty::BUILDS);
        assert_eq!(commands(draws | Stages::COMPUTE_SHADER), Dirty::BUILDS);
        assert_eq!(commands(Stages::COMPUTE_SHADER | Stages::COPY), Dirty::DISPATCHED_BUILDS);
        assert_eq!(commands(draws), Dirty::DRAWN_BUILDS);
        assert_eq!(commands(Stages::FRAGMENT_SHADER), Dirty::NONE, "vertex shaders trace rays, too");
    }
}
