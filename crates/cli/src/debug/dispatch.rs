//! What a trace says of a dispatch: its shader, its groups, what is bound. Of a shader of a draw it is the same, without groups.

use super::sampler::{self, Border};
use crate::ours::{self, Argument, Compiled, Slots};
use anyhow::{Context, anyhow};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_INDIRECT_ARGUMENT_DESC, D3D12_INDIRECT_ARGUMENT_TYPE as Type,
    D3D12_RESOURCE_DESC1,
};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Kind;
use reprise_dxbc::root_signature::StaticSampler;
use reprise_interpreter::{Descriptor, Sampler};
use reprise_timeline::argument::{Argument as Parameter, ObjectId};
use reprise_timeline::index::{BundleRun, Index, IndexError};
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::bindings::{self, Bound as Bindings, root_signature};
use reprise_timeline::state::descriptors::View;
use reprise_timeline::state::lists::{Action, Bound, Pipeline, RootView, Roots, action, strided};
use reprise_timeline::state::memory;
use reprise_timeline::{State, argument};
use reprise_trace::read::{Trace, content_hash};
use reprise_view::shaders;
use std::cell::Cell;
use std::fmt::Write;
use std::sync::Arc;

const DISPATCH: MethodId = method("ID3D12GraphicsCommandList", "Dispatch");
const X: Parameter<u32> = argument!("ID3D12GraphicsCommandList", "Dispatch", "ThreadGroupCountX");
const Y: Parameter<u32> = argument!("ID3D12GraphicsCommandList", "Dispatch", "ThreadGroupCountY");
const Z: Parameter<u32> = argument!("ID3D12GraphicsCommandList", "Dispatch", "ThreadGroupCountZ");

/// Methods that make resources of tiles.
const RESERVED: [MethodId; 3] = [
    method("ID3D12Device", "CreateReservedResource"),
    method("ID3D12Device4", "CreateReservedResource1"),
    method("ID3D12Device10", "CreateReservedResource2"),
];

const SIGNATURE: Parameter<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCommandSignature");
const MOST: Parameter<u32> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "MaxCommandCount");
const ARGUMENTS: Parameter<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pArgumentBuffer");
const OFFSET: Parameter<u64> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "ArgumentBufferOffset");
const COUNT: Parameter<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "pCountBuffer");
const COUNT_OFFSET: Parameter<u64> = argument!("ID3D12GraphicsCommandList", "ExecuteIndirect", "CountBufferOffset");

/// Calls of a bundle that are looked at.
const MOST_CALLS: usize = 1024;
/// Commands of an indirect call.
const MOST_COMMANDS: u32 = 4096;
/// Root constants that a command sets at once.
const MOST_WORDS: u32 = 64;

/// Views of a table's range that are looked at although the shader does not use them.
const MOST_VIEWS: u32 = 64;

/// Why a call cannot be debugged.
#[derive(Debug)]
pub(crate) enum Refused {
    /// What was asked for is not there.
    Asked(String),
    /// It is there, and not supported, or cannot be read.
    Unsupported(String),
    /// The trace.
    Trace(IndexError),
}

impl From<IndexError> for Refused {
    fn from(error: IndexError) -> Refused {
        match error {
            IndexError::NoCall { .. } => Refused::Asked(error.to_string()),
            error => Refused::Trace(error),
        }
    }
}

impl From<anyhow::Error> for Refused {
    fn from(error: anyhow::Error) -> Refused {
        Refused::Unsupported(format!("{error:#}"))
    }
}

/// A dispatch, or what one call makes of several.
pub(crate) struct Dispatch {
    /// The call that was asked for.
    pub(crate) call: u64,
    /// The call at which contents are looked at: the same, or the one that runs its bundle.
    pub(crate) seen: u64,
    /// The call that submits its list.
    pub(crate) submission: u64,
    /// What the GPU runs at that call, in order.
    pub(crate) commands: Vec<Command>,
    /// The one of these that is asked for.
    pub(crate) chosen: usize,
    /// Where commands are that the GPU reads.
    pub(crate) indirect: Option<Indirect>,
    /// A predicate is set: the GPU may leave the call out.
    pub(crate) predicated: bool,
    /// What is known where the list is submitted.
    state: State,
    /// The command that runs.
    current: Cell<usize>,
}

