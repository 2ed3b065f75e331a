//! `views`: textures through views of every dimension, of some levels and slices, with components in another order, and in other
//! formats than their own; each texel is compared, and what the view says of its size. `line-views`: the same of one
//! dimension, which libvkd3d 1.2 has not. `layer-views`: views of one layer, which shaders read as an array or as none, whatever the view
//! says. `stencil-views`: stencil as a texture. `null-views`: views of nothing.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::call;
use crate::descriptor::{AS_IS, Elements, Heap};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler::clamping;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Depth;
use crate::texel::{bytes, texels};
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{
    D3D12_CLEAR_FLAGS, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION as Dimension, D3D12_RESOURCE_STATES as State,
    D3D12_ROOT_SIGNATURE_FLAGS, D3D12_SHADER_RESOURCE_VIEW_DESC, D3D12_SHADER_VISIBILITY, D3D12_SRV_DIMENSION as View,
    D3D12_STATIC_SAMPLER_DESC, D3D12_TEX1D_ARRAY_SRV, D3D12_TEX1D_SRV, D3D12_TEX2D_ARRAY_SRV, D3D12_TEX2D_SRV,
    D3D12_TEXCUBE_ARRAY_SRV, DXGI_FORMAT as Format,
};

pub(super) const VIEWS: Program = Program {
    name: "views",
    about: "views of every dimension, of levels, slices, components and other formats",
    run: |stage| views(stage, planes_and_volumes()),
};
pub(super) const LINES: Program = Program {
    name: "line-views",
    about: "views of levels and slices of textures of one dimension",
    run: |stage| views(stage, lines()),
};
pub(super) const LAYERS: Program = Program {
    name: "layer-views",
    about: "views of one layer that shaders read as an array or as none",
    run: |stage| views(stage, layers()),
};
pub(super) const STENCIL: Program =
    Program { name: "stencil-views", about: "stencil that a shader reads as a texture", run: stencil };
pub(super) const NULL: Program =
    Program { name: "null-views", about: "views of nothing, of every dimension", run: null };

/// Of the first level.
const SIZE: u32 = 8;
/// A slice of the output, and how many it has room for.
const SLICE: u32 = SIZE * SIZE;
const SLICES: u32 = 12;

/// A texture, a view of it, and what a shader is to see.
struct Case {
    name: &'static str,
    desc: D3D12_RESOURCE_DESC,
    /// What is stored at a place in a subresource; 32 bits a texel.
    stored: fn(u32) -> u32,
    view: D3D12_SHADER_RESOURCE_VIEW_DESC,
    shader: Shader,
    /// Of the view: which level is read, and what the view says of sizes.
    level: u32,
    sizes: [u32; 4],
    /// The subresource of each slice that is read, and how large it is.
    part: fn(u32) -> u32,
    extent: [u32; 3],
    /// What a texel is for the shader.
    seen: fn(u32) -> [u32; 4],
}

/// Any number for each texel of each subresource.
fn number(part: u32, at: u32) -> u32 {
    (1 + at + 1024 * part).wrapping_mul(0x9e37_79b1).rotate_left(9)
}

/// Bits that are 0 or 1 in each component of 8 bits.
fn extremes(number: u32) -> u32 {
    (0..4).filter(|part| number >> part & 1 == 1).fold(0, |all, part| all | 0xff << (8 * part))
}

fn as_number(stored: u32) -> [u32; 4] {
    [stored, 0, 0, 1]
}

fn as_bytes(stored: u32) -> [u32; 4] {
    stored.to_le_bytes().map(u32::from)
}

/// Floats that are 0 and 1.
fn as_colour(stored: u32) -> [u32; 4] {
    as_bytes(stored).map(|part| (part as f32 / 255.0).to_bits())
}

fn view_of(
    format: Format,
    dimension: View,
    fill: impl Fn(&mut D3D12_SHADER_RESOURCE_VIEW_DESC),
) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut view = D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: format,
        ViewDimension: dimension,
        Shader4ComponentMapping: AS_IS,
        ..Default::default()
    };
    fill(&mut view);
    view
}

