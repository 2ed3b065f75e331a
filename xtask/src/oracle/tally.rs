//! How many shaders of each form were right.

use anyhow::{Result, ensure};
use reprise_oracle::{Form, Outcome};
use std::collections::BTreeMap;
use std::fmt;

/// Counts by form.
#[derive(Default)]
pub(super) struct Tally {
    forms: BTreeMap<Form, Counts>,
    /// What compilers said of what they do not take, and how often.
    refusals: BTreeMap<String, usize>,
}

#[derive(Default)]
struct Counts {
    right: usize,
    wrong: usize,
    refused: usize,
}

impl Tally {
    pub(super) fn count(&mut self, form: Form, outcome: &Outcome, wrong: bool) {
        let counts = self.forms.entry(form).or_default();
        match outcome {
            Outcome::NotCompiled(said) => {
                counts.refused += 1;
                let line = said.lines().find(|line| line.contains("error")).unwrap_or("without a word");
                let reason = line.split_once("error").map_or(line, |(_, reason)| reason);
                *self.refusals.entry(format!("{form}: {reason}")).or_default() += 1;
            }
            _ if wrong => counts.wrong += 1,
            _ => counts.right += 1,
        }
    }

    /// Shaders whose result differs.
    pub(super) fn findings(&self) -> usize {
        self.forms.values().map(|counts| counts.wrong).sum()
    }

    pub(super) fn verdict(&self) -> Result<()> {
        for (reason, count) in &self.refusals {
            println!("oracle: not compiled, {count} times: {reason}");
        }
        for (form, counts) in &self.forms {
            ensure!(counts.right + counts.wrong > 0, "{form} compiled none of the shaders");
        }
        ensure!(self.findings() == 0, "{} shaders differ from what the processor makes of them", self.findings());
        Ok(())
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (form, counts)) in self.forms.iter().enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            let Counts { right, wrong, refused } = counts;
            write!(f, "{separator}{form} {right} right, {wrong} wrong, {refused} not compiled")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_and_what_never_compiles_fails_the_task() {
        let [first, second, ..] = Form::ALL;
        let mut tally = Tally::default();
        tally.count(first, &Outcome::Words(Vec::new()), false);
        assert!(tally.verdict().is_ok());
        tally.count(second, &Outcome::NotCompiled("a.hlsl(1): error X1: no".into()), false);
        assert!(tally.verdict().is_err());
        tally.count(second, &Outcome::Words(Vec::new()), false);
        assert!(tally.verdict().is_ok());
        tally.count(second, &Outcome::NotRun("no pipeline".into()), true);
        assert!(tally.verdict().is_err());
        assert_eq!(tally.findings(), 1);
    }
}
