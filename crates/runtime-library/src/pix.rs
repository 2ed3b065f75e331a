//! PIX's functions, by which Microsoft's libraries tell a profiler of events. Without them DirectML does not load; there is no
//! profiler here.

use core::ffi::c_void;

/// Where a thread writes events: a block, the end of its room and the next free place. All null: there is no room.
#[repr(C)]
pub(crate) struct ThreadInfo([*const c_void; 3]);

// SAFETY: three null pointers that nobody changes: a thread writes where there is room, and asks for more where there is an end.
unsafe impl Sync for ThreadInfo {}

static NO_ROOM: ThreadInfo = ThreadInfo([core::ptr::null(); 3]);

/// More room for a thread's events; gives the time of the next one. There is none, so the time is 0.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn D3D12PIXEventsReplaceBlock(_earliest: bool) -> u64 {
    0
}

/// Where this thread writes events.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn D3D12PIXGetThreadInfo() -> *const ThreadInfo {
    &raw const NO_ROOM
}

/// A thread has woken from a fence's event.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn D3D12PIXNotifyWakeFromFenceSignal(_event: *mut c_void) {}

/// A number for the profiler's time line.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn D3D12PIXReportCounter(_name: *const u16, _value: f32) {}
