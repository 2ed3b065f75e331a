//! `undefined-formats`: pipeline states for targets of every format there is, in every slot, and of numbers of samples that a device may
//! lack. Where the device renders to no such target there is none, and what the shader writes elsewhere counts.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::descriptor::{Elements, Heap};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::{Description, plain};
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program =
    Program { name: "undefined-formats", about: "pipeline states for targets of every format", run };

const VERTEX: Shader = shader!("rectangle.vertex");
const ADDS: Shader = shader!("uavs.pixel");
const TWO: Shader = shader!("outputs.two");
const SIZE: u32 = 8;
const SLOTS: u32 = 8;
const BYTES: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const NONE: DXGI_FORMAT = DXGI_FORMAT::FORMAT_UNKNOWN;
const AREA: Area = Area::at(0, 0, SIZE, SIZE);

/// The numbers of all formats.
fn formats() -> impl Iterator<Item = DXGI_FORMAT> {
    (1..=115).chain(130..=132).chain(189..=191).map(DXGI_FORMAT)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    Sums::new(stage)?.check(&mut digest)?;
    second(stage, &mut digest)?;
    Ok(digest)
}

/// What pixels add up beside their targets.
struct Sums<'a> {
    stage: &'a Stage,
    list: List,
    root: RootSignature,
    heap: Heap,
    sums: Buffer,
    /// It is written, and not looked at.
    _visits: Texture,
    /// Lists refer to pipeline states without keeping them.
    made: Vec<Pipeline>,
}

impl<'a> Sums<'a> {
    fn new(stage: &'a Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let table = [Range::uav(0, 2)];
        let root = RootSignature::graphics(device, &[Rectangle::PARAMETER, Parameter::Table(&table)], &[])?;
        let mut desc = flat(DXGI_FORMAT::FORMAT_R32_UINT, SIZE, SIZE);
        desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS;
        let visits = Texture::new(device, &desc, D3D12_RESOURCE_STATES::UNORDERED_ACCESS, None)?;
        let (heap, sums) = (Heap::visible(device, 2)?, Buffer::writable(device, u64::from(4 * SIZE))?);
        let view = D3D12_UNORDERED_ACCESS_VIEW_DESC {
            Format: desc.Format,
            ViewDimension: D3D12_UAV_DIMENSION::TEXTURE2D,
            ..Default::default()
        };
        heap.uav(0, &visits.com, &view);
        heap.buffer_uav(1, &sums, Elements::raw(0, SIZE));
        Ok(Sums { stage, list: List::direct(device)?, root, heap, sums, _visits: visits, made: Vec::new() })
    }

    fn desc(&self, targets: &[DXGI_FORMAT]) -> Description {
        plain(self.stage, &self.root, &VERTEX, &ADDS, targets)
    }

    /// Draws to all pixels, which adds their number to the sum of each row. One triangle: edges between two are drawn twice where pixels
    /// have several samples.
    fn draw(&mut self, what: &str, desc: &Description) -> Result<(), Failure> {
        let made = Pipeline::graphics(self.stage, desc);
        let made = made.map_err(|failure| Failure::Wrong(format!("a pipeline state for {what}: {failure}")))?;
        self.list.set_pipeline(&made);
        let twice = Area::at(0, 0, 2 * SIZE, 2 * SIZE);
        self.list.graphics_constants(0, &Rectangle::new(twice, 2 * SIZE, [1, 1, 0, 0]).words());
        self.list.draw(3, 1, 0, 0);
        self.made.push(made);
        Ok(())
    }

    fn check(&mut self, digest: &mut Digest) -> Result<(), Failure> {
        self.list.set_heap(&self.heap);
        self.list.set_graphics_root(&self.root);
        self.list.graphics_table(1, self.heap.gpu(0));
        self.list.square(2 * SIZE);
        self.list.scissor(AREA);
        self.list.target_views(&[], None);
        for format in formats() {
            // In each slot in turn, the last one.
            let slot = format.0 as u32 % SLOTS;
            let mut targets = vec![NONE; slot as usize];
            targets.push(format);
            self.draw(&format!("format {} in slot {slot}", format.0), &self.desc(&targets))?;
            let mut desc = self.desc(&[]);
            desc.DSVFormat = format;
            (desc.DepthStencilState.DepthEnable, desc.DepthStencilState.StencilEnable) = (1, 1);
            self.draw(&format!("depth and stencil of format {}", format.0), &desc)?;
        }
        for samples in [1, 2, 4, 8, 16, 32] {
            let mut desc = self.desc(&[BYTES]);
            desc.SampleDesc.Count = samples;
            self.draw(&format!("{samples} samples"), &desc)?;
        }
        // Blended, where nothing is.
        let mut desc = self.desc(&[DXGI_FORMAT::FORMAT_BC6H_UF16]);
        desc.BlendState.RenderTarget[0].BlendEnable = 1;
        self.draw("a blended target of blocks", &desc)?;
        for (what, format, samples) in [("format 250", DXGI_FORMAT(250), 1), ("3 samples", BYTES, 3)] {
            let mut desc = self.desc(&[format]);
            desc.SampleDesc.Count = samples;
            let refused = Pipeline::graphics(self.stage, &desc).is_err();
            Failure::unless(refused, || format!("a pipeline state for {what}, which is none, is taken"))?;
        }
        let (list, state) = (&mut self.list, D3D12_RESOURCE_STATES::UNORDERED_ACCESS);
        let read = buffer::fetch(&self.stage.device, &self.stage.queue, list, &self.sums, state)?;
        let (got, pixels) = (read.read_u32()?, SIZE * self.made.len() as u32);
        Failure::unless_equal("sums of rows", &got, &vec![pixels; SIZE as usize])?;
        digest.add(&got.iter().flat_map(|sum| sum.to_le_bytes()).collect::<Vec<u8>>());
        Ok(())
    }
}

/// A shader writes two targets; the first has a format that nothing renders to, and something else is bound there.
fn second(stage: &Stage, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let pipeline = plain(stage, &root, &VERTEX, &TWO, &[DXGI_FORMAT::FORMAT_BC1_UNORM, BYTES]);
    let pipeline = Pipeline::graphics(stage, &pipeline)?;
    let (first, second) = (Target::new(device, BYTES, SIZE, SIZE)?, Target::new(device, BYTES, SIZE, SIZE)?);
    let mut list = List::direct(device)?;
    for target in [&first, &second] {
        list.clear_target(target, [0.0; 4], &[]);
    }
    list.set_graphics_root(&root);
    list.set_pipeline(&pipeline);
    list.square(SIZE);
    list.targets(&[&first, &second], None);
    list.rectangle(&Rectangle { choice: 15, ..Rectangle::new(AREA, SIZE, [1.0f32.to_bits(); 4]) });
    let picture = |colour: [u8; 4]| Picture::new(SIZE, SIZE, colour);
    first.check(stage, &mut list, "a target where the pipeline state has none", &picture([0; 4]), digest)?;
    second.check(stage, &mut list, "the target beside it", &picture([255; 4]), digest)
}
