#!/bin/bash
# Mesa's lavapipe 25.0.7 (Debian package mesa-vulkan-drivers 25.0.7-2~bpo12+1): after a draw by a pipeline without colour attachments, as depth
# passes have, a pipeline whose attachments have different write masks (VkPipelineColorBlendAttachmentState::colorWriteMask, feature
# independentBlend) writes all of them with the mask of the first one. Here that is empty, so nothing reaches the second attachment. Each pipeline
# has all of its blend state (specification, section "Blending"), and nothing of it is dynamic. So a scene that draws depth first and then to
# several targets with masks of their own is wrong without a word. A pipeline with one attachment of VK_FORMAT_UNDEFINED in the place of none
# does not do it.
#
# Seen on Debian 12 with LLVM 15.0.6 and Rust 1.95, 30 November 2026, the number in the second attachment behind each draw:
#   second: [7]
#   none, second: [0, 0]
#   second, none, second: [7, 7, 0]
#   one without a format, second: [0, 7]
#
# Needs cargo, an x86-64 processor, Debian 12 with bookworm-backports among apt's sources, and the other libraries that mesa-vulkan-drivers
# depends on. The shaders are ours, of GLSL by glslangValidator and spirv-opt:
#   void main() {
#     gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0);
#   }
#   void main() {}
#   layout(location = 1) out uint seen;
#   void main() {
#     seen = 7;
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
name = "masks"
version = "0.1.0"
edition = "2021"

[dependencies]
ash = "=0.38.0"
TOML
base64 -d > src/triangle.spv <<'SPIRV'
AwIjBwAAAQALAAgAIgAAAAAAAAARAAIAAQAAAAsABgABAAAAR0xTTC5zdGQuNDUwAAAAAA4AAwAAAAAAAQAAAA8ABwAAAAAABAAAAG1haW4AAAAADQAAABEAAABIAAUACwAAAAAAAAALAAAAAAAAAEgABQALAAAA
AQAAAAsAAAABAAAASAAFAAsAAAACAAAACwAAAAMAAABIAAUACwAAAAMAAAALAAAABAAAAEcAAwALAAAAAgAAAEcABAARAAAACwAAACoAAAATAAIAAgAAACEAAwADAAAAAgAAABYAAwAGAAAAIAAAABcABAAHAAAA
BgAAAAQAAAAVAAQACAAAACAAAAAAAAAAKwAEAAgAAAAJAAAAAQAAABwABAAKAAAABgAAAAkAAAAeAAYACwAAAAcAAAAGAAAACgAAAAoAAAAgAAQADAAAAAMAAAALAAAAOwAEAAwAAAANAAAAAwAAABUABAAOAAAA
IAAAAAEAAAArAAQADgAAAA8AAAAAAAAAIAAEABAAAAABAAAADgAAADsABAAQAAAAEQAAAAEAAAArAAQADgAAABMAAAABAAAAFAACABQAAAArAAQABgAAABYAAAAAAEBAKwAEAAYAAAAXAAAAAACAvysABAAOAAAA
GgAAAAIAAAArAAQABgAAAB0AAAAAAAA/KwAEAAYAAAAeAAAAAACAPyAABAAgAAAAAwAAAAcAAAA2AAUAAgAAAAQAAAAAAAAAAwAAAPgAAgAFAAAAPQAEAA4AAAASAAAAEQAAAKoABQAUAAAAFQAAABIAAAATAAAA
qQAGAAYAAAAYAAAAFQAAABYAAAAXAAAAqgAFABQAAAAbAAAAEgAAABoAAACpAAYABgAAABwAAAAbAAAAFgAAABcAAABQAAcABwAAAB8AAAAYAAAAHAAAAB0AAAAeAAAAQQAFACAAAAAhAAAADQAAAA8AAAA+AAMA
IQAAAB8AAAD9AAEAOAABAA==
SPIRV
base64 -d > src/nothing.spv <<'SPIRV'
AwIjBwAAAQALAAgABgAAAAAAAAARAAIAAQAAAAsABgABAAAAR0xTTC5zdGQuNDUwAAAAAA4AAwAAAAAAAQAAAA8ABQAEAAAABAAAAG1haW4AAAAAEAADAAQAAAAHAAAAEwACAAIAAAAhAAMAAwAAAAIAAAA2AAUA
AgAAAAQAAAAAAAAAAwAAAPgAAgAFAAAA/QABADgAAQA=
SPIRV
base64 -d > src/second.spv <<'SPIRV'
AwIjBwAAAQALAAgACgAAAAAAAAARAAIAAQAAAAsABgABAAAAR0xTTC5zdGQuNDUwAAAAAA4AAwAAAAAAAQAAAA8ABgAEAAAABAAAAG1haW4AAAAACAAAABAAAwAEAAAABwAAAEcABAAIAAAAHgAAAAEAAAATAAIA
AgAAACEAAwADAAAAAgAAABUABAAGAAAAIAAAAAAAAAAgAAQABwAAAAMAAAAGAAAAOwAEAAcAAAAIAAAAAwAAACsABAAGAAAACQAAAAcAAAA2AAUAAgAAAAQAAAAAAAAAAwAAAPgAAgAFAAAAPgADAAgAAAAJAAAA
/QABADgAAQA=
SPIRV
cat > src/main.rs <<'RUST'
use ash::vk;

