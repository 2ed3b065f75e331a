//! `cargo xtask shaders`: are the compiled shaders of the test programs, and of replay, those of the texts beside them?
//!
//! Invariants: `blobs.txt` names every blob with the hash of its text and its own, so a blob that is older than its text, or
//! that nobody knows how to make, does not stay unseen; and every blob's container is sound.

use anyhow::{Context, Result, bail, ensure};
use reprise_dxbc::{Checksum, Container};
use reprise_testing::artifact;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use xxhash_rust::xxh3::xxh3_128;

/// Compiler and extension of each form, in the order of the list.
const FORMS: [(&str, &str); 2] = [("fxc", "dxbc"), ("dxc", "dxil")];
const LIST: &str = "blobs.txt";

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let compiler = match arguments {
        [] => None,
        [option, compiler] if option == "--compiler" => Some(compiler),
        _ => bail!("shaders takes --compiler PROGRAM, which is run as PROGRAM fxc|dxc SOURCE ENTRY PROFILE OUTPUT"),
    };
    folders().iter().try_for_each(|folder| bring_up_to_date(folder, compiler.map(String::as_str)))
}

fn bring_up_to_date(folder: &Path, compiler: Option<&str>) -> Result<()> {
    let text = std::fs::read_to_string(folder.join(LIST)).context("cannot read the list of blobs")?;
    if let Some(compiler) = compiler {
        let mut made = String::new();
        for line in text.lines() {
            match Entry::parse(line)? {
                Some(entry) => made.push_str(&entry.bring_up_to_date(folder, compiler)?.line()),
                None => made.push_str(line),
            }
            made.push('\n');
        }
        std::fs::write(folder.join(LIST), &made).context("cannot write the list of blobs")?;
        check(folder, &made)
    } else {
        check(folder, &text)
    }
}

fn folders() -> [PathBuf; 3] {
    ["crates/programs/shaders", "crates/replay/shaders", "crates/trim/shaders"]
        .map(|folder| artifact::workspace().join(folder))
}

/// A line of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    file: String,
    entry: String,
    /// `-` for a form that is not made.
    profiles: [String; 2],
    /// Of the text, then of each form, zero where it is not made; all zero in a line that was just written.
    hashes: [u128; 3],
}

impl Entry {
    /// `None` for a remark.
    fn parse(line: &str) -> Result<Option<Self>> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (&[file, entry, dxbc, dxil], hashes) = words.split_at_checked(4).context(line.to_owned())? else {
            bail!("{line}: not FILE ENTRY PROFILE PROFILE HASHES");
        };
        let hashes: Vec<u128> = hashes
            .iter()
            .map(|hash| u128::from_str_radix(hash, 16).with_context(|| format!("{line}: {hash:?} is no hash")))
            .collect::<Result<_>>()?;
        let hashes = match hashes.as_slice() {
            [] => [0; 3],
            hashes => hashes.try_into().with_context(|| format!("{line}: not three hashes"))?,
        };
        let profiles = [dxbc.to_owned(), dxil.to_owned()];
        Ok(Some(Self { file: file.to_owned(), entry: entry.to_owned(), profiles, hashes }))
    }

    fn line(&self) -> String {
        let [text, dxbc, dxil] = self.hashes;
        format!("{} {} {} {text:032x} {dxbc:032x} {dxil:032x}", self.file, self.entry, self.profiles.join(" "))
    }

    /// The blob's file name: `FILE.ENTRY.dxbc`.
    fn blob(&self, extension: &str) -> String {
        format!("{}.{}.{extension}", self.file.trim_end_matches(".hlsl"), self.entry)
    }

    /// The hashes of what lies in the folder.
    fn present(&self, folder: &Path) -> Result<[u128; 3]> {
        let hash = |name: &str| -> Result<u128> {
            Ok(xxh3_128(&std::fs::read(folder.join(name)).with_context(|| format!("cannot read {name}"))?))
        };
        let form = |at: usize| if self.has(at) { hash(&self.blob(FORMS[at].1)) } else { Ok(0) };
        Ok([hash(&self.file)?, form(0)?, form(1)?])
    }

    fn has(&self, form: usize) -> bool {
        self.profiles[form] != "-"
    }

    /// Compiles again unless all three are as the list says.
    fn bring_up_to_date(mut self, folder: &Path, compiler: &str) -> Result<Self> {
        if self.present(folder).is_ok_and(|present| present == self.hashes) {
            return Ok(self);
        }
        for ((program, extension), profile) in FORMS.iter().zip(&self.profiles).filter(|(_, profile)| *profile != "-") {
            let output = folder.join(self.blob(extension));
            println!("shaders: {program} {} {} {profile}", self.file, self.entry);
            let status = Command::new(compiler)
                .args([program, folder.join(&self.file).as_os_str().to_str().unwrap_or_default(), &self.entry, profile])
                .arg(&output)
                .status()
                .with_context(|| format!("cannot run {compiler}"))?;
            ensure!(status.success(), "{} {} does not compile for {profile}", self.file, self.entry);
        }
        self.hashes = self.present(folder)?;
        Ok(self)
    }
}

