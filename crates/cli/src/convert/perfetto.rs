//! A trace as Perfetto's viewer reads it: threads with their calls, queues with what they were given, fences with their values, frames, and what
//! the GPU did by a measurement.
//!
//! Each packet is written when its call is known, so memory is bounded but for the submissions, which GPU tracks need at the end. Calls that
//! record no end are instants. Invariant: slices of a track lie in each other or side by side, as the viewer wants them: what several threads do
//! to one queue at one time are instants.

use super::protobuf::Message;
use reprise_times::Costs;
use reprise_view::dump::Line;
use serde_json::{Map, Value as Json};
use std::collections::HashSet;
use std::io::{self, Write};

/// What one line of the dump says, as far as this needs it.
#[derive(Debug, Default)]
pub(crate) struct Moment {
    kind: Kind,
    call: u64,
    frame: u64,
    thread: u64,
    time: u64,
    duration: Option<u64>,
    /// With its interface.
    method: String,
    object: u32,
    name: Option<String>,
    fence: Option<(u32, u64)>,
    lists: u64,
}

/// What a line is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// A call, with its end where that is known.
    Call,
    /// A call that has not returned by its line.
    Open,
    /// The return of such a call.
    Return,
    Frame,
    /// The value that a fence is seen to have.
    Seen,
    #[default]
    Other,
}

impl Moment {
    /// That of a whole line of the dump.
    pub(crate) fn new(line: &Map<String, Json>) -> Moment {
        let number = |name: &str| line.get(name).and_then(Json::as_u64);
        let this = line.get("this").unwrap_or(&Json::Null);
        let method = line.get("method").and_then(Json::as_str).unwrap_or_default().to_owned();
        let kind = match line.get("event").and_then(Json::as_str) {
            Some("frame") => Kind::Frame,
            Some("return") => Kind::Return,
            Some("observe") => Kind::Seen,
            Some(_) => Kind::Other,
            None if line.get("returned") == Some(&Json::Bool(false)) => Kind::Open,
            None => Kind::Call,
        };
        let args = line.get("args").unwrap_or(&Json::Null);
        let id = |value: &Json| value["id"].as_u64().and_then(|id| u32::try_from(id).ok()).unwrap_or(0);
        let fence = match method.rsplit("::").next().unwrap_or_default() {
            "Signal" | "Wait" if method.contains("Queue") => {
                args["Value"].as_u64().map(|value| (id(&args["pFence"]), value))
            }
            "Signal" if method.contains("Fence") => args["Value"].as_u64().map(|value| (id(this), value)),
            "GetCompletedValue" => line.get("result").and_then(Json::as_u64).map(|value| (id(this), value)),
            _ if kind == Kind::Seen => {
                let object = line.get("object").unwrap_or(&Json::Null);
                number("value").map(|value| (id(object), value))
            }
            _ => None,
        };
        Moment {
            kind,
            call: number("call").or(number("after_call")).unwrap_or(0),
            frame: number("frame").unwrap_or(0),
            thread: number("thread").unwrap_or(0),
            time: number("time_ns").unwrap_or(0),
            duration: number("duration_ns"),
            object: id(this),
            name: this["name"].as_str().map(str::to_owned),
            lists: args["ppCommandLists"].as_array().map_or(0, |lists| lists.len() as u64),
            fence,
            method,
        }
    }
}

impl Line for Moment {
    fn held(&self) -> usize {
        size_of::<Moment>() + self.method.len() + self.name.as_ref().map_or(0, String::len)
    }
}

/// Numbers of fields of `perfetto.protos`.
mod field {
    pub(super) const PACKET: u32 = 1;
    pub(super) const TIMESTAMP: u32 = 8;
    pub(super) const SEQUENCE: u32 = 10;
    pub(super) const TRACK_EVENT: u32 = 11;
    pub(super) const TRACK_DESCRIPTOR: u32 = 60;

    /// Of `TrackDescriptor`.
    pub(super) const UUID: u32 = 1;
    pub(super) const NAME: u32 = 2;
    pub(super) const PROCESS: u32 = 3;
    pub(super) const THREAD: u32 = 4;
    pub(super) const PARENT: u32 = 5;
    pub(super) const COUNTER: u32 = 8;

    /// Of `TrackEvent`.
    pub(super) const ANNOTATION: u32 = 4;
    pub(super) const TYPE: u32 = 9;
    pub(super) const TRACK: u32 = 11;
    pub(super) const CATEGORY: u32 = 22;
    pub(super) const EVENT_NAME: u32 = 23;
    pub(super) const COUNTER_VALUE: u32 = 30;
    pub(super) const FLOW: u32 = 47;

    /// Of `DebugAnnotation`.
    pub(super) const UINT: u32 = 3;
    pub(super) const TEXT: u32 = 6;
    pub(super) const ANNOTATION_NAME: u32 = 10;
}

