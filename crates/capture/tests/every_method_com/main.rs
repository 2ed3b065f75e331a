//! The wrappers follow COM's rules: one script, run bare and captured on the null runtime, gives one transcript.
//!
//! The script goes over every class of the model: identity, every interface of the model and an unknown one, counts after every
//! step, private data, parents. A transcript has results, counts and, for each pointer, the earlier pointers that it equals;
//! addresses themselves differ.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, dead_code)]

#[path = "../every_method_calls/program.rs"]
mod program;
#[path = "../every_method/rings.rs"]
mod rings;

use core::ffi::c_void;
use program::{call, create_fence, object};
use reprise_d3d12::abi::Convention;
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::{MODEL, interface, method};
use rings::Rings;
use std::collections::BTreeSet;

const QUERY: MethodId = method("IUnknown", "QueryInterface");
const ADD: MethodId = method("IUnknown", "AddRef");
const RELEASE: MethodId = method("IUnknown", "Release");

/// The script's notes.
struct Transcript {
    convention: Convention,
    lines: Vec<String>,
    /// Pointers in order of appearance.
    seen: Vec<u64>,
}

impl Transcript {
    fn say(&mut self, line: String) {
        self.lines.push(line);
    }

    /// A pointer by its place among those seen.
    fn name(&mut self, pointer: u64) -> String {
        if pointer == 0 {
            return "null".into();
        }
        let at = self.seen.iter().position(|&p| p == pointer).unwrap_or_else(|| {
            self.seen.push(pointer);
            self.seen.len() - 1
        });
        format!("p{at}")
    }

    fn count(&mut self, this: *mut c_void) -> u64 {
        call(self.convention, this, ADD, &[]);
        call(self.convention, this, RELEASE, &[])
    }

    /// `QueryInterface`, the count after it, and the release of what came.
    fn query(&mut self, this: *mut c_void, what: &str, iid: &Guid) {
        let mut out: *mut c_void = core::ptr::dangling_mut();
        let result = call(self.convention, this, QUERY, &[core::ptr::from_ref(iid) as u64, &raw mut out as u64]);
        let name = self.name(out as u64);
        let count = self.count(this);
        self.say(format!("{what}: {result:#x} {name}, count {count}"));
        if !out.is_null() {
            // Symmetric, and one identity.
            let unknown = interface("IUnknown").get().iid;
            let mut identity: *mut c_void = core::ptr::null_mut();
            let back = call(self.convention, out, QUERY, &[&raw const unknown as u64, &raw mut identity as u64]);
            let name = self.name(identity as u64);
            self.say(format!("  back: {back:#x} {name}"));
            call(self.convention, identity, RELEASE, &[]);
            let left = call(self.convention, out, RELEASE, &[]);
            self.say(format!("  left {left}"));
        }
    }
}

/// The one interface that is for telling a wrapper from the runtime's own object (tests/identity.rs).
const OWN: &str = "ID3D12ExtDummyInterface";

/// Everything that an object of one class says.
fn class(transcript: &mut Transcript, class: InterfaceId, wrapped: bool) {
    let convention = transcript.convention;
    let this = object(convention, class.get().name, wrapped);
    let name = transcript.name(this as u64);
    let count = transcript.count(this);
    transcript.say(format!("== {} {name}, count {count}", class.get().name));
    for other in MODEL.interfaces.iter().filter(|other| other.name != OWN) {
        transcript.query(this, other.name, &other.iid);
    }
    transcript.query(this, "unknown", &Guid::from_u128(0x1234_5678_9abc_def0_1122_3344_5566_7788));
    let null = call(convention, this, QUERY, &[&raw const class.get().iid as u64, 0]);
    transcript.say(format!("query into null: {null:#x}"));
    let up: Vec<u64> = (0..3).map(|_| call(convention, this, ADD, &[])).collect();
    let down: Vec<u64> = (0..3).map(|_| call(convention, this, RELEASE, &[])).collect();
    transcript.say(format!("counts {up:?} {down:?}"));
    for base in ["ID3D12Object", "IDXGIObject"] {
        if class.derives_from(interface(base)) {
            private_data(transcript, this, base);
        }
    }
    let last = call(convention, this, RELEASE, &[]);
    transcript.say(format!("last {last}"));
}

