//! A group of two waves, in a module that is put together here: lanes that go apart and meet again, loops of different lengths, group memory
//! behind a barrier. What each lane has to store is worked out by hand beside it.

#![allow(clippy::unwrap_used)]

use reprise_interpreter::{Buffer, Fault, Handle, Module, Open, Opens, Resources, Size, Task, Texel, run};
use spirv::Op;

/// The words that lanes store to, at the block's address.
struct Words(Vec<u32>);

impl Resources for Words {
    fn read(&mut self, _: Buffer, offset: u64, bytes: &mut [u8]) -> Result<Open, String> {
        let word = self.0.get(offset as usize / 4).ok_or("beyond the end")?;
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
        Ok(0)
    }

    fn write(&mut self, _: Buffer, offset: u64, bytes: &[u8], _: Open) -> Result<(), String> {
        let word = self.0.get_mut(offset as usize / 4).ok_or("beyond the end")?;
        *word = u32::from_le_bytes(bytes.try_into().map_err(|_| "no word")?);
        Ok(())
    }

    fn length(&mut self, _: Buffer) -> Result<u64, String> {
        Ok(self.0.len() as u64 * 4)
    }

    fn texel(&mut self, _: &Handle, _: Texel) -> Result<([u64; 4], Open), String> {
        Err("no texels".to_owned())
    }

    fn set_texel(&mut self, _: &Handle, _: Texel, _: [u64; 4], _: [Open; 4]) -> Result<(), String> {
        Err("no texels".to_owned())
    }

    fn size(&mut self, _: &Handle, _: u32) -> Result<Size, String> {
        Err("no texels".to_owned())
    }
}

// Numbers of results.
const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const WORD: u32 = 3;
const BOOL: u32 = 4;
const FOUR: u32 = 5;
const ARRAY: u32 = 6;
const BLOCK: u32 = 7;
const TO_BLOCK: u32 = 8;
const TO_WORD: u32 = 9;
const INPUT: u32 = 10;
const SHARED_ARRAY: u32 = 11;
const TO_SHARED_ARRAY: u32 = 12;
const TO_SHARED: u32 = 13;
const OUT: u32 = 14;
const INDEX: u32 = 15;
const SHARED: u32 = 16;
const MAIN: u32 = 17;
const TRUE: u32 = 18;
/// Constants 0 to 8.
const ZERO: u32 = 20;
const LANE: u32 = 30;

/// What lanes store: a word each, behind `slot` times the lanes.
fn module(body: impl FnOnce(&mut Vec<u32>)) -> Vec<u32> {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 200, 0];
    let (local_size, array_stride, built_in, offset) = (17, 6, 11, 35);
    let (input, shared, storage) = (1, 4, 12);
    add(&mut words, Op::EntryPoint, &[5, MAIN, 0, INDEX]);
    add(&mut words, Op::ExecutionMode, &[MAIN, local_size, 8, 1, 1]);
    add(&mut words, Op::Decorate, &[ARRAY, array_stride, 4]);
    add(&mut words, Op::MemberDecorate, &[BLOCK, 0, offset, 0]);
    add(&mut words, Op::Decorate, &[INDEX, built_in, spirv::BuiltIn::LocalInvocationIndex as u32]);
    add(&mut words, Op::TypeVoid, &[VOID]);
    add(&mut words, Op::TypeFunction, &[FUNCTION, VOID]);
    add(&mut words, Op::TypeInt, &[WORD, 32, 0]);
    add(&mut words, Op::TypeBool, &[BOOL]);
    add(&mut words, Op::ConstantTrue, &[BOOL, TRUE]);
    for number in 0..=8 {
        add(&mut words, Op::Constant, &[WORD, ZERO + number, number]);
    }
    add(&mut words, Op::TypeVector, &[FOUR, WORD, 4]);
    add(&mut words, Op::TypeRuntimeArray, &[ARRAY, WORD]);
    add(&mut words, Op::TypeStruct, &[BLOCK, ARRAY]);
    add(&mut words, Op::TypePointer, &[TO_BLOCK, storage, BLOCK]);
    add(&mut words, Op::TypePointer, &[TO_WORD, storage, WORD]);
    add(&mut words, Op::TypePointer, &[INPUT, input, WORD]);
    add(&mut words, Op::TypeArray, &[SHARED_ARRAY, WORD, ZERO + 8]);
    add(&mut words, Op::TypePointer, &[TO_SHARED_ARRAY, shared, SHARED_ARRAY]);
    add(&mut words, Op::TypePointer, &[TO_SHARED, shared, WORD]);
    add(&mut words, Op::Variable, &[TO_BLOCK, OUT, storage]);
    add(&mut words, Op::Variable, &[INPUT, INDEX, input]);
    add(&mut words, Op::Variable, &[TO_SHARED_ARRAY, SHARED, shared]);
    add(&mut words, Op::Function, &[VOID, MAIN, 0, FUNCTION]);
    add(&mut words, Op::Label, &[100]);
    add(&mut words, Op::Load, &[WORD, LANE, INDEX]);
    body(&mut words);
    add(&mut words, Op::Return, &[]);
    add(&mut words, Op::FunctionEnd, &[]);
    words
}

