#!/bin/bash
# Mesa's lavapipe 25.0.7 (Debian package mesa-vulkan-drivers 25.0.7-2~bpo12+1): a colour attachment that is a view of the second plane of an image
# (VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_IMAGE_ASPECT_PLANE_1_BIT, VK_FORMAT_R8G8_UNORM) is the first plane: what is drawn to chroma lies over
# luma, and chroma stays as it was. The image may have other formats and uses (VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, VK_IMAGE_CREATE_EXTENDED_USAGE_BIT),
# the view's format is the plane's own (specification, section "Compatible Formats of Planes of Multi-Planar Formats") and can be an attachment,
# and the driver makes image and view without an error. Copies and shaders get to the right plane. So a video that is converted to NV12 by draws,
# one for each plane, is wrong without a word.
#
# Seen on Debian 12 with LLVM 15.0.6 and Rust 1.95, 30 November 2026, the first bytes of both planes behind a clear (load operation) of one
# plane to 1.0, and behind a copy to the second one:
#   first plane cleared: luma [255, 255, 255, 255], chroma [0, 0, 0, 0]
#   second plane cleared: luma [255, 255, 255, 255], chroma [0, 0, 0, 0]
#   second plane copied to: luma [0, 0, 0, 0], chroma [255, 255, 255, 255]
#
# Needs cargo, an x86-64 processor, Debian 12 with bookworm-backports among apt's sources, and the other libraries that mesa-vulkan-drivers
# depends on.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
apt-get download -qq -o APT::Sandbox::User=root mesa-vulkan-drivers=25.0.7-2~bpo12+1 libllvm15=1:15.0.6-4+b1 libvulkan1=1.3.239.0-1
for package in *.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries VK_ICD_FILENAMES=$folder/lavapipe.json
printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.4.305"}}' "$libraries/libvulkan_lvp.so" > lavapipe.json
cat > Cargo.toml <<'TOML'
[package]
name = "planes"
version = "0.1.0"
edition = "2021"

[dependencies]
ash = "=0.38.0"
TOML
cat > src/main.rs <<'RUST'
use ash::vk;

const SIDE: u32 = 16;
type Aspect = vk::ImageAspectFlags;

/// What happens to an image whose planes are zeros.
#[derive(Clone, Copy)]
enum Step {
    /// A view of a plane, in the plane's format, is cleared to ones.
    Clear(Aspect, vk::Format),
    /// Ones are copied to a plane.
    Copy(Aspect),
}

/// A plane's side.
fn side(plane: Aspect) -> u32 {
    if plane == Aspect::PLANE_0 { SIDE } else { SIDE / 2 }
}

