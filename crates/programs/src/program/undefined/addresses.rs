//! `undefined-addresses`: addresses without a resource. What is read there is zero, what is written there goes nowhere, and the list runs.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::{Com, Null, call, create};
use crate::descriptor::Heap;
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{element, layout, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program = Program { name: "undefined-addresses", about: "addresses without a resource", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const NUMBER: Shader = shader!("rectangle.number");
const CENTRED: Shader = shader!("vertices.centred");
const PIXEL: Shader = shader!("vertices.pixel");
/// Copies eight words from one root view to another, and adds a constant.
const MOVE: Shader = shader!("dispatches.move");
const SIZE: u32 = 16;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
const AREA: Area = Area::at(2, 2, 8, 8);
const VALUE: [u32; 4] = [1, 2, 3, 4];
/// Words that a dispatch moves.
const WORDS: u32 = 8;
/// Large enough for memory of its own.
const LARGE: u64 = 256 << 20;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let whole = Buffer::copied(device, LARGE / 16)?;
    let released = Buffer::copied(device, LARGE)?.address;
    let places = [
        ("no buffer's", 0xdead_0000),
        ("null", 0),
        ("a buffer's end", whole.address + whole.size),
        ("a released buffer's", released),
    ];
    let mut program = Astray::new(stage)?;
    for (what, address) in places {
        program.graphics(what, address)?;
        program.bundle(what, address)?;
        program.roots(what, address)?;
        program.others(what, address)?;
    }
    Ok(program.digest)
}

struct Astray<'a> {
    stage: &'a Stage,
    list: List,
    root: RootSignature,
    pipeline: Pipeline,
    target: Target,
    moves: (RootSignature, Pipeline),
    digest: Digest,
}

fn vertices(address: u64) -> D3D12_VERTEX_BUFFER_VIEW {
    D3D12_VERTEX_BUFFER_VIEW { BufferLocation: address, SizeInBytes: 1 << 16, StrideInBytes: 16 }
}

