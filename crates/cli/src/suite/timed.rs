//! A trace beside its profile: what is asked for, and what came of it, in words and as JSON.

use serde_json::{Value as Json, json};

/// How traces are measured.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) runs: u32,
    /// Percent that are slower, instead of the profile's own.
    pub(crate) slower: Option<u32>,
    /// The profile of this name, whatever the adapter is called.
    pub(crate) name: Option<String>,
}

/// A trace beside its profile.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    pub(crate) profile: String,
    /// Milliseconds of all that was timed, now and in the profile: medians.
    pub(crate) totals: [f64; 2],
    /// Whether something takes longer, surely and by so much as was asked for.
    pub(crate) is_slower: bool,
    /// Whether the whole takes less, likewise.
    pub(crate) is_faster: bool,
    /// The whole first, then pipelines by what they add.
    pub(crate) slower: Vec<Slower>,
    /// Draws, dispatches and other operations, by what they add.
    pub(crate) operations: Vec<Slower>,
}

/// What takes longer than it took.
#[derive(Clone, Debug)]
pub(crate) struct Slower {
    pub(crate) what: String,
    /// Milliseconds now and in the profile.
    pub(crate) times: [f64; 2],
}

impl Slower {
    fn in_words(&self) -> String {
        let [now, then] = self.times;
        format!("{} takes {:.1} % longer ({now:.3} ms, profile {then:.3} ms)", self.what, (now / then - 1.0) * 100.0)
    }

    fn json(&self) -> Json {
        json!({ "what": self.what, "ms": self.times[0], "profile_ms": self.times[1] })
    }
}

impl Timed {
    /// In a line.
    pub(crate) fn in_words(&self) -> String {
        let [now, then] = self.totals;
        match (self.is_slower, self.is_faster) {
            (true, _) => self.slower.iter().map(Slower::in_words).collect::<Vec<_>>().join("; "),
            (false, true) => format!("takes {:.1} % less than its profile", (1.0 - now / then) * 100.0),
            (false, false) => format!("takes {:.2} times its profile", now / then),
        }
    }

    pub(crate) fn json(&self) -> Json {
        json!({
            "profile": self.profile, "total_ms": self.totals[0], "profile_ms": self.totals[1], "ratio": self.totals[0] / self.totals[1],
            "slower": self.slower.iter().map(Slower::json).collect::<Json>(),
            "slower_operations": self.operations.iter().map(Slower::json).collect::<Json>(), "faster": self.is_faster,
        })
    }
}

/// Why a trace was not compared with a profile.
#[derive(Clone, Debug)]
pub(crate) enum Untimed {
    NoProfile(String),
    Failed(String),
    /// The library of the profile, or this one, left out what the other one runs.
    Unlike(String),
}
