//! Settings of the process: from the environment, or from the program that links the runtime. They are read once.
//!
//! Variables of vkd3d-proton count only if the library is loaded in its place ([`settle`]), and if no variable of ours says the same.

pub mod fault;
pub mod slow;
mod vkd3d_proton;

use core::sync::atomic::{AtomicBool, Ordering};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::sign;
use fault::Fault;
#[cfg(not(windows))]
use reprise_d3d12::abi::Convention;
#[cfg(not(windows))]
use reprise_environment::capture::{CONVENTION, ITANIUM};
use reprise_environment::log;
use reprise_environment::runtime::{
    ADAPTER, ADDRESSES, BREADCRUMBS, CHECK_DESCRIPTORS, DESCRIPTORS, DRIVER_RULES_OFF, FAULT, FAULT_DUMP,
    GENERATED_COMMANDS, HEAP_VIEWS, HIDDEN_TEXELS, IMPORTED, INFLATE, LAYOUTS, LIST_CUTS, PUSH_BYTES, REPORTED,
    SAMPLE_POSITIONS, SEPARATE_SETS, SHADER_CACHE, SLOW, TAKEN_ADDRESS, UPLOAD_MEMORY, VALIDATION,
};
use reprise_gpu::settings::{Addresses, Descriptors, Layouts, Messages, Sharing, Validation};
use reprise_log::Level;
use slow::Slow;

/// The settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// What Vulkan's part wants: `REPRISE_ADAPTER` (a device's index or a part of its name), `REPRISE_VALIDATION` (load the
    /// validation layer), `REPRISE_UPLOAD_MEMORY=imported` (upload heaps in pages of the process), `REPRISE_SEPARATE_SETS` (which
    /// types of views share a descriptor set), `REPRISE_DESCRIPTORS` (whether shader-visible heaps are descriptor sets or
    /// buffers), `REPRISE_HEAP_VIEWS` (views that these heaps have room for), `REPRISE_HIDDEN_TEXELS=1` (the CPU sees no texels of textures), `REPRISE_PUSH_BYTES` (bytes of push constants to
    /// use at most), `REPRISE_GENERATED_COMMANDS=0` (no `VK_EXT_device_generated_commands`), `REPRISE_CHECK_DESCRIPTORS=1` (shaders look at descriptors before they use them), `REPRISE_LAYOUTS` (`unified` or `tracked`: how
    /// images change their layouts), `REPRISE_ADDRESSES` (`repeatable` or `any`: whether a later process can have the addresses
    /// again) and `REPRISE_TAKEN_ADDRESS` (an address that cannot be had, for tests).
    pub gpu: reprise_gpu::settings::Settings,
    /// `REPRISE_INFLATE=seed`: sizes and alignments of placed resources as of another device (`resource::inflate`), and other identifiers
    /// of shaders (`state_object::object`).
    pub inflate: Option<u64>,
    /// `REPRISE_FAULT`: an operation that never ends, or at which the device is lost (`list::fault`).
    pub fault: Option<Fault>,
    /// `REPRISE_SLOW`: a pipeline state whose draws and dispatches take longer than they would (`list::slow`).
    pub slow: Option<Slow>,
    /// `REPRISE_BREADCRUMBS`: lists leave breadcrumbs, whatever programs ask for (`crate::trail`).
    pub breadcrumbs: bool,
    /// `REPRISE_FAULT_DUMP`: the file for the driver's dump of a lost device.
    pub fault_dump: Option<PathBuf>,
    /// `REPRISE_SHADER_CACHE`: the folder of translated shaders and of what drivers make of pipelines. None is used without it.
    pub shader_cache: Option<PathBuf>,
    /// `REPRISE_SAMPLE_POSITIONS=reported`: tier 1 of sample positions is reported, also where lists that set them are refused.
    /// Mesa's OpenGL driver takes the tier for leave to copy parts of depth and stencil, and sets none.
    pub reports_positions: bool,
    /// The highest feature level to report, as the API numbers it.
    pub feature_level: Option<i32>,
    /// The highest shader model to report, as the API numbers it.
    pub shader_model: Option<i32>,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Whether the program that links the runtime asks for addresses of an earlier process.
static GIVES_ADDRESSES: AtomicBool = AtomicBool::new(false);

/// Devices of this process can have memory at the addresses of an earlier process, whatever the driver needs to know for that.
/// Without effect once the settings are in use.
pub fn give_addresses() {
    GIVES_ADDRESSES.store(true, Ordering::Relaxed);
}

/// Whether the program that links the runtime asks for checks of descriptors.
static CHECKS_DESCRIPTORS: AtomicBool = AtomicBool::new(false);

/// Shaders of this process look at descriptors before they use them. Without effect once the settings are in use.
pub fn check_descriptors() {
    CHECKS_DESCRIPTORS.store(true, Ordering::Relaxed);
}

/// Counters of the driver that the program that links the runtime asks for.
static COUNTERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Devices of this process have these counters of the driver, by their places, for query heaps of [`reprise_d3d12::counters`]. Without effect once
/// the settings are in use.
pub fn count(counters: Vec<u32>) {
    *COUNTERS.lock().unwrap_or_else(PoisonError::into_inner) = counters;
}

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