impl<'a> Astray<'a> {
    fn new(stage: &'a Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
        let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &VERTEX, &NUMBER, &[FORMAT]))?;
        let moves = RootSignature::compute(device, &[Parameter::Cbv(0), Parameter::Srv(0), Parameter::Uav(0)])?;
        let moved = Pipeline::compute(stage, &moves, &MOVE)?;
        let (target, list) = (Target::new(device, FORMAT, SIZE, SIZE)?, List::direct(device)?);
        Ok(Astray { stage, list, root, pipeline, target, moves: (moves, moved), digest: Digest::new() })
    }

    fn ready(&mut self) {
        call!(self.list.com, "ID3D12GraphicsCommandList", "ClearState", Null);
        self.list.clear_target(&self.target, [0.0; 4], &[]);
        self.list.targets(&[&self.target], None);
        self.list.set_graphics_root(&self.root);
        self.list.square(SIZE);
        self.list.set_pipeline(&self.pipeline);
        self.list.graphics_constants(0, &Rectangle::new(AREA, SIZE, VALUE).words());
    }

    fn check(&mut self, what: &str, drawn: bool) -> Result<(), Failure> {
        let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
        if drawn {
            expected.fill(AREA, VALUE);
        }
        self.target.check(self.stage, &mut self.list, what, &expected, &mut self.digest)
    }

    /// Vertex buffers that are not read and that are, indices, and stream output without a shader that streams.
    fn graphics(&mut self, what: &str, address: u64) -> Result<(), Failure> {
        self.ready();
        self.list.vertex_buffers(0, &[vertices(address), vertices(address)]);
        let stream = D3D12_STREAM_OUTPUT_BUFFER_VIEW {
            BufferLocation: address,
            SizeInBytes: 256,
            BufferFilledSizeLocation: address,
        };
        call!(self.list.com, "ID3D12GraphicsCommandList", "SOSetTargets", 0u32, 1u32, &raw const stream);
        self.list.draw(4, 1, 0, 0);
        self.check(&format!("a draw with unread buffers at {what} address"), true)?;
        let corner = [element(c"CORNER", DXGI_FORMAT::FORMAT_R32G32_UINT, 0, 0, 0)];
        let mut desc = plain(self.stage, &self.root, &CENTRED, &PIXEL, &[FORMAT]);
        desc.InputLayout = layout(&corner);
        let pipeline = Pipeline::graphics(self.stage, &desc)?;
        self.ready();
        self.list.set_pipeline(&pipeline);
        self.list.vertex_buffers(0, &[vertices(address)]);
        self.list.draw(4, 1, 0, 0);
        self.check(&format!("vertices at {what} address"), false)?;
        self.ready();
        let format = DXGI_FORMAT::FORMAT_R32_UINT;
        self.list.index_buffer(&D3D12_INDEX_BUFFER_VIEW { BufferLocation: address, SizeInBytes: 64, Format: format });
        self.list.draw_indexed(4, 1, 0, 0, 0);
        self.check(&format!("indices at {what} address"), false)
    }

    /// The same in a bundle: what stands behind is drawn.
    fn bundle(&mut self, what: &str, address: u64) -> Result<(), Failure> {
        let mut bundle = List::new(&self.stage.device, D3D12_COMMAND_LIST_TYPE::BUNDLE)?;
        bundle.set_graphics_root(&self.root);
        bundle.set_pipeline(&self.pipeline);
        // Nothing dispatches in the bundle's pipeline state: this alone is left out.
        bundle.dispatch(1, 1, 1);
        bundle.vertex_buffers(0, &[vertices(address)]);
        bundle.topology(D3D_PRIMITIVE_TOPOLOGY::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP);
        bundle.rectangle(&Rectangle::new(AREA, SIZE, VALUE));
        bundle.close()?;
        self.ready();
        call!(self.list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
        self.check(&format!("a bundle with vertices at {what} address"), true)
    }

    /// Root views of every kind.
    fn roots(&mut self, what: &str, address: u64) -> Result<(), Failure> {
        let device = &self.stage.device;
        // Where the words go, in words, and what is added.
        let constants: Vec<u32> = [WORDS, 5].into_iter().chain([0; 62]).collect();
        let (constants, input) = (Buffer::uploaded(device, &constants)?, Buffer::uploaded(device, &[7; 64])?);
        let output = Buffer::writable(device, u64::from(4 * 3 * WORDS))?;
        let (root, pipeline) = &self.moves;
        self.list.set_compute_root(root);
        self.list.set_pipeline(pipeline);
        let rows = [
            [address, input.address, output.address],
            [constants.address, address, output.address],
            [constants.address, input.address, address],
            [constants.address, input.address, output.address + 4 * u64::from(WORDS)],
        ];
        for [constants, input, output] in rows {
            self.list.compute_cbv(0, constants);
            self.list.compute_srv(1, input);
            self.list.compute_uav(2, output);
            self.list.dispatch(1, 1, 1);
        }
        let state = State::UNORDERED_ACCESS;
        let got = buffer::fetch(device, &self.stage.queue, &mut self.list, &output, state)?.read_u32()?;
        // Constants of zeros; an input of zeros; no output; and all there.
        let expected: Vec<u32> = [7, 5, 12].into_iter().flat_map(|value| [value; WORDS as usize]).collect();
        Failure::unless_equal(&format!("root views at {what} address"), &got, &expected)
    }

    /// Descriptors, indirect arguments and their counts.
    fn others(&mut self, what: &str, address: u64) -> Result<(), Failure> {
        let device = &self.stage.device;
        let heap = Heap::visible(device, 2)?;
        heap.cbv(0, address & !0xff, 256);
        let arguments = Buffer::uploaded(device, &[4, 1, 0, 0])?;
        let signature = draws(self.stage)?;
        self.ready();
        self.list.set_heap(&heap);
        for (offset, counter) in [(1u64 << 40, None), (16, None), (0, Some(16)), (0, Some(address & !3 | 1 << 41))] {
            let count = counter.map(|_| &arguments.com);
            call!(
                self.list.com,
                "ID3D12GraphicsCommandList",
                "ExecuteIndirect",
                &signature,
                1u32,
                &arguments.com,
                offset,
                count,
                counter.unwrap_or(0)
            );
        }
        self.check(&format!("indirect draws at {what} address"), false)?;
        self.ready();
        let none: Option<&Com> = None;
        call!(
            self.list.com,
            "ID3D12GraphicsCommandList",
            "ExecuteIndirect",
            &signature,
            1u32,
            &arguments.com,
            0u64,
            none,
            0u64
        );
        self.check("an indirect draw", true)
    }
}

fn draws(stage: &Stage) -> Result<Com, Failure> {
    let argument = D3D12_INDIRECT_ARGUMENT_DESC { Type: D3D12_INDIRECT_ARGUMENT_TYPE::DRAW, ..Default::default() };
    let desc = D3D12_COMMAND_SIGNATURE_DESC {
        ByteStride: 16,
        NumArgumentDescs: 1,
        pArgumentDescs: &raw const argument,
        ..Default::default()
    };
    let device = &stage.device.com;
    create!(device, "ID3D12Device", "CreateCommandSignature", &raw const desc, Null; "ID3D12CommandSignature")
}
