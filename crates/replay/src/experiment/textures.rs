//! Views of textures that lead to one texel.
//!
//! Where a texture has a last level of one texel, the view shows that: its values are means of the texture, so that shaders go the ways that they
//! went. Others, as targets that are read, are replaced by textures of replay's own, of the same format and kind, whose texels are 0.

use std::collections::HashMap;

use reprise_d3d12::types::{
    D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS as Flags,
    D3D12_RESOURCE_STATES as State, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SRV_DIMENSION, D3D12_TEXTURE_LAYOUT,
};
use reprise_d3d12::{description, format, method};

use crate::runtime::Runtime;
use crate::runtime::replay_objects::committed;

/// What textures of replay's own have in common: format, dimension, slices, samples and their quality, flags.
type Kind = (u32, u32, u16, u32, u32, u32);

/// Textures of one texel. Pointers are references held.
#[derive(Default)]
pub(super) struct Texels(HashMap<Kind, u64>);

impl Texels {
    /// Writes a view of one texel to a descriptor, in the place of one of this texture. `false`: it is no texture.
    ///
    /// # Errors
    /// There is none of this kind.
    ///
    /// # Safety
    /// The device and the texture are alive, and no pending work reads the descriptor.
    pub(super) unsafe fn write(
        &mut self,
        runtime: &Runtime,
        device: u64,
        (texture, desc): (u64, &D3D12_RESOURCE_DESC),
        view: Option<D3D12_SHADER_RESOURCE_VIEW_DESC>,
        handle: u64,
    ) -> Result<bool, String> {
        if desc.Dimension == D3D12_RESOURCE_DIMENSION::BUFFER || desc.Dimension.0 == 0 {
            return Ok(false);
        }
        let (texture, view) = match last_level(desc, view) {
            Some(view) => (texture, Some(view)),
            None => (self.texel(runtime, device, desc)?, view.map(first_level)),
        };
        let at = view.as_ref().map_or(0, |view| core::ptr::from_ref(view) as u64);
        // SAFETY: device and texture are alive, says the caller; the description is ours, the descriptor is read by nobody.
        unsafe { runtime.call(device, method("ID3D12Device", "CreateShaderResourceView"), &[texture, at, handle]) };
        Ok(true)
    }

    fn texel(&mut self, runtime: &Runtime, device: u64, desc: &D3D12_RESOURCE_DESC) -> Result<u64, String> {
        let flags = Flags(desc.Flags.0 & (Flags::ALLOW_RENDER_TARGET.0 | Flags::ALLOW_DEPTH_STENCIL.0));
        let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
        let slices = if volume { 1 } else { desc.DepthOrArraySize };
        let samples = desc.SampleDesc;
        let kind = (desc.Format.0 as u32, desc.Dimension.0 as u32, slices, samples.Count, samples.Quality, flags.0);
        if let Some(known) = self.0.get(&kind) {
            return Ok(*known);
        }
        let block = format::of(desc.Format.0 as u32).ok_or("textures of a format that is not known")?;
        if block.planes.len() > 1 && flags.0 & Flags::ALLOW_DEPTH_STENCIL.0 == 0 {
            return Err("textures of several planes".into());
        }
        let flat = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE1D;
        let (width, height) =
            (u64::from(block.block_width.max(1)), if flat { 1 } else { u32::from(block.block_height.max(1)) });
        let own = D3D12_RESOURCE_DESC {
            Alignment: 0,
            Width: width,
            Height: height,
            DepthOrArraySize: slices,
            MipLevels: 1,
            Layout: D3D12_TEXTURE_LAYOUT::LAYOUT_UNKNOWN,
            Flags: flags,
            ..*desc
        };
        let state = State(State::PIXEL_SHADER_RESOURCE.0 | State::NON_PIXEL_SHADER_RESOURCE.0);
        let made = committed(runtime, device, D3D12_HEAP_TYPE::DEFAULT, &own, state)?.into_pointer();
        self.0.insert(kind, made);
        Ok(made)
    }
}

/// The view of the last level alone, where that is one texel, or one block of texels.
fn last_level(
    desc: &D3D12_RESOURCE_DESC,
    view: Option<D3D12_SHADER_RESOURCE_VIEW_DESC>,
) -> Option<D3D12_SHADER_RESOURCE_VIEW_DESC> {
    let last = description::levels(&description::newer(desc)).checked_sub(1).filter(|last| *last > 0)?;
    let height = if desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE1D { 1 } else { u64::from(desc.Height) };
    let least = |size: u64| size.checked_shr(last).unwrap_or(0) <= 1;
    (least(desc.Width) && least(height)).then_some(())?;
    with_level(view?, last)
}

/// The view of the first level alone.
fn first_level(view: D3D12_SHADER_RESOURCE_VIEW_DESC) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    with_level(view, 0).unwrap_or(view)
}

/// The view of one level; nothing for views that have no levels.
fn with_level(mut view: D3D12_SHADER_RESOURCE_VIEW_DESC, level: u32) -> Option<D3D12_SHADER_RESOURCE_VIEW_DESC> {
    let union = &mut view.Anonymous;
    macro_rules! one {
        ($member:ident) => {{
            let mut part = union.$member;
            (part.MostDetailedMip, part.MipLevels, part.ResourceMinLODClamp) = (level, 1, 0.0);
            union.$member = part;
        }};
    }
    // SAFETY: the dimension says which member of the union is in use; all of them are numbers.
    unsafe {
        match view.ViewDimension {
            D3D12_SRV_DIMENSION::TEXTURE1D => one!(Texture1D),
            D3D12_SRV_DIMENSION::TEXTURE1DARRAY => one!(Texture1DArray),
            D3D12_SRV_DIMENSION::TEXTURE2D => one!(Texture2D),
            D3D12_SRV_DIMENSION::TEXTURE2DARRAY => one!(Texture2DArray),
            D3D12_SRV_DIMENSION::TEXTURE3D => one!(Texture3D),
            D3D12_SRV_DIMENSION::TEXTURECUBE => one!(TextureCube),
            D3D12_SRV_DIMENSION::TEXTURECUBEARRAY => one!(TextureCubeArray),
            _ => return None,
        }
    }
    Some(view)
}
