//! The state machine against two simulators that know nothing of promises: one that keeps every value the fence had in
//! time, and one that knows what happened before what on several GPU queues.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;

use super::model::{Model, Ticket, Wait};

/// The queue that signals and the one that waits.
const GPU: u64 = 1;
const WAITING: u64 = 2;

#[derive(Clone, Debug)]
enum Step {
    Set(u64),
    Promise(u64),
    /// The GPU comes to the next promise.
    Gpu,
    Watch(u64),
    Arm(u64),
    Resolve(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let value = 0..8u64;
    prop_oneof![
        2 => value.clone().prop_map(Step::Set),
        4 => value.clone().prop_map(Step::Promise),
        4 => Just(Step::Gpu),
        2 => value.clone().prop_map(Step::Watch),
        2 => value.prop_map(Step::Arm),
        3 => (0..6usize).prop_map(Step::Resolve),
    ]
}

/// One queue and the CPU. All values that the fence ever had, in time, are the whole truth.
struct Timeline {
    values: Vec<u64>,
    /// Promises that the GPU has not come to: number and value.
    queue: VecDeque<(u64, u64)>,
    promised: u64,
}

impl Timeline {
    fn reached_since(&self, moment: usize, wanted: u64) -> bool {
        self.values[moment..].iter().any(|&value| value >= wanted)
    }

