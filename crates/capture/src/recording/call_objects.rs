//! The objects of a call, for the codec: ids, real pointers, sizes.

use crate::call::Call;
use crate::facts::{records, size};
use crate::wrapper::object;
use core::ffi::c_void;
use reprise_codec::{Objects, Texels};
use reprise_d3d12::model::MethodId;

/// The program's objects, as the codec asks for them.
pub(crate) struct CallObjects<'a>(pub(crate) Call<'a>);

impl Objects for CallObjects<'_> {
    fn id_of(&self, pointer: u64) -> u64 {
        // SAFETY: the codec passes an object argument of the program, which is null or a COM pointer.
        unsafe { object::from_pointer(pointer as *mut c_void) }.map_or(0, |chain| chain.id.into())
    }

    fn real_of(&self, pointer: u64) -> u64 {
        // SAFETY: the codec passes an object argument of the program, which is null or a COM pointer.
        unsafe { object::from_pointer(pointer as *mut c_void) }.map_or(pointer, |chain| chain.real() as u64)
    }

    fn owned_size(&self, method: MethodId, _pointer: u64) -> Option<u64> {
        // SAFETY: the program calls a method of this object, so it lives.
        unsafe { size::owned(&self.0, method) }
    }

    fn record_bytes(&self, entry: u32) -> Option<u64> {
        records::of(&self.0, entry)
    }

    fn texels(&self, subresource: u32) -> Option<Texels> {
        // SAFETY: the program calls a method of this object, so it lives.
        unsafe { size::texels(&self.0, subresource) }
    }
}
