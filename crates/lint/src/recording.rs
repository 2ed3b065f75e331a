//! What a list recorded, as far as rules need it when the list runs.
//!
//! Invariant: operations stand in the order of their calls. A use that repeats an earlier use is not kept if no barrier stands
//! between them, because the rules would find the same.

use crate::role::Role;
use crate::rule::Severity;
use crate::states::Access;
use crate::subresource::Subresources;
use reprise_d3d12::model::MethodId;
use reprise_dxbc::root_signature::Kind;
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::lists::{Action, Bound};
use std::collections::{HashMap, HashSet};

/// A recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    pub(crate) list: u32,
    /// `D3D12_COMMAND_LIST_TYPE`.
    pub(crate) kind: u32,
    /// Id of the allocator.
    pub(crate) allocator: u32,
    /// The call with which it began.
    pub(crate) begun: u64,
    /// The call that closed it.
    pub(crate) ended: Option<u64>,
    /// Somebody wants each use, repeated ones included.
    pub(crate) keeps: bool,
    /// The call that is being recorded, and its method: of a bundle's commands the call that runs the bundle, and their own method.
    pub(crate) at: (u64, Option<MethodId>),
    pub(crate) operations: Vec<Operation>,
    /// Objects that the GPU needs until the list has run and that no operation names: pipelines, root signatures, heaps, resolved textures.
    pub(crate) needs: HashSet<u32>,
    /// Calls of `BeginEvent` that no `EndEvent` ended.
    pub(crate) events: Vec<u64>,
    /// Draws of a bundle, which use what the list that runs it has set, too.
    pub(crate) draws: Vec<Draw>,
    /// Bundles that it runs, where somebody wants each use: by bundle, each of its recordings once.
    pub(crate) bundles: HashMap<u32, Vec<Ran>>,
    /// Uses since the last barrier.
    seen: HashSet<Seen>,
    /// Rises with everything that makes earlier uses count no more.
    generation: u64,
    /// What the last draw was checked with: what was bound, the generation, what its command signature set.
    pub(crate) checked: [u64; 3],
}

/// A recording of a bundle that a list runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran {
    /// The call with which the bundle's recording began.
    pub(crate) begun: u64,
    /// The call that closed it.
    pub(crate) ended: Option<u64>,
    /// The list's call that runs it first.
    pub(crate) at: u64,
}

/// A draw or dispatch of a bundle.
#[derive(Clone, Debug)]
pub(crate) struct Draw {
    pub(crate) call: u64,
    pub(crate) method: MethodId,
    pub(crate) action: Action,
    pub(crate) bound: Box<Bound>,
}

/// Something that a list does when it runs.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) call: u64,
    /// The call of the list that does it: where `call` is a bundle's, the one that runs the bundle.
    pub(crate) at: u64,
    pub(crate) method: Option<MethodId>,
    pub(crate) what: What,
}

/// What it does.
#[derive(Clone, Debug)]
pub(crate) enum What {
    Use(Use),
    /// A use that no rule looks at, for those who want each use.
    Noted(Use, Role),
    /// A descriptor of a table, which is read when the list runs.
    Table(Table),
    /// A shader picks one of so many descriptors, which are read when the list runs.
    Array(Slot, u32),
    /// A shader uses one of the buffers that have an address, this one among them.
    Address(u32, Access),
    /// An unordered access view is cleared, all of it or in part.
    Clear(Use, bool),
    /// All of these are cleared, discarded, or copied over.
    Initialise {
        resource: u32,
        subresources: Subresources,
    },
    Transition(Transition),
    /// A barrier for unordered accesses; 0: of all resources.
    Unordered(u32),
    Alias {
        after: u32,
    },
    /// An enhanced barrier of a texture.
    Layout(Box<Enhanced>),
    /// An enhanced barrier of a buffer; 0: of all resources.
    Flush(u32),
    /// Acceleration structures are built, copied, or asked about.
    Structures(Box<Structures>),
    /// Shaders of rays may trace the structures that so many descriptors show, which are read when the list runs.
    Traced(Slot, u32),
}

/// What a call about acceleration structures reads and writes: each place is a resource and a byte of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Structures {
    pub(crate) reads: Vec<(u32, u64)>,
    pub(crate) writes: Vec<(u32, u64)>,
    pub(crate) scratch: Option<(u32, u64)>,
    /// It builds a top level, of bottom levels that its instances name.
    pub(crate) is_top: bool,
    /// What it writes may be a bottom level.
    pub(crate) is_bottom: bool,
}

/// Bytes of a buffer, first and how many, where that is known.
pub(crate) type Bytes = Option<(u64, u64)>;

/// A resource is used.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub(crate) resource: u32,
    pub(crate) subresources: Subresources,
    pub(crate) access: Access,
    /// Exactly these bytes of a buffer.
    pub(crate) bytes: Bytes,
    /// Whether it is certain that the GPU does it.
    pub(crate) severity: Severity,
}