const SIDE: u32 = 8;
const FORMAT: vk::Format = vk::Format::R32_UINT;

/// What is drawn: with which attachments, of which some have a view and are written, and with which fragment shader.
#[derive(Clone, Copy)]
struct Step {
    slots: &'static [bool],
    shader: &'static [u8],
}

/// Without colour attachments.
const NONE: Step = Step { slots: &[], shader: include_bytes!("nothing.spv") };
/// With one that has no format.
const UNUSED: Step = Step { slots: &[false], ..NONE };
/// To the second of two attachments.
const SECOND: Step = Step { slots: &[false, true], shader: include_bytes!("second.spv") };

unsafe fn pipeline(device: &ash::Device, layout: vk::PipelineLayout, step: Step) -> Result<vk::Pipeline, vk::Result> {
    let module = |code: &[u8]| {
        let code = ash::util::read_spv(&mut std::io::Cursor::new(code)).expect("SPIR-V");
        device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)
    };
    let stage = |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
    let stages = [
        stage(vk::ShaderStageFlags::VERTEX, module(include_bytes!("triangle.spv"))?),
        stage(vk::ShaderStageFlags::FRAGMENT, module(step.shader)?),
    ];
    let viewports = [vk::Viewport { width: SIDE as f32, height: SIDE as f32, max_depth: 1.0, ..Default::default() }];
    let scissors = [vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() }];
    let input = Default::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let ports = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let targets: Vec<_> = step.slots.iter().map(|has| {
        let mask = if *has { vk::ColorComponentFlags::RGBA } else { vk::ColorComponentFlags::empty() };
        vk::PipelineColorBlendAttachmentState::default().color_write_mask(mask)
    }).collect();
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
    let formats: Vec<_> = step.slots.iter().map(|has| if *has { FORMAT } else { vk::Format::UNDEFINED }).collect();
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
    let info = vk::GraphicsPipelineCreateInfo::default().stages(&stages).vertex_input_state(&input).input_assembly_state(&assembly);
    let info = info.viewport_state(&ports).rasterization_state(&raster).multisample_state(&multisample).color_blend_state(&blend);
    let made = device.create_graphics_pipelines(vk::PipelineCache::null(), &[info.layout(layout).push_next(&mut rendering)], None);
    Ok(made.map_err(|(_, error)| error)?[0])
}

