//! What frames are worth without some of their work: experiments in turns with the frames as they are.
//!
//! Invariant: an experiment is compared with the replays of the frames that took turns with its own, and what it could not change is named.

use crate::terminal::exit::{self, Failure};
use crate::terminal::output::plural;
use crate::terminal::progress::Progress;
use crate::timing::measured::{self, Measured, Replays};
use crate::timing::selection::Selection;
use reprise_replay::{Experiment, ExperimentWish, TimeKind, TimeWish};
use reprise_times::{ReadBack, Run, Samples, Times};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// Experiments by their names, with commas between them; nothing, or `all`, is all of them.
///
/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn parse(text: &str) -> Result<Experiments, String> {
    if text == "all" {
        return Ok(Experiments(Experiment::ALL.to_vec()));
    }
    let mut all = Vec::new();
    for name in text.split(',') {
        if name.trim() == "all" {
            return Err("all stands alone: it is every experiment".into());
        }
        let found = Experiment::ALL.into_iter().find(|one| one.name() == name.trim());
        let one = found.ok_or_else(|| {
            let names: Vec<&str> = Experiment::ALL.iter().map(|one| one.name()).collect();
            format!("there is no experiment {name}: {}, or all", names.join(", "))
        })?;
        if !all.contains(&one) {
            all.push(one);
        }
    }
    Ok(Experiments(all))
}

/// Some of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Experiments(pub(crate) Vec<Experiment>);

/// One experiment.
struct Row {
    what: Experiment,
    /// The frames as they are, in turns with those without it.
    whole: Samples,
    without: Samples,
    changed: u64,
    unchanged: BTreeMap<String, Vec<u64>>,
    read_back: ReadBack,
    /// How a replay ended that did not come to its end, or why there was none.
    failed: Option<String>,
}

/// All of them.
pub(crate) struct WhatIf {
    rows: Vec<Row>,
    whole: Samples,
    runs: u32,
    frames: (u64, u64),
    /// What they are limited to, and how many operations that are.
    of: Option<(Selection, u64)>,
    untimed: BTreeMap<String, Vec<u64>>,
    /// Of the frames as they are, on which those of experiments look like differences of their own.
    read_back: ReadBack,
}

/// Plays the frames and each experiment in turns.
///
/// # Errors
/// The frames cannot be played as they are, or nothing of them is timed.
pub(crate) fn measure(
    replays: &mut impl Replays,
    frames: (u64, u64),
    (wanted, of): (&Experiments, Option<&Selection>),
    runs: u32,
) -> Result<WhatIf, Failure> {
    let wish = |what| TimeWish { frames, what, serial: false };
    let mut progress = Progress::new("timing");
    let (calls, of) = match of {
        None => (Vec::new(), None),
        Some(selection) => {
            progress.show(|| "looking for what is asked for".to_owned());
            let times = as_they_are(replays, wish(TimeKind::Operations))?;
            let calls = selection.calls(&times);
            if calls.is_empty() {
                let told = format!("these frames have no operation of {}", selection.in_words());
                return Err(Failure::message(exit::FAILED, told));
            }
            let count = |(first, last): &(u64, u64)| last - first + 1;
            let number = calls.iter().map(count).sum();
            (calls, Some((selection.clone(), number)))
        }
    };
    let mut rows: Vec<Row> = wanted.0.iter().map(|what| Row::new(*what, of.is_some())).collect();
    let (whole, untimed, read_back) = Default::default();
    let mut what_if = WhatIf { rows: vec![], whole, runs, frames, of, untimed, read_back };
    for round in 1..=runs {
        for row in rows.iter_mut().filter(|row| row.is_played(round)) {
            progress.show(|| format!("replay {round} of {runs}: {}", row.what.in_words()));
            let began = Instant::now();
            let whole = as_they_are(replays, wish(TimeKind::Lists))?;
            replays.wait_at_most(measured::patience(began.elapsed()));
            let duration = duration(&whole);
            if let Some(why) = whole.untimed() {
                return Err(Failure::message(exit::FAILED, why));
            }
            what_if.whole.add(duration);
            what_if.read_back = whole.read_back.unwrap_or_default();
            let untimed = self::untimed(&whole);
            for (reason, calls) in &untimed {
                what_if.untimed.insert(reason.clone(), calls.clone());
            }
            let experiment = ExperimentWish { what: row.what, frames, calls: calls.clone() };
            let without = Measured { experiment: Some(&experiment), ..as_it_is(wish(TimeKind::Lists)) };
            match replays.measure(&without)? {
                // What is not timed would count as saved.
                Ok(times) if self::untimed(&times) != untimed => {
                    let why = self::untimed(&times).keys().next().cloned().unwrap_or_default();
                    row.failed = Some(format!("other submissions are timed than without it: {why}"));
                }
                Ok(times) => row.add(duration, &times),
                Err(why) => row.failed = Some(why),
            }
        }
    }
    what_if.rows = rows;
    if what_if.whole.is_empty() {
        let why = what_if.rows.iter().find_map(|row| row.failed.clone()).unwrap_or_default();
        return Err(Failure::message(exit::FAILED, format!("nothing was timed: {why}")));
    }
    Ok(what_if)
}

