//! What a trace says of a dispatch: its shader, its groups, what is bound.

use super::sampler::{self, Border};
use crate::ours::{self, Argument, Compiled, Slots};
use anyhow::{Context, anyhow};
use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_RESOURCE_DESC1};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::Kind;
use reprise_dxbc::root_signature::StaticSampler;
use reprise_interpreter::{Descriptor, Sampler};
use reprise_timeline::argument::Argument as Parameter;
use reprise_timeline::index::{Index, IndexError};
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::bindings::{self, Bound as Bindings, root_signature};
use reprise_timeline::state::descriptors::View;
use reprise_timeline::state::lists::{Action, Bound, Pipeline, RootView, action};
use reprise_timeline::state::memory;
use reprise_timeline::{State, argument};
use reprise_trace::read::{Trace, content_hash};
use reprise_view::shaders;
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

/// A dispatch.
pub(crate) struct Dispatch {
    /// The call.
    pub(crate) call: u64,
    /// The call that submits its list.
    pub(crate) submission: u64,
    /// Groups in each direction.
    pub(crate) groups: [u32; 3],
    /// XXH3-128 of the shader's container.
    pub(crate) hash: u128,
    pub(crate) compiled: Compiled,
    /// The block of root arguments.
    pub(crate) root: Vec<u8>,
    /// A predicate is set: the GPU may leave the call out.
    pub(crate) predicated: bool,
    /// What is known where the list is submitted.
    state: State,
    /// Root parameters with their arguments.
    bindings: Vec<bindings::Binding>,
    /// The bound heaps of views and of samplers.
    heaps: [Option<u32>; 2],
    /// Of the root signature.
    samplers: Vec<StaticSampler>,
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
            Some(Action::Indirect) => {
                return unsupported(
                    "an indirect call, whose groups the GPU knows, is not supported yet: ask at Dispatch",
                );
            }
            Some(action) if action.draws() => {
                return asked("the call draws, and has no threads: --vertex and --pixel are for draws");
            }
            _ => return asked("the call dispatches nothing: `reprise dump --methods Dispatch` lists calls that do"),
        }
        let state = &moment.state;
        let Some(list) = state.lists.get(entered.object) else { return asked("the trace does not have its list") };
        if list.is_bundle() {
            return unsupported("a dispatch in a bundle is not supported yet");
        }
        let ran = match submission {
            Some(submission) => index.chronicle().submissions.iter().find(|ran| {
                ran.call == submission
                    && ran.lists.iter().any(|ran| ran.list == entered.object && ran.begun == list.begun)
            }),
            None => index.chronicle().submission_of(entered.object, list.begun, call),
        };
        let Some(ran) = ran.map(|ran| ran.call) else {
            return asked(match submission {
                Some(_) => "the submission that is asked for does not run its list",
                None => "no submission runs its list",
            });
        };
        let damaged = |error: reprise_timeline::argument::Damaged| anyhow!("call {call}: {error}");
        let groups =
            [X.of(&entered).map_err(damaged)?, Y.of(&entered).map_err(damaged)?, Z.of(&entered).map_err(damaged)?];
        let bound = list.bound.clone();
        let (hash, shader) = shader(trace, state, &bound).with_context(|| format!("call {call}"))?;
        let signature = signature(trace, state, &bound).with_context(|| format!("call {call}"))?;
        let compiled = ours::compile(&shader, &signature).with_context(|| format!("call {call}: its shader"))?;
        let heaps = bound.heaps.as_ref().map_or(&[][..], |heaps| heaps.value.as_slice());
        let heap =
            |kind: i32| heaps.iter().copied().find(|id| state.descriptors.heap(*id).is_some_and(|it| it.kind == kind));
        let heaps = [heap(D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV.0), heap(D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER.0)];
        let bindings = bindings::bindings(state, &bound.compute, &signature);
        let root = root(&bindings, &compiled);
        let predicated = bound.predication.is_some_and(|set| set.value.is_some());
        // Descriptors are read when the list runs.
        let state = index.at(trace, ran, progress)?.state;
        Ok(Dispatch { call, submission: ran, groups, hash, compiled, root, predicated, state, bindings, heaps, samplers: signature.samplers })
    }

    /// The view or sampler in a descriptor of the heaps.
    pub(crate) fn view(&self, descriptor: Descriptor) -> Result<Option<&View>, String> {
        let samplers = descriptor.binding == Slots::SAMPLER;
        let heap = self.heaps[usize::from(samplers)].ok_or("no descriptor heap is set")?;
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
            let found = self.samplers.get(descriptor.binding as usize);
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
        let (mut views, mut buffers) = (Vec::new(), Vec::new());
        for binding in &self.bindings {
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
        let tables = self.bindings.iter().filter_map(|binding| match &binding.content {
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

fn signature(trace: &Trace, state: &State, bound: &Bound) -> anyhow::Result<RootSignature> {
    let id = bound.compute.signature.map(|set| set.value).filter(|id| *id != 0);
    let id = id.ok_or_else(|| anyhow!("no root signature is set"))?;
    let blob = |place| trace.blob_by_id(place).map_err(|error| error.to_string());
    root_signature(blob, state, id).map(|(signature, _)| signature).map_err(|error| anyhow!(error))
}

/// The block of root arguments. Words that no call set are 0.
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
            (Bindings::Table { slot, .. }, Argument::Table(at)) => put(*at, slot.map_or(0, |slot| slot.index)),
            _ => {}
        }
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
