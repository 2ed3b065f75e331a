//! `placed`: heaps that are filled as this device says: textures one after the other by their sizes and alignments, textures that
//! take turns in the same memory, a texture over a part of a buffer, a shader that reaches one buffer by the address of another,
//! and upload and readback heaps shared by buffers. What lies apart is all written before any of it is read.
//!
//! ```text
//!   | low | high |  row of textures …  | large            |        one heap
//!   |    both    |                     | small | small |           and what shares its memory
//!          | cover |
//! ```
//!
//! `placed-tiles`: a reserved buffer whose tiles are the memory of placed ones.

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::com::{Com, call};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use crate::texture::{Texture, flat};
use reprise_d3d12::types::{D3D12_RESOURCE_STATES as State, *};

pub(super) const PROGRAM: Program =
    Program { name: "placed", about: "heaps filled by the sizes and alignments that the device says", run };
pub(super) const TILES: Program = Program {
    name: "placed-tiles",
    about: "a reserved buffer whose tiles are the memory of placed buffers",
    run: tiles,
};

const FOLD: Shader = shader!("fold.main");
const GRANULE: u64 = Memory::ALIGNMENT;

/// A texture, what it is filled with, and what keeps that until the list is done.
struct Filled {
    texture: Texture,
    content: Vec<Vec<u8>>,
    _upload: Buffer,
}

/// Bytes for each of so many levels of a texture.
fn content(random: &mut Random, desc: &D3D12_RESOURCE_DESC, texel: u64) -> Vec<Vec<u8>> {
    let level = |level: u16| ((desc.Width >> level).max(1) * u64::from(desc.Height >> level).max(1) * texel) as usize;
    let layers = 0..desc.DepthOrArraySize;
    layers
        .flat_map(|_| 0..desc.MipLevels)
        .map(level)
        .collect::<Vec<_>>()
        .into_iter()
        .map(|bytes| random.bytes(bytes))
        .collect()
}

fn fill(stage: &Stage, list: &mut List, texture: Texture, content: Vec<Vec<u8>>) -> Result<Filled, Failure> {
    let upload = texture.fill(&stage.device, list, &content)?;
    Ok(Filled { texture, content, _upload: upload })
}

fn check(stage: &Stage, list: &mut List, what: &str, filled: &Filled, digest: &mut Digest) -> Result<(), Failure> {
    let got = filled.texture.read(stage, list, State::COPY_DEST)?;
    for (got, expected) in got.iter().zip(&filled.content) {
        Failure::unless_equal(what, got, expected)?;
        digest.add(got);
    }
    Ok(())
}

