//! The forms in which a program is given to a runtime: by which compiler, how well optimised.

use crate::program::{Kind, Program};
use std::fmt;

/// A compiler at a level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Form {
    /// As `--compiler` programs take it.
    pub compiler: &'static str,
    /// Not optimised.
    pub plain: bool,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self { compiler: "fxc", plain: false },
        Self { compiler: "fxc", plain: true },
        Self { compiler: "dxc", plain: false },
        Self { compiler: "dxc", plain: true },
    ];

    /// Those that can say a program.
    pub fn of(program: &Program) -> impl Iterator<Item = Self> {
        let newer = program.kind != Kind::Common;
        Self::ALL.into_iter().filter(move |form| form.compiler == "dxc" || !newer)
    }

    /// The shader model and what else the compiler is told: `cs_6_2:od:16`.
    pub fn profile(self, program: &Program) -> String {
        let model = match (self.compiler, program.kind) {
            ("fxc", _) => "cs_5_0",
            (_, Kind::Narrow) => "cs_6_2",
            _ => "cs_6_0",
        };
        let narrow = if program.kind == Kind::Narrow { ":16" } else { "" };
        format!("{model}{}{narrow}", if self.plain { ":od" } else { "" })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.compiler, if self.plain { "-od" } else { "" })
    }
}
