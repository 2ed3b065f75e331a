//! Tests of `indirect::state`.
#![allow(clippy::unwrap_used)]

use super::*;

/// States and calls in words, by what the program would call in the end.
fn calls(state: &ComputeState) -> Vec<(MethodId, Vec<u64>)> {
    let mut all = Vec::new();
    let bound = state.bound().look_up(|id, _| Ok(id.into())).unwrap();
    state.calls(bound, |method, words| all.push((method, words.to_vec())));
    all
}

fn after(state: &mut ComputeState, made: &[(MethodId, &[u64])]) {
    for (method, words) in made {
        // SAFETY: valid words; constants are behind their pointer.
        unsafe { state.note(*method, words[0] as u32, words) };
    }
}

#[test]
fn what_was_set_last_is_given_back() {
    let mut state = ComputeState::begin(7);
    let values = [5u32, 6, 7];
    after(
        &mut state,
        &[
            (ROOT, &[100]),
            (CBV, &[0, 0x1000]),
            (CONSTANTS, &[1, 3, values.as_ptr() as u64, 2]),
            (CONSTANT, &[1, 9, 3]),
            (CBV, &[0, 0x2000]),
            (TABLE, &[2, 0x30]),
            (PIPELINE, &[8]),
            (ROOT, &[100]),
        ],
    );
    let expected = [
        (ROOT, vec![100]),
        (CBV, vec![0, 0x2000]),
        (CONSTANT, vec![1, 5, 2]),
        (CONSTANT, vec![1, 9, 3]),
        (CONSTANT, vec![1, 7, 4]),
        (TABLE, vec![2, 0x30]),
        (PIPELINE, vec![8]),
    ];
    assert_eq!(calls(&state), expected);
    after(&mut state, &[(ROOT, &[101])]);
    assert_eq!(calls(&state), [(ROOT, vec![101]), (PIPELINE, vec![8])], "another signature has no arguments");
    after(&mut state, &[(CLEAR, &[0])]);
    assert_eq!(calls(&state), []);
}

#[test]
fn a_bundle_leaves_what_it_set() {
    let (mut list, mut bundle) = (ComputeState::begin(1), ComputeState::begin(2));
    after(&mut list, &[(ROOT, &[100]), (CBV, &[0, 1]), (SRV, &[1, 2])]);
    after(&mut bundle, &[(SRV, &[1, 3]), (CONSTANT, &[2, 4, 0])]);
    list.run_bundle(bundle.clone());
    let expected =
        [(ROOT, vec![100]), (CBV, vec![0, 1]), (SRV, vec![1, 3]), (CONSTANT, vec![2, 4, 0]), (PIPELINE, vec![2])];
    assert_eq!(calls(&list), expected);
    after(&mut bundle, &[(ROOT, &[101]), (UAV, &[0, 5])]);
    list.run_bundle(bundle);
    assert_eq!(calls(&list), [(ROOT, vec![101]), (UAV, vec![0, 5]), (PIPELINE, vec![2])]);
}

/// Builds are not subject to predicates, so replay's own commands run without one.
#[test]
fn a_predicate_is_given_back() {
    let mut state = ComputeState::begin(0);
    after(&mut state, &[(PREDICATION, &[50, 8, 1])]);
    assert_eq!(calls(&state), [(PREDICATION, vec![50, 8, 1])]);
    after(&mut state, &[(PREDICATION, &[0, 0, 0])]);
    assert_eq!(calls(&state), []);
    after(&mut state, &[(PREDICATION, &[50, 8, 1]), (CLEAR, &[0])]);
    assert_eq!(calls(&state), []);
}

#[test]
fn bundles_and_passes_take_no_commands_of_ours() {
    let made = |bundle| FollowedList::new(ListMade { bundle, allocator: 1, pipeline: 0 });
    assert!(made(true).can_patch().is_err());
    let mut list = made(false);
    assert!(list.can_patch().is_ok());
    // SAFETY: methods that take no notice of their words here.
    unsafe {
        list.note(BEGIN_PASS, 0, &[0, 0, 0, 0]);
        assert!(list.can_patch().is_err());
        list.note(END_PASS, 0, &[]);
    }
    assert!(list.can_patch().is_ok());
}

/// A program is not known by an object: it can be set by the program alone.
#[test]
fn programs_of_state_objects_are_not_given_back() {
    let mut list = FollowedList::new(ListMade { bundle: false, allocator: 1, pipeline: 3 });
    for (over, first) in [(PIPELINE, 4), (STATE_OBJECT, 5), (CLEAR, 0)] {
        // SAFETY: methods that take no notice of their words here.
        unsafe {
            list.note(PROGRAM, 0, &[0x1000]);
            assert!(list.can_patch().unwrap_err().contains("SetProgram"));
            list.note(over, first, &[0x2000]);
        }
        assert!(list.can_patch().is_ok());
    }
    let mut bundle = ComputeState::begin(0);
    // SAFETY: `SetProgram` is noted by its method alone; the words are not followed.
    unsafe { bundle.note(PROGRAM, 0, &[0x1000]) };
    list.state.run_bundle(bundle);
    assert!(list.can_patch().is_err(), "the bundle left it");
    list.reset(1, 0);
    assert!(list.can_patch().is_ok());
}
