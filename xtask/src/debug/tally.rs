//! What was found, as a table.

use super::verdict::{Ran, Verdict};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Differences that are known not to be ours: of which trace, and why.
const KNOWN: [(&str, &str); 4] = [
    ("layer-views", SLICES),
    ("_array_reinterpretation", SLICES),
    (
        "test_undefined_",
        "its shaders use views as what they are not, which the API leaves undefined, and its name says so",
    ),
    ("test_denorm_behavior_", "its shaders ask for denormals to be 0, and lavapipe keeps them, which `reprise` says"),
];
const SLICES: &str =
    "it reads slices behind the last one of a view: Direct3D has 0 there, lavapipe takes the last slice";

/// Runs of one kind.
#[derive(Default)]
struct Row {
    shaders: BTreeSet<String>,
    equal: usize,
    /// Of these, how many have nothing open.
    exact: usize,
    open: usize,
    different: usize,
    known: usize,
    refused: usize,
    /// Runs with other inputs that were noticed, of how many.
    noticed: (usize, usize),
}

/// All runs.
#[derive(Default)]
pub(super) struct Tally {
    rows: BTreeMap<String, Row>,
    open: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    different: Vec<String>,
    /// Sources that could not be captured or read, and why.
    unread: Vec<String>,
    runs: Vec<Value>,
}

impl Tally {
    /// Counts a run: where it is of, and of which kind.
    pub(super) fn count(&mut self, place: &str, kind: &str, ran: &Ran) {
        let (word, why) = match &ran.verdict {
            Verdict::Absent => return,
            Verdict::Equal => ("equal", String::new()),
            Verdict::Open(names) => ("open", names.iter().cloned().collect::<Vec<_>>().join("; ")),
            Verdict::Different(what) => ("different", what.clone()),
            Verdict::Refused(why) => ("refused", why.clone()),
        };
        let row = self.rows.entry(kind.to_owned()).or_default();
        self.runs.push(json!({ "place": place, "kind": kind, "shaders": ran.shaders, "verdict": word, "why": why }));
        row.shaders.extend(ran.shaders.iter().cloned());
        match &ran.verdict {
            Verdict::Equal => {
                row.equal += 1;
                row.exact += usize::from(!ran.opens);
            }
            Verdict::Open(names) => {
                row.open += 1;
                names.iter().for_each(|name| *self.open.entry(name.clone()).or_default() += 1);
            }
            Verdict::Different(what) => match KNOWN.iter().find(|(name, _)| place.contains(name)) {
                Some((_, why)) => {
                    row.known += 1;
                    println!("debug: {place}: {what} (known: {why})");
                }
                None => {
                    row.different += 1;
                    println!("debug: {place}: DIFFERENT: {what}");
                    self.different.push(format!("{place}: {what}"));
                }
            },
            Verdict::Refused(why) => {
                row.refused += 1;
                *self.refused.entry(why.clone()).or_default() += 1;
            }
            Verdict::Absent => {}
        }
    }

    /// Counts a source of which there is no trace that can be read.
    pub(super) fn unread(&mut self, why: String) {
        self.unread.push(why);
    }

    /// Counts a run with other inputs.
    pub(super) fn control(&mut self, kind: &str, ran: &Ran) {
        let row = self.rows.entry(kind.to_owned()).or_default();
        row.noticed.1 += 1;
        row.noticed.0 += usize::from(matches!(ran.verdict, Verdict::Different(_)));
    }

    pub(super) fn json(&self) -> Value {
        json!({ "runs": self.runs, "open": self.open, "refused": self.refused, "different": self.different, "unread": self.unread })
    }

