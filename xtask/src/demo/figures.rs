//! What was measured: from `reprise info --json`, and the wall times of the two runs.

use anyhow::{Context, Result, ensure};
use reprise_testing::program;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The figures of one demo.
pub(crate) struct Figures {
    pub(crate) frames: u64,
    pub(crate) calls: u64,
    pub(crate) threads: u64,
    pub(crate) bytes: u64,
    /// From the first to the last record of the trace.
    pub(crate) recorded: Duration,
    /// Wall time of `reprise capture`, the display's start and the program's end included.
    pub(crate) captured: Duration,
    /// Wall time of `reprise replay` on the library of the capture, and on our runtime.
    pub(crate) replayed: [Duration; 2],
    pub(crate) adapter: String,
}

impl Figures {
    pub(crate) fn read(reprise: &Path, trace: &Path, captured: Duration, replayed: [Duration; 2]) -> Result<Figures> {
        let finished =
            program::run_quietly(Command::new(reprise).arg("info").arg("--json").arg(trace), Duration::from_secs(60))?;
        ensure!(finished.status.success(), "reprise info ended with {}: {}", finished.status, finished.errors());
        let info: Value = serde_json::from_slice(&finished.stdout).context("reprise info wrote no valid JSON")?;
        let number = |name: &str| info[name].as_u64().with_context(|| format!("reprise info says no {name}"));
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => "unknown".to_owned(),
            other => other.get("name").and_then(Value::as_str).map_or_else(|| other.to_string(), str::to_owned),
        };
        Ok(Figures {
            frames: number("frames")?,
            calls: number("calls")?,
            threads: number("threads")?,
            bytes: number("bytes")?,
            recorded: Duration::from_nanos(number("duration_ns")?),
            captured,
            replayed,
            adapter: text(&info["adapter"]),
        })
    }

    /// Compressed bytes of the trace for each call in it.
    pub(crate) fn bytes_per_call(&self) -> f64 {
        self.bytes as f64 / self.calls.max(1) as f64
    }

    pub(crate) fn line(&self) -> String {
        format!(
            "{} frames, {} calls, {} bytes ({:.1} bytes a call), captured in {:.1} s, replayed in {:.1} s and {:.1} s, on {}",
            self.frames,
            self.calls,
            self.bytes,
            self.bytes_per_call(),
            self.captured.as_secs_f64(),
            self.replayed[0].as_secs_f64(),
            self.replayed[1].as_secs_f64(),
            self.adapter
        )
    }
}
