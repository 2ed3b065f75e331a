//! Questions that the capture library asks the runtime's own objects: facts for replay on another device (`creation`), and
//! sizes (`size`, `records`), and what became of a removed device (`removal`).

pub(crate) mod creation;
pub(crate) mod records;
pub(crate) mod removal;
pub(crate) mod size;
