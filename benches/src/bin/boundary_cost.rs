//! What a call of Vulkan costs natively, and through Wine's winevulkan.
//!
//! Under Wine nearly every Vulkan call of a Windows program crosses from Windows' side to Linux'. This program makes a device of the first
//! Vulkan driver and times calls that our runtime makes often, or that cost the driver next to nothing. With `--windows FOLDER` it runs
//! itself natively and `FOLDER/boundary_cost.exe` under Wine, in turn, and shows both and what lies between: the crossing. A figure is
//! nanoseconds that pass for one call, the median over the rounds with the least and the greatest; so nothing else should run.

use anyhow::{Context, Result, ensure};
use ash::vk;
use clap::Parser;
use reprise_benches::figures::{Spread, spread};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

// Starts on Wine before 8.13.
#[cfg(windows)]
use reprise_windows_start as _;

/// Measures the cost of Vulkan calls.
#[derive(Parser)]
struct Options {
    /// Rounds of each side.
    #[arg(long, default_value_t = 9)]
    rounds: u32,
    /// The folder with this program for Windows.
    #[arg(long)]
    windows: Option<PathBuf>,
    /// Measures once and writes `NANOSECONDS NAME` a line into this file: Wine's own processes keep a pipe open after the program.
    #[arg(long, hide = true)]
    child: Option<PathBuf>,
}

/// Calls that are timed at a time.
const CALLS: u32 = 20_000;
/// Calls that the driver works for.
const FEW: u32 = 500;

fn main() -> Result<()> {
    let options = Options::parse();
    if let Some(file) = options.child {
        let mut measured = Measured::new()?;
        measured.all()?;
        let lines = measured.figures.iter().map(|(name, took)| format!("{took:.2} {name}\n"));
        std::fs::write(file, lines.collect::<String>())?;
        // Objects are left to the system.
        std::process::exit(0)
    }
    let mut sides = vec![("native", Command::new(std::env::current_exe()?))];
    if let Some(folder) = &options.windows {
        let wine = ["/usr/lib/wine/wine64", "/usr/bin/wine64"].map(PathBuf::from);
        let wine = wine.into_iter().find(|path| path.exists()).context("wine64 is missing")?;
        let mut command = Command::new(wine);
        command.arg(folder.join("boundary_cost.exe")).env("WINEDEBUG", "-all");
        sides.push(("Wine", command));
    }
    let figures = std::env::temp_dir().join(format!("boundary_cost-{}", std::process::id()));
    sides.iter_mut().for_each(|(_, command)| {
        command.arg("--child").arg(&figures);
    });
    let mut samples: BTreeMap<String, Vec<Vec<f64>>> = BTreeMap::new();
    let count = sides.len();
    for round in 0..options.rounds {
        for (side, (name, command)) in sides.iter_mut().enumerate() {
            eprintln!("round {round}: {name}");
            let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
            ensure!(status.success(), "{command:?}: {status}");
            for line in std::fs::read_to_string(&figures)?.lines() {
                let (took, call) = line.trim().split_once(' ').context("a line without a figure")?;
                samples.entry(call.to_owned()).or_insert_with(|| vec![Vec::new(); count])[side].push(took.parse()?);
            }
        }
    }
    let _ = std::fs::remove_file(&figures);
    println!("ns per call, median [min-max] of {} rounds", options.rounds);
    println!("{:<34} {:>24} {:>24} {:>10}", "call", "native", "through winevulkan", "crossing");
    for (call, sides) in samples {
        let spreads: Vec<Spread> = sides.iter().map(|side| spread(side)).collect();
        let text = |at: usize| spreads.get(at).map_or(String::new(), ToString::to_string);
        let crossing = spreads.get(1).map_or(String::new(), |wine| format!("{:.1}", wine.median - spreads[0].median));
        println!("{call:<34} {:>24} {:>24} {crossing:>10}", text(0), text(1));
    }
    Ok(())
}

