//! What was found, as a table.

use super::ledger::Entry;
use super::verdict::{Ran, Verdict};
use anyhow::{Result, ensure};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Differences that are known not to be ours: of which trace, and why.
const KNOWN: [(&str, &str); 5] = [
    ("layer-views", SLICES),
    ("_array_reinterpretation", SLICES),
    (
        "test_undefined_",
        "its shaders use views as what they are not, which the API leaves undefined, and its name says so",
    ),
    ("test_denorm_behavior_", DENORMALS),
    ("test_shader_sm62_denorm", DENORMALS),
];
const DENORMALS: &str = "its shaders ask for denormals to be 0, and lavapipe keeps them, which `reprise` says";
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

/// What all runs of a shader came to: that which counts most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shader {
    /// Nothing of it was compared.
    Refused,
    Equal,
    Open,
    Known,
    Different,
}

/// All runs.
#[derive(Default)]
pub(super) struct Tally {
    rows: BTreeMap<String, Row>,
    /// Each shader once, by the hash of its content, whichever traces and rows it is in.
    shaders: BTreeMap<String, Shader>,
    open: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    different: Vec<String>,
    /// Sources that could not be captured or read, and why.
    unread: Vec<String>,
    runs: Vec<Value>,
}

impl Tally {
    /// Counts a run, and its control.
    pub(super) fn count(&mut self, entry: &Entry) {
        let Entry { place, kind, ran, control } = entry;
        self.run(place, kind, ran);
        if let Some(control) = control {
            self.control(kind, control);
        }
    }

    fn run(&mut self, place: &str, kind: &str, ran: &Ran) {
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
        let known = KNOWN.iter().find(|(name, _)| place.contains(name));
        let came_to = match (&ran.verdict, known) {
            (Verdict::Equal, _) => Shader::Equal,
            (Verdict::Open(_), _) => Shader::Open,
            (Verdict::Different(_), Some(_)) => Shader::Known,
            (Verdict::Different(_), None) => Shader::Different,
            (Verdict::Refused(_) | Verdict::Absent, _) => Shader::Refused,
        };
        for shader in &ran.shaders {
            let all = self.shaders.entry(shader.clone()).or_insert(came_to);
            *all = (*all).max(came_to);
        }
        match &ran.verdict {
            Verdict::Equal => {
                row.equal += 1;
                row.exact += usize::from(!ran.opens);
            }
            Verdict::Open(names) => {
                row.open += 1;
                names.iter().for_each(|name| *self.open.entry(name.clone()).or_default() += 1);
            }
            Verdict::Different(what) => match known {
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
    fn control(&mut self, kind: &str, ran: &Ran) {
        let row = self.rows.entry(kind.to_owned()).or_default();
        row.noticed.1 += 1;
        row.noticed.0 += usize::from(matches!(ran.verdict, Verdict::Different(_)));
    }

    pub(super) fn json(&self) -> Value {
        let shaders: BTreeMap<_, _> = self.shaders.iter().map(|(hash, came_to)| (hash, came_to.name())).collect();
        json!({ "runs": self.runs, "shaders": shaders, "open": self.open, "refused": self.refused, "different": self.different, "unread": self.unread })
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

impl Shader {
    const ALL: [Shader; 5] = [Shader::Equal, Shader::Open, Shader::Known, Shader::Different, Shader::Refused];

    fn name(self) -> &'static str {
        match self {
            Shader::Refused => "refused",
            Shader::Equal => "equal",
            Shader::Open => "open",
            Shader::Known => "known",
            Shader::Different => "different",
        }
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
        let of = |shader: Shader| self.shaders.values().filter(|it| **it == shader).count();
        let each: Vec<_> = Shader::ALL.iter().map(|it| format!("{} {}", of(*it), it.name())).collect();
        let compared = self.shaders.len() - of(Shader::Refused);
        writeln!(f, "distinct shaders: {compared} compared; {}", each.join(", "))?;
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

    /// A shader of several rows and traces is one, and the worst of what its runs came to.
    #[test]
    fn shaders_are_counted_once() {
        let mut tally = Tally::default();
        let mut one = |shader: &str, kind: &str, verdict: Verdict| {
            tally.run("a", kind, &Ran { shaders: vec![shader.to_owned()], verdict, opens: false });
        };
        one("a", "compute", Verdict::Equal);
        one("a", "rays", Verdict::Equal);
        one("a", "rays", Verdict::Refused("y".to_owned()));
        one("b", "compute", Verdict::Open(["x".to_owned()].into()));
        one("b", "compute", Verdict::Equal);
        one("c", "compute", Verdict::Refused("y".to_owned()));
        one("d", "compute", Verdict::Absent);
        let text = tally.to_string();
        assert!(
            text.contains("distinct shaders: 2 compared; 1 equal, 1 open, 0 known, 0 different, 1 refused"),
            "{text}"
        );
        tally.run("b", "compute", &ran(Verdict::Different("z".to_owned())));
        assert!(tally.to_string().contains("2 compared; 0 equal, 1 open, 0 known, 1 different, 1 refused"), "{tally}");
    }

    #[test]
    fn what_differs_fails_and_what_is_known_does_not() {
        let mut tally = Tally::default();
        assert!(tally.verdict().unwrap_err().to_string().contains("nothing was compared"));
        tally.run("layer-views.dxbc call 3", "compute", &ran(Verdict::Different("x".to_owned())));
        tally.run("a", "compute", &ran(Verdict::Refused("y".to_owned())));
        tally.run("a", "compute", &ran(Verdict::Equal));
        tally.run("a", "vertex", &ran(Verdict::Absent));
        tally.verdict().unwrap();
        let text = tally.to_string();
        assert!(text.contains("| compute | 1 | 3 | 1 | 1 | 0 | 0 | 1 | 1 |") && text.contains("    1  y"), "{text}");
        tally.run("views", "compute", &ran(Verdict::Different("x".to_owned())));
        assert!(tally.verdict().unwrap_err().to_string().contains("1 results differ"));
    }

    /// One source that cannot be read costs none of the others their rows.
    #[test]
    fn what_cannot_be_read_is_listed_and_fails() {
        let mut tally = Tally::default();
        tally.run("a", "compute", &ran(Verdict::Equal));
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
        tally.run("a", "compute", &ran(Verdict::Equal));
        tally.control("compute", &ran(Verdict::Equal));
        assert!(tally.verdict().unwrap_err().to_string().contains("the control shows nothing"));
        tally.control("compute", &ran(Verdict::Different(String::new())));
        tally.verdict().unwrap();
        assert!(tally.to_string().contains("1 of 2 |"));
    }
}
