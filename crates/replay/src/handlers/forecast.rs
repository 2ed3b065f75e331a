//! `--check`: calls of lists whose addresses in memory cannot be moved on this device, told before anything plays.
//!
//! A check records nothing, so lists are followed by their calls alone. What is refused here is what a replay refuses, by the same
//! functions and words. Invariant: a call is refused only where something that it may name differs here. A resource
//! that lies at its recorded address now may move before the list is executed. Then the replay begins anew with all addresses moved, and
//! refuses these calls, too.

use std::collections::HashMap;

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_BUILD_RAYTRACING_ACCELERATION_STRUCTURE_DESC as Build, D3D12_DISPATCH_GRAPH_DESC as DispatchGraph,
    D3D12_DISPATCH_RAYS_DESC as DispatchRays, D3D12_ELEMENTS_LAYOUT as ElementsLayout,
    D3D12_RAYTRACING_ACCELERATION_STRUCTURE_TYPE as Type, D3D12_SET_PROGRAM_DESC as SetProgram,
};
use reprise_d3d12::{interface, model::Method};

use crate::arguments::{Arguments, missing_object, moved};
use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Place;
use crate::handlers::execute_indirect::{OTHERWISE, can_execute};
use crate::handlers::ray_tracing::{self, INSTANCES, TABLES};
use crate::handlers::render_pass::OF_BUNDLES;
use crate::handlers::work_graph;
use crate::indirect::{Asked, Indirect, Layout, Named, Within};

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");
const BEGIN: MethodId = method("ID3D12GraphicsCommandList4", "BeginRenderPass");
const INDIRECT: MethodId = method("ID3D12GraphicsCommandList", "ExecuteIndirect");
const BUNDLE: MethodId = method("ID3D12GraphicsCommandList", "ExecuteBundle");
const BUILD: MethodId = method("ID3D12GraphicsCommandList4", "BuildRaytracingAccelerationStructure");
const COPY: MethodId = method("ID3D12GraphicsCommandList4", "CopyRaytracingAccelerationStructure");
const RAYS: MethodId = method("ID3D12GraphicsCommandList4", "DispatchRays");
const PROGRAM: MethodId = method("ID3D12GraphicsCommandList10", "SetProgram");
const GRAPH: MethodId = method("ID3D12GraphicsCommandList10", "DispatchGraph");
const SUBMIT: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");

/// Why a call cannot be honoured here.
enum Refusal {
    /// Whatever lies where.
    Always(String),
    /// Where anything that it may name lies elsewhere.
    Elsewhere(String),
}

type Outlook = Result<(), Refusal>;

/// What a check knows of lists.
#[derive(Default)]
pub(crate) struct Forecast {
    /// By list: the call that began its last render pass.
    passes: HashMap<u32, u64>,
    /// By bundle: the last call that gave it commands that read addresses or identifiers in memory, and what they are.
    bundles: HashMap<u32, (u64, Otherwise)>,
    /// What is refused if something comes to lie elsewhere.
    pending: Vec<(Place, String)>,
}

impl Forecast {
    /// Whether a call is one of these.
    pub(crate) fn takes(method: &Method) -> bool {
        let interface = method.interface.map_or("", |id| id.get().name);
        interface.starts_with("ID3D12GraphicsCommandList")
            || interface.starts_with("ID3D12CommandList")
            || interface == "ID3D12CommandQueue"
    }

    /// Looks at a call that a check does not make; the refusals that are known by now.
    pub(crate) fn look(
        &mut self,
        context: &mut Context<'_, '_>,
        arguments: &mut Arguments,
        enter: Enter<'_, '_>,
    ) -> Vec<(Place, String)> {
        let event = enter.event;
        if missing_object(&context.world, enter).is_some() {
            // A replay leaves the call out.
            return Vec::new();
        }
        let outlook = match enter.id() {
            INDIRECT => self.indirect(context, enter),
            BUNDLE => self.bundle(context, enter),
            BUILD => build(context, arguments, enter),
            COPY => ray_tracing::look_at_copy(context, enter).map_err(|why| Refusal::Always(why.to_owned())),
            RAYS => self.rays(context, arguments, enter),
            PROGRAM => program(context, arguments, enter),
            GRAPH => graph(context, arguments, enter),
            SUBMIT if !self.pending.is_empty() && !is_still(context) => return core::mem::take(&mut self.pending),
            _ => Ok(()),
        };
        match enter.id() {
            BEGIN => drop(self.passes.insert(event.object, event.number)),
            RESET => drop(self.bundles.remove(&event.object)),
            _ => {}
        }
        // No words: what the list computes with is not followed.
        context.world.indirect.note(&context.world.runtime, &event.call(), &[]);
        let guessed = context.options.patch_guess && [INDIRECT, PROGRAM, GRAPH].contains(&enter.id());
        match outlook {
            Ok(()) => Vec::new(),
            Err(Refusal::Elsewhere(_)) if guessed => Vec::new(),
            Err(Refusal::Elsewhere(what)) if is_still(context) => {
                self.pending.push((enter.place.clone(), what));
                Vec::new()
            }
            Err(Refusal::Always(what) | Refusal::Elsewhere(what)) => vec![(enter.place.clone(), what)],
        }
    }

