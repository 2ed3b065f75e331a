//! `undefined-slots`: descriptors of a heap that are written over each other, and read as what they are not.
//!
//! The API leaves undefined what a shader finds that reads a descriptor of another kind than it declares. Programs rely on what
//! drivers give: buffers are read raw and typed whatever their view says, and null is null of every kind. What a slot held before
//! its last descriptor is never seen. Kinds that drivers do not agree about are not read here.

use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Null, call};
use crate::descriptor::{AS_IS, Elements, Heap};
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::program::Program;
use crate::random::Random;
use crate::root::{Parameter, Range, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program = Program {
    name: "undefined-slots",
    about: "descriptors written over others of all kinds, and read as what they are not",
    run,
};

const MAIN: Shader = shader!("bindless.main");
/// Declarations of the shader: structured, raw and typed buffers, constant buffers.
const READERS: u32 = 4;
const STRUCTURED: u32 = 0;
const RAW: u32 = 1;
const TYPED: u32 = 2;
const CONSTANT: u32 = 3;
/// Descriptors for each of them; a power of two.
const REGION: u32 = 512;
/// Descriptors that a group of lanes reads through one declaration.
const GROUP: u32 = 64 / READERS;
/// Words that a view shows; the shader reads the third and the fourth.
const WORDS: u32 = 64;
/// Views of each kind.
const SOURCES: u32 = 16;
const PAIRS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32G32_UINT;
const NUMBERS: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R32_UINT;

/// What a slot may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Structured,
    Raw,
    Typed,
    StructuredToWrite,
    RawToWrite,
    Constant,
    Texture,
    TextureToWrite,
    NullTexture,
    NullTextureToWrite,
    NullBuffer,
    NullBufferToWrite,
    NullConstant,
}

const KINDS: [Kind; 13] = [
    Kind::Structured,
    Kind::Raw,
    Kind::Typed,
    Kind::StructuredToWrite,
    Kind::RawToWrite,
    Kind::Constant,
    Kind::Texture,
    Kind::TextureToWrite,
    Kind::NullTexture,
    Kind::NullTextureToWrite,
    Kind::NullBuffer,
    Kind::NullBufferToWrite,
    Kind::NullConstant,
];

impl Kind {
    fn is_null(self) -> bool {
        use Kind::{NullBuffer, NullBufferToWrite, NullConstant, NullTexture, NullTextureToWrite};
        matches!(self, NullTexture | NullTextureToWrite | NullBuffer | NullBufferToWrite | NullConstant)
    }

