//! A copy, a compute and a direct queue hand chunks to each other through fences, in a circle, because there are fewer places
//! than chunks. `queues`: submitted in the order in which the chunks go. `waits`: in the wrong order, last steps first, behind a
//! gate that the processor opens at the end, so that every wait comes before its signal.

use super::Program;
use crate::buffer::{Buffer, bytes_of};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::fence::Fence;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::queue::Queue;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE as Kind;

pub(super) const ORDERED: Program =
    Program { name: "queues", about: "three queues that hand chunks to each other through fences", run: ordered };
pub(super) const WAITING: Program = Program {
    name: "waits",
    about: "the same, with every wait before its signal, and a gate for the processor",
    run: waiting,
};

const FOLD: Shader = shader!("fold.main");
/// Words of a chunk.
const CHUNK: u32 = 1024;
/// Chunks that have room at a time.
const PLACES: u64 = 2;
const MULTIPLIER: u32 = 0x0001_0dcd;

fn ordered(stage: &Stage) -> Result<Digest, Failure> {
    let circle = Circle::new(stage)?;
    for chunk in 0..circle.chunks {
        circle.copy_in(chunk)?;
        circle.fold(chunk)?;
        circle.copy_out(chunk)?;
    }
    circle.check()
}

fn waiting(stage: &Stage) -> Result<Digest, Failure> {
    rewind(stage)?;
    let circle = Circle::new(stage)?;
    let gate = Fence::new(&stage.device, 0)?;
    (0..circle.chunks).try_for_each(|chunk| circle.copy_out(chunk))?;
    (0..circle.chunks).try_for_each(|chunk| circle.fold(chunk))?;
    circle.copy.wait(&gate, 1)?;
    (0..circle.chunks).try_for_each(|chunk| circle.copy_in(chunk))?;
    let early = [&circle.copied, &circle.folded, &circle.done].map(Fence::completed);
    Failure::unless(early == [0; 3], || format!("fences stand at {early:?} before the gate is open"))?;
    gate.signal(1)?;
    circle.check()
}

/// The three queues, what each does to each chunk, and the fences between them: each counts the chunks that are through.
struct Circle<'s> {
    stage: &'s Stage,
    chunks: u64,
    copy: Queue,
    compute: Queue,
    copies: Vec<List>,
    folds: Vec<List>,
    results: Vec<List>,
    copied: Fence,
    folded: Fence,
    done: Fence,
    /// What comes in, and what must come out.
    words: Vec<u32>,
    result: Buffer,
    _kept: (Buffer, Buffer, RootSignature, Pipeline),
}

impl<'s> Circle<'s> {
    fn new(stage: &'s Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let chunks = u64::from(stage.frames(8));
        let constants = Parameter::Constants { register: 0, count: 4 };
        let root = RootSignature::compute(device, &[constants, Parameter::Uav(0)])?;
        let pipeline = Pipeline::compute(stage, &root, &FOLD)?;
        let words = Random(4).words(chunks as u32 * CHUNK);
        let bytes = u64::from(CHUNK) * 4;
        let source = Buffer::uploaded(device, &words)?;
        let places = Buffer::shared(device, PLACES * bytes)?;
        let result = Buffer::readback(device, chunks * bytes)?;
        let (mut copies, mut folds, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for chunk in 0..chunks {
            let (place, from) = (chunk % PLACES * bytes, chunk * bytes);
            let copy = |list: &mut List| list.copy_bytes(&places, place, &source, from, bytes);
            copies.push(closed(List::new(device, Kind::COPY)?, copy)?);
            folds.push(closed(List::new(device, Kind::COMPUTE)?, |list| {
                list.set_compute_root(&root);
                list.set_pipeline(&pipeline);
                list.compute_constants(0, &[place as u32 / 4, CHUNK, MULTIPLIER, chunk as u32]);
                list.compute_uav(1, places.address);
                list.dispatch(CHUNK / 64, 1, 1);
            })?);
            results.push(closed(List::direct(device)?, |list| list.copy_bytes(&result, from, &places, place, bytes))?);
        }
        let (copy, compute) = (Queue::new(device, Kind::COPY)?, Queue::new(device, Kind::COMPUTE)?);
        let (copied, folded, done) = (Fence::new(device, 0)?, Fence::new(device, 0)?, Fence::new(device, 0)?);
        let kept = (source, places, root, pipeline);
        Ok(Self {
            stage,
            chunks,
            copy,
            compute,
            copies,
            folds,
            results,
            copied,
            folded,
            done,
            words,
            result,
            _kept: kept,
        })
    }

    fn copy_in(&self, chunk: u64) -> Result<(), Failure> {
        // The chunk that was in this place before must be out.
        self.copy.wait(&self.done, (chunk + 1).saturating_sub(PLACES))?;
        self.copy.execute(&[&self.copies[chunk as usize]]);
        self.copy.signal(&self.copied, chunk + 1)
    }

    fn fold(&self, chunk: u64) -> Result<(), Failure> {
        self.compute.wait(&self.copied, chunk + 1)?;
        self.compute.execute(&[&self.folds[chunk as usize]]);
        self.compute.signal(&self.folded, chunk + 1)
    }

    fn copy_out(&self, chunk: u64) -> Result<(), Failure> {
        self.stage.queue.wait(&self.folded, chunk + 1)?;
        self.stage.queue.execute(&[&self.results[chunk as usize]]);
        self.stage.queue.signal(&self.done, chunk + 1)
    }

    /// Waits for the last chunk and looks at all.
    fn check(self) -> Result<Digest, Failure> {
        self.done.wait(self.chunks)?;
        [&self.copy, &self.compute, &self.stage.queue].into_iter().try_for_each(Queue::finish)?;
        let fold = |(at, word): (usize, &u32)| word.wrapping_mul(MULTIPLIER).wrapping_add(at as u32 / CHUNK);
        let expected: Vec<u32> = self.words.iter().enumerate().map(fold).collect();
        let got = self.result.read_u32()?;
        Failure::unless_equal("words", &got, &expected)?;
        Ok(Digest::of(&bytes_of(&got)))
    }
}

/// A list with these commands.
fn closed(mut list: List, record: impl FnOnce(&mut List)) -> Result<List, Failure> {
    record(&mut list);
    list.close()?;
    Ok(list)
}

/// A fence goes to whatever value it is given, also down.
fn rewind(stage: &Stage) -> Result<(), Failure> {
    let fence = Fence::new(&stage.device, 7)?;
    for value in [9, 3, u64::from(u32::MAX) + 5, 4] {
        fence.signal(value)?;
        let stands = fence.completed();
        Failure::unless(stands == value, || {
            format!("a fence stands at {stands} after the processor set it to {value}")
        })?;
    }
    stage.queue.signal(&fence, 6)?;
    fence.wait(6)?;
    stage.queue.wait(&fence, 5)?;
    stage.queue.finish()
}
