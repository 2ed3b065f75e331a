//! The commands that bring a frame into an image of a swap chain.

use ash::vk;

use crate::error::{Context, Result};
use crate::format::caps;
use crate::image::{Image, Use};
use crate::logical::Logical;
use crate::present::picture::Part;
use crate::scope::Scope;

const COPY: Scope = Scope { stages: vk::PipelineStageFlags2::ALL_TRANSFER, access: vk::AccessFlags2::TRANSFER_READ };

/// Records the copy of a frame to an image, where and how its part says. The image's contents go; it is ready for presenting
/// afterwards, and the frame rests as before.
///
/// # Errors
/// The driver has no memory for the commands.
///
/// # Safety
/// The GPU does not use the commands; image and extent are those of a swap chain of this device.
pub(super) unsafe fn record(
    logical: &Logical,
    commands: vk::CommandBuffer,
    (frame, part): (&Image, &Part),
    (image, extent): (vk::Image, vk::Extent2D),
) -> Result<()> {
    let vk = &logical.vk;
    let layers =
        vk::ImageSubresourceLayers { aspect_mask: vk::ImageAspectFlags::COLOR, layer_count: 1, ..Default::default() };
    let all = vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    };
    let written = vk::AccessFlags2::TRANSFER_WRITE;
    let target = |[before, after]: [vk::ImageLayout; 2], [from, to]: [vk::AccessFlags2; 2]| {
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(COPY.stages)
            .src_access_mask(from)
            .dst_stage_mask(COPY.stages)
            .dst_access_mask(to)
            .old_layout(before)
            .new_layout(after)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(all)
    };
    let none = vk::AccessFlags2::NONE;
    type Layout = vk::ImageLayout;
    let before = [
        target([Layout::UNDEFINED, Layout::TRANSFER_DST_OPTIMAL], [none, written]),
        frame.transition(frame.whole(), [Use::Rest, Use::Source], [Scope::ALL, COPY]),
    ];
    let after = [
        target([Layout::TRANSFER_DST_OPTIMAL, Layout::PRESENT_SRC_KHR], [written, none]),
        frame.transition(frame.whole(), [Use::Source, Use::Rest], [COPY, Scope::ALL]),
    ];
    let corners = part.corners(vk::Extent2D { width: frame.extent.width, height: frame.extent.height }, extent);
    let offsets =
        |[first, [x, y]]: [[i32; 2]; 2]| [vk::Offset3D { x: first[0], y: first[1], z: 0 }, vk::Offset3D { x, y, z: 1 }];
    let region = [vk::ImageBlit::default()
        .src_subresource(layers)
        .src_offsets(offsets(corners.from))
        .dst_subresource(layers)
        .dst_offsets(offsets(corners.to))];
    let background = corners.leave(extent).then_some(vk::ClearColorValue { float32: part.background });
    let cleared = [target([Layout::TRANSFER_DST_OPTIMAL; 2], [written; 2])];
    let smooth = caps::features(logical, frame.format).optimal_tiling_features;
    let smooth = corners.scale() && smooth.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR);
    let filter = if smooth { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
    let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
    let (source, destination) = (frame.discipline.layout(Use::Source), Layout::TRANSFER_DST_OPTIMAL);
    // SAFETY: the commands are free, as the caller says, and their pool lets them begin again; the frame lives until the GPU is
    // done, because the submission holds it.
    unsafe {
        vk.begin_command_buffer(commands, &begin).call("vkBeginCommandBuffer")?;
        vk.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&before));
        if let Some(color) = background {
            vk.cmd_clear_color_image(commands, image, destination, &color, &[all]);
            vk.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&cleared));
        }
        vk.cmd_blit_image(commands, frame.image, source, image, destination, &region, filter);
        vk.cmd_pipeline_barrier2(commands, &vk::DependencyInfo::default().image_memory_barriers(&after));
        vk.end_command_buffer(commands).call("vkEndCommandBuffer")
    }
}
