//! `crossing-queries`: pixels counted by queries of which several are active at a time, in any order; and whether there were any.
//! `predicated-transfers`: clears and copies beside draws that 64 bits skip, as they were when the list was told of them.

use super::Program;
use crate::buffer::{Buffer, fetch};
use crate::com::{Com, Null, Word, call, create};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::RootSignature;
use crate::shader::shader;
use crate::stage::Stage;
use crate::target::Target;
use reprise_d3d12::types::*;

pub(super) const QUERIES: Program =
    Program { name: "crossing-queries", about: "pixels counted by several queries at a time", run: queries };
pub(super) const TRANSFERS: Program =
    Program { name: "predicated-transfers", about: "clears and copies that a value in memory skips", run: transfers };

const SIZE: u32 = 64;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;

/// A target and what draws rectangles into it.
struct Scene {
    root: RootSignature,
    pipeline: Pipeline,
    target: Target,
}

impl Scene {
    fn new(stage: &Stage) -> Result<Self, Failure> {
        let root = RootSignature::graphics(&stage.device, &[Rectangle::PARAMETER], &[])?;
        let (vertex, pixel) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
        let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &pixel, &[FORMAT]))?;
        let target = Target::new(&stage.device, FORMAT, SIZE, SIZE)?;
        Ok(Self { root, pipeline, target })
    }

    fn begin(&self, list: &mut List) {
        list.set_graphics_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.targets(&[&self.target], None);
        list.square(SIZE);
    }
}

/// What the list does with queries; the model plays the same.
#[derive(Clone, Copy)]
enum Step {
    Begin(u32),
    End(u32),
    /// A square of so many pixels a side.
    Draw(u32),
}

/// Nested, crossing, empty, twice the same, and across a change of targets (which begins each draw of the fourth anew).
const STEPS: &[Step] = {
    use Step::{Begin, Draw, End};
    &[
        Begin(0),
        Draw(3),
        Begin(1),
        Draw(5),
        Begin(2),
        End(2),
        Draw(7),
        End(0),
        Draw(11),
        Begin(3),
        End(1),
        Draw(13),
        Begin(0),
        Draw(2),
        End(3),
        End(0),
        Draw(17),
        Begin(4),
        Draw(1),
        End(4),
    ]
};
const COUNT: u32 = 6;

fn queries(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let scene = Scene::new(stage)?;
    let mut list = List::direct(device)?;
    list.clear_target(&scene.target, [0.0; 4], &[]);
    let mut digest = Digest::new();
    for kind in [D3D12_QUERY_TYPE::OCCLUSION, D3D12_QUERY_TYPE::BINARY_OCCLUSION] {
        let desc = D3D12_QUERY_HEAP_DESC { Type: D3D12_QUERY_HEAP_TYPE::OCCLUSION, Count: COUNT, NodeMask: 0 };
        let heap = create!(device.com, "ID3D12Device", "CreateQueryHeap", &raw const desc; "ID3D12QueryHeap")?;
        let results = Buffer::copied(device, u64::from(COUNT) * 8)?;
        scene.begin(&mut list);
        for step in STEPS {
            match *step {
                Step::Begin(index) => {
                    call!(list.com, "ID3D12GraphicsCommandList", "BeginQuery", &heap, kind.0, index);
                }
                Step::End(index) => {
                    call!(list.com, "ID3D12GraphicsCommandList", "EndQuery", &heap, kind.0, index);
                }
                Step::Draw(side) => {
                    list.targets(&[&scene.target], None);
                    list.rectangle(&Rectangle::new(Area::at(4, 5, side, side), SIZE, [side; 4]));
                }
            }
        }
        // The last one never began.
        call!(
            list.com,
            "ID3D12GraphicsCommandList",
            "ResolveQueryData",
            &heap,
            kind.0,
            0u32,
            COUNT - 1,
            &results.com,
            8u64
        );
        let got = fetch(device, &stage.queue, &mut list, &results, D3D12_RESOURCE_STATES::COPY_DEST)?.read()?;
        let got: Vec<u64> = crate::texel::texels(&got);
        let expected = counts().map(|count| if kind == D3D12_QUERY_TYPE::OCCLUSION { count } else { count.min(1) });
        Failure::unless_equal("counts", &got[1..], &expected)?;
        digest.add(&crate::texel::bytes(&got[1..]));
    }
    Ok(digest)
}

