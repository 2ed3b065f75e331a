//! Rows of the table: a check on a system, and what came of it.

use super::known;
use serde_json::{Value, json};
use std::fmt;

/// What came of a check.
#[derive(Default)]
pub(super) struct Row {
    pub(super) system: &'static str,
    pub(super) check: &'static str,
    pub(super) passed: usize,
    /// What failed, and how.
    pub(super) wrong: Vec<(String, String)>,
    /// What could not run on this system and runs elsewhere, and why.
    pub(super) lacking: Vec<(String, String)>,
    pub(super) skipped: Option<String>,
    pub(super) seconds: u64,
}

impl Row {
    /// A check that did not run.
    pub(super) fn skipped(system: &'static str, check: &'static str, reason: &str) -> Row {
        Row { system, check, skipped: Some(reason.to_owned()), ..Row::default() }
    }

    fn reason(&self, what: &str) -> Option<&'static str> {
        known::reason(self.system, self.check, what)
    }

    /// How much is wrong that nothing explains.
    pub(super) fn unexplained(&self) -> usize {
        self.wrong.iter().filter(|(what, _)| self.reason(what).is_none()).count()
    }

    pub(super) fn json(&self) -> Value {
        let wrong = |(what, how): &(String, String)| json!({ "what": what, "how": how, "reason": self.reason(what) });
        let lacking = |(what, how): &(String, String)| json!({ "what": what, "how": how });
        json!({
            "system": self.system, "check": self.check, "passed": self.passed, "skipped": self.skipped, "seconds": self.seconds,
            "wrong": self.wrong.iter().map(wrong).collect::<Vec<_>>(),
            "lacking": self.lacking.iter().map(lacking).collect::<Vec<_>>(),
        })
    }

    /// What it came to, in a word.
    fn verdict(&self) -> &'static str {
        match (&self.skipped, self.wrong.len(), self.unexplained()) {
            (Some(_), ..) => "skipped",
            (None, 0, _) => "right",
            (None, _, 0) => "explained",
            _ => "WRONG",
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<17} {:<16} {:<9}", self.system, self.check, self.verdict())?;
        if let Some(reason) = &self.skipped {
            return write!(f, " {reason}");
        }
        let (wrong, lacking) = (self.wrong.len(), self.lacking.len());
        write!(f, " {} right, {wrong} wrong, {lacking} that run elsewhere cannot ({} s)", self.passed, self.seconds)?;
        for (what, how) in &self.wrong {
            let reason = self.reason(what).map_or(String::new(), |reason| format!("\n        because {reason}"));
            write!(f, "\n    {what}: {how}{reason}")?;
        }
        self.lacking.iter().try_for_each(|(what, how)| write!(f, "\n    cannot: {what}: {how}"))
    }
}

/// All rows as text.
pub(super) fn table(rows: &[Row]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(system: &'static str, what: &str) -> Row {
        Row { system, check: "programs", wrong: vec![(what.into(), "how".into())], ..Row::default() }
    }

    #[test]
    fn only_what_is_known_is_explained() {
        let (known, other) = (wrong("sid", "doubles"), wrong("sid", "blending"));
        assert_eq!((known.verdict(), known.unexplained()), ("explained", 0));
        assert_eq!((other.verdict(), other.unexplained()), ("WRONG", 1));
        assert_eq!(wrong("bookworm", "doubles").verdict(), "WRONG");
        let skipped = Row::skipped("sid", "root", "no mirror");
        assert_eq!((skipped.verdict(), skipped.unexplained()), ("skipped", 0));
        assert!(skipped.to_string().ends_with("no mirror"), "{skipped}");
        assert!(other.to_string().contains("blending: how"), "{other}");
        assert_eq!(known.json()["wrong"][0]["reason"].as_str(), known::reason("sid", "programs", "doubles"));
    }
}
