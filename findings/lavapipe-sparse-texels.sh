#!/bin/bash
# Mesa's lavapipe 25.0.7 (Debian package mesa-vulkan-drivers 25.0.7-2~bpo12+1): storage texel buffer views of a sparse buffer read 0 and lose
# their stores, without a message, though every byte of the buffer is bound to memory and lavapipe says that it has sparseBinding and
# sparseResidencyBuffer. Storage buffers and uniform texel buffer views of the same buffer are right in the same shader, and so is
# everything where the buffer is not sparse.
#
# Which texels are wrong depends on the shader, on the vector width and on the processor's instructions: with vectors of 256 bits and AVX2,
# half of the words of this shader are right. The script sets both, so that the processor does not decide. The Khronos
# validation layer 1.3.239 reports nothing.
#
# Seen on Debian 12 with LLVM 15.0.6 and Rust 1.95, 28 November 2026, of 64 words each:
#   plain, storage buffer: 64 read, 64 written
#   plain, uniform texel view: 64 read
#   plain, storage texel view: 64 read, 64 written
#   SPARSE_BINDING, storage buffer: 64 read, 64 written
#   SPARSE_BINDING, uniform texel view: 64 read
#   SPARSE_BINDING, storage texel view: 0 read, 0 written
#   SPARSE_BINDING | SPARSE_RESIDENCY, storage buffer: 64 read, 64 written
#   SPARSE_BINDING | SPARSE_RESIDENCY, uniform texel view: 64 read
#   SPARSE_BINDING | SPARSE_RESIDENCY, storage texel view: 0 read, 0 written
#
# Needs cargo, an x86-64 processor, Debian 12 with bookworm-backports among apt's sources, and the other libraries that mesa-vulkan-drivers
# depends on. The shader is ours, of GLSL by glslangValidator and spirv-opt:
#   layout(local_size_x = 64) in;
#   layout(binding = 0) buffer Tested { uint words[]; };
#   layout(binding = 1) uniform utextureBuffer sampled;
#   layout(binding = 2, r32ui) uniform uimageBuffer texels;
#   layout(binding = 3) buffer Seen { uint seen[]; };
#   void main() {
#     uint at = gl_GlobalInvocationID.x;
#     seen[at] = words[at];
#     seen[64 + at] = texelFetch(sampled, int(at)).x;
#     seen[128 + at] = imageLoad(texels, int(at)).x;
#     words[64 + at] = at + 1;
#     imageStore(texels, int(128 + at), uvec4(at + 1));
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
name = "texels"
version = "0.1.0"
edition = "2021"

[dependencies]
ash = "=0.38.0"
TOML
base64 -d > src/texels.spv <<'SPIRV'
AwIjBwAAAQALAAgARwAAAAAAAAARAAIAAQAAABEAAgAuAAAAEQACAC8AAAALAAYAAQAAAEdMU0wuc3RkLjQ1MAAAAAAOAAMAAAAAAAEAAAAPAAYABQAAAAQAAABtYWluAAAAAAsAAAAQ
AAYABAAAABEAAABAAAAAAQAAAAEAAABHAAQACwAAAAsAAAAcAAAARwAEABAAAAAGAAAABAAAAEgABQARAAAAAAAAACMAAAAAAAAARwADABEAAAADAAAARwAEABMAAAAiAAAAAAAAAEcA
BAATAAAAIQAAAAMAAABHAAQAFwAAAAYAAAAEAAAASAAFABgAAAAAAAAAIwAAAAAAAABHAAMAGAAAAAMAAABHAAQAGgAAACIAAAAAAAAARwAEABoAAAAhAAAAAAAAAEcABAAlAAAAIgAA
AAAAAABHAAQAJQAAACEAAAABAAAARwAEADIAAAAiAAAAAAAAAEcABAAyAAAAIQAAAAIAAABHAAQARgAAAAsAAAAZAAAAEwACAAIAAAAhAAMAAwAAAAIAAAAVAAQABgAAACAAAAAAAAAA
FwAEAAkAAAAGAAAAAwAAACAABAAKAAAAAQAAAAkAAAA7AAQACgAAAAsAAAABAAAAKwAEAAYAAAAMAAAAAAAAACAABAANAAAAAQAAAAYAAAAdAAMAEAAAAAYAAAAeAAMAEQAAABAAAAAg
AAQAEgAAAAIAAAARAAAAOwAEABIAAAATAAAAAgAAABUABAAUAAAAIAAAAAEAAAArAAQAFAAAABUAAAAAAAAAHQADABcAAAAGAAAAHgADABgAAAAXAAAAIAAEABkAAAACAAAAGAAAADsA
BAAZAAAAGgAAAAIAAAAgAAQAHAAAAAIAAAAGAAAAKwAEAAYAAAAgAAAAQAAAABkACQAjAAAABgAAAAUAAAAAAAAAAAAAAAAAAAABAAAAAAAAACAABAAkAAAAAAAAACMAAAA7AAQAJAAA
ACUAAAAAAAAAFwAEACkAAAAGAAAABAAAACsABAAGAAAALQAAAIAAAAAZAAkAMAAAAAYAAAAFAAAAAAAAAAAAAAAAAAAAAgAAACEAAAAgAAQAMQAAAAAAAAAwAAAAOwAEADEAAAAyAAAA
AAAAACsABAAGAAAAPAAAAAEAAAAsAAYACQAAAEYAAAAgAAAAPAAAADwAAAA2AAUAAgAAAAQAAAAAAAAAAwAAAPgAAgAFAAAAQQAFAA0AAAAOAAAACwAAAAwAAAA9AAQABgAAAA8AAAAO
AAAAQQAGABwAAAAdAAAAGgAAABUAAAAPAAAAPQAEAAYAAAAeAAAAHQAAAEEABgAcAAAAHwAAABMAAAAVAAAADwAAAD4AAwAfAAAAHgAAAIAABQAGAAAAIgAAACAAAAAPAAAAPQAEACMA
AAAmAAAAJQAAAHwABAAUAAAAKAAAAA8AAABfAAUAKQAAACoAAAAmAAAAKAAAAFEABQAGAAAAKwAAACoAAAAAAAAAQQAGABwAAAAsAAAAEwAAABUAAAAiAAAAPgADACwAAAArAAAAgAAF
AAYAAAAvAAAALQAAAA8AAAA9AAQAMAAAADMAAAAyAAAAYgAFACkAAAA2AAAAMwAAACgAAABRAAUABgAAADcAAAA2AAAAAAAAAEEABgAcAAAAOAAAABMAAAAVAAAALwAAAD4AAwA4AAAA
NwAAAIAABQAGAAAAPQAAAA8AAAA8AAAAQQAGABwAAAA+AAAAGgAAABUAAAAiAAAAPgADAD4AAAA9AAAAPQAEADAAAAA/AAAAMgAAAHwABAAUAAAAQgAAAC8AAABQAAcAKQAAAEUAAAA9
AAAAPQAAAD0AAAA9AAAAYwAEAD8AAABCAAAARQAAAP0AAQA4AAEA
SPIRV
cat > src/main.rs <<'RUST'
use ash::vk;

