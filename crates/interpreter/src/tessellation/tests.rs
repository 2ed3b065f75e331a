//! A hull shader of two points, in a module that is put together here.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::resources::Nothing;
use crate::stage::Port;
use spirv::ExecutionMode;

const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const WORD: u32 = 3;
const ARRAY: u32 = 4;
const TO_ARRAY: u32 = 5;
const TO_INPUT: u32 = 6;
const TO_OUTPUT: u32 = 7;
const TAKEN: u32 = 8;
const INDEX: u32 = 9;
const GIVEN: u32 = 10;
const SUM: u32 = 11;
const MAIN: u32 = 12;
const TO_GIVEN: u32 = 13;
const TRUTH: u32 = 14;
const GIVEN_ARRAY: u32 = 15;
/// Constants: their numbers are behind this one.
const CONSTANT: u32 = 30;

fn add(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend(operands);
}

/// Each lane gives twice the word of its own point, and behind the barrier the first one the sum of what both gave.
fn module() -> Module {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 200, 0];
    let (built_in, location, input, output) = (11, 30, 1, 3);
    add(&mut words, Op::EntryPoint, &[ExecutionModel::TessellationControl as u32, MAIN, 0, TAKEN, INDEX, GIVEN, SUM]);
    add(&mut words, Op::ExecutionMode, &[MAIN, ExecutionMode::OutputVertices as u32, 2]);
    add(&mut words, Op::Decorate, &[TAKEN, location, 1]);
    add(&mut words, Op::Decorate, &[INDEX, built_in, BuiltIn::InvocationId as u32]);
    add(&mut words, Op::Decorate, &[GIVEN, location, 1]);
    add(&mut words, Op::Decorate, &[SUM, location, 2]);
    add(&mut words, Op::Decorate, &[SUM, Decoration::Patch as u32]);
    add(&mut words, Op::TypeVoid, &[VOID]);
    add(&mut words, Op::TypeFunction, &[FUNCTION, VOID]);
    add(&mut words, Op::TypeInt, &[WORD, 32, 0]);
    add(&mut words, Op::TypeBool, &[TRUTH]);
    for number in [0, 1, 2, 32] {
        add(&mut words, Op::Constant, &[WORD, CONSTANT + number, number]);
    }
    add(&mut words, Op::TypeArray, &[ARRAY, WORD, CONSTANT + 32]);
    add(&mut words, Op::TypeArray, &[GIVEN_ARRAY, WORD, CONSTANT + 2]);
    add(&mut words, Op::TypePointer, &[TO_ARRAY, input, ARRAY]);
    add(&mut words, Op::TypePointer, &[TO_INPUT, input, WORD]);
    add(&mut words, Op::TypePointer, &[TO_OUTPUT, output, WORD]);
    add(&mut words, Op::TypePointer, &[TO_GIVEN, output, GIVEN_ARRAY]);
    add(&mut words, Op::Variable, &[TO_ARRAY, TAKEN, input]);
    add(&mut words, Op::Variable, &[TO_INPUT, INDEX, input]);
    add(&mut words, Op::Variable, &[TO_GIVEN, GIVEN, output]);
    add(&mut words, Op::Variable, &[TO_OUTPUT, SUM, output]);
    add(&mut words, Op::Function, &[VOID, MAIN, 0, FUNCTION]);
    add(&mut words, Op::Label, &[100]);
    add(&mut words, Op::Load, &[WORD, 101, INDEX]);
    add(&mut words, Op::AccessChain, &[TO_INPUT, 102, TAKEN, 101]);
    add(&mut words, Op::Load, &[WORD, 103, 102]);
    add(&mut words, Op::IAdd, &[WORD, 104, 103, 103]);
    add(&mut words, Op::AccessChain, &[TO_OUTPUT, 105, GIVEN, 101]);
    add(&mut words, Op::Store, &[105, 104]);
    add(&mut words, Op::ControlBarrier, &[CONSTANT + 2, CONSTANT + 2, CONSTANT]);
    add(&mut words, Op::IEqual, &[TRUTH, 106, 101, CONSTANT]);
    add(&mut words, Op::SelectionMerge, &[120, 0]);
    add(&mut words, Op::BranchConditional, &[106, 110, 120]);
    add(&mut words, Op::Label, &[110]);
    add(&mut words, Op::AccessChain, &[TO_OUTPUT, 111, GIVEN, CONSTANT]);
    add(&mut words, Op::AccessChain, &[TO_OUTPUT, 112, GIVEN, CONSTANT + 1]);
    add(&mut words, Op::Load, &[WORD, 113, 111]);
    add(&mut words, Op::Load, &[WORD, 114, 112]);
    add(&mut words, Op::IAdd, &[WORD, 115, 113, 114]);
    add(&mut words, Op::Store, &[SUM, 115]);
    add(&mut words, Op::Branch, &[120]);
    add(&mut words, Op::Label, &[120]);
    add(&mut words, Op::Return, &[]);
    add(&mut words, Op::FunctionEnd, &[]);
    Module::read(&words).unwrap()
}

fn location(location: u32) -> Port {
    Port::Location { location, component: 0, source: 0 }
}

fn given(lane: u64, points: [u64; 2]) -> Given {
    let vertices = points.map(|point| Words::from([(location(1), (point, 0))])).to_vec();
    let words = Words::from([(Port::BuiltIn(BuiltIn::InvocationId as u32, 0), (lane, 0))]);
    Given { words, vertices, ..Given::default() }
}

#[test]
fn the_constants_of_a_patch_come_of_all_its_points() {
    let module = module();
    assert_eq!(module.points(), 2);
    let run = |points: [u64; 2]| {
        let given = [given(0, points), given(1, points)];
        let task = Task { watched: Some(1), ..Task::default() };
        run_patch(&module, task, &given, &mut Nothing, &mut Opens::default()).unwrap()
    };
    let (ran, patch) = run([3, 10]);
    let points: Vec<u64> = patch.points.iter().map(|words| words[&location(1)].0).collect();
    assert_eq!((points, patch.constants.clone()), (vec![6, 20], Words::from([(location(2), (26, 0))])));
    assert!(ran.steps.iter().any(|step| module.begins_constants(step.offset)));
    // The control: another point shows.
    assert_eq!(run([3, 11]).1.constants[&location(2)].0, 28);
}

#[test]
fn a_shader_of_another_stage_is_refused() {
    let run = run_patch(&Module::default(), Task::default(), &[], &mut Nothing, &mut Opens::default());
    assert!(run.unwrap_err().to_string().contains("a hull shader is none"));
}
