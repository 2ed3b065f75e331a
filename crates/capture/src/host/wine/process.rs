//! This process as native processes know it.

use super::kernel::{self, Descriptor};

/// Number, start and space of numbers of this process, as its own `/proc` has them; `None` where Linux cannot be called.
pub(crate) fn identity() -> Option<(u32, u64, u64)> {
    let id = kernel::process_id()?;
    let mut text = [0; 1024];
    let len = Descriptor::open(c"/proc/self/stat").and_then(|file| file.read(&mut text)).ok()?;
    let start = reprise_trace::os::start_of(&text[..len])?;
    Some((id, start, kernel::inode(c"/proc/self/ns/pid").unwrap_or(0)))
}
