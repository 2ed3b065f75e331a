//! `decompression`: GDeflate, as DirectStorage has it decompressed: by a meta command.
//!
//! The streams are of an encoder of the program's own, with every kind of block, matches of every form, and several tiles. Streams that are
//! damaged get a status, and what lies around their output stays as it was.

mod encoder;

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::{Com, Null, call, create, succeeded};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::random::Random;
use crate::stage::Stage;
use encoder::{Kind, TILE, Writer};
use reprise_d3d12::interface;
use reprise_d3d12::model::Guid;
use reprise_d3d12::types::*;

pub(super) const PROGRAM: Program = Program {
    name: "decompression",
    about: "streams of GDeflate, whole and damaged, by DirectStorage's meta command",
    run,
};

/// DirectStorage's decompression.
static COMMAND: Guid = Guid::from_u128(0x1bddd090_c47e_459c_8f81_42c9f97a5308);
/// Streams of an execution.
const MOST: usize = 256;
/// What memory holds before.
const GUARD: u8 = 0xa5;

/// A stream, and what it decompresses to.
struct Stream {
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Stream {
    /// Tiles of blocks of these kinds in turn, of so many symbols.
    fn new(output: Vec<u8>, kinds: &[Kind], symbols: usize) -> Stream {
        let tiles: Vec<Vec<u8>> = output.chunks(TILE).map(|bytes| encoder::tile(bytes, kinds, symbols)).collect();
        Stream { input: encoder::stream(&tiles, output.len()), output }
    }

    /// One tile that an encoder would not make; it claims so many bytes.
    fn odd(size: usize, write: impl FnOnce(&mut Writer)) -> Stream {
        let mut writer = Writer::new();
        write(&mut writer);
        let size = size.max(1);
        Stream { input: encoder::stream(&[writer.finish()], size), output: vec![GUARD; size] }
    }
}

/// Words of a small vocabulary.
fn text(random: &mut Random, size: usize) -> Vec<u8> {
    let words: Vec<Vec<u8>> = (0..200).map(|number| random.bytes(2 + number % 9)).collect();
    let words: Vec<Vec<u8>> =
        words.into_iter().map(|word| word.iter().map(|byte| b'a' + byte % 26).collect()).collect();
    let mut text = Vec::new();
    while text.len() < size {
        text.extend(&words[random.below(200) as usize]);
        text.push(b' ');
    }
    text.truncate(size);
    text
}

/// Streams that are right.
fn good() -> Vec<Stream> {
    use Kind::{Dynamic, Fixed, Stored};
    let mut random = Random(0x6465_666c);
    // Matches of more than half a tile back.
    let noise = random.bytes(40_000);
    let far: Vec<u8> = noise.iter().chain(&noise[..25_536]).copied().collect();
    // Symbols of all counts, so that codes have all lengths.
    let skewed: Vec<u8> = (0..30_000).map(|_| (random.next() | 1 << 15).trailing_zeros() as u8 * 3).collect();
    let long = text(&mut random, 2 * TILE + 12_345);
    let mixed = text(&mut random, TILE + 1);
    vec![
        Stream::new(long, &[Dynamic], 9_000),
        Stream::new(random.bytes(TILE + 777), &[Stored], usize::MAX),
        // A byte and a match of all others.
        Stream::new(vec![7; TILE], &[Fixed], usize::MAX),
        Stream::new(mixed, &[Fixed, Dynamic, Stored], 1_000),
        Stream::new(far, &[Dynamic], usize::MAX),
        Stream::new(skewed, &[Dynamic], usize::MAX),
        Stream::new(vec![42], &[Dynamic], 1),
        // Patterns that overlap themselves.
        Stream::new((0..50_000u32).map(|at| (at % (3 + at / 5_000)) as u8).collect(), &[Dynamic, Fixed], 20),
        Stream::new(text(&mut random, 2_000), &[Fixed], 1),
        Stream::new(Vec::new(), &[], 1),
    ]
}

/// Streams that have to get a status.
fn bad() -> Vec<(&'static str, Stream)> {
    let mut random = Random(0x6261_6421);
    let whole = || Stream::new(text(&mut Random(5), TILE + 3_000), &[Kind::Dynamic], 5_000);
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut stream = whole();
        change(&mut stream.input);
        stream
    };
    // The streams lie in memory one after another, so what is cut off continues with the next one's bytes: tables say how long tiles are.
    vec![
        ("another format", changed(|bytes| bytes[1] ^= 1)),
        ("another size of tiles", changed(|bytes| bytes[4] ^= 3)),
        ("more tiles than input", changed(|bytes| bytes[3] = 0xff)),
        ("a tile outside of the input", changed(|bytes| bytes[15] = 0x7f)),
        ("an input that ends early", changed(|bytes| bytes[8..12].copy_from_slice(&200u32.to_le_bytes()))),
        ("no input", changed(|bytes| bytes[8..12].fill(0))),
        (
            "a tile larger than one",
            changed(|bytes| bytes[4..8].copy_from_slice(&(1 | 0x3_ffff_u32 << 2).to_le_bytes())),
        ),
        ("less output than there is", changed(|bytes| bytes[4..8].copy_from_slice(&(1 | 2_999u32 << 2).to_le_bytes()))),
        ("more output than there is", changed(|bytes| bytes[4..8].copy_from_slice(&(1 | 3_001u32 << 2).to_le_bytes()))),
        ("a kind of block that is none", Stream::odd(9, |writer| encoder::header(writer, true, 3))),
        (
            "empty blocks without end",
            Stream::odd(9, |writer| (0..5_000).for_each(|_| encoder::stored(writer, false, &[]))),
        ),
        ("zeros", Stream { input: encoder::stream(&[vec![0; 5_000]], 100), output: vec![GUARD; 100] }),
        ("ones", Stream { input: encoder::stream(&[vec![0xff; 5_000]], 100), output: vec![GUARD; 100] }),
        ("noise", Stream { input: encoder::stream(&[random.bytes(5_000)], TILE), output: vec![GUARD; TILE] }),
        (
            "more codes than there can be",
            Stream::odd(9, |writer| {
                encoder::header(writer, true, 2);
                encoder::code_lengths(writer, &[1; 257], &[1]);
            }),
        ),
        (
            "a match of nothing",
            Stream::odd(9, |writer| {
                encoder::header(writer, true, 1);
                writer.turn(0);
                // The code of 257, a length of 3, has 7 bits; then distance 1, the first code of 5.
                writer.put(0, 0b100_0000, 7);
                writer.turn(0);
            }),
        ),
        (
            "a repeat of nothing",
            Stream::odd(9, |writer| {
                encoder::header(writer, true, 2);
                // 4 lengths of codes: only 16 has one.
                writer.put(0, 0, 14);
                writer.turn(0);
                writer.put(0, 1, 3);
                (0..4).for_each(|lane| writer.turn(lane));
                (0..32).for_each(|lane| writer.put(lane, 0, 3));
                (0..32).for_each(|lane| writer.turn(lane));
            }),
        ),
    ]
}

