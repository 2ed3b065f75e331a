//! The clocks of the GPU and of the process, side by side.

use ash::vk;

use crate::error::{Context, Error, Result};
use crate::logical::Logical;

/// So often the clocks are read one after the other, where the device cannot read them at once. The closest readings count.
const READINGS: u32 = 8;
/// The process's clock, as Vulkan calls it.
const CPU: vk::TimeDomainEXT =
    if cfg!(windows) { vk::TimeDomainEXT::QUERY_PERFORMANCE_COUNTER } else { vk::TimeDomainEXT::CLOCK_MONOTONIC };

/// The process's clock: nanoseconds of `CLOCK_MONOTONIC` on Linux, counts of the performance counter on Windows.
#[cfg(unix)]
pub fn ticks() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(windows)]
#[link(name = "kernel32")]
unsafe extern "system" {
    fn QueryPerformanceCounter(count: *mut i64) -> i32;
    fn QueryPerformanceFrequency(frequency: *mut i64) -> i32;
}

/// The process's clock: nanoseconds of `CLOCK_MONOTONIC` on Linux, counts of the performance counter on Windows.
#[cfg(windows)]
pub fn ticks() -> u64 {
    let mut count = 0i64;
    // SAFETY: the place is ours.
    unsafe { QueryPerformanceCounter(&raw mut count) };
    count as u64
}

/// Counts of the performance counter in a second.
#[cfg(windows)]
pub fn frequency() -> u64 {
    let mut frequency = 0i64;
    // SAFETY: the place is ours.
    unsafe { QueryPerformanceFrequency(&raw mut frequency) };
    frequency as u64
}

impl Logical {
    /// The GPU's time and the process's ([`ticks`]) at the same instant.
    ///
    /// Wine counts by `CLOCK_MONOTONIC_RAW`, which Mesa's software rasteriser does not read. There the two are read one after the other,
    /// and the GPU's time belongs to the middle.
    ///
    /// # Errors
    /// The device cannot read its clock outside a queue.
    pub fn calibration(&self) -> Result<(u64, u64)> {
        const NO_CLOCK: Error = Error::Unsupported("the Vulkan device cannot read its clock beside the CPU's");
        let Some(functions) = &self.ext.calibrated_timestamps else { return Err(NO_CLOCK) };
        let there = ash::ext::calibrated_timestamps::Instance::new(&self.instance.entry, &self.instance.instance);
        // SAFETY: the device has the extension.
        let domains = unsafe { there.get_physical_device_calibrateable_time_domains(self.physical) }
            .call("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT")?;
        if !domains.contains(&vk::TimeDomainEXT::DEVICE) {
            return Err(NO_CLOCK);
        }
        let read = |domains: &[vk::TimeDomainEXT]| {
            let info = |&domain| vk::CalibratedTimestampInfoEXT::default().time_domain(domain);
            let infos: Vec<_> = domains.iter().map(info).collect();
            // SAFETY: the device has the extension, and these domains.
            let times = unsafe { functions.get_calibrated_timestamps(&infos) }.call("vkGetCalibratedTimestampsEXT");
            times.map(|(times, _)| times)
        };
        if domains.contains(&CPU) {
            let times = read(&[vk::TimeDomainEXT::DEVICE, CPU])?;
            return Ok((times[0], times[1]));
        }
        let mut closest = (u64::MAX, (0, 0));
        for _ in 0..READINGS {
            let before = ticks();
            let gpu = read(&[vk::TimeDomainEXT::DEVICE])?[0];
            let between = ticks().saturating_sub(before);
            if between < closest.0 {
                closest = (between, (gpu, before + between / 2));
            }
        }
        Ok(closest.1)
    }
}
