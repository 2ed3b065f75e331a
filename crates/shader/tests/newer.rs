//! Shaders of models 6.9 and 6.10, as DXC 1.9 makes them of `newer.hlsl`, and ours with other bytes.
#![allow(clippy::unwrap_used)]

mod common;

use common::{interface, shader};
use reprise_dxbc::{Checksum, Container, Program, Tag, Validation};
use reprise_shader::{Link, Spirv, Stage, Target, TranslateError, translate};

const VECTORS: &[u8] = include_bytes!("shaders/vectors_6_9.dxil");
const PREVIEW: &[u8] = include_bytes!("shaders/vectors_6_10.dxil");
const LONG: &[u8] = include_bytes!("shaders/long_vectors.dxil");
const REORDER: &[u8] = include_bytes!("shaders/reorder.dxil");

fn translated(blob: &[u8]) -> Result<Spirv, TranslateError> {
    translate(blob, Stage::Compute, &interface(), &Link::default(), &Target::default())
}

#[test]
fn containers_of_newer_compilers_are_read() {
    for (blob, checksum, model) in [(VECTORS, Checksum::Valid, (6, 9)), (PREVIEW, Checksum::Preview, (6, 10))] {
        let container = Container::parse(blob).unwrap();
        assert_eq!((container.checksum(), Program::of(&container).unwrap().model), (checksum, model));
        // The information for runtimes has 60 bytes there.
        assert_eq!(container.part(Tag(*b"PSV0")).unwrap().data[..4], 60u32.to_le_bytes());
        let said = Validation::of(&container).unwrap();
        assert_eq!((said.threads(), said.entry(), said.group_shared()), (Some([64, 1, 1]), Some("vectors"), Some(0)));
        assert_eq!(reprise_dxbc::registers::registers(blob).len(), 2);
    }
}

/// Reads and writes of short vectors say the same as those of as many numbers.
#[test]
fn what_is_known_of_newer_shaders_is_translated() {
    let spirv = translated(VECTORS).unwrap();
    assert_eq!((spirv.entry.as_str(), spirv.group), ("main", [64, 1, 1]));
    assert_eq!(translated(PREVIEW).as_ref(), Ok(&spirv));
}

/// The checksums that stand for something else are taken; any other wrong one is damage.
#[test]
fn shaders_without_a_checksum_are_translated() {
    let (_, blob) = shader("fill.dxil");
    let expected = translated(blob).unwrap();
    for (byte, taken) in [(0, true), (1, true), (2, true), (3, false)] {
        let mut blob = blob.to_vec();
        blob[4..20].fill(byte);
        assert_eq!(
            translated(&blob),
            if taken { Ok(expected.clone()) } else { Err(TranslateError::Checksum) },
            "{byte}"
        );
    }
}

/// The translator would fail without a word of them, or end the process.
#[test]
fn long_vectors_are_refused_by_name() {
    let error = translated(LONG).unwrap_err().to_string();
    assert!(error.contains("more than 4 components (floatx8) of shader model 6.9"), "{error}");
}

#[test]
fn operations_of_newer_models_are_refused_by_name() {
    let link = Link { entry: Some("\u{1}?reorder@@YAXXZ".to_owned()), ..Link::default() };
    let error = translate(REORDER, Stage::RayGeneration, &interface(), &link, &Target::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("hitObject_TraceRay") && error.contains("of shader model 6.9"), "{error}");
}
