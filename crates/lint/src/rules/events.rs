//! `events`: `BeginEvent` and `EndEvent` go in pairs.

use crate::rule::{Rule, Severity};
use crate::scene::{Place, Said, Scene};

pub(crate) static RULE: Rule = Rule {
    name: "events",
    says: "a list or a queue ends each event that it begins",
    source: "WinPixEventRuntime: PIXBeginEvent and PIXEndEvent",
};

/// A list is closed with an event that nothing ended.
pub(crate) fn not_ended(scene: &mut Scene<'_>, close: u64, list: u32, event: u64) {
    let place = Place { call: event, list: Some(list), submission: None };
    scene.say(Said::error(&RULE, place, list).with(Severity::Hint), "begin", |_| {
        let text =
            "this begins an event that the list does not end before it is closed; tools nest what follows into it";
        (text.to_owned(), vec![(close, "closes the list".to_owned())])
    });
}

/// An event is ended that never began.
pub(crate) fn not_begun(scene: &mut Scene<'_>, call: u64, on: u32, list: Option<u32>) {
    let place = Place { call, list, submission: None };
    scene.say(Said::error(&RULE, place, on).with(Severity::Hint), "end", |_| {
        ("this ends an event, and none is open here".to_owned(), Vec::new())
    });
}
