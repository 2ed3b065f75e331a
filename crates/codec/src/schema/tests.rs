//! Schemas are read back as they were written, and damage is found.

use super::*;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;

const BARRIER: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "ResourceBarrier");
const DEVICE: MethodId = reprise_d3d12::function("D3D12CreateDevice");
const FEATURES: MethodId = reprise_d3d12::method("ID3D12Device", "CheckFeatureSupport");

fn text(methods: &[u16]) -> String {
    String::from_utf8(of(&MODEL, methods)).unwrap()
}

fn all() -> Vec<u16> {
    (0..MODEL.methods.len()).map(|id| u16::try_from(id).unwrap()).collect()
}

#[test]
fn a_schema_reaches_all_types_and_fits_its_own_model() {
    let schema = text(&[BARRIER.0, DEVICE.0]);
    let line = |start: &str| schema.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{schema}"));
    let barrier = format!("method {}", BARRIER.0);
    assert_eq!(line(&barrier), format!("{barrier} ID3D12GraphicsCommandList::ResourceBarrier object void"));
    // Through a pointer, then through a union of structures, then an object and an enumeration.
    assert_eq!(line("struct D3D12_RESOURCE_BARRIER"), "struct D3D12_RESOURCE_BARRIER 32 8");
    assert_eq!(line("struct D3D12_RESOURCE_TRANSITION"), "struct D3D12_RESOURCE_TRANSITION_BARRIER 24 8");
    assert!(line("flags D3D12_RESOURCE_STATES").contains(" D3D12_RESOURCE_STATE_ "));
    assert!(line("flags D3D12_RESOURCE_STATES").contains(" COPY_DEST=1024 "));
    assert!(line("interface ID3D12Resource").starts_with("interface ID3D12Resource 696442be-"));
    assert!(is_of(&MODEL, schema.as_bytes()));
}

#[test]
fn tables_of_choices_come_with_the_rules_that_ask_them() {
    assert!(!text(&[BARRIER.0, DEVICE.0]).contains("\nselect "));
    let features = text(&[FEATURES.0]);
    assert_eq!(features.matches("\nselect ").count(), 1, "{features}");
    assert!(features.contains("\nselect FeatureData D3D12_FEATURE 0=D3D12_FEATURE_DATA_D3D12_OPTIONS "), "{features}");
}

/// All that the codec looks at is as it was. Names of interfaces, enumerations and structures stand for their numbers.
#[test]
fn every_method_is_read_back_as_it_was() {
    let methods = all();
    let schema = text(&methods);
    assert!(!schema.contains(token::UNKNOWN_RULE), "a rule has no word");
    let model = model(schema.as_bytes()).unwrap();
    assert_eq!(write::text(&model, &methods), schema);
    assert_eq!(used(&model), methods);
    for (read, own) in model.methods.iter().zip(MODEL.methods) {
        assert_eq!((read.name, read.args_size, read.order), (own.name, own.args_size, own.order));
        assert_eq!((read.returns_structure, read.result_role), (own.returns_structure, own.result_role));
        assert_eq!(read.params.len(), own.params.len());
        for (read, own) in read.params.iter().zip(own.params) {
            assert_eq!((read.name, read.offset, read.count), (own.name, own.offset, own.count));
            assert_eq!((read.direction, read.role, read.iid), (own.direction, own.role, own.iid));
        }
    }
    for read in model.structs {
        let own = MODEL.structs.iter().find(|own| own.name == read.name).unwrap();
        assert_eq!((read.size, read.align, read.flat), (own.size, own.align, own.flat), "{}", own.name);
        for (read, own) in read.fields.iter().zip(own.fields) {
            assert_eq!((read.name, read.offset, read.count), (own.name, own.offset, own.count));
            let arm =
                |field: &reprise_d3d12::model::Field| field.arm.map(|arm| (arm.selector, arm.values, arm.inverted));
            assert_eq!(arm(read), arm(own));
        }
    }
    for read in model.enums {
        let own = MODEL.enums.iter().find(|own| own.name == read.name).unwrap();
        assert_eq!(read.flags, own.flags);
        assert!(read.members.iter().all(|member| own.members.contains(member)), "{}", own.name);
        // Every value has the name that is shown for it.
        for (_, value) in own.members {
            let shown = |members: &[(&'static str, i64)]| members.iter().find(|m| m.1 == *value).map(|m| m.0);
            assert_eq!(shown(read.members), shown(own.members));
        }
    }
}

#[test]
fn damage_is_an_error() {
    let schema = text(&[BARRIER.0]);
    // The first line alone is the schema of a trace without calls.
    let first = FIRST_LINE.len() + 1;
    for end in (1..schema.len()).filter(|end| *end != first) {
        assert!(model(&schema.as_bytes()[..end]).is_err(), "{end}");
    }
    for wrong in
        ["{}", "[]", "{\"methods\":{\"70000\":null}}", "{\"methods\":7}", "schema", "schema 2", "schema 2\n x u32\n"]
    {
        assert!(model(wrong.as_bytes()).is_err(), "{wrong}");
    }
    assert!(matches!(model(b"schema 3\n"), Err(SchemaError::Newer(_))));
}
