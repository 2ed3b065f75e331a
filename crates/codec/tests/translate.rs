//! Traces of other days: calls recorded by models that differ from ours, read as ours.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::doctor::{Doctor, copy_field};
use common::{SEEDS, Same, World, call};
use reprise_codec::fabricate::Random;
use reprise_codec::json::Plain;
use reprise_codec::translate::{Extended, Translation, Understanding};
use reprise_codec::{Arena, Codec, Wide, schema};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Direction, Field, Len, MethodId, Model, Role, Type};
use serde_json::{Map, Value as Json};

/// Seeds of each method: each test has some models.
const FEW: u64 = if SEEDS < 6 { SEEDS } else { 6 };

/// A call as a model of another day records it.
struct Recorded {
    method: MethodId,
    enter: Vec<u8>,
    leave: Vec<u8>,
    blobs: common::Blobs,
}

/// Every method of a model, recorded some times.
fn recorded(model: &Model, mut check: impl FnMut(&Codec, &Recorded)) {
    let codec = Codec::new(*model, Wide::Bits16);
    let mut arena = Arena::new();
    for number in (0..model.methods.len() as u16).step_by(if cfg!(miri) { 23 } else { 1 }) {
        for seed in 0..FEW {
            arena.clear();
            let method = MethodId(number);
            let call = call(&codec, method, seed << 16 | u64::from(number), &mut arena);
            let failing = seed % 3 == 2 && matches!(model.methods[usize::from(number)].result, Type::Hresult);
            // SAFETY: the words were fabricated for this method.
            let before = unsafe { codec.outputs_before(method, &call.words) };
            fill(model, method, &call.words, failing, &mut Random::new(seed));
            let (mut leave, mut blobs) = (Vec::new(), common::Blobs(call.blobs.0));
            let result = if failing { 0x8000_4005 } else { 0 };
            let world = World::wrappers();
            // SAFETY: the words were fabricated for this method, whose outputs are written.
            unsafe { codec.encode_leave(method, &call.words, result, &before, &world, &mut leave, &mut blobs) };
            check(&codec, &Recorded { method, enter: call.enter, leave, blobs });
        }
    }
}

/// Writes single outputs that are all in their bytes, and objects.
fn fill(model: &Model, method: MethodId, words: &[u64], failing: bool, random: &mut Random) {
    let params = model.methods[usize::from(method.0)].params;
    let counts = |index: usize| {
        params.iter().any(|p: &Field| match p.ty {
            Type::Pointer(p) => match p.len {
                Len::Through(i) | Len::BytesThrough(i) => usize::from(i) == index,
                Len::Rule(_) => true,
                _ => false,
            },
            _ => false,
        })
    };
    for (i, param) in params.iter().enumerate() {
        let Type::Pointer(pointee) = param.ty else { continue };
        if param.direction == Direction::In || words[i] == 0 || !matches!(pointee.len, Len::One) || counts(i) {
            continue;
        }
        let to = words[i] as *mut u8;
        match pointee.ty {
            // SAFETY: fabricated storage for one object.
            Type::Object(_) => unsafe {
                to.cast::<u64>().write_unaligned(common::WRAPPERS + (1 + random.below(200)) * 16);
            },
            Type::U32 | Type::U64 | Type::Bool if !failing => {
                // SAFETY: fabricated storage for one element, of 4 bytes at least.
                unsafe { to.cast::<u32>().write_unaligned(random.next() as u32 & 1) };
            }
            _ => {}
        }
    }
}

fn translation(today: Model, theirs: &Model) -> Translation {
    let all: Vec<u16> = (0..theirs.methods.len() as u16).collect();
    let text = schema::of(theirs, &all);
    Translation::new(&Extended::new(today), &text).unwrap().expect("the models differ")
}

