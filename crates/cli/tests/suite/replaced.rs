//! `replay --replace-shaders`: what `extract` wrote, with other contents under its names.

use crate::bench::Bench;
use crate::programs;
use reprise_testing::artifact;
use std::path::PathBuf;

#[test]
fn a_shader_is_replaced_by_the_file_named_after_it() {
    let bench = Bench::new();
    programs::capture(&bench, "depth", &programs::ours());
    bench.output(&["extract", "-o", "shaders", "trace.reprise"]);
    let shader = |name: &str| std::fs::read(artifact::workspace().join("crates/programs/shaders").join(name)).unwrap();
    let extracted = |name: &str| -> PathBuf {
        let files = std::fs::read_dir(bench.path("shaders")).unwrap().map(|entry| entry.unwrap().path());
        let bytes = shader(name);
        files.into_iter().find(|file| std::fs::read(file).unwrap() == bytes).unwrap()
    };
    // The folder as it was written changes nothing.
    let text = bench.output(&["replay", "--replace-shaders", "shaders", "trace.reprise"]);
    assert!(text.contains("4 shaders as the trace has them") && !text.contains("differs"), "{text}");

    // A pixel shader that writes nothing: what was read back is not what comes out, and replay says so.
    let number = extracted("rectangle.number.dxbc");
    std::fs::write(&number, shader("rectangle.nothing.dxbc")).unwrap();
    std::fs::write(bench.path("shaders").join("00112233445566778899aabbccddeeff.cso"), shader("fold.main.dxbc"))
        .unwrap();
    let text = bench.output(&["replay", "--replace-shaders", "shaders", "trace.reprise"]);
    let name = number.file_name().unwrap().to_string_lossy();
    assert!(text.contains(&format!("{name} used 8 times")), "{text}");
    assert!(text.contains("warning: no shader of the trace is shaders/00112233445566778899aabbccddeeff.cso"), "{text}");
    assert!(text.contains("bytes that the GPU wrote differ"), "{text}");

    // One that does not fit is refused, by the file's name.
    let vertex = extracted("rectangle.vertex.dxbc");
    std::fs::write(&vertex, shader("rectangle.nothing.dxbc")).unwrap();
    let finished = bench.run(&["replay", "--replace-shaders", "shaders", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1));
    let name = vertex.file_name().unwrap().to_string_lossy();
    assert!(finished.errors().contains(&format!("with shaders/{name}")), "{}", finished.errors());

    // A folder without shaders is wrong usage.
    std::fs::create_dir(bench.path("empty")).unwrap();
    let finished = bench.run(&["replay", "--replace-shaders", "empty", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(2), "{}", finished.errors());
}