/// What each query counts.
fn counts() -> [u64; COUNT as usize - 1] {
    let (mut active, mut counts) = ([false; COUNT as usize - 1], [0; COUNT as usize - 1]);
    for step in STEPS {
        match *step {
            Step::Begin(index) => (active[index as usize], counts[index as usize]) = (true, 0),
            Step::End(index) => active[index as usize] = false,
            Step::Draw(side) => {
                for (count, _) in counts.iter_mut().zip(active).filter(|(_, active)| *active) {
                    *count += u64::from(side * side);
                }
            }
        }
    }
    counts
}

/// Nothing, a low bit, a high one.
const VALUES: [u64; 3] = [0, 1, 1 << 40];

fn transfers(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let scene = Scene::new(stage)?;
    let words: Vec<u32> = VALUES.iter().flat_map(|value| [*value as u32, (*value >> 32) as u32]).collect();
    let values = Buffer::uploaded(device, &words)?;
    // Memory of the GPU: its value changes under way.
    let changing = Buffer::copied(device, 8)?;
    let (source, copies) = (Buffer::uploaded(device, &[7, 8, 9, 10])?, Buffer::copied(device, 96)?);
    let mut list = List::direct(device)?;
    let zeros = Buffer::uploaded(device, &[0; 24])?;
    list.copy_bytes(&copies, 0, &zeros, 0, 96);
    stage.queue.run(&mut list)?;
    list.clear_target(&scene.target, [0.0; 4], &[]);
    let mut expected = Picture::new(SIZE, SIZE, [0u32; 4]);
    let mut copied = [0u32; 24];
    let mut row = 0;
    scene.begin(&mut list);
    for (index, value) in VALUES.into_iter().enumerate() {
        for (operation, skips) in
            [(D3D12_PREDICATION_OP::EQUAL_ZERO, value == 0), (D3D12_PREDICATION_OP::NOT_EQUAL_ZERO, value != 0)]
        {
            predicate(&mut list, Some(&values.com), 8 * index as u64, operation);
            let drawn = Area::at(2, 8 * row, 20, 6);
            let cleared = Area::at(30, 8 * row + 1, 9, 5);
            list.rectangle(&Rectangle::new(drawn, SIZE, [1 + row; 4]));
            list.clear_target(&scene.target, [3.0, 4.0, 5.0, 6.0], &[cleared]);
            list.copy_bytes(&copies, u64::from(16 * row), &source, 0, 16);
            predicate(&mut list, None, 0, operation);
            list.rectangle(&Rectangle::new(Area::at(50, 8 * row, 5, 5), SIZE, [100 + row; 4]));
            if !skips {
                expected.fill(drawn, [1 + row; 4]);
                expected.fill(cleared, [3, 4, 5, 6]);
                copied[4 * row as usize..][..4].copy_from_slice(&[7, 8, 9, 10]);
            }
            expected.fill(Area::at(50, 8 * row, 5, 5), [100 + row; 4]);
            row += 1;
        }
    }
    // The value counts that was there when it was set.
    list.copy_bytes(&changing, 0, &values, 8, 8);
    list.transition(&changing.com, D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::PREDICATION);
    predicate(&mut list, Some(&changing.com), 0, D3D12_PREDICATION_OP::EQUAL_ZERO);
    list.rectangle(&Rectangle::new(Area::at(0, 56, 8, 8), SIZE, [55; 4]));
    expected.fill(Area::at(0, 56, 8, 8), [55; 4]);
    predicate(&mut list, None, 0, D3D12_PREDICATION_OP::EQUAL_ZERO);
    list.transition(&changing.com, D3D12_RESOURCE_STATES::PREDICATION, D3D12_RESOURCE_STATES::COPY_DEST);

    let mut digest = Digest::new();
    scene.target.check(stage, &mut list, "draws and clears", &expected, &mut digest)?;
    let got = fetch(device, &stage.queue, &mut list, &copies, D3D12_RESOURCE_STATES::COPY_DEST)?.read_u32()?;
    Failure::unless_equal("copies", &got, &copied)?;
    digest.add(&crate::buffer::bytes_of(&got));
    Ok(digest)
}

fn predicate(list: &mut List, buffer: Option<&Com>, offset: u64, operation: D3D12_PREDICATION_OP) {
    let buffer = buffer.map_or(Word::from(Null), Word::from);
    call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", buffer, offset, operation.0);
}
