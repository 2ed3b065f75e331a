//! Where findings are made: the state that names objects, and what is found so far.

use crate::finding::{Finding, Findings, Named};
use crate::rule::{Rule, Severity};
use reprise_d3d12::model::InterfaceId;
use reprise_timeline::State;
use reprise_timeline::state::objects::{Name, Object};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Numbers that an object has: the first, and how many.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Range {
    /// Bytes at GPU addresses.
    Addresses(u64, u64),
    /// Bytes of descriptors by handles of the processor.
    Handles(u64, u64),
}

/// An object that is gone.
#[derive(Clone, Debug)]
pub(crate) struct Gone {
    /// The call that released it.
    pub(crate) call: u64,
    pub(crate) named: Named,
    /// The numbers that it had.
    pub(crate) range: Option<Range>,
}

/// Where something happens.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) call: u64,
    pub(crate) list: Option<u32>,
    /// Number of the submission among all, and its call.
    pub(crate) submission: Option<(u64, u64)>,
}

/// What findings need.
pub(crate) struct Scene<'s> {
    pub(crate) state: &'s State,
    pub(crate) gone: &'s HashMap<u32, Gone>,
    pub(crate) findings: &'s mut Findings,
}

/// A finding to be.
pub(crate) struct Said {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) place: Place,
    /// Id of the object; 0 for none.
    pub(crate) object: u32,
}

impl Said {
    pub(crate) fn error(rule: &'static Rule, place: Place, object: u32) -> Said {
        Said { rule, severity: Severity::Error, place, object }
    }

    pub(crate) fn with(self, severity: Severity) -> Said {
        Said { severity, ..self }
    }
}

/// The object by its class and name.
pub(crate) fn named(id: u32, object: &Object) -> Named {
    let name = match &object.name {
        Some(Name::Text(text)) => Some(text.clone()),
        _ => None,
    };
    Named { id, class: class(object.interface()), name }
}

/// The class of an interface: without the number of its version.
fn class(interface: InterfaceId) -> &'static str {
    interface.get().name.trim_end_matches(|c: char| c.is_ascii_digit())
}

impl Scene<'_> {
    pub(crate) fn named(&self, id: u32) -> Named {
        match (self.state.objects.get(id), self.gone.get(&id)) {
            (Some(object), _) => named(id, object),
            (None, Some(gone)) => gone.named.clone(),
            (None, None) => Named { id, class: "IUnknown", name: None },
        }
    }

    /// An object in a text: `12 "shadow map"`.
    pub(crate) fn text(&self, id: u32) -> String {
        match self.named(id).name {
            Some(name) => format!("{id} {name:?}"),
            None => id.to_string(),
        }
    }

    /// Takes a finding. `kind` tells mistakes of a rule on an object apart: the same kind again is counted.
    pub(crate) fn say(
        &mut self,
        said: Said,
        kind: impl Hash,
        tell: impl FnOnce(&Self) -> (String, Vec<(u64, String)>),
    ) {
        let mut hasher = DefaultHasher::new();
        kind.hash(&mut hasher);
        let kind = hasher.finish();
        if self.findings.again(said.rule, said.object, kind) {
            return;
        }
        let (text, related) = tell(self);
        let object = (said.object != 0).then(|| self.named(said.object));
        let Place { call, list, submission } = said.place;
        let related = related.into_iter().filter(|(call, _)| *call != 0).collect();
        let finding = Finding {
            rule: said.rule,
            severity: said.severity,
            call,
            related,
            object,
            list,
            submission,
            text,
            times: 1,
        };
        self.findings.add(finding, said.object, kind);
    }
}
