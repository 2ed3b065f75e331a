//! `threads`: lists recorded on eight threads at once, each with an allocator of its own, then submitted in one fixed order
//! and in batches of several sizes; and recorded again, on other threads, once the GPU is done.
//!
//! Every list does one step that does not commute with the others', so any other order gives another result.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::D3D12_RESOURCE_STATES;

pub(super) const PROGRAM: Program =
    Program { name: "threads", about: "128 lists recorded on eight threads, submitted in batches", run };

const FOLD: Shader = shader!("fold.main");
const THREADS: usize = 8;
const LISTS: usize = 128;
/// Words that the steps change.
const STATE: u32 = 4096;
/// How many lists the submissions have, over and over.
const BATCHES: [usize; 5] = [1, 7, 2, 31, 16];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let constants = Parameter::Constants { register: 0, count: 4 };
    let root = RootSignature::compute(device, &[constants, Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &FOLD)?;
    let mut random = Random(3);
    let mut model = random.words(STATE);
    let state = Buffer::writable(device, u64::from(STATE) * 4)?;
    let start = Buffer::uploaded(device, &model)?;
    let mut first = List::direct(device)?;
    buffer::fill(&stage.queue, &mut first, &state, &start)?;

    let mut lists = (0..LISTS).map(|_| List::direct(device)).collect::<Result<Vec<_>, _>>()?;
    for round in 0..stage.frames(3) {
        let steps: Vec<[u32; 4]> = (0..LISTS).map(|_| step(&mut random)).collect();
        record_on_threads(&mut lists, &steps, |list, step| {
            if round > 0 {
                list.reset()?;
            }
            list.set_compute_root(&root);
            list.set_pipeline(&pipeline);
            list.compute_uav(1, state.address);
            list.compute_constants(0, step);
            list.dispatch(step[1].div_ceil(64), 1, 1);
            // The next list's step comes after this one's.
            list.uav_barrier(&state.com);
            list.close()
        })?;
        let mut left: Vec<&List> = lists.iter().collect();
        for size in BATCHES.iter().cycle() {
            let batch: Vec<&List> = left.drain(..(*size).min(left.len())).collect();
            stage.queue.execute(&batch);
            if left.is_empty() {
                break;
            }
        }
        stage.queue.finish()?;
        steps.iter().for_each(|step| apply(step, &mut model));
    }
    let before = D3D12_RESOURCE_STATES::UNORDERED_ACCESS;
    let got = buffer::fetch(device, &stage.queue, &mut first, &state, before)?.read_u32()?;
    Failure::unless_equal("words", &got, &model)?;
    Ok(Digest::of(&bytes_of(&got)))
}

/// Records every list with its step. Thread t has lists t, t + 8, t + 16, ..: neighbours in the submission come from
/// different threads.
fn record_on_threads(
    lists: &mut [List],
    steps: &[[u32; 4]],
    record: impl Fn(&mut List, &[u32; 4]) -> Result<(), Failure> + Sync,
) -> Result<(), Failure> {
    let mut work: Vec<Vec<(&mut List, &[u32; 4])>> = (0..THREADS).map(|_| Vec::new()).collect();
    for (i, pair) in lists.iter_mut().zip(steps).enumerate() {
        work[i % THREADS].push(pair);
    }
    std::thread::scope(|scope| {
        let record = &record;
        let each = |work: Vec<(&mut List, &[u32; 4])>| work.into_iter().try_for_each(|(list, step)| record(list, step));
        let threads: Vec<_> = work.into_iter().map(|work| scope.spawn(move || each(work))).collect();
        let lost = |_| Failure::Wrong("a recording thread panicked".into());
        threads.into_iter().try_for_each(|thread| thread.join().map_err(lost)?)
    })
}

/// First word, number of words, multiplier, addend.
fn step(random: &mut Random) -> [u32; 4] {
    let count = 1 + random.below(STATE / 2);
    [random.below(STATE - count), count, random.next() | 1, random.next()]
}

/// What the shader does.
fn apply(&[first, count, multiplier, addend]: &[u32; 4], state: &mut [u32]) {
    for word in &mut state[first as usize..(first + count) as usize] {
        *word = word.wrapping_mul(multiplier).wrapping_add(addend);
    }
}
