//! `markers`: what the specification of WriteBufferImmediate (§4.1, §4.2) demands of direct, compute and copy lists and of bundles. Words come where
//! they are to be in every mode and over several buffers; and a thread that looks at two words while the GPU works sees them rise only, and
//! never that an operation is done which was not begun.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::time::Duration;

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::com::{Com, Null, Word, attempt, call};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::queue::Queue;
use crate::root::{Parameter, RootSignature};
use crate::shader::shader;
use crate::stage::Stage;
use reprise_d3d12::interface;
use reprise_d3d12::model::InterfaceId;
use reprise_d3d12::types::{
    D3D12_COMMAND_LIST_TYPE as Kind, D3D12_RANGE, D3D12_WRITEBUFFERIMMEDIATE_MODE as Mode,
    D3D12_WRITEBUFFERIMMEDIATE_PARAMETER,
};

pub(super) const PROGRAM: Program =
    Program { name: "markers", about: "words that say how far the GPU is, seen while it works", run };

const LIST: InterfaceId = interface("ID3D12GraphicsCommandList2");
/// Operations with markers around them.
const OPERATIONS: u32 = 48;
/// Bytes that the longest copy has.
const MOST: u64 = 4 << 20;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let mut digest = Digest::new();
    for kind in [Kind::DIRECT, Kind::COMPUTE, Kind::COPY] {
        digest.add(&bytes_of(&places(stage, kind, false)?));
        digest.add(&bytes_of(&watched(stage, kind)?));
    }
    digest.add(&bytes_of(&places(stage, Kind::DIRECT, true)?));
    Ok(digest)
}

fn newer(list: &List) -> Result<Com, Failure> {
    list.com.query(LIST).ok_or_else(|| Failure::Cannot("lists have no ID3D12GraphicsCommandList2".into()))
}

/// Writes words; without modes all are `DEFAULT`.
fn write(list: &Com, words: &[(u64, u32)], modes: Option<&[Mode]>) {
    let parameter =
        |&(address, value): &(u64, u32)| D3D12_WRITEBUFFERIMMEDIATE_PARAMETER { Dest: address, Value: value };
    let parameters: Vec<_> = words.iter().map(parameter).collect();
    let (count, first) = (parameters.len() as u32, parameters.as_ptr());
    match modes {
        Some(modes) => {
            call!(list, "ID3D12GraphicsCommandList2", "WriteBufferImmediate", count, first, modes.as_ptr());
        }
        None => {
            call!(list, "ID3D12GraphicsCommandList2", "WriteBufferImmediate", count, first, Null);
        }
    }
}

/// §4.1: every mode, words four bytes apart, three buffers in one call; a bundle too.
fn places(stage: &Stage, kind: Kind, bundled: bool) -> Result<Vec<u32>, Failure> {
    const WORDS: u64 = 16;
    let device = &stage.device;
    let queue = Queue::new(device, kind)?;
    let buffers = [(); 3].map(|()| Buffer::readback(device, 4 * WORDS));
    let buffers: Vec<Buffer> = buffers.into_iter().collect::<Result<_, _>>()?;
    let mut expected = vec![0u32; 3 * WORDS as usize];
    let mut list = List::new(device, kind)?;
    let mut bundle = if bundled { Some(List::new(device, Kind::BUNDLE)?) } else { None };
    let writer = newer(bundle.as_ref().unwrap_or(&list))?;
    let modes = [None, Some(Mode::DEFAULT), Some(Mode::MARKER_IN), Some(Mode::MARKER_OUT)];
    for (at, mode) in modes.into_iter().enumerate() {
        // Each mode has words of its own, and the last value of a word stays.
        for round in 0..2u32 {
            let word = |buffer: usize| at as u64 * 4 + buffer as u64 % 4;
            let value = |buffer: usize| 0x1000_0000 + (round << 16) + (at as u32) * 0x100 + buffer as u32;
            let words: Vec<(u64, u32)> =
                (0..3).map(|buffer| (buffers[buffer].address + 4 * word(buffer), value(buffer))).collect();
            write(&writer, &words, mode.map(|mode| [mode; 3]).as_ref().map(|modes| &modes[..]));
            (0..3).for_each(|buffer| expected[buffer * WORDS as usize + word(buffer) as usize] = value(buffer));
        }
    }
    // Modes may differ from word to word.
    let words: Vec<(u64, u32)> =
        (0..3).map(|buffer| (buffers[buffer].address + 60, 0xabcd_0000 + buffer as u32)).collect();
    write(&writer, &words, Some(&[Mode::MARKER_IN, Mode::DEFAULT, Mode::MARKER_OUT]));
    (0..3).for_each(|buffer| expected[buffer * WORDS as usize + 15] = 0xabcd_0000 + buffer as u32);
    if let Some(bundle) = &mut bundle {
        bundle.close()?;
        call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    }
    list.close()?;
    queue.execute(&[&list]);
    queue.finish()?;
    let got = buffers.iter().map(Buffer::read_u32).collect::<Result<Vec<_>, _>>()?.concat();
    Failure::unless_equal(&format!("words of lists of type {}", kind.0), &got, &expected)?;
    Ok(got)
}

