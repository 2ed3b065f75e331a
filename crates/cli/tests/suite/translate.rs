//! The process that translates a trace's shaders, and a replay that survives its death.

use crate::bench::{Bench, PATIENCE};
use reprise_shader::worker::Worker;
use reprise_shader::{Interface, Link, Stage, Target, translate};
use reprise_testing::program;
use std::process::Command;

/// A shader that needs no root arguments.
const SHADER: &[u8] = include_bytes!("../../../shader/tests/shaders/tessellate_corner.dxil");

#[test]
fn shaders_are_translated_as_in_the_process_itself() {
    let worker = Worker::new(|| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.arg("translate");
        command
    });
    let (interface, link, target) = (Interface::default(), Link::default(), Target::default());
    let there = worker.translate(SHADER, Stage::Vertex, &interface, &link, &target);
    assert_eq!(there, translate(SHADER, Stage::Vertex, &interface, &link, &target));
    assert!(there.is_ok(), "{there:?}");
}

#[test]
#[ignore = "slow: captures and replays a real program"]
fn a_replay_says_that_its_translator_died() {
    let bench = Bench::new();
    let Some(_) = bench.capture("vkd3d-gears", 3) else { return };
    let replay = |translator: Option<&str>| {
        let mut command = bench.command();
        command.args(["replay", "--quiet", "trace.reprise"]).env_remove("REPRISE_TRANSLATOR");
        command.envs(translator.map(|program| ("REPRISE_TRANSLATOR", program)));
        program::run(&mut command, PATIENCE).unwrap()
    };
    let died = replay(Some("false"));
    let errors = died.errors();
    assert_eq!(died.status.code(), Some(1), "{errors}");
    assert!(errors.contains("the process that translates shaders died on this shader"), "{errors}");
    assert!(replay(None).status.success(), "in a process of its own");
    assert!(replay(Some("")).status.success(), "in the replay itself");
}
