//! Shaders of both compilers become valid SPIR-V that finds its descriptors where the binding model says.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use common::{SHADERS, heaps, interface, shader, validate};
use reprise_shader::{
    Binding, Class, Interface, Link, Place, Primitive, Slot, Spirv, Stage, StreamOutput, Target, TranslateError,
    translate,
};

fn spirv(name: &str, interface: &Interface) -> Result<Spirv, TranslateError> {
    let (stage, blob) = shader(name);
    translate(blob, stage, interface, &Link::default(), &Target::default())
}

/// The instructions of a module: opcode and operands.
fn instructions(words: &[u32]) -> Vec<(u32, &[u32])> {
    let mut rest = &words[5..];
    let mut all = Vec::new();
    while let [head, ..] = rest {
        let (this, next) = rest.split_at((head >> 16) as usize);
        all.push((head & 0xffff, &this[1..]));
        rest = next;
    }
    all
}

/// The (set, binding) pairs that a module declares.
fn slots(words: &[u32]) -> BTreeSet<(u32, u32)> {
    const DECORATE: u32 = 71;
    const BINDING: u32 = 33;
    const SET: u32 = 34;
    let decorations: Vec<_> = instructions(words).into_iter().filter(|(op, _)| *op == DECORATE).collect();
    let of = |kind: u32, id: u32| {
        decorations.iter().find(|(_, words)| words[0] == id && words[1] == kind).map(|(_, words)| words[2])
    };
    let ids: BTreeSet<u32> = decorations.iter().map(|(_, words)| words[0]).collect();
    ids.into_iter().filter_map(|id| Some((of(SET, id)?, of(BINDING, id)?))).collect()
}

#[test]
fn every_shader_becomes_valid_spirv() {
    let wide = Target { scalar_layout: true, storage_alignment: 4, read_without_format: true, ..Target::default() };
    for (name, stage, blob) in SHADERS {
        for target in [Target::default(), Target { read_without_format: true, ..Target::default() }, wide] {
            let spirv = translate(blob, *stage, &interface(), &Link::default(), &target).unwrap();
            assert_eq!((spirv.words[0], spirv.stage), (0x0723_0203, *stage), "{name}");
            // A pipeline must name it as the module does.
            let points: Vec<_> = instructions(&spirv.words).into_iter().filter(|(op, _)| *op == 15).collect();
            let name_bytes: Vec<u8> = points[0].1[2..].iter().flat_map(|word| word.to_le_bytes()).collect();
            assert!(name_bytes.starts_with(format!("{}\0", spirv.entry).as_bytes()), "{name}");
            validate(name, &spirv.words);
        }
    }
}

