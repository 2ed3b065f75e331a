//! Shaders of a folder that replace the program's own, by the hash of the recorded bytes.
//!
//! Invariant: the report names each file that was used and each that was not. A file with the program's own bytes changes nothing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use reprise_trace::read::content_hash;

use crate::error::Error;
use crate::report::Replaced;

/// The files, by hash of the shader that each replaces.
pub(crate) struct Replacements {
    files: HashMap<u128, Replacement>,
    same: u64,
    /// Used since this was last asked.
    recent: Vec<PathBuf>,
}

struct Replacement {
    path: PathBuf,
    bytes: Vec<u8>,
    used: u64,
}

/// A shader is a container that begins so, in the older and the newer form.
const MAGIC: &[u8] = b"DXBC";
/// Magic, checksum, version, size, number of parts.
const HEADER: usize = 32;

impl Replacements {
    /// Reads a folder.
    ///
    /// # Errors
    /// It cannot be read, has no file named after a hash, or has one that is no shader.
    pub(crate) fn load(folder: &Path) -> Result<Self, Error> {
        let fail = |path: &Path, reason: String| Error::Replacement { path: path.to_owned(), reason };
        let unreadable = |error: std::io::Error| fail(folder, error.to_string());
        let mut all = Self { files: HashMap::new(), same: 0, recent: Vec::new() };
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let Some(hash) = path.file_name().and_then(|name| hash_of_name(name.to_str()?)) else { continue };
            let bytes = std::fs::read(&path).map_err(|error| fail(&path, error.to_string()))?;
            let stated = bytes.get(24..28).and_then(|size| size.try_into().ok()).map(u32::from_le_bytes);
            if !bytes.starts_with(MAGIC) || bytes.len() < HEADER || stated != u32::try_from(bytes.len()).ok() {
                return Err(fail(&path, "no compiled shader (a DXBC container of the size that it states)".into()));
            }
            if content_hash(&bytes) == hash {
                all.same += 1;
            } else if let Some(other) = all.files.insert(hash, Replacement { path, bytes, used: 0 }) {
                return Err(fail(&other.path, "another file in the folder is named after the same hash".into()));
            }
        }
        if all.files.is_empty() && all.same == 0 {
            return Err(fail(
                folder,
                "no file is named after a shader, as `reprise extract` does: HASH.dxbc, .dxil or .cso".into(),
            ));
        }
        Ok(all)
    }

    /// The bytes that replace `original`.
    pub(crate) fn get(&mut self, original: &[u8]) -> Option<&[u8]> {
        let found = self.files.get_mut(&content_hash(original))?;
        found.used += 1;
        self.recent.push(found.path.clone());
        Some(&found.bytes)
    }

    /// The files used since this was last asked.
    pub(crate) fn recent(&mut self) -> Vec<PathBuf> {
        std::mem::take(&mut self.recent)
    }

    /// Which files were used.
    pub(crate) fn finish(self) -> Replaced {
        let (mut used, mut unused) = (Vec::new(), Vec::new());
        for Replacement { path, used: count, .. } in self.files.into_values() {
            if count == 0 { unused.push(path) } else { used.push((path, count)) }
        }
        used.sort();
        unused.sort();
        Replaced { used, unused, same: self.same }
    }
}

/// The hash that a file is named after: 32 digits, then an ending of compiled shaders.
fn hash_of_name(name: &str) -> Option<u128> {
    let (hash, ending) = name.split_once('.')?;
    let kind = ending.rsplit('.').next()?;
    let shader = matches!(kind, "dxbc" | "dxil" | "cso") && !ending.starts_with("root_signature");
    (shader && hash.len() == 32).then(|| u128::from_str_radix(hash, 16).ok())?
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn shader(fill: u8) -> Vec<u8> {
        let mut bytes = vec![fill; 48];
        bytes[..4].copy_from_slice(MAGIC);
        bytes[24..28].copy_from_slice(&48u32.to_le_bytes());
        bytes
    }

    #[test]
    fn files_stand_for_what_they_are_named_after() {
        let folder = std::env::temp_dir().join(format!("reprise-replace-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let name = |fill: u8, ending: &str| folder.join(format!("{:032x}.{ending}", content_hash(&shader(fill))));
        std::fs::write(name(1, "vertex.dxbc"), shader(2)).unwrap();
        std::fs::write(name(3, "cso"), shader(3)).unwrap();
        std::fs::write(name(4, "dxil"), shader(5)).unwrap();
        std::fs::write(name(6, "root_signature.dxbc"), b"ignored").unwrap();
        std::fs::write(folder.join("index.json"), b"{}").unwrap();
        let mut all = Replacements::load(&folder).unwrap();
        assert_eq!(all.get(&shader(1)), Some(&shader(2)[..]));
        assert_eq!(all.get(&shader(3)), None, "it holds what the program has");
        assert_eq!(all.get(&shader(9)), None);
        assert_eq!(all.recent(), [name(1, "vertex.dxbc")]);
        assert!(all.recent().is_empty());
        let expected = Replaced { used: vec![(name(1, "vertex.dxbc"), 1)], unused: vec![name(4, "dxil")], same: 1 };
        assert_eq!(all.finish(), expected);

        std::fs::write(name(7, "dxbc"), b"DXBC, but not for long").unwrap();
        let error = Replacements::load(&folder).err().unwrap().to_string();
        assert!(error.contains("no compiled shader") && error.contains(&format!("{:032x}", content_hash(&shader(7)))));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(Replacements::load(&folder).is_err());
    }
}
