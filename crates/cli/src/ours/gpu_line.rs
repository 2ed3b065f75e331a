//! A device as `reprise gpus` lists it.

use std::fmt;

/// A Vulkan device.
#[derive(Clone, Debug)]
pub(crate) struct GpuLine {
    /// As `--gpu` counts.
    pub(crate) index: usize,
    pub(crate) name: String,
    /// What Vulkan says it is: discrete, integrated, on the processor.
    pub(crate) kind: String,
    /// Why our runtime cannot use it.
    pub(crate) lacks: Option<String>,
}

impl fmt::Display for GpuLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lacks = self.lacks.as_ref().map_or_else(String::new, |what| format!(", cannot be used: {what}"));
        write!(f, "{}: {} ({}{lacks})", self.index, self.name, self.kind)
    }
}