#[test]
fn registers_lead_where_the_interface_says() {
    for name in ["tables.dxbc", "tables.dxil"] {
        let spirv = spirv(name, &interface()).unwrap();
        // Views, the addresses of counters, offsets of unaligned views, raw views, samplers, the static sampler; nothing else.
        let expected = BTreeSet::from([(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (3, 0)]);
        assert_eq!(slots(&spirv.words), expected, "{name}");
        assert_eq!(spirv.group, [8, 8, 1], "{name}");
    }
    let direct = spirv("heap.dxil", &interface()).unwrap();
    assert_eq!(slots(&direct.words), BTreeSet::from([(0, 1), (0, 2), (1, 0), (2, 0)]));
}

#[test]
fn one_set_per_type_works_like_mutable_descriptors() {
    let mut interface = interface();
    let slot = |set| Slot { set, binding: 0 };
    interface.heaps.sampled_image = slot(10);
    interface.heaps.storage_image = slot(11);
    interface.heaps.uniform_texel = slot(12);
    interface.heaps.storage_texel = slot(13);
    interface.heaps.uniform_buffer = slot(14);
    let spirv = spirv("tables.dxil", &interface).unwrap();
    let expected = [(0, 0), (0, 1), (1, 0), (2, 0), (3, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0)];
    assert_eq!(slots(&spirv.words), BTreeSet::from(expected));
    validate("tables.dxil", &spirv.words);
}

#[test]
fn the_offset_buffer_is_used_only_where_the_device_is_coarse() {
    let (stage, blob) = shader("fill.dxil");
    let slots_with = |alignment| {
        let target = Target { storage_alignment: alignment, ..Target::default() };
        slots(&translate(blob, stage, &interface(), &Link::default(), &target).unwrap().words)
    };
    assert!(!slots_with(16).contains(&(0, 1)), "raw buffers begin at multiples of 16");
    let (stage, blob) = shader("tables.dxil");
    let target = |storage_alignment, typed_offsets| Target { storage_alignment, typed_offsets, ..Target::default() };
    let of = |target| slots(&translate(blob, stage, &interface(), &Link::default(), &target).unwrap().words);
    assert!(of(target(16, false)).contains(&(0, 1)), "structures of 4 bytes");
    assert!(!of(target(4, false)).contains(&(0, 1)));
    assert!(of(target(4, true)).contains(&(0, 1)), "typed buffers");
}

#[test]
fn what_the_root_signature_lacks_is_named() {
    let lacking = |letter: Class, space| {
        let mut interface = interface();
        interface.bindings.retain(|binding| (binding.class, binding.space) != (letter, space));
        spirv("tables.dxil", &interface)
    };
    assert_eq!(lacking(Class::Srv, 1), Err(TranslateError::Unbound { class: Class::Srv, space: 1, register: 0 }));
    assert_eq!(lacking(Class::Uav, 1), Err(TranslateError::Unbound { class: Class::Uav, space: 1, register: 0 }));
    let error = lacking(Class::Sampler, 0).unwrap_err();
    assert_eq!(error.to_string(), "the shader uses s0 in space 0, which the root signature does not have");
    let closed = Interface { direct_resources: false, ..interface() };
    assert!(matches!(spirv("heap.dxil", &closed), Err(TranslateError::Unbound { register: u32::MAX, .. })));
    // Four images from t3 on, of which the range has three; another range begins where it ends.
    let mut split = interface();
    let images = split.bindings.iter_mut().find(|binding| (binding.class, binding.space) == (Class::Srv, 0)).unwrap();
    images.count = 6;
    let rest = Binding { register: 6, count: 1, ..*images };
    split.bindings.push(rest);
    for name in ["tables.dxbc", "tables.dxil"] {
        let found = spirv(name, &split);
        assert_eq!(found, Err(TranslateError::Unbound { class: Class::Srv, space: 0, register: 3 }), "{name}");
    }
    // Pixel shaders do not see what is for vertex shaders.
    let mut hidden = interface();
    hidden.bindings.iter_mut().for_each(|binding| binding.visibility = 1);
    assert!(spirv("triangle_vertex.dxil", &hidden).is_ok());
    assert!(matches!(spirv("triangle_pixel.dxil", &hidden), Err(TranslateError::Unbound { .. })));
}

#[test]
fn root_arguments_that_overflow_are_a_uniform_buffer() {
    let overflow = Interface { overflow: Some(Slot { set: 5, binding: 0 }), ..interface() };
    for name in ["tables.dxbc", "tables.dxil"] {
        let spirv = spirv(name, &overflow).unwrap();
        assert!(slots(&spirv.words).contains(&(5, 0)));
        validate(name, &spirv.words);
    }
}

#[test]
fn hull_and_domain_shaders_agree_on_locations() {
    for kind in ["dxbc", "dxil"] {
        let hull = spirv(&format!("tessellate_hull.{kind}"), &interface()).unwrap();
        assert_eq!(hull.patch_vertices, 3);
        assert!(hull.patch_location_offset > 0, "behind the control points");
        let geometry = spirv(&format!("tessellate_geometry.{kind}"), &interface()).unwrap();
        assert_eq!(geometry.patch_vertices, 0, "its input is no patch");
        // As the source declares them.
        let triangles = Some(Primitive::Triangles);
        assert_eq!((geometry.facts().takes, geometry.facts().gives), (triangles, triangles));
        let (stage, blob) = shader(&format!("tessellate_domain.{kind}"));
        let link = Link { patch_location_offset: hull.patch_location_offset, ..Link::default() };
        let domain = translate(blob, stage, &interface(), &link, &Target::default()).unwrap();
        assert_eq!(domain.facts().gives, Some(Primitive::Triangles));
        validate(kind, &domain.words);
    }
}

#[test]
fn pipeline_state_reaches_the_shader() {
    let (stage, blob) = shader("triangle_pixel.dxbc");
    let plain = translate(blob, stage, &interface(), &Link::default(), &Target::default()).unwrap();
    let swapped = Link { swizzles: vec![0b11_00_01_10], ..Link::default() };
    let swapped = translate(blob, stage, &interface(), &swapped, &Target::default()).unwrap();
    assert_ne!(plain.words, swapped.words);
    validate("swapped", &swapped.words);
    let (stage, blob) = shader("tessellate_geometry.dxil");
    let stream = StreamOutput {
        semantic: "color".to_owned(),
        index: 0,
        stream: 0,
        first: 0,
        count: 4,
        offset: 4,
        stride: 32,
        buffer: 2,
    };
    let link = Link { stream_outputs: vec![stream], ..Link::default() };
    let streamed = translate(blob, stage, &interface(), &link, &Target::default()).unwrap();
    validate("streamed", &streamed.words);
    const CAPABILITY: u32 = 17;
    const TRANSFORM_FEEDBACK: u32 = 53;
    assert!(instructions(&streamed.words).contains(&(CAPABILITY, &[TRANSFORM_FEEDBACK])));
}

/// What the rasteriser and the next stage both take is two variables in DXBC: it goes to its place once.
#[test]
fn slices_go_to_buffers_once() {
    let (stage, blob) = shader("slices.dxbc");
    let slice = StreamOutput {
        semantic: "SV_RenderTargetArrayIndex".to_owned(),
        index: 0,
        stream: 0,
        first: 0,
        count: 1,
        offset: 4,
        stride: 8,
        buffer: 0,
    };
    let link = Link { stream_outputs: vec![slice], ..Link::default() };
    let made = translate(blob, stage, &interface(), &link, &Target::default()).unwrap();
    validate("slices", &made.words);
    const DECORATE: u32 = 71;
    const OFFSET: u32 = 35;
    let decorations = instructions(&made.words).into_iter().filter(|(op, _)| *op == DECORATE);
    let offsets: Vec<u32> = decorations.filter(|(_, words)| words[1] == OFFSET).map(|(_, words)| words[2]).collect();
    assert_eq!(offsets, [4]);
}

/// Parts of outputs, arrays, distances, and streams with outputs of one name; what they give is `stream-parts`' matter.
#[test]
fn parts_of_outputs_go_to_buffers() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/shaders");
    let entry = |name: &str, (index, stream, first, count)| StreamOutput {
        semantic: name.to_owned(),
        index,
        stream,
        first,
        count,
        offset: 16 * first + 4 * index,
        stride: 64,
        buffer: stream,
    };
    let point = [
        entry("value", (0, 0, 0, 1)),
        entry("Value", (0, 0, 1, 3)),
        entry("PAIR", (1, 0, 0, 2)),
        entry("SV_ClipDistance", (0, 0, 2, 2)),
        entry("NUMBER", (0, 0, 0, 3)),
    ];
    let twins = [entry("VALUE", (0, 0, 0, 1)), entry("VALUE", (0, 1, 0, 2))];
    const DECORATE: u32 = 71;
    const OFFSET: u32 = 35;
    for form in ["dxbc", "dxil"] {
        for (name, stage, outputs) in [("vertex", Stage::Vertex, &point[..]), ("twins", Stage::Geometry, &twins[..])] {
            let blob = std::fs::read(folder.join(format!("stream_parts.{name}.{form}"))).unwrap();
            let run = |outputs: &[StreamOutput]| {
                let link = Link { stream_outputs: outputs.to_vec(), ..Link::default() };
                translate(&blob, stage, &interface(), &link, &Target::default())
            };
            let made = run(outputs).unwrap();
            validate(&format!("{name}.{form}"), &made.words);
            let decorations = instructions(&made.words).into_iter().filter(|(op, _)| *op == DECORATE);
            let mut offsets: Vec<u32> =
                decorations.filter(|(_, words)| words[1] == OFFSET).map(|(_, words)| words[2]).collect();
            let mut expected: Vec<u32> = outputs.iter().map(|output| output.offset).collect();
            offsets.sort_unstable();
            expected.sort_unstable();
            assert_eq!(offsets, expected, "{name}.{form}");
            for lacks in [entry("NOTHING", (0, 0, 0, 1)), entry("VALUE", (0, 0, 3, 2)), entry("VALUE", (7, 0, 0, 1))] {
                let refused = run(&[lacks]);
                assert!(matches!(refused, Err(TranslateError::Rejected { step: "stream output", .. })), "{refused:?}");
            }
            let many: Vec<StreamOutput> = (0..200).map(|_| outputs[0].clone()).collect();
            assert!(matches!(run(&many), Err(TranslateError::Rejected { step: "stream output", .. })));
        }
    }
}

