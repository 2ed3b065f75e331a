//! What single kinds of objects remember: a fence its value, a resource its memory, a blob its bytes.

use crate::event;
use crate::lock::lock;
use crate::memory::Pages;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, OnceLock};

/// Everything an object may have to remember; most kinds have nothing of it.
#[derive(Default)]
pub(crate) struct State {
    /// Descriptions the object was made with, by structure name, for `GetDesc`.
    pub(crate) descriptions: BTreeMap<&'static str, Vec<u8>>,
    /// Flags of the heap that a committed resource was asked for.
    pub(crate) heap_flags: u32,
    pub(crate) fence: Mutex<Fence>,
    /// Memory behind `Map` and `GetBufferPointer`, made on first use.
    pub(crate) pages: OnceLock<Pages>,
    /// Bytes of `GetBufferSize`; 0 for what is not a blob.
    pub(crate) bytes: usize,
    /// Of a swap chain: presents since it was made or resized.
    pub(crate) next_buffer: AtomicU32,
    /// The buffers that it was resized to; 0: as made.
    pub(crate) buffers: AtomicU32,
    /// Of a state object: identifiers that were given out, by name.
    pub(crate) identifiers: Mutex<BTreeMap<Vec<u32>, Box<[u8; IDENTIFIER]>>>,
}

/// Bytes of a shader's identifier (`D3D12_SHADER_IDENTIFIER_SIZE_IN_BYTES`).
pub(crate) const IDENTIFIER: usize = 32;

/// A fence: reached as soon as it is signalled.
#[derive(Default)]
pub(crate) struct Fence {
    pub(crate) value: u64,
    waiting: Vec<(u64, u64)>,
}

impl State {
    pub(crate) fn signal(&self, value: u64) {
        let mut fence = lock(&self.fence);
        fence.value = value;
        fence.waiting.retain(|&(wanted, event)| {
            let reached = wanted <= value;
            if reached {
                event::signal(event);
            }
            !reached
        });
    }

    /// The identifier of a shader by its name; it stays where it is.
    pub(crate) fn identifier(&self, name: &[u32]) -> *const [u8; IDENTIFIER] {
        let mut all = lock(&self.identifiers);
        let made = || {
            // FNV-1a, each 8 bytes with a start of their own; never 0.
            let hash = |start: u64| {
                let units = name.iter().flat_map(|unit| unit.to_le_bytes());
                units.fold(0xcbf2_9ce4_8422_2325 ^ start, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                })
            };
            let mut bytes = Box::new([0; IDENTIFIER]);
            for (start, part) in (1..).zip(bytes.chunks_exact_mut(8)) {
                part.copy_from_slice(&(hash(start) | 1).to_le_bytes());
            }
            bytes
        };
        &raw const **all.entry(name.to_vec()).or_insert_with(made)
    }

    pub(crate) fn completed(&self) -> u64 {
        lock(&self.fence).value
    }

    /// Signals `event` when the fence reaches `value`: at once, if it has.
    pub(crate) fn notify(&self, value: u64, event: u64) {
        let mut fence = lock(&self.fence);
        if fence.value >= value {
            event::signal(event);
        } else {
            fence.waiting.push((value, event));
        }
    }

    /// The first byte of the object's memory of at least `size` bytes, or null when the system has none.
    pub(crate) fn memory(&self, size: usize) -> *mut u8 {
        self.pages.get_or_init(|| Pages::new(size)).start()
    }
}
