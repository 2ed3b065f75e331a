#!/bin/bash
# Mesa's lavapipe 25.0.7 (Debian package mesa-vulkan-drivers 25.0.7-2~bpo12+1): push constants that are set, and then drawn with first by a
# pipeline without a fragment shader, never reach the fragment shader of the next pipeline, which reads older ones. Vulkan keeps push
# constants for all stages of the range until they are set again or disturbed by an incompatible layout (specification, section "Push Constant
# Updates"); both pipelines have one layout here. A depth pre-pass whose constants are set once for both passes is drawn with another
# object's constants, so a Direct3D runtime that keeps root constants there has to set them again.
#
# Seen on Debian 12 with LLVM 15.0.6 and Rust 1.95, 29 November 2026; the control sets the constants again before the second pipeline:
#   7 set, drawn: 7
#   8 set, drawn without a fragment shader, drawn: 7
#   9 set, drawn without a fragment shader, 9 set, drawn: 9
#
# Needs cargo, an x86-64 processor, Debian 12 with bookworm-backports among apt's sources, and the other libraries that mesa-vulkan-drivers
# depends on. The shaders are ours, of GLSL by glslangValidator and spirv-opt:
#   void main() {
#     gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.5, 1.0);
#   }
#   layout(push_constant) uniform Constants { uint value; };
#   layout(location = 0) out uint seen;
#   void main() {
#     seen = value;
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
name = "constants"
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
base64 -d > src/constant.spv <<'SPIRV'
AwIjBwAAAQALAAgAEQAAAAAAAAARAAIAAQAAAAsABgABAAAAR0xTTC5zdGQuNDUwAAAAAA4AAwAAAAAAAQAAAA8ABgAEAAAABAAAAG1haW4AAAAACAAAABAAAwAEAAAABwAAAEcABAAIAAAAHgAAAAAA
AABIAAUACQAAAAAAAAAjAAAAAAAAAEcAAwAJAAAAAgAAABMAAgACAAAAIQADAAMAAAACAAAAFQAEAAYAAAAgAAAAAAAAACAABAAHAAAAAwAAAAYAAAA7AAQABwAAAAgAAAADAAAAHgADAAkAAAAGAAAA
IAAEAAoAAAAJAAAACQAAADsABAAKAAAACwAAAAkAAAAVAAQADAAAACAAAAABAAAAKwAEAAwAAAANAAAAAAAAACAABAAOAAAACQAAAAYAAAA2AAUAAgAAAAQAAAAAAAAAAwAAAPgAAgAFAAAAQQAFAA4A
AAAPAAAACwAAAA0AAAA9AAQABgAAABAAAAAPAAAAPgADAAgAAAAQAAAA/QABADgAAQA=
SPIRV
cat > src/main.rs <<'RUST'
use ash::vk;

const SIDE: u32 = 8;
const FORMAT: vk::Format = vk::Format::R32_UINT;
const STAGES: vk::ShaderStageFlags = vk::ShaderStageFlags::from_raw(
    vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw(),
);

/// What a list of commands does, one after the other; each `Draw` gives the number that the target then holds.
#[derive(Clone, Copy)]
enum Step {
    Set(u32),
    /// Without a fragment shader.
    Before,
    Draw,
}

unsafe fn pipeline(device: &ash::Device, layout: vk::PipelineLayout, has_fragments: bool) -> Result<vk::Pipeline, vk::Result> {
    let module = |code: &[u8]| {
        let code = ash::util::read_spv(&mut std::io::Cursor::new(code)).expect("SPIR-V");
        device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)
    };
    let stage = |stage, module| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
    let mut stages = vec![stage(vk::ShaderStageFlags::VERTEX, module(include_bytes!("triangle.spv"))?)];
    if has_fragments {
        stages.push(stage(vk::ShaderStageFlags::FRAGMENT, module(include_bytes!("constant.spv"))?));
    }
    let viewports = [vk::Viewport { width: SIDE as f32, height: SIDE as f32, max_depth: 1.0, ..Default::default() }];
    let scissors = [vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() }];
    let input = Default::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let ports = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let mask = if has_fragments { vk::ColorComponentFlags::R } else { vk::ColorComponentFlags::empty() };
    let targets = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(mask)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&targets);
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&[FORMAT]);
    let info = vk::GraphicsPipelineCreateInfo::default().stages(&stages).vertex_input_state(&input).input_assembly_state(&assembly);
    let info = info.viewport_state(&ports).rasterization_state(&raster).multisample_state(&multisample).color_blend_state(&blend);
    let made = device.create_graphics_pipelines(vk::PipelineCache::null(), &[info.layout(layout).push_next(&mut rendering)], None);
    Ok(made.map_err(|(_, error)| error)?[0])
}

