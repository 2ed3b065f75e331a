//! What the wrappers write, record by record, against the codec called directly and against the hand-made runtime's log.
#![allow(clippy::unwrap_used, clippy::undocumented_unsafe_blocks, missing_docs)]

mod fake;

use core::ffi::c_void;
use fake::{Object, Read, Recording, add_ref, call, query, release};
use reprise_capture::{Convention, entry};
use reprise_codec::fabricate::Random;
use reprise_codec::{Arena, BlobSink, Codec, Objects, Wide};
use reprise_d3d12::model::{InterfaceId, MethodId, Order, Type};
use reprise_d3d12::{MODEL, abi, function, interface, method};
use reprise_trace::record::{Kind, ORDERED, SEQUENCE};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

const ALL: [Convention; 3] = [Convention::Win64, Convention::SystemV, Convention::Itanium];

struct View;

impl Objects for View {
    fn id_of(&self, pointer: u64) -> u64 {
        unsafe { entry::object_id(pointer as *mut c_void) }.into()
    }
    fn real_of(&self, pointer: u64) -> u64 {
        unsafe { entry::unwrap(pointer as *mut c_void) as u64 }
    }
}

#[derive(Default)]
struct Blobs(Vec<Vec<u8>>, u32);

impl BlobSink for Blobs {
    fn blob(&mut self, bytes: &[u8]) -> u32 {
        self.0.push(bytes.to_vec());
        self.1 += 1;
        self.1
    }
}

fn kind(read: &Read) -> Kind {
    Kind::from_u8(read.kind).unwrap()
}

/// Methods whose calls the wrappers answer or change on purpose; other tests look at them.
fn special(method: MethodId) -> bool {
    let row = method.get();
    let owner = row.interface.map_or("", |id| id.get().name);
    owner == "IUnknown"
        || ["GetPrivateData", "SetPrivateDataInterface", "RegisterMessageCallback", "RegisterDestructionCallback"]
            .contains(&row.name)
        || row.name == "Map"
}

