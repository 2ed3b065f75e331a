//! `predication`: draws, dispatches and indirect draws that a number in a buffer leaves out, by both conditions; all of its 64 bits
//! count. `immediate-writes`: words that a list writes between copies.

use super::Program;
use crate::buffer::{self, Buffer};
use crate::com::{Null, Word, call};
use crate::digest::Digest;
use crate::draw::Rectangle;
use crate::failure::Failure;
use crate::graphics::plain;
use crate::list::List;
use crate::picture::{Area, Picture};
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::target::Target;
use crate::texel::bytes;
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_PREDICATION_OP as Leave, D3D12_RESOURCE_STATES as State, D3D12_WRITEBUFFERIMMEDIATE_MODE as Mode,
    D3D12_WRITEBUFFERIMMEDIATE_PARAMETER, DXGI_FORMAT,
};

pub(super) const PREDICATION: Program = Program {
    name: "predication",
    about: "draws and dispatches that a number in a buffer leaves out",
    run: predication,
};
pub(super) const WRITES: Program =
    Program { name: "immediate-writes", about: "words that a list writes into buffers", run: writes };

const SIZE: u32 = 64;
const CELL: u32 = 8;
const FORMAT: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32B32A32_UINT;
/// Zero, and each half of the bits.
const NUMBERS: [u64; 4] = [0, 1, 1 << 40, u64::MAX];
/// Bytes that each dispatch writes.
const WRITTEN: u64 = 512;

fn predication(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::graphics(device, &[Rectangle::PARAMETER], &[])?;
    let (vertex, pixel): (Shader, Shader) = (shader!("rectangle.vertex"), shader!("rectangle.number"));
    let pipeline = Pipeline::graphics(stage, &plain(stage, &root, &vertex, &pixel, &[FORMAT]))?;
    let parameters = [Parameter::Constants { register: 0, count: 6 }, Parameter::Uav(0)];
    let compute_root = RootSignature::compute(device, &parameters)?;
    let compute = Pipeline::compute(stage, &compute_root, &shader!("indirect.draws"))?;
    let target = Target::new(device, FORMAT, SIZE, SIZE)?;
    let mut list = List::direct(device)?;

    let upload = Buffer::uploaded(device, &NUMBERS.map(|number| [number as u32, (number >> 32) as u32]).concat())?;
    let numbers = Buffer::copied(device, upload.size)?;
    list.copy_bytes(&numbers, 0, &upload, 0, upload.size);
    list.transition(&numbers.com, State::COPY_DEST, State::PREDICATION);
    let cases: Vec<(u32, Leave)> =
        [Leave::EQUAL_ZERO, Leave::NOT_EQUAL_ZERO].iter().flat_map(|op| (0..4).map(|number| (number, *op))).collect();
    let zeros = Buffer::uploaded(device, &vec![0; cases.len() * WRITTEN as usize / 4])?;
    let written = Buffer::writable(device, zeros.size)?;
    list.transition(&written.com, State::UNORDERED_ACCESS, State::COPY_DEST);
    list.copy_bytes(&written, 0, &zeros, 0, zeros.size);
    list.transition(&written.com, State::COPY_DEST, State::UNORDERED_ACCESS);

    list.targets(&[&target], None);
    list.square(SIZE);
    list.clear_target(&target, [0.0; 4], &[]);
    let mut expected = Picture::new(SIZE, SIZE, [0; 4]);
    let mut made = vec![0u32; zeros.size as usize / 4];
    for (index, (number, op)) in (0..).zip(&cases) {
        let predicate = Word::from(&numbers.com);
        call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", predicate, 8 * u64::from(*number), op.0);
        list.set_graphics_root(&root);
        list.set_pipeline(&pipeline);
        let area = Area::at(index * CELL, 0, CELL, CELL);
        list.rectangle(&Rectangle::new(area, SIZE, [1 + index; 4]));
        list.set_compute_root(&compute_root);
        list.set_pipeline(&compute);
        list.compute_uav(1, written.address + u64::from(index) * WRITTEN);
        list.dispatch(1, 1, 1);
        // Without a buffer nothing is left out.
        call!(list.com, "ID3D12GraphicsCommandList", "SetPredication", Null, 0u64, op.0);
        list.set_graphics_root(&root);
        list.set_pipeline(&pipeline);
        let below = Area::at(index * CELL, CELL, CELL, CELL);
        list.rectangle(&Rectangle::new(below, SIZE, [100 + index; 4]));
        expected.fill(below, [100 + index; 4]);
        if (NUMBERS[*number as usize] == 0) != (*op == Leave::EQUAL_ZERO) {
            expected.fill(area, [1 + index; 4]);
            let at = (index as u64 * WRITTEN / 4) as usize;
            // As the compute shader writes.
            for i in 0..16 {
                made[at + 4 * i..][..4].copy_from_slice(&[4, 1 + i as u32 % 3, 4 * (i as u32 % 4), i as u32]);
            }
            made[at + 64] = 11;
        }
    }
    let mut digest = Digest::new();
    target.check(stage, &mut list, "draws", &expected, &mut digest)?;
    let got = buffer::fetch(device, &stage.queue, &mut list, &written, State::UNORDERED_ACCESS)?.read_u32()?;
    Failure::unless_equal("dispatches", &got, &made)?;
    digest.add(&bytes(&got));
    Ok(digest)
}

fn writes(stage: &Stage) -> Result<Digest, Failure> {
    const LIST: InterfaceId = interface("ID3D12GraphicsCommandList2");
    let device = &stage.device;
    let mut list = List::direct(device)?;
    let newer =
        list.com.query(LIST).ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList2".into()))?;
    let upload = Buffer::uploaded(device, &(0..32).map(|word| 0x100 + word).collect::<Vec<u32>>())?;
    let buffer = Buffer::copied(device, upload.size)?;
    let mut expected: Vec<u32> = (0..32).map(|word| 0x100 + word).collect();
    list.copy_bytes(&buffer, 0, &upload, 0, upload.size);
    list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
    list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
    // The second of two writes to a word stays; marks are written before or after what is around them.
    let writes = [(3, 0xaaaa_0001), (31, 0xaaaa_0002), (0, 0xaaaa_0003), (3, 0xaaaa_0004)];
    let parameters = writes
        .map(|(word, value)| D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: buffer.address + 4 * word, Value: value });
    let modes = [Mode::DEFAULT, Mode::MARKER_IN, Mode::MARKER_OUT, Mode::DEFAULT];
    let first = parameters.as_ptr();
    call!(newer, "ID3D12GraphicsCommandList2", "WriteBufferImmediate", 2u32, first, modes.as_ptr());
    let rest = parameters[2..].as_ptr();
    call!(newer, "ID3D12GraphicsCommandList2", "WriteBufferImmediate", 2u32, rest, Null);
    for (word, value) in writes {
        expected[word as usize] = value;
    }
    let got = buffer::fetch(device, &stage.queue, &mut list, &buffer, State::COPY_DEST)?.read_u32()?;
    Failure::unless_equal("words", &got, &expected)?;
    let mut digest = Digest::new();
    digest.add(&bytes(&got));
    Ok(digest)
}
