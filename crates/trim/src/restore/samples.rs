//! Textures with several samples a texel: no copy from a buffer reaches them, so each sample is drawn.
//!
//! A texture of trimming's own, of a format in the same family, is the target. A draw writes one sample of it, whose bits the shader reads from
//! a buffer (`shaders/samples.hlsl`); then the whole is copied. So the program's texture needs no flag, and no view of its format. Invariant:
//! the bits are those that were taken: channels are drawn as whole numbers where the family has such a view, and otherwise as floats that
//! hold every step of them.

use super::rebuild::Buffer;
use super::{ALL, Restorer, map, release, transition, unmap};
use crate::Content;
use crate::error::Error;
use crate::output::Output;
use crate::texels::{Samples, What, order};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::*;
use reprise_picture::samples::Access;
use reprise_trace::fact;
use std::collections::{BTreeSet, HashMap};

/// Shader model 5, with its root signature: any runtime takes it.
const VERTEX: &[u8] = include_bytes!("../../shaders/samples.vertex.dxbc");
const WORDS: &[u8] = include_bytes!("../../shaders/samples.words.dxbc");
const FLOATS: &[u8] = include_bytes!("../../shaders/samples.floats.dxbc");
const DEPTHS: &[u8] = include_bytes!("../../shaders/samples.depth.dxbc");
const STENCILS: &[u8] = include_bytes!("../../shaders/samples.stencils.dxbc");

/// Room for texels, in bytes, more where one sample needs more.
const ROOM: u64 = 8 << 20;
/// Bytes of targets that live at a time, but for one that is larger.
const HELD: u64 = 64 << 20;
/// Where the texels of a sample begin: at a multiple of so many bytes.
const PLACE: u64 = 256;
/// The distance from one heap's handles to the next one's, at least.
const HANDLES: u64 = 4096;
/// The increment of descriptors where the trace has no heap of the type.
const INCREMENT: u32 = 32;

/// Objects of trimming's own that draw.
#[derive(Default)]
pub(super) struct Drawing {
    root: Option<u32>,
    /// By what is drawn, the format of the view, samples and quality.
    pipelines: HashMap<(What, u32, (u32, u32)), u32>,
    /// Mapped, and how many bytes of it are used.
    texels: Option<(Buffer, u64)>,
    /// Heaps, and the targets whose views lie there: they live until what is recorded has run.
    heaps: Vec<u32>,
    targets: Vec<u32>,
    /// Bytes of the targets.
    held: u64,
    /// The last handle that a heap was given, from the first one.
    handles: u64,
}

/// A texture that is drawn to.
#[derive(Clone, Copy)]
struct Target {
    id: u32,
    view: u64,
    /// Its state between draws.
    drawn: D3D12_RESOURCE_STATES,
}

const fn of_list(name: &str) -> MethodId {
    method("ID3D12GraphicsCommandList", name)
}

