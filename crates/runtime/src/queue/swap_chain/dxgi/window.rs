//! What Windows says of windows, and what it is told.

use core::ffi::c_void;

use reprise_d3d12::types::RECT;

#[link(name = "user32")]
unsafe extern "system" {
    fn IsWindow(window: *mut c_void) -> i32;
    fn IsIconic(window: *mut c_void) -> i32;
    fn GetClientRect(window: *mut c_void, rect: *mut RECT) -> i32;
    fn GetWindowRect(window: *mut c_void, rect: *mut RECT) -> i32;
    fn GetWindowLongW(window: *mut c_void, index: i32) -> i32;
    fn SetWindowLongW(window: *mut c_void, index: i32, value: i32) -> i32;
    fn SetWindowPos(
        window: *mut c_void,
        after: *mut c_void,
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        flags: u32,
    ) -> i32;
    fn AdjustWindowRectEx(rect: *mut RECT, style: u32, menu: i32, extended: u32) -> i32;
    fn GetMenu(window: *mut c_void) -> *mut c_void;
    fn MonitorFromWindow(window: *mut c_void, flags: u32) -> *mut c_void;
}

const STYLE: i32 = -16;
const EXTENDED: i32 = -20;
const NEAREST: u32 = 2;
/// `HWND_TOPMOST` and `HWND_NOTOPMOST`.
const TOPMOST: *mut c_void = usize::MAX as *mut c_void;
const NOT_TOPMOST: *mut c_void = (usize::MAX - 1) as *mut c_void;
/// `SWP_NOMOVE`, `SWP_NOZORDER`, `SWP_NOACTIVATE`, `SWP_FRAMECHANGED`.
const NO_MOVE: u32 = 0x2;
const NO_ORDER: u32 = 0x4;
const NO_ACTIVATE: u32 = 0x10;
const FRAME_CHANGED: u32 = 0x20;
/// `WS_CAPTION | WS_THICKFRAME`: what a window has around its inside.
const FRAME: u32 = 0x00c4_0000;
/// `WS_EX_DLGMODALFRAME | WS_EX_WINDOWEDGE | WS_EX_CLIENTEDGE | WS_EX_STATICEDGE`.
const EDGES: u32 = 0x0002_0301;
/// `WS_EX_TOPMOST`.
const ON_TOP: u32 = 0x8;

/// A window of the program. It may be gone: then questions answer zeros, and nothing is changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window(pub(super) *mut c_void);

// SAFETY: a handle of the system, which takes it from any thread.
unsafe impl Send for Window {}
// SAFETY: a handle of the system, which takes it from several threads at once.
unsafe impl Sync for Window {}

/// How a window was before it became full screen.
#[derive(Clone, Copy)]
pub(super) struct Look {
    style: u32,
    extended: u32,
    place: RECT,
}

/// Width and height, in pixels.
fn size(rect: &RECT) -> [i32; 2] {
    [rect.right - rect.left, rect.bottom - rect.top]
}

impl Window {
    /// Whether there is such a window.
    pub(super) fn is_there(self) -> bool {
        // SAFETY: the system checks the handle.
        unsafe { IsWindow(self.0) != 0 }
    }

    /// Whether it is minimised.
    pub(super) fn is_minimised(self) -> bool {
        // SAFETY: the system checks the handle.
        unsafe { IsIconic(self.0) != 0 }
    }

    /// The size of its inside, in pixels; at least one of them each way, as DXGI takes it.
    pub(super) fn inside(self) -> [u32; 2] {
        let mut rect = RECT::default();
        // SAFETY: the system checks the handle; the structure is ours.
        unsafe { GetClientRect(self.0, &raw mut rect) };
        size(&rect).map(|size| size.max(1) as u32)
    }

    /// Gives its inside a size, in pixels.
    pub(super) fn resize(self, [width, height]: [u32; 2]) {
        let mut rect = RECT { left: 0, top: 0, right: width as i32, bottom: height as i32 };
        // SAFETY: the system checks the handle; the structure is ours.
        unsafe {
            let (style, extended) = (GetWindowLongW(self.0, STYLE), GetWindowLongW(self.0, EXTENDED));
            let menu = i32::from(style as u32 & 0x4000_0000 == 0 && !GetMenu(self.0).is_null());
            AdjustWindowRectEx(&raw mut rect, style as u32, menu, extended as u32);
            let [width, height] = size(&rect);
            let flags = NO_MOVE | NO_ORDER | NO_ACTIVATE;
            SetWindowPos(self.0, core::ptr::null_mut(), 0, 0, width, height, flags);
        }
    }

    /// The monitor that it is on, or the next one.
    pub(super) fn monitor(self) -> *mut c_void {
        // SAFETY: the system checks the handle.
        unsafe { MonitorFromWindow(self.0, NEAREST) }
    }

    /// Lets it cover a rectangle of the desktop, without a frame and above other windows; gives what it was like before.
    pub(super) fn cover(self, place: &RECT) -> Look {
        let mut look = Look { style: 0, extended: 0, place: RECT::default() };
        // SAFETY: the system checks the handle; the structure is ours.
        unsafe {
            look.style = GetWindowLongW(self.0, STYLE) as u32;
            look.extended = GetWindowLongW(self.0, EXTENDED) as u32;
            GetWindowRect(self.0, &raw mut look.place);
            SetWindowLongW(self.0, STYLE, (look.style & !FRAME) as i32);
            SetWindowLongW(self.0, EXTENDED, (look.extended & !EDGES) as i32);
        }
        self.cover_again(place);
        look
    }

    /// Lets a window without a frame cover another rectangle.
    pub(super) fn cover_again(self, place: &RECT) {
        let [width, height] = size(place);
        // SAFETY: the system checks the handle.
        unsafe { SetWindowPos(self.0, TOPMOST, place.left, place.top, width, height, FRAME_CHANGED | NO_ACTIVATE) };
    }

    /// Gives it back what it was like. What the program has changed of its style meanwhile stays changed.
    pub(super) fn restore(self, look: &Look) {
        let [width, height] = size(&look.place);
        let after = if look.extended & ON_TOP != 0 { TOPMOST } else { NOT_TOPMOST };
        // SAFETY: the system checks the handle.
        unsafe {
            let (style, extended) = (GetWindowLongW(self.0, STYLE), GetWindowLongW(self.0, EXTENDED));
            if style as u32 & FRAME == 0 {
                SetWindowLongW(self.0, STYLE, style | (look.style & FRAME) as i32);
                SetWindowLongW(self.0, EXTENDED, extended | (look.extended & EDGES) as i32);
            }
            let flags = FRAME_CHANGED | NO_ACTIVATE;
            SetWindowPos(self.0, after, look.place.left, look.place.top, width, height, flags);
        }
    }
}