/// The meta command's interfaces of a list and of the device, and the command.
struct Command<'a> {
    stage: &'a Stage,
    com: Com,
    list: List,
    newer: Com,
    /// As much as the library asks for.
    scratch: Option<Buffer>,
}

/// Where the parts of an execution lie.
struct Execution {
    input: Buffer,
    output: Buffer,
    control: Buffer,
    status: Buffer,
    /// Bytes that are said to be there.
    sizes: [u64; 4],
    streams: u64,
}

/// Streams in memory: at these multiples, in input and output.
fn lay(
    command: &mut Command<'_>,
    streams: &[&Stream],
    multiple: usize,
    gap: usize,
) -> Result<(Execution, Vec<usize>), Failure> {
    let (mut input, mut output, mut words) = (vec![GUARD; gap], gap, vec![streams.len() as u32]);
    let mut places = Vec::new();
    for stream in streams {
        words.extend([input.len() as u32, output as u32]);
        places.push(output);
        input.extend(&stream.input);
        input.resize(input.len().next_multiple_of(multiple) + gap, GUARD);
        output = (output + stream.output.len()).next_multiple_of(multiple) + gap;
    }
    let sizes = [input.len() as u64, output as u64, 4 * words.len() as u64, 4 * streams.len() as u64];
    let device = &command.stage.device;
    let mut filled = |bytes: &[u8]| -> Result<Buffer, Failure> {
        let mut padded = bytes.to_vec();
        // A guard behind everything.
        padded.resize(bytes.len().next_multiple_of(4) + 64, GUARD);
        let mut upload = Buffer::upload(device, padded.len() as u64)?;
        upload.write(0, &padded);
        let buffer = Buffer::writable(device, upload.size)?;
        buffer::fill(&command.stage.queue, &mut command.list, &buffer, &upload)?;
        Ok(buffer)
    };
    let execution = Execution {
        input: filled(&input)?,
        output: filled(&vec![GUARD; output])?,
        control: filled(&bytes_of(&words))?,
        status: filled(&vec![GUARD; 4 * streams.len()])?,
        sizes,
        streams: streams.len() as u64,
    };
    Ok((execution, places))
}

