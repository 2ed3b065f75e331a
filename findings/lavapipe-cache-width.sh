#!/bin/bash
# Mesa's lavapipe 25.0.7 (Debian package mesa-vulkan-drivers 25.0.7-2~bpo12+1): its cache of shaders on disk does not tell vector widths
# apart. A pipeline that was first made with vectors of 256 bits (LP_NATIVE_VECTOR_WIDTH=256) has subgroups of 8 invocations also in a later
# process whose vectors have 128 bits, where the device says that a subgroup has 4: the width takes effect only on shaders that are not in
# the cache yet. Vulkan allows no subgroup of more invocations than the device's subgroupSize.
#
# Whoever compares results of two widths, or looks for a fault of one, must switch the cache off (MESA_SHADER_CACHE_DISABLE=true) or give
# each width a cache of its own (MESA_SHADER_CACHE_DIR). The Khronos validation layer 1.3.239 reports nothing.
#
# Seen on Debian 12 with LLVM 15.0.6 and Rust 1.95, 28 November 2026:
#   256 bits, new cache: the device says 8, a subgroup has 8
#   128 bits, same cache: the device says 4, a subgroup has 8
#   128 bits, no cache: the device says 4, a subgroup has 4
#
# Needs cargo, an x86-64 processor, Debian 12 with bookworm-backports among apt's sources, and the other libraries that
# mesa-vulkan-drivers depends on. The shader is ours, of GLSL by glslangValidator and spirv-opt:
#   layout(local_size_x = 64) in;
#   layout(binding = 0) buffer Seen { uint seen; };
#   void main() { seen = subgroupAdd(1); }
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
name = "subgroups"
version = "0.1.0"
edition = "2021"

[dependencies]
ash = "=0.38.0"
TOML
base64 -d > src/subgroups.spv <<'SPIRV'
AwIjBwADAQALAAgAFgAAAAAAAAARAAIAAQAAABEAAgA9AAAAEQACAD8AAAALAAYAAQAAAEdMU0wuc3RkLjQ1MAAAAAAOAAMAAAAAAAEAAAAPAAUABQAAAAQAAABtYWluAAAAABAABgAE
AAAAEQAAAEAAAAABAAAAAQAAAEgABQAHAAAAAAAAACMAAAAAAAAARwADAAcAAAACAAAARwAEAAkAAAAiAAAAAAAAAEcABAAJAAAAIQAAAAAAAABHAAQAFQAAAAsAAAAZAAAAEwACAAIA
AAAhAAMAAwAAAAIAAAAVAAQABgAAACAAAAAAAAAAHgADAAcAAAAGAAAAIAAEAAgAAAAMAAAABwAAADsABAAIAAAACQAAAAwAAAAVAAQACgAAACAAAAABAAAAKwAEAAoAAAALAAAAAAAA
ACsABAAKAAAADAAAAAEAAAArAAQABgAAAA0AAAADAAAAIAAEABAAAAAMAAAABgAAABcABAASAAAABgAAAAMAAAArAAQABgAAABMAAABAAAAAKwAEAAYAAAAUAAAAAQAAACwABgASAAAA
FQAAABMAAAAUAAAAFAAAADYABQACAAAABAAAAAAAAAADAAAA+AACAAUAAABdAQYACgAAAA4AAAANAAAAAAAAAAwAAAB8AAQABgAAAA8AAAAOAAAAQQAFABAAAAARAAAACQAAAAsAAAA+
AAMAEQAAAA8AAAD9AAEAOAABAA==
SPIRV
cat > src/main.rs <<'RUST'
use ash::vk;

