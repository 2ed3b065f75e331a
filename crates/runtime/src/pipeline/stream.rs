//! What programs describe: the two old structures and streams of subobjects, as one [`Description`].

use core::ffi::c_void;

use reprise_d3d12::types::*;
use reprise_dxbc::registers::registers;
use reprise_shader::Stage;

use super::Declared;
use super::views::Views;
use crate::{Error, Result};

/// `D3D12_PIPELINE_STATE_FLAG_DISABLE_CACHED_BLOB`.
pub(super) const DISABLE_CACHED_BLOB: u32 = 16;
/// Most bytes of a shader, root signature or cached blob: beyond is a program's mistake.
const BLOB_LIMIT: u64 = 1 << 30;

/// A pipeline state as described, in the newest forms of its parts.
pub struct Description<'a> {
    /// The program's root signature, or null.
    pub root: *mut c_void,
    /// A serialised root signature, in its place.
    pub serialised_root: Option<&'a [u8]>,
    /// Shaders, one per stage.
    pub stages: Vec<(Stage, &'a [u8])>,
    /// Stream output.
    pub stream_output: D3D12_STREAM_OUTPUT_DESC,
    /// Blending.
    pub blend: D3D12_BLEND_DESC,
    /// Samples that are written.
    pub sample_mask: u32,
    /// Rasteriser.
    pub rasterizer: D3D12_RASTERIZER_DESC2,
    /// Depth and stencil.
    pub depth_stencil: D3D12_DEPTH_STENCIL_DESC2,
    /// Vertex attributes.
    pub input_layout: D3D12_INPUT_LAYOUT_DESC,
    /// Which index ends a strip.
    pub strip_cut: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE,
    /// Kind of primitives.
    pub topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE,
    /// Formats of the render targets.
    pub targets: D3D12_RT_FORMAT_ARRAY,
    /// Format of depth and stencil.
    pub depth_format: DXGI_FORMAT,
    /// Samples of the targets.
    pub samples: DXGI_SAMPLE_DESC,
    /// `D3D12_PIPELINE_STATE_FLAGS`.
    pub flags: u32,
    /// A blob that an earlier pipeline state gave.
    pub cached: Option<&'a [u8]>,
    /// Views that one draw is made for.
    pub views: Views,
    /// The address through which its mesh shader stores what it gives ([`super::meshlets`]).
    pub meshlets: Option<u64>,
}

/// What streams do not name has the API's defaults.
impl Default for Description<'_> {
    fn default() -> Self {
        let target = D3D12_RENDER_TARGET_BLEND_DESC {
            SrcBlend: D3D12_BLEND(2),
            DestBlend: D3D12_BLEND(1),
            BlendOp: D3D12_BLEND_OP(1),
            SrcBlendAlpha: D3D12_BLEND(2),
            DestBlendAlpha: D3D12_BLEND(1),
            BlendOpAlpha: D3D12_BLEND_OP(1),
            LogicOp: D3D12_LOGIC_OP(4),
            RenderTargetWriteMask: 0xf,
            ..Default::default()
        };
        let face = D3D12_DEPTH_STENCILOP_DESC1 {
            StencilFailOp: D3D12_STENCIL_OP(1),
            StencilDepthFailOp: D3D12_STENCIL_OP(1),
            StencilPassOp: D3D12_STENCIL_OP(1),
            StencilFunc: D3D12_COMPARISON_FUNC(8),
            StencilReadMask: 0xff,
            StencilWriteMask: 0xff,
        };
        Description {
            root: core::ptr::null_mut(),
            serialised_root: None,
            stages: Vec::new(),
            stream_output: D3D12_STREAM_OUTPUT_DESC::default(),
            blend: D3D12_BLEND_DESC { RenderTarget: [target; 8], ..Default::default() },
            sample_mask: u32::MAX,
            rasterizer: D3D12_RASTERIZER_DESC2 {
                FillMode: D3D12_FILL_MODE(3),
                CullMode: D3D12_CULL_MODE(3),
                DepthClipEnable: 1,
                ..Default::default()
            },
            depth_stencil: D3D12_DEPTH_STENCIL_DESC2 {
                DepthEnable: 1,
                DepthWriteMask: D3D12_DEPTH_WRITE_MASK(1),
                DepthFunc: D3D12_COMPARISON_FUNC(2),
                FrontFace: face,
                BackFace: face,
                ..Default::default()
            },
            input_layout: D3D12_INPUT_LAYOUT_DESC::default(),
            strip_cut: D3D12_INDEX_BUFFER_STRIP_CUT_VALUE(0),
            topology: D3D12_PRIMITIVE_TOPOLOGY_TYPE(0),
            targets: D3D12_RT_FORMAT_ARRAY::default(),
            depth_format: DXGI_FORMAT(0),
            samples: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            flags: 0,
            cached: None,
            views: Views::default(),
            meshlets: None,
        }
    }
}

