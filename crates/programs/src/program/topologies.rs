//! `topologies`: points, lines and triangles as lists and strips, and strips cut by indices of both widths. `neighbours`: lines
//! and triangles with neighbours that no shader asks for; by itself, because libvkd3d 1.2 draws them wrong. `cut-lists`: indices
//! that end primitives of lists, where `REPRISE_LIST_CUTS=1` asks for it. The picture has each primitive's number and
//! that of its first vertex.

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
use reprise_d3d12::types::{
    D3D_PRIMITIVE_TOPOLOGY as Topology, D3D12_INDEX_BUFFER_STRIP_CUT_VALUE as Cut, D3D12_INDEX_BUFFER_VIEW,
    D3D12_PRIMITIVE_TOPOLOGY_TYPE as Type, D3D12_VERTEX_BUFFER_VIEW, DXGI_FORMAT,
};

pub(super) const TOPOLOGIES: Program =
    Program { name: "topologies", about: "points, lines, triangles, strips and cuts", run: |stage| run(stage, &CASES) };
pub(super) const NEIGHBOURS: Program = Program {
    name: "neighbours",
    about: "lines and triangles with neighbours that no shader asks for",
    run: |stage| run(stage, &NEIGHBOUR_CASES),
};

pub(super) const CUT_LISTS: Program =
    Program { name: "cut-lists", about: "indices that end primitives of lists", run: cut_lists };

/// Makes our runtime end primitives of lists.
const LIST_CUTS: &str = "REPRISE_LIST_CUTS";

fn cut_lists(stage: &Stage) -> Result<Digest, Failure> {
    if std::env::var_os(LIST_CUTS).is_none() {
        return Err(Failure::Cannot(format!("indices end primitives of lists where {LIST_CUTS}=1 asks for it")));
    }
    run(stage, &CUT_LIST_CASES)
}

const VERTEX: Shader = shader!("vertices.centred");
const PIXEL: Shader = shader!("vertices.pixel");
const SIZE: u32 = 32;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;

/// Vertices are in half pixels: odd ones are centres of pixels, even ones are corners.
struct Case {
    name: &'static str,
    kind: Type,
    topology: Topology,
    vertices: &'static [[u16; 2]],
    indices: Indices,
    /// The primitives in order: what each covers, and its first vertex.
    primitives: &'static [(Cover, u32)],
}

