//! A library of ray tracing: what it holds, and each of its shaders with root arguments in its record.
#![allow(clippy::unwrap_used)]

mod common;

use std::process::Command;

use common::heaps;
use reprise_dxbc::root_signature::RootSignature;
use reprise_shader::worker::Worker;
use reprise_shader::{
    Binding, Class, Declared, Interface, Link, Local, LocalParameter, LocalRange, Place, Slot, Stage, Target,
    TranslateError, library, nodes, translate,
};

const RAYS: &[u8] = include_bytes!("shaders/rays.dxil");

/// The global root signature of `rays.hlsl`: two root descriptors.
fn interface() -> Interface {
    let binding =
        |class, index| Binding { class, space: 0, register: 0, count: 1, visibility: 0, place: Place::Address(index) };
    Interface {
        root_descriptors: 2,
        bindings: vec![binding(Class::Srv, 0), binding(Class::Uav, 1)],
        heaps: heaps(),
        ..Interface::default()
    }
}

/// The local root signature of `rays.hlsl`, with descriptors of 32 bytes.
fn local() -> Local {
    let range = |class, count, offset| LocalRange { class, space: 0, register: 4, count, offset };
    let sampler = Binding {
        class: Class::Sampler,
        space: 0,
        register: 1,
        count: 1,
        visibility: 0,
        place: Place::Fixed(Slot { set: 3, binding: 5 }),
    };
    Local {
        resource_size_log2: 5,
        sampler_size_log2: 4,
        parameters: vec![
            LocalParameter::Constants { space: 0, register: 1, words: 3 },
            LocalParameter::Descriptor { class: Class::Cbv, space: 0, register: 2 },
            LocalParameter::Table(vec![range(Class::Srv, 1, 0), range(Class::Uav, 2, 1)]),
        ],
        samplers: vec![sampler],
    }
}

/// Two readers that share no code say the same of every library that compilers made for our programs and tests: ours, of the part for runtimes,
/// and the translator's, of the module's metadata as far as functions go.
#[test]
fn libraries_are_read_alike_without_the_translator() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compared = Vec::new();
    for folder in [here.join("tests/shaders"), here.join("../programs/shaders")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let Ok(container) = reprise_dxbc::Container::parse(&bytes) else { continue };
            if !reprise_dxbc::Program::of(&container).is_ok_and(|program| program.stage == "library") {
                continue;
            }
            let (mut ours, mut other) = (reprise_dxbc::rdat::library(&bytes).unwrap(), library(&bytes).unwrap());
            // The translator takes a node of a work graph for a compute shader; ours has no stage for it.
            for node in nodes(&bytes).unwrap() {
                let at = other.exports.iter().position(|export| export.name == node.entry).unwrap();
                assert_eq!(other.exports.remove(at).stage, Some(Stage::Compute), "{}", node.entry);
                assert!(ours.exports.iter().any(|export| export.name == node.entry && export.stage.is_none()));
            }
            for library in [&mut ours, &mut other] {
                // The two tables are not in the same order; functions that are no entry points are in one of them only.
                library.exports.retain(|export| export.stage.is_some());
                library.exports.sort_by(|one, other| one.name.cmp(&other.name));
            }
            assert_eq!(ours, other, "{}", path.display());
            compared.push((ours.exports.len(), ours.subobjects.len()));
        }
    }
    assert!(compared.len() >= 2 && compared.iter().any(|(_, subobjects)| *subobjects > 3), "{compared:?}");
}

/// What the source says, in the words of the API.
#[test]
fn a_library_says_what_its_source_says() {
    let library = library(RAYS).unwrap();
    let mut stages: Vec<_> = library.exports.iter().map(|export| (export.plain.as_str(), export.stage)).collect();
    stages.sort_unstable();
    assert_eq!(
        stages,
        [
            ("any", Some(Stage::AnyHit)),
            ("begin", Some(Stage::RayGeneration)),
            ("called", Some(Stage::Callable)),
            ("closest", Some(Stage::ClosestHit)),
            ("missed", Some(Stage::Miss)),
            ("within", Some(Stage::Intersection)),
        ]
    );
    // Names in the module carry the types, after the scheme of Microsoft's C++ compiler.
    assert!(library.exports.iter().all(|export| export.name.starts_with(&format!("\u{1}?{}@@", export.plain))));
    let what = |name: &str| &library.subobjects.iter().find(|subobject| subobject.name == name).unwrap().what;
    assert_eq!(*what("configuration"), Declared::StateObjectConfig { flags: 1 });
    assert_eq!(*what("sizes"), Declared::ShaderConfig { payload: 16, attributes: 8 });
    assert_eq!(*what("depth"), Declared::PipelineConfig { depth: 3, flags: 0 });
    let group = |procedural, any_hit: &str, intersection: &str| Declared::HitGroup {
        procedural,
        any_hit: any_hit.into(),
        closest_hit: "closest".into(),
        intersection: intersection.into(),
    };
    assert_eq!(*what("triangles"), group(false, "any", ""));
    assert_eq!(*what("boxes"), group(true, "", "within"));
    let exports = vec!["triangles".to_owned(), "boxes".to_owned(), "missed".to_owned()];
    assert_eq!(*what("some"), Declared::Association { subobject: "records".into(), exports });
    let root = |declared: &Declared| match declared {
        Declared::GlobalRootSignature(bytes) => (true, RootSignature::parse(bytes).unwrap().0),
        Declared::LocalRootSignature(bytes) => (false, RootSignature::parse(bytes).unwrap().0),
        other => panic!("{other:?} is no root signature"),
    };
    let (global, everywhere) = root(what("everywhere"));
    assert!(global && everywhere.parameters.len() == 2 && everywhere.samplers.is_empty());
    let (global, records) = root(what("records"));
    assert!(!global && records.parameters.len() == 3 && records.samplers.len() == 1);
}