    /// The two words that a declaration reads of a view. `words` are the view's third and fourth word. `None` is not read: drivers
    /// differ there, or hang.
    fn seen(self, reader: u32, words: [u32; 2]) -> Option<[u32; 2]> {
        let texture = matches!(self, Kind::Texture | Kind::TextureToWrite);
        match (reader, self) {
            _ if self.is_null() => Some([0; 2]),
            (STRUCTURED | RAW, Kind::Constant) | (TYPED, _) if texture || self == Kind::Constant => None,
            (STRUCTURED | RAW | CONSTANT, _) if texture => Some([0; 2]),
            (CONSTANT, Kind::Constant) => Some(words),
            (STRUCTURED | RAW, _) | (TYPED, Kind::Typed | Kind::Structured) => Some(words),
            _ => None,
        }
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    if device.options().ResourceBindingTier < D3D12_RESOURCE_BINDING_TIER::TIER_3 {
        return Err(Failure::Cannot("unbounded arrays of constant buffers need resource binding tier 3".into()));
    }
    let space = |range: Range, space| [Range { count: REGION, ..range }.in_space(space)];
    let ranges = [
        space(Range::srv(0, 1), 1),
        space(Range::srv(0, 1), 2),
        space(Range::srv(0, 1), 3),
        space(Range::cbv(0, 1), 4),
    ];
    let [structured, raw, typed, blocks] = ranges.each_ref().map(|range| Parameter::Table(range));
    let settings = Parameter::Constants { register: 0, count: 2 };
    let root = RootSignature::compute(device, &[settings, Parameter::Uav(0), structured, raw, typed, blocks])?;
    let pipeline = Pipeline::compute(stage, &root, &MAIN)?;

    let mut random = Random(9);
    let sources = Sources::new(stage, &mut random)?;
    let heap = Heap::visible(device, READERS * REGION)?;
    let output = Buffer::writable(device, u64::from(READERS * REGION) * 8)?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for _ in 0..stage.frames(3) {
        let shown = sources.fill(device, &heap, &mut random);
        list.set_heap(&heap);
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        list.compute_constants(0, &[REGION, 1]);
        list.compute_uav(1, output.address);
        for reader in 0..READERS {
            list.compute_table(2 + reader, heap.gpu(reader * REGION));
        }
        list.dispatch(READERS * REGION / 64, 1, 1);
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let got = buffer::fetch(device, &stage.queue, &mut list, &output, state)?.read_u32()?;
        // Thread n reads slot n / 4 of the region of reader n % 4.
        let expected: Vec<u32> = (0..READERS * REGION)
            .flat_map(|thread| shown[(thread % READERS * REGION + thread / READERS) as usize])
            .collect();
        Failure::unless_equal("values read", &got, &expected)?;
        digest.add(&bytes_of(&got));
    }
    Ok(digest)
}

/// Views of all kinds to copy from, by kind and number, and what they show.
struct Sources {
    words: Vec<u32>,
    heap: Heap,
    buffers: [Buffer; 2],
    textures: [Texture; 2],
}

impl Sources {
    fn new(stage: &Stage, random: &mut Random) -> Result<Self, Failure> {
        let device = &stage.device;
        let words: Vec<u32> = random.words(SOURCES * WORDS).iter().map(|word| word | 1).collect();
        let mut list = List::direct(device)?;
        let buffer = Buffer::writable(device, u64::from(SOURCES * WORDS) * 4)?;
        let upload = Buffer::uploaded(device, &words)?;
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        list.transition(&buffer.com, state, D3D12_RESOURCE_STATES::COPY_DEST);
        list.copy_bytes(&buffer, 0, &upload, 0, upload.size);
        list.transition(&buffer.com, D3D12_RESOURCE_STATES::COPY_DEST, D3D12_RESOURCE_STATES::GENERIC_READ);
        stage.queue.run(&mut list)?;
        let plain = flat(NUMBERS, 4, 4);
        let written = D3D12_RESOURCE_DESC { Flags: D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS, ..plain };
        let textures = [
            Texture::new(device, &plain, D3D12_RESOURCE_STATES::GENERIC_READ, None)?,
            Texture::new(device, &written, state, None)?,
        ];
        let heap = Heap::staging(device, KINDS.len() as u32 * SOURCES)?;
        let sources = Self { words, heap, buffers: [buffer, upload], textures };
        for (at, kind) in (0..).zip(KINDS) {
            (0..SOURCES).for_each(|number| sources.write(device, &sources.heap, at * SOURCES + number, kind, number));
        }
        Ok(sources)
    }

