//! The state of the program's objects as of a call.
//!
//! [`State`] is a pass. Its parts are passes too, in the order in which they build on each other: a part sees those before it as
//! [`Known`]. Invariant: an object exists from the leave of its creation to the enter of its final release, and numbers
//! (handles, addresses) mean what they meant at the enter of the call that has them.

pub mod addresses;
pub mod bindings;
pub mod descriptors;
pub mod lists;
pub mod memory;
pub mod objects;
pub mod programs;
pub mod queues;

pub use addresses::Addresses;
pub use descriptors::Descriptors;
pub use lists::Lists;
pub use memory::Memories;
pub use objects::Objects;
pub use programs::Programs;
pub use queues::Queues;

use crate::argument::Damaged;
use crate::call::Call;
use crate::walk::{At, Interests, Memory, Pass};
use reprise_d3d12::MODEL;
use reprise_trace::read::Event;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Everything that is known as of a call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The last call or event taken in.
    pub at: At,
    /// What exists.
    pub objects: Objects,
    /// What numbers stand for.
    pub addresses: Addresses,
    /// What lies where.
    pub memory: Memories,
    /// What descriptor heaps hold.
    pub descriptors: Descriptors,
    /// What command lists have set.
    pub lists: Lists,
    /// What queues and fences have got to.
    pub queues: Queues,
    /// Generic programs of state objects.
    pub programs: Programs,
    /// Calls whose arguments or results could not be read: how many, and the first of them with the reason.
    pub damaged: Damage,
    /// Objects that are gone since they were taken last, where someone takes them.
    #[serde(skip)]
    departed: Option<Vec<u32>>,
}

/// Calls that could not be taken in whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Damage {
    /// How many, records that are no calls included.
    pub calls: u64,
    /// The first one, or the call before that record, and what is wrong with it.
    pub first: Option<(u64, String)>,
}

impl Damage {
    fn note(&mut self, call: &Call<'_>, result: Result<(), Damaged>) {
        if let Err(damaged) = result {
            self.calls += 1;
            self.first.get_or_insert_with(|| (call.number, damaged.to_string()));
        }
    }
}

/// The parts that [`Lists`] and [`Queues`] build on, as of the call that they are given.
#[derive(Clone, Copy, Debug)]
pub struct Known<'s> {
    /// What exists.
    pub objects: &'s Objects,
    /// What numbers stand for.
    pub addresses: &'s Addresses,
    /// What lies where.
    pub memory: &'s Memories,
    /// What descriptor heaps hold.
    pub descriptors: &'s Descriptors,
}

/// Parts, a bit each, in the order of [`State`]'s fields.
type Parts = u8;
const OBJECTS: Parts = 1;
const MEMORY: Parts = 4;
const DESCRIPTORS: Parts = 8;
const LISTS: Parts = 16;
const QUEUES: Parts = 32;
const PROGRAMS: Parts = 64;

/// The parts that want a method: when it begins, and when it is complete.
#[derive(Clone, Copy, Default)]
struct Row {
    enter: Parts,
    call: Parts,
}

/// Each part's interests.
fn interests() -> [(Parts, Interests); 6] {
    [
        (OBJECTS, Objects::interests()),
        (MEMORY, Memories::interests()),
        (DESCRIPTORS, Descriptors::interests()),
        (LISTS, Lists::interests()),
        (QUEUES, Queues::interests()),
        (PROGRAMS, Programs::interests()),
    ]
}

/// By method, which parts want it.
fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Box<[Row]>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut rows = vec![Row::default(); MODEL.methods.len()];
        for (part, interests) in interests() {
            for (method, row) in (0..).zip(&mut rows) {
                let method = reprise_d3d12::model::MethodId(method);
                row.enter |= if interests.has_enter(method) { part } else { 0 };
                row.call |= if interests.has_call(method) { part } else { 0 };
            }
        }
        rows.into()
    })
}

impl State {
    /// A state that keeps what mapped memory holds, too.
    pub fn with_contents() -> State {
        State { memory: Memories::with_contents(), ..State::default() }
    }

    /// Keeps the objects that go from here on, for [`State::take_gone`].
    pub fn note_gone(&mut self) {
        self.departed = Some(Vec::new());
    }

    /// The objects that are gone since the last time.
    pub fn take_gone(&mut self) -> Vec<u32> {
        self.departed.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// An object is gone: its id, its numbers and its memory mean nothing from here on.
    fn gone(&mut self, object: u32) {
        if let Some(departed) = &mut self.departed {
            departed.push(object);
        }
        self.addresses.gone(object);
        self.memory.gone(object);
        self.descriptors.gone(object);
        self.lists.gone(object);
        self.queues.gone(object);
        self.programs.gone(object);
    }
}

impl Pass for State {
    fn interests(&self) -> Interests {
        let all = interests().iter().fold(Interests::new(), |all, (_, own)| all.and(own));
        all.memory_if(self.memory.wants_memory())
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.at = *at;
        let parts = rows().get(usize::from(call.method.0)).map_or(0, |row| row.enter);
        if parts & OBJECTS != 0 {
            let mut gone = Vec::new();
            let result = self.objects.enter(call, &mut gone);
            self.damaged.note(call, result);
            gone.into_iter().for_each(|object| self.gone(object));
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        self.at = *at;
        let parts = rows().get(usize::from(call.method.0)).map_or(0, |row| row.call);
        if parts & OBJECTS != 0 {
            let mut gone = Vec::new();
            let result = self.objects.call(call, &mut gone);
            self.damaged.note(call, result);
            gone.into_iter().for_each(|object| self.gone(object));
        }
        let State { objects, addresses, memory, descriptors, lists, queues, programs, damaged, .. } = self;
        if parts & MEMORY != 0 {
            damaged.note(call, memory.call(call, objects));
        }
        if parts & DESCRIPTORS != 0 {
            damaged.note(call, descriptors.call(call, addresses));
        }
        if parts & LISTS != 0 {
            let known = Known { objects, addresses, memory, descriptors };
            damaged.note(call, lists.call(call, at, known));
        }
        if parts & PROGRAMS != 0 {
            damaged.note(call, programs.call(call));
        }
        if parts & QUEUES != 0 {
            damaged
                .note(call, queues.call(call, at, |list| lists.get(list).map(|list| (list.begun, list.calls.len()))));
        }
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], at: &At) {
        self.at = *at;
        self.addresses.fact(object, kind, bytes);
        self.memory.fact(object, kind, bytes);
    }

    fn memory(&mut self, memory: &Memory<'_>, at: &At) {
        self.at = *at;
        self.memory.stored(memory);
    }

    fn damaged(&mut self, event: &Event<'_>, at: &At) {
        self.at = *at;
        self.damaged.calls += 1;
        let what = || format!("a record of kind {:?} is too short", event.kind);
        self.damaged.first.get_or_insert_with(|| (at.call, what()));
    }

    fn observe(&mut self, fence: u32, value: u64, at: &At) {
        self.at = *at;
        self.queues.observe(fence, value, at);
    }

    fn frame(&mut self, at: &At) {
        self.at = *at;
    }
}