const COUNT: usize = 64;

/// For a buffer with these flags: how many words are right that the shader reads by a storage buffer, by a uniform texel view, by a storage
/// texel view, and that it writes by a storage buffer, by a storage texel view.
unsafe fn right(device: &ash::Device, flags: vk::BufferCreateFlags) -> Result<[usize; 5], vk::Result> {
    type Usage = vk::BufferUsageFlags;
    let texels = Usage::UNIFORM_TEXEL_BUFFER | Usage::STORAGE_TEXEL_BUFFER;
    let usage = texels | Usage::STORAGE_BUFFER | Usage::TRANSFER_DST | Usage::TRANSFER_SRC;
    let create = |flags| device.create_buffer(&vk::BufferCreateInfo::default().flags(flags).size(65536).usage(usage), None);
    // Every memory type of lavapipe is visible to the host and coherent.
    let allocate = |buffer| {
        let needs = device.get_buffer_memory_requirements(buffer);
        let kind = needs.memory_type_bits.trailing_zeros();
        let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        device.allocate_memory(&info, None).map(|memory| (memory, needs.size))
    };
    let queue = device.get_device_queue(0, 0);
    let (tested, seen) = (create(flags)?, create(vk::BufferCreateFlags::empty())?);
    let ((memory, size), (seen_memory, _)) = (allocate(tested)?, allocate(seen)?);
    device.bind_buffer_memory(seen, seen_memory, 0)?;
    if flags.is_empty() {
        device.bind_buffer_memory(tested, memory, 0)?;
    } else {
        let binds = [vk::SparseMemoryBind::default().size(size).memory(memory)];
        let buffers = [vk::SparseBufferMemoryBindInfo::default().buffer(tested).binds(&binds)];
        device.queue_bind_sparse(queue, &[vk::BindSparseInfo::default().buffer_binds(&buffers)], vk::Fence::null())?;
        device.queue_wait_idle(queue)?;
    }
    let view = vk::BufferViewCreateInfo::default().buffer(tested).format(vk::Format::R32_UINT).range(vk::WHOLE_SIZE);
    let views = [device.create_buffer_view(&view, None)?];

    type Kind = vk::DescriptorType;
    let kinds = [Kind::STORAGE_BUFFER, Kind::UNIFORM_TEXEL_BUFFER, Kind::STORAGE_TEXEL_BUFFER, Kind::STORAGE_BUFFER];
    let binding = |at: usize| vk::DescriptorSetLayoutBinding::default().binding(at as u32).descriptor_type(kinds[at]);
    let bindings = [0, 1, 2, 3].map(|at| binding(at).descriptor_count(1).stage_flags(vk::ShaderStageFlags::COMPUTE));
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    let layouts = [device.create_descriptor_set_layout(&info, None)?];
    let sizes = kinds.map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: 1 });
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
    let pool = device.create_descriptor_pool(&info, None)?;
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
    let sets = device.allocate_descriptor_sets(&info)?;
    let whole = |buffer| [vk::DescriptorBufferInfo::default().buffer(buffer).range(vk::WHOLE_SIZE)];
    let (first, last) = (whole(tested), whole(seen));
    let write = |at: usize| vk::WriteDescriptorSet::default().dst_set(sets[0]).dst_binding(at as u32).descriptor_type(kinds[at]);
    let (texels, buffers) = ([1, 2].map(|at| write(at).texel_buffer_view(&views)), [write(0).buffer_info(&first), write(3).buffer_info(&last)]);
    device.update_descriptor_sets(&[texels, buffers].concat(), &[]);

    let code = ash::util::read_spv(&mut std::io::Cursor::new(&include_bytes!("texels.spv")[..])).expect("SPIR-V");
    let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)?;
    let layout = device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts), None)?;
    let stage = vk::PipelineShaderStageCreateInfo::default().stage(vk::ShaderStageFlags::COMPUTE).module(module).name(c"main");
    let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
    let made = device.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
    let pipeline = made.map_err(|(_, error)| error)?[0];

    let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
    let commands = device.allocate_command_buffers(&info)?;
    let wait = || {
        let (from, to) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST);
        let written = vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::MEMORY_WRITE);
        let barrier = written.dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
        device.cmd_pipeline_barrier(commands[0], from, to, vk::DependencyFlags::empty(), &[barrier], &[], &[]);
    };
    let numbers: Vec<u8> = (1..=COUNT as u32).flat_map(u32::to_le_bytes).collect();
    let part = numbers.len() as u64;
    device.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
    device.cmd_fill_buffer(commands[0], tested, 0, vk::WHOLE_SIZE, 0);
    device.cmd_fill_buffer(commands[0], seen, 0, vk::WHOLE_SIZE, 0);
    wait();
    device.cmd_update_buffer(commands[0], tested, 0, &numbers);
    wait();
    device.cmd_bind_pipeline(commands[0], vk::PipelineBindPoint::COMPUTE, pipeline);
    device.cmd_bind_descriptor_sets(commands[0], vk::PipelineBindPoint::COMPUTE, layout, 0, &sets, &[]);
    device.cmd_dispatch(commands[0], 1, 1, 1);
    wait();
    let copy = vk::BufferCopy::default().src_offset(part).dst_offset(3 * part).size(2 * part);
    device.cmd_copy_buffer(commands[0], tested, seen, &[copy]);
    wait();
    device.end_command_buffer(commands[0])?;
    device.queue_submit(queue, &[vk::SubmitInfo::default().command_buffers(&commands)], vk::Fence::null())?;
    device.queue_wait_idle(queue)?;
    let words = device.map_memory(seen_memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast::<u32>();
    let words = std::slice::from_raw_parts(words, 5 * COUNT);
    Ok([0, 1, 2, 3, 4].map(|part| (0..COUNT).filter(|at| words[part * COUNT + at] == *at as u32 + 1).count()))
}

