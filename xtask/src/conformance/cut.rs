//! What came of cutting a trace of a test at a submission in its middle, and of replaying what was cut out.
//!
//! Invariant: a cut is equal only when the part played to its end, compared at least a byte that the test had read back, and found no
//! difference. What the whole shows on the same runtime is its replay's to say.

use super::process::{End, Ended};
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Came {
    /// The part reads back what the whole does.
    Equal,
    /// The part plays, and nothing that it reads back can be compared.
    Silent,
    /// `reprise trim` said why it cannot be cut there.
    Refused,
    /// The part does not play, or reads back something else, or trimming failed otherwise.
    Wrong,
}

impl Came {
    pub(super) const ALL: [Came; 4] = [Came::Equal, Came::Silent, Came::Refused, Came::Wrong];

    /// The word in tables and JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Came::Equal => "equal",
            Came::Silent => "silent",
            Came::Refused => "refused",
            Came::Wrong => "wrong",
        }
    }
}

/// A cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) came: Came,
    /// The first submission of the part, and how many the whole has.
    pub(super) submission: u64,
    pub(super) submissions: u64,
    /// Bytes of the whole and of the part.
    pub(super) whole: u64,
    pub(super) part: u64,
    /// Bytes that the part read back and that were compared.
    pub(super) compared: u64,
    /// Why it is not equal.
    pub(super) detail: String,
}

impl Cut {
    /// Of the end of `reprise trim`: nothing where it wrote a part.
    pub(super) fn refused(ended: &Ended) -> Option<(Came, String)> {
        let last = || ended.output.lines().last().unwrap_or_default().to_owned();
        match ended.end {
            End::Code(0) => None,
            End::Code(1) if ended.output.contains("cannot be cut there: ") => Some((Came::Refused, last())),
            end => Some((Came::Wrong, format!("trimming ended with {end:?}: {}", last()))),
        }
    }

    /// Of the part's replay: whether it is the same, how many bytes were compared, and else why not.
    pub(super) fn played(same: bool, compared: u64, why: String) -> (Came, String) {
        match (same, compared) {
            (true, 0) => (Came::Silent, String::new()),
            (true, _) => (Came::Equal, String::new()),
            (false, _) => (Came::Wrong, why),
        }
    }

    /// For people.
    pub(super) fn line(&self) -> String {
        format!(
            "cut at submission {} of {}: {}, {} of {} bytes, {} bytes compared {}",
            self.submission,
            self.submissions,
            self.came.name(),
            self.part,
            self.whole,
            self.compared,
            self.detail
        )
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "result": self.came.name(),
            "submission": self.submission,
            "submissions": self.submissions,
            "whole_bytes": self.whole,
            "part_bytes": self.part,
            "compared_bytes": self.compared,
            "detail": self.detail,
        })
    }

    pub(super) fn from_json(value: &Value) -> Result<Cut> {
        let number = |name: &str| value[name].as_u64().with_context(|| format!("a cut without {name:?}"));
        let word = |name: &str| value[name].as_str().with_context(|| format!("a cut without {name:?}"));
        let result = word("result")?;
        let came = Came::ALL.into_iter().find(|came| came.name() == result);
        Ok(Cut {
            came: came.with_context(|| format!("{result:?} is no result of a cut"))?,
            submission: number("submission")?,
            submissions: number("submissions")?,
            whole: number("whole_bytes")?,
            part: number("part_bytes")?,
            compared: number("compared_bytes")?,
            detail: word("detail")?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_part_that_compared_something_is_equal() {
        let ended = |end, output: &str| Ended { end, output: output.to_owned(), seconds: 0.0 };
        let played = |same, compared| Cut::played(same, compared, "why".to_owned());
        assert_eq!(played(true, 4), (Came::Equal, String::new()));
        assert_eq!(played(true, 0), (Came::Silent, String::new()));
        assert_eq!(played(false, 4), (Came::Wrong, "why".to_owned()));
        let of = |end, output: &str| Cut::refused(&ended(end, output)).map(|(came, _)| came);
        assert_eq!(of(End::Code(0), ""), None);
        assert_eq!(of(End::Code(1), "reprise: x cannot be cut there: call 3: y"), Some(Came::Refused));
        assert_eq!(of(End::Code(1), "reprise: the replay failed"), Some(Came::Wrong));
        assert_eq!(of(End::Signal(11), "x cannot be cut there: "), Some(Came::Wrong));
        let detail = "why".to_owned();
        let cut = Cut { came: Came::Refused, submission: 3, submissions: 5, whole: 9, part: 7, compared: 2, detail };
        assert_eq!(Cut::from_json(&cut.json()).unwrap(), cut);
    }
}