/// Each shader becomes a module of its stage.
#[test]
fn every_shader_of_a_library_is_translated() {
    let link = |name: &str| Link { entry: Some(name.to_owned()), local: Some(local()), ..Link::default() };
    // Execution models of SPV_KHR_ray_tracing.
    let models = [
        (Stage::RayGeneration, 5313),
        (Stage::Intersection, 5314),
        (Stage::AnyHit, 5315),
        (Stage::ClosestHit, 5316),
        (Stage::Miss, 5317),
        (Stage::Callable, 5318),
    ];
    for export in library(RAYS).unwrap().exports {
        let stage = export.stage.unwrap();
        let spirv = translate(RAYS, stage, &interface(), &link(&export.name), &Target::default()).unwrap();
        let mut at = 5;
        let mut model = 0;
        while at < spirv.words.len() {
            let head = spirv.words[at];
            if head & 0xffff == 15 {
                model = spirv.words[at + 1];
            }
            at += (head >> 16) as usize;
        }
        assert_eq!(Some(&(stage, model)), models.iter().find(|(named, _)| *named == stage), "{}", export.plain);
    }
}

/// A register that lies in records is not there without the local root signature.
#[test]
fn registers_of_records_need_their_root_signature() {
    let missed = library(RAYS).unwrap().exports.into_iter().find(|export| export.plain == "missed").unwrap();
    let link = Link { entry: Some(missed.name), ..Link::default() };
    let error = translate(RAYS, Stage::Miss, &interface(), &link, &Target::default()).unwrap_err();
    assert!(matches!(error, TranslateError::Unbound { class: Class::Cbv, space: 0, register: 1 | 2 }), "{error}");
}

/// The same answers come from a process of its own.
#[test]
fn the_worker_gives_the_same() {
    let worker = Worker::new(|| Command::new(env!("CARGO_BIN_EXE_reprise-translate")));
    let here = library(RAYS).unwrap();
    assert_eq!(worker.library(RAYS).unwrap(), here);
    let closest = here.exports.iter().find(|export| export.plain == "closest").unwrap();
    let link = Link { entry: Some(closest.name.clone()), local: Some(local()), ..Link::default() };
    let (interface, target) = (interface(), Target::default());
    let there = worker.translate(RAYS, Stage::ClosestHit, &interface, &link, &target).unwrap();
    assert_eq!(there, translate(RAYS, Stage::ClosestHit, &interface, &link, &target).unwrap());
    // What is cut is refused, or says less, and the process lives on.
    for length in [0, 3, 40, RAYS.len() / 2, RAYS.len() - 1] {
        assert!(worker.library(&RAYS[..length]).is_err(), "{length} bytes");
    }
    assert_eq!(worker.library(RAYS).unwrap(), here);
}

/// A ray generation shader whose flags it reads may force two states of micromaps: it says so, in words of the extension that Vulkan's drivers
/// have, where its pipeline meets micromaps on a device that has them.
#[test]
fn rays_that_meet_micromaps_declare_their_flags() {
    const MICROMAPS: &[u8] = include_bytes!("../../programs/shaders/micromaps.library.dxil");
    /// `RayTracingOpacityMicromapEXT`.
    const FLAGS: u32 = 5381;
    let binding = |class, register, place| Binding { class, space: 0, register, count: 1, visibility: 0, place };
    let interface = Interface {
        root_descriptors: 3,
        root_words: 1,
        bindings: vec![
            binding(Class::Cbv, 0, Place::Constants(0)),
            binding(Class::Srv, 0, Place::Address(0)),
            binding(Class::Srv, 1, Place::Address(1)),
            binding(Class::Uav, 0, Place::Address(2)),
        ],
        heaps: heaps(),
        ..Interface::default()
    };
    let generate = library(MICROMAPS).unwrap().exports.into_iter().find(|export| export.plain == "generate").unwrap();
    for (pipeline, device) in [(false, false), (true, false), (false, true), (true, true)] {
        let link = Link { entry: Some(generate.name.clone()), micromaps: pipeline, ..Link::default() };
        let target = Target { micromaps: device, ..Target::default() };
        let spirv = translate(MICROMAPS, Stage::RayGeneration, &interface, &link, &target).unwrap();
        let bytes: Vec<u8> = spirv.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let names = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        let declares = spirv.words.windows(2).any(|pair| pair == [17 | 2 << 16, FLAGS]);
        let both = pipeline && device;
        assert_eq!((names("SPV_EXT_opacity_micromap"), declares), (both, both), "{pipeline}, {device}");
        assert!(!names("SPV_KHR_opacity_micromap"), "{pipeline}, {device}");
    }
}
