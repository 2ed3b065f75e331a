//! State objects of hand-made calls: what lies in the records of their exports, and whose an identifier is.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Script, iid, pointer};
use reprise_d3d12::types::*;
use reprise_d3d12::{interface, method};
use reprise_dxbc::root_signature::{Constants, Content, Kind, Parameter, Range, RootSignature, Version};
use reprise_state_object::Field;
use reprise_timeline::state_objects::{Export, ExportKind, StateObjects};
use reprise_timeline::walk::Pass;
use reprise_timeline::{At, Call, Interests, walk};
use reprise_trace::read::Trace;

/// Declares shaders, two hit groups, configs, and root signatures in HLSL: see `rays.hlsl` beside it.
const LIBRARY: &[u8] = include_bytes!("../../shader/tests/shaders/rays.dxil");
const DEVICE: u32 = 1;
const ROOT: u32 = 10;

type Subobject = D3D12_STATE_SUBOBJECT_TYPE;

/// What lies in the records of `rays.hlsl`'s root signature `records`: three words, a constant buffer's address, a table.
const RECORDS: [(u32, Field); 3] = [(32, Field::Constants(3)), (48, Field::Address), (56, Field::Table)];
/// The same of the root signature that these tests make.
const OWN: [(u32, Field); 2] = [(32, Field::Constants(1)), (40, Field::Table)];

struct Fold<'t>(&'t Trace, StateObjects);

impl Pass for Fold<'_> {
    fn interests(&self) -> Interests {
        StateObjects::interests()
    }

    fn call(&mut self, call: &Call<'_>, _at: &At) {
        assert!(StateObjects::concerns(call.method));
        self.1.call(call, &mut |place| self.0.blob_by_id(place).map_err(|error| error.to_string())).unwrap();
    }
}

fn folded(script: Script) -> StateObjects {
    let trace = script.trace();
    let mut fold = Fold(&trace, StateObjects::default());
    walk(&trace, &mut [&mut fold]).unwrap();
    fold.1
}

fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

fn subobject<T>(kind: Subobject, desc: &T) -> D3D12_STATE_SUBOBJECT {
    D3D12_STATE_SUBOBJECT { Type: kind, pDesc: std::ptr::from_ref(desc).cast() }
}

/// A script with a device and a local root signature.
fn script() -> Script {
    let mut script = Script::new(1);
    script.device(DEVICE);
    let range = Range { kind: Kind::Srv, count: 1, register: 9, space: 0, flags: 0, offset: 0 };
    let contents = [Content::Constants(Constants { register: 9, space: 0, count: 1 }), Content::Table(vec![range])];
    let parameters = contents.map(|content| Parameter { visibility: 0, content }).to_vec();
    let bytes = RootSignature { flags: 0x80, parameters, samplers: Vec::new() }.to_container(Version::V1_0);
    let words = [0, bytes.as_ptr() as u64, bytes.len() as u64];
    script.create(
        DEVICE,
        method("ID3D12Device", "CreateRootSignature"),
        &words,
        interface("ID3D12RootSignature"),
        ROOT,
    );
    script
}

fn make(script: &mut Script, kind: D3D12_STATE_OBJECT_TYPE, all: &[D3D12_STATE_SUBOBJECT], id: u32, result: u64) {
    let desc = D3D12_STATE_OBJECT_DESC { Type: kind, NumSubobjects: all.len() as u32, pSubobjects: all.as_ptr() };
    let slot = u64::from(id);
    let words = [pointer(&desc), iid(interface("ID3D12StateObject")), pointer(&slot)];
    script.call(DEVICE, method("ID3D12Device5", "CreateStateObject"), &words, result);
}

fn add(script: &mut Script, all: &[D3D12_STATE_SUBOBJECT], to: u32, id: u32) {
    let kind = D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE;
    let desc = D3D12_STATE_OBJECT_DESC { Type: kind, NumSubobjects: all.len() as u32, pSubobjects: all.as_ptr() };
    let words = [pointer(&desc), u64::from(to)];
    let add = method("ID3D12Device7", "AddToStateObject");
    script.create(DEVICE, add, &words, interface("ID3D12StateObject"), id);
}

/// The program asks for an identifier.
fn ask(script: &mut Script, object: u32, name: &str, identifier: &[u8; 32]) {
    let name = wide(name);
    let ask = method("ID3D12StateObjectProperties", "GetShaderIdentifier");
    script.call(object, ask, &[name.as_ptr() as u64], pointer(identifier));
}

