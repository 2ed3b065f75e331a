//! `kept-maps`: memory of each kind that the processor maps, mapped once and never unmapped. In each round the GPU copies a result there, and
//! the processor waits for a fence and reads it by the pointer that it has. After the last round nothing follows but the release.
//!
//! A kind that a device does not have is left out; the digest is of what it would hold.

use super::Program;
use super::memories::{AT, FOLD, Kind, RESULT, ROUNDS, SIZE, WORDS, kinds};
use crate::buffer::{self, Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::stage::Stage;
use reprise_d3d12::types::D3D12_RESOURCE_STATES as State;

pub(super) const PROGRAM: Program = Program {
    name: "kept-maps",
    about: "memory of each kind that the processor maps once, and reads without another call",
    run,
};

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 4 }, Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &FOLD)?;
    let result = Buffer::writable(device, RESULT)?;
    let zeros = Buffer::uploaded(device, &vec![0; WORDS as usize])?;
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for kind in kinds(stage) {
        let (mut model, mut expected) = (0u32, Vec::new());
        for number in 1..=ROUNDS {
            let step = [0, WORDS, 3, number];
            model = model.wrapping_mul(step[2]).wrapping_add(step[3]);
            let bytes = bytes_of(&vec![model; WORDS as usize]);
            digest.add(&bytes);
            expected.push((step, bytes));
        }
        if !kind.exists {
            continue;
        }
        buffer::fill(&stage.queue, &mut list, &result, &zeros)?;
        let (memory, _heap) = kind.make(stage)?;
        // The GPU writes all of it: what nobody wrote is not zero on every library.
        copy(&kind, &mut list, &memory, &zeros, 0, AT);
        stage.queue.run(&mut list)?;
        let mapped = memory.mapped_for_reading()?;
        for (step, bytes) in expected {
            list.set_compute_root(&root);
            list.set_pipeline(&pipeline);
            list.compute_constants(0, &step);
            list.compute_uav(1, result.address);
            list.dispatch(WORDS / 64, 1, 1);
            list.transition(&result.com, State::UNORDERED_ACCESS, State::COPY_SOURCE);
            copy(&kind, &mut list, &memory, &result, AT, RESULT);
            list.transition(&result.com, State::COPY_SOURCE, State::UNORDERED_ACCESS);
            stage.queue.run(&mut list)?;
            // SAFETY: the mapping has `SIZE` bytes for as long as the buffer lives, and nobody writes them: the GPU is done.
            let read = unsafe { core::slice::from_raw_parts(mapped.as_ptr(), SIZE as usize) };
            Failure::unless_equal(kind.name, &read[AT as usize..], &bytes)?;
        }
    }
    Ok(digest)
}

/// Bytes from the beginning of another buffer.
fn copy(kind: &Kind, list: &mut List, memory: &Buffer, from: &Buffer, to: u64, bytes: u64) {
    kind.transition(list, memory, State::COMMON, State::COPY_DEST);
    list.copy_bytes(memory, to, from, 0, bytes);
    kind.transition(list, memory, State::COPY_DEST, State::COMMON);
}
