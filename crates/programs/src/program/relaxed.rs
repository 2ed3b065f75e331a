//! `dimensions`, `pitches`, `upload-heaps`: what older devices refuse. Copies between textures of different dimensions; texels at any
//! multiple of their size, in rows of any pitch; buffers of the GPU that the processor writes. The device says of each whether it
//! has it.

use super::Program;
use super::copies::{Image, square};
use crate::buffer::{self, Buffer};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::queue::Queue;
use crate::stage::Stage;
use crate::texture::{Texture, flat, in_buffer};
use reprise_d3d12::types::*;

pub(super) const DIMENSIONS: Program =
    Program { name: "dimensions", about: "copies between lines, planes and volumes", run: run_dimensions };
pub(super) const PITCHES: Program =
    Program { name: "pitches", about: "texels at any place of a buffer, in rows of any pitch", run: run_pitches };
pub(super) const HEAPS: Program =
    Program { name: "upload-heaps", about: "a buffer of the GPU's memory that the processor writes", run: run_heap };

type State = D3D12_RESOURCE_STATES;

fn run_dimensions(stage: &Stage) -> Result<Digest, Failure> {
    if options(stage).TextureCopyBetweenDimensionsSupported == 0 {
        return Err(Failure::Cannot("the device has no copies between dimensions".into()));
    }
    let (mut list, mut digest) = (List::direct(&stage.device)?, Digest::new());
    dimensions(stage, &mut list, &mut digest)?;
    Ok(digest)
}

fn run_pitches(stage: &Stage) -> Result<Digest, Failure> {
    if options(stage).UnrestrictedBufferTextureCopyPitchSupported == 0 {
        return Err(Failure::Cannot("the device copies rows of 256 bytes at multiples of 512 bytes only".into()));
    }
    let mut digest = Digest::new();
    for case in CASES {
        pitches(stage, case, D3D12_COMMAND_LIST_TYPE::DIRECT, &mut digest)?;
        pitches(stage, case, D3D12_COMMAND_LIST_TYPE::COPY, &mut digest)?;
    }
    Ok(digest)
}

fn run_heap(stage: &Stage) -> Result<Digest, Failure> {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS16::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS16, &mut options);
    if !known || options.GPUUploadHeapSupported == 0 {
        return Err(Failure::Cannot("the processor does not see the GPU's memory".into()));
    }
    let (mut list, mut digest) = (List::direct(&stage.device)?, Digest::new());
    heap(stage, &mut list, &mut digest)?;
    Ok(digest)
}

/// What the device says of copies.
fn options(stage: &Stage) -> D3D12_FEATURE_DATA_D3D12_OPTIONS13 {
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS13::default();
    // A library that does not know the feature leaves the structure as it is: it has nothing of it.
    stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS13, &mut options);
    options
}

/// Rows of planes and of a volume's slices in a line, back again, and slices in planes.
fn dimensions(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;
    let line = D3D12_RESOURCE_DESC { Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE1D, ..flat(NUMBERS, 24, 1) };
    let volume = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE3D,
        DepthOrArraySize: 4,
        MipLevels: 2,
        ..flat(NUMBERS, 8, 8)
    };
    let planes = D3D12_RESOURCE_DESC { DepthOrArraySize: 2, ..flat(NUMBERS, 8, 8) };
    let mut line = Image::new(stage, list, &line, 1)?;
    let mut volume = Image::new(stage, list, &volume, 2)?;
    let mut planes = Image::new(stage, list, &planes, 4)?;
    let slice = |front| Some(D3D12_BOX { left: 1, top: 3, front, right: 7, bottom: 4, back: front + 1 });
    line.copy(list, (0, [2, 0, 0]), &planes, (1, square(0, 5, 8, 6)));
    line.copy(list, (0, [12, 0, 0]), &volume, (0, slice(2)));
    planes.copy(list, (0, [3, 7, 0]), &line, (0, square(10, 0, 14, 1)));
    planes.copy(list, (1, [2, 1, 0]), &volume, (1, square(0, 0, 4, 4)));
    volume.copy(list, (0, [0, 6, 3]), &line, (0, square(4, 0, 12, 1)));
    volume.copy(list, (0, [0, 0, 1]), &planes, (1, square(0, 0, 8, 4)));
    line.check(stage, list, "a line", digest)?;
    planes.check(stage, list, "planes", digest)?;
    volume.check(stage, list, "a volume", digest)
}

