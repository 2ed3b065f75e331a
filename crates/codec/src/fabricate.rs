//! Random but well-formed native arguments for any method of the model.

use crate::{Arena, Codec};
use reprise_d3d12::model::{InterfaceId, MethodId};

/// A small deterministic generator (SplitMix64), so that a failure is repeated by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}

impl Codec {
    /// Argument words for a call of `method`: pointees random but well-formed, arrays of 0 to 3 elements, unions with
    /// one of their arms, outputs with storage. `object` gives a program-visible pointer (or 0) for an interface. All
    /// memory is the arena's.
    pub fn fabricate(
        &self,
        _method: MethodId,
        _random: &mut Random,
        _object: &mut dyn FnMut(InterfaceId) -> u64,
        _arena: &mut Arena,
    ) -> Vec<u64> {
        unimplemented!()
    }
}
