//! `borders`: what samplers give beside a texture: border colours through views of formats with other components, and through mappings of
//! components. `alpha-borders`: the same of alpha alone.
//!
//! The format decides which components there are: colours that it lacks are zero, and an alpha that it lacks is one. The mapping comes last.

use super::Program;
use super::samplers::{PARAMETERS, Place, heap, nearest, sample_view};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::root::RootSignature;
use crate::shader::shader;
use crate::stage::Stage;
use crate::texel::bytes;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_RESOURCE_STATES as State, D3D12_SAMPLER_DESC, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION,
    D3D12_TEX2D_SRV, D3D12_TEXTURE_ADDRESS_MODE as Address, DXGI_FORMAT as F,
};

pub(super) const BORDERS_OF_COLOURS: Program = Program {
    name: "borders",
    about: "border colours of all kinds of formats and mappings",
    run: |stage| run(stage, &FORMATS),
};
pub(super) const BORDERS_OF_ALPHA: Program = Program {
    name: "alpha-borders",
    about: "border colours of alpha alone",
    run: |stage| run(stage, &[(F::FORMAT_A8_UNORM, [false, false, false, true])]),
};

/// Formats, and which of red, green, blue and alpha they have.
const FORMATS: [(F, [bool; 4]); 11] = [
    (F::FORMAT_R8_UNORM, [true, false, false, false]),
    (F::FORMAT_R8G8_UNORM, [true, true, false, false]),
    (F::FORMAT_R8G8B8A8_UNORM, [true; 4]),
    (F::FORMAT_R8G8B8A8_UNORM_SRGB, [true; 4]),
    (F::FORMAT_B8G8R8A8_UNORM, [true; 4]),
    (F::FORMAT_B8G8R8X8_UNORM, [true, true, true, false]),
    (F::FORMAT_R10G10B10A2_UNORM, [true; 4]),
    (F::FORMAT_R11G11B10_FLOAT, [true, true, true, false]),
    (F::FORMAT_R16_FLOAT, [true, false, false, false]),
    (F::FORMAT_R32G32_FLOAT, [true, true, false, false]),
    (F::FORMAT_R16G16B16A16_FLOAT, [true; 4]),
];

/// The colours that static samplers have, too.
const BORDERS: [[f32; 4]; 3] = [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [1.0; 4]];

/// Where each component comes from: 0 to 3 of the format, 4 zero, 5 one.
const MAPPINGS: [[u32; 4]; 3] = [[0, 1, 2, 3], [3, 2, 1, 0], [4, 5, 3, 0]];

const SIDE: u32 = 4;

fn run(stage: &Stage, formats: &[(F, [bool; 4])]) -> Result<Digest, Failure> {
    let root = RootSignature::compute(&stage.device, &PARAMETERS)?;
    let side = Address::BORDER;
    let samplers: Vec<D3D12_SAMPLER_DESC> = BORDERS
        .iter()
        .map(|colour| D3D12_SAMPLER_DESC { AddressU: side, AddressV: side, BorderColor: *colour, ..nearest() })
        .collect();
    let samplers = heap(stage, &samplers)?;
    let place = |sampler: usize| Place { at: [-0.5, 0.5], gradient: [0.0; 2], sampler: sampler as u32 };
    let places: Vec<Place> = (0..BORDERS.len()).map(place).collect();
    let mut digest = Digest::new();
    for &(format, has) in formats {
        let mut list = List::direct(&stage.device)?;
        let picture = Texture::new(&stage.device, &flat(format, SIDE, SIDE), State::NON_PIXEL_SHADER_RESOURCE, None)?;
        for mapping in MAPPINGS {
            let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
                Format: format,
                ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
                Shader4ComponentMapping: (0..4).fold(1 << 12, |bits, at| bits | mapping[at] << (3 * at)),
                ..Default::default()
            };
            view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() };
            let levels = shader!("samplers.levels");
            let got = sample_view(stage, &mut list, &root, &levels, (&picture, &view), &samplers, (&places, 1))?;
            let expected: Vec<[f32; 4]> = BORDERS.iter().map(|border| seen(*border, has, mapping)).collect();
            Failure::unless_equal(&format!("{format:?}, mapped by {mapping:?}"), &got, &expected)?;
            digest.add(&bytes(&got));
        }
    }
    Ok(digest)
}

/// What a shader sees of a border.
fn seen(border: [f32; 4], has: [bool; 4], mapping: [u32; 4]) -> [f32; 4] {
    let default = [0.0, 0.0, 0.0, 1.0];
    let own = [0, 1, 2, 3].map(|at| if has[at] { border[at] } else { default[at] });
    mapping.map(|from| match from {
        4 => 0.0,
        5 => 1.0,
        from => own[from as usize],
    })
}
