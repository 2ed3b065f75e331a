//! Tests that need something the machine may not have: they say so, and count as failures where nothing may be missing.

use std::path::{Path, PathBuf};

/// Something a test cannot run without, and how to get it.
#[derive(Debug, Clone)]
pub struct Missing {
    /// What was looked for.
    pub what: String,
    /// The Debian package that brings it.
    pub package: String,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is missing: run `cargo xtask setup` (Debian package {})", self.what, self.package)
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
        .ok_or_else(|| Missing { what: name.to_owned(), package: package.to_owned() })
}

/// Finds a file at one of several places.
///
/// # Errors
/// [`Missing`] names the first place and the Debian package it comes from.
pub fn file(places: &[&str], package: &str) -> Result<PathBuf, Missing> {
    places.iter().map(Path::new).find(|place| place.exists()).map(Path::to_path_buf).ok_or_else(|| Missing {
        what: places.first().copied().unwrap_or_default().to_owned(),
        package: package.to_owned(),
    })
}

/// Finds Vulkan's validation layer.
///
/// # Errors
/// As [`file`].
pub fn validation_layer() -> Result<PathBuf, Missing> {
    file(&["/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json"], "vulkan-validationlayers")
}

/// Unwraps what a test needs, or gives `None` after printing `SKIPPED: reason` so that the test can return.
///
/// # Panics
/// With the reason when the environment has `CI=true`: there, a missing package must not pass for a success.
pub fn require<T>(found: Result<T, Missing>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(missing) => {
            assert!(std::env::var_os("CI").is_none_or(|value| value != "true"), "{missing}");
            eprintln!("SKIPPED: {missing}");
            None
        }
    }
}
