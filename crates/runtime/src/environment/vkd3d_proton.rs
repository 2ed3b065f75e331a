//! Variables that users of vkd3d-proton know, for programs that run on our runtime in its place. Pure.
//!
//! A variable of our own goes before one of these. None of these keeps a program from running: a text that makes no sense has no effect,
//! and neither has `VKD3D_DEBUG=none`, which launchers set without being asked.

use std::ffi::OsString;
use std::path::PathBuf;

use reprise_environment::vkd3d_proton::{
    DEBUG, FEATURE_LEVEL, FILTER_DEVICE_NAME, LOG_FILE, NO_CACHE, PREFIX, SHADER_CACHE_PATH, SHADER_MODEL,
    VULKAN_DEVICE,
};
use reprise_gpu::settings::Preferred;
use reprise_log::Level;

/// Our files lie in a folder of their own there, because vkd3d-proton's cache stands beside them.
const CACHE_FOLDER: &str = "reprise";
/// What its own test program reads, not the library.
const TESTS: &str = "VKD3D_TEST_";

/// What the variables ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// The Vulkan device for programs that name none.
    pub(super) adapter: Option<Preferred>,
    /// The folder of translated shaders and of the driver's pipelines.
    pub(super) shader_cache: Option<PathBuf>,
    /// Which messages are logged.
    pub(super) level: Option<Level>,
    /// The file of the log.
    pub(super) log_file: Option<PathBuf>,
    /// The highest feature level to report, as the API numbers it.
    pub(super) feature_level: Option<i32>,
    /// The highest shader model to report, as the API numbers it.
    pub(super) shader_model: Option<i32>,
    /// Variables without an effect, in the order of their names.
    pub(super) unheeded: Vec<String>,
}

/// What an environment asks for.
pub(super) fn of(environment: impl Iterator<Item = (OsString, OsString)>) -> Asked {
    let mut asked = Asked::default();
    for (name, value) in environment {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        if value.is_empty() || name.starts_with(TESTS) {
            continue;
        }
        let path = || reprise_environment::path(&value);
        let text = value.to_str().unwrap_or_default();
        let is_heeded = match name {
            VULKAN_DEVICE => text.parse().ok().is_some_and(|index| {
                // It goes before a name.
                asked.adapter = Some(Preferred::Index(index));
                true
            }),
            FILTER_DEVICE_NAME => {
                asked.adapter.get_or_insert_with(|| Preferred::Name(text.to_owned()));
                true
            }
            SHADER_CACHE_PATH => {
                asked.shader_cache = (text != NO_CACHE).then(|| path().join(CACHE_FOLDER));
                true
            }
            LOG_FILE => {
                asked.log_file = Some(path());
                true
            }
            DEBUG => is_some(&mut asked.level, level(text)),
            FEATURE_LEVEL => is_some(&mut asked.feature_level, feature_level(text)),
            SHADER_MODEL => is_some(&mut asked.shader_model, shader_model(text)),
            _ => false,
        };
        if !is_heeded {
            asked.unheeded.push(format!("{name}={text}"));
        }
    }
    asked.unheeded.sort();
    asked
}

fn is_some<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

/// The level that shows what theirs shows. Theirs has warnings behind what goes on.
fn level(text: &str) -> Option<Level> {
    match text {
        "err" => Some(Level::Error),
        "info" | "fixme" | "warn" => Some(Level::Info),
        "trace" => Some(Level::Debug),
        _ => None,
    }
}

/// `12_1` is 0xc100.
fn feature_level(text: &str) -> Option<i32> {
    let (major, minor) = numbers(text)?;
    matches!((major, minor), (11, 0..=1) | (12, 0..=2)).then_some((major << 12) | (minor << 8))
}

/// `6_6` is 0x66.
fn shader_model(text: &str) -> Option<i32> {
    let (major, minor) = numbers(text)?;
    matches!((major, minor), (6, 0..=10)).then_some((major << 4) | minor)
}

fn numbers(text: &str) -> Option<(i32, i32)> {
    let (major, minor) = text.split_once('_')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(set: &[(&str, &str)]) -> Asked {
        of(set.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn what_makes_sense_here_is_taken_over() {
        let all = asked(&[
            ("VKD3D_FILTER_DEVICE_NAME", "Arc"),
            ("VKD3D_SHADER_CACHE_PATH", "/cache"),
            ("VKD3D_DEBUG", "trace"),
            ("VKD3D_LOG_FILE", "/log"),
            ("VKD3D_FEATURE_LEVEL", "12_1"),
            ("VKD3D_SHADER_MODEL", "6_6"),
            ("PATH", "/bin"),
            ("VKD3D_TEST_FILTER", "draw"),
        ]);
        let expected = Asked {
            adapter: Some(Preferred::Name("Arc".into())),
            shader_cache: Some("/cache/reprise".into()),
            level: Some(Level::Debug),
            log_file: Some("/log".into()),
            feature_level: Some(0xc100),
            shader_model: Some(0x66),
            unheeded: Vec::new(),
        };
        assert_eq!(all, expected);
    }

    #[test]
    fn an_index_goes_before_a_name() {
        let index = ("VKD3D_VULKAN_DEVICE", "1");
        let name = ("VKD3D_FILTER_DEVICE_NAME", "Arc");
        for set in [[index, name], [name, index]] {
            assert_eq!(asked(&set).adapter, Some(Preferred::Index(1)));
        }
    }

    #[test]
    fn what_has_no_effect_is_named() {
        let set = [
            ("VKD3D_SHADER_DEBUG", "none"),
            ("VKD3D_CONFIG", "virtual_heaps"),
            ("VKD3D_DEBUG", "none"),
            ("VKD3D_VULKAN_DEVICE", "first"),
            ("VKD3D_FEATURE_LEVEL", "13_0"),
            ("VKD3D_SHADER_MODEL", "6"),
            ("VKD3D_FRAME_RATE", ""),
        ];
        let expected = [
            "VKD3D_CONFIG=virtual_heaps",
            "VKD3D_DEBUG=none",
            "VKD3D_FEATURE_LEVEL=13_0",
            "VKD3D_SHADER_DEBUG=none",
            "VKD3D_SHADER_MODEL=6",
            "VKD3D_VULKAN_DEVICE=first",
        ];
        assert_eq!(asked(&set), Asked { unheeded: expected.map(str::to_owned).to_vec(), ..Asked::default() });
        assert_eq!(asked(&[("VKD3D_SHADER_CACHE_PATH", "0")]), Asked::default());
    }
}
