//! What overlays are made from: texels before and after a call, and what its list has set.

use super::classes::{Class, Classes};
use crate::shown::answer::check_format;
use crate::shown::wish::Look;
use anyhow::{Result, anyhow, bail};
use reprise_picture::Texels;
use reprise_replay::{Mesh, Overlay, OverlayLayer, ShotContents, ShotPart};

/// The rectangles that a draw goes through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rectangles {
    /// Left, top, width, height, least and greatest depth.
    pub(crate) viewports: Vec<[f32; 6]>,
    /// Left, top, right, bottom.
    pub(crate) scissors: Vec<[i32; 4]>,
}

/// A rectangle of texels: left, top, right, bottom; the latter two are outside.
pub(super) type Inside = [i64; 4];

/// Everything that is known of a texture at a call.
pub(crate) struct Evidence<'m> {
    pub(crate) look: Look,
    /// `DXGI_FORMAT` and plane of the texels, and which sample they are.
    format: (u32, u32),
    sample: usize,
    /// After the call.
    pub(super) after: Texels,
    /// Right before it; only where a kind needs it.
    pub(super) before: Option<Texels>,
    pub(super) rectangles: Option<Result<Rectangles, String>>,
    /// What the draw reaches with some of its tests.
    pub(super) overlay: Option<Overlay>,
    /// The vertices of the draw.
    pub(super) mesh: Option<&'m Mesh>,
}

/// What replays found of a draw.
#[derive(Default)]
pub(crate) struct Found<'m> {
    pub(crate) rectangles: Option<Result<Rectangles, String>>,
    pub(crate) overlay: Option<Overlay>,
    pub(crate) mesh: Option<&'m Mesh>,
}

/// The layers of a draw.
#[derive(Clone, Copy)]
pub(super) struct Layers<'e> {
    pub(super) overlay: &'e Overlay,
}

impl Rectangles {
    /// By viewport: the texels whose middle lies in it, outside of which nothing of a primitive is drawn.
    pub(super) fn within_viewports(&self) -> impl Iterator<Item = Inside> {
        let first = |edge: f32| (f64::from(edge) - 0.5).ceil() as i64;
        // A viewport of negative height turns the picture over, and lies above its top.
        let inside = move |[left, top, width, height, ..]: &[f32; 6]| {
            let (top, bottom) = (top.min(top + height), top.max(top + height));
            [first(*left), first(top), first(left + width), first(bottom)]
        };
        self.viewports.iter().map(inside)
    }

    /// By scissor.
    pub(super) fn within_scissors(&self) -> impl Iterator<Item = Inside> {
        self.scissors.iter().map(|scissor| scissor.map(i64::from))
    }
}

impl<'m> Evidence<'m> {
    /// # Errors
    /// The contents cannot be read as texels.
    pub(crate) fn new(
        look: &Look,
        after: &ShotContents,
        before: Option<&ShotContents>,
        found: Found<'m>,
    ) -> Result<Self> {
        check_format(look, after)?;
        if let Some(moved) = before.and_then(|before| before.moved.as_ref()) {
            bail!("what was there before the call is not known: {moved}");
        }
        let Found { rectangles, overlay, mesh } = found;
        let before = before.map(|before| texels(look, before)).transpose()?;
        let (format, sample) = match &after.part {
            ShotPart::Texels { format, plane, sample, .. } => ((look.format.unwrap_or(*format), *plane), *sample),
            ShotPart::Bytes { .. } => ((0, 0), 0),
        };
        let sample = sample as usize;
        Ok(Self { look: look.clone(), format, sample, after: texels(look, after)?, before, rectangles, overlay, mesh })
    }

    pub(super) fn size(&self) -> (u32, u32) {
        self.after.size()
    }

    /// What the target would have, where that was asked for and can be.
    pub(super) fn colours(&self) -> Result<Option<Result<Texels, String>>> {
        let Some(colours) = self.overlay.as_ref().and_then(|overlay| overlay.colours.as_ref()) else { return Ok(None) };
        let samples = match colours {
            Ok(samples) => samples,
            Err(reason) => return Ok(Some(Err(reason.clone()))),
        };
        let bytes = samples.get(self.sample).ok_or_else(|| anyhow!("the target has no sample {}", self.sample))?;
        let texels = Texels::new(self.format.0, self.format.1, self.size(), bytes.clone());
        texels.map(|texels| Some(Ok(texels))).map_err(anyhow::Error::msg)
    }

    /// The layers of the draw, which are those that the kind names.
    pub(super) fn layers(&self, asked: &[OverlayLayer]) -> Result<Layers<'_>> {
        let overlay = self.overlay.as_ref().filter(|overlay| overlay.layers.len() == asked.len());
        let overlay = overlay.ok_or_else(|| anyhow!("the layers of the draw were not asked for"))?;
        if (overlay.width, overlay.height) != self.size() {
            let (width, height) = self.size();
            bail!(
                "the draw's target has {}x{} texels, and the picture {width}x{height}",
                overlay.width,
                overlay.height
            );
        }
        Ok(Layers { overlay })
    }

    pub(super) fn rectangles(&self) -> Result<&Rectangles> {
        let rectangles = self.rectangles.as_ref().ok_or_else(|| anyhow!("the state at the call was not asked for"))?;
        rectangles.as_ref().map_err(|reason| anyhow!("{reason}"))
    }
}

impl Layers<'_> {
    /// The class of each texel, by whether the layers reach it.
    pub(super) fn classes<const N: usize>(
        &self,
        classes: &[Class],
        of: impl Fn([bool; N]) -> Option<usize>,
    ) -> Classes {
        let overlay = self.overlay;
        let reaches = |layer: usize, at: usize| overlay.layers.get(layer).and_then(|it| it.get(at)) == Some(&true);
        let mut found = Classes::new((overlay.width, overlay.height), classes, |x, y| {
            let at = y as usize * overlay.width as usize + x as usize;
            of(std::array::from_fn(|layer| reaches(layer, at)))
        });
        found.notes.extend(overlay.notes.iter().cloned());
        if overlay.samples > 1 {
            found.notes.push(format!("of {} samples a texel, one is enough", overlay.samples));
        }
        found
    }
}

/// The texels of a shot, in the format that they are looked at in.
fn texels(look: &Look, contents: &ShotContents) -> Result<Texels> {
    let ShotPart::Texels { plane, format, width, height, bytes, .. } = &contents.part else {
        bail!("a buffer has no texels to paint over: overlays are for --target, --depth, --stencil and --resource");
    };
    Texels::new(look.format.unwrap_or(*format), *plane, (*width, *height), bytes.clone()).map_err(anyhow::Error::msg)
}
