//! From view descriptions of textures to Vulkan's image views. Pure.
//!
//! Invariant: a view that is made from these never reaches outside of the texture, whatever the description says.

use ash::vk;
use reprise_d3d12::types::{
    D3D12_DEPTH_STENCIL_VIEW_DESC, D3D12_DSV_DIMENSION as Dsv, D3D12_RENDER_TARGET_VIEW_DESC,
    D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RTV_DIMENSION as Rtv, D3D12_SHADER_RESOURCE_VIEW_DESC,
    D3D12_SRV_DIMENSION as Srv, D3D12_UAV_DIMENSION as Uav, D3D12_UNORDERED_ACCESS_VIEW_DESC, DXGI_FORMAT,
};
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::format::Format;

use crate::{Error, Result};

/// What the views of a texture depend on.
#[derive(Clone, Copy, Debug)]
pub struct Texture {
    /// As created.
    pub dimension: Dimension,
    /// As created.
    pub format: &'static Format,
    /// Vulkan's format of the image.
    pub vk: vk::Format,
    /// Aspects of the image.
    pub aspects: vk::ImageAspectFlags,
    /// Size of level 0; depth 1 unless a volume.
    pub extent: vk::Extent3D,
    /// Mip levels.
    pub levels: u32,
    /// Array layers; 1 for volumes.
    pub layers: u32,
    /// More than one sample a texel.
    pub multisampled: bool,
}

/// The part `[first, first + count)` of `all`; a count that reaches outside, as -1 does, means the rest.
fn part(first: u32, count: u32, all: u32) -> Result<(u32, u32)> {
    if first >= all || count == 0 {
        return Err(Error::Invalid("view: the part is empty or begins outside of the texture"));
    }
    Ok((first, count.min(all - first)))
}

impl Texture {
    /// Slices of a mip level: 1 unless a volume.
    pub fn depth(&self, level: u32) -> u32 {
        (self.extent.depth >> level.min(31)).max(1)
    }

