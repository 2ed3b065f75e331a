//! Builds of acceleration structures. They wait for the next command that has to come after them, so that Vulkan gets many in one
//! call: drivers make those side by side.

use ash::vk;

use crate::encoder::Encoder;
use crate::encoder::micromaps::{Linkage, chain};
use crate::scope::{Gathered, Scope};

/// A build without its geometries.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// Level of the structure.
    pub level: vk::AccelerationStructureTypeKHR,
    /// Flags.
    pub flags: vk::BuildAccelerationStructureFlagsKHR,
    /// The structure that is updated; null for one that is built anew.
    pub from: vk::AccelerationStructureKHR,
    /// The structure that is built.
    pub to: vk::AccelerationStructureKHR,
    /// Address of the memory that the build uses for a while.
    pub scratch: u64,
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
}

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
    }
}

impl Encoder {
    /// Before a build of an acceleration structure, a copy of one, or a question about one: outside of rendering. The first in a command
    /// buffer waits for everything before it.
    pub(super) fn begin_builds(&mut self) {
        self.outside();
        if !self.builds.begun {
            self.builds.begun = true;
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

    /// Before a copy of an acceleration structure or a question about one.
    pub fn after_builds(&mut self) {
        self.begin_builds();
        self.flush_builds();
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
            info.scratch_data.device_address = build.scratch;
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
