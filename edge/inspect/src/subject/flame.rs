//! What was measured as boxes that lie on each other: frames, in them the program's markers, in these the operations. A box is as wide as the
//! GPU took for it.
//!
//! The axis has the operations one behind the other, each as long as the median of its replays; so it is a sum of medians, not a clock.
//! Invariant: a box is as wide as all boxes that lie on it, and these lie side by side from its beginning on.

use reprise_times::{Costs, Operation, Pipeline};
use std::collections::BTreeMap;

/// Markers of markers of markers: deeper ones are left out, and what they hold lies in those that are there.
const DEEPEST: usize = 60;

/// In which order boxes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// That of the submissions: what follows each other in the same markers is one box, each operation one of its own.
    Submissions,
    /// The longest first: what has the same name in the same markers of a frame is one box.
    Cost,
}

/// What a box stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    Frame(u64),
    /// Its text.
    Marker(String),
    /// The method, and what it ran.
    Operation(String, Option<Pipeline>),
}

/// A box.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) depth: usize,
    /// In nanoseconds from the left.
    pub(crate) begin: f64,
    pub(crate) end: f64,
    pub(crate) what: What,
    /// The call of its first operation; of several equal ones, of the longest.
    pub(crate) call: u64,
    pub(crate) operations: u64,
    /// Where the next box stands that does not lie on this one.
    next: usize,
}

/// See the module. Each box stands before those that lie on it.
#[derive(Debug, Default)]
pub(crate) struct Flame {
    blocks: Vec<Block>,
    pub(crate) total: f64,
    pub(crate) depth: usize,
}

/// Blocks of one depth, side by side, each too narrow to be drawn.
#[derive(Debug, Default)]
struct Narrow {
    begin: f64,
    end: f64,
    blocks: u64,
    operations: u64,
    call: u64,
}

/// What is drawn.
#[derive(Debug)]
pub(crate) enum Drawn<'a> {
    One(&'a Block),
    /// Several that are too narrow: depth, beginning, end, how many operations, and the call of the first.
    Several(usize, f64, f64, u64, u64),
}

/// A box in the making.
#[derive(Debug)]
struct Node {
    what: What,
    duration: f64,
    call: u64,
    longest: f64,
    operations: u64,
    /// Places among all nodes.
    below: Vec<usize>,
    named: BTreeMap<What, usize>,
}

impl Node {
    fn new(what: What, call: u64) -> Node {
        Node { what, duration: 0.0, call, longest: 0.0, operations: 0, below: Vec::new(), named: BTreeMap::new() }
    }
}

impl Flame {
    /// Of all operations that were timed.
    pub(crate) fn new(costs: &Costs, order: Order) -> Flame {
        // The first one is what all stand on.
        let mut nodes = vec![Node::new(What::Frame(0), 0)];
        for cost in &costs.operations {
            let Some(duration) = cost.duration else { continue };
            let operation = costs.times.operations.get(&cost.call);
            let method = operation.map_or_else(String::new, |operation| operation.method.clone());
            let markers = operation.map_or(&[][..], |operation| &operation.markers);
            let path = [What::Frame(cost.frame)]
                .into_iter()
                .chain(markers.iter().take(DEEPEST).map(|text| What::Marker(text.clone())))
                .chain([What::Operation(method, operation.and_then(Operation::ran))]);
            let mut at = 0;
            for what in path {
                let is_operation = matches!(what, What::Operation(..));
                at = match order {
                    Order::Submissions => match nodes[at].below.last().copied() {
                        Some(last) if !is_operation && nodes[last].what == what => last,
                        _ => add(&mut nodes, at, what, cost.call),
                    },
                    Order::Cost => match nodes[at].named.get(&what).copied() {
                        Some(own) => own,
                        None => {
                            let own = add(&mut nodes, at, what.clone(), cost.call);
                            nodes[at].named.insert(what, own);
                            own
                        }
                    },
                };
                let node = &mut nodes[at];
                node.duration += duration;
                node.operations += 1;
                if is_operation && duration > node.longest {
                    (node.longest, node.call) = (duration, cost.call);
                }
            }
        }
        let mut flame = Flame { total: 0.0, ..Flame::default() };
        let (first, total) = flame.lay(&mut nodes, 0, 0, 0.0, order);
        debug_assert_eq!(first, 0);
        flame.total = total;
        flame
    }