fn shown(codec: &Codec, method: MethodId, enter: &[u8], leave: &[u8]) -> (Json, Json) {
    let arguments = codec.decode_enter(method, enter).unwrap_or_else(|error| panic!("{error}"));
    let outcome = codec.decode_leave(method, enter, leave).unwrap_or_else(|error| panic!("{error}"));
    let (result, outputs) = codec.json_outcome(&outcome, &Plain);
    let mut outputs: Map<String, Json> = outputs;
    outputs.insert("=".into(), result);
    (codec.json_arguments(&arguments, &Plain).into(), outputs.into())
}

/// Takes members of this name out, wherever they are, with sizes of what they are in; puts flags into one order.
fn without(json: &mut Json, name: &str) {
    match json {
        Json::String(text) if text.contains('|') => {
            let mut flags: Vec<&str> = text.split('|').collect();
            flags.sort_unstable();
            *text = flags.join("|");
        }
        Json::Object(members) => {
            if members.remove(name).is_some() || !name.is_empty() {
                let sizes = ["SizeInBytes", "FeatureSupportDataSize", "BufferSize"];
                members.retain(|name, _| !sizes.iter().any(|size| name.ends_with(size)));
            }
            members.values_mut().for_each(|value| without(value, name));
        }
        Json::Array(values) => values.iter_mut().for_each(|value| without(value, name)),
        _ => {}
    }
}

/// How many calls were as they are, converted, and not understood.
#[derive(Debug, Default)]
struct Count {
    same: usize,
    translated: usize,
    refused: usize,
}

/// Reads every call of `theirs` as one of `today`, and compares all names and values with what `theirs` says itself.
fn compare(today: Model, theirs: Model, ignored: &str) -> Count {
    let translation = translation(today, &theirs);
    let ours = Codec::new(today, Wide::Bits16);
    let mut count = Count::default();
    let mut arena = Arena::new();
    recorded(&theirs, |codec, call| {
        let name = codec.method_name(call.method);
        let (mut enter, mut leave) = (Vec::new(), Vec::new());
        let number = translation.enter(call.method.0, &call.enter, &mut enter);
        let left = translation.leave(call.method.0, Some(&call.enter), &call.leave, &mut leave);
        assert_eq!(number, left, "{name}: an enter and its leave have one number");
        if usize::from(number) >= today.methods.len() {
            count.refused += 1;
            assert_eq!((&enter, &leave), (&call.enter, &call.leave), "{name} is given as it is");
            return;
        }
        let method = MethodId(number);
        assert_eq!(ours.method_name(method), name);
        match translation.number(call.method.0) {
            Some(_) => count.same += 1,
            None => count.translated += 1,
        }
        let mut expected = shown(codec, call.method, &call.enter, &call.leave);
        let mut found = shown(&ours, method, &enter, &leave);
        for json in [&mut expected.0, &mut expected.1, &mut found.0, &mut found.1] {
            without(json, ignored);
        }
        assert_eq!(found, expected, "{name}");
        // What is read is also what a runtime can be given.
        arena.clear();
        let blobs = common::Blobs(call.blobs.0.clone());
        ours.rebuild(method, &enter, &mut Same(&blobs), &mut arena).unwrap_or_else(|error| panic!("{error}"));
    });
    count
}

#[test]
fn numbers_that_moved_cost_a_look_into_a_table() {
    let mut doctor = Doctor::new();
    doctor.renumber();
    let theirs = doctor.model();
    let translation = translation(MODEL, &theirs);
    for (name, understanding) in translation.methods() {
        assert_eq!(understanding, Understanding::Same, "{name}");
    }
    assert_eq!(translation.number(0), Some(MODEL.methods.len() as u16 - 1));
    let count = compare(MODEL, theirs, "");
    assert_eq!((count.translated, count.refused), (0, 0));
}

