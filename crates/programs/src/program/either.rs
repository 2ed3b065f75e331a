//! `either`: two buffers in the same memory of a heap, so at the same address. Shaders write there by the address, so nobody can tell which of
//! the two they mean; copies name the one or the other.

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::memory::Memory;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::D3D12_RESOURCE_STATES as State;

pub(super) const PROGRAM: Program =
    Program { name: "either", about: "buffers at the same address, which shaders write by that address", run };

const FOLD: Shader = shader!("fold.main");
const BYTES: u64 = Memory::ALIGNMENT;
const WORDS: u32 = BYTES as u32 / 4;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let constants = Parameter::Constants { register: 0, count: 4 };
    let root = RootSignature::compute(device, &[constants, Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &FOLD)?;
    let memory = Memory::new(device, BYTES)?;
    let both = [Buffer::placed(&memory, 0, BYTES)?, Buffer::placed(&memory, 0, BYTES)?];
    if both[0].address != both[1].address {
        return Err(Failure::Cannot("the library gives buffers in the same memory addresses of their own".into()));
    }
    let mut words = Random(7).words(WORDS);
    let (from, mut list, mut digest) = (Buffer::uploaded(device, &words)?, List::direct(device)?, Digest::new());
    list.alias(None, Some(&both[0].com));
    list.copy_bytes(&both[0], 0, &from, 0, BYTES);
    stage.queue.run(&mut list)?;
    // By the address in two submissions; then what lies there is read as one of the buffers, whose bytes are the memory's.
    for (round, buffer) in (0..stage.frames(2)).zip(both.iter().rev().cycle()) {
        for step in 0..2 {
            list.set_compute_root(&root);
            list.set_pipeline(&pipeline);
            list.compute_constants(0, &[0, WORDS, 3 + step, round]);
            list.compute_uav(1, buffer.address);
            list.dispatch(WORDS / 64, 1, 1);
            stage.queue.run(&mut list)?;
            words.iter_mut().for_each(|word| *word = word.wrapping_mul(3 + step).wrapping_add(round));
        }
        let back = Buffer::readback(device, BYTES)?;
        list.alias(None, Some(&buffer.com));
        list.transition(&buffer.com, State::COPY_DEST, State::COPY_SOURCE);
        list.copy_bytes(&back, 0, buffer, 0, BYTES);
        list.transition(&buffer.com, State::COPY_SOURCE, State::COPY_DEST);
        stage.queue.run(&mut list)?;
        let got = back.read_u32()?;
        Failure::unless_equal("words", &got, &words)?;
        digest.add(&bytes_of(&got));
    }
    list.close()?;
    Ok(digest)
}
