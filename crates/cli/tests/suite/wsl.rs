//! Microsoft's own Direct3D 12 of WSL, as far as a machine without it can tell: a stand-in with its names and its ABI, whose upload memory
//! is a device's, and which has an interface that no model of the API has.

use crate::bench::{Bench, PATIENCE};
use crate::programs::ours;
use reprise_testing::{artifact, missing, program, require};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of `mseal`, which libc does not name.
const SYS_SEAL: libc::c_long = 462;

fn compile(source: &str, to: &Path, options: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/wsl").join(source);
    let mut command = Command::new("g++");
    command.args(["-std=c++17", "-O1", "-w", "-I/usr/include/wsl/stubs", "-D_WIN32_WINNT=0x0A00", "-o"]).arg(to);
    let output = command.arg(source).args(options).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A folder as WSL's `/usr/lib/wsl/lib`; `None` where compiler or headers are missing.
fn stand_in(bench: &Bench) -> Option<PathBuf> {
    require(missing::program("g++", "g++"))?;
    require(missing::file(&["/usr/include/wsl/winadapter.h"], "directx-headers-dev"))?;
    let folder = bench.path("wsl");
    std::fs::create_dir(&folder).unwrap();
    compile("stand_in.cpp", &folder.join("libd3d12.so"), &["-shared", "-fPIC"]);
    for name in ["libd3d12core.so", "libdxcore.so"] {
        symlink(ours(), folder.join(name)).unwrap();
    }
    Some(folder)
}

fn client(bench: &Bench) -> PathBuf {
    let path = bench.path("client");
    compile("client.cpp", &path, &[]);
    path
}

/// Whether the kernel has a system call of these arguments, which do nothing.
fn has_call(number: libc::c_long, arguments: [usize; 3]) -> bool {
    let [a, b, c] = arguments;
    // SAFETY: `mseal` of no bytes, or `io_uring_setup` without entries and without a place, which only answers.
    let answer = unsafe { libc::syscall(number, a, b, c) };
    let error = std::io::Error::last_os_error().raw_os_error();
    answer >= 0 || !matches!(error, Some(libc::ENOSYS | libc::EPERM))
}

/// Stores to memory of a device are in the trace, whatever the kernel takes to watch it: what there is, nothing but protection as in WSL
/// (Linux 6.6), or no protection either. A replay on our runtime reads back the same.
#[test]
fn stores_to_memory_of_a_device_are_in_the_trace() {
    let bench = Bench::new();
    let Some(folder) = stand_in(&bench) else { return };
    if !has_call(libc::SYS_io_uring_setup, [0; 3]) {
        return missing::kernel_lacks("io_uring, whose memory is that of a device here");
    }
    let protected = "watched by mprotect (userfaultfd or pagemap: Function not implemented";
    let sealed = "write-protect: Operation not permitted";
    for (memory, watched) in [("as it is", "165 maps, watched by "), ("old", protected), ("sealed", sealed)] {
        if memory == "sealed" && !has_call(SYS_SEAL, [0; 3]) {
            return missing::kernel_lacks("mseal, which refuses protection (Linux 6.10)");
        }
        let mut command = bench.command();
        command.env("STAND_IN", memory).args(["capture", "-f", "-o", "trace.reprise", "--"]);
        command.arg(artifact::programs().unwrap());
        command.args(["writers", "--frames", "15", "--memory-log", "memory.log", "--library"]);
        let finished = program::run(command.arg(folder.join("libd3d12.so")), PATIENCE).unwrap();
        assert!(finished.status.success(), "{memory}: {}\n{}", finished.status, finished.errors());
        let text = bench.output(&["check-memory", "trace.reprise", "memory.log"]);
        assert!(text.starts_with("16 submissions, ") && text.contains(" 0 different"), "{memory}: {text}");
        let info = bench.output(&["info", "trace.reprise"]);
        assert!(info.contains(watched), "{memory}: {info}");
        let text = bench.output(&["replay", "trace.reprise", "--runtime", &ours().to_string_lossy()]);
        assert!(text.contains("that the program saw the GPU write compared") && !text.contains("differ"), "{text}");
    }
}

/// Methods of an interface that the model does not have reach the library, with the library's own objects as arguments, and give back
/// what C++ for Linux gives back: numbers, structures in registers, and structures by a hidden pointer. The trace says it once.
#[test]
fn unknown_interfaces_are_passed_on_and_told_of_once() {
    let bench = Bench::new();
    let Some(folder) = stand_in(&bench) else { return };
    let client = client(&bench);
    // With and without a use of the interface: the second is the control.
    for (argument, gaps) in [(Some("all"), 1), (None, 0)] {
        let mut command = bench.command();
        command.env("LD_LIBRARY_PATH", &folder).args(["capture", "-f", "-o", "trace.reprise", "--"]).arg(&client);
        let finished = program::run(command.args(argument), PATIENCE).unwrap();
        assert!(finished.status.success(), "{argument:?}: {}\n{}", finished.status, finished.errors());
        assert_eq!(finished.text(), "done\n", "{argument:?}");
        let info = bench.output(&["info", "trace.reprise"]);
        let told = "interface 3c1f29d4-5a0e-4d5b-8f6e-57534c000001 is unknown: its calls are passed on unrecorded";
        assert_eq!(info.matches(told).count(), gaps, "{info}");
    }
}

/// A program that loads `libd3d12.so` itself, as Mesa and DirectML do, gets our runtime from a run, and from a capture on ours.
#[test]
fn programs_that_load_the_libraries_themselves_find_ours() {
    let bench = Bench::new();
    if stand_in(&bench).is_none() {
        return;
    }
    let client = client(&bench);
    for words in [&["run"][..], &["capture", "--runtime", "ours", "-o", "trace.reprise"]] {
        let mut command = bench.command();
        command.env("REPRISE_RUNTIME_LIBRARY", ours()).args(words).arg("--").arg(&client);
        let finished = program::run(&mut command, PATIENCE).unwrap();
        assert!(finished.status.success(), "{words:?}: {}\n{}", finished.status, finished.errors());
        assert_eq!(finished.text(), "done\n", "{words:?}");
    }
    assert!(bench.output(&["info", "trace.reprise"]).contains("gaps:        0"));
    // The control: without us there is no such library.
    let alone = Command::new(&client).env_remove("LD_LIBRARY_PATH").output().unwrap();
    assert!(!alone.status.success(), "{alone:?}");
}

/// Where our runtime is installed as `libd3d12.so`, and the machine has no other, a capture needs no option for such a program.
#[test]
fn an_installation_serves_programs_that_load_the_libraries_themselves() {
    let bench = Bench::new();
    let Some(folder) = stand_in(&bench) else { return };
    let client = client(&bench);
    let (bin, lib) = (bench.path("bin"), bench.path("lib/reprise"));
    let links = lib.join("linux-d3d12");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(&links).unwrap();
    // A link by name would lead to the folder of the build.
    let reprise = bin.join("reprise");
    std::fs::hard_link(env!("CARGO_BIN_EXE_reprise"), &reprise).unwrap();
    for name in ["libd3d12.so", "libd3d12core.so", "libdxcore.so"] {
        symlink(ours(), links.join(name)).unwrap();
    }
    let capture = |path: Option<&Path>| {
        let mut command = Command::new(&reprise);
        command.current_dir(&bench.folder).env("REPRISE_CAPTURE_LIBRARY", artifact::capture_library().unwrap());
        command.env_remove("LD_LIBRARY_PATH").envs(path.map(|path| ("LD_LIBRARY_PATH", path)));
        command.args(["capture", "-f", "-o", "trace.reprise", "--"]).arg(&client).arg("all");
        program::run(&mut command, PATIENCE).unwrap()
    };
    // Ours has no interface of the stand-in's.
    let finished = capture(None);
    assert!(finished.errors().contains("IID_IStandIn"), "{}", finished.errors());
    assert!(bench.output(&["info", "trace.reprise"]).contains("D3D12CreateDevice"));
    // Another library that the user named goes first.
    let finished = capture(Some(&folder));
    assert_eq!(finished.text(), "done\n", "{}", finished.errors());
}
