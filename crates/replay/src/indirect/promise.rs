//! What a bundle's commands read from places of their own, to which lists move it right before they execute the bundle.

use std::sync::Arc;

use super::facts::Facts;
use super::follow::Room;
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
        /// Of dispatches of rays whose tables are moved, too.
        dispatches: Option<Dispatches>,
    },
    /// Shader tables of a dispatch of rays, and what the records of this state object hold.
    Tables { copies: Arc<Copies>, state_object: u32, facts: Arc<Facts> },
}

/// What moving the tables of indirect dispatches needs beside their arguments.
#[derive(Clone)]
pub(super) struct Dispatches {
    pub(super) rays: PromisedRays,
    pub(super) room: Room,
    /// Commands that copy the tables.
    pub(super) made: Piece,
}

/// The shader tables of a bundle's indirect dispatches.
#[derive(Clone)]
pub(crate) struct PromisedRays {
    /// The state object that traces, and what is known of its records.
    pub(crate) state_object: u32,
    pub(crate) facts: Arc<Facts>,
    /// The program's buffer with the count by id, and the count's offset; the id is 0 where there is no count.
    pub(crate) count: (u32, u64),
}

/// Where what a promise moves lies here.
#[derive(Clone, Copy, Default)]
pub(crate) struct Source {
    /// The buffer of arguments where its state changes, else 0, and the address of the first. Shader tables of direct dispatches have theirs
    /// in the promise, and need no other state.
    pub(crate) arguments: (u64, u64),
    /// The same of the count; an address of 0 where there is none.
    pub(crate) count: (u64, u64),
}

impl Promise {
    /// The program's buffer that holds the arguments, by id, and where they begin in it.
    pub(crate) fn arguments(&self) -> Option<(u32, u64)> {
        match self.what {
            Promised::Arguments { from, .. } => Some(from),
            Promised::Tables { .. } => None,
        }
    }

    /// The program's buffer that holds the count of dispatches, by id, and where it lies in it.
    pub(crate) fn count(&self) -> Option<(u32, u64)> {
        match &self.what {
            Promised::Arguments { dispatches: Some(of), .. } => Some(of.rays.count).filter(|(buffer, _)| *buffer != 0),
            _ => None,
        }
    }

    /// Whether it is of indirect dispatches of rays, with their tables.
    pub(super) fn is_of_dispatches(&self) -> bool {
        matches!(&self.what, Promised::Arguments { dispatches: Some(_), .. })
    }

    /// The state object whose records are moved, and what is known of them.
    pub(super) fn records(&self) -> Option<(u32, &Facts)> {
        match &self.what {
            Promised::Tables { state_object, facts, .. } => Some((*state_object, facts)),
            Promised::Arguments { dispatches, .. } => {
                dispatches.as_ref().map(|of| (of.rays.state_object, &*of.rays.facts))
            }
        }
    }
}
