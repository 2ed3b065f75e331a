//! The options of our own runtime: which Vulkan device plays, and whether Vulkan checks it.

use crate::ours::{self, Held, Said, said};
use crate::terminal::exit::{self, Failure, OrExit};
use crate::terminal::output::plural;
use serde_json::{Value, json};

/// Options of our own runtime.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Choice {
    /// The Vulkan device that our runtime plays on, by its index or a part of its name: see `reprise gpus`
    #[arg(long, value_name = "INDEX|NAME")]
    gpu: Option<String>,
    /// Let Vulkan's validation layer check our runtime: messages on standard error, their count at the end; errors end with
    /// exit code 4
    #[arg(long)]
    validate: bool,
    /// Leave out messages with one of these in their ids, as in SYNC-HAZARD or VUID-vkCmdDraw-None-02699
    #[arg(long, value_name = "ID,ID", value_delimiter = ',', requires = "validate")]
    denied_messages: Vec<String>,
    /// Leave out all messages but those with one of these in their ids
    #[arg(long, value_name = "ID,ID", value_delimiter = ',', requires = "validate")]
    allowed_messages: Vec<String>,
}

impl Choice {
    /// Tells the runtime, before it is used; what comes back is kept until the replay is over, so that the layer begins and
    /// ends once. `runtime` is what plays, as the user named it.
    ///
    /// # Errors
    /// Another runtime plays, no device is meant, or the layer is not installed.
    pub(crate) fn tell(&self, runtime: Option<&str>) -> Result<Option<Held>, Failure> {
        let wrong = |message: String| Err(Failure::message(exit::USAGE, message));
        if self.gpu.is_none() && !self.validate {
            return Ok(None);
        }
        if let Some(other) = runtime.filter(|&name| name != "ours") {
            return wrong(format!(
                "--gpu and --validate are for our own runtime, and --runtime names {other}; libvkd3d and vkd3d-proton have \
                 settings of their own: VKD3D_VULKAN_DEVICE, VKD3D_CONFIG=vk_debug"
            ));
        }
        let messages = [&self.denied_messages[..], &self.allowed_messages];
        ours::choose(self.gpu.as_deref(), self.validate, messages).map(Some).or_exit(exit::USAGE)
    }

    /// The Vulkan device, as the user named it.
    #[cfg(unix)]
    pub(crate) fn gpu(&self) -> Option<&str> {
        self.gpu.as_deref()
    }

    /// Whether the layer is asked.
    pub(crate) fn validates(&self) -> bool {
        self.validate
    }

    /// Whether the layer was asked and found errors.
    pub(crate) fn is_wrong(&self) -> bool {
        self.validate && said().errors > 0
    }

    /// What the layer said, for programs; null where it was not asked.
    pub(crate) fn as_json(&self) -> Value {
        let Said { errors, warnings, excused } = said();
        self.validate.then(|| json!({ "errors": errors, "warnings": warnings, "left_out": excused })).into()
    }

    /// The same for people.
    pub(crate) fn in_words(&self) -> Option<String> {
        let Said { errors, warnings, excused } = said();
        let left_out = if excused > 0 { format!(", {excused} left out") } else { String::new() };
        self.validate.then(|| {
            format!("Vulkan's validation: {}, {}{left_out}", plural(errors, "error"), plural(warnings, "warning"))
        })
    }
}
