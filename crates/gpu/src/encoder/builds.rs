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

impl Build {
    fn writes(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        [self.result.clone(), self.scratch.clone()].into_iter()
    }
}

/// Where a structure begins. Sizes of copies are not known; no two structures begin at the same address, or within another.
fn start(at: u64) -> impl Iterator<Item = Range<u64>> {
    core::iter::once(at..at.saturating_add(1))
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
    /// Copies may have written what builds read since the last barrier.
    copied: bool,
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

/// Between builds, copies of structures, answers and transfers.
const BETWEEN: Gathered = Gathered { before: Scope::BUILDS, after: Scope::BUILDS };

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
        self.copied = false;
    }

    /// Before a copy by Vulkan's transfer: whether there were builds, copies or answers since the last barrier, which is for copies, too.
    pub(super) fn hold_up_copies(&self) -> bool {
        self.since.any
    }

    /// A copy by Vulkan's transfer is recorded.
    pub(super) fn add_transfer(&mut self) {
        self.copied = self.begun;
    }

    /// The barrier before a build, a copy of a structure or a question. The first in a command buffer waits for everything before it,
    /// others for what may have read what they overwrite or written what they read.
    fn begin(&mut self) -> Option<Gathered> {
        if !self.begun || self.used != Dirty::NONE {
            self.begun = true;
            return Some(Gathered { before: Scope::ALL, after: Scope::BUILDS });
        }
        self.copied.then_some(BETWEEN)
    }

    /// Whether a build, behind [`Builds::begin`], has to wait for what there was.
    fn holds_up_build(&self, build: &Build, reads: impl Iterator<Item = Range<u64>>) -> bool {
        let since = &self.since;
        // Instances name structures that nobody looks for here.
        let other = since.level.is_some_and(|level| level != build.level)
            || since.copied && build.level == vk::AccelerationStructureTypeKHR::TOP_LEVEL;
        since.any && (other || since.holds_up(reads.chain([build.source.clone()]), build.writes()))
    }

    /// A build is recorded.
    fn add_build(&mut self, build: &Build, reads: impl Iterator<Item = Range<u64>>) {
        self.since.add(reads.chain([build.source.clone()]), build.writes());
        self.since.level = Some(build.level);
        self.unseen = Dirty::BUILDS;
    }

    /// Whether a copy of a structure has to wait for what there was.
    fn holds_up_copy(&self, to: u64, from: u64) -> bool {
        // A top level may have been built of what is overwritten.
        let read = self.since.level == Some(vk::AccelerationStructureTypeKHR::TOP_LEVEL);
        read || self.since.holds_up(start(from), start(to))
    }

    /// A copy of a structure is recorded.
    fn add_copy(&mut self, to: u64, from: u64) {
        self.since.add(start(from), start(to));
        self.since.copied = true;
        self.unseen = Dirty::BUILDS;
    }

    /// Answers about structures are recorded, to a range of addresses.
    fn add_answer(&mut self, structures: &[u64], to: Range<u64>) {
        self.since.add(structures.iter().flat_map(|at| start(*at)), [to].into_iter());
        self.unseen = Dirty::BUILDS;
    }

    /// The barrier before commands that may read what was built, copied or answered.
    fn see(&self, commands: Dirty) -> Option<Gathered> {
        self.unseen.has(commands).then_some(Gathered { before: Scope::BUILDS, after: Scope::ALL })
    }

    /// Behind [`Builds::see`].
    fn use_by(&mut self, commands: Dirty) {
        if self.begun {
            self.used.set(commands);
        }
    }

    /// A barrier stands behind them, for other builds and from the first stages to the last.
    pub(super) fn are_ordered(&mut self, [before, after]: [vk::PipelineStageFlags2; 2]) {
        self.since.clear();
        // Where there are builds, every barrier is for copies.
        self.copied = false;
        self.used = self.used.without(commands(before));
        self.unseen = self.unseen.without(commands(after));
    }
}