impl Command<'_> {
    /// Executes, and gives output and statuses.
    fn execute(&mut self, execution: &Execution) -> Result<(Vec<u8>, Vec<u32>), Failure> {
        let Execution { input, output, control, status, sizes, streams } = execution;
        let scratch = self.scratch.as_ref().map_or((0, 0), |buffer| (buffer.address, buffer.size));
        let [input_size, output_size, control_size, status_size] = *sizes;
        let words: [u64; 11] = [
            input.address,
            input_size,
            output.address,
            output_size,
            control.address,
            control_size,
            scratch.0,
            scratch.1,
            *streams,
            status.address,
            status_size,
        ];
        let (data, size) = (words.as_ptr().cast::<u8>(), size_of_val(&words) as u64);
        call!(self.newer, "ID3D12GraphicsCommandList4", "ExecuteMetaCommand", &self.com, data, size);
        self.list.uav_barrier(&output.com);
        self.list.uav_barrier(&status.com);
        let state = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
        let Stage { device, queue, .. } = self.stage;
        let bytes = buffer::fetch(device, queue, &mut self.list, output, state)?.read()?;
        let statuses = buffer::fetch(device, queue, &mut self.list, status, state)?.read_u32()?;
        Ok((bytes, statuses))
    }
}

/// What a library says of the command, and the command.
fn make(stage: &Stage) -> Result<Command<'_>, Failure> {
    let device = stage.device.com.query(interface("ID3D12Device5"));
    let device = device.ok_or_else(|| Failure::Cannot("the device has no ID3D12Device5".into()))?;
    let mut count = 0u32;
    call!(device, "ID3D12Device5", "EnumerateMetaCommands", &raw mut count, Null);
    let mut descs = vec![D3D12_META_COMMAND_DESC::default(); count as usize];
    let given = call!(device, "ID3D12Device5", "EnumerateMetaCommands", &raw mut count, descs.as_mut_ptr());
    if given != 0 || !descs.iter().any(|desc| desc.Id == COMMAND) {
        return Err(Failure::Cannot("the library has no DirectStorage decompression".into()));
    }
    for (stage, parameters) in [(0i32, 4u32), (1, 0), (2, 11)] {
        let (mut size, mut count) = (u32::MAX, 0u32);
        let (id, method) = (&raw const COMMAND, "EnumerateMetaCommandParameters");
        let sizes = (&raw mut size, &raw mut count);
        call!(device, "ID3D12Device5", "EnumerateMetaCommandParameters", id, stage, sizes.0, sizes.1, Null);
        Failure::unless((size, count) == (8 * parameters, parameters), || format!("{method}: {count}, {size} bytes"))?;
        let mut descs = vec![D3D12_META_COMMAND_PARAMETER_DESC::default(); count as usize];
        let first = descs.as_mut_ptr();
        call!(device, "ID3D12Device5", "EnumerateMetaCommandParameters", id, stage, sizes.0, sizes.1, first);
        let offsets: Vec<u32> = descs.iter().map(|desc| desc.StructureOffset).collect();
        Failure::unless_equal(method, &offsets, &(0..parameters).map(|at| 8 * at).collect::<Vec<u32>>())?;
    }
    let mut question = [1 | (MOST as u32) << 16, 0, 1, 0];
    let mut answer = [0u32; 6];
    let mut query = D3D12_FEATURE_DATA_QUERY_META_COMMAND {
        CommandId: COMMAND,
        pQueryInputData: question.as_mut_ptr().cast(),
        QueryInputDataSizeInBytes: 16,
        pQueryOutputData: answer.as_mut_ptr().cast(),
        QueryOutputDataSizeInBytes: 24,
        ..Default::default()
    };
    let answered = stage.device.feature(D3D12_FEATURE::QUERY_META_COMMAND, &mut query);
    Failure::unless(answered && answer[0] == question[0], || format!("the command answers {answer:x?}"))?;
    let try_to_make = |words: &[u64]| {
        let (id, data, size) = (&raw const COMMAND, words.as_ptr().cast::<u8>(), size_of_val(words) as u64);
        create!(device, "ID3D12Device5", "CreateMetaCommand", id, 0u32, data, size; "ID3D12MetaCommand")
    };
    const MAKE: reprise_d3d12::model::MethodId = reprise_d3d12::method("ID3D12Device5", "CreateMetaCommand");
    const INVALID: u64 = 0x8007_0057;
    const UNSUPPORTED: u64 = 0x887a_0004;
    for (words, code) in
        [(&[0, 1, 1, 0][..], UNSUPPORTED), (&[1, 0, 1, 0], UNSUPPORTED), (&[1, 1, 1], INVALID), (&[], INVALID)]
    {
        let answer = try_to_make(words).map(drop);
        Failure::unless(answer == succeeded(MAKE, code), || format!("CreateMetaCommand({words:?}): {answer:?}"))?;
    }
    let com = try_to_make(&[1, 1, MOST as u64, 0])?;
    let scratch = match answer[2] {
        0 => None,
        size => Some(Buffer::writable(&stage.device, size.into())?),
    };
    let mut list = List::direct(&stage.device)?;
    let newer = list.com.query(interface("ID3D12GraphicsCommandList4"));
    let newer = newer.ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList4".into()))?;
    call!(newer, "ID3D12GraphicsCommandList4", "InitializeMetaCommand", &com, Null, 0u64);
    stage.queue.run(&mut list)?;
    Ok(Command { stage, com, list, newer, scratch })
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut command = make(stage)?;
    let mut digest = Digest::new();
    let good = good();
    let all: Vec<&Stream> = good.iter().collect();
    // As programs lay them, and at odd places.
    for (multiple, gap) in [(16, 0), (1, 3)] {
        let (execution, places) = lay(&mut command, &all, multiple, gap)?;
        let (bytes, statuses) = command.execute(&execution)?;
        let mut expected = vec![GUARD; bytes.len()];
        for (stream, place) in good.iter().zip(places) {
            expected[place..place + stream.output.len()].copy_from_slice(&stream.output);
        }
        Failure::unless_equal("bytes", &bytes, &expected)?;
        let zeros = statuses[..good.len()].iter().all(|status| *status == 0);
        Failure::unless(zeros, || format!("statuses of good streams: {statuses:x?}"))?;
        digest.add(&bytes);
    }
    // Fewer streams by each of the three numbers.
    for limit in 0..3 {
        let (mut execution, places) = lay(&mut command, &all, 16, 0)?;
        let kept = 4;
        match limit {
            0 => execution.streams = kept,
            1 => execution.sizes[2] = 4 + 8 * kept + 7,
            // Behind the last of these tiles there is room for no other.
            _ => execution.sizes[1] = places[4] as u64,
        }
        let (bytes, statuses) = command.execute(&execution)?;
        let end = places[4];
        let right = good[..4].iter().zip(&places).all(|(stream, place)| bytes[*place..].starts_with(&stream.output));
        let rest = bytes[end..].iter().all(|byte| *byte == GUARD);
        Failure::unless(right && rest, || format!("not only the first streams, limit {limit}"))?;
        let full = limit == 2;
        let failed = statuses[4..good.len() - 1].iter().all(|status| (*status != 0) == full || limit == 0);
        Failure::unless(failed, || format!("statuses of limit {limit}: {statuses:x?}"))?;
    }
    damaged(&mut command, &good)?;
    Ok(digest)
}

