//! `rays-samplers`: miss shaders that sample with static samplers of their records' root signatures, one that begins again behind the texture's
//! edge, and one that stays there. Of DXIL only.

use super::Program;
use crate::acceleration::{self, Flags, Structure};
use crate::buffer::{self, Buffer, bytes_of};
use crate::descriptor::{AS_IS, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler;
use crate::shader::shader;
use crate::stage::Stage;
use crate::state_object::{Part, StateObject, rays};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "rays-samplers", about: "rays with static samplers of local root signatures", run };

const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_FLOAT;
/// The texels. Shaders read a quarter behind the second one.
const TEXELS: [f32; 2] = [3.0, 7.0];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_3)?;
    acceleration::needs_tier(&stage.device, D3D12_RAYTRACING_TIER::TIER_1_0)?;
    let device = &stage.device;
    let mut list = List::direct(device)?;
    // All rays miss.
    let inputs = acceleration::top(0, 0, Flags::PREFER_FAST_TRACE);
    let nothing = Structure::new(device, &inputs)?;
    list.build(&inputs, &nothing, &[])?;
    let texels: Vec<u8> = TEXELS.into_iter().flat_map(f32::to_le_bytes).collect();
    let sampled = D3D12_RESOURCE_STATES::NON_PIXEL_SHADER_RESOURCE;
    let (texture, _texels) = Texture::filled(device, &mut list, &flat(FORMAT, 2, 1), &[texels], sampled)?;
    let heap = Heap::visible(device, 1)?;
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    view.Anonymous.Texture2D.MipLevels = 1;
    heap.srv(0, &texture.com, &view);

    let table = [Range::srv(0, 1)];
    let root = [Parameter::Table(&table), Parameter::Srv(1), Parameter::Uav(0)];
    let root = RootSignature::compute(device, &root)?;
    let local = |address: D3D12_TEXTURE_ADDRESS_MODE| {
        let sampler = D3D12_STATIC_SAMPLER_DESC {
            AddressU: address,
            ShaderVisibility: D3D12_SHADER_VISIBILITY::ALL,
            ..sampler::clamping(0)
        };
        RootSignature::new(device, &[], &[sampler], D3D12_ROOT_SIGNATURE_FLAGS::LOCAL_ROOT_SIGNATURE)
    };
    let (again, stays) = (local(D3D12_TEXTURE_ADDRESS_MODE::WRAP)?, local(D3D12_TEXTURE_ADDRESS_MODE::CLAMP)?);
    let library = shader!("rays_samplers.library" dxil);
    let parts = [
        Part::Library(&library, &[("shoot", ""), ("first", ""), ("second", "")]),
        Part::Local(&again, &["first"]),
        Part::Local(&stays, &["second"]),
        Part::Global(&root),
        Part::Sizes(4, 8),
        Part::Depth(1),
    ];
    let object = StateObject::new(device, D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE, &parts, None)?;
    // Nothing is hit or called.
    let (bytes, tables) = object.tables(device, [&["shoot"], &["first", "second"], &["first"], &["first"]])?;
    let results = Buffer::writable(device, 8)?;

    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_state_object(&object)?;
    list.compute_table(0, heap.gpu(0));
    list.compute_srv(1, nothing.address());
    list.compute_uav(2, results.address);
    list.dispatch_rays(&rays(bytes.address, tables, [2, 1]))?;
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let found = buffer::fetch(device, &stage.queue, &mut list, &results, state)?.read_u32()?;
    Failure::unless_equal("what rays give", &found, &[0x100 + TEXELS[0] as u32, 0x200 + TEXELS[1] as u32])?;
    Ok(Digest::of(&bytes_of(&found)))
}
