//! The records of a chunk of events, in whichever way a reader has them.

use crate::file::laid::Laid;
use crate::file::unpack::{Found, Turn, Unpacker};

/// Gives the records of a chunk, one after the other.
#[derive(Debug)]
pub(crate) enum Records {
    /// Unpacked as they are read.
    Packed(Unpacker),
    /// Unpacked before.
    Laid(Laid),
}

impl Records {
    /// As [`Unpacker::advance`].
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Found {
        match self {
            Records::Packed(records) => records.advance(),
            Records::Laid(records) => records.advance(),
        }
    }

    /// As [`Unpacker::record`].
    #[inline(always)]
    pub(crate) fn record(&self) -> &[u8] {
        match self {
            Records::Packed(records) => records.record(),
            Records::Laid(records) => records.record(),
        }
    }

    /// As [`Unpacker::plain`], for the head that was found.
    #[inline(always)]
    pub(crate) fn plain(&self, head: usize) -> Option<(&[u8], &[u8], Turn)> {
        match self {
            Records::Packed(records) => records.plain(head),
            Records::Laid(records) => records.plain(head),
        }
    }

    /// As [`Unpacker::position`].
    pub(crate) fn position(&self) -> usize {
        match self {
            Records::Packed(records) => records.position(),
            Records::Laid(records) => records.position(),
        }
    }
}
