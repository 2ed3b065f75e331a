#!/bin/bash
# Mesa's lavapipe 25.0.7 (Debian package mesa-vulkan-drivers 25.0.7-2~bpo12+1): a draw to a target of several samples writes samples outside of
# its scissor, in the pixels to the left of it and above it, and occlusion queries count them. Vulkan discards the samples of fragments that lie
# outside (specification, section "Scissor Test"). So multisampled pictures have a fringe wherever a scissor cuts a primitive: user interfaces that
# clip by scissors, tiles, and what a program decides by the samples that passed. A scissor that begins at the corner is right.
#
# Seen on Debian 12 with LLVM 15.0.6 and Rust 1.95, 29 November 2026; a triangle covers all of 8 by 8 pixels. The control has one sample a
# pixel:
#   1 samples a pixel, a scissor of one pixel at 0,0: 1 samples passed, pixels changed: 1
#   1 samples a pixel, a scissor of one pixel at 2,0: 1 samples passed, pixels changed: 1
#   1 samples a pixel, a scissor of one pixel at 2,3: 1 samples passed, pixels changed: 1
#   4 samples a pixel, a scissor of one pixel at 0,0: 4 samples passed, pixels changed: 1
#   4 samples a pixel, a scissor of one pixel at 2,0: 6 samples passed, pixels changed: 2
#   4 samples a pixel, a scissor of one pixel at 2,3: 9 samples passed, pixels changed: 4
#
# Needs cargo, an x86-64 processor, Debian 12 with bookworm-backports among apt's sources, and the other libraries that mesa-vulkan-drivers
# depends on. The shaders are ours, of GLSL by glslangValidator:
#   void main() {
#     gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0);
#   }
#   layout(location = 0) out vec4 seen;
#   void main() {
#     seen = vec4(1.0);
#   }
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
name = "samples"
version = "0.1.0"
edition = "2021"

[dependencies]
ash = "=0.38.0"
TOML
base64 -d > src/triangle.spv <<'SPIRV'
AwIjBwAAAQALAAgAIgAAAAAAAAARAAIAAQAAAAsABgABAAAAR0xTTC5zdGQuNDUwAAAAAA4AAwAAAAAAAQAAAA8ABwAAAAAABAAAAG1haW4AAAAADQAAABEAAABIAAUACwAAAAAAAAALAAAAAAAAAEgA
BQALAAAAAQAAAAsAAAABAAAASAAFAAsAAAACAAAACwAAAAMAAABIAAUACwAAAAMAAAALAAAABAAAAEcAAwALAAAAAgAAAEcABAARAAAACwAAACoAAAATAAIAAgAAACEAAwADAAAAAgAAABYAAwAGAAAA
IAAAABcABAAHAAAABgAAAAQAAAAVAAQACAAAACAAAAAAAAAAKwAEAAgAAAAJAAAAAQAAABwABAAKAAAABgAAAAkAAAAeAAYACwAAAAcAAAAGAAAACgAAAAoAAAAgAAQADAAAAAMAAAALAAAAOwAEAAwA
AAANAAAAAwAAABUABAAOAAAAIAAAAAEAAAArAAQADgAAAA8AAAAAAAAAIAAEABAAAAABAAAADgAAADsABAAQAAAAEQAAAAEAAAArAAQADgAAABMAAAABAAAAFAACABQAAAArAAQABgAAABYAAAAAAEBA
KwAEAAYAAAAXAAAAAACAvysABAAOAAAAGgAAAAIAAAArAAQABgAAAB0AAAAAAAA/KwAEAAYAAAAeAAAAAACAPyAABAAgAAAAAwAAAAcAAAA2AAUAAgAAAAQAAAAAAAAAAwAAAPgAAgAFAAAAPQAEAA4A
AAASAAAAEQAAAKoABQAUAAAAFQAAABIAAAATAAAAqQAGAAYAAAAYAAAAFQAAABYAAAAXAAAAqgAFABQAAAAbAAAAEgAAABoAAACpAAYABgAAABwAAAAbAAAAFgAAABcAAABQAAcABwAAAB8AAAAYAAAA
HAAAAB0AAAAeAAAAQQAFACAAAAAhAAAADQAAAA8AAAA+AAMAIQAAAB8AAAD9AAEAOAABAA==
SPIRV
base64 -d > src/one.spv <<'SPIRV'
AwIjBwAGAQALAAgADAAAAAAAAAARAAIAAQAAAAsABgABAAAAR0xTTC5zdGQuNDUwAAAAAA4AAwAAAAAAAQAAAA8ABgAEAAAABAAAAG1haW4AAAAACQAAABAAAwAEAAAABwAAAEcABAAJAAAAHgAAAAAAAAATAAIA
AgAAACEAAwADAAAAAgAAABYAAwAGAAAAIAAAABcABAAHAAAABgAAAAQAAAAgAAQACAAAAAMAAAAHAAAAOwAEAAgAAAAJAAAAAwAAACsABAAGAAAACgAAAAAAgD8sAAcABwAAAAsAAAAKAAAACgAAAAoAAAAKAAAA
NgAFAAIAAAAEAAAAAAAAAAMAAAD4AAIABQAAAD4AAwAJAAAACwAAAP0AAQA4AAEA
SPIRV
cat > src/main.rs <<'RUST'
use ash::vk;

