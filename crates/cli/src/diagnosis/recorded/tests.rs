//! What a recorded crash is told as.

use super::*;

fn recording(operations: &[u8]) -> Recording {
    let calls = operations.iter().zip(10..).map(|(operation, call)| (call, MethodId(0), *operation));
    Recording { calls: calls.collect(), work: Vec::new() }
}

fn history(operations: &[u8], completed: u32) -> Unfinished {
    Unfinished { list: 1, queue: 2, completed, operations: operations.to_vec() }
}

#[test]
fn completed_operations_are_met_in_the_order_of_the_history() {
    let recording = recording(&[3, 15, 3, 7]);
    let completed = |operations: &[u8], count| completed_calls(&recording, &history(operations, count));
    assert_eq!(completed(&[3, 15, 3, 7], 0), Some(0));
    assert_eq!(completed(&[3, 15, 3, 7], 2), Some(2));
    assert_eq!(completed(&[3, 15, 3, 7], 4), Some(4));
    // A runtime that leaves nothing for barriers (15): the draw behind one is the first that is not completed.
    assert_eq!(completed(&[3, 3, 7], 1), Some(2));
    assert_eq!(completed(&[3, 3, 7], 2), Some(3));
    // Another list's history.
    assert_eq!(completed(&[9, 3], 1), None);
}

const A: u32 = 2;
const B: u32 = 3;

fn lists(call: u64, list: u32, operations: &[u8]) -> Item {
    let calls = operations.iter().zip(call * 100..).map(|(operation, call)| (call, MethodId(0), *operation));
    Item::Lists {
        call,
        number: 0,
        lists: vec![(list, Rc::new(Recording { calls: calls.collect(), work: Vec::new() }))],
    }
}

fn signal(call: u64, fence: u32, value: u64) -> Item {
    Item::Signal { call, fence, value }
}

fn wait(call: u64, fence: u32, value: u64) -> Item {
    Item::Wait { call, fence, value }
}

/// A reader of a trace whose queues were given this, and whose device was removed then.
fn reader(queues: Vec<(u32, Vec<Item>)>, unfinished: Vec<Unfinished>) -> Reader {
    let given = |(id, items): (u32, Vec<Item>)| {
        let submissions = items.iter().filter(|item| matches!(item, Item::Lists { .. })).count() as u64;
        (id, Queue { submissions, completed: 0, items: items.into() })
    };
    let removal = Removal { reason: REASONS[0], lists: unfinished, ..Removal::default() };
    Reader { queues: queues.into_iter().map(given).collect(), removal: Some(removal), ..Reader::default() }
}

fn diagnosis(reader: Reader) -> Diagnosis {
    match reader.finish() {
        Said::Stopped(diagnosis) => *diagnosis,
        Said::Nothing { .. } => panic!("the device was removed"),
    }
}

/// Frames are under way, and the program has not looked at the fence of the first one. Its list was recorded anew for the second one.
#[test]
fn the_last_run_of_a_list_is_the_one_that_is_not_completed() {
    let frames = || vec![(A, vec![lists(1, 9, &[3, 7]), signal(2, 5, 1), lists(3, 9, &[3, 7]), signal(4, 5, 2)])];
    let node = |completed| Unfinished { list: 9, queue: A, completed, operations: vec![3, 7] };
    let told = diagnosis(reader(frames(), vec![node(1)]));
    assert_eq!((told.suspects(), told.queues[0].completed), (vec![301], 1));
    // Both are under way: the first one is further, whichever is told first.
    for nodes in [vec![node(1), node(0)], vec![node(0), node(1)]] {
        let told = diagnosis(reader(frames(), nodes));
        assert_eq!((told.suspects(), told.queues[0].completed), (vec![101], 0));
    }
}

