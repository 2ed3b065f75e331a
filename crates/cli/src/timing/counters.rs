//! Counters that `--counters` asks for: those of the API, and the driver's own by their names.
//!
//! A replay has one pass of the driver's counters. Counters that need more together are counted in several replays ([`Wanted::replays`]).
//! Invariant: what cannot be counted is refused before anything is replayed, with the counter's name.

use crate::ours;
use crate::terminal::exit::{self, Failure, OrExit};
use reprise_d3d12::counters::{Counter, Scope, Value};
use reprise_replay::DriverSubmission;
use reprise_times::{Amount, DriverCounted, DriverCounter, DriverCounts};
use serde_json::{Value as Json, json};

/// The API's own, in the place of a name.
const API: &str = "api";
/// All that the driver has are told.
const LIST: &str = "list";

/// As the command line has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// What there is.
    List,
    /// The API's own, if so, and the driver's by these names.
    Count { api: bool, names: Vec<String> },
}

/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn parse(text: &str) -> Result<Asked, String> {
    let mut names: Vec<String> = Vec::new();
    let mut api = false;
    for name in text.split(',').map(str::trim) {
        match name {
            "" => {
                return Err("a name is missing between commas: --counters=NAME,NAME, --counters=list tells them".into());
            }
            LIST if text == LIST => return Ok(Asked::List),
            API => api = true,
            name if names.iter().any(|own| own == name) => {}
            name => names.push(name.to_owned()),
        }
    }
    Ok(Asked::Count { api, names })
}

/// What this machine's driver has.
///
/// # Errors
/// It has nothing of the kind, with what to do.
pub(crate) fn there() -> Result<Vec<Counter>, Failure> {
    let found = ours::driver_counters().or_exit(exit::USAGE)?;
    found.filter(|all| !all.is_empty()).ok_or_else(|| {
        let told = "the Vulkan device has no counters of its own: it lacks VK_KHR_performance_query (feature performanceCounterQueryPools). Drivers of \
                    Mesa for AMD, Intel, Qualcomm, Broadcom and Arm have it, some only with a setting of their own; lavapipe and NVIDIA's do not. \
                    --counters alone asks for those of the API, which each device has; --gpu chooses another device";
        Failure::message(exit::USAGE, told)
    })
}

/// A line for each counter.
pub(crate) fn lines(all: &[Counter]) -> Vec<String> {
    let mut lines = vec![format!("{} counters of the driver", all.len())];
    for one in all {
        let Counter { name, category, about, unit, scope, .. } = one;
        let refused = if *scope == Scope::CommandBuffer { ", which replay does not ask for" } else { "" };
        lines.push(format!("  {category}/{name} ({}, of a {}{refused}): {about}", unit.name(), scope.name()));
    }
    lines
}

/// The same for programs.
pub(crate) fn list(all: &[Counter]) -> Json {
    let one = |one: &Counter| {
        json!({
            "name": one.name, "category": one.category, "about": one.about, "unit": one.unit.name(), "adds": one.unit.adds(),
            "scope": one.scope.name(), "asked_for": one.scope != Scope::CommandBuffer,
        })
    };
    json!({ "counters": all.iter().map(one).collect::<Json>() })
}

/// Counters by their places among the driver's, in as many replays as they need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) replays: Vec<Vec<u32>>,
}

