//! Views of texels of 64 bits as one integer, for 64-bit atomics.
//!
//! The API has one view for both: of `R32G32_UINT`. Vulkan has a format for each, and a descriptor has one format. So such a view
//! has two descriptors: the usual one in its heap, and one of `R64_UINT` in a set of the device, which all pipeline layouts have.
//! A shader finds the number of the second one beside the first, where other views have the address of a counter
//! ([`Layouts::counters`](crate::descriptor::layout::Layouts::counters)).
//!
//! Invariants: number 0 is null, in both arrays; a number belongs to one view until that view's resource is gone.

use std::sync::{Mutex, PoisonError};

use ash::vk;
use ash::vk::Handle;

use crate::caps::{Caps, WIDE_SLOTS};
use crate::error::{Context, Error, Result};

/// The two arrays, by their bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Array {
    /// Textures.
    Images = 0,
    /// Typed buffers.
    Texels = 1,
}

impl Array {
    fn vk(self) -> vk::DescriptorType {
        match self {
            Array::Images => vk::DescriptorType::STORAGE_IMAGE,
            Array::Texels => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        }
    }
}

/// The numbers of an array that are in use.
#[derive(Debug, Default)]
struct Numbers {
    /// Numbers up to this one have been given out at some time.
    given: u32,
    /// Those that were given back.
    free: Vec<u32>,
}

impl Numbers {
    fn take(&mut self) -> Option<u32> {
        if let Some(number) = self.free.pop() {
            return Some(number);
        }
        let next = self.given + 1;
        (next < WIDE_SLOTS).then(|| {
            self.given = next;
            next
        })
    }
}

/// The set, and who has which of its descriptors.
#[derive(Debug)]
pub struct Wide {
    layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    numbers: Mutex<[Numbers; 2]>,
}

impl Wide {
    /// The set of a device that has 64-bit atomics on images; `None` on others. The owner destroys it.
    ///
    /// # Errors
    /// Vulkan cannot make it.
    pub(crate) fn new(vk: &ash::Device, caps: &Caps) -> Result<Option<Wide>> {
        if !caps.has_wide_texels() {
            return Ok(None);
        }
        let mut wide = Wide {
            layout: vk::DescriptorSetLayout::null(),
            pool: vk::DescriptorPool::null(),
            set: vk::DescriptorSet::null(),
            numbers: Mutex::default(),
        };
        match wide.make(vk, caps) {
            Ok(()) => Ok(Some(wide)),
            Err(error) => {
                // SAFETY: nothing uses what was made.
                unsafe { wide.destroy(vk) };
                Err(error)
            }
        }
    }

