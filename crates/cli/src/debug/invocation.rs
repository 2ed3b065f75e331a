//! A shader as the GPU runs it: what is bound, and the state of the trace where that is looked up. Of a dispatch with its groups, of a draw one
//! of its stages.
//!
//! Invariant: there is at least one command, and the one that is asked for is among them.

use super::Refused;
use super::indirect::{Indirect, Work};
use super::place::Place;
use super::ray_tables::RayShaders;
use super::sampler::{self, Border};
use crate::ours::{self, Argument, Compiled, Linked, Slots};
use anyhow::{Context, anyhow};
use reprise_d3d12::types::{D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_RESOURCE_DESC1};
use reprise_dxbc::RootSignature;
use reprise_dxbc::root_signature::{Content, Kind};
use reprise_interpreter::{Descriptor, Sampler};
use reprise_timeline::State;
use reprise_timeline::state::addresses::Slot;
use reprise_timeline::state::bindings::{self, Bound as Bindings, root_signature};
use reprise_timeline::state::descriptors::View;
use reprise_timeline::state::lists::{Bound, Given, RootView, Roots};
use reprise_timeline::state::memory::{self, Tiles, Tiling};
use reprise_trace::read::Trace;
use std::cell::Cell;
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

/// Commands of an indirect call that run.
const MOST_COMMANDS: u32 = 4096;

/// Views of a table's range that are looked at although the shader does not use them.
const MOST_VIEWS: u32 = 64;

/// A shader as one call runs it, once or for several commands.
pub(crate) struct Invocation {
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
    /// Which of the commands that the GPU reads is asked for.
    pub(crate) number: usize,
    /// A predicate is set: the GPU may leave the call out.
    pub(crate) predicated: bool,
    /// Of dispatches of rays their shaders.
    pub(crate) rays: Option<RayShaders>,
    /// What is known where the list is submitted.
    state: State,
    /// The command that runs.
    current: Cell<usize>,
}

/// A shader's code, and its XXH3-128.
pub(super) type Code = (u128, Arc<[u8]>);

/// A dispatch or a draw as the GPU runs it.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) work: Work,
    /// XXH3-128 of the shader's container.
    pub(crate) hash: u128,
    pub(crate) container: Arc<[u8]>,
    pub(crate) compiled: Rc<Compiled>,
    /// The block of root arguments.
    pub(crate) root: Vec<u8>,
    /// All that is bound.
    pub(crate) bound: Bound,
    signature: Rc<RootSignature>,
    /// Root parameters with their arguments.
    bindings: Vec<bindings::Binding>,
    /// The bound heaps of views and of samplers.
    heaps: [Option<u32>; 2],
}

impl Command {
    /// A shader with what is bound where a call runs it.
    pub(super) fn of(
        trace: &Trace,
        state: &State,
        (bound, work): (Bound, Work),
        (hash, container): Code,
        linked: Linked,
    ) -> anyhow::Result<Command> {
        let signature = Rc::new(signature(trace, state, roots(&bound, work.draws()))?);
        // The shaders of rays are those of records, which turn up while they run.
        let compiled = match container.is_empty() {
            true => ours::compile_roots(&signature)?,
            false => ours::compile(&container, &signature, linked).context("its shader")?,
        };
        let compiled = Rc::new(compiled);
        let heaps = bound.heaps.as_ref().map_or(&[][..], |heaps| heaps.value.as_slice());
        let heap =
            |kind: i32| heaps.iter().copied().find(|id| state.descriptors.heap(*id).is_some_and(|it| it.kind == kind));
        let heaps = [heap(D3D12_DESCRIPTOR_HEAP_TYPE::CBV_SRV_UAV.0), heap(D3D12_DESCRIPTOR_HEAP_TYPE::SAMPLER.0)];
        let bindings = bindings::bindings(state, roots(&bound, work.draws()), &signature);
        let root = root(&bindings, &compiled);
        Ok(Command { work, hash, container, compiled, root, bound, signature, bindings, heaps })
    }

    /// Another shader of the same pipeline, as SPIR-V.
    pub(super) fn compile(&self, container: &[u8], linked: Linked) -> anyhow::Result<Compiled> {
        ours::compile(container, &self.signature, linked)
    }

    /// Groups in each direction; of a draw of vertices one.
    pub(crate) fn groups(&self) -> [u32; 3] {
        match self.work {
            Work::Groups(groups) | Work::Meshes(groups) => groups,
            Work::Rays(rays) => rays.size,
            Work::Draw(_) => [1; 3],
        }
    }

    /// Whether at an offset of the block of root arguments there is a root constant.
    pub(super) fn is_constant(&self, offset: u64) -> bool {
        let word = offset / 4;
        let holds = |first: u32, count: u32| (u64::from(first)..u64::from(first) + u64::from(count)).contains(&word);
        let mut arguments = self.compiled.arguments.iter();
        arguments.any(|argument| matches!(argument, Argument::Constants(first, count) if holds(*first, *count)))
    }

