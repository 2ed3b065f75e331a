//! What `crates/programs/expected.txt` says: the hash of each program, and what is known of libraries.

use anyhow::{Context, Result};
use reprise_testing::artifact;
use std::collections::BTreeMap;

/// The file.
pub(super) struct Expected(BTreeMap<String, Vec<String>>);

impl Expected {
    /// Reads the file.
    pub(super) fn read() -> Result<Self> {
        let path = artifact::workspace().join("crates/programs/expected.txt");
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Self::parse(&text))
    }

    pub(super) fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut words = line.split_whitespace().map(str::to_owned);
            Some((words.next()?, words.collect()))
        };
        Self(text.lines().filter(|line| !line.starts_with('#')).filter_map(line).collect())
    }

    /// The hash that a program must print.
    pub(super) fn hash(&self, program: &str) -> Option<&String> {
        self.0.get(program)?.first()
    }

    /// Whether a library is known to be wrong about a program, or to lack something.
    pub(super) fn is_known(&self, program: &str, library: &str, form: &str, what: &str) -> bool {
        let known = format!("{}/{form}={what}", short(library));
        self.0.get(program).is_some_and(|words| words.iter().skip(1).any(|word| *word == known))
    }
}

/// A library as the file names it.
pub(super) fn short(library: &str) -> &str {
    match library.rsplit('/').next().unwrap_or(library) {
        "libvkd3d-utils.so.1" | "libvkd3d.so.1" => "vkd3d",
        "libvkd3d-proton-d3d12.so" => "vkd3d-proton",
        "libreprise_d3d12.so" => "ours",
        other => other.trim_end_matches(".so"),
    }
}
