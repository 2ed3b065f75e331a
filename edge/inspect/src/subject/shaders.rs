//! The shaders of a trace, by the hash of their bytes.

use super::Subject;
use crate::answer::{Deadline, Refused};
use reprise_view::shaders::Shaders;

/// Most that are listed.
const MOST: usize = 100_000;

impl Subject {
    /// The shaders of the trace; the first question reads all that makes pipelines.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub(crate) fn shaders(&self, _deadline: &Deadline) -> Result<&Shaders, Refused> {
        if let Some(shaders) = self.shaders.get() {
            return Ok(shaders);
        }
        let shaders = Shaders::of(&self.trace, MOST)?;
        Ok(self.shaders.get_or_init(|| shaders))
    }
}
