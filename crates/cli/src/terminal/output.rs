//! Standard output: buffered, coloured as the user and the environment wish, and content when the reader goes away.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;
use std::io::{self, BufWriter, StdoutLock, Write};

/// Standard output for many lines.
#[derive(Debug)]
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    colour: bool,
}

/// The parts of a line that colours tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Numbers of calls, frames and threads.
    Place,
    /// Method names.
    Name,
    /// Parameter names, and what else a value belongs to.
    Field,
    /// Failures and gaps.
    Alarm,
    /// What only the first of two has.
    Removed,
    /// What only the second of two has.
    Added,
}

impl Paint {
    /// In the sixteen colours that every terminal has, and that its owner chose.
    fn style(self) -> Style {
        match self {
            Paint::Place => Style::new().dimmed(),
            Paint::Name => AnsiColor::Cyan.on_default().bold(),
            Paint::Field => AnsiColor::Blue.on_default(),
            Paint::Alarm => AnsiColor::Red.on_default().bold(),
            Paint::Removed => AnsiColor::Red.on_default(),
            Paint::Added => AnsiColor::Green.on_default(),
        }
    }
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

fn still_read(result: io::Result<()>) -> io::Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error),
    }
}

/// Appends text, coloured if asked to.
pub(crate) fn paint(line: &mut String, colour: bool, paint: Paint, text: &str) {
    if !colour {
        line.push_str(text);
        return;
    }
    let style = paint.style();
    // Writing to a text cannot fail.
    let _ = write!(line, "{style}{text}{style:#}");
}

/// A text as [`paint`] appends it.
pub(crate) fn painted(colour: bool, paint: Paint, text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 12);
    self::paint(&mut line, colour, paint, text);
    line
}

/// Bytes as people read them: `1.5 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if count < 1024 {
        return format!("{count} bytes");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A count with its noun: `1 frame`, `12 frames`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// How much of a trace is damaged.
pub(crate) fn damaged(places: u64) -> String {
    if places == 1 { "1 place is damaged".to_owned() } else { format!("{places} places are damaged") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_for_people() {
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(5 << 30), "5.0 GiB");
        assert_eq!(bytes(u64::MAX), "16384.0 PiB");
    }

    #[test]
    fn a_gone_reader_is_no_error() {
        assert!(!still_read(Err(io::ErrorKind::BrokenPipe.into())).is_ok_and(|read| read));
        assert!(still_read(Err(io::ErrorKind::StorageFull.into())).is_err());
    }

    #[test]
    fn paint_changes_nothing_but_colour() {
        let (mut plain, mut coloured) = (String::new(), String::new());
        paint(&mut plain, false, Paint::Name, "Draw");
        paint(&mut coloured, true, Paint::Name, "Draw");
        assert_eq!(plain, "Draw");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
        assert_ne!(coloured, plain);
    }
}
