//! Publishing into descriptor sets.
//!
//! Each record becomes Vulkan's writes, made in their places: a record's fields lie as in Vulkan's structures.

use core::mem::MaybeUninit;
use core::ptr::from_ref;

use ash::vk;

use crate::descriptor::layout::{Layouts, Place};
use crate::descriptor::publish::{ARRAYS, OWN, Past, Side, array, beyond, tables};
use crate::descriptor::record::{Record, RecordKind};
use crate::descriptor::table::{Table, arrays};

/// Vulkan descriptors of one record at most: its own, and null for those of the last one.
const WRITES: usize = 2 * OWN;
type Write = vk::WriteDescriptorSet<'static>;

/// What a kind of record becomes: Vulkan's writes, complete but for the index and the record.
#[derive(Clone, Copy)]
struct Form {
    writes: [Write; OWN],
    /// How many of them.
    used: u8,
    /// The arrays that they go to, one bit each. None for samplers: Vulkan has no null of them.
    arrays: u8,
    /// Whether they are of a `VkDescriptorBufferInfo`.
    buffers: bool,
    /// Samplers: how far behind the first write the second one lies, which is of [`Record::range`]; 0: there is none.
    plain: u32,
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
    /// [`Side::NONE`] in heaps of samplers.
    side: Side,
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
    pub(in crate::descriptor) fn new(
        vk: &ash::Device,
        layouts: &Layouts,
        sets: &[vk::DescriptorSet],
        first: u32,
        [limit, last]: [u32; 2],
        side: Option<Side>,
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
        let sharing = layouts.sharing();
        let mut forms =
            [Form { writes: [Write::default(); OWN], used: 0, arrays: 0, buffers: false, plain: 0 }; RecordKind::COUNT];
        let mut nulls = [Write::default(); ARRAYS];
        for kind in RecordKind::ALL {
            let tables = tables(kind);
            if tables.contains(&Table::Sampler) == side.is_some() {
                continue;
            }
            let form = &mut forms[kind as usize];
            for (own, table) in form.writes.iter_mut().zip(tables) {
                *own = write(*table);
            }
            form.used = tables.len() as u8;
            if tables.contains(&Table::Sampler) && layouts.plain_samplers() != 0 {
                (form.writes[1], form.used, form.plain) = (form.writes[0], 2, layouts.plain_samplers());
            }
            if side.is_some() {
                form.arrays = tables.iter().fold(0, |bits, table| bits | 1 << array(sharing, *table));
                form.buffers = tables.iter().any(|table| matches!(table, Table::ConstantBuffer | Table::Raw));
            }
        }
        if side.is_some() {
            for (null, tables) in nulls.iter_mut().zip(arrays(sharing)) {
                *null = write(tables[0]);
                complete(null, &NULL, 0);
            }
        }
        Target {
            update: vk.fp_v1_0().update_descriptor_sets,
            device: vk.handle(),
            forms,
            nulls,
            raw: place(Table::Raw),
            limit,
            last,
            side: side.unwrap_or(Side::NONE),
        }
    }

    /// Copies `count` records to `to`, which are those of the slots from `index` on, and publishes them.
    ///
    /// # Safety
    /// `from` and `to` are as many records each, and do not overlap; nobody else publishes to the same slots, and no shader that
    /// runs uses them.
    #[inline]
    pub unsafe fn copy(&self, index: u32, to: *mut Record, from: *const Record, count: u32) {
        let mut batch = Batch::new(self);
        for at in 0..count {
            // SAFETY: the caller promises as many records, which stay where they are until this returns.
            unsafe {
                let record = &mut *to.add(at as usize);
                let past = Past::of(record);
                *record = from.add(at as usize).read().lasting();
                batch.add(index + at, record, past);
            }
        }
        batch.flush();
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
            let mut writes = [const { MaybeUninit::uninit() }; WRITES];
            let used = self.one(&mut writes, record, past, index);
            if used != 0 {
                (self.update)(self.device, used as u32, writes.as_ptr().cast(), 0, core::ptr::null());
            }
        }
    }

    /// Writes the side buffers, fills in the Vulkan writes of a record, and says how many they are; so many are complete. In
    /// place: to copy what was just written in pieces would wait for it.
    ///
    /// # Safety
    /// `index` is below `last`; nobody else writes it.
    #[inline(always)]
    unsafe fn one(&self, writes: &mut [MaybeUninit<Write>; WRITES], record: &Record, past: Past, index: u32) -> usize {
        if past.shows(record) {
            return 0;
        }
        let form = &self.forms[record.kind as usize];
        // SAFETY: the caller promises that `index` is below `last` and that nobody else writes it.
        unsafe { self.side.write(record, past, index) };
        let mut used = usize::from(form.used);
        for (write, form) in writes.iter_mut().zip(&form.writes[..used]) {
            complete(write.write(*form), record, index);
        }
        if form.plain != 0 {
            let second = writes[1].write(form.writes[1]);
            second.dst_array_element = index + form.plain;
            second.p_image_info = from_ref(&record.range).cast();
        }
        let mut left = self.left(past, form);
        while left != 0 {
            let Some(write) = writes.get_mut(used) else { break };
            write.write(self.nulls[left.trailing_zeros() as usize % ARRAYS]).dst_array_element = index;
            used += 1;
            left &= left - 1;
        }
        used
    }

    /// The arrays that hold what a slot held, and not what it holds now.
    #[inline(always)]
    fn left(&self, past: Past, form: &Form) -> u8 {
        if past.null { 0 } else { self.forms[past.kind as usize].arrays & !form.arrays }
    }

    /// Publishes to an index that has no place in the array of raw buffers, if any place.
    ///
    /// # Safety
    /// As for [`Target::publish`].
    #[cold]
    unsafe fn beyond(&self, index: u32, record: &Record, past: Past) {
        if record.buffer != 0 || index >= self.last {
            beyond(self.limit, self.last);
        }
        if index >= self.last {
            return;
        }
        let mut writes = [const { MaybeUninit::uninit() }; WRITES];
        // SAFETY: the index is below `last`; the caller promises that nobody else publishes to it.
        let used = unsafe { self.one(&mut writes, record, past, index) };
        for write in &writes[..used] {
            // SAFETY: `one` completed so many writes, which point into a living record.
            unsafe {
                let write = write.assume_init_ref();
                if (write.dst_set, write.dst_binding) != self.raw {
                    (self.update)(self.device, 1, write, 0, core::ptr::null());
                }
            }
        }
    }
}

