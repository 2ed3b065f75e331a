//! The modes of displays.

use core::mem::size_of;

use reprise_d3d12::types::{DXGI_MODE_DESC, DXGI_OUTPUT_DESC};

/// `DEVMODEW`: the members that are used here; the rest is room.
#[repr(C)]
#[derive(Clone, Copy)]
struct Mode {
    name: [u16; 32],
    versions: [u16; 2],
    size: u16,
    extra: u16,
    fields: u32,
    place: [u32; 4],
    printer: [u16; 5],
    form: [u16; 32],
    pixels: u16,
    bits: u32,
    width: u32,
    height: u32,
    flags: u32,
    frequency: u32,
    rest: [u32; 8],
}

/// The system's size of the structure.
const SIZE: usize = 220;
const _: () = assert!(size_of::<Mode>() == SIZE);

#[link(name = "user32")]
unsafe extern "system" {
    fn EnumDisplaySettingsW(device: *const u16, number: u32, mode: *mut Mode) -> i32;
    fn ChangeDisplaySettingsExW(
        device: *const u16,
        mode: *const Mode,
        window: *const core::ffi::c_void,
        flags: u32,
        parameter: *const core::ffi::c_void,
    ) -> i32;
}

/// `ENUM_CURRENT_SETTINGS`.
const CURRENT: u32 = u32::MAX;
/// `DM_PELSWIDTH | DM_PELSHEIGHT`, and `DM_DISPLAYFREQUENCY`.
const SIZES: u32 = 0x0018_0000;
const FREQUENCY: u32 = 0x0040_0000;
/// `CDS_FULLSCREEN`: the mode goes with the program.
const TEMPORARY: u32 = 4;

/// The rate where the system does not say any, in refreshes per second.
const RATE: u32 = 60;

/// Refreshes of the display in a second.
pub(super) fn rate(output: Option<&DXGI_OUTPUT_DESC>) -> u32 {
    // SAFETY: zeros are a mode.
    let mut mode: Mode = unsafe { core::mem::zeroed() };
    mode.size = SIZE as u16;
    let name = output.map_or(core::ptr::null(), |output| output.DeviceName.as_ptr());
    // SAFETY: null, or a name that ends with zero; the structure is ours and says its size.
    let known = unsafe { EnumDisplaySettingsW(name, CURRENT, &raw mut mode) } != 0;
    // 0 and 1 stand for the display's own rate.
    if known && mode.frequency > 1 { mode.frequency } else { RATE }
}

/// Switches a display to a mode, until the program ends; `None`: to its own one. Says whether the display has it.
pub(super) fn switch(output: &DXGI_OUTPUT_DESC, wanted: Option<&DXGI_MODE_DESC>) -> bool {
    let name = output.DeviceName.as_ptr();
    let Some(wanted) = wanted else {
        let null = core::ptr::null();
        // SAFETY: a name that ends with zero; null is the display's own mode.
        return unsafe { ChangeDisplaySettingsExW(name, null, core::ptr::null(), 0, core::ptr::null()) } == 0;
    };
    // SAFETY: zeros are a mode.
    let mut mode: Mode = unsafe { core::mem::zeroed() };
    (mode.size, mode.fields, mode.width, mode.height) = (SIZE as u16, SIZES, wanted.Width, wanted.Height);
    if let Some(rate) =
        wanted.RefreshRate.Numerator.checked_div(wanted.RefreshRate.Denominator).filter(|&rate| rate > 0)
    {
        (mode.fields, mode.frequency) = (mode.fields | FREQUENCY, rate);
    }
    // SAFETY: a name that ends with zero; the structure is ours and says its size.
    unsafe { ChangeDisplaySettingsExW(name, &raw const mode, core::ptr::null(), TEMPORARY, core::ptr::null()) == 0 }
}
