//! The search against a list that is searched from its end.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(u32, u64, u64),
    Remove(u32),
    Find(u64),
}

/// Numbers that meet often: small ones, ones near the ends of the space, and powers of two with their neighbours.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..64u64,
        (0..64u64).prop_map(|back| u64::MAX - back),
        (0..64u32, 0..3u64).prop_map(|(bit, off)| (1u64 << bit).wrapping_add(off).wrapping_sub(1)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..8u32, number(), number()).prop_map(|(owner, start, size)| Step::Insert(owner, start, size)),
        (0..8u32).prop_map(Step::Remove),
        number().prop_map(Step::Find),
    ]
}

proptest! {
    /// Against a list that is searched from its end.
    #[test]
    fn finds_what_a_list_would_find(steps in prop::collection::vec(step(), 1..200)) {
        let mut intervals = Intervals::default();
        let mut list: Vec<(u32, u64, u64)> = Vec::new();
        for step in steps {
            match step {
                Step::Insert(owner, start, size) => {
                    let fits = size > 0 && u128::from(start) + u128::from(size) <= u128::from(u64::MAX);
                    prop_assert_eq!(intervals.insert(Interval { owner, start, size, value: () }), fits);
                    if fits {
                        list.retain(|&(other, ..)| other != owner);
                        list.push((owner, start, size));
                    }
                }
                Step::Remove(owner) => {
                    let had = list.iter().any(|&(other, ..)| other == owner);
                    prop_assert_eq!(intervals.remove(owner).is_some(), had);
                    list.retain(|&(other, ..)| other != owner);
                }
                Step::Find(number) => {
                    let expected = list.iter().rev().find(|&&(_, start, size)| {
                        u128::from(start) <= u128::from(number)
                            && u128::from(number) < u128::from(start) + u128::from(size)
                    });
                    let found = intervals.find_whole(number);
                    prop_assert_eq!(found.map(|(i, _)| (i.owner, i.start, i.size)), expected.copied());
                    if let Some((range, true)) = found {
                        // Whoever was inserted later does not meet it.
                        let newer = list.iter().rev().take_while(|&&(owner, ..)| owner != range.owner);
                        let meets = |&&(_, start, size): &&(u32, u64, u64)| {
                            start < range.start + range.size && range.start < start + size
                        };
                        prop_assert_eq!(newer.filter(meets).count(), 0);
                    }
                }
            }
        }
    }
}
