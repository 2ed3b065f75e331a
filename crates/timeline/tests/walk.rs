//! The walk: it pairs each call once, and gives it to the passes that asked for it, at its place in the trace.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Script, state, state_before};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_timeline::walk::{At, Interests, Memory, Pass};
use reprise_timeline::{Call, Outcome, Walk, walk};
use reprise_trace::read::Event;

const SIGNAL: MethodId = method("ID3D12CommandQueue", "Signal");
const NAME: MethodId = method("ID3D12Object", "SetName");
const DRAW: MethodId = method("ID3D12GraphicsCommandList", "DrawInstanced");
const COMPLETED: MethodId = method("ID3D12Fence", "GetCompletedValue");

/// Writes down what it is given.
struct Log {
    interests: Interests,
    lines: Vec<String>,
}

impl Log {
    fn of(interests: Interests) -> Log {
        Log { interests, lines: Vec::new() }
    }
}

impl Pass for Log {
    fn interests(&self) -> Interests {
        self.interests.clone()
    }
    fn enter(&mut self, call: &Call<'_>, at: &At) {
        assert_eq!(at.call, call.number);
        self.lines.push(format!("enter {} thread {}", call.number, call.thread));
    }
    fn call(&mut self, call: &Call<'_>, at: &At) {
        let outcome = match call.outcome {
            Outcome::Nothing => "nothing".to_owned(),
            Outcome::Running => "running".to_owned(),
            Outcome::Returned(_) => format!("{}", call.result().unwrap()),
            Outcome::Unfinished => "unfinished".to_owned(),
            Outcome::Lost => "lost".to_owned(),
        };
        self.lines.push(format!("call {} after {}: {outcome}", call.number, at.call));
    }
    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _at: &At) {
        self.lines.push(format!("fact {kind} of {object}: {}", bytes.len()));
    }
    fn memory(&mut self, memory: &Memory<'_>, _at: &At) {
        self.lines.push(format!(
            "memory {} {} at {}: {:?}",
            memory.resource, memory.subresource, memory.offset, memory.bytes
        ));
    }
    fn observe(&mut self, fence: u32, value: u64, _at: &At) {
        self.lines.push(format!("observe {fence}: {value}"));
    }
    fn frame(&mut self, at: &At) {
        self.lines.push(format!("frame {}", at.frame));
    }
    fn event(&mut self, event: &Event<'_>) {
        self.lines.push(format!("{:?} {}", event.kind, event.number));
    }
}

/// Two threads: a call within a call on one, a call of the other between them.
fn nested() -> Script {
    let mut script = Script::new(2);
    script.enter(1, SIGNAL, &[7, 10]);
    script.enter(1, COMPLETED, &[]);
    script.thread = 1;
    script.call(4, DRAW, &[3, 1, 0, 0], 0);
    script.enter(2, COMPLETED, &[]);
    script.thread = 0;
    script.leave(COMPLETED, &[], 5);
    script.thread = 1;
    script.leave(COMPLETED, &[], 6);
    script.thread = 0;
    script.leave(SIGNAL, &[7, 10], 0);
    script
}

#[test]
fn each_pass_gets_what_it_asked_for() {
    let trace = nested().trace();
    let mut all = Log::of(Interests::new().enters(&[SIGNAL, COMPLETED, DRAW]).calls(&[SIGNAL, COMPLETED, DRAW]));
    let mut draws = Log::of(Interests::new().calls(&[DRAW]));
    let mut none = Log::of(Interests::new());
    walk(&trace, &mut [&mut all, &mut draws, &mut none]).unwrap();
    let expected = [
        "enter 1 thread 0",
        "enter 2 thread 0",
        "enter 3 thread 1",
        "call 3 after 3: nothing",
        "enter 4 thread 1",
        "call 2 after 2: 5",
        "call 4 after 4: 6",
        "call 1 after 1: 0",
    ];
    assert_eq!(all.lines, expected);
    assert_eq!(draws.lines, ["call 3 after 3: nothing"]);
    assert!(none.lines.is_empty());
}

#[test]
fn what_is_no_call_is_given_too() {
    let mut script = Script::new(1);
    script.fact(3, 99, &[1, 2]);
    script.memory(3, 1, 16, &[1, 2, 3]);
    script.observe(7, 12);
    script.frame();
    let trace = script.trace();
    let mut log = Log::of(Interests::new().facts().memory_if(true).observed().frames());
    let mut events = Log::of(Interests::new().events());
    walk(&trace, &mut [&mut log, &mut events]).unwrap();
    assert_eq!(log.lines, ["fact 99 of 3: 16", "memory 3 1 at 16: [1, 2, 3]", "observe 7: 12", "frame 0"]);
    assert_eq!(events.lines, ["Fact 0", "Memory 0", "Observe 0", "Frame 0"]);
}

#[test]
fn calls_without_a_leave_say_why() {
    let mut script = Script::new(1);
    script.enter(1, SIGNAL, &[7, 10]);
    let unfinished = script.enter(2, COMPLETED, &[]);
    script.ends_within(&[unfinished]);
    let mut log = Log::of(Interests::new().calls(&[SIGNAL, COMPLETED]));
    walk(&script.trace(), &mut [&mut log]).unwrap();
    assert_eq!(log.lines, ["call 1 after 2: lost", "call 2 after 2: unfinished"]);
}

/// A pass that wants only the outer call must not be given the leave of an inner one.
#[test]
fn a_leave_belongs_to_its_own_enter() {
    let mut log = Log::of(Interests::new().calls(&[SIGNAL]));
    walk(&nested().trace(), &mut [&mut log]).unwrap();
    assert_eq!(log.lines, ["call 1 after 1: 0"]);
}

#[test]
fn a_walk_goes_on_where_another_one_was() {
    let trace = nested().trace();
    let interests = Interests::new().enters(&[SIGNAL, COMPLETED, DRAW]).calls(&[SIGNAL, COMPLETED, DRAW]);
    let mut whole = Log::of(interests.clone());
    walk(&trace, &mut [&mut whole]).unwrap();
    for stop in 1..=4 {
        let mut log = Log::of(interests.clone());
        let passes: &mut [&mut dyn Pass] = &mut [&mut log];
        let mut first = Walk::new(passes);
        first.run(&mut trace.events(), stop, passes).unwrap();
        let pairing = first.pairing().clone();
        let mut second = Walk::resume(passes, pairing);
        second.run(&mut trace.from_call(stop), 0, passes).unwrap();
        second.finish(passes);
        assert_eq!(log.lines, whole.lines, "stopped before call {stop}");
    }
}

#[test]
fn names_and_lives_are_as_of_the_call() {
    let mut script = Script::new(1);
    script.device(1);
    script.heap(1, 2, 1 << 20);
    let name: Vec<u16> = "pool\0".encode_utf16().collect();
    let named = script.call(2, NAME, &[name.as_ptr() as u64], 0);
    let released = script.release(2, 0);
    script.call(7, COMPLETED, &[], 0);
    let trace = script.trace();
    assert_eq!(state_before(&trace, named).objects.get(2).unwrap().name, None);
    let name = reprise_timeline::state::objects::Name::Text("pool".to_owned());
    assert_eq!(state_before(&trace, released).objects.get(2).unwrap().name, Some(name));
    let end = state(&trace);
    assert!(end.objects.get(2).is_none() && end.objects.get(1).is_some());
    assert_eq!(end.damaged.calls, 0, "{:?}", end.damaged.first);
}
