//! Which lines a dump shows: by frame, call, thread, method and object, all of which must agree.
//!
//! Invariant: what a filter leaves out costs no more than reading it. Only the question after objects needs arguments, and
//! it is asked last.

use super::event;
use super::names::Scope;
use crate::api;
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// What to show; what is empty asks for everything.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// These frames only, counted from 1.
    pub frames: Option<RangeInclusive<u64>>,
    /// These calls only, by number, and what happened right after each of them.
    pub calls: Option<RangeInclusive<u64>>,
    /// These threads only.
    pub threads: Vec<u32>,
    /// Calls of these methods only: a name, or `Interface::Name`; `*` stands for anything, case does not matter.
    pub methods: Vec<String>,
    /// Only calls on these objects, calls that take or give them (also by an address or handle), and what else is said of them.
    pub objects: Vec<u32>,
}

/// No method has a name that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{option}: no method is called {pattern}; write Name or Interface::Name, with * for anything, and {option} once for each"
)]
pub struct NoMethod {
    /// What the name was given with.
    pub option: String,
    /// The name.
    pub pattern: String,
}

/// A [`Selection`], ready to be asked.
#[derive(Debug)]
pub struct Filter {
    frames: RangeInclusive<u64>,
    calls: Option<RangeInclusive<u64>>,
    /// Of those calls only these; `None` when all are.
    only: Option<BTreeSet<u64>>,
    threads: Vec<u32>,
    /// Whether a method is wanted, by its number; `None` when all are.
    methods: Option<Vec<bool>>,
    objects: Vec<u32>,
}

impl Filter {
    /// Prepares a selection for the trace that was opened: patterns are matched with the names of its model.
    ///
    /// # Errors
    /// A pattern matches nothing: it is misspelt.
    pub fn new(selection: &Selection) -> Result<Filter, NoMethod> {
        let methods = match &selection.methods[..] {
            [] => None,
            patterns => Some(methods(patterns, "--methods")?),
        };
        Ok(Filter {
            frames: selection.frames.clone().unwrap_or(1..=u64::MAX),
            calls: selection.calls.clone(),
            only: None,
            threads: selection.threads.clone(),
            methods,
            objects: selection.objects.clone(),
        })
    }

    /// These calls and nothing else.
    pub fn of_calls(calls: BTreeSet<u64>) -> Filter {
        let range = calls.first().copied().unwrap_or(1)..=calls.last().copied().unwrap_or(0);
        Filter {
            frames: 1..=u64::MAX,
            calls: Some(range),
            only: Some(calls),
            threads: Vec::new(),
            methods: None,
            objects: Vec::new(),
        }
    }

    /// The frame, from 0, and the call before which nothing is shown.
    pub fn first(&self) -> (u32, u64) {
        let frame = u32::try_from(self.frames.start().saturating_sub(1)).unwrap_or(u32::MAX);
        (frame, self.calls.as_ref().map_or(0, |calls| *calls.start()))
    }

    /// Whether nothing that is shown can begin at this event or later.
    pub fn is_past(&self, event: &Event<'_>) -> bool {
        let past_calls = |calls: &RangeInclusive<u64>| event.kind != Kind::Leave && event.number > *calls.end();
        event::frame(event) > *self.frames.end() || self.calls.as_ref().is_some_and(past_calls)
    }

    /// Whether a call or another event is shown, for all that can be said without its payload.
    pub fn admits(&self, event: &Event<'_>) -> bool {
        let method = |methods: &Vec<bool>| {
            event.kind == Kind::Enter && methods.get(usize::from(event.method)).is_some_and(|wanted| *wanted)
        };
        self.frames.contains(&event::frame(event))
            && self.calls.as_ref().is_none_or(|calls| calls.contains(&event.number))
            && self.only.as_ref().is_none_or(|calls| event.kind == Kind::Enter && calls.contains(&event.number))
            && (self.threads.is_empty() || self.threads.contains(&event.thread))
            && self.methods.as_ref().is_none_or(method)
    }

    /// Whether something that is about this object is shown; `false` says only that its arguments must tell.
    pub fn admits_object(&self, object: u32) -> bool {
        self.objects.is_empty() || self.objects.contains(&object)
    }

    /// Whether one of these arguments or outputs is an object asked for, or lies in it.
    pub fn mentioned(&self, members: &[Member<'_>], scope: &Scope<'_>) -> bool {
        members.iter().any(|member| self.mentioned_by(&member.value, scope))
    }

    /// As [`Filter::mentioned`], for one value.
    pub fn mentioned_by(&self, value: &Value<'_>, scope: &Scope<'_>) -> bool {
        match value {
            Value::Object(id, _) => self.objects.contains(id),
            Value::Word(role, word) => scope.owner(*role, *word).is_some_and(|id| self.objects.contains(&id)),
            Value::Struct(_, members) => self.mentioned(members, scope),
            Value::Array(values) => values.iter().any(|value| self.mentioned_by(value, scope)),
            Value::Stream(subobjects) => subobjects.iter().any(|(_, value)| self.mentioned_by(value, scope)),
            _ => false,
        }
    }
}

/// The methods that match any of the patterns, by number; `option` is what they were given with.
///
/// # Errors
/// A pattern matches nothing: it is misspelt.
pub fn methods(patterns: &[String], option: &str) -> Result<Vec<bool>, NoMethod> {
    let names: Vec<String> =
        (0..api::model().methods.len()).map(|number| api::name(MethodId(number as u16)).to_lowercase()).collect();
    let mut wanted = vec![false; names.len()];
    for pattern in patterns {
        let lower = pattern.to_lowercase();
        let mut any = false;
        for (name, wanted) in names.iter().zip(&mut wanted) {
            if matches(&lower, if lower.contains("::") { name } else { api::plain(name) }) {
                (any, *wanted) = (true, true);
            }
        }
        if !any {
            return Err(NoMethod { option: option.to_owned(), pattern: pattern.clone() });
        }
    }
    Ok(wanted)
}

/// Whether all of a text is as a pattern says, in which `*` stands for any part of it.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        // The first place is as good as any other: what follows may only grow.
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text) in
            [("*", ""), ("a*", "a"), ("*a", "ba"), ("a*c*e", "abcde"), ("*b*b", "bab"), ("a**b", "ab")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a*", "ba"), ("*b*b", "ab"), ("ab*ba", "aba"), ("", "a"), ("*x*", "abc")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn methods_are_found_by_either_name() {
        let count = |patterns: &[&str]| {
            let patterns: Vec<String> = patterns.iter().map(|pattern| (*pattern).to_owned()).collect();
            methods(&patterns, "--methods").map(|wanted| wanted.iter().filter(|wanted| **wanted).count()).unwrap_or(0)
        };
        assert_eq!(count(&["id3d12device::CREATEfence"]), 1);
        assert_eq!(count(&["CreateFence", "ID3D12Device::CreateFence"]), 1);
        assert!(count(&["ID3D12GraphicsCommandList::*"]) > 40);
        assert_eq!(count(&["Device::CreateFence"]), 0, "an interface is named whole");
        assert_eq!(count(&["CreateFence", "NoSuchMethod"]), 0);
    }
}
