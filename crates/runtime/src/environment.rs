//! Settings of the process: from the environment, or from the program that links the runtime. They are read once.

use std::sync::OnceLock;

use reprise_environment::runtime::{
    ADAPTER, DESCRIPTORS, HIDDEN_TEXELS, IMPORTED, INFLATE, LAYOUTS, PUSH_BYTES, SEPARATE_SETS, UPLOAD_MEMORY,
    VALIDATION,
};
use reprise_gpu::settings::{Descriptors, Layouts, Messages, Sharing, Validation};
use reprise_log::Level;

/// The settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What Vulkan's part wants: `REPRISE_ADAPTER` (a device's index or a part of its name), `REPRISE_VALIDATION` (load the
    /// validation layer), `REPRISE_UPLOAD_MEMORY=imported` (upload heaps in pages of the process), `REPRISE_SEPARATE_SETS` (which
    /// types of views share a descriptor set), `REPRISE_DESCRIPTORS` (whether shader-visible heaps are descriptor sets or
    /// buffers), `REPRISE_HIDDEN_TEXELS=1` (the CPU sees no texels of textures), `REPRISE_PUSH_BYTES` (bytes of push constants to
    /// use at most) and `REPRISE_LAYOUTS` (`unified` or `tracked`: how
    /// images change their layouts).
    pub gpu: reprise_gpu::settings::Settings,
    /// `REPRISE_INFLATE=seed`: sizes and alignments of placed resources as of another device (`resource::inflate`).
    pub inflate: Option<u64>,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// The process's settings.
pub fn settings() -> &'static Settings {
    SETTINGS.get_or_init(Settings::from_environment)
}

/// Settings of the program that links the runtime: an adapter in the place of the environment's, and validation even where
/// the environment does not ask for it, of these messages. `false`: too late, the settings are in use.
pub fn override_with(adapter: Option<String>, validate: bool, messages: Messages) -> bool {
    let mut settings = Settings::from_environment();
    settings.gpu.messages = messages;
    settings.gpu.adapter = adapter.or(settings.gpu.adapter);
    if validate && settings.gpu.validation == Validation::Off {
        settings.gpu.validation = Validation::On;
    }
    SETTINGS.set(settings).is_ok()
}

/// Reads the environment for this crate and for the log. Later changes of the environment have no effect.
pub fn settle() {
    settings();
    // Asked for its effect: the log reads its settings, too.
    reprise_log::wants(Level::Fatal);
}

impl Settings {
    fn from_environment() -> Settings {
        Settings {
            gpu: reprise_gpu::settings::Settings {
                adapter: text(ADAPTER),
                validation: Validation::of(text(VALIDATION).as_deref()),
                messages: Messages::default(),
                imported_uploads: text(UPLOAD_MEMORY).as_deref() == Some(IMPORTED),
                hidden_texels: text(HIDDEN_TEXELS).is_some_and(|value| value != "0"),
                push_bytes: read(PUSH_BYTES, "a number", |value| value.parse().ok()),
                descriptors: read(DESCRIPTORS, "sets or buffers", Descriptors::of),
                sharing: Sharing::of(text(SEPARATE_SETS).as_deref()),
                layouts: read(LAYOUTS, "unified or tracked", Layouts::of),
            },
            inflate: read(INFLATE, "a number", |value| value.parse().ok()),
        }
    }
}

/// The text of a variable; `None` where there is none or an empty one.
fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The value of a variable, as `of` reads it. A text that it cannot read is named in the log and counts as none.
fn read<T>(name: &str, takes: &str, of: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let text = text(name)?;
    let value = of(&text);
    if value.is_none() {
        reprise_log::warning(format_args!("{name}={text} has no effect: it takes {takes}"));
    }
    value
}
