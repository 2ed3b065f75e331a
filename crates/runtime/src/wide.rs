//! Names as programs give them: `WCHAR`s that end with zero.

use reprise_com::wide;

use crate::{Error, Result};

/// Longest name, in units; a program's pointer is not read beyond.
const LIMIT: usize = 1 << 16;

/// The units of a name as UTF-16, without the zero.
///
/// # Safety
/// `name` is null or readable up to its zero.
///
/// # Errors
/// When there is none, or it has no end.
pub unsafe fn units(name: *const u16) -> Result<Vec<u16>> {
    if name.is_null() {
        return Err(Error::Invalid("a name is missing"));
    }
    // SAFETY: the caller promises: `name` is null or readable up to its zero.
    unsafe { wide::units(name, LIMIT) }.ok_or(Error::Invalid("a name has no end"))
}

/// The same as text; what is no text becomes replacement characters, which no name has.
///
/// # Safety
/// As [`units`].
///
/// # Errors
/// As [`units`].
pub unsafe fn text(name: *const u16) -> Result<String> {
    // SAFETY: the caller passes null or a name that is readable up to its zero.
    Ok(String::from_utf16_lossy(&unsafe { units(name) }?))
}
