//! Loads `d3d12.dll` when a step needs it, as most games do.

#[cfg(windows)]
fn main() {
    reprise_windows_programs::steps::run(None);
}

#[cfg(not(windows))]
fn main() {
    eprintln!("windows_late runs on Windows and Wine: build it for x86_64-pc-windows-gnu");
    std::process::exit(2);
}
