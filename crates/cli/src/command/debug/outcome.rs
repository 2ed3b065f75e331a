//! What comes of a primitive, or why nothing does.

use super::draw::Job;
use crate::debug::before::Before;
use crate::terminal::exit::Failure;

/// Why nothing comes of a primitive.
pub(super) enum Why {
    /// There is no such primitive.
    Asked(String),
    Failed(String),
}

impl Job<'_> {
    /// What comes of a primitive.
    ///
    /// # Errors
    /// Nothing does, or something is missing that no replay fetched.
    pub(super) fn there<T>(&self, made: Result<Option<T>, Why>) -> Result<T, Failure> {
        match made {
            Ok(Some(made)) => Ok(made),
            Ok(None) => Err(self.failed("inputs are missing that nothing asks for")),
            Err(Why::Asked(what)) => Err(self.asked(what)),
            Err(Why::Failed(what)) => Err(self.failed(what)),
        }
    }

    /// # Errors
    /// What lanes of other primitives have may count.
    pub(super) fn refuse_waves(&self, before: &Before) -> Result<(), Failure> {
        if self.module.uses_waves() || before.use_waves() {
            let what = "the shader's results depend on which lanes share a wave, which the API leaves open for draws";
            return Err(self.failed(format!("unsupported: {what}")));
        }
        Ok(())
    }

    /// # Errors
    /// The draw has no such instance.
    pub(super) fn has_instance(&self, instance: u32) -> Result<(), Failure> {
        match self.draw.counts().instances {
            count if instance >= count => {
                Err(self.asked(format!("there is no instance {instance}: the draw has {count}")))
            }
            _ => Ok(()),
        }
    }
}