impl Wanted {
    /// # Errors
    /// There is no such counter, it has several of that name, or it cannot be counted of operations.
    pub(crate) fn of(names: &[String], all: &[Counter]) -> Result<Self, Failure> {
        let mut places = Vec::new();
        for name in names {
            let place = find(name, all).map_err(|what| Failure::message(exit::USAGE, what))?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let passes = |places: &[u32]| ours::driver_passes(places).or_exit(exit::FAILED);
        let mut replays: Vec<Vec<u32>> = Vec::new();
        for place in places {
            if let Some(last) = replays.last_mut() {
                last.push(place);
                if passes(last)? <= 1 {
                    continue;
                }
                last.pop();
            }
            let own = passes(&[place])?;
            if own > 1 {
                let name = all.get(place as usize).map_or("", |counter| counter.name.as_str());
                let told = format!(
                    "{name} needs {own} passes by itself: the same work submitted {own} times, which a replay of it is not: leave it out"
                );
                return Err(Failure::message(exit::USAGE, told));
            }
            replays.push(vec![place]);
        }
        Ok(Self { replays })
    }
}

/// The place of a counter: by its name, or by category and name.
fn find(name: &str, all: &[Counter]) -> Result<u32, String> {
    let is = |one: &Counter| one.name == name || format!("{}/{}", one.category, one.name) == name;
    let mut found = (0..).zip(all).filter(|(_, one)| is(one));
    let Some((place, one)) = found.next() else {
        return Err(format!("the driver has no counter {name}: --counters=list tells those that it has"));
    };
    if let Some((_, other)) = found.next() {
        let (one, other) = (&one.category, &other.category);
        return Err(format!("the driver has several counters {name}: say {one}/{name} or {other}/{name}"));
    }
    if one.scope == Scope::CommandBuffer {
        return Err(format!(
            "{name} counts whole command buffers, and replay asks around single operations: leave it out (--counters=list tells what can be asked for)"
        ));
    }
    Ok(place)
}

/// What a replay counted, in the driver's words.
pub(crate) fn counted(
    submissions: Vec<DriverSubmission>,
    uncounted: std::collections::BTreeMap<String, Vec<u64>>,
    places: &[u32],
    all: &[Counter],
) -> DriverCounted {
    let own: Vec<&Counter> = places.iter().filter_map(|place| all.get(*place as usize)).collect();
    let amounts = |words: &[u64]| own.iter().zip(words).map(|(counter, word)| amount(counter, *word)).collect();
    let submission = |one: DriverSubmission| DriverCounts {
        call: one.call,
        frame: one.frame,
        queue: one.queue,
        lists: one
            .lists
            .into_iter()
            .map(|(list, all)| (list, all.into_iter().map(|(call, words)| (call, amounts(&words))).collect()))
            .collect(),
    };
    let counter = |one: &&Counter| DriverCounter {
        name: one.name.clone(),
        category: one.category.clone(),
        about: one.about.clone(),
        unit: one.unit.name().to_owned(),
        adds: one.unit.adds(),
    };
    DriverCounted {
        counters: own.iter().map(counter).collect(),
        submissions: submissions.into_iter().map(submission).collect(),
        uncounted,
    }
}

fn amount(counter: &Counter, word: u64) -> Amount {
    match counter.storage.value(word) {
        Value::Whole(number) => Amount::Whole(number),
        Value::Signed(number) => u64::try_from(number).map_or(Amount::Signed(number), Amount::Whole),
        Value::Real(number) => Amount::of(number),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::counters::{Storage, Unit};

    #[test]
    fn names_are_read() {
        let count = |api, names: &[&str]| Asked::Count { api, names: names.iter().map(|&name| name.into()).collect() };
        assert_eq!(parse("api").unwrap(), count(true, &[]));
        assert_eq!(parse("Draws, api,Draws,Passes/Groups").unwrap(), count(true, &["Draws", "Passes/Groups"]));
        assert_eq!(parse("list").unwrap(), Asked::List);
        assert!(parse("a,,b").unwrap_err().contains("list"));
    }

    #[test]
    fn counters_are_found_by_names_that_mean_one() {
        let counter = |name: &str, category: &str, scope| Counter {
            name: name.into(),
            category: category.into(),
            about: String::new(),
            unit: Unit::Generic,
            scope,
            storage: Storage::Uint64,
        };
        let all = [
            counter("hits", "L1", Scope::Command),
            counter("hits", "L2", Scope::RenderPass),
            counter("waves", "SQ", Scope::CommandBuffer),
        ];
        assert_eq!(find("L2/hits", &all), Ok(1));
        assert!(find("hits", &all).unwrap_err().contains("L1/hits or L2/hits"));
        assert!(find("misses", &all).unwrap_err().contains("no counter misses"));
        assert!(find("waves", &all).unwrap_err().contains("whole command buffers"));
    }
}
