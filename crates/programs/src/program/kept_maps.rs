//! `kept-maps`: memory of each kind that the processor maps, mapped once and never unmapped. In each round the GPU copies a result there, and
//! the processor waits for a fence and reads it by the pointer that it has. After the last round nothing follows but the release.
//!
//! A kind that a device does not have is left out; the digest is of what it would hold.

use super::Program;
use super::memories::{AT, Fold, Kind, RESULT, SIZE, kinds};
use crate::buffer::Buffer;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::stage::Stage;
use reprise_d3d12::types::D3D12_RESOURCE_STATES as State;

pub(super) const PROGRAM: Program = Program {
    name: "kept-maps",
    about: "memory of each kind that the processor maps once, and reads without another call",
    run,
};

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let fold = Fold::new(stage)?;
    let mut list = List::direct(&stage.device)?;
    let mut digest = Digest::new();
    for kind in kinds(stage) {
        let rounds = Fold::rounds();
        rounds.iter().for_each(|(_, result)| digest.add(result));
        if !kind.exists {
            continue;
        }
        fold.restart(stage, &mut list)?;
        let (memory, _heap) = kind.make(stage)?;
        // The GPU writes all of it: what nobody wrote is not zero on every library.
        copy(&kind, &mut list, &memory, &fold.zeros, 0, AT);
        stage.queue.run(&mut list)?;
        let mapped = memory.mapped_for_reading()?;
        for (step, result) in rounds {
            fold.record(&mut list, &step);
            copy(&kind, &mut list, &memory, &fold.result, AT, RESULT);
            fold.copied(&mut list);
            stage.queue.run(&mut list)?;
            // SAFETY: the mapping has `SIZE` bytes for as long as the buffer lives, and nobody writes them: the GPU is done.
            let read = unsafe { core::slice::from_raw_parts(mapped.as_ptr(), SIZE as usize) };
            Failure::unless_equal(kind.name, &read[AT as usize..], &result)?;
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
