//! Generic programs of hand-made state objects: which one an identifier means, what it lists, and its shaders.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Script, pointer};
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_timeline::State;
use reprise_timeline::state::programs::Identifier;
use reprise_trace::read::Trace;

const VERTEX: &[u8] = include_bytes!("../../programs/shaders/rectangle.vertex.dxil");
/// Its entry point is called `colour`.
const COLOUR: &[u8] = include_bytes!("../../programs/shaders/rectangle.colour.dxil");
const DEVICE: u32 = 1;
/// A state object with the program `plain`, and one that grows from it, with the program `masked`.
const FIRST: u32 = 20;
const GROWN: u32 = 21;
const PLAIN: Identifier = [7, 1, 0, 0];
const MASKED: Identifier = [7, 2, 0, 0];

type Subobject = D3D12_STATE_SUBOBJECT_TYPE;

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

fn subobject<T>(kind: Subobject, desc: &T) -> D3D12_STATE_SUBOBJECT {
    D3D12_STATE_SUBOBJECT { Type: kind, pDesc: std::ptr::from_ref(desc).cast() }
}

/// What a library is asked for: a name, and what is renamed; all where there is none.
fn library(code: &[u8], exports: &[D3D12_EXPORT_DESC]) -> D3D12_DXIL_LIBRARY_DESC {
    let code = D3D12_SHADER_BYTECODE { pShaderBytecode: code.as_ptr().cast(), BytecodeLength: code.len() as u64 };
    let first = if exports.is_empty() { std::ptr::null() } else { exports.as_ptr() };
    D3D12_DXIL_LIBRARY_DESC { DXILLibrary: code, NumExports: exports.len() as u32, pExports: first.cast_mut() }
}

/// The calls that make both.
fn make(script: &mut Script) {
    let [corner, any, colour, again] = ["corner", "*", "colour", "again"].map(wide);
    let [plain, masked] = ["plain", "masked"].map(wide);
    let renamed = |name: &[u16], from: &[u16]| {
        [D3D12_EXPORT_DESC { Name: name.as_ptr(), ExportToRename: from.as_ptr(), ..Default::default() }]
    };
    let (topology, mask) = (D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE, 5u32);
    let exports = renamed(&corner, &any);
    let (vertex, pixel) = (library(VERTEX, &exports), library(COLOUR, &[]));
    let names = [corner.as_ptr(), colour.as_ptr()];
    let mut all = [
        subobject(Subobject::DXIL_LIBRARY, &vertex),
        subobject(Subobject::DXIL_LIBRARY, &pixel),
        subobject(Subobject::PRIMITIVE_TOPOLOGY, &topology),
        D3D12_STATE_SUBOBJECT::default(),
    ];
    let listed = [&raw const all[2]];
    let described = program(&plain, &names, &listed);
    all[3] = subobject(Subobject::GENERIC_PROGRAM, &described);
    let kind = D3D12_STATE_OBJECT_TYPE::EXECUTABLE;
    let desc = D3D12_STATE_OBJECT_DESC { Type: kind, NumSubobjects: all.len() as u32, pSubobjects: all.as_ptr() };
    let class = interface("ID3D12StateObject");
    script.create(DEVICE, method("ID3D12Device5", "CreateStateObject"), &[pointer(&desc)], class, FIRST);

    let exports = renamed(&again, &colour);
    let pixel = library(COLOUR, &exports);
    let names = [corner.as_ptr(), again.as_ptr()];
    let mut all = [
        subobject(Subobject::SAMPLE_MASK, &mask),
        subobject(Subobject::DXIL_LIBRARY, &pixel),
        subobject(Subobject::PRIMITIVE_TOPOLOGY, &topology),
        D3D12_STATE_SUBOBJECT::default(),
    ];
    let listed = [&raw const all[0], &raw const all[2]];
    let described = program(&masked, &names, &listed);
    all[3] = subobject(Subobject::GENERIC_PROGRAM, &described);
    let desc = D3D12_STATE_OBJECT_DESC { Type: kind, NumSubobjects: all.len() as u32, pSubobjects: all.as_ptr() };
    let add = method("ID3D12Device7", "AddToStateObject");
    script.create(DEVICE, add, &[pointer(&desc), u64::from(FIRST)], class, GROWN);
}

