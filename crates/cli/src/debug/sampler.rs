//! Samplers of the API, as the interpreter has them.

use reprise_d3d12::description::newer_sampler;
use reprise_d3d12::types::{
    D3D12_FILTER, D3D12_SAMPLER_DESC, D3D12_SAMPLER_DESC2, D3D12_STATIC_BORDER_COLOR, D3D12_TEXTURE_ADDRESS_MODE,
};
use reprise_dxbc::root_signature::StaticSampler;
use reprise_interpreter::{Address, Compare, Reduction, Sampler};
use reprise_picture::{Kind, Layout};
use reprise_timeline::state::descriptors::{View, ViewKind};

/// Bits of a filter: linear between levels, magnified, minified; anisotropic; how texels become one.
const LEVELS: u32 = 0x1;
const MAGNIFIED: u32 = 0x4;
const MINIFIED: u32 = 0x10;
const ANISOTROPIC: u32 = 0x40;
const REDUCTION: u32 = 7;
/// Flags: the border's numbers are integers; coordinates count texels.
const INTEGERS: u32 = 1;
const TEXELS: u32 = 2;

/// The colour of a border.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Border {
    /// Floats, or integers.
    bits: [u32; 4],
    integers: bool,
}

impl Border {
    /// As a format has it: components that it lacks are 0, and 1 for alpha; what its numbers do not hold is the nearest that they do.
    pub(crate) fn of(self, layout: Layout) -> [u64; 4] {
        let (kind, has) = (layout.kind(), layout.channels());
        let is_integer = matches!(kind, Kind::Uint | Kind::Sint);
        let mut all = [0, 0, 0, if is_integer { 1 } else { u64::from(1f32.to_bits()) }];
        for (component, to) in all.iter_mut().enumerate().filter(|(component, _)| has[*component]) {
            let bits = self.bits[component];
            let own = f32::from_bits(bits);
            *to = match (kind, self.integers) {
                (Kind::Uint | Kind::Sint, true) => bits.into(),
                (Kind::Uint, false) => u64::from(own as u32),
                (Kind::Sint, false) => u64::from(own as i32 as u32),
                (Kind::Unorm, _) => u64::from(own.clamp(0.0, 1.0).to_bits()),
                (Kind::Snorm, _) => u64::from(own.clamp(-1.0, 1.0).to_bits()),
                (Kind::Depth, _) if steps(layout)[0].is_some() => u64::from(own.clamp(0.0, 1.0).to_bits()),
                _ => bits.into(),
            };
        }
        all
    }
}

/// Of each component, the steps from 0 to 1 of a format of fixed point.
pub(crate) fn steps(layout: Layout) -> [Option<f64>; 4] {
    let steps = |width: u8, sign: bool| Some(((1u64 << (width - u8::from(sign))) - 1) as f64);
    match layout {
        Layout::Packed { channels, kind, .. } => channels.map(|(_, width)| match (kind, width) {
            (_, 0) | (Kind::Depth, 32) => None,
            (Kind::Unorm | Kind::Depth, width) => steps(width, false),
            (Kind::Snorm, width) => steps(width, true),
            _ => None,
        }),
        Layout::Blocks { number: 6, .. } | Layout::SharedExponent => [None; 4],
        Layout::Blocks { signed, .. } => [steps(8, signed); 4],
    }
}

/// Of a float of so many bits, how many are behind the point.
pub(crate) fn fraction_bits(width: u8) -> i32 {
    match width {
        32 => 23,
        16 => 10,
        11 => 6,
        _ => 5,
    }
}

fn address(mode: u32) -> Address {
    match D3D12_TEXTURE_ADDRESS_MODE(mode as i32) {
        D3D12_TEXTURE_ADDRESS_MODE::MIRROR => Address::Mirror,
        D3D12_TEXTURE_ADDRESS_MODE::CLAMP => Address::Clamp,
        D3D12_TEXTURE_ADDRESS_MODE::BORDER => Address::Border,
        D3D12_TEXTURE_ADDRESS_MODE::MIRROR_ONCE => Address::MirrorOnce,
        _ => Address::Wrap,
    }
}

fn sampler(filter: D3D12_FILTER, modes: [u32; 3], comparison: u32) -> Sampler {
    let bits = filter.0 as u32;
    let reduction = bits >> REDUCTION & 3;
    Sampler {
        magnified: bits & MAGNIFIED != 0,
        minified: bits & MINIFIED != 0,
        levels: bits & LEVELS != 0,
        anisotropic: bits & ANISOTROPIC != 0,
        most: 1,
        reduction: match reduction {
            2 => Reduction::Minimum,
            3 => Reduction::Maximum,
            _ => Reduction::Average,
        },
        address: modes.map(address),
        bias: 0.0,
        least: 0.0,
        greatest: f32::MAX,
        compare: if reduction == 1 { Compare::by_number(comparison) } else { None },
        texels: false,
    }
}

/// The sampler that a descriptor of a heap holds, and its border.
pub(crate) fn of_view(view: &View) -> Result<(Sampler, Border), String> {
    let desc = match view.kind {
        ViewKind::Sampler2 => view.desc::<D3D12_SAMPLER_DESC2>(),
        ViewKind::Sampler => view.desc::<D3D12_SAMPLER_DESC>().map(|older| newer_sampler(&older)),
        _ => None,
    };
    let desc = desc.ok_or("the descriptor is no sampler")?;
    let modes = [desc.AddressU.0, desc.AddressV.0, desc.AddressW.0].map(|mode| mode as u32);
    let flags = desc.Flags.0;
    // SAFETY: both members are four words.
    let bits = unsafe { desc.Anonymous.UintBorderColor };
    let sampler = Sampler {
        bias: desc.MipLODBias,
        most: desc.MaxAnisotropy.max(1),
        least: desc.MinLOD,
        greatest: desc.MaxLOD,
        texels: flags & TEXELS != 0,
        ..sampler(desc.Filter, modes, desc.ComparisonFunc.0 as u32)
    };
    Ok((sampler, Border { bits, integers: flags & INTEGERS != 0 }))
}

/// A static sampler, and its border.
pub(crate) fn of_static(desc: &StaticSampler) -> (Sampler, Border) {
    let one = 1f32.to_bits();
    let bits = match D3D12_STATIC_BORDER_COLOR(desc.border_color as i32) {
        D3D12_STATIC_BORDER_COLOR::OPAQUE_BLACK => [0, 0, 0, one],
        D3D12_STATIC_BORDER_COLOR::OPAQUE_WHITE => [one; 4],
        D3D12_STATIC_BORDER_COLOR::OPAQUE_BLACK_UINT => [0, 0, 0, 1],
        D3D12_STATIC_BORDER_COLOR::OPAQUE_WHITE_UINT => [1; 4],
        _ => [0; 4],
    };
    let sampler = Sampler {
        bias: f32::from_bits(desc.mip_lod_bias),
        most: desc.max_anisotropy.max(1),
        least: f32::from_bits(desc.min_lod),
        greatest: f32::from_bits(desc.max_lod),
        texels: desc.flags & TEXELS != 0,
        ..sampler(D3D12_FILTER(desc.filter as i32), [desc.address_u, desc.address_v, desc.address_w], desc.comparison)
    };
    let integers = desc.flags & INTEGERS != 0 || bits.iter().all(|it| *it <= 1) && bits != [0; 4];
    (sampler, Border { bits, integers })
}
