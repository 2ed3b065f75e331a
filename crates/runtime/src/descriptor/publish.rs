//! Writing records where shaders see them.

use core::ptr::from_ref;

use ash::vk;

use crate::descriptor::offset::Entry;
use crate::descriptor::record::{Kind, Record};
use crate::descriptor::{Layouts, Place, Table};

/// Records that one Vulkan call writes at most.
const BATCH: usize = 16;
/// Vulkan descriptors of one record at most.
const WRITES: usize = 6;

/// Where a shader-visible heap's descriptors go. Everything that publishing needs, in one place.
pub struct Target {
    update: vk::PFN_vkUpdateDescriptorSets,
    device: vk::Device,
    /// By [`Table`]: the set and its binding.
    places: [(vk::DescriptorSet, u32); 7],
    mutable: bool,
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
// SAFETY: as above.
unsafe impl Sync for Target {}

impl core::fmt::Debug for Target {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Target").field("places", &self.places).field("limit", &self.limit).finish_non_exhaustive()
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
        let (entries, counters) = side.unwrap_or((core::ptr::null_mut(), core::ptr::null_mut()));
        let [a, b, c, d, e, f] = Table::VIEWS;
        Target {
            update: vk.fp_v1_0().update_descriptor_sets,
            device: vk.handle(),
            places: [a, b, c, d, e, f, Table::Sampler].map(place),
            mutable: layouts.mutable(),
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
                // SAFETY: by contract.
                unsafe { self.beyond(at, &*records.add((at - index) as usize)) };
            }
        }
        let mut at = index;
        let end = end.min(self.limit);
        let mut writes = [const { empty() }; BATCH * WRITES];
        let mut used = 0;
        while at < end {
            // SAFETY: readable by contract; the side buffers have at least `limit` places.
            unsafe {
                let record = &*records.add((at - index) as usize);
                used += self.one(&mut writes[used..], record, at);
                if used > (BATCH - 1) * WRITES {
                    (self.update)(self.device, used as u32, writes.as_ptr(), 0, core::ptr::null());
                    used = 0;
                }
            }
            at += 1;
        }
        if used != 0 {
            // SAFETY: the writes point into living records.
            unsafe { (self.update)(self.device, used as u32, writes.as_ptr(), 0, core::ptr::null()) };
        }
    }

    /// As [`Target::publish`], for one record.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub unsafe fn publish_one(&self, index: u32, record: &Record) {
        if index >= self.limit {
            // SAFETY: by contract.
            unsafe { self.beyond(index, record) };
            return;
        }
        let mut writes = [const { empty() }; WRITES];
        // SAFETY: by contract.
        unsafe {
            let used = self.one(&mut writes, record, index);
            (self.update)(self.device, used as u32, writes.as_ptr(), 0, core::ptr::null());
        }
    }

    /// Writes the side buffers and fills in the Vulkan writes of a record.
    ///
    /// # Safety
    /// `index` is below `last`; nobody else writes it.
    #[inline(always)]
    unsafe fn one(&self, writes: &mut [vk::WriteDescriptorSet<'static>], record: &Record, index: u32) -> usize {
        if !self.entries.is_null() {
            let counter = if record.kind == Kind::WriteBuffer { record.first } else { 0 };
            // SAFETY: the side buffers have `last` places.
            unsafe {
                self.entries.add(index as usize).write(record.entry);
                self.counters.add(index as usize).write(counter);
            }
        }
        let (first, second) = match record.kind {
            Kind::ConstantBuffer => (Table::ConstantBuffer, None),
            Kind::SampledImage if record.view != 0 => (Table::SampledImage, None),
            Kind::StorageImage if record.view != 0 => (Table::StorageImage, None),
            Kind::SampledImage => (Table::SampledImage, Some(Table::Raw)),
            Kind::StorageImage => (Table::StorageImage, Some(Table::Raw)),
            Kind::ReadBuffer => (Table::UniformTexels, Some(Table::Raw)),
            Kind::WriteBuffer => (Table::StorageTexels, Some(Table::Raw)),
            Kind::Sampler => (Table::Sampler, None),
            // Never in a heap that shaders see.
            Kind::Empty | Kind::RenderTarget | Kind::DepthStencil => {
                return if self.entries.is_null() { 0 } else { self.nothing(writes, index) };
            }
        };
        self.write(&mut writes[0], first, record, index);
        match second {
            None => 1,
            Some(table) => {
                self.write(&mut writes[1], table, record, index);
                2
            }
        }
    }

    /// Publishes to an index that has no place for raw and structured buffers, if any place.
    ///
    /// # Safety
    /// As for [`Target::publish_one`].
    #[cold]
    unsafe fn beyond(&self, index: u32, record: &Record) {
        static SAID: std::sync::Once = std::sync::Once::new();
        let buffer = matches!(record.kind, Kind::ReadBuffer | Kind::WriteBuffer) && record.buffer != 0;
        if buffer || index >= self.last {
            SAID.call_once(|| {
                let (limit, last) = (self.limit, self.last);
                eprintln!(
                    "reprise: the device has no more than {last} descriptors in a heap, {limit} of them raw and structured \
                     buffers; shaders cannot reach those beyond"
                );
            });
        }
        if index >= self.last {
            return;
        }
        let mut writes = [const { empty() }; WRITES];
        // SAFETY: by contract; the side buffers have `last` places.
        let used = unsafe { self.one(&mut writes, record, index) };
        let raw = self.places[Table::Raw as usize];
        for write in writes[..used].iter().filter(|write| (write.dst_set, write.dst_binding) != raw) {
            // SAFETY: the write points into a living record.
            unsafe { (self.update)(self.device, 1, write, 0, core::ptr::null()) };
        }
    }

    /// Null of all types that have their own place.
    #[cold]
    fn nothing(&self, writes: &mut [vk::WriteDescriptorSet<'static>], index: u32) -> usize {
        static NULL: Record = Record::null(Kind::Empty);
        let all: &[Table] = if self.mutable { &[Table::SampledImage, Table::Raw] } else { &Table::VIEWS };
        for (write, table) in writes.iter_mut().zip(all) {
            self.write(write, *table, &NULL, index);
        }
        all.len()
    }

    #[inline(always)]
    fn write(&self, write: &mut vk::WriteDescriptorSet<'static>, table: Table, record: &Record, index: u32) {
        let (set, binding) = self.places[table as usize];
        write.dst_set = set;
        write.dst_binding = binding;
        write.dst_array_element = index;
        write.descriptor_type = table.vk();
        // Vulkan reads the one that the type asks for. A record's fields lie as in these structures.
        let base = from_ref(record);
        write.p_image_info = base.cast();
        // SAFETY: inside of the record.
        unsafe {
            write.p_texel_buffer_view = base.byte_add(core::mem::offset_of!(Record, view)).cast();
            write.p_buffer_info = base.byte_add(core::mem::offset_of!(Record, buffer)).cast();
        }
    }
}

const fn empty() -> vk::WriteDescriptorSet<'static> {
    vk::WriteDescriptorSet {
        s_type: vk::StructureType::WRITE_DESCRIPTOR_SET,
        p_next: core::ptr::null(),
        dst_set: vk::DescriptorSet::null(),
        dst_binding: 0,
        dst_array_element: 0,
        descriptor_count: 1,
        descriptor_type: vk::DescriptorType::SAMPLER,
        p_image_info: core::ptr::null(),
        p_buffer_info: core::ptr::null(),
        p_texel_buffer_view: core::ptr::null(),
        _marker: core::marker::PhantomData,
    }
}
