//! `vertices`: vertices from four buffers with strides of their own, by vertex, by instance and by every second instance, drawn
//! with and without indices of 16 and 32 bits, with a base vertex and a first instance; the picture has what the shader saw.

use super::Program;
use crate::buffer::Buffer;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::graphics::{Description, element, layout, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::bytes;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "vertices", about: "vertex and index buffers: slots, strides, steps, bases and instances", run };

const VERTEX: Shader = shader!("vertices.vertex");
const PIXEL: Shader = shader!("vertices.pixel");
const SIZE: u32 = 64;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Rectangles of four corners each.
const SHAPES: u32 = 4;
const INSTANCES: u32 = 12;

/// A draw: of one shape, by which indices, in which instances.
struct Draw {
    indices: Option<DXGI_FORMAT>,
    shape: u32,
    first_instance: u32,
    instances: u32,
}

const DRAWS: [Draw; 5] = [
    Draw { indices: None, shape: 0, first_instance: 0, instances: 3 },
    Draw { indices: None, shape: 2, first_instance: 3, instances: 2 },
    Draw { indices: Some(DXGI_FORMAT::FORMAT_R16_UINT), shape: 1, first_instance: 5, instances: 3 },
    Draw { indices: Some(DXGI_FORMAT::FORMAT_R32_UINT), shape: 3, first_instance: 8, instances: 1 },
    Draw { indices: Some(DXGI_FORMAT::FORMAT_R32_UINT), shape: 2, first_instance: 9, instances: 3 },
];

/// Two triangles of four corners; the corner that comes first gives the triangle its flat values. The indices are too large by
/// [`BIAS`], which the base vertex takes away again.
const INDICES: [u32; 6] = [3, 2, 1, 0, 1, 2];
const BIAS: u32 = 40;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    // Corners are 4 bytes of 12, colours all of 4, places 8 of 24 behind 8 others, and tints 4 of 4.
    let elements = [
        element(c"CORNER", DXGI_FORMAT::FORMAT_R16G16_UINT, 0, 4, 0),
        element(c"COLOUR", DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, 1, 0, 0),
        element(c"OFFSET", DXGI_FORMAT::FORMAT_R32G32_UINT, 2, 8, 1),
        element(c"TINT", DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 5, 0, 2),
    ];
    let root = RootSignature::graphics(device, &[Parameter::Constants { register: 0, count: 2 }], &[])?;
    let description = Description { InputLayout: layout(&elements), ..plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT]) };
    let pipeline = Pipeline::graphics(stage, &description)?;

    let corners: Vec<u32> = vertices()
        .flat_map(|(shape, corner)| {
            let (x, y) = place(shape, corner);
            [0xffff_ffff, x | y << 16, 0xffff_ffff]
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
    let narrow: Vec<u16> = INDICES.iter().map(|index| (index + BIAS) as u16).collect();
    let wide: Vec<u32> = INDICES.iter().map(|index| index + BIAS).collect();
    let buffers = [
        (Buffer::uploaded(device, &corners)?, 12),
        (Buffer::uploaded(device, &colours)?, 4),
        (Buffer::uploaded(device, &offsets)?, 24),
        (Buffer::uploaded(device, &tints)?, 4),
    ];
    let mut indices = Buffer::upload(device, 64)?;
    indices.write(0, &bytes(&narrow));
    indices.write(16, &bytes(&wide));
    let views = buffers.each_ref().map(|(buffer, stride)| D3D12_VERTEX_BUFFER_VIEW {
        BufferLocation: buffer.address,
        SizeInBytes: buffer.size as u32,
        StrideInBytes: *stride,
    });

    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.graphics_constants(0, &[(2.0 / SIZE as f32).to_bits(); 2]);
    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    list.vertex_buffers(0, &views[..3]);
    list.vertex_buffers(5, &views[3..]);
    for draw in &DRAWS {
        match draw.indices {
            None => {
                list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
                list.draw(4, draw.instances, 4 * draw.shape, draw.first_instance);
            }
            Some(format) => {
                let narrow = format == DXGI_FORMAT::FORMAT_R16_UINT;
                let (at, size) = if narrow { (0, 12) } else { (16, 24) };
                list.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST);
                list.index_buffer(&D3D12_INDEX_BUFFER_VIEW {
                    BufferLocation: indices.address + at,
                    SizeInBytes: size,
                    Format: format,
                });
                let base = (4 * draw.shape) as i32 - BIAS as i32;
                list.draw_indexed(6, draw.instances, 0, base, draw.first_instance);
            }
        }
        draw.expect(&mut expected);
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "what the vertices had", &expected, &mut digest)?;
    Ok(digest)
}

impl Draw {
    /// Each instance is a square of two triangles. A pixel whose centre lies on the diagonal belongs to the lower right one, of
    /// which the diagonal is a left edge.
    fn expect(&self, picture: &mut Picture<[u32; 4]>) {
        for instance in 0..self.instances {
            // First instances move what is fetched, not what the shader counts.
            let (x, y) = origin(self.shape, self.first_instance + instance);
            let tint = tint(self.first_instance + instance / 2);
            picture.draw(Area::at(x, y, SQUARE, SQUARE), |pixel_x, pixel_y, pixel| {
                let upper = pixel_x - x + pixel_y - y + 1 < SQUARE;
                // The triangle's first corner, its number as the shader sees it, and the triangle's own number. A first vertex
                // is not part of a vertex's number, and a base vertex neither.
                let (corner, number, primitive) = match (self.indices, upper) {
                    (None, true) => (0, 0, 0),
                    (None, false) => (1, 1, 1),
                    (Some(_), true) => (0, BIAS, 1),
                    (Some(_), false) => (3, BIAS + 3, 0),
                };
                *pixel = [colour(self.shape, corner), tint, number, instance << 16 | primitive];
            });
        }
    }
}

const SQUARE: u32 = 8;

fn vertices() -> impl Iterator<Item = (u32, u32)> {
    (0..SHAPES).flat_map(|shape| (0..4).map(move |corner| (shape, corner)))
}

/// Shapes are squares that begin at places of their own.
fn place(shape: u32, corner: u32) -> (u32, u32) {
    (2 * shape + SQUARE * (corner & 1), shape + SQUARE * (corner >> 1))
}

/// Instances lie in a grid.
fn offset(instance: u32) -> (u32, u32) {
    (16 * (instance % 4), 16 * (instance / 4))
}

fn origin(shape: u32, instance: u32) -> (u32, u32) {
    let ((x, y), (dx, dy)) = (place(shape, 0), offset(instance));
    (x + dx, y + dy)
}

fn colour(shape: u32, corner: u32) -> u32 {
    (1 + corner + 4 * shape).wrapping_mul(0x9e37_79b1)
}

fn tint(instance: u32) -> u32 {
    (100 + instance).wrapping_mul(0x85eb_ca77)
}