#[test]
fn containers_are_checked_first() {
    let (stage, blob) = shader("fill.dxbc");
    let run = |blob: &[u8], stage| translate(blob, stage, &interface(), &Link::default(), &Target::default());
    let mut flipped = blob.to_vec();
    *flipped.last_mut().unwrap() ^= 1;
    assert_eq!(run(&flipped, stage), Err(TranslateError::Checksum));
    assert!(matches!(run(&blob[..blob.len() - 1], stage), Err(TranslateError::Container(_))));
    let root = reprise_dxbc::container::build(&[(reprise_dxbc::Tag::RTS0, &[0; 24])]);
    assert_eq!(run(&root, stage), Err(TranslateError::NoShader));
    let wrong = run(blob, reprise_shader::Stage::Pixel);
    assert_eq!(wrong, Err(TranslateError::Stage { wanted: reprise_shader::Stage::Pixel, found: 5 + 1 }));
    // DXIL may be unsigned, DXBC not.
    let unsigned = |name| {
        let mut blob = shader(name).1.to_vec();
        blob[4..20].fill(0);
        run(&blob, stage)
    };
    assert!(unsigned("fill.dxil").is_ok());
    assert_eq!(unsigned("fill.dxbc"), Err(TranslateError::Checksum));
}

#[test]
fn threads_translate_at_the_same_time() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for (name, stage, blob) in SHADERS.iter().cycle().take(60) {
                    let result = translate(blob, *stage, &interface(), &Link::default(), &Target::default());
                    assert!(result.is_ok(), "{name}");
                }
            });
        }
    });
    assert_eq!(heaps(), interface().heaps);
}

