#!/bin/bash
# Mesa's lavapipe 25.0.7 (Debian package mesa-vulkan-drivers 25.0.7-2~bpo12+1): a unit of depthBiasConstantFactor moves the depth in a
# D16_UNORM target by two of its steps, not by one, and the extension by which a program asks for exact steps (VK_EXT_depth_bias_control)
# is not there. Vulkan allows that: the minimum resolvable difference r of a fixed-point format may be up to 2 * 2^-n (specification,
# section "Depth Bias"). Direct3D defines one step, so a Direct3D runtime that passes the factor on has twice the bias here. In a
# D32_SFLOAT target a unit is one step of the float, as in Direct3D.
#
# Seen on Debian 12 with LLVM 15.0.6 and Rust 1.95, 29 November 2026, steps from the depth 0.75 without a bias:
#   VK_EXT_depth_bias_control: false
#   D16_UNORM: [0, 2, 6, 200, -2, -200]
#   D32_SFLOAT: [0, 1, 3, 100, -1, -100]
#
# Needs cargo, an x86-64 processor, Debian 12 with bookworm-backports among apt's sources, and the other libraries that mesa-vulkan-drivers
# depends on. The shader is ours, of GLSL by glslangValidator and spirv-opt:
#   void main() {
#     gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.75, 1.0);
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
name = "bias"
version = "0.1.0"
edition = "2021"

[dependencies]
ash = "=0.38.0"
TOML
base64 -d > src/triangle.spv <<'SPIRV'
AwIjBwAAAQALAAgAIgAAAAAAAAARAAIAAQAAAAsABgABAAAAR0xTTC5zdGQuNDUwAAAAAA4AAwAAAAAAAQAAAA8ABwAAAAAABAAAAG1haW4AAAAADQAAABEAAABIAAUACwAAAAAAAAALAAAA
AAAAAEgABQALAAAAAQAAAAsAAAABAAAASAAFAAsAAAACAAAACwAAAAMAAABIAAUACwAAAAMAAAALAAAABAAAAEcAAwALAAAAAgAAAEcABAARAAAACwAAACoAAAATAAIAAgAAACEAAwADAAAA
AgAAABYAAwAGAAAAIAAAABcABAAHAAAABgAAAAQAAAAVAAQACAAAACAAAAAAAAAAKwAEAAgAAAAJAAAAAQAAABwABAAKAAAABgAAAAkAAAAeAAYACwAAAAcAAAAGAAAACgAAAAoAAAAgAAQA
DAAAAAMAAAALAAAAOwAEAAwAAAANAAAAAwAAABUABAAOAAAAIAAAAAEAAAArAAQADgAAAA8AAAAAAAAAIAAEABAAAAABAAAADgAAADsABAAQAAAAEQAAAAEAAAArAAQADgAAABMAAAABAAAA
FAACABQAAAArAAQABgAAABYAAAAAAEBAKwAEAAYAAAAXAAAAAACAvysABAAOAAAAGgAAAAIAAAArAAQABgAAAB0AAAAAAEA/KwAEAAYAAAAeAAAAAACAPyAABAAgAAAAAwAAAAcAAAA2AAUA
AgAAAAQAAAAAAAAAAwAAAPgAAgAFAAAAPQAEAA4AAAASAAAAEQAAAKoABQAUAAAAFQAAABIAAAATAAAAqQAGAAYAAAAYAAAAFQAAABYAAAAXAAAAqgAFABQAAAAbAAAAEgAAABoAAACpAAYA
BgAAABwAAAAbAAAAFgAAABcAAABQAAcABwAAAB8AAAAYAAAAHAAAAB0AAAAeAAAAQQAFACAAAAAhAAAADQAAAA8AAAA+AAMAIQAAAB8AAAD9AAEAOAABAA==
SPIRV
cat > src/main.rs <<'RUST'
use ash::vk;

const SIDE: u32 = 8;
const FACTORS: [f32; 6] = [0.0, 1.0, 3.0, 100.0, -1.0, -100.0];

