//! `writers`: threads store random bytes to upload buffers that stay mapped for the whole run, in every way that programs have,
//! while the GPU copies out what is in them.
//!
//! Each thread has buffers of its own, some placed over each other in one heap, some tiny. The submitting thread takes the
//! locks of some threads, writes down what their buffers hold, submits copies of them and waits; the other threads store on
//! meanwhile, and one never stops for anybody. So what a submission may read is known to the last byte, and what is stored
//! beside it, on the same pages too, is not: a recorder has to find the one whatever the other does. What each thread stores is
//! seeded, so the end of it all is always the same.

use super::Program;
use crate::buffer::Buffer;
use crate::device::Device;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::memory_log::MemoryLog;
use crate::random::Random;
use crate::stage::Stage;
use crate::store::Ways;
use core::sync::atomic::{AtomicU32, Ordering};
use reprise_d3d12::types::D3D12_HEAP_TYPE;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) const PROGRAM: Program = Program {
    name: "writers",
    about: "threads that store to mapped buffers in every way while others are submitted",
    run,
};

const THREADS: usize = 4;
/// Submissions, if not stated.
const ROUNDS: u32 = 40;
/// Times that a thread takes its lock for each submission.
const BURSTS: u32 = 6;
/// Stores of a burst, at most.
const STORES: u32 = 12;
/// Bytes of each thread's heap, and where its buffers lie: some over others, none a whole number of pages.
const HEAP: u64 = 4 * Memory::ALIGNMENT;
const PLACED: [(u64, u64); 5] = [
    (0, 150_001),
    (Memory::ALIGNMENT, 70_003),
    (Memory::ALIGNMENT, 4_099),
    (2 * Memory::ALIGNMENT, 100),
    (3 * Memory::ALIGNMENT, 20_011),
];
/// Buffers with memory of their own; a library may put several on a page.
const COMMITTED: [u64; 6] = [1, 100, 256, 4_096, 5_001, 66_000];
/// Bytes that the thread which stops for nobody stores to, and nobody looks at.
const NOISE: u64 = 300_007;

/// The buffers of one thread, and what they should hold.
struct Group {
    buffers: Vec<Buffer>,
    /// Must live as long as what is placed in it.
    _memory: Memory,
    random: Random,
    /// The bytes in place of which each buffer stands, as (place in `model`).
    starts: Vec<usize>,
    /// What the processor stored: the heap, then the committed buffers one after another.
    model: Vec<u8>,
}

impl Group {
    fn new(device: &Device, seed: u64) -> Result<Self, Failure> {
        let memory = Memory::of(device, D3D12_HEAP_TYPE::UPLOAD, HEAP, 0)?;
        let (mut buffers, mut starts, mut len) = (Vec::new(), Vec::new(), HEAP as usize);
        for (offset, size) in PLACED {
            buffers.push(Buffer::placed_upload(&memory, offset, size)?);
            starts.push(offset as usize);
        }
        for size in COMMITTED {
            buffers.push(Buffer::upload(device, size)?);
            starts.push(len);
            len += size as usize;
        }
        let mut group = Self { buffers, _memory: memory, random: Random(seed), starts, model: vec![0; len] };
        // A library does not have to zero what is new.
        for index in 0..group.buffers.len() {
            let zeros = vec![0; group.buffers[index].size as usize];
            group.buffers[index].write(0, &zeros);
        }
        Ok(group)
    }

    /// Stores some bytes to some buffer.
    fn store(&mut self, ways: &mut Ways) -> Result<(), Failure> {
        let random = &mut self.random;
        let index = random.below(self.buffers.len() as u32) as usize;
        let buffer = &self.buffers[index];
        let most = match random.below(8) {
            0..4 => 64,
            4..7 => 5_000,
            _ => 40_000,
        };
        let at = u64::from(random.below(buffer.size as u32));
        let len = u64::from(1 + random.below(most)).min(buffer.size - at);
        let bytes = random.bytes(len as usize);
        // Mapping what is mapped gives the same memory, for as long as it is unmapped as often.
        let again = random.below(10) == 0;
        if again {
            buffer.map_again()?;
        }
        // SAFETY: within the buffer, which is mapped; its memory is this thread's while the lock is held.
        unsafe { ways.store(random, buffer.place(at), &bytes)? };
        if again {
            buffer.unmap();
        }
        self.model[self.starts[index] + at as usize..][..bytes.len()].copy_from_slice(&bytes);
        Ok(())
    }

    fn expected(&self, index: usize) -> &[u8] {
        &self.model[self.starts[index]..][..self.buffers[index].size as usize]
    }
}

