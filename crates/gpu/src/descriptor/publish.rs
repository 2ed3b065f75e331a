//! Writing records where shaders see them.

use core::ptr::from_ref;

use ash::vk;

use crate::descriptor::layout::{Layouts, Place, Table};
use crate::descriptor::offset::Entry;
use crate::descriptor::record::{Record, RecordKind};

/// Records that one Vulkan call writes at most.
const BATCH: usize = 32;
/// Vulkan descriptors of one record at most.
const WRITES: usize = 2;

/// What a kind of record becomes: Vulkan's writes, complete but for the index and the record.
#[derive(Clone, Copy)]
struct Form {
    writes: [vk::WriteDescriptorSet<'static>; WRITES],
    /// How many of them for a record, and for null, which is null of several types.
    used: [u8; 2],
    /// Whether offset entries and counters mean anything.
    buffer: bool,
}

/// Where a shader-visible heap's descriptors go. Everything that publishing needs, in one place.
pub struct Target {
    update: vk::PFN_vkUpdateDescriptorSets,
    device: vk::Device,
    /// By [`RecordKind`]. Those that shaders never see have no writes.
    forms: [Form; RecordKind::COUNT],
    /// The tables of null, all that have their own place: the writes without index.
    nulls: Vec<vk::WriteDescriptorSet<'static>>,
    /// Where raw and structured buffers are.
    raw: (vk::DescriptorSet, u32),
    /// From this index on, shaders see no raw and structured buffers: more than the device can take.
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
        let raw = write(Table::Raw);
        let form = |table: Table, used: [u8; 2], buffer: bool| Form { writes: [write(table), raw], used, buffer };
        let mut forms = [form(Table::Raw, [0; 2], false); RecordKind::COUNT];
        if side.is_some() {
            forms[RecordKind::ConstantBuffer as usize] = form(Table::ConstantBuffer, [1, 1], false);
            forms[RecordKind::SampledImage as usize] = form(Table::SampledImage, [1, 2], false);
            forms[RecordKind::StorageImage as usize] = form(Table::StorageImage, [1, 2], false);
            forms[RecordKind::ReadBuffer as usize] = form(Table::UniformTexels, [2, 2], true);
            forms[RecordKind::WriteBuffer as usize] = form(Table::StorageTexels, [2, 2], true);
        } else {
            forms[RecordKind::Sampler as usize] = form(Table::Sampler, [1, 1], false);
        }
        let nulls: &[Table] = match (side.is_some(), layouts.mutable()) {
            (false, _) => &[],
            (true, true) => &[Table::SampledImage, Table::Raw],
            (true, false) => &Table::VIEWS,
        };
        let (entries, counters) = side.unwrap_or((core::ptr::null_mut(), core::ptr::null_mut()));
        Target {
            update: vk.fp_v1_0().update_descriptor_sets,
            device: vk.handle(),
            forms,
            nulls: nulls.iter().map(|table| write(*table)).collect(),
            raw: (raw.dst_set, raw.dst_binding),
            limit,
            last,
            entries,
            counters,
        }
    }

