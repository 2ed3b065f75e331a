//! Targets and pipelines that fit and do not fit, without a device.

use ash::vk::Handle;
use proptest::prelude::*;

use super::*;

const NONE: vk::Format = vk::Format::UNDEFINED;
const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const OTHER: vk::Format = vk::Format::R32_SFLOAT;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
const BOTH: vk::Format = vk::Format::D32_SFLOAT_S8_UINT;
const RULES: Rules = Rules { unused: true, extent: vk::Extent2D { width: 1000, height: 900 }, layers: 64 };

fn target(format: vk::Format, samples: u32) -> Target {
    Target {
        view: vk::ImageView::from_raw(1),
        resource: core::ptr::null_mut(),
        image: vk::Image::null(),
        format,
        width: 32,
        height: 16,
        mip: 0,
        first_layer: 0,
        layers: 2,
        samples,
        flags: 0,
    }
}

fn graphics(colours: &[vk::Format], depth: vk::Format, samples: u32) -> Graphics {
    let mut formats = Formats { count: colours.len(), depth, ..Formats::default() };
    formats.colours[..colours.len()].copy_from_slice(colours);
    formats.stencil = if aspects(depth).1 { depth } else { NONE };
    formats.samples = vk::SampleCountFlags::from_raw(samples);
    Graphics { formats, written: 0xff, tests: [depth != NONE, formats.stencil != NONE], ..Graphics::default() }
}

fn choose(
    graphics: &Graphics,
    colours: &[Target],
    depth: Option<&Target>,
    rules: Rules,
) -> (Attachments, Option<Misfit>) {
    let mut targets = [None; TARGETS];
    for (place, target) in targets.iter_mut().zip(colours) {
        *place = Some(*target);
    }
    Attachments::new(graphics, &targets, depth, rules)
}

#[test]
fn targets_as_described_take_the_pipeline_states_own() {
    let own = graphics(&[COLOUR, NONE, COLOUR], BOTH, 4);
    let small = Target { width: 8, height: 64, layers: 1, ..target(COLOUR, 4) };
    let null = Target { view: vk::ImageView::null(), ..target(COLOUR, 4) };
    let (made, misfit) = choose(&own, &[target(COLOUR, 4), target(OTHER, 4), small], Some(&target(BOTH, 4)), RULES);
    assert_eq!((made.formats, misfit), (own.formats, None), "a target without a format is not drawn to");
    assert_eq!((made.colours, made.tests), (0b101, [true; 2]));
    assert_eq!((made.extent.width, made.extent.height, made.layers), (8, 16, 1), "what all have");
    let (made, misfit) = choose(&own, &[null, null, small], None, RULES);
    assert_eq!((made.formats, misfit, made.colours), (own.formats, None, 0b100));
    let (made, _) = choose(&own, &[], None, RULES);
    assert_eq!((made.extent, made.layers, made.colours), (RULES.extent, 1, 0));
}

#[test]
fn devices_without_unused_attachments_have_no_format_without_a_target() {
    let own = graphics(&[COLOUR, COLOUR], BOTH, 1);
    let rules = Rules { unused: false, ..RULES };
    let (made, _) = choose(&own, &[target(COLOUR, 1)], None, rules);
    assert_eq!(made.formats.colours(), [COLOUR, NONE]);
    assert_eq!((made.formats.depth, made.formats.stencil), (NONE, NONE));
}

#[test]
fn other_samples_get_a_pipeline_for_them() {
    for (own, bound) in [(4, 1), (1, 4)] {
        let own = graphics(&[COLOUR], DEPTH, own);
        let (made, misfit) = choose(&own, &[target(COLOUR, bound)], Some(&target(DEPTH, bound)), RULES);
        assert_eq!((made.formats.samples.as_raw(), misfit), (bound, Some(Misfit::Samples)));
        assert_eq!((made.colours, made.tests), (1, [true, false]));
    }
}

#[test]
fn of_targets_that_differ_in_samples_those_like_the_pipelines_are_drawn_to() {
    let own = graphics(&[COLOUR, COLOUR], DEPTH, 4);
    let (made, misfit) = choose(&own, &[target(COLOUR, 1), target(COLOUR, 4)], Some(&target(DEPTH, 1)), RULES);
    assert_eq!((made.formats.samples.as_raw(), made.colours, made.tests), (4, 0b10, [false; 2]));
    assert_eq!(misfit, Some(Misfit::Mixed));
    let (made, misfit) = choose(&own, &[target(COLOUR, 1), target(COLOUR, 8)], None, RULES);
    assert_eq!((made.formats.samples.as_raw(), made.colours, misfit), (1, 0b01, Some(Misfit::Mixed)));
}

