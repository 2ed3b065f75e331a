//! An excerpt leaves everything as it was: the state before its first whole call is that of the whole recording there.
//!
//! The recordings are the golden traces of programs, cut at many calls. What is compared is what [`State`] knows, which reads the excerpt as
//! any trace.
#![allow(clippy::unwrap_used)]

use reprise_codec::translate::{self, Extended};
use reprise_d3d12::MODEL;
use reprise_timeline::standing::plan;
use reprise_timeline::state::lists::List;
use reprise_timeline::{State, Walk};
use reprise_trace::chunk::Compression;
use reprise_trace::excerpt::{self, From, Orders};
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, TICKS};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `D3D12_HEAP_TYPE_READBACK`.
const READBACK: u32 = 3;

/// Recordings of programs.
fn golden() -> Vec<PathBuf> {
    let set = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/tests/golden/v3"));
    let mut files: Vec<PathBuf> = std::fs::read_dir(set).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|name| name == "reprise"));
    // These call lists that nothing gave out, and damage has tests of its own.
    let no_program = ["methods-win64.reprise", "unfinished.reprise"];
    files.retain(|file| !no_program.iter().any(|name| file.ends_with(name)));
    assert!(files.len() > 10, "{files:?}");
    files.sort();
    files
}

fn open(path: &Path) -> Trace {
    let trace = Trace::open(path).unwrap();
    translate::attach(&trace, &Extended::new(MODEL)).unwrap();
    trace
}

/// What is kept of a recording from a call on, as a trace of its own.
fn cut(inputs: &[Trace], call: u64) -> Trace {
    let plan = plan(inputs, From { call, ..From::default() }).unwrap();
    let orders = Orders {
        about: Default::default(),
        compression: Compression::None,
        schema: &|methods| reprise_codec::schema::of(&MODEL, methods),
        gives: &|_| true,
    };
    let (bytes, _) = excerpt::write(inputs, &plan, Vec::new(), orders).unwrap();
    let trace = Trace::from_bytes(bytes).unwrap();
    trace.check(|_| (), |_| ()).unwrap();
    assert_eq!(trace.damage().0, []);
    trace
}

/// The state before a call.
fn state(trace: &Trace, call: u64) -> State {
    let mut state = State::with_contents();
    let mut walk = Walk::new(&[&mut state]);
    walk.run(&mut trace.events(), call, &mut [&mut state]).unwrap();
    state
}

/// What there is, in words that two traces say alike: places of blobs are each trace's own.
fn said(state: &State) -> BTreeMap<String, String> {
    let mut said = BTreeMap::new();
    let mut say = |what: String, how: String| assert!(said.insert(what, how).is_none());
    for (id, object) in state.objects.iter() {
        let has_name = object.name.is_some();
        say(
            format!("object {id}"),
            format!(
                "{:?} by call {} of {:?} on {}, {} outside, {} inner, needs {:?}, named {has_name}",
                object.interface(),
                object.call,
                object.method(),
                object.parent,
                object.outside,
                object.inner,
                object.needs()
            ),
        );
    }
    for (id, heap) in state.descriptors.heaps() {
        heap.slots().for_each(|(index, slot)| say(format!("slot {index} of {id}"), format!("{slot:?}")));
    }
    for (id, resource) in state.memory.resources() {
        say(format!("resource {id}"), format!("{resource:?} at {:?}", state.addresses.of_resource(id)));
    }
    for (id, subresource, mapping) in state.memory.mapped() {
        let pages = state.memory.contents().unwrap().pages(id, subresource);
        // What the GPU wrote, and the program saw, is not kept.
        let pages = pages.filter(|_| mapping.kind != READBACK);
        let pages: Vec<_> = pages.map(|(offset, bytes)| (offset, xxh(bytes))).collect();
        say(format!("mapped {id} {subresource}"), format!("{mapping:?}: {pages:x?}"));
    }
    for (id, _) in state.objects.iter() {
        let tiles = state.memory.tiles(id).map(|tiles| tiles.runs().collect::<Vec<_>>()).unwrap_or_default();
        if !tiles.is_empty() {
            say(format!("tiles of {id}"), format!("{tiles:?}"));
        }
        if !state.memory.is_resident(id) {
            say(format!("resident {id}"), "no".into());
        }
    }
    said
}