    /// The format of a view that asks for one, or for none.
    ///
    /// # Errors
    /// The number is no format.
    pub fn format(&self, asked: DXGI_FORMAT) -> Result<&'static Format> {
        if asked == DXGI_FORMAT::FORMAT_UNKNOWN || asked == self.format.dxgi {
            return Ok(self.format);
        }
        Format::get(asked).ok_or(Error::Invalid("view: unknown format"))
    }

    /// Vulkan's format and aspect of a view for shaders.
    fn shown(&self, format: &Format, plane: u32) -> Result<(vk::Format, vk::ImageAspectFlags)> {
        use vk::ImageAspectFlags as Aspect;
        if !self.aspects.intersects(Aspect::DEPTH | Aspect::STENCIL) {
            if format.vk == vk::Format::UNDEFINED {
                return Err(Error::Unsupported("view: Vulkan has no such format"));
            }
            if self.format.is_video() {
                let aspect = if plane == 0 { Aspect::PLANE_0 } else { Aspect::PLANE_1 };
                return if format.is_video() {
                    Err(Error::Invalid("view: it shows one plane"))
                } else {
                    Ok((format.vk, aspect))
                };
            }
            return Ok((if self.is_alpha() { self.vk } else { format.vk }, Aspect::COLOR));
        }
        // The image decides the format, the view the aspect.
        let stencil = format.aspects == Aspect::STENCIL || plane == 1 || !self.aspects.contains(Aspect::DEPTH);
        Ok((self.vk, if stencil { Aspect::STENCIL } else { Aspect::DEPTH }))
    }

    /// Whether Vulkan knows the image as one of alpha alone, which has no views of other formats.
    fn is_alpha(&self) -> bool {
        self.vk == vk::Format::A8_UNORM_KHR
    }

    fn whole(
        &self,
        usage: vk::ImageUsageFlags,
        asked: DXGI_FORMAT,
        plane: u32,
    ) -> Result<(ImageView, &'static Format)> {
        let format = self.format(asked)?;
        let (vk, aspects) = self.shown(format, plane)?;
        let view = ImageView {
            format: vk,
            kind: vk::ImageViewType::TYPE_2D,
            aspects,
            usage,
            first_level: 0,
            levels: self.levels,
            first_layer: 0,
            layers: 1,
            components: [0; 4],
            least: 0,
            sliced: false,
        };
        Ok((view, format))
    }

    fn is(&self, dimension: Dimension, multisampled: bool) -> Result<()> {
        if self.dimension == dimension && self.multisampled == multisampled {
            return Ok(());
        }
        Err(Error::Invalid("view: its dimension is not the texture's"))
    }

    /// A view to read; `None` shows the whole texture.
    ///
    /// # Errors
    /// The view begins outside of the texture, or has no Vulkan format.
    pub fn shader_resource(&self, desc: Option<&D3D12_SHADER_RESOURCE_VIEW_DESC>) -> Result<ImageView> {
        use vk::ImageViewType as Kind;
        const ALL: u32 = u32::MAX;
        let whole;
        let desc = match desc {
            Some(desc) if desc.ViewDimension != Srv::UNKNOWN => desc,
            other => {
                whole = self.whole_resource(other);
                &whole
            }
        };
        let union = &desc.Anonymous;
        // Dimension, then: kind, level, levels, layer, layers, plane, least level.
        // SAFETY: all members of the union are plain numbers; the dimension tells which one counts.
        let (dimension, kind, levels, layers, plane, least) = unsafe {
            match desc.ViewDimension {
                Srv::TEXTURE1D => {
                    let it = union.Texture1D;
                    (
                        Dimension::TEXTURE1D,
                        Kind::TYPE_1D,
                        (it.MostDetailedMip, it.MipLevels),
                        (0, 1),
                        0,
                        it.ResourceMinLODClamp,
                    )
                }
                Srv::TEXTURE1DARRAY => {
                    let it = union.Texture1DArray;
                    let layers = (it.FirstArraySlice, it.ArraySize);
                    (
                        Dimension::TEXTURE1D,
                        Kind::TYPE_1D_ARRAY,
                        (it.MostDetailedMip, it.MipLevels),
                        layers,
                        0,
                        it.ResourceMinLODClamp,
                    )
                }
                Srv::TEXTURE2D => {
                    let it = union.Texture2D;
                    let levels = (it.MostDetailedMip, it.MipLevels);
                    (Dimension::TEXTURE2D, Kind::TYPE_2D, levels, (0, 1), it.PlaneSlice, it.ResourceMinLODClamp)
                }
                Srv::TEXTURE2DARRAY => {
                    let it = union.Texture2DArray;
                    let (levels, layers) = ((it.MostDetailedMip, it.MipLevels), (it.FirstArraySlice, it.ArraySize));
                    (Dimension::TEXTURE2D, Kind::TYPE_2D_ARRAY, levels, layers, it.PlaneSlice, it.ResourceMinLODClamp)
                }
                Srv::TEXTURE2DMS => (Dimension::TEXTURE2D, Kind::TYPE_2D, (0, 1), (0, 1), 0, 0.0),
                Srv::TEXTURE2DMSARRAY => {
                    let it = union.Texture2DMSArray;
                    (Dimension::TEXTURE2D, Kind::TYPE_2D_ARRAY, (0, 1), (it.FirstArraySlice, it.ArraySize), 0, 0.0)
                }
                Srv::TEXTURE3D => {
                    let it = union.Texture3D;
                    (
                        Dimension::TEXTURE3D,
                        Kind::TYPE_3D,
                        (it.MostDetailedMip, it.MipLevels),
                        (0, 1),
                        0,
                        it.ResourceMinLODClamp,
                    )
                }
                Srv::TEXTURECUBE => {
                    let it = union.TextureCube;
                    (
                        Dimension::TEXTURE2D,
                        Kind::CUBE,
                        (it.MostDetailedMip, it.MipLevels),
                        (0, 6),
                        0,
                        it.ResourceMinLODClamp,
                    )
                }
                Srv::TEXTURECUBEARRAY => {
                    let it = union.TextureCubeArray;
                    let faces = if it.NumCubes == ALL { ALL } else { it.NumCubes.saturating_mul(6) };
                    let levels = (it.MostDetailedMip, it.MipLevels);
                    (
                        Dimension::TEXTURE2D,
                        Kind::CUBE_ARRAY,
                        levels,
                        (it.First2DArrayFace, faces),
                        0,
                        it.ResourceMinLODClamp,
                    )
                }
                _ => return Err(Error::Invalid("view: not a dimension of textures")),
            }
        };
        self.is(dimension, matches!(desc.ViewDimension, Srv::TEXTURE2DMS | Srv::TEXTURE2DMSARRAY))?;
        let (mut view, format) = self.whole(vk::ImageUsageFlags::SAMPLED, desc.Format, plane)?;
        view.kind = kind;
        (view.first_level, view.levels) = part(levels.0, levels.1, self.levels)?;
        (view.first_layer, view.layers) = part(layers.0, layers.1, self.layers)?;
        if matches!(kind, Kind::CUBE | Kind::CUBE_ARRAY) {
            view.layers -= view.layers % 6;
            if view.layers == 0 || self.extent.width != self.extent.height {
                return Err(Error::Invalid("view: a cube has six square faces"));
            }
        }
        // Levels have eight bits behind the point. Behind the last one there is nothing to read.
        const STEPS: f32 = 256.0;
        let last = (view.first_level + view.levels - 1) as f32;
        if (least * STEPS).round() > last * STEPS {
            view.levels = 0;
        } else if least > view.first_level as f32 {
            view.least = least.min(last).to_bits();
        }
        let own = if self.is_alpha() { vk::ComponentMapping::default() } else { format.components() };
        view.components = components(own, desc.Shader4ComponentMapping);
        Ok(view)
    }

    /// The description of a view of the whole, of `other`'s format and components if it is there.
    fn whole_resource(&self, other: Option<&D3D12_SHADER_RESOURCE_VIEW_DESC>) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
        let mut desc = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: other.map_or(self.format.dxgi, |other| other.Format),
            Shader4ComponentMapping: other.map_or(IDENTITY, |other| other.Shader4ComponentMapping),
            ..Default::default()
        };
        let union = &mut desc.Anonymous;
        // The levels and layers of all the members are at the same places as those of the largest.
        desc.ViewDimension = match (self.dimension, self.layers > 1, self.multisampled) {
            (Dimension::TEXTURE1D, false, _) => {
                union.Texture1D.MipLevels = u32::MAX;
                Srv::TEXTURE1D
            }
            (Dimension::TEXTURE1D, true, _) => {
                union.Texture1DArray.MipLevels = u32::MAX;
                union.Texture1DArray.ArraySize = u32::MAX;
                Srv::TEXTURE1DARRAY
            }
            (Dimension::TEXTURE3D, ..) => {
                union.Texture3D.MipLevels = u32::MAX;
                Srv::TEXTURE3D
            }
            (_, false, false) => {
                union.Texture2D.MipLevels = u32::MAX;
                Srv::TEXTURE2D
            }
            (_, true, false) => {
                union.Texture2DArray.MipLevels = u32::MAX;
                union.Texture2DArray.ArraySize = u32::MAX;
                Srv::TEXTURE2DARRAY
            }
            (_, false, true) => Srv::TEXTURE2DMS,
            (_, true, true) => {
                union.Texture2DMSArray.ArraySize = u32::MAX;
                Srv::TEXTURE2DMSARRAY
            }
        };
        desc
    }

    /// A view to write; `None` shows level 0.
    ///
    /// # Errors
    /// The view begins outside of the texture, or has no Vulkan format.
    pub fn unordered_access(&self, desc: Option<&D3D12_UNORDERED_ACCESS_VIEW_DESC>) -> Result<ImageView> {
        use vk::ImageViewType as Kind;
        let format = desc.map_or(DXGI_FORMAT::FORMAT_UNKNOWN, |desc| desc.Format);
        let union = desc.map(|desc| desc.Anonymous).unwrap_or_default();
        let dimension = desc.map_or(Uav::UNKNOWN, |desc| desc.ViewDimension);
        let array = self.layers > 1;
        // SAFETY: all members of the union are plain numbers; the dimension tells which one counts.
        let (of, kind, level, layers, plane) = unsafe {
            match dimension {
                Uav::UNKNOWN => match self.dimension {
                    Dimension::TEXTURE1D if array => (self.dimension, Kind::TYPE_1D_ARRAY, 0, (0, u32::MAX), 0),
                    Dimension::TEXTURE1D => (self.dimension, Kind::TYPE_1D, 0, (0, 1), 0),
                    Dimension::TEXTURE3D => (self.dimension, Kind::TYPE_3D, 0, (0, u32::MAX), 0),
                    _ if array => (self.dimension, Kind::TYPE_2D_ARRAY, 0, (0, u32::MAX), 0),
                    _ => (self.dimension, Kind::TYPE_2D, 0, (0, 1), 0),
                },
                Uav::TEXTURE1D => (Dimension::TEXTURE1D, Kind::TYPE_1D, union.Texture1D.MipSlice, (0, 1), 0),
                Uav::TEXTURE1DARRAY => {
                    let it = union.Texture1DArray;
                    (Dimension::TEXTURE1D, Kind::TYPE_1D_ARRAY, it.MipSlice, (it.FirstArraySlice, it.ArraySize), 0)
                }
                Uav::TEXTURE2D => {
                    let it = union.Texture2D;
                    (Dimension::TEXTURE2D, Kind::TYPE_2D, it.MipSlice, (0, 1), it.PlaneSlice)
                }
                Uav::TEXTURE2DARRAY => {
                    let it = union.Texture2DArray;
                    let layers = (it.FirstArraySlice, it.ArraySize);
                    (Dimension::TEXTURE2D, Kind::TYPE_2D_ARRAY, it.MipSlice, layers, it.PlaneSlice)
                }
                Uav::TEXTURE2DMS => (Dimension::TEXTURE2D, Kind::TYPE_2D, 0, (0, 1), 0),
                Uav::TEXTURE2DMSARRAY => {
                    let it = union.Texture2DMSArray;
                    (Dimension::TEXTURE2D, Kind::TYPE_2D_ARRAY, 0, (it.FirstArraySlice, it.ArraySize), 0)
                }
                Uav::TEXTURE3D => {
                    let it = union.Texture3D;
                    (Dimension::TEXTURE3D, Kind::TYPE_3D, it.MipSlice, (it.FirstWSlice, it.WSize), 0)
                }
                _ => return Err(Error::Invalid("view: not a dimension of textures")),
            }
        };
        let samples = matches!(dimension, Uav::TEXTURE2DMS | Uav::TEXTURE2DMSARRAY);
        self.is(of, if dimension == Uav::UNKNOWN { self.multisampled } else { samples })?;
        let (mut view, _) = self.whole(vk::ImageUsageFlags::STORAGE, format, plane)?;
        view.kind = kind;
        self.one_level(&mut view, level)?;
        self.slices(&mut view, level, layers)?;
        if kind == Kind::TYPE_3D {
            view.sliced = (view.first_layer, view.layers) != (0, self.depth(level));
            if !view.sliced {
                (view.first_layer, view.layers) = (0, 1);
            }
        }
        Ok(view)
    }

    fn one_level(&self, view: &mut ImageView, level: u32) -> Result<()> {
        (view.first_level, view.levels) = part(level, 1, self.levels)?;
        Ok(())
    }

    /// Layers, or slices of a volume's level.
    fn slices(&self, view: &mut ImageView, level: u32, layers: (u32, u32)) -> Result<()> {
        let all = if self.dimension == Dimension::TEXTURE3D { self.depth(level) } else { self.layers };
        (view.first_layer, view.layers) = part(layers.0, layers.1, all)?;
        Ok(())
    }

    /// A view to draw into; `None` shows level 0.
    ///
    /// # Errors
    /// The view begins outside of the texture, or has no Vulkan format.
    pub fn render_target(&self, desc: Option<&D3D12_RENDER_TARGET_VIEW_DESC>) -> Result<ImageView> {
        let format = desc.map_or(DXGI_FORMAT::FORMAT_UNKNOWN, |desc| desc.Format);
        let union = desc.map(|desc| desc.Anonymous).unwrap_or_default();
        let dimension = desc.map_or(Rtv::UNKNOWN, |desc| desc.ViewDimension);
        // SAFETY: all members of the union are plain numbers; the dimension tells which one counts.
        let (of, samples, level, layers, plane) = unsafe {
            match dimension {
                Rtv::UNKNOWN => (self.dimension, self.multisampled, 0, (0, u32::MAX), 0),
                Rtv::TEXTURE1D => (Dimension::TEXTURE1D, false, union.Texture1D.MipSlice, (0, 1), 0),
                Rtv::TEXTURE1DARRAY => {
                    let it = union.Texture1DArray;
                    (Dimension::TEXTURE1D, false, it.MipSlice, (it.FirstArraySlice, it.ArraySize), 0)
                }
                Rtv::TEXTURE2D => {
                    let it = union.Texture2D;
                    // Programs name this dimension for multisampled textures, too.
                    (Dimension::TEXTURE2D, self.multisampled, it.MipSlice, (0, 1), it.PlaneSlice)
                }
                Rtv::TEXTURE2DARRAY => {
                    let it = union.Texture2DArray;
                    let layers = (it.FirstArraySlice, it.ArraySize);
                    (Dimension::TEXTURE2D, self.multisampled, it.MipSlice, layers, it.PlaneSlice)
                }
                Rtv::TEXTURE2DMS => (Dimension::TEXTURE2D, self.multisampled, 0, (0, 1), 0),
                Rtv::TEXTURE2DMSARRAY => {
                    let it = union.Texture2DMSArray;
                    (Dimension::TEXTURE2D, self.multisampled, 0, (it.FirstArraySlice, it.ArraySize), 0)
                }
                Rtv::TEXTURE3D => {
                    let it = union.Texture3D;
                    (Dimension::TEXTURE3D, false, it.MipSlice, (it.FirstWSlice, it.WSize), 0)
                }
                Rtv::BUFFER => return Err(Error::Unsupported("render targets in buffers")),
                _ => return Err(Error::Invalid("view: not a dimension of render targets")),
            }
        };
        self.is(of, samples)?;
        let (mut view, _) = self.whole(vk::ImageUsageFlags::COLOR_ATTACHMENT, format, plane)?;
        self.one_level(&mut view, level)?;
        self.slices(&mut view, level, layers)?;
        view.kind = attachment(self.dimension);
        Ok(view)
    }

    /// A view for depth and stencil tests; `None` shows level 0.
    ///
    /// # Errors
    /// The view begins outside of the texture, or the texture has no depth.
    pub fn depth_stencil(&self, desc: Option<&D3D12_DEPTH_STENCIL_VIEW_DESC>) -> Result<ImageView> {
        let format = desc.map_or(DXGI_FORMAT::FORMAT_UNKNOWN, |desc| desc.Format);
        let union = desc.map(|desc| desc.Anonymous).unwrap_or_default();
        let dimension = desc.map_or(Dsv::UNKNOWN, |desc| desc.ViewDimension);
        // SAFETY: all members of the union are plain numbers; the dimension tells which one counts.
        let (of, level, layers) = unsafe {
            match dimension {
                Dsv::UNKNOWN => (self.dimension, 0, (0, u32::MAX)),
                Dsv::TEXTURE1D => (Dimension::TEXTURE1D, union.Texture1D.MipSlice, (0, 1)),
                Dsv::TEXTURE1DARRAY => {
                    let it = union.Texture1DArray;
                    (Dimension::TEXTURE1D, it.MipSlice, (it.FirstArraySlice, it.ArraySize))
                }
                Dsv::TEXTURE2D => (Dimension::TEXTURE2D, union.Texture2D.MipSlice, (0, 1)),
                Dsv::TEXTURE2DARRAY => {
                    let it = union.Texture2DArray;
                    (Dimension::TEXTURE2D, it.MipSlice, (it.FirstArraySlice, it.ArraySize))
                }
                Dsv::TEXTURE2DMS => (Dimension::TEXTURE2D, 0, (0, 1)),
                Dsv::TEXTURE2DMSARRAY => {
                    let it = union.Texture2DMSArray;
                    (Dimension::TEXTURE2D, 0, (it.FirstArraySlice, it.ArraySize))
                }
                _ => return Err(Error::Invalid("view: not a dimension of depth-stencil targets")),
            }
        };
        self.is(of, self.multisampled)?;
        let depth = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        if !self.aspects.intersects(depth) {
            return Err(Error::Invalid("view: the texture has neither depth nor stencil"));
        }
        let (mut view, _) = self.whole(vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, format, 0)?;
        view.aspects = self.aspects & depth;
        self.one_level(&mut view, level)?;
        self.slices(&mut view, level, layers)?;
        view.kind = attachment(self.dimension);
        Ok(view)
    }
}

