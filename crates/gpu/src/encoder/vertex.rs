//! Vertex buffers as the command buffer has them. Pure.

use ash::vk;

/// Slots of vertex buffers.
pub const VERTEX_BUFFERS: usize = 32;

/// Vertex buffers, as Vulkan is told them.
#[derive(Clone, Debug)]
pub struct VertexBuffers {
    buffers: [vk::Buffer; VERTEX_BUFFERS],
    offsets: [u64; VERTEX_BUFFERS],
    sizes: [u64; VERTEX_BUFFERS],
    strides: [u64; VERTEX_BUFFERS],
    /// One bit a slot that Vulkan lacks.
    dirty: u32,
    /// One bit a slot that Vulkan has been told.
    told: u32,
}

impl Default for VertexBuffers {
    fn default() -> VertexBuffers {
        VertexBuffers {
            buffers: [vk::Buffer::null(); VERTEX_BUFFERS],
            offsets: [0; VERTEX_BUFFERS],
            sizes: [vk::WHOLE_SIZE; VERTEX_BUFFERS],
            strides: [0; VERTEX_BUFFERS],
            dirty: 0,
            told: 0,
        }
    }
}

/// Neighbouring slots: the first, and buffer, offset, size and stride of each.
pub type VertexRun<'a> = (u32, &'a [vk::Buffer], &'a [u64], &'a [u64], &'a [u64]);

impl VertexBuffers {
    /// Sets a slot to `size` bytes of a buffer from `offset` on; a null buffer has neither. No effect beyond the last slot.
    #[inline]
    pub fn set(&mut self, slot: u32, buffer: vk::Buffer, offset: u64, size: u64, stride: u64) {
        let at = slot as usize;
        if at < VERTEX_BUFFERS {
            let null = buffer == vk::Buffer::null();
            self.buffers[at] = buffer;
            self.offsets[at] = if null { 0 } else { offset };
            self.sizes[at] = if null { vk::WHOLE_SIZE } else { size };
            self.strides[at] = stride;
            self.dirty |= 1 << slot;
        }
    }

    /// Whether the vertices of slots begin at multiples of what masks say, by slot: the multiple less one.
    pub fn fit(&self, slots: u32, masks: &[u8; VERTEX_BUFFERS]) -> bool {
        let read = |at: &usize| slots & 1 << at != 0 && self.buffers[*at] != vk::Buffer::null();
        (0..VERTEX_BUFFERS).filter(read).all(|at| (self.offsets[at] | self.strides[at]) & u64::from(masks[at]) == 0)
    }

    /// Buffer, offset, size and stride of a slot; `None` where it has no buffer.
    pub fn view(&self, slot: usize) -> Option<(vk::Buffer, u64, u64, u64)> {
        let buffer = *self.buffers.get(slot).filter(|buffer| **buffer != vk::Buffer::null())?;
        Some((buffer, self.offsets[slot], self.sizes[slot], self.strides[slot]))
    }

    /// As a new one; writes only the slots that were used.
    pub fn reset(&mut self) {
        let mut used = core::mem::take(&mut self.dirty) | core::mem::take(&mut self.told);
        while used != 0 {
            let at = used.trailing_zeros() as usize;
            used &= used - 1;
            self.buffers[at] = vk::Buffer::null();
            (self.offsets[at], self.sizes[at], self.strides[at]) = (0, vk::WHOLE_SIZE, 0);
        }
    }

    /// A pipeline reads these slots: those that Vulkan has never been told are dirty too.
    #[inline]
    pub fn read(&mut self, slots: u32) {
        self.dirty |= slots & !self.told;
    }

    /// Vulkan has lost all slots.
    #[inline]
    pub fn forget(&mut self) {
        self.dirty |= self.told;
    }

    /// The first run of dirty slots among `slots`; it is clean then.
    #[inline]
    pub fn take(&mut self, slots: u32) -> Option<VertexRun<'_>> {
        let left = self.dirty & slots;
        if left == 0 {
            return None;
        }
        let first = left.trailing_zeros();
        let count = (left >> first).trailing_ones();
        let bits = (((1u64 << count) - 1) << first) as u32;
        self.dirty &= !bits;
        self.told |= bits;
        let run = first as usize..(first + count) as usize;
        let (buffers, offsets) = (&self.buffers[run.clone()], &self.offsets[run.clone()]);
        Some((first, buffers, offsets, &self.sizes[run.clone()], &self.strides[run]))
    }
}

#[cfg(test)]
mod tests {
    use ash::vk::Handle;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn vertices_fit_where_places_and_strides_are_multiples() {
        let mut slots = VertexBuffers::default();
        slots.set(0, vk::Buffer::from_raw(1), 8, 64, 12);
        slots.set(1, vk::Buffer::from_raw(1), 6, 64, 12);
        slots.set(2, vk::Buffer::from_raw(1), 8, 64, 10);
        slots.set(3, vk::Buffer::null(), 1, 1, 1);
        let mut masks = [3; VERTEX_BUFFERS];
        assert!(slots.fit(0b1001, &masks), "null is read nowhere");
        assert!(!slots.fit(0b0010, &masks) && !slots.fit(0b0100, &masks));
        masks[1] = 1;
        assert!(slots.fit(0b0011, &masks));
    }

    proptest! {
        /// A model that is told whole slots sees what a draw reads, whatever the order of sets, draws and pipelines.
        #[test]
        fn vulkan_has_the_vertex_buffers_that_draws_read(
            steps in prop::collection::vec((0u32..34, 0u64..3, any::<u32>(), any::<bool>(), prop::bool::weighted(0.05)), 1..60),
        ) {
            let (mut slots, mut vulkan, mut all) = (VertexBuffers::default(), [None; 32], [(0, 0, vk::WHOLE_SIZE, 0); 32]);
            for (slot, buffer, read, draw, reset) in steps {
                if reset {
                    slots.reset();
                    (vulkan, all) = ([None; 32], [(0, 0, vk::WHOLE_SIZE, 0); 32]);
                }
                slots.set(slot, vk::Buffer::from_raw(buffer), 4, 8, u64::from(slot));
                if let Some(one) = all.get_mut(slot as usize) {
                    *one = if buffer == 0 { (0, 0, vk::WHOLE_SIZE, u64::from(slot)) } else { (buffer, 4, 8, u64::from(slot)) };
                }
                if draw {
                    slots.read(read);
                    while let Some((first, buffers, offsets, sizes, strides)) = slots.take(read) {
                        for at in 0..buffers.len() {
                            vulkan[first as usize + at] = Some((buffers[at].as_raw(), offsets[at], sizes[at], strides[at]));
                        }
                    }
                    for at in (0..32).filter(|at| read & 1 << at != 0) {
                        prop_assert_eq!(vulkan[at], Some(all[at]));
                    }
                }
            }
        }
    }
}
