//! Writing records where shaders see them.
//!
//! A slot of a heap is one element of each array ([`Sharing`](crate::settings::Sharing)). A record is written to the arrays of
//! its own types. Arrays that held the slot's last record, and do not hold this one, get null: a shader that asks for another
//! type than the slot's finds null, never what was there before.
//!
//! Invariant: arrays hold null wherever the slot's record is not theirs, so nothing is written that is null already.

use core::ptr::from_ref;

use ash::vk;

use crate::descriptor::layout::{Layouts, Place, Table, arrays};
use crate::descriptor::offset::Entry;
use crate::descriptor::record::{Record, RecordKind};

/// Vulkan descriptors that one call writes, and a few more.
const BATCH: usize = 64;
/// Arrays that a record is written to at most.
const OWN: usize = 2;
/// Vulkan descriptors of one record at most: its own, and null for those of the last one.
const WRITES: usize = 2 * OWN;
/// Arrays of views at most.
const ARRAYS: usize = 6;

type Write = vk::WriteDescriptorSet<'static>;

/// What a kind of record becomes: Vulkan's writes, complete but for the index and the record.
#[derive(Clone, Copy)]
struct Form {
    writes: [Write; OWN],
    /// How many of them.
    used: u8,
    /// The arrays that they go to, one bit each. None for samplers: Vulkan has no null of them.
    arrays: u8,
    /// Whether offset entries mean anything.
    entry: bool,
}

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
        Past { kind, null: record.is_null(), counted: kind == RecordKind::WriteBuffer && first != 0, sampler: first }
    }

    /// Whether shaders see no difference to a record: null over null of a kind, or the same sampler. Views are not compared,
    /// because Vulkan uses the handles of those that are gone again.
    #[inline(always)]
    fn shows(self, record: &Record) -> bool {
        self.null && record.is_null() && (self.kind, self.sampler) == (record.kind, record.first)
    }
}

/// Where a shader-visible heap's descriptors go. Everything that publishing needs, in one place.
pub struct Target {
    update: vk::PFN_vkUpdateDescriptorSets,
    device: vk::Device,
    /// By [`RecordKind`]. Those that shaders never see have no writes.
    forms: [Form; RecordKind::COUNT],
    /// By array: null of its first type, without the index.
    nulls: [Write; ARRAYS],
    /// Where raw and structured buffers are.
    raw: (vk::DescriptorSet, u32),
    /// From this index on, shaders see nothing in the array of raw buffers: more than the device can take.
    limit: u32,
    /// From this index on, shaders see nothing.
    last: u32,
    /// Offset entries and counters, as the GPU sees them; null in sampler heaps.
    entries: *mut Entry,
    counters: *mut u64,
}

// SAFETY: handles and pointers to memory that lives as long as the heap; different indices may be written at the same time
// because the arrays are updated after binding.
unsafe impl Send for Target {}
// SAFETY: nobody changes the fields; callers of the unsafe methods keep each index to one thread.
unsafe impl Sync for Target {}

impl core::fmt::Debug for Target {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Target").field("limit", &self.limit).field("last", &self.last).finish_non_exhaustive()
    }
}

impl Target {
    /// For sets that begin with set number `first` of the pipeline layouts. `limits`: how many raw and structured buffers
    /// have room in them, and how many descriptors at all. `side` holds offset entries and counters.
    pub fn new(
        vk: &ash::Device,
        layouts: &Layouts,
        sets: &[vk::DescriptorSet],
        first: u32,
        [limit, last]: [u32; 2],
        side: Option<(*mut Entry, *mut u64)>,
    ) -> Target {
        let place = |table: Table| {
            let Place { set, binding } = layouts.place(table);
            let set = set.checked_sub(first).and_then(|set| sets.get(set as usize));
            (set.copied().unwrap_or_default(), binding)
        };
        let write = |table: Table| {
            let (set, binding) = place(table);
            vk::WriteDescriptorSet {
                dst_set: set,
                dst_binding: binding,
                descriptor_type: table.vk(),
                descriptor_count: 1,
                ..Default::default()
            }
        };
        let sharing = arrays(layouts.sharing());
        let form = |tables: &[Table], entry: bool| {
            let array = |table: &Table| sharing.iter().position(|tables| tables.contains(table)).unwrap_or(0);
            let own =
                [tables.first(), tables.last()].map(|table| table.map_or(Write::default(), |table| write(*table)));
            let bits = if side.is_some() { tables.iter().fold(0, |bits, table| bits | 1 << array(table)) } else { 0 };
            Form { writes: own, used: tables.len() as u8, arrays: bits, entry }
        };
        let none = form(&[], false);
        let mut forms = [none; RecordKind::COUNT];
        let mut nulls = [Write::default(); ARRAYS];
        if side.is_some() {
            use RecordKind as Kind;
            forms[Kind::ConstantBuffer as usize] = form(&[Table::ConstantBuffer], true);
            forms[Kind::SampledImage as usize] = form(&[Table::SampledImage], false);
            forms[Kind::StorageImage as usize] = form(&[Table::StorageImage], false);
            forms[Kind::ReadBuffer as usize] = form(&[Table::UniformTexels, Table::Raw], true);
            forms[Kind::WriteBuffer as usize] = form(&[Table::StorageTexels, Table::Raw], true);
            for (null, tables) in nulls.iter_mut().zip(sharing) {
                *null = write(tables[0]);
                complete(null, &NULL, 0);
            }
        } else {
            forms[RecordKind::Sampler as usize] = form(&[Table::Sampler], false);
        }
        let (entries, counters) = side.unwrap_or((core::ptr::null_mut(), core::ptr::null_mut()));
        Target {
            update: vk.fp_v1_0().update_descriptor_sets,
            device: vk.handle(),
            forms,
            nulls,
            raw: place(Table::Raw),
            limit,
            last,
            entries,
            counters,
        }
    }

