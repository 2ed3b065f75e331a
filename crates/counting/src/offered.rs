//! The counters, by their places.

use std::ffi::c_char;

use ash::vk::{
    PerformanceCounterScopeKHR as Scope, PerformanceCounterStorageKHR as Storage, PerformanceCounterUnitKHR as Unit,
};

use crate::tally::Tally;

/// A counter.
pub(crate) struct Offered {
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
    pub(crate) about: &'static str,
    pub(crate) unit: Unit,
    pub(crate) scope: Scope,
    pub(crate) storage: Storage,
    /// How much of a pass it takes; a pass has [`PASS`].
    pub(crate) room: u32,
    /// Makes the result's eight bytes from what was counted. A result of four bytes has [`REST`] behind it, which nobody may read.
    pub(crate) value: fn(&Tally) -> u64,
}

/// How much a pass has for counters.
pub(crate) const PASS: u32 = 2;
/// Garbage behind a result of four bytes, so that a reader of all eight shows.
const REST: u64 = 0xdead_beef << 32;

pub(crate) const ALL: [Offered; 7] = [
    Offered {
        name: "Draws",
        category: "Commands",
        about: "Commands that draw",
        unit: Unit::GENERIC,
        scope: Scope::COMMAND,
        storage: Storage::UINT64,
        room: 1,
        value: |tally| tally.draws,
    },
    Offered {
        name: "Dispatches",
        category: "Commands",
        about: "Commands that dispatch",
        unit: Unit::GENERIC,
        scope: Scope::COMMAND,
        storage: Storage::UINT32,
        room: 1,
        value: |tally| tally.dispatches | REST,
    },
    Offered {
        name: "Renderings",
        category: "Passes",
        about: "Renderings that begin",
        unit: Unit::GENERIC,
        scope: Scope::RENDER_PASS,
        storage: Storage::INT64,
        room: 1,
        value: |tally| tally.renderings,
    },
    Offered {
        name: "Groups",
        category: "Work",
        about: "Groups of threads that dispatches name, in halves",
        unit: Unit::CYCLES,
        scope: Scope::COMMAND,
        storage: Storage::FLOAT64,
        room: 1,
        value: |tally| (tally.groups as f64 / 2.0).to_bits(),
    },
    Offered {
        name: "Busy",
        category: "Work",
        about: "Always a half",
        unit: Unit::PERCENTAGE,
        scope: Scope::COMMAND,
        storage: Storage::FLOAT32,
        room: 1,
        value: |_| u64::from(50.0f32.to_bits()) | REST,
    },
    Offered {
        name: "Buffers",
        category: "Commands",
        about: "Of whole command buffers only",
        unit: Unit::GENERIC,
        scope: Scope::COMMAND_BUFFER,
        storage: Storage::UINT64,
        room: 1,
        value: |_| 1,
    },
    Offered {
        name: "Heavy",
        category: "Work",
        about: "More than a pass has room for",
        unit: Unit::NANOSECONDS,
        scope: Scope::COMMAND,
        storage: Storage::UINT64,
        room: 3,
        value: |_| 1,
    },
];

/// How many passes some of them need.
pub(crate) fn passes(counters: &[u32]) -> u32 {
    let room: u32 = counters.iter().filter_map(|counter| ALL.get(*counter as usize)).map(|one| one.room).sum();
    room.div_ceil(PASS).max(1)
}

/// A text as Vulkan's structures have it.
pub(crate) fn text<const ROOM: usize>(text: &str) -> [c_char; ROOM] {
    let mut room = [0; ROOM];
    room.iter_mut().zip(text.bytes().take(ROOM - 1)).for_each(|(place, byte)| *place = byte.cast_signed());
    room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_counters_fit_into_a_pass() {
        let passes: Vec<u32> = [&[0][..], &[0, 1], &[0, 1, 2], &[6], &[6, 0]].map(passes).into();
        assert_eq!(passes, [1, 1, 2, 2, 2]);
    }
}
