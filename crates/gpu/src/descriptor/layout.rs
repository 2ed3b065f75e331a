//! The set layouts that all pipelines of a device share.
//!
//! Invariant: the layouts are the same for all sets and pipelines of a device, so sets stay bound when pipelines change.

use std::sync::Arc;

use ash::vk;

pub use crate::caps::RAYS;
use crate::caps::{Caps, WIDE_SLOTS};
use crate::descriptor::choice;
use crate::descriptor::expected;
use crate::descriptor::plan::Sizes;
use crate::descriptor::table::{SAMPLERS, Table, VIEWS, arrays, element, vulkan_types};
use crate::error::{Context, Error, Result};
use crate::format;
use crate::logical::Logical;
use crate::settings::{Descriptors, Sharing};
use crate::wide::Wide;

/// What fits a device: families where Vulkan allows as many descriptors.
fn fitting(caps: &Caps) -> Sharing {
    let v12 = &caps.v12;
    // Typed buffers count as images, so an array of each needs twice as many.
    let images = [
        v12.max_descriptor_set_update_after_bind_sampled_images,
        v12.max_per_stage_descriptor_update_after_bind_sampled_images,
        v12.max_descriptor_set_update_after_bind_storage_images,
        v12.max_per_stage_descriptor_update_after_bind_storage_images,
    ];
    match caps.mutable_descriptors() {
        false => Sharing::Nothing,
        true if caps.calls_through_descriptors() || images.iter().all(|most| most / 2 >= VIEWS) => Sharing::Families,
        true => Sharing::Views,
    }
}

/// A set's number in the pipeline layout, and a binding in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

/// Binding of the array in set 0, behind the side buffers.
const ARRAY: u32 = 2;
/// Elements that the arrays of views have behind those that the program asked for. They are null, and what shaders find in place of what
/// lies beyond.
pub(super) const SPARE: u32 = 1;
/// Storage buffers in set 0 that are no views.
pub(super) const SIDE_BUFFERS: u32 = 2;

/// The set layouts.
#[derive(Debug)]
pub struct Layouts {
    logical: Arc<Logical>,
    descriptors: Descriptors,
    sharing: Sharing,
    views: u32,
    raw: u32,
    /// Views of the largest heap that can be made ([`crate::settings::Settings::heap_views`], [`expected`]).
    most: u32,
    /// Of views and raw, what the arrays have room for.
    room: [u32; 2],
    raw_alignment: u32,
    /// Of texel buffers that are read and of those that are written: what they begin at multiples of, and whether a texel's size is
    /// enough where that is less.
    texel_alignment: [(u64, bool); 2],
    triples: bool,
    all: Vec<vk::DescriptorSetLayout>,
    /// Those, and behind them the one of 64-bit texels, where the device has it.
    every: Vec<vk::DescriptorSetLayout>,
    /// Of heaps that are buffers, by set: bytes from a set's beginning to its array.
    before: Vec<u64>,
    /// The layout of the set of records, which is somebody else's.
    records: Option<vk::DescriptorSetLayout>,
}

