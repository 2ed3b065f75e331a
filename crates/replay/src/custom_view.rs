//! Texels as a pixel shader of the user's shows them.
//!
//! The texels come as values: so any format, level and sample is a texture of 32-bit channels to the shader, on any runtime. Nothing of the
//! program's is touched: device, texture and target are replay's own.

use std::time::Duration;

use reprise_d3d12::types::{
    D3D12_BLEND_DESC, D3D12_CULL_MODE, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_FILL_MODE, D3D12_GRAPHICS_PIPELINE_STATE_DESC,
    D3D12_HEAP_TYPE, D3D12_PLACED_SUBRESOURCE_FOOTPRINT, D3D12_PRIMITIVE_TOPOLOGY_TYPE, D3D12_RASTERIZER_DESC,
    D3D12_RENDER_TARGET_BLEND_DESC, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as State, D3D12_SHADER_BYTECODE, D3D12_SHADER_RESOURCE_VIEW_DESC,
    D3D12_SHADER_RESOURCE_VIEW_DESC_3, D3D12_SRV_DIMENSION, D3D12_SUBRESOURCE_FOOTPRINT, D3D12_TEX2D_SRV,
    D3D12_VIEWPORT, DXGI_FORMAT, DXGI_SAMPLE_DESC, RECT,
};
use reprise_d3d12::{description, interface, method};
use reprise_dxbc::root_signature::Kind;
use reprise_dxbc::{Container, Program, Tag};

use crate::handlers::device;
use crate::options::Options;
use crate::runtime::Runtime;
use crate::runtime::barrier::{barriers, transition};
use crate::runtime::copy::{copy_texels, placed, whole};
use crate::runtime::reference::Reference;
use crate::runtime::replay_objects::{self, committed, create};

/// The corners of the picture, with the root signature, in either form: a pipeline has shaders of one.
const CORNERS: [&[u8]; 2] = [include_bytes!("../shaders/view.main.dxbc"), include_bytes!("../shaders/view.main.dxil")];
/// `D3D12_DEFAULT_SHADER_4_COMPONENT_MAPPING`.
const AS_THEY_ARE: u32 = 0x1688;
/// `D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST`.
const TRIANGLES: u64 = 4;
/// Bytes of a texel: four channels of 32 bits.
const TEXEL: usize = 16;
/// Rows in buffers begin at multiples of this (`D3D12_TEXTURE_DATA_PITCH_ALIGNMENT`).
const PITCH: usize = 256;
/// What the picture has.
const FLOATS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_FLOAT;

/// What texels are to the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewChannels {
    /// `Texture2D<float4>`.
    Float,
    /// `Texture2D<uint4>`.
    Unsigned,
    /// `Texture2D<int4>`.
    Signed,
}

/// What is looked at.
#[derive(Clone, Debug)]
pub struct ViewedTexels {
    /// In texels; neither is 0.
    pub size: (u32, u32),
    /// What the channels are.
    pub channels: ViewChannels,
    /// Four channels a texel, as their bits, row by row, top first.
    pub texels: Vec<[u32; 4]>,
    /// What the shader has in `b0` behind the size: mip, slice, the two ends of the range as floats, sample, call.
    pub constants: [u32; 6],
}

/// A device of a runtime's own, and the pipeline with the user's shader.
pub struct CustomView {
    runtime: &'static Runtime,
    device: Reference<'static>,
    root: Reference<'static>,
    pipeline: Reference<'static>,
    timeout: Duration,
}

impl CustomView {
    /// Loads the runtime that the options name, and makes a pipeline of a compiled pixel shader, DXBC or DXIL.
    ///
    /// # Errors
    /// It is no such shader, uses what a view does not have, or the runtime refuses it.
    pub fn new(options: &Options<'_>, shader: &[u8]) -> Result<Self, String> {
        let corners = corners(shader)?;
        let runtime = options.load_runtime().map_err(|error| error.to_string())?;
        // A library stays loaded until the process ends, whoever holds it.
        let runtime: &'static Runtime = Box::leak(Box::new(runtime));
        let refused = |reason: String| format!("the runtime {}: {reason}", runtime.name);
        let device = device::any(runtime).map_err(refused)?;
        let class = interface("ID3D12RootSignature");
        let root = create(runtime, device.pointer(), "a root signature", class, |iid, out| {
            let words = vec![0, corners.as_ptr() as u64, corners.len() as u64, iid, out];
            (method("ID3D12Device", "CreateRootSignature"), words)
        });
        let root = root.map_err(refused)?;
        let desc = description_of(&root, corners, shader);
        let class = interface("ID3D12PipelineState");
        let pipeline = create(runtime, device.pointer(), "a pipeline with the shader", class, |iid, out| {
            let words = vec![core::ptr::from_ref(&desc) as u64, iid, out];
            (method("ID3D12Device", "CreateGraphicsPipelineState"), words)
        });
        let pipeline = pipeline.map_err(refused)?;
        Ok(Self { runtime, device, root, pipeline, timeout: options.fence_wait_timeout })
    }