/// A replay that says which bytes the program would have read otherwise: what an experiment changes.
fn as_it_is(wish: TimeWish) -> Measured<'static> {
    Measured { reads: true, ..Measured::of(wish) }
}

/// The frames as they are.
fn as_they_are(replays: &impl Replays, wish: TimeWish) -> Result<Times, Failure> {
    replays.measure(&as_it_is(wish))?.map_err(|why| Failure::message(exit::FAILED, why))
}

/// Calls of submissions that have no times in a replay, by reason.
fn untimed(times: &Times) -> BTreeMap<String, Vec<u64>> {
    times.runs.first().map(|run| run.untimed.clone()).unwrap_or_default()
}

fn duration(times: &Times) -> f64 {
    times.runs.iter().map(Run::duration).sum()
}

impl Row {
    fn new(what: Experiment, is_limited: bool) -> Self {
        let shared = "views are shared by all that reads a texture: leave --of out";
        let failed = (is_limited && what == Experiment::Textures).then(|| shared.to_owned());
        let (whole, without) = (Samples::default(), Samples::default());
        let read_back = ReadBack::default();
        Self { what, whole, without, changed: 0, unchanged: BTreeMap::new(), read_back, failed }
    }

    /// Whether it has a turn. What changes nothing, and what did not come to its end, is played once.
    fn is_played(&self, round: u32) -> bool {
        self.failed.is_none() && (round == 1 || self.changed > 0)
    }

    fn add(&mut self, whole: f64, times: &Times) {
        let changed = times.experiment.clone().unwrap_or_default();
        (self.changed, self.unchanged) = (changed.changed, changed.unchanged);
        self.read_back = times.read_back.unwrap_or_default();
        if self.changed > 0 {
            self.whole.add(whole);
            self.without.add(duration(times));
        }
    }

    /// In nanoseconds; nothing where nothing was taken out.
    fn saved(&self) -> Option<f64> {
        (!self.without.is_empty()).then(|| self.whole.median() - self.without.median())
    }

    fn share(&self) -> Option<f64> {
        self.saved().map(|saved| saved / self.whole.median())
    }

    /// Whether ranks say that it makes the frames shorter, or longer, where so many are compared.
    fn is_sure(&self, compared: usize) -> bool {
        let [whole, without] = [&self.whole, &self.without];
        whole.len() >= Samples::FEWEST
            && (whole.are_told_longer_than(without, compared) || without.are_told_longer_than(whole, compared))
    }

    fn counted(&self) -> String {
        match self.changed {
            _ if self.failed.is_some() => "-".to_owned(),
            0 => "nothing".to_owned(),
            1 => format!("1 {}", self.what.counts()[0]),
            count => format!("{count} {}", self.what.counts()[1]),
        }
    }
}

impl WhatIf {
    fn compared(&self) -> usize {
        self.rows.iter().filter(|row| !row.without.is_empty()).count()
    }