impl Layouts {
    /// Makes the layouts. `records` is that of the set of records, where shaders look at descriptors.
    ///
    /// # Errors
    /// Vulkan cannot make them.
    pub(crate) fn new(logical: &Arc<Logical>, records: Option<vk::DescriptorSetLayout>) -> Result<Layouts> {
        let caps = &logical.caps;
        let v12 = &caps.v12;
        let sharing = match logical.instance.settings.sharing {
            Some(sharing) if sharing == Sharing::Nothing || caps.mutable_descriptors() => sharing,
            _ => fitting(caps),
        };
        // The side buffers count as storage buffers, too.
        let storage = v12
            .max_descriptor_set_update_after_bind_storage_buffers
            .min(v12.max_per_stage_descriptor_update_after_bind_storage_buffers);
        // Texel buffers count as images, where they have an array of their own.
        let families = match sharing {
            Sharing::Views => 1,
            Sharing::Families if caps.calls_through_descriptors() => 1,
            Sharing::Families | Sharing::Nothing => 2,
        };
        // Texels of 64 bits have two arrays of their own.
        let wide = if logical.wide.is_some() { 2 * WIDE_SLOTS } else { 0 };
        let views = [
            VIEWS + SPARE,
            storage,
            v12.max_descriptor_set_update_after_bind_uniform_buffers,
            v12.max_per_stage_descriptor_update_after_bind_uniform_buffers,
            v12.max_descriptor_set_update_after_bind_sampled_images / families,
            v12.max_per_stage_descriptor_update_after_bind_sampled_images / families,
            v12.max_descriptor_set_update_after_bind_storage_images.saturating_sub(wide) / families,
            v12.max_per_stage_descriptor_update_after_bind_storage_images.saturating_sub(wide) / families,
        ];
        let views = views.into_iter().min().unwrap_or(0);
        let raw = views.min(storage.saturating_sub(SIDE_BUFFERS));
        let most = logical.instance.settings.heap_views.or_else(|| expected::most(caps.driver)).unwrap_or(u32::MAX);
        let room = most.saturating_add(SPARE);
        // Descriptor buffers have no buffers with offsets, as records are.
        let wish = logical.instance.settings.descriptors.filter(|_| records.is_none());
        let descriptors = choice::choose(caps, sharing, wish);
        let mut layouts = Layouts {
            logical: logical.clone(),
            descriptors,
            sharing,
            views,
            raw,
            most,
            room: [views.min(room), raw.min(room)],
            raw_alignment: caps.raw_alignment(),
            texel_alignment: [
                (
                    caps.v13.uniform_texel_buffer_offset_alignment_bytes,
                    caps.v13.uniform_texel_buffer_offset_single_texel_alignment != 0,
                ),
                (
                    caps.v13.storage_texel_buffer_offset_alignment_bytes,
                    caps.v13.storage_texel_buffer_offset_single_texel_alignment != 0,
                ),
            ],
            triples: format::caps::features(logical, vk::Format::R32G32B32_UINT)
                .buffer_features
                .contains(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER),
            all: Vec::new(),
            every: Vec::new(),
            before: Vec::new(),
            records,
        };
        layouts.make(&logical.vk)?;
        Ok(layouts)
    }

    fn make(&mut self, vk: &ash::Device) -> Result<()> {
        let [views, raw] = self.room;
        for tables in arrays(self.sharing) {
            self.make_set(vk, tables, if tables.contains(&Table::Raw) { raw } else { views })?;
        }
        self.make_set(vk, &[Table::Sampler], self.sampler_room())?;
        self.every.clone_from(&self.all);
        self.every.extend(self.logical.wide.as_ref().map(Wide::layout));
        self.every.extend(self.records);
        Ok(())
    }

