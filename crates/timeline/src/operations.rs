//! What calls of command lists do whose method alone does not tell it: a command signature decides what an indirect command is.
//! A query's type decides how many bytes its answer has.

use crate::argument;
use crate::argument::{Argument, ObjectId, Out};
use crate::call::{Call, Outcome, entered};
use crate::state::lists::runs;
use crate::walk::{At, Interests, Pass, walk};
use reprise_d3d12::operation::{self, Operation};
use reprise_d3d12::types::D3D12_QUERY_TYPE;
use reprise_trace::read::{Event, ReadError, Trace};
use std::collections::BTreeMap;

const MADE: Argument<Out<ObjectId>> = argument!("ID3D12Device", "CreateCommandSignature", "ppvCommandSignature");
const RUN: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");

/// Bytes of a query's answer in a buffer.
pub fn answer_bytes(query: D3D12_QUERY_TYPE) -> u64 {
    match query {
        D3D12_QUERY_TYPE::PIPELINE_STATISTICS => 11 * 8,
        D3D12_QUERY_TYPE::PIPELINE_STATISTICS1 => 14 * 8,
        D3D12_QUERY_TYPE::SO_STATISTICS_STREAM0
        | D3D12_QUERY_TYPE::SO_STATISTICS_STREAM1
        | D3D12_QUERY_TYPE::SO_STATISTICS_STREAM2
        | D3D12_QUERY_TYPE::SO_STATISTICS_STREAM3 => 16,
        _ => 8,
    }
}

/// What the commands of each command signature of a trace do.
#[derive(Clone, Debug, Default)]
pub struct Signatures {
    /// By id: from which call on, and what.
    known: BTreeMap<u32, Vec<(u64, Operation)>>,
}

impl Signatures {
    /// Those of a whole trace. No other calls are looked into.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn of(trace: &Trace) -> Result<Signatures, ReadError> {
        let mut all = Signatures::default();
        walk(trace, &mut [&mut all])?;
        Ok(all)
    }

    /// What a call of a list is; nothing for settings and calls of other objects.
    pub fn operation(&self, call: &Call<'_>) -> Option<Operation> {
        let stated = operation::of_number(call.method.0)?;
        if stated != Operation::Indirect {
            return Some(stated);
        }
        let known = RUN.of(call).ok().and_then(|ObjectId(id)| self.known.get(&id));
        let last = known.and_then(|lives| lives.iter().rev().find(|(made, _)| *made < call.number));
        Some(last.map_or(stated, |(_, operation)| *operation))
    }

    /// The same of the event with which a call begins.
    pub fn operation_of(&self, enter: &Event<'_>) -> Option<Operation> {
        match operation::of_number(enter.method)? {
            Operation::Indirect => self.operation(&entered(enter, Outcome::Nothing)),
            stated => Some(stated),
        }
    }
}

impl Pass for Signatures {
    fn interests(&self) -> Interests {
        Interests::new().calls(&[MADE.method()])
    }

    fn call(&mut self, call: &Call<'_>, _: &At) {
        if let (Ok(Some(ObjectId(id))), Some(operation)) = (MADE.of(call), runs(call)) {
            self.known.entry(id).or_default().push((call.number, operation));
        }
    }
}
