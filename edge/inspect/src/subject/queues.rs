//! What the program submitted to queues and did with fences, with times.

use super::kind::{self, Kind};
use reprise_timeline::state::queues::{Happening, executed, happenings};
use reprise_timeline::{At, Call, Interests, Pass};
use std::collections::HashMap;

/// The most operations that are kept, and the most events of fences. A trace of hours has fewer.
const MOST: usize = 4 << 20;

/// A call that tells a queue, or a swap chain, to do something.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) call: u64,
    pub(crate) method: u16,
    pub(crate) kind: Kind,
    /// The queue; the swap chain of a present.
    pub(crate) object: u32,
    /// From 0.
    pub(crate) frame: u32,
    pub(crate) time_ns: u64,
    pub(crate) end_ns: u64,
    /// Of a signal or wait: the fence and the value.
    pub(crate) fence: Option<(u32, u64)>,
    /// Of a submission: how many lists, and its number from 1.
    pub(crate) lists: u32,
    pub(crate) submission: u64,
}

/// What the program did with a fence, or saw of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) fence: u32,
    pub(crate) value: u64,
    /// In or after this call.
    pub(crate) call: u64,
    pub(crate) time_ns: u64,
    pub(crate) end_ns: u64,
    /// `seen`, `set` or `program_waits`.
    pub(crate) what: &'static str,
}

/// Collects both.
#[derive(Debug, Default)]
pub(crate) struct Submissions {
    pub(crate) operations: Vec<Operation>,
    pub(crate) seen: Vec<Seen>,
    count: u64,
    /// The last value that was seen of each fence. Programs ask in loops: the same value again is not kept.
    last: HashMap<u32, u64>,
}

impl Submissions {
    fn see(&mut self, seen: Seen) {
        if seen.what == "seen" && self.last.insert(seen.fence, seen.value) == Some(seen.value) {
            return;
        }
        if self.seen.len() < MOST {
            self.seen.push(seen);
        }
    }
}

impl Pass for Submissions {
    fn interests(&self) -> Interests {
        let wanted = |method: reprise_d3d12::model::MethodId| {
            matches!(kind::of(method.0), Kind::Submit | Kind::Signal | Kind::Wait | Kind::Present | Kind::Queue)
                || reprise_view::api::name(method) == "ID3D12Fence::GetCompletedValue"
                || (kind::of(method.0) == Kind::Marker
                    && reprise_view::api::name(method).starts_with("ID3D12CommandQueue"))
        };
        Interests::new().calls_where(wanted).observed()
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        let kind = kind::of(call.method.0);
        let (time_ns, end_ns) = (call.time_ns, at.time_ns.max(call.time_ns));
        let of_fences = happenings(call).unwrap_or_default();
        for (fence, value, happening) in &of_fences {
            let what = match happening {
                Happening::Set => "set",
                Happening::ProgramWaits => "program_waits",
                Happening::Seen => "seen",
                _ => continue,
            };
            self.see(Seen { fence: *fence, value: *value, call: call.number, time_ns, end_ns, what });
        }
        let on_queue = of_fences.iter().find_map(|(fence, value, happening)| {
            matches!(happening, Happening::Signalled { .. } | Happening::QueueWaits { .. }).then_some((*fence, *value))
        });
        let is_fence = matches!(kind, Kind::Signal | Kind::Wait);
        if kind == Kind::Get || kind == Kind::Create || (is_fence && on_queue.is_none()) {
            return;
        }
        let lists = executed(call).map_or(0, |lists| lists.len() as u32);
        if kind == Kind::Submit && lists > 0 {
            self.count += 1;
        }
        if self.operations.len() < MOST {
            self.operations.push(Operation {
                call: call.number,
                method: call.method.0,
                kind,
                object: call.object,
                frame: call.frame,
                time_ns,
                end_ns,
                fence: on_queue,
                lists,
                submission: if lists > 0 { self.count } else { 0 },
            });
        }
    }

    fn observe(&mut self, fence: u32, value: u64, at: &At) {
        let (call, time_ns) = (at.call, at.time_ns);
        self.see(Seen { fence, value, call, time_ns, end_ns: time_ns, what: "seen" });
    }
}
