//! The variables of the environment that configure this library, as they were when the process started.
//!
//! Programs may change or clear their environment before they call Direct3D. Invariant: the variables are read once, when the
//! library is loaded, while there is one thread.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

static VARIABLES: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();

fn variables() -> &'static [(OsString, OsString)] {
    VARIABLES.get_or_init(|| {
        std::env::vars_os()
            .filter(|(name, _)| name.to_str().is_some_and(|name| name.starts_with(reprise_environment::PREFIX)))
            .collect()
    })
}

/// One of our variables; `None` where it is not set, or empty.
pub(crate) fn get(name: &str) -> Option<OsString> {
    let found = variables().iter().find(|(known, _)| known == OsStr::new(name));
    found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
}

/// As [`get`], as text; `None` where it is none.
pub(crate) fn text(name: &str) -> Option<String> {
    get(name)?.into_string().ok()
}

/// Runs when the library is loaded, before the program.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOADED: extern "C" fn() = {
    extern "C" fn loaded() {
        variables();
        // Whatever the answer: from then on what is said where is settled.
        reprise_log::wants(reprise_log::Level::Fatal);
    }
    loaded
};