/// A dispatch as the GPU runs it.
#[derive(Clone)]
pub(crate) struct Command {
    /// Groups in each direction.
    pub(crate) groups: [u32; 3],
    /// XXH3-128 of the shader's container.
    pub(crate) hash: u128,
    pub(crate) container: Arc<[u8]>,
    pub(crate) compiled: Compiled,
    /// The block of root arguments.
    pub(crate) root: Vec<u8>,
    /// Root parameters with their arguments.
    bindings: Vec<bindings::Binding>,
    /// The bound heaps of views and of samplers.
    heaps: [Option<u32>; 2],
    /// Of the root signature.
    samplers: Vec<StaticSampler>,
    /// Buffers of root descriptors for writing that the command itself sets.
    written: Vec<u32>,
}

/// The class of a pipeline's shader and what is bound, where its commands are read from buffers.
pub(crate) struct Indirect {
    /// The buffer of commands, and where they begin.
    pub(crate) commands: (u32, u64),
    /// The buffer of their number, and where that is.
    pub(crate) count: Option<(u32, u64)>,
    most: u32,
    stride: u64,
    arguments: Vec<D3D12_INDIRECT_ARGUMENT_DESC>,
}

impl Command {
    /// What is bound where a call dispatches.
    fn of(trace: &Trace, state: &State, bound: &Bound, groups: [u32; 3]) -> anyhow::Result<Command> {
        let (hash, container) = shader(trace, state, bound)?;
        Command::bound_to(trace, state, (bound, &bound.compute), (hash, container), groups)
    }

    /// A shader with what is bound where a call runs it.
    fn bound_to(
        trace: &Trace,
        state: &State,
        (bound, roots): (&Bound, &Roots),
        (hash, container): (u128, Arc<[u8]>),
        groups: [u32; 3],
    ) -> anyhow::Result<Command> {
        let signature = signature(trace, state, roots)?;
        let compiled = ours::compile(&container, &signature).context("its shader")?;
        let heaps = bound.heaps.as_ref().map_or(&[][..], |heaps| heaps.value.as_slice());
        let heap =
            |kind: i32| heaps.iter().copied().find(|id| state.descriptors.heap(*id).is_some_and(|it| it.kind == kind));
        let heaps = [heap(D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV.0), heap(D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER.0)];
        let bindings = bindings::bindings(state, roots, &signature);
        let root = root(&bindings, &compiled);
        let (samplers, written) = (signature.samplers, Vec::new());
        Ok(Command { groups, hash, container, compiled, root, bindings, heaps, samplers, written })
    }

