//! Publishing into memory.
//!
//! The driver makes the bytes of a descriptor once (`vkGetDescriptorEXT`), where the program creates it; a copy copies bytes. So
//! each heap has bytes: in arrays that shaders see, or slot by slot in memory of the process.
//!
//! Invariant: the bytes of a record that is not null are valid in the arrays of its own types, in every heap. Other arrays mean
//! something in heaps that shaders see only.

use ash::vk;

use crate::descriptor::layout::Layouts;
use crate::descriptor::nulls::Nulls;
use crate::descriptor::plan::Sizes;
use crate::descriptor::publish::{ARRAYS, OWN, Past, Side, Source, Spans, array, beyond, tables};
use crate::descriptor::record::{Record, RecordKind};
use crate::descriptor::table::{Table, arrays};
use crate::error::Result;
use crate::settings::Sharing;

/// A descriptor that a record becomes.
#[derive(Clone, Copy)]
struct Own {
    ty: vk::DescriptorType,
    /// The array that it goes to.
    array: u8,
    /// Bytes that the driver makes of it.
    size: u32,
    /// As many bytes that are null of the type; none of samplers.
    null: *const u8,
}

/// What a kind of record becomes.
#[derive(Clone, Copy)]
struct Form {
    own: [Own; OWN],
    /// How many of them.
    used: u8,
    /// The arrays that they go to, one bit each. None for samplers: Vulkan has no null of them.
    arrays: u8,
}

/// The elements of an array, as the CPU sees them.
#[derive(Clone, Copy, Debug)]
pub(in crate::descriptor) struct Elements {
    /// The first element.
    pub(in crate::descriptor) first: *mut u8,
    /// Bytes from an element to the next.
    pub(in crate::descriptor) stride: usize,
}

/// Where a heap's descriptors go.
pub struct Target {
    get: vk::PFN_vkGetDescriptorEXT,
    device: vk::Device,
    /// By [`RecordKind`]. Those that the heap does not hold become nothing.
    forms: [Form; RecordKind::COUNT],
    /// Places of a slot in the arrays.
    elements: [Elements; ARRAYS],
    /// By array: bytes of an element, and as many that are null of its first type.
    nulls: [(usize, *const u8); ARRAYS],
    /// From this index on, there is no place.
    last: u32,
    /// Whether shaders see the heap.
    visible: bool,
    /// Bytes of a slot, which lie together where shaders do not see the heap.
    slot: usize,
    /// [`Side::NONE`] in heaps of samplers and in those that shaders do not see.
    side: Side,
}

// SAFETY: a handle and pointers to memory that lives as long as the heap and the device; callers of the unsafe methods keep each
// index to one thread.
unsafe impl Send for Target {}
// SAFETY: nobody changes the fields; callers of the unsafe methods keep each index to one thread.
unsafe impl Sync for Target {}

impl core::fmt::Debug for Target {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Target").field("last", &self.last).field("visible", &self.visible).finish_non_exhaustive()
    }
}

/// What a heap's memory is for its [`Target`].
pub(in crate::descriptor) struct Memory<'a> {
    /// Whether it holds samplers, else views.
    pub(in crate::descriptor) samplers: bool,
    /// By array.
    pub(in crate::descriptor) elements: &'a [Elements],
    /// Descriptors.
    pub(in crate::descriptor) count: u32,
    /// The side buffers of heaps of views that shaders see.
    pub(in crate::descriptor) side: Option<Side>,
    /// Whether shaders see the heap.
    pub(in crate::descriptor) visible: bool,
}

impl Target {
    /// For the memory of a heap. `nulls` live as long as the heap.
    ///
    /// # Errors
    /// The device has no descriptor buffers.
    pub(in crate::descriptor) fn new(layouts: &Layouts, nulls: &Nulls, memory: &Memory<'_>) -> Result<Target> {
        let driver = (layouts.functions()?.fp().get_descriptor_ext, layouts.logical().vk.handle());
        let sizes = Sizes::of(&layouts.logical().caps.descriptor_buffer);
        Ok(Target::of_parts(driver, layouts.sharing(), &sizes, nulls, memory))
    }

