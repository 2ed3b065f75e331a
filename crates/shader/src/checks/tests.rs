use super::*;

#[test]
fn an_entry_point_loses_one_variable() {
    // "main" and its end, then variables.
    let name = [u32::from_le_bytes(*b"main"), 0];
    let operands = [&[5, 4][..], &name, &[8, 9, 10]].concat();
    assert_eq!(entry_point(&operands, 9), [&[5, 4][..], &name, &[8, 10]].concat());
    assert_eq!(entry_point(&operands, 4), operands, "the function is no variable");
    assert_eq!(entry_point(&operands[..3], 9), operands[..3]);
}

#[test]
fn modules_without_checks_are_left_alone() {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 40, 0];
    emit(&mut words, op::CAPABILITY, &[1]);
    emit(&mut words, op::TYPE_INT, &[1, 32, 0]);
    let author = Author { hash: 1, stage: Stage::Compute, legacy: false };
    for length in 0..=words.len() {
        let cut = words[..length].to_vec();
        assert_eq!(with_records(cut.clone(), &Interface::default(), author).unwrap(), cut);
    }
}

/// A newer translator may call its parts otherwise. Its own checks would write into records what nobody understands.
#[test]
fn checks_of_another_form_are_refused() {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 40, 0];
    let name: Vec<u32> =
        b"descriptor_qa_check\0".chunks(4).map(|part| u32::from_le_bytes(part.try_into().unwrap())).collect();
    emit(&mut words, op::NAME, &[&[7][..], &name].concat());
    emit(&mut words, op::TYPE_INT, &[1, 32, 0]);
    let author = Author { hash: 1, stage: Stage::Compute, legacy: false };
    let refused = with_records(words, &Interface::default(), author).unwrap_err();
    assert!(refused.to_string().contains("checks of descriptors"), "{refused}");
}

/// Variable 10 holds the root arguments: two addresses, then words. Index 30 is a table's word and a number, 31 a root constant, 32 a table's word
/// behind a root constant.
#[test]
fn an_index_is_followed_to_the_word_of_its_table() {
    const PUSH_CONSTANT: u32 = 9;
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 60, 0];
    emit(&mut words, op::TYPE_INT, &[1, 32, 0]);
    for (id, value) in [(2, 3), (3, 5), (4, 2)] {
        emit(&mut words, op::CONSTANT, &[1, id, value]);
    }
    emit(&mut words, op::VARIABLE, &[9, 10, PUSH_CONSTANT]);
    // Member 3 is word 1, member 5 is word 3.
    for (chain, member, load) in [(20, 2, 21), (22, 3, 23)] {
        emit(&mut words, op::ACCESS_CHAIN, &[8, chain, 10, member]);
        emit(&mut words, op::LOAD, &[1, load, chain]);
    }
    emit(&mut words, op::I_ADD, &[1, 30, 23, 4]);
    emit(&mut words, op::I_ADD, &[1, 31, 21, 4]);
    emit(&mut words, op::I_ADD, &[1, 32, 31, 30]);
    let binding = crate::Binding {
        class: crate::Class::Srv,
        space: 0,
        register: 0,
        count: 1,
        visibility: 0,
        place: Place::Table { word: 3, offset: 0 },
    };
    let interface = Interface { root_descriptors: 2, root_words: 4, bindings: vec![binding], ..Interface::default() };
    let tables = Tables::read(&words, &interface, &HashMap::from([(2, 3), (3, 5), (4, 2)]));
    let found = [21, 23, 30, 31, 32, 40].map(|index| tables.word_of(index));
    assert_eq!(found, [None, Some(3), Some(3), None, Some(3), None], "constants are no tables");
}
