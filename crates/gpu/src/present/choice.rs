//! What a swap chain is made like, of what the surface offers. Pure.

use ash::vk;

/// Images that a swap chain has where the surface allows it: one on the screen, one that waits, one that is written.
const IMAGES: u32 = 3;

/// The pace: frames wait for the screen (FIFO) where an interval is asked for; else none waits, or the newest replaces the one
/// that waits. Every surface has FIFO.
pub(super) fn mode(interval: u32, offered: &[vk::PresentModeKHR]) -> vk::PresentModeKHR {
    type Mode = vk::PresentModeKHR;
    let unlocked = [Mode::IMMEDIATE, Mode::MAILBOX];
    let found = unlocked.into_iter().find(|mode| interval == 0 && offered.contains(mode));
    found.unwrap_or(Mode::FIFO)
}

/// A format in a colour space: the frame's own, else one with the same meaning of its numbers, else any of 8 bits. `None` where
/// the surface does not have the colour space.
pub(super) fn format(
    wanted: vk::Format,
    space: vk::ColorSpaceKHR,
    offered: &[vk::SurfaceFormatKHR],
) -> Option<vk::SurfaceFormatKHR> {
    type Format = vk::Format;
    let srgb = [Format::B8G8R8A8_SRGB, Format::R8G8B8A8_SRGB];
    let linear = [Format::B8G8R8A8_UNORM, Format::R8G8B8A8_UNORM];
    let (like, unlike) = if srgb.contains(&wanted) { (srgb, linear) } else { (linear, srgb) };
    let here = || offered.iter().filter(|row| row.color_space == space);
    let named = |format: Format| here().find(|row| row.format == format).copied();
    core::iter::once(wanted).chain(like).chain(unlike).find_map(named).or_else(|| here().next().copied())
}

/// The size, in texels: the surface's own, or the frame's where the surface takes any. `None` where nothing can be shown: the
/// window is minimised.
pub(super) fn extent(caps: &vk::SurfaceCapabilitiesKHR, frame: vk::Extent2D) -> Option<vk::Extent2D> {
    let clamp = |value: u32, least: u32, most: u32| value.max(least).min(most);
    let (least, most) = (caps.min_image_extent, caps.max_image_extent);
    let extent = match caps.current_extent.width {
        u32::MAX => vk::Extent2D {
            width: clamp(frame.width, least.width, most.width),
            height: clamp(frame.height, least.height, most.height),
        },
        _ => caps.current_extent,
    };
    (extent.width > 0 && extent.height > 0).then_some(extent)
}

/// The number of images.
pub(super) fn count(caps: &vk::SurfaceCapabilitiesKHR) -> u32 {
    let most = if caps.max_image_count == 0 { u32::MAX } else { caps.max_image_count };
    caps.min_image_count.max(IMAGES).min(most)
}

/// How the surface lies over what is behind it: not at all where it can.
pub(super) fn alpha(caps: &vk::SurfaceCapabilitiesKHR) -> vk::CompositeAlphaFlagsKHR {
    type Alpha = vk::CompositeAlphaFlagsKHR;
    let all = [Alpha::OPAQUE, Alpha::INHERIT, Alpha::PRE_MULTIPLIED, Alpha::POST_MULTIPLIED];
    let found = all.into_iter().find(|alpha| caps.supported_composite_alpha.contains(*alpha));
    found.unwrap_or(Alpha::OPAQUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mode = vk::PresentModeKHR;
    type Format = vk::Format;
    const SRGB: vk::ColorSpaceKHR = vk::ColorSpaceKHR::SRGB_NONLINEAR;
    const HDR: vk::ColorSpaceKHR = vk::ColorSpaceKHR::HDR10_ST2084_EXT;

    #[test]
    fn an_interval_waits_for_the_screen_and_none_takes_the_fastest() {
        for (interval, offered, expected) in [
            (1, &[Mode::IMMEDIATE, Mode::MAILBOX, Mode::FIFO][..], Mode::FIFO),
            (2, &[Mode::FIFO], Mode::FIFO),
            (0, &[Mode::FIFO, Mode::MAILBOX, Mode::IMMEDIATE], Mode::IMMEDIATE),
            (0, &[Mode::FIFO, Mode::MAILBOX], Mode::MAILBOX),
            (0, &[Mode::FIFO], Mode::FIFO),
        ] {
            assert_eq!(mode(interval, offered), expected, "{interval} {offered:?}");
        }
    }

    #[test]
    fn formats_keep_the_meaning_of_their_numbers() {
        let row = |format, color_space| vk::SurfaceFormatKHR { format, color_space };
        let (unorm, srgb) = (Format::B8G8R8A8_UNORM, Format::B8G8R8A8_SRGB);
        let both = [row(srgb, SRGB), row(unorm, SRGB), row(Format::A2B10G10R10_UNORM_PACK32, HDR)];
        let found = |wanted, space| format(wanted, space, &both).map(|row| row.format);
        assert_eq!(found(unorm, SRGB), Some(unorm));
        assert_eq!(found(srgb, SRGB), Some(srgb));
        assert_eq!(found(Format::R8G8B8A8_UNORM, SRGB), Some(unorm));
        assert_eq!(found(Format::R8G8B8A8_SRGB, SRGB), Some(srgb));
        assert_eq!(found(Format::R16G16B16A16_SFLOAT, SRGB), Some(unorm));
        assert_eq!(found(unorm, HDR), Some(Format::A2B10G10R10_UNORM_PACK32));
        assert_eq!(found(unorm, vk::ColorSpaceKHR::EXTENDED_SRGB_LINEAR_EXT), None);
    }

    #[test]
    fn sizes_are_the_surfaces_or_the_frames() {
        let size = |width, height| vk::Extent2D { width, height };
        let caps = |current| vk::SurfaceCapabilitiesKHR {
            current_extent: current,
            min_image_extent: size(1, 1),
            max_image_extent: size(100, 100),
            min_image_count: 2,
            ..Default::default()
        };
        assert_eq!(extent(&caps(size(30, 40)), size(7, 8)), Some(size(30, 40)));
        assert_eq!(extent(&caps(size(u32::MAX, u32::MAX)), size(7, 800)), Some(size(7, 100)));
        assert_eq!(extent(&caps(size(0, 0)), size(7, 8)), None);
        for (least, most, expected) in [(1, 0, 3), (4, 0, 4), (1, 2, 2), (3, 3, 3)] {
            let caps = vk::SurfaceCapabilitiesKHR { min_image_count: least, max_image_count: most, ..caps(size(1, 1)) };
            assert_eq!(count(&caps), expected);
        }
    }
}
