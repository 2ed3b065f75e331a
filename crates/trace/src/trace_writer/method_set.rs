//! A set of method ids.

/// A bit for each of the 65,536 method ids.
pub(super) struct MethodSet(Vec<u64>);

impl MethodSet {
    /// No method.
    pub(super) fn none() -> MethodSet {
        MethodSet(vec![0; 1 << 10])
    }

    /// Every method.
    pub(super) fn all() -> MethodSet {
        MethodSet(vec![u64::MAX; 1 << 10])
    }

    /// The methods for which `holds` is true.
    pub(super) fn those(holds: &dyn Fn(u16) -> bool) -> MethodSet {
        let mut methods = MethodSet::none();
        (0..=u16::MAX).filter(|method| holds(*method)).for_each(|method| methods.insert(method));
        methods
    }

    #[inline]
    pub(super) fn insert(&mut self, method: u16) {
        self.0[usize::from(method / 64)] |= 1 << (method % 64);
    }

    #[inline]
    pub(super) fn contains(&self, method: u16) -> bool {
        self.0[usize::from(method / 64)] >> (method % 64) & 1 != 0
    }

    /// How many they are.
    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The ids, rising.
    pub(super) fn ids(&self) -> Vec<u16> {
        let words = (0..=u16::MAX).step_by(64).zip(&self.0).filter(|(_, word)| **word != 0);
        words.flat_map(|(first, _)| first..=first + 63u16).filter(|method| self.contains(*method)).collect()
    }
}
