//! Result codes in words.

use std::fmt;

use reprise_d3d12::result;

/// An `HRESULT` in words where it has a name.
pub(crate) struct HresultName(pub(crate) u32);

impl fmt::Display for HresultName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match result::name(self.0) {
            Some(name) => write!(f, "{name} (0x{:08x})", self.0),
            None => write!(f, "HRESULT 0x{:08x}", self.0),
        }
    }
}