/// Attachments are arrays, so that one layer and many are the same to the command list.
fn attachment(dimension: Dimension) -> vk::ImageViewType {
    if dimension == Dimension::TEXTURE1D { vk::ImageViewType::TYPE_1D_ARRAY } else { vk::ImageViewType::TYPE_2D_ARRAY }
}

/// `D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING`.
pub const IDENTITY: u32 = 0x1688;

/// The format's own components, seen through the program's mapping: three bits a component, 4 is zero, 5 is one.
fn components(own: vk::ComponentMapping, mapping: u32) -> [u8; 4] {
    let own = [own.r, own.g, own.b, own.a].map(|swizzle| swizzle.as_raw() as u8);
    let named = |at: usize| match own[at] {
        0 => vk::ComponentSwizzle::R.as_raw() as u8 + at as u8,
        other => other,
    };
    let all = [0, 1, 2, 3].map(|at| match mapping >> (3 * at) & 7 {
        from @ 0..=3 => named(from as usize),
        4 => vk::ComponentSwizzle::ZERO.as_raw() as u8,
        _ => vk::ComponentSwizzle::ONE.as_raw() as u8,
    });
    let identity = vk::ComponentSwizzle::R.as_raw() as u8;
    if all == [identity, identity + 1, identity + 2, identity + 3] { [0; 4] } else { all }
}

#[cfg(test)]
#[path = "texture_tests.rs"]
mod tests;
