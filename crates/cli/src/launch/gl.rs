//! `--gl`: OpenGL programs as Direct3D 12 programs, by Mesa's driver `d3d12`, which draws on the runtime that it loads as `libd3d12.so`.
//!
//! Owns the variables that make a program choose that driver, and the reasons why it did not.

use crate::launch::windows::host_log::Told;
use reprise_environment::runtime::{HEAP_VIEWS, LIST_CUTS, REPORTED, SAMPLE_POSITIONS};
use std::ffi::OsString;
use std::path::Path;

/// Mesa's software path draws with the driver that [`DRIVER`] names, and shows pictures on any display.
const SOFTWARE: &str = "LIBGL_ALWAYS_SOFTWARE";
const DRIVER: &str = "GALLIUM_DRIVER";
/// Another vendor's OpenGL would be chosen where its GPU is.
const GLX_VENDOR: &str = "__GLX_VENDOR_LIBRARY_NAME";
const EGL_VENDORS: &str = "__EGL_VENDOR_LIBRARY_FILENAMES";
const MESA_EGL: &str = "/usr/share/glvnd/egl_vendor.d/50_mesa.json";
/// The driver makes eight heaps of 8,096 views, which cost room for all views of a device on Mesa's software rasteriser.
const VIEWS: &str = "8192";

/// Variables of Mesa's that make it choose another driver, or none, whatever we set.
const STRONGER: &[&str] = &["MESA_LOADER_DRIVER_OVERRIDE", "LIBGL_DRIVERS_PATH", "LIBGL_ALWAYS_INDIRECT"];
/// Where distributions have Mesa's drivers, and what those with `d3d12` have there.
const FOLDERS: &[&str] = &["/usr/lib/x86_64-linux-gnu/dri", "/usr/lib64/dri", "/usr/lib/dri"];
const FILE: &str = "d3d12_dri.so";

/// What the program's environment gets.
pub(crate) fn environment() -> Vec<(&'static str, OsString)> {
    let mut all = vec![(SOFTWARE, "1".into()), (DRIVER, "d3d12".into()), (GLX_VENDOR, "mesa".into())];
    if Path::new(MESA_EGL).is_file() {
        all.push((EGL_VENDORS, MESA_EGL.into()));
    }
    // The driver reads stencil back from wrong places without reported positions, and hands cuts of lists over as they are.
    for (name, value) in [(HEAP_VIEWS, VIEWS), (SAMPLE_POSITIONS, REPORTED), (LIST_CUTS, "1")] {
        if std::env::var_os(name).is_none() {
            all.push((name, value.into()));
        }
    }
    all
}

/// Why an OpenGL program made no device, as far as that can be known.
pub(crate) fn reason(told: &Told) -> String {
    let is_there = FOLDERS.iter().any(|folder| Path::new(folder).join(FILE).exists());
    reason_from(told, is_there, &|name| std::env::var_os(name).is_some())
}

fn reason_from(told: &Told, is_there: bool, is_set: &dyn Fn(&str) -> bool) -> String {
    if !told.refused.is_empty() {
        return told.refused.join("; ");
    }
    if let Some(name) = told.loaded.first() {
        return format!(
            "our runtime was loaded ({name}), and Mesa's d3d12 driver asked it for no device{}",
            told.lacked()
        );
    }
    if !is_there {
        return format!(
            "Mesa has no d3d12 driver here: there is no {FILE} in {}. Debian and Ubuntu have it in libgl1-mesa-dri",
            FOLDERS.join(", ")
        );
    }
    if let Some(name) = STRONGER.iter().find(|name| is_set(name)) {
        return format!("Mesa's d3d12 driver was not loaded, and {name} is set, which chooses another: unset it");
    }
    "no process loaded Mesa's d3d12 driver. The program made no OpenGL context (does it find its display?), draws by other means, is a \
     32-bit program, or brings OpenGL of its own, as those in Flatpak, Snap and AppImage do"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_that_is_known_is_named() {
        let told = |loaded: &[&str], refused: &[&str]| Told {
            loaded: loaded.iter().map(ToString::to_string).collect(),
            refused: refused.iter().map(ToString::to_string).collect(),
            ..Told::default()
        };
        let nothing = |_: &str| false;
        for (told, is_there, is_set, words) in [
            (told(&["gears"], &["no level 12_2"]), true, &nothing as &dyn Fn(&str) -> bool, "no level 12_2"),
            (told(&["gears"], &[]), true, &nothing, "(gears)"),
            (told(&[], &[]), false, &nothing, "libgl1-mesa-dri"),
            (told(&[], &[]), true, &|name: &str| name == STRONGER[0], STRONGER[0]),
            (told(&[], &[]), true, &nothing, "Flatpak"),
        ] {
            let reason = reason_from(&told, is_there, is_set);
            assert!(reason.contains(words), "{reason}");
        }
    }
}
