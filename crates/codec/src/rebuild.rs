//! Wire bytes to native argument words for a real call.

use crate::{Arena, Codec};
use reprise_d3d12::model::{BlobKind, Field, InterfaceId, MethodId, Role, Type};

/// Translates recorded values to those of the replaying process. An error's text says why and ends the call's rebuild.
pub trait Resolver {
    /// The native pointer to pass for object `id` (never 0), which the model states to have `interface`.
    fn object(&mut self, id: u32, interface: InterfaceId) -> Result<u64, String>;

    /// The native value for a number of a translated role: CPU and GPU descriptors, GPU addresses, events, shared
    /// handles, callbacks, contexts, CPU addresses, foreign values. Not called for zero.
    fn word(&mut self, role: Role, value: u64) -> Result<u64, String>;

    /// The bytes of a blob.
    fn blob(&mut self, number: u32, kind: BlobKind) -> Result<&[u8], String>;
}

/// Why arguments could not be rebuilt.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{call}: {path}: byte {offset} of the payload: {what}")]
pub struct RebuildError {
    /// `Interface::Method` or the function.
    pub call: String,
    /// The argument and field, as in `pDesc.pParameters[3].ShaderVisibility`.
    pub path: String,
    /// Within the payload.
    pub offset: usize,
    /// What is wrong.
    pub what: String,
}

/// Native arguments; the memory behind them is the arena's.
#[derive(Debug)]
pub struct Rebuilt {
    /// One word per parameter, without `this`.
    pub words: Vec<u64>,
    /// The storage made for Out and InOut parameters.
    pub outputs: Vec<Output>,
}

/// Storage that a call writes to.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Index of the parameter.
    pub param: usize,
    /// The parameter.
    pub field: &'static Field,
    /// The type of an element.
    pub ty: Type,
    /// Number of elements.
    pub count: u64,
    /// Where the elements are.
    pub pointer: *mut u8,
}

impl Codec {
    /// Native arguments from an enter payload: structures copied into `arena`, pointers patched, numbers translated,
    /// zeroed storage for outputs. Counts in the payload are checked against what was stored, so that a real call reads
    /// and writes only the arena.
    pub fn rebuild(
        &self,
        _method: MethodId,
        _enter: &[u8],
        _resolver: &mut impl Resolver,
        _arena: &mut Arena,
    ) -> Result<Rebuilt, RebuildError> {
        unimplemented!()
    }
}