    /// Writes a view to a slot of any heap.
    fn write(&self, device: &Device, heap: &Heap, at: u32, kind: Kind, number: u32) {
        let [buffer, upload] = &self.buffers;
        let first = u64::from(number * WORDS);
        let textures = D3D12_SHADER_RESOURCE_VIEW_DESC {
            Format: NUMBERS,
            ViewDimension: D3D12_SRV_DIMENSION::TEXTURE2D,
            Shader4ComponentMapping: AS_IS,
            Anonymous: D3D12_SHADER_RESOURCE_VIEW_DESC_3 {
                Texture2D: D3D12_TEX2D_SRV { MipLevels: 1, ..Default::default() },
            },
        };
        let buffers = D3D12_SHADER_RESOURCE_VIEW_DESC { ViewDimension: D3D12_SRV_DIMENSION::BUFFER, ..textures };
        let written = |dimension| D3D12_UNORDERED_ACCESS_VIEW_DESC {
            Format: NUMBERS,
            ViewDimension: dimension,
            ..Default::default()
        };
        let null = |view: &D3D12_SHADER_RESOURCE_VIEW_DESC| {
            call!(device.com, "ID3D12Device", "CreateShaderResourceView", Null, &raw const *view, heap.cpu(at).ptr);
        };
        let null_to_write = |view: &D3D12_UNORDERED_ACCESS_VIEW_DESC| {
            let (view, at) = (&raw const *view, heap.cpu(at).ptr);
            call!(device.com, "ID3D12Device", "CreateUnorderedAccessView", Null, Null, view, at);
        };
        match kind {
            Kind::Structured => heap.buffer_srv(at, buffer, Elements::structured(first / 2, WORDS / 2, 8)),
            Kind::Raw => heap.buffer_srv(at, buffer, Elements::raw(first, WORDS)),
            Kind::Typed => heap.buffer_srv(at, buffer, Elements::typed(first / 2, WORDS / 2, PAIRS)),
            Kind::StructuredToWrite => heap.buffer_uav(at, buffer, Elements::structured(first / 2, WORDS / 2, 8)),
            Kind::RawToWrite => heap.buffer_uav(at, buffer, Elements::raw(first, WORDS)),
            Kind::Constant => heap.cbv(at, upload.address + 4 * first, 4 * WORDS),
            Kind::Texture => heap.srv(at, &self.textures[0].com, &textures),
            Kind::TextureToWrite => heap.uav(at, &self.textures[1].com, &written(D3D12_UAV_DIMENSION::TEXTURE2D)),
            Kind::NullTexture => null(&textures),
            Kind::NullTextureToWrite => null_to_write(&written(D3D12_UAV_DIMENSION::TEXTURE2D)),
            Kind::NullBuffer => null(&buffers),
            Kind::NullBufferToWrite => null_to_write(&written(D3D12_UAV_DIMENSION::BUFFER)),
            Kind::NullConstant => heap.cbv(at, 0, 0),
        }
    }

    /// Fills the heap, each slot two to four times, in place and by copies of one and of several; gives what each slot shows.
    fn fill(&self, device: &Device, heap: &Heap, random: &mut Random) -> Vec<[u32; 2]> {
        for _ in 0..1 + random.below(3) {
            for at in 0..READERS * REGION {
                self.put(device, heap, at, random.below(KINDS.len() as u32), random.below(SOURCES), random);
            }
            // In rows, of kinds that follow each other.
            for row in 0..READERS * REGION / 32 {
                let first = random.below(KINDS.len() as u32 * SOURCES - 24);
                heap.copy(32 * row + random.below(8), &self.heap, first, 24);
            }
        }
        let mut shown: Vec<[u32; 2]> = Vec::new();
        for at in 0..READERS * REGION {
            let (kind, number, words) = loop {
                let (kind, number) = (random.below(KINDS.len() as u32), random.below(SOURCES));
                let words = (number * WORDS) as usize + 2;
                let words = [self.words[words], self.words[words + 1]];
                let Some(words) = KINDS[kind as usize].seen(at / REGION, words) else { continue };
                // In shader model 5 the declaration of structured buffers has lost that lanes read different descriptors: what
                // a group of lanes reads is null, or not.
                let like = |other: &[u32; 2]| (*other == [0; 2]) == (words == [0; 2]);
                if at / REGION != STRUCTURED || at % GROUP == 0 || shown.last().is_none_or(like) {
                    break (kind, number, words);
                }
            };
            self.put(device, heap, at, kind, number, random);
            shown.push(words);
        }
        shown
    }

    /// Gives a slot a view, in place or as a copy.
    fn put(&self, device: &Device, heap: &Heap, at: u32, kind: u32, number: u32, random: &mut Random) {
        if random.below(2) == 0 {
            self.write(device, heap, at, KINDS[kind as usize], number);
        } else {
            heap.copy(at, &self.heap, kind * SOURCES + number, 1);
        }
    }
}
