//! The choice between sets and buffers.

use crate::caps::Caps;
use crate::descriptor::plan::{Plan, Sizes};
use crate::descriptor::table::{SAMPLERS, Table, VIEWS, arrays};
use crate::settings::{Descriptors, Sharing};

/// What heaps of a device are: sets, which cost less on the drivers that were measured (lavapipe, NVIDIA's), unless its user wants
/// buffers and the device has them.
pub(super) fn choose(caps: &Caps, sharing: Sharing, wish: Option<Descriptors>) -> Descriptors {
    let lacks = lacking(caps, sharing);
    if let (Some(Descriptors::Buffers), Some(lacks)) = (wish, lacks) {
        reprise_log::warning(format_args!(
            "descriptor buffers were asked for, but the device lacks {lacks}: it uses sets"
        ));
    }
    match lacks {
        Some(_) => Descriptors::Sets,
        None => wish.unwrap_or_default(),
    }
}

/// What a device lacks for heaps as buffers.
fn lacking(caps: &Caps, sharing: Sharing) -> Option<&'static str> {
    let (features, limits) = (&caps.features.descriptor_buffer, &caps.descriptor_buffer);
    let sizes = Sizes::of(limits);
    let strides: Vec<u32> = arrays(sharing).iter().map(|tables| sizes.element(tables)).collect();
    let views = Plan::new(&vec![0; strides.len()], &strides, VIEWS, limits.descriptor_buffer_offset_alignment);
    // What lies before the arrays: the side buffers' descriptors, and a driver's own bytes.
    const BEFORE: u64 = 1 << 16;
    [
        (features.descriptor_buffer != 0, "VK_EXT_descriptor_buffer"),
        (features.descriptor_buffer_push_descriptors != 0, "descriptorBufferPushDescriptors"),
        (limits.bufferless_push_descriptors != 0, "bufferlessPushDescriptors"),
        (limits.max_descriptor_buffer_bindings >= 3, "bindings of three descriptor buffers"),
        (limits.max_resource_descriptor_buffer_bindings >= 1, "bindings of resource descriptor buffers"),
        (limits.max_sampler_descriptor_buffer_bindings >= 2, "bindings of two sampler descriptor buffers"),
        (limits.max_resource_descriptor_buffer_range >= views.bytes + BEFORE, "room for a million descriptors"),
        (
            limits.max_sampler_descriptor_buffer_range
                >= u64::from(SAMPLERS) * u64::from(sizes.of_table(Table::Sampler)) + BEFORE,
            "room for 2048 samplers",
        ),
    ]
    .into_iter()
    .find_map(|(has, what)| (!has).then_some(what))
}
