//! The settings of every command list and bundle since its last reset.
//!
//! A recording begins when a list is created or reset. The list's methods are counted, and their settings are kept ([`Bound`]).
//! Invariant: the settings are those that the API's documents state. A reset clears all but the initial pipeline; a new root
//! signature makes root arguments stale; a bundle's settings stay on the list that ran it; indirect commands leave null and
//! zero in the settings that they change.

mod action;
mod barriers;
mod bound;
mod effects;
mod indirect;
mod marker;
mod nested;
mod runs;
#[cfg(test)]
mod tests;
mod view;

pub use action::{Action, action};
pub use barriers::{State as BarrierState, States};
pub use bound::{Bound, Pipeline, RootArgument, RootView, Roots, Setting};
pub use effects::depth_of_pass;
pub(crate) use effects::{MARKERS, any_marker};
pub(in crate::state) use effects::{queue_event, queue_marker};
pub(crate) use indirect::runs;
pub use indirect::{Change, CommandSignature, Given, strided};
pub use marker::{MOST_DEPTH, Marker};
pub use nested::Children;
pub use runs::Runs;
pub use view::{IndexBuffer, Pass, Predication, SamplePositions, StreamOutput, Target, Targets, VertexBuffer};

use super::Known;
use crate::argument;
use crate::argument::{Argument, Bytes, Content, Damaged, ObjectId, Out};
use crate::call::{Call, Outcome};
use crate::walk::{At, Interests};
use effects::{Context, Effect};
use reprise_codec::wire::BLOB_BYTES;
use reprise_d3d12::model::{MethodId, Order};
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;
use reprise_d3d12::{MODEL, method};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The lists, and what running them depends on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lists {
    lists: BTreeMap<u32, List>,
    /// What each root signature was made of. Equal contents are equal root signatures.
    signatures: BTreeMap<u32, Source>,
    commands: BTreeMap<u32, CommandSignature>,
}

/// What a root signature was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Source {
    /// The blob of the trace; equal contents are one blob.
    Blob(u64),
    /// Bytes too few for a blob.
    Bytes(Vec<u8>),
}

/// A command list or bundle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// `D3D12_COMMAND_LIST_TYPE`.
    pub kind: u32,
    /// Id of the allocator; 0 for a list that was never reset since `CreateCommandList1` made it.
    pub allocator: u32,
    /// Whether it records.
    pub open: bool,
    /// The call with which the recording began: its creation or a reset. 0: none has.
    pub begun: u64,
    /// The call that closed it.
    pub closed: Option<u64>,
    /// The calls of the recording.
    pub calls: Runs,
    /// What is set.
    pub bound: Bound,
    /// Events that are open, outermost first.
    pub markers: Vec<Marker>,
    /// The last `SetMarker`.
    pub last_marker: Option<Marker>,
    /// Queries that have begun: heap, `D3D12_QUERY_TYPE`, index; and the call that began each.
    pub queries: BTreeMap<(u32, u32, u32), u64>,
    /// States of resources by this recording's own barriers.
    pub states: BTreeMap<u32, States>,
}

impl List {
    /// Whether it is a bundle.
    pub fn is_bundle(&self) -> bool {
        self.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE.0 as u32
    }

    /// A recording begins.
    fn begin(&mut self, allocator: u32, pipeline: u32, call: u64) {
        let kind = self.kind;
        *self = List { kind, allocator, open: true, begun: call, ..List::default() };
        self.set_initial(pipeline, call);
    }

    /// Nothing is set but a pipeline, where one is given.
    fn set_initial(&mut self, pipeline: u32, call: u64) {
        self.bound = Bound::default();
        if pipeline != 0 {
            self.bound.set_pipeline(Pipeline::State(pipeline), call);
        }
    }

    /// Says that a call sets what cannot exist.
    fn check(&self, there: bool, call: &Call<'_>) -> Result<(), Damaged> {
        if there { Ok(()) } else { Err(Damaged::parameter(call.method, 0, "there is no such parameter, slot or word")) }
    }
}