    /// Fails where something differs, and where nothing was compared.
    pub(super) fn verdict(&self) -> Result<()> {
        let compared: usize = self.rows.values().map(|row| row.equal + row.open + row.known).sum();
        ensure!(self.different.is_empty(), "{} results differ from the GPU's", self.different.len());
        ensure!(self.unread.is_empty(), "{} sources could not be captured or read", self.unread.len());
        ensure!(compared > 0, "nothing was compared");
        let blind = self.rows.iter().find(|(_, row)| row.noticed.1 > 0 && row.noticed.0 == 0);
        ensure!(blind.is_none(), "the control shows nothing: other inputs give the same in all shaders of a kind");
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let controlled = self.rows.values().any(|row| row.noticed.1 > 0);
        writeln!(
            f,
            "| shaders of | shaders | runs | equal | of these nothing open | open | different | known | refused |{}",
            if controlled { " control noticed |" } else { "" }
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|{}", if controlled { "---|" } else { "" })?;
        for (kind, row) in &self.rows {
            let runs = row.equal + row.open + row.different + row.known + row.refused;
            write!(
                f,
                "| {kind} | {} | {runs} | {} | {} | {} | {} | {} | {} |",
                row.shaders.len(),
                row.equal,
                row.exact,
                row.open,
                row.different,
                row.known,
                row.refused
            )?;
            match controlled {
                true => writeln!(f, " {} of {} |", row.noticed.0, row.noticed.1)?,
                false => writeln!(f)?,
            }
        }
        let mut list = |title: &str, all: &BTreeMap<String, usize>| {
            if all.is_empty() {
                return Ok(());
            }
            let mut all: Vec<_> = all.iter().collect();
            all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            writeln!(f, "{title}")?;
            all.iter().try_for_each(|(name, count)| writeln!(f, "  {count:>5}  {name}"))
        };
        list("open, by operation:", &self.open)?;
        list("refused, by reason:", &self.refused)?;
        self.unread.iter().try_for_each(|what| writeln!(f, "NOT READ: {what}"))?;
        self.different.iter().try_for_each(|what| writeln!(f, "DIFFERENT: {what}"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn ran(verdict: Verdict) -> Ran {
        Ran { shaders: vec!["a".to_owned()], verdict, opens: false }
    }

    #[test]
    fn what_differs_fails_and_what_is_known_does_not() {
        let mut tally = Tally::default();
        assert!(tally.verdict().unwrap_err().to_string().contains("nothing was compared"));
        tally.count("layer-views.dxbc call 3", "compute", &ran(Verdict::Different("x".to_owned())));
        tally.count("a", "compute", &ran(Verdict::Refused("y".to_owned())));
        tally.count("a", "compute", &ran(Verdict::Equal));
        tally.count("a", "vertex", &ran(Verdict::Absent));
        tally.verdict().unwrap();
        let text = tally.to_string();
        assert!(text.contains("| compute | 1 | 3 | 1 | 1 | 0 | 0 | 1 | 1 |") && text.contains("    1  y"), "{text}");
        tally.count("views", "compute", &ran(Verdict::Different("x".to_owned())));
        assert!(tally.verdict().unwrap_err().to_string().contains("1 results differ"));
    }

    /// One source that cannot be read costs none of the others their rows.
    #[test]
    fn what_cannot_be_read_is_listed_and_fails() {
        let mut tally = Tally::default();
        tally.count("a", "compute", &ran(Verdict::Equal));
        tally.verdict().unwrap();
        tally.unread("b cannot be captured: x".to_owned());
        let text = tally.to_string();
        assert!(
            text.contains("| compute | 1 | 1 | 1 |") && text.contains("NOT READ: b cannot be captured: x"),
            "{text}"
        );
        assert!(tally.verdict().unwrap_err().to_string().contains("1 sources could not be"));
    }

    #[test]
    fn a_control_that_shows_nothing_fails() {
        let mut tally = Tally::default();
        tally.count("a", "compute", &ran(Verdict::Equal));
        tally.control("compute", &ran(Verdict::Equal));
        assert!(tally.verdict().unwrap_err().to_string().contains("the control shows nothing"));
        tally.control("compute", &ran(Verdict::Different(String::new())));
        tally.verdict().unwrap();
        assert!(tally.to_string().contains("1 of 2 |"));
    }
}
