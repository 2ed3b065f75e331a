//! `reprise show --shader`, against the texels that `show` writes without it.

use crate::bench::Bench;
use crate::programs;
use serde_json::Value as Json;

fn shader(name: &str) -> String {
    format!("{}/../programs/shaders/custom_views.{name}", env!("CARGO_MANIFEST_DIR"))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The numbers of a draw of the program `depth`, whose target has whole numbers of 32 bits and whose depth buffer floats.
fn draw(bench: &Bench) -> String {
    programs::capture(bench, "depth", &programs::ours());
    let calls = bench.output(&["dump", "--json", "--methods", "DrawInstanced", "trace.reprise"]);
    let calls: Vec<Json> = calls.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    calls[calls.len() / 4]["call"].to_string()
}

/// Both forms of a shader give, for each texel, what the text of the shader says of the texel that `--raw` has.
#[test]
fn a_shader_sees_each_texel() {
    let bench = Bench::new();
    let call = draw(&bench);
    let show = |more: &[&str]| bench.output(&[&["show", "trace.reprise", "--call", &call], more].concat());
    let read = |name: &str| words(&std::fs::read(bench.path(name)).unwrap());
    show(&["--target", "0", "--raw", "target.bin"]);
    let target = read("target.bin");
    assert!(target.iter().any(|word| *word != 0) && target.len() == 64 * 64 * 4);
    let about = show(&["--depth", "--raw", "depth.bin", "--json"]);
    let about: Json = serde_json::from_str(&about).unwrap();
    let depth: Vec<f32> = match about["bytes_per_texel"].as_u64() {
        Some(4) => read("depth.bin").into_iter().map(f32::from_bits).collect(),
        other => panic!("{other:?}: {about}"),
    };
    for form in ["dxbc", "dxil"] {
        show(&[
            "--target",
            "0",
            "--shader",
            &shader(&format!("words.{form}")),
            "--raw",
            "shown.bin",
            "-o",
            "shown.png",
        ]);
        let shown: Vec<f32> = read("shown.bin").into_iter().map(f32::from_bits).collect();
        let expected = target.as_chunks::<4>().0.iter();
        let expected = expected.flat_map(|[x, _, _, w]| [x & 0xffff, x >> 16, w & 0xffff, w >> 16].map(|it| it as f32));
        assert!(shown == expected.collect::<Vec<f32>>(), "{form}");
        assert!(std::fs::read(bench.path("shown.png")).unwrap().starts_with(b"\x89PNG"));

        let file = shader(&format!("floats.{form}"));
        let said =
            show(&["--depth", "--range", "0,0.5", "--shader", &file, "--raw", "shown.bin", "--pixel", "3,9", "--json"]);
        let shown: Vec<f32> = read("shown.bin").into_iter().map(f32::from_bits).collect();
        let number: f32 = call.parse().unwrap();
        let expected = depth
            .iter()
            .enumerate()
            .flat_map(|(at, depth)| [1.0 - depth, (at % 64) as f32, (at / 64) as f32, number + 2048.0]);
        assert!(shown == expected.collect::<Vec<f32>>(), "{form}: {:?}", &shown[..8]);
        // With another range the shader gives other numbers.
        show(&["--depth", "--range", "0,1", "--shader", &file, "--raw", "other.bin"]);
        assert!(read("other.bin") != read("shown.bin"), "{form}");
        let said: Json = serde_json::from_str(&said).unwrap();
        assert_eq!((&said["format"], &said["shader"]), (&"R32G32B32A32_FLOAT".into(), &Json::from(file)));
        assert_eq!(said["pixels"][0]["values"][1], 3);
    }
}

/// What cannot be a view is refused before anything is played, and says why.
#[test]
fn other_shaders_are_refused() {
    let bench = Bench::new();
    let call = draw(&bench);
    std::fs::write(bench.path("broken.dxil"), b"DXBC and no more").unwrap();
    for (file, more, what) in [
        (shader("writes.dxil"), "--target", "it uses u1 of space 0; a view has b0, t0, s0 and s1"),
        (shader("writes.dxbc"), "--target", "it uses u1 of space 0; a view has b0, t0, s0 and s1"),
        (format!("{}/../replay/shaders/view.main.dxil", env!("CARGO_MANIFEST_DIR")), "--target", "a vertex shader"),
        ("broken.dxil".into(), "--target", "no compiled shader"),
        ("none.dxil".into(), "--target", "cannot be read"),
        (shader("words.dxil"), "--buffer", "--shader is nothing for --buffer"),
    ] {
        let finished = bench.run(&["show", "trace.reprise", "--call", &call, more, "0", "--shader", &file]);
        assert_eq!(finished.status.code(), Some(2), "{file}");
        assert!(finished.errors().contains(what), "{file}: {}", finished.errors());
    }
}
