//! Counts the operations of one recording of a list by the driver's own counters: a query of our runtime's around each ([`reprise_d3d12::counters`]).
//!
//! Invariant: operations of a recording and their results stand in one order; of an operation without a result it is known why.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{Operation, of_number};

use super::queries::{Pool, Queries, What};
use crate::runtime::Runtime;

/// What the driver counted of each operation, a word for each counter; or why nothing.
pub(super) type Results = Vec<Result<Vec<u64>, &'static str>>;

/// The results of one recording of a list.
pub(super) struct DriverCounter {
    /// Whether lists of this type are counted.
    counts: bool,
    queries: Queries,
    is_open: bool,
    /// Why operations are not asked about; nothing of those that are.
    asked: Vec<Option<&'static str>>,
}

impl DriverCounter {
    /// For a list of this device; `counts`: it is a direct one.
    pub(super) fn new(device: u64, counts: bool) -> Self {
        Self { counts, queries: Queries::new(device, What::Driver), is_open: false, asked: Vec::new() }
    }

    /// An operation is recorded next.
    ///
    /// # Errors
    /// The device gives no queries.
    ///
    /// # Safety
    /// `list` is a live pointer to the list, and it is recording.
    pub(super) unsafe fn begin(
        &mut self,
        pool: &mut Pool,
        runtime: &Runtime,
        list: u64,
        method: Option<MethodId>,
    ) -> Result<(), String> {
        let kind = method.and_then(|method| of_number(method.0));
        let reason = match kind {
            _ if !self.counts => Some("only direct lists have queries that count"),
            Some(Operation::PassEnd) => Some("the end of a render pass has no query around it"),
            _ => None,
        };
        self.asked.push(reason);
        self.is_open = reason.is_none();
        if self.is_open {
            // SAFETY: as the caller promises; no query of the kind is open, because each ends with its operation.
            unsafe { self.queries.begin(pool, runtime, list) }?;
        }
        Ok(())
    }

    /// The operation is recorded.
    ///
    /// # Errors
    /// The device gives no queries.
    ///
    /// # Safety
    /// As [`DriverCounter::begin`].
    pub(super) unsafe fn end(&mut self, pool: &mut Pool, runtime: &Runtime, list: u64) -> Result<(), String> {
        if core::mem::take(&mut self.is_open) {
            // SAFETY: as the caller promises.
            unsafe { self.queries.end(pool, runtime, list) }?;
        }
        Ok(())
    }

    /// The results of all operations, of a submission that is done. The list may be submitted again then.
    ///
    /// # Errors
    /// The runtime does not give them.
    pub(super) fn read(&self, runtime: &Runtime) -> Result<Results, String> {
        let mut results = self.queries.read_driver(runtime)?.into_iter();
        self.queries.reset_driver(runtime);
        let lacks = "the device has no result of their queries";
        let result = |reason: &Option<&'static str>| match reason {
            Some(reason) => Err(*reason),
            None => results.next().flatten().ok_or(lacks),
        };
        Ok(self.asked.iter().map(result).collect())
    }

    /// Gives the queries back, once no submission writes them any more.
    pub(super) fn give_back(self, pool: &mut Pool) {
        pool.give_back(self.queries);
    }
}
