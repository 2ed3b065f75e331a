//! A build without windows.

use crate::window::Wish;
use anyhow::{Result, bail};
use reprise_replay::Picture;

/// No window was ever opened.
#[derive(Debug)]
pub(crate) enum Window {}

impl Window {
    /// # Errors
    /// Always.
    pub(crate) fn check() -> Result<()> {
        bail!("--window: replays are shown through X11 only; take --screenshots or --frame-hashes here")
    }

    /// # Errors
    /// Always.
    pub(crate) fn open(_title: &str, _size: (u16, u16), _origin: (i16, i16)) -> Result<Window> {
        Window::check()?;
        bail!("there are no windows")
    }

    /// # Errors
    /// There is no window to ask.
    pub(crate) fn show(&mut self, _picture: &Picture) -> Result<()> {
        match *self {}
    }

    /// # Errors
    /// There is no window to ask.
    pub(crate) fn wish(&mut self, _wait: bool) -> Result<Option<Wish>> {
        match *self {}
    }
}
