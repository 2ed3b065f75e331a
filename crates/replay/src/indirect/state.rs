//! What a list's compute state is at this point of its recording: it is given back after commands of replay's own.
//!
//! Kept per list and by the list alone, so that lists can be followed side by side. Words are those of the runtime's side;
//! objects are kept by their ids: one that went since is missed where the state is given back, and never used.

use std::collections::BTreeMap;

use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::{interface, method};

use super::Used;
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

/// Methods that change what is kept here, besides `Reset` and `ExecuteBundle`.
pub(super) const LISTS: [MethodId; 13] =
    [CLEAR, PIPELINE, STATE_OBJECT, PROGRAM, ROOT, TABLE, CBV, SRV, UAV, CONSTANT, CONSTANTS, BEGIN_PASS, END_PASS];

/// What the creation of a list says of it.
#[derive(Clone, Copy)]
pub(crate) struct ListMade {
    pub(crate) bundle: bool,
    /// The allocator's id; 0 for a list that is made closed.
    pub(crate) allocator: u32,
    /// The first pipeline state's id; 0 for none.
    pub(crate) pipeline: u32,
}

/// A list that is followed.
pub(super) struct List {
    pub(super) state: State,
    pub(super) allocator: u32,
    pub(super) used: Used,
    bundle: bool,
    in_pass: bool,
}

impl List {
    pub(super) fn new(made: ListMade) -> Self {
        let state = State::begin(made.pipeline);
        Self { state, allocator: made.allocator, used: Used::default(), bundle: made.bundle, in_pass: false }
    }

    /// Begins another recording; what the last one used is elsewhere by now.
    pub(super) fn reset(&mut self, allocator: u32, pipeline: u32) {
        (self.state, self.allocator, self.in_pass) = (State::begin(pipeline), allocator, false);
    }

    /// Whether replay may add commands of its own here.
    pub(super) fn can_patch(&self) -> Result<(), &'static str> {
        match (self.bundle, self.in_pass) {
            (true, _) => Err("indirect commands in a bundle cannot be translated"),
            (_, true) => Err("indirect commands in a render pass cannot be translated"),
            _ if self.state.has_program() => Err("indirect commands after SetProgram cannot be translated"),
            _ => Ok(()),
        }
    }

    /// For commands of replay's own: what they use, and the state to give back.
    pub(super) fn parts(&mut self) -> (&mut Used, &State) {
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
            // SAFETY: by contract.
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

/// Compute root signature, and the pipeline with the method that sets it: ids, or pointers once they are looked up.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Bound<T> {
    root: Option<T>,
    pipeline: Option<(MethodId, T)>,
}

impl Bound<u32> {
    /// The pointers of these objects, as `pointer` finds them.
    pub(crate) fn look_up(
        self,
        mut pointer: impl FnMut(u32, InterfaceId) -> Result<u64, String>,
    ) -> Result<Bound<u64>, String> {
        let root = self.root.map(|id| pointer(id, interface("ID3D12RootSignature"))).transpose()?;
        let pipeline = self.pipeline.map(|(method, id)| {
            let class = if method == STATE_OBJECT { "ID3D12StateObject" } else { "ID3D12PipelineState" };
            Ok::<_, String>((method, pointer(id, interface(class))?))
        });
        Ok(Bound { root, pipeline: pipeline.transpose()? })
    }
}

/// What is bound, and the arguments of the root signature.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct State {
    bound: Bound<u32>,
    arguments: BTreeMap<u32, Argument>,
}

impl State {
    fn begin(pipeline: u32) -> Self {
        let pipeline = (pipeline != 0).then_some((PIPELINE, pipeline));
        Self { bound: Bound { root: None, pipeline }, ..Self::default() }
    }

