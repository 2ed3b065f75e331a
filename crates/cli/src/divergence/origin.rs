//! The operation that left the difference.
//!
//! The search goes back from what differs at the end. It finds the operation that left the difference in a resource (each pair of replays
//! divides the operations by 32). If an input of that operation differed before it, the search goes on with that input. So it ends at an
//! operation whose inputs are equal and whose result is not. A resource may differ, become equal and differ again: the search finds the
//! place where it last began to differ, or an earlier one.
//!
//! Invariant: no more is on disk at a time than what one pair of replays writes.

use crate::divergence::contents::{self, Unlike};
use crate::divergence::operations::Operation;
use crate::divergence::{Missing, Side, wanted};
use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Operations whose dumps one pair of replays writes.
const BATCH: usize = 32;
/// Inputs that are followed, one behind the other.
const DEPTH: usize = 16;

/// What looking for the operation came to.
#[derive(Debug, Default)]
pub(super) struct Origin {
    pub(super) found: Option<Found>,
    /// What could not be compared on the way.
    pub(super) missing: Missing,
    /// Pairs of replays that it took.
    pub(super) replays: u64,
}

/// The operation, and what it left unlike.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) operation: Operation,
    pub(super) unlike: Vec<Slot>,
    /// A resource that it reads, and that was unlike already when the frame's operations began.
    pub(super) earlier: Option<u32>,
}

/// A resource that is unlike, and the slot that it is bound to.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) slot: String,
    pub(super) resource: u32,
    pub(super) unlike: Unlike,
}

