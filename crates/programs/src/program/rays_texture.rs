//! `rays-texture`: dispatches of rays that make a picture, as renderers do: each thread writes one texel. The first has the texture's size, so
//! a thread's index is its texel; the second has another, and writes beside its index. Of DXIL only.

use super::Program;
use crate::acceleration::{self, Flags, GeometryFlags, Inputs, Structure, Vertices};
use crate::buffer::{Buffer, bytes_of};
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use crate::state_object::{Part, StateObject, rays};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "rays-texture", about: "dispatches of rays that write a texture", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;
const WIDTH: u32 = 8;
const HEIGHT: u32 = 4;
/// Columns and rows of each dispatch, and where its first thread writes.
const DISPATCHES: [([u32; 2], [u32; 2]); 2] = [([WIDTH, HEIGHT], [0, 0]), ([2, 2], [5, 1])];
/// The square that rays hit: its two triangles cover the first columns.
const EDGE: f32 = 4.0;
const CORNERS: [[f32; 3]; 6] =
    [[0.0, 0.0, 0.0], [EDGE, 0.0, 0.0], [EDGE, EDGE, 0.0], [0.0, 0.0, 0.0], [EDGE, EDGE, 0.0], [0.0, EDGE, 0.0]];
/// What `rays_texture.hlsl` gives for a miss, and for a hit at a distance of 1.
const MISS: u32 = 0x1000;
const HIT: u32 = 0x2000 + 256;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_3)?;
    acceleration::needs_tier(&stage.device, D3D12_RAYTRACING_TIER::TIER_1_0)?;
    let device = &stage.device;
    let mut list = List::direct(device)?;
    let corners: Vec<u32> = CORNERS.as_flattened().iter().map(|value| value.to_bits()).collect();
    let corners = Buffer::uploaded(device, &corners)?;
    let vertices = Vertices { address: corners.address, stride: 12, count: CORNERS.len() as u32 };
    let square = [acceleration::triangles(vertices, GeometryFlags::OPAQUE)];
    let mut build = |inputs: Inputs| -> Result<Structure, Failure> {
        let structure = Structure::new(device, &inputs)?;
        list.build(&inputs, &structure, &[])?;
        Ok(structure)
    };
    let bottom = build(acceleration::bottom(&square, Flags::PREFER_FAST_TRACE))?;
    let place = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let bytes = acceleration::bytes_of(&[acceleration::instance(place, [0, 0], 0xff, 0, bottom.address())]);
    let mut instances = Buffer::upload(device, bytes.len() as u64)?;
    instances.write(0, &bytes);
    let top = build(acceleration::top(instances.address, 1, Flags::PREFER_FAST_TRACE))?;

    let mut desc = flat(FORMAT, WIDTH, HEIGHT);
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let zeros = vec![0; (WIDTH * HEIGHT * 4) as usize];
    let (texture, _zeros) = Texture::filled(device, &mut list, &desc, &[zeros], state)?;
    let heap = Heap::visible(device, 1)?;
    let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
        ..Default::default()
    };
    heap.uav(0, &texture.com, &view);

    let corner = Parameter::Constants { register: 0, count: 2 };
    let root = RootSignature::compute(device, &[corner, Parameter::Srv(0), Parameter::Table(&[Range::uav(0, 1)])])?;
    let library = shader!("rays_texture.library" dxil);
    let parts = [
        Part::Library(&library, &[("shoot", ""), ("sky", ""), ("ground", "")]),
        Part::HitGroup("square", ["", "ground", ""]),
        Part::Global(&root),
        Part::Sizes(4, 8),
        Part::Depth(1),
    ];
    let object = StateObject::new(device, D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE, &parts, None)?;
    // No shader is called.
    let (bytes, tables) = object.tables(device, [&["shoot"], &["sky"], &["square"], &["sky"]])?;

    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_state_object(&object)?;
    list.compute_srv(1, top.address());
    list.compute_table(2, heap.gpu(0));
    let mut expected = vec![0u32; (WIDTH * HEIGHT) as usize];
    for ([columns, rows], [left, upper]) in DISPATCHES {
        list.compute_constants(0, &[left, upper]);
        list.dispatch_rays(&rays(bytes.address, tables, [columns, rows]))?;
        list.uav_barrier(&texture.com);
        for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
            let value = if (x as f32) < EDGE { HIT } else { MISS };
            expected[((y + upper) * WIDTH + x + left) as usize] = value + y * 16 + x;
        }
    }
    let got = texture.read(stage, &mut list, state)?.concat();
    let found: Vec<u32> = got.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Failure::unless_equal("the picture that rays make", &found, &expected)?;
    Ok(Digest::of(&bytes_of(&found)))
}