/// A format, the bytes of its texels, and where they lie in a buffer: the first byte, and bytes from row to row.
struct Case {
    format: DXGI_FORMAT,
    bytes: u32,
    first: u64,
    pitch: u32,
}

const CASES: &[Case] = &[
    Case { format: DXGI_FORMAT::FORMAT_R8_UINT, bytes: 1, first: 3, pitch: 13 },
    Case { format: DXGI_FORMAT::FORMAT_R16_UINT, bytes: 2, first: 6, pitch: 22 },
    Case { format: DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, bytes: 4, first: 20, pitch: 36 },
    Case { format: DXGI_FORMAT::FORMAT_R32G32_UINT, bytes: 8, first: 1032, pitch: 72 },
    Case { format: DXGI_FORMAT::FORMAT_R32G32B32A32_UINT, bytes: 16, first: 16, pitch: 144 },
];

/// Texels from a buffer and back to another place, with other bytes around them.
fn pitches(stage: &Stage, case: &Case, kind: D3D12_COMMAND_LIST_TYPE, digest: &mut Digest) -> Result<(), Failure> {
    const WIDTH: u32 = 9;
    const HEIGHT: u32 = 5;
    let (device, bytes) = (&stage.device, case.bytes as usize);
    let content: Vec<u32> = (0..1024u32).map(|at| at.wrapping_mul(0x9e37_79b1).rotate_left(7)).collect();
    let before = buffer::bytes_of(&content);
    let upload = Buffer::uploaded(device, &content)?;
    let place = |first, pitch| D3D12_PLACED_SUBRESOURCE_FOOTPRINT {
        Offset: first,
        Footprint: D3D12_SUBRESOURCE_FOOTPRINT {
            Format: case.format,
            Width: WIDTH,
            Height: HEIGHT,
            Depth: 1,
            RowPitch: pitch,
        },
    };
    let (first, pitch) = (case.first + u64::from(case.bytes), case.pitch + case.bytes);
    let texture = Texture::new(device, &flat(case.format, WIDTH, HEIGHT), State::COPY_DEST, None)?;
    let back = Buffer::readback(device, upload.size)?;
    let mut own = List::new(device, kind)?;
    own.copy_bytes(&back, 0, &upload, 0, upload.size);
    own.copy_texture(&texture.part(0), [0; 3], &in_buffer(&upload, place(case.first, case.pitch)), None);
    own.transition(&texture.com, State::COPY_DEST, State::COPY_SOURCE);
    own.copy_texture(&in_buffer(&back, place(first, pitch)), [0; 3], &texture.part(0), None);
    own.close()?;
    let queue = Queue::new(device, kind)?;
    queue.execute(&[&own]);
    queue.finish()?;
    let mut expected = before.clone();
    for row in 0..HEIGHT as usize {
        let (from, to) = (case.first as usize + row * case.pitch as usize, first as usize + row * pitch as usize);
        let size = WIDTH as usize * bytes;
        expected[to..to + size].copy_from_slice(&before[from..from + size]);
    }
    let got = back.read()?;
    Failure::unless_equal("texels between other bytes", &got, &expected)?;
    digest.add(&got);
    Ok(())
}

/// A buffer of the GPU's that the processor writes, and copies write, too.
fn heap(stage: &Stage, list: &mut List, digest: &mut Digest) -> Result<(), Failure> {
    let device = &stage.device;
    let mut words: Vec<u32> = (0..512u32).map(|at| at.wrapping_mul(77) ^ 0x5555).collect();
    let mut buffer = Buffer::gpu_upload(device, 4096)?;
    buffer.write(0, &buffer::bytes_of(&words));
    list.transition(&buffer.com, State::COMMON, State::COPY_SOURCE);
    let back = Buffer::readback(device, 3072)?;
    list.copy_bytes(&back, 0, &buffer, 0, 2048);
    list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
    let other = Buffer::uploaded(device, &words[256..])?;
    list.copy_bytes(&buffer, 2048, &other, 0, 1024);
    list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
    list.copy_bytes(&back, 2048, &buffer, 2048, 1024);
    stage.queue.run(list)?;
    let got = back.read_u32()?;
    words.extend_from_within(256..);
    Failure::unless_equal("what the processor wrote", &got, &words)?;
    digest.add(&buffer::bytes_of(&got));
    Ok(())
}
