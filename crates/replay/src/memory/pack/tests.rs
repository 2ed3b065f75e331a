//! Tests of `memory::pack`.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

const K64: u64 = 64 << 10;

fn bytes(offset: u64, extent: u64) -> Item {
    Item { offset, extent, size: extent, alignment: 1, bytes: true }
}

fn texture(offset: u64, extent: u64, size: u64, alignment: u64) -> Item {
    Item { offset, extent, size, alignment, bytes: false }
}

#[test]
fn what_fits_stays() {
    let items = [bytes(0, 100), texture(K64, K64, 2 * K64, K64), texture(3 * K64, 1, K64, K64)];
    let packed = pack(&items, 4 * K64).unwrap();
    assert_eq!(packed, Packed { offsets: vec![0, K64, 3 * K64], size: 4 * K64, parted: 0 });
    // One byte less of heap is as good: heaps end at granules.
    let less = pack(&items, 4 * K64 - 1).unwrap();
    assert_eq!((less.offsets, less.size), (packed.offsets, 4 * K64 - 1));
    assert_eq!(pack(&items, 3 * K64).unwrap().size, 4 * K64, "the heap grows");
}

/// Two halves, a buffer over both, a texture over the upper half: the texture grows and stays over the upper half.
#[test]
fn a_texture_that_grows_stays_over_its_buffer() {
    let items = [bytes(0, 8), bytes(8, 8), bytes(0, 16), texture(8, 6, 24, 4)];
    let packed = pack(&items, 16).unwrap();
    assert_eq!((packed.offsets, packed.parted), (vec![0, 8, 0, 8], 0));
}

/// Between two parts of a body there is room for what was there, and for no more: the texture leaves.
#[test]
fn a_texture_that_no_longer_fits_into_a_body_leaves_it() {
    let items = [bytes(0, 24), bytes(0, 8), bytes(16, 8), texture(8, 8, 12, 4)];
    let packed = pack(&items, 24).unwrap();
    assert_eq!((packed.offsets, packed.parted), (vec![0, 0, 16, 24], 1));
}

/// Reused memory: a large texture at first, later small ones in the same place, each of which grows.
#[test]
fn what_is_placed_again_has_the_same_place() {
    let items = [texture(0, 8, 8, 1), texture(0, 4, 6, 2), texture(4, 4, 6, 2), texture(0, 4, 6, 2)];
    let packed = pack(&items, 8).unwrap();
    assert_eq!((packed.offsets, packed.parted), (vec![0, 0, 6, 0], 0));
}

#[test]
fn absurd_numbers_are_refused() {
    for item in [
        texture(u64::MAX, 1, 1, 1),
        texture(0, u64::MAX, 1, 1),
        texture(0, 1, u64::MAX, 1),
        texture(0, 0, 1, 1),
        texture(0, 1, 1, 3),
        Item { alignment: 4, ..bytes(2, 2) },
    ] {
        assert!(pack(&[item], 0).is_err(), "{item:?}");
    }
    assert_eq!(pack(&[], u64::MAX).unwrap().size, u64::MAX);
}

fn item(places: u64) -> impl Strategy<Value = Item> {
    let size = (1u64..4, 0u64..4, 0u32..3, any::<bool>(), any::<bool>());
    (0..places, size).prop_map(|(offset, (extent, more, power, shrinks, bytes))| {
        let alignment = 1 << power;
        let size = if shrinks { extent.saturating_sub(more).max(1) } else { extent + more };
        // Bytes are where this device can have them, and cover what they cover; their sizes may be rounded up.
        match bytes {
            true => Item { offset: offset / alignment * alignment, extent, size: extent + more, alignment, bytes },
            false => Item { offset, extent, size, alignment, bytes },
        }
    })
}

fn pairs<T>(items: &[T]) -> impl Iterator<Item = (usize, usize)> {
    let count = items.len();
    (0..count).flat_map(move |left| (left + 1..count).map(move |right| (left, right)))
}

/// Bytes that are one body, by the definition: connected by overlaps.
fn body_of(items: &[Item]) -> Vec<usize> {
    let mut body: Vec<usize> = (0..items.len()).collect();
    for _ in items {
        for (a, b) in pairs(items) {
            if items[a].bytes && items[b].bytes && items[a].overlaps(&items[b]) {
                let least = body[a].min(body[b]);
                (body[a], body[b]) = (least, least);
            }
        }
    }
    body
}

