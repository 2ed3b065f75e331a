//! `ExecuteIndirect`: made as recorded where its arguments hold no addresses that moved, else with a translated copy of them.

use reprise_d3d12::interface;
use reprise_d3d12::types::D3D12_HEAP_TYPE;

use crate::ahead;
use crate::arguments::{Arguments, moved};
use crate::call::Called;
use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Error;
use crate::handlers::ray_tracing::{self, Tables};
use crate::indirect::{Asked, Command, Indirect, Layout, MovedRays, Prepared, PromisedRays};
use crate::world::{Resource, World};

/// Why arguments are not used as they are.
pub(super) const OTHERWISE: &str = "the arguments hold what is another thing here, as addresses are";

/// Makes the call; `None` where it was made otherwise than with the recorded arguments, or is recorded ahead.
///
/// # Errors
/// An argument cannot be honoured, or the addresses in memory cannot be translated.
pub(crate) fn execute(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Option<Called>, Error> {
    let event = enter.event;
    let asked = Asked::of(event.number, event.object, event.payload);
    can_execute(&mut context.world, &asked).map_err(|what| enter.fail(what))?;
    let Some(layout) = context.world.addressing.get(&asked.signature).copied() else {
        return execute_plain(context, arguments, enter);
    };
    if let Ok(layout) = layout {
        context.world.indirect.asks_for(enter.place, asked, layout);
    }
    let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
    if asked.most == 0 {
        return execute_plain(context, arguments, enter);
    }
    let hoisted = match context.world.indirect.is_in_pass(event.object) {
        true => context.world.indirect.prepared(event.object, event.number),
        false => None,
    };
    let tables = match layout {
        Ok(layout) if layout.rays.is_some() => ray_tracing::tables(context, enter)?,
        _ => Tables::Right,
    };
    let still = moved.is_nothing() && !moved.is_empty() && tables != Tables::Other;
    if hoisted.is_none() && still && tables == Tables::Right && context.world.placed {
        context.world.indirect.trusts(event.object);
        return execute_plain(context, arguments, enter);
    }
    context.lists.before_call(event.object);
    let world = &mut context.world;
    let prepared = match hoisted {
        Some(prepared) => prepared,
        None => layout
            .map_err(str::to_owned)
            .and_then(|layout| prepare(world, &asked, layout, tables != Tables::Right, moved.len())),
    };
    let made = prepared.and_then(|prepared| execute_prepared(world, &asked, prepared));
    let made = match made {
        Ok(made) => made,
        // Nothing was recorded. The arguments are right as long as nothing comes that lies elsewhere.
        Err(_) if still => {
            context.world.indirect.trusts(event.object);
            if tables == Tables::Still {
                ray_tracing::trust_tables(context, enter);
            }
            return execute_plain(context, arguments, enter);
        }
        Err(_) if layout.is_ok_and(|layout| layout.rays.is_none()) && is_guessed(context) => {
            return execute_plain(context, arguments, enter);
        }
        Err(what) => {
            return Err(enter.fail(format!("{what}; {OTHERWISE}")));
        }
    };
    if made > 0 {
        context.report.moved_commands += u64::from(made);
        context.count_call();
        context.report.translated += 1;
    } else {
        context.differ(enter.place, "no command lies whole in the buffer of arguments: the call is not made");
    }
    Ok(None)
}

/// Whether memory that cannot be moved for sure is used as it is: the user asked for guesses. Counts the call.
pub(super) fn is_guessed(context: &mut Context<'_, '_>) -> bool {
    let guesses = context.report.guesses.as_mut();
    guesses.map(|guesses| guesses.used += 1).is_some()
}

/// Whether this device executes the commands: else the list could not end, and would not say why.
///
/// # Errors
/// It does not.
pub(super) fn can_execute(world: &mut World, asked: &Asked) -> Result<(), String> {
    let signature = world.pointer(asked.signature, interface("ID3D12CommandSignature"))?;
    world.indirect.can_execute(&world.runtime, (asked.signature, signature))
}

/// Makes the call with arguments that are translated; how many commands there are.
fn execute_prepared(world: &mut World, asked: &Asked, prepared: Prepared) -> Result<u32, String> {
    let list = world.pointer(asked.list, interface("ID3D12GraphicsCommandList"))?;
    let signature = world.pointer(asked.signature, interface("ID3D12CommandSignature"))?;
    let count = match asked.count.0 {
        0 => 0,
        id => world.pointer(id, interface("ID3D12Resource"))?,
    };
    if prepared.commands > 0 {
        // SAFETY: the table of live objects has all of these; the kit's memory lives until the program resets the allocator.
        unsafe { Indirect::execute(&world.runtime, (list, signature), prepared, (count, asked.count.1)) };
    }
    Ok(prepared.commands)
}

/// Makes the call as it is.
pub(super) fn execute_plain(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Option<Called>, Error> {
    if context.lists.are_on() && ahead::lists::record_whole(context, enter)? {
        return Ok(None);
    }
    arguments.call(context, enter).map(Some)
}

/// Moves the arguments of a call, or promises it, in a bundle; no command where none lies whole in their buffer. `rays`: shader tables
/// are to be moved, too.
///
/// # Errors
/// Why they cannot be moved; nothing was recorded.
pub(super) fn prepare(
    world: &mut World,
    asked: &Asked,
    layout: Layout,
    rays: bool,
    ranges: u32,
) -> Result<Prepared, String> {
    // All that can be refused is, before anything is recorded.
    let bundle = world.indirect.is_bundle(asked.list);
    let bound = if bundle { None } else { Some(world.indirect.bound(asked.list)?) };
    let (buffer, offset) = asked.arguments;
    let resource = world.resources.get(&buffer).ok_or("the arguments are in no buffer that is alive here")?;
    let commands = layout.fit(asked.most, resource.desc.Width, offset);
    Indirect::can_move(commands)?;
    let list = world.pointer(asked.list, interface("ID3D12GraphicsCommandList"))?;
    world.pointer(asked.signature, interface("ID3D12CommandSignature"))?;
    let (from, address) = source(world, asked.arguments)?;
    let count = match asked.count.0 {
        0 => 0,
        id => world.pointer(id, interface("ID3D12Resource"))?,
    };
    if commands == 0 {
        return Ok(Prepared { buffer: 0, offset: 0, commands });
    }
    let Some(bound) = bound else {
        let promised = |(state_object, facts)| PromisedRays { state_object, facts, count: asked.count };
        let rays = if rays { Some(promised(ray_tracing::records(world, asked.list)?)) } else { None };
        return world.indirect.promise(&world.runtime, (asked.list, list), (layout, commands), asked.arguments, rays);
    };
    let rays = if rays { Some(moved_rays(world, asked)?) } else { None };
    // A damaged trace may have let go of them.
    let bound = bound.look_up(|id, class| world.pointer(id, class));
    let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
    let command = Command {
        list: (asked.list, list),
        layout,
        commands,
        arguments: from,
        address,
        count: (count, asked.count.1),
        rays,
    };
    // SAFETY: the table of live objects has all of these; the kit's memory lives until the program resets the allocator.
    unsafe { world.indirect.translate(&world.runtime, &command, bound, ranges) }
}

/// Where arguments lie: the buffer where its state changes, else 0, and the address of the first.
///
/// # Errors
/// The buffer is gone, or has no address here.
pub(super) fn source(world: &mut World, (buffer, offset): (u32, u64)) -> Result<(u64, u64), String> {
    let resource = world.resources.get(&buffer).ok_or("the arguments are in no buffer that is alive here")?;
    let fixed = is_fixed(resource);
    let from = world.pointer(buffer, interface("ID3D12Resource"))?;
    Ok((if fixed { 0 } else { from }, world.base_address(buffer)?.wrapping_add(offset)))
}

/// Whether a resource stays in one state, which includes those that arguments are read in.
fn is_fixed(resource: &Resource) -> bool {
    [D3D12_HEAP_TYPE::UPLOAD.0 as u32, D3D12_HEAP_TYPE::READBACK.0 as u32].contains(&resource.heap_type)
}

/// What moving the shader tables of the commands needs.
fn moved_rays(world: &mut World, asked: &Asked) -> Result<MovedRays, String> {
    let (state_object, facts) = ray_tracing::records(world, asked.list)?;
    let (count, offset) = asked.count;
    let (count_address, count_changes) = match count {
        0 => (0, false),
        id => {
            let resource = world.resources.get(&id).ok_or("the count is in no buffer that is alive here")?;
            let changes = id != asked.arguments.0 && !is_fixed(resource);
            (world.base_address(id)?.wrapping_add(offset), changes)
        }
    };
    Ok(MovedRays { state_object, facts, count_address, count_changes })
}
