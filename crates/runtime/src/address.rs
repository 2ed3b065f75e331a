//! From GPU virtual addresses to what lies there.

/// GPU virtual addresses and their resources.
#[derive(Debug, Default)]
pub struct Map {}
