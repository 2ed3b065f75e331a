//! The short way of a call, for calls of lists and writes of descriptors, which are most of a trace.
//!
//! A method's plan is made once. It says which calls can go this way and how each argument is resolved. A call then costs a
//! look at the table of objects, a few words, and the call itself. Invariant: the short way makes the calls that the long way
//! would make, in the same order and with the same arguments. Other calls (an object that stays within replay, an argument that
//! cannot be honoured) go the long way, which reports them.

use reprise_codec::light::{Alike, Known, Light, MOST_WORDS, NotLight};
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
use crate::world::World;

/// The plan of each method.
pub(crate) struct Plans {
    methods: Vec<Option<Plan>>,
    /// Memory that the arguments of one call need.
    arena: Arena,
    words: [u64; MOST_WORDS],
}

pub(crate) struct Plan {
    interface: InterfaceId,
    arguments: Light,
    call: Direct,
    /// Answers for `this` and for the arguments, as of this version of the world.
    this: Alike,
    known: Known,
    version: u64,
}

impl Plans {
    /// Plans for the methods that take the short way; none where each call is to be looked at.
    pub(crate) fn new(codec: &Codec, none: bool) -> Self {
        let methods = if none { 0 } else { MODEL.methods.len() };
        let plan = |number: usize| Plan::new(codec, MethodId(number as u16));
        Self { methods: (0..methods).map(plan).collect(), arena: Arena::new(), words: [0; MOST_WORDS] }
    }

    /// Whether no call takes the short way.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.methods.is_empty()
    }

    /// The plan of a method.
    #[inline]
    pub(crate) fn get(&mut self, method: u16) -> Option<&mut Plan> {
        self.methods.get_mut(usize::from(method))?.as_mut()
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
        let (this, known) = (Alike::NOTHING, arguments.nothing_known());
        Some(Self { interface, arguments, call: Direct::new(method)?, this, known, version: 0 })
    }
}

impl Plans {
    /// Makes a call, if it can go the short way.
    #[inline]
    pub(crate) fn make(&mut self, context: &mut Context<'_, '_>, call: &Call<'_>) -> bool {
        let world = &mut context.world;
        let Plans { methods, arena, words } = self;
        let Some(Some(plan)) = methods.get_mut(usize::from(call.method)) else { return false };
        let Some(this) = plan.this(world, call.object) else { return false };
        let mark = arena.mark();
        let rebuilt = plan.rebuild(call, world, arena, false, words);
        if let Ok(words) = rebuilt {
            // SAFETY: `this` is alive and has the interface that declares the method; the codec rebuilt valid arguments,
            // whose memory is the arena's and the event's.
            unsafe {
                context.lists.before_write(call.method, words);
                world.runtime.call_direct(this, &plan.call, words);
            }
            world.indirect.note(&world.runtime, call, words);
            context.report.calls += 1;
            context.report.replayed += 1;
        }
        let made = rebuilt.is_ok();
        arena.rewind(mark);
        made
    }
}

impl Plan {
    /// The object that a call is made on, as it is here. Forgets answers of earlier versions of the world.
    #[inline]
    pub(crate) fn this(&mut self, world: &mut World, id: u32) -> Option<u64> {
        let version = world.version();
        if self.version != version {
            (self.this, self.version) = (Alike::NOTHING, version);
            self.known.forget();
        }
        self.this.of(id.into()).or_else(|| self.find_this(world, id))
    }

    #[inline(never)]
    fn find_this(&mut self, world: &mut World, id: u32) -> Option<u64> {
        let pointer = world.objects.pointer(&world.runtime, id, self.interface).ok()?;
        self.this = Alike::only(id.into(), pointer);
        Some(pointer)
    }

    /// The arguments of a call, after [`Plan::this`]; all that they lead to is in the arena if they are to be `kept`.
    #[inline]
    pub(crate) fn rebuild<'w>(
        &mut self,
        call: &Call<'_>,
        world: &mut World,
        arena: &mut Arena,
        kept: bool,
        words: &'w mut [u64; MOST_WORDS],
    ) -> Result<&'w [u64], NotLight> {
        self.arguments.rebuild(call.payload, world, &mut self.known, arena, kept, words)
    }
}
