//! Questions that the capture library asks the runtime's own objects: facts for replay on another device (`creation`), sizes (`size`,
//! `records`), and why a device was removed (`removal`).

pub(crate) mod creation;
pub(crate) mod records;
pub(crate) mod removal;
pub(crate) mod size;
