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
    /// The driver's words about its version.
    pub(crate) driver: String,
    /// What our runtime knows of this driver beside what it says.
    pub(crate) rules: Vec<DriverRule>,
}

/// A rule about a driver that acts on its release.
#[derive(Clone, Debug)]
pub(crate) struct DriverRule {
    pub(crate) name: &'static str,
    /// Releases that it was seen on, as `25.0`.
    pub(crate) seen: Vec<String>,
    /// What the driver does.
    pub(crate) does: &'static str,
    /// What comes of it.
    pub(crate) so: &'static str,
}

impl fmt::Display for DriverRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seen = if self.seen.is_empty() { "nobody's release".to_owned() } else { self.seen.join(", ") };
        write!(f, "{}: {}; so {} (seen on {seen})", self.name, self.does, self.so)
    }
}

impl fmt::Display for GpuLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lacks = self.lacks.as_ref().map_or_else(String::new, |what| format!(", cannot be used: {what}"));
        write!(f, "{}: {} ({}{lacks})", self.index, self.name, self.kind)
    }
}