fn program(
    name: &[u16],
    exports: &[*const u16],
    listed: &[*const D3D12_STATE_SUBOBJECT],
) -> D3D12_GENERIC_PROGRAM_DESC {
    D3D12_GENERIC_PROGRAM_DESC {
        ProgramName: name.as_ptr(),
        NumExports: exports.len() as u32,
        pExports: exports.as_ptr().cast_mut(),
        NumSubobjects: listed.len() as u32,
        ppSubobjects: listed.as_ptr(),
    }
}

/// The program asks for an identifier.
fn ask(script: &mut Script, object: u32, name: &str, identifier: Identifier) {
    let (name, told) = (wide(name), D3D12_PROGRAM_IDENTIFIER { OpaqueData: identifier });
    let ask = method("ID3D12StateObjectProperties1", "GetProgramIdentifier");
    script.call(object, ask, &[pointer(&told), name.as_ptr() as u64], pointer(&told));
}

/// The state behind both, and what else the calls are.
fn state(more: impl FnOnce(&mut Script)) -> (State, Trace) {
    let mut script = Script::new(1);
    script.device(DEVICE);
    make(&mut script);
    ask(&mut script, FIRST, "plain", PLAIN);
    ask(&mut script, GROWN, "masked", MASKED);
    more(&mut script);
    let trace = script.trace();
    (common::state(&trace), trace)
}

/// Name, stages with the bytes of their shaders, and types of what is listed with its number.
type Known = (String, Vec<(&'static str, usize)>, Vec<(i32, Option<u64>)>);

fn known((state, trace): &(State, Trace), identifier: Identifier) -> Result<Known, String> {
    let program = state.programs.get(&identifier)?;
    let mut blob = |place| trace.blob_by_id(place).map_err(|error| error.to_string());
    let shaders = program.shaders(&mut blob)?.into_iter().map(|(stage, code)| (stage, code.len())).collect();
    let mut listed = Vec::new();
    program.state(&mut |kind, desc| listed.push((kind.0, desc.number())))?;
    Ok((program.name.to_owned(), shaders, listed))
}

#[test]
fn an_identifier_means_a_program_with_its_shaders_and_what_it_lists() {
    let state = state(|_| {});
    let shaders = vec![("VS", VERTEX.len()), ("PS", COLOUR.len())];
    let (mask, topology) = ((Subobject::SAMPLE_MASK.0, Some(5)), (Subobject::PRIMITIVE_TOPOLOGY.0, Some(3)));
    assert_eq!(known(&state, PLAIN), Ok(("plain".into(), shaders.clone(), vec![topology])));
    // A shader of what it grew from, and one of its own.
    assert_eq!(known(&state, MASKED), Ok(("masked".into(), shaders, vec![mask, topology])));
    assert_eq!(state.0.damaged.calls, 0, "{:?}", state.0.damaged);
    assert!(known(&state, [7, 3, 0, 0]).unwrap_err().contains("was asked for the identifier"));
}

/// Whoever grows has the programs that were there, also where the first is gone.
#[test]
fn a_program_is_known_as_long_as_a_state_object_has_it() {
    let whole = state(|script| _ = script.release(FIRST, 0));
    assert!(known(&whole, PLAIN).is_ok() && known(&whole, MASKED).is_ok());
    let first = state(|script| _ = script.release(GROWN, 0));
    assert!(known(&first, PLAIN).is_ok() && known(&first, MASKED).is_err());
    let none = state(|script| {
        _ = script.release(FIRST, 0);
        _ = script.release(GROWN, 0);
    });
    assert!(known(&none, PLAIN).is_err() && known(&none, MASKED).is_err());
    // The one that grew is asked for a program of the first.
    let asked = state(|script| {
        ask(script, GROWN, "plain", [7, 9, 0, 0]);
        ask(script, FIRST, "masked", [7, 8, 0, 0]);
        _ = script.release(FIRST, 0);
    });
    assert_eq!(known(&asked, [7, 9, 0, 0]).unwrap().0, "plain");
    assert!(known(&asked, [7, 8, 0, 0]).is_err(), "it has none of this name");
}
