//! `golden_session KIND FOLDER`: leaves a session folder that `reprise write` makes a golden trace of (`cargo xtask golden`).
//!
//! It makes what no program on a runtime of today makes in a few kilobytes:
//! - `methods-win64`, `methods-sysv`: every method of the model once, through the wrappers, on the null runtime;
//! - `interface`: a question for an interface that the wrappers do not know, which leaves a gap;
//! - `facts`: a fact of every number, a gap of every reason, and every other kind of record, written without a program.
#![allow(clippy::unwrap_used, missing_docs)]

#[path = "../tests/fake/mod.rs"]
mod fake;

use core::ffi::c_void;
use reprise_capture::{entry, session};
use reprise_codec::fabricate::Random;
use reprise_codec::{Arena, Codec, Wide};
use reprise_d3d12::abi::{self, Convention, Itanium, SystemV, Thunks, Win64};
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::{MODEL, interface};
use reprise_null as null;
use reprise_trace::fact;
use reprise_trace::record::{GapReason, Kind, SEQUENCE};
use reprise_trace::session::{Config, Session};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// What the null runtime makes is real: a made-up event would be a file of somebody's.
const EVENTS: [&str; 3] = ["vkd3d_signal_event", "vkd3d_wait_event", "vkd3d_destroy_event"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder] = arguments.as_slice() else { panic!("usage: golden_session KIND FOLDER") };
    // Nobody empties the rings meanwhile: all of it has to have room.
    let config = Config { ring_capacity: 16 << 20, description: "{}".into(), ..Config::default() };
    let made = Session::create(Path::new(folder), &config).unwrap();
    match kind.as_str() {
        "facts" => return facts(&made),
        _ => session::begin(made),
    }
    match kind.as_str() {
        "methods-win64" => methods(Convention::Win64),
        "methods-sysv" => methods(Convention::SystemV),
        "interface" => unknown_interface(),
        other => panic!("there is no kind {other}"),
    }
}

/// Every method of every interface family, and every function, once, with random arguments that are well-formed.
fn methods(convention: Convention) {
    let codec = Codec::new(MODEL, Wide::Bits16);
    reprise_capture::set_wide(Wide::Bits16);
    null::set_wide(2);
    null::control::set_logging(false);
    let mut pool: HashMap<InterfaceId, u64> = HashMap::new();
    let mut get = |interface: InterfaceId| {
        *pool.entry(interface).or_insert_with(|| {
            let real = null::new_object(convention, interface);
            // SAFETY: `new_object` made it just now, with this interface, and its one reference goes to the wrapper.
            unsafe { entry::attach(real, interface, convention) as u64 }
        })
    };
    let families: BTreeSet<InterfaceId> = MODEL.interfaces.iter().map(|i| i.family).collect();
    let of_objects = families.iter().flat_map(|family| family.vtable().map(|id| (Some(*family), id)));
    let functions = (0..MODEL.methods.len() as u16).map(MethodId).filter(|id| id.get().interface.is_none());
    let calls: Vec<_> = of_objects.chain(functions.map(|id| (None, id))).collect();
    let mut done = BTreeSet::new();
    for (family, id) in calls {
        let model = id.get();
        // `IUnknown` belongs to every family: its methods are called when the objects go.
        let identity = model.interface.is_some_and(|interface| interface.get().name == "IUnknown");
        if identity || EVENTS.contains(&model.name) || !done.insert(id.0) {
            continue;
        }
        let mut arena = Arena::new();
        let this = family.map_or(0, &mut get);
        let words = codec.fabricate(id, &mut Random::new(u64::from(id.0)), &mut get, &mut arena);
        // SAFETY: a wrapper lives as long as the process and has this slot; a function is the null runtime's own; the arguments
        // live in the arena.
        unsafe {
            if family.is_some() {
                let slot = *(*(this as *const *const *const c_void)).add(model.slot as usize);
                abi::call(convention, slot, Some(this as *mut c_void), &words, model);
            } else {
                let function = match convention {
                    Convention::Win64 => <Win64 as Thunks<null::Null>>::ALL[id.0 as usize],
                    Convention::SystemV => <SystemV as Thunks<null::Null>>::ALL[id.0 as usize],
                    Convention::Itanium => <Itanium as Thunks<null::Null>>::ALL[id.0 as usize],
                };
                entry::call_function(convention, id, function, &words);
            }
        }
    }
    println!("{} methods", done.len());
}

