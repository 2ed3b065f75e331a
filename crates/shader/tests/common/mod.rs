//! The shaders of `tests/shaders` (HLSL and what the two compilers made of it), and an interface that fits them.
#![allow(dead_code, unreachable_pub, reason = "each test uses its part")]

use std::io::Write;
use std::process::{Command, Stdio};

use reprise_shader::{Binding, Class, Heaps, Interface, Place, Slot, Stage};

macro_rules! shaders {
    ($($name:literal $stage:ident,)*) => {
        &[$(($name, Stage::$stage, include_bytes!(concat!("../shaders/", $name)))),*]
    };
}

/// Name, stage and container.
pub const SHADERS: &[(&str, Stage, &[u8])] = shaders! {
    "fill.dxbc" Compute,
    "fill.dxil" Compute,
    "slices.dxbc" Vertex,
    "tables.dxbc" Compute,
    "tables.dxil" Compute,
    "heap.dxil" Compute,
    "triangle_vertex.dxbc" Vertex,
    "triangle_vertex.dxil" Vertex,
    "triangle_pixel.dxbc" Pixel,
    "triangle_pixel.dxil" Pixel,
    "tessellate_vertex.dxbc" Vertex,
    "tessellate_vertex.dxil" Vertex,
    "tessellate_hull.dxbc" Hull,
    "tessellate_hull.dxil" Hull,
    "tessellate_domain.dxbc" Domain,
    "tessellate_domain.dxil" Domain,
    "tessellate_corner.dxbc" Vertex,
    "tessellate_corner.dxil" Vertex,
    "tessellate_geometry.dxbc" Geometry,
    "tessellate_geometry.dxil" Geometry,
};

/// One of the shaders.
pub fn shader(name: &str) -> (Stage, &'static [u8]) {
    let (_, stage, blob) = SHADERS.iter().find(|shader| shader.0 == name).expect("a shader of the list");
    (*stage, blob)
}

fn slot(set: u32, binding: u32) -> Slot {
    Slot { set, binding }
}

/// Two sets of mutable descriptors, as the runtime has them: typed in set 0, raw in set 1, samplers in set 2.
pub fn heaps() -> Heaps {
    Heaps {
        sampled_image: slot(0, 2),
        storage_image: slot(0, 2),
        uniform_texel: slot(0, 2),
        storage_texel: slot(0, 2),
        uniform_buffer: slot(0, 2),
        storage_buffer: slot(1, 0),
        sampler: slot(2, 0),
        addresses: slot(0, 0),
        offsets: slot(0, 1),
        ..Heaps::default()
    }
}

/// Fits all shaders of the list: two root descriptors, sixteen constants, two tables.
pub fn interface() -> Interface {
    let binding =
        |class, space, register, count, place| Binding { class, space, register, count, visibility: 0, place };
    let views = |offset| Place::Table { word: 16, offset };
    Interface {
        root_descriptors: 2,
        root_words: 18,
        overflow: None,
        bindings: vec![
            binding(Class::Cbv, 0, 0, 1, Place::Constants(0)),
            binding(Class::Srv, 1, 0, 1, Place::Address(0)),
            binding(Class::Uav, 1, 0, 1, Place::Address(1)),
            binding(Class::Cbv, 0, 1, 1, views(0)),
            binding(Class::Srv, 0, 0, 7, views(1)),
            binding(Class::Uav, 0, 0, u32::MAX, views(8)),
            binding(Class::Sampler, 0, 4, 1, Place::Fixed(slot(3, 0))),
            binding(Class::Sampler, 0, 0, 2, Place::Table { word: 17, offset: 3 }),
        ],
        heaps: heaps(),
        direct_resources: true,
        direct_samplers: true,
    }
}

/// Runs spirv-val where it is installed.
pub fn validate(name: &str, words: &[u32]) {
    let command = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.3", "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = command else {
        eprintln!("spirv-val is not installed: {name} is not validated");
        return;
    };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}
