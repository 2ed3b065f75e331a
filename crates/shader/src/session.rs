//! What one use of the translator holds.

use std::ptr;

use dxil_spirv_sys as sys;

use crate::remap::{self, Context};

/// All objects of one translation. Dropped in this order: converter, blob, arena, log; the converter refers to the blob, and
/// all memory of both is the arena's.
pub(crate) struct Session {
    pub(crate) converter: sys::dxil_spv_converter,
    pub(crate) blob: sys::dxil_spv_parsed_blob,
}

impl Session {
    /// Begins a translation on this thread; `context` gets the translator's messages.
    pub(crate) fn begin(context: *mut Context<'_>) -> Session {
        // SAFETY: no arena is open on this thread, since every session is closed in the call that opened it and callbacks
        // open none; the context outlives the session.
        unsafe {
            sys::dxil_spv_begin_thread_allocator_context();
            sys::dxil_spv_set_thread_log_callback(Some(remap::log), context.cast());
        }
        Session { converter: ptr::null_mut(), blob: ptr::null_mut() }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: each object is freed once, the converter before the blob, both before their arena.
        unsafe {
            if !self.converter.is_null() {
                sys::dxil_spv_converter_free(self.converter);
            }
            if !self.blob.is_null() {
                sys::dxil_spv_parsed_blob_free(self.blob);
            }
            sys::dxil_spv_end_thread_allocator_context();
            sys::dxil_spv_set_thread_log_callback(None, ptr::null_mut());
        }
    }
}