    /// As [`Target::new`], with the driver's function and its device.
    fn of_parts(
        (get, device): (vk::PFN_vkGetDescriptorEXT, vk::Device),
        sharing: Sharing,
        sizes: &Sizes,
        nulls: &Nulls,
        memory: &Memory<'_>,
    ) -> Target {
        let nothing = Own { ty: vk::DescriptorType::SAMPLER, array: 0, size: 0, null: core::ptr::null() };
        let mut forms = [Form { own: [nothing; OWN], used: 0, arrays: 0 }; RecordKind::COUNT];
        for kind in RecordKind::ALL {
            let tables = tables(kind);
            if tables.contains(&Table::Sampler) != memory.samplers {
                continue;
            }
            let form = &mut forms[kind as usize];
            for (own, &table) in form.own.iter_mut().zip(tables) {
                let array = array(sharing, table) as u8;
                *own = Own { ty: table.vk(), array, size: sizes.of_table(table), null: nulls.of(table) };
            }
            form.used = tables.len() as u8;
            if !memory.samplers {
                form.arrays = tables.iter().fold(0, |bits, table| bits | 1 << array(sharing, *table));
            }
        }
        let mut firsts = [(0, core::ptr::null()); ARRAYS];
        if !memory.samplers {
            for (first, tables) in firsts.iter_mut().zip(arrays(sharing)) {
                *first = (sizes.of_table(tables[0]) as usize, nulls.of(tables[0]));
            }
        }
        let mut elements = [Elements { first: core::ptr::null_mut(), stride: 0 }; ARRAYS];
        elements[..memory.elements.len()].copy_from_slice(memory.elements);
        Target {
            get,
            device,
            forms,
            elements,
            nulls: firsts,
            last: memory.count,
            visible: memory.visible,
            slot: memory.elements.first().map_or(0, |elements| elements.stride),
            side: memory.side.unwrap_or(Side::NONE),
        }
    }

    /// Where the bytes of a source are, and its index; `None` where it has none.
    #[inline(always)]
    pub(super) fn of<'a>(source: &Source<'a>) -> Option<(&'a Target, u32)> {
        match source.target {
            Some(super::Target::Buffers(target)) => Some((target, source.index)),
            _ => None,
        }
    }

    /// The place of a slot in an array.
    #[inline(always)]
    fn place(&self, array: u8, index: u32) -> *mut u8 {
        let elements = &self.elements[usize::from(array) % ARRAYS];
        elements.first.wrapping_add(index as usize * elements.stride)
    }

    /// As [`super::Target::publish`].
    ///
    /// # Safety
    /// As for [`super::Target::publish`].
    #[inline(always)]
    pub(super) unsafe fn publish(&self, index: u32, record: &Record, past: Past, spans: &Spans) {
        if index >= self.last {
            return beyond(self.last, self.last);
        }
        if past.shows(record) {
            return;
        }
        let form = &self.forms[record.kind as usize];
        // SAFETY: the index is below `last`; the caller keeps the slot to one thread, and record and spans name what lives.
        unsafe {
            self.make_room(form, record, past, index);
            if shows_something(record) {
                for own in &form.own[..usize::from(form.used)] {
                    self.make(own, self.place(own.array, index), record, spans);
                }
            }
        }
    }

    /// As [`super::Target::copy_one`], from the bytes of a source.
    ///
    /// # Safety
    /// As for [`super::Target::copy_one`].
    #[inline(always)]
    pub(super) unsafe fn copy_one(
        &self,
        index: u32,
        to: *mut Record,
        from: *const Record,
        source: Option<(&Target, u32)>,
    ) {
        // SAFETY: the caller promises that both records are there and that the slot is its own; indices are compared with `last`.
        unsafe {
            let past = Past::of(&*to);
            let record = from.read();
            to.write(record);
            if index >= self.last {
                return beyond(self.last, self.last);
            }
            if past.shows(&record) {
                return;
            }
            let form = &self.forms[record.kind as usize];
            self.make_room(form, &record, past, index);
            if shows_something(&record) {
                let own = &form.own[..usize::from(form.used)];
                match source.filter(|(source, at)| *at < source.last) {
                    Some((source, at)) => {
                        for own in own {
                            copy_bytes(self.place(own.array, index), source.place(own.array, at), own.size as usize);
                        }
                    }
                    None => own.iter().for_each(|own| self.write_null(own, index)),
                }
            }
        }
    }

    /// As [`super::Target::copy`], from the bytes of a source.
    ///
    /// # Safety
    /// As for [`super::Target::copy`].
    pub(super) unsafe fn copy(
        &self,
        index: u32,
        to: *mut Record,
        from: *const Record,
        source: Option<(&Target, u32)>,
        count: u32,
    ) {
        let hidden = source.filter(|(source, at)| {
            let fits = |target: &Target, index: u32| target.last.saturating_sub(index) >= count;
            !self.visible && !source.visible && self.slot == source.slot && fits(self, index) && fits(source, *at)
        });
        // SAFETY: the caller promises as many records and slots on both sides. Both heaps lie slot by slot where neither is seen by
        // shaders, and their ranges may overlap.
        unsafe {
            if let Some((source, at)) = hidden {
                core::ptr::copy(from, to, count as usize);
                core::ptr::copy(source.place(0, at), self.place(0, index), count as usize * self.slot);
                return;
            }
            for step in 0..count {
                let source = source.map(|(source, at)| (source, at + step));
                self.copy_one(index + step, to.add(step as usize), from.add(step as usize), source);
            }
        }
    }

    /// Makes null what a slot shows, of the arrays that its new record does not fill; and writes the side buffers.
    ///
    /// # Safety
    /// `index` is below `last`; nobody else writes it.
    #[inline(always)]
    unsafe fn make_room(&self, form: &Form, record: &Record, past: Past, index: u32) {
        if !self.visible {
            return;
        }
        let before = &self.forms[past.kind as usize];
        // SAFETY: the caller promises the index; forms have arrays only where the heap has them.
        unsafe {
            self.side.write(record, past, index);
            if !shows_something(record) {
                form.own[..usize::from(form.used)].iter().for_each(|own| self.write_null(own, index));
            }
            let mut left = if past.null { 0 } else { before.arrays & !form.arrays };
            while left != 0 {
                let array = left.trailing_zeros() as u8;
                let (size, null) = self.nulls[usize::from(array) % ARRAYS];
                copy_bytes(self.place(array, index), null, size);
                left &= left - 1;
            }
        }
    }

    /// Makes the element of a type null.
    ///
    /// # Safety
    /// `index` is below `last`; nobody else writes it.
    #[inline(always)]
    unsafe fn write_null(&self, own: &Own, index: u32) {
        if !own.null.is_null() {
            // SAFETY: the place is the heap's, and there are as many bytes of null.
            unsafe { copy_bytes(self.place(own.array, index), own.null, own.size as usize) };
        }
    }

    /// Makes one descriptor of a record that is not null.
    ///
    /// # Safety
    /// The place has room for it, and nobody else writes there; what record and spans name lives.
    #[inline(always)]
    unsafe fn make(&self, own: &Own, place: *mut u8, record: &Record, spans: &Spans) {
        let (typed, raw) = (address(spans.typed, spans.format), address(spans.raw, vk::Format::UNDEFINED));
        let image = core::ptr::from_ref(record).cast::<vk::DescriptorImageInfo>();
        let data = match own.ty {
            vk::DescriptorType::SAMPLER => {
                vk::DescriptorDataEXT { p_sampler: core::ptr::from_ref(&record.first).cast::<vk::Sampler>() }
            }
            vk::DescriptorType::SAMPLED_IMAGE => vk::DescriptorDataEXT { p_sampled_image: image },
            vk::DescriptorType::STORAGE_IMAGE => vk::DescriptorDataEXT { p_storage_image: image },
            vk::DescriptorType::UNIFORM_TEXEL_BUFFER => vk::DescriptorDataEXT { p_uniform_texel_buffer: some(&typed) },
            vk::DescriptorType::STORAGE_TEXEL_BUFFER => vk::DescriptorDataEXT { p_storage_texel_buffer: some(&typed) },
            vk::DescriptorType::UNIFORM_BUFFER => vk::DescriptorDataEXT { p_uniform_buffer: some(&raw) },
            _ => vk::DescriptorDataEXT { p_storage_buffer: some(&raw) },
        };
        let info = vk::DescriptorGetInfoEXT { ty: own.ty, data, ..Default::default() };
        // SAFETY: the structures live until the call returns; a record's fields lie as in a `VkDescriptorImageInfo`, and the caller
        // promises that its views live and that the place has room.
        unsafe { (self.get)(self.device, &info, own.size as usize, place.cast()) };
    }
}

