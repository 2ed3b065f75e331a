//! A batch: calls of lists with resolved arguments, made later, perhaps by another thread.
//!
//! A batch is one row of words: for each call a head, the object, the arguments. The words lead into the batch's own memory.
//! Invariant: a batch owns all that its calls are passed, except the runtime's objects. It is empty again once its calls are made.

use reprise_codec::Arena;
use reprise_d3d12::abi::Direct;
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use crate::runtime::Runtime;

pub(crate) const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");

/// A batch with so many times the calls that are worth the way to another thread, or with so many bytes behind them, is full.
const TIMES: u32 = 16;
const BYTES: usize = 128 << 10;

/// By method: how to call those that can be called directly.
pub(crate) type Directs = [Option<Direct>];

/// The number that a `Close` was put in with, and its result.
pub(crate) type Closed = (u64, u64);

/// Calls to be made one after another.
#[derive(Default)]
pub(crate) struct Batch {
    words: Vec<u64>,
    /// The memory that the words of its calls lead to.
    pub(crate) arena: Arena,
    calls: u32,
    /// Bytes of the arena that are taken, about.
    bytes: usize,
    /// Results of its `Close` calls.
    pub(crate) closed: Vec<Closed>,
}

// SAFETY: the words lead to the arena, which goes with them, and to objects of the runtime, which any thread may use.
unsafe impl Send for Batch {}

impl Batch {
    /// Puts a call in, whose arguments take about so many `bytes` of the arena.
    ///
    /// # Safety
    /// `this` has the interface of the method. The words are valid arguments of it, and all that they lead to is in this
    /// batch's arena.
    #[inline]
    pub(crate) unsafe fn push(&mut self, method: MethodId, this: u64, words: &[u64], bytes: usize) {
        self.put(method, this, words, bytes);
    }

    #[inline]
    fn put(&mut self, method: MethodId, this: u64, words: &[u64], bytes: usize) {
        self.words.extend_from_slice(&[u64::from(method.0) | (words.len() as u64) << 16, this]);
        self.words.extend_from_slice(words);
        self.calls += 1;
        self.bytes += bytes;
    }

    /// Puts a `Close` in, whose result will be under this number.
    pub(crate) fn push_close(&mut self, this: u64, number: u64) {
        self.put(CLOSE, this, &[number], 0);
    }

    /// How many calls are in it.
    #[inline]
    pub(crate) fn calls(&self) -> u32 {
        self.calls
    }

    /// Whether no more is to be put in, where so many calls are `worth` the way to another thread.
    #[inline]
    pub(crate) fn is_full(&self, worth: u32) -> bool {
        self.calls >= worth.saturating_mul(TIMES) || self.bytes >= BYTES
    }

    /// Makes all calls; afterwards the batch has nothing but their results.
    ///
    /// # Safety
    /// The objects are alive, and no other thread uses the lists.
    pub(crate) unsafe fn run(&mut self, runtime: &Runtime, directs: &Directs) {
        let mut rest = self.words.as_slice();
        while let [head, this, tail @ ..] = rest {
            let (method, count) = (MethodId(*head as u16), (head >> 16) as usize);
            let Some((words, next)) = tail.split_at_checked(count) else { break };
            rest = next;
            // SAFETY: `push` took the words as valid arguments of the method, for this object; the object is alive and no
            // other thread uses the list, says the caller.
            unsafe {
                match directs.get(usize::from(method.0)) {
                    Some(Some(direct)) => runtime.call_direct(*this, direct, words),
                    _ if method == CLOSE => {
                        let number = words.first().copied().unwrap_or(0);
                        self.closed.push((number, runtime.call(*this, CLOSE, &[])));
                    }
                    _ => drop(runtime.call(*this, method, words)),
                }
            }
        }
        self.words.clear();
        self.arena.clear();
        (self.calls, self.bytes) = (0, 0);
    }
}
