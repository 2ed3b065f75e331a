//! The part of a texture that a view leads to, as its description says it.
//!
//! Invariant: numbers are those of the description; whether the texture has such a part, whoever knows the texture judges.

use super::view::{View, ViewKind};
use reprise_d3d12::types::{
    D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DSV_DIMENSION, D3D12_RENDER_TARGET_VIEW_DESC, D3D12_RTV_DIMENSION,
    D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION, D3D12_UAV_DIMENSION, D3D12_UNORDERED_ACCESS_VIEW_DESC,
};

/// What a view leads to. Counts may be `u32::MAX`: all that follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reach {
    /// `DXGI_FORMAT`; 0: that of the texture.
    pub format: u32,
    /// Level.
    pub mip: u32,
    /// Slices of an array, first and count; of what is no array, the first one.
    pub slices: (u32, u32),
    /// Slices of a volume's depth, first and count.
    pub depth: Option<(u32, u32)>,
    /// Views of depth lead to both planes.
    pub plane: u32,
}

/// The part of a texture that a view gives shaders to read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampled {
    /// Levels, first and count; `u32::MAX`: all that follow.
    pub mips: (u32, u32),
    /// Slices of an array, first and count; of what is no array, the first one.
    pub slices: (u32, u32),
    /// All slices of a volume's depth.
    pub is_volume: bool,
    /// 0 depth or luma, 1 stencil or chroma.
    pub plane: u32,
    /// The least level of detail that samplers take, counted from the texture's first level.
    pub least: f32,
}

const ONE: (u32, u32) = (0, 1);

impl View {
    /// `None` but for textures that shaders read, and without a description.
    pub fn sampled(&self) -> Option<Sampled> {
        if self.kind != ViewKind::Shader {
            return None;
        }
        sampled(&self.desc()?)
    }

    /// `None` without a description, for buffers, and for other kinds of views.
    pub fn reach(&self) -> Option<Reach> {
        match self.kind {
            ViewKind::Target => target(&self.desc()?),
            ViewKind::Depth => depth(&self.desc()?),
            ViewKind::Unordered => unordered(&self.desc()?),
            _ => None,
        }
    }
}

fn sampled(desc: &D3D12_SHADER_RESOURCE_VIEW_DESC) -> Option<Sampled> {
    let union = desc.Anonymous;
    // Of several samples the format alone tells: X32_TYPELESS_G8X24_UINT and X24_TYPELESS_G8_UINT are of stencil.
    let by_format = u32::from(matches!(desc.Format.0, 22 | 47));
    // The levels and the least of them that samplers take.
    macro_rules! levels {
        ($it:expr) => {
            (($it.MostDetailedMip, $it.MipLevels), $it.ResourceMinLODClamp)
        };
    }
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    let ((mips, least), slices, plane) = unsafe {
        match desc.ViewDimension {
            D3D12_SRV_DIMENSION::TEXTURE1D => (levels!(union.Texture1D), ONE, 0),
            D3D12_SRV_DIMENSION::TEXTURE1DARRAY => {
                let it = union.Texture1DArray;
                (levels!(it), (it.FirstArraySlice, it.ArraySize), 0)
            }
            D3D12_SRV_DIMENSION::TEXTURE2D => (levels!(union.Texture2D), ONE, union.Texture2D.PlaneSlice),
            D3D12_SRV_DIMENSION::TEXTURE2DARRAY => {
                let it = union.Texture2DArray;
                (levels!(it), (it.FirstArraySlice, it.ArraySize), it.PlaneSlice)
            }
            D3D12_SRV_DIMENSION::TEXTURE2DMS => ((ONE, 0.0), ONE, by_format),
            D3D12_SRV_DIMENSION::TEXTURE2DMSARRAY => {
                let it = union.Texture2DMSArray;
                ((ONE, 0.0), (it.FirstArraySlice, it.ArraySize), by_format)
            }
            D3D12_SRV_DIMENSION::TEXTURE3D => (levels!(union.Texture3D), ONE, 0),
            D3D12_SRV_DIMENSION::TEXTURECUBE => (levels!(union.TextureCube), (0, 6), 0),
            D3D12_SRV_DIMENSION::TEXTURECUBEARRAY => {
                let it = union.TextureCubeArray;
                (levels!(it), (it.First2DArrayFace, it.NumCubes.saturating_mul(6)), 0)
            }
            _ => return None,
        }
    };
    let is_volume = desc.ViewDimension == D3D12_SRV_DIMENSION::TEXTURE3D;
    Some(Sampled { mips, slices, is_volume, plane, least })
}

fn target(desc: &D3D12_RENDER_TARGET_VIEW_DESC) -> Option<Reach> {
    let union = desc.Anonymous;
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    let (mip, slices, depth, plane) = unsafe {
        match desc.ViewDimension {
            D3D12_RTV_DIMENSION::TEXTURE1D => (union.Texture1D.MipSlice, ONE, None, 0),
            D3D12_RTV_DIMENSION::TEXTURE1DARRAY => {
                let it = union.Texture1DArray;
                (it.MipSlice, (it.FirstArraySlice, it.ArraySize), None, 0)
            }
            D3D12_RTV_DIMENSION::TEXTURE2D => (union.Texture2D.MipSlice, ONE, None, union.Texture2D.PlaneSlice),
            D3D12_RTV_DIMENSION::TEXTURE2DARRAY => {
                let it = union.Texture2DArray;
                (it.MipSlice, (it.FirstArraySlice, it.ArraySize), None, it.PlaneSlice)
            }
            D3D12_RTV_DIMENSION::TEXTURE2DMS => (0, ONE, None, 0),
            D3D12_RTV_DIMENSION::TEXTURE2DMSARRAY => {
                let it = union.Texture2DMSArray;
                (0, (it.FirstArraySlice, it.ArraySize), None, 0)
            }
            D3D12_RTV_DIMENSION::TEXTURE3D => {
                let it = union.Texture3D;
                (it.MipSlice, ONE, Some((it.FirstWSlice, it.WSize)), 0)
            }
            _ => return None,
        }
    };
    Some(Reach { format: desc.Format.0 as u32, mip, slices, depth, plane })
}

