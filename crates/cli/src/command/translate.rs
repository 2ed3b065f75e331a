//! `reprise translate`: translates shaders for a replay, which survives it. Not for people: our runtime starts it.

use crate::terminal::exit::{self, Ended, OrExit};
use anyhow::Context;

pub(crate) fn run() -> Ended {
    reprise_shader::worker::serve().context("the replay is gone").or_exit(exit::FAILED)?;
    Ok(0)
}