fn texture(format: Format, [width, height]: [u32; 2], slices: u16, levels: u16) -> D3D12_RESOURCE_DESC {
    D3D12_RESOURCE_DESC { DepthOrArraySize: slices, MipLevels: levels, ..flat(format, width, height) }
}

/// A plane of one level: what the others differ from.
fn plane(name: &'static str, storage: Format, format: Format) -> Case {
    Case {
        name,
        desc: texture(storage, [SIZE; 2], 1, 1),
        stored: |number| number,
        view: view_of(format, View::TEXTURE2D, |view| view.Anonymous.Texture2D.MipLevels = 1),
        shader: shader!("views.read_plane"),
        level: 0,
        sizes: [SIZE, SIZE, 1, 0],
        part: |_| 0,
        extent: [SIZE, SIZE, 1],
        seen: as_number,
    }
}

fn lines() -> Vec<Case> {
    let number = Format::FORMAT_R32_UINT;
    let line =
        |slices| D3D12_RESOURCE_DESC { Dimension: Dimension::TEXTURE1D, ..texture(number, [SIZE, 1], slices, 3) };
    vec![
        Case {
            desc: line(1),
            view: view_of(number, View::TEXTURE1D, |view| {
                view.Anonymous.Texture1D =
                    D3D12_TEX1D_SRV { MostDetailedMip: 1, MipLevels: 2, ResourceMinLODClamp: 0.0 };
            }),
            shader: shader!("views.read_line"),
            sizes: [SIZE / 2, 2, 0, 0],
            part: |_| 1,
            extent: [SIZE / 2, 1, 1],
            ..plane("the lower levels of a line", number, number)
        },
        Case {
            desc: line(3),
            view: view_of(number, View::TEXTURE1DARRAY, |view| {
                view.Anonymous.Texture1DArray =
                    D3D12_TEX1D_ARRAY_SRV { MipLevels: 3, FirstArraySlice: 1, ArraySize: 2, ..Default::default() };
            }),
            shader: shader!("views.read_lines"),
            level: 1,
            sizes: [SIZE / 2, 2, 3, 0],
            part: |row| 3 * (1 + row) + 1,
            extent: [SIZE / 2, 2, 1],
            ..plane("two of three lines", number, number)
        },
    ]
}

