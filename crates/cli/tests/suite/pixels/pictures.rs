//! The last value of a pixel's history against the picture: `reprise show` copies the texture once all of the frame's submissions are done, and the
//! bytes of the texel are cut out of its file. `reprise pixel` copies in the program's own lists, right behind each call.
//!
//! The control are two other values: that of the picture before the first call of the history, which must be the first value, and that of another
//! pixel of the picture. The comparison notices a wrong value where one of these is another one.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{Display, Finished, artifact, missing, program, require};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// Their textures lie in one memory with other resources: what is in one before its first call, calls on another one left there within the same
/// list.
const SHARED: [&str; 2] = ["aliasing", "aspects"];

/// A frame of a trace.
pub(super) struct Subject {
    pub(super) name: String,
    bench: Bench,
    frame: String,
    /// What `reprise` needs in its environment.
    environment: Vec<(&'static str, &'static str)>,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Compared {
    pub(super) pixels: u64,
    /// Histories with a draw; with a draw that was tested, and with one whose fragments come to the pixel.
    pub(super) with_draws: u64,
    pub(super) tested: u64,
    pub(super) with_fragments: u64,
    /// Pixels whose last value is another one than the first.
    pub(super) changed: u64,
    /// Pixels where the control is noticed.
    pub(super) noticed: u64,
    pub(super) contradictions: u64,
}

impl Compared {
    pub(super) fn add(&mut self, other: Compared) {
        self.pixels += other.pixels;
        self.with_draws += other.with_draws;
        self.tested += other.tested;
        self.with_fragments += other.with_fragments;
        self.changed += other.changed;
        self.noticed += other.noticed;
        self.contradictions += other.contradictions;
    }
}

/// Numbers that are the same for the same seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }
}

/// Captures a test program of ours. Of programs that present nothing, frames are submissions: the first that writes a texture.
pub(super) fn ours(name: &str) -> Subject {
    let bench = Bench::new();
    programs::capture(&bench, name, &programs::ours());
    let mut subject = Subject { name: name.into(), bench, frame: String::new(), environment: Vec::new() };
    let writes = |frame: &String| {
        let words = ["pixel", "trace.reprise", "--frame", frame, "--at", "0,0", "--values-only"];
        let finished = subject.bench.run(&words);
        finished.status.code() == Some(0)
    };
    let frame = (1..=10).map(|frame| frame.to_string()).find(writes);
    subject.frame = frame.unwrap_or_else(|| panic!("{name}: no frame has a history"));
    subject
}

/// Programs that others wrote.
pub(super) const REAL: [&str; 6] = [
    "vkd3d-gears",
    "glxgears",
    "glmark2 build:use-vbo=true",
    "glmark2 shadow",
    "glmark2 bump:bump-render=normals",
    "glmark2 effect2d:kernel=1,1,1;1,1,1;1,1,1;",
];

/// Captures one of them, or takes its trace from the folder that `REPRISE_PIXELS_TRACES` names: machines with a GPU often lack the programs.
/// `None`: the machine lacks it.
pub(super) fn real(name: &str) -> Option<Subject> {
    let (words, bench) = (name.split_once(' '), Bench::new());
    if let Some(folder) = std::env::var_os("REPRISE_PIXELS_TRACES") {
        let file = std::path::Path::new(&folder).join(format!("{name}.reprise"));
        std::fs::copy(&file, bench.path("trace.reprise")).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        return Some(Subject { name: name.into(), bench, frame: "5".into(), environment: environment_of(name) });
    }
    if name == "vkd3d-gears" {
        bench.capture(name, 8)?;
        return Some(Subject { name: name.into(), bench, frame: "5".into(), environment: environment_of(name) });
    }
    let (own, package) = words.map_or((name, "mesa-utils"), |(own, _)| (own, "glmark2-x11"));
    let own = require(missing::program(own, package))?;
    require(Display::available())?;
    let display = Display::start().unwrap();
    let mut command = bench.command();
    command.env("DISPLAY", display.name()).env("REPRISE_RUNTIME_LIBRARY", programs::ours());
    command.args(["capture", "--gl", "-o", "trace.reprise", "--frames", "1-6", "--quit-after-capture-frames", "--"]);
    command.arg(own);
    if let Some((_, scene)) = words {
        command.args(["-s", "200x150", "-b", scene]);
    }
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success() && !finished.timed_out, "{name}: {}", finished.errors());
    Some(Subject { name: name.into(), bench, frame: "5".into(), environment: environment_of(name) })
}

