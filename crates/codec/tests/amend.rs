//! Every value of every method, written as JSON shows it: it gives the bytes that were there. And another one changes nothing else.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{call, codec, methods};
use reprise_codec::json::Plain;
use reprise_codec::literal::{Known, Literal};
use reprise_codec::{Arena, Codec, Place, Placed, Wide};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Direction, InterfaceId, Role, Type};
use serde_json::{Map, Value as Json};
use std::collections::BTreeSet;

/// Everything exists.
struct All(Vec<Vec<u8>>);

impl Known for All {
    fn object(&mut self, _id: u32, _interface: InterfaceId) -> Result<(), String> {
        Ok(())
    }

    fn word(&mut self, _role: Role, _value: u64) -> Result<(), String> {
        Ok(())
    }

    fn descriptor(&mut self, _role: Role, _heap: u32, _index: u64) -> Result<u64, String> {
        Err("no heaps".into())
    }

    fn address(&mut self, _resource: u32, _offset: u64) -> Result<u64, String> {
        Err("no resources".into())
    }

    fn blob(&mut self, bytes: &[u8]) -> u32 {
        self.0.push(bytes.to_vec());
        self.0.len() as u32
    }
}

/// What a path leads to.
fn at<'j>(arguments: &'j Map<String, Json>, path: &str) -> &'j Json {
    let spelled = path.replace('[', ".").replace(']', "");
    let mut names = spelled.split('.');
    let first = &arguments[names.next().unwrap()];
    names.fold(first, |json, name| match name.parse::<usize>() {
        Ok(index) => &json[index],
        Err(_) => &json[name],
    })
}

/// A value as people would write what JSON shows.
fn literal(json: &Json) -> Literal {
    match json {
        Json::Null => Literal::Null,
        Json::String(text) => Literal::Word(text.clone()),
        other => Literal::Word(other.to_string()),
    }
}

/// Calls of a method that are looked at, and values of a call: each walks its payload twice.
const SEEDS: u64 = 3;
const VALUES: usize = 12;

/// Some places of a call, from its beginning to its end.
fn some(places: Vec<Place>) -> impl Iterator<Item = Place> {
    let step = places.len().div_ceil(VALUES).max(1);
    places.into_iter().step_by(step)
}

fn every_call(mut check: impl FnMut(&Codec, &common::Call)) {
    let codec = codec(Wide::Bits16);
    let mut arena = Arena::new();
    for method in methods() {
        for seed in 0..SEEDS {
            arena.clear();
            check(&codec, &call(&codec, method, seed << 16 | u64::from(method.0), &mut arena));
        }
    }
}

#[test]
fn a_value_as_it_is_shown_gives_its_own_bytes() {
    let mut values = 0;
    every_call(|codec, call| {
        let arguments = codec.decode_enter(call.method, &call.enter).unwrap();
        let json = codec.json_arguments(&arguments, &Plain);
        let name = codec.method_name(call.method);
        for place in some(codec.places(call.method, &call.enter).unwrap()) {
            let Placed::Value(ty, _) = place.what else { continue };
            let shown = at(&json, &place.path);
            let value = literal(shown);
            let amended = codec.amend(call.method, &call.enter, &place, &value, &mut All(Vec::new()));
            let amended = amended.unwrap_or_else(|why| panic!("{name}: {} = {shown}: {why}", place.path));
            if matches!(ty, Type::F32 | Type::F64) && shown.as_str().is_some_and(|text| text.contains("NaN")) {
                // Not every NaN of 64 bits is shown with its bits.
                continue;
            }
            assert_eq!(amended, call.enter, "{name}: {} = {shown}", place.path);
            values += 1;
        }
    });
    assert!(values > 5_000, "{values}");
}

#[test]
fn another_value_changes_its_own_bytes_and_the_first_one_brings_them_back() {
    let mut changed = 0;
    every_call(|codec, call| {
        let arguments = codec.decode_enter(call.method, &call.enter).unwrap();
        let json = codec.json_arguments(&arguments, &Plain);
        for place in some(codec.places(call.method, &call.enter).unwrap()) {
            // What selects a union's member decides about the rest of the payload, and counts, too: those are not changed alone.
            if !matches!(place.what, Placed::Value(Type::F32 | Type::I32, _)) {
                continue;
            }
            let seven = Literal::Word("7".into());
            let amended = codec.amend(call.method, &call.enter, &place, &seven, &mut All(Vec::new())).unwrap();
            let differ: Vec<usize> = (0..amended.len()).filter(|at| amended[*at] != call.enter[*at]).collect();
            assert!(
                differ.iter().all(|at| place.bytes.contains(at)),
                "{}: {}",
                codec.method_name(call.method),
                place.path
            );
            assert_eq!(amended.len(), call.enter.len());
            let Ok(places) = codec.places(call.method, &amended) else { continue };
            let Some(again) = places.iter().find(|again| again.path == place.path) else { continue };
            let first = literal(at(&json, &place.path));
            let back = codec.amend(call.method, &amended, again, &first, &mut All(Vec::new())).unwrap();
            if !at(&json, &place.path).is_string() {
                assert_eq!(back, call.enter, "{}: {}", codec.method_name(call.method), place.path);
                changed += usize::from(!differ.is_empty());
            }
        }
    });
    assert!(changed > 100, "{changed}");
}