fn xxh(bytes: &[u8]) -> u128 {
    reprise_trace::read::content_hash(bytes)
}

/// What is set in lists that are open, and by which calls; of closed ones, which may be of no use any more, where they begin and end.
fn lists(state: &State) -> BTreeMap<u32, String> {
    let words = |list: &List| match list.open {
        true => format!("{list:?}"),
        false => format!("from {} to {:?}", list.begun, list.closed),
    };
    state.lists.iter().map(|(id, list)| (id, words(list))).collect()
}

/// Calls at which a trace is cut.
fn cuts(trace: &Trace) -> Vec<u64> {
    let calls = trace.statistics().calls;
    let mut cuts: Vec<u64> = (1..=3).map(|part| calls * part / 3).filter(|call| *call > 1).collect();
    cuts.dedup();
    cuts
}

/// The calls of a trace, by number.
fn calls(trace: &Trace) -> Vec<(u64, u16)> {
    let (mut calls, mut events) = (Vec::new(), trace.events());
    while let Some(event) = events.next().unwrap() {
        if event.kind == Kind::Enter {
            calls.push((event.number, event.method));
        }
    }
    calls
}

#[test]
fn the_state_is_the_same_where_the_excerpt_begins_to_be_whole() {
    for path in golden() {
        let whole = open(&path);
        for call in cuts(&whole) {
            let (excerpt, name) = (cut(std::slice::from_ref(&whole), call), path.display());
            let (expected, found) = (state(&whole, call), state(&excerpt, call));
            let (expected_said, found_said) = (said(&expected), said(&found));
            for (what, how) in &expected_said {
                assert_eq!(found_said.get(what), Some(how), "{name}, cut at call {call}: {what}");
            }
            assert_eq!(expected_said.len(), found_said.len(), "{name}, cut at call {call}: {found_said:?}");
            assert_eq!(lists(&expected), lists(&found), "{name}, cut at call {call}");
        }
    }
}

/// Behind the cut nothing is missing, and calls and frames have their own numbers.
#[test]
fn from_the_cut_on_the_events_are_those_of_the_recording() {
    for path in golden() {
        let whole = open(&path);
        for call in cuts(&whole) {
            let excerpt = cut(std::slice::from_ref(&whole), call);
            let behind = |trace: &Trace| {
                let (mut all, mut events, mut begun) = (Vec::new(), trace.events(), false);
                while let Some(event) = events.next().unwrap() {
                    begun |= event.kind == Kind::Enter && event.number >= call;
                    let is_own = event.fact().is_some_and(|(kind, _)| kind == reprise_trace::fact::LEFT_OUT);
                    if begun && !(event.kind == Kind::Fact && is_own) {
                        let key = (event.number, event.frame, event.thread, event.kind, event.method, event.object);
                        // What has no time of its own has that of its thread's last event that has one.
                        let time = (event.flags & TICKS != 0).then_some(event.time_ns);
                        all.push((key, event.sequence, time, xxh(event.payload)));
                    }
                }
                all
            };
            let (expected, found) = (behind(&whole), behind(&excerpt));
            for (expected, found) in expected.iter().zip(&found) {
                assert_eq!(expected, found, "{}, cut at call {call}", path.display());
            }
            assert_eq!(expected.len(), found.len(), "{}, cut at call {call}", path.display());
        }
    }
}

/// As the flight recorder does: what is reduced is reduced again, with what came since.
#[test]
fn reducing_in_two_steps_keeps_what_one_step_keeps() {
    for path in golden() {
        let whole = open(&path);
        let cuts = cuts(&whole);
        let [.., first, second, third] = cuts[..] else { continue };
        let once = cut(std::slice::from_ref(&whole), third);
        let twice = cut(&[cut(&[cut(&[whole], first)], second)], third);
        assert_eq!(said(&state(&once, third)), said(&state(&twice, third)), "{}", path.display());
        assert_eq!(calls(&once), calls(&twice), "{}", path.display());
    }
}
