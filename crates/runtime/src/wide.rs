//! Names as programs give them: UTF-16 that ends with zero.

use crate::{Error, Result};

/// Longest name, in units; a program's pointer is not read beyond.
const LIMIT: usize = 1 << 16;

/// The units of a name, without the zero.
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
    // SAFETY: the caller promises: `name` is null or readable up to its zero; nothing is read behind the zero.
    let units = (0..LIMIT).map(|at| unsafe { name.add(at).read_unaligned() }).take_while(|unit| *unit != 0);
    let units: Vec<u16> = units.collect();
    if units.len() < LIMIT { Ok(units) } else { Err(Error::Invalid("a name has no end")) }
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
