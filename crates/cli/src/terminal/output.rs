//! Standard output: buffered, coloured as the user and the environment wish, and content when the reader goes away.

pub(crate) use reprise_view::count::{agree, bytes, plural};
pub(crate) use reprise_view::paint::{Paint, painted};

use anstream::{AutoStream, ColorChoice};
use std::io::{self, BufWriter, StdoutLock, Write};

/// Standard output for many lines.
#[derive(Debug)]
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    colour: bool,
}

/// When output is coloured, as the command line says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum When {
    // What they mean is said where they are asked for.
    Auto,
    Always,
    Never,
}

/// Colours what this process prints from here on.
pub(crate) fn set_colour(when: When) {
    let choice = match when {
        When::Auto => ColorChoice::Auto,
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    };
    choice.write_global();
}

impl Output {
    /// Colours are as [`set_colour`] was told; by itself they follow the terminal, `NO_COLOR` and `CLICOLOR_FORCE`.
    pub(crate) fn new() -> Output {
        let stdout = io::stdout();
        let colour = AutoStream::choice(&stdout) != ColorChoice::Never;
        Output { writer: BufWriter::with_capacity(1 << 16, stdout.lock()), colour }
    }

    /// Whether [`paint`] should colour.
    pub(crate) fn colour(&self) -> bool {
        self.colour
    }

    /// Writes a line; false when nobody reads any more, which is a reason to stop and not an error.
    ///
    /// # Errors
    /// Every other failure to write, a full disk for one.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<bool> {
        still_read(self.writer.write_all(line.as_bytes()).and_then(|()| self.writer.write_all(b"\n")))
    }

    /// Writes what is buffered; false when nobody reads any more.
    ///
    /// # Errors
    /// Every other failure to write.
    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        still_read(self.writer.flush())
    }
}

/// Writes a whole text to standard output. A reader that has enough of it is no error.
///
/// # Errors
/// Every other failure to write.
pub(crate) fn write(text: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    still_read(stdout.write_all(text).and_then(|()| stdout.flush())).map(|_| ())
}

fn still_read(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gone_reader_is_no_error() {
        assert!(!still_read(Err(io::ErrorKind::BrokenPipe.into())).is_ok_and(|read| read));
        assert!(still_read(Err(io::ErrorKind::StorageFull.into())).is_err());
    }
}
