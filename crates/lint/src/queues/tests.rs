//! Orders that follow from fences, on small scripts.

use super::*;

fn at(fence: u32, value: u64) -> Operation {
    Operation { fence, value, call: 0 }
}

fn ran(queues: &mut Queues<&'static str>) -> Vec<(&'static str, Clock)> {
    let mut all = Vec::new();
    queues.run(|step| {
        if let Step::Run { submission, before, .. } = step {
            all.push((submission, before));
        }
    });
    all
}

#[test]
fn a_wait_holds_a_queue_until_the_signal_and_orders_the_two() {
    let mut queues = Queues::default();
    queues.made(9, 0, false);
    queues.wait(1, at(9, 5));
    queues.submit(1, |_| "second");
    queues.submit(2, |_| "first");
    assert_eq!(ran(&mut queues).iter().map(|ran| ran.0).collect::<Vec<_>>(), ["first"]);
    queues.signal(2, at(9, 5));
    let rest = ran(&mut queues);
    assert_eq!(rest[0].0, "second");
    assert_eq!(rest[0].1.get(&2), Some(&1), "the other queue's submission has ended before");
    assert!(queues.stuck().is_empty());
}

#[test]
fn what_the_program_saw_has_ended_through_waits_of_queues() {
    let mut queues = Queues::default();
    queues.made(8, 0, false);
    queues.made(9, 0, false);
    queues.submit(2, |_| "first");
    queues.signal(2, at(8, 1));
    queues.wait(1, at(8, 1));
    queues.submit(1, |_| "second");
    queues.signal(1, at(9, 1));
    assert!(!queues.has_ended(2, 1));
    queues.saw(9, 1);
    assert!(queues.has_ended(1, 1) && queues.has_ended(2, 1));
}

#[test]
fn only_what_is_before_a_signal_has_ended_with_it() {
    let mut queues = Queues::default();
    queues.made(9, 0, false);
    queues.submit(1, |_| "one");
    queues.signal(1, at(9, 1));
    queues.submit(1, |_| "two");
    queues.signal(1, at(9, 2));
    queues.saw(9, 1);
    assert!(queues.has_ended(1, 1) && !queues.has_ended(1, 2));
    queues.saw(9, 2);
    assert!(queues.has_ended(1, 2));
}

#[test]
fn two_queues_without_a_fence_have_no_order() {
    let mut queues = Queues::default();
    queues.submit(1, |_| "one");
    queues.submit(2, |_| "other");
    let ran = ran(&mut queues);
    assert_eq!(ran[1].1.get(&1), None);
}

#[test]
fn a_wait_that_nothing_ends_is_stuck() {
    let mut queues: Queues<()> = Queues::default();
    queues.made(9, 0, false);
    queues.wait(1, at(9, 2));
    queues.signal(1, at(9, 2));
    queues.run(|_| {});
    let stuck = queues.stuck();
    assert_eq!((stuck[0].wait, stuck[0].behind, stuck[0].certain), (at(9, 2), Some((1, at(9, 2))), true));
}

#[test]
fn a_signal_that_goes_backwards_is_told() {
    let mut queues: Queues<()> = Queues::default();
    queues.made(9, 0, false);
    queues.signal(1, at(9, 5));
    queues.signal(1, at(9, 3));
    let mut told = 0;
    queues.run(|step| told += u32::from(matches!(step, Step::Backwards { from: 5, .. })));
    assert_eq!(told, 1);
}