/// `TrackEvent.Type`.
#[derive(Clone, Copy)]
enum Type {
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

/// All packets come from one sequence.
const SEQUENCE: u64 = 1;
/// The process, whose number of the capture is not known.
const PROCESS: u64 = 1;

/// A track, by what it is of.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Track {
    Process,
    Frames,
    Thread(u64),
    Queue(u32),
    Fence(u32),
    Gpu(u32),
}

impl Track {
    fn uuid(self) -> u64 {
        let (kind, number) = match self {
            Track::Process => (1, 0),
            Track::Frames => (2, 0),
            Track::Thread(number) => (3, number),
            Track::Queue(id) => (4, id.into()),
            Track::Fence(id) => (5, id.into()),
            Track::Gpu(id) => (6, id.into()),
        };
        kind << 40 | number
    }
}

/// Writes the packets.
pub(crate) struct Writer<W> {
    sink: W,
    /// What the process is called.
    program: String,
    costs: Option<Costs>,
    known: HashSet<Track>,
    /// When the frame under way began: the first one with the first moment that is shown.
    frame: Option<u64>,
    /// Submissions: call, queue, when the call ended.
    submitted: Vec<(u64, u32, u64)>,
}

/// Where an event stands, and what it is.
struct Event {
    track: Track,
    time: u64,
    kind: Type,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(sink: W, program: String, costs: Option<Costs>) -> Writer<W> {
        Writer { sink, program, costs, known: HashSet::new(), frame: None, submitted: Vec::new() }
    }

    fn packet(&mut self, packet: Message) -> io::Result<()> {
        let packet = packet.number(field::SEQUENCE, SEQUENCE);
        self.sink.write_all(Message::default().message(field::PACKET, &packet).as_bytes())
    }

    /// Describes a track, once.
    fn track(&mut self, track: Track, name: Option<&str>) -> io::Result<()> {
        if !self.known.insert(track) {
            return Ok(());
        }
        let plain = Message::default().number(field::UUID, track.uuid());
        let child = |name: &str| plain.clone().number(field::PARENT, Track::Process.uuid()).text(field::NAME, name);
        let named = |what: &str, id: u32| match name {
            Some(name) => format!("{what} {id} {name}"),
            None => format!("{what} {id}"),
        };
        if track != Track::Process {
            self.track(Track::Process, None)?;
        }
        let descriptor = match track {
            Track::Process => {
                // Its number, and its name.
                plain.message(field::PROCESS, &Message::default().number(1, PROCESS).text(6, &self.program))
            }
            Track::Thread(thread) => {
                let name = format!("thread {thread}");
                // The numbers of the process and of the thread, and its name. Number 0 is the system's idle thread.
                let of = Message::default().number(1, PROCESS).number(2, thread + 1).text(5, &name);
                plain.message(field::THREAD, &of)
            }
            Track::Frames => child("frames"),
            Track::Queue(id) => child(&named("queue", id)),
            Track::Gpu(id) => child(&named("GPU, queue", id)),
            Track::Fence(id) => child(&named("fence", id)).message(field::COUNTER, &Message::default()),
        };
        self.packet(Message::default().message(field::TRACK_DESCRIPTOR, &descriptor))
    }

    fn event(&mut self, event: &Event, more: Message) -> io::Result<()> {
        let own = more.number(field::TYPE, event.kind as u64).number(field::TRACK, event.track.uuid());
        let packet = Message::default().number(field::TIMESTAMP, event.time);
        self.packet(packet.message(field::TRACK_EVENT, &own))
    }

    /// Takes a line of the dump.
    pub(crate) fn write(&mut self, moment: &Moment) -> io::Result<()> {
        self.frame.get_or_insert(moment.time);
        match moment.kind {
            Kind::Call | Kind::Open => self.call(moment)?,
            Kind::Return => {
                let track = Track::Thread(moment.thread);
                self.event(&Event { track, time: moment.time, kind: Type::End }, Message::default())?;
            }
            Kind::Frame => self.frame(moment)?,
            Kind::Seen => {
                if let Some((fence, value)) = moment.fence.filter(|(fence, _)| *fence != 0) {
                    self.value(fence, value, moment.time, None)?;
                }
            }
            Kind::Other => {}
        }
        Ok(())
    }

    fn frame(&mut self, moment: &Moment) -> io::Result<()> {
        self.track(Track::Frames, None)?;
        let name = named(&format!("frame {}", moment.frame), "frame");
        let (track, begin) = (Track::Frames, self.frame.unwrap_or(moment.time));
        self.event(&Event { track, time: begin, kind: Type::Begin }, name)?;
        self.frame = Some(moment.time);
        self.event(&Event { track, time: moment.time.max(begin), kind: Type::End }, Message::default())
    }

