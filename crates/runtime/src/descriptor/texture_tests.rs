//! Views by hand, and that no description reaches outside of its texture.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reprise_d3d12::types::{D3D12_SHADER_RESOURCE_VIEW_DESC_3, D3D12_UNORDERED_ACCESS_VIEW_DESC_2};

use super::*;

fn texture(dimension: Dimension, format: DXGI_FORMAT, levels: u32, layers: u32, depth: u32) -> Texture {
    let format = Format::get(format).unwrap();
    Texture {
        dimension,
        format,
        vk: format.vk,
        aspects: format.aspects,
        extent: vk::Extent3D { width: 64, height: 64, depth },
        levels,
        layers,
        multisampled: false,
    }
}

fn srv(view: Srv, format: DXGI_FORMAT, numbers: [u32; 4]) -> D3D12_SHADER_RESOURCE_VIEW_DESC {
    // The array members' levels and layers are at the same places.
    let mut anonymous = D3D12_SHADER_RESOURCE_VIEW_DESC_3::default();
    anonymous.Texture2DArray.MostDetailedMip = numbers[0];
    // SAFETY: all members are plain numbers.
    let it = unsafe { &mut anonymous.Texture2DArray };
    (it.MipLevels, it.FirstArraySlice, it.ArraySize) = (numbers[1], numbers[2], numbers[3]);
    D3D12_SHADER_RESOURCE_VIEW_DESC {
        Format: format,
        ViewDimension: view,
        Shader4ComponentMapping: IDENTITY,
        Anonymous: anonymous,
    }
}

const RGBA: DXGI_FORMAT = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM;
const SAME: DXGI_FORMAT = DXGI_FORMAT::FORMAT_UNKNOWN;

#[test]
fn a_part_of_an_array() {
    let array = texture(Dimension::TEXTURE2D, RGBA, 7, 10, 1);
    let view = array.shader_resource(Some(&srv(Srv::TEXTURE2DARRAY, SAME, [2, u32::MAX, 3, 4]))).unwrap();
    assert_eq!((view.kind, view.format), (vk::ImageViewType::TYPE_2D_ARRAY, vk::Format::R8G8B8A8_UNORM));
    assert_eq!((view.first_level, view.levels, view.first_layer, view.layers), (2, 5, 3, 4));
    assert_eq!((view.components, view.aspects), ([0; 4], vk::ImageAspectFlags::COLOR));
    let whole = array.shader_resource(None).unwrap();
    assert_eq!((whole.first_level, whole.levels, whole.first_layer, whole.layers), (0, 7, 0, 10));
    assert!(array.shader_resource(Some(&srv(Srv::TEXTURE2DARRAY, SAME, [7, 1, 0, 1]))).is_err(), "no such level");
    assert!(array.shader_resource(Some(&srv(Srv::TEXTURE3D, SAME, [0, 1, 0, 1]))).is_err(), "no volume");
}

/// By the API's functional specification: reads of levels behind the last one give zero.
#[test]
fn the_least_level_may_be_behind_the_last_one() {
    let chain = texture(Dimension::TEXTURE2D, RGBA, 4, 1, 1);
    let least = |first: u32, levels: u32, least: f32| {
        let mut desc = srv(Srv::TEXTURE2D, SAME, [0; 4]);
        desc.Anonymous.Texture2D.MostDetailedMip = first;
        // SAFETY: all members are plain numbers.
        let it = unsafe { &mut desc.Anonymous.Texture2D };
        (it.MipLevels, it.ResourceMinLODClamp) = (levels, least);
        let view = chain.shader_resource(Some(&desc)).unwrap();
        (view.levels, f32::from_bits(view.least))
    };
    assert_eq!(least(1, u32::MAX, 0.0), (3, 0.0));
    assert_eq!(least(1, u32::MAX, 1.9), (3, 1.9));
    assert_eq!(least(1, u32::MAX, 3.0), (3, 3.0));
    assert_eq!(least(0, 1, 1.5 / 1024.0), (1, 0.0), "rounds to none");
    assert_eq!(least(0, 2, 1.0 + 1.0 / 1024.0), (2, 1.0));
    for (first, levels, least_level) in [(1, u32::MAX, 9.0), (0, 1, 1.0 / 512.0), (0, 2, 1.1)] {
        assert_eq!(least(first, levels, least_level).0, 0, "{least_level}");
    }
}

#[test]
fn cubes_are_whole() {
    let faces = texture(Dimension::TEXTURE2D, RGBA, 1, 15, 1);
    // First face 3, as many cubes as there are: two, and three faces are left over.
    let view = faces.shader_resource(Some(&srv(Srv::TEXTURECUBEARRAY, SAME, [0, 1, 3, u32::MAX]))).unwrap();
    assert_eq!((view.kind, view.first_layer, view.layers), (vk::ImageViewType::CUBE_ARRAY, 3, 12));
    let few = texture(Dimension::TEXTURE2D, RGBA, 1, 5, 1);
    assert!(few.shader_resource(Some(&srv(Srv::TEXTURECUBE, SAME, [0, 1, 0, 0]))).is_err());
}

#[test]
fn depth_and_stencil_are_shown_apart() {
    use DXGI_FORMAT as D;
    let both = texture(Dimension::TEXTURE2D, D::FORMAT_R24G8_TYPELESS, 1, 1, 1);
    let depth =
        both.shader_resource(Some(&srv(Srv::TEXTURE2D, D::FORMAT_R24_UNORM_X8_TYPELESS, [0, 1, 0, 0]))).unwrap();
    assert_eq!((depth.aspects, depth.format), (vk::ImageAspectFlags::DEPTH, vk::Format::D24_UNORM_S8_UINT));
    let stencil =
        both.shader_resource(Some(&srv(Srv::TEXTURE2D, D::FORMAT_X24_TYPELESS_G8_UINT, [0, 1, 0, 0]))).unwrap();
    assert_eq!(stencil.aspects, vk::ImageAspectFlags::STENCIL);
    // The stored value is green.
    assert_eq!(i32::from(stencil.components[1]), vk::ComponentSwizzle::R.as_raw());
    let target = both.depth_stencil(None).unwrap();
    assert_eq!(target.aspects, vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL);
    let color = texture(Dimension::TEXTURE2D, RGBA, 1, 1, 1);
    assert!(color.depth_stencil(None).is_err());
}

