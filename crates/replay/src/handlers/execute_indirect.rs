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
use crate::indirect::{Command, Indirect, Layout, MovedRays};
use crate::world::{Resource, World};

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
    let number = |name| enter.number(name).unwrap_or(0);
    let signature = number("pCommandSignature") as u32;
    let Some(layout) = context.world.addressing.get(&signature).copied() else {
        return execute_plain(context, arguments, enter);
    };
    let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
    let most = number("MaxCommandCount") as u32;
    if most == 0 {
        return execute_plain(context, arguments, enter);
    }
    let tables = match layout {
        Ok(layout) if layout.rays.is_some() => ray_tracing::tables(context, enter)?,
        _ => Tables::Right,
    };
    let still = moved.is_nothing() && !moved.is_empty() && tables != Tables::Other;
    if still && tables == Tables::Right && context.world.placed {
        context.world.indirect.trusts(event.object);
        return execute_plain(context, arguments, enter);
    }
    context.lists.before_call(event.object);
    let made = layout.map_err(str::to_owned).and_then(|layout| {
        let asked = Asked {
            list: event.object,
            signature,
            layout,
            most,
            arguments: (number("pArgumentBuffer") as u32, number("ArgumentBufferOffset")),
            count: (number("pCountBuffer") as u32, number("CountBufferOffset")),
            rays: tables != Tables::Right,
        };
        execute_moved(&mut context.world, &asked, moved.len())
    });
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
        Err(what) => {
            let why = "the arguments hold what is another thing here, as addresses are";
            return Err(enter.fail(format!("{what}; {why}")));
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

/// Makes the call as it is.
fn execute_plain(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Option<Called>, Error> {
    if context.lists.are_on() && ahead::lists::record_whole(context, enter)? {
        return Ok(None);
    }
    arguments.call(context, enter).map(Some)
}

/// An `ExecuteIndirect` as the program asked for it.
struct Asked {
    list: u32,
    signature: u32,
    layout: Layout,
    /// `MaxCommandCount`.
    most: u32,
    /// Buffer and offset, by id.
    arguments: (u32, u64),
    count: (u32, u64),
    /// Shader tables are to be moved, too.
    rays: bool,
}

/// Makes the call with arguments whose addresses are right here; how many commands there are.
fn execute_moved(world: &mut World, asked: &Asked, ranges: u32) -> Result<u32, String> {
    // All that can be refused is, before anything is recorded.
    let bound = world.indirect.bound(asked.list)?;
    let (buffer, offset) = asked.arguments;
    let resource = world.resources.get(&buffer).ok_or("the arguments are in no buffer that is alive here")?;
    let commands = asked.layout.fit(asked.most, resource.desc.Width, offset);
    if commands > Indirect::MOST {
        let most = Indirect::MOST;
        return Err(format!("{commands} indirect commands are more than the {most} that can be translated at once"));
    }
    let fixed = is_fixed(resource);
    let list = world.pointer(asked.list, interface("ID3D12GraphicsCommandList"))?;
    let signature = world.pointer(asked.signature, interface("ID3D12CommandSignature"))?;
    let from = world.pointer(buffer, interface("ID3D12Resource"))?;
    let count = match asked.count.0 {
        0 => 0,
        id => world.pointer(id, interface("ID3D12Resource"))?,
    };
    let address = world.base_address(buffer)?.wrapping_add(offset);
    if commands == 0 {
        return Ok(0);
    }
    let rays = if asked.rays { Some(moved_rays(world, asked)?) } else { None };
    // A damaged trace may have let go of them.
    let bound = bound.look_up(|id, class| world.pointer(id, class));
    let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
    let command = Command {
        list: (asked.list, list),
        signature,
        layout: asked.layout,
        commands,
        arguments: if fixed { 0 } else { from },
        address,
        count: (count, asked.count.1),
        rays,
    };
    // SAFETY: the table of live objects has all of these; the kit's memory lives until the program resets the allocator.
    unsafe { world.indirect.execute(&world.runtime, &command, bound, ranges) }?;
    Ok(commands)
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
