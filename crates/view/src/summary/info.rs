//! The figures of a trace: from its index, and from one walk over its events.

use crate::api;
use crate::count;
use crate::damage::Met;
use crate::dump::event::{gap_method, gap_reason};
use crate::paint::{Paint, painted};
use reprise_codec::translate::{Translation, Understanding};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_trace::fact;
use reprise_trace::read::{Event, Statistics, Trace};
use reprise_trace::record::{Kind, OBSERVED};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Gaps shown one by one.
const GAPS: usize = 100;
/// Ways of watching mapped memory that are shown.
const MODES: usize = 16;
/// Differences between the trace's model and today's that are listed.
const DIFFERENCES: usize = 1000;
/// Methods shown to people.
const METHODS: usize = 10;

/// What `info` shows.
pub struct Info {
    meta: Json,
    /// `Trace::identity`.
    identity: u128,
    statistics: Statistics,
    /// Where somebody chose what ends frames: how many there are, and what.
    chosen: Option<(u32, String)>,
    /// Whether the whole file was read and checked.
    pub checked: bool,
    methods: BTreeMap<u16, u64>,
    /// Calls that never returned, by number.
    open: Vec<Json>,
    never_returned: u64,
    memory_bytes: u64,
    observed_bytes: u64,
    observations: u64,
    /// What of the recording is lost, as its writer said.
    loss: Option<String>,
    /// How mappings were watched, and why so, by how often.
    mappings: BTreeMap<(String, Option<String>), u64>,
    blobs: BTreeSet<u64>,
    gaps: Vec<Json>,
    /// What is damaged, as far as it is known.
    pub damage: Met,
    /// What is made of the trace's model, where it is not today's.
    pub model: Option<Arc<Translation>>,
}

/// The calls that are in the trace. Those of a flight recorder keep the program's numbers, which count all that it made.
fn kept(statistics: &Statistics) -> u64 {
    let records = statistics.kinds.iter().find(|(kind, ..)| *kind == Kind::Enter).map_or(0, |(_, records, _)| *records);
    // Earlier writers counted those, too, that a full disk kept out.
    records.min(statistics.calls)
}

/// What a flight recorder kept, in words.
pub fn flight_recorder(meta: &Json, frames: u32) -> String {
    let first = meta["first_frame"].as_u64().unwrap_or(1);
    let reason = meta["reason"].as_str().unwrap_or("other");
    let last = u64::from(frames) + 1;
    format!(
        "frames {first} to {last} are whole ({reason}); of those before only what was still there, without what the GPU had written"
    )
}

/// Why a trace may lack what its program did before the recording was to end; `None` where it lacks nothing.
pub fn incomplete(trace: &Trace) -> Option<String> {
    let damage = Met::of(trace);
    why_incomplete(trace.statistics(), trace.loss(), &damage).or_else(|| why_damaged(&damage))
}

/// What is damaged is lost, whatever the writer said of the recording.
fn why_damaged(damage: &Met) -> Option<String> {
    (damage.places() > 0).then(|| count::damaged(damage.places()))
}

/// What whoever counts has to know of such a trace: why, and how much of what the program did is there. `None` where it lacks nothing.
pub fn part(trace: &Trace) -> Option<String> {
    let why = why_incomplete(trace.statistics(), trace.loss(), &Met::of(trace))?;
    let statistics = trace.statistics();
    let calls = kept(statistics);
    let made = statistics.calls_made.map(|made| format!(" of {made} that the program made")).unwrap_or_default();
    Some(format!("not complete: {why}; only what is there is counted: {}{made}", count::plural(calls, "call")))
}

fn why_incomplete(statistics: &Statistics, loss: Option<&str>, damage: &Met) -> Option<String> {
    match loss {
        _ if statistics.complete => None,
        Some(loss) if statistics.finished => Some(short(&loss.into())),
        _ if damage.is_in_tables() => Some("its index is damaged, and was made anew from what is there".into()),
        _ => Some("its writer did not finish it".into()),
    }
}

