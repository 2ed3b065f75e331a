//! An excerpt leaves everything as it was: the state before its first whole call is that of the whole recording there.
//!
//! The recordings are the golden traces of programs, cut at many calls. What is compared is what [`State`] knows, which reads the excerpt as
//! any trace.
#![allow(clippy::unwrap_used)]

mod common;

use common::{INCREMENT, Script, iid, pointer};
use reprise_codec::Value;
use reprise_codec::translate::{self, Extended};
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::*;
use reprise_d3d12::{MODEL, interface, method};
use reprise_timeline::argument::{Argument, One, Out, SharedHandle};
use reprise_timeline::standing::plan;
use reprise_timeline::state::lists::List;
use reprise_timeline::{At, Call, Interests, Pass, State, Walk, argument};
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
                let (mut all, mut events, mut begun) = (Vec::new(), trace.events_as_recorded(), false);
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

/// What calls before a call name: by call, each object, and whether it is alive there.
fn named(trace: &Trace, before: u64) -> BTreeMap<u64, Vec<(u32, bool)>> {
    struct Named(State, BTreeMap<u64, Vec<(u32, bool)>>);

    impl Pass for Named {
        fn interests(&self) -> Interests {
            let all: Vec<MethodId> = (0..MODEL.methods.len() as u16).map(MethodId).collect();
            self.0.interests().enters(&all)
        }

        fn enter(&mut self, call: &Call<'_>, at: &At) {
            let arguments = reprise_timeline::codec().decode_enter(call.method, call.enter.bytes).unwrap();
            let mut objects = vec![call.object];
            arguments.members.iter().for_each(|member| objects_of(&member.value, &mut objects));
            let alive = |object| (object, object == 0 || self.0.objects.get(object).is_some());
            self.1.insert(call.number, objects.into_iter().map(alive).collect());
            self.0.enter(call, at);
        }

        fn call(&mut self, call: &Call<'_>, at: &At) {
            self.0.call(call, at);
        }
    }

    let mut named = Named(State::default(), BTreeMap::new());
    let mut walk = Walk::new(&[&mut named]);
    walk.run(&mut trace.events(), before, &mut [&mut named]).unwrap();
    named.1
}

fn objects_of(value: &Value<'_>, all: &mut Vec<u32>) {
    match value {
        Value::Object(0, _) => {}
        Value::Object(object, _) => all.push(*object),
        Value::Struct(_, members) => members.iter().for_each(|member| objects_of(&member.value, all)),
        Value::Array(values) => values.iter().for_each(|value| objects_of(value, all)),
        _ => {}
    }
}

/// Cuts a script at a call, in one step and in two, and compares states, lists, and what the calls that are left name.
fn compared(whole: &Trace, call: u64) -> Trace {
    let excerpt = cut(std::slice::from_ref(whole), call);
    let (expected, found) = (state(whole, call), state(&excerpt, call));
    assert_eq!(said(&expected), said(&found), "cut at call {call}");
    assert_eq!(lists(&expected), lists(&found), "cut at call {call}");
    let expected = named(whole, call);
    for (number, objects) in named(&excerpt, call) {
        assert_eq!(expected.get(&number), Some(&objects), "call {number}, cut at call {call}");
    }
    let twice = cut(&[cut(std::slice::from_ref(whole), call / 3 * 2)], call);
    assert_eq!(calls(&excerpt), calls(&twice), "cut at call {call}, and before");
    excerpt
}

