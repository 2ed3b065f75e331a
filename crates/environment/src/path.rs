//! Paths in variables.

use std::ffi::OsStr;
use std::path::PathBuf;

/// The path that a variable names. A launcher on Linux names files as Linux does: a program under Wine, which takes the variables over,
/// reaches `/a/b` as `\\?\unix\a\b` (Wine's own form for native paths).
pub fn path(value: &OsStr) -> PathBuf {
    match value.to_str().filter(|text| cfg!(windows) && text.starts_with('/')) {
        Some(text) => PathBuf::from(format!(r"\\?\unix{}", text.replace('/', r"\"))),
        None => PathBuf::from(value),
    }
}