/// A shader of the test programs.
macro_rules! program {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../programs/shaders/", $name)).as_slice())
    };
}

/// Capabilities that a module asks for.
fn capabilities(words: &[u32]) -> BTreeSet<u32> {
    const CAPABILITY: u32 = 17;
    instructions(words).into_iter().filter(|(op, _)| *op == CAPABILITY).map(|(_, words)| words[0]).collect()
}

/// Registers as most test programs have them: from 0 on, of every class, in tables.
fn registers() -> Interface {
    let binding = |class, word| Binding {
        class,
        space: 0,
        register: 0,
        count: 64,
        visibility: 0,
        place: Place::Table { word, offset: 0 },
    };
    let bindings =
        vec![binding(Class::Cbv, 16), binding(Class::Srv, 16), binding(Class::Uav, 16), binding(Class::Sampler, 17)];
    Interface { bindings, ..interface() }
}

#[test]
fn minimum_precision_is_16_bits_where_the_device_computes_so() {
    const FLOAT_16: u32 = 9;
    for (name, blob) in [program!("narrow.compute.dxbc"), program!("narrow.compute.dxil")] {
        for native_min_precision in [false, true] {
            let target = Target { native_min_precision, ..Target::default() };
            let spirv = translate(blob, Stage::Compute, &registers(), &Link::default(), &target).unwrap();
            assert_eq!(capabilities(&spirv.words).contains(&FLOAT_16), native_min_precision, "{name}");
            // The translator gives integers from memory more bits than what it computes with them, unless it narrows all.
            if native_min_precision {
                validate(name, &spirv.words);
            }
        }
    }
}

