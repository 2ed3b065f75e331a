//! Mesh shaders that store what they give into memory are valid, and have a place for each output.
#![allow(clippy::unwrap_used)]

mod common;

use common::{interface, validate};
use reprise_shader::meshlets::{HEAD, Layout, Output, Port, into_memory, with_parent};
use reprise_shader::{Link, Stage, Target, translate};

macro_rules! programs {
    ($($name:literal,)*) => {
        &[$(($name, include_bytes!(concat!("../../programs/shaders/", $name)))),*]
    };
}

/// Mesh shaders of the test programs, without that which gives shading rates: spirv-val does not know these of meshes.
const MESHES: &[(&str, &[u8])] = programs! {
    "mesh.plain.dxil",
    "mesh.chosen.dxil",
    "mesh_atomics.add.dxil",
    "mesh_derivatives.alone.dxil",
    "mesh_derivatives.behind.dxil",
    "ray_queries.mesh.dxil",
    "view_instances.mesh.dxil",
};
/// And amplification shaders.
const AMPLIFICATIONS: &[(&str, &[u8])] = programs! {
    "mesh.choose.dxil",
    "mesh_derivatives.before.dxil",
};

const CONTROL: u64 = 0x0000_7654_3210_abc0;

fn words(blob: &[u8], stage: Stage, whole: bool) -> Vec<u32> {
    let target = Target {
        whole_mesh_stores: whole,
        scalar_layout: true,
        storage_alignment: 4,
        subgroup_min: 8,
        subgroup_max: 8,
        ..Target::default()
    };
    translate(blob, stage, &interface(), &Link::default(), &target).unwrap().words
}

fn layout(name: &str) -> Layout {
    let (_, blob) = MESHES.iter().find(|(it, _)| *it == name).unwrap();
    into_memory(words(blob, Stage::Mesh, true), CONTROL, false).unwrap().1
}

#[test]
fn mesh_shaders_that_store_what_they_give_are_valid() {
    for (name, blob) in MESHES {
        for whole in [false, true] {
            for parented in [false, true] {
                let words = words(blob, Stage::Mesh, whole);
                let (stored, _) = into_memory(words, CONTROL, parented).unwrap();
                validate(name, &stored);
            }
        }
    }
    for (name, blob) in AMPLIFICATIONS {
        validate(name, &with_parent(words(blob, Stage::Amplification, false)).unwrap());
    }
}

/// The program `mesh` says in its source what a group of it gives: eight vertices at most, and four triangles.
#[test]
fn each_output_has_a_place() {
    let found = layout("mesh.plain.dxil");
    assert_eq!((found.most, found.corners), ([8, 4], 3));
    let widths = |of_primitives| {
        let mut all: Vec<(Port, u32)> =
            found.outputs.iter().filter(|it| it.of_primitives == of_primitives).map(|it| (it.port, it.width)).collect();
        all.sort_by_key(|(port, _)| format!("{port:?}"));
        all
    };
    // Position; PLACE and NUMBER share a register.
    assert_eq!(widths(false), [(Port::BuiltIn(0), 4), (Port::Location(1, 0), 2), (Port::Location(1, 2), 1)]);
    let of_primitives = widths(true);
    // Triangles, truths that cull, numbers, slices; COLOUR and MORE.
    for port in [(Port::BuiltIn(5296), 3), (Port::BuiltIn(5299), 1), (Port::BuiltIn(7), 1), (Port::BuiltIn(9), 1)] {
        assert!(of_primitives.contains(&port), "{port:?}: {of_primitives:?}");
    }
    assert_eq!(of_primitives.len(), 6, "{of_primitives:?}");
    // Places do not touch, and each has an element more than the shader may give.
    let mut all: Vec<&Output> = found.outputs.iter().collect();
    all.sort_by_key(|it| it.first);
    let ends = all.iter().map(|it| it.first + (found.most[usize::from(it.of_primitives)] + 1) * it.rows * it.width);
    let ends: Vec<u32> = ends.collect();
    assert_eq!(all[0].first, HEAD);
    assert!(all[1..].iter().zip(&ends).all(|(next, end)| next.first == *end));
    assert_eq!(ends.last(), Some(&found.words));
}

#[test]
fn what_is_cut_harms_nobody() {
    let (_, blob) = MESHES[1];
    let whole = words(blob, Stage::Mesh, true);
    for length in (0..whole.len()).step_by(7) {
        drop(into_memory(whole[..length].to_vec(), CONTROL, true));
    }
    let whole = words(AMPLIFICATIONS[0].1, Stage::Amplification, false);
    for length in (0..whole.len()).step_by(7) {
        drop(with_parent(whole[..length].to_vec()));
    }
}

