//! Viewports, scissors and topologies of the API, in the words of Vulkan. Pure.

use ash::vk;
use reprise_d3d12::types::{D3D_PRIMITIVE_TOPOLOGY as Topology, D3D12_RECT, D3D12_VIEWPORT};
use reprise_shader::Primitive;

pub use crate::pipeline::formats::TARGETS;

/// Viewports and scissors are not more than these.
pub const VIEWPORTS: usize = 16;

/// Where a device can have viewports.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most width and height.
    pub size: [f32; 2],
    /// Least and greatest coordinates of edges.
    pub range: [f32; 2],
}

impl Bounds {
    /// Those of a device.
    pub fn of(limits: &vk::PhysicalDeviceLimits) -> Bounds {
        Bounds { size: limits.max_viewport_dimensions.map(|size| size as f32), range: limits.viewport_bounds_range }
    }

    /// Whether a viewport has an area and lies within; one whose height is negative is upside down.
    fn have(self, viewport: &D3D12_VIEWPORT) -> bool {
        let [least, most] = self.range;
        let inside = |first: f32, size: f32| {
            // Also false for what is no number.
            let edges = [first, first + size];
            edges.into_iter().all(|edge| edge >= least && edge <= most)
        };
        viewport.Width > 0.0
            && viewport.Height != 0.0
            && viewport.Width <= self.size[0]
            && viewport.Height.abs() <= self.size[1]
            && inside(viewport.TopLeftX, viewport.Width)
            && inside(viewport.TopLeftY, viewport.Height)
    }
}

/// The nearest number from 0 to 1; 0 for what is no number.
pub fn unit(value: f32) -> f32 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) }
}

/// Vulkan's viewport: its y axis points the other way. A viewport without area, or beyond the device's bounds, becomes one that its
/// scissor empties.
pub fn viewport(viewport: &D3D12_VIEWPORT, bounds: Bounds) -> vk::Viewport {
    let (x, y, width, height) = match bounds.have(viewport) {
        true => (viewport.TopLeftX, viewport.TopLeftY, viewport.Width, viewport.Height),
        false => (0.0, 0.0, 1.0, 1.0),
    };
    let (min_depth, max_depth) = (unit(viewport.MinDepth), unit(viewport.MaxDepth));
    vk::Viewport { x, y: y + height, width, height: -height, min_depth, max_depth }
}

