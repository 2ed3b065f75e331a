//! `undefined-bounds`: indices, tables and handles that lead out of their heaps. They read what a null descriptor reads, and samplers
//! are some sampler. `undefined-kinds`: descriptors of each kind, and null of each kind, read as every kind. Null is null of all of them;
//! another kind is the descriptor's value where drivers of the API agree that it is, and otherwise that or zero.
//!
//! Shaders find descriptors through tables, and, from shader model 6.6 on, in the heaps themselves.

use core::ffi::c_void;

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Null, call};
use crate::descriptor::{AS_IS, Elements, Heap};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, Range, RootSignature};
use crate::sampler;
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const BOUNDS: Program = Program {
    name: "undefined-bounds",
    about: "indices, tables and handles that lead out of their heaps",
    run: bounds,
};
pub(super) const KINDS: Program =
    Program { name: "undefined-kinds", about: "descriptors and null of each kind, read as every kind", run: kinds };

const OF_TABLES: Shader = shader!("any_descriptor.of_tables" dxil);
const OF_HEAPS: Shader = shader!("any_descriptor.of_heaps" dxil);
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;
/// Threads of a group, as the shaders say.
const GROUP: usize = 64;

/// How a shader declares what it reads; the number is the shader's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Texture,
    TextureToWrite,
    Structured,
    Typed,
    StructuredToWrite,
    TypedToWrite,
    Constant,
}

const ALL: [Kind; 7] = [
    Kind::Texture,
    Kind::TextureToWrite,
    Kind::Structured,
    Kind::Typed,
    Kind::StructuredToWrite,
    Kind::TypedToWrite,
    Kind::Constant,
];
/// The reader of samplers, and that of a register ten behind a table's beginning.
const SAMPLER: u32 = 7;
const ELEVENTH: u32 = 8;

impl Kind {
    /// What a descriptor of this kind shows.
    fn value(self) -> u32 {
        100 + self as u32
    }

    /// Whether a descriptor of this kind may be read as another at all. Where both have formats, as structured buffers do, drivers give them
    /// one kind of header, and what it shows to others is anyone's guess.
    fn may_be(self, reader: Kind) -> bool {
        match reader {
            _ if self == reader => true,
            Kind::Texture | Kind::TextureToWrite => {
                matches!(self, Kind::Structured | Kind::StructuredToWrite | Kind::Constant)
            }
            Kind::Typed => matches!(self, Kind::Structured | Kind::Constant),
            Kind::TypedToWrite => matches!(self, Kind::StructuredToWrite | Kind::Constant),
            Kind::Structured | Kind::StructuredToWrite | Kind::Constant => true,
        }
    }
}

/// A request of the shader.
type Request = [u32; 2];

/// Resources of each kind, and what runs shaders that read their views.
struct Readers<'s> {
    stage: &'s Stage,
    textures: [Texture; 2],
    picture: Texture,
    buffer: Buffer,
    constants: Buffer,
    samplers: Heap,
    list: List,
}

/// Views of a heap that hold the texture for samplers, before all others.
const BEFORE: u32 = 1;

impl<'s> Readers<'s> {
    fn new(stage: &'s Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let mut list = List::direct(device)?;
        let desc = flat(NUMBERS, 1, 1);
        let written = D3D12_RESOURCE_DESC { Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, ..desc };
        let read = D3D12_RESOURCE_STATES::GENERIC_READ;
        let unordered = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let one = |kind: Kind| [bytes_of(&[kind.value()])];
        let five = [bytes_of(&[5.0f32.to_bits()])];
        let (texture, _a) = Texture::filled(device, &mut list, &desc, &one(Kind::Texture), read)?;
        let (to_write, _b) = Texture::filled(device, &mut list, &written, &one(Kind::TextureToWrite), unordered)?;
        let floats = flat(DXGI_FORMAT::FORMAT_R32_FLOAT, 1, 1);
        let (picture, _c) = Texture::filled(device, &mut list, &floats, &five, read)?;
        let buffer = Buffer::writable(device, 256)?;
        let values: Vec<u32> = ALL.iter().map(|kind| kind.value()).collect();
        buffer::fill(&stage.queue, &mut list, &buffer, &Buffer::uploaded(device, &values)?)?;
        let mut words = [0; 64];
        words[0] = Kind::Constant.value();
        let constants = Buffer::uploaded(device, &words)?;
        let samplers = Heap::new(device, D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER, 2, true)?;
        (0..2).for_each(|index| sampler::write_repeating(device, &samplers, index));
        Ok(Self { stage, textures: [texture, to_write], picture, buffer, constants, samplers, list })
    }

