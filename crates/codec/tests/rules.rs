//! Rules one by one: what random calls cannot show, because the interesting cases are made by hand.
#![allow(clippy::unwrap_used, missing_docs)]
// Typed pointers stored in structures have no exposed provenance, without which Miri cannot follow the codec, which sees
// them as numbers. Random calls store numbers, and do run under Miri.
#![cfg(not(miri))]

mod common;

use common::{Blobs, REALS, Same, WRAPPERS, World, codec, enter};
use reprise_codec::json::Plain;
use reprise_codec::value::Value;
use reprise_codec::{Arena, Codec, Objects, Wide};
use reprise_d3d12::model::{Direction, Len, MethodId, Rule, Type};
use reprise_d3d12::types::*;
use reprise_d3d12::{MODEL, function, method};
use std::collections::BTreeSet;
use std::ffi::c_void;

const CREATE_PIPELINE: MethodId = method("ID3D12Device2", "CreatePipelineState");
const CREATE_STATE_OBJECT: MethodId = method("ID3D12Device5", "CreateStateObject");
const CHECK_FEATURE: MethodId = method("ID3D12Device", "CheckFeatureSupport");
const BREADCRUMBS: MethodId = method("ID3D12DeviceRemovedExtendedData", "GetAutoBreadcrumbsOutput");
const SET_NAME: MethodId = method("ID3D12Object", "SetName");
const SERIALIZE: MethodId = function("D3D12SerializeRootSignature");

fn object(id: u64) -> *mut c_void {
    (WRAPPERS + id * 16) as *mut c_void
}

/// A pointer to something that lives as long as the test's variable.
fn word<T>(value: &T) -> u64 {
    std::ptr::from_ref(value) as u64
}

fn json(codec: &Codec, method: MethodId, payload: &[u8]) -> serde_json::Value {
    let arguments = codec.decode_enter(method, payload).unwrap_or_else(|e| panic!("{e}"));
    codec.json_arguments(&arguments, &Plain).into()
}

/// Every length that the model's tables use.
fn lengths() -> Vec<(&'static str, Len)> {
    let mut all = Vec::new();
    let mut add = |owner: &'static str, mut ty: Type| {
        while let Type::Pointer(pointee) = ty {
            all.push((owner, pointee.len));
            ty = pointee.ty;
        }
    };
    for method in MODEL.methods {
        method.params.iter().for_each(|p| add(method.name, p.ty));
        add(method.name, method.result);
    }
    for layout in MODEL.structs {
        layout.fields.iter().for_each(|f| add(layout.name, f.ty));
    }
    all
}

/// The matches over `Rule` are exhaustive, so the compiler sees to its variants; names and siblings are seen to here.
#[test]
fn every_rule_of_the_model_has_an_arm() {
    let mut used = BTreeSet::new();
    for (owner, len) in lengths() {
        if let Len::Rule(rule) = len {
            used.insert(format!("{rule:?}"));
            assert!(Codec::has_rule(rule), "{owner}: {rule:?} has no arm in the codec");
        }
    }
    assert!(used.contains("PipelineStream") && used.len() > 10, "{used:?}");
    assert!(!Codec::has_rule(Rule::Named("no such rule")));
}

#[repr(C, align(8))]
struct Sub<T> {
    ty: u32,
    value: T,
}

#[repr(C)]
struct Stream<Tail> {
    root: Sub<*mut c_void>,
    vertex: Sub<D3D12_SHADER_BYTECODE>,
    mask: Sub<u32>,
    tail: Tail,
}

fn stream<Tail>(code: &[u8], tail: Tail) -> Stream<Tail> {
    Stream {
        root: Sub { ty: 0, value: object(7) },
        vertex: Sub {
            ty: 1,
            value: D3D12_SHADER_BYTECODE { pShaderBytecode: code.as_ptr().cast(), BytecodeLength: code.len() as _ },
        },
        mask: Sub { ty: 9, value: 0xffff_ffff },
        tail,
    }
}

