//! Links the C++ library into the Windows library, and gives its exports their ordinals.
//!
//! The shader translator is C++. On Linux its library comes with the system; for Windows it goes into the DLL, because programs bring
//! their own versions of `libstdc++-6.dll`, or none. The C++ compiler of POSIX threads is named by its full name: Debian's plain name means
//! the one of Windows' threads.

use std::env;
use std::process::Command;

const COMPILER: &str = "x86_64-w64-mingw32-g++-posix";
/// In the order in which each finds what it needs in those after it.
const LIBRARIES: [&str; 4] = ["libstdc++.a", "libwinpthread.a", "libgcc_eh.a", "libgcc.a"];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=windows/d3d12.def");
    let is = |name, value| env::var(name).is_ok_and(|found| found == value);
    if !is("CARGO_CFG_TARGET_OS", "windows") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    let folder = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    println!("cargo:rustc-cdylib-link-arg={folder}/windows/d3d12.def");
    for library in LIBRARIES {
        println!("cargo:rustc-cdylib-link-arg={}", find(library));
    }
    // The C++ library uses more of C's than the Rust library before it did.
    for library in ["mingw32", "mingwex", "msvcrt", "user32", "kernel32"] {
        println!("cargo:rustc-cdylib-link-arg=-l{library}");
    }
}

/// The file of a library of the C++ compiler.
fn find(library: &str) -> String {
    let output = Command::new(COMPILER).arg(format!("-print-file-name={library}")).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {COMPILER} ({error}): run `cargo xtask setup`"));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
