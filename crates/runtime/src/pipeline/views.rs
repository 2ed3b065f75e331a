//! View instances of a pipeline state. Pure but for what programs point to.
//!
//! Each view has a pipeline of its own. All of them have the same shader modules. Specialisation constants give the number of the view
//! and the viewport and layer that it is drawn to.

use ash::vk;
use reprise_d3d12::types::{D3D12_VIEW_INSTANCE_LOCATION, D3D12_VIEW_INSTANCING_DESC};
use reprise_shader::views::{VIEW, VIEWPORTS};

use crate::{Error, Result};

/// `D3D12_MAX_VIEW_INSTANCE_COUNT`.
const MOST: usize = 4;
/// `D3D12_VIEW_INSTANCING_FLAG_ENABLE_VIEW_INSTANCE_MASKING`.
const MASKED: u32 = 1;
/// Viewports of a list, and layers of a texture. Beyond them is the first one, as the API says.
const PLACES: [u32; 2] = [16, 2048];

/// View instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Views {
    /// Viewport and layer of each.
    places: [[u32; 2]; MOST],
    /// None is as one at the first viewport and layer.
    count: usize,
    /// A list chooses among them.
    masked: bool,
}

impl Views {
    /// # Safety
    /// The description's array is valid.
    ///
    /// # Errors
    /// There are more than the API has, or no array.
    pub(super) unsafe fn read(desc: &D3D12_VIEW_INSTANCING_DESC) -> Result<Views> {
        let count = desc.ViewInstanceCount as usize;
        if count > MOST {
            return Err(Error::Invalid("more than four view instances"));
        }
        if count == 0 {
            return Ok(Views::default());
        }
        if desc.pViewInstanceLocations.is_null() {
            return Err(Error::Invalid("view instances without locations"));
        }
        // SAFETY: the caller promises: the description's array is valid.
        let given = unsafe { core::slice::from_raw_parts(desc.pViewInstanceLocations, count) };
        Ok(Views::of(given, desc.Flags.0 & MASKED != 0))
    }

    fn of(given: &[D3D12_VIEW_INSTANCE_LOCATION], masked: bool) -> Views {
        let mut views = Views { count: given.len().min(MOST), masked, ..Views::default() };
        for (place, given) in views.places.iter_mut().zip(given) {
            let [viewports, layers] = PLACES;
            let inside = |at: u32, all: u32| if at < all { at } else { 0 };
            *place = [inside(given.ViewportArrayIndex, viewports), inside(given.RenderTargetArrayIndex, layers)];
        }
        views
    }

    /// Whether draws differ from those without views.
    pub fn any(&self) -> bool {
        self.count > 1 || self.count == 1 && (self.masked || self.places[0] != [0, 0])
    }

    /// How many pipelines there are.
    pub(super) fn pipelines(&self) -> usize {
        self.count.max(1)
    }

    /// Whether a viewport other than the first one is drawn to.
    pub(super) fn has_viewports(&self) -> bool {
        self.places.iter().any(|[viewport, _]| *viewport != 0)
    }

    /// The views that are drawn under a list's mask.
    pub fn drawn(self, mask: u32) -> impl Iterator<Item = usize> {
        let mask = if self.masked { mask } else { u32::MAX };
        (0..self.pipelines()).filter(move |view| mask & 1 << view != 0)
    }

    /// Numbers for cached blobs.
    pub(super) fn words(&self) -> impl Iterator<Item = u32> {
        let head = [self.count as u32, self.masked.into()];
        head.into_iter().chain(self.places.into_iter().flatten())
    }

    /// Values of the shaders' constants in the pipeline of a view.
    pub(super) fn constants(&self, view: usize) -> [u32; 2] {
        let layer = self.places.get(view).map_or(0, |[_, layer]| *layer);
        let viewports = self.places.iter().rev().fold(0, |all, [viewport, _]| all << 8 | viewport);
        [view as u32 | layer << 16, viewports]
    }

    /// Where in [`Views::constants`] each constant is.
    pub(super) const ENTRIES: [vk::SpecializationMapEntry; 2] = [
        vk::SpecializationMapEntry { constant_id: VIEW, offset: 0, size: 4 },
        vk::SpecializationMapEntry { constant_id: VIEWPORTS, offset: 4, size: 4 },
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(viewport: u32, layer: u32) -> D3D12_VIEW_INSTANCE_LOCATION {
        D3D12_VIEW_INSTANCE_LOCATION { ViewportArrayIndex: viewport, RenderTargetArrayIndex: layer }
    }

    #[test]
    fn constants_say_which_view_it_is_and_where() {
        let views = Views::of(&[at(2, 1), at(3, 0), at(1, 2047)], false);
        assert_eq!(views.constants(0), [0x0001_0000, 0x0001_0302]);
        assert_eq!(views.constants(2), [0x07ff_0002, 0x0001_0302]);
        assert!(views.has_viewports() && !Views::of(&[at(0, 3)], false).has_viewports());
        let beyond = Views::of(&[at(16, 2048)], false);
        assert_eq!(beyond.constants(0), [0, 0], "the first of each");
    }

    #[test]
    fn masks_count_where_the_pipeline_state_says_so() {
        let four = [at(0, 0), at(0, 1), at(0, 2), at(0, 3)];
        let drawn = |views: Views, mask| views.drawn(mask).collect::<Vec<_>>();
        assert_eq!(drawn(Views::of(&four, true), 0b1010), [1, 3]);
        assert!(drawn(Views::of(&four, true), 0).is_empty());
        assert_eq!(drawn(Views::of(&four, false), 0), [0, 1, 2, 3]);
        assert_eq!(drawn(Views::default(), 0), [0]);
    }

    #[test]
    fn one_view_in_the_usual_place_is_none() {
        assert!(!Views::default().any() && !Views::of(&[at(0, 0)], false).any());
        for views in [Views::of(&[at(0, 0)], true), Views::of(&[at(1, 0)], false), Views::of(&[at(0, 0); 2], false)] {
            assert!(views.any(), "{views:?}");
        }
    }
}