    fn make(&mut self, vk: &ash::Device, caps: &Caps) -> Result<()> {
        let arrays = [Array::Images, Array::Texels];
        let bindings = arrays.map(|array| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(array as u32)
                .descriptor_type(array.vk())
                .descriptor_count(WIDE_SLOTS)
                .stage_flags(caps.stages())
        });
        let how = vk::DescriptorBindingFlags::UPDATE_AFTER_BIND
            | vk::DescriptorBindingFlags::UPDATE_UNUSED_WHILE_PENDING
            | vk::DescriptorBindingFlags::PARTIALLY_BOUND;
        let how = [how, how];
        let mut flags = vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&how);
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL)
            .bindings(&bindings)
            .push_next(&mut flags);
        let sizes = arrays.map(|array| vk::DescriptorPoolSize { ty: array.vk(), descriptor_count: WIDE_SLOTS });
        let pool = vk::DescriptorPoolCreateInfo::default()
            .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
            .max_sets(1)
            .pool_sizes(&sizes);
        // SAFETY: the structures live until the calls return.
        unsafe {
            self.layout = vk.create_descriptor_set_layout(&info, None).call("vkCreateDescriptorSetLayout")?;
            self.pool = vk.create_descriptor_pool(&pool, None).call("vkCreateDescriptorPool")?;
            let layouts = [self.layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
            let sets = vk.allocate_descriptor_sets(&info).call("vkAllocateDescriptorSets")?;
            self.set = sets.first().copied().ok_or(Error::Failed("a descriptor set of 64-bit texels"))?;
            // Shaders may look at any of them.
            let write = vk::WriteDescriptorSet::default().dst_set(self.set);
            let images = vec![vk::DescriptorImageInfo::default(); WIDE_SLOTS as usize];
            let texels = vec![vk::BufferView::null(); WIDE_SLOTS as usize];
            let writes = [
                write.dst_binding(Array::Images as u32).descriptor_type(Array::Images.vk()).image_info(&images),
                write.dst_binding(Array::Texels as u32).descriptor_type(Array::Texels.vk()).texel_buffer_view(&texels),
            ];
            vk.update_descriptor_sets(&writes, &[]);
        }
        Ok(())
    }

    /// Destroys the set.
    ///
    /// # Safety
    /// No pipeline layout and no recording has it any more.
    pub(crate) unsafe fn destroy(&mut self, vk: &ash::Device) {
        // SAFETY: the caller promises; null handles are passed over.
        unsafe {
            vk.destroy_descriptor_pool(self.pool, None);
            vk.destroy_descriptor_set_layout(self.layout, None);
        }
    }

    /// The layout of the set.
    pub fn layout(&self) -> vk::DescriptorSetLayout {
        self.layout
    }

    /// The set.
    #[inline]
    pub fn set(&self) -> vk::DescriptorSet {
        self.set
    }

    /// Gives a view a number, and shows it there: an image's with the layout that shaders see it in, or a buffer's. 0 if all numbers
    /// are in use.
    pub(crate) fn show(&self, vk: &ash::Device, array: Array, view: u64, layout: vk::ImageLayout) -> u32 {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(number) = numbers[array as usize].take() else {
            static SAID: std::sync::Once = std::sync::Once::new();
            SAID.call_once(|| {
                reprise_log::warning(format_args!(
                    "more than {} views for unordered access have texels of 64 bits: atomics on those of the others do nothing",
                    WIDE_SLOTS - 1
                ));
            });
            return 0;
        };
        self.write(vk, array, number, view, layout);
        number
    }

    /// Takes a number back, whose view is about to be destroyed.
    pub(crate) fn hide(&self, vk: &ash::Device, array: Array, number: u32) {
        if number == 0 {
            return;
        }
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(vk, array, number, 0, vk::ImageLayout::UNDEFINED);
        numbers[array as usize].free.push(number);
    }

    /// Whoever calls holds the lock.
    fn write(&self, vk: &ash::Device, array: Array, number: u32, view: u64, layout: vk::ImageLayout) {
        let image = vk::DescriptorImageInfo {
            image_view: vk::ImageView::from_raw(view),
            image_layout: layout,
            ..Default::default()
        };
        let texels = vk::BufferView::from_raw(view);
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.set)
            .dst_binding(array as u32)
            .dst_array_element(number)
            .descriptor_type(array.vk());
        let write = match array {
            Array::Images => write.image_info(core::slice::from_ref(&image)),
            Array::Texels => write.texel_buffer_view(core::slice::from_ref(&texels)),
        };
        // SAFETY: the set is updated after it is bound; no shader that runs uses this number, which was nobody's or whose resource
        // goes.
        unsafe { vk.update_descriptor_sets(&[write], &[]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_given_again_when_it_came_back_and_0_never() {
        let mut numbers = Numbers::default();
        assert_eq!([numbers.take(), numbers.take(), numbers.take()], [Some(1), Some(2), Some(3)]);
        numbers.free.push(2);
        assert_eq!([numbers.take(), numbers.take()], [Some(2), Some(4)]);
        assert_eq!((5..WIDE_SLOTS + 5).filter(|_| numbers.take().is_some()).count(), WIDE_SLOTS as usize - 5);
    }
}