/// What lies one after the other: levels, layers, and sizes that no granule fits.
fn row() -> [(D3D12_RESOURCE_DESC, u64); 4] {
    let mut mips = flat(DXGI_FORMAT::FORMAT_R16_UINT, 130, 70);
    (mips.MipLevels, mips.DepthOrArraySize) = (4, 3);
    let mut small = flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 32, 32);
    small.Alignment = 4 << 10;
    [
        (flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 256, 256), 4),
        (mips, 2),
        (small, 4),
        (flat(DXGI_FORMAT::FORMAT_R32G32B32A32_UINT, 100, 90), 16),
    ]
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let mut random = Random(31);
    let mut digest = Digest::new();
    let constants = Parameter::Constants { register: 0, count: 4 };
    let root = RootSignature::compute(device, &[constants, Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &FOLD)?;

    // Where everything lies, as the device wants it.
    let mut end = 4 * GRANULE;
    let mut after = |size: u64, alignment: u64| {
        let start = end.next_multiple_of(alignment);
        end = start + size;
        start
    };
    let mut descs = row();
    let mut starts = Vec::new();
    for (desc, _) in &mut descs {
        let mut room = Memory::room(device, desc);
        if room.alignment != desc.Alignment && desc.Alignment != 0 {
            // The small alignment is a wish.
            desc.Alignment = 0;
            room = Memory::room(device, desc);
        }
        starts.push(after(room.size, room.alignment));
    }
    let large = flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 300, 400);
    let small = flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 100, 300);
    let cover = flat(DXGI_FORMAT::FORMAT_R8_UINT, 120, 100);
    let [large_room, small_room, cover_room] = [&large, &small, &cover].map(|desc| Memory::room(device, desc));
    let large_start = after(large_room.size, large_room.alignment.max(small_room.alignment));
    let second = (large_start + small_room.size).next_multiple_of(small_room.alignment);
    let finish = end.max(second + small_room.size);
    if cover_room.size > 2 * GRANULE {
        return Err(Failure::Cannot("a texture of 12000 bytes needs more than 128 KiB".into()));
    }
    // A texture of several samples comes last, at its own alignment; only its place is of interest.
    let mut samples = flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, 64, 64);
    samples.SampleDesc.Count = 4;
    samples.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    let samples_room = Memory::room(device, &samples);
    let samples_start = finish.next_multiple_of(samples_room.alignment);
    let size = (samples_start + samples_room.size).next_multiple_of(GRANULE);

    let memory = Memory::of(device, D3D12_HEAP_TYPE::DEFAULT, size, samples_room.alignment)?;
    let _samples = memory.place(samples_start, &samples, State::RENDER_TARGET)?;
    let both = Buffer::placed(&memory, 0, 4 * GRANULE)?;
    let low = Buffer::placed(&memory, 0, 2 * GRANULE)?;
    let high = Buffer::placed(&memory, 2 * GRANULE, 2 * GRANULE)?;
    let uploads = Memory::of(device, D3D12_HEAP_TYPE::UPLOAD, 4 * GRANULE, 0)?;
    let readbacks = Memory::of(device, D3D12_HEAP_TYPE::READBACK, 4 * GRANULE, 0)?;

    let mut list = List::direct(device)?;
    for round in 0..stage.frames(3) {
        // Two upload buffers over each other in one heap: the second one's half is written through it.
        let words = random.words(GRANULE as u32);
        let upload = Buffer::placed_upload(&uploads, 0, 4 * GRANULE)?;
        let mut half = Buffer::placed_upload(&uploads, 2 * GRANULE, 2 * GRANULE)?;
        let mut first = upload;
        let bytes = bytes_of(&words);
        first.write(0, &bytes[..2 * GRANULE as usize]);
        half.write(0, &bytes[2 * GRANULE as usize..]);
        list.alias(None, Some(&both.com));
        list.copy_bytes(&both, 0, &first, 0, 4 * GRANULE);
        // The shader reaches the memory of `high` by the address of `both`.
        list.transition(&both.com, State::COPY_DEST, State::UNORDERED_ACCESS);
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        let count = 2 * GRANULE as u32 / 4;
        list.compute_constants(0, &[0, count, 5, round]);
        list.compute_uav(1, both.address + 2 * GRANULE);
        list.dispatch(count / 64, 1, 1);
        list.transition(&both.com, State::UNORDERED_ACCESS, State::COPY_DEST);
        list.alias(Some(&both.com), Some(&high.com));

        // The row of textures, and the first of those that take turns.
        let mut filled = Vec::new();
        for ((desc, texel), start) in descs.iter().zip(&starts) {
            let texture = Texture::placed(device, &memory, *start, desc, State::COPY_DEST)?;
            let content = content(&mut random, desc, *texel);
            filled.push(fill(stage, &mut list, texture, content)?);
        }
        let texture = Texture::placed(device, &memory, large_start, &large, State::COPY_DEST)?;
        list.alias(None, Some(&texture.com));
        let first_turn = content(&mut random, &large, 4);
        let first_turn = fill(stage, &mut list, texture, first_turn)?;

        // All of it is there.
        let read = Buffer::placed_readback(&readbacks, 0, 2 * GRANULE)?;
        let other = Buffer::placed_readback(&readbacks, 2 * GRANULE, 2 * GRANULE)?;
        for (from, to) in [(&low, &read), (&high, &other)] {
            list.transition(&from.com, State::COPY_DEST, State::COPY_SOURCE);
            list.copy_bytes(to, 0, from, 0, from.size);
            list.transition(&from.com, State::COPY_SOURCE, State::COPY_DEST);
        }
        for (index, filled) in filled.iter().enumerate() {
            check(stage, &mut list, ["plain", "levels", "small", "wide"][index], filled, &mut digest)?;
        }
        check(stage, &mut list, "large", &first_turn, &mut digest)?;
        let (below, above) = words.split_at(words.len() / 2);
        let folded: Vec<u32> = above.iter().map(|word| word.wrapping_mul(5).wrapping_add(round)).collect();
        Failure::unless_equal("low", &read.read_u32()?, below)?;
        Failure::unless_equal("high", &other.read_u32()?, &folded)?;
        digest.add(&read.read()?);
        digest.add(&other.read()?);

        // Others take their turns: two where the large one was, one over the upper half of the buffer.
        let turns = [(&small, 4, large_start), (&small, 4, second), (&cover, 1, 2 * GRANULE)];
        let mut second_turn = Vec::new();
        for (desc, texel, start) in turns {
            let texture = Texture::placed(device, &memory, start, desc, State::COPY_DEST)?;
            let before = if start < large_start { &high.com } else { &first_turn.texture.com };
            list.alias(Some(before), Some(&texture.com));
            let content = content(&mut random, desc, texel);
            second_turn.push(fill(stage, &mut list, texture, content)?);
        }
        list.transition(&low.com, State::COPY_DEST, State::COPY_SOURCE);
        list.copy_bytes(&read, 0, &low, 0, low.size);
        list.transition(&low.com, State::COPY_SOURCE, State::COPY_DEST);
        for filled in &second_turn {
            check(stage, &mut list, "a turn", filled, &mut digest)?;
            list.alias(Some(&filled.texture.com), None::<&Com>);
        }
        for filled in &filled {
            check(stage, &mut list, "the row again", filled, &mut digest)?;
        }
        Failure::unless_equal("low again", &read.read_u32()?, below)?;
    }
    list.close()?;
    Ok(digest)
}

