//! The options that say which frames become files.

use reprise_replay::{FrameRanges, ScreenshotFormat, ScreenshotSize, Screenshots};
use std::path::PathBuf;

/// Which frames become files, of what size and kind.
#[derive(Debug, clap::Args)]
pub(crate) struct Pictured {
    /// Write these frames as files: 1-10,20 or 5- or all
    #[arg(long, value_name = "RANGE", group = "pictured")]
    screenshots: Option<FrameRanges>,
    /// Write every frame as a file
    #[arg(long, group = "pictured")]
    screenshot_all: bool,
    /// Of each range only the first frame and every N-th after it: 10-20 by 5 is 10, 15 and 20
    #[arg(long, value_name = "N", requires = "pictured", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    screenshot_interval: u64,
    /// Kind of file: png (pixels as stored) or bmp (24 bits a pixel, without alpha)
    #[arg(long, value_name = "FORMAT", requires = "pictured", default_value_t)]
    screenshot_format: ScreenshotFormat,
    /// Scale the files' pictures by X, or by X and Y; negative factors mirror (filter: the nearest pixel)
    #[arg(long, value_name = "X[,Y]", requires = "pictured", conflicts_with = "screenshot_size")]
    #[arg(allow_hyphen_values = true, value_parser = ScreenshotSize::from_scale)]
    screenshot_scale: Option<ScreenshotSize>,
    /// Scale the files' pictures to this size in pixels (filter: the nearest pixel)
    #[arg(long, value_name = "WxH", requires = "pictured", value_parser = ScreenshotSize::from_pixels)]
    screenshot_size: Option<ScreenshotSize>,
    /// Folder for the files; made if absent
    #[arg(long, value_name = "DIR", default_value = ".")]
    screenshot_dir: PathBuf,
    /// What the names of the files begin with
    #[arg(long, value_name = "TEXT", default_value = "frame_")]
    screenshot_prefix: String,
}

impl Pictured {
    /// As replay takes them.
    pub(crate) fn screenshots(&self) -> Screenshots {
        let all = self.screenshot_all.then(FrameRanges::all);
        Screenshots {
            frames: all.or_else(|| self.screenshots.clone()).unwrap_or_default(),
            interval: self.screenshot_interval,
            dir: self.screenshot_dir.clone(),
            prefix: self.screenshot_prefix.clone(),
            format: self.screenshot_format,
            size: self.screenshot_scale.or(self.screenshot_size).unwrap_or_default(),
        }
    }
}