    /// Makes the next set: an array of `count` elements, and the side buffers if it is the first one.
    fn make_set(&mut self, vk: &ash::Device, tables: &[Table], count: u32) -> Result<()> {
        let types = vulkan_types(tables);
        let stages = self.logical.caps.stages();
        let ty = element(&types);
        let binding = |at: u32, ty: vk::DescriptorType, count: u32| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(at)
                .descriptor_type(ty)
                .descriptor_count(count)
                .stage_flags(stages)
        };
        let variable = vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT;
        // Buffers may be written at any time.
        let (array, how) = match self.descriptors {
            Descriptors::Buffers => (variable, vk::DescriptorSetLayoutCreateFlags::empty()),
            Descriptors::Sets => (
                variable
                    | vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
                    | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING
                    | vk::DescriptorBindingFlags::PARTIALLY_BOUND,
                vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL,
            ),
        };
        let (mut bindings, mut flags) = (Vec::new(), Vec::new());
        if self.all.is_empty() {
            for at in 0..SIDE_BUFFERS {
                bindings.push(binding(at, vk::DescriptorType::STORAGE_BUFFER, 1));
                flags.push(vk::DescriptorBindingFlags::empty());
            }
        }
        bindings.push(binding(bindings.len() as u32, ty, count));
        flags.push(array);
        let mut lists = vec![vk::MutableDescriptorTypeListEXT::default(); bindings.len()];
        if types.len() > 1 {
            lists[bindings.len() - 1] = vk::MutableDescriptorTypeListEXT::default().descriptor_types(&types);
        }
        let mut mutable = vk::MutableDescriptorTypeCreateInfoEXT::default().mutable_descriptor_type_lists(&lists);
        let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&flags);
        let mut info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(how | self.descriptors.layout_flags())
            .bindings(&bindings)
            .push_next(&mut flags);
        if types.len() > 1 {
            info = info.push_next(&mut mutable);
        }
        // SAFETY: the structures live until the call returns.
        let layout = unsafe { vk.create_descriptor_set_layout(&info, None) }.call("vkCreateDescriptorSetLayout")?;
        self.all.push(layout);
        if self.descriptors == Descriptors::Buffers {
            self.measure(layout, bindings.len() as u32 - 1, tables, count)?;
        }
        Ok(())
    }

    /// Asks where a set's array is, which is its last binding.
    fn measure(&mut self, layout: vk::DescriptorSetLayout, binding: u32, tables: &[Table], count: u32) -> Result<()> {
        let stride = Sizes::of(&self.logical.caps.descriptor_buffer).element(tables);
        // SAFETY: the layout is for descriptor buffers, so the device has the extension.
        let (before, size) = unsafe {
            let functions = self.functions()?;
            (
                functions.get_descriptor_set_layout_binding_offset(layout, binding),
                functions.get_descriptor_set_layout_size(layout),
            )
        };
        if size < before + u64::from(count) * u64::from(stride) {
            return Err(Error::Failed(
                "the driver lays descriptors out closer than their sizes; REPRISE_DESCRIPTORS=sets does without",
            ));
        }
        self.before.push(before);
        Ok(())
    }

    /// The device.
    pub(super) fn logical(&self) -> &Arc<Logical> {
        &self.logical
    }

    /// The functions of descriptor buffers.
    pub(super) fn functions(&self) -> Result<&ash::ext::descriptor_buffer::Device> {
        self.logical.ext.descriptor_buffer.as_ref().ok_or(Error::Unsupported("descriptor buffers on this device"))
    }

    /// What shader-visible heaps are.
    #[inline]
    pub fn descriptors(&self) -> Descriptors {
        self.descriptors
    }

    /// Of heaps that are buffers, by set: bytes from a set's beginning to its array.
    pub(super) fn before(&self, samplers: bool) -> &[u64] {
        let (views, last) = self.before.split_at(self.before.len().saturating_sub(1));
        if samplers { last } else { views }
    }

    /// Which tables share an array.
    pub fn sharing(&self) -> Sharing {
        self.sharing
    }

    /// Most views that a shader can reach in one heap. Only checks need the null behind them at any price: on a device that has no room
    /// for it beside the API's million, what lies beyond such a heap is its last view.
    pub fn view_limit(&self) -> u32 {
        match self.records {
            Some(_) => self.views.saturating_sub(SPARE),
            None => self.views.min(VIEWS),
        }
    }

    /// As [`Layouts::view_limit`], for the array of raw and structured buffers: the side buffers are of Vulkan's same type, and
    /// count.
    pub fn raw_limit(&self) -> u32 {
        self.raw.min(self.view_limit())
    }

    /// Elements that the arrays of a heap have room for, but for a setting of tests as many as the device allows.
    pub(super) fn view_room(&self) -> u32 {
        self.room[0]
    }

    /// Elements of the arrays of a heap of `count` views.
    ///
    /// # Errors
    /// The arrays have no room for them.
    pub(super) fn elements(&self, count: u32) -> Result<u32> {
        if count > self.most {
            return Err(Error::Unsupported(
                "heaps with more views than the device was made for (REPRISE_HEAP_VIEWS, or the largest heap of a replay's trace)",
            ));
        }
        Ok(count.saturating_add(SPARE).min(self.view_room()))
    }

    /// As [`Layouts::view_room`], for the array of raw and structured buffers.
    pub(super) fn raw_room(&self) -> u32 {
        self.room[1]
    }

    /// The layouts of the sets that every pipeline layout begins with.
    pub fn sets(&self) -> &[vk::DescriptorSetLayout] {
        &self.every
    }

    /// The number of the set of 64-bit texels: the one behind that of samplers, where the device has atomics on them.
    #[inline]
    pub fn wide(&self) -> Option<u32> {
        self.logical.wide.is_some().then(|| self.samplers() + 1)
    }

    /// The number of the set of records: the one behind that of 64-bit texels, where shaders look at descriptors.
    #[inline]
    pub fn records(&self) -> Option<u32> {
        self.records.is_some().then(|| self.every.len() as u32 - 1)
    }

    /// Samplers that the array of every heap has, those without comparisons included. With checks one more than a heap of the most
    /// that the API allows.
    pub(super) fn sampler_room(&self) -> u32 {
        self.own_samplers() + self.plain_samplers()
    }

    fn own_samplers(&self) -> u32 {
        SAMPLERS + u32::from(self.records.is_some())
    }

    /// Where the array of samplers has each of them again, without its comparison; 0 where the driver needs none
    /// ([`Caps::compares_by_samplers`](crate::caps::Caps::compares_by_samplers)).
    #[inline]
    pub fn plain_samplers(&self) -> u32 {
        let twice = self.logical.caps.compares_by_samplers() && self.descriptors == Descriptors::Sets;
        if twice { self.own_samplers() } else { 0 }
    }

    /// The layouts of a heap's own sets.
    pub fn sets_of(&self, samplers: bool) -> &[vk::DescriptorSetLayout] {
        let (views, last) = self.all.split_at(self.all.len() - 1);
        if samplers { last } else { views }
    }

    /// Where a table is.
    #[inline]
    pub fn place(&self, table: Table) -> Place {
        place(self.sharing, table)
    }

    /// Where the offset entries are.
    #[inline]
    pub fn offsets(&self) -> Place {
        Place { set: 0, binding: 0 }
    }

    /// Where the addresses of UAV counters are.
    #[inline]
    pub fn counters(&self) -> Place {
        Place { set: 0, binding: 1 }
    }

    /// The number of the sampler heap's set.
    #[inline]
    pub fn samplers(&self) -> u32 {
        self.place(Table::Sampler).set
    }

    /// The number of the set of a root signature's static samplers.
    #[inline]
    pub fn static_samplers(&self) -> u32 {
        self.every.len() as u32
    }

    /// Bytes that raw buffers' beginnings are multiples of in Vulkan; the offset entries hold the rest.
    #[inline]
    pub fn raw_alignment(&self) -> u32 {
        self.raw_alignment
    }

    /// Bytes that typed buffers of texels of `bytes` bytes begin at multiples of, a power of two, where they are `written` or read.
    #[inline]
    pub fn texel_unit(&self, bytes: u64, written: bool) -> u64 {
        match self.texel_alignment[usize::from(written)] {
            // Of texels of three components, one is enough.
            (unit, true) => unit.min(if bytes.is_power_of_two() { bytes } else { bytes & bytes.wrapping_neg() }).max(1),
            (unit, false) => unit.max(1),
        }
    }

    /// Whether shaders read typed buffers of three words.
    #[inline]
    pub fn reads_triples(&self) -> bool {
        self.triples
    }
}

