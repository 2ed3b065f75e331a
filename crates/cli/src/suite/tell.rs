//! What came of a suite: a table for people, JUnit's XML, GitHub's annotations, JSON.

use crate::suite::play::{Status, Tested};
use crate::suite::timed::Timed;
use crate::terminal::output::{agree, plural};
use serde_json::{Value as Json, json};
use std::fmt::Write;

impl Status {
    /// In the table and in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Status::Passed => "pass",
            Status::Differs => "differs",
            Status::Failed => "failed",
            Status::Slower => "slower",
            Status::NoGolden => "no golden",
            Status::NoProfile => "no profile",
        }
    }

    /// Whether there was nothing to compare with.
    pub(crate) fn is_missing(self) -> bool {
        matches!(self, Status::NoGolden | Status::NoProfile)
    }
}

impl Tested {
    /// What is wrong, in a line; what was measured, where nothing is.
    pub(crate) fn why(&self) -> String {
        let mut parts = Vec::new();
        if let Some(first) = self.differing.first() {
            let frames = plural(self.differing_frames, "frame");
            let differ = agree(self.differing_frames, "differs", "differ");
            parts.push(format!("{frames} of {} {differ}, the first is {}: {}", self.frames, first.frame, first.said));
        }
        if !self.said.is_empty() {
            parts.push(self.said.clone());
        }
        let timed = self.timed.as_ref().map(Timed::in_words);
        if self.status == Status::Slower {
            parts.extend(timed.clone());
        }
        if parts.is_empty() {
            parts.extend((self.frames > 0 || self.reads == 0).then(|| plural(self.frames, "frame")));
            parts.extend((self.reads > 0).then(|| plural(self.reads, "read-back")));
            parts.extend(self.worst.map(|worst| format!("the worst {worst:.4}")));
            parts.extend(timed);
            return parts.join(", ");
        }
        parts.join("; ")
    }

    fn metric(&self) -> &str {
        self.golden.as_ref().map_or("", |golden| &golden.metric)
    }

    fn driver(&self) -> &str {
        self.golden.as_ref().map_or("", |golden| &golden.driver)
    }
}

/// A line for each trace, in columns, and one for all.
pub(crate) fn table(all: &[Tested]) -> Vec<String> {
    let rows: Vec<[String; 6]> = all
        .iter()
        .map(|it| {
            let seconds = format!("{:.1} s", it.time.as_secs_f64());
            [it.status.word().into(), it.name.clone(), it.driver().into(), it.metric().into(), seconds, it.why()]
        })
        .collect();
    let head = ["", "trace", "golden", "metric", "time", ""].map(str::to_owned);
    let width = |column: usize| rows.iter().chain([&head]).map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let line = |row: &[String; 6]| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            // Writing to a text cannot fail.
            let _ = write!(line, "{cell:<width$}  ");
        }
        line.push_str(&row[5]);
        line.trim_end().to_owned()
    };
    let count = |status| all.iter().filter(|it| it.status == status).count();
    let slower = count(Status::Slower);
    let slower = if slower > 0 { format!(", {slower} slower") } else { String::new() };
    let profiles = count(Status::NoProfile);
    let profiles = if profiles > 0 { format!(", {profiles} without a profile") } else { String::new() };
    let last = format!(
        "{} passed, {} {}{slower}, {} failed, {} without a golden{profiles}",
        count(Status::Passed),
        count(Status::Differs),
        agree(count(Status::Differs) as u64, "differs", "differ"),
        count(Status::Failed),
        count(Status::NoGolden)
    );
    [line(&head)].into_iter().chain(rows.iter().map(line)).chain([last]).collect()
}

