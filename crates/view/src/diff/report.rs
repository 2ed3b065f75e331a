//! Differences in words, and for programs.

use super::change::Change;
use super::compare::{Difference, Summary};
use super::item::Item;
use crate::count;
use crate::dump;
use crate::paint::{Paint, painted};
use serde_json::{Map, Value as Json, json};

/// Methods that the summary names.
const METHODS: usize = 10;
/// Changed members of one call that are told to people.
const CHANGES: usize = 8;

/// Makes lines of differences.
#[derive(Debug)]
pub struct Lines {
    colour: bool,
    frame: Option<u64>,
}

impl Lines {
    /// In these colours, or without.
    pub fn new(colour: bool) -> Lines {
        Lines { colour, frame: None }
    }

    /// What is compared, as the first lines.
    pub fn heads(&self, names: [&str; 2]) -> [String; 2] {
        [
            painted(self.colour, Paint::Removed, &format!("--- {}", names[0])),
            painted(self.colour, Paint::Added, &format!("+++ {}", names[1])),
        ]
    }

    /// The lines of a difference; before the first one of a frame, its number.
    pub fn of(&mut self, difference: &Difference, changes: &[Change]) -> Vec<String> {
        let mut lines = Vec::new();
        let Some(item) = difference.a.as_ref().or(difference.b.as_ref()) else { return lines };
        if self.frame != Some(item.frame) {
            self.frame = Some(item.frame);
            lines.push(painted(self.colour, Paint::Place, &format!("@@ frame {} @@", item.frame)));
        }
        let line = |item: &Item| dump::for_people(&item.line());
        match (&difference.a, &difference.b) {
            (Some(a), Some(b)) => {
                let line = format!("! #{} \u{2192} #{} {}", a.number, b.number, about(a));
                lines.push(painted(self.colour, Paint::Name, &line));
                for change in changes.iter().take(CHANGES) {
                    let [from, to] = [&change.a, &change.b].map(dump::value_for_people);
                    lines.push(format!(
                        "    {}: {} \u{2192} {}",
                        painted(self.colour, Paint::Field, &change.path),
                        painted(self.colour, Paint::Removed, &from),
                        painted(self.colour, Paint::Added, &to)
                    ));
                }
                if changes.len() > CHANGES {
                    lines.push(format!("    and {} more", changes.len() - CHANGES));
                }
            }
            (Some(a), None) => lines.push(painted(self.colour, Paint::Removed, &format!("- {}", line(a)))),
            (None, Some(b)) => lines.push(painted(self.colour, Paint::Added, &format!("+ {}", line(b)))),
            (None, None) => {}
        }
        lines
    }
}

/// `thread 0 ID3D12Device(2)::CreateFence`, or what else it is.
fn about(item: &Item) -> String {
    let line = item.line();
    let name = item.name();
    let of = ["this", "object"].into_iter().find_map(|member| line.get(member)?.as_str().map(str::to_owned));
    let name = match (of, name.split_once("::")) {
        (Some(object), Some((_, method))) => format!("{object}::{method}"),
        (Some(object), None) => format!("{name} of {object}"),
        (None, _) => name,
    };
    format!("thread {} {name}", item.thread)
}

/// One difference as JSON.
pub fn json(difference: &Difference, changes: &[Change]) -> Json {
    let what = match (&difference.a, &difference.b) {
        (Some(_), None) => "removed",
        (None, _) => "added",
        (Some(_), Some(_)) => "changed",
    };
    let line = |item: &Option<Item>| item.as_ref().map(|item| Json::from(item.line()));
    let mut json = Map::new();
    json.insert("difference".into(), what.into());
    for (name, item) in [("a", line(&difference.a)), ("b", line(&difference.b))] {
        json.extend(item.map(|item| (name.to_owned(), item)));
    }
    if !changes.is_empty() {
        let change = |change: &Change| json!({ "path": change.path, "a": change.a, "b": change.b });
        json.insert("changes".into(), changes.iter().map(change).collect());
    }
    json.into()
}

impl Summary {
    /// For programs.
    pub fn json(&self) -> Json {
        let method = |(name, [removed, added, changed]): (&String, &[u64; 3])| {
            (name.clone(), json!({ "removed": removed, "added": added, "changed": changed }))
        };
        json!({
            "equal": self.is_equal(),
            "calls": self.calls,
            "frames": self.frames,
            "removed": self.removed,
            "added": self.added,
            "changed": self.changed,
            "different_frames": self.different_frames,
            "first_different_frame": self.first,
            "methods": self.methods.iter().map(method).collect::<Map<String, Json>>(),
            "damaged": self.damaged,
        })
    }

    /// For people.
    pub fn lines(&self, colour: bool) -> Vec<String> {
        let [calls, _] = self.calls;
        if self.is_equal() {
            let frames = count::plural(self.frames[0], "frame");
            return vec![format!("equal: {} in {frames}", count::plural(calls, "call"))];
        }
        let mut lines = vec![format!(
            "{} only in the first, {} only in the second, {} changed; in {}{}",
            self.removed,
            self.added,
            self.changed,
            count::plural(self.different_frames, "frame"),
            self.first.map_or_else(String::new, |first| format!(", the first is frame {first}")),
        )];
        let sides = ["the first", "the second"].into_iter().zip(self.calls).zip(self.frames);
        lines.extend(sides.map(|((name, calls), frames)| {
            let (calls, frames) = (count::plural(calls, "call"), count::plural(frames, "frame"));
            format!("  {name}: {calls}, {frames}")
        }));
        let mut methods: Vec<_> = self.methods.iter().collect();
        methods.sort_by_key(|(name, counts)| (std::cmp::Reverse(counts.iter().sum::<u64>()), name.as_str()));
        if !methods.is_empty() {
            let title = format!("{:>10} {:>10} {:>10} method", "removed", "added", "changed");
            lines.push(painted(colour, Paint::Field, &title));
        }
        for (name, [removed, added, changed]) in methods.iter().take(METHODS) {
            lines.push(format!("{removed:>10} {added:>10} {changed:>10} {}", painted(colour, Paint::Name, name)));
        }
        if methods.len() > METHODS {
            lines.push(format!(
                "  and {}: --json has all",
                count::plural((methods.len() - METHODS) as u64, "more method")
            ));
        }
        lines
    }
}
