//! Hand-made traces: calls as a program would make them, with ids in place of object pointers.
//!
//! The codec's encoder makes the payloads from the memory of these calls. The trace crate's own writer makes the file, so a
//! walk reads the same kind of file as a capture leaves.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // Not every test uses all of it.

use reprise_codec::outputs::Before;
use reprise_codec::{BlobSink, Codec, Objects, Wide};
use reprise_d3d12::model::{InterfaceId, MethodId, Order};
use reprise_d3d12::types::*;
use reprise_d3d12::{MODEL, function, interface, method};
use reprise_timeline::walk::Pass;
use reprise_timeline::{State, Walk, walk};
use reprise_trace::fact;
use reprise_trace::layout::FileHeader;
use reprise_trace::read::Trace;
use reprise_trace::record::{Header, Kind, LEAVES, Record, SEQUENCE};
use reprise_trace::trace_writer::{Progress, TraceWriter};

/// A trace under construction.
pub struct Script {
    codec: Codec,
    file: TraceWriter<Vec<u8>>,
    /// The thread that makes the next call.
    pub thread: usize,
    sequence: u64,
    calls: u64,
    blobs: u32,
    open: Vec<u64>,
}

struct Ids;

impl Objects for Ids {
    fn id_of(&self, pointer: u64) -> u64 {
        pointer
    }

    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

/// Numbers the blobs of a payload and keeps their bytes.
struct Kept(u32, Vec<(u32, Vec<u8>)>);

impl BlobSink for Kept {
    fn blob(&mut self, bytes: &[u8]) -> u32 {
        self.1.push((self.0, bytes.to_vec()));
        self.0 += 1;
        self.0 - 1
    }
}

pub fn pointer<T>(value: &T) -> u64 {
    std::ptr::from_ref(value) as u64
}

pub fn iid(id: InterfaceId) -> u64 {
    pointer(&id.get().iid)
}

impl Script {
    pub fn new(threads: usize) -> Script {
        let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
        (0..threads).for_each(|thread| _ = file.add_thread(thread as u32, thread as u64 + 1, ""));
        let codec = Codec::new(MODEL, Wide::Bits16);
        Script { codec, file, thread: 0, sequence: 0, calls: 0, blobs: 0, open: Vec::new() }
    }

    fn record(&mut self, kind: Kind, flags: u8, method: u16, object: u32, ordinal: u32, payload: &[u8]) {
        let words = u32::from(flags & SEQUENCE != 0) * 8;
        let padded = payload.len().next_multiple_of(8);
        let size = 16 + words + padded as u32;
        let mut bytes = Header { size, method, kind: kind as u8, flags, object, ordinal }.to_bytes().to_vec();
        if words > 0 {
            self.sequence += 1;
            bytes.extend(self.sequence.to_le_bytes());
        }
        bytes.extend(payload);
        bytes.resize(size as usize, 0);
        let record = Record::parse(&bytes).unwrap();
        match kind {
            Kind::Blob => self.file.prefix(self.thread, &record),
            _ => self.file.record(self.thread, &record, false),
        }
    }

    fn put_blobs(&mut self, kept: Kept) {
        self.blobs = kept.0;
        for (number, bytes) in kept.1 {
            let mut payload = (bytes.len() as u64).to_le_bytes().to_vec();
            payload.extend(0_u64.to_le_bytes());
            payload.extend(bytes);
            self.record(Kind::Blob, 0, 0, 0, number, &payload);
        }
    }

    /// Enter and, where the method has one, leave. Outputs behind the words already hold what the call "gave".
    pub fn call(&mut self, object: u32, method: MethodId, words: &[u64], result: u64) -> u64 {
        let number = self.enter(object, method, words);
        if method.get().order == Order::EnterLeave {
            self.leave(method, words, result);
        }
        number
    }

    pub fn enter(&mut self, object: u32, method: MethodId, words: &[u64]) -> u64 {
        self.calls += 1;
        let (mut payload, mut kept) = (Vec::new(), Kept(self.blobs, Vec::new()));
        // SAFETY: tests pass valid arguments, but for object pointers, which the codec does not look through.
        unsafe { self.codec.encode_enter(method, words, &Ids, &mut payload, &mut kept) };
        self.put_blobs(kept);
        let flags = if method.get().order == Order::EnterLeave { SEQUENCE | LEAVES } else { SEQUENCE };
        self.record(Kind::Enter, flags, method.0, object, 0, &payload);
        self.calls
    }

    pub fn leave(&mut self, method: MethodId, words: &[u64], result: u64) {
        let (mut payload, mut kept) = (Vec::new(), Kept(self.blobs, Vec::new()));
        // SAFETY: as for the enter, and outputs are there.
        unsafe {
            self.codec.encode_leave(method, words, result, &Before::default(), &Ids, &mut payload, &mut kept);
        }
        self.put_blobs(kept);
        self.record(Kind::Leave, SEQUENCE, method.0, 0, 0, &payload);
    }