    /// A heap that shaders see, with the texture for samplers.
    fn heap(&self, count: u32) -> Result<Heap, Failure> {
        let heap = Heap::visible(&self.stage.device, count)?;
        let desc =
            D3D12_SHADER_RESOURCE_VIEW_DESC { Format: DXGI_FORMAT::FORMAT_R32_FLOAT, ..texture_to_read(NUMBERS) };
        heap.srv(0, &self.picture.com, &desc);
        Ok(heap)
    }

    /// Writes a view of a kind, or null of it.
    fn write(&self, heap: &Heap, at: u32, kind: Kind, null: bool) {
        let device = &self.stage.device;
        let element = kind as u64;
        match (kind, null) {
            (Kind::Texture, false) => heap.srv(at, &self.textures[0].com, &texture_to_read(NUMBERS)),
            (Kind::TextureToWrite, false) => heap.uav(at, &self.textures[1].com, &to_write(true)),
            (Kind::Structured, false) => heap.buffer_srv(at, &self.buffer, Elements::structured(element, 1, 4)),
            (Kind::Typed, false) => heap.buffer_srv(at, &self.buffer, Elements::typed(element, 1, NUMBERS)),
            (Kind::StructuredToWrite, false) => heap.buffer_uav(at, &self.buffer, Elements::structured(element, 1, 4)),
            (Kind::TypedToWrite, false) => heap.buffer_uav(at, &self.buffer, Elements::typed(element, 1, NUMBERS)),
            (Kind::Constant, false) => heap.cbv(at, self.constants.address, 256),
            (Kind::Texture, true) => null_to_read(device, heap, at, &texture_to_read(NUMBERS)),
            (Kind::TextureToWrite, true) => null_to_write(device, heap, at, &to_write(true)),
            (Kind::Typed, true) => null_to_read(device, heap, at, &buffer_to_read()),
            (Kind::Structured, true) => {
                let mut desc = buffer_to_read();
                desc.Format = DXGI_FORMAT::FORMAT_UNKNOWN;
                desc.Anonymous.Buffer.StructureByteStride = 4;
                null_to_read(device, heap, at, &desc);
            }
            (Kind::TypedToWrite, true) => null_to_write(device, heap, at, &to_write(false)),
            (Kind::StructuredToWrite, true) => {
                let mut desc = to_write(false);
                desc.Format = DXGI_FORMAT::FORMAT_UNKNOWN;
                desc.Anonymous.Buffer.StructureByteStride = 4;
                null_to_write(device, heap, at, &desc);
            }
            (Kind::Constant, true) => heap.cbv(at, 0, 0),
        }
    }

    /// What each request reads. `direct`: in the heaps themselves. `tables`: where the tables of views, of samplers, and of the eleventh
    /// register's begin.
    fn read(&mut self, heap: &Heap, direct: bool, tables: [u64; 3], requests: &[Request]) -> Result<Vec<u32>, Failure> {
        let device = &self.stage.device;
        let unbounded = |range: Range, space| Range { count: Range::UNBOUNDED, ..range }.in_space(space);
        let spaces = [
            [unbounded(Range::srv(0, 1), 1)],
            [unbounded(Range::srv(0, 1), 2)],
            [unbounded(Range::srv(0, 1), 3)],
            [unbounded(Range::srv(0, 1), 4)],
            [unbounded(Range::uav(0, 1), 1)],
            [unbounded(Range::uav(0, 1), 2)],
            [unbounded(Range::uav(0, 1), 3)],
            [unbounded(Range::cbv(0, 1), 1)],
        ];
        let samplers = [unbounded(Range::sampler(0, 1), 1)];
        let eleventh = [Range { count: 1024, ..Range::srv(0, 1) }.in_space(5)];
        let mut parameters = vec![Parameter::Constants { register: 0, count: 1 }, Parameter::Srv(0), Parameter::Uav(0)];
        let (flags, pipeline) = match direct {
            false => {
                parameters.extend(spaces.iter().map(|ranges| Parameter::Table(ranges)));
                parameters.extend([Parameter::Table(&samplers), Parameter::Table(&eleventh)]);
                (D3D12_ROOT_SIGNATURE_FLAGS::NONE, &OF_TABLES)
            }
            true => {
                let views = D3D12_ROOT_SIGNATURE_FLAGS::CBV_SRV_UAV_HEAP_DIRECTLY_INDEXED;
                let samplers = D3D12_ROOT_SIGNATURE_FLAGS::SAMPLER_HEAP_DIRECTLY_INDEXED;
                (D3D12_ROOT_SIGNATURE_FLAGS(views.0 | samplers.0), &OF_HEAPS)
            }
        };
        let root = RootSignature::new(device, &parameters, &[], flags)?;
        let pipeline = Pipeline::compute(self.stage, &root, pipeline)?;
        let mut asked: Vec<u32> = requests.concat();
        // The last group's other threads ask again for what the first one does.
        asked.extend(requests[0].iter().cycle().take(2 * (requests.len().next_multiple_of(GROUP) - requests.len())));
        let input = Buffer::uploaded(device, &asked)?;
        let output = Buffer::writable(device, asked.len() as u64 * 2)?;
        let list = &mut self.list;
        let heaps: [*mut c_void; 2] = [heap.com.as_ptr(), self.samplers.com.as_ptr()];
        call!(list.com, "ID3D12GraphicsCommandList", "SetDescriptorHeaps", 2u32, heaps.as_ptr());
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        list.compute_constants(0, &[0]);
        list.compute_srv(1, input.address);
        list.compute_uav(2, output.address);
        if !direct {
            for parameter in 3..3 + spaces.len() as u32 {
                // The texture for samplers is at index 0 of the heap, whatever the others read.
                let first = if parameter == 6 { heap.gpu(0).ptr } else { tables[0] };
                list.compute_table(parameter, D3D12_GPU_DESCRIPTOR_HANDLE { ptr: first });
            }
            list.compute_table(11, D3D12_GPU_DESCRIPTOR_HANDLE { ptr: tables[1] });
            list.compute_table(12, D3D12_GPU_DESCRIPTOR_HANDLE { ptr: tables[2] });
        }
        list.dispatch((asked.len() / 2 / GROUP) as u32, 1, 1);
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let mut got = buffer::fetch(device, &self.stage.queue, list, &output, state)?.read_u32()?;
        got.truncate(requests.len());
        Ok(got)
    }
}

