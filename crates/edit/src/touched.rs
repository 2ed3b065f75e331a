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

/// What a fact said of a call that is still to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Said {
    level: u32,
    /// The edit, by its place among those of the level.
    by: u32,
    is_new: bool,
}

/// By thread: what facts said of its next calls, the nearest call last.
///
/// Facts of one call stand in the order of their levels. A call that an edit put in parts those of the call behind it from it: what stands before
/// the fact that says so is about that other call.
#[derive(Debug, Default)]
struct Pending(HashMap<u32, Vec<Said>>);

impl Pending {
    fn fact(&mut self, thread: u32, level: u32, kept: Kept<'_>) {
        let said = match kept {
            Kept::Inserted(by) => Said { level, by, is_new: true },
            Kept::Arguments(by, _) => Said { level, by, is_new: false },
            // A later edit dropped the call: what earlier ones did to it is gone with it.
            Kept::Record(past) if past.kind == Kind::Enter => {
                self.call(thread);
                return;
            }
            Kept::Record(_) | Kept::Stored(..) => return,
        };
        self.0.entry(thread).or_default().push(said);
    }

    /// The thread's next call is there: what the last edit that touched it did.
    fn call(&mut self, thread: u32) -> Option<Said> {
        let all = self.0.get_mut(&thread)?;
        let last = all.last().copied();
        while let Some(said) = all.pop() {
            if said.is_new {
                break;
            }
        }
        last
    }
}

/// What the last edit that touched a call did to it. None where no edit did, or nothing tells.
pub fn touched(trace: &Trace, call: u64) -> Option<Touched> {
    let levels = level(trace.meta());
    if levels == 0 {
        return None;
    }
    let mut pending = Pending::default();
    let mut events = trace.events_as_recorded();
    while let Ok(Some(event)) = events.next() {
        if let Some((level, kept)) = Kept::of(&event) {
            pending.fact(event.thread, level, kept);
        }
        if event.kind != Kind::Enter {
            continue;
        }
        let said = pending.call(event.thread);
        if event.number >= call {
            let Said { level, by, is_new } = said.filter(|_| event.number == call)?;
            let above = usize::try_from(levels.checked_sub(level)?).ok()?;
            let mut history = std::iter::successors(trace.meta().get("edited"), |edited| edited.get("before"));
            let edit = history.nth(above)?["edits"].get(by as usize)?.as_str()?.to_owned();
            return Some(Touched { is_new, edit });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kept::Past;

    const CHANGED: Said = Said { level: 1, by: 4, is_new: false };
    const NEW: Said = Said { level: 2, by: 5, is_new: true };

    fn dropped(kind: Kind) -> Kept<'static> {
        Kept::Record(Past { kind, method: 7, object: 3, ordinal: 0, flags: 0, number: 9, ticks: 0, payload: &[] })
    }

    #[test]
    fn a_call_that_was_dropped_takes_what_was_said_of_it_along() {
        let mut pending = Pending::default();
        pending.fact(0, 1, Kept::Inserted(4));
        pending.fact(0, 2, dropped(Kind::Enter));
        pending.fact(0, 2, dropped(Kind::Leave));
        assert_eq!(pending.call(0), None, "the call behind the one that was dropped");
        // The control: another thread's call was dropped.
        pending.fact(0, 1, Kept::Inserted(4));
        pending.fact(1, 2, dropped(Kind::Enter));
        assert!(pending.call(0).is_some());
    }

    #[test]
    fn a_call_put_in_before_a_changed_one_leaves_what_was_said_of_that_one() {
        let mut pending = Pending::default();
        pending.fact(0, CHANGED.level, Kept::Arguments(CHANGED.by, &[]));
        pending.fact(0, NEW.level, Kept::Inserted(NEW.by));
        pending.fact(0, 3, Kept::Arguments(6, &[]));
        assert_eq!(pending.call(0), Some(Said { level: 3, by: 6, is_new: false }), "the last edit of the call put in");
        assert_eq!(pending.call(0), Some(CHANGED));
        assert_eq!(pending.call(0), None);
        pending.fact(0, 1, Kept::Arguments(0, &[]));
        pending.fact(0, 2, Kept::Arguments(1, &[]));
        assert_eq!(pending.call(0).map(|said| said.level), Some(2));
        assert_eq!(pending.call(0), None, "both were of one call");
    }
}