fn library(exports: &[D3D12_EXPORT_DESC]) -> D3D12_DXIL_LIBRARY_DESC {
    let code = D3D12_SHADER_BYTECODE { pShaderBytecode: LIBRARY.as_ptr().cast(), BytecodeLength: LIBRARY.len() as u64 };
    let first = if exports.is_empty() { std::ptr::null() } else { exports.as_ptr() };
    D3D12_DXIL_LIBRARY_DESC { DXILLibrary: code, NumExports: exports.len() as u32, pExports: first.cast_mut() }
}

/// A collection of the whole library.
fn collection(script: &mut Script, id: u32) {
    let library = library(&[]);
    make(script, D3D12_STATE_OBJECT_TYPE::COLLECTION, &[subobject(Subobject::DXIL_LIBRARY, &library)], id, 0);
}

/// A pipeline that takes shaders over from a collection, a hit group under another name, and gives one of them a root signature of its own.
fn pipeline(script: &mut Script, from: u32, id: u32) {
    let (hit, triangles, begin) = (wide("hit"), wide("triangles"), wide("begin"));
    let renamed = D3D12_EXPORT_DESC { Name: hit.as_ptr(), ExportToRename: triangles.as_ptr(), ..Default::default() };
    let same = D3D12_EXPORT_DESC { Name: begin.as_ptr(), ..Default::default() };
    let exports = [renamed, same];
    let taken = D3D12_EXISTING_COLLECTION_DESC {
        pExistingCollection: u64::from(from) as *mut _,
        NumExports: 2,
        pExports: exports.as_ptr().cast_mut(),
    };
    let local = u64::from(ROOT);
    let names = [begin.as_ptr(), hit.as_ptr()];
    let mut all = [
        subobject(Subobject::EXISTING_COLLECTION, &taken),
        subobject(Subobject::LOCAL_ROOT_SIGNATURE, &local),
        subobject(Subobject::NODE_MASK, &0u32),
    ];
    let associated: *const D3D12_STATE_SUBOBJECT = &raw const all[1];
    let association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
        pSubobjectToAssociate: associated,
        NumExports: 2,
        pExports: names.as_ptr().cast_mut().cast(),
    };
    all[2] = subobject(Subobject::SUBOBJECT_TO_EXPORTS_ASSOCIATION, &association);
    make(script, D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE, &all, id, 0);
}

fn fields(export: &Export) -> &[(u32, Field)] {
    &export.record.fields
}

#[test]
fn a_library_alone_makes_exports_with_records() {
    let mut script = script();
    collection(&mut script, 20);
    let objects = folded(script);
    let object = objects.get(20).unwrap();
    assert_eq!(object.problem, None);
    let told = |name: &str| object.export(name).map(|it| (it.kind, fields(it).to_vec(), it.record.size));
    let none = |kind| Some((kind, Vec::new(), 32));
    assert_eq!(told("begin"), none(ExportKind::RayGeneration));
    assert_eq!(told("called"), none(ExportKind::Callable));
    for (name, kind) in
        [("missed", ExportKind::Miss), ("triangles", ExportKind::Triangles), ("boxes", ExportKind::Procedural)]
    {
        assert_eq!(told(name), Some((kind, RECORDS.to_vec(), 64)), "{name}");
    }
    assert_eq!(object.exports().len(), 5, "shaders of hit groups have no identifiers");
    let boxes: Vec<&str> = object.export("boxes").unwrap().shaders.iter().map(|shader| shader.name.as_str()).collect();
    assert_eq!(boxes, ["closest", "within"]);
}

#[test]
fn what_is_taken_over_keeps_its_records_and_what_waits_gets_them() {
    let mut script = script();
    collection(&mut script, 20);
    pipeline(&mut script, 20, 21);
    let mut objects = folded(script);
    objects.gone(20);
    let object = objects.get(21).unwrap();
    assert_eq!(object.problem, None);
    assert_eq!(fields(object.export("hit").unwrap()), RECORDS, "the library says so of its hit group");
    assert_eq!(fields(object.export("begin").unwrap()), OWN, "the library leaves it open");
    assert!(object.export("triangles").is_none() && object.export("missed").is_none());
}