fn tiles(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    if device.options().TiledResourcesTier == D3D12_TILED_RESOURCES_TIER::TIER_NOT_SUPPORTED {
        return Err(Failure::Cannot("the library has no tiled resources".into()));
    }
    // A texture that other devices want more room for, then two buffers, whose memory a third one maps the other way round.
    let desc = flat(DXGI_FORMAT::FORMAT_R8G8B8A8_UINT, 200, 100);
    let room = Memory::room(device, &desc);
    let start = room.size.next_multiple_of(GRANULE);
    let memory = Memory::new(device, start + 4 * GRANULE)?;
    let texture = Texture::placed(device, &memory, 0, &desc, State::COPY_DEST)?;
    let low = Buffer::placed(&memory, start, 2 * GRANULE)?;
    let high = Buffer::placed(&memory, start + 2 * GRANULE, 2 * GRANULE)?;
    let reserved = Buffer::reserved(device, 4 * GRANULE)?;
    let region = |tile| D3D12_TILED_RESOURCE_COORDINATE { X: tile, ..Default::default() };
    let size = D3D12_TILE_REGION_SIZE { NumTiles: 2, ..Default::default() };
    let first = (start / GRANULE) as u32;
    let (regions, sizes) = ([region(0), region(2)], [size, size]);
    let (flags, offsets, counts) = ([D3D12_TILE_RANGE_FLAGS::NONE; 2], [first + 2, first], [2u32, 2]);
    call!(
        stage.queue.com,
        "ID3D12CommandQueue",
        "UpdateTileMappings",
        &reserved.com,
        2u32,
        regions.as_ptr(),
        sizes.as_ptr(),
        memory.com(),
        2u32,
        flags.as_ptr(),
        offsets.as_ptr(),
        counts.as_ptr(),
        0u32
    );
    let mut random = Random(77);
    let words = random.words(GRANULE as u32);
    let upload = Buffer::uploaded(device, &words)?;
    let mut list = List::direct(device)?;
    list.copy_bytes(&low, 0, &upload, 0, 2 * GRANULE);
    list.copy_bytes(&high, 0, &upload, 2 * GRANULE, 2 * GRANULE);
    let content = content(&mut random, &desc, 4);
    let filled = fill(stage, &mut list, texture, content)?;
    list.alias(Some(&low.com), Some(&reserved.com));
    let output = Buffer::readback(device, 4 * GRANULE)?;
    list.copy_bytes(&output, 0, &reserved, 0, 4 * GRANULE);
    let mut digest = Digest::new();
    check(stage, &mut list, "the texture beside", &filled, &mut digest)?;
    let (below, above) = words.split_at(words.len() / 2);
    Failure::unless_equal("the tiles", &output.read_u32()?, &[above, below].concat())?;
    digest.add(&output.read()?);
    list.close()?;
    Ok(digest)
}
