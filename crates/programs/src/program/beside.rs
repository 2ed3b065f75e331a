//! `beside`: a direct and a compute queue that work at the same time, and then one after the other. The program checks what both compute;
//! tests of `reprise time` look at how long both worked at one time: in the first two submissions where the device has two queues, and in
//! the last two never, because the second one waits for the first.

use super::Program;
use super::costs::stepped;
use crate::buffer::{self, Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::queue::Queue;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE as Kind, D3D12_RESOURCE_STATES as State};

pub(super) const PROGRAM: Program =
    Program { name: "beside", about: "two queues at work at the same time, and one after the other", run };

const MAIN: Shader = shader!("costs.main");
/// Threads of a group, as the shader says. A submission has no more, so that two of them fit beside each other on every GPU.
const THREADS: u32 = 64;
/// Steps of each submission: far more than it takes to submit the next one, and more than GPUs do in one go that give each queue a slice of
/// the time (an H200 takes 1 ms for 131,072, and finishes them before it looks at the other queue).
const STEPS: u32 = 1 << 21;
/// Every so many threads are checked: the processor would need longer than the GPU for all.
const CHECKED: usize = 32;
/// Each queue works twice.
const TIMES: u32 = 2;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 2 }, Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &MAIN)?;
    let queues = [Kind::DIRECT, Kind::COMPUTE].map(|kind| (kind, Queue::new(device, kind)));
    let mut works = Vec::new();
    for (kind, queue) in queues {
        let results = Buffer::shared(device, u64::from(THREADS * TIMES) * 4)?;
        let mut lists = Vec::new();
        for time in 0..TIMES {
            let mut list = List::new(device, kind)?;
            list.begin_event(if time == 0 { "beside" } else { "one after the other" });
            list.set_compute_root(&root);
            list.compute_uav(1, results.address);
            list.set_pipeline(&pipeline);
            list.compute_constants(0, &[STEPS, time * THREADS]);
            list.dispatch(1, 1, 1);
            list.end_event();
            list.close()?;
            lists.push(list);
        }
        works.push((queue?, results, lists));
    }
    let done = Fence::new(device, 0)?;
    for time in 0..TIMES {
        for (place, (queue, _, lists)) in works.iter().enumerate() {
            if time > 0 && place > 0 {
                queue.wait(&done, 1)?;
            }
            queue.execute(&[&lists[time as usize]]);
            if time > 0 && place == 0 {
                queue.signal(&done, 1)?;
            }
        }
        works.iter().try_for_each(|(queue, ..)| queue.finish())?;
    }
    let expected: Vec<u32> = (0..THREADS * TIMES).step_by(CHECKED).map(|thread| stepped(thread, STEPS)).collect();
    let mut list = List::direct(device)?;
    let mut digest = Digest::new();
    for (_, results, _) in &works {
        let got = buffer::fetch(device, &stage.queue, &mut list, results, State::COMMON)?.read_u32()?;
        let got: Vec<u32> = got.into_iter().step_by(CHECKED).collect();
        Failure::unless_equal("a queue's results", &got, &expected)?;
        digest.add(&bytes_of(&got));
    }
    Ok(digest)
}
