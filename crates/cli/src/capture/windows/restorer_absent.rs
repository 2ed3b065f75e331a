//! On Windows nobody puts folders back at once when a capture is killed: the journals are all there is.

use std::io;
use std::path::Path;

/// Nobody.
#[derive(Debug)]
pub(crate) struct Restorer;

impl Restorer {
    /// # Errors
    /// Never.
    pub(crate) fn start(_rings: &Path) -> io::Result<Restorer> {
        Ok(Restorer)
    }

    pub(crate) fn tell(&mut self, _folder: &Path) {}
}
