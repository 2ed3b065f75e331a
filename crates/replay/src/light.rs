//! The short way of a call, for calls of lists and writes of descriptors, which are most of a trace.
//!
//! A method's plan is made once. It says which calls can go this way and how each argument is resolved. The words of a call are
//! kept for the next call whose record has the same form (method and size): only those that changed are made again. They are kept
//! as long as the [`World`] has the same version; then no object that they name is gone, and no number stands for something else.
//! Invariant: the short way makes the calls that the long way would make, in the same order and with the same arguments. Other
//! calls (an object that stays within replay, an argument that cannot be honoured) go the long way, which reports them.

use reprise_codec::light::{Known, Light, Prepared};
use reprise_codec::{Arena, Codec};
use reprise_d3d12::MODEL;
use reprise_d3d12::abi::Direct;
use reprise_d3d12::interface;
use reprise_d3d12::model::{InterfaceId, MethodId, Order, Type};
use reprise_trace::read::Call;

use crate::call::decision::{self, Decision};
use crate::call::unportable;
use crate::context::Context;
use crate::lists::batch::Directs;
use crate::stale::pipelines::Part;
use crate::world::World;

/// The plan of each method, and the last calls.
pub(crate) struct Plans {
    methods: Vec<Option<Plan>>,
    /// By the form of its record: the last call.
    last: Vec<Last>,
}

/// How calls of a method are made.
struct Plan {
    interface: InterfaceId,
    arguments: Light,
    call: Direct,
    /// What it is to the pipeline state of its list.
    part: Part,
    /// What was found for the arguments, as of this version of the world.
    known: Known,
    version: u64,
}

/// The last call of a form.
#[derive(Default)]
struct Last {
    /// Its number among the calls of the form; 0 where it was not made this way.
    turn: u64,
    /// The version of the world that its answers are of.
    version: u64,
    object: u32,
    this: u64,
    words: Prepared,
}

/// A call that is ready to be made, or to be kept.
pub(crate) struct Ready<'p> {
    /// The object, as it is here.
    pub(crate) this: u64,
    pub(crate) call: &'p Direct,
    arguments: &'p Light,
    words: &'p mut Prepared,
}

impl Plans {
    /// Plans for the methods that take the short way; none where each call is to be looked at.
    pub(crate) fn new(codec: &Codec, none: bool) -> Self {
        let methods = if none { 0 } else { MODEL.methods.len() };
        let plan = |number: usize| Plan::new(codec, MethodId(number as u16));
        Self { methods: (0..methods).map(plan).collect(), last: Vec::new() }
    }

    /// Whether no call takes the short way.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.methods.is_empty()
    }

    /// By method: how to call those that have a plan.
    pub(crate) fn directs(&self) -> Box<Directs> {
        self.methods.iter().map(|plan| plan.as_ref().map(|plan| plan.call)).collect()
    }
}

impl Plan {
    fn new(codec: &Codec, id: MethodId) -> Option<Self> {
        /// Their calls make no work for a queue, and give nothing out.
        const CLASSES: [InterfaceId; 2] = [interface("ID3D12GraphicsCommandList"), interface("ID3D12Device")];
        let method = id.get();
        let interface = method.interface?;
        let plain = decision::decide(id.0) == Some(Decision::Call)
            && method.order != Order::EnterLeave
            && matches!(method.result, Type::Void)
            && CLASSES.iter().any(|class| class.family() == interface.family())
            && !unportable::concerns(method);
        let arguments = codec.light(id).filter(|_| plain)?;
        let known = arguments.nothing_known();
        Some(Self { interface, arguments, call: Direct::new(method)?, part: Part::of(id), known, version: 0 })
    }
}

impl Plans {
    /// Makes a call, if it can go the short way.
    #[inline(always)]
    pub(crate) fn make(&mut self, context: &mut Context<'_, '_>, call: &Call<'_>) -> bool {
        let Some(ready) = self.ready(&mut context.world, call) else { return false };
        let words = ready.words.words(ready.arguments, call.payload);
        // SAFETY: `this` is alive and has the interface that declares the method; the codec rebuilt valid arguments, whose memory is
        // the event's and that of the last call.
        unsafe {
            context.lists.before_write(call.method, words);
            context.world.runtime.call_direct(ready.this, ready.call, words);
        }
        context.world.indirect.note(&context.world.runtime, call, words);
        context.report.calls += 1;
        context.report.replayed += 1;
        true
    }

    /// The object and the arguments of a call; `None` where it goes the long way.
    #[inline(always)]
    pub(crate) fn ready(&mut self, world: &mut World, call: &Call<'_>) -> Option<Ready<'_>> {
        let plan = self.methods.get_mut(usize::from(call.method))?.as_mut()?;
        // Such calls may have to be left out.
        let without = &world.stale.without_pipeline;
        if plan.part != Part::Nothing && !without.are_none() && without.is(call.object) {
            return None;
        }
        let turn = call.turn;
        if self.last.len() <= turn.form {
            self.last.resize_with(turn.form + 1, Last::default);
        }
        let last = self.last.get_mut(turn.form)?;
        let version = world.version();
        // Numbers begin anew with each chunk, and no call has the number 1.
        let changed = (last.turn + 1 == turn.number && last.version == version).then_some(turn.changed);
        last.turn = 0;
        if plan.version != version {
            plan.version = version;
            plan.known.forget();
        }
        if changed.is_none() || last.object != call.object {
            (last.this, last.object) = (find_this(world, call.object, plan.interface)?, call.object);
        }
        let arguments = &plan.arguments;
        arguments.prepare(call.payload, changed, world, &mut plan.known, &mut last.words).ok()?;
        (last.turn, last.version) = (turn.number, version);
        Some(Ready { this: last.this, call: &plan.call, arguments, words: &mut last.words })
    }
}

#[inline(never)]
fn find_this(world: &mut World, id: u32, interface: InterfaceId) -> Option<u64> {
    world.objects.pointer(&world.runtime, id, interface).ok()
}

impl Ready<'_> {
    /// The arguments of the call; all that they lead to is in the arena.
    #[inline]
    pub(crate) fn kept_words(&mut self, call: &Call<'_>, arena: &mut Arena) -> &[u64] {
        self.words.kept_words(self.arguments, call.payload, arena)
    }
}
