//! The recording of this process: whether there is one, the rings that its threads write to, and its end.
//!
//! `open` makes the session on the first call of the API, `active` is the open one, `thread` gives each thread its `recorder`,
//! `record` writes what is not a call, `frames` follows the plan of wanted frames (`plan`);
//! `surfaces` are where the program presents. `environment` and `process` say
//! what the launcher asked for.
//!
//! Invariant: a light call reaches its recorder by loads alone, through the thread's [`words`].

pub(crate) mod active;
pub(crate) mod description;
pub(crate) mod environment;
pub(crate) mod frames;
pub(crate) mod open;
pub(crate) mod plan;
pub(crate) mod process;
pub(crate) mod record;
pub(crate) mod recorder;
pub(crate) mod surfaces;
pub(crate) mod thread;
pub(crate) mod threads;
pub(crate) mod words;

pub use open::begin;
