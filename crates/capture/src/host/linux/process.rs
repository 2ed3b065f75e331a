//! This process, natively.

/// The number of the process that started this one.
pub(crate) fn parent() -> Option<u32> {
    Some(std::os::unix::process::parent_id())
}

/// Whether the program runs with rights that its user has not (set-user-id and the like).
pub(crate) fn has_foreign_rights() -> bool {
    // SAFETY: reads a word that the kernel left for the process.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// What the program runs on, where that is not Linux itself.
pub(crate) fn host() -> Option<String> {
    None
}

/// Tells the trace's writer who this process is. It knows native processes by itself.
///
/// # Errors
/// None.
pub(crate) fn introduce() -> Result<(), String> {
    Ok(())
}

/// Tells the launcher why the process is not recorded. It reads standard error, where that was said.
pub(crate) fn refused(_reason: &str) {}
