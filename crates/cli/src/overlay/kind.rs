//! The kinds of overlays, by the names that people write.

use super::without::Test;
use std::fmt;
use std::str::FromStr;

/// A kind of overlay.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
    Draw,
    Changed,
    Wireframe,
    Depth,
    Stencil,
    BackFace,
    Viewport,
    Nan,
    Clipping,
    Quads,
    Triangles,
    Without(Test),
}

/// What stands before the name of a test that is left out.
const WITHOUT: &str = "without=";

impl Kind {
    const ALL: &[(&str, Kind)] = &[
        ("draw", Kind::Draw),
        ("changed", Kind::Changed),
        ("wireframe", Kind::Wireframe),
        ("depth", Kind::Depth),
        ("stencil", Kind::Stencil),
        ("backface", Kind::BackFace),
        ("viewport", Kind::Viewport),
        ("nan", Kind::Nan),
        ("clipping", Kind::Clipping),
        ("quads", Kind::Quads),
        ("triangles", Kind::Triangles),
    ];

    /// Whether it compares with what was there right before the call.
    pub(crate) fn needs_before(self) -> bool {
        self == Self::Changed
    }

    /// Whether it needs what the list has set.
    pub(crate) fn needs_state(self) -> bool {
        self == Self::Viewport || self.needs_mesh()
    }

    /// Whether it needs the vertices of the draw.
    pub(crate) fn needs_mesh(self) -> bool {
        matches!(self, Self::Quads | Self::Triangles)
    }

    /// As a part of a file's name.
    pub(crate) fn file_name(self) -> String {
        self.to_string().replace('=', "_")
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kinds, tests) = (Self::ALL.iter(), Test::ALL.iter());
        let found = match text.strip_prefix(WITHOUT) {
            Some(test) => tests.clone().find(|(name, _)| *name == test).map(|(_, test)| Self::Without(*test)),
            None => kinds.clone().find(|(name, _)| *name == text).map(|(_, kind)| *kind),
        };
        found.ok_or_else(|| {
            let names: Vec<&str> = kinds.map(|(name, _)| *name).collect();
            let tests: Vec<&str> = tests.map(|(name, _)| *name).collect();
            format!(
                "{text:?} is no overlay: write one of {}, or {WITHOUT} and one of {}",
                names.join(", "),
                tests.join(", ")
            )
        })
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Without(test) = self {
            let found = Test::ALL.iter().find(|(_, it)| it == test);
            return write!(f, "{WITHOUT}{}", found.map_or("", |(name, _)| name));
        }
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
        for (name, test) in Test::ALL {
            let name = format!("without={name}");
            assert_eq!(name.parse::<Kind>().unwrap(), Kind::Without(*test));
            assert_eq!(Kind::Without(*test).to_string(), name);
        }
        let said = "colour".parse::<Kind>().unwrap_err();
        assert!(said.contains("viewport") && said.contains("scissor"), "{said}");
        assert!("without".parse::<Kind>().is_err() && "without=blending".parse::<Kind>().is_err());
    }
}
