//! A window of the program, and what stands on the screen.

use std::ffi::c_void;
use std::ptr::null_mut;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

/// `MSG`, which nobody looks into.
#[repr(C, align(8))]
struct Message([u8; 48]);

#[repr(C)]
struct MonitorInfo {
    size: u32,
    all: Rect,
    work: Rect,
    flags: u32,
}

#[link(name = "user32")]
unsafe extern "system" {
    fn CreateWindowExA(
        extended: u32,
        class: *const u8,
        name: *const u8,
        style: u32,
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        parent: *mut c_void,
        menu: *mut c_void,
        instance: *mut c_void,
        parameter: *mut c_void,
    ) -> *mut c_void;
    fn DestroyWindow(window: *mut c_void) -> i32;
    fn ShowWindow(window: *mut c_void, how: i32) -> i32;
    fn SetWindowPos(window: *mut c_void, after: *mut c_void, x: i32, y: i32, w: i32, h: i32, flags: u32) -> i32;
    fn GetWindowRect(window: *mut c_void, rect: *mut Rect) -> i32;
    fn GetClientRect(window: *mut c_void, rect: *mut Rect) -> i32;
    fn ClientToScreen(window: *mut c_void, point: *mut [i32; 2]) -> i32;
    fn GetWindowLongA(window: *mut c_void, index: i32) -> i32;
    fn MonitorFromWindow(window: *mut c_void, flags: u32) -> *mut c_void;
    fn GetMonitorInfoA(monitor: *mut c_void, info: *mut MonitorInfo) -> i32;
    fn PeekMessageA(message: *mut Message, window: *mut c_void, first: u32, last: u32, remove: u32) -> i32;
    fn DispatchMessageA(message: *const Message) -> isize;
    fn GetDC(window: *mut c_void) -> *mut c_void;
    fn ReleaseDC(window: *mut c_void, context: *mut c_void) -> i32;
}

#[link(name = "gdi32")]
unsafe extern "system" {
    fn GetPixel(context: *mut c_void, x: i32, y: i32) -> u32;
}

/// `WS_OVERLAPPEDWINDOW | WS_VISIBLE`.
const STYLE: u32 = 0x10cf_0000;
const STYLE_INDEX: i32 = -16;
/// `SW_MINIMIZE`, `SW_RESTORE`.
const MINIMISE: i32 = 6;
const RESTORE: i32 = 9;
/// `SWP_NOMOVE | SWP_NOZORDER`.
const SIZE_ONLY: u32 = 0x6;
/// `PM_REMOVE`.
const REMOVE: u32 = 1;

/// A window with a frame, shown.
pub(crate) struct Window(pub(crate) *mut c_void);

impl Window {
    /// Its inside has this size, in pixels.
    pub(crate) fn new(size: [u32; 2]) -> Option<Window> {
        // SAFETY: the class is the system's own; the texts end with zero; everything else may be null.
        let window = unsafe {
            let (class, name) = (c"STATIC".as_ptr().cast(), c"shows".as_ptr().cast());
            CreateWindowExA(0, class, name, STYLE, 100, 80, 300, 300, null_mut(), null_mut(), null_mut(), null_mut())
        };
        let window = (!window.is_null()).then(|| Window(window))?;
        window.resize(size);
        Some(window)
    }

    /// Handles what the system has to say to the window.
    pub(crate) fn pump(&self) {
        let mut message = Message([0; 48]);
        // SAFETY: the structure is as large as the system's.
        unsafe {
            while PeekMessageA(&raw mut message, null_mut(), 0, 0, REMOVE) != 0 {
                DispatchMessageA(&raw const message);
            }
        }
    }

    /// Gives its inside a size, in pixels.
    pub(crate) fn resize(&self, [width, height]: [u32; 2]) {
        let (outer, inner) = (self.place(), self.inside());
        let around = |outer: (i32, i32), inner: u32| outer.1 - outer.0 - inner as i32;
        let across = around((outer.left, outer.right), inner[0]);
        let down = around((outer.top, outer.bottom), inner[1]);
        // SAFETY: the window is ours.
        unsafe {
            SetWindowPos(self.0, null_mut(), 0, 0, width as i32 + across, height as i32 + down, SIZE_ONLY);
        }
        self.pump();
    }

    pub(crate) fn minimise(&self) {
        // SAFETY: the window is ours.
        unsafe { ShowWindow(self.0, MINIMISE) };
        self.pump();
    }

    pub(crate) fn restore(&self) {
        // SAFETY: the window is ours.
        unsafe { ShowWindow(self.0, RESTORE) };
        self.pump();
    }

    /// With its frame, on the desktop.
    pub(crate) fn place(&self) -> Rect {
        let mut rect = Rect::default();
        // SAFETY: the window and the structure are ours.
        unsafe { GetWindowRect(self.0, &raw mut rect) };
        rect
    }

    /// Of its inside, in pixels.
    pub(crate) fn inside(&self) -> [u32; 2] {
        let mut rect = Rect::default();
        // SAFETY: the window and the structure are ours.
        unsafe { GetClientRect(self.0, &raw mut rect) };
        [rect.right as u32, rect.bottom as u32]
    }

    /// The bits of its style that give it a frame: `WS_CAPTION | WS_THICKFRAME`.
    pub(crate) fn frame(&self) -> u32 {
        // SAFETY: the window is ours.
        unsafe { GetWindowLongA(self.0, STYLE_INDEX) as u32 & 0x00c4_0000 }
    }

    /// The place of its monitor on the desktop.
    pub(crate) fn monitor(&self) -> Rect {
        let mut info = MonitorInfo {
            size: size_of::<MonitorInfo>() as u32,
            all: Rect::default(),
            work: Rect::default(),
            flags: 0,
        };
        // SAFETY: the structure is ours and says its size.
        unsafe { GetMonitorInfoA(MonitorFromWindow(self.0, 2), &raw mut info) };
        info.all
    }

    /// What the screen shows at a place of the inside: red, green, blue.
    pub(crate) fn pixel(&self, place: [u32; 2]) -> [u8; 3] {
        let mut point = place.map(|number| number as i32);
        // SAFETY: window and point are ours; the context is the screen's and is given back.
        let pixel = unsafe {
            ClientToScreen(self.0, &raw mut point);
            let context = GetDC(null_mut());
            let pixel = GetPixel(context, point[0], point[1]);
            ReleaseDC(null_mut(), context);
            pixel
        };
        [pixel as u8, (pixel >> 8) as u8, (pixel >> 16) as u8]
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: made by this thread, and destroyed once.
        unsafe { DestroyWindow(self.0) };
    }
}
