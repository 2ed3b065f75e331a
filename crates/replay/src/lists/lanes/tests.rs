//! Tests of `lists::lanes`.
#![allow(clippy::unwrap_used)]

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

/// Lists are 1 to 6, allocators 11 to 14.
#[derive(Clone, Copy, Debug)]
enum Step {
    Reset {
        list: u32,
        allocator: u32,
    },
    /// A call that the walk would put into the list's lane, with the descriptor that it reads.
    Record {
        list: u32,
        reads: Option<u64>,
    },
    /// A call of the list that the walk makes itself.
    Direct {
        list: u32,
    },
    /// Execution, a question, a reset of an allocator.
    Use {
        id: u32,
    },
    Gone {
        id: u32,
    },
    Write {
        first: u64,
        count: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let list = || 1..7u32;
    let any = prop_oneof![1..7u32, 11..15u32];
    prop_oneof![
        2 => (list(), 11..15u32).prop_map(|(list, allocator)| Step::Reset { list, allocator }),
        12 => (list(), prop::option::weighted(0.2, 1..5u64)).prop_map(|(list, reads)| Step::Record { list, reads }),
        2 => list().prop_map(|list| Step::Direct { list }),
        2 => any.prop_map(|id| Step::Use { id }),
        1 => (1..7u32).prop_map(|id| Step::Gone { id }),
        2 => (1..5u64, 1..3u64).prop_map(|(first, count)| Step::Write { first, count }),
    ]
}

/// The number of the descriptor at an index.
fn number(index: u64) -> u64 {
    index * 0x1_0000
}

/// Plays the steps with lanes that go on only when `progress` says so, or when they are waited for. Gives the numbers of
/// the steps in the order in which they were made, and how many of them were made later than they stand.
fn play(steps: &[Step], strict: bool, progress: &[usize]) -> (Vec<usize>, usize) {
    let mut lanes = Lanes::new(strict);
    let mut rows: Vec<VecDeque<usize>> = Vec::new();
    let (mut made, mut late) = (Vec::new(), 0);
    for (at, step) in steps.iter().enumerate() {
        let wait = |lanes: &mut Lanes, rows: &mut Vec<VecDeque<usize>>, wait: Wait, made: &mut Vec<usize>| {
            let which = match wait {
                Wait::Nothing => vec![],
                Wait::One(lane) => vec![lane],
                Wait::All => lanes.all_open().to_vec(),
            };
            for lane in which {
                made.extend(rows[lane.0].drain(..));
                lanes.done(lane);
            }
        };
        let waits = match *step {
            Step::Record { list, reads } => {
                if let Some(lane) = lanes.of(list) {
                    lanes.open(lane);
                    if let Some(read) = reads {
                        lanes.reads().note(number(read), 1);
                    }
                    rows.resize_with(rows.len().max(lane.0 + 1), VecDeque::new);
                    rows[lane.0].push_back(at);
                    late += 1;
                    vec![]
                } else {
                    vec![lanes.before_call(list)]
                }
            }
            Step::Reset { list, allocator } => vec![lanes.before_call(list), lanes.before_use(allocator)],
            Step::Direct { list } => vec![lanes.before_call(list)],
            Step::Use { id } => vec![lanes.before_use(id)],
            Step::Gone { .. } => vec![lanes.before_all()],
            Step::Write { first, count } if !lanes.writes_are_free() => {
                vec![lanes.before_write(number(first), (count - 1) * 256 + 1)]
            }
            Step::Write { .. } => vec![],
        };
        let is_later = matches!(step, Step::Record { list, .. } if lanes.of(*list).is_some());
        waits.into_iter().for_each(|it| wait(&mut lanes, &mut rows, it, &mut made));
        if !is_later {
            made.push(at);
        }
        match *step {
            Step::Reset { list, allocator } => lanes.begin(list, allocator),
            Step::Gone { id } => lanes.forget(id),
            _ => {}
        }
        // Some lane goes on by some calls, as a thread would.
        let chance = progress[at % progress.len()];
        if let Some(row) = rows.get_mut(chance % 5) {
            let count = (chance / 5).min(row.len());
            made.extend(row.drain(..count));
        }
    }
    let open: Vec<Lane> = lanes.all_open().to_vec();
    open.into_iter().for_each(|lane| made.extend(rows[lane.0].drain(..)));
    (made, late)
}

/// What the API says of two steps, the first of which is a call of a list: whether the second could notice their order.
/// Told from the steps alone. `allocator` is the list's at the first step.
fn conflict(first: (u32, Option<u64>, Option<u32>), second: (Step, Option<u32>), strict: bool) -> bool {
    let (list, reads, allocator) = first;
    match second.0 {
        Step::Record { list: other, .. } | Step::Direct { list: other } => {
            strict || other == list || (allocator.is_some() && second.1 == allocator)
        }
        Step::Reset { list: other, allocator: into } => other == list || Some(into) == allocator,
        Step::Use { id } => id == list || Some(id) == allocator,
        Step::Gone { .. } => true,
        Step::Write { first, count } => strict || reads.is_some_and(|read| (first..first + count).contains(&read)),
    }
}

proptest! {
    /// Against the order of one thread: whoever could notice that a call is made later is made after it.
    #[test]
    fn calls_that_could_notice_each_other_keep_their_order(
        steps in prop::collection::vec(step(), 1..120),
        progress in prop::collection::vec(0..40usize, 1..30),
        strict in any::<bool>(),
    ) {
        let (made, _) = play(&steps, strict, &progress);
        let mut place = vec![usize::MAX; steps.len()];
        made.iter().enumerate().for_each(|(order, &at)| place[at] = order);
        prop_assert_eq!(made.len(), steps.len(), "each is made once");
        let mut allocators: Vec<std::collections::HashMap<u32, u32>> = vec![Default::default()];
        for step in &steps {
            let mut next = allocators.last().unwrap().clone();
            match *step {
                Step::Reset { list, allocator } => drop(next.insert(list, allocator)),
                Step::Gone { id } => drop(next.remove(&id)),
                _ => {}
            }
            allocators.push(next);
        }
        for (early, step) in steps.iter().enumerate() {
            let Step::Record { list, reads } = *step else { continue };
            let known = |at: usize, list: u32| allocators[at].get(&list).copied();
            for (late, other) in steps.iter().enumerate().skip(early + 1) {
                let its = match *other {
                    Step::Record { list, .. } | Step::Direct { list } => known(late, list),
                    _ => None,
                };
                if conflict((list, reads, known(early, list)), (*other, its), strict) {
                    prop_assert!(place[early] < place[late], "{:?} at {} and {:?} at {}", step, early, other, late);
                }
            }
        }
        // And whatever stands before a call of a list is made before it, unless it is one of another list.
        for (late, step) in steps.iter().enumerate() {
            if let Step::Record { .. } = step {
                for (early, other) in steps.iter().enumerate().take(late) {
                    if !matches!(other, Step::Record { .. }) {
                        prop_assert!(place[early] < place[late], "{} {}", early, late);
                    }
                }
            }
        }
    }
}

/// What the whole thing is for: nobody waits where nobody has to.
#[test]
fn lists_of_two_allocators_do_not_wait_for_each_other() {
    let mut lanes = Lanes::new(false);
    lanes.begin(1, 11);
    lanes.begin(2, 12);
    lanes.begin(3, 12);
    let (first, second) = (lanes.of(1).unwrap(), lanes.of(2).unwrap());
    assert_ne!(first, second);
    assert_eq!(lanes.of(3), Some(second), "these record in turn");
    lanes.open(first);
    assert_eq!(lanes.before_use(2), Wait::Nothing);
    assert_eq!(lanes.before_use(12), Wait::Nothing);
    assert_eq!(lanes.before_use(11), Wait::One(first));
    assert!(lanes.writes_are_free());
    assert_eq!(lanes.before_all(), Wait::All);
    lanes.done(first);
    assert_eq!((lanes.before_all(), lanes.before_use(1)), (Wait::Nothing, Wait::Nothing));
    assert_eq!(lanes.of(4), None, "nothing is known of its allocator");
}

#[test]
fn a_strict_runtime_has_one_lane() {
    let mut lanes = Lanes::new(true);
    lanes.begin(1, 11);
    lanes.begin(2, 12);
    assert_eq!(lanes.of(1), lanes.of(2));
    lanes.open(Lane(0));
    assert!(!lanes.writes_are_free());
    assert_eq!(lanes.before_write(5, 1), Wait::All);
    assert_eq!(lanes.before_call(9), Wait::All, "a list that nothing is known of");
}

/// However many allocators come and go, as many lanes do as are there at once.
#[test]
fn lanes_are_used_again() {
    let mut lanes = Lanes::new(false);
    for round in 0..100 {
        let (list, allocator) = (2 * round, 2 * round + 1);
        lanes.begin(list, allocator);
        assert!(lanes.of(list).unwrap().0 < 2);
        lanes.forget(list);
        lanes.forget(allocator);
    }
    assert!(lanes.of.is_empty());
}