/// Damaged streams between good ones.
fn damaged(command: &mut Command<'_>, good: &[Stream]) -> Result<(), Failure> {
    let mut streams: Vec<(Option<&str>, Stream)> = Vec::new();
    let copy = |stream: &Stream| Stream { input: stream.input.clone(), output: stream.output.clone() };
    for (what, stream) in bad() {
        streams.push((Some(what), stream));
        streams.push((None, copy(&good[8])));
    }
    // Any bit may be another one; what comes of it is not known, but that it ends.
    let mut random = Random(0x666c_6970);
    let known = streams.len();
    for _ in 0..60 {
        let mut stream = copy(&good[[0, 3, 5, 7, 8][random.below(5) as usize]]);
        for _ in 0..1 + random.below(4) {
            // Behind the table, which says how large the output is.
            let table = 8 + 4 * stream.output.len().div_ceil(TILE);
            let bit = random.below(8 * (stream.input.len() - table) as u32);
            stream.input[table + bit as usize / 8] ^= 1 << (bit % 8);
        }
        streams.push((Some("a bit"), stream));
    }
    let all: Vec<&Stream> = streams.iter().map(|(_, stream)| stream).collect();
    let (execution, places) = lay(command, &all, 16, 48)?;
    let (bytes, statuses) = command.execute(&execution)?;
    for (((what, stream), place), status) in streams.iter().zip(&places).zip(&statuses).take(known) {
        match what {
            Some(what) => Failure::unless(*status != 0, || format!("{what}: no status"))?,
            None => {
                let got = &bytes[*place..place + stream.output.len()];
                Failure::unless_equal("a stream beside damaged ones", got, &stream.output)?;
                Failure::unless(*status == 0, || format!("a stream beside damaged ones: {status:x}"))?;
            }
        }
    }
    let mut outside = vec![true; bytes.len()];
    for ((_, stream), place) in streams.iter().zip(&places) {
        outside[*place..place + stream.output.len()].fill(false);
    }
    let kept = bytes.iter().zip(outside).all(|(byte, outside)| !outside || *byte == GUARD);
    Failure::unless(kept, || "bytes around the output of damaged streams".into())?;
    Failure::unless(statuses[streams.len()..].iter().all(|word| *word == 0xa5a5_a5a5), || "a status too many".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_of_several_tiles_and_kinds() {
        let good = good();
        assert!(good.iter().any(|stream| stream.output.len() > 2 * TILE));
        assert!(good.iter().any(|stream| stream.output.len() == TILE));
        // What can be made smaller is.
        assert!(good[0].input.len() * 2 < good[0].output.len(), "{} {}", good[0].input.len(), good[0].output.len());
        assert!(good[2].input.len() < 200);
        assert!(good.iter().all(|stream| stream.input.len() % 4 == 0));
    }
}
