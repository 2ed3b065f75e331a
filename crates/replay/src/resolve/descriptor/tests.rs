//! Tests of `resolve::descriptor`.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn heap(id: u32, start: u64) -> HeapHandles {
    HeapHandles {
        heap: id,
        count: 10,
        start,
        increment: 32,
        replayed_start: 0x9_0000 * u64::from(id),
        replayed_increment: 8,
    }
}

#[test]
fn a_handle_belongs_to_the_heap_alive_now() {
    let mut map = HandleMap::default();
    assert!(map.insert(heap(1, 0x1000)));
    assert_eq!(map.replayed(0x1000 + 3 * 32), Ok(0x9_0000 + 3 * 8));
    assert_eq!(map.locate(0x1000 + 10 * 32), Ok((1, 10)), "just past the end");
    assert_eq!(map.replayed(0x1004), Err(HandleError::BetweenDescriptors { handle: 0x1004, heap: 1, increment: 32 }));
    map.remove(1);
    assert_eq!(map.replayed(0x1000), Err(HandleError::NoHeap { handle: 0x1000 }));
    assert!(map.insert(heap(2, 0x1000)));
    assert_eq!(map.locate(0x1020), Ok((2, 1)));
    assert_eq!(map.replayed(0), Ok(0));
}

#[test]
fn heaps_that_cannot_be_are_refused() {
    let mut map = HandleMap::default();
    assert!(!map.insert(HeapHandles { count: 0, ..heap(1, 0x1000) }));
    assert!(!map.insert(HeapHandles { increment: 0, ..heap(1, 0x1000) }));
    assert!(!map.insert(HeapHandles { count: u32::MAX, increment: u32::MAX, ..heap(1, u64::MAX - 5) }));
    assert!(!map.insert(HeapHandles { replayed_start: u64::MAX - 5, ..heap(1, 0x1000) }));
    assert_eq!(map.replayed(0x1000), Err(HandleError::NoHeap { handle: 0x1000 }));
}

proptest! {
    /// Heaps side by side, of any increment on either side: every descriptor keeps its heap and index.
    #[test]
    fn every_descriptor_is_found_again(
        heaps in prop::collection::vec((1..50u32, 1..100u32, 1..100u32, 0..3u64), 1..12),
        removed in any::<prop::sample::Index>(),
    ) {
        let mut map = HandleMap::default();
        let mut all = Vec::new();
        let mut next = 0x4000;
        for (id, &(count, increment, replayed_increment, gap)) in (1u32..).zip(&heaps) {
            let heap = HeapHandles {
                heap: id,
                count,
                start: next,
                increment,
                replayed_start: 0x1_0000_0000 * u64::from(id),
                replayed_increment,
            };
            prop_assert!(map.insert(heap));
            next += u64::from(count) * u64::from(increment) + gap * 1000;
            all.push(heap);
        }
        let gone = all.remove(removed.index(all.len()));
        map.remove(gone.heap);
        for heap in &all {
            for index in 0..heap.count {
                let handle = heap.start + u64::from(index) * u64::from(heap.increment);
                prop_assert_eq!(map.locate(handle), Ok((heap.heap, index)));
                let replayed = map.replayed(handle).unwrap();
                let alike = map.alike(handle).unwrap();
                for other in handle.saturating_sub(200)..handle + 200 {
                    // What is said to be moved alike is moved so.
                    prop_assert!(alike.of(other).is_none_or(|moved| map.replayed(other) == Ok(moved)));
                }
                prop_assert_eq!(alike.of(handle), Some(replayed));
                prop_assert_eq!(
                    (replayed - heap.replayed_start) / u64::from(heap.replayed_increment),
                    u64::from(index)
                );
            }
        }
        let last = gone.start + u64::from(gone.count - 1) * u64::from(gone.increment);
        let neighbour = all.iter().any(|heap| heap.start + u64::from(heap.count) * u64::from(heap.increment) == last);
        prop_assert!(map.locate(last).is_err() || neighbour);
    }
}

#[test]
fn the_runtimes_own_handles_are_known() {
    let mut map = HandleMap::default();
    let heap =
        HeapHandles { heap: 1, count: 4, start: 0x1000, increment: 48, replayed_start: 0x9000, replayed_increment: 32 };
    assert!(map.insert(heap));
    for (handle, known) in [(0x8fff, false), (0x9000, true), (0x907f, true), (0x9080, false), (0x1000, false)] {
        assert_eq!(map.is_replayed(handle), known, "{handle:#x}");
    }
}
