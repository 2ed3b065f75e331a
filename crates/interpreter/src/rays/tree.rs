//! Bounds of primitives in a tree, so that a ray looks at few of them.

use super::vector::Point;

/// A primitive by its place: geometry, and place in its list.
pub(crate) type Solid = (u32, u32);

/// Primitives of a leaf.
const FEW: usize = 4;

/// A tree: its first node is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    solids: Vec<Solid>,
}

#[derive(Clone, Debug)]
struct Node {
    ends: [Point; 2],
    /// Of a leaf its primitives.
    own: std::ops::Range<usize>,
    /// The second child; the first one follows the node. 0: a leaf.
    second: usize,
}

fn around(all: &[(Solid, [Point; 2])]) -> [Point; 2] {
    let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for (_, [least, greatest]) in all {
        for axis in 0..3 {
            ends[0][axis] = ends[0][axis].min(least[axis]);
            ends[1][axis] = ends[1][axis].max(greatest[axis]);
        }
    }
    ends
}

impl Tree {
    pub(crate) fn new(mut all: Vec<(Solid, [Point; 2])>) -> Tree {
        let mut tree = Tree::default();
        if !all.is_empty() {
            tree.grow(&mut all);
        }
        tree
    }

    /// Halves are of one size, so the depth is that of the logarithm.
    fn grow(&mut self, all: &mut [(Solid, [Point; 2])]) {
        let (place, first) = (self.nodes.len(), self.solids.len());
        let ends = around(all);
        self.nodes.push(Node { ends, own: first..first, second: 0 });
        if all.len() <= FEW {
            self.solids.extend(all.iter().map(|(solid, _)| *solid));
            self.nodes[place].own = first..self.solids.len();
            return;
        }
        let size = |axis: &usize| ends[1][*axis] - ends[0][*axis];
        let axis = (0..3usize).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0);
        let half = all.len() / 2;
        let middle = |it: &(Solid, [Point; 2])| it.1[0][axis] + it.1[1][axis];
        all.select_nth_unstable_by(half, |a, b| middle(a).total_cmp(&middle(b)));
        let (low, high) = all.split_at_mut(half);
        self.grow(low);
        self.nodes[place].second = self.nodes.len();
        self.grow(high);
    }

    /// Tells of all primitives whose bounds pass.
    pub(crate) fn visit(&self, passes: impl Fn([Point; 2]) -> bool, mut tell: impl FnMut(Solid)) {
        let mut waiting = Vec::new();
        waiting.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(place) = waiting.pop() {
            let Some(node) = self.nodes.get(place).filter(|node| passes(node.ends)) else { continue };
            match node.second {
                0 => self.solids[node.own.clone()].iter().for_each(|solid| tell(*solid)),
                second => waiting.extend([second, place + 1]),
            }
        }
    }
}
