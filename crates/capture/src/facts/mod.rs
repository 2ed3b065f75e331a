//! What the capture asks the runtime's own objects: facts that replay elsewhere needs (`creation`), and sizes (`size`).

pub(crate) mod creation;
pub(crate) mod size;