    /// What the shader gives for each texel: four floats, row by row.
    ///
    /// # Errors
    /// The runtime refuses an object that is needed, or does not finish.
    pub fn of(&self, viewed: &ViewedTexels) -> Result<Vec<u8>, String> {
        let (runtime, device) = (self.runtime, self.device.pointer());
        let (width, height) = viewed.size;
        let row = width as usize * TEXEL;
        let pitch = row.next_multiple_of(PITCH);
        let bytes = (pitch * height as usize) as u64;
        if viewed.texels.len() != width as usize * height as usize || viewed.texels.is_empty() {
            return Err(format!("{} texels are not {width} times {height}", viewed.texels.len()));
        }
        let format = match viewed.channels {
            ViewChannels::Float => FLOATS,
            ViewChannels::Unsigned => DXGI_FORMAT::FORMAT_R32G32B32A32_UINT,
            ViewChannels::Signed => DXGI_FORMAT::FORMAT_R32G32B32A32_SINT,
        };
        let texture = |format, flags| D3D12_RESOURCE_DESC {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: width.into(),
            Height: height,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: format,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Flags: flags,
            ..Default::default()
        };
        let own = |desc: &_, heap, state| committed(runtime, device, heap, desc, state);
        let buffer = description::buffer(bytes, D3D12_RESOURCE_FLAGS::default());
        let upload = own(&buffer, D3D12_HEAP_TYPE::UPLOAD, State::GENERIC_READ)?;
        let source = texture(format, D3D12_RESOURCE_FLAGS::default());
        let source = own(&source, D3D12_HEAP_TYPE::DEFAULT, State::COPY_DEST)?;
        let target = texture(FLOATS, D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET);
        let target = own(&target, D3D12_HEAP_TYPE::DEFAULT, State::RENDER_TARGET)?;
        let back = replay_objects::readback_buffer(runtime, device, bytes)?;
        self.store(&upload, bytes, viewed, pitch)?;
        let (views, cpu, table) = replay_objects::descriptor(runtime, device, D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV)?;
        let (targets, slot, _) = replay_objects::descriptor(runtime, device, D3D12_DESCRIPTOR_HEAP_TYPE::RTV)?;
        let view = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: format,
            ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
            Shader4ComponentMapping: AS_THEY_ARE,
            Anonymous: D3D12_SHADER_RESOURCE_VIEW_DESC_3 {
                Texture2D: D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() },
            },
        };
        let read = [source.pointer(), core::ptr::from_ref(&view) as u64, cpu.ptr];
        let written = [target.pointer(), 0, slot.ptr];
        // SAFETY: device, textures and descriptors are alive; the description is ours, and a null one is that of the texture.
        unsafe {
            runtime.call(device, method("ID3D12Device", "CreateShaderResourceView"), &read);
            runtime.call(device, method("ID3D12Device", "CreateRenderTargetView"), &written);
        }
        let [mip, slice, low, high, sample, call] = viewed.constants;
        let constants = [width, height, mip, slice, low, high, sample, call];
        let footprint = |format| D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
            Offset: 0,
            Footprint: D3D12_SUBRESOURCE_FOOTPRINT {
                Format: format,
                Width: width,
                Height: height,
                Depth: 1,
                RowPitch: pitch as u32,
            },
        };
        let heaps = [views.pointer()];
        let viewport =
            D3D12_VIEWPORT { Width: width as f32, Height: height as f32, MaxDepth: 1.0, ..Default::default() };
        let scissor = RECT { right: width as i32, bottom: height as i32, ..Default::default() };
        let done = replay_objects::run(runtime, device, self.timeout, |list| {
            let of = |name| method("ID3D12GraphicsCommandList", name);
            copy_texels(runtime, list, placed(upload.pointer(), footprint(format)), whole((source.pointer(), 0)));
            let state = State::PIXEL_SHADER_RESOURCE;
            barriers(runtime, list, &[transition(source.pointer(), 0, State::COPY_DEST, state)]);
            // SAFETY: the list is recording; all objects are alive, and the arrays are ours.
            unsafe {
                runtime.call(list, of("SetDescriptorHeaps"), &[1, heaps.as_ptr() as u64]);
                runtime.call(list, of("SetGraphicsRootSignature"), &[self.root.pointer()]);
                runtime.call(list, of("SetPipelineState"), &[self.pipeline.pointer()]);
                runtime.call(list, of("SetGraphicsRoot32BitConstants"), &[0, 8, constants.as_ptr() as u64, 0]);
                runtime.call(list, of("SetGraphicsRootDescriptorTable"), &[1, table.ptr]);
                runtime.call(list, of("RSSetViewports"), &[1, core::ptr::from_ref(&viewport) as u64]);
                runtime.call(list, of("RSSetScissorRects"), &[1, core::ptr::from_ref(&scissor) as u64]);
                runtime.call(list, of("OMSetRenderTargets"), &[1, core::ptr::from_ref(&slot) as u64, 0, 0]);
                runtime.call(list, of("IASetPrimitiveTopology"), &[TRIANGLES]);
                runtime.call(list, of("DrawInstanced"), &[3, 1, 0, 0]);
            }
            barriers(runtime, list, &[transition(target.pointer(), 0, State::RENDER_TARGET, State::COPY_SOURCE)]);
            copy_texels(runtime, list, whole((target.pointer(), 0)), placed(back.pointer(), footprint(FLOATS)));
            Ok(())
        });
        if let Err(failure) = done {
            // Its work may be pending: left to the end of the process.
            let _left = [upload, source, target, back, views, targets].map(Reference::into_pointer);
            return Err(failure);
        }
        replay_objects::mapped(runtime, back.pointer(), bytes, |read| {
            Ok(read.chunks_exact(pitch).flat_map(|line| &line[..row]).copied().collect())
        })
    }

    /// Writes the texels to a buffer of so many bytes, at a pitch.
    fn store(&self, buffer: &Reference<'_>, bytes: u64, viewed: &ViewedTexels, pitch: usize) -> Result<(), String> {
        let rows = viewed.texels.chunks_exact(viewed.size.0 as usize);
        replay_objects::stored(self.runtime, buffer.pointer(), bytes, |memory| {
            for (line, row) in memory.chunks_exact_mut(pitch).zip(rows) {
                for (place, texel) in line.as_chunks_mut::<TEXEL>().0.iter_mut().zip(row) {
                    let words = place.as_chunks_mut::<4>().0.iter_mut().zip(texel);
                    words.for_each(|(place, word)| *place = word.to_le_bytes());
                }
            }
        })
    }
}