    /// Copies `count` records to `to`, which are those of the slots from `index` on, and publishes them.
    ///
    /// # Safety
    /// `from` and `to` are as many records each, and do not overlap; nobody else publishes to the same slots, and no shader that
    /// runs uses them.
    #[inline]
    pub unsafe fn copy(&self, index: u32, to: *mut Record, from: *const Record, count: u32) {
        let mut writes = [Write::default(); BATCH + WRITES];
        let mut used = 0;
        for at in 0..count {
            // SAFETY: the caller promises as many records; the side buffers have at least `limit` places.
            unsafe {
                let record = to.add(at as usize);
                let past = Past::of(&*record);
                record.write(from.add(at as usize).read());
                let index = index + at;
                if index >= self.limit {
                    self.beyond(index, &*record, past);
                    continue;
                }
                let Some(place) = writes[used..].first_chunk_mut() else { return };
                used += self.one(place, &*record, past, index);
                if used >= BATCH {
                    (self.update)(self.device, used as u32, writes.as_ptr(), 0, core::ptr::null());
                    used = 0;
                }
            }
        }
        if used != 0 {
            // SAFETY: the writes point into living records.
            unsafe { (self.update)(self.device, used as u32, writes.as_ptr(), 0, core::ptr::null()) };
        }
    }

    /// Publishes the record of one slot, which held `past`.
    ///
    /// # Safety
    /// Nobody else publishes to the same slot, and no shader that runs uses it.
    #[inline(always)]
    pub unsafe fn publish(&self, index: u32, record: &Record, past: Past) {
        if index >= self.limit {
            // SAFETY: the caller promises: nobody else publishes to this slot, and no shader that runs uses it.
            unsafe { self.beyond(index, record, past) };
            return;
        }
        // SAFETY: the index is below `limit`; the caller promises that nobody else publishes to it; the record lives.
        unsafe {
            let mut writes = [Write::default(); WRITES];
            let used = self.one(&mut writes, record, past, index);
            if used != 0 {
                (self.update)(self.device, used as u32, writes.as_ptr(), 0, core::ptr::null());
            }
        }
    }

    /// Writes the side buffers, fills in the Vulkan writes of a record, and says how many they are. In place: to copy what was
    /// just written in pieces would wait for it.
    ///
    /// # Safety
    /// `index` is below `last`; nobody else writes it.
    #[inline(always)]
    unsafe fn one(&self, writes: &mut [Write; WRITES], record: &Record, past: Past, index: u32) -> usize {
        if past.shows(record) {
            return 0;
        }
        let (form, before) = (&self.forms[record.kind as usize], &self.forms[past.kind as usize]);
        let counter = if record.kind == RecordKind::WriteBuffer { record.first } else { 0 };
        // SAFETY: the side buffers have `last` places; kinds of views are published where there are side buffers only.
        unsafe {
            if form.entry | before.entry {
                self.entries.add(index as usize).write(record.entry);
            }
            if past.counted | (counter != 0) {
                self.counters.add(index as usize).write(counter);
            }
        }
        let mut used = usize::from(form.used);
        for (write, form) in writes.iter_mut().zip(&form.writes[..used]) {
            *write = *form;
            complete(write, record, index);
        }
        let mut left = if past.null { 0 } else { before.arrays & !form.arrays };
        while left != 0 {
            let Some(write) = writes.get_mut(used) else { break };
            *write = self.nulls[left.trailing_zeros() as usize % ARRAYS];
            write.dst_array_element = index;
            used += 1;
            left &= left - 1;
        }
        used
    }

    /// Publishes to an index that has no place in the array of raw buffers, if any place.
    ///
    /// # Safety
    /// As for [`Target::publish`].
    #[cold]
    unsafe fn beyond(&self, index: u32, record: &Record, past: Past) {
        static SAID: std::sync::Once = std::sync::Once::new();
        if record.buffer != 0 || index >= self.last {
            SAID.call_once(|| {
                let (limit, last) = (self.limit, self.last);
                reprise_log::warning(format_args!(
                    "the device has no more than {last} descriptors in a heap, {limit} of them raw, structured and \
                     constant buffers; shaders cannot reach those beyond"
                ));
            });
        }
        if index >= self.last {
            return;
        }
        let mut writes = [Write::default(); WRITES];
        // SAFETY: the index is below `last`; the caller promises that nobody else publishes to it.
        let used = unsafe { self.one(&mut writes, record, past, index) };
        for write in writes[..used].iter().filter(|write| (write.dst_set, write.dst_binding) != self.raw) {
            // SAFETY: the write points into a living record.
            unsafe { (self.update)(self.device, 1, write, 0, core::ptr::null()) };
        }
    }
}

/// What null is written from.
static NULL: Record = Record::null(RecordKind::Empty);

/// Makes a write one of a record.
#[inline(always)]
fn complete(write: &mut vk::WriteDescriptorSet<'_>, record: &Record, index: u32) {
    let base = from_ref(record);
    write.dst_array_element = index;
    // Vulkan reads the one that the type asks for. A record's fields lie as in these structures.
    write.p_image_info = base.cast();
    write.p_texel_buffer_view = base.wrapping_byte_add(core::mem::offset_of!(Record, view)).cast();
    write.p_buffer_info = base.wrapping_byte_add(core::mem::offset_of!(Record, buffer)).cast();
}
