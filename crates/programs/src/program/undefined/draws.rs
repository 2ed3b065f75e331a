//! `undefined-draws`: draws and dispatches that lack something, or whose buffers, viewports and arguments make no sense. They are
//! left out, and the list goes on.

use super::Program;
use crate::buffer::Buffer;
use crate::com::{Null, call};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{element, layout, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{D3D_PRIMITIVE_TOPOLOGY as Topology, *};

pub(super) const PROGRAM: Program =
    Program { name: "undefined-draws", about: "draws that lack something, or whose state makes no sense", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("rectangle.number");
const EACH: Shader = shader!("samples.each");
const CENTRED: Shader = shader!("vertices.centred");
const PIXEL: Shader = shader!("vertices.pixel");
const SIZE: u32 = 16;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const AREA: Area = Area::at(2, 2, 8, 8);
const VALUE: [u32; 4] = [1, 2, 3, 4];

struct Stray<'a> {
    stage: &'a Stage,
    list: List,
    root: RootSignature,
    pipeline: Pipeline,
    target: Target,
    digest: Digest,
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &NUMBER, &[FORMAT]))?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut stray = Stray { stage, list: List::direct(device)?, root, pipeline, target, digest: Digest::new() };
    stray.lacking()?;
    stray.roots()?;
    stray.indices()?;
    stray.areas()?;
    stray.vertices()?;
    Ok(stray.digest)
}