/// The numbers that the draws leave in the target.
unsafe fn drawn(device: &ash::Device, steps: &[Step]) -> Result<Vec<u32>, vk::Result> {
    type Usage = vk::ImageUsageFlags;
    // Every memory type of lavapipe is visible to the host and coherent.
    let allocate = |needs: vk::MemoryRequirements| {
        let kind = needs.memory_type_bits.trailing_zeros();
        device.allocate_memory(&vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind), None)
    };
    let extent = vk::Extent3D { width: SIDE, height: SIDE, depth: 1 };
    let info = vk::ImageCreateInfo::default().image_type(vk::ImageType::TYPE_2D).format(FORMAT).extent(extent).mip_levels(1);
    let info = info.array_layers(1).samples(vk::SampleCountFlags::TYPE_1);
    let image = device.create_image(&info.usage(Usage::COLOR_ATTACHMENT | Usage::TRANSFER_SRC), None)?;
    device.bind_image_memory(image, allocate(device.get_image_memory_requirements(image))?, 0)?;
    let range = vk::ImageSubresourceRange { aspect_mask: vk::ImageAspectFlags::COLOR, level_count: 1, layer_count: 1, ..Default::default() };
    let info = vk::ImageViewCreateInfo::default().image(image).view_type(vk::ImageViewType::TYPE_2D).format(FORMAT);
    let view = device.create_image_view(&info.subresource_range(range), None)?;
    let info = vk::BufferCreateInfo::default().size(4096).usage(vk::BufferUsageFlags::TRANSFER_DST);
    let seen = device.create_buffer(&info, None)?;
    let memory = allocate(device.get_buffer_memory_requirements(seen))?;
    device.bind_buffer_memory(seen, memory, 0)?;
    let ranges = [vk::PushConstantRange { stage_flags: STAGES, offset: 0, size: 4 }];
    let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges), None)?;
    let (before, whole) = (pipeline(device, layout, false)?, pipeline(device, layout, true)?);

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
    let mut draws = 0;
    for step in steps {
        let pipeline = match step {
            Step::Set(value) => {
                device.cmd_push_constants(commands[0], layout, STAGES, 0, &value.to_le_bytes());
                continue;
            }
            Step::Before => before,
            Step::Draw => whole,
        };
        let target = vk::RenderingAttachmentInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL);
        let target = [target.load_op(vk::AttachmentLoadOp::CLEAR).store_op(vk::AttachmentStoreOp::STORE)];
        let area = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&target);
        device.cmd_begin_rendering(commands[0], &info);
        device.cmd_bind_pipeline(commands[0], vk::PipelineBindPoint::GRAPHICS, pipeline);
        device.cmd_draw(commands[0], 3, 1, 0, 0);
        device.cmd_end_rendering(commands[0]);
        turn(vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
        if matches!(step, Step::Draw) {
            let layers = vk::ImageSubresourceLayers { aspect_mask: vk::ImageAspectFlags::COLOR, layer_count: 1, ..Default::default() };
            let copy = vk::BufferImageCopy::default().buffer_offset(draws * 256).image_subresource(layers).image_extent(extent);
            device.cmd_copy_image_to_buffer(commands[0], image, vk::ImageLayout::GENERAL, seen, &[copy]);
            turn(vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
            draws += 1;
        }
    }
    device.end_command_buffer(commands[0])?;
    let queue = device.get_device_queue(0, 0);
    device.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&commands)], vk::Fence::null())?;
    device.queue_wait_idle(queue)?;
    let words = device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast::<u32>();
    Ok((0..draws as usize).map(|draw| words.add(draw * 64).read()).collect())
}

fn main() {
    unsafe {
        let entry = ash::Entry::load().expect("the Vulkan loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&application), None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let mut new = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut new);
        let device = instance.create_device(physical, &info, None).expect("a device");
        use Step::{Before, Draw, Set};
        let steps = [Set(7), Draw, Set(8), Before, Draw, Set(9), Before, Set(9), Draw];
        let seen = drawn(&device, &steps).expect("Vulkan");
        println!("7 set, drawn: {}", seen[0]);
        println!("8 set, drawn without a fragment shader, drawn: {}", seen[1]);
        println!("9 set, drawn without a fragment shader, 9 set, drawn: {}", seen[2]);
    }
}
RUST
cargo build --quiet
MESA_SHADER_CACHE_DISABLE=true target/debug/constants > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
7 set, drawn: 7
8 set, drawn without a fragment shader, drawn: 7
9 set, drawn without a fragment shader, 9 set, drawn: 9
SEEN
