//! Which heap a descriptor handle lay in, and which resource a GPU address lay in, at any call of a trace.
//!
//! [`Names`](reprise_view::dump::names::Names) knows this for the call that a dump has reached. A history knows it for every call, so that reading can
//! begin anywhere. Invariant: a new range ends the older ones that it overlaps, so at each call a number lies in one range at most.

use reprise_trace::fact;
use std::collections::BTreeMap;

/// Every statement of a trace about handles and addresses.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// Descriptor handles of the processor.
    pub(crate) cpu: Places,
    /// Descriptor handles of the GPU.
    pub(crate) gpu: Places,
    /// Addresses of the GPU.
    pub(crate) addresses: Places,
}

/// Ranges of numbers, each with the time in which it held.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// By size class (the power of two of the length) and first number, in the order of time.
    ranges: BTreeMap<(u8, u64), Vec<Stated>>,
    /// What holds now: first number, to length and size class.
    live: BTreeMap<u64, (u64, u8)>,
    /// Size classes in use, a bit each.
    classes: u64,
}

/// A range, as it was stated.
#[derive(Clone, Copy, Debug)]
struct Stated {
    object: u32,
    bytes: u64,
    increment: u64,
    /// After this call was begun.
    from: u64,
    /// It holds until this call was begun.
    until: u64,
}

/// Where a number lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) object: u32,
    /// From the range's beginning, in bytes.
    pub(crate) distance: u64,
    /// Bytes from one descriptor to the next; 1 for addresses.
    pub(crate) increment: u64,
}

impl History {
    /// Learns what a fact states, after the call of this number was begun.
    pub(crate) fn learn(&mut self, object: u32, kind: u32, bytes: &[u8], after: u64) {
        let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        let half = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        match kind {
            fact::ADDRESS_RANGE => {
                if let (Some(start), Some(bytes)) = (word(0), word(8)) {
                    self.addresses.state(start, Stated { object, bytes, increment: 1, from: after, until: u64::MAX });
                }
            }
            fact::DESCRIPTOR_HEAP => {
                if let (Some(cpu), Some(gpu), Some(increment), Some(count)) = (word(0), word(8), half(16), half(20)) {
                    let increment = u64::from(increment);
                    let bytes = u64::from(count) * increment;
                    let stated = Stated { object, bytes, increment, from: after, until: u64::MAX };
                    self.cpu.state(cpu, stated);
                    self.gpu.state(gpu, stated);
                }
            }
            _ => {}
        }
    }
}

impl Places {
    fn state(&mut self, start: u64, stated: Stated) {
        let Some(end) = start.checked_add(stated.bytes) else { return };
        if start == 0 || stated.bytes == 0 || stated.increment == 0 {
            return;
        }
        // Live ranges never overlap each other, so their ends rise with their starts.
        let stale: Vec<(u64, u8)> = self
            .live
            .range(..end)
            .rev()
            .take_while(|(first, (bytes, _))| first.saturating_add(*bytes) > start)
            .map(|(first, (_, class))| (*first, *class))
            .collect();
        for (first, class) in stale {
            self.live.remove(&first);
            if let Some(last) = self.ranges.get_mut(&(class, first)).and_then(|all| all.last_mut()) {
                last.until = stated.from;
            }
        }
        let class = stated.bytes.ilog2() as u8;
        self.classes |= 1 << class;
        self.live.insert(start, (stated.bytes, class));
        self.ranges.entry((class, start)).or_default().push(stated);
    }

    /// The range that a number lay in when the call `at` began.
    pub(crate) fn find(&self, value: u64, at: u64) -> Option<Place> {
        (0..64).filter(|class| self.classes >> class & 1 != 0).find_map(|class| {
            // A range of this class is shorter than twice its power of two.
            let longest = u64::MAX >> (63 - class);
            let first = value.saturating_sub(longest);
            self.ranges.range((class, first)..=(class, value)).rev().find_map(|((_, start), all)| {
                let distance = value - start;
                let last = all.partition_point(|stated| stated.from < at).checked_sub(1)?;
                let stated = all.get(last).filter(|stated| at <= stated.until && distance < stated.bytes)?;
                Some(Place { object: stated.object, distance, increment: stated.increment })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, bytes: u64) -> Vec<u8> {
        [start.to_le_bytes(), bytes.to_le_bytes()].concat()
    }

    /// Statements in any order of addresses, asked at every time, against a list that is searched from its end.
    #[test]
    fn it_says_what_a_list_says() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut history = History::default();
        let mut list: Vec<(u64, u64, u64, u32)> = Vec::new();
        for after in 1..200 {
            let (start, bytes) = (1 + random(300), 1 + random(60));
            history.learn(after as u32, fact::ADDRESS_RANGE, &range(start, bytes), after);
            list.push((after, start, bytes, after as u32));
        }
        for at in 0..202 {
            // What a dump knows when the call begins: later statements drop earlier ones that they overlap.
            let mut known: Vec<(u64, u64, u32)> = Vec::new();
            for (_, start, bytes, object) in list.iter().filter(|(after, ..)| *after < at) {
                known.retain(|(first, length, _)| first + length <= *start || start + bytes <= *first);
                known.push((*start, *bytes, *object));
            }
            for value in 0..370 {
                let expected = known.iter().find(|(first, length, _)| (*first..first + length).contains(&value));
                let found = history.addresses.find(value, at);
                assert_eq!(found.map(|place| place.object), expected.map(|(.., object)| *object), "{value} at {at}");
            }
        }
    }

    #[test]
    fn half_of_all_numbers_is_a_range() {
        let mut history = History::default();
        history.learn(7, fact::ADDRESS_RANGE, &range(5, u64::MAX / 2 + 10), 1);
        assert_eq!(history.addresses.find(1 << 62, 2).map(|place| place.distance), Some((1 << 62) - 5));
    }

    #[test]
    fn nonsense_is_harmless() {
        let mut history = History::default();
        history.learn(1, fact::ADDRESS_RANGE, &[0xff; 16], 1);
        history.learn(1, fact::DESCRIPTOR_HEAP, &[0xff; 24], 1);
        history.learn(1, fact::DESCRIPTOR_HEAP, &[1; 3], 1);
        assert_eq!(history.addresses.find(u64::MAX, 9), None);
    }
}