/// The first bytes of both planes.
unsafe fn seen(device: &ash::Device, step: Step) -> Result<[[u8; 4]; 2], vk::Result> {
    let allocate = |needs: vk::MemoryRequirements| {
        let kind = needs.memory_type_bits.trailing_zeros();
        device.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind), None)
    };
    let info = vk::ImageCreateInfo::default().image_type(vk::ImageType::TYPE_2D).format(vk::Format::G8_B8R8_2PLANE_420_UNORM);
    let info = info.extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 }).mip_levels(1).array_layers(1);
    let info = info.flags(vk::ImageCreateFlags::MUTABLE_FORMAT | vk::ImageCreateFlags::EXTENDED_USAGE);
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    let image = device.create_image(&info.samples(vk::SampleCountFlags::TYPE_1).usage(usage), None)?;
    device.bind_image_memory(image, allocate(device.get_image_memory_requirements(image))?, 0)?;
    // Zeros, ones, and what is read back.
    let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::TRANSFER_SRC;
    let buffer = device.create_buffer(&vk::BufferCreateInfo::default().size(4096).usage(usage), None)?;
    let memory = allocate(device.get_buffer_memory_requirements(buffer))?;
    device.bind_buffer_memory(buffer, memory, 0)?;
    let bytes = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast::<u8>();
    bytes.write_bytes(0, 4096);
    bytes.add(1024).write_bytes(255, 1024);
    let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    let commands = device.allocate_command_buffers(&info)?;
    let range = |aspect_mask| vk::ImageSubresourceRange { aspect_mask, level_count: 1, layer_count: 1, ..Default::default() };
    let general = vk::ImageLayout::GENERAL;
    let turn = |from| {
        let barrier = vk::ImageMemoryBarrier::default().image(image).subresource_range(range(Aspect::COLOR)).old_layout(from).new_layout(general);
        let barrier = barrier.src_access_mask(vk::AccessFlags::MEMORY_WRITE);
        let barrier = barrier.dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        device.cmd_pipeline_barrier(commands[0], stages, stages, vk::DependencyFlags::empty(), &[], &[], &[barrier]);
    };
    let part = |plane, offset| {
        let layers = vk::ImageSubresourceLayers { aspect_mask: plane, layer_count: 1, ..Default::default() };
        let extent = vk::Extent3D { width: side(plane), height: side(plane), depth: 1 };
        [vk::BufferImageCopy::default().buffer_offset(offset).image_subresource(layers).image_extent(extent)]
    };
    device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
    turn(vk::ImageLayout::UNDEFINED);
    for plane in [Aspect::PLANE_0, Aspect::PLANE_1] {
        device.cmd_copy_buffer_to_image(commands[0], buffer, image, general, &part(plane, 0));
    }
    turn(general);
    match step {
        Step::Copy(plane) => device.cmd_copy_buffer_to_image(commands[0], buffer, image, general, &part(plane, 1024)),
        Step::Clear(plane, format) => {
            let mut usage = vk::ImageViewUsageCreateInfo::default().usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
            let info = vk::ImageViewCreateInfo::default().image(image).view_type(vk::ImageViewType::TYPE_2D).format(format);
            let view = device.create_image_view(&info.subresource_range(range(plane)).push_next(&mut usage), None)?;
            let target = vk::RenderingAttachmentInfo::default().image_view(view).image_layout(general);
            let clear = vk::ClearValue { color: vk::ClearColorValue { float32: [1.0; 4] } };
            let targets = [target.load_op(vk::AttachmentLoadOp::CLEAR).store_op(vk::AttachmentStoreOp::STORE).clear_value(clear)];
            let area = vk::Rect2D { extent: vk::Extent2D { width: side(plane), height: side(plane) }, ..Default::default() };
            let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&targets);
            device.cmd_begin_rendering(commands[0], &info);
            device.cmd_end_rendering(commands[0]);
        }
    }
    turn(general);
    for (plane, offset) in [(Aspect::PLANE_0, 2048), (Aspect::PLANE_1, 3072)] {
        device.cmd_copy_image_to_buffer(commands[0], image, general, buffer, &part(plane, offset));
    }
    device.end_command_buffer(commands[0])?;
    let queue = device.get_device_queue(0, 0);
    device.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&commands)], vk::Fence::null())?;
    device.queue_wait_idle(queue)?;
    Ok([2048, 3072].map(|at| [0, 1, 2, 3].map(|byte| bytes.add(at + byte).read())))
}

fn main() {
    unsafe {
        let entry = ash::Entry::load().expect("the Vulkan loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let mut new = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let mut planes = vk::PhysicalDeviceVulkan11Features::default().sampler_ycbcr_conversion(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut new).push_next(&mut planes);
        let device = instance.create_device(physical, &info, None).expect("a device");
        let cases = [
            ("first plane cleared", Step::Clear(Aspect::PLANE_0, vk::Format::R8_UNORM)),
            ("second plane cleared", Step::Clear(Aspect::PLANE_1, vk::Format::R8G8_UNORM)),
            ("second plane copied to", Step::Copy(Aspect::PLANE_1)),
        ];
        for (what, step) in cases {
            let [luma, chroma] = seen(&device, step).expect("Vulkan");
            println!("{what}: luma {luma:?}, chroma {chroma:?}");
        }
    }
}
RUST
cargo build --quiet
MESA_SHADER_CACHE_DISABLE=true target/debug/planes > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
first plane cleared: luma [255, 255, 255, 255], chroma [0, 0, 0, 0]
second plane cleared: luma [255, 255, 255, 255], chroma [0, 0, 0, 0]
second plane copied to: luma [0, 0, 0, 0], chroma [255, 255, 255, 255]
SEEN