/// JUnit's XML, as CI systems read it.
pub(crate) fn junit(suite: &str, all: &[Tested]) -> String {
    let count = |some: &[Status]| all.iter().filter(|it| some.contains(&it.status)).count();
    let seconds: f64 = all.iter().map(|it| it.time.as_secs_f64()).sum();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        text,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\">",
        xml(suite),
        all.len(),
        count(&[Status::Differs, Status::Slower]),
        count(&[Status::Failed]),
        count(&[Status::NoGolden, Status::NoProfile]),
    );
    for it in all {
        let device = if it.device.is_empty() { suite } else { &it.device };
        let _ = write!(
            text,
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            xml(device),
            xml(&it.name),
            it.time.as_secs_f64()
        );
        let element = match it.status {
            Status::Passed => {
                text.push_str("/>\n");
                continue;
            }
            Status::Differs | Status::Slower => "failure",
            Status::Failed => "error",
            Status::NoGolden | Status::NoProfile => "skipped",
        };
        let frames = it.differing.iter().map(|frame| format!("frame {}: {}\n", frame.frame, frame.said));
        let body: String = frames.collect();
        let _ = writeln!(
            text,
            ">\n      <{element} message=\"{}\">{}</{element}>\n    </testcase>",
            xml(&it.why()),
            xml(&body)
        );
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// Text in XML 1.0, which has no place for control characters.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            letter if letter.is_control() || ['\u{fffe}', '\u{ffff}'].contains(&letter) => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// GitHub's annotations: a line for each trace that did not pass. `missing` says whether one without a golden or profile is an error.
pub(crate) fn github(all: &[Tested], missing: bool) -> Vec<String> {
    let wrong = all.iter().filter(|it| it.status != Status::Passed);
    let line = |it: &Tested| {
        let kind = if it.status.is_missing() && !missing { "warning" } else { "error" };
        let title = format!("{}: {}", it.name, it.status.word());
        // As GitHub's runner wants them: properties have two more letters that mean something.
        let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
        let property = data(&title).replace(':', "%3A").replace(',', "%2C");
        format!("::{kind} title={property}::{}", data(&it.why()))
    };
    wrong.map(line).collect()
}

/// One object; `results` has an element for each trace.
pub(crate) fn json(suite: &str, runtime: &str, all: &[Tested]) -> Json {
    let one = |it: &Tested| {
        let differing = it.differing.iter().map(
            |frame| json!({ "frame": frame.frame, "value": frame.value, "why": frame.said, "picture": frame.picture }),
        );
        let golden = it.golden.as_ref();
        json!({
            "trace": it.name, "status": it.status.word(), "device": it.device,
            "driver": golden.map(|golden| &golden.driver), "metric": golden.map(|golden| &golden.metric),
            "reason": golden.map(|golden| &golden.reason), "frames": it.frames, "reads": it.reads,
            "different_frames": it.differing_frames, "different": differing.collect::<Json>(), "worst": it.worst,
            "times": it.timed.as_ref().map(Timed::json), "why": it.why(), "seconds": it.time.as_secs_f64(),
        })
    };
    let count = |status| all.iter().filter(|it| it.status == status).count();
    json!({
        "suite": suite, "runtime": runtime, "passed": count(Status::Passed), "differ": count(Status::Differs),
        "slower": count(Status::Slower), "failed": count(Status::Failed), "no_golden": count(Status::NoGolden),
        "no_profile": count(Status::NoProfile),
        "results": all.iter().map(one).collect::<Json>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::play::Frame;
    use std::time::Duration;

    fn tested(status: Status, name: &str) -> Tested {
        let differs = status == Status::Differs;
        let frame = Frame { frame: 3, value: None, said: "it's <not>\nthe \"same\" & 5 %".into(), picture: None };
        Tested {
            name: name.into(),
            status,
            device: "llvmpipe".into(),
            golden: None,
            frames: 9,
            reads: 0,
            differing: if differs { vec![frame] } else { Vec::new() },
            differing_frames: u64::from(differs),
            worst: None,
            said: if status == Status::Failed { "crash \u{1b}[31m".into() } else { String::new() },
            timed: None,
            time: Duration::from_millis(1500),
        }
    }

    /// XML as a parser of a few lines reads it: elements end in their order, and nothing stands bare that must not.
    #[test]
    fn junit_is_well_formed_and_counts() {
        let all = [tested(Status::Passed, "a"), tested(Status::Differs, "b<"), tested(Status::Failed, "c")];
        let text = junit("s & t", &all);
        let (mut open, mut rest) = (Vec::new(), text.split_once("?>").map_or("", |(_, rest)| rest));
        while let Some((before, after)) = rest.split_once('<') {
            assert!(!before.contains('>') && before.matches('&').count() == before.matches(';').count(), "{before}");
            let (tag, after) = after.split_once('>').unwrap_or_default();
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            match (tag.strip_prefix('/'), tag.ends_with('/')) {
                (Some(name), _) => assert_eq!(open.pop(), Some(name)),
                (None, false) => open.push(tag.split(' ').next().unwrap_or_default()),
                (None, true) => {}
            }
            rest = after;
        }
        assert!(open.is_empty() && !text.contains('\u{1b}'), "{text}");
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"0\" time=\"4.500\""), "{text}");
        assert!(text.contains(
            "message=\"1 frame of 9 differs, the first is 3: it's &lt;not&gt;&#10;the &quot;same&quot; &amp; 5 %\""
        ));
    }

    #[test]
    fn github_reads_a_line_for_each_that_did_not_pass() {
        let lines = github(
            &[tested(Status::Passed, "a"), tested(Status::Differs, "b:1"), tested(Status::NoGolden, "c")],
            false,
        );
        assert_eq!(
            lines[0],
            "::error title=b%3A1%3A differs::1 frame of 9 differs, the first is 3: it's <not>%0Athe \"same\" & 5 %25"
        );
        assert!(lines.len() == 2 && lines[1].starts_with("::warning title=c"), "{lines:?}");
        let table = table(&[tested(Status::Passed, "a"), tested(Status::Differs, "long name")]);
        assert!(table[1].starts_with("pass     a          ") && table[1].ends_with("1.5 s  9 frames"), "{table:?}");
        assert_eq!(table[3], "1 passed, 1 differs, 0 failed, 0 without a golden");
    }
}
