//! What is to be shown, and how.

use std::sync::Arc;

use ash::vk;

use crate::image::Image;

/// A frame to show.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The image, of one level and one layer, at rest.
    pub image: Arc<Image>,
    /// Screens that it stays at least; 0: the next one may come at once.
    pub interval: u32,
    /// How its numbers are meant.
    pub space: vk::ColorSpaceKHR,
    /// What of it is shown, and where.
    pub part: Part,
    /// How bright it is; `None` where nobody says.
    pub hdr: Option<Hdr>,
}

/// What of a frame is shown, and where on the surface.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// In texels of the frame; `None` for all of it.
    pub shown: Option<vk::Rect2D>,
    /// It fills the surface. Else its texels are the surface's, from the upper left corner on.
    pub stretched: bool,
    /// The colour of the surface where the frame does not reach.
    pub background: [f32; 4],
}

/// What a display is told of a frame's brightness (`VK_EXT_hdr_metadata`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hdr {
    /// Chromaticities of red, green, blue and white, in CIE 1931's x and y.
    pub primaries: [[f32; 2]; 4],
    /// The least and the highest luminance of the display that the frame was made for, in nits.
    pub luminance: [f32; 2],
    /// The highest luminance of a texel, in nits.
    pub content: f32,
    /// The highest mean luminance of a frame, in nits.
    pub frame: f32,
}

/// Corners of a blit: from where in the frame to where on the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Corners {
    pub(super) from: [[i32; 2]; 2],
    pub(super) to: [[i32; 2]; 2],
}

impl Corners {
    /// Whether texels are scaled.
    pub(super) fn scale(&self) -> bool {
        let size = |[first, end]: [[i32; 2]; 2]| [end[0] - first[0], end[1] - first[1]];
        size(self.from) != size(self.to)
    }

    /// Whether they leave something of a surface of this size.
    pub(super) fn leave(&self, surface: vk::Extent2D) -> bool {
        self.to != [[0, 0], [surface.width as i32, surface.height as i32]]
    }
}

impl Part {
    /// The corners for a frame and a surface, with their sizes in texels.
    pub(super) fn corners(&self, frame: vk::Extent2D, surface: vk::Extent2D) -> Corners {
        let shown = self.shown.unwrap_or(vk::Rect2D { offset: vk::Offset2D::default(), extent: frame });
        let first = [shown.offset.x, shown.offset.y];
        let all = [surface.width as i32, surface.height as i32];
        let mut size = [shown.extent.width as i32, shown.extent.height as i32];
        if self.stretched {
            return Corners { from: [first, [first[0] + size[0], first[1] + size[1]]], to: [[0, 0], all] };
        }
        size = [size[0].min(all[0]), size[1].min(all[1])];
        Corners { from: [first, [first[0] + size[0], first[1] + size[1]]], to: [[0, 0], size] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u32, height: u32) -> vk::Extent2D {
        vk::Extent2D { width, height }
    }

    #[test]
    fn a_frame_fills_the_surface_or_lies_in_its_corner() {
        let mut part = Part { shown: None, stretched: true, background: [0.0; 4] };
        let corners = part.corners(size(4, 6), size(8, 3));
        assert_eq!(corners, Corners { from: [[0, 0], [4, 6]], to: [[0, 0], [8, 3]] });
        assert!(corners.scale() && !corners.leave(size(8, 3)));
        part.stretched = false;
        let corners = part.corners(size(4, 6), size(8, 3));
        assert_eq!(corners, Corners { from: [[0, 0], [4, 3]], to: [[0, 0], [4, 3]] });
        assert!(!corners.scale() && corners.leave(size(8, 3)));
        let offset = vk::Offset2D { x: 1, y: 2 };
        part = Part { shown: Some(vk::Rect2D { offset, extent: size(2, 3) }), stretched: true, ..part };
        let corners = part.corners(size(4, 6), size(8, 3));
        assert_eq!(corners, Corners { from: [[1, 2], [3, 5]], to: [[0, 0], [8, 3]] });
    }
}
