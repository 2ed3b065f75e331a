//! What a lost device was at, as the API's structures have it.
//!
//! Invariant: everything that a structure points to lies in the same value, in vectors that are not touched again. So the pointers hold while the
//! value does, wherever it is moved.

use core::ptr::{null, null_mut, with_exposed_provenance_mut};

use reprise_com::wide::Text;
use reprise_d3d12::types::{
    D3D12_AUTO_BREADCRUMB_NODE as Node, D3D12_AUTO_BREADCRUMB_NODE1 as Node1, D3D12_AUTO_BREADCRUMB_OP as Op,
    D3D12_DRED_ALLOCATION_NODE as Allocation, D3D12_DRED_ALLOCATION_NODE1 as Allocation1,
    D3D12_DRED_BREADCRUMB_CONTEXT as Context,
};

use super::ranges::{Found, Meeting};
use super::{Reached, Run};

/// Operations that the API's history has room for: later ones overwrite the first ones.
const RING: usize = 65_536;

/// Breadcrumbs of lists that were not done.
pub struct Breadcrumbs {
    #[allow(dead_code, reason = "what the nodes point to")]
    lines: Vec<Line>,
    nodes: Vec<Node>,
    newer: Vec<Node1>,
}

// SAFETY: nobody changes what the value owns, and its pointers lead there. Objects' addresses are numbers here: nobody follows them.
unsafe impl Send for Breadcrumbs {}
// SAFETY: nobody changes what the value owns, and its pointers lead there. Objects' addresses are numbers here: nobody follows them.
unsafe impl Sync for Breadcrumbs {}

/// What one node points to.
struct Line {
    run: Run,
    history: Vec<Op>,
    done: Vec<u32>,
    contexts: Vec<Context>,
}

/// The history of operations as programs read it: by `index % 65,536`, as the API has it, or by `index`, which serves as well here. Pure.
fn history(ops: &[Op]) -> Vec<Op> {
    let mut history = ops.to_vec();
    for (index, op) in ops.iter().enumerate().skip(RING) {
        history[index % RING] = *op;
    }
    history
}

impl Line {
    fn new(reached: &Reached) -> Line {
        let context = |(index, text): &(u32, Text)| Context { BreadcrumbIndex: *index, pContextString: text.as_ptr() };
        let crumbs = &reached.run.crumbs;
        Line {
            history: history(crumbs.ops()),
            done: vec![reached.done],
            contexts: crumbs.contexts().iter().map(context).collect(),
            // The texts lie in the breadcrumbs, which this holds.
            run: reached.run.clone(),
        }
    }
}

impl Breadcrumbs {
    /// The nodes, in the order of the runs.
    pub(super) fn new(reached: &[Reached]) -> Breadcrumbs {
        let mut lines: Vec<Line> = reached.iter().map(Line::new).collect();
        let newer = lines.iter_mut().map(|line| {
            let (list, queue) = (line.run.list.1.pointers(), line.run.queue.1.pointers());
            Node1 {
                pCommandListDebugNameA: list.0,
                pCommandListDebugNameW: list.1,
                pCommandQueueDebugNameA: queue.0,
                pCommandQueueDebugNameW: queue.1,
                pCommandList: with_exposed_provenance_mut(line.run.list.0),
                pCommandQueue: with_exposed_provenance_mut(line.run.queue.0),
                BreadcrumbCount: line.history.len() as u32,
                pLastBreadcrumbValue: line.done.as_ptr(),
                pCommandHistory: line.history.as_ptr(),
                pNext: null(),
                BreadcrumbContextsCount: line.contexts.len() as u32,
                pBreadcrumbContexts: match line.contexts.is_empty() {
                    true => null_mut(),
                    false => line.contexts.as_mut_ptr(),
                },
            }
        });
        let mut newer: Vec<Node1> = newer.collect();
        let older = |node: &Node1| Node {
            pCommandListDebugNameA: node.pCommandListDebugNameA,
            pCommandListDebugNameW: node.pCommandListDebugNameW,
            pCommandQueueDebugNameA: node.pCommandQueueDebugNameA,
            pCommandQueueDebugNameW: node.pCommandQueueDebugNameW,
            pCommandList: node.pCommandList,
            pCommandQueue: node.pCommandQueue,
            BreadcrumbCount: node.BreadcrumbCount,
            pLastBreadcrumbValue: node.pLastBreadcrumbValue,
            pCommandHistory: node.pCommandHistory,
            pNext: null(),
        };
        let mut nodes: Vec<Node> = newer.iter().map(older).collect();
        link(&mut nodes, |node, next| node.pNext = next);
        link(&mut newer, |node, next| node.pNext = next);
        Breadcrumbs { lines, nodes, newer }
    }