const CREATE: MethodId = method("ID3D12Device", "CreateCommandList");
const CREATE1: MethodId = method("ID3D12Device4", "CreateCommandList1");
const CLOSE: MethodId = method("ID3D12GraphicsCommandList", "Close");
const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");
const INDIRECT: MethodId = method("ID3D12GraphicsCommandList", "ExecuteIndirect");
const SIGNATURE: MethodId = method("ID3D12Device", "CreateRootSignature");
const COMMANDS: MethodId = method("ID3D12Device", "CreateCommandSignature");

/// Whether a method records into a command list.
pub fn records(method: MethodId) -> bool {
    let Some(row) = MODEL.methods.get(usize::from(method.0)) else { return false };
    let name = row.interface.map_or("", |interface| interface.get().name);
    name.starts_with("ID3D12GraphicsCommandList") && row.order == Order::Object
}

/// The method after which a list has nothing of what it had recorded, where it succeeds.
pub const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");

/// Whether a call takes from its list all that it had recorded. A reset that fails takes nothing.
pub fn begins_anew(call: &Call<'_>) -> bool {
    call.method == RESET && happened(call)
}

/// By method, what it does to a list.
fn effects() -> &'static [Option<Effect>] {
    static EFFECTS: OnceLock<Box<[Option<Effect>]>> = OnceLock::new();
    EFFECTS.get_or_init(|| {
        let known = effects::table();
        (0..).take(MODEL.methods.len()).map(|method| known.get(&MethodId(method)).copied()).collect()
    })
}

impl Lists {
    /// A list, if it exists.
    pub fn get(&self, id: u32) -> Option<&List> {
        self.lists.get(&id)
    }