impl Restorer<'_> {
    /// Draws all samples of a texture, which is a copy's destination.
    pub(super) fn draw(
        &mut self,
        output: &mut Output<'_>,
        resource: u32,
        samples: &Samples,
        content: &Content<'_>,
    ) -> Result<(), Error> {
        let Some(first) = samples.access(0) else { return Ok(()) };
        let (width, height) = samples.size;
        let texels = u64::from(width) * u64::from(height) * u64::from(samples.count.0);
        self.make_room(output, texels.saturating_mul(u64::from(first.bits())) / 8)?;
        let target = self.make_target(output, samples, &first)?;
        let slices = samples.slices.max(1);
        let mut all: Vec<_> = content.subresources.iter().collect();
        // Planes of a slice are drawn together.
        all.sort_by_key(|(subresource, _)| subresource % slices);
        for (at, (subresource, footprint)) in all.iter().enumerate() {
            let (slice, plane) = (subresource % slices, subresource / slices);
            let Some(access) = samples.access(plane) else {
                return Err(Error::Replay(format!("plane {plane} of texture {resource} cannot be drawn")));
            };
            let size = &footprint.Footprint;
            let bytes = u64::from(size.RowPitch) * u64::from(size.Height);
            for sample in 0..samples.count.0 {
                let start = (footprint.Offset + u64::from(sample) * bytes) as usize;
                let own = content.bytes.get(start..start + bytes as usize).filter(|own| !own.is_empty());
                let Some(own) = own else {
                    return Err(Error::Replay(format!("sample {sample} of texture {resource} was not given whole")));
                };
                let address = self.place_texels(output, own)?;
                self.draw_sample(output, samples, target, &access, (sample, address), own)?;
            }
            let is_last = all.get(at + 1).is_none_or(|(next, _)| next % slices != slice);
            if is_last {
                self.copy_target(output, resource, target, (slice, slices), plane + 1)?;
            }
        }
        Ok(())
    }

    fn make_target(&mut self, output: &mut Output<'_>, samples: &Samples, access: &Access) -> Result<Target, Error> {
        let (width, height) = samples.size;
        let (count, quality) = samples.count;
        use D3D12_RESOURCE_FLAGS as Flags;
        use D3D12_RESOURCE_STATES as State;
        let (flags, drawn, kind) = match samples.is_depth {
            true => (Flags::ALLOW_DEPTH_STENCIL, State::DEPTH_WRITE, D3D12_DESCRIPTOR_HEAP_TYPE::DSV),
            false => (Flags::ALLOW_RENDER_TARGET, State::RENDER_TARGET, D3D12_DESCRIPTOR_HEAP_TYPE::RTV),
        };
        let desc = D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: width.into(),
            Height: height,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: DXGI_FORMAT(access.family as _),
            SampleDesc: DXGI_SAMPLE_DESC { Count: count, Quality: quality },
            Flags: flags,
            ..Default::default()
        };
        let id = self.committed(output, D3D12_HEAP_TYPE::DEFAULT, &desc, drawn)?;
        let view = self.make_heap(output, kind)?;
        self.drawing.targets.push(id);
        let device = self.plan.device;
        let format = DXGI_FORMAT(access.drawn as _);
        // SAFETY: the words are arguments of these methods; the descriptions live until the call is written.
        unsafe {
            if samples.is_depth {
                let desc = D3D12_DEPTH_STENCIL_VIEW_DESC {
                    Format: format,
                    ViewDimension: D3D12_DSV_DIMENSION::TEXTURE2DMS,
                    ..Default::default()
                };
                let words = [id.into(), (&raw const desc) as u64, view];
                output.call(device, method("ID3D12Device", "CreateDepthStencilView"), &words, 0)?;
            } else {
                let desc = D3D12_RENDER_TARGET_VIEW_DESC {
                    Format: format,
                    ViewDimension: D3D12_RTV_DIMENSION::TEXTURE2DMS,
                    ..Default::default()
                };
                let words = [id.into(), (&raw const desc) as u64, view];
                output.call(device, method("ID3D12Device", "CreateRenderTargetView"), &words, 0)?;
            }
        }
        Ok(Target { id, view, drawn })
    }

    /// A heap of one descriptor: its handle.
    fn make_heap(&mut self, output: &mut Output<'_>, kind: D3D12_DESCRIPTOR_HEAP_TYPE) -> Result<u64, Error> {
        let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: 1, ..Default::default() };
        let desc = (&raw const desc) as u64;
        let make = method("ID3D12Device", "CreateDescriptorHeap");
        let heap = self.create(output, "ID3D12DescriptorHeap", make, |iid, id| vec![desc, iid, id])?;
        self.drawing.heaps.push(heap);
        self.drawing.handles += HANDLES;
        let first = self.plan.free_handle.checked_next_multiple_of(HANDLES);
        let Some(cpu) = first.and_then(|first| first.checked_add(self.drawing.handles)) else {
            return Err(Error::Trace("its descriptor heaps leave no handle free".into()));
        };
        let increment = self.plan.increments.get(&kind.0).copied().unwrap_or(INCREMENT);
        let mut said = [cpu.to_le_bytes(), 0u64.to_le_bytes()].concat();
        said.extend(increment.to_le_bytes());
        said.extend(1u32.to_le_bytes());
        output.fact(heap, fact::DESCRIPTOR_HEAP, &said)?;
        Ok(cpu)
    }

    /// Stores texels where a shader reads them: their address.
    fn place_texels(&mut self, output: &mut Output<'_>, bytes: &[u8]) -> Result<u64, Error> {
        // The last word is read whole.
        let needed = (bytes.len() as u64 + 4).next_multiple_of(PLACE);
        let has = |drawing: &Drawing| drawing.texels.is_some_and(|(buffer, used)| buffer.bytes - used >= needed);
        if !has(&self.drawing) && self.drawing.texels.is_some_and(|(_, used)| used > 0) {
            self.run(output, true)?;
        }
        if !has(&self.drawing) {
            self.drop_texels(output)?;
            let state = D3D12_RESOURCE_STATES::GENERIC_READ;
            let buffer = self.make_buffer(output, D3D12_HEAP_TYPE::UPLOAD, needed.max(ROOM), state)?;
            map(output, buffer.id, 0, 0)?;
            self.drawing.texels = Some((buffer, 0));
        }
        let Some((buffer, used)) = &mut self.drawing.texels else { return Ok(0) };
        let at = *used;
        *used += needed;
        output.memory(buffer.id, at, bytes)?;
        Ok(buffer.address + at)
    }

    fn draw_sample(
        &mut self,
        output: &mut Output<'_>,
        samples: &Samples,
        target: Target,
        access: &Access,
        (sample, address): (u32, u64),
        bytes: &[u8],
    ) -> Result<(), Error> {
        let root = self.root(output)?;
        let pipeline = self.pipeline(output, access, samples.count)?;
        let what = What::of(access.channels);
        let (width, height) = samples.size;
        let (right, bottom) = (width as f32, height as f32);
        let viewport = D3D12_VIEWPORT { Width: right, Height: bottom, MaxDepth: 1.0, ..Default::default() };
        let scissor = RECT { left: 0, top: 0, right: width as i32, bottom: height as i32 };
        let (view, none) = ((&raw const target.view) as u64, 0);
        let targets = if samples.is_depth { [0, none, 0, view] } else { [1, view, 0, none] };
        self.record(output, of_list("SetGraphicsRootSignature"), &[root.into()])?;
        self.record(output, of_list("SetPipelineState"), &[pipeline.into()])?;
        self.record(output, of_list("OMSetRenderTargets"), &targets)?;
        self.record(output, of_list("RSSetViewports"), &[1, (&raw const viewport) as u64])?;
        self.record(output, of_list("RSSetScissorRects"), &[1, (&raw const scissor) as u64])?;
        let triangles = D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST.0 as u64;
        self.record(output, of_list("IASetPrimitiveTopology"), &[triangles])?;
        self.record(output, of_list("SetGraphicsRootShaderResourceView"), &[1, address])?;
        // A draw of the stencil writes one value where it is.
        let values: BTreeSet<u8> = match what {
            What::Stencil => bytes.iter().copied().collect(),
            _ => [0].into(),
        };
        for value in values {
            let mut constants = [width, access.bits(), 1 << sample, order(access), 0, 0, 0, 0, value.into()];
            constants[4..8].iter_mut().zip(access.widths).for_each(|(word, bits)| *word = *bits);
            let words = [0, constants.len() as u64, constants.as_ptr() as u64, 0];
            self.record(output, of_list("SetGraphicsRoot32BitConstants"), &words)?;
            if what == What::Stencil {
                self.record(output, of_list("OMSetStencilRef"), &[value.into()])?;
            }
            self.record(output, of_list("DrawInstanced"), &[3, 1, 0, 0])?;
        }
        Ok(())
    }

    /// Copies what was drawn to a slice, with all its planes.
    fn copy_target(
        &mut self,
        output: &mut Output<'_>,
        resource: u32,
        target: Target,
        (slice, slices): (u32, u32),
        planes: u32,
    ) -> Result<(), Error> {
        let source = D3D12_RESOURCE_STATES::COPY_SOURCE;
        let none = D3D12_RESOURCE_BARRIER_FLAGS::NONE;
        let place = |id: u32, at: u32| D3D12_TEXTURE_COPY_LOCATION {
            pResource: id as usize as *mut _,
            Type: D3D12_TEXTURE_COPY_TYPE::SUBRESOURCE_INDEX,
            Anonymous: D3D12_TEXTURE_COPY_LOCATION_2 { SubresourceIndex: at },
        };
        let before = transition(target.id, ALL, target.drawn.0, source.0, none);
        self.barriers(output, before.as_slice())?;
        if slices == 1 {
            // Some drivers copy the planes of samples together only.
            self.record(output, of_list("CopyResource"), &[resource.into(), target.id.into()])?;
        } else {
            for plane in 0..planes {
                let (to, from) = (place(resource, plane * slices + slice), place(target.id, plane));
                let words = [(&raw const to) as u64, 0, 0, 0, (&raw const from) as u64, 0];
                self.record(output, of_list("CopyTextureRegion"), &words)?;
            }
        }
        let after = transition(target.id, ALL, source.0, target.drawn.0, none);
        self.barriers(output, after.as_slice())
    }

    fn root(&mut self, output: &mut Output<'_>) -> Result<u32, Error> {
        if let Some(root) = self.drawing.root {
            return Ok(root);
        }
        let (blob, bytes) = (VERTEX.as_ptr() as u64, VERTEX.len() as u64);
        let make = method("ID3D12Device", "CreateRootSignature");
        let root = self.create(output, "ID3D12RootSignature", make, |iid, id| vec![0, blob, bytes, iid, id])?;
        self.drawing.root = Some(root);
        Ok(root)
    }

    fn pipeline(&mut self, output: &mut Output<'_>, access: &Access, count: (u32, u32)) -> Result<u32, Error> {
        let key = (What::of(access.channels), access.drawn, count);
        if let Some(pipeline) = self.drawing.pipelines.get(&key) {
            return Ok(*pipeline);
        }
        let desc = description(self.root(output)?, access, count);
        let desc = (&raw const desc) as u64;
        let make = method("ID3D12Device", "CreateGraphicsPipelineState");
        let pipeline = self.create(output, "ID3D12PipelineState", make, |iid, id| vec![desc, iid, id])?;
        self.drawing.pipelines.insert(key, pipeline);
        Ok(pipeline)
    }

    /// Lets go of targets, where one more of so many bytes would be too many: what is recorded runs before.
    pub(super) fn make_room(&mut self, output: &mut Output<'_>, bytes: u64) -> Result<(), Error> {
        if !self.drawing.targets.is_empty() && self.drawing.held.saturating_add(bytes) > HELD {
            self.run(output, true)?;
            let targets = std::mem::take(&mut self.drawing.targets);
            let heaps = std::mem::take(&mut self.drawing.heaps);
            heaps.into_iter().chain(targets).try_for_each(|object| release(output, object))?;
            self.drawing.held = 0;
        }
        self.drawing.held = self.drawing.held.saturating_add(bytes);
        Ok(())
    }

    /// A resource of trimming's own lives until what is recorded has run.
    pub(super) fn keep(&mut self, resource: u32) {
        self.drawing.targets.push(resource);
    }

    /// What was recorded has run.
    pub(super) fn free_texels(&mut self) {
        if let Some((_, used)) = &mut self.drawing.texels {
            *used = 0;
        }
    }

    fn drop_texels(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        let Some((buffer, _)) = self.drawing.texels.take() else { return Ok(()) };
        unmap(output, buffer.id)?;
        release(output, buffer.id)
    }

    /// Lets all objects go; nothing runs any more.
    ///
    /// # Errors
    /// The output cannot be written.
    pub(super) fn drop_drawing(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        self.drop_texels(output)?;
        let Drawing { root, pipelines, heaps, targets, .. } = std::mem::take(&mut self.drawing);
        let mut pipelines: Vec<u32> = pipelines.into_values().collect();
        pipelines.sort_unstable();
        let all = heaps.into_iter().chain(targets).chain(pipelines).chain(root);
        all.into_iter().try_for_each(|object| release(output, object))
    }
}