    pub fn fact(&mut self, object: u32, kind: u32, words: &[u64]) {
        let mut payload = u64::from(kind).to_le_bytes().to_vec();
        words.iter().for_each(|word| payload.extend(word.to_le_bytes()));
        self.record(Kind::Fact, SEQUENCE, 0, object, 0, &payload);
    }

    pub fn memory(&mut self, object: u32, subresource: u32, offset: u64, bytes: &[u8]) {
        let mut payload = offset.to_le_bytes().to_vec();
        payload.extend((bytes.len() as u64).to_le_bytes());
        payload.extend(bytes);
        self.record(Kind::Memory, SEQUENCE, 0, object, subresource, &payload);
    }

    pub fn observe(&mut self, fence: u32, value: u64) {
        self.record(Kind::Observe, SEQUENCE, 0, fence, 0, &value.to_le_bytes());
    }

    pub fn frame(&mut self) {
        self.record(Kind::Frame, SEQUENCE, 0, 0, 0, &1_u64.to_le_bytes());
    }

    /// So many calls that the program makes now are left out.
    pub fn leave_out(&mut self, calls: u64) {
        self.calls += calls;
        assert_eq!(self.file.leave_out(self.thread, calls, 0), 0);
    }

    /// The recording ends while these calls run.
    pub fn ends_within(&mut self, calls: &[u64]) {
        self.open = calls.to_vec();
    }

    pub fn trace(self) -> Trace {
        Trace::from_bytes(self.bytes()).unwrap()
    }

    /// The file.
    pub fn bytes(mut self) -> Vec<u8> {
        self.file.flush(true, |_| Progress::default()).unwrap();
        self.file.finish(self.open, |_| Progress::default(), &|_| Vec::new()).unwrap().0
    }

    /// Writes what is there as a chunk of its own.
    pub fn chunk(&mut self) {
        self.file.flush(true, |_| Progress::default()).unwrap();
    }

    /// A creation: `words` without the interface id and the output, which come last.
    pub fn create(&mut self, object: u32, method: MethodId, words: &[u64], class: InterfaceId, id: u32) -> u64 {
        let slot = u64::from(id);
        let words: Vec<u64> = words.iter().copied().chain([iid(class), pointer(&slot)]).collect();
        self.call(object, method, &words, 0)
    }

    pub fn device(&mut self, id: u32) -> u64 {
        self.create(0, function("D3D12CreateDevice"), &[0, 0xb000], interface("ID3D12Device"), id)
    }

    pub fn heap(&mut self, device: u32, id: u32, bytes: u64) -> u64 {
        let desc = D3D12_HEAP_DESC { SizeInBytes: bytes, ..Default::default() };
        self.create(device, method("ID3D12Device", "CreateHeap"), &[pointer(&desc)], interface("ID3D12Heap"), id)
    }

    pub fn placed(&mut self, device: u32, heap: u32, offset: u64, desc: &D3D12_RESOURCE_DESC, id: u32) -> u64 {
        let words = [u64::from(heap), offset, pointer(desc), 0, 0];
        let create = method("ID3D12Device", "CreatePlacedResource");
        self.create(device, create, &words, interface("ID3D12Resource"), id)
    }

    pub fn reserved(&mut self, device: u32, desc: &D3D12_RESOURCE_DESC, id: u32) -> u64 {
        let create = method("ID3D12Device", "CreateReservedResource");
        self.create(device, create, &[pointer(desc), 0, 0], interface("ID3D12Resource"), id)
    }

    pub fn descriptors(&mut self, device: u32, kind: D3D12_DESCRIPTOR_HEAP_TYPE, count: u32, cpu: u64, id: u32) -> u64 {
        let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: count, ..Default::default() };
        let create = method("ID3D12Device", "CreateDescriptorHeap");
        let class = interface("ID3D12DescriptorHeap");
        let slot = u64::from(id);
        let words = [pointer(&desc), iid(class), pointer(&slot)];
        let number = self.enter(device, create, &words);
        // The capture layer states where the heap lies before the call returns.
        self.fact(id, fact::DESCRIPTOR_HEAP, &[cpu, cpu << 8, INCREMENT | u64::from(count) << 32]);
        self.leave(create, &words, 0);
        number
    }

    pub fn release(&mut self, object: u32, left: u64) -> u64 {
        self.call(object, method("IUnknown", "Release"), &[], left)
    }
}

/// Bytes between the descriptors of a script's heaps.
pub const INCREMENT: u64 = 32;

/// The state at the end of a trace.
pub fn state(trace: &Trace) -> State {
    let mut state = State::default();
    walk(trace, &mut [&mut state]).unwrap();
    state
}

/// The state before a call.
pub fn state_before(trace: &Trace, call: u64) -> State {
    let mut state = State::default();
    let passes: &mut [&mut dyn Pass] = &mut [&mut state];
    Walk::new(passes).run(&mut trace.events(), call, passes).unwrap();
    state
}
