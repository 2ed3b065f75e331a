//! What was found of two replays, for people and for programs.

use crate::divergence::operations::Operation;
use crate::divergence::origin::Found;
use crate::divergence::{Comparison, Divergence, Side};
use crate::terminal::output::{self, Paint, painted};
use reprise_d3d12::model::MethodId;
use reprise_replay::Unlike;
use reprise_timeline::index::{Cache, Index};
use reprise_trace::read::Trace;
use reprise_view::api;
use reprise_view::state;
use serde_json::{Value as Json, json};

/// Of what could not be compared, for people.
const TOLD: usize = 10;

/// What is bound at a call, as `reprise state` shows it; `None` where the trace does not tell.
pub(super) fn bound(trace: &Trace, call: u64) -> Option<(Vec<String>, Json)> {
    let mut silent = |_| ();
    let mut index = Index::open(trace, Cache::user(), &mut silent).ok()?;
    let report = state::report(trace, &mut index, call, None, &mut silent).ok()?;
    let json = serde_json::to_value(&report).ok()?;
    Some((state::write(&report, false), json["bound"].clone()))
}

impl Divergence {
    fn in_words(&self, names: &[String; 2]) -> String {
        match self {
            Divergence::Frame(frame, _) => format!("frame {frame} is the first that differs"),
            Divergence::Read { call, frame, resource, offset } => format!(
                "what is read back is the first to differ: resource {resource} at offset {offset}, after call {call} in frame {frame}"
            ),
            Divergence::Alone(side, what, _) => format!("only {} {what}", names[*side]),
        }
    }

    /// As one of several.
    fn in_few_words(&self, names: &[String; 2]) -> String {
        match self {
            Divergence::Frame(frame, None) => format!("frame {frame}"),
            Divergence::Frame(frame, Some(unlike)) => format!("frame {frame}: {unlike}"),
            Divergence::Read { call, frame, resource, offset } => {
                format!("frame {frame}: what is read back of resource {resource} at offset {offset} after call {call}")
            }
            Divergence::Alone(..) => self.in_words(names),
        }
    }

    pub(super) fn json(&self, names: &[String; 2]) -> Json {
        match self {
            Divergence::Frame(frame, unlike) => {
                let mut json = json!({ "what": "frame", "frame": frame });
                match unlike {
                    Some(Unlike::Pixels(pixels)) => {
                        let (columns, rows) = &pixels.area;
                        json["pixels"] = pixels.count.into();
                        json["of"] = pixels.of.into();
                        json["columns"] = json!([columns.start(), columns.end()]);
                        json["rows"] = json!([rows.start(), rows.end()]);
                        json["step"] = pixels.step.into();
                    }
                    Some(Unlike::Shape(_)) => json["shape"] = true.into(),
                    None => {}
                }
                json
            }
            Divergence::Read { frame, call, resource, offset } => {
                json!({ "what": "read", "frame": frame, "call": call, "resource": resource, "offset": offset })
            }
            Divergence::Alone(side, what, frame) => {
                json!({ "what": "alone", "frame": frame, "runtime": names[*side], "why": what })
            }
        }
    }
}

fn operation_in_words(operation: &Operation) -> String {
    let (submission, before) = operation.submission;
    let behind =
        if before == 0 { String::new() } else { format!(", behind {}", output::plural(before as u64, "list")) };
    let Operation { call, method, list, .. } = operation;
    format!("call {call}, {} on list {list}, submitted by call {submission}{behind}", api::name(MethodId(*method)))
}

