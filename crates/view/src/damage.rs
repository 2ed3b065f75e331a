//! What of a trace is damaged, in words: each place with its offset and kind, and what to do.

use crate::count;
use reprise_trace::read::{Damage, Place, Trace};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::path::Path;

/// Places named one by one.
const NAMED: usize = 20;

/// A trace is damaged: the places, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Damaged(String);

/// The damage that a reader met.
#[derive(Clone, Debug, Default)]
pub struct Met {
    list: Vec<Damage>,
    /// Places beyond those in the list.
    more: u64,
    /// Calls and contents that were read and could not be decoded.
    undecoded: u64,
    /// The first of these, in words.
    first: Option<String>,
}

impl Met {
    /// What readers of this trace met so far.
    pub fn of(trace: &Trace) -> Met {
        let (list, more) = trace.damage();
        Met::listed(list, more)
    }

    /// The damage in a list, and so many further places.
    pub fn listed(list: Vec<Damage>, more: u64) -> Met {
        Met { list, more, ..Met::default() }
    }

    /// The same, and calls or contents that could not be decoded.
    pub fn and_undecoded(self, undecoded: u64) -> Met {
        Met { undecoded, ..self }
    }

    /// The same, and what could not be decoded, in words.
    pub fn and_problems(self, problems: &[String]) -> Met {
        Met { undecoded: problems.len() as u64, first: problems.first().cloned(), ..self }
    }

    /// How many places are damaged.
    pub fn places(&self) -> u64 {
        self.list.len() as u64 + self.more + self.undecoded
    }

    /// Whether the tables at the end of the file are damaged.
    pub fn is_in_tables(&self) -> bool {
        use reprise_trace::chunk::ChunkKind::{Footer, Index};
        self.list
            .iter()
            .any(|damage| matches!(damage.place, Place::Trailer { .. } | Place::Chunk { kind: Index | Footer, .. }))
    }

    /// The places, for programs: `offset` is in bytes, and null where the place is none of the file.
    pub fn json(&self) -> Json {
        let one = |damage: &Damage| json!({ "offset": damage.place.offset(), "place": damage.place.to_string(), "what": damage.what });
        self.list.iter().map(one).collect()
    }

    /// # Errors
    /// Anything is damaged: the error names every place.
    pub fn sound(&self, file: &Path) -> Result<(), Damaged> {
        if self.places() == 0 {
            return Ok(());
        }
        Err(Damaged(self.message(file)))
    }

    fn message(&self, file: &Path) -> String {
        let mut text = format!("{}: {}", file.display(), count::damaged(self.places()));
        for damage in self.list.iter().take(NAMED) {
            let _ = write!(text, "\n  {damage}");
        }
        let more = self.list.len().saturating_sub(NAMED) as u64 + self.more;
        if more > 0 {
            let _ = write!(text, "\n  and {more} more");
        }
        if self.undecoded > 0 {
            let _ = write!(text, "\n  calls and contents that cannot be decoded: {}", self.undecoded);
            let _ = self.first.iter().try_for_each(|first| write!(text, ", the first: {first}"));
        }
        if self.list.iter().any(|damage| damage.place.offset().is_some()) {
            let _ = write!(text, "\n`reprise repair {}` writes a trace of what is sound", file.display());
        }
        text
    }
}