impl Info {
    /// What the index knows.
    pub fn of_index(trace: &Trace) -> Info {
        Info {
            meta: trace.meta().clone(),
            identity: trace.identity(),
            statistics: trace.statistics().clone(),
            chosen: trace.chosen_ends().map(|ends| (trace.frame_count(), ends.by.clone())),
            checked: false,
            methods: BTreeMap::new(),
            open: Vec::new(),
            never_returned: 0,
            memory_bytes: 0,
            observed_bytes: 0,
            observations: 0,
            loss: trace.loss().map(str::to_owned),
            mappings: BTreeMap::new(),
            blobs: BTreeSet::new(),
            gaps: Vec::new(),
            damage: Met::default(),
            model: None,
        }
    }

    /// Takes an event into account.
    pub fn count(&mut self, event: &Event<'_>) {
        self.blobs.extend(event.blobs.iter().map(|(_, id)| *id));
        match event.kind {
            Kind::Enter => {
                *self.methods.entry(event.method).or_default() += 1;
                self.never_returned += u64::from(event.open);
                if event.open && self.open.len() < GAPS {
                    self.open.push(json!({
                        "call": event.number,
                        "thread": event.thread,
                        "method": api::name(MethodId(event.method)),
                        "object": (event.object != 0).then_some(event.object),
                    }));
                }
            }
            Kind::Memory => {
                let bytes = event.memory().map_or(0, |(_, bytes)| bytes.len() as u64);
                self.memory_bytes += bytes;
                // What the program saw the GPU write is no store.
                self.observed_bytes += if event.method == OBSERVED { bytes } else { 0 };
            }
            Kind::Observe => self.observations += 1,
            Kind::Fact => self.mapping(event),
            Kind::Gap if self.gaps.len() < GAPS => {
                let (reason, text) = event.fact().unwrap_or((0, &[]));
                let text = String::from_utf8_lossy(text);
                self.gaps.push(json!({
                    "after_call": event.number,
                    "reason": gap_reason(reason),
                    "method": gap_method(event),
                    "object": (event.object != 0).then_some(event.object),
                    "text": text.trim_end_matches('\0'),
                }));
            }
            _ => {}
        }
    }

    /// Takes note of how a mapping was watched.
    fn mapping(&mut self, event: &Event<'_>) {
        let Some((fact::MAPPING_MODE, text)) = event.fact() else { return };
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        let Ok(said) = serde_json::from_slice::<Json>(text) else { return };
        let word = |name: &str| said.get(name).and_then(Json::as_str).map(str::to_owned);
        let key = (word("mode").unwrap_or_default(), word("because"));
        // A trace of ours has a few; one that is damaged may have any number.
        if self.mappings.len() < MODES || self.mappings.contains_key(&key) {
            *self.mappings.entry(key).or_default() += 1;
        }
    }

    /// How often lists were submitted, as far as that was counted.
    fn submissions(&self) -> Option<u64> {
        const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
        self.checked.then(|| self.methods.get(&EXECUTE.0).copied().unwrap_or(0))
    }

    /// Methods by how often they were called, most first.
    fn ranked(&self) -> Vec<(String, u64)> {
        // A method has two numbers where today's model understands only some of its calls.
        let mut named: BTreeMap<String, u64> = BTreeMap::new();
        for (method, count) in &self.methods {
            *named.entry(api::name(MethodId(*method))).or_default() += count;
        }
        let mut ranked: Vec<(String, u64)> = named.into_iter().collect();
        ranked.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        ranked
    }

