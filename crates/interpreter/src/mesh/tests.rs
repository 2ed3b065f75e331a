//! Groups of an amplification and a mesh shader, in modules that are put together here.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::resources::Nothing;
use crate::stage::Port;
use spirv::Op;

const VOID: u32 = 1;
const FUNCTION: u32 = 2;
const WORD: u32 = 3;
const BLOCK: u32 = 4;
const TO_BLOCK: u32 = 5;
const TO_WORD: u32 = 6;
const PAYLOAD: u32 = 7;
const TO_INPUT: u32 = 8;
const LANE: u32 = 9;
const MAIN: u32 = 10;
const ARRAY: u32 = 11;
const TO_ARRAY: u32 = 12;
const VALUES: u32 = 13;
const INDICES: u32 = 14;
const OF_PRIMITIVES: u32 = 15;
const PAIR: u32 = 16;
const PAIRS: u32 = 17;
const TO_PAIRS: u32 = 18;
const TO_OUTPUT: u32 = 19;
const TO_PAIR: u32 = 21;
/// Constants: their numbers are behind this one.
const CONSTANT: u32 = 30;

fn add(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend(operands);
}

/// A module of two lanes a group, whose payload is two words; its outputs are words of vertices and of primitives, and lines.
fn module(model: u32, body: impl FnOnce(&mut Vec<u32>)) -> Module {
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 200, 0];
    let (built_in, location, per_primitive) = (11, 30, Decoration::PerPrimitiveEXT as u32);
    let (input, output, payload) = (1, 3, StorageClass::TaskPayloadWorkgroupEXT as u32);
    add(&mut words, Op::EntryPoint, &[model, MAIN, 0, LANE]);
    add(&mut words, Op::ExecutionMode, &[MAIN, 17, 2, 1, 1]);
    add(&mut words, Op::Decorate, &[LANE, built_in, BuiltIn::LocalInvocationIndex as u32]);
    add(&mut words, Op::Decorate, &[VALUES, location, 1]);
    add(&mut words, Op::Decorate, &[OF_PRIMITIVES, location, 2]);
    add(&mut words, Op::Decorate, &[OF_PRIMITIVES, per_primitive]);
    add(&mut words, Op::Decorate, &[INDICES, built_in, BuiltIn::PrimitiveLineIndicesEXT as u32]);
    add(&mut words, Op::TypeVoid, &[VOID]);
    add(&mut words, Op::TypeFunction, &[FUNCTION, VOID]);
    add(&mut words, Op::TypeInt, &[WORD, 32, 0]);
    for number in 0..5 {
        add(&mut words, Op::Constant, &[WORD, CONSTANT + number, number]);
    }
    add(&mut words, Op::TypeStruct, &[BLOCK, WORD, WORD]);
    add(&mut words, Op::TypePointer, &[TO_BLOCK, payload, BLOCK]);
    add(&mut words, Op::TypePointer, &[TO_WORD, payload, WORD]);
    add(&mut words, Op::TypePointer, &[TO_INPUT, input, WORD]);
    add(&mut words, Op::TypeArray, &[ARRAY, WORD, CONSTANT + 2]);
    add(&mut words, Op::TypePointer, &[TO_ARRAY, output, ARRAY]);
    add(&mut words, Op::TypePointer, &[TO_OUTPUT, output, WORD]);
    add(&mut words, Op::TypeVector, &[PAIR, WORD, 2]);
    add(&mut words, Op::TypeArray, &[PAIRS, PAIR, CONSTANT + 2]);
    add(&mut words, Op::TypePointer, &[TO_PAIRS, output, PAIRS]);
    add(&mut words, Op::TypePointer, &[TO_PAIR, output, PAIR]);
    add(&mut words, Op::Variable, &[TO_BLOCK, PAYLOAD, payload]);
    add(&mut words, Op::Variable, &[TO_INPUT, LANE, input]);
    if model == ExecutionModel::MeshEXT as u32 {
        add(&mut words, Op::Variable, &[TO_ARRAY, VALUES, output]);
        add(&mut words, Op::Variable, &[TO_ARRAY, OF_PRIMITIVES, output]);
        add(&mut words, Op::Variable, &[TO_PAIRS, INDICES, output]);
    }
    add(&mut words, Op::Function, &[VOID, MAIN, 0, FUNCTION]);
    add(&mut words, Op::Label, &[100]);
    add(&mut words, Op::Load, &[WORD, 101, LANE]);
    body(&mut words);
    add(&mut words, Op::FunctionEnd, &[]);
    Module::read(&words).unwrap()
}