/// A pipeline that draws to all samples that the shader covers.
fn description(root: u32, access: &Access, (count, quality): (u32, u32)) -> D3D12_GRAPHICS_PIPELINE_STATE_DESC {
    let code = |bytes: &'static [u8]| D3D12_SHADER_BYTECODE {
        pShaderBytecode: bytes.as_ptr().cast(),
        BytecodeLength: bytes.len() as u64,
    };
    let what = What::of(access.channels);
    let is_colour = matches!(what, What::Words | What::Floats);
    let is_stencil = what == What::Stencil;
    let mut desc = D3D12_GRAPHICS_PIPELINE_STATE_DESC {
        pRootSignature: root as usize as *mut _,
        VS: code(VERTEX),
        PS: code(match what {
            What::Words => WORDS,
            What::Floats => FLOATS,
            What::Depth => DEPTHS,
            What::Stencil => STENCILS,
        }),
        SampleMask: u32::MAX,
        RasterizerState: D3D12_RASTERIZER_DESC {
            FillMode: D3D12_FILL_MODE::SOLID,
            CullMode: D3D12_CULL_MODE::NONE,
            DepthClipEnable: 1,
            ..Default::default()
        },
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE,
        NumRenderTargets: is_colour.into(),
        SampleDesc: DXGI_SAMPLE_DESC { Count: count, Quality: quality },
        ..Default::default()
    };
    desc.BlendState.RenderTarget.fill(D3D12_RENDER_TARGET_BLEND_DESC {
        SrcBlend: D3D12_BLEND::ONE,
        DestBlend: D3D12_BLEND::ZERO,
        BlendOp: D3D12_BLEND_OP::ADD,
        SrcBlendAlpha: D3D12_BLEND::ONE,
        DestBlendAlpha: D3D12_BLEND::ZERO,
        BlendOpAlpha: D3D12_BLEND_OP::ADD,
        LogicOp: D3D12_LOGIC_OP::NOOP,
        RenderTargetWriteMask: 15,
        ..Default::default()
    });
    let replace = D3D12_DEPTH_STENCILOP_DESC {
        StencilFailOp: D3D12_STENCIL_OP::KEEP,
        StencilDepthFailOp: D3D12_STENCIL_OP::KEEP,
        StencilPassOp: D3D12_STENCIL_OP::REPLACE,
        StencilFunc: D3D12_COMPARISON_FUNC::ALWAYS,
    };
    desc.DepthStencilState = D3D12_DEPTH_STENCIL_DESC {
        DepthEnable: i32::from(what == What::Depth),
        DepthWriteMask: D3D12_DEPTH_WRITE_MASK::ALL,
        DepthFunc: D3D12_COMPARISON_FUNC::ALWAYS,
        StencilEnable: i32::from(is_stencil),
        StencilReadMask: 0xff,
        StencilWriteMask: 0xff,
        FrontFace: replace,
        BackFace: replace,
    };
    let format = DXGI_FORMAT(access.drawn as _);
    if is_colour {
        desc.RTVFormats[0] = format;
    } else {
        desc.DSVFormat = format;
    }
    desc
}