    /// Sets words of the block of root arguments, from a word of a parameter's own.
    fn put(&mut self, parameter: u32, from: u32, words: &[u32]) -> Result<(), String> {
        let argument = self.compiled.arguments.get(parameter as usize);
        let (at, count) = match argument {
            Some(Argument::Constants(at, count)) => (*at, *count),
            Some(Argument::Address(at)) => (*at, 2),
            _ => return Err(format!("a command sets root parameter {parameter}, which is no constants and no view")),
        };
        for (behind, word) in (from..count).zip(words) {
            let at = (at + behind) as usize * 4;
            if let Some(bytes) = self.root.get_mut(at..at + 4) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
        Ok(())
    }
}

impl Dispatch {
    /// The dispatch of a call, as a submission runs it; without one the first that does.
    ///
    /// # Errors
    /// When there is none, or it cannot be debugged.
    pub(crate) fn of(
        trace: &Trace,
        index: &mut Index,
        call: u64,
        submission: Option<u64>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Dispatch, Refused> {
        let moment = index.at(trace, call, progress)?;
        let entered = moment.call.call();
        let asked = |what: &str| Err(Refused::Asked(format!("call {call}: {what}")));
        let unsupported = |what: &str| Err(Refused::Unsupported(format!("call {call}: {what}")));
        match action(entered.method) {
            _ if entered.method == DISPATCH => {}
            Some(Action::Indirect) => {}
            Some(action) if action.draws() => {
                return asked(
                    "the call draws, and has no threads: name a vertex by --vertex I, or a pixel by --pixel X,Y",
                );
            }
            Some(Action::DispatchRays | Action::DispatchGraph) => {
                return unsupported("shaders of state objects are not supported yet");
            }
            _ => return asked("the call dispatches nothing: `reprise dump --methods Dispatch` lists calls that do"),
        }
        let state = &moment.state;
        let Some(own) = state.lists.get(entered.object) else { return asked("the trace does not have its list") };
        // A bundle's dispatch is made where a list runs the bundle.
        let run = match own.is_bundle() {
            false => None,
            true => {
                let runs: Vec<_> = index.chronicle().runs_of(entered.object, own.begun, call).copied().collect();
                let submits = |run: &&BundleRun| match submission {
                    Some(submission) => index.chronicle().submissions.iter().any(|ran| {
                        let lists = || ran.lists.iter().any(|it| (it.list, it.begun) == (run.list, run.list_begun));
                        ran.call == submission && lists()
                    }),
                    None => index.chronicle().submission_of(run.list, run.list_begun, run.call).is_some(),
                };
                let Some(run) = runs.iter().find(submits) else {
                    return asked("no list that is submitted runs its bundle");
                };
                Some(*run)
            }
        };
        let (list, begun, seen) = match run {
            Some(run) => (run.list, run.list_begun, run.call),
            None => (entered.object, own.begun, call),
        };
        let ran = match submission {
            Some(submission) => index.chronicle().submissions.iter().find(|ran| {
                ran.call == submission && ran.lists.iter().any(|ran| ran.list == list && ran.begun == begun)
            }),
            None => index.chronicle().submission_of(list, begun, seen),
        };
        let Some(ran) = ran.map(|ran| ran.call) else {
            return asked(match submission {
                Some(_) => "the submission that is asked for does not run its list",
                None => "no submission runs its list",
            });
        };
        let mut commands = Vec::new();
        let mut chosen = 0;
        let mut indirect = None;
        let mut predicated = own.bound.predication.is_some_and(|set| set.value.is_some());
        let at_call = || format!("call {call}");
        match run {
            None => {
                if entered.method != DISPATCH {
                    indirect = Some(Indirect::of(&entered, state).map_err(|what| anyhow!("call {call}: {what}"))?);
                }
                let groups = groups(&entered).with_context(at_call)?;
                commands.push(Command::of(trace, state, &own.bound, groups).with_context(at_call)?);
            }
            Some(run) => {
                if entered.method != DISPATCH {
                    indirect = Some(Indirect::of(&entered, state).map_err(|what| anyhow!("call {call}: {what}"))?);
                }
                let outer = index.at(trace, run.call, progress)?;
                let Some(list) = outer.state.lists.get(run.list) else {
                    return asked("the trace does not have its list");
                };
                let Some(bundle) = outer.state.lists.get(run.bundle) else { return asked("its bundle is gone") };
                predicated |= list.bound.predication.is_some_and(|set| set.value.is_some());
                let calls: Vec<u64> = bundle.calls.iter().take(MOST_CALLS + 1).collect();
                if calls.len() > MOST_CALLS {
                    return unsupported("a bundle of so many calls is not supported yet");
                }
                // What the bundle leaves is what all of its calls leave.
                for inner in calls {
                    let moment = index.at(trace, inner, progress)?;
                    let entered = moment.call.call();
                    match action(entered.method) {
                        None => continue,
                        Some(_) if entered.method == DISPATCH => {}
                        Some(Action::Indirect) if inner == call => {}
                        Some(_) => {
                            return unsupported(
                                "its bundle draws or has other indirect calls, which is not supported yet",
                            );
                        }
                    }
                    let Some(own) = moment.state.lists.get(entered.object) else { continue };
                    let same = |one, other| outer.state.lists.are_same(one, other);
                    let bound = Bound::within(&list.bound, &own.bound, same);
                    let groups = groups(&entered).with_context(at_call)?;
                    if inner == call {
                        chosen = commands.len();
                    }
                    commands.push(Command::of(trace, &outer.state, &bound, groups).with_context(at_call)?);
                }
            }
        }
        if indirect.is_some() && commands.len() > 1 {
            return unsupported("its bundle dispatches elsewhere, too, which is not supported yet for indirect calls");
        }
        // Descriptors are read when the list runs.
        let state = index.at(trace, ran, progress)?.state;
        let current = Cell::new(chosen);
        Ok(Dispatch { call, seen, submission: ran, commands, chosen, indirect, predicated, state, current })
    }

    /// A shader of a draw with what is bound there. What is known is that of the call: the caller goes on to the submission.
    pub(super) fn bound_to(
        trace: &Trace,
        state: &State,
        (call, submission): (u64, u64),
        (bound, roots): (&Bound, &Roots),
        shader: (u128, Arc<[u8]>),
    ) -> anyhow::Result<Dispatch> {
        let command = Command::bound_to(trace, state, (bound, roots), shader, [1; 3]);
        let commands = vec![command.with_context(|| format!("call {call}"))?];
        let predicated = bound.predication.as_ref().is_some_and(|set| set.value.is_some());
        let (chosen, indirect, state, current) = (0, None, State::default(), Cell::new(0));
        Ok(Dispatch { call, seen: call, submission, commands, chosen, indirect, predicated, state, current })
    }

    /// What is known where the list is submitted.
    pub(super) fn at_submission(self, state: State) -> Dispatch {
        Dispatch { state, ..self }
    }

    /// The command that runs.
    pub(crate) fn command(&self) -> &Command {
        // There is always one, of which the others are made.
        &self.commands[self.current.get().min(self.commands.len() - 1)]
    }

    /// Another command runs.
    pub(crate) fn begin(&self, command: usize) {
        self.current.set(command);
    }

    /// Puts in the commands that the GPU read, of which one is asked for.
    ///
    /// # Errors
    /// There are not so many, or they cannot be made.
    pub(crate) fn resolve(&mut self, commands: &[u8], count: Option<&[u8]>, chosen: usize) -> Result<(), Refused> {
        let Some(indirect) = &self.indirect else { return Ok(()) };
        let call = self.call;
        let word = |bytes: &[u8], at: u64| {
            let bytes = bytes.get(usize::try_from(at).ok()?..)?.first_chunk::<4>()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let short =
            |what: &str| Refused::Unsupported(format!("call {call}: {what} lie beyond the end of their buffer"));
        let mut many = indirect.most;
        if let (Some((_, at)), Some(bytes)) = (indirect.count, count) {
            many = many.min(word(bytes, at).ok_or_else(|| short("the number of its commands"))?);
        }
        if chosen >= many as usize {
            return Err(Refused::Asked(format!(
                "call {call}: there is no command {chosen}: the GPU read {many} of them"
            )));
        }
        if many > MOST_COMMANDS {
            let what = format!("call {call}: the GPU read {many} commands, more than {MOST_COMMANDS}");
            return Err(Refused::Unsupported(what));
        }
        let Some(base) = self.commands.first().cloned() else { return Ok(()) };
        let mut all = Vec::new();
        for number in 0..many {
            let mut at = indirect.commands.1 + u64::from(number) * indirect.stride;
            let mut command = Command { groups: [0; 3], ..base.clone() };
            let mut next = || {
                let found = word(commands, at).ok_or_else(|| short("its commands"));
                at += 4;
                found
            };
            for argument in &indirect.arguments {
                let union = argument.Anonymous;
                let named = |what: String| Refused::Unsupported(format!("call {call}, command {number}: {what}"));
                // SAFETY: every member of the union is numbers, and all of its bytes were read from the trace.
                unsafe {
                    match argument.Type {
                        Type::DISPATCH => command.groups = [next()?, next()?, next()?],
                        Type::CONSTANT => {
                            let it = union.Constant;
                            let count = it.Num32BitValuesToSet.min(MOST_WORDS);
                            let words: Vec<u32> = (0..count).map(|_| next()).collect::<Result<_, _>>()?;
                            command.put(it.RootParameterIndex, it.DestOffsetIn32BitValues, &words).map_err(named)?;
                        }
                        Type::INCREMENTING_CONSTANT => {
                            let it = union.IncrementingConstant;
                            let (parameter, offset) = (it.RootParameterIndex, it.DestOffsetIn32BitValues);
                            command.put(parameter, offset, &[number]).map_err(named)?;
                        }
                        Type::CONSTANT_BUFFER_VIEW | Type::SHADER_RESOURCE_VIEW | Type::UNORDERED_ACCESS_VIEW => {
                            let parameter = union.ConstantBufferView.RootParameterIndex;
                            let words = [next()?, next()?];
                            command.put(parameter, 0, &words).map_err(named)?;
                            let address = u64::from(words[0]) | u64::from(words[1]) << 32;
                            if argument.Type == Type::UNORDERED_ACCESS_VIEW {
                                let found = self.state.addresses.resource(address);
                                command.written.extend(found.map(|location| location.resource));
                            }
                        }
                        _ => return Err(named("it does not dispatch threads of a compute shader".to_owned())),
                    }
                }
            }
            all.push(command);
        }
        (self.commands, self.chosen) = (all, chosen);
        self.current.set(chosen);
        Ok(())
    }

    /// The view or sampler in a descriptor of the heaps.
    pub(crate) fn view(&self, descriptor: Descriptor) -> Result<Option<&View>, String> {
        let samplers = descriptor.binding == Slots::SAMPLER;
        let heap = self.command().heaps[usize::from(samplers)].ok_or("no descriptor heap is set")?;
        let slot = Slot { heap, index: descriptor.index };
        let count = self.state.descriptors.heap(heap).map_or(0, |heap| heap.count);
        if descriptor.index >= count {
            return Err(format!("descriptor {} is beyond the {count} of heap {heap}", descriptor.index));
        }
        let found = self.state.descriptors.get(slot);
        let found = found.ok_or_else(|| format!("descriptor {} of heap {heap} was never written", descriptor.index))?;
        Ok(Some(&*found.view).filter(|view| view.resource != 0 || !view.bytes().is_empty()))
    }

    /// A sampler, and the colour of its border.
    pub(crate) fn sampler(&self, descriptor: Descriptor) -> Result<(Sampler, Border), String> {
        if descriptor.set == Slots::STATIC_SAMPLERS {
            let found = self.command().samplers.get(descriptor.binding as usize);
            return found.map(sampler::of_static).ok_or_else(|| "the root signature has no such sampler".to_owned());
        }
        let view = self.view(descriptor)?.ok_or("the descriptor is no sampler")?;
        sampler::of_view(view)
    }

    /// Whether a resource is reserved: made of tiles that are in memory or not.
    pub(crate) fn is_reserved(&self, resource: u32) -> bool {
        let object = self.state.objects.get(resource);
        object.is_some_and(|object| RESERVED.contains(&object.creation().method))
    }

    /// Where an address lies: the buffer and the offset in it.
    pub(crate) fn located(&self, address: u64) -> Option<(u32, u64)> {
        self.state.addresses.resource(address).map(|location| (location.resource, location.offset))
    }

    /// The address of a buffer's beginning.
    pub(crate) fn address_of(&self, resource: u32) -> Option<u64> {
        self.state.addresses.of_resource(resource).map(|(address, _)| address)
    }

    /// How a resource was made.
    pub(crate) fn made(&self, resource: u32) -> Result<D3D12_RESOURCE_DESC1, String> {
        let object = self.state.objects.get(resource);
        let object = object.ok_or_else(|| format!("resource {resource} is gone where the list is submitted"))?;
        let made = memory::resource(&object.creation()).map_err(|error| format!("resource {resource}: {error}"))?;
        made.ok_or_else(|| format!("how resource {resource} was made is not known"))
    }

    /// The unordered views that tables lead to, and the buffers of root descriptors for writing.
    pub(crate) fn writable(&self) -> (Vec<Descriptor>, Vec<u32>) {
        let (mut views, mut buffers) = (Vec::new(), self.command().written.clone());
        for binding in &self.command().bindings {
            match &binding.content {
                Bindings::View { view: RootView::Write, location: Some(location), .. } => {
                    buffers.push(location.resource)
                }
                Bindings::Table { ranges, .. } => {
                    for range in ranges.iter().filter(|range| range.register.kind == Kind::Uav) {
                        let Some(first) = range.first else { continue };
                        let count = range.count.unwrap_or(MOST_VIEWS).min(MOST_VIEWS);
                        views.extend((0..count).filter_map(|behind| {
                            let index = first.index.checked_add(behind)?;
                            Some(Descriptor { set: Slots::HEAPS, binding: Slots::STORAGE_BUFFER, index })
                        }));
                    }
                }
                _ => {}
            }
        }
        (views, buffers)
    }

    /// A descriptor as HLSL has it, where a table leads to it: `t3`, `u0, space2`.
    pub(crate) fn register(&self, descriptor: Descriptor) -> Option<String> {
        if descriptor.set == Slots::STATIC_SAMPLERS {
            return Some(format!("static sampler {}", descriptor.binding));
        }
        let kind = match descriptor.binding {
            Slots::UNIFORM_BUFFER => [Kind::Cbv; 2],
            Slots::SAMPLER => [Kind::Sampler; 2],
            Slots::STORAGE_IMAGE | Slots::STORAGE_TEXEL | Slots::ADDRESSES => [Kind::Uav; 2],
            Slots::SAMPLED_IMAGE | Slots::UNIFORM_TEXEL => [Kind::Srv; 2],
            _ => [Kind::Srv, Kind::Uav],
        };
        let tables = self.command().bindings.iter().filter_map(|binding| match &binding.content {
            Bindings::Table { ranges, .. } => Some(ranges),
            _ => None,
        });
        let found = tables.flatten().find_map(|range| {
            let first = range.first?;
            let behind = descriptor.index.checked_sub(first.index)?;
            let here = kind.contains(&range.register.kind) && range.count.is_none_or(|count| behind < count);
            here.then_some((range.register, behind))
        });
        let (register, behind) = found?;
        let letter = match register.kind {
            Kind::Srv => 't',
            Kind::Uav => 'u',
            Kind::Cbv => 'b',
            Kind::Sampler => 's',
        };
        let mut name = format!("{letter}{}", register.number.saturating_add(behind));
        if register.space != 0 {
            let _ = write!(name, ", space{}", register.space);
        }
        Some(name)
    }
}

/// The groups of a direct dispatch; none of an indirect one.
fn groups(call: &reprise_timeline::Call<'_>) -> anyhow::Result<[u32; 3]> {
    if call.method != DISPATCH {
        return Ok([0; 3]);
    }
    let damaged = |error: reprise_timeline::argument::Damaged| anyhow!("{error}");
    Ok([X.of(call).map_err(damaged)?, Y.of(call).map_err(damaged)?, Z.of(call).map_err(damaged)?])
}

impl Indirect {
    /// What an indirect call says of its commands.
    fn of(call: &reprise_timeline::Call<'_>, state: &State) -> Result<Indirect, String> {
        let damaged = |error: reprise_timeline::argument::Damaged| error.to_string();
        let signature = SIGNATURE.of(call).map_err(damaged)?.0;
        let object = state.objects.get(signature);
        let object = object.ok_or_else(|| format!("command signature {signature} is gone"))?;
        let (stride, arguments) = strided(&object.creation()).ok_or("its command signature is damaged")?;
        if arguments.last().is_none_or(|last| last.Type != Type::DISPATCH) {
            return Err("its commands draw, or trace rays: --vertex and --pixel are for draws".to_owned());
        }
        let commands = (ARGUMENTS.of(call).map_err(damaged)?.0, OFFSET.of(call).map_err(damaged)?);
        let count = (COUNT.of(call).map_err(damaged)?.0, COUNT_OFFSET.of(call).map_err(damaged)?);
        let count = (count.0 != 0).then_some(count);
        let most = MOST.of(call).map_err(damaged)?;
        Ok(Indirect { commands, count, most, stride: stride.into(), arguments })
    }
}

/// The compute shader that is bound, and its hash.
fn shader(trace: &Trace, state: &State, bound: &Bound) -> anyhow::Result<(u128, Arc<[u8]>)> {
    let pipeline = match bound.pipeline.map(|pipeline| pipeline.value) {
        Some(Pipeline::State(id)) if id != 0 => id,
        Some(Pipeline::StateObject(_) | Pipeline::Program(_)) => {
            return Err(anyhow!("a program of a state object is not supported yet"));
        }
        _ => return Err(anyhow!("no pipeline is set")),
    };
    let object = state.objects.get(pipeline).ok_or_else(|| anyhow!("pipeline {pipeline} is gone"))?;
    let found = shaders::of_call(trace, &object.creation()).map_err(|error| anyhow!("pipeline {pipeline}: {error}"))?;
    let compute = found.into_iter().find(|(stage, _)| *stage == "CS");
    let (_, content) =
        compute.ok_or_else(|| anyhow!("pipeline {pipeline} has no compute shader that the trace holds"))?;
    let bytes = content.bytes(trace)?;
    Ok((content_hash(&bytes), bytes))
}

fn signature(trace: &Trace, state: &State, roots: &Roots) -> anyhow::Result<RootSignature> {
    let id = roots.signature.map(|set| set.value).filter(|id| *id != 0);
    let id = id.ok_or_else(|| anyhow!("no root signature is set"))?;
    let blob = |place| trace.blob_by_id(place).map_err(|error| error.to_string());
    root_signature(blob, state, id).map(|(signature, _)| signature).map_err(|error| anyhow!(error))
}

/// Where a table is taken to begin that is not set, or whose handle is in no heap: beyond every heap, so that what it leads to is refused.
const NOWHERE: u32 = 1 << 31;

/// The block of root arguments. Words that no call set are 0, but for tables.
fn root(bindings: &[bindings::Binding], compiled: &Compiled) -> Vec<u8> {
    let mut words = vec![0u32; compiled.root_words as usize];
    let mut put = |at: u32, word: u32| {
        if let Some(place) = words.get_mut(at as usize) {
            *place = word;
        }
    };
    for (binding, argument) in bindings.iter().zip(&compiled.arguments) {
        match (&binding.content, argument) {
            (Bindings::Constants(_, set), Argument::Constants(at, count)) => {
                for (behind, word) in (0..*count).zip(set) {
                    put(at + behind, word.unwrap_or(0));
                }
            }
            (Bindings::View { address, .. }, Argument::Address(at)) => {
                let address = address.unwrap_or(0);
                put(*at, address as u32);
                put(at + 1, (address >> 32) as u32);
            }
            (Bindings::Table { slot, .. }, Argument::Table(at)) => put(*at, slot.map_or(NOWHERE, |slot| slot.index)),
            _ => {}
        }
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
