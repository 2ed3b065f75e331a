//! `reprise translate`: translates shaders for a replay, which survives it. Not for people: our runtime starts it.

use crate::ours;
use crate::terminal::exit::{self, Ended, OrExit};

pub(crate) fn run() -> Ended {
    ours::translate().or_exit(exit::FAILED)?;
    Ok(0)
}
