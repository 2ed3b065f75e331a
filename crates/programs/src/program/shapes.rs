//! Squares from vertex buffers, for the programs that draw them in several ways: what lies in the buffers, and what the pixels of
//! a draw have seen of it.

use crate::buffer::Buffer;
use crate::device::Device;
use crate::failure::Failure;
use crate::graphics::{Description, element, layout, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texel::bytes;
use reprise_d3d12::types::*;

const VERTEX: Shader = shader!("vertices.vertex");
const PIXEL: Shader = shader!("vertices.pixel");
/// Of the target.
pub(super) const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Of the picture: a square.
pub(super) const SIZE: u32 = 64;

/// Rectangles of four corners each.
const SHAPES: u32 = 4;
const INSTANCES: u32 = 24;
/// Two triangles of four corners, in two orders; the corner that comes first gives the triangle its flat values. The indices are
/// too large by [`BIAS`], which the base vertex takes away again.
const INDICES: [u32; 12] = [3, 2, 1, 0, 1, 2, 0, 1, 2, 3, 2, 1];
pub(super) const BIAS: u32 = 40;

/// One draw.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub(super) order: Order,
    pub(super) shape: u32,
    pub(super) first_instance: u32,
    pub(super) instances: u32,
}

/// How the corners of a square become its triangles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// A strip of four vertices.
    Strip,
    /// Six indices, the lower triangle first.
    Lower,
    /// Six indices, the upper triangle first.
    Upper,
}

/// Everything that draws need but a target.
pub(super) struct Shapes {
    root: RootSignature,
    pipeline: Pipeline,
    /// Vertex buffers with their strides.
    buffers: [(Buffer, u32); 4],
    /// Narrow, then wide.
    indices: Buffer,
}

/// Where the wide indices begin.
const WIDE: u64 = 32;

impl Shapes {
    pub(super) fn new(stage: &Stage) -> Result<Self, Failure> {
        let root = RootSignature::graphics(&stage.device, &[Parameter::Constants { register: 0, count: 2 }], &[])?;
        // Corners are 4 bytes of 12, colours all of 4, places 8 of 24 behind 8 others, and tints 4 of 4.
        let elements = [
            element(c"CORNER", DXGI_FORMAT::FORMAT_R16G16_UINT, 0, 4, 0),
            element(c"COLOUR", DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, 1, 0, 0),
            element(c"OFFSET", DXGI_FORMAT::FORMAT_R32G32_UINT, 2, 8, 1),
            element(c"TINT", DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 5, 0, 2),
        ];
        let description =
            Description { InputLayout: layout(&elements), ..plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT]) };
        let pipeline = Pipeline::graphics(stage, &description)?;
        let (buffers, indices) = (buffers(&stage.device)?, indices(&stage.device)?);
        Ok(Self { root, pipeline, buffers, indices })
    }

    /// Sets all but targets, topology and index buffer.
    pub(super) fn set(&self, list: &mut List) {
        let views = self.buffers.each_ref().map(|(buffer, stride)| D3D12_VERTEX_BUFFER_VIEW {
            BufferLocation: buffer.address,
            SizeInBytes: buffer.size as u32,
            StrideInBytes: *stride,
        });
        list.set_graphics_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.graphics_constants(0, &[(2.0 / SIZE as f32).to_bits(); 2]);
        list.vertex_buffers(0, &views[..3]);
        list.vertex_buffers(5, &views[3..]);
    }

    /// Views of vertex buffers, and of 32-bit or 16-bit indices, as commands have them.
    pub(super) fn views(&self, slots: &[u32], wide: Option<bool>) -> Vec<u32> {
        let word = |address: u64| [address as u32, (address >> 32) as u32];
        let vertices = slots.iter().flat_map(|slot| {
            let (buffer, stride) = &self.buffers[(*slot as usize).min(3)];
            [word(buffer.address), [buffer.size as u32, *stride]].concat()
        });
        let indices = wide.map(|wide| self.index_view(wide));
        let indices =
            indices.iter().flat_map(|it| [word(it.BufferLocation), [it.SizeInBytes, it.Format.0 as u32]].concat());
        vertices.chain(indices).collect()
    }

    fn index_view(&self, wide: bool) -> D3D12_INDEX_BUFFER_VIEW {
        D3D12_INDEX_BUFFER_VIEW {
            BufferLocation: self.indices.address + if wide { WIDE } else { 0 },
            SizeInBytes: INDICES.len() as u32 * if wide { 4 } else { 2 },
            Format: if wide { DXGI_FORMAT::FORMAT_R32_UINT } else { DXGI_FORMAT::FORMAT_R16_UINT },
        }
    }

    /// The topology of an order, and indices of 32 bits or 16.
    pub(super) fn set_order(&self, list: &mut List, order: Order, wide: bool) {
        if order == Order::Strip {
            list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
        } else {
            list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
            list.index_buffer(&self.index_view(wide));
        }
    }
}