enum Indices {
    None,
    /// With a cut wherever all bits are set.
    Narrow(&'static [u16]),
    Wide(&'static [u32]),
}

enum Cover {
    /// A point, or a line to the right or down, from the pixel where it starts up to the one where it ends, without that.
    Pixels(Area),
    /// The upper left half of a square, without its diagonal.
    Upper(Area),
    /// The lower right half, with it.
    Lower(Area),
}

use Cover::{Lower, Pixels, Upper};

/// Somewhere; neighbours are not drawn.
const NEAR: [u16; 2] = [60, 60];
const SQUARES: [Area; 2] = [Area::at(4, 0, 8, 8), Area::at(4, 8, 8, 8)];
/// The corners of two squares, one below the other.
const CORNERS: [[u16; 2]; 6] = [[8, 0], [24, 0], [8, 16], [24, 16], [8, 32], [24, 32]];
const BENDS: [[u16; 2]; 4] = [[1, 21], [11, 21], [11, 31], [21, 31]];

const CASES: [Case; 7] = [
    Case {
        name: "points",
        kind: Type::POINT,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST,
        vertices: &[[1, 1], [5, 9], [31, 21]],
        indices: Indices::None,
        primitives: &[
            (Pixels(Area::at(0, 0, 1, 1)), 0),
            (Pixels(Area::at(2, 4, 1, 1)), 1),
            (Pixels(Area::at(15, 10, 1, 1)), 2),
        ],
    },
    Case {
        name: "lines",
        kind: Type::LINE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST,
        vertices: &[[1, 1], [9, 1], [3, 5], [3, 15]],
        indices: Indices::None,
        primitives: &[(Pixels(Area::at(0, 0, 4, 1)), 0), (Pixels(Area::at(1, 2, 1, 5)), 2)],
    },
    Case {
        name: "a strip of lines",
        kind: Type::LINE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_LINESTRIP,
        vertices: &BENDS,
        indices: Indices::None,
        primitives: &[
            (Pixels(Area::at(0, 10, 5, 1)), 0),
            (Pixels(Area::at(5, 10, 1, 5)), 1),
            (Pixels(Area::at(5, 15, 5, 1)), 2),
        ],
    },
    Case {
        name: "a strip of lines with a cut",
        kind: Type::LINE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_LINESTRIP,
        vertices: &BENDS,
        indices: Indices::Narrow(&[0, 1, 0xffff, 2, 3]),
        primitives: &[(Pixels(Area::at(0, 10, 5, 1)), 0), (Pixels(Area::at(5, 15, 5, 1)), 2)],
    },
    Case {
        name: "triangles",
        kind: Type::TRIANGLE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST,
        vertices: &[CORNERS[0], CORNERS[1], CORNERS[2], CORNERS[5], CORNERS[4], CORNERS[3]],
        indices: Indices::None,
        primitives: &[(Upper(SQUARES[0]), 0), (Lower(SQUARES[1]), 3)],
    },
    Case {
        name: "a strip of triangles",
        kind: Type::TRIANGLE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP,
        vertices: &CORNERS,
        indices: Indices::None,
        primitives: &[(Upper(SQUARES[0]), 0), (Lower(SQUARES[0]), 1), (Upper(SQUARES[1]), 2), (Lower(SQUARES[1]), 3)],
    },
    Case {
        name: "a strip of triangles with a cut",
        kind: Type::TRIANGLE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP,
        vertices: &CORNERS,
        indices: Indices::Wide(&[0, 1, 2, u32::MAX, 3, 4, 5]),
        primitives: &[(Upper(SQUARES[0]), 0), (Lower(SQUARES[1]), 3)],
    },
];

const NEIGHBOUR_CASES: [Case; 4] = [
    Case {
        name: "lines with neighbours",
        kind: Type::LINE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST_ADJ,
        vertices: &[NEAR, [1, 1], [9, 1], NEAR, NEAR, [3, 5], [3, 15], NEAR],
        indices: Indices::None,
        primitives: &[(Pixels(Area::at(0, 0, 4, 1)), 1), (Pixels(Area::at(1, 2, 1, 5)), 5)],
    },
    Case {
        name: "a strip of lines with neighbours",
        kind: Type::LINE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_LINESTRIP_ADJ,
        vertices: &[NEAR, BENDS[0], BENDS[1], BENDS[2], NEAR],
        indices: Indices::None,
        primitives: &[(Pixels(Area::at(0, 10, 5, 1)), 1), (Pixels(Area::at(5, 10, 1, 5)), 2)],
    },
    Case {
        name: "triangles with neighbours",
        kind: Type::TRIANGLE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST_ADJ,
        vertices: &[CORNERS[2], NEAR, CORNERS[3], NEAR, CORNERS[4], NEAR],
        indices: Indices::None,
        primitives: &[(Upper(SQUARES[1]), 0)],
    },
    Case {
        name: "a strip of triangles with neighbours",
        kind: Type::TRIANGLE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP_ADJ,
        vertices: &[CORNERS[0], NEAR, CORNERS[1], NEAR, CORNERS[2], NEAR, CORNERS[3], NEAR],
        indices: Indices::None,
        primitives: &[(Upper(SQUARES[0]), 0), (Lower(SQUARES[0]), 2)],
    },
];

/// The cut takes effect in every topology, and incomplete primitives are left out (Direct3D 11.3 Functional Specification, 8.12 and 8.13).
const CUT_LIST_CASES: [Case; 4] = [
    Case {
        name: "lines with a cut",
        kind: Type::LINE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST,
        vertices: &[[1, 1], [9, 1], [3, 5], [3, 15], [31, 31]],
        indices: Indices::Narrow(&[0, 1, 4, 0xffff, 2, 3]),
        primitives: &[(Pixels(Area::at(0, 0, 4, 1)), 0), (Pixels(Area::at(1, 2, 1, 5)), 2)],
    },
    Case {
        name: "triangles with cuts",
        kind: Type::TRIANGLE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST,
        vertices: &[CORNERS[0], CORNERS[1], CORNERS[2], CORNERS[5], CORNERS[4], CORNERS[3]],
        indices: Indices::Wide(&[0, 1, u32::MAX, 0, 1, 2, 5, u32::MAX, 3, 4, 5]),
        primitives: &[(Upper(SQUARES[0]), 0), (Lower(SQUARES[1]), 3)],
    },
    Case {
        name: "lines with neighbours and a cut",
        kind: Type::LINE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST_ADJ,
        vertices: &[NEAR, [1, 1], [9, 1], NEAR, NEAR, [3, 5], [3, 15], NEAR],
        indices: Indices::Narrow(&[0, 1, 2, 0xffff, 4, 5, 6, 7]),
        primitives: &[(Pixels(Area::at(1, 2, 1, 5)), 5)],
    },
    Case {
        name: "triangles with neighbours and a cut",
        kind: Type::TRIANGLE,
        topology: Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST_ADJ,
        vertices: &[CORNERS[2], NEAR, CORNERS[3], NEAR, CORNERS[4], NEAR],
        indices: Indices::Wide(&[0, 1, 2, 3, 4, u32::MAX, 0, 1, 2, 3, 4, 5]),
        primitives: &[(Upper(SQUARES[1]), 0)],
    },
];

fn run(stage: &Stage, cases: &[Case]) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Parameter::Constants { register: 0, count: 2 }], &[])?;
    let elements = [element(c"CORNER", DXGI_FORMAT::FORMAT_R16G16_UINT, 0, 0, 0)];
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for case in cases {
        let (format, indices, cut) = case.indices();
        let pipeline = Pipeline::graphics(
            stage,
            &Description {
                InputLayout: layout(&elements),
                PrimitiveTopologyType: case.kind,
                IBStripCutValue: cut,
                ..plain(stage, &root, &VERTEX, &PIXEL, &[FORMAT])
            },
        )?;
        let content = bytes(case.vertices);
        let mut buffer = Buffer::upload(device, (content.len() + indices.len()) as u64)?;
        buffer.write(0, &content);
        buffer.write(content.len() as u64, &indices);

        list.set_graphics_root(&root);
        list.set_pipeline(&pipeline);
        list.graphics_constants(0, &[(2.0 / SIZE as f32).to_bits(); 2]);
        list.targets(&[&target], None);
        list.square(SIZE);
        list.topology(case.topology);
        list.clear_target(&target, [0.0; 4], &[]);
        list.vertex_buffers(
            0,
            &[D3D12_VERTEX_BUFFER_VIEW {
                BufferLocation: buffer.address,
                SizeInBytes: content.len() as u32,
                StrideInBytes: 4,
            }],
        );
        match case.indices {
            Indices::None => list.draw(case.vertices.len() as u32, 1, 0, 0),
            Indices::Narrow(_) | Indices::Wide(_) => {
                list.index_buffer(&D3D12_INDEX_BUFFER_VIEW {
                    BufferLocation: buffer.address + content.len() as u64,
                    SizeInBytes: indices.len() as u32,
                    Format: format,
                });
                let size = if format == DXGI_FORMAT::FORMAT_R16_UINT { 2 } else { 4 };
                list.draw_indexed(indices.len() as u32 / size, 1, 0, 0, 0);
            }
        }
        target.check(stage, &mut list, case.name, &case.expect(), &mut digest)?;
    }
    Ok(digest)
}