    /// Writes `count` records to the descriptors from `index` on.
    ///
    /// # Safety
    /// `records` are readable and stay unchanged until this returns; nobody else publishes to the same descriptors, and no
    /// shader that runs uses them.
    #[inline]
    pub unsafe fn publish(&self, index: u32, records: *const Record, count: u32) {
        let end = index.saturating_add(count);
        if end > self.limit {
            for at in index.max(self.limit)..end {
                // SAFETY: the caller promises: `records` are readable and stay unchanged until this returns; nobody else
                // publishes to the same descriptors, and no shader that runs uses them.
                unsafe { self.beyond(at, &*records.add((at - index) as usize)) };
            }
        }
        let end = end.min(self.limit);
        let mut writes = [vk::WriteDescriptorSet::default(); BATCH * WRITES];
        let mut used = 0;
        for at in index..end {
            // SAFETY: the caller promises readable records; the side buffers have at least `limit` places.
            unsafe {
                let record = &*records.add((at - index) as usize);
                let Some(place) = writes[used..].first_chunk_mut() else { return };
                used += self.one(place, record, at);
                if used > (BATCH - 1) * WRITES {
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

    /// As [`Target::publish`], for one record.
    ///
    /// # Safety
    /// Nobody else publishes to the same descriptor, and no shader that runs uses it.
    #[inline(always)]
    pub unsafe fn publish_one(&self, index: u32, record: &Record) {
        if index >= self.limit {
            // SAFETY: the caller promises: nobody else publishes to this descriptor, and no shader that runs uses it.
            unsafe { self.beyond(index, record) };
            return;
        }
        // SAFETY: the index is below `limit`; the caller promises that nobody else publishes to it; the record lives.
        unsafe {
            let mut writes = [vk::WriteDescriptorSet::default(); WRITES];
            let used = self.one(&mut writes, record, index);
            (self.update)(self.device, used as u32, writes.as_ptr(), 0, core::ptr::null());
        }
    }

    /// Writes the side buffers, fills in the Vulkan writes of a record, and says how many they are. In place: to copy what was
    /// just written in pieces would wait for it.
    ///
    /// # Safety
    /// `index` is below `last`; nobody else writes it.
    #[inline(always)]
    unsafe fn one(&self, writes: &mut [vk::WriteDescriptorSet<'static>; WRITES], record: &Record, index: u32) -> usize {
        let form = &self.forms[record.kind as usize];
        let null = record.is_null();
        let used = usize::from(form.used[usize::from(null)]);
        if used == 0 {
            // SAFETY: the caller promises: `index` is below `last`; nobody else writes it.
            unsafe { self.nothing(index) };
        }
        if (form.buffer || null) && !self.entries.is_null() {
            let counter = if record.kind == RecordKind::WriteBuffer { record.first } else { 0 };
            // SAFETY: the side buffers have `last` places.
            unsafe {
                self.entries.add(index as usize).write(record.entry);
                self.counters.add(index as usize).write(counter);
            }
        }
        for (write, form) in writes.iter_mut().zip(&form.writes) {
            *write = *form;
            complete(write, record, index);
        }
        used
    }

    /// Publishes to an index that has no place for raw and structured buffers, if any place.
    ///
    /// # Safety
    /// As for [`Target::publish_one`].
    #[cold]
    unsafe fn beyond(&self, index: u32, record: &Record) {
        static SAID: std::sync::Once = std::sync::Once::new();
        let buffer = matches!(record.kind, RecordKind::ReadBuffer | RecordKind::WriteBuffer) && record.buffer != 0;
        if buffer || index >= self.last {
            SAID.call_once(|| {
                let (limit, last) = (self.limit, self.last);
                reprise_log::warning(format_args!(
                    "the device has no more than {last} descriptors in a heap, {limit} of them raw and structured \
                     buffers; shaders cannot reach those beyond"
                ));
            });
        }
        if index >= self.last {
            return;
        }
        let mut writes = [vk::WriteDescriptorSet::default(); WRITES];
        // SAFETY: the index is below `last`; the caller promises that nobody else publishes to it.
        let used = unsafe { self.one(&mut writes, record, index) };
        for write in writes[..used].iter().filter(|write| self.reaches(write, index)) {
            // SAFETY: the write points into a living record.
            unsafe { (self.update)(self.device, 1, write, 0, core::ptr::null()) };
        }
    }

    /// Whether a write's table goes as far as an index.
    fn reaches(&self, write: &vk::WriteDescriptorSet<'_>, index: u32) -> bool {
        index < self.limit || (write.dst_set, write.dst_binding) != self.raw
    }

    /// Null of all types that have their own place: a record that is none in a heap of views.
    ///
    /// # Safety
    /// As for [`Target::publish_one`].
    #[cold]
    unsafe fn nothing(&self, index: u32) {
        static NULL: Record = Record::null(RecordKind::Empty);
        for mut write in self.nulls.iter().copied().filter(|write| self.reaches(write, index)) {
            complete(&mut write, &NULL, index);
            // SAFETY: the write points to null.
            unsafe { (self.update)(self.device, 1, &write, 0, core::ptr::null()) };
        }
    }
}

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
