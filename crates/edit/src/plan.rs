//! What is changed in a trace, once it is checked.
//!
//! Invariant: a plan changes what its edits say and nothing else. Every edit does something, and what it makes impossible has been refused.

use reprise_d3d12::model::MethodId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Gives what files hold that edits name. An error is a sentence.
pub type Files<'f> = dyn FnMut(&Path, Option<Source<'_>>) -> Result<Vec<u8>, String> + 'f;

/// How a file of HLSL is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source<'s> {
    /// As descriptions of pipelines name the stage: `PS`.
    pub stage: &'s str,
    /// The function.
    pub entry: &'s str,
}

/// What is changed.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// By call: its arguments.
    pub(crate) changed: HashMap<u64, Changed>,
    pub(crate) dropped: HashSet<u64>,
    /// Objects that nobody makes any more.
    pub(crate) gone: HashSet<u32>,
    /// By call: what stands before it.
    pub(crate) before: BTreeMap<u64, Vec<New>>,
    /// By call: what stands behind it, and behind its end.
    pub(crate) after: BTreeMap<u64, Vec<New>>,
    /// By number of the store, from 0: its bytes.
    pub(crate) stores: HashMap<u64, Vec<u8>>,
    /// The texts of the edits.
    pub(crate) edits: Vec<String>,
}

/// Other arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) enter: Vec<u8>,
    pub(crate) blobs: Vec<(u32, Content)>,
    /// The last edit that changed them.
    pub(crate) by: usize,
}

/// A call that no program made.
#[derive(Clone, Debug)]
pub(crate) struct New {
    pub(crate) method: MethodId,
    pub(crate) object: u32,
    pub(crate) enter: Vec<u8>,
    pub(crate) blobs: Vec<(u32, Content)>,
    /// The edit.
    pub(crate) by: usize,
}

/// The contents of a blob.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Recorded(u64),
    New(Arc<[u8]>),
}

impl Plan {
    /// How many calls have other arguments.
    pub fn changed(&self) -> usize {
        self.changed.len()
    }

    /// How many calls are left out.
    pub fn dropped(&self) -> usize {
        self.dropped.len()
    }

    /// How many calls are new.
    pub fn inserted(&self) -> usize {
        self.before.values().chain(self.after.values()).map(Vec::len).sum()
    }

    /// How many stores to memory have other bytes.
    pub fn stores(&self) -> usize {
        self.stores.len()
    }
}
