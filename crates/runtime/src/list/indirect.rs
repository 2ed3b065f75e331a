//! `ExecuteIndirect` for signatures of one draw or dispatch.

use core::ffi::c_void;

use reprise_com::{Object, Slots};

use crate::command_signature::{CommandSignature, Kind};
use crate::list::bundle::Command;
use crate::list::recording::Recording;
use crate::resource::Resource;
use crate::{Error, Result};

/// Methods about indirect commands.
pub(super) const LIST_METHODS: &Slots = &[("ExecuteIndirect", execute_indirect as *const c_void)];

impl Recording {
    pub(super) fn execute_indirect(
        &mut self,
        signature: &CommandSignature,
        most: u32,
        arguments: &Object<Resource>,
        offset: u64,
        count: Option<(&Object<Resource>, u64)>,
    ) -> Result<()> {
        let buffer = arguments.buffer().ok_or(Error::Invalid("ExecuteIndirect: arguments that are no buffer"))?;
        let counter = match count {
            Some((resource, offset)) => {
                let buffer = resource.buffer().ok_or(Error::Invalid("ExecuteIndirect: a count that is no buffer"))?;
                Some((buffer.vk(), buffer.offset() + offset))
            }
            None => None,
        };
        match signature.kind {
            Kind::Dispatch => self.flush_compute()?,
            kind => self.flush_graphics(kind == Kind::DrawIndexed)?,
        }
        let (vk, list, stride) = (&self.device.vk, self.buffer, signature.stride);
        let (from, at) = (buffer.vk(), buffer.offset() + offset);
        // SAFETY: all state is set; the program keeps its buffers, and what it asks for lies inside of them.
        unsafe {
            match (signature.kind, counter) {
                (Kind::Draw, None) => vk.cmd_draw_indirect(list, from, at, most, stride),
                (Kind::DrawIndexed, None) => vk.cmd_draw_indexed_indirect(list, from, at, most, stride),
                (Kind::Draw, Some((counter, place))) if self.counts() => {
                    vk.cmd_draw_indirect_count(list, from, at, counter, place, most, stride);
                }
                (Kind::DrawIndexed, Some((counter, place))) if self.counts() => {
                    vk.cmd_draw_indexed_indirect_count(list, from, at, counter, place, most, stride);
                }
                (Kind::Dispatch, None) => {
                    for index in 0..u64::from(most) {
                        vk.cmd_dispatch_indirect(list, from, at + index * u64::from(stride));
                    }
                }
                _ => return Err(Error::Unsupported("ExecuteIndirect with a count buffer, for this signature")),
            }
        }
        Ok(())
    }

    /// Whether the device draws a number of times that a buffer says.
    fn counts(&self) -> bool {
        self.device.caps.features.v12.draw_indirect_count != 0
    }
}

unsafe extern "C" fn execute_indirect(
    this: *mut c_void,
    signature: *mut c_void,
    most: u32,
    arguments: *mut c_void,
    offset: u64,
    count: *mut c_void,
    count_offset: u64,
) {
    // SAFETY: a list of ours, the program's objects.
    unsafe {
        let command = (|| {
            Some(Command::Indirect {
                signature: Object::<CommandSignature>::from_pointer(signature)?.keep(),
                most,
                arguments: Object::<Resource>::from_pointer(arguments)?.keep(),
                offset,
                count: match count.is_null() {
                    true => None,
                    false => Some((Object::<Resource>::from_pointer(count)?.keep(), count_offset)),
                },
            })
        })();
        match command {
            Some(command) => Recording::command(this, command),
            None => Recording::on_any(this, |_| Err(Error::Invalid("ExecuteIndirect: not objects of this runtime"))),
        }
    }
}
