//! Where a ray query stands: what the ray meets, in the order of the run, and what of it is committed.

use super::scene::{InstancePlace, Scene};
use super::told::RayHit;
use super::traverse::{Meeting, Ray, flag};
use crate::number;
use crate::open::{Lean, Open};
use std::rc::Rc;

/// A query of a lane.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) scene: Rc<Scene>,
    pub(crate) ray: Ray,
    /// What the ray meets, in the order of this run.
    pub(crate) met: Vec<Meeting>,
    pub(crate) next: usize,
    pub(crate) candidate: Option<Meeting>,
    pub(crate) committed: Option<Hit>,
    pub(crate) over: bool,
    /// What is open about all that it began with, and about which candidates there are.
    pub(crate) open: Open,
    /// What is open about their order.
    pub(crate) order: Open,
    /// What is open about which hit is committed, and about whether any is, of which kind.
    pub(crate) which: Open,
    pub(crate) whether: Open,
    /// Among the rays that are told.
    pub(crate) told: Option<usize>,
}

/// What is committed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) meeting: Meeting,
    /// Of a box the distance that the shader says: its bits, and what is open about them.
    pub(crate) given: Option<(u64, Open)>,
}

impl Hit {
    pub(crate) fn distance(&self) -> f64 {
        self.given.map_or(self.meeting.distance, |(bits, _)| number::real(bits, 32))
    }
}

/// Puts what a ray meets into the order of a run.
pub(crate) fn arrange(met: &mut [Meeting], lean: Lean) {
    match lean {
        Lean::Nearest => met.sort_by(|a, b| a.distance.total_cmp(&b.distance)),
        Lean::Less => met.sort_by(|a, b| b.distance.total_cmp(&a.distance)),
        Lean::More => met.sort_by_key(Meeting::order),
        Lean::InTurn => met.sort_by_key(|it| std::cmp::Reverse(it.order())),
    }
}

/// What of a closest hit another device may find in another way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// An edge, or an end of the ray's range.
    pub(crate) edge: bool,
    /// Two hits at one distance.
    pub(crate) tie: bool,
    /// Any of several is the first.
    pub(crate) first: bool,
    /// Even whether there is a hit, or of which kind.
    pub(crate) whether: bool,
}

impl Doubt {
    /// Of what is committed at last, by its meeting and its distance.
    pub(crate) fn of(ray: &Ray, met: &[Meeting], hit: Option<(Meeting, f64)>) -> Doubt {
        let is_own = |it: &Meeting| hit.is_some_and(|(own, _)| own.order() == it.order());
        let (end, error) = hit.map_or((f64::INFINITY, 0.0), |(own, distance)| (distance, own.error));
        let mut doubt = Doubt::default();
        for it in met {
            let reaches = it.distance - it.error <= end + error;
            doubt.edge |= it.is_automatic() && !it.sure && reaches;
            let beside = hit.is_some() && !is_own(it) && it.is_triangle();
            doubt.tie |= beside && (it.distance - end).abs() <= it.error + error;
        }
        let count = met.iter().filter(|it| it.exact).count();
        doubt.first = ray.flags & flag::ACCEPT_FIRST != 0 && hit.is_some() && count > 1;
        let triangle = hit.map(|(own, _)| own.is_triangle());
        let anchored = met.iter().any(|it| it.is_automatic() && it.sure && triangle == Some(true));
        let other_kind = met.iter().any(|it| Some(it.is_triangle()) != triangle);
        doubt.whether = doubt.edge && !anchored || (doubt.first || doubt.tie) && other_kind;
        doubt
    }
}

impl Query {
    /// Goes on to the next candidate that a shader has to be asked about.
    pub(crate) fn proceed(&mut self) -> bool {
        self.candidate = None;
        while !self.over {
            let Some(meeting) = self.met.get(self.next).copied() else { break };
            self.next += 1;
            let end = self.committed.map_or(f64::INFINITY, |hit| hit.distance());
            let nearer = if meeting.is_triangle() { meeting.distance < end } else { meeting.distance <= end };
            if !meeting.exact || !nearer {
                continue;
            }
            if !meeting.is_automatic() {
                self.candidate = Some(meeting);
                return true;
            }
            self.commit(Hit { meeting, given: None });
        }
        self.over = true;
        false
    }

    pub(crate) fn commit(&mut self, hit: Hit) {
        self.committed = Some(hit);
        self.over |= self.ray.flags & flag::ACCEPT_FIRST != 0;
    }

    pub(crate) fn instance(&self, of: &Meeting) -> Option<&InstancePlace> {
        self.scene.instances.get(of.instance as usize)
    }

    pub(crate) fn hit(&self) -> Option<RayHit> {
        let hit = self.committed?;
        let of = hit.meeting;
        let instance = self.instance(&of)?;
        Some(RayHit {
            triangle: of.is_triangle(),
            instance: of.instance,
            id: instance.id,
            geometry: of.geometry,
            primitive: of.primitive,
            distance: hit.distance(),
            barycentrics: of.barycentrics,
            front: of.front,
            record: instance.record,
        })
    }
}
