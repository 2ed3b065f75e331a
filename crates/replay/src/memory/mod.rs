//! Memory: mappings, bytes read back, and heaps laid out anew for this device.

pub(crate) mod clock;
pub(crate) mod mapped;
pub(crate) mod observed;
pub(crate) mod pack;
pub(crate) mod placements;
pub(crate) mod replan;