impl Encoder {
    /// Before a build of an acceleration structure, a copy of one, or a question about one: outside of rendering. The first in a command
    /// buffer waits for everything before it.
    pub fn begin_builds(&mut self) {
        self.outside();
        if let Some(barrier) = self.builds.begin() {
            self.barriers(&barrier);
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
        let reads = geometries.iter().zip(counts).flat_map(|(geometry, count)| inputs(geometry, *count));
        if self.builds.holds_up_build(&build, reads.clone()) {
            self.builds_wait();
        }
        self.builds.add_build(&build, reads);
        self.dirty.set(Dirty::BUILDS);
        let builds = &mut self.builds;
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
        if self.builds.holds_up_copy(to, from) {
            self.builds_wait();
        }
        self.builds.add_copy(to, from);
        self.dirty.set(Dirty::BUILDS);
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

    /// Answers about structures were recorded, to a range of addresses.
    pub fn has_answered(&mut self, structures: &[u64], to: Range<u64>) {
        self.builds.add_answer(structures, to);
        self.dirty.set(Dirty::BUILDS);
    }

    /// Before the first command of a kind behind a barrier or a build: it may read what was built, copied or answered, and waits, where
    /// the program has no barrier since.
    #[cold]
    pub fn see_builds(&mut self, commands: Dirty) {
        if let Some(barrier) = self.builds.see(commands) {
            self.barriers(&barrier);
        }
        self.builds.use_by(commands);
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
        // SAFETY: structures lie in buffers that live until the GPU is done, each info has one range for each of its geometries, and these
        // arrays live here; the addresses are in buffers that the program keeps as long.
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
        self.barriers(&BETWEEN);
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
    use proptest::prelude::*;

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

    /// What a command of a list does, for the model.
    #[derive(Clone, Debug)]
    enum Step {
        /// A build: whether of the top level, what it reads, where it writes, its scratch memory.
        Build(bool, u64, u64, u64),
        /// A copy of a structure, to and from.
        Copy(u64, u64),
        /// A question about a structure, to a place.
        Ask(u64, u64),
        /// A copy of bytes by Vulkan's transfer.
        Transfer,
        Draw,
        Dispatch,
        /// The program's barrier, between stages.
        Barrier(Stages, Stages),
    }

    use vk::PipelineStageFlags2 as Stages;

    /// Bytes of an answer.
    const ANSWER: u64 = 8;
    /// Bytes of each thing of the model. Their places are multiples of half of it: things overlap.
    const ROOM: u64 = 16;

    fn step() -> impl Strategy<Value = Step> {
        let place = || (0u64..12).prop_map(|at| 0x1000 + at * ROOM / 2);
        let stages = || {
            prop::sample::select(vec![
                Stages::ALL_COMMANDS,
                Stages::COMPUTE_SHADER,
                Stages::PRE_RASTERIZATION_SHADERS | Stages::FRAGMENT_SHADER,
                Stages::FRAGMENT_SHADER,
                Stages::COPY,
                Stages::ACCELERATION_STRUCTURE_BUILD_KHR,
            ])
        };
        prop_oneof![
            4 => (any::<bool>(), place(), place(), place()).prop_map(|(top, from, to, at)| Step::Build(top, from, to, at)),
            2 => (place(), place()).prop_map(|(to, from)| Step::Copy(to, from)),
            2 => (place(), place()).prop_map(|(of, to)| Step::Ask(of, to)),
            2 => Just(Step::Transfer),
            1 => Just(Step::Draw),
            1 => Just(Step::Dispatch),
            2 => (stages(), stages()).prop_map(|(before, after)| Step::Barrier(before, after)),
        ]
    }

    /// What was recorded: a barrier, or a command of some stages with the step that it is of.
    enum Recorded {
        Barrier(Gathered),
        Command(Stages, Step),
    }

    /// As the encoder records steps: what Vulkan gets, in order.
    fn recorded(steps: &[Step]) -> Vec<Recorded> {
        let (mut builds, mut all) = (Builds::default(), Vec::new());
        let put = |builds: &mut Builds, all: &mut Vec<Recorded>, barrier: Option<Gathered>| {
            let Some(mut barrier) = barrier else { return };
            if builds.begun {
                barrier = Gathered { before: barrier.before.or(Scope::BUILDS), after: barrier.after.or(Scope::BUILDS) };
                builds.are_ordered([barrier.before.stages, barrier.after.stages]);
            }
            all.push(Recorded::Barrier(barrier));
        };
        for step in steps {
            let (builds, all) = (&mut builds, &mut all);
            let stages = match step {
                Step::Build(top, from, to, scratch) => {
                    let barrier = builds.begin();
                    put(builds, all, barrier);
                    let at = |place: &u64| *place..*place + ROOM;
                    let build = Build {
                        level: match top {
                            true => vk::AccelerationStructureTypeKHR::TOP_LEVEL,
                            false => vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL,
                        },
                        flags: Default::default(),
                        from: Default::default(),
                        to: Default::default(),
                        source: 0..0,
                        result: at(to),
                        scratch: at(scratch),
                    };
                    let reads = [at(from)].into_iter();
                    let waits = builds.holds_up_build(&build, reads.clone());
                    put(builds, all, waits.then_some(BETWEEN));
                    builds.add_build(&build, reads);
                    Stages::ACCELERATION_STRUCTURE_BUILD_KHR
                }
                Step::Copy(to, from) => {
                    let barrier = builds.begin();
                    put(builds, all, barrier);
                    let waits = builds.holds_up_copy(*to, *from);
                    put(builds, all, waits.then_some(BETWEEN));
                    builds.add_copy(*to, *from);
                    Stages::ACCELERATION_STRUCTURE_BUILD_KHR
                }
                Step::Ask(of, to) => {
                    let barrier = builds.begin();
                    put(builds, all, barrier);
                    put(builds, all, Some(BETWEEN));
                    builds.add_answer(&[*of], *to..*to + ANSWER);
                    Stages::ACCELERATION_STRUCTURE_BUILD_KHR
                }
                Step::Transfer => {
                    let waits = builds.hold_up_copies();
                    put(builds, all, waits.then_some(BETWEEN));
                    builds.add_transfer();
                    Stages::ALL_TRANSFER
                }
                Step::Draw | Step::Dispatch => {
                    let (commands, stages) = match step {
                        Step::Draw => (Dirty::DRAWN_BUILDS, Stages::FRAGMENT_SHADER),
                        _ => (Dirty::DISPATCHED_BUILDS, Stages::COMPUTE_SHADER),
                    };
                    let barrier = builds.see(commands);
                    put(builds, all, barrier);
                    builds.use_by(commands);
                    stages
                }
                Step::Barrier(before, after) => {
                    let scope = |stages: &Stages| Scope { stages: *stages, ..Scope::default() };
                    put(builds, all, Some(Gathered { before: scope(before), after: scope(after) }));
                    continue;
                }
            };
            all.push(Recorded::Command(stages, step.clone()));
        }
        all
    }

    /// What the API's drivers keep in order, by the definition: two that touch a byte which one of them writes, where one of them
    /// is about structures. What instances, shaders and questions read is anything.
    fn depend(one: &Step, two: &Step) -> bool {
        let builds = |step: &Step| matches!(step, Step::Build(..) | Step::Copy(..) | Step::Ask(..));
        let meet = |a: u64, b: u64, room: u64| a < b + room && b < a + room;
        match (one, two) {
            (Step::Draw | Step::Dispatch, other) | (other, Step::Draw | Step::Dispatch) => builds(other),
            (Step::Transfer, other) | (other, Step::Transfer) => builds(other),
            (Step::Ask(of, to), Step::Build(_, from, result, scratch)) => {
                [result, scratch].iter().any(|place| (**place..**place + ROOM).contains(of))
                    || [from, result, scratch].iter().any(|place| **place < to + ANSWER && *to < **place + ROOM)
            }
            (Step::Ask(of, to), Step::Copy(copied, from)) => {
                copied == of || [copied, from].iter().any(|place| (*to..*to + ANSWER).contains(*place))
            }
            (_, Step::Ask(..)) => builds(one),
            (Step::Build(top, from, to, scratch), Step::Build(other, other_from, other_to, other_scratch)) => {
                let (writes, others) = ([to, scratch], [other_to, other_scratch]);
                let hit = |write: &u64, places: &[&u64]| places.iter().any(|place| meet(*write, **place, ROOM));
                top != other
                    || writes.iter().any(|write| hit(write, &[other_from, other_to, other_scratch]))
                    || others.iter().any(|write| hit(write, &[from]))
            }
            // A structure is copied from where it begins. A top level reads what instances name.
            (Step::Build(top, from, to, scratch), Step::Copy(copied, source)) => {
                *top || [from, to, scratch].iter().any(|place| (**place..**place + ROOM).contains(copied))
                    || [to, scratch].iter().any(|place| (**place..**place + ROOM).contains(source))
            }
            (Step::Copy(..), Step::Build(top, ..)) if *top => true,
            (Step::Copy(..), Step::Build(..)) => depend(two, one),
            (Step::Copy(to, from), Step::Copy(other_to, other_from)) => {
                to == other_to || to == other_from || from == other_to
            }
            (Step::Barrier(..), _) | (_, Step::Barrier(..)) => false,
        }
    }

    /// The first two that depend on each other without a barrier between.
    fn missing(all: &[Recorded]) -> Option<(Step, Step)> {
        for (at, one) in all.iter().enumerate() {
            let Recorded::Command(before, one) = one else { continue };
            let mut ordered = Stages::empty();
            for two in &all[at + 1..] {
                match two {
                    Recorded::Barrier(barrier) => {
                        let covers = |stages: Stages| stages.intersects(*before | Stages::ALL_COMMANDS | ordered);
                        if covers(barrier.before.stages) {
                            ordered |= barrier.after.stages;
                        }
                    }
                    Recorded::Command(after, two) => {
                        if depend(one, two) && !ordered.intersects(*after | Stages::ALL_COMMANDS) {
                            return Some((one.clone(), two.clone()));
                        }
                    }
                }
            }
        }
        None
    }

    proptest! {
        #[test]
        fn what_depends_on_another_has_a_barrier_between(steps in prop::collection::vec(step(), 1..24)) {
            let all = recorded(&steps);
            prop_assert!(missing(&all).is_none(), "{:?}", missing(&all));
            // And not everywhere: without the barriers the model finds what depends.
            let bare: Vec<Recorded> =
                all.into_iter().filter(|one| matches!(one, Recorded::Command(..))).collect();
            let some = bare.iter().enumerate().any(|(at, one)| bare[at + 1..].iter().any(|two| match (one, two) {
                (Recorded::Command(_, one), Recorded::Command(_, two)) => depend(one, two),
                _ => false,
            }));
            prop_assert_eq!(missing(&bare).is_some(), some);
        }
    }

    #[test]
    fn a_barrier_lets_those_commands_see_builds_whose_stages_it_names() {
        let draws = Stages::PRE_RASTERIZATION_SHADERS | Stages::FRAGMENT_SHADER;
        assert_eq!(commands(Stages::ALL_COMMANDS), Dirty::BUILDS);
        assert_eq!(commands(draws | Stages::COMPUTE_SHADER), Dirty::BUILDS);
        assert_eq!(commands(Stages::COMPUTE_SHADER | Stages::COPY), Dirty::DISPATCHED_BUILDS);
        assert_eq!(commands(draws), Dirty::DRAWN_BUILDS);
        assert_eq!(commands(Stages::FRAGMENT_SHADER), Dirty::NONE, "vertex shaders trace rays, too");
    }
}