impl Use {
    /// Shaders trace the acceleration structure at a place.
    pub(crate) fn traced((resource, first): (u32, u64)) -> Use {
        let bytes = Some((first, 1));
        Use { resource, subresources: Subresources::All, access: Access::Structure, bytes, severity: Severity::Likely }
    }
}

/// A descriptor that a shader is made to use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) slot: Slot,
    pub(crate) kind: Kind,
    pub(crate) register: u32,
    pub(crate) space: u32,
    pub(crate) parameter: u32,
    pub(crate) pixel: bool,
    pub(crate) others: bool,
}

/// `D3D12_RESOURCE_TRANSITION_BARRIER`, and its flags.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transition {
    pub(crate) resource: u32,
    pub(crate) index: u32,
    pub(crate) before: u32,
    pub(crate) after: u32,
    pub(crate) flags: u32,
}

/// An enhanced barrier; pairs are of the sides before and after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enhanced {
    /// 0: of all resources.
    pub(crate) resource: u32,
    /// `D3D12_BARRIER_SYNC`.
    pub(crate) sync: [u32; 2],
    /// `D3D12_BARRIER_ACCESS`.
    pub(crate) access: [u32; 2],
    /// `D3D12_BARRIER_LAYOUT`, of textures.
    pub(crate) layouts: Option<[u32; 2]>,
    /// `D3D12_BARRIER_SUBRESOURCE_RANGE`: first and count of mips, slices, planes; no mips: the first number is an index.
    pub(crate) range: [(u32, u32); 3],
    pub(crate) discards: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Seen {
    Use(u32, Access, Option<u32>),
    Table(Slot, Kind, bool, bool),
    Array(Slot, u32),
    Address(u32),
    Structure(u32, u64),
    Traced(Slot, u32),
}

impl Recording {
    /// A recording that begins.
    pub(crate) fn new(list: u32, kind: u32, allocator: u32) -> Recording {
        Recording { list, kind, allocator, ..Recording::default() }
    }

    /// Somebody closed it.
    pub(crate) fn is_closed(&self) -> bool {
        self.ended.is_some()
    }

    /// It runs a bundle, where somebody wants each use.
    pub(crate) fn runs(&mut self, bundle: u32, ran: Ran) {
        if self.keeps {
            let all = self.bundles.entry(bundle).or_default();
            if all.last().is_none_or(|last| last.begun != ran.begun) {
                all.push(ran);
            }
        }
    }

    /// Adds an operation, unless it is a use that finds nothing new.
    pub(crate) fn push(&mut self, call: u64, what: What) {
        if self.keeps {
            // An array has many descriptors, so it is looked at once.
            let again = match &what {
                What::Array(first, count) => !self.seen.insert(Seen::Array(*first, *count)),
                _ => false,
            };
            if !again {
                self.operations.push(Operation { call, at: self.at.0, method: self.at.1, what });
            }
            return;
        }
        match &what {
            What::Use(Use { resource, access: Access::Structure, bytes: Some((first, _)), .. }) => {
                if !self.seen.insert(Seen::Structure(*resource, *first)) {
                    return;
                }
            }
            What::Use(it) => {
                let key = match &it.subresources {
                    Subresources::All => Some(None),
                    Subresources::One(one) => Some(Some(*one)),
                    Subresources::Some(_) => None,
                };
                // Uses with known bytes are compared with those of other queues.
                if it.bytes.is_none()
                    && let Some(key) = key
                    && !self.seen.insert(Seen::Use(it.resource, it.access, key))
                {
                    return;
                }
            }
            What::Table(it) => {
                if !self.seen.insert(Seen::Table(it.slot, it.kind, it.pixel, it.others)) {
                    return;
                }
            }
            What::Array(first, count) => {
                if !self.seen.insert(Seen::Array(*first, *count)) {
                    return;
                }
            }
            What::Address(resource, _) => {
                if !self.seen.insert(Seen::Address(*resource)) {
                    return;
                }
            }
            What::Traced(first, count) => {
                if !self.seen.insert(Seen::Traced(*first, *count)) {
                    return;
                }
            }
            _ => {
                self.seen.clear();
                self.generation += 1;
            }
        }
        self.operations.push(Operation { call, at: self.at.0, method: self.at.1, what });
    }

    /// Rises with everything that makes earlier uses count no more; from 1.
    pub(crate) fn generation(&self) -> u64 {
        self.generation + 1
    }

    /// Adds a use that no rule looks at, where somebody wants each.
    pub(crate) fn note(&mut self, call: u64, it: Use, role: Role) {
        if self.keeps && it.resource != 0 {
            self.push(call, What::Noted(it, role));
        }
    }

    /// Adds a use that is certain.
    pub(crate) fn uses(&mut self, call: u64, resource: u32, subresources: Subresources, access: Access) {
        if resource != 0 {
            let what = Use { resource, subresources, access, bytes: None, severity: Severity::Error };
            self.push(call, What::Use(what));
        }
    }
}