/// What calls of a method gave or wrote before a call, in their order.
fn each<T>(trace: &Trace, before: u64, method: MethodId, read: impl Fn(&Call<'_>) -> T) -> Vec<T> {
    struct Each<F, T>(MethodId, F, Vec<T>);

    impl<T, F: Fn(&Call<'_>) -> T> Pass for Each<F, T> {
        fn interests(&self) -> Interests {
            Interests::new().calls(&[self.0])
        }

        fn call(&mut self, call: &Call<'_>, _at: &At) {
            self.2.push((self.1)(call));
        }
    }

    let mut each = Each(method, read, Vec::new());
    let mut walk = Walk::new(&[&mut each]);
    walk.run(&mut trace.events(), before, &mut [&mut each]).unwrap();
    each.2
}

/// Numbers below bounds that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}

const DEVICE: u32 = 1;
const CHAIN: u32 = 3;
const HEAP: u32 = 4;
const LIST: u32 = 6;
/// The CPU handle of the first descriptor of [`HEAP`].
const CPU: u64 = 0x1_0000;

/// A program with a swap chain, descriptors and a list that it has closed.
fn presenting() -> Script {
    let mut script = Script::new(2);
    script.device(DEVICE);
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let create = method("ID3D12Device", "CreateCommandQueue");
    script.create(DEVICE, create, &[pointer(&desc)], interface("ID3D12CommandQueue"), 2);
    let (desc, slot) = (DXGI_SWAP_CHAIN_DESC1::default(), u64::from(CHAIN));
    script.call(2, method("IDXGIVkSwapChainFactory", "CreateSwapChain"), &[0, pointer(&desc), pointer(&slot)], 0);
    script.descriptors(DEVICE, D3D12_DESCRIPTOR_HEAP_TYPE::RTV, 4, CPU, HEAP);
    let class = interface("ID3D12CommandAllocator");
    script.create(DEVICE, method("ID3D12Device", "CreateCommandAllocator"), &[0], class, 5);
    let class = interface("ID3D12GraphicsCommandList");
    script.create(DEVICE, method("ID3D12Device", "CreateCommandList"), &[0, 0, 5, 0], class, LIST);
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    script
}

fn take_buffer(script: &mut Script, buffer: u32, class: InterfaceId) -> u64 {
    script.create(CHAIN, method("IDXGIVkSwapChain", "GetImage"), &[u64::from(buffer)], class, 10 + buffer)
}

fn view(script: &mut Script, object: u32, slot: u32) {
    let words = [u64::from(object), 0, CPU + u64::from(slot) * INCREMENT];
    script.call(DEVICE, method("ID3D12Device", "CreateRenderTargetView"), &words, 0);
}

/// As a program that takes its back buffer in each frame does.
#[test]
fn an_object_that_was_gone_and_is_given_again_is_alive_where_calls_name_it() {
    let mut script = presenting();
    for frame in 0..40 {
        take_buffer(&mut script, frame % 2, interface("ID3D12Resource"));
        view(&mut script, 10 + frame % 2, 0);
        script.release(10 + frame % 2, 0);
    }
    let whole = script.trace();
    let last = whole.statistics().calls;
    for call in 10..=last {
        let kept = calls(&compared(&whole, call)).iter().filter(|(number, _)| *number < call).count();
        assert!(kept < 20, "{kept} calls are kept at call {call}: old frames pile up");
    }
}

#[test]
fn objects_given_and_released_in_any_way_are_alive_where_calls_name_them() {
    let mut random = Random(7);
    for _ in 0..3 {
        let mut script = presenting();
        let (mut held, mut open) = ([0_u32; 3], false);
        for _ in 0..120 {
            script.thread = random.below(2) as usize;
            let (buffer, other) = (random.below(3), random.below(3));
            let (object, count) = (10 + buffer, held[buffer as usize]);
            match random.below(10) {
                0 | 1 => {
                    let name = ["ID3D12Resource", "ID3D12Resource1", "ID3D12Resource2"][random.below(3) as usize];
                    take_buffer(&mut script, buffer, interface(name));
                    held[buffer as usize] += 1;
                }
                2 if count > 0 => {
                    script.call(object, method("IUnknown", "AddRef"), &[], u64::from(count) + 1);
                    held[buffer as usize] += 1;
                }
                3..=5 if count > 0 => {
                    script.release(object, u64::from(count) - 1);
                    held[buffer as usize] -= 1;
                }
                6 if count > 0 => {
                    let name: Vec<u16> = "buffer\0".encode_utf16().collect();
                    script.call(object, method("ID3D12Object", "SetName"), &[name.as_ptr() as u64], 0);
                }
                7 if open => {
                    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
                    open = false;
                }
                7 => {
                    script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[5, 0], 0);
                    open = true;
                }
                8 if open && count > 0 && held[other as usize] > 0 => {
                    let words = [u64::from(object), 10 + u64::from(other)];
                    script.call(LIST, method("ID3D12GraphicsCommandList", "CopyResource"), &words, 0);
                }
                _ if count > 0 => view(&mut script, object, random.below(4)),
                _ => {}
            }
        }
        let whole = script.trace();
        (10..=whole.statistics().calls).step_by(3).for_each(|call| _ = compared(&whole, call));
    }
}

/// The release on one thread returns after another thread was given the object again.
#[test]
fn a_release_that_returns_late_ends_the_life_that_it_began_in() {
    let mut script = presenting();
    let (class, release) = (interface("ID3D12Resource"), method("IUnknown", "Release"));
    take_buffer(&mut script, 0, class);
    view(&mut script, 10, 0);
    script.enter(10, release, &[]);
    script.thread = 1;
    take_buffer(&mut script, 0, class);
    script.thread = 0;
    script.leave(release, &[], 0);
    view(&mut script, 10, 1);
    script.release(10, 0);
    let whole = script.trace();
    // The state takes the late answer for the end of both lives. What the calls name is alive all the same.
    let excerpt = cut(std::slice::from_ref(&whole), 15);
    assert_eq!(calls(&excerpt), calls(&whole));
}

