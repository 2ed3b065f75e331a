//! Tests that need something the machine may not have. Such a test says so and is counted as skipped. Under
//! `CI=true` it fails instead, with two exceptions: the kernel lacks something, or a person has to make something by hand.
//!
//! Invariant: no test that returns early passes for one that checked something. `cargo xtask test` names a file in
//! [`SKIPS`]; each skip is a line there, which the count takes from those that passed.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable that names the file for skips: a line each, the test and the reason, divided by a tab.
pub const SKIPS: &str = "REPRISE_TEST_SKIPS";

/// Something a test cannot run without, and how to get it.
#[derive(Debug, Clone)]
pub struct Missing {
    /// What was looked for.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl Missing {
    fn package(what: &str, package: &str) -> Missing {
        let remedy = format!("run `cargo xtask setup` (Debian package {package})");
        Missing { what: what.to_owned(), remedy }
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is missing: {}", self.what, self.remedy)
    }
}

impl std::error::Error for Missing {}

/// Finds a program in `PATH`.
///
/// # Errors
/// [`Missing`] names the program and the Debian package it comes from.
pub fn program(name: &str, package: &str) -> Result<PathBuf, Missing> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| Missing::package(name, package))
}

/// Finds a file at one of several places.
///
/// # Errors
/// [`Missing`] names the first place and the Debian package it comes from.
pub fn file(places: &[&str], package: &str) -> Result<PathBuf, Missing> {
    let found = places.iter().map(Path::new).find(|place| place.exists()).map(Path::to_path_buf);
    found.ok_or_else(|| Missing::package(places.first().copied().unwrap_or_default(), package))
}

/// Finds Vulkan's validation layer.
///
/// # Errors
/// As [`file`].
pub fn validation_layer() -> Result<PathBuf, Missing> {
    file(&["/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"], "vulkan-validationlayers")
}

/// Whether the test has root's rights.
///
/// # Errors
/// [`Missing`] says to run the tests as root.
pub fn root() -> Result<(), Missing> {
    // SAFETY: no memory is involved.
    if unsafe { libc::geteuid() } == 0 {
        return Ok(());
    }
    Err(Missing { what: "root's rights".to_owned(), remedy: "run the tests as root".to_owned() })
}

/// Unwraps what a test needs, or gives `None` after counting the test as skipped, so that the test can return.
///
/// # Panics
/// With the reason when the environment has `CI=true`: there, nothing that can be installed may be missing.
pub fn require<T>(found: Result<T, Missing>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(missing) => {
            assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "{missing}");
            skip(&missing.to_string());
            None
        }
    }
}

/// Counts the test as skipped because the machine's kernel lacks something, whatever the environment; the test is to return.
pub fn kernel_lacks(what: &str) {
    skip(&format!("the kernel of this machine lacks {what}"));
}

/// Counts the test as skipped because the device that tests use lacks a feature, whatever the environment; the test is to return.
pub fn device_lacks(what: &str) {
    skip(&format!("the device lacks {what}"));
}

/// Counts the test as skipped because it needs something that a person makes and no set-up can install; the test is to return.
pub fn made_by_hand(what: &str) {
    skip(&format!("{what} is made by hand"));
}

fn skip(reason: &str) {
    eprintln!("SKIPPED: {reason}");
    let Some(path) = std::env::var_os(SKIPS) else { return };
    let program = std::env::current_exe().unwrap_or_default();
    // Cargo puts a hash behind the name of a test program.
    let program = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let program = program.rsplit_once('-').map_or(program.as_str(), |(name, _)| name);
    // The test harness gives the thread the name of its test.
    let thread = std::thread::current();
    let line = format!("{program} {}\t{}\n", thread.name().unwrap_or("of a thread"), reason.replace('\n', " "));
    // One write, so that lines of several processes do not mix.
    let written = std::fs::File::options()
        .append(true)
        .create(true)
        .open(&path)
        .and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(written.is_ok(), "the skip cannot be counted in {}: {written:?}", path.display());
}
