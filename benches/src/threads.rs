//! CPU time of the process by thread: what the driver's own threads took of it.

use anyhow::{Context, Result};

/// Names of threads that drivers start, by their beginnings: Mesa's software rasteriser, Mesa's queues, NVIDIA's.
const DRIVERS: [&str; 4] = ["llvmpipe", "lvp", "vk", "[vk"];

/// CPU time of the living threads with names of drivers', in nanoseconds.
///
/// # Errors
/// The system does not tell threads.
pub fn of_drivers() -> Result<u64> {
    let all = all()?;
    Ok(all.iter().filter(|(name, _)| DRIVERS.iter().any(|of| name.starts_with(of))).map(|(_, time)| time).sum())
}

/// Name and CPU time of each living thread, in nanoseconds; one that ends meanwhile is left out.
///
/// # Errors
/// The system does not tell threads.
pub fn all() -> Result<Vec<(String, u64)>> {
    let mut found = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task").context("this system does not tell threads")? {
        let folder = thread?.path();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        // The first number of `schedstat` is the time spent on a processor (the kernel's documentation, "Scheduler statistics").
        let time = read("schedstat").and_then(|line| line.split(' ').next()?.parse().ok());
        found.extend(read("comm").map(|name| name.trim_end().to_owned()).zip(time));
    }
    Ok(found)
}