    /// What the program has bound.
    pub(super) fn bound(&self) -> Bound<u32> {
        self.bound
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
            (PIPELINE | STATE_OBJECT, _) => self.bound.pipeline = Some((method, first)),
            (PROGRAM, _) => self.bound.pipeline = Some((PROGRAM, 0)),
            (ROOT, _) => self.set_root(first),
            (TABLE | CBV | SRV | UAV, &[index, value, ..]) => {
                self.arguments.insert(index as u32, Argument::One(method, value));
            }
            (CONSTANT, &[index, value, at, ..]) => self.constants(index as u32, at as u32, [value as u32]),
            (CONSTANTS, &[index, count, values, at, ..]) => {
                let values = values as *const u32;
                // SAFETY: so many values are there by contract; nothing says how they are aligned.
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

    /// A bundle ran, which left this: what it did not set is as before.
    pub(super) fn run_bundle(&mut self, left: State) {
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
    fn calls(&self, bound: Bound<u64>, mut call: impl FnMut(MethodId, &[u64])) {
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
    }

    /// Gives it back to the list.
    ///
    /// # Safety
    /// The list is alive and recording; `bound` is what [`State::bound`] names, and alive.
    pub(super) unsafe fn restore(&self, runtime: &Runtime, list: u64, bound: Bound<u64>) {
        self.calls(bound, |method, words| {
            // SAFETY: as the program called it, on the same list.
            unsafe { runtime.call(list, method, words) };
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// States and calls in words, by what the program would call in the end.
    fn calls(state: &State) -> Vec<(MethodId, Vec<u64>)> {
        let mut all = Vec::new();
        let bound = state.bound().look_up(|id, _| Ok(id.into())).unwrap();
        state.calls(bound, |method, words| all.push((method, words.to_vec())));
        all
    }

    fn after(state: &mut State, made: &[(MethodId, &[u64])]) {
        for (method, words) in made {
            // SAFETY: valid words; constants are behind their pointer.
            unsafe { state.note(*method, words[0] as u32, words) };
        }
    }

    #[test]
    fn what_was_set_last_is_given_back() {
        let mut state = State::begin(7);
        let values = [5u32, 6, 7];
        after(
            &mut state,
            &[
                (ROOT, &[100]),
                (CBV, &[0, 0x1000]),
                (CONSTANTS, &[1, 3, values.as_ptr() as u64, 2]),
                (CONSTANT, &[1, 9, 3]),
                (CBV, &[0, 0x2000]),
                (TABLE, &[2, 0x30]),
                (PIPELINE, &[8]),
                (ROOT, &[100]),
            ],
        );
        let expected = [
            (ROOT, vec![100]),
            (CBV, vec![0, 0x2000]),
            (CONSTANT, vec![1, 5, 2]),
            (CONSTANT, vec![1, 9, 3]),
            (CONSTANT, vec![1, 7, 4]),
            (TABLE, vec![2, 0x30]),
            (PIPELINE, vec![8]),
        ];
        assert_eq!(calls(&state), expected);
        after(&mut state, &[(ROOT, &[101])]);
        assert_eq!(calls(&state), [(ROOT, vec![101]), (PIPELINE, vec![8])], "another signature has no arguments");
        after(&mut state, &[(CLEAR, &[0])]);
        assert_eq!(calls(&state), []);
    }

    #[test]
    fn a_bundle_leaves_what_it_set() {
        let (mut list, mut bundle) = (State::begin(1), State::begin(2));
        after(&mut list, &[(ROOT, &[100]), (CBV, &[0, 1]), (SRV, &[1, 2])]);
        after(&mut bundle, &[(SRV, &[1, 3]), (CONSTANT, &[2, 4, 0])]);
        list.run_bundle(bundle.clone());
        let expected =
            [(ROOT, vec![100]), (CBV, vec![0, 1]), (SRV, vec![1, 3]), (CONSTANT, vec![2, 4, 0]), (PIPELINE, vec![2])];
        assert_eq!(calls(&list), expected);
        after(&mut bundle, &[(ROOT, &[101]), (UAV, &[0, 5])]);
        list.run_bundle(bundle);
        assert_eq!(calls(&list), [(ROOT, vec![101]), (UAV, vec![0, 5]), (PIPELINE, vec![2])]);
    }

    #[test]
    fn bundles_and_passes_take_no_commands_of_ours() {
        let made = |bundle| List::new(ListMade { bundle, allocator: 1, pipeline: 0 });
        assert!(made(true).can_patch().is_err());
        let mut list = made(false);
        assert!(list.can_patch().is_ok());
        // SAFETY: methods that take no notice of their words here.
        unsafe {
            list.note(BEGIN_PASS, 0, &[0, 0, 0, 0]);
            assert!(list.can_patch().is_err());
            list.note(END_PASS, 0, &[]);
        }
        assert!(list.can_patch().is_ok());
    }

    /// A program is not known by an object: it can be set by the program alone.
    #[test]
    fn programs_of_state_objects_are_not_given_back() {
        let mut list = List::new(ListMade { bundle: false, allocator: 1, pipeline: 3 });
        for (over, first) in [(PIPELINE, 4), (STATE_OBJECT, 5), (CLEAR, 0)] {
            // SAFETY: methods that take no notice of their words here.
            unsafe {
                list.note(PROGRAM, 0, &[0x1000]);
                assert!(list.can_patch().unwrap_err().contains("SetProgram"));
                list.note(over, first, &[0x2000]);
            }
            assert!(list.can_patch().is_ok());
        }
        let mut bundle = State::begin(0);
        // SAFETY: as above.
        unsafe { bundle.note(PROGRAM, 0, &[0x1000]) };
        list.state.run_bundle(bundle);
        assert!(list.can_patch().is_err(), "the bundle left it");
        list.reset(1, 0);
        assert!(list.can_patch().is_ok());
    }
}