fn planes_and_volumes() -> Vec<Case> {
    let number = Format::FORMAT_R32_UINT;
    let volume = D3D12_RESOURCE_DESC { Dimension: Dimension::TEXTURE3D, ..texture(number, [SIZE; 2], 4, 3) };
    let cubes = texture(Format::FORMAT_R8G8B8A8_UNORM, [SIZE; 2], 18, 1);
    let colours = |name, storage, format| Case {
        stored: extremes,
        shader: shader!("views.read_floats"),
        seen: as_colour,
        ..plane(name, storage, format)
    };
    vec![
        Case {
            desc: texture(number, [SIZE; 2], 1, 4),
            view: view_of(number, View::TEXTURE2D, |view| {
                view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MostDetailedMip: 1, MipLevels: 2, ..Default::default() };
            }),
            level: 1,
            sizes: [SIZE / 4, SIZE / 4, 2, 0],
            part: |_| 2,
            extent: [SIZE / 4, SIZE / 4, 1],
            ..plane("the middle levels of a plane", number, number)
        },
        Case {
            desc: texture(number, [SIZE; 2], 4, 2),
            view: view_of(number, View::TEXTURE2DARRAY, |view| {
                view.Anonymous.Texture2DArray = D3D12_TEX2D_ARRAY_SRV {
                    MipLevels: u32::MAX,
                    FirstArraySlice: 1,
                    ArraySize: 2,
                    ..Default::default()
                };
            }),
            shader: shader!("views.read_planes"),
            sizes: [SIZE, SIZE, 2, 2],
            part: |slice| 2 * (1 + slice),
            extent: [SIZE, SIZE, 2],
            ..plane("two of four planes", number, number)
        },
        Case {
            desc: volume,
            view: view_of(number, View::TEXTURE3D, |view| view.Anonymous.Texture3D.MipLevels = 3),
            shader: shader!("views.read_volume"),
            level: 1,
            sizes: [SIZE / 2, SIZE / 2, 2, 3],
            part: |_| 1,
            extent: [SIZE / 2, SIZE / 2, 2],
            ..plane("a level of a volume", number, number)
        },
        Case {
            view: view_of(Format::FORMAT_R8G8B8A8_UINT, View::TEXTURE2D, |view| {
                view.Anonymous.Texture2D.MipLevels = 1;
                // Alpha, zero, red, one.
                view.Shader4ComponentMapping = 3 | 4 << 3 | 5 << 9 | 1 << 12;
            }),
            seen: |stored| [stored >> 24, 0, stored & 0xff, 1],
            ..plane("components in another order", Format::FORMAT_R8G8B8A8_UINT, Format::FORMAT_R8G8B8A8_UINT)
        },
        plane("numbers of no type", Format::FORMAT_R32_TYPELESS, number),
        Case {
            stored: |number| (number as f32).to_bits(),
            seen: |stored| [stored, 0, 0, 1f32.to_bits()],
            ..colours("floats of no type", Format::FORMAT_R32_TYPELESS, Format::FORMAT_R32_FLOAT)
        },
        Case {
            stored: |number| number,
            seen: as_bytes,
            ..plane("bytes of no type", Format::FORMAT_R8G8B8A8_TYPELESS, Format::FORMAT_R8G8B8A8_UINT)
        },
        colours("colours of no type", Format::FORMAT_R8G8B8A8_TYPELESS, Format::FORMAT_R8G8B8A8_UNORM),
        // Both ends of the scale are what they are.
        colours("colours by another curve", Format::FORMAT_R8G8B8A8_TYPELESS, Format::FORMAT_R8G8B8A8_UNORM_SRGB),
        Case {
            seen: |stored| {
                let [blue, green, red, alpha] = as_colour(stored);
                [red, green, blue, alpha]
            },
            ..colours("blue before red", Format::FORMAT_B8G8R8A8_UNORM, Format::FORMAT_B8G8R8A8_UNORM)
        },
        Case {
            desc: cubes,
            view: view_of(cubes.Format, View::TEXTURECUBE, |view| view.Anonymous.TextureCube.MipLevels = 1),
            shader: shader!("views.read_cube"),
            part: |face| face,
            extent: [SIZE, SIZE, 6],
            seen: as_bytes,
            ..plane("a cube", cubes.Format, cubes.Format)
        },
        Case {
            desc: cubes,
            view: view_of(cubes.Format, View::TEXTURECUBEARRAY, |view| {
                view.Anonymous.TextureCubeArray =
                    D3D12_TEXCUBE_ARRAY_SRV { MipLevels: 1, First2DArrayFace: 6, NumCubes: 2, ..Default::default() };
            }),
            shader: shader!("views.read_cubes"),
            sizes: [SIZE, SIZE, 2, 1],
            part: |face| 6 + face,
            extent: [SIZE, SIZE, SLICES],
            seen: as_bytes,
            ..plane("two of three cubes", cubes.Format, cubes.Format)
        },
    ]
}

