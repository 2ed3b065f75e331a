//! Render passes and bundles: what their commands read in memory is moved before the pass begins, or the bundle is executed.

use std::collections::HashSet;

use reprise_d3d12::{interface, method};

use crate::arguments::{Arguments, moved};
use crate::call::Called;
use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Error;
use crate::handlers::execute_indirect::{self, execute_plain};
use crate::indirect::{Moved, Source, Within};
use crate::world::World;

/// Why memory that a bundle's commands read is not used as it is.
pub(super) const OF_BUNDLES: &str = "the bundle's commands read addresses or identifiers in memory";

/// `BeginRenderPass`, `EndRenderPass`, `ExecuteBundle`.
///
/// # Errors
/// An argument cannot be honoured, or what a bundle's commands read cannot be moved.
pub(crate) fn hoist(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Option<Called>, Error> {
    match enter.id() {
        id if id == method("ID3D12GraphicsCommandList4", "BeginRenderPass") => begin(context, arguments, enter),
        id if id == method("ID3D12GraphicsCommandList4", "EndRenderPass") => {
            let called = match context.world.opened.is_some() {
                true => Some(arguments.instead(context, enter, |world, _| end_opened(world, enter.event.object))?),
                false => execute_plain(context, arguments, enter)?,
            };
            end_bundles(context, enter);
            Ok(called)
        }
        _ => bundle(context, arguments, enter).map(Some),
    }
}

/// `BeginRenderPass`. What cannot be moved is refused at the call that needs it.
fn begin(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Option<Called>, Error> {
    let (list, begin) = (enter.event.object, enter.event.number);
    context.world.indirect.begin_pass(list);
    let Some(within) = context.world.passes.of(begin) else { return begin_plain(context, arguments, enter) };
    let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
    context.lists.before_call(list);
    let world = &mut context.world;
    // What lies where it lay is used as it is.
    let still = moved.is_nothing() && !moved.is_empty();
    let mut bundles = HashSet::new();
    for command in within.iter() {
        match *command {
            Within::Indirect(asked, why) => {
                let layout = match world.addressing.get(&asked.signature) {
                    Some(Ok(layout)) if layout.rays.is_none() && asked.most > 0 => *layout,
                    // The call itself says what is wrong with it.
                    _ => continue,
                };
                if still && world.placed {
                    continue;
                }
                let prepared = match why {
                    Some(why) => Err(why.to_owned()),
                    None => execute_indirect::prepare(world, &asked, layout, false, moved.len()),
                };
                world.indirect.keep_prepared(list, asked.call, prepared);
            }
            Within::Bundle(id, why) => {
                if bundles.insert(id) && !world.indirect.promises(id).is_empty() {
                    let written = match why {
                        Some(why) => Err(why.to_owned()),
                        None => write(world, list, id, &moved),
                    };
                    world.indirect.keep_bundle(list, id, written);
                }
            }
        }
    }
    begin_plain(context, arguments, enter)
}

/// `BeginRenderPass` by itself: opened, where a replay looks at calls.
fn begin_plain(
    context: &mut Context<'_, '_>,
    arguments: &mut Arguments,
    enter: Enter<'_, '_>,
) -> Result<Option<Called>, Error> {
    if context.world.opened.is_none() {
        return execute_plain(context, arguments, enter);
    }
    // SAFETY: the words are rebuilt arguments of this very call.
    let make = |world: &mut World, words: &[u64]| unsafe { begin_opened(world, enter.event.object, words) };
    arguments.instead(context, enter, make).map(Some)
}

/// Begins a pass in its opened form, if replays look at calls; false where it is to be begun as it is.
///
/// # Errors
/// The list is gone.
///
/// # Safety
/// The words are rebuilt arguments of `BeginRenderPass`.
unsafe fn begin_opened(world: &mut World, id: u32, words: &[u64]) -> Result<bool, String> {
    let list = world.pointer(id, interface("ID3D12GraphicsCommandList"))?;
    let World { opened, runtime, .. } = world;
    // SAFETY: the table of live objects has the list, which is recording: the program just called it.
    Ok(opened.as_mut().is_some_and(|opened| unsafe { opened.begin(runtime, (id, list), words) }))
}

/// Ends a pass that was begun in its opened form; false where it was begun as it is.
///
/// # Errors
/// The list is gone.
fn end_opened(world: &mut World, id: u32) -> Result<bool, String> {
    let list = world.pointer(id, interface("ID3D12GraphicsCommandList"))?;
    let list1 = world.pointer(id, interface("ID3D12GraphicsCommandList1"))?;
    let World { opened, runtime, .. } = world;
    // SAFETY: the table of live objects has the list, which is recording: the program just called it.
    Ok(opened.as_mut().is_some_and(|opened| unsafe { opened.end(runtime, (id, list), list1) }))
}

/// `ExecuteBundle`.
fn bundle(context: &mut Context<'_, '_>, arguments: &mut Arguments, enter: Enter<'_, '_>) -> Result<Called, Error> {
    if context.lists.are_on() {
        context.lists.before_all();
    }
    let (list, id) = (enter.event.object, enter.number("pCommandList").unwrap_or(0) as u32);
    if !context.world.indirect.promises(id).is_empty() {
        let written = match context.world.indirect.is_in_pass(list) {
            true => context.world.indirect.bundle_is_written(list, id),
            false => {
                let moved = moved(&mut context.world).map_err(|what| enter.fail(what))?;
                write(&mut context.world, list, id, &moved)
            }
        };
        written.map_err(|what| enter.fail(format!("{what}; {OF_BUNDLES}")))?;
    }
    let called = arguments.call(context, enter)?;
    end_bundles(context, enter);
    Ok(called)
}

/// Records copies of what a bundle's commands read.
fn write(world: &mut World, list: u32, bundle: u32, moved: &Moved) -> Result<(), String> {
    let bound = world.indirect.bound(list)?;
    let pointer = world.pointer(list, interface("ID3D12GraphicsCommandList"))?;
    let mut promises = Vec::new();
    for promise in world.indirect.promises(bundle) {
        let mut lies = |place: Option<(u32, u64)>| match place {
            Some(place) => execute_indirect::source(world, place),
            None => Ok((0, 0)),
        };
        let source = Source { arguments: lies(promise.arguments())?, count: lies(promise.count())? };
        promises.push((promise, source));
    }
    let bound = bound.look_up(|id, class| world.pointer(id, class));
    let bound = bound.map_err(|what| format!("the list's compute state cannot be given back: {what}"))?;
    // SAFETY: the table of live objects has all of these; the kit's memory lives until the program resets the allocators.
    unsafe { world.indirect.fulfil(&world.runtime, (list, pointer), bound, moved.len(), &promises) }
}

/// Outside of render passes, copies for bundles that were executed are given back.
fn end_bundles(context: &mut Context<'_, '_>, enter: Enter<'_, '_>) {
    let list = enter.event.object;
    if !context.world.indirect.has_written(list) {
        return;
    }
    context.lists.before_call(list);
    let world = &mut context.world;
    if let Ok(pointer) = world.pointer(list, interface("ID3D12GraphicsCommandList")) {
        // SAFETY: the table of live objects has the list, which is recording: the program just called it.
        unsafe { world.indirect.end_bundles(&world.runtime, (list, pointer)) };
    }
}