/// `B` works on what `A` makes, and `A` on what `B` made before.
#[test]
fn a_queue_that_waits_has_begun_nothing() {
    let given = || {
        let first = vec![lists(1, 9, &[3]), signal(2, 5, 1), wait(3, 6, 1), lists(4, 10, &[3]), signal(5, 5, 2)];
        let second = vec![wait(6, 5, 1), lists(7, 11, &[7]), signal(8, 6, 1), wait(9, 5, 2), lists(10, 12, &[7])];
        vec![(A, first), (B, second)]
    };
    let node = |list, queue, operation| Unfinished { list, queue, completed: 0, operations: vec![operation] };
    let all = [node(9, A, 3), node(10, A, 3), node(11, B, 7), node(12, B, 7)];
    for (done, suspect, waits) in [(0, 100, 6), (1, 700, 3), (2, 400, 9)] {
        // In the order of the work: 9, 11, 10, 12.
        let left = [&all[0], &all[2], &all[1], &all[3]].into_iter().skip(done).cloned();
        let told = diagnosis(reader(given(), left.collect()));
        assert_eq!(told.suspects(), [suspect], "{done}");
        let waiting = told.queues.iter().find_map(|queue| match queue.at {
            Standing::Wait { call, signaller, .. } => Some((call, signaller.is_some())),
            _ => None,
        });
        assert_eq!(waiting, Some((waits, true)), "{done}");
    }
    // `B` has work that leaves no breadcrumbs, which is not known to be done while `A` is not.
    let second = vec![wait(1, 5, 1), lists(2, 11, &[0]), lists(3, 12, &[7])];
    let queues = vec![(A, vec![lists(4, 9, &[3]), signal(5, 5, 1)]), (B, second)];
    assert_eq!(diagnosis(reader(queues, vec![node(9, A, 3), node(12, B, 7)])).suspects(), [400]);
}

/// Another process signals: what the queue has done behind the wait tells that the wait is over.
#[test]
fn a_wait_for_somebody_else_is_over_where_work_behind_it_is_done() {
    let given = || vec![(A, vec![wait(1, 5, 1), lists(2, 9, &[3, 7]), lists(3, 10, &[3, 7])])];
    let node = |list, completed| Unfinished { list, queue: A, completed, operations: vec![3, 7] };
    assert_eq!(diagnosis(reader(given(), vec![node(9, 1), node(10, 0)])).suspects(), [201]);
    assert_eq!(diagnosis(reader(given(), vec![node(10, 0)])).suspects(), [300]);
    let told = diagnosis(reader(given(), vec![node(9, 0), node(10, 0)]));
    assert!(matches!(told.queues[0].at, Standing::Wait { call: 1, signaller: None, .. }), "{told:?}");
}

#[test]
fn a_list_without_a_history_is_not_completed() {
    let given = || vec![(A, vec![lists(1, 9, &[3, 7]), lists(2, 10, &[3, 7])])];
    // Of this list DRED has the count alone.
    let long = Unfinished { list: 9, queue: A, completed: 1, operations: Vec::new() };
    let told = diagnosis(reader(given(), vec![long]));
    assert_eq!((told.suspects(), told.queues[0].completed), (vec![], 0));
    assert!(told.unmarked.unwrap().contains("list 9"));
    // Nothing is said of lists, but that there were more.
    let told = diagnosis(reader(given(), vec![Unfinished::default()]));
    assert_eq!((told.suspects(), told.queues[0].completed), (vec![], 0));
    assert!(told.unmarked.is_some());
    // The other one is, since it has breadcrumbs.
    let node = Unfinished { list: 10, queue: A, completed: 1, operations: vec![3, 7] };
    let told = diagnosis(reader(given(), vec![node]));
    assert_eq!((told.suspects(), told.queues[0].completed), (vec![201], 1));
}

/// The program waits by an event of its own, or asks for ever; the recorder saw nothing move.
#[test]
fn a_program_that_stands_still_hangs_if_it_waits_for_the_gpu() {
    let hangs = |waits: &dyn Fn(&mut Reader)| {
        let items = vec![lists(1, 9, &[3]), signal(2, 5, 1), lists(3, 10, &[3]), signal(4, 5, 2)];
        let mut reader = Reader { removal: None, still: Some(3), ..reader(vec![(A, items)], Vec::new()) };
        reader.saw(5, 1);
        waits(&mut reader);
        match reader.finish() {
            Said::Stopped(told) => Some((told.queues[0].completed, told.reason)),
            Said::Nothing { unknown, still } => {
                assert_eq!((unknown, still), (1, Some(3)));
                None
            }
        }
    };
    assert_eq!(hangs(&|_| ()), None, "it looks at nothing");
    assert_eq!(hangs(&|reader| _ = reader.awaited.insert(5, 1)), None, "what it waits for was reached");
    assert_eq!(hangs(&|reader| _ = reader.asked_for.insert(6)), None, "nobody signals that fence");
    let (completed, reason) = hangs(&|reader| _ = reader.awaited.insert(5, 2)).unwrap();
    assert_eq!(completed, 1);
    assert!(reason.starts_with("nothing moved for 3 s"), "{reason}");
    assert!(hangs(&|reader| _ = reader.asked_for.insert(5)).is_some());
}