    /// `ExecuteIndirect`.
    fn indirect(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Outlook {
        let event = enter.event;
        let asked = Asked::of(event.number, event.object, event.payload);
        can_execute(&mut context.world, &asked).map_err(Refusal::Always)?;
        let Some(layout) = context.world.addressing.get(&asked.signature).copied() else { return Ok(()) };
        if asked.most == 0 {
            return Ok(());
        }
        let rays = matches!(layout, Ok(layout) if layout.rays.is_some());
        let tables = if rays { tables(context, event.object) } else { None };
        let why = match layout {
            Ok(layout) => self.movable(context, &asked, (layout, tables)),
            Err(why) => Err(why.to_owned()),
        };
        why.map_err(|what| match tables {
            Some(Otherwise::Here) => Refusal::Always(format!("{what}; {OTHERWISE}")),
            _ => Refusal::Elsewhere(format!("{what}; {OTHERWISE}")),
        })
    }

    /// Whether the arguments of a call can be moved; the second: its tables, too.
    fn movable(
        &mut self,
        context: &mut Context<'_, '_>,
        asked: &Asked,
        (layout, tables): (Layout, Option<Otherwise>),
    ) -> Result<(), String> {
        let world = &mut context.world;
        let resource = world.resources.get(&asked.arguments.0);
        let resource = resource.ok_or("the arguments are in no buffer that is alive here")?;
        let commands = layout.fit(asked.most, resource.desc.Width, asked.arguments.1);
        Indirect::can_move(commands)?;
        let bundle = world.indirect.is_bundle(asked.list);
        if bundle {
            self.promised(asked.list, asked.call, tables.unwrap_or(Otherwise::Elsewhere));
            world.indirect.can_promise(asked.list)?;
        }
        let tables = tables.is_some();
        if bundle && !tables {
            return Ok(());
        }
        if !tables && world.indirect.is_in_pass(asked.list) {
            let why = self.within(context, asked.list, |it| match it {
                Within::Indirect(it, why) if it.call == asked.call => Some(*why),
                _ => None,
            });
            return why.map_or(Ok(()), |why| Err(why.into()));
        }
        if !bundle {
            world.indirect.bound(asked.list)?;
        }
        if tables {
            ray_tracing::records(world, asked.list)?;
            Indirect::has_room(commands)?;
            let list = world.pointer(asked.list, interface("ID3D12GraphicsCommandList"))?;
            world.indirect.can_follow(&world.runtime, (asked.list, list), Named::Tables)?;
        }
        Ok(())
    }

    /// Why a command of the render pass that a list is in cannot be moved before it; `which` finds the command.
    fn within(
        &self,
        context: &Context<'_, '_>,
        list: u32,
        which: impl FnMut(&Within) -> Option<Option<&'static str>>,
    ) -> Option<&'static str> {
        let pass = context.world.passes.of(*self.passes.get(&list)?)?;
        pass.iter().find_map(which).flatten()
    }

    /// `ExecuteBundle`.
    fn bundle(&self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Outlook {
        let (list, bundle) = (enter.event.object, enter.number("pCommandList").unwrap_or(0) as u32);
        let Some(&(recorded, otherwise)) = self.bundles.get(&bundle) else { return Ok(()) };
        let why = match self.passes.get(&list).filter(|_| context.world.indirect.is_in_pass(list)) {
            Some(&begin) if recorded > begin => Some(Indirect::LATE.to_owned()),
            Some(_) => {
                let same = |it: &Within| match it {
                    Within::Bundle(id, why) if *id == bundle => Some(*why),
                    _ => None,
                };
                self.within(context, list, same).map(str::to_owned)
            }
            None => context.world.indirect.bound(list).err(),
        };
        why.map_or(Ok(()), |what| Err(otherwise.refuse(format!("{what}; {OF_BUNDLES}"))))
    }

    /// A bundle has a command for which lists move memory before they execute it.
    fn promised(&mut self, bundle: u32, call: u64, otherwise: Otherwise) {
        let known = self.bundles.entry(bundle).or_insert((call, otherwise));
        *known = (call, if otherwise == Otherwise::Here { otherwise } else { known.1 });
    }

    /// `DispatchRays`.
    fn rays(&mut self, context: &mut Context<'_, '_>, arguments: &mut Arguments, enter: Enter<'_, '_>) -> Outlook {
        let (list, call) = (enter.event.object, enter.event.number);
        let Some(otherwise) = tables(context, list) else { return Ok(()) };
        let bundle = context.world.indirect.is_bundle(list);
        if bundle {
            self.promised(list, call, otherwise);
        }
        described(context, arguments, enter, |context, _, desc: &DispatchRays| {
            let there = ray_tracing::bytes_behind_tables(context, enter);
            let there = there.map_err(|error| Refusal::Always(error.to_string()))?;
            let world = &mut context.world;
            let mut movable = || {
                ray_tracing::records(world, list)?;
                match bundle {
                    true => world.indirect.can_promise(list)?,
                    false => world.indirect.bound(list).map(|_| ())?,
                }
                Indirect::can_copy(desc, there)
            };
            movable().map_err(|what: String| otherwise.refuse(format!("{what}; {TABLES}")))
        })
        .map(|_| ())
    }
}

/// Whether everything lies where it lay, so far.
fn is_still(context: &mut Context<'_, '_>) -> bool {
    moved(&mut context.world).is_ok_and(|moved| moved.is_nothing() && !moved.is_empty())
}

/// What is in a list's shader tables and may be another thing here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    /// It is.
    Here,
    /// Addresses: if anything lies elsewhere.
    Elsewhere,
}

