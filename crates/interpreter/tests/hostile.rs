//! Modules that are damaged: whatever is in one, it is read or refused, and runs to an end or to a fault.

#![allow(clippy::unwrap_used)]

use reprise_interpreter::{Buffer, Handle, Module, Open, Opens, Resources, Size, Task, Texel, run};
use reprise_oracle::corpus;
use reprise_shader::{Binding, Class, Heaps, Interface, Link, Place, Slot, Stage, Target, translate};
use reprise_testing::artifact;

/// Everything is there, and holds the same.
struct Everything;

impl Resources for Everything {
    fn read(&mut self, _: Buffer, offset: u64, bytes: &mut [u8]) -> Result<Open, String> {
        bytes.fill(offset as u8);
        Ok(0)
    }

    fn write(&mut self, _: Buffer, _: u64, _: &[u8], _: Open) -> Result<(), String> {
        Ok(())
    }

    fn length(&mut self, _: Buffer) -> Result<u64, String> {
        Ok(u64::MAX)
    }

    fn texel(&mut self, _: &Handle, at: Texel) -> Result<([u64; 4], Open), String> {
        Ok(([at.at[0] as u64; 4], 0))
    }

    fn set_texel(&mut self, _: &Handle, _: Texel, _: [u64; 4], _: [Open; 4]) -> Result<(), String> {
        Ok(())
    }

    fn size(&mut self, _: &Handle, _: u32) -> Result<Size, String> {
        Ok(Size { texels: [u32::MAX; 3], slices: u32::MAX, levels: u32::MAX, samples: u32::MAX })
    }
}

fn interface() -> Interface {
    let slot = |binding| Slot { set: 0, binding };
    let binding = |class, place| Binding { class, space: 0, register: 0, count: 8, visibility: 0, place };
    let table = |offset| Place::Table { word: 0, offset };
    Interface {
        root_words: 1,
        bindings: vec![binding(Class::Cbv, table(0)), binding(Class::Srv, table(8)), binding(Class::Uav, table(16))],
        heaps: Heaps {
            storage_image: slot(1),
            uniform_texel: slot(2),
            storage_texel: slot(3),
            uniform_buffer: slot(4),
            storage_buffer: slot(5),
            addresses: slot(7),
            offsets: slot(8),
            ..Heaps::default()
        },
        ..Interface::default()
    }
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// What became of a module.
fn end(words: &[u32]) -> &'static str {
    let task = Task { budget: 3000, watched: Some(0), most_steps: 100, ..Task::default() };
    let Ok(module) = Module::read(words) else { return "refused" };
    let ran = run(&module, task, &mut Everything, &mut Opens::default());
    module.instructions().iter().for_each(|instruction| _ = module.line(instruction));
    match ran {
        Ok(ran) => {
            ran.steps.iter().for_each(|step| _ = module.text(&step.value, step.kind));
            "ended"
        }
        Err(_) => "fault",
    }
}

#[test]
fn damaged_modules_do_no_harm() {
    let folder = artifact::workspace().join(corpus::FOLDER);
    let programs = corpus::read(&folder).unwrap();
    let tasks = corpus::tasks(&folder, &programs);
    let target = Target { storage_alignment: 1, typed_offsets: false, ..Target::default() };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut counts = [0; 3];
    for task in tasks.iter().step_by(3) {
        let blob = std::fs::read(&task.blob).unwrap();
        let whole = translate(&blob, Stage::Compute, &interface(), &Link::default(), &target).unwrap().words;
        assert_ne!(end(&whole), "refused");
        for round in 0..100 {
            let mut words = whole.clone();
            match round % 4 {
                0 => words.truncate(random.below(words.len())),
                1 => words[random.below(whole.len())] ^= 1 << random.below(32),
                // Another word of the same module, which is an operand that exists, or an instruction.
                2 => words[random.below(whole.len())] = whole[random.below(whole.len())],
                _ => {
                    for _ in 0..4 {
                        words[random.below(whole.len())] = random.below(300) as u32;
                    }
                }
            }
            counts[["refused", "fault", "ended"].iter().position(|it| *it == end(&words)).unwrap()] += 1;
        }
    }
    // Each happens: else the damage is too much or too little.
    assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
}