fn buffers(device: &Device) -> Result<[(Buffer, u32); 4], Failure> {
    let vertices = || (0..SHAPES).flat_map(|shape| (0..4).map(move |corner| (shape, corner)));
    let corners: Vec<u32> = vertices()
        .flat_map(|(shape, corner)| {
            let (x, y) = place(shape, corner);
            [u32::MAX, x | y << 16, u32::MAX]
        })
        .collect();
    let colours: Vec<u32> = vertices().map(|(shape, corner)| colour(shape, corner)).collect();
    let offsets: Vec<u32> = (0..INSTANCES)
        .flat_map(|instance| {
            let (x, y) = offset(instance);
            [7, 7, x, y, 7, 7]
        })
        .collect();
    let tints: Vec<u32> = (0..INSTANCES).map(tint).collect();
    Ok([
        (Buffer::uploaded(device, &corners)?, 12),
        (Buffer::uploaded(device, &colours)?, 4),
        (Buffer::uploaded(device, &offsets)?, 24),
        (Buffer::uploaded(device, &tints)?, 4),
    ])
}

fn indices(device: &Device) -> Result<Buffer, Failure> {
    let narrow: Vec<u16> = INDICES.iter().map(|index| (index + BIAS) as u16).collect();
    let wide: Vec<u32> = INDICES.iter().map(|index| index + BIAS).collect();
    let mut buffer = Buffer::upload(device, WIDE + 4 * wide.len() as u64)?;
    buffer.write(0, &bytes(&narrow));
    buffer.write(WIDE, &bytes(&wide));
    Ok(buffer)
}

impl Draw {
    /// Records the draw by itself.
    pub(super) fn record(&self, list: &mut List) {
        let base = (4 * self.shape) as i32 - BIAS as i32;
        match self.order {
            Order::Strip => list.draw(4, self.instances, 4 * self.shape, self.first_instance),
            Order::Lower => list.draw_indexed(6, self.instances, 0, base, self.first_instance),
            Order::Upper => list.draw_indexed(6, self.instances, 6, base, self.first_instance),
        }
    }

    /// The draw as a command has it.
    pub(super) fn words(&self) -> Vec<u32> {
        let base = (4 * self.shape).wrapping_sub(BIAS);
        let first = if self.order == Order::Upper { 6 } else { 0 };
        match self.order {
            Order::Strip => vec![4, self.instances, 4 * self.shape, self.first_instance],
            Order::Lower | Order::Upper => vec![6, self.instances, first, base, self.first_instance],
        }
    }

    /// Each instance is a square of two triangles. A pixel whose centre lies on the diagonal belongs to the lower right one, of
    /// which the diagonal is a left edge.
    pub(super) fn expect(&self, picture: &mut Picture<[u32; 4]>) {
        for instance in 0..self.instances {
            // First instances move what is fetched, not what the shader counts.
            let ((x, y), (dx, dy)) = (place(self.shape, 0), offset(self.first_instance + instance));
            let (x, y) = (x + dx, y + dy);
            let tint = tint(self.first_instance + instance / 2);
            picture.draw(Area::at(x, y, SQUARE, SQUARE), |pixel_x, pixel_y, pixel| {
                let upper = pixel_x - x + pixel_y - y + 1 < SQUARE;
                // The triangle's first corner, its number as the shader sees it, and the triangle's own number. A first vertex
                // is not part of a vertex's number, and a base vertex neither.
                let (corner, number, primitive) = match (self.order, upper) {
                    (Order::Strip, true) => (0, 0, 0),
                    (Order::Strip, false) => (1, 1, 1),
                    (order, true) => (0, BIAS, u32::from(order == Order::Lower)),
                    (order, false) => (3, BIAS + 3, u32::from(order == Order::Upper)),
                };
                *pixel = [colour(self.shape, corner), tint, number, instance << 16 | primitive];
            });
        }
    }
}

const SQUARE: u32 = 8;

/// Shapes are squares that begin at places of their own.
fn place(shape: u32, corner: u32) -> (u32, u32) {
    (2 * shape + SQUARE * (corner & 1), shape + SQUARE * (corner >> 1))
}

/// Instances lie in a grid, the last of them outside of the picture.
fn offset(instance: u32) -> (u32, u32) {
    (16 * (instance % 4), 16 * (instance / 4))
}

fn colour(shape: u32, corner: u32) -> u32 {
    (1 + corner + 4 * shape).wrapping_mul(0x9e37_79b1)
}

fn tint(instance: u32) -> u32 {
    (100 + instance).wrapping_mul(0x85eb_ca77)
}
