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
    let author = Author { hash: 1, stage: Stage::Compute };
    for length in 0..=words.len() {
        let cut = words[..length].to_vec();
        assert_eq!(with_records(cut.clone(), &Interface::default(), author), cut);
    }
}
