//! Descriptions of resources and samplers in both of the API's forms, and what they leave open.
//!
//! Invariant: what the older form cannot say is zero in the newer one, and left out the other way.

use crate::types::{
    D3D12_RESOURCE_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_SAMPLER_DESC,
    D3D12_SAMPLER_DESC2, D3D12_TEXTURE_LAYOUT, DXGI_SAMPLE_DESC,
};

/// A buffer of so many bytes.
pub fn buffer(bytes: u64, flags: D3D12_RESOURCE_FLAGS) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::BUFFER,
        Width: bytes,
        Height: 1,
        DepthOrArraySize: 1,
        MipLevels: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_ROW_MAJOR,
        Flags: flags,
        ..Default::default()
    }
}

/// The newer description of the same sampler. Its border is of floats.
pub fn newer_sampler(desc: &D3D12_SAMPLER_DESC) -> D3D12_SAMPLER_DESC2 {
    let mut newer = D3D12_SAMPLER_DESC2 {
        Filter: desc.Filter,
        AddressU: desc.AddressU,
        AddressV: desc.AddressV,
        AddressW: desc.AddressW,
        MipLODBias: desc.MipLODBias,
        MaxAnisotropy: desc.MaxAnisotropy,
        ComparisonFunc: desc.ComparisonFunc,
        MinLOD: desc.MinLOD,
        MaxLOD: desc.MaxLOD,
        ..Default::default()
    };
    newer.Anonymous.FloatBorderColor = desc.BorderColor;
    newer
}

/// The newer description of the same resource.
pub fn newer(desc: &D3D12_RESOURCE_DESC) -> D3D12_RESOURCE_DESC1 {
    D3D12_RESOURCE_DESC1 {
        Dimension: desc.Dimension,
        Alignment: desc.Alignment,
        Width: desc.Width,
        Height: desc.Height,
        DepthOrArraySize: desc.DepthOrArraySize,
        MipLevels: desc.MipLevels,
        Format: desc.Format,
        SampleDesc: desc.SampleDesc,
        Layout: desc.Layout,
        Flags: desc.Flags,
        ..Default::default()
    }
}

/// The older description of the same resource.
pub fn older(desc: &D3D12_RESOURCE_DESC1) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC {
        Dimension: desc.Dimension,
        Alignment: desc.Alignment,
        Width: desc.Width,
        Height: desc.Height,
        DepthOrArraySize: desc.DepthOrArraySize,
        MipLevels: desc.MipLevels,
        Format: desc.Format,
        SampleDesc: desc.SampleDesc,
        Layout: desc.Layout,
        Flags: desc.Flags,
    }
}

/// Levels of a texture: those of the description, or, where it leaves them open (0), as many as halving leads to, which are at most 64.
pub fn levels(desc: &D3D12_RESOURCE_DESC1) -> u32 {
    match desc.MipLevels {
        0 => {
            let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
            let depth = if volume { u64::from(desc.DepthOrArraySize) } else { 1 };
            desc.Width.max(u64::from(desc.Height)).max(depth).max(1).ilog2() + 1
        }
        levels => u32::from(levels),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::DXGI_FORMAT;

    #[test]
    fn both_forms_say_the_same() {
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Alignment: 1,
            Width: 2,
            Height: 3,
            DepthOrArraySize: 4,
            MipLevels: 5,
            Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 6, Quality: 7 },
            Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN,
            Flags: D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET,
        };
        let (new, old) = (newer(&desc), older(&newer(&desc)));
        let said = |desc: &D3D12_RESOURCE_DESC| {
            let place = (desc.Dimension.0, desc.Alignment, desc.Layout.0, desc.Flags.0);
            let size = (desc.Width, desc.Height, desc.DepthOrArraySize, desc.MipLevels);
            (place, size, desc.Format.0, desc.SampleDesc.Count, desc.SampleDesc.Quality)
        };
        assert_eq!(said(&old), said(&desc));
        assert_eq!((new.SamplerFeedbackMipRegion.Width, new.SampleDesc.Quality, new.DepthOrArraySize), (0, 7, 4));
    }

    #[test]
    fn levels_that_are_left_open_are_all_down_to_one_texel() {
        let of = |dimension, width, height, depth, levels| {
            super::levels(&D3D12_RESOURCE_DESC1 {
                Dimension: dimension,
                Width: width,
                Height: height,
                DepthOrArraySize: depth,
                MipLevels: levels,
                ..Default::default()
            })
        };
        let (flat, volume) = (D3D12_RESOURCE_DIMENSION::TEXTURE2D, D3D12_RESOURCE_DIMENSION::TEXTURE3D);
        assert_eq!([of(flat, 64, 5, 300, 0), of(volume, 4, 4, 9, 0), of(flat, 64, 64, 1, 3)], [7, 4, 3]);
        assert_eq!([of(flat, 1, 1, 1, 0), of(flat, 0, 0, 0, 0)], [1, 1]);
    }
}
