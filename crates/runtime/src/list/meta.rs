//! Meta commands in lists.
//!
//! Predicates do not skip them, as the API says. Compute has lost its state afterwards, and tells it again; the API lets the
//! command leave it undefined.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_gpu::encoder::inflation::Bytes;

use crate::decompression::layout;
use crate::decompression::question::bytes;
use crate::list::recording::Recording;
use crate::meta_command::MetaCommand;
use crate::{Error, Result};

/// Methods about meta commands.
pub(super) const LIST_METHODS: &Slots =
    &[("InitializeMetaCommand", initialize as *const c_void), ("ExecuteMetaCommand", execute as *const c_void)];

const NONE: Error = Error::Invalid("a meta command that is none of this runtime's");

impl Recording {
    /// Fails where bytes are not all one buffer's, or are words that do not begin at one.
    fn within_a_buffer(&self, bytes: Bytes, words: bool) -> Result<()> {
        let left = self.encoder.addresses.find(bytes.address).map_or(0, |place| place.left);
        if bytes.size > left {
            return Err(Error::Invalid("ExecuteMetaCommand with memory that is no buffer's"));
        }
        match words && !bytes.address.is_multiple_of(4) {
            true => Err(Error::Invalid("ExecuteMetaCommand with words at no multiple of 4")),
            false => Ok(()),
        }
    }

    fn execute_meta(&mut self, command: &MetaCommand, parameters: &[u8]) -> Result<()> {
        self.computes()?;
        let work = layout::execution(parameters, command.streams)?;
        for (bytes, words) in [(work.input, false), (work.output, false), (work.control, true), (work.status, true)] {
            self.within_a_buffer(bytes, words)?;
        }
        let predicate = self.encoder.pause_predication();
        let inflated = self.uncounted(|it| Ok(it.encoder.inflate(&work)?));
        if predicate.is_some() {
            self.encoder.outside();
            self.encoder.resume_predication(predicate);
        }
        self.has_run_kernels();
        inflated
    }
}

/// # Safety
/// A list of ours, and the program's command, or null.
unsafe extern "C" fn initialize(this: *mut c_void, command: *mut c_void, _data: *const c_void, size: usize) {
    // SAFETY: a list of ours; the program's arguments.
    unsafe {
        Recording::outside_pass(this, |list| {
            list.computes()?;
            Object::<MetaCommand>::from_pointer(command).ok_or(NONE)?;
            match size {
                0 => Ok(()),
                _ => Err(Error::Invalid("InitializeMetaCommand with parameters, of which the command has none")),
            }
        });
    }
}

/// # Safety
/// As [`initialize`].
unsafe extern "C" fn execute(this: *mut c_void, command: *mut c_void, data: *const c_void, size: usize) {
    // SAFETY: a list of ours; the program's arguments.
    unsafe {
        Recording::outside_pass(this, |list| {
            let command = Object::<MetaCommand>::from_pointer(command).ok_or(NONE)?;
            list.execute_meta(command, bytes(data, size))
        });
    }
}
