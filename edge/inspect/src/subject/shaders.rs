//! The shaders of a trace, by the hash of their bytes, and those of state objects of ray tracing.

use super::Subject;
use crate::answer::{Deadline, Refused};
use reprise_view::ray_shaders::{self, RayShaders};
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

    /// Those of a state object; the first question reads all that makes state objects.
    ///
    /// # Errors
    /// The trace cannot be read, or has no such state object.
    pub(crate) fn ray_shaders(&self, object: u32) -> Result<&RayShaders, Refused> {
        let all = match self.ray_shaders.get() {
            Some(all) => all,
            None => {
                let all = ray_shaders::of(&self.trace)?;
                self.ray_shaders.get_or_init(|| all)
            }
        };
        let none = || Refused::missing(format!("object {object} is no state object that the trace has"));
        all.get(&object).ok_or_else(none)
    }
}