#[test]
fn pipeline_streams_are_typed_and_unwrapped() {
    let codec = codec(Wide::Bits16);
    let code = [0xabu8; 300];
    let stream = stream(&code, ());
    let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: size_of_val(&stream) as _,
        pPipelineStateSubobjectStream: std::ptr::from_ref(&stream).cast_mut().cast(),
    };
    let (iid, mut slot) = ([0u8; 16], 0u64);
    let words = [word(&desc), word(&iid), &raw mut slot as u64];
    let mut blobs = Blobs::default();
    let payload = enter(&codec, CREATE_PIPELINE, &words, &World::wrappers(), &mut blobs);
    let json = json(&codec, CREATE_PIPELINE, &payload);
    let subobjects = &json["pDesc"]["pPipelineStateSubobjectStream"];
    assert_eq!(subobjects[0]["Type"], "D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_ROOT_SIGNATURE");
    assert_eq!(subobjects[0]["Value"], 7);
    assert_eq!(subobjects[1]["Value"]["pShaderBytecode"]["blob"], 1);
    assert_eq!(subobjects[2]["Value"], u32::MAX);
    assert_eq!(blobs.0, [code.to_vec()]);

    let mut arena = Arena::new();
    let mut unwrapped = words;
    // SAFETY: the words are valid arguments.
    unsafe { codec.unwrap_words(CREATE_PIPELINE, &mut unwrapped, &World::wrappers(), &mut arena) };
    // SAFETY: the copies are in the arena.
    let copy = unsafe {
        let desc = &*(unwrapped[0] as *const D3D12_PIPELINE_STATE_STREAM_DESC);
        &*desc.pPipelineStateSubobjectStream.cast_const().cast::<Stream<()>>()
    };
    assert_eq!(copy.root.value as u64, REALS + 7 * 16);
    assert_eq!(copy.vertex.value.pShaderBytecode as u64, code.as_ptr() as u64, "untouched data is not copied");
    assert_eq!(stream.root.value, object(7), "the program's memory is not written");
    assert_eq!(unwrapped[1..], words[1..]);
}

#[test]
fn unknown_subobjects_are_kept_and_marked_and_refused_at_replay() {
    let codec = codec(Wide::Bits16);
    let stream = stream(&[1, 2, 3], Sub { ty: 4000, value: 0x1122_3344u32 });
    let desc = D3D12_PIPELINE_STATE_STREAM_DESC {
        SizeInBytes: size_of_val(&stream) as _,
        pPipelineStateSubobjectStream: std::ptr::from_ref(&stream).cast_mut().cast(),
    };
    let iid = [0u8; 16];
    let words = [word(&desc), word(&iid), 0];
    let mut blobs = Blobs::default();
    let payload = enter(&codec, CREATE_PIPELINE, &words, &World::wrappers(), &mut blobs);
    let json = json(&codec, CREATE_PIPELINE, &payload);
    let last = &json["pDesc"]["pPipelineStateSubobjectStream"][3]["Value"];
    assert_eq!(last["unknown_type"], 4000);
    assert_eq!(last["bytes"], "a00f000044332211");
    let error = codec.rebuild(CREATE_PIPELINE, &payload, &mut Same(&blobs), &mut Arena::new()).unwrap_err();
    assert_eq!(error.path, "pDesc.pPipelineStateSubobjectStream[3]");
    assert!(error.to_string().starts_with("ID3D12Device2::CreatePipelineState: pDesc"), "{error}");
}