fn depth(desc: &D3D12_DEPTH_STENCIL_VIEW_DESC) -> Option<Reach> {
    let union = desc.Anonymous;
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    let (mip, slices) = unsafe {
        match desc.ViewDimension {
            D3D12_DSV_DIMENSION::TEXTURE1D => (union.Texture1D.MipSlice, ONE),
            D3D12_DSV_DIMENSION::TEXTURE1DARRAY => {
                let it = union.Texture1DArray;
                (it.MipSlice, (it.FirstArraySlice, it.ArraySize))
            }
            D3D12_DSV_DIMENSION::TEXTURE2D => (union.Texture2D.MipSlice, ONE),
            D3D12_DSV_DIMENSION::TEXTURE2DARRAY => {
                let it = union.Texture2DArray;
                (it.MipSlice, (it.FirstArraySlice, it.ArraySize))
            }
            D3D12_DSV_DIMENSION::TEXTURE2DMS => (0, ONE),
            D3D12_DSV_DIMENSION::TEXTURE2DMSARRAY => {
                let it = union.Texture2DMSArray;
                (0, (it.FirstArraySlice, it.ArraySize))
            }
            _ => return None,
        }
    };
    Some(Reach { format: desc.Format.0 as u32, mip, slices, depth: None, plane: 0 })
}

fn unordered(desc: &D3D12_UNORDERED_ACCESS_VIEW_DESC) -> Option<Reach> {
    let union = desc.Anonymous;
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    let (mip, slices, depth, plane) = unsafe {
        match desc.ViewDimension {
            D3D12_UAV_DIMENSION::TEXTURE1D => (union.Texture1D.MipSlice, ONE, None, 0),
            D3D12_UAV_DIMENSION::TEXTURE1DARRAY => {
                let it = union.Texture1DArray;
                (it.MipSlice, (it.FirstArraySlice, it.ArraySize), None, 0)
            }
            D3D12_UAV_DIMENSION::TEXTURE2D => (union.Texture2D.MipSlice, ONE, None, union.Texture2D.PlaneSlice),
            D3D12_UAV_DIMENSION::TEXTURE2DARRAY => {
                let it = union.Texture2DArray;
                (it.MipSlice, (it.FirstArraySlice, it.ArraySize), None, it.PlaneSlice)
            }
            D3D12_UAV_DIMENSION::TEXTURE2DMS => (0, ONE, None, 0),
            D3D12_UAV_DIMENSION::TEXTURE2DMSARRAY => {
                let it = union.Texture2DMSArray;
                (0, (it.FirstArraySlice, it.ArraySize), None, 0)
            }
            D3D12_UAV_DIMENSION::TEXTURE3D => {
                let it = union.Texture3D;
                (it.MipSlice, ONE, Some((it.FirstWSlice, it.WSize)), 0)
            }
            _ => return None,
        }
    };
    Some(Reach { format: desc.Format.0 as u32, mip, slices, depth, plane })
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_d3d12::types::{
        D3D12_BUFFER_UAV, D3D12_TEX2D_RTV, D3D12_TEX2DMS_ARRAY_DSV, D3D12_TEX3D_UAV, DXGI_FORMAT,
    };

    #[test]
    fn a_view_leads_where_its_description_says() {
        let mut colour = D3D12_RENDER_TARGET_VIEW_DESC {
            Format: DXGI_FORMAT::FORMAT_R8_UNORM,
            ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        colour.Anonymous.Texture2D = D3D12_TEX2D_RTV { MipSlice: 3, PlaneSlice: 1 };
        let of = Reach { format: DXGI_FORMAT::FORMAT_R8_UNORM.0 as u32, mip: 3, slices: ONE, depth: None, plane: 1 };
        assert_eq!(target(&colour), Some(of));
        let mut samples = D3D12_DEPTH_STENCIL_VIEW_DESC {
            ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2DMSARRAY,
            ..Default::default()
        };
        samples.Anonymous.Texture2DMSArray = D3D12_TEX2DMS_ARRAY_DSV { FirstArraySlice: 2, ArraySize: u32::MAX };
        let of = Reach { format: 0, mip: 0, slices: (2, u32::MAX), depth: None, plane: 0 };
        assert_eq!(depth(&samples), Some(of));
        let mut volume =
            D3D12_UNORDERED_ACCESS_VIEW_DESC { ViewDimension: D3D12_UAV_DIMENSION::TEXTURE3D, ..Default::default() };
        volume.Anonymous.Texture3D = D3D12_TEX3D_UAV { MipSlice: 1, FirstWSlice: 4, WSize: 2 };
        let of = Reach { format: 0, mip: 1, slices: ONE, depth: Some((4, 2)), plane: 0 };
        assert_eq!(unordered(&volume), Some(of));
        let mut buffer =
            D3D12_UNORDERED_ACCESS_VIEW_DESC { ViewDimension: D3D12_UAV_DIMENSION::BUFFER, ..Default::default() };
        buffer.Anonymous.Buffer = D3D12_BUFFER_UAV { NumElements: 9, ..Default::default() };
        assert_eq!(unordered(&buffer), None);
    }
}