    /// One object: the figures, then everything the trace says about program and machine.
    pub fn json(&self) -> String {
        let statistics = &self.statistics;
        let mut object = Map::new();
        let mut put = |name: &str, value: Json| {
            object.insert(name.to_owned(), value);
        };
        put("trace", format!("{:032x}", self.identity).into());
        match &self.chosen {
            Some((frames, boundary)) => {
                put("frames", (*frames).into());
                put("frames_recorded", statistics.frames.into());
                put("frame_boundary", boundary.as_str().into());
            }
            None => put("frames", statistics.frames.into()),
        }
        put("calls", statistics.calls.into());
        put("calls_kept", kept(statistics).into());
        if let Some(made) = statistics.calls_made {
            put("calls_made", made.into());
        }
        put("threads", statistics.threads.into());
        put("program", self.meta.get("program").cloned().unwrap_or(Json::Null));
        put("adapter", self.meta.get("adapter").cloned().unwrap_or(Json::Null));
        put("duration_ns", statistics.duration_ns.into());
        put("bytes", statistics.bytes.into());
        put("complete", (statistics.complete && self.damage.places() == 0).into());
        put("checked", self.checked.into());
        put("damage", self.damage.json());
        put("model", self.model.as_ref().map_or(Json::Null, |model| Understood::of(model).json(model)));
        put("gap_count", statistics.gaps.into());
        if self.checked {
            put("gaps", self.gaps.clone().into());
            put("never_returned", self.never_returned.into());
            put("open", self.open.clone().into());
            put("submissions", self.submissions().into());
            put("memory_bytes", self.memory_bytes.into());
            put("observed_bytes", self.observed_bytes.into());
            put("observations", self.observations.into());
            let mapping = |((mode, because), maps): (&(String, Option<String>), &u64)| json!({ "mode": mode, "because": because, "maps": maps });
            put("mappings", self.mappings.iter().map(mapping).collect());
            put("blobs", self.blobs.len().into());
            put("methods", self.ranked().into_iter().map(|(name, count)| (name, Json::from(count))).collect());
        }
        if let Some(meta) = self.meta.as_object() {
            for (name, value) in meta {
                // What was measured is not replaced by what was said.
                if !object.contains_key(name) {
                    object.insert(name.clone(), value.clone());
                }
            }
        }
        Json::Object(object).to_string()
    }

