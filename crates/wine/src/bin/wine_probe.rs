//! The program of the Wine spike: makes a device, maps an upload buffer, stores to chosen pages, and goes on only while a
//! reader of the rings follows. Every step that fails ends it with its own exit code.

#[cfg(not(windows))]
fn main() {
    eprintln!("wine_probe runs under Wine: build it for x86_64-pc-windows-gnu");
    std::process::exit(2);
}

#[cfg(windows)]
fn main() {
    probe::run();
}

#[cfg(windows)]
#[path = "wine_probe/probe.rs"]
mod probe;

// The probe is a Rust program too, and must start where `bcryptprimitives.dll` is missing.
#[cfg(windows)]
#[path = "../random.rs"]
mod random;