impl Stray<'_> {
    /// Everything that a draw needs, on a target of zeros.
    fn ready(&mut self) {
        call!(self.list.com, "ID3D12GraphicsCommandList", "ClearState", Null);
        self.list.clear_target(&self.target, [0.0; 4], &[]);
        self.list.targets(&[&self.target], None);
        self.list.set_graphics_root(&self.root);
        self.list.square(SIZE);
        self.list.set_pipeline(&self.pipeline);
        self.list.graphics_constants(0, &[0; 12]);
    }

    fn draw(&mut self) {
        self.list.rectangle(&Rectangle::new(AREA, SIZE, VALUE));
    }

    /// Checks that nothing or one rectangle was drawn.
    fn check(&mut self, what: &str, drawn: bool) -> Result<(), Failure> {
        let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
        if drawn {
            expected.fill(AREA, VALUE);
        }
        self.target.check(self.stage, &mut self.list, what, &expected, &mut self.digest)
    }

    /// Without a pipeline state, a root signature or a topology, and with a topology that the pipeline state cannot have.
    fn lacking(&mut self) -> Result<(), Failure> {
        call!(self.list.com, "ID3D12GraphicsCommandList", "ClearState", Null);
        self.list.draw(4, 1, 0, 0);
        self.list.dispatch(1, 1, 1);
        self.ready();
        self.list.dispatch(1, 1, 1);
        self.list.topology(Topology(0));
        self.draw();
        self.list.topology(Topology::D3D_PRIMITIVE_TOPOLOGY_3_CONTROL_POINT_PATCHLIST);
        self.draw();
        self.check("draws that lack something", false)?;
        self.ready();
        call!(self.list.com, "ID3D12GraphicsCommandList", "SetGraphicsRootSignature", Null);
        self.list.draw(4, 1, 0, 0);
        self.check("a draw without a root signature", false)?;
        self.ready();
        self.draw();
        self.check("a draw that lacks nothing", true)
    }

    /// Another root signature than the pipeline state's, and descriptors without a heap of them.
    fn roots(&mut self) -> Result<(), Failure> {
        let device = &self.stage.device;
        let table = [Range::srv(0, 1)];
        let other = RootSignature::graphics(device, &[Parameter::Table(&table), Rectangle::PARAMETER], &[])?;
        let same = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
        self.ready();
        self.list.set_graphics_root(&other);
        self.list.graphics_constants(1, &[7; 12]);
        self.list.draw(4, 1, 0, 0);
        self.check("another root signature", false)?;
        self.ready();
        self.list.set_graphics_root(&same);
        self.draw();
        self.check("an equal root signature", true)?;
        let both = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&table)], &[])?;
        let reads = Pipeline::graphics(self.stage, &plain(self.stage, &both, &VERTEX, &EACH, &[FORMAT]))?;
        self.ready();
        self.list.set_graphics_root(&both);
        self.list.set_pipeline(&reads);
        self.draw();
        self.check("descriptors without a heap", false)
    }

    /// Index buffers that are nowhere, begin within an index, end within one, or end before the draw does.
    fn indices(&mut self) -> Result<(), Failure> {
        let words: Vec<u32> = (0..4).chain([0; 60]).collect();
        let buffer = Buffer::uploaded(&self.stage.device, &words)?;
        let view = |address: u64, size: u32, format: DXGI_FORMAT| D3D12_INDEX_BUFFER_VIEW {
            BufferLocation: address,
            SizeInBytes: size,
            Format: format,
        };
        let wide = DXGI_FORMAT::FORMAT_R32_UINT;
        let rectangle = Rectangle::new(AREA, SIZE, VALUE);
        let rows = [
            ("indices", view(buffer.address, 16, wide), true),
            ("indices that end within one", view(buffer.address, 19, wide), true),
            ("more indices than there are", view(buffer.address, u32::MAX, wide), true),
            ("indices that begin within one", view(buffer.address + 2, 16, wide), false),
            ("bytes as indices", view(buffer.address, 16, DXGI_FORMAT::FORMAT_R8_UINT), false),
            ("indices at no address", view(64, 16, wide), false),
            ("no indices", view(0, 0, wide), false),
            ("an empty index buffer", view(buffer.address, 0, wide), false),
        ];
        for (what, view, drawn) in rows {
            self.ready();
            self.list.index_buffer(&view);
            self.list.graphics_constants(0, &rectangle.words());
            self.list.draw_indexed(4, 1, 0, 0, 0);
            self.check(what, drawn)?;
        }
        // Where a device has no ends of index buffers, it reads what lies behind.
        self.ready();
        self.list.index_buffer(&view(buffer.address, 16, wide));
        self.list.draw_indexed(4, 1, 1 << 20, 0, 0);
        self.list.clear_target(&self.target, [0.0; 4], &[]);
        self.check("indices beyond the end", false)
    }

    /// Vertices farther apart than any device's are zeros; attributes farther behind a vertex than any device's are no pipeline state.
    fn vertices(&mut self) -> Result<(), Failure> {
        let corner = |offset: u32| [element(c"CORNER", DXGI_FORMAT::FORMAT_R32G32_UINT, 0, offset, 0)];
        let (near, far) = (corner(0), corner(1 << 20));
        let mut desc = plain(self.stage, &self.root, &CENTRED, &PIXEL, &[FORMAT]);
        desc.InputLayout = layout(&far);
        let refused = Pipeline::graphics(self.stage, &desc).is_err();
        Failure::unless(refused, || "an attribute a megabyte behind its vertex is taken".into())?;
        desc.InputLayout = layout(&near);
        let pipeline = Pipeline::graphics(self.stage, &desc)?;
        let buffer = Buffer::uploaded(&self.stage.device, &[1; 64])?;
        self.ready();
        self.list.set_pipeline(&pipeline);
        self.list.vertex_buffers(
            0,
            &[D3D12_VERTEX_BUFFER_VIEW { BufferLocation: buffer.address, SizeInBytes: 256, StrideInBytes: u32::MAX }],
        );
        self.list.draw(4, 1, 0, 0);
        self.check("vertices far apart", false)
    }

    /// Viewports and scissors that are no areas, or no device's.
    fn areas(&mut self) -> Result<(), Failure> {
        let good = D3D12_VIEWPORT {
            Width: SIZE as f32,
            Height: SIZE as f32,
            MinDepth: -3.0,
            MaxDepth: f32::INFINITY,
            ..Default::default()
        };
        let rows = [
            ("depths that are none", good, true),
            ("no width", D3D12_VIEWPORT { Width: 0.0, ..good }, false),
            ("a negative width", D3D12_VIEWPORT { Width: -4.0, ..good }, false),
            ("no number", D3D12_VIEWPORT { TopLeftX: f32::NAN, ..good }, false),
            ("an endless viewport", D3D12_VIEWPORT { Height: f32::INFINITY, ..good }, false),
            ("a viewport beyond the device's", D3D12_VIEWPORT { TopLeftY: 1e9, ..good }, false),
        ];
        for (what, viewport, drawn) in rows {
            self.ready();
            call!(self.list.com, "ID3D12GraphicsCommandList", "RSSetViewports", 1u32, &raw const viewport);
            self.draw();
            self.check(what, drawn)?;
        }
        let most = D3D12_RECT { left: i32::MIN, top: i32::MIN, right: i32::MAX, bottom: i32::MAX };
        let turned = D3D12_RECT { left: 9, top: 9, right: 1, bottom: 1 };
        for (what, rect, drawn) in [("the largest scissor", most, true), ("a scissor inside out", turned, false)] {
            self.ready();
            call!(self.list.com, "ID3D12GraphicsCommandList", "RSSetScissorRects", 1u32, &raw const rect);
            self.draw();
            self.check(what, drawn)?;
        }
        // Rectangles of clears are cut to the target.
        self.ready();
        let (colour, rects) = ([5.0f32; 4], [most, turned]);
        let view = self.target.view().ptr;
        call!(
            self.list.com,
            "ID3D12GraphicsCommandList",
            "ClearRenderTargetView",
            view,
            colour.as_ptr(),
            2u32,
            rects.as_ptr()
        );
        let expected = Picture::new(SIZE, SIZE, [5; 4]);
        self.target.check(self.stage, &mut self.list, "a clear of all and nothing", &expected, &mut self.digest)
    }
}
