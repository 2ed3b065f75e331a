//! The Vulkan layer that offers counters of known values.

use crate::artifact;
use anyhow::{Context, Result};
use reprise_environment::counting;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// The layer's name for the loader.
const NAME: &str = "VK_LAYER_REPRISE_counting";

/// Makes a program, and what it starts, load the layer. The manifest for the loader goes to `folder`; each process adds what it did to `said`.
///
/// # Errors
/// When the layer does not build, or the folder cannot be written to.
pub fn load(command: &mut Command, folder: &Path, said: &Path) -> Result<()> {
    let layer = json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": NAME,
            "type": "GLOBAL",
            "library_path": artifact::counting_layer()?,
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "Offers counters, for tests",
            "device_extensions": [{
                "name": "VK_KHR_performance_query", "spec_version": "1",
                "entrypoints": ["vkAcquireProfilingLockKHR", "vkReleaseProfilingLockKHR"],
            }],
        },
    });
    let file = folder.join("counting.json");
    std::fs::write(&file, layer.to_string()).with_context(|| file.display().to_string())?;
    command.env("VK_ADD_LAYER_PATH", folder).env("VK_INSTANCE_LAYERS", NAME).env(counting::SAID, said);
    Ok(())
}

/// Has the layer count one draw too many in each query.
pub fn lie(command: &mut Command) {
    command.env(counting::LIE, "1");
}