    fn now(&self) -> usize {
        self.values.len() - 1
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_record_of_all_values(steps in prop::collection::vec(step(), 1..60), lazy in any::<bool>()) {
        let mut truth = Timeline { values: vec![3], queue: VecDeque::new(), promised: 0 };
        let mut model: Model<u64, usize> = Model::new(3);
        let mut fired = Vec::new();
        // Watchers: moment and value; armed waits: ticket, moment, value.
        let mut watched: Vec<(usize, u64)> = Vec::new();
        let mut armed: Vec<(Ticket, usize, u64)> = Vec::new();
        let mut seen = BTreeSet::new();
        for step in steps {
            let first_left = truth.queue.front().map_or(truth.promised, |&(number, _)| number);
            // The fence's object advances before everything but the GPU's own work.
            if !matches!(step, Step::Gpu) {
                model.advance(|&point| point < first_left, &mut fired);
            }
            match step {
                Step::Set(value) => {
                    model.set(value, &mut fired);
                    truth.values.push(value);
                }
                Step::Promise(value) => {
                    model.promise(GPU, value, truth.promised);
                    truth.queue.push_back((truth.promised, value));
                    truth.promised += 1;
                }
                Step::Gpu => {
                    if let Some((_, value)) = truth.queue.pop_front() {
                        truth.values.push(value);
                    }
                }
                Step::Watch(value) => {
                    watched.push((truth.now(), value));
                    fired.extend(model.watch(value, watched.len() - 1));
                }
                Step::Arm(value) => armed.push((model.arm(WAITING, value), truth.now(), value)),
                Step::Resolve(which) if which < armed.len() => {
                    let (ticket, moment, wanted) = armed[which];
                    let expected = match truth.queue.iter().find(|&&(_, value)| value >= wanted) {
                        _ if truth.reached_since(moment, wanted) => Wait::Passed,
                        Some(&(number, _)) => Wait::On(number),
                        None => Wait::Blocked,
                    };
                    prop_assert_eq!(model.resolve(ticket), expected);
                    if expected != Wait::Blocked {
                        armed.swap_remove(which);
                    }
                }
                Step::Resolve(_) => {}
            }
            if lazy {
                continue;
            }
            let first_left = truth.queue.front().map_or(truth.promised, |&(number, _)| number);
            model.advance(|&point| point < first_left, &mut fired);
            prop_assert_eq!(model.value(), *truth.values.last().unwrap());
            prop_assert_eq!(model.pending(), !truth.queue.is_empty());
            for watcher in fired.drain(..) {
                prop_assert!(seen.insert(watcher), "woken twice");
            }
            for (index, &(moment, wanted)) in watched.iter().enumerate() {
                prop_assert_eq!(seen.contains(&index), truth.reached_since(moment, wanted));
            }
        }
        truth.values.extend(truth.queue.drain(..).map(|(_, value)| value));
        model.advance(|_| true, &mut fired);
        for watcher in fired {
            prop_assert!(seen.insert(watcher), "woken twice");
        }
        for (index, &(moment, wanted)) in watched.iter().enumerate() {
            prop_assert_eq!(seen.contains(&index), truth.reached_since(moment, wanted));
        }
        prop_assert_eq!(model.value(), *truth.values.last().unwrap());
    }

    #[test]
    fn keeps_promises_in_the_gpus_order(
        script in prop::collection::vec((0..3usize, any::<bool>(), 0..20usize), 1..40),
        mut gpu in prop::collection::vec(0..3usize, 200..201),
    ) {
        // A signal of queue `queue` with a value of its own, done before it: all that its queue did or waited for.
        struct Signal { queue: usize, before: BTreeSet<usize> }
        let mut signals: Vec<Signal> = Vec::new();
        let mut past: [BTreeSet<usize>; 3] = Default::default();
        let mut left: [VecDeque<usize>; 3] = Default::default();
        let done = std::cell::RefCell::new(BTreeSet::new());
        let mut model: Model<usize, ()> = Model::new(0);
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut fired = Vec::new();
        // The GPU takes one step of some queue, if what the step waits for is done.
        let run = |queue: usize, left: &mut [VecDeque<usize>; 3], signals: &[Signal]| {
            let Some(&signal) = left[queue].front() else { return };
            if signals[signal].before.is_subset(&done.borrow()) {
                done.borrow_mut().insert(signal);
                left[queue].pop_front();
            }
        };
        for (queue, wait, which) in script {
            if wait {
                if which < signals.len() {
                    let other = &signals[which];
                    let mut before = other.before.clone();
                    before.insert(which);
                    prop_assert!(other.queue < 3);
                    past[queue].extend(before);
                }
            } else {
                let number = signals.len();
                signals.push(Signal { queue, before: past[queue].clone() });
                past[queue].insert(number);
                left[queue].push_back(number);
                // Values are one more than numbers: 0 is the first value.
                model.promise(queue as u64, number as u64 + 1, number);
            }
            if which % 3 == 0 {
                let mut seen = Vec::new();
                model.advance(|&point| {
                    // The GPU works on while its points are asked for, one after the other.
                    let reached = done.borrow().contains(&point);
                    if reached {
                        seen.push(point);
                    }
                    for _ in 0..2 {
                        if let Some(queue) = gpu.pop() {
                            run(queue, &mut left, &signals);
                        }
                    }
                    reached
                }, &mut fired);
                kept.extend(seen);
                for &signal in &kept {
                    prop_assert!(signals[signal].before.is_subset(&kept), "kept before what happened before it");
                }
                match model.value().checked_sub(1) {
                    None => prop_assert!(kept.is_empty()),
                    Some(last) => {
                        let last = last as usize;
                        prop_assert!(kept.contains(&last));
                        prop_assert!(kept.iter().all(|&other| !signals[other].before.contains(&last)), "fell back");
                    }
                }
            }
        }
        model.advance(|_| true, &mut fired);
        prop_assert!(!model.pending());
        if let Some(last) = model.value().checked_sub(1) {
            let last = last as usize;
            prop_assert!(signals.iter().all(|other| !other.before.contains(&last)), "fell back");
        } else {
            prop_assert!(signals.is_empty());
        }
    }
}

#[test]
fn removal_lets_everybody_go_for_good() {
    let mut model: Model<u32, &str> = Model::new(0);
    let mut fired = Vec::new();
    model.promise(GPU, 5, 1);
    assert_eq!(model.watch(9, "nine"), None);
    let ticket = model.arm(WAITING, 7);
    assert_eq!(model.resolve(ticket), Wait::Blocked);
    model.remove(&mut fired);
    assert_eq!((fired.as_slice(), model.value(), model.resolve(ticket)), (&["nine"][..], u64::MAX, Wait::Passed));
    model.promise(GPU, 1, 2);
    model.set(2, &mut fired);
    assert_eq!((model.value(), model.pending(), model.watch(u64::MAX, "all")), (u64::MAX, false, Some("all")));
}

#[test]
fn a_wait_that_was_satisfied_stays_so_after_a_rewind() {
    let mut model: Model<u32, ()> = Model::new(0);
    let mut fired = Vec::new();
    let (early, late) = (model.arm(WAITING, 4), model.arm(WAITING, 6));
    model.set(5, &mut fired);
    let at_once = model.arm(WAITING, 4);
    model.set(1, &mut fired);
    let again = model.arm(WAITING, 4);
    assert_eq!((model.resolve(early), model.resolve(late)), (Wait::Passed, Wait::Blocked));
    assert_eq!((model.resolve(at_once), model.resolve(again)), (Wait::Passed, Wait::Blocked));
}

#[test]
fn a_queue_knows_its_own_signals() {
    let mut model: Model<u32, ()> = Model::new(7);
    let mut fired = Vec::new();
    // The waiting queue signals 9, then 0, and waits: neither 7 nor 9 is there any more by then.
    model.expect(WAITING, 9);
    model.expect(WAITING, 0);
    let ticket = model.arm(WAITING, 5);
    model.promise(WAITING, 9, 1);
    model.promise(WAITING, 0, 2);
    let second = model.arm(WAITING, 5);
    assert_eq!((model.resolve(ticket), model.resolve(second)), (Wait::Blocked, Wait::Blocked));
    model.advance(|&point| point == 1, &mut fired);
    assert_eq!((model.value(), model.resolve(ticket)), (9, Wait::Blocked));
    model.advance(|&point| point == 2, &mut fired);
    assert_eq!((model.value(), model.resolve(ticket)), (0, Wait::Blocked));
    model.promise(GPU, 5, 3);
    assert_eq!(model.resolve(ticket), Wait::On(3));
    model.advance(|&point| point == 3, &mut fired);
    model.set(0, &mut fired);
    assert_eq!(model.resolve(second), Wait::Passed, "the other queue's signal came while it waited");
    model.promise(WAITING, 6, 4);
    let third = model.arm(WAITING, 5);
    assert_eq!(model.resolve(third), Wait::Passed, "its own signal comes first");
}

#[test]
fn who_waits_for_a_released_fence_goes_on_when_nothing_helps() {
    let mut model: Model<u32, &str> = Model::new(0);
    let mut fired = Vec::new();
    model.promise(GPU, 3, 1);
    model.expect(GPU, 5);
    let (soon, never) = (model.arm(WAITING, 5), model.arm(WAITING, 6));
    for (value, name) in [(3, "three"), (5, "five"), (6, "six")] {
        assert_eq!(model.watch(value, name), None);
    }
    model.release(&mut fired);
    assert_eq!(fired, ["six"]);
    assert_eq!((model.resolve(soon), model.resolve(never)), (Wait::Blocked, Wait::Passed));
    model.promise(GPU, 5, 2);
    assert_eq!(model.resolve(soon), Wait::On(2));
    model.advance(|&point| point == 1, &mut fired);
    assert_eq!(fired, ["six", "three"]);
    model.advance(|_| true, &mut fired);
    assert_eq!((fired.as_slice(), model.value()), (&["six", "three", "five"][..], 5));
}