fn add(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend(operands);
}

/// Stores a value where the lane has its word.
fn store(words: &mut Vec<u32>, pointer: u32, value: u32) {
    add(words, Op::AccessChain, &[TO_WORD, pointer, OUT, ZERO, LANE]);
    add(words, Op::Store, &[pointer, value]);
}

/// The words that the lanes of two waves of four leave.
fn stored(body: impl FnOnce(&mut Vec<u32>)) -> Result<Vec<u32>, Fault> {
    let module = Module::read(&module(body))?;
    let mut words = Words(vec![u32::MAX; 8]);
    let task = Task { wave: 4, budget: 100_000, ..Task::default() };
    run(&module, task, &mut words, &mut Opens::default())?;
    Ok(words.0)
}

/// Lanes 0 to 2 vote apart from lane 3; the other wave stays together.
#[test]
fn lanes_vote_with_those_on_their_way() {
    let found = stored(|words| {
        add(words, Op::ULessThan, &[BOOL, 31, LANE, ZERO + 3]);
        add(words, Op::SelectionMerge, &[103, 0]);
        add(words, Op::BranchConditional, &[31, 101, 102]);
        for (label, ballot, word) in [(101, 32, 33), (102, 34, 35)] {
            add(words, Op::Label, &[label]);
            add(words, Op::GroupNonUniformBallot, &[FOUR, ballot, ZERO + 3, TRUE]);
            add(words, Op::CompositeExtract, &[WORD, word, ballot, 0]);
            add(words, Op::Branch, &[103]);
        }
        add(words, Op::Label, &[103]);
        add(words, Op::Phi, &[WORD, 36, 33, 101, 35, 102]);
        store(words, 37, 36);
    });
    assert_eq!(found.unwrap(), [7, 7, 7, 8, 15, 15, 15, 15]);
}

/// Behind the place where ways meet, all lanes of a wave are there.
#[test]
fn lanes_meet_where_the_construct_ends() {
    let found = stored(|words| {
        add(words, Op::ULessThan, &[BOOL, 31, LANE, ZERO + 3]);
        add(words, Op::SelectionMerge, &[102, 0]);
        add(words, Op::BranchConditional, &[31, 101, 102]);
        add(words, Op::Label, &[101]);
        add(words, Op::Branch, &[102]);
        add(words, Op::Label, &[102]);
        let reduce = spirv::GroupOperation::Reduce as u32;
        add(words, Op::GroupNonUniformIAdd, &[WORD, 32, ZERO + 3, reduce, LANE]);
        let before = spirv::GroupOperation::ExclusiveScan as u32;
        add(words, Op::GroupNonUniformIAdd, &[WORD, 33, ZERO + 3, before, ZERO + 1]);
        add(words, Op::IMul, &[WORD, 34, 32, ZERO + 8]);
        add(words, Op::IAdd, &[WORD, 35, 34, 33]);
        store(words, 36, 35);
    });
    // 8 times the sum of 0 to 3, and of 4 to 7; and how many lanes of the wave come before.
    assert_eq!(found.unwrap(), [48, 49, 50, 51, 176, 177, 178, 179]);
}