/// Whether a record's descriptors are made of something. There is no null of samplers.
#[inline(always)]
fn shows_something(record: &Record) -> bool {
    !record.is_null() || record.kind == RecordKind::Sampler
}

#[inline(always)]
fn address((address, range): (u64, u64), format: vk::Format) -> vk::DescriptorAddressInfoEXT<'static> {
    vk::DescriptorAddressInfoEXT { address, range, format, ..Default::default() }
}

/// Null where there are no bytes.
#[inline(always)]
fn some<'a>(info: &'a vk::DescriptorAddressInfoEXT<'a>) -> *const vk::DescriptorAddressInfoEXT<'a> {
    if info.range == 0 { core::ptr::null() } else { info }
}

/// Copies a descriptor. Sizes that drivers have are copied without a call.
///
/// # Safety
/// Both places have as many bytes, which do not overlap.
#[inline(always)]
unsafe fn copy_bytes(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: the caller promises as many bytes.
    unsafe {
        match bytes {
            4 => to.cast::<[u8; 4]>().write_unaligned(from.cast::<[u8; 4]>().read_unaligned()),
            16 => to.cast::<[u8; 16]>().write_unaligned(from.cast::<[u8; 16]>().read_unaligned()),
            32 => to.cast::<[u8; 32]>().write_unaligned(from.cast::<[u8; 32]>().read_unaligned()),
            64 => to.cast::<[u8; 64]>().write_unaligned(from.cast::<[u8; 64]>().read_unaligned()),
            _ => core::ptr::copy_nonoverlapping(from, to, bytes),
        }
    }
}

#[cfg(test)]
mod tests;
