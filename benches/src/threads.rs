//! CPU time of the process by thread: what threads of ours took of it, and what the driver's did.

use anyhow::{Context, Result};

/// CPU time of the living threads that are ours, in nanoseconds: the first one, and those whose names say so. All of our threads have names
/// that begin alike; a driver's have other names, or that of the program where it gives them none.
///
/// # Errors
/// The system does not tell threads.
pub fn ours() -> Result<u64> {
    let first = std::process::id();
    let ours = |(thread, name, _): &&(u32, String, u64)| *thread == first || name.starts_with("reprise-");
    Ok(all()?.iter().filter(ours).map(|(.., time)| time).sum())
}

/// Number, name and CPU time of each living thread, in nanoseconds; one that ends meanwhile is left out.
///
/// # Errors
/// The system does not tell threads.
pub fn all() -> Result<Vec<(u32, String, u64)>> {
    let mut found = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task").context("this system does not tell threads")? {
        let folder = thread?.path();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        // The first number of `schedstat` is the time spent on a processor (the kernel's documentation, "Scheduler statistics").
        let time = read("schedstat").and_then(|line| line.split(' ').next()?.parse().ok());
        let number = folder.file_name().and_then(|name| name.to_str()?.parse().ok());
        let name = read("comm").map(|name| name.trim_end().to_owned());
        found.extend(number.zip(name).zip(time).map(|((number, name), time)| (number, name, time)));
    }
    Ok(found)
}
