//! Settings from the environment, read once.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::validation::{Messages, Validation};
use reprise_log::Level;

/// What the environment says.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// `REPRISE_ADAPTER`: the Vulkan device to use, by its index or a part of its name (`device::is_meant`).
    pub adapter: Option<String>,
    /// `REPRISE_VALIDATION`: load Vulkan's validation layer.
    pub validation: Validation,
    /// Which of the layer's messages count; the program that links the runtime says it.
    pub messages: Messages,
    /// `REPRISE_REPLAY_ADDRESSES=1`: ask for addresses that can be asked for again where the device can.
    pub replay_addresses: bool,
    /// `REPRISE_UPLOAD_MEMORY=imported`: upload heaps in pages of the process's own, which a capture can watch.
    pub imported_uploads: bool,
    /// `REPRISE_SEPARATE_SETS=1`: one descriptor set per type of view, as on devices without mutable descriptors.
    pub separate_sets: bool,
    /// `REPRISE_INFLATE=seed`: sizes and alignments of placed resources as of another device (`resource::inflate`).
    pub inflate: Option<u64>,
}

static CONFIG: OnceLock<Config> = OnceLock::new();

/// The process's settings.
pub fn config() -> &'static Config {
    CONFIG.get_or_init(Config::from_environment)
}

/// Settings of the program that links the runtime: an adapter in the place of the environment's, and validation even where
/// the environment does not ask for it, of these messages. `false`: too late, the settings are in use.
pub fn override_with(adapter: Option<String>, validate: bool, messages: Messages) -> bool {
    let mut config = Config::from_environment();
    config.messages = messages;
    config.adapter = adapter.or(config.adapter);
    if validate && config.validation == Validation::Off {
        config.validation = Validation::On;
    }
    CONFIG.set(config).is_ok()
}

/// Reads what the environment says, of this and of what is said to people; what becomes of it later changes nothing.
pub fn settle() {
    config();
    // Whatever the answer.
    reprise_log::wants(Level::Fatal);
}

impl Config {
    fn from_environment() -> Config {
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Config {
            adapter: text("REPRISE_ADAPTER"),
            validation: Validation::of(text("REPRISE_VALIDATION").as_deref()),
            messages: Messages::default(),
            replay_addresses: text("REPRISE_REPLAY_ADDRESSES").is_some_and(|value| value != "0"),
            imported_uploads: text("REPRISE_UPLOAD_MEMORY").as_deref() == Some("imported"),
            separate_sets: text("REPRISE_SEPARATE_SETS").is_some_and(|value| value != "0"),
            inflate: text("REPRISE_INFLATE").and_then(|value| value.parse().ok()),
        }
    }
}

/// Says once a process what the runtime does not do.
#[cold]
pub fn once(how: &str, what: &'static str) {
    static SAID: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&what) {
        said.push(what);
        reprise_log::warning(format_args!("{how} {what}"));
    }
}

/// Says a decision, or why a call answers as it does, where people want to know ([`Level::Debug`]).
pub fn debug(text: impl FnOnce() -> String) {
    if reprise_log::wants(Level::Debug) {
        reprise_log::say(Level::Debug, text());
    }
}
