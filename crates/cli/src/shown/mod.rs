//! What `reprise show` shows: wishes from the command line or a batch, and their answers as files, text and JSON.
//!
//! Invariant: each wish has one answer, which says what was shown or why there is nothing.

pub(crate) mod answer;
pub(crate) mod custom;
mod elements;
pub(crate) mod file;
mod histogram;
pub(crate) mod mesh;
pub(crate) mod number;
pub(crate) mod setting;
pub(crate) mod sheet;
pub(crate) mod submitted;
pub(crate) mod wish;

use std::path::Path;

/// Whether a path that the user states is a folder: it is one, or has a slash at its end.
pub(crate) fn is_folder(path: &Path) -> bool {
    let ends = |end: char| std::path::is_separator(end);
    path.is_dir() || path.to_string_lossy().ends_with(ends)
}

/// Whether it cannot become a folder for several files: it has an ending, as files have, and no slash.
pub(crate) fn is_file(path: &Path) -> bool {
    path.extension().is_some() && !is_folder(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_makes_a_folder() {
        for (path, folder, file) in
            [("a/b.png", false, true), ("a.b/", true, false), ("a/b", false, false), (".", true, false)]
        {
            assert_eq!((is_folder(Path::new(path)), is_file(Path::new(path))), (folder, file), "{path}");
        }
    }
}
