//! On Windows nobody puts folders back at once when a run is killed: the journals are all there is.

use std::path::Path;

/// Nobody: there is none of these.
#[derive(Debug)]
pub(crate) enum Restorer {}

impl Restorer {
    pub(crate) fn tell(&mut self, _folder: &Path) {}
}
