//! Takes records straight from the rings of this process: what the writer would see, call by call.

#![allow(dead_code)] // Three tests share this, and none looks at everything.

use reprise_trace::record::{Kind, Record};
use reprise_trace::ring::Consumer;
use reprise_trace::session::{Config, Session};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// A record with its payload whole.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub kind: Kind,
    pub flags: u8,
    pub method: u16,
    pub object: u32,
    pub sequence: u64,
    pub payload: Vec<u8>,
    /// Number of the ring it came from.
    pub ring: u32,
    /// Where the record ends in its ring.
    pub end: u64,
}

/// The reading end of a session. A thread of its own empties the rings, so that no call waits for room.
pub struct Rings {
    inner: Arc<Mutex<Inner>>,
    stop: Arc<AtomicBool>,
    drain: Option<JoinHandle<()>>,
    /// Blobs of the recording thread, by number.
    pub blobs: BTreeMap<u32, Vec<u8>>,
    _place: TempDir,
}

struct Inner {
    session: Session,
    rings: Vec<(Consumer, u64)>,
    parts: Vec<u8>,
    blobs: BTreeMap<u32, Vec<u8>>,
    records: Vec<Recorded>,
}

impl Rings {
    /// Starts recording this process.
    pub fn start(name: &str) -> Self {
        let place = TempDir::with_prefix(format!("reprise-{name}-")).unwrap();
        let folder = place.path().join("test.rings");
        let config = Config { ring_capacity: 16 << 20, ..Config::default() };
        let session = Session::create(&folder, &config).unwrap();
        reprise_capture::session::begin(session);
        Self::open(place, "test.rings")
    }

    /// Opens the session of this name in a folder, which goes in the end.
    pub fn open(place: TempDir, name: &str) -> Self {
        let session = Session::open(&place.path().join(name)).unwrap();
        let (rings, parts, records) = (Vec::new(), Vec::new(), Vec::new());
        let inner = Arc::new(Mutex::new(Inner { session, rings, parts, blobs: BTreeMap::new(), records }));
        let stop = Arc::new(AtomicBool::new(false));
        let (work, stopped) = (Arc::clone(&inner), Arc::clone(&stop));
        let drain = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                work.lock().unwrap().drain();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        });
        Self { inner, stop, drain: Some(drain), blobs: BTreeMap::new(), _place: place }
    }

    /// The position behind the light call that the thread of a ring is in; 0 for none.
    pub fn in_call(&self, ring: u32) -> u64 {
        self.inner.lock().unwrap().rings[ring as usize].0.in_call()
    }

    /// By ring: records that could not be written.
    pub fn lost(&self) -> Vec<u64> {
        self.inner.lock().unwrap().rings.iter().map(|(ring, _)| ring.lost()).collect()
    }

    /// All records since the last time, thread after thread, parts joined, blobs put aside.
    pub fn take(&mut self) -> Vec<Recorded> {
        let mut inner = self.inner.lock().unwrap();
        inner.drain();
        self.blobs = std::mem::take(&mut inner.blobs);
        std::mem::take(&mut inner.records)
    }
}

impl Inner {
    fn drain(&mut self) {
        while let Some(ring) = self.session.open_ring(self.rings.len() as u32).unwrap() {
            self.rings.push((ring, 0));
        }
        for (ring, position) in &mut self.rings {
            let (start, end) = (*position, ring.head());
            let mut bytes = Vec::new();
            assert!(ring.copy(start, end, &mut bytes));
            while *position < end {
                let record = Record::parse(&bytes[(*position - start) as usize..]).unwrap();
                *position += u64::from(record.header.size);
                match record.kind {
                    Kind::Pad => {}
                    Kind::Part => self.parts.extend_from_slice(record.payload),
                    Kind::Blob => {
                        let total = u64::from_le_bytes(record.payload[..8].try_into().unwrap()) as usize;
                        let offset = u64::from_le_bytes(record.payload[8..16].try_into().unwrap()) as usize;
                        let blob = self.blobs.entry(record.header.ordinal).or_default();
                        if offset == 0 {
                            blob.clear();
                        }
                        assert_eq!(blob.len(), offset, "pieces of a blob come in order");
                        let left = total - offset;
                        blob.extend_from_slice(&record.payload[16..][..left.min(record.payload.len() - 16)]);
                    }
                    kind => {
                        let mut payload = std::mem::take(&mut self.parts);
                        payload.extend_from_slice(record.payload);
                        self.records.push(Recorded {
                            kind,
                            flags: record.header.flags,
                            method: record.header.method,
                            object: record.header.object,
                            sequence: record.sequence,
                            payload,
                            ring: ring.index(),
                            end: *position,
                        });
                    }
                }
            }
            ring.release(end);
        }
    }
}

impl Drop for Rings {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(drain) = self.drain.take() {
            let _ = drain.join();
        }
    }
}
