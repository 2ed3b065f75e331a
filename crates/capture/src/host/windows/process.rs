//! This process, on Windows and under Wine.

use crate::host::windows::sign::{self, Event};
use crate::host::wine;
use reprise_trace::os::{self, Identity};

/// The number of the process that started this one: a launcher is a native process, whose children under Wine are not its own.
pub(crate) fn parent() -> Option<u32> {
    None
}

/// Whether the program runs with rights that its user has not: Windows has no such programs.
pub(crate) fn has_foreign_rights() -> bool {
    false
}

/// What the program runs on.
pub(crate) fn host() -> Option<String> {
    Some(wine::version().unwrap_or_else(|| "Windows".to_owned()))
}

/// Tells the trace's writer who this process is: under Wine by its native number.
///
/// # Errors
/// This is Wine, and Linux cannot be called. The writer would take another process for this one, and end the trace with that.
pub(crate) fn introduce() -> Result<(), String> {
    let Some(wine) = wine::version() else { return Ok(()) };
    let Some((id, start, namespace)) = wine::process::identity() else {
        return Err(format!(
            "{wine} does not show how to call Linux, so the writer could not tell when the program ends"
        ));
    };
    os::introduce(Identity { id, start, namespace, monotonic_ns: wine::kernel::monotonic_ns });
    Ok(())
}

/// Tells the launcher why the process is not recorded: many Windows programs have no standard error.
pub(crate) fn refused(reason: &str) {
    sign::leave(Event::Refused, reason);
}
