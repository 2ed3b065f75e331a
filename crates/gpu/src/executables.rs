//! What drivers say of a pipeline's shaders (`VK_KHR_pipeline_executable_properties`): registers, instructions, bytes of code.
//!
//! Pipelines keep it only if they are made with [`Executables::flags`]: drivers may need more memory and leave their caches aside.

use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, Ordering};

use ash::vk;
use reprise_d3d12::executables::{Executable, Statistic, Value};

use crate::error::{Context, Result};
use crate::logical::Logical;

/// Whether pipelines of a device keep what the driver says of them.
#[derive(Debug, Default)]
pub struct Executables(AtomicBool);

impl Executables {
    /// From now on they keep it. Whether the driver says anything.
    pub fn keep(&self, device: &Logical) -> bool {
        let has = device.ext.executables.is_some() && device.caps.features.executables.pipeline_executable_info != 0;
        self.0.store(has, Ordering::Relaxed);
        has
    }

    /// Whether pipelines that are made now keep it, as those will that are made later.
    pub fn are_kept(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// What pipelines are made with.
    pub fn flags(&self) -> vk::PipelineCreateFlags {
        match self.are_kept() {
            true => vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR,
            false => vk::PipelineCreateFlags::empty(),
        }
    }

    /// What the driver says of a pipeline that was made with the flags.
    ///
    /// # Errors
    /// Vulkan fails.
    ///
    /// # Safety
    /// The pipeline is the device's, is alive, and was made with [`Executables::flags`] while [`Executables::are_kept`].
    pub unsafe fn read(device: &Logical, pipeline: vk::Pipeline) -> Result<Vec<Executable>> {
        let Some(functions) = device.ext.executables.as_ref() else { return Ok(Vec::new()) };
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
        // SAFETY: the caller's pipeline is alive.
        let found = unsafe { functions.get_pipeline_executable_properties(&info) };
        let found = found.call("vkGetPipelineExecutablePropertiesKHR")?;
        let one = |(index, properties): (u32, &vk::PipelineExecutablePropertiesKHR<'_>)| {
            let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
            // SAFETY: the pipeline is alive, has so many executables, and was made to keep statistics, says the caller.
            let statistics = unsafe { functions.get_pipeline_executable_statistics(&info) };
            Ok(Executable {
                name: text(&properties.name),
                stages: properties.stages.as_raw(),
                lanes: properties.subgroup_size,
                statistics: statistics
                    .call("vkGetPipelineExecutableStatisticsKHR")?
                    .iter()
                    .map(|row| Statistic { name: text(&row.name), about: text(&row.description), value: value(row) })
                    .collect(),
            })
        };
        (0..).zip(&found).map(one).collect()
    }
}

/// Text of Vulkan's: to its end, or as long as its room is.
fn text(room: &[c_char]) -> String {
    let bytes: Vec<u8> = room.iter().map(|letter| letter.cast_unsigned()).collect();
    let text = CStr::from_bytes_until_nul(&bytes).map_or(&bytes[..], CStr::to_bytes);
    String::from_utf8_lossy(text).into_owned()
}

fn value(row: &vk::PipelineExecutableStatisticKHR<'_>) -> Value {
    use vk::PipelineExecutableStatisticFormatKHR as Format;
    // SAFETY: the member that the format names is the one that Vulkan wrote; all are plain numbers of 8 bytes at most, in a union that was
    // zero before.
    unsafe {
        match row.format {
            Format::BOOL32 => Value::Truth(row.value.b32 != 0),
            Format::INT64 => Value::Signed(row.value.i64),
            Format::FLOAT64 => Value::Real(row.value.f64),
            _ => Value::Whole(row.value.u64),
        }
    }
}
