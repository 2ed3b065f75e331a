//! A picture of squares: each drawn square is an instance with its place and the texel that it is coloured by.
//!
//! Edges lie between pixels and texels are read at their centres, so every driver draws the same bytes, and the processor knows
//! them.

use crate::gpu::{Gpu, bytes};
use anyhow::{Result, ensure};

const SHADER: &str = include_str!("picture.wgsl");
/// Width and height of a square, in pixels.
pub(crate) const SQUARE: u32 = 16;
/// Width and height of the texture, in texels.
const TEXTURE: u32 = 8;
/// Bytes of a pixel.
const PIXEL: u32 = 4;
/// What no square covers, in the order of the target's bytes; the same in RGBA and BGRA.
const BACKGROUND: [u8; 4] = [51, 0, 51, 255];

/// A square: column and row of its place, its depth (0 is near, 16 far), and the texel of its colour.
#[derive(Clone, Copy)]
pub(crate) struct Square {
    pub(crate) column: u32,
    pub(crate) row: u32,
    pub(crate) depth: u32,
    pub(crate) texel: u32,
}

/// A texel: no channel is like another one, so an exchange of channels shows.
fn texel(index: u32) -> [u8; 4] {
    [(index * 3) as u8, (index * 4 + 1) as u8, 255 - index as u8, 255]
}

/// What draws such pictures.
pub(crate) struct Painter {
    pipeline: wgpu::RenderPipeline,
    texture: wgpu::TextureView,
    depth: wgpu::TextureView,
    corners: wgpu::Buffer,
    indices: wgpu::Buffer,
    format: wgpu::TextureFormat,
    size: [u32; 2],
}

impl Painter {
    /// For targets of this format and size in pixels.
    pub(crate) fn new(gpu: &Gpu, format: wgpu::TextureFormat, size: [u32; 2]) -> Self {
        let source = wgpu::ShaderSource::Wgsl(SHADER.into());
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let corner = [wgpu::VertexAttribute { format: wgpu::VertexFormat::Uint32x2, offset: 0, shader_location: 0 }];
        let corners =
            wgpu::VertexBufferLayout { array_stride: 8, step_mode: wgpu::VertexStepMode::Vertex, attributes: &corner };
        let square = [wgpu::VertexAttribute { format: wgpu::VertexFormat::Uint32x4, offset: 0, shader_location: 1 }];
        let squares = wgpu::VertexBufferLayout {
            array_stride: 16,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &square,
        };
        let pipeline = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("squares"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("place"),
                compilation_options: Default::default(),
                buffers: &[Some(corners), Some(squares)],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: Some(wgpu::DepthStencilState {
                format: wgpu::TextureFormat::Depth32Float,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Less),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("colour"),
                compilation_options: Default::default(),
                targets: &[Some(format.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        let depth = texture(gpu, wgpu::TextureFormat::Depth32Float, size, wgpu::TextureUsages::RENDER_ATTACHMENT);
        Self {
            pipeline,
            texture: palette(gpu),
            depth: depth.create_view(&Default::default()),
            corners: gpu.buffer(&[0, 0, 1, 0, 0, 1, 1, 1], wgpu::BufferUsages::VERTEX),
            indices: gpu.buffer(&[0, 1, 2, 2, 1, 3], wgpu::BufferUsages::INDEX),
            format,
            size,
        }
    }

    /// Draws squares into a texture of the painter's format and size.
    pub(crate) fn paint(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::Texture,
        squares: &[Square],
    ) {
        let words: Vec<u32> = squares.iter().flat_map(|s| [s.column, s.row, s.depth, s.texel]).collect();
        let instances = gpu.buffer(&words, wgpu::BufferUsages::VERTEX);
        let cells = gpu.buffer(&[self.size[0] / SQUARE, self.size[1] / SQUARE, 0, 0], wgpu::BufferUsages::UNIFORM);
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: cells.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::TextureView(&self.texture) },
            ],
        });
        let background = BACKGROUND.map(|channel| f64::from(channel) / 255.0);
        let [r, g, b, a] = background;
        let view = target.create_view(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("squares"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, self.corners.slice(..));
        pass.set_vertex_buffer(1, instances.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..6, 0, 0..squares.len() as u32);
    }

    /// Bytes of a row in a buffer that a texture is copied to.
    fn pitch(&self) -> u32 {
        (self.size[0] * PIXEL).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT)
    }

    /// Copies the picture to a buffer; [`Painter::pixels`] reads it once the list is submitted.
    pub(crate) fn copy(&self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, target: &wgpu::Texture) -> wgpu::Buffer {
        let buffer = gpu.readback(u64::from(self.pitch() * self.size[1]));
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(self.pitch()), rows_per_image: None };
        let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(target.as_image_copy(), to, extent(self.size));
        buffer
    }

    /// The picture in a buffer, rows without padding.
    pub(crate) fn pixels(&self, gpu: &Gpu, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
        let bytes = gpu.read(buffer)?;
        let row = (self.size[0] * PIXEL) as usize;
        Ok(bytes.chunks(self.pitch() as usize).flat_map(|line| &line[..row]).copied().collect())
    }

    /// Wrong unless the picture is what these squares look like.
    pub(crate) fn check(&self, squares: &[Square], pixels: &[u8]) -> Result<()> {
        let expected = self.expected(squares);
        ensure!(pixels.len() == expected.len(), "{} bytes instead of {}", pixels.len(), expected.len());
        let wrong = pixels.chunks(4).zip(expected.chunks(4)).position(|(got, expected)| got != expected);
        if let Some(at) = wrong {
            let (x, y, byte) = (at as u32 % self.size[0], at as u32 / self.size[0], at * 4);
            let (got, expected) = (&pixels[byte..byte + 4], &expected[byte..byte + 4]);
            anyhow::bail!("pixel ({x}, {y}) is {got:?} instead of {expected:?}");
        }
        Ok(())
    }

    fn expected(&self, squares: &[Square]) -> Vec<u8> {
        let swapped = self.format == wgpu::TextureFormat::Bgra8Unorm;
        let [width, height] = self.size;
        let pixel = |x: u32, y: u32| {
            let covers = |s: &&Square| s.column == x / SQUARE && s.row == y / SQUARE;
            let Some(nearest) = squares.iter().filter(covers).min_by_key(|s| s.depth) else { return BACKGROUND };
            let [r, g, b, a] = texel(nearest.texel);
            if swapped { [b, g, r, a] } else { [r, g, b, a] }
        };
        (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect()
    }
}

/// A texture with a colour for each index.
fn palette(gpu: &Gpu) -> wgpu::TextureView {
    let size = [TEXTURE, TEXTURE];
    let usage = wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST;
    let palette = texture(gpu, wgpu::TextureFormat::Rgba8Unorm, size, usage);
    let texels: Vec<u32> = (0..TEXTURE * TEXTURE).map(|index| u32::from_le_bytes(texel(index))).collect();
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(TEXTURE * PIXEL), rows_per_image: None };
    gpu.queue.write_texture(palette.as_image_copy(), &bytes(&texels), layout, extent(size));
    palette.create_view(&Default::default())
}

/// A texture of two dimensions.
pub(crate) fn texture(
    gpu: &Gpu,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: extent(size),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}

fn extent([width, height]: [u32; 2]) -> wgpu::Extent3d {
    wgpu::Extent3d { width, height, depth_or_array_layers: 1 }
}
