//! What happens when Windows loads this library into a process.

use core::ffi::c_void;

use crate::host::windows::sign::{self, Event};
use crate::host::windows::slot;
use crate::panics::protected;
use crate::session::words;

const PROCESS_ATTACH: u32 = 1;
const THREAD_DETACH: u32 = 3;

/// Called by the loader, with its lock held: nothing here loads a library or waits.
#[unsafe(no_mangle)]
extern "system" fn DllMain(_module: *mut c_void, reason: u32, _reserved: *mut c_void) -> i32 {
    match reason {
        PROCESS_ATTACH => {
            slot::take();
            protected((), || {
                let program = std::env::current_exe().ok();
                let program = program.as_deref().and_then(std::path::Path::file_name);
                sign::leave(Event::Loaded, &program.unwrap_or_default().to_string_lossy());
            });
        }
        THREAD_DETACH => words::end(),
        _ => {}
    }
    1
}