/// Bytes that a program points to.
///
/// # Safety
/// `data` is null or readable for `size` bytes for `'a`.
unsafe fn blob<'a>(data: *const c_void, size: u64) -> Result<Option<&'a [u8]>> {
    if data.is_null() || size == 0 {
        return Ok(None);
    }
    if size > BLOB_LIMIT {
        return Err(Error::Invalid("a shader or cached blob of more than 1 GiB"));
    }
    // SAFETY: the caller promises: `data` is null or readable for `size` bytes for `'a`.
    Ok(Some(unsafe { core::slice::from_raw_parts(data.cast(), size as usize) }))
}

impl<'a> Description<'a> {
    /// The shader of a stage.
    pub fn shader(&self, stage: Stage) -> Option<&'a [u8]> {
        self.stages.iter().find(|(other, _)| *other == stage).map(|(_, blob)| *blob)
    }

    /// The registers that its shaders are made for.
    pub(super) fn registers(&self) -> Vec<Declared> {
        let shaders = self.stages.iter();
        shaders
            .flat_map(|(stage, blob)| {
                let shader = reprise_shader::checks::hash(blob);
                registers(blob).into_iter().map(move |registers| Declared { stage: *stage, shader, registers })
            })
            .collect()
    }

    /// # Safety
    /// The bytes of the shader live for `'a`.
    unsafe fn set_shader(&mut self, stage: Stage, code: &D3D12_SHADER_BYTECODE) -> Result<()> {
        // SAFETY: the caller promises: the bytes of the shader live for `'a`.
        let blob = unsafe { blob(code.pShaderBytecode, code.BytecodeLength) }?;
        self.stages.retain(|(other, _)| *other != stage);
        self.stages.extend(blob.map(|blob| (stage, blob)));
        Ok(())
    }

    /// # Safety
    /// The bytes of the blob live for `'a`.
    unsafe fn cache(&mut self, cached: &D3D12_CACHED_PIPELINE_STATE) -> Result<()> {
        // SAFETY: the caller promises: the bytes of the blob live for `'a`.
        self.cached = unsafe { blob(cached.pCachedBlob, cached.CachedBlobSizeInBytes) }?;
        Ok(())
    }

    /// From `D3D12_GRAPHICS_PIPELINE_STATE_DESC`.
    ///
    /// # Safety
    /// What the structure points to is valid for `'a`.
    ///
    /// # Errors
    /// When a size is impossible.
    pub unsafe fn from_graphics(desc: &D3D12_GRAPHICS_PIPELINE_STATE_DESC) -> Result<Description<'a>> {
        let mut all = Description {
            root: desc.pRootSignature,
            stream_output: desc.StreamOutput,
            blend: desc.BlendState,
            sample_mask: desc.SampleMask,
            rasterizer: rasterizer(&desc.RasterizerState),
            depth_stencil: depth_stencil(&desc.DepthStencilState),
            input_layout: desc.InputLayout,
            strip_cut: desc.IBStripCutValue,
            topology: desc.PrimitiveTopologyType,
            targets: D3D12_RT_FORMAT_ARRAY { RTFormats: desc.RTVFormats, NumRenderTargets: desc.NumRenderTargets },
            depth_format: desc.DSVFormat,
            samples: desc.SampleDesc,
            flags: desc.Flags.0,
            ..Description::default()
        };
        let stages = [
            (Stage::Vertex, &desc.VS),
            (Stage::Hull, &desc.HS),
            (Stage::Domain, &desc.DS),
            (Stage::Geometry, &desc.GS),
            (Stage::Pixel, &desc.PS),
        ];
        for (stage, code) in stages {
            // SAFETY: the caller promises: what the structure points to is valid for `'a`.
            unsafe { all.set_shader(stage, code) }?;
        }
        // SAFETY: the caller promises: what the structure points to is valid for `'a`.
        unsafe { all.cache(&desc.CachedPSO) }?;
        Ok(all)
    }

    /// From `D3D12_COMPUTE_PIPELINE_STATE_DESC`.
    ///
    /// # Safety
    /// What the structure points to is valid for `'a`.
    ///
    /// # Errors
    /// When a size is impossible, or there is no shader.
    pub unsafe fn from_compute(desc: &D3D12_COMPUTE_PIPELINE_STATE_DESC) -> Result<Description<'a>> {
        let mut all = Description { root: desc.pRootSignature, flags: desc.Flags.0, ..Description::default() };
        // SAFETY: the caller promises: what the structure points to is valid for `'a`.
        unsafe {
            all.set_shader(Stage::Compute, &desc.CS)?;
            all.cache(&desc.CachedPSO)?;
        }
        match all.stages.is_empty() {
            true => Err(Error::Invalid("a compute pipeline state without a shader")),
            false => Ok(all),
        }
    }

    /// From a stream of subobjects.
    ///
    /// # Safety
    /// The stream is readable for its size, and what it points to is valid for `'a`.
    ///
    /// # Errors
    /// When a subobject is not known, cut off, or given twice.
    pub unsafe fn from_stream(desc: &D3D12_PIPELINE_STATE_STREAM_DESC) -> Result<Description<'a>> {
        // SAFETY: the caller promises: the stream is readable for its size, and what it points to is valid for `'a`.
        let bytes = unsafe { blob(desc.pPipelineStateSubobjectStream, desc.SizeInBytes) }?;
        let bytes = bytes.ok_or(Error::Invalid("an empty stream of subobjects"))?;
        // SAFETY: the caller promises: the stream is readable for its size, and what it points to is valid for `'a`.
        unsafe { parse(bytes) }
    }
}