#[test]
fn every_methods_enter_record_is_the_codecs() {
    let recording = Recording::begin();
    let codec = Codec::new(MODEL, Wide::Bits32);
    let (mut compared, mut blobs_written, mut sequences) = (0, 0, Vec::<u64>::new());
    for convention in ALL {
        let mut made: HashMap<u16, (*mut Object, *mut c_void)> = HashMap::new();
        let mut object = |id: InterfaceId| {
            *made.entry(id.family().0).or_insert_with(|| {
                let object = Object::make(convention, &[id.get().name]);
                let wrapper = unsafe { entry::attach((*object).face(0), id, convention) };
                (object, wrapper)
            })
        };
        for index in 0..MODEL.methods.len() {
            let id = MethodId(index as u16);
            let Some(owner) = id.get().interface.filter(|_| !special(id)) else { continue };
            for seed in 0..3 {
                let mut arena = Arena::new();
                let mut random = Random::new(seed * 10_000 + index as u64);
                let words = codec.fabricate(id, &mut random, &mut |class| object(class).1 as u64, &mut arena);
                let (real, wrapper) = object(owner);
                sequences.extend(recording.take(0).iter().map(|r| r.sequence));
                let (mut expected, mut blobs) = (Vec::new(), Blobs(Vec::new(), blobs_written));
                unsafe { codec.encode_enter(id, &words, &View, &mut expected, &mut blobs) };
                if expected.len() + blobs.0.iter().map(Vec::len).sum::<usize>() > 3 << 20 {
                    // More than the ring holds, and nobody drains it here: structures in structures, made by chance.
                    continue;
                }
                let slot = unsafe { *(*wrapper.cast::<*const *const c_void>()).add(id.get().slot as usize) };
                unsafe { abi::call(convention, slot, Some(wrapper), &words, id.get()) };
                let records = recording.take(0);
                sequences.extend(records.iter().map(|r| r.sequence));
                let name = format!("{}::{} seed {seed} {convention:?}", owner.get().name, id.get().name);

                blobs_written = blobs.1;
                let parts = records.iter().filter(|r| kind(r) == Kind::Part).flat_map(|r| r.payload.iter().copied());
                let mut enter = records.iter().find(|r| kind(r) == Kind::Enter).expect(&name).clone();
                // Long payloads begin in records of their own.
                enter.payload.splice(..0, parts);
                if convention == Convention::Itanium && abi::returned(id.get()) == abi::Returned::Registers {
                    // The program has no place for the structure: the record names the thunk's.
                    enter.payload[..8].copy_from_slice(&expected[..8]);
                }
                assert_eq!(enter.payload, expected, "{name}");
                assert_eq!(enter.method, id.0, "{name}");
                assert_eq!(enter.object, unsafe { entry::object_id(wrapper) }, "{name}");
                let written: Vec<&Read> = records.iter().filter(|r| kind(r) == Kind::Blob).collect();
                // Blobs of the leave record follow those of the enter record.
                for (blob, bytes) in written.iter().zip(&blobs.0) {
                    assert_eq!(&blob.payload[16..16 + bytes.len()], bytes, "{name}");
                }
                blobs_written += written.len() as u32 - blobs.0.len() as u32;
                match id.get().order {
                    Order::Object => assert!(enter.flags & ORDERED != 0 && enter.flags & SEQUENCE == 0, "{name}"),
                    _ => assert!(enter.flags & SEQUENCE != 0, "{name}"),
                }
                let leaves = records.iter().filter(|r| kind(r) == Kind::Leave).count();
                assert_eq!(leaves, usize::from(id.get().order == Order::EnterLeave), "{name}");

                // The runtime got what the program passed, objects replaced.
                let calls = std::mem::take(&mut *unsafe { &*real }.calls.lock().unwrap());
                let Some((_, got)) = calls.iter().find(|(called, _)| *called == id.0) else {
                    panic!("{name}: the runtime was not called: {calls:?}")
                };
                for (at, field) in id.get().params.iter().enumerate() {
                    match field.ty {
                        Type::Object(_) => assert_eq!(got[at], View.real_of(words[at]), "{name} {}", field.name),
                        Type::Pointer(_) => assert_eq!(got[at] == 0, words[at] == 0, "{name} {}", field.name),
                        ty if ty.size(MODEL.structs) > 8 => {}
                        _ => assert_eq!(got[at], words[at], "{name} {}", field.name),
                    }
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 4000, "{compared}");
    sequences.retain(|sequence| *sequence != 0);
    assert!(sequences.windows(2).all(|pair| pair[1] == pair[0] + 1), "sequence numbers are dense");
}

#[test]
fn the_calls_of_a_list_are_numbered_by_the_list() {
    let recording = Recording::begin();
    let convention = Convention::SystemV;
    let real = Object::make(convention, &["ID3D12GraphicsCommandList"]);
    let other = Object::make(convention, &["ID3D12Device"]);
    unsafe {
        let list = entry::attach((*real).face(0), interface("ID3D12GraphicsCommandList"), convention);
        let device = entry::attach((*other).face(0), interface("ID3D12Device"), convention);
        let slot = |name| method("ID3D12GraphicsCommandList", name).get().slot as usize;
        call(convention, list, slot("DrawInstanced"), &[3, 1, 0, 0]);
        call(convention, list, slot("SetPipelineState"), &[0]);
        call(convention, device, method("ID3D12Device", "CopyDescriptorsSimple").get().slot as usize, &[1, 2, 3, 0]);
        add_ref(convention, list);
        call(convention, list, slot("Close"), &[]);
        call(convention, list, slot("DrawInstanced"), &[3, 1, 0, 0]);
    }
    let entered: Vec<(&str, bool, bool, u32)> = (recording.ring(0).iter())
        .filter(|r| kind(r) == Kind::Enter)
        .map(|r| (MethodId(r.method).get().name, r.flags & SEQUENCE != 0, r.flags & ORDERED != 0, r.ordinal))
        .collect();
    let expected = [
        ("DrawInstanced", false, true, 0),
        ("SetPipelineState", false, true, 1),
        ("CopyDescriptorsSimple", true, false, 0),
        ("AddRef", true, false, 0),
        ("Close", true, true, 2),
        ("DrawInstanced", false, true, 3),
    ];
    assert_eq!(entered, expected);
}

static INNER: AtomicU32 = AtomicU32::new(0);

/// An exported function whose library calls another one of its own exports.
unsafe extern "sysv64" fn calls_itself(_: u64, _: u64, _: u64, _: u64) -> u64 {
    if INNER.fetch_add(1, Ordering::Relaxed) == 0 {
        let words = [0, 0, 0, 0];
        unsafe {
            entry::call_function(Convention::SystemV, SERIALIZE, calls_itself as *const c_void, &words);
        }
    }
    0
}

const SERIALIZE: MethodId = function("D3D12SerializeRootSignature");

#[test]
fn calls_from_inside_the_runtime_pass_unrecorded() {
    let recording = Recording::begin();
    INNER.store(0, Ordering::Relaxed);
    unsafe { entry::call_function(Convention::SystemV, SERIALIZE, calls_itself as *const c_void, &[0, 0, 0, 0]) };
    assert_eq!(INNER.load(Ordering::Relaxed), 2);
    let kinds: Vec<Kind> = recording.ring(0).iter().map(kind).collect();
    assert_eq!(kinds, [Kind::Enter, Kind::Leave]);
    assert!(!entry::inside());
}

#[test]
fn moved_fences_stand_before_the_reset() {
    let recording = Recording::begin();
    let convention = Convention::Win64;
    let real = Object::make(convention, &["ID3D12Fence"]);
    let allocator = Object::make(convention, &["ID3D12CommandAllocator"]);
    unsafe {
        let fence = entry::attach((*real).face(0), interface("ID3D12Fence"), convention);
        let allocator = entry::attach((*allocator).face(0), interface("ID3D12CommandAllocator"), convention);
        let reset = method("ID3D12CommandAllocator", "Reset").get().slot as usize;
        *(*real).answer.lock().unwrap() = 5;
        call(convention, allocator, reset, &[]);
        call(convention, allocator, reset, &[]);
        *(*real).answer.lock().unwrap() = 6;
        call(convention, allocator, reset, &[]);
        let id = entry::object_id(fence);
        let seen: Vec<(Kind, u64)> = (recording.ring(0).iter())
            .filter(|r| kind(r) == Kind::Enter || kind(r) == Kind::Observe && r.object == id)
            .map(|r| (kind(r), r.payload.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes))))
            .collect();
        let expected = [(Kind::Observe, 5), (Kind::Enter, 0), (Kind::Enter, 0), (Kind::Observe, 6), (Kind::Enter, 0)];
        assert_eq!(seen, expected);
        // A fence that is gone is not asked any more.
        assert_eq!(release(convention, fence), 0);
        *(*real).answer.lock().unwrap() = 7;
        call(convention, allocator, reset, &[]);
        assert!(recording.ring(0).iter().all(|r| kind(r) != Kind::Observe || r.payload[0] != 7));
    }
}

#[test]
fn an_unknown_interface_is_named() {
    let recording = Recording::begin();
    let convention = Convention::SystemV;
    let real = Object::make(convention, &["ID3D12Resource"]);
    unsafe {
        (*real).add_face(None);
        let wrapper = entry::attach((*real).face(0), interface("ID3D12Resource"), convention);
        query(convention, wrapper, &fake::UNKNOWN);
        let records = recording.ring(0);
        let gap = records.iter().find(|r| kind(r) == Kind::Gap).unwrap();
        assert_eq!(gap.object, entry::object_id(wrapper));
        assert!(String::from_utf8_lossy(&gap.payload[8..]).contains("deadbeef-0001-0002"));
    }
}

#[test]
fn each_thread_has_its_ring_and_closes_it() {
    let recording = Recording::begin();
    let convention = Convention::SystemV;
    let real = Object::make(convention, &["ID3D12GraphicsCommandList"]);
    let list = unsafe { entry::attach((*real).face(0), interface("ID3D12GraphicsCommandList"), convention) } as usize;
    let draw = method("ID3D12GraphicsCommandList", "DrawInstanced").get().slot as usize;
    for number in 0..3u64 {
        std::thread::spawn(move || {
            for _ in 0..10 {
                unsafe { call(convention, list as *mut c_void, draw, &[number, 1, 0, 0]) };
            }
        })
        .join()
        .unwrap();
    }
    assert_eq!(recording.rings(), 3);
    for index in 0..3 {
        let records = recording.ring(index);
        assert_eq!(records.len(), 10);
        for (at, record) in records.iter().enumerate() {
            assert_eq!(record.ordinal, index * 10 + at as u32);
            assert_eq!(record.payload[0], index as u8);
        }
        assert!(recording.closed(index));
    }
}

#[test]
fn presents_end_frames_unless_they_only_test() {
    let recording = Recording::begin();
    let convention = Convention::SystemV;
    let chain = Object::make(convention, &["IDXGISwapChain1"]);
    let contract = Object::make(convention, &["ID3D12SharingContract"]);
    unsafe {
        let chain = entry::attach((*chain).face(0), interface("IDXGISwapChain1"), convention);
        let contract = entry::attach((*contract).face(0), interface("ID3D12SharingContract"), convention);
        let slot = method("IDXGISwapChain", "Present").get().slot as usize;
        call(convention, chain, slot, &[1, 0]);
        call(convention, chain, slot, &[0, 1]);
        call(convention, contract, method("ID3D12SharingContract", "Present").get().slot as usize, &[0, 0, 0]);
    }
    let kinds: Vec<Kind> = recording.ring(0).iter().map(kind).filter(|kind| *kind != Kind::Leave).collect();
    assert_eq!(kinds, [Kind::Enter, Kind::Frame, Kind::Enter, Kind::Enter, Kind::Frame]);
}