#[test]
fn associations_lead_to_the_copied_array() {
    let codec = codec(Wide::Bits16);
    let root = D3D12_LOCAL_ROOT_SIGNATURE { pLocalRootSignature: object(9) };
    let export: Vec<u16> = "hit\0".encode_utf16().collect();
    let exports = [export.as_ptr()];
    let unknown = [7u64; 16];
    let mut association = D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION {
        pSubobjectToAssociate: std::ptr::null_mut(),
        NumExports: 1,
        pExports: exports.as_ptr().cast_mut().cast(),
    };
    let sub = |ty: i32, to: u64| D3D12_STATE_SUBOBJECT { Type: D3D12_STATE_SUBOBJECT_TYPE(ty), pDesc: to as *mut _ };
    let subobjects = [sub(2, word(&root)), sub(7, &raw const association as u64), sub(999, word(&unknown))];
    association.pSubobjectToAssociate = subobjects.as_ptr().cast_mut().cast();
    std::hint::black_box(&association);
    let desc = D3D12_STATE_OBJECT_DESC {
        Type: D3D12_STATE_OBJECT_TYPE(0),
        NumSubobjects: 3,
        pSubobjects: subobjects.as_ptr().cast_mut().cast(),
    };
    let iid = [0u8; 16];
    let words = [word(&desc), word(&iid), 0];
    let payload = enter(&codec, CREATE_STATE_OBJECT, &words, &World::wrappers(), &mut Blobs::default());
    let json = json(&codec, CREATE_STATE_OBJECT, &payload);
    let found = &json["pDesc"]["pSubobjects"];
    assert_eq!(found[0]["pDesc"]["pLocalRootSignature"], 9);
    assert_eq!(found[1]["pDesc"]["pSubobjectToAssociate"]["subobject"], 0);
    assert_eq!(found[1]["pDesc"]["pExports"][0], "hit");
    assert_eq!(found[2]["pDesc"]["unknown_type"], 999);
    assert!(found[2]["pDesc"]["bytes"].as_str().unwrap().starts_with("0700000000000000"));

    let (mut arena, mut unwrapped) = (Arena::new(), words);
    // SAFETY: the words are valid arguments; what is read back lies in the arena.
    unsafe {
        codec.unwrap_words(CREATE_STATE_OBJECT, &mut unwrapped, &World::wrappers(), &mut arena);
        let desc = &*(unwrapped[0] as *const D3D12_STATE_OBJECT_DESC);
        let array = desc.pSubobjects as u64;
        assert_ne!(array, subobjects.as_ptr() as u64);
        let subobjects = std::slice::from_raw_parts(array as *const D3D12_STATE_SUBOBJECT, 3);
        let association = &*(subobjects[1].pDesc as *const D3D12_SUBOBJECT_TO_EXPORTS_ASSOCIATION);
        assert_eq!(association.pSubobjectToAssociate as u64, array);
        assert_eq!(association.pExports as u64, exports.as_ptr() as u64);
        assert_eq!(*(subobjects[0].pDesc as *const u64), REALS + 9 * 16);
    }
}

/// The geometries of a build in both layouts, and the micromaps that only a pointer in a geometry, or in another kind of build, leads to.
#[test]
fn builds_are_followed_to_the_end_in_every_layout() {
    const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
    type Geometry = D3D12_RAYTRACING_GEOMETRY_DESC;
    let codec = codec(Wide::Bits16);
    let triangles = D3D12_RAYTRACING_GEOMETRY_TRIANGLES_DESC { IndexCount: 33, VertexCount: 44, ..Default::default() };
    let linkage = D3D12_RAYTRACING_GEOMETRY_OMM_LINKAGE_DESC { OpacityMicromapBaseLocation: 55, ..Default::default() };
    let micromaps = D3D12_RAYTRACING_GEOMETRY_OMM_TRIANGLES_DESC { pTriangles: &triangles, pOmmLinkage: &linkage };
    let mut geometries = [Geometry { Type: D3D12_RAYTRACING_GEOMETRY_TYPE::OMM_TRIANGLES, ..Default::default() }; 2];
    geometries[0].Anonymous.OmmTriangles = micromaps;
    geometries[1].Type = D3D12_RAYTRACING_GEOMETRY_TYPE::PROCEDURAL_PRIMITIVE_AABBS;
    geometries[1].Anonymous.AABBs = D3D12_RAYTRACING_GEOMETRY_AABBS_DESC { AABBCount: 66, ..Default::default() };
    let pointers = [&raw const geometries[0], &raw const geometries[1]];
    let histogram = [D3D12_RAYTRACING_OPACITY_MICROMAP_HISTOGRAM_ENTRY { Count: 77, ..Default::default() }; 2];
    let array = D3D12_RAYTRACING_OPACITY_MICROMAP_ARRAY_DESC {
        NumOmmHistogramEntries: 2,
        pOmmHistogram: histogram.as_ptr(),
        ..Default::default()
    };
    let shown = |set: &dyn Fn(&mut D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_INPUTS)| {
        let mut desc = D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC::default();
        desc.Inputs.NumDescs = 2;
        set(&mut desc.Inputs);
        let words = [word(&desc), 0, 0];
        let payload = enter(&codec, BUILD, &words, &World::wrappers(), &mut Blobs::default());
        json(&codec, BUILD, &payload)["pDesc"]["Inputs"].clone()
    };
    let kind = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::BOTTOM_LEVEL;
    let by_array = shown(&|inputs| {
        (inputs.Type, inputs.Anonymous.pGeometryDescs) = (kind, geometries.as_ptr());
    });
    let by_pointers = shown(&|inputs| {
        (inputs.Type, inputs.DescsLayout) = (kind, D3D12_ELEMENTS_LAYOUT::ARRAY_OF_POINTERS);
        inputs.Anonymous.ppGeometryDescs = pointers.as_ptr();
    });
    for inputs in [&by_array, &by_pointers] {
        let found = &inputs["pGeometryDescs"];
        let first = &found[0]["OmmTriangles"];
        assert_eq!((&first["pTriangles"]["IndexCount"], &first["pTriangles"]["VertexCount"]), (&33.into(), &44.into()));
        assert_eq!(first["pOmmLinkage"]["OpacityMicromapBaseLocation"], 55);
        assert_eq!(found[1]["AABBs"]["AABBCount"], 66);
    }
    let micromaps = shown(&|inputs| {
        inputs.Type = D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE::OPACITY_MICROMAP_ARRAY;
        inputs.Anonymous.pOpacityMicromapArrayDesc = &array;
    });
    let entries = &micromaps["pOpacityMicromapArrayDesc"]["pOmmHistogram"];
    assert_eq!((&entries[0]["Count"], &entries[1]["Count"]), (&77.into(), &77.into()), "{micromaps}");
}

