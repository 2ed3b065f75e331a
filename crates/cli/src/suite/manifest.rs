//! `suite.toml`: the traces of a suite, and what each has to show on each driver.
//!
//! Invariant: every path is relative to the suite's folder and stays in it, but for a trace that was added where it lies.

use crate::metric::Metric;
use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const HEAD: &str =
    "# A regression suite of reprise: `reprise suite run` plays its traces and compares them with golden results.
# Written by `reprise suite add`, `update` and `time`; metrics and reasons may be edited here.
";

/// The version of the file that this build writes.
const VERSION: u32 = 1;

/// The file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    version: u32,
    #[serde(default, rename = "trace")]
    pub(crate) traces: Vec<Entry>,
}

/// A trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Unique in the suite: letters, digits, `.`, `_`, `-`.
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    /// XXH3-128 of the file: another trace under the name is no regression.
    pub(crate) hash: String,
    /// Frames that are compared, as in 1-3,10; all, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) frames: Option<String>,
    #[serde(default, rename = "golden")]
    pub(crate) goldens: Vec<Golden>,
    #[serde(default, rename = "times", skip_serializing_if = "Vec::is_empty")]
    pub(crate) profiles: Vec<Profile>,
}

/// How long the GPU worked at a trace.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// What it is for: the adapter, or what `--profile` said.
    pub(crate) name: String,
    /// So many percent longer are slower.
    pub(crate) slower: u32,
    /// Why these times are those to keep.
    pub(crate) reason: String,
    /// The adapter and driver, and the runtime, that it was recorded on.
    pub(crate) recorded_on: String,
    /// A file of times (`reprise-times`).
    pub(crate) file: PathBuf,
}

/// What a trace shows on a driver.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Golden {
    /// A part of the adapter's or driver's name, in any case; `any` for every other one.
    pub(crate) driver: String,
    pub(crate) metric: String,
    /// Why it is what it is.
    pub(crate) reason: String,
    /// The adapter and driver, and the runtime, that it was recorded on.
    pub(crate) recorded_on: String,
    /// No control showed that something else would be told from it: it was added with `--unchecked`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unchecked: bool,
    /// Hashes of frames and read-backs, and pictures where the metric needs them.
    pub(crate) folder: PathBuf,
}

/// A driver that no other golden is for.
pub(crate) const ANY: &str = "any";

impl Default for Manifest {
    fn default() -> Manifest {
        Manifest { version: VERSION, traces: Vec::new() }
    }
}

impl Manifest {
    /// The manifest in a folder.
    ///
    /// # Errors
    /// There is none, or it is not as this build writes it.
    pub(crate) fn read(suite: &Path) -> Result<Manifest, Failure> {
        let path = suite.join("suite.toml");
        let text = std::fs::read_to_string(&path);
        let text = text
            .with_context(|| format!("no suite: {} (`reprise suite add` makes one)", path.display()))
            .or_exit(exit::USAGE)?;
        Manifest::parse(&text).map_err(|error| Failure::message(exit::TRACE, format!("{}: {error}", path.display())))
    }

    fn parse(text: &str) -> Result<Manifest, String> {
        let manifest: Manifest = toml::from_str(text).map_err(|error| error.to_string())?;
        if manifest.version != VERSION {
            return Err(format!("version {} is none that this build knows: {VERSION}", manifest.version));
        }
        for (at, entry) in manifest.traces.iter().enumerate() {
            check_name(&entry.name)?;
            if manifest.traces[..at].iter().any(|other| other.name == entry.name) {
                return Err(format!("two traces have the name {}", entry.name));
            }
            let leads_out =
                |path: &Path| path.components().any(|part| !matches!(part, std::path::Component::Normal(_)));
            for (place, profile) in entry.profiles.iter().enumerate() {
                if entry.profiles[..place].iter().any(|other| other.name == profile.name) {
                    return Err(format!("{}: two profiles have the name {}", entry.name, profile.name));
                }
                check_name(&profile.name)?;
                if !(1..=1000).contains(&profile.slower) {
                    let (entry, profile, slower) = (&entry.name, &profile.name, profile.slower);
                    return Err(format!("{entry}, times {profile}: slower = {slower} is no percentage from 1 to 1000"));
                }
                if leads_out(&profile.file) {
                    let (entry, profile, file) = (&entry.name, &profile.name, profile.file.display());
                    return Err(format!("{entry}, times {profile}: {file} leads out of the suite"));
                }
            }
            for (place, golden) in entry.goldens.iter().enumerate() {
                let wrong = |error| format!("{}, {}: {error}", entry.name, golden.driver);
                // Which of them counted would be chance.
                if entry.goldens[..place].iter().any(|other| other.driver.eq_ignore_ascii_case(&golden.driver)) {
                    return Err(format!("{}: two golden results are for {}", entry.name, golden.driver));
                }
                golden.metric.parse::<Metric>().map_err(wrong)?;
                check_name(&golden.driver)?;
                if leads_out(&golden.folder) {
                    return Err(wrong(format!("{} leads out of the suite", golden.folder.display())));
                }
            }
        }
        Ok(manifest)
    }

