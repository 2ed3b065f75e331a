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
    pub(crate) fence: Mutex<Fence>,
    /// Memory behind `Map` and `GetBufferPointer`, made on first use.
    pub(crate) pages: OnceLock<Pages>,
    /// Bytes of `GetBufferSize`; 0 for what is not a blob.
    pub(crate) bytes: usize,
    /// Of a swap chain: presents since it was made or resized.
    pub(crate) next_buffer: AtomicU32,
    /// The buffers that it was resized to; 0: as made.
    pub(crate) buffers: AtomicU32,
}

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
