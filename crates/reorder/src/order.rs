//! The order in which commands are recorded that have waited.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use reprise_environment::reorder::{DROP, SEED};

/// What the environment asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    /// 0: backwards, builds of top levels first. Any other number: by chance.
    seed: u64,
    /// Leaves out barriers that order builds, to show that the order shows in results.
    pub(crate) drops: bool,
}

impl Order {
    pub(crate) fn get() -> Order {
        static ORDER: OnceLock<Order> = OnceLock::new();
        *ORDER.get_or_init(|| Order {
            seed: std::env::var(SEED).ok().and_then(|text| text.parse().ok()).unwrap_or(0),
            drops: std::env::var(DROP).is_ok_and(|text| text == "1"),
        })
    }

    /// Whether a command that may be recorded now or later is recorded now.
    pub(crate) fn now(self) -> bool {
        self.seed == 0 || self.chance() & 1 == 0
    }

    /// Puts commands into the order; `is_top` tells those of top levels.
    pub(crate) fn arrange<T>(self, all: &mut [T], is_top: impl Fn(&T) -> bool) {
        if self.seed == 0 {
            all.reverse();
            all.sort_by_key(|one| !is_top(one));
            return;
        }
        for end in (1..all.len()).rev() {
            all.swap(end, (self.chance() % (end as u64 + 1)) as usize);
        }
    }

    /// The next number of SplitMix64.
    fn chance(self) -> u64 {
        static STEPS: AtomicU64 = AtomicU64::new(1);
        let step = STEPS.fetch_add(1, Ordering::Relaxed);
        let mut bits = self.seed.wrapping_add(step.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn top_levels_come_first_and_the_rest_backwards() {
        let mut all = [(1, false), (2, true), (3, false), (4, true)];
        Order { seed: 0, drops: false }.arrange(&mut all, |one| one.1);
        assert_eq!(all.map(|one| one.0), [4, 2, 3, 1]);
    }

    #[test]
    fn chance_makes_many_orders() {
        let order = Order { seed: 7, drops: false };
        let orders: std::collections::BTreeSet<[u8; 4]> = (0..200)
            .map(|_| {
                let mut all = [0, 1, 2, 3];
                order.arrange(&mut all, |_| false);
                all
            })
            .collect();
        assert!(orders.len() > 20, "{} of 24", orders.len());
    }
}