/// Fails at the first blob that is not what the list says, or that is not in the list.
fn check(folder: &Path, list: &str) -> Result<()> {
    let mut known: BTreeSet<String> = [LIST.to_owned()].into();
    for line in list.lines() {
        let Some(entry) = Entry::parse(line)? else { continue };
        let present = entry.present(folder)?;
        let name = entry.blob("*");
        ensure!(present[0] == entry.hashes[0], "{name} is older than {}: compile it again", entry.file);
        ensure!(present == entry.hashes, "{name} is not what {LIST} says");
        for (_, (_, extension)) in FORMS.iter().enumerate().filter(|(form, _)| entry.has(*form)) {
            let blob = entry.blob(extension);
            let bytes = std::fs::read(folder.join(&blob))?;
            let container = Container::parse(&bytes).map_err(|error| anyhow::anyhow!("{blob}: {error}"))?;
            ensure!(container.checksum() == Checksum::Valid, "{blob} is not signed: its checksum is wrong");
            ensure!(known.insert(blob.clone()), "{blob} is in {LIST} twice");
        }
        known.insert(entry.file);
    }
    for file in std::fs::read_dir(folder)? {
        let name = file?.file_name().to_string_lossy().into_owned();
        ensure!(known.contains(&name), "{name} is not in {LIST}");
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_blob_is_what_the_list_says() {
        for folder in folders() {
            let list = std::fs::read_to_string(folder.join(LIST)).unwrap();
            check(&folder, &list).unwrap();
        }
    }

    #[test]
    fn what_is_stale_damaged_or_unknown_is_found() {
        let [from, ..] = folders();
        let folder = std::env::temp_dir().join(format!("reprise-shaders-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["compute.hlsl", "compute.main.dxbc", "compute.main.dxil"] {
            std::fs::copy(from.join(name), folder.join(name)).unwrap();
        }
        let mut entry = Entry::parse("compute.hlsl main cs_5_1 cs_6_0").unwrap().unwrap();
        let check_with = |entry: &Entry| check(&folder, &entry.line()).map_err(|error| error.to_string());
        assert!(check_with(&entry).unwrap_err().contains("older"));
        entry.hashes = entry.present(&folder).unwrap();
        assert_eq!(Entry::parse(&entry.line()).unwrap().unwrap(), entry);
        assert_eq!(check_with(&entry), Ok(()));
        // A flipped bit that the list was told of is still no sound container.
        let mut damaged = std::fs::read(folder.join("compute.main.dxil")).unwrap();
        damaged[200] ^= 1;
        std::fs::write(folder.join("compute.main.dxil"), &damaged).unwrap();
        assert!(check_with(&entry).unwrap_err().contains("not what"));
        entry.hashes = entry.present(&folder).unwrap();
        assert!(check_with(&entry).unwrap_err().contains("checksum"));
        std::fs::copy(from.join("compute.main.dxil"), folder.join("compute.main.dxil")).unwrap();
        entry.hashes = entry.present(&folder).unwrap();
        std::fs::write(folder.join("stray.main.dxbc"), "").unwrap();
        assert!(check_with(&entry).unwrap_err().contains("stray.main.dxbc"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
