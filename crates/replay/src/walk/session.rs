//! A replay that a leader takes from stop to stop.
//!
//! Invariant: what is looked at is planned by the pass that plans dumps, over the trace and not over the replay, so that it is what
//! `reprise show` has there.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;
use reprise_trace::read::Trace;

use crate::context::Context;
use crate::error::{Place, Subject};
use crate::leader::{Order, Stand, Why};
use crate::resource_dump::{self, Dumps, ResourceDumps, Shot};

const RESET: MethodId = method("ID3D12GraphicsCommandList", "Reset");

/// See the module.
pub(super) struct Session<'a> {
    trace: &'a Trace,
    dumps: Dumps,
    /// All shots so far, by their number.
    shots: Vec<Shot>,
    has_begun: bool,
    /// The call to stop at, and whether right before it.
    target: Option<(u64, bool)>,
    /// The thread that began it.
    thread: Option<u32>,
    awaited: Option<Shot>,
    is_over: bool,
}

impl<'a> Session<'a> {
    pub(super) fn new(trace: &'a Trace, context: &Context<'_, '_>) -> Self {
        let dumps = Dumps::none(context.options.fence_wait_timeout);
        let (shots, target, thread, awaited) = (Vec::new(), None, None, None);
        Self { trace, dumps, shots, has_begun: false, target, thread, awaited, is_over: false }
    }

    /// The leader wants no more calls.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The call at `place` is made next.
    pub(super) fn before(&mut self, context: &mut Context<'_, '_>, thread: u32, place: &Place) {
        if !self.has_begun {
            self.has_begun = true;
            self.stand(context, Stand { is_new: true, ..Stand::default() });
        }
        self.dumps.before(&mut context.world, place.call);
        self.give(context);
        let stand = Stand { call: place.call, before: true, why: Why::Stop, is_new: false, damaged: 0 };
        match self.target {
            Some((call, true)) if call == place.call => self.stop(context, stand),
            Some((call, false)) if call == place.call => self.thread = Some(thread),
            // Its thread is beyond it.
            Some((call, _)) if call < place.call && self.thread == Some(thread) => {
                self.stop(context, Stand { why: Why::NotMade, ..stand });
            }
            _ => {}
        }
    }

    /// The call at `place` was made.
    pub(super) fn after(&mut self, context: &mut Context<'_, '_>, object: u32, place: &Place) {
        if self.is_over {
            return;
        }
        self.dumps.after(&mut context.world, place.call, object);
        if place.method == Subject::Method(RESET.0) {
            self.dumps.release(&mut context.world, object);
        }
        if self.awaited.is_some() {
            self.dumps.settle(&mut context.world);
        }
        let is_given = self.give(context);
        let stand = Stand { call: place.call, before: false, why: Why::Given, is_new: false, damaged: 0 };
        if is_given {
            self.stand(context, stand);
        } else if self.target == Some((place.call, false)) {
            self.stop(context, Stand { why: Why::Stop, ..stand });
        }
    }

    /// No more calls are made.
    pub(super) fn finish(mut self, context: &mut Context<'_, '_>) {
        let shots = std::mem::take(&mut self.shots);
        let outcome = self.dumps.finish(&mut context.world);
        let Some(leader) = &mut context.options.leader else { return };
        for (index, shown) in outcome.shots {
            if let Some(shot) = shots.get(index) {
                leader.shown(shot, shown);
            }
        }
    }

    fn stop(&mut self, context: &mut Context<'_, '_>, stand: Stand) {
        (self.target, self.thread) = (None, None);
        self.stand(context, stand);
    }

    /// Does what the leader wants, until the replay is to go on.
    fn stand(&mut self, context: &mut Context<'_, '_>, stand: Stand) {
        let (damage, more) = self.trace.damage();
        let mut stand = Stand { damaged: damage.len() as u64 + more, ..stand };
        while let Some(leader) = &mut context.options.leader {
            let order = leader.order(&stand);
            stand.is_new = false;
            match order {
                Order::Look(shots) => self.look(context, shots, &stand),
                Order::Await(shot) => {
                    self.awaited = Some(shot);
                    return;
                }
                Order::Run { call, before } => {
                    self.target = Some((call, before));
                    return;
                }
                Order::End => break,
            }
        }
        self.is_over = true;
    }

    fn look(&mut self, context: &mut Context<'_, '_>, shots: Vec<Shot>, stand: &Stand) {
        let asked = ResourceDumps { shots, ..ResourceDumps::default() };
        let plan = resource_dump::plan(&mut self.trace.events().without_pages(), self.trace, &asked);
        match plan {
            Ok(plan) => {
                let first = self.shots.len();
                self.shots.extend(asked.shots);
                self.dumps.add(plan, first);
                self.dumps.take_due(&mut context.world, (stand.call, stand.before));
            }
            Err(what) => {
                let Some(leader) = &mut context.options.leader else { return };
                let what = format!("looking for what is asked for: {what}");
                asked.shots.iter().for_each(|shot| leader.shown(shot, Err(what.clone())));
            }
        }
        self.give(context);
    }

    /// Gives what is there; whether what is awaited is among it.
    fn give(&mut self, context: &mut Context<'_, '_>) -> bool {
        let Some(leader) = &mut context.options.leader else { return false };
        let mut is_given = false;
        for (index, shown) in self.dumps.take_shots() {
            let Some(shot) = self.shots.get(index) else { continue };
            is_given |= self.awaited.as_ref() == Some(shot);
            leader.shown(shot, shown);
        }
        if is_given {
            self.awaited = None;
        }
        is_given
    }
}
