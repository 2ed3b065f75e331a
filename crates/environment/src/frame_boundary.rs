//! What ends a frame.

use core::fmt;
use regex::Regex;

/// What a user may ask for.
#[derive(Clone, Debug, Default)]
pub enum FrameBoundary {
    /// Every present.
    #[default]
    Presents,
    /// Presents of one swap chain, counted from 1.
    SwapChain(u32),
    /// Every `ExecuteCommandLists`; presents do not.
    Submissions,
    /// Every marker of the program whose text matches; presents do not.
    Markers(Regex),
}

const PRESENT: &str = "present";
const SUBMISSIONS: &str = "submissions";
const MARKER: &str = "marker";

impl FrameBoundary {
    /// As users write it.
    ///
    /// # Errors
    /// What is wrong with the text, and what to write instead.
    pub fn named(text: &str) -> Result<FrameBoundary, String> {
        let (word, rest) = text.split_once('=').map_or((text, None), |(word, rest)| (word, Some(rest)));
        match (word, rest) {
            (PRESENT, None) => Ok(FrameBoundary::Presents),
            (SUBMISSIONS, None) => Ok(FrameBoundary::Submissions),
            (PRESENT, Some(number)) => {
                let number = number.parse().ok().filter(|number| *number > 0);
                number.map(FrameBoundary::SwapChain).ok_or_else(|| {
                    format!("{PRESENT}= needs the number of a swap chain, counted from 1, such as {PRESENT}=1")
                })
            }
            (MARKER, Some("")) | (MARKER, None) => {
                Err(format!("{MARKER}= needs a regular expression for the text of markers, such as {MARKER}='^Frame'"))
            }
            (MARKER, Some(pattern)) => Regex::new(pattern)
                .map(FrameBoundary::Markers)
                .map_err(|error| format!("{MARKER}= needs a regular expression: {error}")),
            _ => Err(format!("must be {PRESENT}, {PRESENT}=N, {SUBMISSIONS} or {MARKER}=REGEX")),
        }
    }
}

impl fmt::Display for FrameBoundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameBoundary::Presents => f.write_str(PRESENT),
            FrameBoundary::SwapChain(number) => write!(f, "{PRESENT}={number}"),
            FrameBoundary::Submissions => f.write_str(SUBMISSIONS),
            FrameBoundary::Markers(pattern) => write!(f, "{MARKER}={pattern}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_are_written() {
        for name in ["present", "present=2", "submissions", r"marker=^Frame \d+$", "marker=a=b"] {
            assert_eq!(FrameBoundary::named(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn what_is_wrong_is_refused_with_what_to_write() {
        for (wrong, says) in [
            ("presents", "must be present, present=N, submissions or marker=REGEX"),
            ("submissions=1", "must be present, present=N, submissions or marker=REGEX"),
            ("present=0", "such as present=1"),
            ("present=first", "such as present=1"),
            ("present=", "such as present=1"),
            ("present=99999999999", "such as present=1"),
            ("marker", "such as marker='^Frame'"),
            ("marker=", "such as marker='^Frame'"),
            ("marker=[a", "marker= needs a regular expression: "),
        ] {
            let said = FrameBoundary::named(wrong).unwrap_err();
            assert!(said.contains(says), "{wrong}: {said}");
        }
    }
}
