//! What a result says of a run, in few words.

use super::process::{End, Ended};
use reprise_testing::crash::Crash;
use serde_json::Value;

/// Characters of a message that reports keep.
const DETAIL: usize = 240;

/// The line of the output that says most about why a test did not pass.
pub(super) fn detail(ended: &Ended) -> String {
    let output = &ended.output;
    let with = |text: &str| output.lines().find(|line| line.contains(text));
    let line = with("Test failed: ").or_else(|| with("panicked at")).or_else(|| with("reprise: call "));
    // The frames of a crash are told beside it.
    let mut lines = output.lines().rev().filter(|line| !line.is_empty() && !line.starts_with("CRASH "));
    let line = line.or_else(|| with("Test skipped: ")).or_else(|| lines.next()).unwrap_or_default();
    let line: String = line.chars().take(DETAIL).collect();
    match ended.end {
        End::Signal(signal) => match Crash::find(output) {
            Some(crash) => format!("signal {signal} in {}; {line}", crash.frame),
            None => format!("signal {signal}; {line}"),
        },
        _ => line,
    }
}

/// The texts of a list; none where there is no list.
pub(super) fn words(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}
