//! How lines are drawn, in Vulkan's words. Pure.

use ash::vk;

use crate::{Error, Result};
use reprise_gpu::caps::Caps;

/// How lines become pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lines {
    pub(crate) mode: vk::LineRasterizationModeEXT,
    /// In pixels.
    pub(crate) width: f32,
}

impl Default for Lines {
    /// What pipelines have that draw none.
    fn default() -> Lines {
        Lines { mode: vk::LineRasterizationModeEXT::DEFAULT, width: 1.0 }
    }
}

/// What of lines a device can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abilities {
    pub(crate) bresenham: bool,
    pub(crate) rectangular: bool,
    pub(crate) smooth: bool,
    pub(crate) wide: bool,
}

impl Abilities {
    pub(crate) fn of(caps: &Caps) -> Abilities {
        let (lines, has) = (&caps.features.lines, |feature: vk::Bool32| feature != 0);
        Abilities {
            bresenham: has(lines.bresenham_lines),
            rectangular: has(lines.rectangular_lines),
            smooth: has(lines.smooth_lines),
            wide: has(caps.features.base.wide_lines),
        }
    }

    /// Every mode of the newest rasteriser description.
    pub(crate) fn all(self) -> bool {
        self.rectangular && self.smooth && self.wide
    }
}

impl Lines {
    /// Of a `D3D12_LINE_RASTERIZATION_MODE`.
    ///
    /// Vulkan has no aliased and no smooth lines where coverage comes from alpha; aliased ones are then the device's own.
    ///
    /// # Errors
    /// When the device has no such lines.
    pub(crate) fn new(mode: i32, has: Abilities, alpha_to_coverage: bool) -> Result<Lines> {
        type Mode = vk::LineRasterizationModeEXT;
        // Wide ones are as wide as a pixel's diagonal.
        const WIDE: f32 = 1.4;
        match mode {
            0 if has.bresenham && !alpha_to_coverage => Ok(Lines { mode: Mode::BRESENHAM, width: 1.0 }),
            0 => Ok(Lines::default()),
            1 if has.smooth && !alpha_to_coverage => Ok(Lines { mode: Mode::RECTANGULAR_SMOOTH, width: 1.0 }),
            1 => Err(Error::Unsupported("antialiased lines: the device has none here")),
            2 if has.rectangular && has.wide => Ok(Lines { mode: Mode::RECTANGULAR, width: WIDE }),
            2 => Err(Error::Unsupported("wide lines: the device has none")),
            3 if has.rectangular => Ok(Lines { mode: Mode::RECTANGULAR, width: 1.0 }),
            3 => Err(Error::Unsupported("narrow lines: the device has none")),
            _ => Err(Error::Invalid("a line rasterisation mode is none of the API's")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ALL: Abilities = Abilities { bresenham: true, rectangular: true, smooth: true, wide: true };
    const NONE: Abilities = Abilities { bresenham: false, rectangular: false, smooth: false, wide: false };

    #[test]
    fn what_a_device_lacks_is_refused_and_not_drawn_otherwise() {
        assert!(Lines::new(0, NONE, false).is_ok(), "every device has lines");
        for mode in 1..=3 {
            assert!(Lines::new(mode, NONE, false).is_err());
            assert!(Lines::new(mode, ALL, false).is_ok());
        }
        assert!(Lines::new(4, ALL, false).is_err());
        assert!(Lines::new(2, Abilities { wide: false, ..ALL }, false).is_err());
    }

    #[test]
    fn coverage_from_alpha_allows_only_some_modes() {
        type Mode = vk::LineRasterizationModeEXT;
        for mode in 0..=3 {
            let found = Lines::new(mode, ALL, true).map(|lines| lines.mode);
            assert!(!matches!(found, Ok(Mode::BRESENHAM | Mode::RECTANGULAR_SMOOTH)), "{mode}");
        }
        assert_eq!(Lines::new(0, ALL, true).unwrap(), Lines::default());
    }
}
