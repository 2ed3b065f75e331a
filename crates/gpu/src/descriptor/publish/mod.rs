//! Writing records where shaders see them.
//!
//! A slot of a heap is one element of each array ([`Sharing`](crate::settings::Sharing)). A record is written to the arrays of
//! its own types. Arrays that held the slot's last record, and do not hold this one, get null: a shader that asks for another
//! type than the slot's finds null, never what was there before.
//!
//! Invariant: arrays hold null wherever the slot's record is not theirs, so nothing is written that is null already.
//!
//! Where heaps are sets, Vulkan writes the arrays ([`sets`]). Where they are buffers, the driver makes the bytes of a descriptor
//! once, when it is created, and copies are copies of bytes ([`buffers`]); so heaps that shaders do not see have bytes, too.

pub(super) mod buffers;
pub(super) mod sets;
mod side;

use crate::descriptor::record::{Record, RecordKind};
use crate::descriptor::table::{Table, arrays};
use crate::settings::Sharing;

pub(super) use side::Side;

/// Arrays that a record is written to at most.
const OWN: usize = 2;
/// Arrays of views at most.
const ARRAYS: usize = 6;

/// What a slot held before a record is written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    kind: RecordKind,
    null: bool,
    counted: bool,
    sampler: u64,
}

impl Past {
    /// Of the record that is about to be overwritten.
    #[inline(always)]
    pub fn of(record: &Record) -> Past {
        let (kind, first) = (record.kind, record.first);
        Past { kind, null: record.is_null(), counted: record.address() != 0, sampler: first }
    }

    /// Whether shaders see no difference to a record: null over null of a kind, or the same sampler. Views are not compared,
    /// because Vulkan uses the handles of those that are gone again.
    #[inline(always)]
    fn shows(self, record: &Record) -> bool {
        self.null && record.is_null() && (self.kind, self.sampler) == (record.kind, record.first)
    }
}

/// Addresses that the driver makes a buffer's descriptors of. Heaps that are sets do not use them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Raw and constant buffers: address and bytes.
    pub raw: (u64, u64),
    /// Typed buffers: address and bytes; none with 0 bytes.
    pub typed: (u64, u64),
    /// Vulkan's format of typed buffers.
    pub format: ash::vk::Format,
    /// For checks: the cookie of the resource, 0 is none.
    pub cookie: u32,
    /// For checks: whether a buffer's view is of texels, and neither raw nor structured.
    pub typed_only: Option<bool>,
}

/// Where the descriptors of a heap go.
#[allow(clippy::large_enum_variant, reason = "heaps keep theirs boxed")]
#[derive(Debug)]
pub enum Target {
    /// Into descriptor sets.
    Sets(sets::Target),
    /// Into memory, as bytes.
    Buffers(buffers::Target),
}

/// A record of a heap, and where its descriptor is.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The record.
    pub record: *const Record,
    /// Where its heap's descriptors are; `None` where the record is all there is, or all that is read ([`Target::copies_bytes`]).
    pub target: Option<&'a Target>,
    /// Its index in the heap.
    pub index: u32,
}

impl Target {
    /// Whether copies read the heap of their source, not only its records.
    #[inline(always)]
    pub fn copies_bytes(&self) -> bool {
        matches!(self, Target::Buffers(_))
    }

    /// Publishes the record of one slot, which held `past`.
    ///
    /// # Safety
    /// Nobody else publishes to the same slot, and no shader that runs uses it. What the record names lives; `spans` are those
    /// of its buffer.
    #[inline(always)]
    pub unsafe fn publish(&self, index: u32, record: &Record, past: Past, spans: &Spans) {
        // SAFETY: the caller promises the same of slot, record and spans.
        unsafe {
            match self {
                Target::Sets(target) => target.publish(index, record, past),
                Target::Buffers(target) => target.publish(index, record, past, spans),
            }
        }
    }

    /// Copies a record to `to`, which is that of the slot `index`, and publishes it.
    ///
    /// # Safety
    /// The source's record and `to` can be read and written; nobody else publishes to the same slot, and no shader that runs uses
    /// it. The source's heap has its index.
    #[inline(always)]
    pub unsafe fn copy_one(&self, index: u32, to: *mut Record, from: Source<'_>) {
        // SAFETY: the caller promises that both records are there, and the same of the slot.
        unsafe {
            match self {
                Target::Sets(target) => {
                    let past = Past::of(&*to);
                    to.write(from.record.read().lasting());
                    target.publish(index, &*to, past);
                }
                Target::Buffers(target) => target.copy_one(index, to, from.record, buffers::Target::of(&from)),
            }
        }
    }

    /// Copies `count` records to `to`, which are those of the slots from `index` on, and publishes them.
    ///
    /// # Safety
    /// As for [`Target::copy_one`], of as many records; where shaders see the heap, the ranges do not overlap.
    #[inline]
    pub unsafe fn copy(&self, index: u32, to: *mut Record, from: Source<'_>, count: u32) {
        // SAFETY: the caller promises as many records and slots.
        unsafe {
            match self {
                Target::Sets(target) => target.copy(index, to, from.record, count),
                Target::Buffers(target) => target.copy(index, to, from.record, buffers::Target::of(&from), count),
            }
        }
    }
}

/// The tables that a kind of record is written to, the typed one first.
fn tables(kind: RecordKind) -> &'static [Table] {
    match kind {
        RecordKind::ConstantBuffer => &[Table::ConstantBuffer],
        RecordKind::SampledImage => &[Table::SampledImage],
        RecordKind::StorageImage => &[Table::StorageImage],
        RecordKind::ReadBuffer => &[Table::UniformTexels, Table::Raw],
        RecordKind::WriteBuffer => &[Table::StorageTexels, Table::Raw],
        RecordKind::Sampler => &[Table::Sampler],
        // Shaders find its address in the side buffer.
        RecordKind::Acceleration => &[],
        RecordKind::Empty | RecordKind::RenderTarget | RecordKind::DepthStencil => &[],
    }
}

/// The number of the array that a table is in.
fn array(sharing: Sharing, table: Table) -> usize {
    arrays(sharing).iter().position(|tables| tables.contains(&table)).unwrap_or(0)
}

/// Says once that descriptors have no place.
#[cold]
fn beyond(limit: u32, last: u32) {
    static SAID: std::sync::Once = std::sync::Once::new();
    SAID.call_once(|| {
        reprise_log::warning(format_args!(
            "the device has no more than {last} descriptors in a heap, {limit} of them raw, structured and constant buffers; \
             shaders cannot reach those beyond"
        ));
    });
}