const SIDE: u32 = 8;
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// Every memory type of lavapipe is visible to the host and coherent.
unsafe fn allocate(device: &ash::Device, needs: vk::MemoryRequirements) -> Result<vk::DeviceMemory, vk::Result> {
    let kind = needs.memory_type_bits.trailing_zeros();
    device.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind), None)
}

unsafe fn image(device: &ash::Device, samples: vk::SampleCountFlags, usage: vk::ImageUsageFlags) -> Result<vk::Image, vk::Result> {
    let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
    let info = vk::ImageCreateInfo::default().image_type(vk::ImageType::TYPE_2D).format(FORMAT).extent(extent).mip_levels(1);
    let image = device.create_image(&info.array_layers(1).samples(samples).usage(usage), None)?;
    device.bind_image_memory(image, allocate(device, device.get_image_memory_requirements(image))?, 0)?;
    Ok(image)
}

unsafe fn pipeline(device: &ash::Device, layout: vk::PipelineLayout, samples: vk::SampleCountFlags) -> Result<vk::Pipeline, vk::Result> {
    let module = |code: &[u8]| {
        let code = ash::util::read_spv(&mut std::io::Cursor::new(code)).expect("SPIR-V");
        device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)
    };
    let stage = |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
    let stages = [
        stage(vk::ShaderStageFlags::VERTEX, module(include_bytes!("triangle.spv"))?),
        stage(vk::ShaderStageFlags::FRAGMENT, module(include_bytes!("one.spv"))?),
    ];
    let viewports = [vk::Viewport { width: SIDE as f32, height: SIDE as f32, max_depth: 1.0, ..Default::default() }];
    let input = Default::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let ports = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples);
    let targets = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&[vk::DynamicState::SCISSOR]);
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&[FORMAT]);
    let info = vk::GraphicsPipelineCreateInfo::default().stages(&stages).vertex_input_state(&input).input_assembly_state(&assembly);
    let info = info.viewport_state(&ports).rasterization_state(&raster).multisample_state(&multisample).color_blend_state(&blend);
    let info = info.dynamic_state(&dynamic).layout(layout).push_next(&mut rendering);
    let made = device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
    Ok(made.map_err(|(_, error)| error)?[0])
}

