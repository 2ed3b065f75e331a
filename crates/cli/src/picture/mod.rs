//! Pictures of replayed frames: sent from process to process, and shown in a window.

pub(crate) mod pipe;
pub(crate) mod player;
pub(crate) mod window;
