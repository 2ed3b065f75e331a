//! The shaders of the oracle's corpus in the interpreter, against what the oracle makes of their source.

#![allow(clippy::unwrap_used)]

use reprise_interpreter::{Buffer, Descriptor, Fault, Handle, Module, Open, Opens, Resources, Size, Task, Texel, run};
use reprise_oracle::{Program, Word, compare, corpus, inputs, interpret, output_words};
use reprise_shader::{Binding, Class, Heaps, Interface, Link, Place, Slot, Stage, Target, translate};
use reprise_testing::artifact;
use std::path::PathBuf;

const TABLE: u32 = 0;
const CONSTANTS_ADDRESS: u64 = 0x1_0000_0000;

/// Bindings of the sets, one each kind.
mod slot {
    pub(super) const UNIFORM_TEXEL: u32 = 2;
    pub(super) const STORAGE_TEXEL: u32 = 3;
    pub(super) const STORAGE_BUFFER: u32 = 5;
}

fn interface() -> Interface {
    let slot = |binding| Slot { set: 0, binding };
    let binding = |class, count, place| Binding { class, space: 0, register: 0, count, visibility: 0, place };
    Interface {
        root_descriptors: 1,
        root_words: 1,
        overflow: None,
        bindings: vec![
            binding(Class::Cbv, 1, Place::Address(0)),
            binding(Class::Srv, 4, Place::Table { word: 0, offset: 0 }),
            binding(Class::Uav, 3, Place::Table { word: 0, offset: 4 }),
        ],
        heaps: Heaps {
            sampled_image: slot(0),
            storage_image: slot(1),
            uniform_texel: slot(slot::UNIFORM_TEXEL),
            storage_texel: slot(slot::STORAGE_TEXEL),
            uniform_buffer: slot(4),
            storage_buffer: slot(slot::STORAGE_BUFFER),
            sampler: slot(6),
            addresses: slot(7),
            offsets: slot(8),
            ..Heaps::default()
        },
        direct_resources: false,
        direct_samplers: false,
    }
}

/// What `reprise-programs --dispatched` binds: constants, the input in four ways, the output in three.
struct Bound {
    root: Vec<u8>,
    constants: Vec<u8>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Bound {
    fn bytes(&mut self, buffer: Buffer, offset: u64) -> Result<(&mut Vec<u8>, u64), String> {
        match buffer {
            Buffer::Root => Ok((&mut self.root, offset)),
            Buffer::Address => Ok((&mut self.constants, offset.wrapping_sub(CONSTANTS_ADDRESS))),
            Buffer::View(Descriptor { binding: slot::STORAGE_BUFFER, index: 0..=1, .. }) => {
                Ok((&mut self.input, offset))
            }
            Buffer::View(Descriptor { binding: slot::STORAGE_BUFFER, index: 4..=5, .. }) => {
                Ok((&mut self.output, offset))
            }
            other => Err(format!("nothing is bound to {other}")),
        }
    }
}

impl Resources for Bound {
    fn read(&mut self, buffer: Buffer, offset: u64, bytes: &mut [u8]) -> Result<Open, String> {
        let (all, offset) = self.bytes(buffer, offset)?;
        if let Some(from) = all.get(offset as usize..).and_then(|all| all.get(..bytes.len())) {
            bytes.copy_from_slice(from);
        }
        Ok(0)
    }

    fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8], _: Open) -> Result<(), String> {
        let (all, offset) = self.bytes(buffer, offset)?;
        if let Some(to) = all.get_mut(offset as usize..).and_then(|all| all.get_mut(..bytes.len())) {
            to.copy_from_slice(bytes);
        }
        Ok(())
    }

    fn length(&mut self, buffer: Buffer) -> Result<u64, String> {
        Ok(self.bytes(buffer, 0)?.0.len() as u64)
    }

    fn texel(&mut self, view: &Handle, at: Texel) -> Result<([u64; 4], Open), String> {
        let Descriptor { binding, index, .. } = view.descriptor;
        let (all, words) = match (binding, index) {
            (slot::UNIFORM_TEXEL, 2) => (&self.input, 1),
            (slot::UNIFORM_TEXEL, 3) => (&self.input, 4),
            (slot::STORAGE_TEXEL, 6) => (&self.output, 1),
            _ => return Err(format!("nothing is bound to {view}")),
        };
        let mut texel = [0, 0, 0, u64::from(words == 1)];
        let begin = usize::try_from(at.at[0]).unwrap_or(usize::MAX / 32).saturating_mul(words * 4);
        for (word, to) in texel.iter_mut().enumerate().take(words) {
            let bytes = all.get(begin.saturating_add(word * 4)..).and_then(|all| all.first_chunk::<4>());
            *to = bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes).into());
        }
        Ok((texel, 0))
    }

    fn set_texel(&mut self, _: &Handle, at: Texel, components: [u64; 4], _: [Open; 4]) -> Result<(), String> {
        let begin = usize::try_from(at.at[0]).unwrap_or(usize::MAX / 32) * 4;
        if let Some(to) = self.output.get_mut(begin..).and_then(|all| all.first_chunk_mut::<4>()) {
            *to = (components[0] as u32).to_le_bytes();
        }
        Ok(())
    }

    fn size(&mut self, view: &Handle, _: u32) -> Result<Size, String> {
        let texels = match view.descriptor.index {
            3 => self.input.len() / 16,
            2 => self.input.len() / 4,
            _ => self.output.len() / 4,
        };
        Ok(Size { texels: [texels as u32, 1, 1], slices: 1, levels: 1, samples: 1 })
    }
}

/// What the interpreter makes of a blob: the words of the output.
fn interpreted(program: &Program, blob: &[u8]) -> Result<Vec<u32>, Fault> {
    let target = Target { storage_alignment: 1, typed_offsets: false, read_without_format: true, ..Target::default() };
    let spirv = translate(blob, Stage::Compute, &interface(), &Link::default(), &target).unwrap();
    let module = Module::read(&spirv.words)?;
    let (constants, input) = inputs(program);
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let root = [CONSTANTS_ADDRESS as u32, (CONSTANTS_ADDRESS >> 32) as u32, TABLE];
    let mut bound = Bound {
        root: bytes(&root),
        constants: bytes(&constants),
        input: bytes(&input),
        output: vec![0; output_words(program) * 4],
    };
    for group in 0..program.groups {
        let task = Task { groups: [program.groups, 1, 1], group: [group, 0, 0], ..Task::default() };
        run(&module, task, &mut bound, &mut Opens::default())?;
    }
    Ok(bound.output.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

fn folder() -> PathBuf {
    artifact::workspace().join(corpus::FOLDER)
}

#[test]
fn all_forms_give_what_the_source_says() {
    let programs = corpus::read(&folder()).unwrap();
    let tasks = corpus::tasks(&folder(), &programs);
    let mut wrong = Vec::new();
    let mut noticed = 0;
    for task in &tasks {
        let name = format!("seed {}, {}", task.program.seed, task.form);
        let expected: Vec<Word> = interpret(task.program, None).unwrap();
        match interpreted(task.program, &std::fs::read(&task.blob).unwrap()) {
            Ok(mut words) => {
                wrong.extend(compare(&expected, &words).map(|difference| format!("{name}: {difference}")));
                // The control: a word that differs is noticed. The first words are of all threads, and exact.
                words[0] ^= 0x8000_0001;
                noticed += usize::from(compare(&expected, &words).is_some());
            }
            Err(fault) => wrong.push(format!("{name}: {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), tasks.len(), wrong.join("\n"));
    assert_eq!(noticed, tasks.len());
}
