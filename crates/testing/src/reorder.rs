//! The Vulkan layer that reorders commands wherever no barrier keeps them in order.

use crate::artifact;
use anyhow::{Context, Result};
use reprise_environment::reorder;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// The layer's name for the loader.
const NAME: &str = "VK_LAYER_REPRISE_reorder";

/// What the layer said at the end of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said {
    /// Commands that were recorded behind one that the program recorded later.
    pub moved: u64,
    /// Commands that could have been.
    pub waited: u64,
    /// Barriers that were left out.
    pub dropped: u64,
}

/// Makes a program load the layer. The layer reorders by this seed; 0 is backwards. The manifest for the loader goes to `folder`.
///
/// # Errors
/// When the layer does not build, or the folder cannot be written to.
pub fn load(command: &mut Command, folder: &Path, seed: u64) -> Result<()> {
    let layer = json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": NAME,
            "type": "GLOBAL",
            "library_path": artifact::reorder_layer()?,
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "Reorders commands, for tests",
        },
    });
    let file = folder.join("reorder.json");
    std::fs::write(&file, layer.to_string()).with_context(|| file.display().to_string())?;
    command.env("VK_ADD_LAYER_PATH", folder).env("VK_INSTANCE_LAYERS", NAME).env(reorder::SEED, seed.to_string());
    Ok(())
}

/// Has the layer leave out the barriers that order builds.
pub fn without_barriers(command: &mut Command) {
    command.env(reorder::DROP, "1");
}

/// What the layer said on a process's standard error; `None` where it was not loaded.
pub fn said(errors: &str) -> Option<Said> {
    let line = errors.lines().find_map(|line| line.strip_prefix("reorder: "))?;
    let mut numbers = line.split(' ').filter_map(|word| word.parse().ok());
    Some(Said { moved: numbers.next()?, waited: numbers.next()?, dropped: numbers.next()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_layer_says_is_read() {
        let text = "one\nreorder: 3 of 40 commands moved, 2 barriers left out\n";
        assert_eq!(said(text), Some(Said { moved: 3, waited: 40, dropped: 2 }));
        assert_eq!(said("one\n"), None);
    }
}
