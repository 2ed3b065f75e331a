//! Structures behind pointers inside structures: the children of a payload, one after the other.
//!
//! Invariant: a caller reads every child in the order of the wire form (FORMAT.md, "Calls"). A child that does not fit is
//! `None`.

use crate::call::Call;
use reprise_codec::wire::{self, Kind};
use reprise_d3d12::Plain;

/// The children of a call that are not read yet.
#[derive(Clone, Debug)]
pub struct Children<'a>(&'a [u8]);

impl<'a> Children<'a> {
    /// All children of the arguments.
    pub fn of(call: &Call<'a>) -> Option<Children<'a>> {
        let block = usize::from(call.method.get().args_size);
        call.enter.bytes.get(block..).map(Children)
    }

    /// The next child, which has structures of this type.
    pub fn take<T: Plain>(&mut self) -> Option<Vec<T>> {
        let (header, rest) = self.0.split_first_chunk()?;
        let (kind, count) = wire::parse(u64::from_le_bytes(*header))?;
        if kind == Kind::Absent {
            self.0 = rest;
            return Some(Vec::new());
        }
        let bytes = usize::try_from(count).ok()?.checked_mul(size_of::<T>())?;
        let elements = rest.get(..bytes).filter(|_| kind == Kind::Inline)?;
        self.0 = rest.get(bytes.next_multiple_of(8)..)?;
        // SAFETY: each chunk has as many bytes as the type, and every bit pattern is a value of a plain type.
        let read = |chunk: &[u8]| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() };
        Some(elements.chunks_exact(size_of::<T>()).map(read).collect())
    }
}
