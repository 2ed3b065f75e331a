//! Who leads a replay from stop to stop: where it goes on to, and what it looks at there.
//!
//! A command list is recorded before it runs. So what a call of a list leaves is asked for while the replay stands at that call, or earlier,
//! and is there when the list was submitted: the replay goes on to that place for it. Invariant: a replay goes forward only, and what is asked
//! of a place that it has passed is answered with an error, never with what is there now.

use crate::resource_dump::{Shot, ShotContents};

/// Where a replay stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stand {
    /// By the numbers of `reprise dump`; 0 before the first call.
    pub call: u64,
    /// Right before the call, and not right after it.
    pub before: bool,
    /// The replay has begun right now, the first time or anew, and nothing was asked in it yet.
    pub is_new: bool,
    /// Why the replay stands there.
    pub why: Why,
    /// So many pieces of the trace are damaged, as far as it was read by now, and left out. Plans read ahead.
    pub damaged: u64,
}

/// Why a replay stands somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Why {
    /// It begins there.
    #[default]
    Beginning,
    /// It was to stop there.
    Stop,
    /// What was awaited is given.
    Given,
    /// The call where it was to stop was not made: it failed at capture, or it stands for something that is not here.
    NotMade,
}

/// What a leader wants next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Look at these. Each is given once, as soon as it is there.
    Look(Vec<Shot>),
    /// Go on until this one, which was asked for, is given.
    Await(Shot),
    /// Go on to a call.
    Run {
        /// By the numbers of `reprise dump`; later than where the replay stands.
        call: u64,
        /// Stop right before it, and not right after it.
        before: bool,
    },
    /// Make no more calls.
    End,
}

/// See the module.
pub trait Leader {
    /// The replay stands here. It asks again after each order that does not make it go on.
    fn order(&mut self, stand: &Stand) -> Order;
    /// What was looked at, or why there is nothing.
    fn shown(&mut self, shot: &Shot, shown: Result<ShotContents, String>);
}