fn unknown_interface() {
    let convention = Convention::SystemV;
    let real = fake::Object::make(convention, &["ID3D12Resource"]);
    // SAFETY: an object that lives as long as the process, with a face for what is asked; its reference goes to the wrapper.
    unsafe {
        (*real).add_face(None);
        let wrapper = entry::attach((*real).face(0), interface("ID3D12Resource"), convention);
        fake::query(convention, wrapper, &fake::UNKNOWN);
    }
}

/// Records of every kind and number, as a capture layer could have written them. Text is padded to 8 bytes by the ring.
fn facts(session: &Session) {
    let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let halves = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let mut ring = session.create_ring("writer of facts").unwrap();
    let mut fact = |object: u32, number: u32, bytes: &[u8]| {
        assert!(ring.record(Kind::Fact, 0, SEQUENCE, object, 0, &[&halves(&[number, 0]), bytes]));
    };
    fact(0, fact::META, br#"{"adapter":"none","runtime":"none"}"#);
    fact(2, fact::ADDRESS_RANGE, &words(&[0x10_0000, 0x1_0000]));
    fact(2, fact::CAPTURE_ADDRESS, &[words(&[0x20_0000, 0x1_0000]), b"abcdefgh".to_vec()].concat());
    fact(3, fact::DESCRIPTOR_HEAP, &[words(&[0x30_0000, 0x40_0000]), halves(&[32, 16])].concat());
    fact(2, fact::MAPPING_MODE, br#"{"mode":"compare","because":"nothing else"}"#);
    fact(4, fact::ALLOCATION, &words(&[0x1_0000, 0x1_0000]));
    fact(5, fact::PRESENT, &halves(&[64, 32, 87, 1]));
    fact(5, fact::FRAME_HASH, &[halves(&[64, 32, 87, 0]), (0..16).collect()].concat());
    fact(0, fact::THREAD_NAME, b"a thread");
    fact(0, fact::EVENT, &words(&[12, 1]));
    fact(1, fact::DEVICE, &[words(&[0x1234_5678]), halves(&[1, 32, 16, 8, 4, 0])].concat());
    fact(1, fact::FEATURE, &[halves(&[7, 4]), halves(&[0x66, 0])].concat());
    fact(2, fact::MAPPING, &[words(&[0x7000_0000, 0x1_0000]), halves(&[0, 2])].concat());
    fact(0, fact::WANTED, &halves(&[1, 0]));
    ring.record(Kind::Memory, 0, SEQUENCE, 2, 0, &[&words(&[16, 24]), &[7; 24]]);
    // The GPU wrote these: two whole pages, and bytes around them.
    ring.record(Kind::Memory, 1, SEQUENCE, 2, 0, &[&words(&[4088, 8208]), &[9; 8208]]);
    ring.record(Kind::Observe, 0, SEQUENCE, 6, 0, &[&words(&[77])]);
    for reason in GapReason::Capture as u32..=GapReason::Unfinished as u32 {
        ring.record(Kind::Gap, 0, SEQUENCE, 0, 0, &[&halves(&[reason, 0]), b"a gap"]);
    }
    ring.record(Kind::Frame, 0, SEQUENCE, 0, 0, &[&halves(&[1, 0])]);
    let size = reprise_trace::wanted_frames::StopReason::Size as u32;
    ring.record(Kind::Fact, 0, SEQUENCE, 0, 0, &[&halves(&[fact::STOP, 0, size, 0])]);
    drop(ring);
    session.close();
}
