//! What a view leads to.

use super::Invocation;
use super::feedback::Map;
use reprise_d3d12::types::{
    D3D12_CONSTANT_BUFFER_VIEW_DESC, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_SHADER_RESOURCE_VIEW_DESC,
    D3D12_SRV_DIMENSION, D3D12_UAV_DIMENSION, D3D12_UNORDERED_ACCESS_VIEW_DESC,
};
use reprise_picture::Layout;
use reprise_timeline::state::descriptors::{View, ViewKind};

/// What a view leads to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Region {
    /// Nothing: reads give 0, and writes do nothing.
    Null,
    /// Bytes of a buffer.
    Bytes { resource: u32, offset: u64, bytes: u64 },
    /// Elements of a buffer.
    Elements { resource: u32, offset: u64, count: u64, format: u32 },
    /// Texels.
    Texture(Texture),
    /// Sampler feedback.
    Feedback(Map),
}

/// A part of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Texture {
    pub(crate) resource: u32,
    pub(crate) format: u32,
    pub(crate) plane: u32,
    /// The first level, and how many.
    pub(crate) mips: (u32, u32),
    /// The first slice of an array, and how many.
    pub(crate) slices: (u32, u32),
    /// It is a volume: coordinates have a third part that is no slice of an array. Its first slice, and how many at most.
    pub(crate) depth: Option<(u32, u32)>,
    /// Columns, rows, slices of the texture's first level; samples.
    pub(crate) size: [u32; 3],
    pub(crate) samples: u32,
    /// For each component which of the texel's it is; 4 and 5 are 0 and 1.
    pub(crate) mapping: [u32; 4],
    /// The least level of detail that samplers take, counted from the texture's first level.
    pub(crate) least: f32,
}

const AS_THEY_ARE: [u32; 4] = [0, 1, 2, 3];
/// A raw view of a buffer: elements of 4 bytes.
const RAW: u32 = 1;

impl Region {
    /// # Errors
    /// In words: the view is not understood.
    pub(crate) fn of(invocation: &Invocation, view: &View) -> Result<Region, String> {
        match view.kind {
            ViewKind::Constants => match view.desc::<D3D12_CONSTANT_BUFFER_VIEW_DESC>() {
                Some(desc) if desc.BufferLocation != 0 => {
                    let place = invocation.located(desc.BufferLocation);
                    let (resource, offset) =
                        place.ok_or_else(|| format!("address {:#x} of a view is in no buffer", desc.BufferLocation))?;
                    Ok(Region::Bytes { resource, offset, bytes: desc.SizeInBytes.into() })
                }
                _ => Ok(Region::Null),
            },
            ViewKind::Shader | ViewKind::Unordered if view.resource == 0 => Ok(Region::Null),
            ViewKind::Shader => read(invocation, view),
            ViewKind::Unordered => written(invocation, view),
            ViewKind::Feedback => Ok(Map::of(invocation, view)?.map_or(Region::Null, Region::Feedback)),
            _ => Err("the descriptor is of another kind than the shader uses".to_owned()),
        }
    }
}

/// A view of a buffer.
fn buffer(view: &View, format: u32, first: u64, count: u64, stride: u32, flags: u32) -> Result<Region, String> {
    let resource = view.resource;
    let size = match (flags & RAW != 0, stride) {
        (true, _) => 4,
        (false, 0) => {
            let bytes = Layout::of(format, 0)?.bytes();
            let offset = first.saturating_mul(bytes.into());
            return Ok(Region::Elements { resource, offset, count, format });
        }
        (false, stride) => u64::from(stride),
    };
    Ok(Region::Bytes { resource, offset: first.saturating_mul(size), bytes: count.saturating_mul(size) })
}

/// The whole of a texture, as a view without a description has it.
fn whole(made: &D3D12_RESOURCE_DESC1, view: &View) -> Texture {
    let volume = made.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    let levels = u32::from(made.MipLevels);
    Texture {
        resource: view.resource,
        format: made.Format.0 as u32,
        plane: 0,
        mips: (0, if levels == 0 { u32::MAX } else { levels }),
        slices: (0, if volume { 1 } else { made.DepthOrArraySize.into() }),
        depth: volume.then_some((0, u32::MAX)),
        size: [
            u32::try_from(made.Width).unwrap_or(u32::MAX),
            made.Height,
            if volume { made.DepthOrArraySize.into() } else { 1 },
        ],
        samples: made.SampleDesc.Count,
        mapping: AS_THEY_ARE,
        least: 0.0,
    }
}

