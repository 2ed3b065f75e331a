//! Runs against a plain table of tiles.

use super::*;
use proptest::prelude::*;

/// Tiles of the plain table.
const TILES: u32 = 40;

#[derive(Clone, Debug)]
enum Step {
    Map { first: u32, count: u32, heap: u32, tile: u32, single: bool },
    Clear { first: u32, count: u32 },
    Forget { heap: u32 },
}

fn step() -> impl Strategy<Value = Step> {
    let place = (0..TILES, 0..TILES);
    prop_oneof![
        4 => (place.clone(), 1..4u32, 0..100u32, any::<bool>()).prop_map(|((first, count), heap, tile, single)| {
            Step::Map { first, count: count.min(TILES - first), heap, tile, single }
        }),
        2 => place.prop_map(|(first, count)| Step::Clear { first, count: count.min(TILES - first) }),
        1 => (1..4u32).prop_map(|heap| Step::Forget { heap }),
    ]
}

proptest! {
    /// Where each tile lies is where a table with a place for each tile says.
    #[test]
    fn runs_say_what_a_table_says(steps in prop::collection::vec(step(), 1..60), from in 0..TILES, count in 0..TILES) {
        let mut tiles = Tiles::default();
        let mut table: Vec<Option<(u32, u32)>> = vec![None; TILES as usize];
        for (call, step) in (1..).zip(steps) {
            match step {
                Step::Map { first, count, heap, tile, single } => {
                    tiles.map(first, Run { count, heap, tile, single, call });
                    for at in 0..count {
                        table[(first + at) as usize] = Some((heap, if single { tile } else { tile + at }));
                    }
                }
                Step::Clear { first, count } => {
                    tiles.clear(first, count);
                    table[first as usize..(first + count) as usize].fill(None);
                }
                Step::Forget { heap } => {
                    tiles.forget(heap);
                    table.iter_mut().for_each(|tile| *tile = tile.filter(|(other, _)| *other != heap));
                }
            }
            let said: Vec<_> = (0..TILES).map(|tile| tiles.at(tile).map(|run| (run.heap, run.tile))).collect();
            prop_assert_eq!(&said, &table);
            prop_assert!(tiles.runs().all(|(_, run)| run.count > 0));
        }
        let mut between = vec![None; TILES as usize];
        for (first, run) in tiles.between(from, count) {
            for at in 0..run.count {
                between[(first + at) as usize] = Some((run.heap, if run.single { run.tile } else { run.tile + at }));
            }
        }
        for (tile, said) in (0..).zip(between) {
            let inside = (from..from.saturating_add(count)).contains(&tile);
            prop_assert_eq!(said, table[tile as usize].filter(|_| inside), "tile {}", tile);
        }
    }
}

/// As a damaged trace may have it.
#[test]
fn runs_at_the_end_of_all_numbers_are_cut() {
    let mut tiles = Tiles::default();
    let run = Run { count: u32::MAX, heap: 1, tile: u32::MAX, single: false, call: 1 };
    tiles.map(u32::MAX - 2, run);
    assert_eq!(tiles.runs().map(|(first, run)| (first, run.count)).collect::<Vec<_>>(), [(u32::MAX - 2, 2)]);
    tiles.clear(u32::MAX - 1, u32::MAX);
    assert_eq!(tiles.runs().map(|(first, run)| (first, run.count)).collect::<Vec<_>>(), [(u32::MAX - 2, 1)]);
    assert_eq!(tiles.between(0, u32::MAX).count(), 1);
}
