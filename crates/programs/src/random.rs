//! Numbers that look random and are always the same.

/// SplitMix64, from a seed that the program states.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 32 bits.
    pub(crate) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 16) as u32
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.next() % end
    }

    /// So many.
    pub(crate) fn words(&mut self, count: u32) -> Vec<u32> {
        (0..count).map(|_| self.next()).collect()
    }

    /// So many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}