/// A mesh shader of lines, as an assembler of SPIR-V reads it: outputs of several rows, numbers of rows and components that are not constant,
/// signed indices, and a block behind the first one that asks where it came from.
const LINES: &str = r#"
    OpCapability MeshShadingEXT
    OpCapability ClipDistance
    OpExtension "SPV_EXT_mesh_shader"
    OpMemoryModel Logical GLSL450
    OpEntryPoint MeshEXT %main "main" %rows %clip %lines %hidden %index
    OpExecutionMode %main LocalSize 4 1 1
    OpExecutionMode %main OutputVertices 4
    OpExecutionMode %main OutputPrimitivesEXT 2
    OpExecutionMode %main OutputLinesEXT
    OpDecorate %rows Location 3
    OpDecorate %clip BuiltIn ClipDistance
    OpDecorate %lines BuiltIn PrimitiveLineIndicesEXT
    OpDecorate %hidden BuiltIn CullPrimitiveEXT
    OpDecorate %hidden PerPrimitiveEXT
    OpDecorate %index BuiltIn LocalInvocationIndex
    %void = OpTypeVoid
    %function = OpTypeFunction %void
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %int = OpTypeInt 32 1
    %float = OpTypeFloat 32
    %pair = OpTypeVector %float 2
    %pair_u = OpTypeVector %uint 2
    %c0 = OpConstant %uint 0
    %c1 = OpConstant %uint 1
    %c2 = OpConstant %uint 2
    %c3 = OpConstant %uint 3
    %c4 = OpConstant %uint 4
    %one = OpConstant %float 1
    %true = OpConstantTrue %bool
    %two_rows = OpTypeArray %pair %c2
    %all_rows = OpTypeArray %two_rows %c4
    %distances = OpTypeArray %float %c3
    %all_distances = OpTypeArray %distances %c4
    %all_lines = OpTypeArray %pair_u %c2
    %all_hidden = OpTypeArray %bool %c2
    %p_rows = OpTypePointer Output %all_rows
    %p_clip = OpTypePointer Output %all_distances
    %p_lines = OpTypePointer Output %all_lines
    %p_hidden = OpTypePointer Output %all_hidden
    %p_float = OpTypePointer Output %float
    %p_pair = OpTypePointer Output %pair
    %p_pair_u = OpTypePointer Output %pair_u
    %p_bool = OpTypePointer Output %bool
    %p_in = OpTypePointer Input %uint
    %rows = OpVariable %p_rows Output
    %clip = OpVariable %p_clip Output
    %lines = OpVariable %p_lines Output
    %hidden = OpVariable %p_hidden Output
    %index = OpVariable %p_in Input
    %main = OpFunction %void None %function
    %first = OpLabel
    %thread = OpLoad %uint %index
    %signed = OpBitcast %int %thread
    %half = OpBitwiseAnd %uint %thread %c1
    OpSetMeshOutputsEXT %c4 %c2
    %is = OpULessThan %bool %thread %c2
    OpSelectionMerge %last None
    OpBranchConditional %is %then %last
    %then = OpLabel
    %line = OpCompositeConstruct %pair_u %thread %c3
    %at_line = OpAccessChain %p_pair_u %lines %thread
    OpStore %at_line %line
    %at_hidden = OpAccessChain %p_bool %hidden %thread
    OpStore %at_hidden %true
    OpBranch %last
    %last = OpLabel
    %from = OpPhi %uint %c1 %first %c2 %then
    %value = OpConvertUToF %float %from
    %at_part = OpAccessChain %p_float %rows %signed %half %half
    OpStore %at_part %value
    %both = OpCompositeConstruct %pair %value %one
    %at_row = OpAccessChain %p_pair %rows %thread %c1
    OpStore %at_row %both
    %at_clip = OpAccessChain %p_float %clip %thread %c2
    OpStore %at_clip %one
    OpReturn
    OpFunctionEnd
"#;

/// The words of a text; `None` where spirv-as is not installed.
fn assembled(text: &str) -> Option<Vec<u32>> {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut command = Command::new("spirv-as");
    command.args(["--target-env", "spv1.4", "-o", "-", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        eprintln!("spirv-as is not installed: nothing is tested");
        return None;
    };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(output.stdout.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

#[test]
fn rows_and_indices_of_any_kind_are_stored() {
    let Some(words) = assembled(LINES) else { return };
    validate("lines", &words);
    for parented in [false, true] {
        let (stored, layout) = into_memory(words.clone(), CONTROL, parented).unwrap();
        validate("lines, stored", &stored);
        assert_eq!((layout.most, layout.corners), ([4, 2], 2));
        let mut shapes: Vec<(Port, bool, u32, u32)> =
            layout.outputs.iter().map(|it| (it.port, it.of_primitives, it.rows, it.width)).collect();
        shapes.sort_by_key(|(port, ..)| format!("{port:?}"));
        let expected = [
            (Port::BuiltIn(3), false, 3, 1),
            (Port::BuiltIn(5295), true, 1, 2),
            (Port::BuiltIn(5299), true, 1, 1),
            (Port::Location(3, 0), false, 2, 2),
        ];
        assert_eq!(shapes, expected);
    }
    // What is not of 32 bits, and what is stored whole, is refused.
    let wide = LINES.replace("OpTypeFloat 32", "OpTypeFloat 64");
    let whole = LINES
        .replace("%at_row = OpAccessChain %p_pair %rows %thread %c1", "%all = OpUndef %all_rows")
        .replace("OpStore %at_row %both", "OpStore %rows %all");
    for (text, why) in [(wide, "32 bits"), (whole, "not known")] {
        let error = into_memory(assembled(&text).unwrap(), CONTROL, false).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}