fn rasterizer(old: &D3D12_RASTERIZER_DESC) -> D3D12_RASTERIZER_DESC2 {
    rasterizer1(&D3D12_RASTERIZER_DESC1 {
        FillMode: old.FillMode,
        CullMode: old.CullMode,
        FrontCounterClockwise: old.FrontCounterClockwise,
        DepthBias: old.DepthBias as f32,
        DepthBiasClamp: old.DepthBiasClamp,
        SlopeScaledDepthBias: old.SlopeScaledDepthBias,
        DepthClipEnable: old.DepthClipEnable,
        MultisampleEnable: old.MultisampleEnable,
        AntialiasedLineEnable: old.AntialiasedLineEnable,
        ForcedSampleCount: old.ForcedSampleCount,
        ConservativeRaster: old.ConservativeRaster,
    })
}

fn rasterizer1(old: &D3D12_RASTERIZER_DESC1) -> D3D12_RASTERIZER_DESC2 {
    // `D3D12_LINE_RASTERIZATION_MODE`: aliased 0, smooth 1, quadrilaterals wide 2 or narrow 3.
    let lines = match (old.MultisampleEnable != 0, old.AntialiasedLineEnable != 0) {
        (true, _) => 2,
        (false, true) => 1,
        (false, false) => 0,
    };
    D3D12_RASTERIZER_DESC2 {
        FillMode: old.FillMode,
        CullMode: old.CullMode,
        FrontCounterClockwise: old.FrontCounterClockwise,
        DepthBias: old.DepthBias,
        DepthBiasClamp: old.DepthBiasClamp,
        SlopeScaledDepthBias: old.SlopeScaledDepthBias,
        DepthClipEnable: old.DepthClipEnable,
        LineRasterizationMode: D3D12_LINE_RASTERIZATION_MODE(lines),
        ForcedSampleCount: old.ForcedSampleCount,
        ConservativeRaster: old.ConservativeRaster,
    }
}

fn depth_stencil(old: &D3D12_DEPTH_STENCIL_DESC) -> D3D12_DEPTH_STENCIL_DESC2 {
    depth_stencil1(&D3D12_DEPTH_STENCIL_DESC1 {
        DepthEnable: old.DepthEnable,
        DepthWriteMask: old.DepthWriteMask,
        DepthFunc: old.DepthFunc,
        StencilEnable: old.StencilEnable,
        StencilReadMask: old.StencilReadMask,
        StencilWriteMask: old.StencilWriteMask,
        FrontFace: old.FrontFace,
        BackFace: old.BackFace,
        DepthBoundsTestEnable: 0,
    })
}

fn depth_stencil1(old: &D3D12_DEPTH_STENCIL_DESC1) -> D3D12_DEPTH_STENCIL_DESC2 {
    let face = |face: &D3D12_DEPTH_STENCILOP_DESC| D3D12_DEPTH_STENCILOP_DESC1 {
        StencilFailOp: face.StencilFailOp,
        StencilDepthFailOp: face.StencilDepthFailOp,
        StencilPassOp: face.StencilPassOp,
        StencilFunc: face.StencilFunc,
        StencilReadMask: old.StencilReadMask,
        StencilWriteMask: old.StencilWriteMask,
    };
    D3D12_DEPTH_STENCIL_DESC2 {
        DepthEnable: old.DepthEnable,
        DepthWriteMask: old.DepthWriteMask,
        DepthFunc: old.DepthFunc,
        StencilEnable: old.StencilEnable,
        FrontFace: face(&old.FrontFace),
        BackFace: face(&old.BackFace),
        DepthBoundsTestEnable: old.DepthBoundsTestEnable,
    }
}