fn here(items: &[Item], offsets: &[u64]) -> Vec<Item> {
    let moved = |(item, &offset): (&Item, &u64)| Item { offset, extent: item.keep(), ..*item };
    items.iter().zip(offsets).map(moved).collect()
}

/// Whether some places, found by trying all, keep everything that `pack` promises, order and overlaps included.
fn possible(items: &[Item], body: &[usize], chosen: &mut Vec<u64>) -> bool {
    let Some(item) = items.get(chosen.len()) else { return true };
    let at = chosen.len();
    let most = items.iter().map(|item| item.offset + item.keep() + item.alignment + item.extent).sum::<u64>();
    (item.offset..=most).any(|offset| {
        let aligned = offset.is_multiple_of(item.alignment);
        let new = Item { offset, extent: item.keep(), ..*item };
        let suits = (0..at).all(|other| {
            let (old, there) =
                (&items[other], Item { offset: chosen[other], extent: items[other].keep(), ..items[other] });
            let ordered = match (old.end() <= item.offset, item.end() <= old.offset) {
                (true, _) => there.end() <= offset,
                (_, true) => new.end() <= there.offset,
                _ => there.overlaps(&new),
            };
            let together = body[other] == body[at] || !old.bytes && !item.bytes && old.offset == item.offset;
            let rigid = !together || there.offset.wrapping_sub(offset) == old.offset.wrapping_sub(item.offset);
            ordered && rigid
        });
        aligned && suits && {
            chosen.push(offset);
            let found = possible(items, body, chosen);
            chosen.pop();
            found
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn promises_are_kept(items in proptest::collection::vec(item(24), 0..14), swap in any::<(usize, usize)>()) {
        let packed = pack(&items, 0).unwrap();
        let (new, body) = (here(&items, &packed.offsets), body_of(&items));
        for (item, new) in items.iter().zip(&new) {
            prop_assert!(new.offset.is_multiple_of(item.alignment));
            prop_assert!(new.offset >= item.offset);
            prop_assert!(new.offset + item.size <= packed.size.next_multiple_of(GRANULARITY));
        }
        let mut parted = std::collections::BTreeSet::new();
        for (a, b) in pairs(&items) {
            if !items[a].overlaps(&items[b]) {
                prop_assert!(!new[a].overlaps(&new[b]), "a new overlap: {:?} {:?}", new[a], new[b]);
            } else if !new[a].overlaps(&new[b]) {
                prop_assert!(!(items[a].bytes && items[b].bytes));
                parted.insert([items[a], items[b]].into_iter().collect::<std::collections::BTreeSet<_>>());
            }
            if body[a] == body[b] {
                let distance = |items: &[Item]| items[a].offset.wrapping_sub(items[b].offset);
                prop_assert_eq!(distance(&items), distance(&new));
            }
            if items[a] == items[b] {
                prop_assert_eq!(new[a], new[b]);
            }
        }
        prop_assert_eq!(parted.len() as u64, packed.parted);
        if !items.is_empty() {
            let (mut other, mut same) = (items.clone(), packed.offsets.clone());
            let (a, b) = (swap.0 % items.len(), swap.1 % items.len());
            other.swap(a, b);
            same.swap(a, b);
            prop_assert_eq!(pack(&other, 0).unwrap().offsets, same);
        }
    }

    /// Overlaps are lost only where no places in the old order keep them all.
    #[test]
    fn nothing_is_parted_without_need(items in proptest::collection::vec(item(6), 1..5)) {
        let packed = pack(&items, 0).unwrap();
        let possible = place_is_possible(&items);
        prop_assert_eq!(packed.parted == 0, possible, "{:?} {:?}", items, packed);
        for (a, b) in pairs(&items).filter(|_| possible) {
            if !items[a].bytes && !items[b].bytes && items[a].offset == items[b].offset {
                prop_assert_eq!(packed.offsets[a], packed.offsets[b]);
            }
        }
    }
}

fn place_is_possible(items: &[Item]) -> bool {
    possible(items, &body_of(items), &mut Vec::new())
}