    /// The same shader for a command that the GPU read, with what that sets.
    fn with(&self, state: &State, (given, work): (Vec<Given>, Work), call: u64) -> Result<Command, String> {
        let mut bound = self.bound.clone();
        for given in given {
            fits(&self.signature, &given)?;
            let told = format!("{given:?}");
            if !bound.give(given, !self.work.draws(), call) {
                return Err(format!("it sets what there cannot be: {told}"));
            }
        }
        match (work, self.work) {
            (Work::Groups(_), Work::Groups(_))
            | (Work::Rays(_), Work::Rays(_))
            | (Work::Draw(_), Work::Draw(_))
            | (Work::Meshes(_), Work::Meshes(_)) => {}
            (Work::Groups(_) | Work::Rays(_), Work::Groups(_) | Work::Rays(_)) => {
                return Err("it dispatches groups where rays are dispatched, or the other way around".to_owned());
            }
            (Work::Groups(_) | Work::Rays(_), _) => return Err("it dispatches, and draws nothing".to_owned()),
            (_, Work::Groups(_) | Work::Rays(_)) => return Err("it draws, and dispatches nothing".to_owned()),
            _ => return Err("it draws with vertices what is drawn with meshes, or the other way around".to_owned()),
        }
        let bindings = bindings::bindings(state, roots(&bound, work.draws()), &self.signature);
        let root = root(&bindings, &self.compiled);
        Ok(Command { work, root, bound, bindings, ..self.clone() })
    }
}

/// Root signature and arguments of draws, or of dispatches.
fn roots(bound: &Bound, draws: bool) -> &Roots {
    if draws { &bound.graphics } else { &bound.compute }
}

/// Whether the root signature has room for what a command sets.
fn fits(signature: &RootSignature, given: &Given) -> Result<(), String> {
    let content = |parameter: u32| signature.parameters.get(parameter as usize).map(|parameter| &parameter.content);
    match given {
        Given::Constants(parameter, first, words) => {
            let end = u64::from(*first) + words.len() as u64;
            match content(*parameter) {
                Some(Content::Constants(it)) if end <= it.count.into() => Ok(()),
                Some(Content::Constants(it)) => {
                    let words = format!("words {first} to {} of root parameter {parameter}", end.saturating_sub(1));
                    Err(format!("it sets {words}, which has {}", it.count))
                }
                _ => Err(format!("it sets root parameter {parameter} to constants, which it has none of")),
            }
        }
        Given::View(parameter, view, _) => {
            let kind = match view {
                RootView::Constants => Kind::Cbv,
                RootView::Read => Kind::Srv,
                RootView::Write => Kind::Uav,
            };
            match content(*parameter) {
                Some(Content::Descriptor(it)) if it.kind == kind => Ok(()),
                _ => Err(format!("it sets root parameter {parameter} to a view, which is no such view")),
            }
        }
        Given::Vertices(..) | Given::Index(_) => Ok(()),
    }
}

impl Invocation {
    /// What one call runs, at its place; the first of the commands is there already.
    pub(super) fn new(
        (call, place): (u64, &Place),
        (commands, chosen): (Vec<Command>, usize),
        indirect: Option<Indirect>,
        predicated: bool,
        state: State,
    ) -> Invocation {
        let (seen, submission, current) = (place.seen, place.submission, Cell::new(chosen));
        let (number, rays) = (0, None);
        Invocation { call, seen, submission, commands, chosen, indirect, number, predicated, rays, state, current }
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

    /// Puts in the commands that the GPU read, of which one is asked for. Of draws that one alone: what others draw it does not see.
    ///
    /// # Errors
    /// There are not so many, or they cannot be made.
    pub(crate) fn resolve(&mut self, commands: &[u8], count: Option<&[u8]>, chosen: usize) -> Result<(), Refused> {
        let Some(indirect) = &self.indirect else { return Ok(()) };
        let call = self.call;
        let many = indirect.many(count).map_err(|what| Refused::Unsupported(format!("call {call}: {what}")))?;
        let asked = u32::try_from(chosen).ok().filter(|chosen| *chosen < many).ok_or_else(|| {
            Refused::Asked(format!("call {call}: there is no command {chosen}: the GPU read {many} of them"))
        })?;
        let Some(base) = self.commands.first() else { return Ok(()) };
        let numbers = if base.work.draws() { asked..asked + 1 } else { 0..many };
        if numbers.len() > MOST_COMMANDS as usize {
            let what = format!("call {call}: the GPU read {many} commands, more than {MOST_COMMANDS}");
            return Err(Refused::Unsupported(what));
        }
        let mut all = Vec::new();
        for number in numbers.clone() {
            let named = |what: String| Refused::Unsupported(format!("call {call}, command {number}: {what}"));
            let read = indirect.command(commands, number).map_err(named)?;
            all.push(base.with(&self.state, (read.given, read.work), self.seen).map_err(named)?);
        }
        self.commands = all;
        (self.chosen, self.number) = ((asked - numbers.start) as usize, chosen);
        self.current.set(self.chosen);
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
            let found = self.command().signature.samplers.get(descriptor.binding as usize);
            return found.map(sampler::of_static).ok_or_else(|| "the root signature has no such sampler".to_owned());
        }
        let view = self.view(descriptor)?.ok_or("the descriptor is no sampler")?;
        sampler::of_view(view)
    }

    /// Whether a resource is reserved: made of tiles that are in memory or not.
    pub(crate) fn is_reserved(&self, resource: u32) -> bool {
        self.state.memory.resource(resource).is_some_and(|it| it.place == memory::Place::Reserved)
    }

    /// Which tile of a reserved resource is in memory, where the list is submitted; `None`: nothing is known of its tiles.
    pub(crate) fn tiles(&self, resource: u32) -> Option<(&Tiles, Tiling)> {
        let made = self.made(resource).ok()?;
        Some((self.state.memory.tiles(resource)?, Tiling::of(&made)))
    }

    /// The root signature of the whole call.
    pub(super) fn signature(&self) -> &RootSignature {
        &self.command().signature
    }

    /// The place in its heap that a handle of a table is of.
    pub(super) fn slot_of(&self, handle: u64) -> Option<Slot> {
        self.state.addresses.gpu(handle)
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
        if descriptor.set == Slots::LOCAL_SAMPLERS {
            return Some(format!("static sampler {} of records", descriptor.binding));
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