/// The invocations of a subgroup, as the shader counts them.
unsafe fn counted(device: &ash::Device) -> Result<u32, vk::Result> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER;
    let buffer = device.create_buffer(&vk::BufferCreateInfo::default().size(4).usage(usage), None)?;
    // Every memory type of lavapipe is visible to the host and coherent.
    let needs = device.get_buffer_memory_requirements(buffer);
    let kind = needs.memory_type_bits.trailing_zeros();
    let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
    let memory = device.allocate_memory(&info, None)?;
    device.bind_buffer_memory(buffer, memory, 0)?;

    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let binding = vk::DescriptorSetLayoutBinding::default().descriptor_type(kind).descriptor_count(1);
    let bindings = [binding.stage_flags(vk::ShaderStageFlags::COMPUTE)];
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    let layouts = [device.create_descriptor_set_layout(&info, None)?];
    let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: 1 }];
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
    let pool = device.create_descriptor_pool(&info, None)?;
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    let sets = device.allocate_descriptor_sets(&info)?;
    let whole = [vk::DescriptorBufferInfo::default().buffer(buffer).range(vk::WHOLE_SIZE)];
    let write = vk::WriteDescriptorSet::default().dst_set(sets[0]).descriptor_type(kind).buffer_info(&whole);
    device.update_descriptor_sets(&[write], &[]);

    let code = ash::util::read_spv(&mut std::io::Cursor::new(&include_bytes!("subgroups.spv")[..])).expect("SPIR-V");
    let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)?;
    let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts), None)?;
    let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(c"main");
    let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
    let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
    let pipeline = made.map_err(|(_, error)| error)?[0];

    let command_pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(command_pool).command_buffer_count(1);
    let commands = device.allocate_command_buffers(&info)?;
    device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
    device.cmd_bind_pipeline(commands[0], vk::PipelineBindPoint::COMPUTE, pipeline);
    device.cmd_bind_descriptor_sets(commands[0], vk::PipelineBindPoint::COMPUTE, layout, 0, &sets, &[]);
    device.cmd_dispatch(commands[0], 1, 1, 1);
    let (from, to) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
    let barrier = vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::SHADER_WRITE).dst_access_mask(vk::AccessFlags::HOST_READ);
    device.cmd_pipeline_barrier(commands[0], from, to, vk::DependencyFlags::empty(), &[barrier], &[], &[]);
    device.end_command_buffer(commands[0])?;
    let queue = device.get_device_queue(0, 0);
    device.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&commands)], vk::Fence::null())?;
    device.queue_wait_idle(queue)?;
    let seen = *device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast();

    device.destroy_command_pool(command_pool, None);
    device.destroy_pipeline(pipeline, None);
    device.destroy_pipeline_layout(layout, None);
    device.destroy_shader_module(module, None);
    device.destroy_descriptor_pool(pool, None);
    device.destroy_descriptor_set_layout(layouts[0], None);
    device.destroy_buffer(buffer, None);
    device.free_memory(memory, None);
    Ok(seen)
}

fn main() {
    unsafe {
        let entry = ash::Entry::load().expect("the Vulkan loader");
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_1);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance = entry.create_instance(&info, None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let mut subgroups = vk::PhysicalDeviceSubgroupProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroups);
        instance.get_physical_device_properties2(physical, &mut properties);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        let device = instance.create_device(physical, &info, None).expect("a device");
        println!("the device says {}, a subgroup has {}", subgroups.subgroup_size, counted(&device).expect("Vulkan"));
        // A thread of the driver writes the cache. A process that just exits leaves the shader out of it at times.
        device.destroy_device(None);
        instance.destroy_instance(None);
    }
}
RUST
cargo build --quiet
export MESA_SHADER_CACHE_DIR=$folder/cache
subgroups() {
  echo "$1: $(LP_NATIVE_VECTOR_WIDTH=$2 target/debug/subgroups)"
}
{
  subgroups "256 bits, new cache" 256
  subgroups "128 bits, same cache" 128
  MESA_SHADER_CACHE_DISABLE=true subgroups "128 bits, no cache" 128
} > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
256 bits, new cache: the device says 8, a subgroup has 8
128 bits, same cache: the device says 4, a subgroup has 8
128 bits, no cache: the device says 4, a subgroup has 4
SEEN