    /// All of them, by id.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &List)> {
        self.lists.iter().map(|(id, list)| (*id, list))
    }

    /// What a command signature sets.
    pub fn commands(&self, id: u32) -> Option<&CommandSignature> {
        self.commands.get(&id)
    }

    /// Whether two root signatures are equal: the same object, or made of the same bytes.
    pub fn are_same(&self, one: u32, other: u32) -> bool {
        same(&self.signatures, one, other)
    }

    /// The calls that change it.
    pub(crate) fn interests() -> Interests {
        Interests::new().calls(&[CREATE, CREATE1, RESET, CLOSE, SIGNATURE, COMMANDS]).calls_where(records)
    }

    /// A call is complete.
    ///
    /// # Errors
    /// When an argument cannot be read; what was read before it is kept.
    pub(crate) fn call(&mut self, call: &Call<'_>, _at: &At, known: Known<'_>) -> Result<(), Damaged> {
        match call.method {
            CREATE => self.create(call),
            CREATE1 => self.create_closed(call),
            RESET => self.reset(call),
            CLOSE => {
                if happened(call) {
                    let list = self.lists.entry(call.object).or_default();
                    list.open = false;
                    list.closed = Some(call.number);
                }
                Ok(())
            }
            SIGNATURE => self.create_signature(call),
            COMMANDS => self.create_commands(call),
            BUNDLE => self.run_bundle(call),
            _ => self.record(call, known),
        }
    }

    /// An object is gone.
    pub(crate) fn gone(&mut self, object: u32) {
        self.lists.remove(&object);
        self.signatures.remove(&object);
        self.commands.remove(&object);
    }

    fn create(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const KIND: Argument<D3D12_COMMAND_LIST_TYPE> = argument!("ID3D12Device", "CreateCommandList", "type");
        const ALLOCATOR: Argument<ObjectId> = argument!("ID3D12Device", "CreateCommandList", "pCommandAllocator");
        const PIPELINE: Argument<ObjectId> = argument!("ID3D12Device", "CreateCommandList", "pInitialState");
        const LIST: Argument<Out<ObjectId>> = argument!("ID3D12Device", "CreateCommandList", "ppCommandList");
        let Some(ObjectId(id)) = made(LIST.of(call)?) else { return Ok(()) };
        let mut list = List { kind: KIND.of(call)?.0 as u32, ..List::default() };
        list.begin(ALLOCATOR.of(call)?.0, PIPELINE.of(call)?.0, call.number);
        self.lists.insert(id, list);
        Ok(())
    }

    fn create_closed(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const KIND: Argument<D3D12_COMMAND_LIST_TYPE> = argument!("ID3D12Device4", "CreateCommandList1", "type");
        const LIST: Argument<Out<ObjectId>> = argument!("ID3D12Device4", "CreateCommandList1", "ppCommandList");
        let Some(ObjectId(id)) = made(LIST.of(call)?) else { return Ok(()) };
        self.lists.insert(id, List { kind: KIND.of(call)?.0 as u32, ..List::default() });
        Ok(())
    }

    fn reset(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const ALLOCATOR: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "Reset", "pAllocator");
        const PIPELINE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "Reset", "pInitialState");
        if happened(call) {
            let (allocator, pipeline) = (ALLOCATOR.of(call)?.0, PIPELINE.of(call)?.0);
            self.lists.entry(call.object).or_default().begin(allocator, pipeline, call.number);
        }
        Ok(())
    }

    fn create_signature(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const BYTES: Argument<Bytes> = argument!("ID3D12Device", "CreateRootSignature", "pBlobWithRootSignature");
        const MADE: Argument<Out<ObjectId>> = argument!("ID3D12Device", "CreateRootSignature", "ppvRootSignature");
        let Some(ObjectId(id)) = made(MADE.of(call)?) else { return Ok(()) };
        match BYTES.of(call)? {
            Some(Content::Blob(blob, _)) => _ = self.signatures.insert(id, Source::Blob(blob)),
            Some(Content::Inline(bytes)) if (bytes.len() as u64) < BLOB_BYTES => {
                self.signatures.insert(id, Source::Bytes(bytes.to_vec()));
            }
            _ => {}
        }
        Ok(())
    }

    fn create_commands(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const MADE: Argument<Out<ObjectId>> =
            argument!("ID3D12Device", "CreateCommandSignature", "ppvCommandSignature");
        let Some(ObjectId(id)) = made(MADE.of(call)?) else { return Ok(()) };
        let signature = CommandSignature::new(call);
        self.commands.insert(id, signature.clone().unwrap_or_default());
        match signature {
            Some(_) => Ok(()),
            None => Err(Damaged::parameter(call.method, 0, "the description cannot be read")),
        }
    }

    fn run_bundle(&mut self, call: &Call<'_>) -> Result<(), Damaged> {
        const RAN: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");
        let ObjectId(id) = RAN.of(call)?;
        // Taken out, so that both can be looked at.
        let bundle = self.lists.remove(&id);
        let list = self.lists.entry(call.object).or_default();
        list.calls.push(call.number);
        if let Some(bundle) = bundle {
            let signatures = &self.signatures;
            list.bound.run(&bundle.bound, |one, other| same(signatures, one, other));
            for (resource, states) in &bundle.states {
                list.states.entry(*resource).or_default().then(states);
            }
            self.lists.insert(id, bundle);
        }
        Ok(())
    }

    fn record(&mut self, call: &Call<'_>, known: Known<'_>) -> Result<(), Damaged> {
        let list = self.lists.entry(call.object).or_default();
        list.calls.push(call.number);
        if call.method == INDIRECT {
            const COMMANDS: Argument<ObjectId> =
                argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
            if let Some(signature) = self.commands.get(&COMMANDS.of(call)?.0) {
                signature.run(&mut list.bound, call.number);
            }
            return Ok(());
        }
        let Some(effect) = effects().get(usize::from(call.method.0)).copied().flatten() else { return Ok(()) };
        let signatures = &self.signatures;
        effect(list, call, &Context { known, same: &|one, other| same(signatures, one, other) })
    }
}

fn same(signatures: &BTreeMap<u32, Source>, one: u32, other: u32) -> bool {
    one == other || signatures.get(&one).is_some_and(|source| signatures.get(&other) == Some(source))
}

/// The object that was given out.
fn made(object: Option<ObjectId>) -> Option<ObjectId> {
    object.filter(|object| object.0 != 0)
}

/// Whether a call had its effect, as far as is known: it returned a success, or what it returned is lost.
fn happened(call: &Call<'_>) -> bool {
    call.succeeded() || matches!(call.outcome, Outcome::Lost)
}