/// One layer, by each kind of view and of declaration.
fn layers() -> Vec<Case> {
    let number = Format::FORMAT_R32_UINT;
    let (planes, line) = (texture(number, [SIZE; 2], 4, 2), Dimension::TEXTURE1D);
    let lines = D3D12_RESOURCE_DESC { Dimension: line, ..texture(number, [SIZE, 1], 3, 2) };
    let (first, count) = (2, 1);
    let third_plane = view_of(number, View::TEXTURE2DARRAY, |view| {
        view.Anonymous.Texture2DArray =
            D3D12_TEX2D_ARRAY_SRV { MipLevels: 2, FirstArraySlice: first, ArraySize: count, ..Default::default() };
    });
    let third_line = view_of(number, View::TEXTURE1DARRAY, |view| {
        view.Anonymous.Texture1DArray =
            D3D12_TEX1D_ARRAY_SRV { MipLevels: 2, FirstArraySlice: first, ArraySize: count, ..Default::default() };
    });
    let plain_line = view_of(number, View::TEXTURE1D, |view| view.Anonymous.Texture1D.MipLevels = 2);
    let extent = [SIZE, 1, 1];
    let third = |name| Case { desc: planes, view: third_plane, part: |_| 4, ..plane(name, number, number) };
    let third_of_lines = |name| Case {
        desc: lines,
        view: third_line,
        shader: shader!("views.read_line"),
        sizes: [SIZE, 2, 0, 0],
        extent,
        ..third(name)
    };
    vec![
        Case { sizes: [SIZE, SIZE, 2, 0], ..third("an array of one plane as a plane") },
        Case {
            shader: shader!("views.read_planes"),
            sizes: [SIZE, SIZE, 1, 2],
            ..third("an array of one plane as an array")
        },
        Case {
            shader: shader!("views.read_planes"),
            sizes: [SIZE, SIZE, 1, 1],
            ..plane("a plane as an array", number, number)
        },
        third_of_lines("an array of one line as a line"),
        Case {
            shader: shader!("views.read_lines"),
            sizes: [SIZE, 1, 2, 0],
            ..third_of_lines("an array of one line as an array")
        },
        Case {
            view: plain_line,
            shader: shader!("views.read_lines"),
            part: |_| 0,
            sizes: [SIZE, 1, 2, 0],
            ..third_of_lines("a line as an array")
        },
    ]
}

fn views(stage: &Stage, cases: Vec<Case>) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    let mut reader = Reader::new(stage)?;
    for case in cases {
        let content = case.content();
        let bytes: Vec<Vec<u8>> = content.iter().map(|part| bytes(part)).collect();
        let state = State::NON_PIXEL_SHADER_RESOURCE;
        let (texture, _upload) = Texture::filled(&stage.device, &mut reader.list, &case.desc, &bytes, state)?;
        let got = reader.read(stage, &case, Some(&texture))?;
        case.check(&got, case.sizes, &|part, at| (case.seen)(content[part as usize][at]), &mut digest)?;
    }
    Ok(digest)
}

/// The same views of no texture: all that can be read is zero.
fn null(stage: &Stage) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    let mut reader = Reader::new(stage)?;
    for case in planes_and_volumes().into_iter().chain(lines()) {
        let got = reader.read(stage, &case, None)?;
        case.check(&got, [0; 4], &|_, _| [0; 4], &mut digest)?;
    }
    Ok(digest)
}

/// Stencil is the second component of what is seen.
fn stencil(stage: &Stage) -> Result<Digest, Failure> {
    let formats = [
        (Format::FORMAT_R32G8X24_TYPELESS, Format::FORMAT_D32_FLOAT_S8X24_UINT, Format::FORMAT_X32_TYPELESS_G8X24_UINT),
        (Format::FORMAT_R24G8_TYPELESS, Format::FORMAT_D24_UNORM_S8_UINT, Format::FORMAT_X24_TYPELESS_G8_UINT),
    ];
    let mut digest = Digest::new();
    let mut reader = Reader::new(stage)?;
    for (storage, format, seen) in formats {
        let depth = Depth::new(&stage.device, storage, format, SIZE, SIZE)?;
        let flags = D3D12_CLEAR_FLAGS(D3D12_CLEAR_FLAGS::DEPTH.0 | D3D12_CLEAR_FLAGS::STENCIL.0);
        let mut stencil = Picture::new(SIZE, SIZE, 200u8);
        reader.list.clear_depth(&depth, flags, (0.5, 200), &[]);
        for (value, area) in [(77, Area::at(1, 1, 5, 3)), (255, Area::at(4, 2, 4, 6)), (0, Area::at(0, 7, 8, 1))] {
            reader.list.clear_depth(&depth, D3D12_CLEAR_FLAGS::STENCIL, (0.0, value), &[area]);
            stencil.fill(area, value);
        }
        reader.list.transition(&depth.texture.com, State::DEPTH_WRITE, State::NON_PIXEL_SHADER_RESOURCE);
        let case = Case {
            view: view_of(seen, View::TEXTURE2D, |view| {
                view.Anonymous.Texture2D = D3D12_TEX2D_SRV { MipLevels: 1, PlaneSlice: 1, ..Default::default() };
                // The first component has no type: show the second alone.
                view.Shader4ComponentMapping = 4 | 1 << 3 | 4 << 6 | 4 << 9 | 1 << 12;
            }),
            ..plane("stencil", storage, seen)
        };
        let got = reader.read(stage, &case, Some(&depth.texture))?;
        let seen = |_, at: usize| [0, stencil.texels[at].into(), 0, 0];
        case.check(&got, [SIZE, SIZE, 1, 0], &seen, &mut digest)?;
    }
    Ok(digest)
}