/// Two submissions are under way when nothing moves any more, and a third one is made later.
#[test]
fn markers_tell_of_submissions_by_their_numbers() {
    let submission = |call: u64, number, list: u32| {
        let work = (0..3).map(|index| (call * 100 + index, MethodId(0))).collect();
        Item::Lists { call, number, lists: vec![(list, Rc::new(Recording { calls: Vec::new(), work }))] }
    };
    let marked = |submission, list, reached, completed| Marked {
        list,
        queue: A,
        submission,
        index: 0,
        reached,
        completed,
        operations: 3,
    };
    let given = |markers: Markers| {
        let items = vec![submission(1, 1, 9), submission(2, 2, 9), submission(3, 3, 9), submission(4, 4, 9)];
        let queue = Queue { submissions: 4, completed: 0, items: items.into() };
        Reader { queues: BTreeMap::from([(A, queue)]), markers: Some(markers), ..Reader::default() }
    };
    // The first one is done, so that markers do not have it; of the last one they do not know yet.
    let lists = vec![marked(2, 9, 3, 1), marked(3, 9, 0, 0)];
    let still = Markers { why: Why::Still, milliseconds: 2000, queues: vec![(A, 3)], lists };
    let told = diagnosis(given(still.clone()));
    assert_eq!((told.suspects(), told.queues[0].completed), (vec![201, 202], 1));
    assert!(told.reason.contains("2.0 s"), "{}", told.reason);
    // Something moved again: nothing says that the GPU stopped.
    let moves = Markers { why: Why::Moves, ..still.clone() };
    assert!(matches!(given(moves).finish(), Said::Nothing { unknown: 4, .. }));
    // Operations that the trace does not have: no operation is named.
    let other = Markers { lists: vec![Marked { operations: 4, ..still.lists[0] }], ..still };
    let told = diagnosis(given(other));
    assert_eq!((told.suspects(), told.queues[0].completed), (vec![], 1));
    assert!(told.unmarked.unwrap().contains("list 9"));
}

#[test]
fn a_value_that_was_seen_tells_of_other_fences() {
    let first = vec![lists(1, 9, &[3]), signal(2, 5, 1), wait(3, 7, 4), signal(4, 6, 1)];
    let third = vec![wait(5, 5, 1), lists(6, 10, &[7])];
    let mut reader = reader(vec![(A, first), (B, third)], Vec::new());
    reader.saw(6, 1);
    assert_eq!(["5", "6", "7"].map(|id| reader.fences[&id.parse().unwrap()]), [1, 1, 4]);
    assert_eq!(reader.queues[&A].completed, 1);
}

#[test]
fn a_queue_has_done_what_lies_before_a_signal_that_was_seen() {
    let lists = |call| Item::Lists { call, number: 0, lists: Vec::new() };
    let signal = |call, value| Item::Signal { call, fence: 5, value };
    let mut queue = Queue {
        submissions: 3,
        completed: 0,
        items: [lists(1), signal(2, 1), lists(3), signal(4, 2), lists(5)].into_iter().collect(),
    };
    assert_eq!(queue.reached(6, 9), []);
    assert_eq!((queue.completed, queue.items.len()), (0, 5));
    assert_eq!(queue.reached(5, 1), [(5, 1)]);
    assert_eq!((queue.completed, queue.items.len()), (1, 3));
    assert_eq!(queue.reached(5, 7), [(5, 2)]);
    assert_eq!((queue.completed, queue.items.len()), (2, 1));
}

#[test]
fn a_list_that_the_program_let_go_of_is_known_by_its_operations() {
    let gone = Unfinished { list: 0, ..history(&[3, 7], 1) };
    let other = history(&[3, 7], 0);
    let mut breadcrumbs = Breadcrumbs { unfinished: vec![&other, &gone], whole: true, untold: None };
    assert_eq!(breadcrumbs.take(2, 1, &recording(&[3, 7])), Some(&other));
    assert_eq!(breadcrumbs.take(2, 1, &recording(&[3])), None);
    assert_eq!(breadcrumbs.take(2, 1, &recording(&[3, 7])), Some(&gone));
}