/// Each lane puts its number behind 1 into the payload, and both start three groups, or a number of their own.
fn amplification(groups: u32) -> Module {
    module(ExecutionModel::TaskEXT as u32, |words| {
        add(words, Op::IAdd, &[WORD, 102, 101, CONSTANT + 1]);
        add(words, Op::AccessChain, &[TO_WORD, 103, PAYLOAD, CONSTANT + 1]);
        add(words, Op::AccessChain, &[TO_WORD, 104, PAYLOAD, CONSTANT]);
        add(words, Op::Store, &[104, CONSTANT + 4]);
        add(words, Op::Store, &[103, 102]);
        add(words, Op::EmitMeshTasksEXT, &[groups, CONSTANT + 1, CONSTANT + 1, PAYLOAD]);
    })
}

/// A line whose vertices have the lane and the payload's first word, and which itself has the payload's second word.
fn mesh(vertices: u32) -> Module {
    module(ExecutionModel::MeshEXT as u32, |words| {
        add(words, Op::SetMeshOutputsEXT, &[vertices, CONSTANT + 1]);
        add(words, Op::AccessChain, &[TO_WORD, 102, PAYLOAD, CONSTANT]);
        add(words, Op::Load, &[WORD, 103, 102]);
        add(words, Op::IAdd, &[WORD, 104, 103, 101]);
        add(words, Op::AccessChain, &[TO_OUTPUT, 105, VALUES, 101]);
        add(words, Op::Store, &[105, 104]);
        add(words, Op::AccessChain, &[TO_WORD, 106, PAYLOAD, CONSTANT + 1]);
        add(words, Op::Load, &[WORD, 107, 106]);
        add(words, Op::AccessChain, &[TO_OUTPUT, 108, OF_PRIMITIVES, CONSTANT]);
        add(words, Op::Store, &[108, 107]);
        add(words, Op::CompositeConstruct, &[PAIR, 109, CONSTANT + 1, CONSTANT]);
        add(words, Op::AccessChain, &[TO_PAIR, 110, INDICES, CONSTANT]);
        add(words, Op::Store, &[110, 109]);
        add(words, Op::Return, &[]);
    })
}

fn location(location: u32) -> Port {
    Port::Location { location, component: 0, source: 0 }
}

#[test]
fn what_an_amplification_group_hands_on_its_mesh_groups_give() {
    let task = Task { watched: Some(1), ..Task::default() };
    let (ran, started) =
        run_amplification(&amplification(CONSTANT + 3), task, &mut Nothing, &mut Opens::default()).unwrap();
    assert_eq!((started.groups, started.open), ([3, 1, 1], 0));
    assert_eq!(started.payload, [(4, 0), (2, 0)], "the last lane's number behind 1");
    assert_eq!(ran.steps.last().map(|step| step.result), Some(0), "the lane ends where it starts groups");
    let (_, meshlet) =
        run_mesh(&mesh(CONSTANT + 2), task, &started.payload, &mut Nothing, &mut Opens::default()).unwrap();
    let of_vertices: Vec<_> = meshlet.vertices.iter().map(|words| words[&location(1)].0).collect();
    assert_eq!(of_vertices, [4, 5]);
    assert_eq!(meshlet.primitives.len(), 1);
    assert_eq!((meshlet.primitives[0].corners.clone(), meshlet.primitives[0].words[&location(2)].0), (vec![1, 0], 2));
    // The control: another payload shows.
    let other = vec![(40, 0), (7, 0)];
    let (_, meshlet) = run_mesh(&mesh(CONSTANT + 2), task, &other, &mut Nothing, &mut Opens::default()).unwrap();
    assert_eq!((meshlet.vertices[1][&location(1)].0, meshlet.primitives[0].words[&location(2)].0), (41, 7));
}

#[test]
fn what_the_api_does_not_allow_is_refused_by_name() {
    let task = Task::default();
    let refused = |found: Result<(), Fault>| found.unwrap_err().to_string();
    let own = run_amplification(&amplification(101), task, &mut Nothing, &mut Opens::default());
    assert!(refused(own.map(drop)).contains("lanes of a group that ask for [0, 1, 1] and [1, 1, 1]"));
    let run = |vertices: u32, payload: &Payload| {
        refused(run_mesh(&mesh(vertices), task, payload, &mut Nothing, &mut Opens::default()).map(drop))
    };
    assert!(run(CONSTANT + 3, &vec![(0, 0); 2]).contains("3 vertices or primitives of 2"));
    for count in [0, 1, 3] {
        assert!(run(CONSTANT + 2, &vec![(0, 0); count]).contains("a payload of another shape"), "{count}");
    }
}
