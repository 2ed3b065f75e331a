//! Which calls of an edited trace are as an edit made them.

use crate::kept::{Kept, level};
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use std::collections::HashMap;

/// What an edit did to a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// The call was not there before.
    pub is_new: bool,
    /// The text of the edit.
    pub edit: String,
}

/// What the last edit that touched a call did to it. None where no edit did, or nothing tells.
pub fn touched(trace: &Trace, call: u64) -> Option<Touched> {
    let levels = level(trace.meta());
    if levels == 0 {
        return None;
    }
    let mut next: HashMap<u32, (u32, u32, bool)> = HashMap::new();
    let mut events = trace.events_as_recorded();
    while let Ok(Some(event)) = events.next() {
        match Kept::of(&event) {
            Some((level, Kept::Inserted(by))) => _ = next.insert(event.thread, (level, by, true)),
            Some((level, Kept::Arguments(by, _))) => _ = next.insert(event.thread, (level, by, false)),
            _ => {}
        }
        if event.kind != Kind::Enter {
            continue;
        }
        let said = next.remove(&event.thread);
        if event.number >= call {
            let (level, by, is_new) = said.filter(|_| event.number == call)?;
            let above = usize::try_from(levels.checked_sub(level)?).ok()?;
            let mut history = std::iter::successors(trace.meta().get("edited"), |edited| edited.get("before"));
            let edit = history.nth(above)?["edits"].get(by as usize)?.as_str()?.to_owned();
            return Some(Touched { is_new, edit });
        }
    }
    None
}
