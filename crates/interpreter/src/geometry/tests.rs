//! A geometry shader and its streams, in a module that is put together here.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::group::{Opens, Task};
use crate::lanes::run_lanes;
use crate::resources::Nothing;
use crate::stage::{Given, Port};
use spirv::ExecutionMode;

const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const WORD: u32 = 3;
const ARRAY: u32 = 4;
const TO_ARRAY: u32 = 5;
const TO_INPUT: u32 = 6;
const TO_OUTPUT: u32 = 7;
const CORNERS: u32 = 8;
const PRIMITIVE: u32 = 9;
const FIRST: u32 = 10;
const SECOND: u32 = 11;
const MAIN: u32 = 12;
const TRUTH: u32 = 13;
/// Constants: their numbers are behind this one.
const CONSTANT: u32 = 30;

fn add(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend(operands);
}

/// A module that takes a word of each of two vertices, and emits `most` vertices at most. It has two streams, whose outputs are at one location.
fn module(most: u32, body: impl FnOnce(&mut Vec<u32>)) -> Module {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 200, 0];
    let (built_in, location, input, output) = (11, 30, 1, 3);
    add(&mut words, Op::EntryPoint, &[ExecutionModel::Geometry as u32, MAIN, 0, CORNERS, PRIMITIVE, FIRST, SECOND]);
    add(&mut words, Op::ExecutionMode, &[MAIN, ExecutionMode::OutputLineStrip as u32]);
    add(&mut words, Op::ExecutionMode, &[MAIN, ExecutionMode::Invocations as u32, 4]);
    add(&mut words, Op::ExecutionMode, &[MAIN, ExecutionMode::OutputVertices as u32, most]);
    add(&mut words, Op::Decorate, &[CORNERS, location, 1]);
    add(&mut words, Op::Decorate, &[PRIMITIVE, built_in, BuiltIn::PrimitiveId as u32]);
    add(&mut words, Op::Decorate, &[FIRST, location, 1]);
    add(&mut words, Op::Decorate, &[SECOND, location, 1]);
    add(&mut words, Op::Decorate, &[SECOND, Decoration::Stream as u32, 1]);
    add(&mut words, Op::TypeVoid, &[VOID]);
    add(&mut words, Op::TypeFunction, &[FUNCTION, VOID]);
    add(&mut words, Op::TypeInt, &[WORD, 32, 0]);
    add(&mut words, Op::TypeBool, &[TRUTH]);
    for number in 0..6 {
        add(&mut words, Op::Constant, &[WORD, CONSTANT + number, number]);
    }
    add(&mut words, Op::TypeArray, &[ARRAY, WORD, CONSTANT + 2]);
    add(&mut words, Op::TypePointer, &[TO_ARRAY, input, ARRAY]);
    add(&mut words, Op::TypePointer, &[TO_INPUT, input, WORD]);
    add(&mut words, Op::TypePointer, &[TO_OUTPUT, output, WORD]);
    add(&mut words, Op::Variable, &[TO_ARRAY, CORNERS, input]);
    add(&mut words, Op::Variable, &[TO_INPUT, PRIMITIVE, input]);
    add(&mut words, Op::Variable, &[TO_OUTPUT, FIRST, output]);
    add(&mut words, Op::Variable, &[TO_OUTPUT, SECOND, output]);
    add(&mut words, Op::Function, &[VOID, MAIN, 0, FUNCTION]);
    add(&mut words, Op::Label, &[100]);
    for (number, result) in [(0, 102), (1, 104)] {
        add(&mut words, Op::AccessChain, &[TO_INPUT, result - 1, CORNERS, CONSTANT + number]);
        add(&mut words, Op::Load, &[WORD, result, result - 1]);
    }
    body(&mut words);
    add(&mut words, Op::Return, &[]);
    add(&mut words, Op::FunctionEnd, &[]);
    Module::read(&words).unwrap()
}