#[test]
fn features_of_another_size_are_bytes() {
    let codec = codec(Wide::Bits16);
    let data = [5u32, 6, 7, 8];
    for (size, expected) in [(16u64, true), (12, false)] {
        // D3D12_FEATURE_ARCHITECTURE: four 32-bit numbers.
        let words = [1, word(&data), size];
        let payload = enter(&codec, CHECK_FEATURE, &words, &World::wrappers(), &mut Blobs::default());
        let arguments = codec.decode_enter(CHECK_FEATURE, &payload).unwrap();
        match &arguments.members[1].value {
            Value::Struct(_, members) => assert!(expected && members[0].value == Value::Unsigned(5)),
            Value::Bytes(bytes) => assert!(!expected && bytes.len() == 12),
            other => panic!("{other:?}"),
        }
    }
}

/// A program has room for one of two commands; the call says that there are two.
#[test]
fn an_array_is_read_as_far_as_the_program_made_room() {
    const ENUMERATE: MethodId = method("ID3D12Device5", "EnumerateMetaCommands");
    let codec = codec(Wide::Bits16);
    assert!(codec.traits(ENUMERATE).rooms && !codec.traits(BREADCRUMBS).rooms);
    for (room, there, read) in [(1u32, 2u32, 1), (2, 2, 2), (2, 1, 1)] {
        let name = [u16::from(b'a'), 0];
        let mut descs = vec![D3D12_META_COMMAND_DESC { Name: name.as_ptr(), ..Default::default() }; room as usize];
        let mut count = room;
        let words = [&raw mut count as u64, descs.as_mut_ptr() as u64];
        let mut out = Vec::new();
        let payload = enter(&codec, ENUMERATE, &words, &World::wrappers(), &mut Blobs::default());
        // SAFETY: the words and what they lead to are valid.
        unsafe {
            let before = codec.outputs_before(ENUMERATE, &words);
            (&raw mut count).write_volatile(there);
            codec.encode_leave(ENUMERATE, &words, 0, &before, &World::wrappers(), &mut out, &mut Blobs::default());
        }
        let outcome = codec.decode_leave(ENUMERATE, &payload, &out).unwrap_or_else(|e| panic!("{e}"));
        let (_, json) = codec.json_outcome(&outcome, &Plain);
        assert_eq!(json["pDescs"].as_array().unwrap().len(), read, "{json:?}");
        assert_eq!(json["pNumMetaCommands"].as_u64(), Some(u64::from(there)), "{json:?}");
    }
}

