//! `multisamples`: a shader writes each sample of textures of four samples, and another reads them (shader model 6.7).

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "multisamples", about: "shaders write and read the samples of textures", run };

const WRITE: Shader = shader!("multisamples.write" dxil);
const READ: Shader = shader!("multisamples.read" dxil);
/// Texels of a side, samples of a texel, layers of the array: as the shaders say.
const SIZE: u32 = 8;
const SAMPLES: u32 = 4;
const LAYERS: u16 = 2;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_7)?;
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS14::default();
    if !device.feature(D3D12_FEATURE::D3D12_OPTIONS14, &mut options) || options.WriteableMSAATexturesSupported == 0 {
        return Err(Failure::Cannot("shaders cannot write textures of several samples".into()));
    }
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let texture = |layers: u16| {
        let desc = D3D12_RESOURCE_DESC {
            DepthOrArraySize: layers,
            SampleDesc: DXGI_SAMPLE_DESC { Count: SAMPLES, Quality: 0 },
            // The API lets only targets have several samples.
            Flags: D3D12_RESOURCE_FLAGS(
                D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0 | D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET.0,
            ),
            ..flat(FORMAT, SIZE, SIZE)
        };
        Texture::new(device, &desc, state, None)
    };
    let (one, layers) = (texture(1)?, texture(LAYERS)?);
    let output = Buffer::writable(device, u64::from(SIZE * SIZE * SAMPLES) * 4)?;
    let heap = Heap::visible(device, 3)?;
    let mut view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: FORMAT,
        ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2DMS,
        ..Default::default()
    };
    heap.uav(0, &one.com, &view);
    view.ViewDimension = D3D12_UAV_DIMENSION::TEXTURE2DMSARRAY;
    view.Anonymous.Texture2DMSArray = D3D12_TEX2DMS_ARRAY_UAV { FirstArraySlice: 0, ArraySize: LAYERS.into() };
    heap.uav(1, &layers.com, &view);
    heap.buffer_uav(2, &output, Elements::structured(0, SIZE * SIZE, 16));

    let root = RootSignature::compute(device, &[Parameter::Table(&[Range::uav(0, 3)])])?;
    let [write, read] = [Pipeline::compute(stage, &root, &WRITE)?, Pipeline::compute(stage, &root, &READ)?];
    let mut list = List::direct(device)?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.compute_table(0, heap.gpu(0));
    list.set_pipeline(&write);
    list.dispatch(1, 1, 1);
    list.uav_barrier(&one.com);
    list.uav_barrier(&layers.com);
    list.set_pipeline(&read);
    list.dispatch(1, 1, 1);
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
    let expected: Vec<u32> = (0..SIZE * SIZE)
        .flat_map(|texel| {
            let (x, y) = (texel % SIZE, texel / SIZE);
            // Of the array the shader reads the texel across the diagonal, and the samples from the last to the first.
            let other = move |sample: u32| !(((x & 1) << 8) + (x * SIZE + y) * SAMPLES + (SAMPLES - 1 - sample));
            (0..SAMPLES).map(move |sample| (texel * SAMPLES + sample) ^ other(sample))
        })
        .collect();
    Failure::unless_equal("samples", &got, &expected)?;
    let mut digest = Digest::new();
    digest.add(&bytes_of(&got));
    Ok(digest)
}
