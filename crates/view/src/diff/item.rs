//! Something that two traces are compared by: a call, bytes stored to memory, a picture.
//!
//! Its text is JSON in which an object is its class between two marks that JSON cannot contain otherwise; which object it is
//! stands apart, in the order of the marks. So the same text is the same call on other objects.

use serde_json::{Map, Value as Json};

/// Before and after the class of an object.
pub(super) const OBJECT: char = '\u{1}';
pub(super) const END: char = '\u{2}';

/// See the module.
#[derive(Clone, Debug)]
pub struct Item {
    /// The call, or the last one begun before it.
    pub(super) number: u64,
    /// Frames count from 1.
    pub(super) frame: u64,
    pub(super) thread: u32,
    pub(super) kind: Kind,
    /// `{"this":…,"args":{…},"result":…}`; what is no call has members of its own.
    pub(super) text: String,
    pub(super) objects: Vec<u32>,
    /// Of kind and text.
    pub(super) key: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A method or function of the model.
    Call(u16),
    /// Bytes stored to mapped memory.
    Memory,
    /// The hash of what was presented.
    Picture,
}

impl Item {
    /// Bytes that it takes, roughly.
    pub(super) fn held(&self) -> usize {
        size_of::<Item>() + self.text.len() + self.objects.len() * 4
    }

    /// The method's name, or what else it is.
    pub(super) fn name(&self) -> String {
        match self.kind {
            Kind::Call(method) => crate::api::name(reprise_d3d12::model::MethodId(method)),
            Kind::Memory => "memory".into(),
            Kind::Picture => "picture".into(),
        }
    }

    /// The text with objects as `Class(id)`, each `id` as `name` says it.
    fn named(&self, mut name: impl FnMut(u32) -> String) -> String {
        let mut text = String::with_capacity(self.text.len() + 8 * self.objects.len());
        let mut objects = self.objects.iter();
        for part in self.text.chars() {
            match part {
                OBJECT => {}
                END => {
                    let id = objects.next().copied().unwrap_or_default();
                    text.push('(');
                    text.push_str(&name(id));
                    text.push(')');
                }
                other => text.push(other),
            }
        }
        text
    }

    /// Its members, with each object as `Class(id)`, the `id` as `name` says it.
    pub(super) fn members(&self, name: impl FnMut(u32) -> String) -> Map<String, Json> {
        // The text is ours, and complete.
        serde_json::from_str(&self.named(name)).unwrap_or_default()
    }

    /// As a line of the dump.
    pub(super) fn line(&self) -> Map<String, Json> {
        let mut line = Map::new();
        let number = if matches!(self.kind, Kind::Call(_)) { "call" } else { "after_call" };
        if !matches!(self.kind, Kind::Call(_)) {
            line.insert("event".into(), self.name().into());
        }
        line.insert(number.into(), self.number.into());
        line.insert("thread".into(), self.thread.into());
        line.insert("frame".into(), self.frame.into());
        if matches!(self.kind, Kind::Call(_)) {
            line.insert("method".into(), self.name().into());
        }
        line.extend(self.members(|id| id.to_string()));
        line
    }
}