/// What `--gl` has the runtime report to Mesa.
fn environment_of(name: &str) -> Vec<(&'static str, &'static str)> {
    if name == "vkd3d-gears" { Vec::new() } else { vec![("REPRISE_SAMPLE_POSITIONS", "reported")] }
}

impl Subject {
    fn run(&self, arguments: &[&str]) -> Finished {
        let mut command = self.bench.command();
        let finished = program::run(command.envs(self.environment.iter().copied()).args(arguments), PATIENCE);
        let finished = finished.unwrap();
        assert!(!finished.timed_out, "{}: reprise {arguments:?} hangs", self.name);
        finished
    }

    fn output(&self, arguments: &[&str]) -> String {
        let finished = self.run(arguments);
        let place = format!("{}: reprise {arguments:?}", self.name);
        assert!(finished.status.success(), "{place}: {}\n{}", finished.status, finished.errors());
        finished.text()
    }

    /// The histories of pixels; `tests`: with what becomes of fragments.
    fn histories(&self, places: &[(u64, u64)], tests: bool) -> Vec<Json> {
        let mut words = vec!["pixel", "trace.reprise", "--frame", &self.frame, "--json"];
        let places: Vec<String> = places.iter().map(|(x, y)| format!("{x},{y}")).collect();
        places.iter().for_each(|at| words.extend(["--at", at]));
        if !tests {
            words.push("--values-only");
        }
        let all: Vec<Json> = self.output(&words).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(all.len(), places.len());
        all
    }

    /// Width and height of what the frame shows.
    fn size(&self) -> (u64, u64) {
        let told = self.histories(&[(0, 0)], false).remove(0);
        let place = told["followed"].as_array().and_then(|followed| followed.first()).map_or(&told, |step| &step["to"]);
        let answer = self.show(&[wish(place, last_submission(&told), false)]);
        let (mut width, mut height) = (answer[0]["width"].as_u64().unwrap(), answer[0]["height"].as_u64().unwrap());
        // Pictures of blocks have whole blocks.
        let is_outside = |x: u64, y: u64| {
            let at = format!("{x},{y}");
            let finished = self.run(&["pixel", "trace.reprise", "--frame", &self.frame, "--at", &at, "--values-only"]);
            finished.status.code() == Some(2)
        };
        if answer[0]["bytes_per_block"].is_u64() {
            width = (1..=width).rev().find(|width| !is_outside(width - 1, 0)).unwrap();
            height = (1..=height).rev().find(|height| !is_outside(0, height - 1)).unwrap();
        }
        (width, height)
    }

