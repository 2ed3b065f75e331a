//! `cargo xtask build-windows`: what runs under Wine and on Windows, in `target/windows`.
//!
//! `reprise_capture.dll` is the capture library. Programs import from `d3d12.dll`, `d3d12core.dll` and `dxgi.dll`: these hold nothing but
//! forwarders to it, which the linker makes from the lists in `crates/capture/windows`. In the folder `runtime` are `d3d12.dll` and
//! `d3d12core.dll` of our own runtime, one library under two names. `reprise.exe` is the command line program,
//! `reprise-programs.exe` the test programs.

use anyhow::{Context, Result, bail, ensure};
use reprise_testing::artifact;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cargo;

const TARGET: &str = "x86_64-pc-windows-gnu";
/// Cross tools of Debian's `gcc-mingw-w64-x86-64`.
const LINKER: &str = "x86_64-w64-mingw32-gcc";
const STRIP: &str = "x86_64-w64-mingw32-strip";
const PACKAGES: [&str; 4] = ["reprise-capture", "reprise", "reprise-programs", "reprise-runtime-library"];
/// What is built, and where it goes.
const BUILT: [(&str, &str); 5] = [
    ("reprise_capture.dll", "reprise_capture.dll"),
    ("reprise.exe", "reprise.exe"),
    ("reprise-programs.exe", "reprise-programs.exe"),
    ("reprise_d3d12.dll", "runtime/d3d12.dll"),
    ("reprise_d3d12.dll", "runtime/d3d12core.dll"),
];
const FORWARDERS: [&str; 3] = ["d3d12", "d3d12core", "dxgi"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let debug = match arguments {
        [] => false,
        [option] if option == "--debug" => true,
        _ => bail!("usage: cargo xtask build-windows [--debug]"),
    };
    println!("{}", build(debug)?.display());
    Ok(())
}

/// Builds everything; gives the folder with it.
pub(crate) fn build(debug: bool) -> Result<PathBuf> {
    let built = if debug { compile(&PACKAGES, &[], "debug")? } else { cross(&PACKAGES, &[])? };
    let folder = target().join("windows");
    fs::create_dir_all(folder.join("runtime")).with_context(|| folder.display().to_string())?;
    for (name, place) in BUILT {
        // Debug information would be copied beside every program that is run with these.
        let mut strip = Command::new(STRIP);
        let to = folder.join(place);
        // Tests in other processes read what is there meanwhile: a file is replaced whole.
        let new = to.with_extension(format!("{}.new", std::process::id()));
        run_tool(strip.arg("--strip-debug").arg("-o").arg(&new).arg(built.join(name)))?;
        fs::rename(&new, &to).with_context(|| to.display().to_string())?;
    }
    for name in FORWARDERS {
        forward(name, &folder)?;
    }
    Ok(folder)
}

/// Builds packages for Windows, optimised, with options for cargo; gives the folder with what was built.
pub(crate) fn cross(packages: &[&str], options: &[&str]) -> Result<PathBuf> {
    compile(packages, &[options, &["--release"]].concat(), "release")
}

fn compile(packages: &[&str], options: &[&str], profile: &str) -> Result<PathBuf> {
    let mut cargo = cargo::command();
    cargo.args(["build", "--quiet", "--target", TARGET]).args(packages.iter().flat_map(|name| ["--package", name]));
    let status = cargo.args(options).status().context("cannot run cargo")?;
    ensure!(status.success(), "cannot build for {TARGET}: run `cargo xtask setup`");
    Ok(target().join(TARGET).join(profile))
}

fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.unwrap_or_else(|| artifact::workspace().join("target"))
}

/// Links a DLL that holds only the forwarders of a list.
fn forward(name: &str, folder: &Path) -> Result<()> {
    let list = artifact::workspace().join("crates/capture/windows").join(format!("{name}.def"));
    let mut linker = Command::new(LINKER);
    linker.args(["-shared", "-nostdlib", "-s", "-Wl,--entry=0", "-o"]);
    let new = folder.join(format!("{name}.{}.new", std::process::id()));
    run_tool(linker.arg(&new).arg(list))?;
    fs::rename(&new, folder.join(format!("{name}.dll"))).with_context(|| name.to_owned())
}

fn run_tool(tool: &mut Command) -> Result<()> {
    let name = tool.get_program().to_string_lossy().into_owned();
    let status = tool.status().with_context(|| format!("cannot run {name}: run `cargo xtask setup`"))?;
    ensure!(status.success(), "{name} failed: {status}");
    Ok(())
}
