//! `quads`: votes of quads in a compute shader, and texels read at offsets that the shader computes (shader model 6.7).

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::descriptor::{AS_IS, Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "quads", about: "votes of quads, and reads at offsets that shaders compute", run };

const VOTES: Shader = shader!("quads.votes" dxil);
/// Threads of a group, as the shader says.
const GROUP: u32 = 64;
const THREADS: u32 = 32 * GROUP;
/// Texels of a side of the picture; offsets count from its middle, from -8 to 7.
const SIZE: u32 = 64;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_7)?;
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS14::default();
    if !device.feature(D3D12_FEATURE::D3D12_OPTIONS14, &mut options) || options.AdvancedTextureOpsSupported == 0 {
        return Err(Failure::Cannot("shaders cannot compute offsets of texture reads".into()));
    }
    let mut random = Random(67);
    // Few bits are set or clear in all of a quad by chance, so half of the quads are given a common value.
    let words: Vec<u32> = (0..THREADS / 4)
        .flat_map(|quad| {
            let common = random.next();
            [(); 4].map(|()| if quad % 2 == 0 { common ^ (random.next() & 0xf0) } else { random.next() })
        })
        .collect();
    let texels = random.words(SIZE * SIZE);

    let mut list = List::direct(device)?;
    let desc = flat(DXGI_FORMAT::FORMAT_R32_UINT, SIZE, SIZE);
    let state = D3D12_RESOURCE_STATES::NON_PIXEL_SHADER_RESOURCE;
    let (picture, _upload) = Texture::filled(device, &mut list, &desc, &[bytes_of(&texels)], state)?;
    let values = Buffer::uploaded(device, &words)?;
    let output = Buffer::writable(device, u64::from(THREADS) * 16)?;
    let heap = Heap::visible(device, 3)?;
    heap.buffer_srv(0, &values, Elements::structured(0, THREADS, 4));
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: desc.Format,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() };
    heap.srv(1, &picture.com, &view);
    heap.buffer_uav(2, &output, Elements::structured(0, THREADS, 16));

    let root = RootSignature::compute(device, &[Parameter::Table(&[Range::srv(0, 2), Range::uav(0, 1)])])?;
    let pipeline = Pipeline::compute(stage, &root, &VOTES)?;
    list.set_heap(&heap);
    list.set_compute_root(&root);
    list.set_pipeline(&pipeline);
    list.compute_table(0, heap.gpu(0));
    list.dispatch(THREADS / GROUP, 1, 1);
    let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
    let expected: Vec<u32> = words.chunks(4).flat_map(|quad| results(quad, &texels)).collect();
    Failure::unless_equal("votes and texels", &got, &expected)?;
    let mut digest = Digest::new();
    digest.add(&bytes_of(&got));
    Ok(digest)
}

/// What the four lanes of a quad write, four words each.
fn results(quad: &[u32], texels: &[u32]) -> Vec<u32> {
    let any = |bit: u32| quad.iter().any(|value| value & bit != 0);
    let all = |bit: u32| quad.iter().all(|value| value & bit != 0);
    let votes = u32::from(any(1)) | u32::from(all(2)) << 1 | u32::from(any(4) && !any(8)) << 2;
    let texel = |value: u32| {
        let (x, y) = (SIZE / 2 - 8 + value % 16, SIZE / 2 - 8 + value / 16 % 16);
        texels[(y * SIZE + x) as usize]
    };
    // Lanes that face each other across the quad: the first and the last, and the two between.
    (0..4).flat_map(|lane| [votes, texel(quad[lane]), quad[lane], quad[3 - lane]]).collect()
}
