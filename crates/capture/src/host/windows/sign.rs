//! Signs for the launcher, in the file that it names: this library was loaded, a device was made, something was refused.
//!
//! The launcher reads them when nothing was recorded, to say why. A line is `PID EVENT TEXT`.

use std::fs::OpenOptions;
use std::io::Write;

use reprise_environment::capture::HOST_LOG;

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The library is in the process.
    Loaded,
    /// The program made a device.
    Device,
    /// The process is not recorded, and the text says why.
    Refused,
}

/// Appends a line, where a launcher asks for it.
pub(crate) fn leave(event: Event, text: &str) {
    let Some(path) = std::env::var_os(HOST_LOG).filter(|path| !path.is_empty()) else { return };
    let event = match event {
        Event::Loaded => "loaded",
        Event::Device => "device",
        Event::Refused => "refused",
    };
    let line = format!("{} {event} {}\n", std::process::id(), text.replace(['\n', '\r'], " "));
    // A launcher that is gone, or a full disk: the program goes on.
    let file = OpenOptions::new().append(true).create(true).open(reprise_environment::path(&path));
    let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
}
