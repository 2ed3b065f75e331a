//! `replay --renderdoc-frame`, with a library of ours in RenderDoc's place: RenderDoc is on few machines.

use crate::bench::{Bench, PATIENCE};
use reprise_testing::{missing, program, require};
use std::process::Command;

const FAKE: &str = include_str!("renderdoc/fake.c");

#[test]
fn renderdoc_is_told_where_the_frame_begins_and_ends() {
    let Some(compiler) = require(missing::program("gcc", "gcc")) else { return };
    let bench = Bench::new();
    if bench.capture("vkd3d-gears", 3).is_none() {
        return;
    }
    std::fs::write(bench.path("fake.c"), FAKE).unwrap();
    let mut command = Command::new(compiler);
    command.current_dir(&bench.folder).args(["-shared", "-fPIC", "-Wl,-soname,librenderdoc.so"]);
    let built = program::run(command.args(["-o", "librenderdoc.so", "fake.c"]), PATIENCE).unwrap();
    assert!(built.status.success(), "{}", built.errors());
    let replay = |loaded: bool, frame: &str| {
        let _ = std::fs::remove_file(bench.path("log"));
        let mut command = bench.command();
        command.args(["replay", "--quit-after-frame", "3", "--renderdoc-frame", frame, "trace.reprise"]);
        command.env("FAKE_RENDERDOC_LOG", bench.path("log"));
        if loaded {
            command.env("LD_PRELOAD", bench.path("librenderdoc.so"));
        }
        let finished = program::run(&mut command, PATIENCE).unwrap();
        (finished.status.code(), finished.text(), std::fs::read_to_string(bench.path("log")).unwrap_or_default())
    };
    for frame in ["1", "2"] {
        let (code, text, log) = replay(true, frame);
        assert_eq!((code, log.as_str()), (Some(0), "api\nstart\nend\n"), "{text}");
        assert!(text.contains("/captures/frame.rdc"), "{text}");
    }
    let (code, text, log) = replay(true, "9");
    assert_eq!((code, log.as_str()), (Some(1), ""));
    assert!(text.contains("ended after 3 frames"), "{text}");
    let (code, text, _) = replay(false, "2");
    assert_eq!(code, Some(1));
    assert!(
        text.contains("librenderdoc.so is not loaded") && text.contains("ENABLE_VULKAN_RENDERDOC_CAPTURE"),
        "{text}"
    );
}