/// A device lives for what it made, and is given again by that.
#[test]
fn a_device_that_was_let_go_and_given_again_is_alive_where_it_makes_something() {
    for class in ["ID3D12Device", "ID3D12Device1"] {
        let (fence, create) = (interface("ID3D12Fence"), method("ID3D12Device", "CreateFence"));
        let mut script = Script::new(1);
        script.device(DEVICE);
        script.create(DEVICE, create, &[0, 0], fence, 2);
        script.release(DEVICE, 1);
        for made in 3..6 {
            let slot = u64::from(DEVICE);
            let words = [iid(interface(class)), pointer(&slot)];
            script.call(2, method("ID3D12DeviceChild", "GetDevice"), &words, 0);
            script.create(DEVICE, create, &[0, 0], fence, made);
            script.release(DEVICE, 2);
        }
        script.release(2, 0);
        let whole = script.trace();
        (2..=whole.statistics().calls + 1).for_each(|call| _ = compared(&whole, call));
    }
}

const WRITE: MethodId = method("ID3D12Resource", "WriteToSubresource");
const WRITTEN: Argument<u32> = argument!("ID3D12Resource", "WriteToSubresource", "DstSubresource");
const PLACE: Argument<One<D3D12_BOX>> = argument!("ID3D12Resource", "WriteToSubresource", "pDstBox");
/// Texels of each subresource, along each axis.
const SIZE: [u32; 3] = [5, 4, 3];

/// By subresource and texel: the call before a call that wrote it last.
fn texels(trace: &Trace, before: u64) -> BTreeMap<(u32, [u32; 3]), u64> {
    let mut texels = BTreeMap::new();
    let writes = each(trace, before, WRITE, |call| (call.number, WRITTEN.of(call).unwrap(), PLACE.of(call).unwrap()));
    for (number, subresource, place) in writes {
        let [right, bottom, back] = SIZE;
        let all = D3D12_BOX { right, bottom, back, ..Default::default() };
        let place = place.unwrap_or(all);
        for z in place.front..place.back {
            for y in place.top..place.bottom {
                (place.left..place.right).for_each(|x| _ = texels.insert((subresource, [x, y, z]), number));
            }
        }
    }
    texels
}

#[test]
fn of_what_the_cpu_wrote_by_calls_all_that_shows_is_kept_and_nothing_else() {
    let mut random = Random(11);
    let mut script = Script::new(2);
    script.device(DEVICE);
    let desc = D3D12_RESOURCE_DESC { Width: 64, Height: 1, ..Default::default() };
    script.heap(DEVICE, 2, 1 << 16);
    script.placed(DEVICE, 2, 0, &desc, 3);
    for _ in 0..300 {
        script.thread = random.below(2) as usize;
        let subresource = u64::from(random.below(2));
        // Some boxes are empty.
        let [left, top, front] = SIZE.map(|size| random.below(size));
        let mut to = |from: u32, size: u32| size.min(from + random.below(5));
        let (right, bottom, back) = (to(left, SIZE[0]), to(top, SIZE[1]), to(front, SIZE[2]));
        let place = D3D12_BOX { left, top, front, right, bottom, back };
        let place = if random.below(60) == 0 { 0 } else { pointer(&place) };
        script.call(3, WRITE, &[subresource, place, 0, 0, 0], 0);
        script.call(3, method("ID3D12Resource", "ReadFromSubresource"), &[0, 0, 0, subresource, 0], 0);
    }
    let whole = script.trace();
    for call in (5..=whole.statistics().calls).step_by(7) {
        let excerpt = compared(&whole, call);
        let expected = texels(&whole, call);
        assert_eq!(expected, texels(&excerpt, call), "cut at call {call}");
        let mut shown: Vec<u64> = expected.into_values().collect();
        shown.sort_unstable();
        shown.dedup();
        let kept = each(&excerpt, call, WRITE, |call| call.number);
        // One that wrote everything may be more than the subresource.
        let all = each(&excerpt, call, WRITE, |call| PLACE.of(call).unwrap().is_none());
        let boxes: Vec<u64> = kept.into_iter().zip(all).filter(|(_, all)| !all).map(|(kept, _)| kept).collect();
        assert!(boxes.iter().all(|kept| shown.contains(kept)), "cut at call {call}: {boxes:?} of {shown:?}");
    }
}

