//! The parts of a line that colours tell apart, and their colours.

use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// The parts of a line that colours tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
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

/// Appends text, coloured if asked to.
pub fn paint(line: &mut String, colour: bool, paint: Paint, text: &str) {
    if !colour {
        line.push_str(text);
        return;
    }
    let style = paint.style();
    // Writing to a text cannot fail.
    let _ = write!(line, "{style}{text}{style:#}");
}

/// A text as [`paint`] appends it.
pub fn painted(colour: bool, paint: Paint, text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 12);
    self::paint(&mut line, colour, paint, text);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

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
