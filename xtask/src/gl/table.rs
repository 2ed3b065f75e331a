//! The table of OpenGL programs, as Markdown and as JSON.

use super::program::{Look, Program};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt;

/// What a trace says of itself.
pub(super) struct Traced {
    pub(super) frames: u64,
    pub(super) calls: u64,
    pub(super) bytes: u64,
    complete: bool,
}

/// What replays of a trace say.
pub(super) struct Replayed {
    /// Bytes that the program read back and replays compare, and those of them that the GPU wrote.
    compared: u64,
    written: u64,
    /// Frames and bytes that differ from the capture.
    different: u64,
    /// Of all that is compared, how much notices a change that must show.
    noticed: (u64, u64),
    passed: bool,
    holds: bool,
    /// Why a replay with a change did not come to its end.
    failed: Option<String>,
}

/// A program, in every way that it was run.
pub(super) struct Row {
    name: String,
    package: String,
    draws: String,
    look: Look,
    /// The part of the pixels that are not the same on both.
    pub(super) apart: Option<f64>,
    pub(super) traced: Option<Traced>,
    pub(super) replayed: Option<Replayed>,
    /// Steps, and what is not as it must be there.
    pub(super) problems: Vec<(&'static str, String)>,
    known: Option<(String, String)>,
}

/// All rows.
#[derive(Default)]
pub(super) struct Table(Vec<Row>);

impl Traced {
    pub(super) fn read(info: &Value) -> Result<Self> {
        let number = |name: &str| info[name].as_u64().with_context(|| format!("info --json says no {name}"));
        let complete = info["complete"].as_bool().context("info --json does not say whether the trace is complete")?;
        Ok(Self { frames: number("frames")?, calls: number("calls")?, bytes: number("bytes")?, complete })
    }
}

impl Replayed {
    pub(super) fn read(said: &Value) -> Result<Self> {
        let number = |name: &str| said[name].as_u64().with_context(|| format!("verify --json says no {name}"));
        let flag = |value: &Value| value.as_bool().context("verify --json gives no verdict");
        let control = &said["control"];
        let kinds = ["frames", "read_backs", "queries"].map(|kind| &control[kind]);
        let sum = |member: &str| kinds.iter().filter_map(|kind| kind[member].as_u64()).sum();
        Ok(Self {
            compared: number("compared_bytes")?,
            written: number("gpu_written_bytes")?,
            different: number("different_frames")? + number("different_bytes")?,
            noticed: (sum("noticed"), sum("compared")),
            passed: flag(&said["passed"])?,
            holds: flag(&control["holds"])?,
            failed: control["failed"]["why"].as_str().map(str::to_owned),
        })
    }