#[test]
fn fields_and_parameters_that_moved_are_found() {
    let mut doctor = Doctor::new();
    doctor.renumber();
    doctor.move_fields();
    let theirs = doctor.model();
    let count = compare(MODEL, theirs, "");
    assert!(count.translated > 2000 && count.refused == 0, "{count:?}");
    // And the other way: ours is the older one.
    let mut doctor = Doctor::new();
    doctor.move_fields();
    let count = compare(doctor.model(), MODEL, "");
    assert!(count.translated > 2000 && count.refused == 0, "{count:?}");
}

/// The fuzzer found that a second member in front of the first one overflowed.
#[test]
fn one_member_of_a_union_may_have_moved_alone() {
    let mut doctor = Doctor::new();
    let parameter = doctor.structure("D3D12_ROOT_PARAMETER");
    let mut moved: Vec<Field> = parameter.fields.iter().map(copy_field).collect();
    moved.iter_mut().filter(|field| field.name == "Constants").for_each(|field| field.offset -= 4);
    parameter.fields = moved.leak();
    let count = compare(MODEL, doctor.model(), "");
    assert!(count.translated > 0 && count.refused == 0, "{count:?}");
}

#[test]
fn values_follow_their_names() {
    let mut doctor = Doctor::new();
    doctor.renumber_values();
    let count = compare(MODEL, doctor.model(), "");
    assert!(count.translated > 500 && count.refused == 0, "{count:?}");
}

#[test]
fn structures_grow() {
    let grown = |role| {
        let mut doctor = Doctor::new();
        doctor.grow("New", role);
        doctor.model()
    };
    // Ours has a field that the trace's does not have: it is zero.
    let count = compare(grown(Role::Plain), MODEL, "New");
    assert!(count.translated > 1000 && count.refused == 0, "{count:?}");
    // The trace has one that ours does not have. Reserved, it is zero: nothing is lost.
    let count = compare(MODEL, grown(Role::Reserved), "New");
    assert!(count.translated > 1000 && count.refused == 0, "{count:?}");
    // Where it holds something, the call is not understood, and the field is named.
    let theirs = grown(Role::Plain);
    let translation = translation(MODEL, &theirs);
    let mut refused = 0;
    recorded(&theirs, |_, call| {
        let number = translation.enter(call.method.0, &call.enter, &mut Vec::new());
        if usize::from(number) >= MODEL.methods.len() {
            let why = translation.why(number, &call.enter);
            assert!(why.contains("New is set"), "{why}");
            refused += 1;
        }
    });
    assert!(refused > 500, "{refused}");
}

#[test]
fn all_at_once() {
    let mut doctor = Doctor::new();
    doctor.grow("New", Role::Reserved);
    doctor.renumber_values();
    doctor.move_fields();
    doctor.renumber();
    let count = compare(MODEL, doctor.model(), "New");
    assert!(count.translated > 2000 && count.refused == 0, "{count:?}");
}

#[test]
fn there_and_back_is_the_identity() {
    let mut doctor = Doctor::new();
    doctor.grow("New", Role::Plain);
    doctor.renumber_values();
    doctor.move_fields();
    doctor.renumber();
    let other = doctor.model();
    let (there, back) = (translation(other, &MODEL), translation(MODEL, &other));
    recorded(&MODEL, |codec, call| {
        let name = codec.method_name(call.method);
        let (mut enter, mut leave, mut again, mut left) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let number = there.enter(call.method.0, &call.enter, &mut enter);
        assert_eq!(there.leave(call.method.0, Some(&call.enter), &call.leave, &mut leave), number);
        assert_eq!(back.enter(number, &enter, &mut again), call.method.0, "{name}");
        assert_eq!(back.leave(number, Some(&enter), &leave, &mut left), call.method.0, "{name}");
        assert_eq!(again, call.enter, "{name}");
        assert_eq!(left, call.leave, "{name}");
    });
}

