//! The compute state of a list at a point of its recording, so that it can be restored after commands of replay's own.
//!
//! Each list has a state of its own, so lists can be followed side by side. Words are those of the runtime's side. Objects are
//! kept by id: if an object has gone by the time of the restoration, the restoration reports it and does not use it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::{interface, method};

use super::UsedMemory;
use super::commands::PREDICATION;
use super::layout::Layout;
use super::parts::Prepared;
use super::passes::Asked;
use super::promise::Promise;
use crate::error::Place;
use crate::runtime::Runtime;

const CLEAR: MethodId = method("ID3D12GraphicsCommandList", "ClearState");
const PIPELINE: MethodId = method("ID3D12GraphicsCommandList", "SetPipelineState");
const STATE_OBJECT: MethodId = method("ID3D12GraphicsCommandList4", "SetPipelineState1");
/// Keeps a program of a state object, by an identifier of the runtime's.
const PROGRAM: MethodId = method("ID3D12GraphicsCommandList10", "SetProgram");
const ROOT: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootSignature");
const TABLE: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootDescriptorTable");
const CBV: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootConstantBufferView");
const SRV: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootShaderResourceView");
const UAV: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRootUnorderedAccessView");
const CONSTANT: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRoot32BitConstant");
const CONSTANTS: MethodId = method("ID3D12GraphicsCommandList", "SetComputeRoot32BitConstants");
const BEGIN_PASS: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
const END_PASS: MethodId = method("ID3D12GraphicsCommandList4", "EndRenderPass");
const WRITE: MethodId = method("ID3D12GraphicsCommandList2", "WriteBufferImmediate");

/// Methods that change compute state or the predicate, besides `Reset` and `ExecuteBundle`, or what bundles may read.
pub(super) const LISTS: [MethodId; 15] = [
    CLEAR,
    PIPELINE,
    STATE_OBJECT,
    PROGRAM,
    ROOT,
    TABLE,
    CBV,
    SRV,
    UAV,
    CONSTANT,
    CONSTANTS,
    BEGIN_PASS,
    END_PASS,
    PREDICATION,
    WRITE,
];

/// A list as its creation describes it.
#[derive(Clone, Copy)]
pub(crate) struct ListMade {
    pub(crate) bundle: bool,
    /// The allocator's id; 0 for a list that is made closed.
    pub(crate) allocator: u32,
    /// The first pipeline state's id; 0 for none.
    pub(crate) pipeline: u32,
}

/// A list that is followed.
pub(super) struct FollowedList {
    pub(super) state: ComputeState,
    pub(super) allocator: u32,
    pub(super) used: UsedMemory,
    /// Its calls that read arguments with addresses.
    pub(super) asked: Vec<(Place, Asked, Layout)>,
    /// It has commands with addresses as the program gave them.
    pub(super) trusts: bool,
    /// It uses shader tables as the program gave them, by these state objects.
    pub(super) trusts_tables: BTreeSet<u32>,
    pub(super) bundle: bool,
    pub(super) in_pass: bool,
    /// It has written to a buffer, by `WriteBufferImmediate`.
    pub(super) writes: bool,
    /// Counts its recordings.
    pub(super) recording: u64,
    /// Of a bundle: what lists write before they execute it.
    pub(super) promises: Vec<Promise>,
    /// Copies of bundles that this list has written, and that are not back in no state.
    pub(super) fulfilled: BTreeSet<u64>,
    /// What was moved before the last render pass, by the call that uses it.
    pub(super) prepared: HashMap<u64, Result<Prepared, String>>,
    /// Bundles whose copies were written before the last render pass, with the recording that they are of.
    pub(super) bundles: HashMap<u32, (u64, Result<(), String>)>,
}

impl FollowedList {
    pub(super) fn new(made: ListMade) -> Self {
        let state = ComputeState::begin(made.pipeline);
        Self {
            state,
            allocator: made.allocator,
            used: UsedMemory::default(),
            asked: Vec::new(),
            trusts: false,
            trusts_tables: BTreeSet::new(),
            bundle: made.bundle,
            in_pass: false,
            writes: false,
            recording: 0,
            promises: Vec::new(),
            fulfilled: BTreeSet::new(),
            prepared: HashMap::new(),
            bundles: HashMap::new(),
        }
    }