    /// Lines for people.
    pub fn text(&self, colour: bool) -> Vec<String> {
        let statistics = &self.statistics;
        let mut lines = Vec::new();
        let name = |name: &str| painted(colour, Paint::Field, &format!("{:<12}", format!("{name}:")));
        let mut field = |of: &str, value: String| lines.push(format!("{} {value}", name(of)));
        field("program", said(&self.meta, "program"));
        field("adapter", said(&self.meta, "adapter"));
        match &self.chosen {
            Some((frames, boundary)) => {
                let recorded = statistics.frames;
                field("frames", format!("{frames}, as --frame-boundary {boundary} ends them; {recorded} recorded"));
            }
            None => field("frames", statistics.frames.to_string()),
        }
        if let (0, None, Some(submissions @ 1..)) = (statistics.frames, &self.chosen, self.submissions()) {
            let count = count::plural(submissions, "submission");
            field("boundaries", format!("none: {count} stand for frames; --frame-boundary names what ends one"));
        }
        let kept = kept(statistics);
        let recorded = match statistics.calls {
            calls if calls == kept => kept.to_string(),
            calls => format!("{kept} kept of {calls}"),
        };
        let made = statistics.calls_made.map(|made| format!(" of {made} that the program made")).unwrap_or_default();
        field("calls", format!("{recorded}{made}"));
        if let Some(flight) = self.meta.get("flight_recorder") {
            field("recorder", flight_recorder(flight, statistics.frames));
        }
        field("threads", statistics.threads.to_string());
        field("duration", format!("{:.3} s", statistics.duration_ns as f64 / 1e9));
        let each = statistics.bytes as f64 / kept.max(1) as f64;
        field("size", format!("{} ({each:.1} bytes a call)", count::bytes(statistics.bytes)));
        let alarm = |text: &str| painted(colour, Paint::Alarm, text);
        let lacks = why_incomplete(statistics, self.loss.as_deref(), &self.damage);
        let lacks = lacks.or_else(|| why_damaged(&self.damage));
        field("complete", lacks.map_or_else(|| "yes".into(), |why| alarm(&format!("no: {why}"))));
        let damaged = match self.damage.places() {
            0 if self.checked => "no: every byte was checked".into(),
            0 => "not checked".into(),
            places => alarm(&count::damaged(places)),
        };
        field("damaged", damaged);
        if let Some(model) = &self.model {
            let understood = Understood::of(model);
            field("model", understood.text());
            let line = |(name, why): &(String, String)| format!("  not understood: {name}: {why}");
            understood.not.iter().take(METHODS).map(line).for_each(|line| field("", short(&line.into())));
        }
        for (name, value) in self.meta.as_object().into_iter().flatten() {
            if !["program", "adapter", "cut", "calls_made"].contains(&name.as_str()) {
                field(name, short(value));
            }
        }
        if self.checked {
            let stored = count::bytes(self.memory_bytes - self.observed_bytes);
            let seen = match self.observed_bytes {
                0 => String::new(),
                bytes => format!(", {} read that the GPU wrote", count::bytes(bytes)),
            };
            field("memory", format!("{stored} stored to mapped memory{seen}"));
            for ((mode, because), maps) in &self.mappings {
                let because = because.iter().map(|because| format!(" ({because})")).collect::<String>();
                field("mapped", short(&format!("{}, watched by {mode}{because}", count::plural(*maps, "map")).into()));
            }
            field("blobs", self.blobs.len().to_string());
            if self.never_returned > 0 {
                let stopped = self.meta.get("stopped").is_some();
                let how = if stopped { "under way as the recording ended" } else { "never returned" };
                field("open", alarm(&format!("{} {how}", count::plural(self.never_returned, "call"))));
            }
        }
        field("gaps", statistics.gaps.to_string());
        field("trace", format!("{:032x}", self.identity));
        for call in &self.open {
            let (thread, method) = (&call["thread"], short(&call["method"]));
            lines.push(format!("  open: call {} on thread {thread}: {method}", call["call"]));
        }
        for gap in &self.gaps {
            let about = match (&gap["method"], &gap["object"]) {
                (Json::Null, _) => String::new(),
                (method, Json::Null) => format!("{}: ", short(method)),
                (method, object) => format!("{} of object {object}: ", short(method)),
            };
            let (reason, text) = (short(&gap["reason"]), short(&gap["text"]));
            lines.push(format!("  after call {}: {about}{}: {text}", gap["after_call"], alarm(&reason)));
        }
        let ranked = self.ranked();
        if !ranked.is_empty() {
            lines.push(name("most called"));
            let line = |(name, count): &(String, u64)| format!("{count:>12} {}", painted(colour, Paint::Name, name));
            lines.extend(ranked.iter().take(METHODS).map(line));
        }
        lines
    }
}

/// What is made of the methods of a trace that another build recorded.
#[derive(Default)]
struct Understood {
    same: usize,
    translated: Vec<String>,
    not: Vec<(String, String)>,
}

impl Understood {
    fn of(model: &Translation) -> Understood {
        let mut understood = Understood::default();
        for (name, what) in model.methods() {
            match what {
                Understanding::Same => understood.same += 1,
                Understanding::Translated => understood.translated.push(name),
                Understanding::NotUnderstood(why) => understood.not.push((name, why)),
            }
        }
        understood
    }

    fn text(&self) -> String {
        let (same, translated) = (count::plural(self.same as u64, "method"), self.translated.len());
        format!("another build's: {same} as today, {translated} translated, {} not understood", self.not.len())
    }

    fn json(self, model: &Translation) -> Json {
        let not: Map<String, Json> = self.not.into_iter().map(|(name, why)| (name, why.into())).collect();
        json!({
            "same": self.same,
            "translated": self.translated,
            "not_understood": not,
            "differences": model.differences().iter().take(DIFFERENCES).collect::<Vec<_>>(),
        })
    }
}

fn said(meta: &Json, name: &str) -> String {
    meta.get(name).map_or_else(|| "not recorded".to_owned(), short)
}

/// A value of the trace on one line of a terminal.
fn short(value: &Json) -> String {
    let text = match value {
        Json::String(text) => text.clone(),
        other => match other.get("name").and_then(Json::as_str) {
            Some(name) => name.to_owned(),
            None => other.to_string(),
        },
    };
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