fn lock(group: &Mutex<Group>) -> MutexGuard<'_, Group> {
    group.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let groups = (0..THREADS).map(|thread| Ok(Mutex::new(Group::new(device, 11 + thread as u64)?)));
    let groups = groups.collect::<Result<Vec<_>, Failure>>()?;
    let noise = Buffer::upload(device, NOISE)?;
    let mut log = MemoryLog::create(stage.memory_log())?;
    let mut submitter = Submitter { stage, list: List::direct(device)?, submissions: 0 };
    let rounds = stage.frames(ROUNDS);
    // How many rounds the threads may store for: they keep beside the submissions.
    let (round, mut random) = (AtomicU32::new(0), Random(10));
    std::thread::scope(|scope| {
        let (groups, round) = (&groups, &round);
        let writers: Vec<_> = groups.iter().map(|group| scope.spawn(move || write(group, round, rounds))).collect();
        let noisy = scope.spawn(|| make_noise(&noise, round, rounds));
        let submitted = (1..=rounds).try_for_each(|number| {
            round.store(number, Ordering::Release);
            // At least one thread stops, and at least one does not.
            let chosen = 1 + random.below((1 << THREADS) - 2);
            let held: Vec<_> = groups.iter().enumerate().filter(|(thread, _)| chosen >> thread & 1 == 1).collect();
            let held: Vec<_> = held.into_iter().map(|(_, group)| lock(group)).collect();
            submitter.submit(&held, &mut log).map(drop)
        });
        round.store(u32::MAX, Ordering::Release);
        let lost = |_| Failure::Wrong("a storing thread panicked".into());
        writers.into_iter().try_for_each(|writer| writer.join().map_err(lost)?)?;
        noisy.join().map_err(lost)??;
        submitted
    })?;
    let held: Vec<_> = groups.iter().map(lock).collect();
    let mut digest = Digest::new();
    submitter.submit(&held, &mut log)?.iter().for_each(|bytes| digest.add(bytes));
    log.finish()?;
    Ok(digest)
}

/// A thread: so many bursts for each round.
fn write(group: &Mutex<Group>, round: &AtomicU32, rounds: u32) -> Result<(), Failure> {
    let mut ways = Ways::new()?;
    for number in 0..rounds {
        while round.load(Ordering::Acquire) <= number {
            std::thread::yield_now();
        }
        for _ in 0..BURSTS {
            let mut group = lock(group);
            let stores = 1 + group.random.below(STORES);
            (0..stores).try_for_each(|_| group.store(&mut ways))?;
        }
    }
    Ok(())
}

/// The thread that stops for nobody.
fn make_noise(noise: &Buffer, round: &AtomicU32, rounds: u32) -> Result<(), Failure> {
    let (mut ways, mut random) = (Ways::new()?, Random(9));
    while round.load(Ordering::Acquire) <= rounds {
        let at = random.below(NOISE as u32 - 5_000);
        let len = 1 + random.below(5_000) as usize;
        let bytes = random.bytes(len);
        // SAFETY: within the buffer, which is mapped and nobody else's.
        unsafe { ways.store(&mut random, noise.place(at.into()), &bytes)? };
        std::thread::yield_now();
    }
    Ok(())
}

/// The thread that submits.
struct Submitter<'a> {
    stage: &'a Stage,
    list: List,
    /// Calls of `ExecuteCommandLists`.
    submissions: u64,
}

impl Submitter<'_> {
    /// Writes down what the buffers of some threads hold, has the GPU copy them, and gives what it copied.
    fn submit(&mut self, groups: &[MutexGuard<'_, Group>], log: &mut MemoryLog) -> Result<Vec<Vec<u8>>, Failure> {
        let stage = self.stage;
        let buffers = || groups.iter().flat_map(|group| (0..group.buffers.len()).map(move |index| (group, index)));
        let size = buffers().map(|(group, index)| group.buffers[index].size).sum();
        let copy = Buffer::readback(&stage.device, size)?;
        let mut at = 0;
        self.submissions += 1;
        for (group, index) in buffers() {
            let buffer = &group.buffers[index];
            self.list.copy_bytes(&copy, at, buffer, 0, buffer.size);
            at += buffer.size;
            log.add(self.submissions, buffer.place(0).as_ptr() as u64, group.expected(index))?;
        }
        stage.queue.run(&mut self.list)?;
        let copied = copy.read()?;
        let mut rest = copied.as_slice();
        let mut all = Vec::new();
        for (group, index) in buffers() {
            let (bytes, after) = rest.split_at(group.buffers[index].size as usize);
            rest = after;
            let what = format!("buffer {index} in submission {}", self.submissions);
            Failure::unless_equal(&what, bytes, group.expected(index))?;
            all.push(bytes.to_vec());
        }
        Ok(all)
    }
}
