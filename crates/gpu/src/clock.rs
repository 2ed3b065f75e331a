//! The clocks of the GPU and of the process, side by side.

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::logical::Logical;

impl Logical {
    /// The GPU's time and the CPU's at the same instant. The CPU's is that of `CLOCK_MONOTONIC` in nanoseconds on Linux
    /// and the performance counter on Windows.
    ///
    /// # Errors
    /// The device cannot read both clocks at once.
    pub fn calibration(&self) -> Result<(u64, u64)> {
        let Some(functions) = &self.ext.calibrated_timestamps else {
            return Err(Error::Unsupported("the Vulkan device cannot read its clock beside the CPU's"));
        };
        let cpu = if cfg!(windows) {
            vk::TimeDomainEXT::QUERY_PERFORMANCE_COUNTER
        } else {
            vk::TimeDomainEXT::CLOCK_MONOTONIC
        };
        let there = ash::ext::calibrated_timestamps::Instance::new(&self.instance.entry, &self.instance.instance);
        // SAFETY: the device has the extension.
        let domains = unsafe { there.get_physical_device_calibrateable_time_domains(self.physical) }
            .call("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT")?;
        if !domains.contains(&cpu) || !domains.contains(&vk::TimeDomainEXT::DEVICE) {
            return Err(Error::Unsupported("the Vulkan device cannot read its clock beside the CPU's"));
        }
        let info = |domain| vk::CalibratedTimestampInfoEXT::default().time_domain(domain);
        let infos = [info(vk::TimeDomainEXT::DEVICE), info(cpu)];
        // SAFETY: the device has the extension.
        let (times, _) = unsafe { functions.get_calibrated_timestamps(&infos) }.call("vkGetCalibratedTimestampsEXT")?;
        Ok((times[0], times[1]))
    }
}
