//! Random numbers: the same for a seed on every machine.

/// A generator (SplitMix64).
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of them; there is one at least.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A number of the processor's that programs go wrong at: small, with few bits, at an end, or any.
    pub(crate) fn word(&mut self) -> u64 {
        match self.below(6) {
            0 => self.below(10) as u64,
            1 => 1u64 << self.below(64) | 1 << self.below(32),
            2 => (self.below(8) as u64).wrapping_sub(4),
            3 => self.pick(&[0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff, 0x8000, 0xffff, u64::MAX, 1 << 63]),
            4 => self.next() & 0xffff,
            _ => self.next(),
        }
    }
}
