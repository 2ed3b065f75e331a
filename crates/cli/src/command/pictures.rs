//! `reprise pictures`: plays a trace for `reprise verify`, which reads the pictures from what is standard input here.

use super::replay;
use crate::options::adapter;
use crate::terminal::exit::{self, Ended, OrExit};
use crate::{child_replay::picture_pipe, trace::open};
use anyhow::Context;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Play a trace and pass its pictures on (internal)
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Tell what is read back, too
    #[arg(long)]
    reads: bool,
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
    if arguments.reads {
        // A reader that is gone shows at the next picture, or at the end.
        options.on_read = Some(Box::new(|read| drop(picture_pipe::send_read(&mut *writer.borrow_mut(), read))));
    }
    let report = replay::play_quietly(&arguments.source, options)?;
    let mut writer = writer.borrow_mut();
    let ended = picture_pipe::end(&mut *writer, &report.runtime).and_then(|()| writer.flush());
    ended.context("nobody reads the pictures").or_exit(exit::FAILED)?;
    Ok(0)
}

/// What whoever started this process gave it in the place of its standard input.
#[cfg(unix)]
fn pipe() -> io::Result<File> {
    use std::os::fd::AsFd;
    io::stdin().as_fd().try_clone_to_owned().map(File::from)
}

#[cfg(windows)]
fn pipe() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    io::stdin().as_handle().try_clone_to_owned().map(File::from)
}
