//! Questions that the capture library asks the runtime's own objects: facts for replay on another device (`creation`), and
//! sizes (`size`, `records`).

pub(crate) mod creation;
pub(crate) mod records;
pub(crate) mod size;
