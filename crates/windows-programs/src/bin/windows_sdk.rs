//! As `windows_late`, and brings a `D3D12Core.dll` of its own in the folder `D3D12`, as programs with the Agility SDK do.

/// Exported: which SDK it is built with.
#[cfg(windows)]
#[unsafe(no_mangle)]
#[used]
#[allow(non_upper_case_globals)]
static D3D12SDKVersion: u32 = 611;

/// A pointer that threads may share: what it points to never changes.
#[cfg(windows)]
#[repr(transparent)]
struct Path(*const u8);
// SAFETY: points to a constant.
#[cfg(windows)]
unsafe impl Sync for Path {}

/// Exported: where it is, beside the program.
#[cfg(windows)]
#[unsafe(no_mangle)]
#[used]
#[allow(non_upper_case_globals)]
static D3D12SDKPath: Path = Path(c".\\D3D12\\".as_ptr().cast());

#[cfg(windows)]
fn main() {
    reprise_windows_programs::steps::run(None);
}

#[cfg(not(windows))]
fn main() {
    eprintln!("windows_sdk runs on Windows and Wine: build it for x86_64-pc-windows-gnu");
    std::process::exit(2);
}