    /// Why this is no proof.
    pub(super) fn problem(&self) -> Option<String> {
        if !self.passed || self.different > 0 {
            Some(format!("{} frames and bytes differ", self.different))
        } else if self.written == 0 {
            Some("nothing that the GPU wrote is compared".to_owned())
        } else if let Some(why) = &self.failed {
            Some(format!("with the control's change: {why}"))
        } else if !self.holds {
            Some(format!("the control's change is noticed by {} of {}", self.noticed.0, self.noticed.1))
        } else {
            None
        }
    }
}

impl Row {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            name: program.name.clone(),
            package: program.packages.split(' ').next().unwrap_or_default().to_owned(),
            draws: program.draws.clone(),
            look: program.look.clone(),
            apart: None,
            traced: None,
            replayed: None,
            problems: Vec::new(),
            known: program.known.clone(),
        }
    }

    /// Adds what is not as it must be in a step.
    pub(super) fn problem(&mut self, step: &'static str, problem: Option<String>) {
        self.problems.extend(problem.map(|problem| (step, problem)));
    }

    fn is_known(&self, step: &str) -> bool {
        self.known.as_ref().is_some_and(|(known, _)| known == step)
    }

    /// Something is not as it must be, or what is known is no longer so.
    fn is_wrong(&self) -> bool {
        let stale = self.known.is_some() && !self.problems.iter().any(|(step, _)| self.is_known(step));
        stale || self.problems.iter().any(|(step, _)| !self.is_known(step))
    }

    /// What a step came to.
    fn field(&self, step: &str) -> &'static str {
        let failed = self.problems.iter().any(|(of, _)| *of == step);
        if !failed {
            "yes"
        } else if self.is_known(step) {
            "known"
        } else {
            "NO"
        }
    }

    fn picture(&self) -> String {
        let apart = self.apart.map_or_else(|| "none".to_owned(), |apart| format!("{:.2} % apart", apart * 100.0));
        match (&self.look, self.field("picture")) {
            (Look::Eye, _) if self.apart.is_some() => "by eye".to_owned(),
            (_, "yes") => apart,
            (_, other) => format!("{other}: {apart}"),
        }
    }

    fn replay(&self) -> String {
        let Some(replayed) = &self.replayed else { return self.field("replayed").to_owned() };
        let megabytes = replayed.written as f64 / f64::from(1 << 20);
        let (noticed, compared) = replayed.noticed;
        let different = match replayed.different {
            0 => "equal".to_owned(),
            different => format!("{different} differ"),
        };
        format!("{different}: {megabytes:.1} MiB; control {noticed} of {compared}")
    }

    /// For the one who waits.
    pub(super) fn lines(&self) -> String {
        let mut text = format!("  picture {}, replay {}", self.picture(), self.replay());
        for (step, problem) in &self.problems {
            text += &format!("\n  {}{step}: {problem}", if self.is_known(step) { "known: " } else { "" });
        }
        if self.is_wrong() && self.problems.is_empty() {
            text += "\n  what the table says is known is not so";
        }
        text
    }

    fn json(&self) -> Value {
        let problems: Vec<_> = self.problems.iter().map(|(step, why)| json!({ "step": step, "why": why })).collect();
        let traced = self.traced.as_ref().map(|traced| {
            json!({ "frames": traced.frames, "calls": traced.calls, "bytes": traced.bytes, "complete": traced.complete })
        });
        let replayed = self.replayed.as_ref().map(|replayed| {
            json!({
                "compared_bytes": replayed.compared, "gpu_written_bytes": replayed.written, "different": replayed.different,
                "noticed": replayed.noticed.0, "of": replayed.noticed.1,
            })
        });
        json!({
            "program": self.name, "package": self.package, "draws": self.draws, "apart": self.apart, "trace": traced,
            "replay": replayed, "problems": problems, "known": self.known.as_ref().map(|(_, why)| why), "right": !self.is_wrong(),
        })
    }
}

impl Table {
    pub(super) fn add(&mut self, row: Row) {
        self.0.push(row);
    }

    /// Rows with something that is not as it must be.
    pub(super) fn wrong(&self) -> usize {
        self.0.iter().filter(|row| row.is_wrong()).count()
    }

    pub(super) fn json(&self) -> Value {
        json!({ "programs": self.0.iter().map(Row::json).collect::<Vec<_>>(), "wrong": self.wrong() })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| program | draws | llvmpipe | ours | pictures | frames | calls | trace | replayed |")?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|")?;
        for row in &self.0 {
            let number = |of: fn(&Traced) -> u64| row.traced.as_ref().map_or("-".to_owned(), |it| of(it).to_string());
            let size = row.traced.as_ref().map_or("-".to_owned(), |it| format!("{:.1} MB", it.bytes as f64 / 1e6));
            writeln!(
                f,
                "| {} | {} | {} | {} | {} | {} | {} | {size} | {} |",
                row.name,
                row.draws,
                row.field("bare"),
                row.field("ours"),
                row.picture(),
                number(|it| it.frames),
                number(|it| it.calls),
                row.replay(),
            )?;
        }
        for row in self.0.iter().filter(|row| !row.problems.is_empty()) {
            for (step, problem) in &row.problems {
                let known = row.known.as_ref().filter(|_| row.is_known(step));
                let why = known.map_or_else(|| "not known".to_owned(), |(_, why)| format!("known: {why}"));
                writeln!(f, "\n{}: {step}: {problem} ({why})", row.name)?;
            }
        }
        write!(f, "\n{} programs, {} not as they must be", self.0.len(), self.wrong())
    }
}