#[test]
fn additions_refuse_nothing() {
    // An older model: every third method, half of the members of enumerations, no table of choices beyond its half.
    let mut doctor = Doctor::new();
    doctor.keep(|at| at % 3 != 1);
    for own in &mut doctor.enums {
        let members = own.members;
        // Values that choose are still known where something is chosen by them.
        own.members = &members[..members.len().div_ceil(2)];
    }
    let theirs = doctor.model();
    let translation = translation(MODEL, &theirs);
    let (mut same, ours) = (0, Codec::new(MODEL, Wide::Bits16));
    recorded(&theirs, |codec, call| {
        let (mut enter, mut leave) = (Vec::new(), Vec::new());
        let number = translation.enter(call.method.0, &call.enter, &mut enter);
        assert_eq!(translation.leave(call.method.0, Some(&call.enter), &call.leave, &mut leave), number);
        let name = codec.method_name(call.method);
        assert_eq!(ours.method_name(MethodId(number)), name);
        assert_eq!((&enter, &leave), (&call.enter, &call.leave), "{name}");
        same += usize::from(translation.number(call.method.0).is_some());
    });
    assert!(same > 2500, "{same}");
}

#[test]
fn what_today_does_not_have_is_shown_by_the_traces_own_model() {
    // Today's model lacks every third method, and one interface; the trace was recorded with all.
    let mut doctor = Doctor::new();
    doctor.keep(|at| at % 3 != 1);
    for own in doctor.interfaces.iter_mut().filter(|own| own.name == "ID3D12Fence") {
        own.name = "ID3D12Barrier";
    }
    let today = doctor.model();
    let translation = translation(today, &MODEL);
    let codec = Codec::extended(translation.extended(), Wide::Bits16);
    let mut kept = 0;
    recorded(&MODEL, |theirs, call| {
        let (mut enter, mut leave) = (Vec::new(), Vec::new());
        let number = translation.enter(call.method.0, &call.enter, &mut enter);
        translation.leave(call.method.0, Some(&call.enter), &call.leave, &mut leave);
        if usize::from(number) < today.methods.len() {
            return;
        }
        kept += 1;
        let why = translation.why(number, &call.enter);
        let name = theirs.method_name(call.method);
        assert!(why.starts_with(&name) && why.contains("today's model has no"), "{why}");
        assert_eq!(codec.method_name(MethodId(number)), name);
        assert_eq!(
            shown(&codec, MethodId(number), &enter, &leave),
            shown(theirs, call.method, &call.enter, &call.leave)
        );
    });
    assert!(kept > 1500, "{kept}");
}

#[test]
fn what_changed_its_type_is_not_understood_where_it_is_used() {
    let mut doctor = Doctor::new();
    let desc = doctor.structure("D3D12_COMMAND_QUEUE_DESC");
    let fields = desc.fields.iter().map(|own| Field {
        ty: if own.name == "Priority" { Type::F32 } else { own.ty },
        ..common::doctor::copy_field(own)
    });
    desc.fields = fields.collect::<Vec<_>>().leak();
    let draw = doctor.method("ID3D12GraphicsCommandList", "DrawInstanced");
    let params = draw.params.iter().map(|own| Field {
        ty: if own.name == "InstanceCount" { Type::F32 } else { own.ty },
        ..common::doctor::copy_field(own)
    });
    draw.params = params.collect::<Vec<_>>().leak();
    let theirs = doctor.model();
    let translation = translation(MODEL, &theirs);
    let of = |name: &str| translation.methods().find(|method| method.0 == name).unwrap().1;
    let Understanding::NotUnderstood(why) = of("ID3D12GraphicsCommandList::DrawInstanced") else { panic!() };
    assert_eq!(why, "InstanceCount: f32 in the trace, u32 today");
    assert_eq!(of("ID3D12Device::CreateCommandQueue"), Understanding::Translated);
    assert_eq!(of("ID3D12Device::CreateFence"), Understanding::Same);
    let differences = translation.differences();
    assert!(
        differences.iter().any(|d| d.contains("`Priority f32` in the trace, `Priority i32` today")),
        "{differences:?}"
    );
    let create = reprise_d3d12::method("ID3D12Device", "CreateCommandQueue");
    let codec = Codec::new(theirs, Wide::Bits16);
    let (mut arena, mut refused) = (Arena::new(), 0);
    for seed in 0..8 {
        let call = call(&codec, create, seed, &mut arena);
        let number = translation.enter(create.0, &call.enter, &mut Vec::new());
        if number != create.0 {
            let why = translation.why(number, &call.enter);
            assert_eq!(why, "ID3D12Device::CreateCommandQueue: pDesc: [0]: Priority: f32 in the trace, i32 today");
            refused += 1;
        }
    }
    assert!(refused > 0);
}

