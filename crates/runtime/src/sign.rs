//! Signs for a launcher, in the file that it names: the library was loaded, a device was made, or refused.
//!
//! The launcher reads them at the end, to say why a program made no device. A line is `PID EVENT TEXT`. The environment is asked once: a
//! program may clear its own.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

use reprise_environment::capture::HOST_LOG;
use reprise_environment::runtime::LIBRARY_MARK;

/// What happened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The library is in the process.
    Loaded,
    /// The program made a device.
    Device,
    /// The program got no device, and the text says why.
    Refused,
    /// The program asked for something that is not here, and may end for that.
    Lacking,
}

fn file() -> Option<&'static PathBuf> {
    static FILE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let named = || std::env::var_os(HOST_LOG).filter(|path| !path.is_empty());
    FILE.get_or_init(|| named().map(|path| reprise_environment::path(&path))).as_ref()
}

/// Says that the library is in this process, by the program's name.
pub(crate) fn loaded() {
    // Read, so that the linker keeps the mark by which launchers know the library.
    std::hint::black_box(&MARK);
    if file().is_some() {
        let program = std::env::current_exe().ok();
        let program = program.as_deref().and_then(std::path::Path::file_name);
        leave(Event::Loaded, || program.unwrap_or_default().to_string_lossy().into_owned());
    }
}

static MARK: [u8; LIBRARY_MARK.len()] = LIBRARY_MARK;

/// Appends a line, where a launcher asks for it; the text is made only then.
pub(crate) fn leave(event: Event, text: impl FnOnce() -> String) {
    let Some(path) = file() else { return };
    let event = match event {
        Event::Loaded => "loaded",
        Event::Device => "device",
        Event::Refused => "refused",
        Event::Lacking => "lacking",
    };
    let line = format!("{} {event} {}\n", std::process::id(), text().replace(['\n', '\r'], " "));
    // A launcher that is gone, or a full disk: the program goes on.
    let _ = reprise_log::without_signals(|| {
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
    });
}