#[test]
fn identifiers_go_with_exports() {
    let (first, second, third) = ([1; 32], [2; 32], [3; 32]);
    let mut script = script();
    collection(&mut script, 20);
    ask(&mut script, 20, "triangles", &first);
    pipeline(&mut script, 20, 21);
    let called = wide("called");
    let exports = [D3D12_EXPORT_DESC { Name: called.as_ptr(), ..Default::default() }];
    let library = library(&exports);
    let flags = D3D12_STATE_OBJECT_CONFIG { Flags: D3D12_STATE_OBJECT_FLAGS::ALLOW_STATE_OBJECT_ADDITIONS };
    let all = [subobject(Subobject::STATE_OBJECT_CONFIG, &flags), subobject(Subobject::DXIL_LIBRARY, &library)];
    add(&mut script, &all, 21, 22);
    ask(&mut script, 22, "hit", &second);
    ask(&mut script, 22, "called", &third);
    ask(&mut script, 22, "nobody", &[9; 32]);
    let mut objects = folded(script);
    let named = |objects: &StateObjects, id: u32, identifier: &[u8; 32]| {
        objects.get(id)?.by_identifier(identifier).map(|export| export.name.clone())
    };
    let text = |name: &str| Some(name.to_owned());
    assert_eq!(named(&objects, 20, &first), text("triangles"));
    assert_eq!(named(&objects, 21, &first), text("hit"), "under its new name");
    assert_eq!(named(&objects, 21, &second), text("hit"), "asked of what has grown from it");
    assert_eq!(named(&objects, 20, &second), None, "a pipeline may have another identifier than its collection");
    assert_eq!((named(&objects, 22, &third), named(&objects, 21, &third)), (text("called"), None));
    assert!(objects.find(&[9; 32]).is_none());
    assert_eq!(objects.find(&third).unwrap().name, "called");
    let told: Vec<[u8; 32]> = objects.identifiers(22).map(|(identifier, _)| *identifier).collect();
    assert_eq!(told.len(), 3);
    objects.gone(20);
    objects.gone(21);
    assert_eq!(named(&objects, 22, &first), text("hit"));
    assert!(objects.get(21).is_none() && objects.identifiers(21).next().is_none());
}

#[test]
fn what_cannot_be_read_is_named_and_what_fails_makes_nothing() {
    let mut script = script();
    pipeline(&mut script, 99, 21);
    let library = library(&[]);
    let all = [subobject(Subobject::DXIL_LIBRARY, &library)];
    make(&mut script, D3D12_STATE_OBJECT_TYPE::COLLECTION, &all, 23, 0x8007_0057);
    let objects = folded(script);
    let problem = objects.get(21).unwrap().problem.clone().unwrap();
    assert!(problem.contains("state object 99"), "{problem}");
    assert!(objects.get(23).is_none());
}

/// Each of these takes the one before it over twice, which no runtime allows: a trace that says so must not cost memory without end.
#[test]
fn what_is_taken_over_again_and_again_stays_as_it_is() {
    const LAST: u32 = 32;
    let mut script = script();
    collection(&mut script, 20);
    for id in 21..=LAST {
        let taken =
            D3D12_EXISTING_COLLECTION_DESC { pExistingCollection: u64::from(id - 1) as *mut _, ..Default::default() };
        let twice =
            [subobject(Subobject::EXISTING_COLLECTION, &taken), subobject(Subobject::EXISTING_COLLECTION, &taken)];
        make(&mut script, D3D12_STATE_OBJECT_TYPE::COLLECTION, &twice, id, 0);
    }
    let objects = folded(script);
    let counts = [20, LAST].map(|id| objects.get(id).unwrap().exports().len());
    assert_eq!(counts[0], counts[1]);
    assert!(objects.get(20).unwrap().problem.is_none() && objects.get(LAST).unwrap().problem.is_some());
}

/// Two local root signatures that nothing puts in order: what lies in records is not known.
#[test]
fn root_signatures_of_the_same_right_are_a_problem() {
    const OTHER: u32 = 11;
    let mut script = script();
    let parameters =
        vec![Parameter { visibility: 0, content: Content::Constants(Constants { register: 9, space: 0, count: 2 }) }];
    let bytes = RootSignature { flags: 0x80, parameters, samplers: Vec::new() }.to_container(Version::V1_0);
    let words = [0, bytes.as_ptr() as u64, bytes.len() as u64];
    let create = method("ID3D12Device", "CreateRootSignature");
    script.create(DEVICE, create, &words, interface("ID3D12RootSignature"), OTHER);
    let (library, own, other) = (library(&[]), u64::from(ROOT), u64::from(OTHER));
    let library = subobject(Subobject::DXIL_LIBRARY, &library);
    for (id, second) in [(20, &own), (21, &other)] {
        let all = [
            library,
            subobject(Subobject::LOCAL_ROOT_SIGNATURE, &own),
            subobject(Subobject::LOCAL_ROOT_SIGNATURE, second),
        ];
        make(&mut script, D3D12_STATE_OBJECT_TYPE::COLLECTION, &all, id, 0);
    }
    let objects = folded(script);
    let begin =
        |id| (objects.get(id).unwrap().problem.is_none(), fields(objects.get(id).unwrap().export("begin").unwrap()));
    assert_eq!(begin(20), (true, &OWN[..]), "the same twice");
    assert_eq!(begin(21), (false, &[][..]));
}
