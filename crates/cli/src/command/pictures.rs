//! `reprise pictures`: plays a trace for `reprise verify`, which reads the pictures from what is standard input here.

use super::replay;
use crate::options::adapter;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::{child_replay::picture_pipe, trace::open};
use anyhow::Context;
use reprise_replay::Control;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

/// Play a trace and pass its pictures on (internal)
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Tell what is read back, too
    #[arg(long)]
    reads: bool,
    /// How many steps texels that are read back may be apart
    #[arg(long, value_name = "STEPS", default_value_t = 0)]
    read_steps: u8,
    /// Play with a change that must show: idle or painted
    #[arg(long, value_name = "CHANGE", value_parser = control)]
    control: Option<Control>,
    /// Write the number of each call to this file before it is made, and make each call where it stands
    #[arg(long, value_name = "FILE")]
    calls: Option<PathBuf>,
    /// Stop after this call
    #[arg(long, value_name = "N")]
    quit_after_call: Option<u64>,
    #[command(flatten)]
    runtime: replay::Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    #[command(flatten)]
    source: open::Source,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    // Standard output is whatever a runtime, or a layer of Vulkan, says there.
    let pipe = pipe().context("there is no pipe").or_exit(exit::USAGE)?;
    let writer = RefCell::new(BufWriter::new(pipe));
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let mut options = arguments.runtime.options()?;
    options.on_picture = Some(Box::new(|frame, picture| picture_pipe::send(&mut *writer.borrow_mut(), frame, picture)));
    options.read_steps = arguments.read_steps;
    if arguments.reads {
        // A reader that is gone shows at the next picture, or at the end.
        options.on_read = Some(Box::new(|read| drop(picture_pipe::send_read(&mut *writer.borrow_mut(), read))));
    }
    if let Some(path) = &arguments.calls {
        let file = File::create(path).with_context(|| path.display().to_string()).or_exit(exit::USAGE)?;
        // One replay is made in this process.
        let _ = CALLS.set(Mutex::new(file));
        options.on_call = Some(call);
        options.sync = true;
    }
    options.quit_after_call = arguments.quit_after_call;
    options.control = arguments.control;
    let report = replay::play_quietly(&arguments.source, options)?;
    let mut writer = writer.borrow_mut();
    let device = report.replayed_on.as_ref().map(ToString::to_string).unwrap_or_default();
    let ended = picture_pipe::end(&mut *writer, &report.runtime, &device).and_then(|()| writer.flush());
    ended.context("nobody reads the pictures").or_exit(exit::FAILED)?;
    Ok(0)
}

fn control(name: &str) -> Result<Control, String> {
    let found = Control::ALL.into_iter().find(|control| control.name() == name);
    found.ok_or_else(|| format!("{name} is no change"))
}

/// The file of calls.
static CALLS: OnceLock<Mutex<File>> = OnceLock::new();

/// Keeps the number of a call that is made next, 8 bytes, little-endian: a process that dies in it has said which it was.
fn call(number: u64) {
    if let Some(Ok(mut file)) = CALLS.get().map(Mutex::lock) {
        // There is nobody to tell.
        let _ = file.rewind().and_then(|()| file.write_all(&number.to_le_bytes()));
    }
}

/// What whoever started this process gave it in the place of its standard input.
#[cfg(unix)]
pub(super) fn pipe() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
pub(super) fn pipe() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}