fn read(invocation: &Invocation, view: &View) -> Result<Region, String> {
    let made = invocation.made(view.resource)?;
    let all = whole(&made, view);
    let Some(desc) = view.desc::<D3D12_SHADER_RESOURCE_VIEW_DESC>() else {
        return match made.Dimension {
            D3D12_RESOURCE_DIMENSION::BUFFER => Err("a view of a buffer has no description".to_owned()),
            _ => Ok(Region::Texture(all)),
        };
    };
    let format = desc.Format.0 as u32;
    if desc.ViewDimension == D3D12_SRV_DIMENSION::BUFFER {
        // SAFETY: the dimension says so; all members are numbers.
        let it = unsafe { desc.Anonymous.Buffer };
        let (first, count) = (it.FirstElement, it.NumElements.into());
        return buffer(view, format, first, count, it.StructureByteStride, it.Flags.0);
    }
    let sampled = view.sampled().ok_or("a view of an acceleration structure is not supported yet")?;
    let (mips, slices, plane, least) = (sampled.mips, sampled.slices, sampled.plane, sampled.least);
    let mapping = desc.Shader4ComponentMapping;
    Ok(Region::Texture(Texture {
        format: if format == 0 { all.format } else { format },
        plane,
        mips,
        slices,
        mapping: [0, 3, 6, 9].map(|bit| mapping >> bit & 7),
        least,
        ..all
    }))
}

fn written(invocation: &Invocation, view: &View) -> Result<Region, String> {
    let made = invocation.made(view.resource)?;
    let all = whole(&made, view);
    let Some(desc) = view.desc::<D3D12_UNORDERED_ACCESS_VIEW_DESC>() else {
        return match made.Dimension {
            D3D12_RESOURCE_DIMENSION::BUFFER => Err("a view of a buffer has no description".to_owned()),
            _ => Ok(Region::Texture(Texture { mips: (0, 1), ..all })),
        };
    };
    if desc.ViewDimension == D3D12_UAV_DIMENSION::BUFFER {
        // SAFETY: the dimension says so; all members are numbers.
        let it = unsafe { desc.Anonymous.Buffer };
        let (first, count) = (it.FirstElement, it.NumElements.into());
        return buffer(view, desc.Format.0 as u32, first, count, it.StructureByteStride, it.Flags.0);
    }
    let reach = view.reach().ok_or("the dimension of a view is unknown")?;
    Ok(Region::Texture(Texture {
        format: if reach.format == 0 { all.format } else { reach.format },
        plane: reach.plane,
        mips: (reach.mip, 1),
        slices: if all.depth.is_some() { (0, 1) } else { reach.slices },
        depth: all.depth.map(|_| reach.depth.unwrap_or((0, u32::MAX))),
        ..all
    }))
}

impl Texture {
    /// The size of a level of the texture: columns, rows, slices of depth.
    pub(crate) fn size_of(&self, mip: u32) -> [u32; 3] {
        self.size.map(|size| size.checked_shr(mip).unwrap_or(0).max(1))
    }

    /// Slices of depth that the view has at a level.
    pub(crate) fn depth_of(&self, mip: u32) -> Option<(u32, u32)> {
        let (first, count) = self.depth?;
        Some((first, count.min(self.size_of(mip)[2].saturating_sub(first))))
    }

    /// How many levels and slices there are, where the view says all that follow.
    pub(crate) fn counts(&self, made: &D3D12_RESOURCE_DESC1) -> (u32, u32) {
        let all = match made.MipLevels {
            0 => 32 - self.size.iter().max().unwrap_or(&1).leading_zeros(),
            levels => levels.into(),
        };
        let slices = if self.depth.is_some() { 1 } else { u32::from(made.DepthOrArraySize) };
        (self.mips.1.min(all.saturating_sub(self.mips.0)), self.slices.1.min(slices.saturating_sub(self.slices.0)))
    }
}