/// §4.2: operations of varying cost, a marker before and behind each, and a thread that looks at both.
fn watched(stage: &Stage, kind: Kind) -> Result<Vec<u32>, Failure> {
    let device = &stage.device;
    let queue = Queue::new(device, kind)?;
    let words = Buffer::readback(device, 64)?;
    let (from, to) = (Buffer::copied(device, MOST)?, Buffer::copied(device, MOST)?);
    let mut list = List::new(device, kind)?;
    let writer = newer(&list)?;
    let computes = kind != Kind::COPY;
    let parameters = [Parameter::Constants { register: 0, count: 6 }, Parameter::Uav(0)];
    let root = RootSignature::compute(device, &parameters)?;
    let pipeline = Pipeline::compute(stage, &root, &shader!("indirect.draws"))?;
    // Sixteen threads of up to 64 groups store 16 bytes each.
    let drawn = Buffer::writable(device, 64 * 16 * 16)?;
    if computes {
        list.set_compute_root(&root);
        list.set_pipeline(&pipeline);
        list.compute_constants(0, &[0; 6]);
        list.compute_uav(1, drawn.address);
    }
    for operation in 1..=OPERATIONS {
        write(&writer, &[(words.address, operation)], Some(&[Mode::MARKER_IN]));
        if computes && operation % 2 == 0 {
            list.dispatch(1 + operation * 37 % 64, 1, 1);
        } else {
            list.copy_bytes(&to, 0, &from, 0, (MOST >> (operation % 7)).max(4));
        }
        write(&writer, &[(words.address + 4, operation)], Some(&[Mode::MARKER_OUT]));
    }
    list.close()?;
    let mut mapped: *mut u8 = core::ptr::null_mut();
    let whole = D3D12_RANGE { Begin: 0, End: 8 };
    attempt!(words.com, "ID3D12Resource", "Map", 0u32, Word::from(&raw const whole), &raw mut mapped)?;
    // SAFETY: the mapping has 64 bytes until the buffer goes, and is written by the GPU and read by us in whole words.
    let seen: &[AtomicU32; 2] = unsafe { &*mapped.cast::<[AtomicU32; 2]>() };
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(seen, &over));
        queue.execute(&[&list]);
        let finished = queue.finish();
        over.store(true, Ordering::Release);
        let watched = watcher.join().map_err(|_| Failure::Wrong("the watching thread ended".into()))?;
        finished.and(watched)
    })?;
    let last = [seen[0].load(Ordering::Acquire), seen[1].load(Ordering::Acquire)];
    Failure::unless_equal("the last markers", &last, &[OPERATIONS; 2])?;
    Ok(last.to_vec())
}

/// Looks at the words for begun and done operations until the work is over.
fn watch(seen: &[AtomicU32; 2], over: &AtomicBool) -> Result<(), Failure> {
    let mut before = [0u32; 2];
    loop {
        let ends = over.load(Ordering::Acquire);
        // What is done was begun before; so the word for done is read first.
        let done = seen[1].load(Ordering::Acquire);
        let begun = seen[0].load(Ordering::Acquire);
        let rises = begun >= before[0] && done >= before[1];
        Failure::unless(rises, || format!("markers fall from {before:?} to {begun} begun and {done} done"))?;
        Failure::unless(done <= begun, || format!("operation {done} is done, and {begun} is the last that was begun"))?;
        before = [begun, done];
        if ends {
            return Ok(());
        }
        std::thread::sleep(Duration::from_micros(20));
    }
}