/// A line of both vertices to the first stream, their sum to the second, and one more vertex behind a cut.
fn lines(most: u32) -> Module {
    module(most, |words| {
        add(words, Op::EndStreamPrimitive, &[CONSTANT]);
        add(words, Op::Store, &[FIRST, 102]);
        add(words, Op::EmitStreamVertex, &[CONSTANT]);
        add(words, Op::Store, &[FIRST, 104]);
        add(words, Op::EmitStreamVertex, &[CONSTANT]);
        add(words, Op::IAdd, &[WORD, 105, 102, 104]);
        add(words, Op::Store, &[SECOND, 105]);
        add(words, Op::EmitStreamVertex, &[CONSTANT + 1]);
        add(words, Op::EndStreamPrimitive, &[CONSTANT]);
        add(words, Op::Load, &[WORD, 106, PRIMITIVE]);
        add(words, Op::Store, &[FIRST, 106]);
        add(words, Op::EmitStreamVertex, &[CONSTANT]);
    })
}

const PLACE: Port = Port::Location { location: 1, component: 0, source: 0 };

fn given(corners: [u64; 2], open: crate::Open) -> Given {
    let vertices = corners.map(|corner| Words::from([(PLACE, (corner, open))])).to_vec();
    let words = Words::from([(Port::BuiltIn(BuiltIn::PrimitiveId as u32, 0), (9, 0))]);
    Given { words, vertices, ..Given::default() }
}

fn run(module: &Module, given: Given) -> Result<(Vec<Emitted>, Vec<Option<Emitted>>), Fault> {
    let task = Task { watched: Some(0), ..Task::default() };
    let (ran, left) = run_lanes(module, task, &[given], &mut Nothing, &mut Opens::default())?;
    Ok((left[0].emitted.clone(), ran.steps.iter().map(|step| step.emitted.clone()).collect()))
}

/// Streams and values in their order.
fn told(emitted: &[Emitted]) -> Vec<(u32, Option<u64>)> {
    emitted.iter().map(|it| (it.stream, it.vertex.as_ref().map(|words| words[&PLACE].0))).collect()
}

#[test]
fn streams_have_what_is_emitted_to_them() {
    let module = lines(8);
    assert_eq!((module.given_primitive(), module.instances()), (Some(2), 4));
    let (emitted, steps) = run(&module, given([3, 4], 0)).unwrap();
    let wanted = [(0, Some(3)), (0, Some(4)), (1, Some(7)), (0, None), (0, Some(9))];
    assert_eq!(told(&emitted), wanted, "the first cut ends nothing");
    let of_steps: Vec<Emitted> = steps.into_iter().flatten().collect();
    assert_eq!(told(&of_steps), [&[(0, None)][..], &wanted].concat());
    // The control: other vertices show.
    assert_eq!(told(&run(&module, given([3, 5], 0)).unwrap().0)[2], (1, Some(8)));
}

#[test]
fn vertices_behind_the_declared_ones_are_lost() {
    let (emitted, _) = run(&lines(2), given([3, 4], 0)).unwrap();
    assert_eq!(told(&emitted), [(0, Some(3)), (0, Some(4)), (0, None)]);
}

/// What is emitted where an open value says so is open itself.
#[test]
fn emission_by_something_open_is_open() {
    let module = module(4, |words| {
        add(words, Op::INotEqual, &[TRUTH, 105, 102, 104]);
        add(words, Op::SelectionMerge, &[120, 0]);
        add(words, Op::BranchConditional, &[105, 110, 120]);
        add(words, Op::Label, &[110]);
        add(words, Op::Store, &[FIRST, CONSTANT + 5]);
        add(words, Op::EmitVertex, &[]);
        add(words, Op::Branch, &[120]);
        add(words, Op::Label, &[120]);
    });
    let mut opens = Opens::default();
    let open = opens.name("anything");
    let emitted = |open| run(&module, given([3, 4], open)).unwrap().0;
    let (certain, uncertain) = (emitted(0), emitted(open));
    assert_eq!((told(&certain), certain[0].open), (vec![(0, Some(5))], 0));
    assert_eq!((uncertain[0].open, uncertain[0].vertex.as_ref().unwrap()[&PLACE]), (open, (5, open)));
}

#[test]
fn what_is_wrong_is_refused_by_name() {
    let module = module(4, |words| add(words, Op::EmitStreamVertex, &[CONSTANT + 5]));
    assert!(run(&module, given([3, 4], 0)).unwrap_err().to_string().contains("there is no stream 5"));
    let mut lacking = given([3, 4], 0);
    lacking.vertices[1].clear();
    assert!(run(&lines(4), lacking).unwrap_err().to_string().contains("the input %8"));
}
