//! A trace's own tables do as well as the built-in ones, and no bytes of a schema make tables that do harm.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{SEEDS, call, codec, methods};
use reprise_codec::json::Plain;
use reprise_codec::{Arena, Codec, Wide, schema};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;

/// Tables of one method alone, whose structures, enumerations and interfaces have other numbers than ours; under another
/// number of its own too. Every argument has the same name and value.
#[test]
fn calls_are_the_same_by_names_under_other_numbers() {
    let ours = codec(Wide::Bits16);
    let mut arena = Arena::new();
    let mut renumbered = 0;
    for method in methods() {
        let other = MethodId((method.0 * 7 + 3) % 900);
        let text = String::from_utf8(schema::of(&MODEL, &[method.0])).unwrap();
        let line = |id: MethodId| format!("schema 2\nmethod {} ", id.0);
        assert!(text.starts_with(&line(method)), "{}", &text[..40]);
        let text = text.replacen(&line(method), &line(other), 1);
        let model = schema::model(text.as_bytes()).unwrap_or_else(|e| panic!("{}: {e}", ours.method_name(method)));
        assert_eq!(schema::of(&model, &[other.0]), text.as_bytes(), "they say what the schema says");
        for own in model.structs {
            let known = MODEL.structs.iter().find(|known| known.name == own.name).unwrap();
            assert_eq!((own.size, own.align, own.flat), (known.size, known.align, known.flat), "{}", own.name);
        }
        let theirs = Codec::new(model, Wide::Bits16);
        assert_eq!(theirs.method_name(other), ours.method_name(method));
        renumbered += usize::from(other != method);
        for seed in 0..SEEDS.min(4) {
            arena.clear();
            let call = call(&ours, method, seed << 16 | u64::from(method.0), &mut arena);
            let expected = ours.json_arguments(&ours.decode_enter(method, &call.enter).unwrap(), &Plain);
            let found = theirs.json_arguments(&theirs.decode_enter(other, &call.enter).unwrap(), &Plain);
            // The names of interface ids that the trace does not use are not in it.
            let named = |json: &serde_json::Map<String, serde_json::Value>| {
                let mut text = serde_json::to_string(json).unwrap();
                for own in MODEL.interfaces {
                    text = text.replace(&own.iid.to_string(), own.name);
                }
                text
            };
            assert_eq!(named(&found), named(&expected), "{}", ours.method_name(method));
        }
    }
    assert!(renumbered > 500, "{renumbered} methods had another number");
}

#[test]
fn damaged_schemas_give_errors_or_tables_that_do_no_harm() {
    let barrier = reprise_d3d12::method("ID3D12GraphicsCommandList", "ResourceBarrier");
    let pipeline = reprise_d3d12::method("ID3D12Device2", "CreatePipelineState");
    let ours = codec(Wide::Bits16);
    let mut arena = Arena::new();
    for method in [barrier, pipeline] {
        let text = schema::of(&MODEL, &[method.0]);
        let calls: Vec<Vec<u8>> = (0..4).map(|seed| call(&ours, method, seed, &mut arena).enter).collect();
        let mut sound = 0;
        for place in (0..text.len()).step_by((text.len() / 250).max(1)) {
            // Digits become other digits: sizes, offsets, counts, indices.
            let Some(at) = text[place..].iter().position(u8::is_ascii_digit).map(|at| place + at) else { break };
            let mut damaged = text.clone();
            damaged[at] = b'0' + (damaged[at] - b'0' + 1 + (place % 9) as u8) % 10;
            let Ok(model) = schema::model(&damaged) else { continue };
            sound += 1;
            let codec = Codec::new(model, Wide::Bits16);
            for payload in &calls {
                if let Ok(arguments) = codec.decode_enter(method, payload) {
                    codec.json_arguments(&arguments, &Plain);
                }
            }
        }
        assert!(sound > 10, "most damage is found, some is not: {sound}");
    }
}

#[test]
fn a_structure_that_holds_itself_is_refused() {
    let method = reprise_d3d12::method("ID3D12GraphicsCommandList", "ResourceBarrier");
    let text = String::from_utf8(schema::of(&MODEL, &[method.0])).unwrap();
    let own = " Transition D3D12_RESOURCE_TRANSITION_BARRIER";
    assert!(text.contains(own));
    assert!(schema::model(text.replace(own, " Transition D3D12_RESOURCE_BARRIER").as_bytes()).is_err());
}

/// Unions lay structures over each other, so few bytes can hold fields without number.
#[test]
fn structures_that_hold_too_many_fields_are_refused() {
    let mut text = String::from("schema 2\nmethod 1 vkCreate leave void\n pIn *S0\n");
    for level in 0..40 {
        text += &format!("struct S{level} 8 8\n a S{0} @0\n b S{0} @0\n", level + 1);
    }
    text += "struct S40 8 8\n a u64\n";
    let error = schema::model(text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("nested ones counted"), "{error}");
}

/// A schema of the first form, from a trace of an earlier build: JSON with `Debug`'s tokens.
#[test]
fn schemas_of_earlier_builds_are_read() {
    let model = schema::model(include_bytes!("fixtures/schema-1.json")).unwrap();
    let barrier = &model.methods[240];
    assert_eq!(barrier.name, "ResourceBarrier");
    let own = reprise_d3d12::method("ID3D12GraphicsCommandList", "ResourceBarrier");
    assert_eq!(barrier.order, MODEL.methods[usize::from(own.0)].order);
}