fn texture_to_read(format: DXGI_FORMAT) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: format,
        ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
        Shader4ComponentMapping: AS_IS,
        Anonymous: D3D12_SHADER_RESOURCE_VIEW_DESC_3 {
            Texture2D: D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() },
        },
    }
}

fn buffer_to_read() -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    let mut desc =
        D3D12_SHADER_RESOURCE_VIEW_DESC { ViewDimension: D3D12_SRV_DIMENSION::BUFFER, ..texture_to_read(NUMBERS) };
    desc.Anonymous.Buffer = D3D12_BUFFER_SRV::default();
    desc
}

fn to_write(texture: bool) -> D3D12_UNORDERED_ACCESS_VIEW_DESC {
    let dimension = if texture { D3D12_UAV_DIMENSION::TEXTURE2D } else { D3D12_UAV_DIMENSION::BUFFER };
    D3D12_UNORDERED_ACCESS_VIEW_DESC { Format: NUMBERS, ViewDimension: dimension, ..Default::default() }
}

fn null_to_read(device: &Device, heap: &Heap, at: u32, desc: &D3D12_SHADER_RESOURCE_VIEW_DESC) {
    let at = heap.cpu(at).ptr;
    call!(device.com, "ID3D12Device", "CreateShaderResourceView", Null, &raw const *desc, at);
}

fn null_to_write(device: &Device, heap: &Heap, at: u32, desc: &D3D12_UNORDERED_ACCESS_VIEW_DESC) {
    let at = heap.cpu(at).ptr;
    call!(device.com, "ID3D12Device", "CreateUnorderedAccessView", Null, Null, &raw const *desc, at);
}

/// Whether shaders may look into heaps without tables here.
fn ways(stage: &Stage) -> Result<&'static [bool], Failure> {
    stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_0)?;
    Ok(if stage.needs_model(D3D_SHADER_MODEL::SHADER_MODEL_6_6).is_ok() { &[false, true] } else { &[false] })
}

/// Indices that are `count` or more, near and far.
fn beyond(count: u32) -> impl Iterator<Item = u32> {
    let near = [0, 1, 2, 7, 63, 64, 1000, 65_536].map(|more| count + more);
    let far = [1_000_000, 0x10_0000, 0x1234_5678, 0x7fff_ffff, 0x8000_0000, 0xffff_ff00, 0xffff_ffff];
    near.into_iter().chain(far)
}

fn bounds(stage: &Stage) -> Result<Digest, Failure> {
    let mut readers = Readers::new(stage)?;
    let mut digest = Digest::new();
    for &direct in ways(stage)? {
        // Views fill the heap to its end.
        let heap = readers.heap(BEFORE + ALL.len() as u32)?;
        for (at, kind) in (BEFORE..).zip(ALL) {
            readers.write(&heap, at, kind, false);
        }
        let (mut requests, mut expected) = (Vec::new(), Vec::new());
        for (at, kind) in (BEFORE..).zip(ALL) {
            requests.push([kind as u32, at]);
            expected.push(kind.value());
            for index in beyond(heap.count) {
                requests.push([kind as u32, index]);
                expected.push(0);
            }
        }
        for index in [0, 1].into_iter().chain(beyond(2)) {
            requests.push([SAMPLER, index]);
            expected.push(5);
        }
        let (views, samplers) = (heap.gpu(0).ptr, readers.samplers.gpu(0).ptr);
        let got = readers.read(&heap, direct, [views, samplers, views], &requests)?;
        Failure::unless_equal("indices beyond", &got, &expected)?;
        // Not every device has the other way.
        if !direct {
            digest.add(&bytes_of(&got));
        }
    }
    tables(&mut readers, &mut digest)?;
    Ok(digest)
}