    /// Pictures, with the bytes of their texels in `picture-N.bin`.
    fn show(&self, wishes: &[Json]) -> Vec<Json> {
        let lines: String = wishes
            .iter()
            .enumerate()
            .map(|(number, wish)| {
                let mut wish = wish.clone();
                wish["raw"] = format!("picture-{number}.bin").into();
                format!("{wish}\n")
            })
            .collect();
        std::fs::write(self.bench.path("batch"), lines).unwrap();
        let text = self.output(&["show", "trace.reprise", "--batch", "batch", "--json"]);
        let mut answers = vec![Json::Null; wishes.len()];
        for answer in text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()) {
            let number = answer["request"].as_u64().unwrap() as usize;
            answers[number] = answer;
        }
        answers
    }

    /// Compares so many pixels, at places that the numbers choose, some of them with what becomes of fragments.
    pub(super) fn compare(&self, (count, tested): (u64, u64), random: &mut Random) -> Compared {
        let (width, height) = self.size();
        let places: Vec<(u64, u64)> = (0..count).map(|_| (random.below(width), random.below(height))).collect();
        let (with_tests, without) = places.split_at(tested.min(count) as usize);
        let mut all = Vec::new();
        for (places, tests) in [(with_tests, true), (without, false)] {
            if !places.is_empty() {
                all.extend(self.histories(places, tests));
            }
        }
        // Each picture once: the one behind the frame's submissions, and the one before them.
        let (mut pictures, mut wishes) = (BTreeMap::new(), Vec::new());
        for told in &all {
            for (is_before, submission) in [(false, last_submission(told)), (true, first_submission(told))] {
                let wish = wish(told, submission, is_before);
                pictures.entry(wish.to_string()).or_insert_with(|| {
                    wishes.push(wish);
                    wishes.len() - 1
                });
            }
        }
        let answers = self.show(&wishes);
        let files: Vec<Vec<u8>> = (0..wishes.len())
            .map(|number| std::fs::read(self.bench.path(&format!("picture-{number}.bin"))).unwrap_or_default())
            .collect();
        let mut compared = Compared::default();
        for (number, told) in all.iter().enumerate() {
            let place = format!("{}, frame {}: {told}", self.name, self.frame);
            let picture = |is_before: bool, submission: u64, at: &Json| {
                let number = pictures[&wish(told, submission, is_before).to_string()];
                assert!(answers[number]["error"].is_null(), "{}: {place}", answers[number]);
                texel(&answers[number], &files[number], at)
            };
            let before = picture(true, first_submission(told), told);
            let after = picture(false, last_submission(told), told);
            let next = &all[(number + 1) % all.len()];
            let is_same = ["resource", "mip", "slice", "plane"].iter().all(|part| next[part] == told[part]);
            let beside = picture(false, last_submission(told), if is_same { next } else { told });
            let is_block = told["format"].as_str().is_some_and(|format| format.starts_with("BC"));
            let last = told["last"]["bytes"].as_str().unwrap_or_else(|| panic!("no last value: {place}"));
            assert_eq!(last, after, "the last value is not the picture: {place}");
            assert_eq!(told["unexplained"], json!([]), "{place}");
            let events = told["events"].as_array().unwrap();
            for event in events {
                assert_eq!(event["failed"], json!([]), "{place}");
                compared.contradictions += event["contradictions"].as_array().unwrap().len() as u64;
                if !event["before"].is_null() && !event["after"].is_null() {
                    // Another texel of the block may change.
                    let side = |side: &str| if is_block { event[side]["values"].clone() } else { event[side].clone() };
                    assert_eq!(event["changed"] == true, side("before") != side("after"), "{event}: {place}");
                }
            }
            if let Some(first) = events[0]["before"]["bytes"].as_str().filter(|_| !SHARED.contains(&self.name.as_str()))
            {
                assert_eq!(first, before, "the first value is not the picture of before: {place}");
            }
            compared.pixels += 1;
            compared.changed += u64::from(before != last);
            compared.noticed += u64::from(before != last || beside != last);
            let has = |test: &dyn Fn(&Json) -> bool| u64::from(events.iter().any(test));
            compared.with_draws +=
                has(&|event| event["touch"] == "target" || event["touch"] == "depth" || !event["tests"].is_null());
            compared.tested += has(&|event| event["tests"]["outcome"].is_string());
            compared.with_fragments += has(&|event| event["tests"]["fragments"].as_u64().is_some_and(|it| it > 0));
        }
        compared
    }
}

fn last_submission(told: &Json) -> u64 {
    told["events"].as_array().unwrap().last().unwrap()["submission"].as_u64().unwrap()
}

fn first_submission(told: &Json) -> u64 {
    told["events"][0]["submission"].as_u64().unwrap()
}

fn wish(place: &Json, submission: u64, is_before: bool) -> Json {
    let sample = place["sample"].as_u64().unwrap_or(0);
    json!({
        "call": submission, "before": is_before, "resource": place["resource"], "mip": place["mip"], "slice": place["slice"],
        "plane": place["plane"], "sample": sample,
    })
}

/// The bytes of the pixel, or those of its block, in hexadecimal.
fn texel(answer: &Json, bytes: &[u8], told: &Json) -> String {
    let number = |of: &Json, name: &str| of[name].as_u64().unwrap_or_else(|| panic!("{name}: {of}"));
    let (x, y) = (number(told, "x"), number(told, "y"));
    let (column, row, size) = match answer["bytes_per_block"].as_u64() {
        Some(size) => (x / 4, y / 4, size),
        None => (x, y, number(answer, "bytes_per_texel")),
    };
    let from = (row * number(answer, "row_pitch") + column * size) as usize;
    bytes[from..from + size as usize].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The seed and the number of pixels that a person asks for.
pub(super) fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// The folder of what was built has the table, for whoever reads it later.
pub(super) fn keep(table: &str) {
    std::fs::write(artifact::target().join("pixels.txt"), table).unwrap();
}