impl Drop for Layouts {
    fn drop(&mut self) {
        for layout in self.all.drain(..) {
            // SAFETY: made by this device, and no set or pipeline layout is made of it any more.
            unsafe { self.logical.vk.destroy_descriptor_set_layout(layout, None) };
        }
    }
}

fn place(sharing: Sharing, table: Table) -> Place {
    let arrays = arrays(sharing);
    // Samplers are in none of them: theirs is the set behind.
    let set = arrays.iter().position(|tables| tables.contains(&table)).unwrap_or(arrays.len()) as u32;
    Place { set, binding: if set == 0 { ARRAY } else { 0 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Sharing; 3] = [Sharing::Views, Sharing::Families, Sharing::Nothing];

    /// A buffer is raw and typed at once, so these never share; textures and raw buffers are null while the other is not.
    #[test]
    fn what_a_descriptor_holds_at_once_lies_at_different_places() {
        for sharing in ALL {
            for typed in [Table::UniformTexels, Table::StorageTexels] {
                assert_ne!(place(sharing, typed), place(sharing, Table::Raw), "{sharing:?}");
            }
            let samplers = place(sharing, Table::Sampler);
            assert_eq!(samplers, Place { set: arrays(sharing).len() as u32, binding: 0 });
            assert!(Table::VIEWS.iter().all(|table| place(sharing, *table).set < samplers.set), "{sharing:?}");
        }
    }

    #[test]
    fn every_table_is_in_one_array() {
        for sharing in ALL {
            for table in Table::VIEWS {
                let holders = arrays(sharing).iter().filter(|tables| tables.contains(&table)).count();
                assert_eq!(holders, 1, "{sharing:?} {table:?}");
            }
        }
        let apart: std::collections::HashSet<Place> =
            Table::VIEWS.into_iter().map(|table| place(Sharing::Nothing, table)).collect();
        assert_eq!(apart.len(), Table::VIEWS.len());
    }
}