    fn call(&mut self, moment: &Moment) -> io::Result<()> {
        let (interface, method) = moment.method.split_once("::").unwrap_or(("", &moment.method));
        let track = Track::Thread(moment.thread);
        self.track(track, None)?;
        let mut own = named(method, "call").message(field::ANNOTATION, &count("call", moment.call));
        own = own.message(field::ANNOTATION, &count("frame", moment.frame));
        if moment.object != 0 {
            own = own.message(field::ANNOTATION, &count("object", moment.object.into()));
        }
        if !interface.is_empty() {
            let annotation = Message::default().text(field::ANNOTATION_NAME, "interface").text(field::TEXT, interface);
            own = own.message(field::ANNOTATION, &annotation);
        }
        let is_submission = method == "ExecuteCommandLists";
        if is_submission {
            own = own.fixed(field::FLOW, moment.call);
        }
        let at = |kind, time| Event { track, time, kind };
        match (moment.kind, moment.duration) {
            (Kind::Open, _) => self.event(&at(Type::Begin, moment.time), own)?,
            (_, Some(duration)) => {
                self.event(&at(Type::Begin, moment.time), own)?;
                self.event(&at(Type::End, moment.time.saturating_add(duration)), Message::default())?;
            }
            (_, None) => self.event(&at(Type::Instant, moment.time), own)?,
        }
        let end = moment.time.saturating_add(moment.duration.unwrap_or(0));
        if interface.starts_with("ID3D12CommandQueue") {
            self.of_queue(moment, method, end)?;
        }
        // What a queue signals, the fence has once the queue gets there: it is told when the program sees it.
        match moment.fence.filter(|(fence, _)| *fence != 0 && *fence == moment.object) {
            Some((fence, value)) => self.value(fence, value, end, moment.name.as_deref()),
            None => Ok(()),
        }
    }

    /// A fence has a value.
    fn value(&mut self, fence: u32, value: u64, time: u64, name: Option<&str>) -> io::Result<()> {
        self.track(Track::Fence(fence), name)?;
        let counter = Message::default().number(field::COUNTER_VALUE, value);
        self.event(&Event { track: Track::Fence(fence), time, kind: Type::Counter }, counter)
    }

    /// What a queue is given.
    fn of_queue(&mut self, moment: &Moment, method: &str, end: u64) -> io::Result<()> {
        let track = Track::Queue(moment.object);
        let what = match (method, moment.fence) {
            ("ExecuteCommandLists", _) => {
                self.submitted.push((moment.call, moment.object, end));
                format!("submission of {} lists", moment.lists)
            }
            ("Signal", Some((fence, value))) => format!("signals fence {fence}: {value}"),
            ("Wait", Some((fence, value))) => format!("waits for fence {fence}: {value}"),
            _ => return Ok(()),
        };
        self.track(track, moment.name.as_deref())?;
        let mut own = named(&what, "queue").message(field::ANNOTATION, &count("call", moment.call));
        if method == "ExecuteCommandLists" {
            own = own.fixed(field::FLOW, moment.call);
        }
        self.event(&Event { track, time: moment.time, kind: Type::Instant }, own)
    }

    /// What the GPU did by a measurement, and the end of the file.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if let Some(costs) = self.costs.take() {
            for placed in costs.placed(core::mem::take(&mut self.submitted)) {
                let track = Track::Gpu(placed.queue);
                self.track(track, None)?;
                let at = |kind, time: f64| Event { track, time: time.round() as u64, kind };
                let own = named("submission", "gpu").message(field::ANNOTATION, &count("call", placed.call));
                self.event(&at(Type::Begin, placed.begin), own.fixed(field::FLOW, placed.call))?;
                for (call, begin, end) in costs.operations_of(&placed) {
                    let operation = costs.times.operations.get(&call);
                    let method = operation.map_or("operation", |operation| operation.method.as_str());
                    let mut own = named(method, "gpu").message(field::ANNOTATION, &count("call", call));
                    if let Some(markers) = operation.map(|one| one.markers.join(" > ")).filter(|text| !text.is_empty())
                    {
                        let annotation = Message::default().text(field::ANNOTATION_NAME, "markers");
                        own = own.message(field::ANNOTATION, &annotation.text(field::TEXT, &markers));
                    }
                    self.event(&at(Type::Begin, begin), own)?;
                    self.event(&at(Type::End, end), Message::default())?;
                }
                self.event(&at(Type::End, placed.end), Message::default())?;
            }
        }
        self.sink.flush()
    }
}

fn named(name: &str, category: &str) -> Message {
    Message::default().text(field::EVENT_NAME, name).text(field::CATEGORY, category)
}

/// A number beside an event.
fn count(name: &str, value: u64) -> Message {
    Message::default().text(field::ANNOTATION_NAME, name).number(field::UINT, value)
}
