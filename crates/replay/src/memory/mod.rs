//! Memory: mappings, bytes read back, heaps laid out anew for this device, and places of the capture.

pub(crate) mod clock;
mod commands;
pub(crate) mod gpu_writes;
pub(crate) mod guesses;
pub(crate) mod mapped;
pub(crate) mod observed;
pub(crate) mod pack;
pub(crate) mod placements;
pub(crate) mod places;
pub(crate) mod replan;
mod shaders;
pub(crate) mod spans;
mod under_way;
pub(crate) mod untold;
