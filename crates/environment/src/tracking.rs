//! How stores to mapped memory are found.

/// The means that a user may ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tracking {
    /// By the best means that works for each mapping.
    #[default]
    Auto,
    /// By pages where that works, else by comparing.
    Pages,
    /// By Windows' own account where memory has one (`MEM_WRITE_WATCH`), else by comparing.
    WriteWatch,
    /// By protection where that works, else by comparing.
    Mprotect,
    /// By comparing.
    Compare,
}

impl Tracking {
    /// All of them.
    pub const ALL: [Tracking; 5] = [Self::Auto, Self::Pages, Self::WriteWatch, Self::Mprotect, Self::Compare];

    /// As users call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Pages => "pages",
            Self::WriteWatch => "write-watch",
            Self::Mprotect => "mprotect",
            Self::Compare => "compare",
        }
    }

    /// The means of this name.
    pub fn named(name: &str) -> Option<Tracking> {
        Self::ALL.into_iter().find(|tracking| tracking.name() == name)
    }
}