/// What a second trace has of its own stands behind what the first has; what both have is the same call.
#[test]
fn two_traces_of_another_day_share_what_they_have_of_their_own() {
    let mut doctor = Doctor::new();
    doctor.keep(|at| at % 3 != 1);
    let today = Extended::new(doctor.model());
    let all: Vec<u16> = (0..MODEL.methods.len() as u16).collect();
    let text = schema::of(&MODEL, &all);
    let first = Translation::new(&today, &text).unwrap().unwrap();
    let second = Translation::new(first.extended(), &text).unwrap().unwrap();
    for number in all {
        assert_eq!(first.number(number), second.number(number));
    }
    assert_eq!(second.extended().model().methods.len(), first.extended().model().methods.len());
}

#[test]
fn the_model_itself_needs_nothing() {
    let all: Vec<u16> = (0..MODEL.methods.len() as u16).collect();
    let today = Extended::new(MODEL);
    assert!(Translation::new(&today, &schema::of(&MODEL, &all)).unwrap().is_none());
    assert!(Translation::new(&today, &[]).unwrap().is_none());
    // In the schema of an earlier build, in the form of its day, nothing but numbers differs: interfaces came in between.
    let old = Translation::new(&today, include_bytes!("fixtures/schema-1.json")).unwrap().unwrap();
    let differences = old.differences();
    assert!(!differences.is_empty());
    for difference in differences {
        let quoted: Vec<&str> = difference.split('`').skip(1).step_by(2).collect();
        let [then, today] = quoted[..] else { panic!("{difference}") };
        let without_number = |text: &str| {
            let (kind, rest) = text.strip_prefix("method ").and_then(|rest| rest.split_once(' ')).unwrap();
            assert!(kind.parse::<u16>().is_ok(), "{difference}");
            rest.to_owned()
        };
        assert_eq!(without_number(then), without_number(today), "{difference}");
    }
}

/// Each byte of a schema matters: another one is an error, or a difference that is named.
#[test]
fn every_flipped_byte_is_an_error_or_a_named_difference() {
    let methods = [
        reprise_d3d12::method("ID3D12GraphicsCommandList", "ResourceBarrier").0,
        reprise_d3d12::method("ID3D12Device2", "CreatePipelineState").0,
        reprise_d3d12::function("D3D12CreateDevice").0,
    ];
    let mut sorted = methods;
    sorted.sort_unstable();
    let text = schema::of(&MODEL, &sorted);
    let today = Extended::new(MODEL);
    let (mut errors, mut named) = (0, 0);
    for at in (0..text.len()).step_by(if cfg!(miri) { 997 } else { 3 }) {
        let mut flipped = text.clone();
        flipped[at] ^= 1 << (at % 8);
        match Translation::new(&today, &flipped) {
            Err(_) => errors += 1,
            Ok(Some(translation)) => {
                named += 1;
                assert!(
                    !translation.differences().is_empty(),
                    "byte {at} of {}",
                    String::from_utf8_lossy(&flipped[at.saturating_sub(40)..][..80])
                );
            }
            Ok(None) => panic!("byte {at}: not found"),
        }
    }
    assert!(errors > 100 && named > 100, "{errors} errors, {named} named");
}