/// A lane goes around as often as its number says, and adds how many lanes are there.
#[test]
fn lanes_leave_a_loop_one_by_one() {
    let found = stored(|words| {
        add(words, Op::Branch, &[101]);
        add(words, Op::Label, &[101]);
        add(words, Op::Phi, &[WORD, 31, ZERO, 100, 32, 104]);
        add(words, Op::Phi, &[WORD, 33, ZERO, 100, 34, 104]);
        add(words, Op::LoopMerge, &[105, 104, 0]);
        add(words, Op::Branch, &[102]);
        add(words, Op::Label, &[102]);
        add(words, Op::ULessThan, &[BOOL, 35, 31, LANE]);
        add(words, Op::BranchConditional, &[35, 103, 105]);
        add(words, Op::Label, &[103]);
        let reduce = spirv::GroupOperation::Reduce as u32;
        add(words, Op::GroupNonUniformIAdd, &[WORD, 36, ZERO + 3, reduce, ZERO + 1]);
        add(words, Op::Branch, &[104]);
        add(words, Op::Label, &[104]);
        add(words, Op::IAdd, &[WORD, 32, 31, ZERO + 1]);
        add(words, Op::IAdd, &[WORD, 34, 33, 36]);
        add(words, Op::Branch, &[101]);
        add(words, Op::Label, &[105]);
        store(words, 37, 33);
    });
    // Of lanes 0 to 3, 3, 2 and 1 are left; of 4 to 7 four go around four times, and then 3, 2 and 1.
    assert_eq!(found.unwrap(), [0, 3, 5, 6, 16, 19, 21, 22]);
}

/// What the other wave puts into group memory is there behind the barrier.
#[test]
fn a_barrier_waits_for_both_waves() {
    let found = stored(|words| {
        add(words, Op::AccessChain, &[TO_SHARED, 31, SHARED, LANE]);
        add(words, Op::IAdd, &[WORD, 32, LANE, ZERO + 1]);
        add(words, Op::Store, &[31, 32]);
        add(words, Op::ControlBarrier, &[ZERO + 2, ZERO + 2, ZERO]);
        add(words, Op::ISub, &[WORD, 33, ZERO + 7, LANE]);
        add(words, Op::AccessChain, &[TO_SHARED, 34, SHARED, 33]);
        add(words, Op::Load, &[WORD, 35, 34]);
        store(words, 36, 35);
    });
    assert_eq!(found.unwrap(), [8, 7, 6, 5, 4, 3, 2, 1]);
}

/// Two lanes at different barriers wait for good, and a loop without an end runs out of what it may take.
#[test]
fn what_never_ends_is_said() {
    let apart = stored(|words| {
        add(words, Op::ULessThan, &[BOOL, 31, LANE, ZERO + 3]);
        add(words, Op::SelectionMerge, &[103, 0]);
        add(words, Op::BranchConditional, &[31, 101, 102]);
        for label in [101, 102] {
            add(words, Op::Label, &[label]);
            add(words, Op::ControlBarrier, &[ZERO + 2, ZERO + 2, ZERO]);
            add(words, Op::Branch, &[103]);
        }
        add(words, Op::Label, &[103]);
    });
    assert!(matches!(apart, Err(Fault::Barrier { .. })), "{apart:?}");
    let endless = stored(|words| {
        add(words, Op::Branch, &[101]);
        add(words, Op::Label, &[101]);
        add(words, Op::LoopMerge, &[103, 102, 0]);
        add(words, Op::Branch, &[102]);
        add(words, Op::Label, &[102]);
        add(words, Op::Branch, &[101]);
        add(words, Op::Label, &[103]);
    });
    assert_eq!(endless, Err(Fault::Budget { steps: 100_000 }));
    // A number of lanes that Direct3D does not have.
    let mut many = module(|_| {});
    let size = many.windows(5).position(|words| words == [MAIN, 17, 8, 1, 1]).unwrap();
    many[size + 2] = 5000;
    let many = Module::read(&many).unwrap();
    let ran = run(&many, Task::default(), &mut Words(Vec::new()), &mut Opens::default());
    assert!(matches!(ran, Err(Fault::Unsupported { .. })));
}
