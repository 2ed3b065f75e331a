//! What a list's compute state is at this point of its recording: it is given back after commands of replay's own.
//!
//! Kept per list and by the list alone, so that lists can be followed side by side. Words are those of the runtime's side.

use std::collections::BTreeMap;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use super::Used;
use crate::runtime::Runtime;

const CLEAR: MethodId = method("ID3D12GraphicsCommandList", "ClearState");
const PIPELINE: MethodId = method("ID3D12GraphicsCommandList", "SetPipelineState");
const STATE_OBJECT: MethodId = method("ID3D12GraphicsCommandList4", "SetPipelineState1");
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
pub(super) const LISTS: [MethodId; 12] =
    [CLEAR, PIPELINE, STATE_OBJECT, ROOT, TABLE, CBV, SRV, UAV, CONSTANT, CONSTANTS, BEGIN_PASS, END_PASS];

/// What the creation of a list says of it.
#[derive(Clone, Copy)]
pub(crate) struct ListMade {
    pub(crate) bundle: bool,
    /// The allocator's id; 0 for a list that is made closed.
    pub(crate) allocator: u32,
    /// The first pipeline state; 0 for none.
    pub(crate) pipeline: u64,
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
    pub(super) fn reset(&mut self, allocator: u32, pipeline: u64) {
        (self.state, self.allocator, self.in_pass) = (State::begin(pipeline), allocator, false);
    }

    /// Whether replay may add commands of its own here.
    pub(super) fn can_patch(&self) -> Result<(), &'static str> {
        match (self.bundle, self.in_pass) {
            (true, _) => Err("indirect commands in a bundle cannot be translated"),
            (_, true) => Err("indirect commands in a render pass cannot be translated"),
            _ => Ok(()),
        }
    }

    /// For commands of replay's own: what they use, and the state to give back.
    pub(super) fn parts(&mut self) -> (&mut Used, &State) {
        (&mut self.used, &self.state)
    }

    /// A call was made on the list.
    ///
    /// # Safety
    /// The words are valid arguments of the method.
    pub(super) unsafe fn note(&mut self, method: MethodId, words: &[u64]) {
        match method {
            BEGIN_PASS => self.in_pass = true,
            END_PASS => self.in_pass = false,
            // SAFETY: by contract.
            _ => unsafe { self.state.note(method, words) },
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

/// Pipeline, compute root signature and its arguments.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct State {
    root: Option<u64>,
    pipeline: Option<(MethodId, u64)>,
    arguments: BTreeMap<u32, Argument>,
}

impl State {
    fn begin(pipeline: u64) -> Self {
        Self { pipeline: (pipeline != 0).then_some((PIPELINE, pipeline)), ..Self::default() }
    }

    fn set_root(&mut self, root: u64) {
        // The same one again keeps the arguments.
        if self.root != Some(root) {
            self.arguments.clear();
            self.root = Some(root);
        }
    }

    /// # Safety
    /// The words are valid arguments of the method.
    unsafe fn note(&mut self, method: MethodId, words: &[u64]) {
        match (method, words) {
            (CLEAR, &[pipeline, ..]) => *self = Self::begin(pipeline),
            (PIPELINE | STATE_OBJECT, &[pipeline, ..]) => self.pipeline = Some((method, pipeline)),
            (ROOT, &[root, ..]) => self.set_root(root),
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
        if let Some(root) = left.root {
            self.set_root(root);
        }
        self.pipeline = left.pipeline.or(self.pipeline);
        for (index, argument) in left.arguments {
            match argument {
                Argument::Constants(values) => {
                    values.iter().for_each(|(&at, &value)| self.constants(index, at, [value]))
                }
                one @ Argument::One(..) => drop(self.arguments.insert(index, one)),
            }
        }
    }

    /// The calls that set all of it.
    fn calls(&self, mut call: impl FnMut(MethodId, &[u64])) {
        if let Some(root) = self.root {
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
        if let Some((method, pipeline)) = self.pipeline {
            call(method, &[pipeline]);
        }
    }

    /// Gives it back to the list.
    ///
    /// # Safety
    /// The list is alive and recording, and so is what the program set.
    pub(super) unsafe fn restore(&self, runtime: &Runtime, list: u64) {
        self.calls(|method, words| {
            // SAFETY: as the program called it, on the same list.
            unsafe { runtime.call(list, method, words) };
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States and calls in words, by what the program would call in the end.
    fn calls(state: &State) -> Vec<(MethodId, Vec<u64>)> {
        let mut all = Vec::new();
        state.calls(|method, words| all.push((method, words.to_vec())));
        all
    }

    fn after(state: &mut State, made: &[(MethodId, &[u64])]) {
        for (method, words) in made {
            // SAFETY: valid words; constants are behind their pointer.
            unsafe { state.note(*method, words) };
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
            list.note(BEGIN_PASS, &[0, 0, 0, 0]);
            assert!(list.can_patch().is_err());
            list.note(END_PASS, &[]);
        }
        assert!(list.can_patch().is_ok());
    }
}