/// Reads subobjects one after the other: each is aligned like a pointer, its kind comes first, then its content at the
/// content's own alignment.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// The content of the subobject whose kind was just read.
    ///
    /// # Safety
    /// Any bits are a valid `T`, as they are for the API's structures and for numbers.
    unsafe fn content<T: Copy>(&mut self) -> Result<T> {
        let at = self.at.next_multiple_of(align_of::<T>());
        let bytes = self.bytes.get(at..).and_then(|rest| rest.get(..size_of::<T>()));
        let bytes = bytes.ok_or(Error::Invalid("a subobject of the stream is cut off"))?;
        self.at = at + size_of::<T>();
        // SAFETY: the caller passes the bytes of a `T`; no alignment is assumed.
        Ok(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }

    /// The kind of the next subobject; `None` at the end.
    fn kind(&mut self) -> Result<Option<u32>> {
        self.at = self.at.next_multiple_of(align_of::<*const c_void>());
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        // SAFETY: a number.
        unsafe { self.content() }.map(Some)
    }
}

/// # Safety
/// As [`Description::from_stream`].
unsafe fn parse<'a>(bytes: &[u8]) -> Result<Description<'a>> {
    let mut all = Description::default();
    let mut cursor = Cursor { bytes, at: 0 };
    let mut seen = 0u64;
    while let Some(kind) = cursor.kind()? {
        let bit = 1u64.checked_shl(kind).unwrap_or(0);
        if seen & bit != 0 {
            return Err(Error::Invalid("a kind of subobject is twice in the stream"));
        }
        seen |= bit;
        // SAFETY: each kind has this structure, made of numbers and pointers, which the caller promises to be valid.
        unsafe {
            match kind {
                0 => all.root = cursor.content()?,
                1 => all.set_shader(Stage::Vertex, &cursor.content()?)?,
                2 => all.set_shader(Stage::Pixel, &cursor.content()?)?,
                3 => all.set_shader(Stage::Domain, &cursor.content()?)?,
                4 => all.set_shader(Stage::Hull, &cursor.content()?)?,
                5 => all.set_shader(Stage::Geometry, &cursor.content()?)?,
                6 => all.set_shader(Stage::Compute, &cursor.content()?)?,
                7 => all.stream_output = cursor.content()?,
                8 => all.blend = cursor.content()?,
                9 => all.sample_mask = cursor.content()?,
                10 => all.rasterizer = rasterizer(&cursor.content()?),
                11 => all.depth_stencil = depth_stencil(&cursor.content()?),
                12 => all.input_layout = cursor.content()?,
                13 => all.strip_cut = cursor.content()?,
                14 => all.topology = cursor.content()?,
                15 => all.targets = cursor.content()?,
                16 => all.depth_format = cursor.content()?,
                17 => all.samples = cursor.content()?,
                18 => drop(cursor.content::<u32>()?),
                19 => all.cache(&cursor.content()?)?,
                20 => all.flags = cursor.content()?,
                21 => all.depth_stencil = depth_stencil1(&cursor.content()?),
                22 => all.views = Views::read(&cursor.content()?)?,
                24 => all.set_shader(Stage::Amplification, &cursor.content()?)?,
                25 => all.set_shader(Stage::Mesh, &cursor.content()?)?,
                26 => all.depth_stencil = cursor.content()?,
                27 => all.rasterizer = rasterizer1(&cursor.content()?),
                28 => all.rasterizer = cursor.content()?,
                29 => {
                    let serialised: D3D12_SERIALIZED_ROOT_SIGNATURE_DESC = cursor.content()?;
                    all.serialised_root = blob(serialised.pSerializedBlob, serialised.SerializedBlobSizeInBytes)?;
                }
                _ => return Err(Error::Invalid("a subobject of the stream is none that is known")),
            }
        }
    }
    if all.stages.is_empty() {
        return Err(Error::Invalid("a pipeline state stream without a shader"));
    }
    let has = |wanted| all.stages.iter().any(|(stage, _)| *stage == wanted);
    if has(Stage::Compute) {
        if has(Stage::Vertex) || has(Stage::Mesh) {
            return Err(Error::Invalid("a pipeline state stream that begins both a compute and a graphics pipeline"));
        }
        // Other graphics state beside a compute shader means nothing.
        all.stages.retain(|(stage, _)| *stage == Stage::Compute);
    }
    Ok(all)
}

mod program;

#[cfg(test)]
mod tests;
