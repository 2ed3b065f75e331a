//! What stands in command buffers, and in their queries.

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use ash::vk;

/// Commands that were counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) draws: u64,
    pub(crate) dispatches: u64,
    pub(crate) groups: u64,
    pub(crate) renderings: u64,
}

/// A pool of queries of this layer.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    pub(crate) counters: Vec<u32>,
    /// Of each query what was counted, once it was submitted; and whether it may begin.
    pub(crate) results: Vec<Option<Tally>>,
    pub(crate) is_reset: Vec<bool>,
}

/// A command buffer.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    /// The profiling lock was held when it began.
    pub(crate) is_locked: bool,
    pub(crate) renders: bool,
    pub(crate) open: Option<(vk::QueryPool, u32, Tally)>,
    pub(crate) ended: Vec<(vk::QueryPool, u32, Tally)>,
    /// Pools that it resets.
    pub(crate) resets: HashSet<vk::QueryPool>,
}

/// All that the layer knows.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) pools: HashMap<vk::QueryPool, Pool>,
    pub(crate) buffers: HashMap<vk::CommandBuffer, Buffer>,
    /// Who has the profiling lock.
    pub(crate) locks: u32,
    /// Queries that ended on submitted work.
    pub(crate) queries: u64,
    pub(crate) broken: Vec<String>,
}

/// Locks it.
pub(crate) fn state() -> MutexGuard<'static, State> {
    static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// A rule was broken.
    pub(crate) fn broke(&mut self, rule: &str) {
        self.broken.push(rule.to_owned());
    }

    /// Counts a command in a query that is open.
    pub(crate) fn count(&mut self, buffer: vk::CommandBuffer, count: impl FnOnce(&mut Tally)) {
        if let Some((_, _, tally)) = self.buffers.get_mut(&buffer).and_then(|buffer| buffer.open.as_mut()) {
            count(tally);
        }
    }
}
