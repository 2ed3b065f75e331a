//! Uses of resources as they happen: which call, how, which subresources; the one place that tells them.
//!
//! Invariant: uses of lists come in the order in which submissions run, those of the processor where the walk meets them. Each use is told;
//! only what shaders pick out of descriptor arrays is told once for a recording, at the first call that can reach it.

use crate::recording::{Bytes, Operation, Ran, Recording, Use};
use crate::role::{Role, Sureness};
use crate::standing::Stand;
use crate::subresource::{Part, Shape, Subresources};
use reprise_d3d12::model::MethodId;
use std::collections::HashSet;

/// A use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The call of the list, or of the processor. A store is noticed after this call.
    pub call: u64,
    /// The frame, from 0: of a list's call that of the submission.
    pub frame: u32,
    /// Its method; `None` for stores and what the program saw.
    pub method: Option<MethodId>,
    /// The list whose recording ran: of a bundle's command the list that ran the bundle.
    pub list: Option<u32>,
    /// Its queue, the submission's number among all and its call.
    pub submission: Option<(u32, u64, u64)>,
    /// The resource.
    pub resource: u32,
    /// What is done.
    pub role: Role,
    /// How sure that is.
    pub sure: Sureness,
    /// Its subresources, in boxes.
    pub parts: Vec<Part>,
    /// These are all that the resource has.
    pub whole: bool,
    /// First byte and how many, of a buffer or of stored memory, where that is known.
    pub bytes: Bytes,
}

/// What is asked of a [`Linter`](crate::Linter) that notes uses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wish {
    /// Uses of this resource only.
    pub resource: Option<u32>,
    /// How its subresources stand when this call runs, and which uses come before it.
    pub moment: Option<Moment>,
}

/// A call of the trace at which somebody looks.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Its number.
    pub call: u64,
    /// The list or bundle that records it; 0 for a call of the processor.
    pub list: u32,
    /// It is recorded in a bundle.
    pub bundle: bool,
}

/// What was found at a moment.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// How many uses were noted before.
    pub uses: usize,
    /// How the subresources of the resource stand.
    pub stands: Vec<Stand>,
    /// The submission that runs the call: its call.
    pub submission: Option<u64>,
}

/// What is noted.
#[derive(Debug, Default)]
pub(crate) struct Log {
    wish: Wish,
    uses: Vec<Used>,
    /// Uses that were taken.
    taken: usize,
    /// What the last call did, so that nothing is told twice: its submission, the list's call, and its own, which in a bundle is another one.
    call: (u64, u64, u64),
    seen: HashSet<(u32, Role, Sureness, Bytes, Vec<Part>)>,
    reached: Option<Reached>,
}

/// Where an operation runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) list: u32,
    pub(crate) queue: u32,
    /// Number among all, and call.
    pub(crate) submission: (u64, u64),
    /// The frame of that call.
    pub(crate) frame: u32,
}

/// Whether a recording that began and ended with these calls has this call.
fn holds(begun: u64, ended: Option<u64>, call: u64) -> bool {
    begun < call && ended.is_none_or(|ended| call <= ended)
}

impl Log {
    pub(crate) fn new(wish: Wish) -> Log {
        Log { wish, ..Log::default() }
    }

    pub(crate) fn take(&mut self) -> Vec<Used> {
        self.taken += self.uses.len();
        std::mem::take(&mut self.uses)
    }

    pub(crate) fn reached(&self) -> Option<&Reached> {
        self.reached.as_ref()
    }

    pub(crate) fn wish(&self) -> &Wish {
        &self.wish
    }

    /// Whether a recording, as it runs, comes to the moment before this operation; `None` is behind its last one.
    pub(crate) fn comes(&self, recording: &Recording, operation: Option<&Operation>) -> bool {
        let Some(moment) = self.wish.moment.filter(|_| self.reached.is_none()) else { return false };
        if moment.bundle {
            // Not each call of a bundle becomes an operation: the next one behind it is looked for, in the bundle or behind it.
            let own = |ran: &&Ran| holds(ran.begun, ran.ended, moment.call);
            let ran = recording.bundles.get(&moment.list).and_then(|all| all.iter().find(own));
            return ran.is_some_and(|ran| {
                operation.is_none_or(|operation| (operation.at, operation.call) >= (ran.at, moment.call))
            });
        }
        recording.list == moment.list
            && holds(recording.begun, recording.ended, moment.call)
            && operation.is_none_or(|operation| operation.at >= moment.call)
    }

    /// Whether the moment is one of the processor's, and this call is behind it.
    pub(crate) fn passes(&self, call: u64) -> bool {
        self.reached.is_none() && self.wish.moment.is_some_and(|moment| moment.list == 0 && moment.call <= call)
    }

    pub(crate) fn reach(&mut self, stands: Vec<Stand>, submission: Option<u64>) {
        self.reached = Some(Reached { uses: self.taken + self.uses.len(), stands, submission });
    }

    /// A use by a list.
    pub(crate) fn ran(&mut self, run: Run, operation: &Operation, it: &Use, role: Option<Role>, shape: Shape) {
        if self.wish.resource.is_some_and(|wanted| wanted != it.resource) {
            return;
        }
        let Some(role) = role.or_else(|| Role::of(operation.method, it.access)) else { return };
        let parts = shape.boxes(&it.subresources);
        let sure = Sureness::of(it.severity);
        let call = (run.submission.0, operation.at, operation.call);
        if self.call != call {
            self.call = call;
            self.seen.clear();
        }
        if !self.seen.insert((it.resource, role, sure, it.bytes, parts.clone())) {
            return;
        }
        let (number, call) = run.submission;
        self.uses.push(Used {
            call: operation.call,
            frame: run.frame,
            method: operation.method,
            list: Some(run.list),
            submission: Some((run.queue, number, call)),
            resource: it.resource,
            role,
            sure,
            whole: shape.is_all(&parts),
            parts,
            bytes: it.bytes,
        });
    }

    /// A use by the processor; `index` is a subresource, `None` for all of them.
    pub(crate) fn did(
        &mut self,
        call: (u64, Option<MethodId>, u32),
        resource: u32,
        role: Role,
        at: (Shape, Option<u32>, Bytes),
    ) {
        if resource == 0 || self.wish.resource.is_some_and(|wanted| wanted != resource) {
            return;
        }
        let (shape, index, bytes) = at;
        let parts = shape.boxes(&index.map_or(Subresources::All, Subresources::One));
        let (call, method, frame) = call;
        self.uses.push(Used {
            call,
            frame,
            method,
            list: None,
            submission: None,
            resource,
            role,
            sure: Sureness::Certain,
            whole: shape.is_all(&parts),
            parts,
            bytes,
        });
    }
}