    /// Writes it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self, suite: &Path) -> Result<(), Failure> {
        let path = suite.join("suite.toml");
        let text = toml::to_string(self).context("cannot write TOML").or_exit(exit::FAILED)?;
        crate::terminal::whole_file::write(&path, format!("{HEAD}\n{text}").as_bytes())
            .with_context(|| path.display().to_string())
            .or_exit(exit::FAILED)
    }
}

impl Entry {
    /// The golden of a device, which is given in words: the one with the longest name that the words have.
    pub(crate) fn golden(&self, device: &str) -> Option<&Golden> {
        let device = device.to_lowercase();
        let fits = |golden: &&Golden| golden.driver == ANY || device.contains(&golden.driver.to_lowercase());
        self.goldens.iter().filter(fits).max_by_key(|golden| if golden.driver == ANY { 0 } else { golden.driver.len() })
    }
}

/// Names become names of folders.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "._- ".contains(letter);
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) {
        return Err(format!(
            "{name:?} is no name: letters, digits, spaces and . _ - only, and no . or - at its beginning"
        ));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn golden(driver: &str) -> Golden {
        Golden {
            driver: driver.into(),
            metric: "max-step=1".into(),
            reason: "first \"one\"".into(),
            recorded_on: "here".into(),
            unchecked: driver == "radv",
            folder: format!("golden/a/{driver}").into(),
        }
    }

    #[test]
    fn what_is_written_is_read_and_what_is_wrong_is_named() {
        let entry = Entry {
            name: "a".into(),
            file: "traces/a.reprise".into(),
            hash: "00".into(),
            frames: Some("1-3".into()),
            goldens: vec![golden("any"), golden("radv"), golden("radv 25.1")],
            profiles: vec![Profile {
                name: "NAVI21".into(),
                slower: 10,
                reason: "first".into(),
                recorded_on: "here".into(),
                file: "golden/a/times/NAVI21".into(),
            }],
        };
        let manifest = Manifest { traces: vec![entry.clone()], ..Manifest::default() };
        let text = toml::to_string(&manifest).unwrap();
        assert_eq!(Manifest::parse(&text).unwrap(), manifest);
        let driver = |device: &str| entry.golden(device).map(|golden| golden.driver.as_str());
        assert_eq!(driver("AMD Radeon (RADV NAVI21), driver radv Mesa 25.0"), Some("radv"));
        assert_eq!((driver("RADV 25.1"), driver("llvmpipe")), (Some("radv 25.1"), Some("any")));
        for (from, to, said) in [
            ("version = 1", "version = 2", "version 2"),
            ("max-step=1", "max-step=x", "no metric"),
            ("golden/a/any", "../a", "leads out of the suite"),
            ("golden/a/any", "/a", "leads out of the suite"),
            ("golden/a/times", "../a", "leads out of the suite"),
            ("NAVI21", "../a", "is no name"),
            ("driver = \"radv\"", "driver = \"ANY\"", "two golden results are for ANY"),
            ("slower = 10", "slower = 0", "is no percentage"),
            ("name = \"a\"", "name = \"../a\"", "is no name"),
            ("hash", "hush", "hush"),
        ] {
            let error = Manifest::parse(&text.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