/// Reads the environment for this crate and for the log. Later changes of the environment have no effect. Called when the library is
/// loaded, before anything else of ours runs; programs that link the runtime do not call it.
pub fn settle() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        let asked = vkd3d_proton::of(std::env::vars_os());
        if asked.level.is_some() || asked.log_file.is_some() {
            let level = text(log::LEVEL).and_then(|level| level.parse().ok()).or(asked.level);
            let file = path(log::FILE).or(asked.log_file.clone());
            reprise_log::set(reprise_log::Settings { level: level.unwrap_or_default(), file });
        }
        #[cfg(not(windows))]
        reprise_com::serve(convention());
        // Asked for its effect: the log reads its settings, too.
        reprise_log::wants(Level::Fatal);
        if !asked.unheeded.is_empty() {
            reprise_log::debug(|| {
                format!("variables that have no effect on this runtime: {}", asked.unheeded.join(" "))
            });
        }
        SETTINGS.get_or_init(|| Settings::from_environment().or(asked));
        sign::loaded();
    });
}

/// The convention of the programs that this library serves: by the name that it was loaded under, where no variable names it.
#[cfg(not(windows))]
fn convention() -> Convention {
    if text(CONVENTION).as_deref() == Some(ITANIUM) {
        return Convention::Itanium;
    }
    // SAFETY: all fields may be null.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: the function's own address; the call fills `info`.
    if unsafe { libc::dladdr(convention as *const core::ffi::c_void, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return Convention::SystemV;
    }
    // SAFETY: the loader's own terminated name of this library, which stays as long as its code runs.
    let name = unsafe { core::ffi::CStr::from_ptr(info.dli_fname) }.to_string_lossy();
    reprise_d3d12::file::convention(&name)
}

impl Settings {
    /// With what vkd3d-proton's variables ask for, where these say nothing.
    fn or(mut self, asked: vkd3d_proton::Asked) -> Settings {
        self.gpu.preferred = asked.adapter;
        self.shader_cache = self.shader_cache.or(asked.shader_cache);
        self.feature_level = asked.feature_level;
        self.shader_model = asked.shader_model;
        self
    }

    fn from_environment() -> Settings {
        let given = if GIVES_ADDRESSES.load(Ordering::Relaxed) { Addresses::Given } else { Addresses::Any };
        Settings {
            gpu: reprise_gpu::settings::Settings {
                adapter: text(ADAPTER),
                preferred: None,
                validation: Validation::of(text(VALIDATION).as_deref()),
                messages: Messages::default(),
                imported_uploads: text(UPLOAD_MEMORY).as_deref() == Some(IMPORTED),
                hidden_texels: text(HIDDEN_TEXELS).is_some_and(|value| value != "0"),
                list_cuts: text(LIST_CUTS).is_some_and(|value| value != "0"),
                no_generated_commands: text(GENERATED_COMMANDS).as_deref() == Some("0"),
                push_bytes: read(PUSH_BYTES, "a number", |value| value.parse().ok()),
                descriptors: read(DESCRIPTORS, "sets or buffers", Descriptors::of),
                heap_views: read(HEAP_VIEWS, "a number", |value| value.parse().ok()),
                sharing: Sharing::of(text(SEPARATE_SETS).as_deref()),
                layouts: read(LAYOUTS, "unified or tracked", Layouts::of),
                fault_dumps: path(FAULT_DUMP).is_some(),
                descriptor_checks: (CHECKS_DESCRIPTORS.load(Ordering::Relaxed)
                    || text(CHECK_DESCRIPTORS).is_some_and(|value| value != "0"))
                .then_some(reprise_shader::checks::layout::BEFORE),
                counters: COUNTERS.lock().unwrap_or_else(PoisonError::into_inner).clone(),
                rules_off: text(DRIVER_RULES_OFF)
                    .map(|names| names.split(',').map(str::to_owned).collect())
                    .unwrap_or_default(),
                addresses: read(ADDRESSES, "repeatable or any", Addresses::of).unwrap_or(given),
                taken: read(TAKEN_ADDRESS, "hexadecimal digits", |value| u64::from_str_radix(value, 16).ok()),
            },
            inflate: read(INFLATE, "a number", |value| value.parse().ok()),
            fault: read(FAULT, "hang@N, lost@N or page-fault@N:ADDRESS", Fault::of),
            slow: read(SLOW, "N:STEPS, two numbers from 1 on", Slow::of),
            breadcrumbs: text(BREADCRUMBS).is_some_and(|value| value != "0"),
            fault_dump: path(FAULT_DUMP),
            shader_cache: path(SHADER_CACHE),
            reports_positions: text(SAMPLE_POSITIONS).as_deref() == Some(REPORTED),
            feature_level: None,
            shader_model: None,
        }
    }
}

/// The text of a variable; `None` where there is none or an empty one.
fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The path that a variable names; `None` where there is none or an empty one.
fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| reprise_environment::path(&value))
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
