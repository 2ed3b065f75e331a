//! Programs that do what the API leaves open and Vulkan forbids: our runtime makes it harmless (`docs/undefined.md`).
//!
//! They run on our runtime only. Other libraries hand some of it on to the driver, and an NVIDIA GPU then stops for good, for all of
//! its processes. Each checks what ours makes of it, under Vulkan's validation in `tests/undefined.rs`.

mod addresses;
mod calls;
mod descriptors;
mod draws;
mod formats;
mod gone;
mod releases;
mod slots;
mod targets;
mod views;

use super::Program;

/// All of them. `--list` does not name them.
pub(crate) const ALL: &[Program] = &[
    targets::PROGRAM,
    formats::PROGRAM,
    draws::PROGRAM,
    addresses::PROGRAM,
    calls::PROGRAM,
    views::PROGRAM,
    slots::PROGRAM,
    descriptors::BOUNDS,
    descriptors::KINDS,
    releases::PROGRAM,
    gone::PROGRAM,
    super::ray_queries::UNORDERED,
];