    /// Begins another recording; the memory of the last one is with its allocator by now.
    pub(super) fn reset(&mut self, allocator: u32, pipeline: u32) {
        (self.state, self.allocator, self.in_pass) = (ComputeState::begin(pipeline), allocator, false);
        (self.trusts, self.writes) = (false, false);
        self.asked.clear();
        self.trusts_tables.clear();
        self.recording += 1;
        self.promises.clear();
        self.fulfilled.clear();
        self.prepared.clear();
        self.bundles.clear();
    }

    /// Whether replay may add commands of its own here.
    pub(super) fn can_patch(&self) -> Result<(), &'static str> {
        match (self.bundle, self.in_pass) {
            (true, _) => Err("what commands of a bundle read in memory cannot be translated"),
            (_, true) => Err("what commands of a render pass read in memory cannot be translated"),
            _ if self.state.has_program() => Err("what commands after SetProgram read in memory cannot be translated"),
            _ => Ok(()),
        }
    }

    /// Whether it depends on where things lie when it is executed.
    pub(super) fn asks(&self) -> bool {
        self.trusts || !self.trusts_tables.is_empty() || self.used.table.is_some()
    }

    /// For commands of replay's own: the memory that they use, and the state to give back.
    pub(super) fn parts(&mut self) -> (&mut UsedMemory, &ComputeState) {
        (&mut self.used, &self.state)
    }

    /// A call was made on the list. `first` is the id of its first argument, where that is an object.
    ///
    /// # Safety
    /// The words are valid arguments of the method.
    pub(super) unsafe fn note(&mut self, method: MethodId, first: u32, words: &[u64]) {
        match method {
            BEGIN_PASS => self.in_pass = true,
            END_PASS => self.in_pass = false,
            WRITE => self.writes = true,
            // SAFETY: the words are valid arguments of the method, says the caller.
            _ => unsafe { self.state.note(method, first, words) },
        }
    }
}

/// A root argument, as it was set.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Argument {
    /// A table or a view: how, and which.
    One(MethodId, u64),
    /// Constants by their places.
    Constants(BTreeMap<u32, u32>),
}

/// Compute root signature, the pipeline with the method that sets it, and the predicate with its offset and operation: ids, or
/// pointers once they are looked up.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct BoundState<T> {
    root: Option<T>,
    pipeline: Option<(MethodId, T)>,
    predicate: Option<(T, u64, u64)>,
}

impl BoundState<u64> {
    pub(super) fn has_predicate(&self) -> bool {
        self.predicate.is_some()
    }
}

impl BoundState<u32> {
    /// The pointers of these objects, as `pointer` finds them.
    pub(crate) fn look_up(
        self,
        mut pointer: impl FnMut(u32, InterfaceId) -> Result<u64, String>,
    ) -> Result<BoundState<u64>, String> {
        let root = self.root.map(|id| pointer(id, interface("ID3D12RootSignature"))).transpose()?;
        let pipeline = self.pipeline.map(|(method, id)| {
            let class = if method == STATE_OBJECT { "ID3D12StateObject" } else { "ID3D12PipelineState" };
            Ok::<_, String>((method, pointer(id, interface(class))?))
        });
        let predicate = self.predicate.map(|(id, offset, operation)| {
            Ok::<_, String>((pointer(id, interface("ID3D12Resource"))?, offset, operation))
        });
        Ok(BoundState { root, pipeline: pipeline.transpose()?, predicate: predicate.transpose()? })
    }
}

/// Root signature, pipeline and root arguments.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct ComputeState {
    bound: BoundState<u32>,
    arguments: BTreeMap<u32, Argument>,
}

impl ComputeState {
    fn begin(pipeline: u32) -> Self {
        let pipeline = (pipeline != 0).then_some((PIPELINE, pipeline));
        Self { bound: BoundState { root: None, pipeline, predicate: None }, ..Self::default() }
    }

    /// Root signature and pipeline of the program.
    pub(super) fn bound(&self) -> BoundState<u32> {
        self.bound
    }

