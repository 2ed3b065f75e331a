//! Tests of `resolve::address`.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[test]
fn an_address_used_again_belongs_to_its_new_owner() {
    let mut map = AddressMap::default();
    assert!(map.insert(1, 0x1000, 0x100));
    assert_eq!(map.resolve(0x1080), Some(Location { resource: 1, offset: 0x80 }));
    // The new owner's creation can return before the old one's release does.
    assert!(map.insert(2, 0x1000, 0x40));
    map.remove(1);
    assert_eq!(map.resolve(0x1020), Some(Location { resource: 2, offset: 0x20 }));
    assert_eq!(map.resolve(0x1040), Some(Location { resource: 2, offset: 0x40 }), "just past the end");
    assert_eq!(map.resolve(0x1041), None);
    map.remove(2);
    assert_eq!(map.resolve(0x1020), None);
}

#[test]
fn pieces_belong_to_the_newest() {
    let mut map = AddressMap::default();
    assert!(map.insert(1, 0x1000, 0x300));
    assert!(map.insert(2, 0x1100, 0x100));
    assert!(map.insert(3, 0x2000, 0x10));
    let piece = |start, end, resource, offset| (start..end, Location { resource, offset });
    let expected = [
        piece(0x1000, 0x1100, 1, 0),
        piece(0x1100, 0x1200, 2, 0),
        piece(0x1200, 0x1300, 1, 0x200),
        piece(0x2000, 0x2010, 3, 0),
    ];
    assert_eq!(map.pieces(), expected);
    let before = map.version();
    map.remove(2);
    assert_ne!(map.version(), before);
    assert_eq!(map.pieces(), [piece(0x1000, 0x1300, 1, 0), piece(0x2000, 0x2010, 3, 0)]);
}

#[test]
fn the_end_of_one_is_the_start_of_the_next() {
    let mut map = AddressMap::default();
    assert!(map.insert(1, 0x1000, 0x100));
    assert!(map.insert(2, 0x1100, 0x100));
    assert_eq!(map.resolve(0x1100), Some(Location { resource: 2, offset: 0 }));
    assert!(!map.insert(3, 0, 16), "null is no address");
    assert!(!map.insert(3, u64::MAX - 3, 16));
}

proptest! {
    /// Buffers placed in heaps, overlapping at will; heaps lie elsewhere at replay. Whatever buffer an address is
    /// resolved to, the replayed address must be the one that the heap's own move gives.
    #[test]
    fn overlapping_buffers_agree_on_the_replayed_address(
        placements in prop::collection::vec((0..3u64, 0..16u64, 1..8u64), 1..24),
        removals in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        probes in prop::collection::vec((0..3u64, 0..0x1800u64), 1..64),
    ) {
        let recorded_heap = |heap: u64| 0x10_0000 + heap * 0x10_0000;
        let replayed_heap = |heap: u64| 0x7000_0000 - heap * 0x10_0000;
        let mut map = AddressMap::default();
        let mut replayed = BTreeMap::new();
        let mut covered = Vec::new();
        for (id, &(heap, unit, units)) in (1u32..).zip(&placements) {
            let (offset, size) = (unit * 0x100, units * 0x100);
            prop_assert!(map.insert(id, recorded_heap(heap) + offset, size));
            replayed.insert(id, replayed_heap(heap) + offset);
            covered.push((id, heap, offset, size));
        }
        for removal in removals {
            if covered.is_empty() {
                break;
            }
            let (id, ..) = covered.remove(removal.index(covered.len()));
            map.remove(id);
        }
        for (heap, offset) in probes {
            let hit = map.resolve(recorded_heap(heap) + offset);
            let expected = covered.iter().any(|&(_, h, o, size)| h == heap && (o..=o + size).contains(&offset));
            prop_assert_eq!(hit.is_some(), expected);
            if let Some(hit) = hit {
                prop_assert_eq!(replayed[&hit.resource] + hit.offset, replayed_heap(heap) + offset);
            }
        }
    }
}
