//! A negative control: whether what was compared and is equal would differ, if the GPU did something else.
//!
//! Invariant: what differs by itself is not among the things that a control looks at, and a replay that does not come to its end shows
//! nothing: neither counts as noticed.

use crate::child_replay::picture_pipe::Message;
use crate::terminal::output::Output;
use reprise_replay::{Control, FrameHash, Read};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Kinds of things that are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Frames,
    /// Memory that the program reads back, but for answers of queries.
    Reads,
    /// Answers of queries that it reads back.
    Queries,
}

/// Something that is compared. Frames and calls count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Thing {
    Frame(u64),
    Read { kind: Kind, call: u64, frame: u64, resource: u32, offset: u64 },
}

/// Things with the hash of each.
pub(crate) type Things = BTreeMap<Thing, u128>;

/// What a control showed.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Kinds of which something was compared.
    pub(crate) kinds: BTreeMap<Kind, Noticed>,
    /// The change that could not be played, and why.
    pub(crate) failed: Option<(Control, String)>,
}

/// How many things of a kind would have been told.
#[derive(Debug, Default)]
pub(crate) struct Noticed {
    pub(crate) compared: u64,
    /// Those that no change reaches.
    pub(crate) missed: Vec<Thing>,
}

const KINDS: [(Kind, &str, &str); 3] = [
    (Kind::Frames, "frames", "frames"),
    (Kind::Reads, "read-backs", "read_backs"),
    (Kind::Queries, "queries", "queries"),
];

impl Thing {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Thing::Frame(_) => Kind::Frames,
            Thing::Read { kind, .. } => *kind,
        }
    }

    fn text(&self) -> String {
        match self {
            Thing::Frame(frame) => format!("frame {frame}"),
            Thing::Read { kind, call, resource, offset, .. } => {
                let what = if *kind == Kind::Queries { "answers of queries" } else { "bytes" };
                format!("{what} in what is read back of resource {resource} at offset {offset} after call {call}")
            }
        }
    }

    fn json(&self) -> Json {
        match self {
            Thing::Frame(frame) => json!(frame),
            Thing::Read { call, frame, resource, offset, .. } => {
                json!({ "call": call, "frame": frame, "resource": resource, "offset": offset })
            }
        }
    }
}

/// The things of a picture.
pub(crate) fn of_frame(frame: u64, hash: FrameHash) -> (Thing, u128) {
    (Thing::Frame(frame), hash.0)
}

/// The things of what a program reads back.
pub(crate) fn of_read(read: &Read) -> impl Iterator<Item = (Thing, u128)> + use<> {
    let Read { call, frame, resource, offset, .. } = *read;
    let thing = move |kind| Thing::Read { kind, call, frame, resource, offset };
    let parts = [(Kind::Reads, read.values), (Kind::Queries, read.answers)];
    parts.into_iter().filter_map(move |(kind, hash)| Some((thing(kind), hash?)))
}

/// The things of a message of a replay.
pub(crate) fn of_message(message: &Message) -> Vec<(Thing, u128)> {
    match message {
        Message::Picture(frame, picture) => vec![of_frame(*frame, picture.hash())],
        Message::Read(read) => of_read(read).collect(),
        Message::End { .. } => Vec::new(),
    }
}

/// Plays with one change after the other, until each of the things has been noticed. `play` gives what is shown under a change.
pub(crate) fn run(things: Things, mut play: impl FnMut(Control) -> Result<Things, String>) -> Outcome {
    let mut kinds: BTreeMap<Kind, Noticed> = BTreeMap::new();
    things.keys().for_each(|thing| kinds.entry(thing.kind()).or_default().compared += 1);
    let (mut left, mut failed) = (things, None);
    for control in Control::ALL {
        if left.is_empty() {
            break;
        }
        match play(control) {
            // What is not shown is not told apart.
            Ok(shown) => left.retain(|thing, hash| shown.get(thing).is_none_or(|other| other == hash)),
            Err(why) => {
                failed = Some((control, why));
                break;
            }
        }
    }
    for thing in left.into_keys() {
        kinds.entry(thing.kind()).or_default().missed.push(thing);
    }
    Outcome { kinds, failed }
}

impl Noticed {
    pub(crate) fn noticed(&self) -> u64 {
        self.compared - self.missed.len() as u64
    }
}

impl Outcome {
    /// Whether it shows of each kind that its comparison can fail.
    pub(crate) fn holds(&self) -> bool {
        self.failed.is_none() && !self.kinds.is_empty() && self.kinds.values().all(|kind| kind.noticed() > 0)
    }

