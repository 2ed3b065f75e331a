//! `memories`: memory of each kind that the processor maps, written by the GPU and, where it may be, by the processor, too. In each round
//! the processor stores a header, the GPU copies that away and a result in, the processor reads the result, stores over a part of it, and
//! the GPU copies all of that away.
//!
//! A kind that a device does not have is left out; the digest is of what it would hold.

use super::Program;
use crate::buffer::{self, Buffer, bytes_of, description};
use crate::com::{Com, Null, create};
use crate::digest::Digest;
use crate::failure::Failure;
use crate::list::List;
use crate::pipeline::Pipeline;
use crate::random::Random;
use crate::root::{Parameter, RootSignature};
use crate::shader::{Shader, shader};
use crate::stage::Stage;
use reprise_d3d12::types::{
    D3D12_CPU_PAGE_PROPERTY as Page, D3D12_FEATURE, D3D12_FEATURE_DATA_D3D12_OPTIONS16, D3D12_HEAP_DESC,
    D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE as Type, D3D12_MEMORY_POOL as Pool, D3D12_RESOURCE_FLAGS,
    D3D12_RESOURCE_STATES as State,
};

pub(super) const PROGRAM: Program = Program {
    name: "memories",
    about: "memory of each kind that the processor maps, written by the GPU and by the processor",
    run,
};

const FOLD: Shader = shader!("fold.main");
const WORDS: u32 = 4096;
pub(super) const RESULT: u64 = WORDS as u64 * 4;
/// Where the result lies: on pages of its own.
pub(super) const AT: u64 = 8192;
pub(super) const SIZE: u64 = AT + RESULT;
const HEADER: u64 = 256;
const ROUNDS: u32 = 3;

/// A kind of memory.
pub(super) struct Kind {
    pub(super) name: &'static str,
    properties: D3D12_HEAP_PROPERTIES,
    /// In a heap with other things, not one of its own.
    placed: bool,
    /// The state that it is in for ever; `None` where the API lets it change.
    fixed: Option<State>,
    /// Whether the device has it.
    pub(super) exists: bool,
}

pub(super) fn kinds(stage: &Stage) -> Vec<Kind> {
    let custom = |name, page, pool, placed| Kind {
        name,
        properties: D3D12_HEAP_PROPERTIES {
            Type: Type::CUSTOM,
            CPUPageProperty: page,
            MemoryPoolPreference: pool,
            ..Default::default()
        },
        placed,
        fixed: None,
        exists: true,
    };
    let plain = |name, kind, fixed| Kind {
        name,
        properties: D3D12_HEAP_PROPERTIES { Type: kind, ..Default::default() },
        placed: false,
        fixed,
        exists: true,
    };
    let mut options = D3D12_FEATURE_DATA_D3D12_OPTIONS16::default();
    let known = stage.device.feature(D3D12_FEATURE::D3D12_OPTIONS16, &mut options);
    vec![
        plain("readback", Type::READBACK, Some(State::COPY_DEST)),
        custom("cached", Page::WRITE_BACK, Pool::L0, false),
        custom("write-combined", Page::WRITE_COMBINE, Pool::L0, false),
        custom("placed", Page::WRITE_BACK, Pool::L0, true),
        // Not what the API allows, and what programs do.
        plain("upload", Type::UPLOAD, Some(State::GENERIC_READ)),
        Kind { exists: known && options.GPUUploadHeapSupported != 0, ..plain("GPU upload", Type::GPU_UPLOAD, None) },
    ]
}

impl Kind {
    /// A buffer, and the heap that it is placed in: not every library keeps the heap.
    pub(super) fn make(&self, stage: &Stage) -> Result<(Buffer, Option<Com>), Failure> {
        let mut kept = None;
        let desc = description(SIZE, D3D12_RESOURCE_FLAGS::NONE);
        let (device, state) = (&stage.device.com, self.fixed.unwrap_or(State::COMMON).0);
        let com = if self.placed {
            let only = D3D12_HEAP_FLAGS::DENY_RT_DS_TEXTURES.0 | D3D12_HEAP_FLAGS::DENY_NON_RT_DS_TEXTURES.0;
            let heap = D3D12_HEAP_DESC {
                SizeInBytes: 4 << 16,
                Properties: self.properties,
                Alignment: 0,
                Flags: D3D12_HEAP_FLAGS(only),
            };
            let heap = create!(device, "ID3D12Device", "CreateHeap", &raw const heap; "ID3D12Heap")?;
            let com = create!(
                device, "ID3D12Device", "CreatePlacedResource",
                &heap, 1u64 << 16, &raw const desc, state, Null; "ID3D12Resource"
            )?;
            kept = Some(heap);
            com
        } else {
            create!(
                device, "ID3D12Device", "CreateCommittedResource",
                &raw const self.properties, 0u32, &raw const desc, state, Null; "ID3D12Resource"
            )?
        };
        Ok((Buffer::from_com(com, SIZE)?, kept))
    }

    /// Whether the processor stores there, too.
    fn is_stored_to(&self) -> bool {
        self.properties.Type != Type::READBACK
    }

    pub(super) fn transition(&self, list: &mut List, memory: &Buffer, before: State, after: State) {
        if self.fixed.is_none() {
            list.transition(&memory.com, before, after);
        }
    }
}

/// What the GPU calculates in each round, from what it calculated in the one before.
pub(super) struct Fold {
    root: RootSignature,
    pipeline: Pipeline,
    /// In the state `UNORDERED_ACCESS` between rounds.
    pub(super) result: Buffer,
    pub(super) zeros: Buffer,
}