#[test]
fn lists_of_the_callee_are_arrays_and_are_shadowed() {
    let codec = codec(Wide::Bits16);
    let mut nodes = vec![D3D12_AUTO_BREADCRUMB_NODE::default(); 3];
    let history = [D3D12_AUTO_BREADCRUMB_OP(1), D3D12_AUTO_BREADCRUMB_OP(2)];
    for i in 0..3 {
        nodes[i].pCommandQueue = (REALS + 16 * (1 + i as u64)) as *mut c_void;
        nodes[i].pCommandHistory = history.as_ptr().cast_mut();
        nodes[i].BreadcrumbCount = 2;
        nodes[i].pNext = if i < 2 { &raw mut nodes[i + 1] } else { std::ptr::null_mut() }.cast();
    }
    let mut output = D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT { pHeadAutoBreadcrumbNode: nodes.as_mut_ptr().cast() };
    let words = [&raw mut output as u64];
    assert!(codec.traits(BREADCRUMBS).owned_objects && !codec.traits(BREADCRUMBS).output_objects);
    let (mut arena, mut result, mut out) = (Arena::new(), 0, Vec::new());
    // SAFETY: the words and what they lead to are valid.
    unsafe {
        let before = codec.outputs_before(BREADCRUMBS, &words);
        let wrap = |object: u64, _| object - REALS + WRAPPERS;
        codec.shadow_owned(BREADCRUMBS, &words, &mut result, &mut arena, wrap);
        codec.encode_leave(BREADCRUMBS, &words, 0, &before, &World::wrappers(), &mut out, &mut Blobs::default());
    }
    assert_ne!(output.pHeadAutoBreadcrumbNode as u64, nodes.as_ptr() as u64);
    assert_eq!(nodes[2].pCommandQueue as u64, REALS + 48, "the callee's memory is not written");
    let payload = enter(&codec, BREADCRUMBS, &words, &World::wrappers(), &mut Blobs::default());
    let outcome = codec.decode_leave(BREADCRUMBS, &payload, &out).unwrap_or_else(|e| panic!("{e}"));
    let (_, json) = codec.json_outcome(&outcome, &Plain);
    let list = &json["pOutput"]["pHeadAutoBreadcrumbNode"];
    assert_eq!(list.as_array().unwrap().len(), 3);
    for i in 0..3 {
        assert_eq!(list[i]["pCommandQueue"], i + 1);
        assert_eq!(list[i]["pCommandHistory"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn wide_text_is_utf16_on_the_wire_whatever_the_program_uses() {
    let narrow: Vec<u16> = "a𝄞\0".encode_utf16().collect();
    let wide: Vec<u32> = "a𝄞\0".chars().map(u32::from).collect();
    let payload = |width, text| enter(&codec(width), SET_NAME, &[text], &World::wrappers(), &mut Blobs::default());
    let (from16, from32) = (payload(Wide::Bits16, narrow.as_ptr() as u64), payload(Wide::Bits32, wide.as_ptr() as u64));
    assert_eq!(from16[8..], from32[8..]);
    let mut arena = Arena::new();
    let rebuilt = codec(Wide::Bits32).rebuild(SET_NAME, &from16, &mut Same(&Blobs::default()), &mut arena).unwrap();
    // SAFETY: rebuilt text of three units.
    assert_eq!(unsafe { std::slice::from_raw_parts(rebuilt.words[0] as *const u32, 3) }, wide);
}

/// Programs made with Microsoft's headers for Linux pass characters of four bytes to libraries of two.
#[test]
#[cfg(all(unix, not(miri)))]
fn a_text_of_the_other_width_is_recorded_whole() {
    let long: Vec<u32> = "abc".chars().map(u32::from).chain([0]).collect();
    let short: Vec<u16> = "abc".encode_utf16().chain([0]).collect();
    let payload = |text: u64| enter(&codec(Wide::Bits16), SET_NAME, &[text], &World::wrappers(), &mut Blobs::default());
    assert_eq!(payload(long.as_ptr() as u64)[8..], payload(short.as_ptr() as u64)[8..]);
}

#[test]
fn a_failing_call_gives_what_it_changed_and_nothing_else() {
    let codec = codec(Wide::Bits16);
    // Garbage in one slot, and the error blob that a failing serialisation gives.
    let (mut blob, mut error) = (0xdead_beefu64, 0u64);
    let words = [0, 1, &raw mut blob as u64, &raw mut error as u64];
    // SAFETY: the words are valid arguments.
    let before = unsafe { codec.outputs_before(SERIALIZE, &words) };
    error = REALS + 5 * 16;
    let (mut result, mut seen, mut out) = (0x8007_0057, Vec::new(), Vec::new());
    // SAFETY: as before.
    unsafe {
        codec.for_each_output_object(SERIALIZE, &words, &mut result, &before, |o| {
            seen.push(o.index);
            o.slot.write(WRAPPERS + 5 * 16);
        });
        codec.encode_leave(SERIALIZE, &words, result, &before, &World::wrappers(), &mut out, &mut Blobs::default());
    }
    assert_eq!((seen, blob, error), (vec![1], 0xdead_beef, WRAPPERS + 5 * 16));
    let payload = enter(&codec, SERIALIZE, &words, &World::wrappers(), &mut Blobs::default());
    assert_eq!(codec.output_ids(SERIALIZE, &payload, &out).unwrap(), [0, 5]);
}

#[test]
fn counts_beyond_the_payload_are_refused_at_rebuild() {
    const BARRIER: MethodId = method("ID3D12GraphicsCommandList", "ResourceBarrier");
    let codec = codec(Wide::Bits16);
    let barriers = [D3D12_RESOURCE_BARRIER::default()];
    let words = [1, word(&barriers)];
    let mut payload = enter(&codec, BARRIER, &words, &World::wrappers(), &mut Blobs::default());
    payload[0] = 2;
    let error = codec.rebuild(BARRIER, &payload, &mut Same(&Blobs::default()), &mut Arena::new()).unwrap_err();
    assert_eq!(error.path, "pBarriers");
    assert!(error.what.contains("64 bytes") && error.what.contains("32"), "{error}");
}

/// A work graph whose records have so many bytes, where that is known.
struct Graph(Option<u64>);

impl Objects for Graph {
    fn id_of(&self, _pointer: u64) -> u64 {
        0
    }
    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
    fn record_bytes(&self, _entry: u32) -> Option<u64> {
        self.0
    }
}

/// The graph alone knows how large a record is. The last one of the program's memory ends where that memory does.
#[test]
fn records_of_work_graphs_are_as_large_as_the_graph_says() {
    const DISPATCH: MethodId = method("ID3D12GraphicsCommandList10", "DispatchGraph");
    let codec = codec(Wide::Bits16);
    let records: [u8; 28] = std::array::from_fn(|at| at as u8 + 1);
    let payload = |size: Option<u64>, count: u32, stride: u64| {
        let mut desc = D3D12_DISPATCH_GRAPH_DESC { Mode: D3D12_DISPATCH_MODE::NODE_CPU_INPUT, ..Default::default() };
        desc.Anonymous.NodeCPUInput = D3D12_NODE_CPU_INPUT {
            EntrypointIndex: 3,
            NumRecords: count,
            pRecords: records.as_ptr().cast(),
            RecordStrideInBytes: stride,
        };
        let mut out = Vec::new();
        // SAFETY: the description leads to as many bytes as the sizes say.
        unsafe { codec.encode_enter(DISPATCH, &[word(&desc)], &Graph(size), &mut out, &mut Blobs::default()) };
        out
    };
    let read = |payload: &[u8]| {
        let mut arena = Arena::new();
        let rebuilt = codec.rebuild(DISPATCH, payload, &mut Same(&Blobs::default()), &mut arena);
        // SAFETY: the rebuilt description, whose records have room for the largest that there are.
        rebuilt.map(|rebuilt| unsafe {
            let desc = &*(rebuilt.words[0] as *const D3D12_DISPATCH_GRAPH_DESC);
            std::slice::from_raw_parts(desc.Anonymous.NodeCPUInput.pRecords.cast::<u8>(), 64 << 10).to_vec()
        })
    };
    for (size, count, stride, bytes) in [(12, 3, 0, 12), (12, 2, 16, 28), (4, 2, 24, 28), (20, 1, 0, 20)] {
        let got = read(&payload(Some(size), count, stride)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(got[..bytes], records[..bytes], "{size} {count} {stride}");
        assert!(got[bytes..].iter().all(|byte| *byte == 0), "{size} {count} {stride}");
    }
    // Without the size: records times stride, and nothing where that says nothing.
    assert_eq!(read(&payload(None, 2, 14)).unwrap_or_else(|error| panic!("{error}"))[..28], records);
    let error = read(&payload(None, 2, 0)).unwrap_err();
    assert!(error.path.ends_with("pRecords") && error.what.contains("size was not known"), "{error}");
    // Earlier captures took that for the size too: the bytes are not there.
    let error = read(&payload(Some(0), 2, 0)).unwrap_err();
    assert!(error.path.ends_with("pRecords") && error.what.contains("stands for all"), "{error}");
}

/// Unwrapping copies what holds objects, so a call that both reads and writes such memory would write to the copy.
#[test]
fn nothing_is_passed_in_and_out_with_objects_inside() {
    fn holds(ty: Type, depth: u32) -> bool {
        match ty {
            Type::Object(_) => true,
            Type::Struct(id) if depth > 0 => MODEL.structs[id.0 as usize].fields.iter().any(|f| holds(f.ty, depth - 1)),
            Type::Pointer(p) if depth > 0 => holds(p.ty, depth - 1),
            _ => false,
        }
    }
    for method in MODEL.methods {
        for param in method.params.iter().filter(|p| p.direction == Direction::InOut) {
            assert!(!holds(param.ty, 6), "{}: {}", method.name, param.name);
        }
    }
}
