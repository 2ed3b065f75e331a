//! The options of a window, and what its keys do to a replay.

use crate::terminal::exit::{self, Failure, OrExit};
use crate::window::{Window, Wish};
use reprise_replay::{OnPicture, Options, Picture};
use std::io;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether frames are shown, and where.
#[derive(Debug, clap::Args)]
pub(crate) struct Windowed {
    /// Show the frames in a window (X11, at DISPLAY), as large as they are. Keys: space or p pauses and goes on, right or n
    /// plays one frame, q or escape quits. Each frame is read back and drawn by the X server, which takes its time: measure
    /// without a window
    #[arg(long)]
    window: bool,
    /// The same in a window of this size
    #[arg(long, value_name = "W,H", visible_alias = "fw", value_parser = pair::<NonZeroU16>)]
    force_windowed: Option<(NonZeroU16, NonZeroU16)>,
    /// The place of the window's upper left corner
    #[arg(long, value_name = "X,Y", visible_alias = "fwo", value_parser = pair::<i16>, allow_hyphen_values = true)]
    force_windowed_origin: Option<(i16, i16)>,
}

impl Windowed {
    /// Whether there is a window.
    pub(crate) fn is_wanted(&self) -> bool {
        self.window || self.force_windowed.is_some() || self.force_windowed_origin.is_some()
    }

    /// Has the frames shown, if that is wanted; paused after `pause` the first time.
    ///
    /// # Errors
    /// There is no display.
    pub(crate) fn apply(&self, options: &mut Options<'_>, pause: Option<u64>) -> Result<(), Failure> {
        if !self.is_wanted() {
            return Ok(());
        }
        let origin = self.force_windowed_origin.unwrap_or((0, 0));
        // As large as the first frame, where no size is asked for; whether there is a display shows at once.
        let mut early = match self.force_windowed {
            Some((width, height)) => {
                Some(Window::open("reprise replay", (width.get(), height.get()), origin).or_exit(exit::USAGE)?)
            }
            None => {
                Window::check().or_exit(exit::USAGE)?;
                None
            }
        };
        let stop = Arc::new(AtomicBool::new(false));
        options.stop = Some(Arc::clone(&stop));
        let mut shown: Option<Shown> = None;
        let show: OnPicture<'_> = Box::new(move |frame, picture| {
            if shown.is_none() {
                let size = (side(picture.width), side(picture.height));
                let window = match early.take() {
                    Some(window) => window,
                    None => Window::open("reprise replay", size, origin).map_err(io::Error::other)?,
                };
                shown = Some(Shown { window, paused: false });
            }
            match &mut shown {
                Some(shown) => shown.frame(frame, picture, pause, &stop).map_err(io::Error::other),
                None => Ok(()),
            }
        });
        options.on_picture = Some(show);
        Ok(())
    }
}

fn side(pixels: u32) -> u16 {
    u16::try_from(pixels).unwrap_or(u16::MAX).max(1)
}

/// A window with frames in it.
struct Shown {
    window: Window,
    paused: bool,
}

impl Shown {
    /// Shows a frame, and does what the user wishes.
    fn frame(&mut self, number: u64, picture: &Picture, pause: Option<u64>, stop: &AtomicBool) -> anyhow::Result<()> {
        self.window.show(picture)?;
        self.paused |= pause == Some(number);
        while let Some(wish) = self.window.wish(self.paused)? {
            match wish {
                Wish::Quit => {
                    stop.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                Wish::Step => {
                    self.paused = true;
                    return Ok(());
                }
                Wish::Pause => self.paused = !self.paused,
            }
        }
        Ok(())
    }
}

/// Two numbers with a comma between them.
fn pair<T: std::str::FromStr>(text: &str) -> Result<(T, T), String> {
    let (a, b) = text.split_once(',').ok_or_else(|| format!("{text:?} is no pair of numbers, as in 640,360"))?;
    let number = |word: &str| word.trim().parse().map_err(|_| format!("{word:?} is no number here"));
    Ok((number(a)?, number(b)?))
}