/// What software drivers cannot run is valid at least.
#[test]
fn shaders_that_few_devices_run_become_valid_spirv() {
    let target = Target {
        barycentrics: true,
        denorm_16: true,
        scalar_layout: true,
        read_without_format: true,
        ..Target::default()
    };
    for ((name, blob), stage) in [
        (program!("halves.main.dxil"), Stage::Compute),
        (program!("atomics.in_texels.dxil"), Stage::Compute),
        (program!("atomics.in_texels_of_buffers.dxil"), Stage::Compute),
        (program!("barycentrics.vertex.dxil"), Stage::Vertex),
        (program!("barycentrics.pixel.dxil"), Stage::Pixel),
        (program!("comparisons.pixel.dxil"), Stage::Pixel),
    ] {
        let spirv = translate(blob, stage, &registers(), &Link::default(), &target).unwrap();
        validate(name, &spirv.words);
    }
}

/// Texels of 64 bits are taken from the arrays of the device, by the numbers beside the heap's descriptors.
#[test]
fn texels_of_64_bits_have_descriptors_of_their_own() {
    let slot = |set, binding| Slot { set, binding };
    for ((name, blob), own) in
        [(program!("atomics.in_texels.dxil"), slot(5, 0)), (program!("atomics.in_texels_of_buffers.dxil"), slot(5, 1))]
    {
        for (storage_alignment, typed_offsets) in [(4, false), (16, true)] {
            let target = Target { scalar_layout: true, storage_alignment, typed_offsets, ..Target::default() };
            let mut interface = registers();
            let shared = interface.heaps.storage_image;
            let before = slots(&translate(blob, Stage::Compute, &interface, &Link::default(), &target).unwrap().words);
            interface.heaps.wide_image = slot(5, 0);
            interface.heaps.wide_texel = slot(5, 1);
            interface.heaps.wide_count = 100;
            let spirv = translate(blob, Stage::Compute, &interface, &Link::default(), &target).unwrap();
            validate(name, &spirv.words);
            let mut expected = before;
            assert!(expected.remove(&(shared.set, shared.binding)), "{name}");
            expected.extend([(own.set, own.binding), (0, 0)]);
            assert_eq!(slots(&spirv.words), expected, "{name}");
        }
    }
}

/// Every use of a view or sampler of a heap goes through the check, and the only buffer more is that of records.
#[test]
fn shaders_that_check_descriptors_are_valid_and_call_the_check() {
    const FUNCTION_CALL: u32 = 57;
    let plain = Target { scalar_layout: true, storage_alignment: 4, read_without_format: true, ..Target::default() };
    let checking = Target { check_set: 6, ..plain };
    for (name, stage, blob) in SHADERS {
        let of = |target: &Target| translate(blob, *stage, &interface(), &Link::default(), target).unwrap();
        let (plain, checked) = (of(&plain), of(&checking));
        validate(name, &checked.words);
        let uses_heap = slots(&plain.words).iter().any(|(set, _)| *set < 3);
        // The entry point calls functions, too.
        let calls = |spirv: &Spirv| {
            instructions(&spirv.words).into_iter().filter(|(opcode, _)| *opcode == FUNCTION_CALL).count()
        };
        assert_eq!(uses_heap, calls(&checked) > calls(&plain), "{name}");
        let more: Vec<(u32, u32)> = slots(&checked.words).difference(&slots(&plain.words)).copied().collect();
        assert_eq!(more, if uses_heap { vec![(6, 0)] } else { vec![] }, "{name}");
        assert_eq!((checked.entry, checked.group), (plain.entry, plain.group), "{name}");
    }
}
