//! Root arguments as words of push constants. Pure.

/// Most words of root arguments, by the API.
pub const WORDS: usize = 64;

/// Words of one sort of argument: the first, and how many.
pub type Group = (u32, u32);

/// Words of root arguments and which of them Vulkan lacks.
#[derive(Clone, Debug)]
pub struct Words {
    words: [u32; WORDS],
    /// One bit a word.
    dirty: u64,
}

impl Words {
    /// All words, whether Vulkan has them or not.
    pub fn all(&self) -> &[u32] {
        &self.words
    }
}

impl Default for Words {
    fn default() -> Words {
        Words { words: [0; WORDS], dirty: u64::MAX }
    }
}

impl Words {
    /// Sets words; what does not fit is cut off.
    #[inline]
    pub fn set(&mut self, first: u32, values: &[u32]) {
        for (at, value) in (first as usize..WORDS).zip(values) {
            // A word that stays the same needs no push.
            self.dirty |= u64::from(self.words[at] != *value) << at;
            self.words[at] = *value;
        }
    }

    /// Moves the arguments of one layout to where they lie in another: each group's words in their order. Programs leave out what
    /// they have set for another layout, and drivers of the API let them.
    pub fn relocate(&mut self, from: [Group; 3], to: [Group; 3]) {
        if from == to {
            return;
        }
        let old = core::mem::replace(&mut self.words, [0; WORDS]);
        for ((from, count), (to, room)) in from.into_iter().zip(to) {
            let count = count.min(room) as usize;
            let part = old.get(from as usize..).and_then(|rest| rest.get(..count));
            if let (Some(part), Some(place)) = (part, self.words.get_mut(to as usize..to as usize + count)) {
                place.copy_from_slice(part);
            }
        }
    }

    /// Vulkan has lost all of them.
    #[inline]
    pub fn touch(&mut self) {
        self.dirty = u64::MAX;
    }

    /// The first `count` words, where one of them is dirty; they are clean then.
    #[inline]
    pub fn take_all(&mut self, count: u32) -> Option<&[u32]> {
        self.take(count)?;
        Some(&self.words[..(count as usize).min(WORDS)])
    }

    /// The smallest run among the first `count` words that covers all dirty ones, with its beginning; they are clean then.
    #[inline]
    pub fn take(&mut self, count: u32) -> Option<(u32, &[u32])> {
        let mask = if count as usize >= WORDS { u64::MAX } else { (1 << count) - 1 };
        let dirty = self.dirty & mask;
        self.dirty &= !mask;
        if dirty == 0 {
            return None;
        }
        let (first, end) = (dirty.trailing_zeros(), WORDS as u32 - dirty.leading_zeros());
        Some((first, &self.words[first as usize..end as usize]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_follow_their_group_into_another_layout() {
        // (addresses, constants, tables)
        let layout = |addresses: u32, constants: u32, tables: u32| {
            let first = addresses * 2;
            [(0, first), (first, constants), (first + constants, tables)]
        };
        let mut words = Words::default();
        words.set(0, &[1, 2, 10, 11, 12, 20, 21]);
        words.relocate(layout(1, 3, 2), layout(2, 2, 3));
        assert_eq!(words.words[..9], [1, 2, 0, 0, 10, 11, 20, 21, 0]);
        words.relocate(layout(2, 2, 3), layout(0, 0, 1));
        assert_eq!(words.words[..3], [20, 0, 0]);
        let mut full = Words::default();
        full.set(0, &[7; WORDS]);
        full.relocate(layout(32, 0, 0), layout(0, 64, 0));
        assert_eq!(full.words, [0; WORDS]);
    }

    proptest! {
        /// A model that pushes everything sees the same words as one that pushes what `take` gives.
        #[test]
        fn pushes_of_dirty_words_leave_vulkan_with_all_words(
            steps in prop::collection::vec((0u32..64, prop::collection::vec(0u32..4, 0..8), 0u32..=64, any::<bool>()), 1..50),
        ) {
            let (mut words, mut vulkan, mut all) = (Words::default(), [u32::MAX; WORDS], [0u32; WORDS]);
            for (first, values, count, lost) in steps {
                words.set(first, &values);
                for (at, value) in (first as usize..WORDS).zip(&values) {
                    all[at] = *value;
                }
                if lost {
                    words.touch();
                    vulkan = [u32::MAX; WORDS];
                }
                if let Some((at, run)) = words.take(count) {
                    prop_assert!(at as usize + run.len() <= count as usize);
                    vulkan[at as usize..at as usize + run.len()].copy_from_slice(run);
                }
                prop_assert_eq!(&vulkan[..count as usize], &all[..count as usize]);
            }
        }
    }

    #[test]
    fn nothing_is_pushed_twice() {
        let mut words = Words::default();
        assert_eq!(words.take(3).map(|(first, run)| (first, run.len())), Some((0, 3)));
        assert_eq!(words.take(3), None);
        words.set(1, &[0]);
        assert_eq!(words.take(3), None);
        words.set(1, &[5]);
        assert_eq!(words.take(3), Some((1, &[5][..])));
        assert_eq!(words.take_all(3), None);
        words.set(2, &[6]);
        assert_eq!(words.take_all(3), Some(&[0, 5, 6][..]), "a block in memory is written whole");
    }
}
