//! The arguments of a call, rebuilt for the runtime: the long way, which takes any call.
//!
//! Invariant: an argument that cannot be honoured ends the replay before the call is made. One that names what is not there does not: something
//! else is passed (`instead`), or the call is left out.

mod addresses;
mod instead;
mod lookup;

use reprise_codec::arena::Arena;
use reprise_codec::rebuild::RebuildError;

use crate::call::creation::made_by;
use crate::call::open_call::Enter;
use crate::call::{Called, Ready, unportable};
use crate::context::Context;
use crate::control::Painter;
use crate::debug::replace::Replacements;
use crate::error::Error;
use crate::memory::places::Places;
use crate::memory::replan::Replan;
use crate::report::Stale;
use crate::stale::pipelines::Part;
use crate::stead::{Missing, Stead};
use crate::world::World;
use instead::Found;

pub(crate) use addresses::moved;
pub(crate) use instead::{missing_object, object_in_words};
pub(crate) use lookup::Lookup;

/// Rebuilds arguments, with the changes that the user or this device asks for.
#[derive(Default)]
pub(crate) struct Arguments {
    /// Shaders that the user puts in the place of the program's.
    pub(crate) replacements: Option<Replacements>,
    /// Has the GPU write something else.
    pub(crate) painter: Option<Painter>,
    /// Heaps that are laid out anew.
    pub(crate) replan: Replan,
    /// Where things lay at capture.
    pub(crate) places: Places,
    /// Memory of calls that are over.
    arenas: Vec<Arena>,
}

impl Arguments {
    /// Rebuilds the arguments of a call and makes it.
    ///
    /// # Errors
    /// An argument cannot be honoured, or the runtime does not have the function.
    pub(crate) fn call(&mut self, context: &mut Context<'_, '_>, enter: Enter<'_, '_>) -> Result<Called, Error> {
        let ready = self.prepare(context, enter, &mut None)?;
        self.make(context, enter, ready)
    }

    /// Makes a call whose arguments are prepared.
    ///
    /// # Errors
    /// The runtime does not have the function, or lists that the call executes cannot be told where resources lie.
    pub(crate) fn make(
        &mut self,
        context: &mut Context<'_, '_>,
        enter: Enter<'_, '_>,
        ready: Ready,
    ) -> Result<Called, Error> {
        addresses::submit(context, enter)?;
        let world = &mut context.world;
        if context.options.create_dummy_allocations {
            // SAFETY: `prepare` took `this` and all objects among the arguments from the table of live objects.
            world.dummies.extend(unsafe { ready.allocate_before(&world.runtime) });
        }
        let number = enter.event.number;
        // SAFETY: `prepare` took `this` and all objects among the arguments from the table of live objects; what has a place is made by
        // methods of devices.
        let called = unsafe {
            let placed = self.places.ask(&world.runtime, number, ready.this);
            world.placed = self.places.are_given();
            let called = ready.make(&world.runtime).map_err(|what| enter.fail(what))?;
            if placed && let Some(addresses) = &mut context.report.addresses {
                self.places.settle(&world.runtime, number, &called, addresses);
            }
            called
        };
        world.indirect.note(&world.runtime, &enter.event.call(), &called.words);
        if let Some(opened) = &mut world.opened {
            opened.made(enter.id(), enter.event.object);
        }
        context.count_call();
        Ok(called)
    }

    /// Makes a call in another form, which gives no objects; as it is, where `make` says false.
    ///
    /// # Errors
    /// An argument cannot be honoured, or `make` fails.
    pub(crate) fn instead(
        &mut self,
        context: &mut Context<'_, '_>,
        enter: Enter<'_, '_>,
        make: impl FnOnce(&mut World, &[u64]) -> Result<bool, String>,
    ) -> Result<Called, Error> {
        let ready = self.prepare(context, enter, &mut None)?;
        if !make(&mut context.world, &ready.words).map_err(|what| enter.fail(what))? {
            return self.make(context, enter, ready);
        }
        let Ready { words, before, made, cached, arena, .. } = ready;
        let world = &mut context.world;
        world.indirect.note(&world.runtime, &enter.event.call(), &words);
        context.count_call();
        Ok(Called { words, result: 0, before, given: Vec::new(), made, cached, arena })
    }

