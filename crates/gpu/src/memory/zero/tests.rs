//! Which fills wait, and how they are joined.
#![allow(clippy::unwrap_used)]

use super::*;

const SIZE: u64 = 1 << 16;

/// Memory that only has a size.
#[derive(Debug)]
struct Bytes;

impl Filled for Bytes {
    fn buffer(&self) -> vk::Buffer {
        vk::Buffer::null()
    }

    fn size(&self) -> u64 {
        1 << 20
    }
}

fn ranges(fills: &[Fill<Bytes>]) -> Vec<(*const Bytes, u64, u64)> {
    let mut all: Vec<_> = fills.iter().map(|fill| (Arc::as_ptr(&fill.memory), fill.offset, fill.size)).collect();
    all.sort();
    all
}

#[test]
fn neighbours_are_filled_at_once_and_the_dead_are_not() {
    let (fills, chunk, alone, gone) = (Fills::default(), Arc::new(Bytes), Arc::new(Bytes), Arc::new(Bytes));
    assert!(!fills.is_waiting());
    for at in [3, 0, 2, 1] {
        fills.add(&chunk, at * SIZE, SIZE);
    }
    fills.add(&alone, 0, SIZE);
    fills.add(&gone, 0, SIZE);
    // The third slice goes, and one whose memory goes with it.
    fills.forget(&chunk, 2 * SIZE);
    drop(gone);
    assert!(fills.is_waiting());
    let mut turn = fills.enter();
    let taken = turn.take();
    assert!(fills.is_waiting(), "until the submission is made");
    turn.end();
    assert!(!fills.is_waiting());
    let chunk = Arc::as_ptr(&chunk);
    let mut expected = vec![(chunk, 0, 2 * SIZE), (chunk, 3 * SIZE, SIZE), (Arc::as_ptr(&alone), 0, SIZE)];
    expected.sort();
    assert_eq!(ranges(&taken), expected);
}

#[test]
fn joined_fills_reach_to_the_end_of_the_last() {
    let (fills, memory) = (Fills::default(), Arc::new(Bytes));
    for offset in [8, 0, 16] {
        fills.add(&memory, offset, 5);
    }
    let taken = fills.enter().take();
    assert_eq!(taken.iter().map(|fill| (fill.offset, fill.end())).collect::<Vec<_>>(), [(0, 24)]);
}
