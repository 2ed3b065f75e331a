//! The pass over the trace that finds the operations of the lists that some frames submit, and what is bound there.

use std::collections::HashMap;

use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::operation::{Operation, is_operation, of_number};
use reprise_timeline::argument::{Argument, Many, ObjectId};
use reprise_timeline::state::lists::{List, records};
use reprise_timeline::{At, Call, Interests, Pass, Recorded, State, argument};

use super::bytes;
use crate::report::timing::{TimeWish, TimedOperation};

const SUBMITTED: Argument<Many<ObjectId>> = argument!("ID3D12CommandQueue", "ExecuteCommandLists", "ppCommandLists");
const BUNDLE: Argument<ObjectId> = argument!("ID3D12GraphicsCommandList", "ExecuteBundle", "pCommandList");

/// What has to be timed.
#[derive(Default)]
pub(crate) struct Plan {
    /// Operations by the numbers of their calls.
    pub(crate) operations: HashMap<u64, TimedOperation>,
    /// Calls of `ExecuteCommandLists`, and their frames.
    pub(crate) submissions: HashMap<u64, u64>,
}

/// Finds it, in a walk over the trace up to the end of the frames.
pub(crate) struct Finder {
    frames: (u64, u64),
    state: State,
    /// Operations of each list since it was reset.
    lists: Recorded<Entry>,
    plan: Plan,
}

/// An operation of a list.
#[derive(Clone)]
struct Entry {
    call: u64,
    operation: TimedOperation,
    /// The render target, or the one of depth and stencil, that it clears.
    clears: Option<u32>,
}

impl Finder {
    pub(crate) fn new(wish: TimeWish) -> Self {
        Self { frames: wish.frames, state: State::default(), lists: Recorded::default(), plan: Plan::default() }
    }

    pub(crate) fn into_plan(self) -> Plan {
        self.plan
    }
}

impl Pass for Finder {
    fn interests(&self) -> Interests {
        let every: Vec<MethodId> = (0..MODEL.methods.len()).map(|method| MethodId(method as u16)).collect();
        self.state.interests().and(&Interests::new().enters(&every).every_call())
    }

    fn within(&mut self) -> Option<&mut dyn Pass> {
        Some(&mut self.state)
    }

    fn enter(&mut self, call: &Call<'_>, at: &At) {
        self.state.enter(call, at);
        let frame = u64::from(at.frame) + 1;
        if call.method == SUBMITTED.method() && (self.frames.0..=self.frames.1).contains(&frame) {
            self.plan.submissions.insert(call.number, frame);
            let lists = SUBMITTED.of(call).map(|lists| lists.iter().collect::<Vec<_>>());
            for list in lists.into_iter().flatten() {
                let entries = self.lists.of(list.0).iter().cloned();
                self.plan.operations.extend(entries.map(|entry| (entry.call, entry.operation)));
            }
        }
    }

    fn call(&mut self, call: &Call<'_>, at: &At) {
        if !self.lists.call(call)
            && records(call.method)
            && MODEL.methods.get(usize::from(call.method.0)).is_some_and(is_operation)
            && let Some(list) = self.state.lists.get(call.object).filter(|list| !list.is_bundle())
        {
            let name = MODEL.methods.get(usize::from(call.method.0)).map_or("", |method| method.name);
            // What a bundle leaves bound ran in it.
            let bundle = BUNDLE.of(call).ok().and_then(|bundle| self.state.lists.get(bundle.0));
            let own = bundle.and_then(|bundle| bundle.bound.pipeline.as_ref()).map(|pipeline| pipeline.value);
            let recorded = operation(call.method, list);
            let operation = TimedOperation {
                pipeline: own.or(recorded.pipeline),
                copied: bytes::copied(call, name, &self.state),
                cleared: bytes::cleared(call, name, &self.state),
                ..recorded
            };
            let draws = matches!(of_number(call.method.0), Some(Operation::Draw | Operation::Bundle));
            // A render pass begins with a stamp of its own, behind what was cleared before.
            if draws && list.bound.pass.is_none() {
                join_clears(self.lists.of_mut(call.object), &operation);
            }
            let clears = bytes::target(call, name, &self.state);
            self.lists.push(call.object, Entry { call: call.number, operation, clears });
        }
        self.state.call(call, at);
    }
}

/// A clear belongs to the pass that draws to what it cleared, also where the program sets the targets behind it. A stamp between the two would cost more than
/// itself: drivers and our runtime clear as rendering begins, which a stamp in between makes a rendering of its own.
fn join_clears(entries: &mut [Entry], draw: &TimedOperation) {
    for Entry { operation, clears, .. } in entries.iter_mut().rev() {
        match of_number(operation.method.0) {
            Some(Operation::Clear) if clears.is_some_and(|target| draw.resources.contains(&target)) => {
                operation.targets = draw.targets;
                operation.resources.clone_from(&draw.resources);
            }
            Some(Operation::Barrier | Operation::Discard) => {}
            _ => return,
        }
    }
}

fn operation(method: MethodId, list: &List) -> TimedOperation {
    let bound = &list.bound;
    let pass = bound.pass.as_ref().map(|pass| pass.call);
    let targets = bound.targets.as_ref();
    let of = targets.map(|targets| &targets.value);
    let colours = of.into_iter().flat_map(|targets| &targets.colours);
    let all = colours.chain(of.and_then(|targets| targets.depth.as_ref()));
    TimedOperation {
        method,
        pipeline: bound.pipeline.as_ref().map(|pipeline| pipeline.value),
        markers: list.markers.clone(),
        targets: pass.or(targets.map(|targets| targets.call)).unwrap_or(0),
        resources: all.filter_map(|target| target.descriptor.as_ref()).map(|it| it.view.resource).collect(),
        copied: None,
        cleared: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_d3d12::method;

    fn entry(name: &str, targets: u64, resources: &[u32], clears: Option<u32>) -> Entry {
        let operation = TimedOperation {
            method: method("ID3D12GraphicsCommandList", name),
            pipeline: None,
            markers: Vec::new(),
            targets,
            resources: resources.to_vec(),
            copied: None,
            cleared: None,
        };
        Entry { call: 0, operation, clears }
    }

    /// The targets of what was recorded, once a draw to resources 7 and 8 follows, whose targets call 20 set.
    fn behind_a_draw(mut entries: Vec<Entry>) -> Vec<u64> {
        join_clears(&mut entries, &entry("DrawInstanced", 20, &[7, 8], None).operation);
        entries.iter().map(|entry| entry.operation.targets).collect()
    }

    #[test]
    fn clears_belong_to_the_draws_that_follow() {
        let clear = |resource| entry("ClearRenderTargetView", 10, &[5], Some(resource));
        let depth = || entry("ClearDepthStencilView", 10, &[5], Some(8));
        let before = |name| entry(name, 10, &[5], None);
        assert_eq!(
            behind_a_draw(vec![before("DrawInstanced"), clear(7), before("ResourceBarrier"), depth()]),
            [10, 20, 10, 20]
        );
        // What was drawn or copied in between keeps them apart, and so does another target.
        assert_eq!(behind_a_draw(vec![clear(7), before("DrawInstanced")]), [10, 10]);
        assert_eq!(behind_a_draw(vec![clear(7), before("CopyResource"), depth()]), [10, 10, 20]);
        assert_eq!(behind_a_draw(vec![depth(), clear(5), depth()]), [10, 10, 20]);
        assert_eq!(behind_a_draw(vec![entry("ClearRenderTargetView", 10, &[5], None)]), [10], "an unknown view");
    }
}
