//! Viewports, scissors and topologies of the API, in the words of Vulkan. Pure.

use ash::vk;
use reprise_d3d12::types::{D3D_PRIMITIVE_TOPOLOGY as Topology, D3D12_RECT, D3D12_VIEWPORT};

/// Viewports, scissors, and render targets are not more than these.
pub const VIEWPORTS: usize = 16;
/// Render targets.
pub const TARGETS: usize = 8;

/// Whether a viewport has an area; one whose height is negative is upside down.
fn has_area(viewport: &D3D12_VIEWPORT) -> bool {
    viewport.Width > 0.0 && viewport.Height != 0.0 && !viewport.Height.is_nan()
}

/// Vulkan's viewport: its y axis points the other way. A viewport without area becomes one that its scissor empties.
pub fn viewport(viewport: &D3D12_VIEWPORT) -> vk::Viewport {
    let (width, height) = if has_area(viewport) { (viewport.Width, viewport.Height) } else { (1.0, 1.0) };
    vk::Viewport {
        x: viewport.TopLeftX,
        y: viewport.TopLeftY + height,
        width,
        height: -height,
        min_depth: viewport.MinDepth,
        max_depth: viewport.MaxDepth,
    }
}

/// Vulkan's scissor of a viewport: without a rectangle, and for viewports without area, nothing is drawn. The API cuts to the
/// viewport too, whose edges it rounds down to whole pixels; Vulkan does not.
pub fn scissor(rect: Option<&D3D12_RECT>, viewport: &D3D12_VIEWPORT) -> vk::Rect2D {
    match rect {
        Some(rect) if has_area(viewport) => {
            // `as` saturates; edges left of the target are cut by `rectangle`.
            let edge = floor;
            let (first, second) = (viewport.TopLeftY, viewport.TopLeftY + viewport.Height);
            rectangle(&D3D12_RECT {
                left: rect.left.max(edge(viewport.TopLeftX)),
                top: rect.top.max(edge(first.min(second))),
                right: rect.right.min(edge(viewport.TopLeftX + viewport.Width)),
                bottom: rect.bottom.min(edge(first.max(second))),
            })
        }
        _ => vk::Rect2D::default(),
    }
}

/// The greatest whole number that is not above: what `f32::floor` gives, which older processors only have as a function.
fn floor(at: f32) -> i32 {
    let cut = at as i32;
    cut.saturating_sub((cut as f32 > at).into())
}

/// The part of a rectangle with coordinates that are not negative.
pub fn rectangle(rect: &D3D12_RECT) -> vk::Rect2D {
    let (left, top) = (rect.left.max(0), rect.top.max(0));
    vk::Rect2D {
        offset: vk::Offset2D { x: left, y: top },
        extent: vk::Extent2D {
            width: rect.right.saturating_sub(left).max(0) as u32,
            height: rect.bottom.saturating_sub(top).max(0) as u32,
        },
    }
}

/// A rectangle cut to an extent; `None` when nothing is left.
pub fn clipped(rect: &D3D12_RECT, width: u32, height: u32) -> Option<vk::Rect2D> {
    let mut cut = rectangle(rect);
    cut.extent.width = cut.extent.width.min(width.saturating_sub(cut.offset.x as u32));
    cut.extent.height = cut.extent.height.min(height.saturating_sub(cut.offset.y as u32));
    (cut.extent.width != 0 && cut.extent.height != 0).then_some(cut)
}

/// Vulkan's topology, and the control points of a patch (0 for others).
pub fn topology(topology: Topology) -> Option<(vk::PrimitiveTopology, u32)> {
    use vk::PrimitiveTopology as V;
    Some(match topology {
        Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST => (V::POINT_LIST, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST => (V::LINE_LIST, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINESTRIP => (V::LINE_STRIP, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST => (V::TRIANGLE_LIST, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP => (V::TRIANGLE_STRIP, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLEFAN => (V::TRIANGLE_FAN, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST_ADJ => (V::LINE_LIST_WITH_ADJACENCY, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINESTRIP_ADJ => (V::LINE_STRIP_WITH_ADJACENCY, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST_ADJ => (V::TRIANGLE_LIST_WITH_ADJACENCY, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP_ADJ => (V::TRIANGLE_STRIP_WITH_ADJACENCY, 0),
        Topology(patch @ 33..=64) => (V::PATCH_LIST, patch as u32 - 32),
        _ => return None,
    })
}

/// Whether primitives share vertices with the one before, so that an index can end a run of them.
pub fn is_strip(topology: vk::PrimitiveTopology) -> bool {
    use vk::PrimitiveTopology as V;
    matches!(
        topology,
        V::LINE_STRIP
            | V::TRIANGLE_STRIP
            | V::TRIANGLE_FAN
            | V::LINE_STRIP_WITH_ADJACENCY
            | V::TRIANGLE_STRIP_WITH_ADJACENCY
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn floors_are_those_of_the_standard_library(bits: u32, near in -70000.0f32..70000.0) {
            for at in [f32::from_bits(bits), near, near.trunc()] {
                prop_assert_eq!(floor(at), at.floor() as i32);
            }
        }
    }

    #[test]
    fn a_viewport_is_turned_around() {
        let given =
            D3D12_VIEWPORT { TopLeftX: 3.0, TopLeftY: 5.0, Width: 20.0, Height: 10.0, MinDepth: 0.25, MaxDepth: 1.0 };
        let turned = viewport(&given);
        assert_eq!((turned.x, turned.y, turned.width, turned.height), (3.0, 15.0, 20.0, -10.0));
        let rect = D3D12_RECT { left: -5, top: 2, right: 7, bottom: 1 };
        let cut = scissor(Some(&rect), &given);
        assert_eq!((cut.offset.x, cut.offset.y, cut.extent.width, cut.extent.height), (3, 5, 4, 0));
        let fractions = D3D12_VIEWPORT { TopLeftX: 1.75, TopLeftY: -0.5, Width: 32.0, Height: 4.0, ..given };
        let cut = scissor(Some(&D3D12_RECT { left: 0, top: 0, right: 64, bottom: 64 }), &fractions);
        assert_eq!((cut.offset.x, cut.offset.y, cut.extent.width, cut.extent.height), (1, 0, 32, 3));
        assert_eq!(scissor(None, &given), vk::Rect2D::default());
        assert_eq!(scissor(Some(&rect), &D3D12_VIEWPORT::default()), vk::Rect2D::default());
        assert!(clipped(&D3D12_RECT { left: 8, top: 0, right: 20, bottom: 20 }, 8, 8).is_none());
    }

    #[test]
    fn patches_have_their_control_points() {
        assert_eq!(topology(Topology(33)), Some((vk::PrimitiveTopology::PATCH_LIST, 1)));
        assert_eq!(topology(Topology(64)), Some((vk::PrimitiveTopology::PATCH_LIST, 32)));
        assert_eq!(topology(Topology(0)), None);
    }
}