impl Comparison {
    /// For people; `details` tells what is bound, too.
    pub(crate) fn lines(&self, colour: bool, details: bool) -> Vec<String> {
        let [first, second] = &self.names;
        let [frames, reads] = self.compared;
        let compared = format!(
            "{} and {} that something is read back",
            output::plural(frames, "frame"),
            output::plural(reads, "time")
        );
        let Some(divergence) = self.divergences.first() else {
            return vec![format!("equal on {first} and {second}: {compared}")];
        };
        let mut lines = vec![
            painted(colour, Paint::Alarm, &divergence.in_words(&self.names)),
            format!("  on {first} and {second}, after {compared}"),
        ];
        match &self.origin.found {
            Some(found) => self.operation(found, details, &mut lines),
            None if self.looked => {
                lines.push("  no operation of that frame was found whose result differs".into());
            }
            None => lines.push("  --targets looks for the draw".into()),
        }
        if self.all {
            let all = self.divergences.len() as u64 + self.more;
            lines.push(format!("  {} in all:", output::plural(all, "difference")));
            lines.extend(
                self.divergences.iter().map(|divergence| format!("    {}", divergence.in_few_words(&self.names))),
            );
            lines.extend((self.more > 0).then(|| format!("    and {} more", self.more)));
        }
        let missing = &self.origin.missing;
        if !missing.is_empty() {
            lines.push(format!("  {} could not be compared:", output::plural(missing.len() as u64, "content")));
            lines.extend(missing.iter().take(TOLD).map(|(what, why)| format!("    {what}: {why}")));
        }
        lines
    }

    fn operation(&self, found: &Found, details: bool, lines: &mut Vec<String>) {
        let call = found.operation.call;
        lines.push(format!("  the first operation whose result differs: {}", operation_in_words(&found.operation)));
        for slot in &found.unlike {
            lines.push(format!("    {}, resource {}: {}", slot.slot, slot.resource, slot.unlike));
        }
        match found.earlier {
            Some(resource) => lines.push(format!(
                "    resource {resource}, which it reads, differs already before the operations of that frame"
            )),
            None => lines.push("    what it reads is equal on both".into()),
        }
        if let Some((bound, _)) = self.bound.as_ref().filter(|_| details) {
            lines.push("  bound there, on both:".into());
            lines.extend(bound.iter().map(|line| format!("    {line}")));
        }
        lines.push(format!("  found with {} of replays; to look at it:", output::plural(self.origin.replays, "pair")));
        lines.extend(self.commands(call).iter().map(|command| format!("    {command}")));
    }

    /// Commands that show an operation: its state, and what it reads and writes on both.
    fn commands(&self, call: u64) -> Vec<String> {
        let trace = word(&self.trace.to_string_lossy());
        let frame = self.divergences.first().map_or(1, |divergence| divergence.place().0);
        let replay = |side: &Side, folder: &str| {
            let variables = side.variables.iter().map(|(name, value)| format!("{name}={} ", word(value)));
            let gpu = side.gpu.as_ref().map_or_else(String::new, |gpu| format!(" --gpu {}", word(gpu)));
            format!(
                "{}reprise replay --runtime {}{gpu} --dump-draw {call} --dump-frame {frame} --dump-resources-dir {folder} {trace}",
                variables.collect::<String>(),
                word(&side.runtime)
            )
        };
        vec![format!("reprise state {trace} {call}"), replay(&self.sides[0], "a"), replay(&self.sides[1], "b")]
    }

    pub(crate) fn json(&self) -> Json {
        let found = self.origin.found.as_ref().map(|found| {
            let unlike = found.unlike.iter().map(|slot| {
                let mut json = slot.unlike.json();
                json["slot"] = slot.slot.clone().into();
                json["resource"] = slot.resource.into();
                json
            });
            let operation = &found.operation;
            json!({
                "call": operation.call, "method": api::name(MethodId(operation.method)), "list": operation.list,
                "submission": operation.submission.0, "unlike": unlike.collect::<Json>(),
                "earlier": found.earlier, "bound": self.bound.as_ref().map(|(_, json)| json),
                "commands": self.commands(operation.call),
            })
        });
        let missing = self.origin.missing.iter();
        let mut json = json!({
            "equal": self.is_equal(), "runtimes": self.names, "frames": self.compared[0], "reads": self.compared[1],
            "first": self.divergences.first().map(|divergence| divergence.json(&self.names)), "draw": found,
            "replays": self.origin.replays,
            "not_compared": missing.map(|(what, why)| json!({ "what": what, "why": why })).collect::<Json>(),
        });
        if self.all {
            json["differences"] = self.divergences.iter().map(|divergence| divergence.json(&self.names)).collect();
            json["more"] = self.more.into();
        }
        json
    }
}

/// A word of a command line, quoted where a shell would take it apart.
pub(crate) fn word(text: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:,@%".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
