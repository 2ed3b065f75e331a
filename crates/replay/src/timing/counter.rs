//! Counts the draws and dispatches of one recording of a list: a query of statistics and one of samples around each.
//!
//! Invariant: operations of a recording and what was counted of them stand in one order; of an operation that is not counted it is known why.

use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{Operation, of_number};
use reprise_d3d12::types::D3D12_QUERY_TYPE;
use reprise_times::Counts;

use super::queries::{Pool, Queries, What};
use crate::runtime::Runtime;

const _: () = assert!(Counts::STATISTICS == 11);

/// The counts of one recording of a list.
pub(super) struct Counter {
    /// Whether lists of this type have such queries.
    counts: bool,
    statistics: Queries,
    samples: Queries,
    /// Queries of the program's own that are open: of statistics, of samples.
    program: [u32; 2],
    /// What is asked of the operation under way.
    open: Asked,
    /// What was asked of each operation.
    asked: Vec<Asked>,
}

/// What is asked of an operation.
#[derive(Clone, Copy, Default)]
struct Asked {
    statistics: bool,
    samples: bool,
    /// Why not all.
    reason: Option<&'static str>,
}

impl Counter {
    /// For a list of this device; `counts`: it is a direct one.
    pub(super) fn new(device: u64, counts: bool) -> Self {
        let queries = |what| Queries::new(device, what);
        let (statistics, samples) = (queries(What::Statistics), queries(What::Occlusion));
        Self { counts, statistics, samples, program: [0; 2], open: Asked::default(), asked: Vec::new() }
    }

    /// The program begins or ends a query of its own of this type.
    pub(super) fn program_asks(&mut self, begins: bool, kind: D3D12_QUERY_TYPE) {
        let place = match kind {
            D3D12_QUERY_TYPE::PIPELINE_STATISTICS | D3D12_QUERY_TYPE::PIPELINE_STATISTICS1 => 0,
            D3D12_QUERY_TYPE::OCCLUSION | D3D12_QUERY_TYPE::BINARY_OCCLUSION => 1,
            _ => return,
        };
        let open = &mut self.program[place];
        *open = if begins { *open + 1 } else { open.saturating_sub(1) };
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
        self.open = self.ask(method.and_then(|method| of_number(method.0)));
        // Where one kind lacks queries none is begun: what begins must end before the program's list is closed.
        if self.open.statistics {
            self.statistics.reserve(pool, runtime)?;
        }
        if self.open.samples {
            self.samples.reserve(pool, runtime)?;
        }
        // SAFETY: as the caller promises; no query of the kind is open, or none would be asked for.
        unsafe {
            if self.open.statistics {
                self.statistics.begin(pool, runtime, list)?;
            }
            if self.open.samples {
                self.samples.begin(pool, runtime, list)?;
            }
        }
        Ok(())
    }

    fn ask(&self, kind: Option<Operation>) -> Asked {
        use Operation::{Bundle, Dispatch, Draw, Graph, Indirect, Rays};
        let runs = kind.is_some_and(|kind| matches!(kind, Draw | Dispatch | Rays | Graph | Indirect | Bundle));
        if !runs {
            return Asked::default();
        }
        if !self.counts {
            return Asked { reason: Some("only direct lists have queries that count"), ..Asked::default() };
        }
        let [statistics, samples] = self.program.map(|open| open == 0);
        let draws = kind.is_some_and(|kind| matches!(kind, Draw | Indirect | Bundle));
        let reason = match (statistics, samples || !draws) {
            (true, true) => None,
            _ => Some("the program's own query is open there, and the API has one of a kind at a time"),
        };
        Asked { statistics, samples: samples && draws, reason }
    }

    /// The operation is recorded; why not all of it is counted, if so.
    ///
    /// # Errors
    /// The device gives no queries.
    ///
    /// # Safety
    /// As [`Counter::begin`].
    pub(super) unsafe fn end(
        &mut self,
        pool: &mut Pool,
        runtime: &Runtime,
        list: u64,
    ) -> Result<Option<&'static str>, String> {
        let open = core::mem::take(&mut self.open);
        // SAFETY: as the caller promises.
        unsafe {
            if open.samples {
                self.samples.end(pool, runtime, list)?;
            }
            if open.statistics {
                self.statistics.end(pool, runtime, list)?;
            }
        }
        self.asked.push(open);
        Ok(open.reason)
    }

    /// The list is closed next.
    ///
    /// # Safety
    /// As [`Counter::begin`]; the list is in no render pass, and predicates nothing.
    pub(super) unsafe fn resolve(&self, runtime: &Runtime, list: u64) {
        // SAFETY: as the caller promises.
        unsafe {
            self.statistics.resolve(runtime, list);
            self.samples.resolve(runtime, list);
        }
    }

    /// The counts of all operations, of a submission that is done.
    ///
    /// # Errors
    /// The memory cannot be mapped.
    pub(super) fn read(&self, runtime: &Runtime) -> Result<Vec<Counts>, String> {
        let (statistics, samples) = (self.statistics.read(runtime)?, self.samples.read(runtime)?);
        let mut statistics = statistics.chunks_exact(Counts::STATISTICS);
        let mut samples = samples.into_iter();
        let counts = self.asked.iter().map(|asked| {
            let mut counts = Counts::default();
            if let Some(words) = asked.statistics.then(|| statistics.next()).flatten() {
                counts.0.iter_mut().zip(words).for_each(|(count, word)| *count = Some(*word));
            }
            counts.0[Counts::STATISTICS] = asked.samples.then(|| samples.next()).flatten();
            counts
        });
        Ok(counts.collect())
    }

    /// Gives the queries back, once no submission writes them any more.
    pub(super) fn give_back(self, pool: &mut Pool) {
        pool.give_back(self.statistics);
        pool.give_back(self.samples);
    }
}
