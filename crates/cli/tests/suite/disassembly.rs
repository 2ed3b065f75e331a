//! `extract --disassemble=FORM`: what other programs and libraries make of shaders, and what is said where they are missing.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{artifact, missing, program, require};
use serde_json::Value as Json;
use std::process::Command;

/// `extract` in these forms, and the shaders of its index.
fn extract(bench: &Bench, forms: &str) -> Vec<Json> {
    let index = bench.output(&["extract", "--json", &format!("--disassemble={forms}"), "trace.reprise"]);
    serde_json::from_str::<Json>(&index).unwrap()["shaders"].as_array().unwrap().clone()
}

/// The text is SPIR-V for who assembles it again.
#[test]
fn shaders_become_spirv_as_text() {
    let Some(assembler) = require(missing::program("spirv-as", "spirv-tools")) else { return };
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    let shaders = extract(&bench, "ours,spirv");
    assert_eq!(shaders.len(), 3);
    for shader in shaders {
        assert!(shader["disassembled"].as_str().is_some_and(|file| file.ends_with(".compute.ll")), "{shader}");
        let file = shader["disassembled_spirv"].as_str().unwrap_or_else(|| panic!("{shader}"));
        assert!(file.ends_with(".compute.spvasm"), "{file}");
        let path = bench.path("trace.extracted").join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("OpEntryPoint GLCompute"), "{text}");
        let mut assemble = Command::new(&assembler);
        let assembled = program::run(assemble.arg(&path).arg("-o").arg(bench.path("again.spv")), PATIENCE).unwrap();
        assert!(assembled.status.success(), "{}", assembled.errors());
        let again = std::fs::read(bench.path("again.spv")).unwrap();
        assert_eq!(again[..4], 0x0723_0203u32.to_le_bytes());
    }
    // Only what is asked for.
    let lone = extract(&bench, "spirv");
    assert!(lone.iter().all(|shader| shader["disassembled"].is_null() && !shader["disassembled_spirv"].is_null()));
}

#[test]
fn what_is_missing_is_named() {
    let bench = Bench::new();
    for (form, variable, named) in
        [("spirv", "PATH", "install spirv-tools"), ("dxc", "REPRISE_DXCOMPILER", "DirectXShaderCompiler")]
    {
        let mut command = bench.command();
        command.args(["extract", &format!("--disassemble={form}"), "trace.reprise"]);
        let finished = program::run(command.env(variable, bench.path("nothing")), PATIENCE).unwrap();
        assert_eq!(finished.status.code(), Some(2), "{form}: {}", finished.errors());
        assert!(finished.errors().contains(named), "{form}: {}", finished.errors());
    }
}

/// A library that is another one is an error of each shader, which is said.
#[test]
fn what_has_no_text_is_counted() {
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    let mut command = bench.command();
    command.args(["extract", "--disassemble=ours,dxc", "trace.reprise"]).env("REPRISE_DXCOMPILER", "libm.so.6");
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    let said = "--disassemble=dxc: no text of 3 shaders: libm.so.6 has no DxcCreateInstance2";
    assert!(finished.errors().contains(said), "{}", finished.errors());
    assert!(!finished.errors().contains("=ours"), "{}", finished.errors());
}

/// With a library of ours in the place of libdxcompiler, which is in no package: as new builds of it are laid out, and as old.
#[test]
fn libdxcompiler_is_called_as_it_is_laid_out() {
    let Some(compiler) = require(missing::program("gcc", "gcc")) else { return };
    let bench = Bench::new();
    let folder = artifact::workspace().join("crates/cli/tests/suite/disassembly");
    let shader = artifact::workspace().join("crates/programs/shaders/compute.main.dxil");
    let size = std::fs::metadata(&shader).unwrap().len();
    for layout in ["-DNEW", "-DOLD"] {
        let library = bench.path(&format!("libdxcompiler{layout}.so"));
        let mut build = Command::new(&compiler);
        build.args(["-shared", "-fPIC", layout, "-o"]).arg(&library).arg(folder.join("fake.c"));
        let built = program::run(&mut build, PATIENCE).unwrap();
        assert!(built.status.success(), "{}", built.errors());
        let read = |shader: &std::path::Path| {
            let mut command = bench.command();
            command.args(["disassemble", "dxc"]).env("REPRISE_DXCOMPILER", &library);
            command.stdin(std::fs::File::open(shader).unwrap()).output().unwrap()
        };
        let finished = read(&shader);
        let errors = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(finished.status.success(), "{layout}: {}", errors(&finished));
        assert_eq!(String::from_utf8_lossy(&finished.stdout), format!("; {size} bytes of DXBC\n"), "{layout}");
        std::fs::write(bench.path("short"), "no").unwrap();
        let refused = read(&bench.path("short"));
        assert_eq!(refused.status.code(), Some(1), "{layout}");
        assert!(errors(&refused).contains("0x80aa000e"), "{layout}: {}", errors(&refused));
    }
}