    /// Lays what lies on a node, from a place on; gives where its first box stands, and where the last one ends. No deeper than [`DEEPEST`].
    fn lay(&mut self, nodes: &mut [Node], of: usize, depth: usize, from: f64, order: Order) -> (usize, f64) {
        let first = self.blocks.len();
        let mut below = std::mem::take(&mut nodes[of].below);
        if order == Order::Cost {
            below.sort_by(|&one, &other| nodes[other].duration.total_cmp(&nodes[one].duration).then(one.cmp(&other)));
        }
        let mut at = from;
        for node in below {
            let place = self.blocks.len();
            let Node { what, duration, call, operations, .. } = &nodes[node];
            let (end, what, call, operations) = (at + duration, what.clone(), *call, *operations);
            self.blocks.push(Block { depth, begin: at, end, what, call, operations, next: 0 });
            self.depth = self.depth.max(depth + 1);
            self.lay(nodes, node, depth + 1, at, order);
            self.blocks[place].next = self.blocks.len();
            at = end;
        }
        (first, at)
    }

    /// The boxes between two places, `most` of them at most, and whether these are all. Boxes narrower than `least` are drawn as one.
    pub(crate) fn within(&self, (from, to): (f64, f64), least: f64, most: usize) -> (Vec<Drawn<'_>>, bool) {
        let mut drawn = Vec::new();
        let mut narrow: Vec<Narrow> = Vec::new();
        narrow.resize_with(self.depth, Narrow::default);
        let mut at = 0;
        while let Some(block) = self.blocks.get(at) {
            let narrow = &mut narrow[block.depth];
            let outside = block.end <= from || block.begin >= to;
            // What lies together is drawn as one where it can be seen.
            let apart = outside
                || block.end - block.begin >= least
                || block.begin > narrow.end
                || narrow.end - narrow.begin >= least * 2.0;
            if apart {
                drawn.extend(narrow.take(block.depth));
            }
            at = match (outside, block.end - block.begin >= least) {
                (true, _) => block.next,
                (false, true) => {
                    drawn.push(Drawn::One(block));
                    at + 1
                }
                (false, false) => {
                    narrow.add(block);
                    block.next
                }
            };
            if drawn.len() >= most {
                return (drawn, false);
            }
        }
        drawn.extend(narrow.iter_mut().enumerate().filter_map(|(depth, narrow)| narrow.take(depth)));
        (drawn, true)
    }
}

impl Narrow {
    fn add(&mut self, block: &Block) {
        if self.blocks == 0 {
            (self.begin, self.call) = (block.begin, block.call);
        }
        self.end = block.end;
        self.blocks += 1;
        self.operations += block.operations;
    }

    fn take<'a>(&mut self, depth: usize) -> Option<Drawn<'a>> {
        let Narrow { begin, end, blocks, operations, call } = std::mem::take(self);
        (blocks > 0).then_some(Drawn::Several(depth, begin, end, operations, call))
    }
}