/// What is looked at in a pair of replays.
enum Look<'o> {
    /// Everything at these operations.
    Bound(Vec<&'o Operation>),
    /// The same, right before them.
    Before(&'o Operation),
    /// One resource after these, or right before them.
    Resource(u32, Vec<&'o Operation>, bool),
}

struct Search<'s> {
    sides: [&'s Side; 2],
    trace: &'s Path,
    /// Whose operations these are.
    frames: &'s RangeInclusive<u64>,
    operations: &'s [Operation],
    origin: Origin,
    /// Resources that both replays could read: the others are not made yet, or released.
    seen: BTreeSet<u32>,
}

/// Finds the operation at which two replays diverge: the first of `operations` that reads equal contents in both and leaves unequal ones.
/// `known` is a resource whose contents differ at the end of the frame.
///
/// # Errors
/// A replay fails, or there is no place for its files.
pub(super) fn find(
    sides: [&Side; 2],
    trace: &Path,
    frames: &RangeInclusive<u64>,
    operations: &[Operation],
    known: Option<u32>,
    mut progress: impl FnMut(&str),
) -> Result<Origin, Failure> {
    let mut search = Search { sides, trace, frames, operations, origin: Origin::default(), seen: BTreeSet::new() };
    // Where something is unlike, and which resource.
    let mut at = match known {
        Some(resource) => search.turns_unlike(resource, operations.len(), &mut progress)?,
        None => None,
    };
    if at.is_none() {
        at = match search.sweep(&mut progress)? {
            Some((place, resource)) => Some(search.turns_unlike(resource, place + 1, &mut progress)?.unwrap_or(place)),
            None => return Ok(search.origin),
        };
    }
    let mut earlier = None;
    for _ in 0..DEPTH {
        let Some(place) = at else { break };
        progress(&format!("what call {} reads", operations[place].call));
        let inputs = search.look(&Look::Before(&operations[place]))?;
        let mut followed = None;
        for slot in &inputs {
            followed = search.turns_unlike(slot.resource, place, &mut progress)?;
            if followed.is_some() {
                break;
            }
        }
        earlier = inputs.first().map(|slot| slot.resource).filter(|_| followed.is_none());
        if followed.is_none() {
            break;
        }
        at = followed;
    }
    if let Some(place) = at {
        let operation = operations[place].clone();
        progress(&format!("call {}", operation.call));
        let unlike = search.look(&Look::Bound(vec![&operation]))?;
        search.origin.found = Some(Found { operation, unlike, earlier });
    }
    Ok(search.origin)
}

impl Search<'_> {
    /// The first operation of those before `end` after which the resource is unlike; `None` where it is not, or was before all of them.
    fn turns_unlike(
        &mut self,
        resource: u32,
        end: usize,
        progress: &mut impl FnMut(&str),
    ) -> Result<Option<usize>, Failure> {
        let operations = self.operations;
        // Equal after `low` - 1, unlike after `high`, once that is known.
        let (mut low, mut high) = (0, None);
        loop {
            let last = high.unwrap_or(end);
            if low >= last {
                break;
            }
            let places = samples(low, last);
            progress(&format!("resource {resource}, {} operations", last - low));
            let unlike =
                self.look(&Look::Resource(resource, places.iter().map(|&at| &operations[at]).collect(), false))?;
            let calls: BTreeSet<u64> = unlike.iter().filter_map(|slot| slot.slot.parse().ok()).collect();
            match places.iter().position(|&at| calls.contains(&operations[at].call)) {
                Some(first) => {
                    high = Some(places[first]);
                    low = first.checked_sub(1).map_or(low, |before| places[before] + 1);
                }
                // None of the samples is unlike, and the last place is always one of them.
                None => break,
            }
        }
        match high {
            Some(0) if !self.is_equal_before(resource)? => Ok(None),
            found => Ok(found),
        }
    }

    /// Whether a resource is equal before the first operation.
    fn is_equal_before(&mut self, resource: u32) -> Result<bool, Failure> {
        let Some(first) = self.operations.first() else { return Ok(true) };
        Ok(self.look(&Look::Resource(resource, vec![first], true))?.is_empty())
    }

    /// An operation at which something is unlike, and the resource: samples first, since what is unlike mostly stays so, then all of them.
    fn sweep(&mut self, progress: &mut impl FnMut(&str)) -> Result<Option<(usize, u32)>, Failure> {
        let operations = self.operations;
        let dumped: Vec<usize> = (0..operations.len()).filter(|at| operations[*at].is_dumped()).collect();
        let sampled: Vec<usize> = samples(0, dumped.len()).into_iter().map(|at| dumped[at]).collect();
        let rest: Vec<usize> = dumped.into_iter().filter(|at| !sampled.contains(at)).collect();
        for batch in [&sampled[..]].into_iter().chain(rest.chunks(BATCH)).filter(|batch| !batch.is_empty()) {
            progress(&format!("calls from {} on", operations[batch[0]].call));
            let unlike = self.look(&Look::Bound(batch.iter().map(|&at| &operations[at]).collect()))?;
            let found = batch.iter().find_map(|&at| {
                let prefix = format!("{} ", operations[at].call);
                let slot = unlike.iter().find(|slot| slot.slot.starts_with(&prefix))?;
                Some((at, slot.resource))
            });
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Plays both with dumps, and gives what is unlike; the slot begins with the number of the call where several are looked at.
    fn look(&mut self, look: &Look<'_>) -> Result<Vec<Slot>, Failure> {
        self.origin.replays += 1;
        let folder = Folder::new()?;
        let folders = ["a", "b"].map(|name| folder.0.join(name));
        let (trace, frames) = (self.trace, self.frames);
        let played = std::thread::scope(|scope| {
            let play = |side, folder| scope.spawn(move || dump(side, trace, frames, look, folder));
            [play(self.sides[0], &folders[0]), play(self.sides[1], &folders[1])].map(|it| it.join().ok())
        });
        let [a, b] = [files(&folders[0]), files(&folders[1])];
        for missing in played {
            let gone = || Failure::message(exit::FAILED, "a replay that looks at operations came to nothing");
            let missing = missing.ok_or_else(gone)??;
            if let Look::Resource(resource, ..) = look {
                self.seen.extend((!a.is_empty()).then_some(*resource));
                if self.seen.contains(resource) {
                    continue;
                }
            }
            self.origin.missing.extend(missing);
        }
        let mut unlike = Vec::new();
        for (name, left) in &a {
            let Some(right) = b.get(name) else { continue };
            let read = |path: &PathBuf| std::fs::read(path).with_context(|| name.clone()).or_exit(exit::FAILED);
            let Some(found) = contents::unlike(name, &read(left)?, &read(right)?) else { continue };
            let Some((call, slot, resource)) = parts(name) else { continue };
            let slot = match look {
                Look::Bound(several) if several.len() > 1 => format!("{call} {slot}"),
                Look::Resource(..) => call.to_string(),
                _ => slot,
            };
            unlike.push(Slot { slot, resource, unlike: found });
        }
        Ok(unlike)
    }
}

/// At most [`BATCH`] places from `low` to before `high`, evenly, the last one among them.
fn samples(low: usize, high: usize) -> Vec<usize> {
    let count = high - low;
    let taken = count.min(BATCH);
    (1..=taken).map(|at| low + at * count / taken - 1).collect()
}

/// Call, slot and resource of a file of a dump: `call00000030_after_target0_res8.dds`.
fn parts(name: &str) -> Option<(u64, String, u32)> {
    let rest = name.strip_prefix("call")?;
    let (call, rest) = rest.split_once('_')?;
    let (_, rest) = rest.split_once('_')?;
    let (slot, rest) = match rest.strip_prefix("res") {
        Some(rest) => ("", rest),
        None => rest.split_once("_res")?,
    };
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    Some((call.parse().ok()?, slot.to_owned(), rest[..digits].parse().ok()?))
}

/// Plays the trace up to the last frame's end with dumps; what could not be written, and why.
fn dump(
    side: &Side,
    trace: &Path,
    frames: &RangeInclusive<u64>,
    look: &Look<'_>,
    folder: &Path,
) -> Result<Vec<(String, String)>, Failure> {
    let mut command = Command::new(std::env::current_exe().context("no replay can be started").or_exit(exit::FAILED)?);
    command.args(["replay", "--json"]).args(side.arguments()).arg(format!("--quit-after-frame={}", frames.end()));
    let calls = |operations: &[&Operation]| {
        operations.iter().map(|operation| operation.call.to_string()).collect::<Vec<_>>().join(",")
    };
    match look {
        Look::Bound(operations) => _ = command.arg(format!("--dump-draw={}", calls(operations))),
        Look::Before(operation) if operation.is_dumped() => {
            command.arg(format!("--dump-draw={}", operation.call)).arg("--dump-resources-before");
        }
        // What a bundle reads is not known as a whole.
        Look::Before(_) => return Ok(Vec::new()),
        Look::Resource(resource, operations, before) => {
            command.args(operations.iter().map(|operation| format!("--dump-resource={resource}@{}", operation.call)));
            command.args(before.then_some("--dump-resources-before"));
        }
    }
    command.arg(format!("--dump-frame={}", frames.start()));
    command.arg("--dump-resources-dir").arg(folder).envs(side.variables.clone());
    let finished = wanted::output(command.arg("--").arg(trace));
    let finished = finished.context("no replay can be started").or_exit(exit::FAILED)?;
    // One that came to its end has a report, also where nothing is bound at some of the operations.
    if let Ok(report) = serde_json::from_slice::<Json>(&finished.stdout) {
        let dumped = report["dumped"].as_array().into_iter().flatten();
        let failed = |one: &Json| Some((one["what"].as_str()?.to_owned(), one["failure"].as_str()?.to_owned()));
        return Ok(dumped.filter_map(failed).collect());
    }
    let said = String::from_utf8_lossy(&finished.stderr);
    let (status, said) = (finished.status, said.trim());
    Err(Failure::message(exit::FAILED, format!("a replay that looks at operations ended with {status}: {said}")))
}

/// All files of a dump with contents, by name.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    // Operations at which nothing is bound leave no folder.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    named.filter(|(name, _)| [".dds", ".bin"].iter().any(|ending| name.ends_with(ending))).collect()
}

/// A folder of this process, which goes with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, Failure> {
        let path = std::env::temp_dir().join(format!("reprise-diff-{}", std::process::id()));
        // Made here and now: what somebody else prepared under this name is not used.
        std::fs::create_dir(&path).with_context(|| path.display().to_string()).or_exit(exit::FAILED)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_even_and_end_with_the_last() {
        assert_eq!(samples(0, 0), Vec::<usize>::new());
        assert_eq!(samples(3, 5), [3, 4]);
        for (low, high) in [(0, 32), (0, 33), (7, 1000), (5, 70)] {
            let places = samples(low, high);
            assert!(places.len() <= BATCH && places.last() == Some(&(high - 1)) && places[0] >= low);
            assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] <= (high - low).div_ceil(BATCH)));
        }
    }

    #[test]
    fn names_of_dumps_are_read() {
        assert_eq!(parts("call00000030_after_target0_res8.dds"), Some((30, "target0".into(), 8)));
        assert_eq!(parts("call00000030_before_rootuav1_res12_at256+64.bin"), Some((30, "rootuav1".into(), 12)));
        assert_eq!(parts("call12345678_after_res7_depth.dds"), Some((12_345_678, String::new(), 7)));
        assert_eq!(parts("frame000001_res7.dds"), None);
    }
}
