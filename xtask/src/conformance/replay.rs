//! What came of replaying the traces of a test that passed under capture.
//!
//! Invariant: a replay is the same only when `reprise` played every trace to its end and reported no difference.

use super::cut::Cut;
use super::detail::{detail, words};
use super::process::{End, Ended};
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// How the replays of a test's traces went, the worst of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Played to their end, without a difference.
    Same,
    /// Played to their end; something was not as at capture.
    Differs,
    /// Ended early, and said why; or there was no trace.
    Failed,
    /// Ended by a signal, or without a report.
    Crash,
    /// Had to be ended.
    Timeout,
}

impl Outcome {
    /// All, from best to worst.
    pub(super) const ALL: [Outcome; 5] =
        [Outcome::Same, Outcome::Differs, Outcome::Failed, Outcome::Crash, Outcome::Timeout];

    /// The word in tables and JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Outcome::Same => "same",
            Outcome::Differs => "differs",
            Outcome::Failed => "failed",
            Outcome::Crash => "crash",
            Outcome::Timeout => "timeout",
        }
    }
}

/// The replays of one test's traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Replay {
    pub(super) outcome: Outcome,
    /// A test makes one for each of its processes that uses the API.
    pub(super) traces: u64,
    /// Calls made on the runtime.
    pub(super) calls: u64,
    /// Bytes that the GPU wrote, and that were compared with what the test had seen.
    pub(super) compared: u64,
    /// Bytes that are times of the GPU's clock, and that cannot be compared.
    pub(super) times: u64,
    /// Of the traces.
    pub(super) bytes: u64,
    pub(super) differences: u64,
    /// Why it is not the same.
    pub(super) detail: String,
    /// Of each replay before that crashed in the driver: the frame that shows it.
    pub(super) repeated: Vec<String>,
    /// The traces that were cut, and what came of it.
    pub(super) cuts: Vec<Cut>,
}

impl Replay {
    /// Before any trace: without one, there is nothing that could be the same.
    pub(super) fn none() -> Replay {
        Replay {
            outcome: Outcome::Failed,
            traces: 0,
            calls: 0,
            compared: 0,
            times: 0,
            bytes: 0,
            differences: 0,
            detail: "no trace".to_owned(),
            repeated: Vec::new(),
            cuts: Vec::new(),
        }
    }

    /// Takes a process of `reprise replay --json` into account, which played a trace of so many bytes.
    pub(super) fn add(&mut self, ended: &Ended, bytes: u64) {
        let report = ended.output.lines().rev().filter(|line| line.starts_with('{'));
        let report = report.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let report = report.into_iter().find(|value| value.get("difference_count").is_some());
        let number = |name: &str| report.as_ref().and_then(|value| value.get(name)).and_then(Value::as_u64);
        let differences = number("difference_count");
        let (outcome, why) = match (ended.end, differences) {
            (End::Wedged | End::Waited, _) => (Outcome::Failed, "the GPU has stopped".to_owned()),
            (End::TimedOut, _) => (Outcome::Timeout, detail(ended)),
            (End::Signal(_), _) => (Outcome::Crash, detail(ended)),
            (End::Code(0), Some(0)) => (Outcome::Same, String::new()),
            (End::Code(0), Some(_)) => {
                let first = report.as_ref().and_then(|value| value.pointer("/differences/0"));
                let word = |name: &str| first.and_then(|first| first[name].as_str()).unwrap_or_default();
                let call = first.and_then(|first| first["call"].as_u64()).unwrap_or_default();
                (Outcome::Differs, format!("call {call}, {}: {}", word("method"), word("what")))
            }
            (End::Code(0), None) => (Outcome::Crash, "it ended without a report".to_owned()),
            (End::Code(_), _) => (Outcome::Failed, detail(ended)),
        };
        if self.traces == 0 || outcome > self.outcome {
            (self.outcome, self.detail) = (outcome, why);
        }
        self.traces += 1;
        self.calls += number("replayed").unwrap_or(0);
        self.compared += number("compared_bytes").unwrap_or(0);
        self.times += number("time_bytes").unwrap_or(0);
        self.bytes += bytes;
        self.differences += differences.unwrap_or(0);
    }

    /// For people.
    pub(super) fn line(&self) -> String {
        let mut line = format!(
            "replay: {} ({} traces of {} bytes, {} calls, {} bytes compared)",
            self.outcome.name(),
            self.traces,
            self.bytes,
            self.calls,
            self.compared
        );
        if !self.detail.is_empty() {
            line.push(' ');
            line.push_str(&self.detail);
        }
        line
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "result": self.outcome.name(),
            "traces": self.traces,
            "calls": self.calls,
            "compared_bytes": self.compared,
            "time_bytes": self.times,
            "trace_bytes": self.bytes,
            "differences": self.differences,
            "detail": self.detail,
            "repeated": self.repeated,
            "cuts": self.cuts.iter().map(Cut::json).collect::<Vec<_>>(),
        })
    }

    pub(super) fn from_json(value: &Value) -> Result<Replay> {
        let number = |name: &str| value[name].as_u64().with_context(|| format!("a replay without {name:?}"));
        let word = |name: &str| value[name].as_str().with_context(|| format!("a replay without {name:?}"));
        let result = word("result")?;
        let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.name() == result);
        Ok(Replay {
            outcome: outcome.with_context(|| format!("{result:?} is no result of a replay"))?,
            traces: number("traces")?,
            calls: number("calls")?,
            compared: number("compared_bytes")?,
            // Older files do not have these.
            times: number("time_bytes").unwrap_or(0),
            bytes: number("trace_bytes").unwrap_or(0),
            differences: number("differences")?,
            detail: word("detail")?.to_owned(),
            repeated: words(value.get("repeated")),
            cuts: value["cuts"].as_array().into_iter().flatten().map(Cut::from_json).collect::<Result<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(ends: &[(End, &str)]) -> Replay {
        let mut replay = Replay::none();
        for (end, output) in ends {
            replay.add(&Ended { end: *end, output: (*output).to_owned(), seconds: 0.0 }, 100);
        }
        replay
    }

    #[test]
    fn the_worst_trace_decides() {
        let same = r#"noise
{"replayed":7,"compared_bytes":16,"time_bytes":8,"difference_count":0,"differences":[]}
{"other":1}"#;
        let differs = r#"{"replayed":2,"compared_bytes":4,"difference_count":3,
            "differences":[{"call":9,"method":"M","what":"w"}]}"#
            .replace('\n', "");
        assert_eq!(played(&[]).outcome, Outcome::Failed);
        let one = played(&[(End::Code(0), same)]);
        assert_eq!((one.outcome, one.traces, one.calls, one.compared), (Outcome::Same, 1, 7, 16));
        assert_eq!((one.times, one.bytes), (8, 100));
        let both = played(&[(End::Code(0), same), (End::Code(0), &differs), (End::Code(0), same)]);
        assert_eq!((both.outcome, both.traces, both.calls, both.differences), (Outcome::Differs, 3, 16, 3));
        assert_eq!(both.detail, "call 9, M: w");
        for (end, output, expected) in [
            (End::Code(1), "reprise: call 3: no", Outcome::Failed),
            (End::Signal(11), same, Outcome::Crash),
            (End::Code(0), "silence", Outcome::Crash),
            (End::TimedOut, same, Outcome::Timeout),
        ] {
            let replay = played(&[(End::Code(0), same), (end, output)]);
            assert_eq!(replay.outcome, expected);
            assert!(!replay.detail.is_empty());
            assert_eq!(Replay::from_json(&replay.json()).unwrap(), replay);
        }
    }
}