/// JSON as a value of any kind, where each pointer to bytes has few of them.
fn whole(json: &Json, field: &str) -> Literal {
    match json {
        Json::Array(values) => Literal::List(values.iter().map(|value| whole(value, field)).collect()),
        Json::Object(members) => {
            Literal::Members(members.iter().map(|(name, value)| (name.clone(), whole(value, name))).collect())
        }
        Json::String(text) if field == "Text" => Literal::Text(text.clone()),
        other => literal(other),
    }
}

#[test]
fn a_call_that_is_composed_decodes_to_what_was_written() {
    let mut composed = 0;
    every_call(|codec, call| {
        let arguments = codec.decode_enter(call.method, &call.enter).unwrap();
        let params = MODEL.methods[usize::from(call.method.0)].params;
        if params.iter().any(|param| param.direction != Direction::In) {
            return;
        }
        let json = codec.json_arguments(&arguments, &Plain);
        let values: Vec<Literal> = json.iter().map(|(name, value)| whole(value, name)).collect();
        // Bytes, text and chains are written in another way than JSON shows them.
        let Ok(enter) = codec.compose(call.method, &values, &mut All(Vec::new())) else { return };
        let again = codec.decode_enter(call.method, &enter).unwrap();
        let name = codec.method_name(call.method);
        let shown = codec.json_arguments(&again, &Plain);
        // A pointer that leads to nothing recorded is an address, and none is made up.
        if json.to_string_lossy().contains("0x") {
            return;
        }
        assert_eq!(shown, json, "{name}");
        composed += 1;
    });
    assert!(composed > 200, "{composed}");
}

trait Shown {
    fn to_string_lossy(&self) -> String;
}

impl Shown for Map<String, Json> {
    fn to_string_lossy(&self) -> String {
        Json::Object(self.clone()).to_string()
    }
}

#[test]
fn a_pointer_set_to_null_takes_what_it_led_to_away() {
    let (mut taken, mut refused) = (0, BTreeSet::new());
    every_call(|codec, call| {
        for place in some(codec.places(call.method, &call.enter).unwrap()) {
            let Placed::Pointer(_, child) = &place.what else { continue };
            if child.is_empty() {
                continue;
            }
            let amended = codec.amend(call.method, &call.enter, &place, &Literal::Null, &mut All(Vec::new()));
            let amended = match amended {
                Ok(amended) => amended,
                // What a call reads in any case is a parameter, and no member of a structure.
                Err(why) => {
                    assert!(
                        why.contains("must not be null") && !place.path.contains(['.', '[']),
                        "{}: {why}",
                        place.path
                    );
                    refused.insert(format!("{}({})", codec.method_name(call.method), place.path));
                    continue;
                }
            };
            assert_eq!(amended.len(), call.enter.len() - child.len());
            let name = codec.method_name(call.method);
            // Counts that others share may be zero now, and what they count is then elsewhere in the payload.
            if let Ok(places) = codec.places(call.method, &amended)
                && let Some(again) = places.iter().find(|again| again.path == place.path)
            {
                assert!(matches!(&again.what, Placed::Pointer(_, child) if child.is_empty()), "{name}: {}", place.path);
                taken += 1;
            }
        }
    });
    assert!(taken > 300, "{taken}");
    // As the documents of the API have it: colours and descriptions are read, rectangles and clear values may be absent.
    let is_refused = |name: &str| refused.iter().any(|refused| refused.ends_with(name));
    for (name, wanted) in [
        ("ClearRenderTargetView(ColorRGBA)", true),
        ("ClearRenderTargetView(pRects)", false),
        ("CreateCommittedResource(pDesc)", true),
        ("CreateCommittedResource(pOptimizedClearValue)", false),
        ("CreateShaderResourceView(pDesc)", false),
        ("CopyTextureRegion(pSrc)", true),
        ("CopyTextureRegion(pSrcBox)", false),
    ] {
        assert_eq!(is_refused(name), wanted, "{name}: {refused:?}");
    }
}

#[test]
fn what_a_place_cannot_hold_is_refused() {
    let codec = codec(Wide::Bits16);
    let scalar = |ty: Type, text: &str| {
        codec.scalar(ty, Role::Plain, &Literal::Word(text.into()), &mut All(Vec::new())).map_err(|what| what.clone())
    };
    assert_eq!(scalar(Type::U32, "4294967295").unwrap(), [255; 4]);
    assert_eq!(scalar(Type::U64, "0xffffffffffffffff").unwrap(), [255; 8]);
    assert_eq!(scalar(Type::I64, "-9223372036854775808").unwrap(), i64::MIN.to_le_bytes());
    assert_eq!(scalar(Type::F32, "-inf").unwrap(), f32::NEG_INFINITY.to_le_bytes());
    assert_eq!(scalar(Type::F32, "NaN(0x7fc00001)").unwrap(), 0x7fc0_0001u32.to_le_bytes());
    for (ty, text, says) in [
        (Type::U32, "4294967296", "out of range"),
        (Type::U32, "-1", "out of range"),
        (Type::U32, "1.5", "whole number"),
        (Type::U32, "0x", "whole number"),
        (Type::U32, "+1", "whole number"),
        (Type::I8, "128", "out of range"),
        (Type::F32, "1e99", "beyond"),
        (Type::F32, "wide", "a number"),
        (Type::F32, "NaN(0x1)", "no NaN"),
        (Type::Bool, "yes", "true, false"),
        (Type::Guid, "ID3D12Nothing", "no interface"),
    ] {
        let why = scalar(ty, text).unwrap_err();
        assert!(why.contains(says), "{text}: {why}");
    }
}