/// The bits of a pixel's depth after a triangle over the whole target, drawn with this constant factor.
unsafe fn drawn(device: &ash::Device, format: vk::Format, factor: f32) -> Result<u32, vk::Result> {
    type Usage = vk::ImageUsageFlags;
    // Every memory type of lavapipe is visible to the host and coherent.
    let allocate = |needs: vk::MemoryRequirements| {
        let kind = needs.memory_type_bits.trailing_zeros();
        device.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind), None)
    };
    let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
    let info = vk::ImageCreateInfo::default().image_type(vk::ImageType::TYPE_2D).format(format).extent(extent).mip_levels(1);
    let info = info.array_layers(1).samples(vk::SampleCountFlags::TYPE_1);
    let image = device.create_image(&info.usage(Usage::DEPTH_STENCIL_ATTACHMENT | Usage::TRANSFER_SRC), None)?;
    device.bind_image_memory(image, allocate(device.get_image_memory_requirements(image))?, 0)?;
    let range = vk::ImageSubresourceRange { aspect_mask: vk::ImageAspectFlags::DEPTH, level_count: 1, layer_count: 1, ..Default::default() };
    let info = vk::ImageViewCreateInfo::default().image(image).view_type(vk::ImageViewType::TYPE_2D).format(format);
    let view = device.create_image_view(&info.subresource_range(range), None)?;
    let info = vk::BufferCreateInfo::default().size(4096).usage(vk::BufferUsageFlags::TRANSFER_DST);
    let seen = device.create_buffer(&info, None)?;
    let memory = allocate(device.get_buffer_memory_requirements(seen))?;
    device.bind_buffer_memory(seen, memory, 0)?;

    let code = ash::util::read_spv(&mut std::io::Cursor::new(&include_bytes!("triangle.spv")[..])).expect("SPIR-V");
    let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)?;
    let stages = [vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::VERTEX).module(module).name(c"main")];
    let area = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
    let viewports = [vk::Viewport { width: SIDE as f32, height: SIDE as f32, max_depth: 1.0, ..Default::default() }];
    let scissors = [area];
    let (input, samples) = (Default::default(), vk::SampleCountFlags::TYPE_1);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let ports = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().depth_bias_enable(true).depth_bias_constant_factor(factor);
    let raster = raster.line_width(1.0);
    let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default().depth_test_enable(true).depth_write_enable(true);
    let depth = depth.depth_compare_op(vk::CompareOp::ALWAYS);
    let layout = device.create_pipeline_layout(&Default::default(), None)?;
    let mut rendering = vk::PipelineRenderingCreateInfo::default().depth_attachment_format(format);
    let info = vk::GraphicsPipelineCreateInfo::default().stages(&stages).vertex_input_state(&input).input_assembly_state(&assembly);
    let info = info.viewport_state(&ports).rasterization_state(&raster).multisample_state(&multisample).depth_stencil_state(&depth);
    let info = [info.layout(layout).push_next(&mut rendering)];
    let made = device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None);
    let pipeline = made.map_err(|(_, error)| error)?[0];

    let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    let commands = device.allocate_command_buffers(&info)?;
    let turn = |from, to| {
        let all = (vk::AccessFlags::MEMORY_WRITE, vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
        let barrier = vk::ImageMemoryBarrier::default().image(image).subresource_range(range).old_layout(from).new_layout(to);
        let barrier = [barrier.src_access_mask(all.0).dst_access_mask(all.1)];
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        device.cmd_pipeline_barrier(commands[0], stages, stages, vk::DependencyFlags::empty(), &[], &[], &barrier);
    };
    device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
    turn(vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
    let target = vk::RenderingAttachmentInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL);
    let target = target.load_op(vk::AttachmentLoadOp::CLEAR).store_op(vk::AttachmentStoreOp::STORE);
    let info = vk::RenderingInfo::default().render_area(area).layer_count(1).depth_attachment(&target);
    device.cmd_begin_rendering(commands[0], &info);
    device.cmd_bind_pipeline(commands[0], vk::PipelineBindPoint::GRAPHICS, pipeline);
    device.cmd_draw(commands[0], 3, 1, 0, 0);
    device.cmd_end_rendering(commands[0]);
    turn(vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
    let layers = vk::ImageSubresourceLayers { aspect_mask: vk::ImageAspectFlags::DEPTH, layer_count: 1, ..Default::default() };
    let copy = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
    device.cmd_copy_image_to_buffer(commands[0], image, vk::ImageLayout::GENERAL, seen, &[copy]);
    device.end_command_buffer(commands[0])?;
    let queue = device.get_device_queue(0, 0);
    device.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&commands)], vk::Fence::null())?;
    device.queue_wait_idle(queue)?;
    let words = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?;
    Ok(if format == vk::Format::D16_UNORM { words.cast::<u16>().read().into() } else { words.cast::<u32>().read() })
}

fn main() {
    unsafe {
        let entry = ash::Entry::load().expect("the Vulkan loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let extensions = instance.enumerate_device_extension_properties(physical).expect("extensions");
        let control = extensions.iter().any(|it| it.extension_name_as_c_str() == Ok(c"VK_EXT_depth_bias_control"));
        println!("VK_EXT_depth_bias_control: {control}");
        let mut new = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut new);
        let device = instance.create_device(physical, &info, None).expect("a device");
        for format in [vk::Format::D16_UNORM, vk::Format::D32_SFLOAT] {
            let depths = FACTORS.map(|factor| drawn(&device, format, factor).expect("Vulkan") as i64);
            println!("{format:?}: {:?}", depths.map(|depth| depth - depths[0]));
        }
    }
}
RUST
cargo build --quiet
MESA_SHADER_CACHE_DISABLE=true target/debug/bias > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
VK_EXT_depth_bias_control: false
D16_UNORM: [0, 2, 6, 200, -2, -200]
D32_SFLOAT: [0, 1, 3, 100, -1, -100]
SEEN