#[test]
fn other_formats_are_drawn_to_where_the_shader_writes() {
    let mut own = graphics(&[COLOUR], DEPTH, 1);
    let (made, misfit) = choose(&own, &[target(OTHER, 1)], None, RULES);
    assert_eq!((made.formats.colours[0], made.colours, misfit), (OTHER, 1, Some(Misfit::Format)));
    own.written = 0;
    let (made, misfit) = choose(&own, &[target(OTHER, 1)], None, RULES);
    assert_eq!((made.formats, made.colours, misfit), (own.formats, 0, None));
    // What is not drawn to says nothing about samples.
    let (made, _) = choose(&own, &[target(OTHER, 4)], None, RULES);
    assert_eq!(made.formats.samples.as_raw(), 1);
}

#[test]
fn depth_targets_are_tested_in_their_own_format() {
    let (made, misfit) = choose(&graphics(&[], BOTH, 1), &[], Some(&target(DEPTH, 1)), RULES);
    assert_eq!((made.formats.depth, made.formats.stencil, made.tests), (DEPTH, NONE, [true, false]));
    assert_eq!(misfit, Some(Misfit::Format));
    let (made, _) = choose(&graphics(&[], DEPTH, 1), &[], Some(&target(BOTH, 1)), RULES);
    assert_eq!((made.formats.depth, made.formats.stencil, made.tests), (BOTH, NONE, [true, false]));
    let mut off = graphics(&[], DEPTH, 1);
    off.tests = [false; 2];
    let (made, misfit) = choose(&off, &[], Some(&target(BOTH, 1)), RULES);
    assert_eq!((made.formats, made.tests, misfit), (off.formats, [false; 2], None));
    // Without tests and without a format a bound target is nothing to the pipeline.
    let (made, _) = choose(&graphics(&[], NONE, 1), &[], Some(&target(DEPTH, 4)), RULES);
    assert_eq!((made.formats.depth, made.tests, made.formats.samples.as_raw()), (NONE, [false; 2], 1));
    let any = Graphics { any_depth: true, tests: [true, false], ..graphics(&[], NONE, 1) };
    let (made, misfit) = choose(&any, &[], Some(&target(BOTH, 1)), RULES);
    assert_eq!((made.formats.depth, made.formats.stencil, misfit), (BOTH, BOTH, None));
}

proptest! {
    /// Vulkan's rules hold whatever is bound: attachments have the pipeline's formats and samples, and lie in the rendering.
    #[test]
    fn what_is_bound_fits_the_pipeline(
        own in prop::collection::vec(0usize..3, 0..4), own_depth in 0usize..4, own_samples in 0u32..3,
        bound in prop::collection::vec((0usize..3, 0u32..3, 1u32..40, any::<bool>()), 0..4),
        depth in prop::option::of((1usize..4, 0u32..3)), written: u32, tests: [bool; 2], any_depth: bool, unused: bool,
    ) {
        const COLOURS: [vk::Format; 3] = [NONE, COLOUR, OTHER];
        const DEPTHS: [vk::Format; 4] = [NONE, DEPTH, BOTH, vk::Format::D16_UNORM];
        let own: Vec<vk::Format> = own.into_iter().map(|at| COLOURS[at]).collect();
        let mut graphics = graphics(&own, DEPTHS[own_depth], 1 << own_samples);
        (graphics.written, graphics.tests) = (written, tests);
        graphics.any_depth = any_depth && own_depth == 0;
        let colours: Vec<Target> = bound.iter().map(|(format, samples, width, null)| {
            let view = if *null { vk::ImageView::null() } else { vk::ImageView::from_raw(1) };
            Target { view, width: *width, ..target(COLOURS[1 + format % 2], 1 << samples) }
        }).collect();
        let depth = depth.map(|(format, samples)| target(DEPTHS[format], 1 << samples));
        let (made, _) = choose(&graphics, &colours, depth.as_ref(), Rules { unused, ..RULES });
        prop_assert_eq!(made.colours >> colours.len(), 0);
        for (at, target) in colours.iter().enumerate() {
            if made.colours & 1 << at != 0 {
                prop_assert!(target.view != vk::ImageView::null() && at < own.len());
                prop_assert_eq!((made.formats.colours[at], made.formats.samples.as_raw()), (target.format, target.samples));
                prop_assert!(made.extent.width <= target.width && made.layers <= target.layers);
            } else if !unused {
                prop_assert_eq!(made.formats.colours[at], NONE);
            }
        }
        for (bound, format) in made.tests.into_iter().zip([made.formats.depth, made.formats.stencil]) {
            if bound {
                prop_assert_eq!(depth.map(|depth| (depth.format, depth.samples)), Some((format, made.formats.samples.as_raw())));
            } else if !unused {
                prop_assert_eq!(format, NONE);
            }
        }
        let (one, other) = (made.formats.depth, made.formats.stencil);
        prop_assert!(one == other || one == NONE || other == NONE);
    }
}
