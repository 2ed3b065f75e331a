//! Is linked with `d3d12.dll`: the loader finds that before the program begins.

#[cfg(windows)]
#[link(name = "d3d12")]
unsafe extern "system" {
    fn D3D12CreateDevice(
        adapter: *mut std::ffi::c_void,
        level: i32,
        iid: *const std::ffi::c_void,
        device: *mut *mut std::ffi::c_void,
    ) -> i32;
}

#[cfg(windows)]
fn main() {
    reprise_windows_programs::steps::run(Some(D3D12CreateDevice));
}

#[cfg(not(windows))]
fn main() {
    eprintln!("windows_linked runs on Windows and Wine: build it for x86_64-pc-windows-gnu");
    std::process::exit(2);
}