#[test]
fn a_call_that_wrote_nothing_hides_nothing() {
    let mut script = Script::new(1);
    script.device(DEVICE);
    script.heap(DEVICE, 2, 1 << 16);
    script.placed(DEVICE, 2, 0, &D3D12_RESOURCE_DESC { Width: 64, Height: 1, ..Default::default() }, 3);
    let map = |script: &mut Script| script.call(3, method("ID3D12Resource", "Map"), &[0, 0, 0], 0);
    let unmap = |script: &mut Script| script.call(3, method("ID3D12Resource", "Unmap"), &[0, 0], 0);
    map(&mut script);
    let written = script.call(3, WRITE, &[0, 0, 0, 0, 0], 0);
    unmap(&mut script);
    script.call(3, WRITE, &[0, 0, 0, 0, 0], 0x8007_0057);
    let empty = D3D12_BOX::default();
    script.call(3, WRITE, &[0, pointer(&empty), 0, 0, 0], 0);
    map(&mut script);
    unmap(&mut script);
    let whole = script.trace();
    let excerpt = compared(&whole, 12);
    assert_eq!(each(&excerpt, 12, WRITE, |call| call.number), [written]);
    // The API wants it mapped: 4 to 6 stand for the write, 9 and 10 for what was mapped last.
    assert_eq!(calls(&excerpt).into_iter().map(|(number, _)| number).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 9, 10]);
}

const OPENED: Argument<SharedHandle> = argument!("ID3D12Device", "OpenSharedHandle", "NTHandle");
const MADE: Argument<Out<SharedHandle>> = argument!("ID3D12Device", "CreateSharedHandle", "pHandle");
const FOUND: Argument<Out<SharedHandle>> = argument!("ID3D12Device", "OpenSharedHandleByName", "pNTHandle");

fn share(script: &mut Script, device: u32, object: u32, name: &[u16], handle: u64) -> u64 {
    let name = if name.is_empty() { 0 } else { name.as_ptr() as u64 };
    let words = [u64::from(object), 0, 0x1000_0000, name, pointer(&handle)];
    script.call(device, MADE.method(), &words, 0)
}

fn find(script: &mut Script, device: u32, name: &[u16], handle: u64) -> u64 {
    script.call(device, FOUND.method(), &[name.as_ptr() as u64, 0, pointer(&handle)], 0)
}

fn open_shared(script: &mut Script, device: u32, handle: u64, id: u32) -> u64 {
    script.create(device, OPENED.method(), &[handle], interface("ID3D12Fence"), id)
}

fn shared_fence(script: &mut Script, device: u32, id: u32) {
    script.create(device, method("ID3D12Device", "CreateFence"), &[0, 1], interface("ID3D12Fence"), id);
}

#[test]
fn each_shared_handle_that_may_be_open_and_each_that_was_opened_is_kept() {
    let mut script = Script::new(1);
    script.device(1);
    script.device(2);
    (3..6).for_each(|fence| shared_fence(&mut script, 1, fence));
    let name: Vec<u16> = "shared\0".encode_utf16().collect();
    let mut expected = vec![share(&mut script, 1, 3, &[], 8), share(&mut script, 1, 4, &name, 12)];
    // The object of a handle may go before the handle is opened.
    script.release(3, 0);
    expected.push(share(&mut script, 1, 5, &[], 16));
    open_shared(&mut script, 2, 16, 20);
    expected.push(find(&mut script, 2, &name, 24));
    open_shared(&mut script, 2, 24, 21);
    // The program closes two handles, and the system gives out their numbers again.
    expected.push(share(&mut script, 1, 4, &[], 16));
    expected.push(find(&mut script, 1, &name, 24));
    let whole = script.trace();
    let excerpt = compared(&whole, 100);
    let mut kept = each(&excerpt, 100, MADE.method(), |call| call.number);
    kept.extend(each(&excerpt, 100, FOUND.method(), |call| call.number));
    kept.sort_unstable();
    assert_eq!(kept, expected);
    assert_eq!(each(&excerpt, 100, OPENED.method(), |call| OPENED.of(call).unwrap().0), [16, 24]);
}

#[test]
fn closed_handles_do_not_pile_up() {
    let mut script = Script::new(1);
    script.device(1);
    script.device(2);
    for frame in 0..30 {
        let (fence, opened) = (10 + 2 * frame, 11 + 2 * frame);
        let name: Vec<u16> = format!("frame {frame}\0").encode_utf16().collect();
        shared_fence(&mut script, 1, fence);
        share(&mut script, 1, fence, &name, 8);
        find(&mut script, 2, &name, 12);
        open_shared(&mut script, 2, 12, opened);
        script.release(opened, 0);
        script.release(fence, 0);
    }
    let whole = script.trace();
    let last = whole.statistics().calls;
    for call in 3..=last {
        let kept = calls(&compared(&whole, call)).iter().filter(|(number, _)| *number < call).count();
        assert!(kept < 16, "{kept} calls are kept at call {call}");
    }
}
