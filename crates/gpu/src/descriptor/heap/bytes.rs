//! The bytes of descriptors in heaps that shaders do not see.

use std::sync::Arc;

use crate::descriptor::bindings::Bindings;
use crate::descriptor::plan::Sizes;
use crate::descriptor::publish::Target;
use crate::descriptor::publish::buffers::{self, Elements, Memory};
use crate::descriptor::table::{Table, arrays};
use crate::error::Result;
use crate::settings::Descriptors;

/// Bytes of a heap's descriptors, slot by slot. The system backs them once they are touched.
#[derive(Debug)]
pub struct Bytes {
    bindings: Arc<Bindings>,
    samplers: bool,
    count: u32,
    memory: Vec<[u64; 2]>,
}

impl Bytes {
    /// For `count` descriptors; `None` where heaps are sets, which need none.
    ///
    /// # Errors
    /// The device has no descriptor buffers.
    pub fn new(bindings: &Arc<Bindings>, samplers: bool, count: u32) -> Result<Option<(Bytes, Target)>> {
        if bindings.descriptors() == Descriptors::Sets {
            return Ok(None);
        }
        let (_, slot) = Bytes::slot(bindings, samplers);
        let mut bytes = Bytes {
            bindings: bindings.clone(),
            samplers,
            count,
            memory: vec![[0; 2]; slot.div_ceil(16) * count as usize],
        };
        let target = Target::Buffers(bytes.target()?);
        Ok(Some((bytes, target)))
    }

    /// Bytes from a slot's beginning to each of its elements, and bytes of a slot: a multiple of 16.
    fn slot(bindings: &Bindings, samplers: bool) -> (Vec<usize>, usize) {
        let sizes = Sizes::of(&bindings.logical().caps.descriptor_buffer);
        let tables = if samplers { &[&[Table::Sampler][..]][..] } else { arrays(bindings.sharing()) };
        let mut size = 0;
        let places = tables.iter().map(|tables| {
            let place = size;
            size += sizes.element(tables) as usize;
            place
        });
        (places.collect(), size.next_multiple_of(16))
    }

    fn target(&mut self) -> Result<buffers::Target> {
        let (places, stride) = Bytes::slot(&self.bindings, self.samplers);
        let first = self.memory.as_mut_ptr().cast::<u8>();
        let elements: Vec<_> =
            places.into_iter().map(|place| Elements { first: first.wrapping_add(place), stride }).collect();
        let memory =
            Memory { samplers: self.samplers, elements: &elements, count: self.count, side: None, visible: false };
        buffers::Target::new(&self.bindings, self.bindings.nulls()?, &memory)
    }
}