    /// The first node; null where there is none.
    pub fn first(&self) -> *const Node {
        first(&self.nodes)
    }

    /// The same with contexts.
    pub fn first_newer(&self) -> *const Node1 {
        first(&self.newer)
    }
}

/// Objects at the address of a fault.
pub struct Allocations {
    #[allow(dead_code, reason = "what the nodes point to")]
    found: Found,
    existing: (Vec<Allocation>, Vec<Allocation1>),
    freed: (Vec<Allocation>, Vec<Allocation1>),
}

// SAFETY: nobody changes what the value owns, and its pointers lead there. Objects' addresses are numbers here: nobody follows them.
unsafe impl Send for Allocations {}
// SAFETY: nobody changes what the value owns, and its pointers lead there. Objects' addresses are numbers here: nobody follows them.
unsafe impl Sync for Allocations {}

impl Allocations {
    /// The nodes of what was found at the address of a fault, if there is one.
    pub(super) fn new(found: Option<&Found>) -> Allocations {
        let found = found.cloned().unwrap_or_default();
        let (existing, freed) = (allocations(&found.existing), allocations(&found.freed));
        Allocations { found, existing, freed }
    }

    /// The first nodes of objects that are there, and of those that were released; null where there is none.
    pub fn first(&self) -> [*const Allocation; 2] {
        [first(&self.existing.0), first(&self.freed.0)]
    }

    /// The same with addresses of objects.
    pub fn first_newer(&self) -> [*const Allocation1; 2] {
        [first(&self.existing.1), first(&self.freed.1)]
    }
}

impl core::fmt::Debug for Breadcrumbs {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Breadcrumbs({})", self.nodes.len())
    }
}

impl core::fmt::Debug for Allocations {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Allocations({}, {})", self.existing.0.len(), self.freed.0.len())
    }
}

fn allocations(meetings: &[Meeting]) -> (Vec<Allocation>, Vec<Allocation1>) {
    let newer = meetings.iter().map(|meeting| {
        let (ansi, wide) = meeting.name.pointers();
        Allocation1 {
            ObjectNameA: ansi,
            ObjectNameW: wide,
            AllocationType: meeting.owner.kind,
            pNext: null(),
            pObject: with_exposed_provenance_mut(meeting.object),
        }
    });
    let mut newer: Vec<Allocation1> = newer.collect();
    let older = |node: &Allocation1| Allocation {
        ObjectNameA: node.ObjectNameA,
        ObjectNameW: node.ObjectNameW,
        AllocationType: node.AllocationType,
        pNext: null(),
    };
    let mut nodes: Vec<Allocation> = newer.iter().map(older).collect();
    link(&mut nodes, |node, next| node.pNext = next);
    link(&mut newer, |node, next| node.pNext = next);
    (nodes, newer)
}

/// Lets each node point to the next one.
fn link<T>(nodes: &mut [T], mut set: impl FnMut(&mut T, *const T)) {
    let base: *const T = nodes.as_ptr();
    for at in 1..nodes.len() {
        set(&mut nodes[at - 1], base.wrapping_add(at));
    }
}

fn first<T>(nodes: &[T]) -> *const T {
    if nodes.is_empty() { null() } else { nodes.as_ptr() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_read_by_either_index() {
        let ops: Vec<Op> = (0..RING as i32 + 3).map(Op).collect();
        let history = history(&ops);
        for index in [3, RING - 1, RING, RING + 2] {
            assert_eq!((history[index % RING], history[index]), (ops[index], ops[index]), "{index}");
        }
        assert_eq!(history[0], ops[RING], "the last operations are what is kept");
    }
}
