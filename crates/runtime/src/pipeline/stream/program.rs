//! The state that a generic program lists: each subobject is a structure of its own, without a stream around it.

use core::ffi::c_void;

use reprise_d3d12::types::{D3D12_STATE_SUBOBJECT, D3D12_STATE_SUBOBJECT_TYPE as Type};

use super::{Description, depth_stencil, depth_stencil1};
use crate::pipeline::views::Views;
use crate::{Error, Result};

impl Description<'_> {
    /// From the subobjects of a generic program, without its shaders.
    ///
    /// # Safety
    /// Each of them is null or a subobject, whose `pDesc` is null or leads to the structure of its type. Each pointer in that structure is null
    /// or leads to as many elements as the count beside it says, and stays so while the description is used, which copies pointers only.
    ///
    /// # Errors
    /// When one is missing, is given twice, or is none that a program lists.
    pub unsafe fn from_program(parts: &[*const D3D12_STATE_SUBOBJECT]) -> Result<Description<'static>> {
        let mut all = Description::default();
        let mut seen = 0u64;
        for part in parts {
            // SAFETY: the caller promises null or a subobject.
            let part = unsafe { part.as_ref() }.filter(|part| !part.pDesc.is_null());
            let part = part.ok_or(Error::Invalid("a generic program lists a subobject that is nowhere"))?;
            let kind = match part.Type {
                // Three forms of one thing.
                Type::DEPTH_STENCIL1 | Type::DEPTH_STENCIL2 => Type::DEPTH_STENCIL,
                kind => kind,
            };
            let bit = u32::try_from(kind.0).ok().and_then(|kind| 1u64.checked_shl(kind)).unwrap_or(0);
            if seen & bit != 0 {
                return Err(Error::Invalid("a generic program lists a kind of subobject twice"));
            }
            seen |= bit;
            // SAFETY: the description is not null, and the caller promises that it is the structure of the subobject's type.
            unsafe { all.set_part(part.Type, part.pDesc)? };
        }
        Ok(all)
    }

    /// # Safety
    /// The description is of this kind.
    unsafe fn set_part(&mut self, kind: Type, desc: *const c_void) -> Result<()> {
        // SAFETY: the caller promises that the kind says what the description is: structures of numbers and pointers.
        unsafe {
            match kind {
                Type::STREAM_OUTPUT => self.stream_output = at(desc),
                Type::BLEND => self.blend = at(desc),
                Type::SAMPLE_MASK => self.sample_mask = at(desc),
                Type::RASTERIZER => self.rasterizer = at(desc),
                Type::DEPTH_STENCIL => self.depth_stencil = depth_stencil(&at(desc)),
                Type::DEPTH_STENCIL1 => self.depth_stencil = depth_stencil1(&at(desc)),
                Type::DEPTH_STENCIL2 => self.depth_stencil = at(desc),
                Type::INPUT_LAYOUT => self.input_layout = at(desc),
                Type::IB_STRIP_CUT_VALUE => self.strip_cut = at(desc),
                Type::PRIMITIVE_TOPOLOGY => self.topology = at(desc),
                Type::RENDER_TARGET_FORMATS => self.targets = at(desc),
                Type::DEPTH_STENCIL_FORMAT => self.depth_format = at(desc),
                Type::SAMPLE_DESC => self.samples = at(desc),
                Type::FLAGS => self.flags = at(desc),
                Type::VIEW_INSTANCING => self.views = Views::read(&at(desc))?,
                _ => return Err(Error::Invalid("a generic program lists a subobject that programs do not have")),
            }
        }
        Ok(())
    }
}

/// The structure that a pointer leads to.
///
/// # Safety
/// There is a `T`.
unsafe fn at<T: Copy>(desc: *const c_void) -> T {
    // SAFETY: the caller promises it.
    unsafe { desc.cast::<T>().read() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use reprise_d3d12::types::{
        D3D12_DEPTH_STENCIL_DESC, D3D12_DEPTH_STENCIL_DESC2, D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_RASTERIZER_DESC2,
        D3D12_RT_FORMAT_ARRAY, DXGI_FORMAT,
    };

    use super::*;

    fn part<T>(kind: Type, desc: &T) -> D3D12_STATE_SUBOBJECT {
        D3D12_STATE_SUBOBJECT { Type: kind, pDesc: (&raw const *desc).cast() }
    }

    fn read(parts: &[D3D12_STATE_SUBOBJECT]) -> Result<Description<'static>> {
        let all: Vec<_> = parts.iter().map(|part| &raw const *part).collect();
        // SAFETY: each part's description has its kind, and lives in the test.
        unsafe { Description::from_program(&all) }
    }

    #[test]
    fn what_is_listed_counts_and_the_rest_has_the_defaults_of_the_specification() {
        let (topology, mask) = (D3D12_PRIMITIVE_TOPOLOGY_TYPE::LINE, 5u32);
        let mut targets = D3D12_RT_FORMAT_ARRAY { NumRenderTargets: 1, ..Default::default() };
        targets.RTFormats[0] = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
        let raster = D3D12_RASTERIZER_DESC2 { DepthBias: 1.5, ..Default::default() };
        let all = read(&[
            part(Type::PRIMITIVE_TOPOLOGY, &topology),
            part(Type::SAMPLE_MASK, &mask),
            part(Type::RENDER_TARGET_FORMATS, &targets),
            part(Type::RASTERIZER, &raster),
        ])
        .unwrap();
        assert_eq!((all.topology, all.sample_mask, all.targets.NumRenderTargets), (topology, 5, 1));
        assert_eq!(all.rasterizer.DepthBias, 1.5);
        // "Defaults for subobjects missing from a generic program": tested and written, less, one sample, no views.
        let depth = &all.depth_stencil;
        assert_eq!((depth.DepthEnable, depth.DepthWriteMask.0, depth.DepthFunc.0, depth.StencilEnable), (1, 1, 2, 0));
        assert_eq!((all.samples.Count, all.blend.RenderTarget[0].RenderTargetWriteMask, all.flags), (1, 15, 0));
        assert!(all.stages.is_empty() && all.views == Views::default());
    }

    #[test]
    fn what_is_nowhere_listed_twice_or_of_no_program_is_refused() {
        let (topology, root) = (D3D12_PRIMITIVE_TOPOLOGY_TYPE::LINE, core::ptr::null::<c_void>());
        let (old, new) = (D3D12_DEPTH_STENCIL_DESC::default(), D3D12_DEPTH_STENCIL_DESC2::default());
        let line = || part(Type::PRIMITIVE_TOPOLOGY, &topology);
        assert!(read(&[line()]).is_ok());
        assert!(read(&[line(), line()]).is_err());
        assert!(read(&[part(Type::DEPTH_STENCIL, &old), part(Type::DEPTH_STENCIL2, &new)]).is_err(), "one thing");
        assert!(read(&[part(Type::GLOBAL_ROOT_SIGNATURE, &root)]).is_err(), "associated with exports, not listed");
        assert!(read(&[D3D12_STATE_SUBOBJECT { Type: Type::BLEND, pDesc: core::ptr::null() }]).is_err());
        // SAFETY: null is refused.
        assert!(unsafe { Description::from_program(&[core::ptr::null()]) }.is_err());
    }
}
