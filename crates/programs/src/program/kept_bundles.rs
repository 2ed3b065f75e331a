//! `kept-bundles`: bundles that are recorded once and executed by submission after submission, and by a list that runs again itself; one of
//! them is recorded anew in between, with other numbers.

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::com::call;
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE as Kind, D3D12_RESOURCE_STATES as State};

pub(super) const PROGRAM: Program =
    Program { name: "kept-bundles", about: "bundles that later submissions execute, and lists that run again", run };

const FOLD: Shader = shader!("fold.main");
const WORDS: u32 = 256;
/// Submissions before one of the bundles is recorded anew, and after.
const ROUNDS: [u32; 2] = [3, 3];

/// A step on all words, which does not commute with the next one: times one number, plus the other.
type Step = [u32; 2];

const INHERITED: Step = [3, 1];
const OWN: [Step; 2] = [[5, 7], [9, 11]];

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let constants = Parameter::Constants { register: 0, count: 4 };
    let root = RootSignature::compute(device, &[constants, Parameter::Uav(0)])?;
    let pipeline = Pipeline::compute(stage, &root, &FOLD)?;
    let words = Random(6).words(WORDS);
    let bytes = u64::from(WORDS) * 4;
    let (from, state) = (Buffer::uploaded(device, &words)?, Buffer::writable(device, bytes)?);
    let things = Things { root, pipeline, state };
    // The first one inherits all arguments; the second one sets its own.
    let inherits = things.bundle(stage, None)?;
    let mut own = things.bundle(stage, Some(OWN[0]))?;
    let mut kept = List::direct(device)?;
    things.begin(&mut kept);
    things.set(&mut kept, INHERITED);
    things.execute(&mut kept, &own);
    kept.close()?;

    let mut list = List::direct(device)?;
    list.transition(&things.state.com, State::UNORDERED_ACCESS, State::COPY_DEST);
    list.copy_bytes(&things.state, 0, &from, 0, bytes);
    list.transition(&things.state.com, State::COPY_DEST, State::UNORDERED_ACCESS);
    let (mut expected, mut digest) = (words, Digest::new());
    let mut step = |[multiplier, addend]: Step| {
        expected.iter_mut().for_each(|word| *word = word.wrapping_mul(multiplier).wrapping_add(addend));
        expected.clone()
    };
    for (half, rounds) in ROUNDS.into_iter().enumerate() {
        if half == 1 {
            own.reset()?;
            things.record(&mut own, Some(OWN[1]))?;
        }
        for round in 0..rounds {
            things.begin(&mut list);
            things.set(&mut list, [INHERITED[0], round]);
            things.execute(&mut list, &inherits);
            step([INHERITED[0], round]);
            things.execute(&mut list, &own);
            let mut want = step(OWN[half]);
            let back = Buffer::readback(device, bytes)?;
            list.transition(&things.state.com, State::UNORDERED_ACCESS, State::COPY_SOURCE);
            list.copy_bytes(&back, 0, &things.state, 0, bytes);
            list.transition(&things.state.com, State::COPY_SOURCE, State::UNORDERED_ACCESS);
            stage.queue.run(&mut list)?;
            let got = back.read_u32()?;
            Failure::unless_equal("words", &got, &want)?;
            digest.add(&bytes_of(&got));
            if half == 0 {
                stage.queue.execute(&[&kept]);
                stage.queue.finish()?;
                want = step(OWN[0]);
                digest.add(&bytes_of(&want));
            }
        }
    }
    list.close()?;
    Ok(digest)
}

struct Things {
    root: RootSignature,
    pipeline: Pipeline,
    state: Buffer,
}

impl Things {
    fn begin(&self, list: &mut List) {
        list.set_compute_root(&self.root);
        list.set_pipeline(&self.pipeline);
    }

    fn set(&self, list: &mut List, [multiplier, addend]: Step) {
        list.compute_constants(0, &[0, WORDS, multiplier, addend]);
        list.compute_uav(1, self.state.address);
    }

    fn bundle(&self, stage: &Stage, step: Option<Step>) -> Result<List, Failure> {
        let mut list = List::new(&stage.device, Kind::BUNDLE)?;
        self.record(&mut list, step)?;
        Ok(list)
    }

    fn record(&self, bundle: &mut List, step: Option<Step>) -> Result<(), Failure> {
        self.begin(bundle);
        if let Some(step) = step {
            self.set(bundle, step);
        }
        bundle.dispatch(WORDS / 64, 1, 1);
        bundle.close()
    }

    fn execute(&self, list: &mut List, bundle: &List) {
        call!(list.com, "ID3D12GraphicsCommandList", "ExecuteBundle", &bundle.com);
        list.uav_barrier(&self.state.com);
    }
}
