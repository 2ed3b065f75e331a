//! The queue families that a device uses.

use core::ops::Deref;

use ash::vk;

use crate::error::{Error, Result};
use crate::instance::Instance;

/// Queues that are made for graphics and for copies. Queues of the API share them: more of a kind share the hardware, too, and each
/// costs time when the device is made (NVIDIA H100, driver 580.159: 1.1 s with 12 queues, 0.5 s with 3).
const ONE: u32 = 1;
/// Queues that are made for compute at most: programs run long work of low priority beside short work.
const COMPUTE: u32 = 2;
/// Queues that a family has at most.
pub(crate) const QUEUES: u32 = COMPUTE;

/// A queue family, and how many of its queues the device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Index of the Vulkan queue family.
    pub index: u32,
    /// Queues created in it, at least one.
    pub count: u32,
    /// Bits of its timestamps that count; 0 when it has none.
    pub timestamp_bits: u32,
}

/// What a queue can do; each row can do what the next one can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Graphics, compute and transfer.
    Graphics,
    /// Compute and transfer.
    Compute,
    /// Transfer.
    Copy,
}

/// Queue families by role. Several may be the same one: lavapipe has one family with one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Families {
    /// The family of [`Role::Graphics`].
    pub graphics: Family,
    /// The family of [`Role::Compute`].
    pub compute: Family,
    /// The family of [`Role::Copy`].
    pub copy: Family,
    /// Whether queues of all of them map memory piece by piece.
    pub sparse: bool,
}

impl Families {
    /// Picks the most special family for each role.
    ///
    /// # Errors
    /// No family does graphics and compute.
    pub(crate) fn pick(instance: &Instance, physical: vk::PhysicalDevice) -> Result<Families> {
        // SAFETY: the instance lives, and the device is one of its.
        let all = unsafe { instance.instance.get_physical_device_queue_family_properties(physical) };
        let find = |wanted: vk::QueueFlags, unwanted: vk::QueueFlags, most: u32| {
            let position = all.iter().position(|family| {
                family.queue_flags.contains(wanted)
                    && !family.queue_flags.intersects(unwanted)
                    && family.queue_count > 0
            })?;
            let family = &all[position];
            Some(Family {
                index: position as u32,
                count: family.queue_count.min(most),
                timestamp_bits: family.timestamp_valid_bits,
            })
        };
        let (graphics, compute) = (vk::QueueFlags::GRAPHICS, vk::QueueFlags::COMPUTE);
        let Some(direct) = find(graphics | compute, vk::QueueFlags::empty(), ONE) else {
            return Err(Error::Device("the Vulkan device has no queue for graphics and compute".into()));
        };
        let special = find(compute, graphics, COMPUTE).unwrap_or(direct);
        let copy = find(vk::QueueFlags::TRANSFER, graphics | compute, ONE).unwrap_or(special);
        let binds = |family: Family| all[family.index as usize].queue_flags.contains(vk::QueueFlags::SPARSE_BINDING);
        let sparse = [direct, special, copy].into_iter().all(binds);
        Ok(Families { graphics: direct, compute: special, copy, sparse })
    }

    /// The family of a role.
    pub fn of(&self, role: Role) -> Family {
        match role {
            Role::Graphics => self.graphics,
            Role::Compute => self.compute,
            Role::Copy => self.copy,
        }
    }

    /// Whether queues that copy take timestamps and give them out. Vulkan lets only families for graphics or compute do both.
    pub fn copies_are_timed(&self) -> bool {
        let same = [self.graphics.index, self.compute.index].contains(&self.copy.index);
        same && self.copy.timestamp_bits != 0
    }

    /// The different family indices, for resources that all queues use.
    pub fn distinct(&self) -> Distinct {
        let mut distinct = Distinct { indices: [self.graphics.index; 3], count: 1 };
        for index in [self.compute.index, self.copy.index] {
            if !distinct.contains(&index) {
                distinct.indices[distinct.count] = index;
                distinct.count += 1;
            }
        }
        distinct
    }
}

/// Indices of queue families, each once.
#[derive(Clone, Copy, Debug)]
pub struct Distinct {
    indices: [u32; 3],
    /// How many of the indices count.
    count: usize,
}

impl Deref for Distinct {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.indices[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_timed_where_their_queues_compute() {
        let family = |index, timestamp_bits| Family { index, count: 1, timestamp_bits };
        let timed = |compute, copy: Family| {
            Families { graphics: family(0, 64), compute: family(compute, 64), copy, sparse: false }.copies_are_timed()
        };
        assert_eq!([timed(0, family(0, 64)), timed(2, family(2, 36))], [true, true]);
        assert_eq!([timed(2, family(1, 64)), timed(0, family(0, 0))], [false, false]);
    }

    #[test]
    fn a_family_of_several_roles_counts_once() {
        let family = |index| Family { index, count: 1, timestamp_bits: 64 };
        for (roles, expected) in
            [([0, 0, 0], &[0][..]), ([0, 2, 1], &[0, 2, 1]), ([0, 2, 2], &[0, 2]), ([1, 0, 1], &[1, 0])]
        {
            let [graphics, compute, copy] = roles.map(family);
            assert_eq!(&*Families { graphics, compute, copy, sparse: false }.distinct(), expected, "{roles:?}");
        }
    }
}
