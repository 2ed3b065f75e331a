//! What a bundle's commands read from places of their own, to which lists move it right before they execute the bundle.

use std::sync::Arc;

use super::facts::Facts;
use super::layout::Layout;
use super::parts::Piece;
use super::tables::Copies;

/// What is moved to a place of its own whenever a bundle is executed.
#[derive(Clone)]
pub(crate) struct Promise {
    pub(super) what: Promised,
    pub(super) to: Piece,
}

#[derive(Clone)]
pub(super) enum Promised {
    /// Arguments of an indirect command.
    Arguments {
        layout: Layout,
        commands: u32,
        /// The program's buffer by id, and the first argument's offset.
        from: (u32, u64),
    },
    /// Shader tables of a dispatch of rays, and what the records of this state object hold.
    Tables { copies: Arc<Copies>, state_object: u32, facts: Arc<Facts> },
}

impl Promise {
    /// The program's buffer that holds the arguments, by id, and where they begin in it.
    pub(crate) fn arguments(&self) -> Option<(u32, u64)> {
        match self.what {
            Promised::Arguments { from, .. } => Some(from),
            Promised::Tables { .. } => None,
        }
    }
}
