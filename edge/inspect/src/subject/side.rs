//! What the replays of a trace play on: a runtime, a GPU, an environment, in the words of `reprise diff --replay`.

use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// See the module. Nothing stated is what `reprise replay` takes by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// As `--runtime` takes it.
    pub(crate) runtime: Option<String>,
    /// As `--gpu` takes it.
    pub(crate) gpu: Option<String>,
    /// Of the environment.
    pub(crate) variables: Vec<(String, String)>,
}

impl Side {
    /// Whether it names our own runtime.
    pub(crate) fn is_ours(&self) -> bool {
        self.runtime.as_deref().is_none_or(|name| name == "ours")
    }

    /// For people: the runtime, and what is stated beside it.
    pub(crate) fn label(&self) -> String {
        let runtime = self.runtime.clone().unwrap_or_else(|| "ours".into());
        let gpu = self.gpu.iter().map(|gpu| format!("GPU {gpu}"));
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value}"));
        [runtime].into_iter().chain(gpu).chain(variables).collect::<Vec<_>>().join(", ")
    }

    /// For programs.
    pub(crate) fn json(&self) -> Json {
        let variables: Vec<String> = self.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        json!({ "runtime": self.runtime, "gpu": self.gpu, "env": variables, "label": self.label() })
    }

    /// Tells a command that replays.
    pub(crate) fn tell(&self, command: &mut Command) {
        if let Some(runtime) = &self.runtime {
            command.arg("--runtime").arg(runtime);
        }
        if let Some(gpu) = &self.gpu {
            command.arg("--gpu").arg(gpu);
        }
        command.envs(self.variables.iter().cloned());
    }

    /// A part of the key of stored results: it differs between sides. It has size and time of the libraries and drivers that the side names
    /// by path, so results of an earlier build are not taken for those of a new one. A library without a path is taken to stay the same.
    pub(crate) fn stamp(&self) -> String {
        let named = self.variables.iter().flat_map(|(_, value)| value.split(':')).chain(self.runtime.as_deref());
        let mut stamp = self.json().to_string();
        for path in named.map(Path::new).filter(|path| path.is_file()) {
            stamp.push_str(&age(path));
            // A description of a Vulkan driver: the driver is what is built.
            let library = std::fs::read(path).ok().filter(|_| path.extension().is_some_and(|ending| ending == "json"));
            if let Some(library) = library.and_then(|text| driver(path, &text)) {
                stamp.push_str(&age(&library));
            }
        }
        stamp
    }
}

/// The library that a description of a Vulkan driver names.
fn driver(description: &Path, text: &[u8]) -> Option<PathBuf> {
    let json: Json = serde_json::from_slice(text).ok()?;
    Some(description.parent()?.join(json["ICD"]["library_path"].as_str()?))
}

/// A file's length and the time of its last change.
fn age(path: &Path) -> String {
    let about = std::fs::metadata(path).ok().map(|about| (about.len(), about.modified().ok()));
    format!(" {}: {about:?}", path.display())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// What is built again has another stamp, also behind the description of a driver; nothing else has.
    #[test]
    fn a_new_build_is_something_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("icd.json"), r#"{"ICD": {"library_path": "./driver.so"}}"#).unwrap();
        std::fs::write(path("driver.so"), "1").unwrap();
        std::fs::write(path("runtime.so"), "1").unwrap();
        let runtime = Side { runtime: Some(path("runtime.so").display().to_string()), ..Side::default() };
        let value = format!("/nowhere.json:{}", path("icd.json").display());
        let driver = Side { variables: vec![("VK_DRIVER_FILES".into(), value)], ..Side::default() };
        let before = [runtime.stamp(), driver.stamp()];
        assert_eq!(before, [runtime.stamp(), driver.stamp()]);
        std::fs::write(path("driver.so"), "12").unwrap();
        assert_eq!((runtime.stamp() == before[0], driver.stamp() == before[1]), (true, false));
        std::fs::write(path("runtime.so"), "12").unwrap();
        assert_ne!(runtime.stamp(), before[0]);
        assert_ne!(Side::default().stamp(), Side { gpu: Some("1".into()), ..Side::default() }.stamp());
    }
}
