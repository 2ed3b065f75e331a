//! The control page of a ring file, as `FORMAT.md` states it, and the errors of a page that is not one.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// First word of a ring file.
pub const MAGIC: u64 = u64::from_le_bytes(*b"RPRRING\0");
/// Version of the layout below.
pub const VERSION: u32 = 1;
/// Bytes before the data.
pub const CONTROL: usize = 4096;
/// The smallest capacity that a session gives out, in bytes.
pub const MIN_CAPACITY: usize = 512 << 10;
/// The largest capacity, in bytes.
pub const MAX_CAPACITY: usize = 16 << 20;
/// The usual capacity, in bytes: 80,000 light calls.
pub const DEFAULT_CAPACITY: usize = 4 << 20;
/// Longest thread name kept, in bytes of UTF-8.
pub const NAME: usize = 64;

/// State of a ring: its thread may still write.
pub(super) const LIVE: u32 = 1;
/// State of a ring: its thread has ended and publishes nothing more.
pub(super) const CLOSED: u32 = 2;

/// The control page at the beginning of a ring file.
///
/// The words of the producer and of the consumer lie 128 bytes apart: processors fetch cache lines in pairs.
#[repr(C, align(128))]
pub(super) struct Control {
    pub(super) magic: AtomicU64,
    pub(super) version: AtomicU32,
    pub(super) data_offset: AtomicU32,
    pub(super) capacity: AtomicU64,
    pub(super) thread_id: AtomicU64,
    pub(super) index: AtomicU32,
    pub(super) state: AtomicU32,
    pub(super) name_len: AtomicU32,
    _reserved: AtomicU32,
    pub(super) name: [AtomicU64; NAME / 8],
    _pad0: [AtomicU64; 2],
    pub(super) producer: ProducerLine,
    pub(super) consumer: ConsumerLine,
}

#[repr(C, align(128))]
pub(super) struct ProducerLine {
    /// End of what is published.
    pub(super) head: AtomicU64,
    /// The published position after the enter record of the light call that the thread is in; 0 for none.
    pub(super) in_call: AtomicU64,
    /// How often the thread had to wait for room.
    pub(super) waits: AtomicU64,
    /// Nanoseconds spent waiting.
    pub(super) waited_ns: AtomicU64,
    /// Records not written because the thread stopped recording.
    pub(super) lost: AtomicU64,
    /// The call whose arguments are being read right now, as [`Reading`] has it; 0 for none.
    pub(super) reading: AtomicU64,
}

#[repr(C, align(128))]
pub(super) struct ConsumerLine {
    /// Everything before it may be overwritten.
    pub(super) tail: AtomicU64,
}

// As `FORMAT.md` says.
const _: () = {
    assert!(std::mem::offset_of!(Control, name) == 48);
    assert!(std::mem::offset_of!(Control, producer) == 128);
    assert!(std::mem::offset_of!(ProducerLine, lost) == 32);
    assert!(std::mem::offset_of!(ProducerLine, reading) == 40);
    assert!(std::mem::offset_of!(Control, consumer) == 256);
    assert!(size_of::<Control>() <= CONTROL);
};

/// A call whose arguments a thread reads just now. Its enter record is not published yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// The method.
    pub method: u16,
    /// The object called; 0 for functions.
    pub object: u32,
}

impl Reading {
    #[inline(always)]
    pub(super) fn to_word(self) -> u64 {
        u64::from(self.object) << 32 | u64::from(self.method) << 16 | 1
    }

    pub(super) fn from_word(word: u64) -> Option<Reading> {
        (word & 0xffff == 1).then_some(Reading { method: (word >> 16) as u16, object: (word >> 32) as u32 })
    }
}

/// Why a file is no ring.
#[derive(Debug, thiserror::Error)]
pub enum RingError {
    /// The first word is another.
    #[error("no ring file (first word {0:#x})")]
    Magic(u64),
    /// Made by another version.
    #[error("ring version {found}, this program reads version {VERSION}")]
    Version {
        /// The version stated.
        found: u32,
    },
    /// A field of the control page is impossible.
    #[error("the ring's field `{field}` has the impossible value {value}")]
    Field {
        /// The field.
        field: &'static str,
        /// Its value.
        value: u64,
    },
    /// The file is shorter than its control page says.
    #[error("the ring file has {found} bytes, its control page promises {promised}")]
    Short {
        /// Bytes of the file.
        found: u64,
        /// Bytes promised.
        promised: u64,
    },
}

/// # Errors
/// The capacity is no power of two, or one that no ring has.
pub(super) fn check_capacity(capacity: u64) -> Result<(), RingError> {
    if capacity.is_power_of_two() && (1024..=MAX_CAPACITY as u64).contains(&capacity) {
        return Ok(());
    }
    Err(RingError::Field { field: "capacity", value: capacity })
}