#[test]
fn components_go_through_both_mappings() {
    let own = vk::ComponentMapping::default();
    let (r, g, b, a, one, zero) = (3, 4, 5, 6, 2, 1);
    assert_eq!(components(own, IDENTITY), [0; 4]);
    // Green, zero, one, red.
    assert_eq!(components(own, 1 | 4 << 3 | 5 << 6 | 1 << 12), [g, zero, one, r]);
    let alpha = Format::get(DXGI_FORMAT::FORMAT_A8_UNORM).unwrap().components();
    assert_eq!(components(alpha, IDENTITY), [zero, zero, zero, r]);
    assert_eq!(components(alpha, 3 | 3 << 3 | 3 << 6 | 3 << 9), [r; 4]);
    assert_eq!(components(own, 3 | 2 << 3 | 1 << 6), [a, b, g, r]);
}

/// Where the image is of alpha alone, so is the view, and its border's alpha is the sampler's.
#[test]
fn alpha_alone_is_seen_as_it_is() {
    let red = texture(Dimension::TEXTURE2D, DXGI_FORMAT::FORMAT_A8_UNORM, 1, 1, 1);
    let alpha = Texture { vk: vk::Format::A8_UNORM_KHR, ..red };
    let desc = srv(Srv::TEXTURE2D, DXGI_FORMAT::FORMAT_A8_UNORM, [0, 1, 0, 0]);
    let (red, alpha) = (red.shader_resource(Some(&desc)).unwrap(), alpha.shader_resource(Some(&desc)).unwrap());
    assert_eq!((red.format, red.components), (vk::Format::R8_UNORM, [1, 1, 1, 3]));
    assert_eq!((alpha.format, alpha.components), (vk::Format::A8_UNORM_KHR, [0; 4]));
}

#[test]
fn slices_of_a_volume() {
    let volume = texture(Dimension::TEXTURE3D, RGBA, 4, 1, 16);
    let mut desc = D3D12_UNORDERED_ACCESS_VIEW_DESC {
        Format: SAME,
        ViewDimension: Uav::TEXTURE3D,
        Anonymous: D3D12_UNORDERED_ACCESS_VIEW_DESC_2::default(),
    };
    let mut view = |level, first, count| {
        desc.Anonymous.Texture3D.MipSlice = level;
        // SAFETY: all members are plain numbers.
        let it = unsafe { &mut desc.Anonymous.Texture3D };
        (it.FirstWSlice, it.WSize) = (first, count);
        volume.unordered_access(Some(&desc))
    };
    let whole = view(1, 0, u32::MAX).unwrap();
    assert_eq!((whole.sliced, whole.first_level, whole.layers), (false, 1, 1));
    assert_eq!(view(1, 0, 8).unwrap(), whole);
    let some = view(1, 2, 3).unwrap();
    assert_eq!((some.sliced, some.first_layer, some.layers), (true, 2, 3));
    assert!(view(1, 8, 1).is_err());
    let mut desc = D3D12_RENDER_TARGET_VIEW_DESC { ViewDimension: Rtv::TEXTURE3D, ..Default::default() };
    desc.Anonymous.Texture3D.MipSlice = 2;
    // SAFETY: all members are plain numbers.
    let it = unsafe { &mut desc.Anonymous.Texture3D };
    (it.FirstWSlice, it.WSize) = (1, u32::MAX);
    let target = volume.render_target(Some(&desc)).unwrap();
    assert_eq!((target.kind, target.first_layer, target.layers), (vk::ImageViewType::TYPE_2D_ARRAY, 1, 3));
}

proptest! {
    #[test]
    fn no_view_reaches_outside(dimension in 0i32..14, numbers: [u32; 4], small in prop::array::uniform4(0u32..12),
        which: bool, levels in 1u32..7, layers in 1u32..13, volume: bool) {
        let texture = if volume { texture(Dimension::TEXTURE3D, RGBA, levels, 1, layers) } else { texture(Dimension::TEXTURE2D, RGBA, levels, layers, 1) };
        let numbers = if which { numbers } else { small };
        if let Ok(view) = texture.shader_resource(Some(&srv(Srv(dimension), SAME, numbers))) {
            prop_assert!(view.levels >= 1 && view.first_level + view.levels <= levels);
            prop_assert!(view.layers >= 1 && view.first_layer + view.layers <= texture.layers);
        }
    }

    #[test]
    fn keys_tell_views_apart(a: [u8; 6], b: [u8; 6], least in 0u32..3) {
        let view = |n: [u8; 6]| ImageView {
            format: vk::Format::from_raw((n[0] % 3).into()),
            kind: vk::ImageViewType::from_raw((n[1] % 3).into()),
            aspects: vk::ImageAspectFlags::COLOR,
            usage: vk::ImageUsageFlags::SAMPLED,
            first_level: (n[2] % 2).into(),
            levels: 1 + u32::from(n[3] % 2),
            first_layer: (n[4] % 2).into(),
            layers: 1,
            components: [n[5] % 2, 0, (n[5] / 2) % 2, 0],
            least,
            sliced: false,
        };
        prop_assert_eq!(view(a) == view(b), view(a).key() == view(b).key());
    }
}
