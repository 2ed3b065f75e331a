//! Questions that the capture library asks the runtime's own objects: facts for replay on another device (`creation`), what it runs on
//! (`adapter`), sizes (`size`, `records`), and why a device was removed (`removal`).

#[cfg(target_os = "linux")]
pub(crate) mod adapter;
pub(crate) mod creation;
pub(crate) mod records;
pub(crate) mod removal;
pub(crate) mod size;