impl Fold {
    pub(super) fn new(stage: &Stage) -> Result<Self, Failure> {
        let device = &stage.device;
        let parameters = [Parameter::Constants { register: 0, count: 4 }, Parameter::Uav(0)];
        let root = RootSignature::compute(device, &parameters)?;
        let pipeline = Pipeline::compute(stage, &root, &FOLD)?;
        let (result, zeros) = (Buffer::writable(device, RESULT)?, Buffer::uploaded(device, &vec![0; WORDS as usize])?);
        Ok(Self { root, pipeline, result, zeros })
    }

    /// Begins with zeros again.
    pub(super) fn restart(&self, stage: &Stage, list: &mut List) -> Result<(), Failure> {
        buffer::fill(&stage.queue, list, &self.result, &self.zeros)
    }

    /// Records a round; the result is in the state `COPY_SOURCE` then.
    pub(super) fn record(&self, list: &mut List, step: &[u32; 4]) {
        list.set_compute_root(&self.root);
        list.set_pipeline(&self.pipeline);
        list.compute_constants(0, step);
        list.compute_uav(1, self.result.address);
        list.dispatch(WORDS / 64, 1, 1);
        list.transition(&self.result.com, State::UNORDERED_ACCESS, State::COPY_SOURCE);
    }

    /// Behind a round's copies.
    pub(super) fn copied(&self, list: &mut List) {
        list.transition(&self.result.com, State::COPY_SOURCE, State::UNORDERED_ACCESS);
    }

    /// The constants of each round, and the result by the processor.
    pub(super) fn rounds() -> Vec<([u32; 4], Vec<u8>)> {
        let mut model = 0u32;
        (1..=ROUNDS)
            .map(|number| {
                let step = [0, WORDS, 3, number];
                model = model.wrapping_mul(step[2]).wrapping_add(step[3]);
                (step, bytes_of(&vec![model; WORDS as usize]))
            })
            .collect()
    }
}

fn run(stage: &Stage) -> Result<Digest, Failure> {
    let device = &stage.device;
    let fold = Fold::new(stage)?;
    let mut list = List::direct(device)?;
    let (mut random, mut digest) = (Random(35), Digest::new());
    for kind in kinds(stage) {
        let rounds = rounds(&kind, &mut random);
        for round in &rounds {
            digest.add(&round.result);
            if kind.is_stored_to() {
                digest.add(&round.result_stored_over());
            }
        }
        if !kind.exists {
            continue;
        }
        fold.restart(stage, &mut list)?;
        let (memory, _heap) = kind.make(stage)?;
        // What nobody wrote is not zero on every library.
        if kind.is_stored_to() {
            memory.store(0, &[0; SIZE as usize])?;
        } else {
            list.copy_bytes(&memory, 0, &fold.zeros, 0, AT);
            stage.queue.run(&mut list)?;
        }
        for round in rounds {
            if kind.is_stored_to() {
                memory.store(0, &round.header)?;
            }
            let [echo, over_echo] = [Buffer::readback(device, HEADER)?, Buffer::readback(device, RESULT)?];
            fold.record(&mut list, &round.step);
            if kind.is_stored_to() {
                kind.transition(&mut list, &memory, State::COMMON, State::COPY_SOURCE);
                list.copy_bytes(&echo, 0, &memory, 0, HEADER);
                kind.transition(&mut list, &memory, State::COPY_SOURCE, State::COMMON);
            }
            kind.transition(&mut list, &memory, State::COMMON, State::COPY_DEST);
            list.copy_bytes(&memory, AT, &fold.result, 0, RESULT);
            kind.transition(&mut list, &memory, State::COPY_DEST, State::COMMON);
            fold.copied(&mut list);
            stage.queue.run(&mut list)?;
            Failure::unless_equal(kind.name, &memory.read()?[AT as usize..], &round.result)?;
            if !kind.is_stored_to() {
                continue;
            }
            Failure::unless_equal("header", &echo.read()?, &round.header)?;

            // The program's own bytes where the GPU's were.
            memory.store(AT + OVER as u64, &round.over)?;
            kind.transition(&mut list, &memory, State::COMMON, State::COPY_SOURCE);
            list.copy_bytes(&over_echo, 0, &memory, AT, RESULT);
            kind.transition(&mut list, &memory, State::COPY_SOURCE, State::COMMON);
            stage.queue.run(&mut list)?;
            Failure::unless_equal("stored over", &over_echo.read()?, &round.result_stored_over())?;
        }
    }
    Ok(digest)
}

/// Where in the result the processor stores over it.
const OVER: usize = 100;

/// What is stored in a round, and what the GPU makes of it.
struct Round {
    header: Vec<u8>,
    over: Vec<u8>,
    /// The constants of the shader.
    step: [u32; 4],
    result: Vec<u8>,
}

impl Round {
    fn result_stored_over(&self) -> Vec<u8> {
        let mut bytes = self.result.clone();
        bytes[OVER..OVER + self.over.len()].copy_from_slice(&self.over);
        bytes
    }
}

fn rounds(kind: &Kind, random: &mut Random) -> Vec<Round> {
    Fold::rounds()
        .into_iter()
        .map(|(step, result)| {
            let header = random.bytes(HEADER as usize);
            let over = if kind.is_stored_to() { random.bytes(3000) } else { Vec::new() };
            Round { header, over, step, result }
        })
        .collect()
}