/// Tables that begin near a heap's end, at it and beyond, and handles that are none of any heap.
fn tables(readers: &mut Readers<'_>, digest: &mut Digest) -> Result<(), Failure> {
    const COUNT: u32 = 32;
    let heap = readers.heap(COUNT)?;
    for at in BEFORE..COUNT {
        readers.write(&heap, at, Kind::Typed, false);
    }
    let (views, samplers) = (heap.gpu(0).ptr, readers.samplers.gpu(0).ptr);
    let increment = heap.gpu(1).ptr - views;
    // The register lies ten descriptors behind the table's beginning.
    let last_inside = u64::from(COUNT - 11);
    let beginnings = [
        (last_inside, Kind::Typed.value()),
        (last_inside + 1, 0),
        (u64::from(COUNT) - 1, 0),
        (u64::from(COUNT), 0),
        (u64::from(COUNT) + 1_000_000, 0),
    ];
    let near = beginnings.map(|(first, expected)| (views + first * increment, expected));
    let wild = [views | u64::MAX << 5, u64::MAX, u64::MAX - 20 * increment].map(|handle| (handle, 0));
    for (handle, expected) in near.into_iter().chain(wild) {
        let requests = [[ELEVENTH, 0], [Kind::Structured as u32, BEFORE], [SAMPLER, 1]];
        let got = readers.read(&heap, false, [views, samplers, handle], &requests)?;
        let expected = [expected, Kind::Typed.value(), 5];
        Failure::unless_equal(&format!("a table at handle {handle:x}"), &got, &expected)?;
        digest.add(&bytes_of(&got));
        // The same for samplers, of which there are two.
        let got = readers.read(
            &heap,
            false,
            [views, samplers.wrapping_add((handle - views) / increment * increment), views],
            &[[SAMPLER, 0]],
        )?;
        Failure::unless_equal("a table of samplers", &got, &[5])?;
    }
    Ok(())
}

fn kinds(stage: &Stage) -> Result<Digest, Failure> {
    let mut readers = Readers::new(stage)?;
    let mut digest = Digest::new();
    let count = ALL.len() as u32;
    for &direct in ways(stage)? {
        // Each slot held a view of a kind before it got null of a kind, or another view.
        for null in [true, false] {
            for before in ALL {
                let heap = readers.heap(BEFORE + count)?;
                let sources = Heap::staging(&stage.device, count)?;
                let (mut requests, mut allowed) = (Vec::new(), Vec::new());
                for (number, kind) in (0..).zip(ALL) {
                    let at = BEFORE + number;
                    readers.write(&heap, at, before, false);
                    readers.write(&sources, number, kind, null);
                    match number % 2 {
                        0 => readers.write(&heap, at, kind, null),
                        _ => heap.copy(at, &sources, number, 1),
                    }
                    for reader in ALL.into_iter().filter(|reader| null || kind.may_be(*reader)) {
                        requests.push([reader as u32, at]);
                        allowed.push(if null {
                            vec![0]
                        } else if kind == reader {
                            vec![kind.value()]
                        } else if reader == Kind::Constant {
                            // Constant buffers begin at multiples of more bytes than other views of buffers.
                            [0].into_iter().chain(ALL.map(Kind::value)).collect()
                        } else {
                            vec![kind.value(), 0]
                        });
                    }
                }
                let (views, samplers) = (heap.gpu(0).ptr, readers.samplers.gpu(0).ptr);
                let got = readers.read(&heap, direct, [views, samplers, views], &requests)?;
                for ((request, got), allowed) in requests.iter().zip(&got).zip(&allowed) {
                    Failure::unless(allowed.contains(got), || {
                        let kind = ALL[(request[1] - BEFORE) as usize];
                        let reader = ALL[request[0] as usize];
                        let null = if null { "null of " } else { "" };
                        format!("{null}{kind:?} over {before:?}, read as {reader:?}: {got}, not one of {allowed:?}")
                    })?;
                    // What drivers may choose is no part of the hash, nor the way that not every device has.
                    if allowed.len() == 1 && !direct {
                        digest.add(&got.to_le_bytes());
                    }
                }
            }
        }
    }
    Ok(digest)
}