impl Otherwise {
    fn refuse(self, what: String) -> Refusal {
        match self {
            Otherwise::Here => Refusal::Always(what),
            Otherwise::Elsewhere => Refusal::Elsewhere(what),
        }
    }
}

fn tables(context: &mut Context<'_, '_>, list: u32) -> Option<Otherwise> {
    let object = context.world.indirect.state_object(list).unwrap_or(0);
    match context.world.tables_are_as_recorded(object) {
        (false, _) => Some(Otherwise::Here),
        (true, true) => Some(Otherwise::Elsewhere),
        (true, false) => None,
    }
}

/// The description that the first argument of a call leads to, rebuilt for this device, is looked at by `look`.
fn described<T, R>(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
    look: impl FnOnce(&mut Context<'_, '_>, u64, &T) -> Result<R, Refusal>,
) -> Result<Option<R>, Refusal> {
    // What names an object that could not be made says nothing of memory.
    let Ok(ready) = arguments.prepare(context, enter, &mut None) else { return Ok(None) };
    let desc = ready.words.first().copied().unwrap_or(0);
    // SAFETY: the codec rebuilt the words for this method, whose first one is null or leads to a `T`; `ready` keeps it.
    let desc = unsafe { core::ptr::with_exposed_provenance::<T>(desc as usize).as_ref() };
    desc.map(|desc| look(context, ready.this, desc)).transpose()
}

/// `BuildRaytracingAccelerationStructure`.
fn build(context: &mut Context<'_, '_>, arguments: &mut Arguments, enter: Enter<'_, '_>) -> Outlook {
    described(context, arguments, enter, |context, list, desc: &Build| {
        let inputs = &desc.Inputs;
        if inputs.Type != Type::TOP_LEVEL || inputs.NumDescs == 0 {
            return Ok(());
        }
        let by_pointers = inputs.DescsLayout == ElementsLayout::ARRAY_OF_POINTERS;
        let world = &mut context.world;
        let mut movable = || {
            ray_tracing::can_move_instances(inputs.NumDescs, by_pointers)?;
            world.indirect.bound(enter.event.object)?;
            if by_pointers {
                let list = (enter.event.object, list);
                world.indirect.can_follow(&world.runtime, list, Named::Instances)?;
            }
            Ok(())
        };
        movable().map_err(|what: String| Refusal::Elsewhere(format!("{what}; {INSTANCES}")))
    })
    .map(|_| ())
}

/// `SetProgram`.
fn program(context: &mut Context<'_, '_>, arguments: &mut Arguments, enter: Enter<'_, '_>) -> Outlook {
    described(context, arguments, enter, |context, _, desc: &SetProgram| {
        work_graph::identifier_here(context, desc).map_err(|why| Refusal::Always(why.to_owned()))?;
        match work_graph::has_table(desc) {
            true if !context.world.descriptors_lie_as_recorded() => Err(Refusal::Always(work_graph::HANDLES.into())),
            true => Err(Refusal::Elsewhere(work_graph::TABLE.into())),
            false => Ok(()),
        }
    })
    .map(|_| ())
}

/// `DispatchGraph`.
fn graph(context: &mut Context<'_, '_>, arguments: &mut Arguments, enter: Enter<'_, '_>) -> Outlook {
    described(context, arguments, enter, |_, _, desc: &DispatchGraph| match work_graph::in_memory(desc) {
        true => Err(Refusal::Elsewhere(work_graph::INPUTS.into())),
        false => Ok(()),
    })
    .map(|_| ())
}