    /// The state object that is set.
    pub(super) fn state_object(&self) -> Option<u32> {
        self.bound.pipeline.filter(|(method, _)| *method == STATE_OBJECT).map(|(_, id)| id)
    }

    fn has_program(&self) -> bool {
        self.bound.pipeline.is_some_and(|(method, _)| method == PROGRAM)
    }

    fn set_root(&mut self, root: u32) {
        // The same one again keeps the arguments.
        if self.bound.root != Some(root) {
            self.arguments.clear();
            self.bound.root = Some(root);
        }
    }

    /// # Safety
    /// The words are valid arguments of the method.
    unsafe fn note(&mut self, method: MethodId, first: u32, words: &[u64]) {
        match (method, words) {
            (CLEAR, _) => *self = Self::begin(first),
            (PREDICATION, &[_, offset, operation, ..]) => {
                self.bound.predicate = (first != 0).then_some((first, offset, operation));
            }
            (PIPELINE | STATE_OBJECT, _) => self.bound.pipeline = Some((method, first)),
            (PROGRAM, _) => self.bound.pipeline = Some((PROGRAM, 0)),
            (ROOT, _) => self.set_root(first),
            (TABLE | CBV | SRV | UAV, &[index, value, ..]) => {
                self.arguments.insert(index as u32, Argument::One(method, value));
            }
            (CONSTANT, &[index, value, at, ..]) => self.constants(index as u32, at as u32, [value as u32]),
            (CONSTANTS, &[index, count, values, at, ..]) => {
                let values = values as *const u32;
                // SAFETY: the words are valid arguments of `SetComputeRoot32BitConstants`, which states the count; nothing
                // says how the values are aligned.
                let values = (0..count as usize).map(|value| unsafe { values.add(value).read_unaligned() });
                self.constants(index as u32, at as u32, values);
            }
            _ => {}
        }
    }

    fn constants(&mut self, index: u32, at: u32, values: impl IntoIterator<Item = u32>) {
        let argument = self.arguments.entry(index).or_insert_with(|| Argument::Constants(BTreeMap::new()));
        if !matches!(argument, Argument::Constants(_)) {
            *argument = Argument::Constants(BTreeMap::new());
        }
        if let Argument::Constants(known) = argument {
            known.extend((at..).zip(values));
        }
    }

    /// A bundle ran, which left this state: all that it did not set is as before.
    pub(super) fn run_bundle(&mut self, left: ComputeState) {
        if let Some(root) = left.bound.root {
            self.set_root(root);
        }
        self.bound.pipeline = left.bound.pipeline.or(self.bound.pipeline);
        for (index, argument) in left.arguments {
            match argument {
                Argument::Constants(values) => {
                    values.iter().for_each(|(&at, &value)| self.constants(index, at, [value]))
                }
                one @ Argument::One(..) => drop(self.arguments.insert(index, one)),
            }
        }
    }

    /// The calls that set all of it, with these objects.
    fn calls(&self, bound: BoundState<u64>, mut call: impl FnMut(MethodId, &[u64])) {
        if let Some(root) = bound.root {
            call(ROOT, &[root]);
        }
        for (&index, argument) in &self.arguments {
            match argument {
                &Argument::One(method, value) => call(method, &[index.into(), value]),
                Argument::Constants(values) => {
                    values.iter().for_each(|(&at, &value)| call(CONSTANT, &[index.into(), value.into(), at.into()]));
                }
            }
        }
        if let Some((method, pipeline)) = bound.pipeline {
            call(method, &[pipeline]);
        }
        if let Some((buffer, offset, operation)) = bound.predicate {
            call(PREDICATION, &[buffer, offset, operation]);
        }
    }

    /// Gives it back to the list.
    ///
    /// # Safety
    /// The list is alive and recording; `bound` is what [`ComputeState::bound`] names, and alive.
    pub(super) unsafe fn restore(&self, runtime: &Runtime, list: u64, bound: BoundState<u64>) {
        self.calls(bound, |method, words| {
            // SAFETY: as the program called it, on the same list.
            unsafe { runtime.call(list, method, words) };
        });
    }
}

#[cfg(test)]
mod tests;
