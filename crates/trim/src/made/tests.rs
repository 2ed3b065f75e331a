//! The closure over random objects, against its definition.

use super::*;
use proptest::prelude::*;

/// What a random program does: makes an object that names some before it, changes one, or makes a call that stays only with all
/// that it names. Numbers choose among the objects so far.
#[derive(Clone, Debug)]
enum Step {
    Make(Vec<usize>),
    Change(usize, Vec<usize>),
    Note(Vec<usize>),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let some = || prop::collection::vec(0..64usize, 0..4);
    let step = prop_oneof![
        3 => some().prop_map(Step::Make),
        2 => (0..64usize, some()).prop_map(|(object, names)| Step::Change(object, names)),
        1 => some().prop_map(Step::Note),
    ];
    prop::collection::vec(step, 1..60)
}

proptest! {
    /// The closure has every call that a kept call needs. It has no call that no root needs. The closure of a closure is the same.
    #[test]
    fn a_closure_is_whole_and_least(steps in steps(), roots in prop::collection::vec(0..64usize, 0..5)) {
        let mut made = Made::default();
        let mut ids: Vec<u32> = Vec::new();
        // Call, the object that it is about (0: none), what it names, whether it makes the object.
        let mut calls: Vec<(u64, u32, Vec<u32>, bool)> = Vec::new();
        for (call, step) in (1..).zip(&steps) {
            let chosen = |places: &[usize], ids: &[u32]| -> Vec<u32> {
                if ids.is_empty() { Vec::new() } else { places.iter().map(|place| ids[place % ids.len()]).collect() }
            };
            match step {
                Step::Make(places) => {
                    let (id, names) = (ids.len() as u32 + 1, chosen(places, &ids));
                    made.give(id, call, 0, &names);
                    calls.push((call, id, names, true));
                    ids.push(id);
                }
                Step::Change(object, places) if !ids.is_empty() => {
                    let (id, names) = (ids[object % ids.len()], chosen(places, &ids));
                    made.change(id, call, &names);
                    calls.push((call, id, names, false));
                }
                Step::Note(places) => {
                    let names = chosen(places, &ids);
                    made.note(call, &names);
                    calls.push((call, 0, names, false));
                }
                Step::Change(..) => {}
            }
        }
        let roots: Vec<u32> =
            if ids.is_empty() { Vec::new() } else { roots.iter().map(|place| ids[place % ids.len()]).collect() };
        let needed = made.close(roots.iter().copied(), |_, _| {});
        // The least set, found by adding until nothing changes.
        let mut expected: BTreeSet<u32> = roots.iter().copied().collect();
        loop {
            let more: BTreeSet<u32> = calls
                .iter()
                .filter(|(_, about, ..)| expected.contains(about))
                .flat_map(|(_, _, names, _)| names.iter().copied())
                .collect();
            let before = expected.len();
            expected.extend(more);
            if expected.len() == before {
                break;
            }
        }
        prop_assert_eq!(&needed.objects, &expected);
        for (call, about, names, _) in &calls {
            let kept = match about {
                0 => names.iter().all(|id| expected.contains(id)),
                about => expected.contains(about),
            };
            prop_assert_eq!(needed.calls.contains(call), kept, "call {}", call);
        }
        // In the order of the calls, each names only what was made and kept before.
        let mut there = BTreeSet::new();
        for (call, about, names, makes) in &calls {
            if needed.calls.contains(call) {
                prop_assert!(names.iter().all(|id| there.contains(id)), "call {}", call);
                if *makes {
                    there.insert(*about);
                }
            }
        }
        let again = made.close(needed.objects.iter().copied(), |_, _| {});
        prop_assert_eq!(again, needed);
    }
}