/// Samples that an occlusion query counts, and pixels that the draw changes.
unsafe fn drawn(device: &ash::Device, several: bool, scissor: vk::Rect2D) -> Result<(u64, usize), vk::Result> {
    type Usage = vk::ImageUsageFlags;
    let samples = if several { vk::SampleCountFlags::TYPE_4 } else { vk::SampleCountFlags::TYPE_1 };
    let target = image(device, samples, Usage::COLOR_ATTACHMENT | Usage::TRANSFER_SRC)?;
    let plain = image(device, vk::SampleCountFlags::TYPE_1, Usage::TRANSFER_DST | Usage::TRANSFER_SRC)?;
    let info = vk::ImageViewCreateInfo::default().image(target).view_type(vk::ImageViewType::TYPE_2D).format(FORMAT);
    let view = device.create_image_view(&info.subresource_range(RANGE), None)?;
    let size = u64::from(SIDE * SIDE * 4);
    let seen = device.create_buffer(&vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::TRANSFER_DST), None)?;
    let memory = allocate(device, device.get_buffer_memory_requirements(seen))?;
    device.bind_buffer_memory(seen, memory, 0)?;
    let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None)?;
    let pipeline = pipeline(device, layout, samples)?;
    let queries = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::OCCLUSION).query_count(1);
    let queries = device.create_query_pool(&queries, None)?;

    let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    let buffers = device.allocate_command_buffers(&info)?;
    let commands = buffers[0];
    let turn = |image, from| {
        let all = (vk::AccessFlags::MEMORY_WRITE, vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
        let barrier = vk::ImageMemoryBarrier::default().image(image).subresource_range(RANGE).old_layout(from);
        let barrier = [barrier.new_layout(vk::ImageLayout::GENERAL).src_access_mask(all.0).dst_access_mask(all.1)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        device.cmd_pipeline_barrier(commands, stages, stages, vk::DependencyFlags::empty(), &[], &[], &barrier);
    };
    device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
    device.cmd_reset_query_pool(commands, queries, 0, 1);
    turn(target, vk::ImageLayout::UNDEFINED);
    turn(plain, vk::ImageLayout::UNDEFINED);
    let attachment = vk::RenderingAttachmentInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL);
    let attachments = [attachment.load_op(vk::AttachmentLoadOp::CLEAR).store_op(vk::AttachmentStoreOp::STORE)];
    let area = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
    device.cmd_begin_rendering(commands, &vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attachments));
    device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
    device.cmd_set_scissor(commands, 0, &[scissor]);
    device.cmd_begin_query(commands, queries, 0, vk::QueryControlFlags::PRECISE);
    device.cmd_draw(commands, 3, 1, 0, 0);
    device.cmd_end_query(commands, queries, 0);
    device.cmd_end_rendering(commands);
    turn(target, vk::ImageLayout::GENERAL);
    let layers = vk::ImageSubresourceLayers { aspect_mask: vk::ImageAspectFlags::COLOR, layer_count: 1, ..Default::default() };
    let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
    let general = vk::ImageLayout::GENERAL;
    if several {
        let region = vk::ImageResolve::default().src_subresource(layers).dst_subresource(layers).extent(extent);
        device.cmd_resolve_image(commands, target, general, plain, general, &[region]);
    } else {
        let region = vk::ImageCopy::default().src_subresource(layers).dst_subresource(layers).extent(extent);
        device.cmd_copy_image(commands, target, general, plain, general, &[region]);
    }
    turn(plain, vk::ImageLayout::GENERAL);
    let copy = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
    device.cmd_copy_image_to_buffer(commands, plain, general, seen, &[copy]);
    device.end_command_buffer(commands)?;
    let queue = device.get_device_queue(0, 0);
    device.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&buffers)], vk::Fence::null())?;
    device.queue_wait_idle(queue)?;
    let mut count = [0u64];
    device.get_query_pool_results(queries, 0, &mut count, vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT)?;
    let texels = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast::<u32>();
    let changed = (0..(SIDE * SIDE) as usize).filter(|at| texels.add(*at).read() != 0).count();
    Ok((count[0], changed))
}

fn main() {
    unsafe {
        let entry = ash::Entry::load().expect("the Vulkan loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let mut new = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let features = vk::PhysicalDeviceFeatures::default().occlusion_query_precise(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&features).push_next(&mut new);
        let device = instance.create_device(physical, &info, None).expect("a device");
        for several in [false, true] {
            for (x, y) in [(0, 0), (2, 0), (2, 3)] {
                let (offset, extent) = (vk::Offset2D { x, y }, vk::Extent2D { width: 1, height: 1 });
                let (count, changed) = drawn(&device, several, vk::Rect2D { offset, extent }).expect("Vulkan");
                let samples = if several { 4 } else { 1 };
                println!("{samples} samples a pixel, a scissor of one pixel at {x},{y}: {count} samples passed, pixels changed: {changed}");
            }
        }
    }
}
RUST
cargo build --quiet
MESA_SHADER_CACHE_DISABLE=true target/debug/samples > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
1 samples a pixel, a scissor of one pixel at 0,0: 1 samples passed, pixels changed: 1
1 samples a pixel, a scissor of one pixel at 2,0: 1 samples passed, pixels changed: 1
1 samples a pixel, a scissor of one pixel at 2,3: 1 samples passed, pixels changed: 1
4 samples a pixel, a scissor of one pixel at 0,0: 4 samples passed, pixels changed: 1
4 samples a pixel, a scissor of one pixel at 2,0: 6 samples passed, pixels changed: 2
4 samples a pixel, a scissor of one pixel at 2,3: 9 samples passed, pixels changed: 4
SEEN
