//! Where files are that options name.

use std::io;
use std::path::{Component, Path, PathBuf};

/// A path from the root, without `..`: programs under Wine get paths in the form that names files of Linux, in which Wine does not
/// resolve it.
///
/// # Errors
/// The path is empty, or there is no current folder.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    if path.components().any(|part| part == Component::ParentDir)
        && let (Some(folder), Some(name)) = (path.parent(), path.file_name())
        && let Ok(folder) = folder.canonicalize()
    {
        return Ok(folder.join(name));
    }
    Ok(path)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_resolved_through_links() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/inner")).unwrap();
        std::os::unix::fs::symlink(root.join("real/inner"), root.join("link")).unwrap();
        assert_eq!(absolute(&root.join("link/../x")).unwrap(), root.join("real/x"));
        assert_eq!(
            absolute(&root.join("link/x")).unwrap(),
            root.join("link/x"),
            "what needs no resolving stays as it is named"
        );
        assert_eq!(absolute(&root.join("nowhere/../x")).unwrap(), root.join("nowhere/../x"));
    }
}