impl Case {
    fn indices(&self) -> (DXGI_FORMAT, Vec<u8>, Cut) {
        match self.indices {
            Indices::None => (DXGI_FORMAT::FORMAT_UNKNOWN, Vec::new(), Cut::VALUE_DISABLED),
            Indices::Narrow(indices) => (DXGI_FORMAT::FORMAT_R16_UINT, bytes(indices), Cut::VALUE_0xFFFF),
            Indices::Wide(indices) => (DXGI_FORMAT::FORMAT_R32_UINT, bytes(indices), Cut::VALUE_0xFFFFFFFF),
        }
    }

    fn expect(&self) -> Picture<[u32; 4]> {
        let mut picture = Picture::new(SIZE, SIZE, [0; 4]);
        for (primitive, (cover, vertex)) in self.primitives.iter().enumerate() {
            let [x, y] = self.vertices[*vertex as usize].map(u32::from);
            let (Pixels(area) | Upper(area) | Lower(area)) = cover;
            picture.draw(*area, |column, row, pixel| {
                let upper = column - area.left + row - area.top + 1 < area.right - area.left;
                if !matches!((cover, upper), (Upper(_), false) | (Lower(_), true)) {
                    *pixel = [x, y, *vertex, primitive as u32];
                }
            });
        }
        picture
    }
}
