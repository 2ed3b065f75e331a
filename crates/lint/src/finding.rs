//! Findings: one for each thing that is wrong, however often it happens.
//!
//! Invariant: findings stand in the order in which they were met first; what is kept is bounded, and what is left out is counted.

use crate::rule::{Rule, Severity};
use std::collections::HashMap;

/// An object as a finding names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// Its id.
    pub id: u32,
    /// The class that it was made as.
    pub class: &'static str,
    /// As the program named it last.
    pub name: Option<String>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule that it breaks.
    pub rule: &'static Rule,
    /// How sure it is.
    pub severity: Severity,
    /// The call that is wrong.
    pub call: u64,
    /// Calls that matter to it, each with what it did: who set the state, who released.
    pub related: Vec<(u64, String)>,
    /// The object that it is about.
    pub object: Option<Named>,
    /// The list that the call records into.
    pub list: Option<u32>,
    /// The submission that runs the list: its number, and its call.
    pub submission: Option<(u64, u64)>,
    /// What is wrong, and what to do.
    pub text: String,
    /// How often it was met.
    pub times: u64,
}

/// Most findings that are kept.
const MOST: usize = 10_000;

/// All findings of a trace.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    all: Vec<Finding>,
    /// By rule, object, the kind of the mistake: where the finding is.
    places: HashMap<(&'static str, u32, u64), usize>,
    left_out: u64,
}

impl Findings {
    /// Counts a finding that was met before; gives false where it is new. `kind` tells mistakes of one rule on one object apart.
    pub(crate) fn again(&mut self, rule: &'static Rule, object: u32, kind: u64) -> bool {
        match self.places.get(&(rule.name, object, kind)) {
            Some(place) => {
                if let Some(finding) = self.all.get_mut(*place) {
                    finding.times += 1;
                }
                true
            }
            None => false,
        }
    }

    /// Takes a new one.
    pub(crate) fn add(&mut self, finding: Finding, object: u32, kind: u64) {
        if self.again(finding.rule, object, kind) {
            return;
        }
        if self.all.len() >= MOST {
            self.left_out += 1;
            return;
        }
        self.places.insert((finding.rule.name, object, kind), self.all.len());
        self.all.push(finding);
    }

    pub(crate) fn into_parts(self) -> (Vec<Finding>, u64) {
        (self.all, self.left_out)
    }
}
