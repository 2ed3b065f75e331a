//! `rays-foreign`: a table names a miss shader that is made for another global root signature than the list has. The API leaves open what it
//! reads; drivers go on, and it reads the list's arguments in its own way. Of DXIL only.

use super::Program;
use crate::acceleration::{self, Flags, Structure};
use crate::buffer::{self, Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::root::{Parameter, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use crate::state_object::{Part, StateObject, rays};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "rays-foreign", about: "rays whose miss shader is of another root signature", run };

/// What the list's two constants are.
const OWN: u32 = 3;
const OTHER: u32 = 5;
const SIZES: Part<'static> = Part::Sizes(4, 8);
const DEPTH: Part<'static> = Part::Depth(1);

fn run(stage: &Stage) -> Result<Digest, Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_3)?;
    acceleration::needs_tier(&stage.device, D3D12_RAYTRACING_TIER::TIER_1_0)?;
    let device = &stage.device;
    let mut list = List::direct(device)?;
    // All rays miss.
    let inputs = acceleration::top(0, 0, Flags::PREFER_FAST_TRACE);
    let nothing = Structure::new(device, &inputs)?;
    list.build(&inputs, &nothing, &[])?;

    let constant = |register| Parameter::Constants { register, count: 1 };
    let root = RootSignature::compute(device, &[constant(0), constant(1), Parameter::Srv(0), Parameter::Uav(0)])?;
    // Two constants change places, and there is one more.
    let foreign = [constant(1), constant(0), Parameter::Srv(0), Parameter::Uav(0), constant(2)];
    let foreign = RootSignature::compute(device, &foreign)?;
    let library = shader!("rays_foreign.library" dxil);
    let collection = [
        Part::Flags(D3D12_STATE_OBJECT_FLAGS::ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS),
        Part::Library(&library, &[("far", "")]),
        Part::Global(&foreign),
        SIZES,
        DEPTH,
    ];
    let collection = StateObject::new(device, D3D12_STATE_OBJECT_TYPE::COLLECTION, &collection, None)?;
    let parts = [
        Part::Library(&library, &[("shoot", ""), ("near", "")]),
        Part::Collection(&collection),
        Part::Global(&root),
        SIZES,
        DEPTH,
    ];
    let object = StateObject::new(device, D3D12_STATE_OBJECT_TYPE::RAYTRACING_PIPELINE, &parts, None)?;
    // Nothing is hit or called.
    let (bytes, tables) = object.tables(device, [&["shoot"], &["near", "far"], &["near"], &["near"]])?;
    let results = Buffer::writable(device, 8)?;
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;

    list.set_compute_root(&root);
    list.set_state_object(&object)?;
    list.compute_constants(0, &[OWN]);
    list.compute_constants(1, &[OTHER]);
    list.compute_srv(2, nothing.address());
    list.compute_uav(3, results.address);
    list.dispatch_rays(&rays(bytes.address, tables, [2, 1]))?;
    let found = buffer::fetch(device, &stage.queue, &mut list, &results, state)?.read_u32()?;
    let of = |value: u32| value * 0x10000 + OWN * 0x100 + OTHER;
    Failure::unless_equal("what rays give", &found, &[of(OWN + 0x10), of(OTHER + 0x20)])?;
    Ok(Digest::of(&bytes_of(&found)))
}
