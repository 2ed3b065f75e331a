//! Many threads on one device: each makes pipelines, buffers and lists, submits, and reads back what it computed.

use crate::compute::{self, Mixer};
use crate::digest::Digest;
use crate::gpu::Gpu;
use anyhow::{Context, Result};

const THREADS: u32 = 8;
/// Of each thread.
const ROUNDS: u32 = 12;
const COUNT: u32 = 512;

pub(crate) fn run() -> Result<Digest> {
    let gpu = Gpu::new()?;
    let outputs: Result<Vec<Vec<u32>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let gpu = &gpu;
                scope.spawn(move || work(gpu, thread))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().ok().context("a thread panicked")?).collect()
    });
    let mut digest = Digest::new();
    for output in outputs? {
        digest.add_words(&output);
    }
    Ok(digest)
}

/// Mixes numbers again and again; gives the last ones.
fn work(gpu: &Gpu, thread: u32) -> Result<Vec<u32>> {
    let mut numbers: Vec<u32> = (0..COUNT).map(|index| index * THREADS + thread).collect();
    let mut mixer = Mixer::new(gpu);
    for round in 0..ROUNDS {
        // A pipeline of its own every few rounds.
        if round % 4 == 3 {
            mixer = Mixer::new(gpu);
        }
        let salt = thread << 16 | round;
        let output = mixer.mix(gpu, &numbers, salt)?;
        compute::check(&numbers, salt, &output).with_context(|| format!("thread {thread}, round {round}"))?;
        numbers = output;
    }
    Ok(numbers)
}