    pub(crate) fn json(&self) -> Json {
        let compared = self.compared();
        let row = |row: &Row| {
            let reasons = row.unchanged.iter().map(|(reason, calls)| json!({ "reason": reason, "calls": calls }));
            let mut json = json!({
                "name": row.what.name(),
                "what": row.what.in_words(),
                "changed": row.changed,
                "unchanged": reasons.collect::<Json>(),
                "compared_bytes": row.read_back.compared,
                "different_bytes": row.read_back.different,
                "failed": row.failed,
            });
            if let (Some(saved), Some(share)) = (row.saved(), row.share()) {
                json["whole_ms"] = row.whole.json();
                json["ms"] = row.without.json();
                json["saved_ms"] = (saved / 1e6).into();
                json["share"] = share.into();
                json["sure"] = row.is_sure(compared).into();
            }
            json
        };
        let untimed = self.untimed.iter().map(|(reason, calls)| json!({ "reason": reason, "calls": calls }));
        json!({
            "frames": [self.frames.0, (self.frames.1 != u64::MAX).then_some(self.frames.1)],
            "of": self.of.as_ref().map(|(selection, _)| selection.in_words()),
            "operations": self.of.as_ref().map(|(_, count)| count),
            "runs": self.runs,
            "total_ms": self.whole.json(),
            "compared_bytes": self.read_back.compared,
            "different_bytes": self.read_back.different,
            "experiments": self.rows.iter().map(row).collect::<Json>(),
            "untimed": untimed.collect::<Json>(),
        })
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let ms = |nanoseconds: f64| format!("{:.3}", nanoseconds / 1e6);
        let compared = self.compared();
        let whole = &self.whole;
        let mut lines = vec![format!(
            "{} ms of work on the GPU ({} to {}); what it is less without some of it, medians of {}",
            ms(whole.median()),
            ms(whole.least()),
            ms(whole.most()),
            plural(u64::from(self.runs), "replay"),
        )];
        if let Some((selection, count)) = &self.of {
            lines.push(format!("of {} alone: {}", selection.in_words(), plural(*count, "operation")));
        }
        lines.push(String::new());
        lines.push("        ms   share  sure        changed  the frames with".to_owned());
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        let worth = |row: &Row| row.saved().unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|one, other| worth(other).total_cmp(&worth(one)));
        for row in rows {
            let (saved, share) = match (row.saved(), row.share()) {
                (Some(saved), Some(share)) => (ms(saved), format!("{:.1}%", share * 100.0)),
                _ => ("-".to_owned(), "-".to_owned()),
            };
            let sure = match (row.saved(), row.is_sure(compared)) {
                (None, _) => "-",
                (_, true) => "yes",
                (_, false) => "no",
            };
            let (counted, what) = (row.counted(), row.what.in_words());
            let what = match &row.failed {
                Some(why) => format!("{what}: {why}"),
                None => what.to_owned(),
            };
            lines.push(format!("{saved:>10}{share:>8}  {sure:<4}{counted:>15}  {what}"));
        }
        for row in &self.rows {
            for (reason, calls) in &row.unchanged {
                let some: Vec<String> = calls.iter().take(5).map(u64::to_string).collect();
                let more = if calls.len() > some.len() { ", ..." } else { "" };
                let count = plural(calls.len() as u64, "call");
                let name = row.what.name();
                lines.push(format!("not changed ({name}): {count}: {reason} (calls {}{more})", some.join(", ")));
            }
        }
        for (reason, calls) in &self.untimed {
            lines.push(format!("not timed: {}: {reason}", plural(calls.len() as u64, "submission")));
        }
        lines
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_times::{Changed, List, Submission};

    fn times(duration: f64, changed: u64) -> Times {
        let lists = vec![List { duration, ..List::default() }];
        Times {
            runs: vec![Run { submissions: vec![Submission { lists, ..Submission::default() }], ..Run::default() }],
            experiment: Some(Changed { changed, ..Changed::default() }),
            ..Times::default()
        }
    }

    #[test]
    fn what_is_sure_is_told_from_noise_and_from_nothing() {
        let mut rows =
            [Experiment::PixelShader, Experiment::Blending, Experiment::Clears].map(|what| Row::new(what, false));
        for round in 0..10 {
            let noise = f64::from(round % 3) * 1e5;
            rows[0].add(10e6 + noise, &times(4e6 + noise, 2));
            rows[1].add(10e6 + noise, &times(10e6 - noise, 1));
            rows[2].add(10e6, &times(10e6, 0));
        }
        assert!((rows[0].share().unwrap() - 0.6).abs() < 0.02 && rows[0].is_sure(2));
        assert!(!rows[1].is_sure(2));
        assert!(rows[2].saved().is_none() && !rows[2].is_sure(2) && !rows[2].is_played(2) && rows[2].is_played(1));
        assert!(!Row::new(Experiment::Textures, true).is_played(1));
    }

    #[test]
    fn experiments_have_names() {
        assert_eq!(parse("all").unwrap().0.len(), Experiment::ALL.len());
        assert_eq!(parse("draws, clears,draws").unwrap().0, [Experiment::Draws, Experiment::Clears]);
        assert!(parse("sky").unwrap_err().contains("pixel-shader"));
    }
}
