//! The kinds of overlays, by the names that people write.

use std::fmt;
use std::str::FromStr;

/// A kind of overlay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Changed,
    Nan,
    Clipping,
    Viewport,
}

impl Kind {
    const ALL: &[(&str, Kind)] =
        &[("changed", Kind::Changed), ("viewport", Kind::Viewport), ("nan", Kind::Nan), ("clipping", Kind::Clipping)];

    /// Whether it compares with what was there right before the call.
    pub(crate) fn needs_before(self) -> bool {
        self == Self::Changed
    }

    /// Whether it needs what the list has set.
    pub(crate) fn needs_state(self) -> bool {
        self == Self::Viewport
    }

    /// As a part of a file's name.
    pub(crate) fn file_name(self) -> String {
        self.to_string().replace('=', "_")
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            format!("{text:?} is no overlay: write one of {}", names.join(", "))
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(_, kind)| kind == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, kind) in Kind::ALL {
            assert_eq!(name.parse::<Kind>().unwrap(), *kind);
            assert_eq!(kind.to_string(), *name);
        }
        assert!("colour".parse::<Kind>().unwrap_err().contains("viewport"));
    }
}