/// A device, and what was measured on it.
struct Measured {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    commands: vk::CommandBuffer,
    layout: vk::PipelineLayout,
    sets: [vk::DescriptorSet; 2],
    buffer: vk::Buffer,
    timeline: vk::Semaphore,
    figures: Vec<(&'static str, f64)>,
}

impl Measured {
    fn new() -> Result<Measured> {
        // SAFETY: the Vulkan loader is a well-behaved library; all structures live until their calls return.
        unsafe {
            #[cfg(windows)]
            let entry = ash::Entry::load_from("winevulkan.dll").or_else(|_| ash::Entry::load())?;
            #[cfg(not(windows))]
            let entry = ash::Entry::load()?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None)?;
            let physical = *instance.enumerate_physical_devices()?.first().context("no Vulkan device")?;
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
            let mut v12 =
                vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true).buffer_device_address(true);
            let mut v13 = vk::PhysicalDeviceVulkan13Features::default().synchronization2(true);
            let info =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut v12).push_next(&mut v13);
            let device = instance.create_device(physical, &info, None)?;
            let queue = device.get_device_queue(0, 0);
            let pool = device.create_command_pool(&vk::CommandPoolCreateInfo::default(), None)?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = device.allocate_command_buffers(&info)?[0];
            let binding = [vk::DescriptorSetLayoutBinding::default()
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)];
            let set = device
                .create_descriptor_set_layout(&vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding), None)?;
            let ranges = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 64 }];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(core::slice::from_ref(&set))
                .push_constant_ranges(&ranges);
            let layout = device.create_pipeline_layout(&info, None)?;
            let sizes = [vk::DescriptorPoolSize { ty: vk::DescriptorType::STORAGE_BUFFER, descriptor_count: 2 }];
            let pool = device.create_descriptor_pool(
                &vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes),
                None,
            )?;
            let layouts = [set, set];
            let sets = device.allocate_descriptor_sets(
                &vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts),
            )?;
            let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
            let buffer = device.create_buffer(&vk::BufferCreateInfo::default().size(256).usage(usage), None)?;
            let needs = device.get_buffer_memory_requirements(buffer);
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(needs.size)
                .memory_type_index(needs.memory_type_bits.trailing_zeros())
                .push_next(&mut flags);
            let memory = device.allocate_memory(&info, None)?;
            device.bind_buffer_memory(buffer, memory, 0)?;
            let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(vk::SemaphoreType::TIMELINE);
            let timeline = device.create_semaphore(&vk::SemaphoreCreateInfo::default().push_next(&mut kind), None)?;
            Ok(Measured {
                _entry: entry,
                instance,
                device,
                queue,
                commands,
                layout,
                sets: [sets[0], sets[1]],
                buffer,
                timeline,
                figures: Vec::new(),
            })
        }
    }

    /// Times so many calls, after a tenth of them that does not count.
    fn time(&mut self, name: &'static str, calls: u32, call: impl Fn(&Measured)) {
        (0..calls / 10).for_each(|_| call(self));
        let began = Instant::now();
        (0..calls).for_each(|_| call(self));
        let took = began.elapsed().as_secs_f64() * 1e9 / f64::from(calls);
        self.figures.push((name, took));
    }

    fn all(&mut self) -> Result<()> {
        // SAFETY: all objects are this device's and live as long as the process; commands are recorded and never executed.
        unsafe {
            self.time("vkGetDeviceProcAddr", CALLS, |it| {
                it.instance.get_device_proc_addr(it.device.handle(), c"vkCmdDraw".as_ptr());
            });
            self.time("vkGetBufferDeviceAddress", CALLS, |it| {
                it.device.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(it.buffer));
            });
            self.time("vkGetSemaphoreCounterValue", CALLS, |it| {
                let _ = it.device.get_semaphore_counter_value(it.timeline);
            });
            self.time("vkUpdateDescriptorSets, 1 write", CALLS, |it| {
                let buffer = [vk::DescriptorBufferInfo { buffer: it.buffer, offset: 0, range: vk::WHOLE_SIZE }];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(it.sets[0])
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .buffer_info(&buffer);
                it.device.update_descriptor_sets(&[write], &[]);
            });
            self.time("vkUpdateDescriptorSets, 1 copy", CALLS, |it| {
                let copy = vk::CopyDescriptorSet::default().src_set(it.sets[0]).dst_set(it.sets[1]).descriptor_count(1);
                it.device.update_descriptor_sets(&[], &[copy]);
            });
            self.device.begin_command_buffer(self.commands, &vk::CommandBufferBeginInfo::default())?;
            self.time("vkCmdSetScissor", CALLS, |it| {
                it.device.cmd_set_scissor(it.commands, 0, &[vk::Rect2D::default()]);
            });
            self.time("vkCmdPushConstants, 16 words", CALLS, |it| {
                it.device.cmd_push_constants(it.commands, it.layout, vk::ShaderStageFlags::COMPUTE, 0, &[7; 64]);
            });
            self.time("vkCmdBindDescriptorSets", CALLS, |it| {
                let point = vk::PipelineBindPoint::COMPUTE;
                it.device.cmd_bind_descriptor_sets(it.commands, point, it.layout, 0, &it.sets[..1], &[]);
            });
            self.time("vkCmdPipelineBarrier2", CALLS, |it| {
                let barrier = [vk::MemoryBarrier2::default()
                    .src_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
                    .dst_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)];
                let info = vk::DependencyInfo::default().memory_barriers(&barrier);
                it.device.cmd_pipeline_barrier2(it.commands, &info);
            });
            self.device.end_command_buffer(self.commands)?;
            self.time("vkQueueSubmit2, nothing in it", FEW, |it| {
                let _ = it.device.queue_submit2(it.queue, &[vk::SubmitInfo2::default()], vk::Fence::null());
            });
        }
        Ok(())
    }
}