impl Case {
    /// All subresources.
    fn content(&self) -> Vec<Vec<u32>> {
        let volume = self.desc.Dimension == Dimension::TEXTURE3D;
        let slices = if volume { 1 } else { u32::from(self.desc.DepthOrArraySize) };
        let levels = u32::from(self.desc.MipLevels);
        (0..slices * levels)
            .map(|part| {
                let [width, height] =
                    [self.desc.Width as u32, self.desc.Height].map(|size| (size >> (part % levels)).max(1));
                let depth = if volume { u32::from(self.desc.DepthOrArraySize) >> (part % levels) } else { 1 };
                (0..width * height * depth).map(|at| (self.stored)(number(part, at))).collect()
            })
            .collect()
    }

    /// Compares sizes and texels; `seen` tells what a texel of a subresource is.
    fn check(
        &self,
        got: &[[u32; 4]],
        sizes: [u32; 4],
        seen: &dyn Fn(u32, usize) -> [u32; 4],
        digest: &mut Digest,
    ) -> Result<(), Failure> {
        let [width, height, depth] = self.extent;
        let (mut texels, mut expected) = (vec![got[0]], vec![sizes]);
        for (z, y, x) in (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (z, y, x)))) {
            texels.push(got[(1 + x + SIZE * y + SLICE * z) as usize]);
            // What selects a subresource does not select within it.
            let (part, at) = match self.view.ViewDimension {
                View::TEXTURE1DARRAY => ((self.part)(y), x),
                View::TEXTURE3D => ((self.part)(0), x + width * (y + height * z)),
                _ => ((self.part)(z), x + width * y),
            };
            expected.push(seen(part, at as usize));
        }
        Failure::unless_equal(self.name, &texels, &expected)?;
        digest.add(&bytes(&texels));
        Ok(())
    }
}

/// What all cases share.
struct Reader {
    root: RootSignature,
    list: List,
    output: Buffer,
}

impl Reader {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let parameters =
            [Parameter::Constants { register: 0, count: 1 }, Parameter::Table(&[Range::srv(0, 1), Range::uav(0, 1)])];
        let sampler = D3D12_STATIC_SAMPLER_DESC { ShaderVisibility: D3D12_SHADER_VISIBILITY::ALL, ..clamping(0) };
        let root = RootSignature::new(device, &parameters, &[sampler], D3D12_ROOT_SIGNATURE_FLAGS::NONE)?;
        let output = Buffer::writable(device, u64::from(16 * (1 + SLICE * SLICES)))?;
        Ok(Self { root, list: List::direct(device)?, output })
    }

    /// Reads a texture, or nothing, by a case's view and shader.
    fn read(&mut self, stage: &Stage, case: &Case, texture: Option<&Texture>) -> Result<Vec<[u32; 4]>, Failure> {
        let device = &stage.device;
        let heap = Heap::visible(device, 2)?;
        let (resource, view) = (texture.map(|texture| &texture.com), &raw const case.view);
        call!(device.com, "ID3D12Device", "CreateShaderResourceView", resource, view, heap.cpu(0).ptr);
        heap.buffer_uav(1, &self.output, Elements::raw(0, self.output.size as u32 / 4));
        let pipeline = Pipeline::compute(stage, &self.root, &case.shader)?;
        let list = &mut self.list;
        list.set_heap(&heap);
        list.set_compute_root(&self.root);
        list.set_pipeline(&pipeline);
        list.compute_constants(0, &[case.level]);
        list.compute_table(1, heap.gpu(0));
        list.dispatch(1, 1, case.extent[2]);
        let got = buffer::fetch(device, &stage.queue, list, &self.output, State::UNORDERED_ACCESS)?.read()?;
        Ok(texels(&got))
    }
}