/// Vulkan's writes that one call makes at most, and records that they show at most.
const LINES: usize = 16;
const ROOM: usize = 64;

/// Writes for records that follow each other. Records of one kind become one write of several descriptors, because a driver
/// takes longer to begin a write than to go on with it.
struct Batch<'a> {
    target: &'a Target,
    writes: [MaybeUninit<Write>; LINES],
    /// Writes that are complete.
    used: usize,
    /// What the writes show, each a `VkDescriptorImageInfo` or a `VkDescriptorBufferInfo`, which are of one size.
    infos: [MaybeUninit<[u64; 3]>; ROOM],
    /// Texel buffers, at the same places.
    texels: [MaybeUninit<u64>; ROOM],
    filled: usize,
    /// The write that goes on: kind, first index, first place in `infos`. It ends with what is filled.
    run: Option<(RecordKind, u32, usize)>,
}

impl<'a> Batch<'a> {
    fn new(target: &'a Target) -> Batch<'a> {
        Batch {
            target,
            writes: [const { MaybeUninit::uninit() }; LINES],
            used: 0,
            infos: [const { MaybeUninit::uninit() }; ROOM],
            texels: [const { MaybeUninit::uninit() }; ROOM],
            filled: 0,
            run: None,
        }
    }

    /// Adds a record, whose index is that of the last one and one more.
    ///
    /// # Safety
    /// The record stays where it is until the batch is flushed; for the index as for [`Target::publish`].
    #[inline(always)]
    unsafe fn add(&mut self, index: u32, record: &Record, past: Past) {
        let target = self.target;
        let form = &target.forms[record.kind as usize];
        let shown = !record.is_null() && form.used != 0;
        if index >= target.limit || !shown || target.left(past, form) != 0 {
            // SAFETY: the caller promises what publishing asks for.
            unsafe { self.alone(index, record, past) };
            return;
        }
        // A write that ends takes as many lines as it has arrays.
        if self.filled == ROOM || self.used + 2 * OWN > LINES {
            self.flush();
        }
        if self.run.is_none_or(|(kind, ..)| kind != record.kind) {
            self.end();
            self.run = Some((record.kind, index, self.filled));
        }
        // SAFETY: the index is below the limit; the caller promises that nobody else publishes to it.
        unsafe { target.side.write(record, past, index) };
        self.infos[self.filled].write(if form.buffers {
            [record.buffer, record.offset, record.range]
        } else {
            [record.first, record.view, record.word as u32 as u64]
        });
        self.texels[self.filled].write(record.view);
        self.filled += 1;
    }

    /// Publishes a record by itself: null, one that leaves arrays, or one beyond the limit.
    ///
    /// # Safety
    /// As for [`Target::publish`].
    unsafe fn alone(&mut self, index: u32, record: &Record, past: Past) {
        self.end();
        // SAFETY: the caller promises what publishing asks for.
        unsafe { self.target.publish(index, record, past) };
    }

    /// Completes the write that goes on.
    #[inline(always)]
    fn end(&mut self) {
        let Some((kind, index, first)) = self.run.take() else { return };
        let form = &self.target.forms[kind as usize];
        for own in &form.writes[..usize::from(form.used)] {
            let Some(write) = self.writes.get_mut(self.used) else { return };
            let infos = self.infos[first..].as_ptr();
            write.write(vk::WriteDescriptorSet {
                dst_array_element: index,
                descriptor_count: (self.filled - first) as u32,
                p_image_info: infos.cast(),
                p_buffer_info: infos.cast(),
                p_texel_buffer_view: self.texels[first..].as_ptr().cast(),
                ..*own
            });
            self.used += 1;
        }
    }

    /// Tells Vulkan.
    fn flush(&mut self) {
        self.end();
        if self.used != 0 {
            let target = self.target;
            // SAFETY: so many writes are complete, and they point into what is filled.
            unsafe {
                (target.update)(target.device, self.used as u32, self.writes.as_ptr().cast(), 0, core::ptr::null())
            };
        }
        (self.used, self.filled) = (0, 0);
    }
}

const _: () = assert!(size_of::<vk::DescriptorImageInfo>() == 24 && size_of::<vk::DescriptorBufferInfo>() == 24);

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
