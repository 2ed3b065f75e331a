//! What broke a rule of the extension, which the process says at its end.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Once;

use reprise_environment::counting::SAID;

use crate::tally::state;

/// Says it when the process ends, or the loader lets go of the layer.
pub(crate) fn at_exit() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function lives as long as this library, whose handlers run before it goes.
        unsafe { libc::atexit(say) };
    });
}

extern "C" fn say() {
    let state = state();
    let Some(file) = std::env::var_os(SAID) else { return };
    let broken: Vec<&str> = state.broken.iter().map(String::as_str).collect();
    let line = format!(
        "{} queries, {} locks, {} rules broken: {}\n",
        state.queries,
        state.locks,
        broken.len(),
        broken.join("; ")
    );
    // Nobody is left to hear of an error.
    let _ = OpenOptions::new().append(true).create(true).open(file).map(|mut file| file.write_all(line.as_bytes()));
}