fn add(nodes: &mut Vec<Node>, on: usize, what: What, call: u64) -> usize {
    let own = nodes.len();
    nodes.push(Node::new(what, call));
    nodes[on].below.push(own);
    own
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_times::{List, Run, Submission, Times};

    /// Operations of two frames by markers and duration.
    fn costs(all: &[(u64, u64, &[&str], f64)]) -> Costs {
        let operations = all.iter().map(|(_, call, markers, _)| {
            let markers = markers.iter().map(|&text| text.to_owned()).collect();
            (
                *call,
                Operation {
                    method: "Dispatch".into(),
                    pipeline: Some(Pipeline::State(7)),
                    markers,
                    ..Operation::default()
                },
            )
        });
        let submission = |frame: u64| {
            let timed: Vec<(u64, f64)> =
                all.iter().filter(|one| one.0 == frame).map(|(_, call, _, duration)| (*call, *duration)).collect();
            let duration = timed.iter().map(|one| one.1).sum();
            Submission {
                call: frame * 1000,
                frame,
                queue: 1,
                lists: vec![List { list: 3, duration, operations: timed, ..List::default() }],
            }
        };
        let run = Run { submissions: vec![submission(1), submission(2)], ..Run::default() };
        Costs::new(Times { operations: operations.collect(), runs: vec![run], ..Times::default() })
    }

    fn told(drawn: &[Drawn<'_>]) -> Vec<(usize, f64, f64, String, u64)> {
        let one = |drawn: &Drawn<'_>| match drawn {
            Drawn::One(Block { depth, begin, end, what, operations, .. }) => {
                let text = match what {
                    What::Frame(frame) => frame.to_string(),
                    What::Marker(text) | What::Operation(text, _) => text.clone(),
                };
                (*depth, *begin, *end, text, *operations)
            }
            Drawn::Several(depth, begin, end, operations, _) => (*depth, *begin, *end, "several".into(), *operations),
        };
        drawn.iter().map(one).collect()
    }

    fn of(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn boxes_lie_on_each_other() {
        let costs = costs(&[
            (1, 10, &["sky"], 4.0),
            (1, 11, &["sky", "sun"], 2.0),
            (1, 12, &[], 1.0),
            (1, 13, &["sky"], 8.0),
            (2, 20, &["sky"], 5.0),
        ]);
        let flame = Flame::new(&costs, Order::Submissions);
        let (drawn, all) = flame.within((0.0, 20.0), 0.0, 1000);
        assert_eq!((flame.total, flame.depth, all), (20.0, 4, true));
        assert_eq!(
            told(&drawn),
            [
                (0, 0.0, 15.0, of("1"), 4),
                (1, 0.0, 6.0, of("sky"), 2),
                (2, 0.0, 4.0, of("Dispatch"), 1),
                (2, 4.0, 6.0, of("sun"), 1),
                (3, 4.0, 6.0, of("Dispatch"), 1),
                (1, 6.0, 7.0, of("Dispatch"), 1),
                (1, 7.0, 15.0, of("sky"), 1),
                (2, 7.0, 15.0, of("Dispatch"), 1),
                (0, 15.0, 20.0, of("2"), 1),
                (1, 15.0, 20.0, of("sky"), 1),
                (2, 15.0, 20.0, of("Dispatch"), 1),
            ]
        );
        // By cost the two of one name are one, and its operations are one with the call of the longest.
        let flame = Flame::new(&costs, Order::Cost);
        let (drawn, _) = flame.within((0.0, 20.0), 0.0, 1000);
        assert_eq!(
            told(&drawn)[..5],
            [
                (0, 0.0, 15.0, of("1"), 4),
                (1, 0.0, 14.0, of("sky"), 3),
                (2, 0.0, 12.0, of("Dispatch"), 2),
                (2, 12.0, 14.0, of("sun"), 1),
                (3, 12.0, 14.0, of("Dispatch"), 1),
            ]
        );
        assert!(matches!(drawn[2], Drawn::One(Block { call: 13, .. })));
    }

    #[test]
    fn what_is_narrow_is_one_box_and_what_is_outside_is_none() {
        let many: Vec<(u64, u64, &[&str], f64)> =
            (0..1000).map(|at| (1, 10 + at, &["a"][..], if at == 500 { 50.0 } else { 1.0 })).collect();
        let costs = costs(&many);
        let flame = Flame::new(&costs, Order::Submissions);
        let (drawn, _) = flame.within((0.0, 1049.0), 10.0, 1000);
        let told = told(&drawn);
        assert!(told.len() < 120, "{}", told.len());
        assert!(told.contains(&(2, 500.0, 550.0, of("Dispatch"), 1)));
        // Nothing is lost: the boxes of operations cover all of the marker.
        let covered: f64 = told.iter().filter(|one| one.0 == 2).map(|one| one.2 - one.1).sum();
        assert!((covered - 1049.0).abs() < 1e-6, "{covered}");
        assert_eq!(told.iter().filter(|one| one.0 == 2).map(|one| one.4).sum::<u64>(), 1000);
        let (few, _) = flame.within((499.5, 551.0), 0.0, 1000);
        assert_eq!(few.len(), 2 + 3);
        assert!(!flame.within((0.0, 1049.0), 0.0, 20).1);
    }

    #[test]
    fn markers_have_a_bottom() {
        let deep: Vec<&str> = vec!["m"; 100_000];
        let costs = costs(&[(1, 10, &deep, 4.0)]);
        for order in [Order::Submissions, Order::Cost] {
            assert_eq!(Flame::new(&costs, order).depth, DEEPEST + 2);
        }
    }
}