/// Vulkan's scissor of a viewport: without a rectangle, and for viewports that are not there, nothing is drawn. The API cuts to the
/// viewport too, whose edges it rounds down to whole pixels; Vulkan does not.
pub fn scissor(rect: Option<&D3D12_RECT>, viewport: &D3D12_VIEWPORT, bounds: Bounds) -> vk::Rect2D {
    match rect {
        Some(rect) if bounds.have(viewport) => {
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

/// The part of a scissor that lies in a rendering: Vulkan leaves open what draws beyond it do, where targets differ in their sizes.
pub fn within(scissor: vk::Rect2D, extent: vk::Extent2D) -> vk::Rect2D {
    let rest = |size: u32, whole: u32, at: i32| size.min(whole.saturating_sub(at.max(0) as u32));
    let vk::Rect2D { offset, extent: size } = scissor;
    let (width, height) = (rest(size.width, extent.width, offset.x), rest(size.height, extent.height, offset.y));
    vk::Rect2D { offset, extent: vk::Extent2D { width, height } }
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

/// The type of a topology, as its list: what Vulkan's pipelines are made for.
pub fn kind(topology: vk::PrimitiveTopology) -> vk::PrimitiveTopology {
    use vk::PrimitiveTopology as V;
    match topology {
        V::POINT_LIST | V::PATCH_LIST => topology,
        V::LINE_LIST | V::LINE_STRIP | V::LINE_LIST_WITH_ADJACENCY | V::LINE_STRIP_WITH_ADJACENCY => V::LINE_LIST,
        _ => V::TRIANGLE_LIST,
    }
}

/// Whether the primitives of a topology have the vertices that a geometry shader takes. Vertices beside a primitive may be more
/// than it asks for.
pub fn reaches(topology: vk::PrimitiveTopology, takes: Primitive) -> bool {
    use vk::PrimitiveTopology as V;
    let beside = matches!(
        topology,
        V::LINE_LIST_WITH_ADJACENCY
            | V::LINE_STRIP_WITH_ADJACENCY
            | V::TRIANGLE_LIST_WITH_ADJACENCY
            | V::TRIANGLE_STRIP_WITH_ADJACENCY
    );
    match takes {
        Primitive::Points => topology == V::POINT_LIST,
        Primitive::Lines => kind(topology) == V::LINE_LIST,
        Primitive::LinesAdjacency => kind(topology) == V::LINE_LIST && beside,
        Primitive::Triangles => kind(topology) == V::TRIANGLE_LIST,
        Primitive::TrianglesAdjacency => kind(topology) == V::TRIANGLE_LIST && beside,
    }
}

/// Whether an index can end a primitive. The API's can in every topology, in lists as far as the device has it.
pub fn is_cut(
    topology: vk::PrimitiveTopology,
    lists: &vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'_>,
) -> bool {
    use vk::PrimitiveTopology as V;
    match topology {
        V::POINT_LIST
        | V::LINE_LIST
        | V::TRIANGLE_LIST
        | V::LINE_LIST_WITH_ADJACENCY
        | V::TRIANGLE_LIST_WITH_ADJACENCY => lists.primitive_topology_list_restart != 0,
        V::PATCH_LIST => lists.primitive_topology_patch_list_restart != 0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: Bounds = Bounds { size: [128.0; 2], range: [-256.0, 255.0] };

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
        let turned = viewport(&given, BOUNDS);
        assert_eq!((turned.x, turned.y, turned.width, turned.height), (3.0, 15.0, 20.0, -10.0));
        let rect = D3D12_RECT { left: -5, top: 2, right: 7, bottom: 1 };
        let cut = scissor(Some(&rect), &given, BOUNDS);
        assert_eq!((cut.offset.x, cut.offset.y, cut.extent.width, cut.extent.height), (3, 5, 4, 0));
        let fractions = D3D12_VIEWPORT { TopLeftX: 1.75, TopLeftY: -0.5, Width: 32.0, Height: 4.0, ..given };
        let cut = scissor(Some(&D3D12_RECT { left: 0, top: 0, right: 64, bottom: 64 }), &fractions, BOUNDS);
        assert_eq!((cut.offset.x, cut.offset.y, cut.extent.width, cut.extent.height), (1, 0, 32, 3));
        assert_eq!(scissor(None, &given, BOUNDS), vk::Rect2D::default());
        assert_eq!(scissor(Some(&rect), &D3D12_VIEWPORT::default(), BOUNDS), vk::Rect2D::default());
        assert!(clipped(&D3D12_RECT { left: 8, top: 0, right: 20, bottom: 20 }, 8, 8).is_none());
    }

    #[test]
    fn viewports_beyond_the_device_draw_nothing() {
        let good = D3D12_VIEWPORT { Width: 16.0, Height: -16.0, MinDepth: -1.0, MaxDepth: 7.0, ..Default::default() };
        let turned = viewport(&good, BOUNDS);
        assert_eq!((turned.y, turned.height), (-16.0, 16.0), "upside down");
        assert_eq!((turned.min_depth, turned.max_depth), (0.0, 1.0));
        let rect = D3D12_RECT { left: 0, top: 0, right: 64, bottom: 64 };
        for bad in [
            D3D12_VIEWPORT { TopLeftX: f32::NAN, ..good },
            D3D12_VIEWPORT { TopLeftY: f32::INFINITY, ..good },
            D3D12_VIEWPORT { TopLeftX: -300.0, ..good },
            D3D12_VIEWPORT { TopLeftX: 250.0, ..good },
            D3D12_VIEWPORT { Width: 129.0, ..good },
            D3D12_VIEWPORT { Height: f32::NAN, ..good },
            D3D12_VIEWPORT { Width: f32::INFINITY, ..good },
        ] {
            let made = viewport(&bad, BOUNDS);
            assert_eq!((made.x, made.y, made.width, made.height), (0.0, 1.0, 1.0, -1.0));
            assert_eq!(scissor(Some(&rect), &bad, BOUNDS), vk::Rect2D::default());
        }
        assert_eq!(viewport(&D3D12_VIEWPORT { MinDepth: f32::NAN, ..good }, BOUNDS).min_depth, 0.0);
    }

    #[test]
    fn scissors_end_where_the_smallest_target_does() {
        let at =
            |x, y, width, height| vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } };
        let extent = vk::Extent2D { width: 8, height: 4 };
        assert_eq!(within(at(2, 1, 100, 2), extent), at(2, 1, 6, 2));
        assert_eq!(within(at(9, 4, 100, 2), extent), at(9, 4, 0, 0));
    }

    #[test]
    fn geometry_shaders_get_all_vertices_that_they_take() {
        use vk::PrimitiveTopology as V;
        assert!(
            reaches(V::TRIANGLE_STRIP, Primitive::Triangles) && reaches(V::LINE_LIST_WITH_ADJACENCY, Primitive::Lines)
        );
        assert!(
            !reaches(V::LINE_LIST, Primitive::LinesAdjacency)
                && !reaches(V::TRIANGLE_LIST, Primitive::TrianglesAdjacency)
        );
        assert!(!reaches(V::POINT_LIST, Primitive::Lines) && !reaches(V::LINE_STRIP, Primitive::Triangles));
        assert!(!reaches(V::TRIANGLE_LIST, Primitive::Points) && reaches(V::POINT_LIST, Primitive::Points));
        assert_eq!((kind(V::LINE_STRIP), kind(V::PATCH_LIST)), (V::LINE_LIST, V::PATCH_LIST));
    }

    #[test]
    fn patches_have_their_control_points() {
        assert_eq!(topology(Topology(33)), Some((vk::PrimitiveTopology::PATCH_LIST, 1)));
        assert_eq!(topology(Topology(64)), Some((vk::PrimitiveTopology::PATCH_LIST, 32)));
        assert_eq!(topology(Topology(0)), None);
    }
}