/// The numbers that the draws leave in the second attachment, which begins with 0.
unsafe fn drawn(device: &ash::Device, steps: &[Step]) -> Result<Vec<u32>, vk::Result> {
    type Usage = vk::ImageUsageFlags;
    let allocate = |needs: vk::MemoryRequirements| {
        let kind = needs.memory_type_bits.trailing_zeros();
        device.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind), None)
    };
    let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
    let range = vk::ImageSubresourceRange { aspect_mask: vk::ImageAspectFlags::COLOR, level_count: 1, layer_count: 1, ..Default::default() };
    let mut images = Vec::new();
    for _ in 0..2 {
        let info = vk::ImageCreateInfo::default().image_type(vk::ImageType::TYPE_2D).format(FORMAT).extent(extent).mip_levels(1);
        let info = info.array_layers(1).samples(vk::SampleCountFlags::TYPE_1);
        let image = device.create_image(&info.usage(Usage::COLOR_ATTACHMENT | Usage::TRANSFER_SRC), None)?;
        device.bind_image_memory(image, allocate(device.get_image_memory_requirements(image))?, 0)?;
        let info = vk::ImageViewCreateInfo::default().image(image).view_type(vk::ImageViewType::TYPE_2D).format(FORMAT);
        images.push((image, device.create_image_view(&info.subresource_range(range), None)?));
    }
    let info = vk::BufferCreateInfo::default().size(65536).usage(vk::BufferUsageFlags::TRANSFER_DST);
    let seen = device.create_buffer(&info, None)?;
    let memory = allocate(device.get_buffer_memory_requirements(seen))?;
    device.bind_buffer_memory(seen, memory, 0)?;
    let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None)?;
    let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    let commands = device.allocate_command_buffers(&info)?;
    let turn = |from, to| {
        let all = (vk::AccessFlags::MEMORY_WRITE, vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
        let barriers: Vec<_> = images.iter().map(|(image, _)| {
            let barrier = vk::ImageMemoryBarrier::default().image(*image).subresource_range(range).old_layout(from).new_layout(to);
            barrier.src_access_mask(all.0).dst_access_mask(all.1)
        }).collect();
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        device.cmd_pipeline_barrier(commands[0], stages, stages, vk::DependencyFlags::empty(), &[], &[], &barriers);
    };
    device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
    turn(vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
    for (at, step) in steps.iter().enumerate() {
        let made = pipeline(device, layout, *step)?;
        let targets: Vec<_> = step.slots.iter().zip(&images).map(|(has, (_, view))| {
            let target = vk::RenderingAttachmentInfo::default().image_layout(vk::ImageLayout::GENERAL);
            let target = target.load_op(vk::AttachmentLoadOp::CLEAR).store_op(vk::AttachmentStoreOp::STORE);
            if *has { target.image_view(*view) } else { vk::RenderingAttachmentInfo::default() }
        }).collect();
        let area = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&targets);
        device.cmd_begin_rendering(commands[0], &info);
        device.cmd_bind_pipeline(commands[0], vk::PipelineBindPoint::GRAPHICS, made);
        device.cmd_draw(commands[0], 3, 1, 0, 0);
        device.cmd_end_rendering(commands[0]);
        turn(vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
        let layers = vk::ImageSubresourceLayers { aspect_mask: vk::ImageAspectFlags::COLOR, layer_count: 1, ..Default::default() };
        let copy = vk::BufferImageCopy::default().buffer_offset(at as u64 * 256).image_subresource(layers).image_extent(extent);
        device.cmd_copy_image_to_buffer(commands[0], images[1].0, vk::ImageLayout::GENERAL, seen, &[copy]);
        turn(vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
    }
    device.end_command_buffer(commands[0])?;
    let queue = device.get_device_queue(0, 0);
    device.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&commands)], vk::Fence::null())?;
    device.queue_wait_idle(queue)?;
    let words = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast::<u32>();
    Ok((0..steps.len()).map(|draw| words.add(draw * 64).read()).collect())
}

fn main() {
    unsafe {
        let entry = ash::Entry::load().expect("the Vulkan loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let mut new = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let features = vk::PhysicalDeviceFeatures::default().independent_blend(true);
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut new).enabled_features(&features);
        let device = instance.create_device(physical, &info, None).expect("a device");
        let cases = [
            ("second", vec![SECOND]),
            ("none, second", vec![NONE, SECOND]),
            ("second, none, second", vec![SECOND, NONE, SECOND]),
            ("one without a format, second", vec![UNUSED, SECOND]),
        ];
        for (what, steps) in cases {
            println!("{what}: {:?}", drawn(&device, &steps).expect("Vulkan"));
        }
    }
}
RUST
cargo build --quiet
MESA_SHADER_CACHE_DISABLE=true target/debug/masks > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
second: [7]
none, second: [0, 0]
second, none, second: [7, 7, 0]
one without a format, second: [0, 7]
SEEN