/// The corners in the shader's form.
///
/// # Errors
/// It is no pixel shader, or uses a register that a view does not have.
fn corners(shader: &[u8]) -> Result<&'static [u8], String> {
    let container = Container::parse(shader).map_err(|error| format!("no compiled shader: {}", error.what))?;
    let program = Program::of(&container).map_err(|error| error.what)?;
    if program.stage != "pixel" {
        return Err(format!("a {} shader; a view has a pixel shader", program.stage));
    }
    for used in reprise_dxbc::registers::registers(shader) {
        let there = match used.kind {
            Kind::Cbv | Kind::Srv => 1,
            Kind::Sampler => 2,
            Kind::Uav => 0,
        };
        if used.space != 0 || used.first >= there || used.last >= there {
            let letter = match used.kind {
                Kind::Cbv => 'b',
                Kind::Srv => 't',
                Kind::Sampler => 's',
                Kind::Uav => 'u',
            };
            let (register, space) = (used.last.max(used.first), used.space);
            return Err(format!(
                "it uses {letter}{register} of space {space}; a view has b0, t0, s0 and s1 of space 0"
            ));
        }
    }
    Ok(CORNERS[usize::from(program.tag == Tag::DXIL)])
}

fn bytecode(shader: &[u8]) -> D3D12_SHADER_BYTECODE {
    D3D12_SHADER_BYTECODE { pShaderBytecode: shader.as_ptr().cast(), BytecodeLength: shader.len() as u64 }
}

/// Nothing is tested or blended: what the shader gives is what is there.
fn description_of(root: &Reference<'_>, corners: &[u8], shader: &[u8]) -> D3D12_GRAPHICS_PIPELINE_STATE_DESC {
    let writes = D3D12_RENDER_TARGET_BLEND_DESC { RenderTargetWriteMask: 15, ..Default::default() };
    let mut desc = D3D12_GRAPHICS_PIPELINE_STATE_DESC {
        pRootSignature: root.pointer() as *mut _,
        VS: bytecode(corners),
        PS: bytecode(shader),
        BlendState: D3D12_BLEND_DESC { RenderTarget: [writes; 8], ..Default::default() },
        SampleMask: u32::MAX,
        RasterizerState: D3D12_RASTERIZER_DESC {
            FillMode: D3D12_FILL_MODE::SOLID,
            CullMode: D3D12_CULL_MODE::NONE,
            DepthClipEnable: 1,
            ..Default::default()
        },
        PrimitiveTopologyType: D3D12_PRIMITIVE_TOPOLOGY_TYPE::TRIANGLE,
        NumRenderTargets: 1,
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    };
    desc.RTVFormats[0] = FLOATS;
    desc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pixel_shaders_with_registers_of_a_view_are_taken() {
        for (shader, what) in [
            (&b"DXBC"[..], "no compiled shader"),
            (CORNERS[0], "a vertex shader"),
            (CORNERS[1], "a vertex shader"),
            (include_bytes!("../shaders/samples.words.dxbc"), "a compute shader"),
        ] {
            assert!(corners(shader).unwrap_err().contains(what), "{what}");
        }
    }
}
