//! `costs`: dispatches of 1, 2, 4 and 8 units of the same work, in an order of their own, and one of 16 in a bundle. Those of 1 and 2 have a
//! pipeline state of their own, with the same shader. Each pipeline state has run before, next to nothing, because drivers are slower the first time. The program checks the results. Tests of `reprise time` look at the durations.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of};
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE as Kind, D3D12_RESOURCE_STATES as State};

pub(super) const PROGRAM: Program =
    Program { name: "costs", about: "dispatches of known costs, one of them in a bundle", run };

const MAIN: Shader = shader!("costs.main");
/// Threads of a group, as the shader says.
const GROUP: u32 = 64;
const THREADS: u32 = 1 << 8;
/// Steps of one unit: so many, and so few threads, that a wide GPU needs as long for a step as a narrow one, and for the beginning of a
/// dispatch next to nothing.
const UNIT: u32 = 1 << 14;
/// Units of the dispatches, in the order of the list; the last one is in a bundle.
const COSTS: [u32; 5] = [4, 1, 8, 2, 16];
/// Dispatches of so many units or fewer have the second pipeline state.
const SMALL: u32 = 2;

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let root = RootSignature::compute(device, &[Parameter::Constants { register: 0, count: 2 }, Parameter::Uav(0)])?;
    let [most, small] = [Pipeline::compute(stage, &root, &MAIN)?, Pipeline::compute(stage, &root, &MAIN)?];
    let results = Buffer::writable(device, u64::from(THREADS) * 4 * COSTS.len() as u64)?;
    let mut list = List::direct(device)?;
    let mut bundle = List::new(device, Kind::BUNDLE)?;
    for list in [&mut list, &mut bundle] {
        list.set_compute_root(&root);
        list.compute_uav(1, results.address);
    }
    list.begin_event("warm-up");
    for pipeline in [&most, &small] {
        list.set_pipeline(pipeline);
        list.compute_constants(0, &[1, 0]);
        list.dispatch(THREADS / GROUP, 1, 1);
    }
    // What is written twice is written in order.
    list.uav_barrier(&results.com);
    list.end_event();
    for (place, units) in (0..).zip(COSTS) {
        let target = if place + 1 == COSTS.len() as u32 { &mut bundle } else { &mut list };
        let name = format!("{units} units");
        target.begin_event(&name);
        target.set_pipeline(if units <= SMALL { &small } else { &most });
        target.compute_constants(0, &[units * UNIT, place * THREADS]);
        target.dispatch(THREADS / GROUP, 1, 1);
        target.end_event();
    }
    bundle.close()?;
    list.begin_event("bundle");
    call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
    list.end_event();
    let got = buffer::fetch(device, &stage.queue, &mut list, &results, State::UNORDERED_ACCESS)?.read_u32()?;
    let mut digest = Digest::new();
    for (place, units) in (0..).zip(COSTS) {
        // Of each dispatch some threads: the processor would need longer than the GPU for all.
        for thread in (0..THREADS).step_by(51) {
            let at = place * THREADS + thread;
            let word = got.get(at as usize).copied().unwrap_or(0);
            Failure::unless_equal("a thread's result", &[word], &[stepped(at, units * UNIT)])?;
            digest.add(&bytes_of(&[word]));
        }
    }
    Ok(digest)
}

/// What a thread of `costs.hlsl` computes.
pub(super) fn stepped(first: u32, steps: u32) -> u32 {
    (0..steps).fold(first, |value, _| {
        let value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        value ^ value >> 15
    })
}