fn main() {
    unsafe {
        let entry = ash::Entry::load().expect("the Vulkan loader");
        let instance = entry.create_instance(&vk::InstanceCreateInfo::default(), None).expect("an instance");
        let physical = instance.enumerate_physical_devices().expect("devices")[0];
        let features = vk::PhysicalDeviceFeatures::default().sparse_binding(true).sparse_residency_buffer(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_features(&features);
        let device = instance.create_device(physical, &info, None).expect("a device");
        type Flags = vk::BufferCreateFlags;
        for flags in [Flags::empty(), Flags::SPARSE_BINDING, Flags::SPARSE_BINDING | Flags::SPARSE_RESIDENCY] {
            let name = if flags.is_empty() { "plain".to_string() } else { format!("{flags:?}") };
            let [words, sampled, texels, stored, stored_texels] = right(&device, flags).expect("Vulkan");
            println!("{name}, storage buffer: {words} read, {stored} written");
            println!("{name}, uniform texel view: {sampled} read");
            println!("{name}, storage texel view: {texels} read, {stored_texels} written");
        }
    }
}
RUST
cargo build --quiet
MESA_SHADER_CACHE_DISABLE=true LP_NATIVE_VECTOR_WIDTH=128 GALLIUM_OVERRIDE_CPU_CAPS=sse4.1 target/debug/texels > seen.txt
cat seen.txt
diff seen.txt - <<'SEEN'
plain, storage buffer: 64 read, 64 written
plain, uniform texel view: 64 read
plain, storage texel view: 64 read, 64 written
SPARSE_BINDING, storage buffer: 64 read, 64 written
SPARSE_BINDING, uniform texel view: 64 read
SPARSE_BINDING, storage texel view: 0 read, 0 written
SPARSE_BINDING | SPARSE_RESIDENCY, storage buffer: 64 read, 64 written
SPARSE_BINDING | SPARSE_RESIDENCY, uniform texel view: 64 read
SPARSE_BINDING | SPARSE_RESIDENCY, storage texel view: 0 read, 0 written
SEEN
