//! What overlays are made from: texels before and after a call, and what its list has set.

use crate::shown::wish::Look;
use anyhow::{Result, anyhow, bail};
use reprise_picture::Texels;
use reprise_replay::{ShotContents, ShotPart};

/// The rectangles that a draw goes through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rectangles {
    /// Left, top, width, height, least and greatest depth.
    pub(crate) viewports: Vec<[f32; 6]>,
    /// Left, top, right, bottom.
    pub(crate) scissors: Vec<[i32; 4]>,
}

/// Everything that is known of a texture at a call.
pub(crate) struct Evidence {
    pub(crate) look: Look,
    /// After the call.
    pub(super) after: Texels,
    /// Right before it; only where a kind needs it.
    pub(super) before: Option<Texels>,
    pub(super) rectangles: Option<Result<Rectangles, String>>,
}

impl Evidence {
    /// # Errors
    /// The contents cannot be read as texels.
    pub(crate) fn new(
        look: &Look,
        after: &ShotContents,
        before: Option<&ShotContents>,
        rectangles: Option<Result<Rectangles, String>>,
    ) -> Result<Self> {
        let before = before.map(|before| texels(look, before)).transpose()?;
        Ok(Self { look: look.clone(), after: texels(look, after)?, before, rectangles })
    }

    pub(super) fn size(&self) -> (u32, u32) {
        self.after.size()
    }

    pub(super) fn rectangles(&self) -> Result<&Rectangles> {
        let rectangles = self.rectangles.as_ref().ok_or_else(|| anyhow!("the state at the call was not asked for"))?;
        rectangles.as_ref().map_err(|reason| anyhow!("{reason}"))
    }
}

/// The texels of a shot, in the format that they are looked at in.
fn texels(look: &Look, contents: &ShotContents) -> Result<Texels> {
    let ShotPart::Texels { plane, format, width, height, bytes, .. } = &contents.part else {
        bail!("a buffer has no texels to paint over: overlays are for --target, --depth, --stencil and --resource");
    };
    Texels::new(look.format.unwrap_or(*format), *plane, (*width, *height), bytes.clone()).map_err(anyhow::Error::msg)
}