    /// Whether nothing at all was noticed. Suites ask, which are Linux's.
    #[cfg(any(unix, test))]
    pub(crate) fn is_blind(&self) -> bool {
        self.kinds.values().all(|kind| kind.noticed() == 0)
    }

    /// Each kind in a line, and what was not noticed, or why nothing is known.
    pub(crate) fn lines(&self) -> Vec<String> {
        const SHOWN: usize = 10;
        let mut lines = Vec::new();
        for (kind, name, _) in KINDS {
            let Some(found) = self.kinds.get(&kind) else { continue };
            let blind = match found.noticed() {
                0 if self.failed.is_none() => ": nothing that the control changes reaches them",
                _ => "",
            };
            lines.push(format!("control: {name}: {} of {} noticed{blind}", found.noticed(), found.compared));
            lines.extend(found.missed.iter().take(SHOWN).map(|thing| format!("  not noticed: {}", thing.text())));
            if found.missed.len() > SHOWN {
                lines.push(format!("  and {} more (--json lists them all)", found.missed.len() - SHOWN));
            }
        }
        if let Some((control, why)) = &self.failed {
            lines
                .push(format!("control: not controlled: the replay with the change `{}` fails: {why}", control.name()));
        }
        lines
    }

    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn describe(&self, output: &mut Output) -> std::io::Result<()> {
        self.lines().iter().try_for_each(|line| output.line(line).map(|_| ()))
    }

    pub(crate) fn json(&self) -> Json {
        let mut json = json!({ "holds": self.holds(), "failed": null });
        for (kind, _, member) in KINDS {
            let Some(found) = self.kinds.get(&kind) else { continue };
            let missed: Vec<Json> = found.missed.iter().map(Thing::json).collect();
            json[member] = json!({ "compared": found.compared, "noticed": found.noticed(), "not_noticed": missed });
        }
        if let Some((control, why)) = &self.failed {
            json["failed"] = json!({ "change": control.name(), "why": why });
        }
        json
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(kind: Kind) -> Thing {
        Thing::Read { kind, call: 46, frame: 2, resource: 9, offset: 64 }
    }

    #[test]
    fn only_what_a_change_makes_differ_is_noticed() {
        let things: Things =
            [(Thing::Frame(1), 1), (Thing::Frame(2), 2), (read(Kind::Reads), 3), (read(Kind::Queries), 4)].into();
        let mut played = Vec::new();
        let outcome = run(things.clone(), |control| {
            played.push(control);
            Ok(match control {
                // The second frame is not there, and the first one is something else.
                Control::Idle => [(Thing::Frame(1), 7), (read(Kind::Reads), 3), (read(Kind::Queries), 4)].into(),
                Control::Painted => [(Thing::Frame(2), 2), (read(Kind::Reads), 3), (read(Kind::Queries), 8)].into(),
            })
        });
        assert_eq!(played, Control::ALL);
        assert!(!outcome.holds() && !outcome.is_blind(), "no read-back was noticed");
        assert_eq!(
            outcome.lines(),
            [
                "control: frames: 1 of 2 noticed",
                "  not noticed: frame 2",
                "control: read-backs: 0 of 1 noticed: nothing that the control changes reaches them",
                "  not noticed: bytes in what is read back of resource 9 at offset 64 after call 46",
                "control: queries: 1 of 1 noticed",
            ]
        );
        assert_eq!(outcome.json()["read_backs"]["not_noticed"][0]["resource"], 9);
        let all = run(things.clone(), |_| Ok(things.iter().map(|(thing, hash)| (*thing, hash + 1)).collect()));
        assert!(all.holds() && all.lines().iter().all(|line| !line.contains("not noticed")), "{:?}", all.lines());
        assert!(run(things.clone(), |_| Ok(things.clone())).is_blind());
    }

    /// A replay that fails shows nothing, whatever it showed before.
    #[test]
    fn what_cannot_be_played_is_not_controlled() {
        let things: Things = [(Thing::Frame(1), 1), (Thing::Frame(2), 2)].into();
        let outcome = run(things.clone(), |_| Err("the device is lost".into()));
        assert!(!outcome.holds() && outcome.is_blind());
        let said = outcome.lines().join("\n");
        assert!(said.contains("not controlled: the replay with the change `idle` fails: the device is lost"), "{said}");
        let half = run(things, |control| match control {
            Control::Idle => Ok([(Thing::Frame(1), 5)].into()),
            Control::Painted => Err("it hangs".into()),
        });
        assert!(!half.holds(), "what is left is not known");
        assert_eq!(half.json()["failed"]["change"], "painted");
        assert!(!run(Things::new(), |_| Ok(Things::new())).holds(), "nothing was compared");
    }
}