fn private_data(transcript: &mut Transcript, this: *mut c_void, base: &str) {
    let convention = transcript.convention;
    let methods = ["GetPrivateData", "SetPrivateData", "SetPrivateDataInterface"].map(|name| {
        let family = interface(base);
        family.vtable().find(|m| m.get().name == name).unwrap()
    });
    let [get, set, set_interface] = methods;
    let guid = Guid::from_u128(77);
    let key = &raw const guid as u64;
    let read = |transcript: &mut Transcript, what: &str, room: u32| {
        let (mut size, mut bytes) = (room, [0u8; 64]);
        let result = call(convention, this, get, &[key, &raw mut size as u64, bytes.as_mut_ptr() as u64]);
        let object = u64::from_le_bytes(bytes[..8].try_into().unwrap());
        let known = transcript.seen.iter().position(|&p| p == object);
        let shown = known.map_or(format!("{:?}", &bytes[..12]), |p| format!("p{p}"));
        transcript.say(format!("{what}: {result:#x} size {size} {shown}"));
        (result, object, known.is_some())
    };
    read(transcript, "none", 64);
    let data = [1u8, 2, 3, 4, 5];
    let result = call(convention, this, set, &[key, 5, data.as_ptr() as u64]);
    transcript.say(format!("set {result:#x}"));
    read(transcript, "bytes", 64);
    read(transcript, "too small", 3);
    let mut size = 0u32;
    let result = call(convention, this, get, &[key, &raw mut size as u64, 0]);
    transcript.say(format!("size only: {result:#x} {size}"));
    // An object as private data is held, and comes back as the pointer that was stored, with a reference.
    let held = create_fence(convention, object_for_fences(transcript), 3).1;
    let name = transcript.name(held as u64);
    let before = transcript.count(held);
    let result = call(convention, this, set_interface, &[key, held as u64]);
    let after = transcript.count(held);
    transcript.say(format!("hold {name}: {result:#x} {before} {after}"));
    let (result, object, known) = read(transcript, "object", 64);
    if result == 0 && known && object != 0 {
        let count = transcript.count(held);
        let left = call(convention, object as *mut c_void, RELEASE, &[]);
        transcript.say(format!("got it: {count} {left}"));
    }
    let result = call(convention, this, set, &[key, 0, 0]);
    let count = transcript.count(held);
    transcript.say(format!("let go: {result:#x} {count}"));
    let left = call(convention, held, RELEASE, &[]);
    transcript.say(format!("gone: {left}"));
}

thread_local! {
    static DEVICE: core::cell::Cell<*mut c_void> = const { core::cell::Cell::new(core::ptr::null_mut()) };
}

fn object_for_fences(_: &Transcript) -> *mut c_void {
    DEVICE.get()
}

fn script(convention: Convention, wrapped: bool) -> Vec<String> {
    let mut transcript = Transcript { convention, lines: Vec::new(), seen: Vec::new() };
    DEVICE.set(object(convention, "ID3D12Device", wrapped));
    let families: BTreeSet<InterfaceId> = MODEL.interfaces.iter().map(|i| i.family).collect();
    for family in families {
        if family.derives_from(interface("IUnknown")) && family != interface(OWN) {
            // Pointers are named within one object's life: addresses come again after it.
            transcript.seen.clear();
            class(&mut transcript, family, wrapped);
        }
    }
    parents(&mut transcript);
    transcript.lines
}

/// Children give their device back, one pointer for it, and hold it.
fn parents(transcript: &mut Transcript) {
    let convention = transcript.convention;
    transcript.seen.clear();
    let device = DEVICE.get();
    let name = transcript.name(device as u64);
    let before = transcript.count(device);
    let (result, fence) = create_fence(convention, device, 9);
    let after = transcript.count(device);
    transcript.say(format!("{name}: fence {result:#x}, device counts {before} {after}"));
    let get_device = method("ID3D12DeviceChild", "GetDevice");
    for asked in ["ID3D12Device", "ID3D12Device5", "ID3D12Object", "IUnknown", "ID3D12Fence"] {
        let iid = interface(asked).get().iid;
        let mut out: *mut c_void = core::ptr::null_mut();
        let result = call(convention, fence, get_device, &[&raw const iid as u64, &raw mut out as u64]);
        let name = transcript.name(out as u64);
        let count = transcript.count(device);
        transcript.say(format!("parent as {asked}: {result:#x} {name}, count {count}"));
        if !out.is_null() {
            call(convention, out, RELEASE, &[]);
        }
    }
    let completed = call(convention, fence, method("ID3D12Fence", "GetCompletedValue"), &[]);
    let left = call(convention, fence, RELEASE, &[]);
    let last = call(convention, device, RELEASE, &[]);
    transcript.say(format!("value {completed}, left {left}, device {last}"));
}

#[test]
fn one_transcript_bare_and_captured() {
    reprise_null::control::set_logging(false);
    let mut rings = Rings::start("every-method-com");
    for convention in [Convention::Win64, Convention::SystemV, Convention::Itanium] {
        let alive = reprise_null::live();
        let bare = script(convention, false);
        assert_eq!(reprise_null::live(), alive, "the script gives back all it was given");
        assert!(rings.take().is_empty(), "nothing of the bare script is recorded");
        let captured = script(convention, true);
        assert!(rings.take().len() > bare.len(), "the captured script was recorded");
        assert_eq!(reprise_null::live(), alive, "capture keeps nothing alive");
        for (number, (bare, captured)) in bare.iter().zip(&captured).enumerate() {
            assert_eq!(bare, captured, "line {number} of the transcript ({convention:?})");
        }
        assert_eq!(bare.len(), captured.len());
        println!("{convention:?}: {} lines agree", bare.len());
    }
}