    /// Rebuilds the arguments of a call. Objects that it is passed, and the one that it is made on, are added to `used`, if
    /// they are wanted.
    ///
    /// # Errors
    /// An argument cannot be honoured.
    pub(crate) fn prepare(
        &mut self,
        context: &mut Context<'_, '_>,
        enter: Enter<'_, '_>,
        used: &mut Option<Vec<u64>>,
    ) -> Result<Ready, Error> {
        let Enter { event, method, blobs, .. } = enter;
        let this = match method.interface {
            Some(interface) => context.world.pointer(event.object, interface).map_err(|what| {
                missing_object(&context.world, enter).map_or_else(|| enter.fail(what), |what| enter.leave_out(what))
            })?,
            None => 0,
        };
        let id = enter.id();
        let mut arena = self.arena();
        arena.clear();
        let mut lookup = Lookup {
            lists: context.lists.are_on().then_some(&mut context.lists),
            replacements: self.replacements.as_mut(),
            used: used.take(),
            missing: Some(Vec::new()),
            ..Lookup::new(&mut context.world, blobs, event)
        };
        let rebuilt = context.codec.rebuild(id, event.payload, &mut lookup, &mut arena);
        *used = lookup.used;
        used.iter_mut().for_each(|used| used.push(this));
        let mut missing = lookup.missing.unwrap_or_default();
        let rebuilt = match (rebuilt, missing.pop()) {
            (Ok(rebuilt), last) => {
                missing.extend(last);
                rebuilt
            }
            (Err(_), Some(last)) if last.stead == Stead::LeftOut => {
                return Err(enter.leave_out_for(last.missing, last.what));
            }
            (Err(error), _) => return Err(enter.fail(refused_argument(&error))),
        };
        let mut words = rebuilt.words;
        let zeros = missing.iter().any(|found| found.stead == Stead::Zeros);
        // SAFETY: the codec rebuilt the words for this method, in memory of our own that may be written.
        if !missing.is_empty() && !unsafe { instead::settle(&context.world, enter, &mut words, zeros) } {
            let first = missing.swap_remove(0);
            return Err(enter.leave_out_for(first.missing, first.what));
        }
        for Found { missing, what, stead } in missing {
            // Of the calls that set a pipeline state, those that reset a list are made without one.
            if missing == Missing::Object && stead == Stead::Null && Part::of(id) == Part::Sets {
                context.world.stale.without_pipeline.sets(event.object, false);
            }
            context.report.note_stale(Stale { place: enter.place.clone(), missing, what, stead, count: 1 });
        }
        // SAFETY: the codec rebuilt the words for this method, in memory of our own that may be written.
        let cached = unsafe {
            let cached = unportable::take_out(&context.codec, method, &mut words);
            self.replan.apply(context, enter, &mut words, &mut arena);
            if let Some(painter) = &mut self.painter {
                painter.change(&mut context.world, enter, &mut words);
            }
            cached
        };
        let made = made_by(&context.world.heap_types, method, event.payload, &words);
        // SAFETY: the codec rebuilt the words for this method.
        let before = unsafe { context.codec.outputs_before(id, &words) };
        let replaced = self.replacements.as_mut().map(|replacements| replacements.recent()).unwrap_or_default();
        Ok(Ready { this, method: id, words, outputs: rebuilt.outputs, before, made, replaced, cached, arena })
    }

    /// Memory for the arguments of a call.
    pub(crate) fn arena(&mut self) -> Arena {
        self.arenas.pop().unwrap_or_default()
    }

    /// A call is over: its memory is used again.
    pub(crate) fn finish(&mut self, called: Option<Called>) {
        self.arenas.extend(called.map(|called| called.arena));
    }
}

/// An argument that cannot be honoured, in words.
fn refused_argument(error: &RebuildError) -> String {
    format!("argument {}, byte {} of the payload: {}", error.path, error.offset, error.what)
}
