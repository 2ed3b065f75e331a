//! Which nodes a graph has, and at which levels they have records. Pure.
//!
//! Level 0 has the entry points. What a node of a level takes for others lies on the next level; a node of several depths is on several
//! levels. Nodes of a level run after all of the level before.

use std::collections::BTreeMap;

use reprise_shader::node::{Id, Node, Output};

/// Levels of a graph, which is the API's limit with recursion (`D3D12_WORK_GRAPHS_MAX_NODE_DEPTH`).
const LEVELS: usize = 32;
/// Numbers of nodes have 24 bits; what is more than this is no graph.
const MOST: usize = 1 << 20;

/// What a program asks of a graph.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// All nodes that libraries have belong to it.
    pub all: bool,
    /// Its entry points; none: those that say so, and those that no other node sends records to.
    pub entries: Vec<Id>,
}

/// Numbers that an array of nodes needs, and its nodes: place in the array, place among those that are given.
type Array = (usize, Vec<(u32, usize)>);

/// A node of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its number.
    pub node: u32,
    /// How often it may still send records to itself.
    pub recursions: u32,
}

/// A graph. Numbers are places in `nodes`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Places among the nodes that were given; `None` between nodes of an array that has not all of them.
    pub nodes: Vec<Option<usize>>,
    /// Entry points.
    pub entries: Vec<u32>,
    /// The nodes of each level.
    pub levels: Vec<Vec<Placed>>,
    /// Of each node: the one whose records it has, too.
    pub shares: Vec<Option<u32>>,
    /// Of each node: the number of the first node that each of its outputs goes to.
    pub outputs: Vec<Vec<u32>>,
}

/// What is wrong, in words for people.
pub type Result<T> = core::result::Result<T, String>;

fn show(id: &Id) -> String {
    format!("{}[{}]", id.name, id.index)
}

impl Plan {
    /// Finds the graph among nodes. `named`: those that it has in any case.
    ///
    /// # Errors
    /// What is missing or contradicts itself.
    pub fn new(all: &[Node], named: &[bool], wanted: &Wanted) -> Result<Plan> {
        let mut plan = Plan::default();
        let starts = plan.number(all)?;
        let count = plan.nodes.len();
        let mut targets = vec![Vec::new(); count];
        let mut missing = vec![None; count];
        (plan.shares, plan.outputs) = (vec![None; count], vec![Vec::new(); count]);
        for number in 0..count {
            let Some(node) = plan.nodes[number].map(|given| &all[given]) else { continue };
            // Without the node whose records it shares it has its own.
            plan.shares[number] = node.shares.as_ref().and_then(|id| plan.find(all, id));
            for output in &node.outputs {
                let start = starts.get(output.to.name.as_str()).copied().unwrap_or(0);
                plan.outputs[number].push(start + output.to.index);
                let (found, complete) = plan.targets(all, output);
                targets[number].extend(found);
                if !complete {
                    missing[number] = Some(&output.to);
                }
            }
        }
        let sharers =
            |of: u32| plan.shares.iter().zip(0u32..).filter(move |(shares, _)| **shares == Some(of)).map(|(_, at)| at);
        if plan.shares.iter().flatten().any(|other| plan.shares[*other as usize].is_some()) {
            return Err("a node shares the records of one that shares those of another".to_owned());
        }
        // What is in the graph, if that is not everything.
        let mut inside = vec![wanted.all; count];
        let mut entries = Vec::new();
        for id in &wanted.entries {
            let number = plan.find(all, id).ok_or_else(|| format!("entry point {} is no node", show(id)))?;
            entries.push(number);
        }
        let named = (0..count as u32).filter(|number| plan.nodes[*number as usize].is_some_and(|given| named[given]));
        let mut open: Vec<u32> = named.chain(entries.iter().copied()).collect();
        while let Some(number) = open.pop() {
            if !core::mem::replace(&mut inside[number as usize], true) || wanted.all {
                open.extend(targets[number as usize].iter().copied().filter(|target| !inside[*target as usize]));
                open.extend(sharers(number).filter(|sharer| !inside[*sharer as usize]));
            }
        }
        if let Some(id) = missing.iter().zip(&inside).find_map(|(missing, inside)| missing.filter(|_| *inside)) {
            return Err(format!("an output goes to {}, of which not all are there", show(id)));
        }
        if wanted.entries.is_empty() {
            let mut sent = vec![false; count];
            let from = (0..count).filter(|number| inside[*number]);
            from.for_each(|number| {
                targets[number]
                    .iter()
                    .filter(|target| **target as usize != number)
                    .for_each(|target| sent[*target as usize] = true)
            });
            for number in 0..count as u32 {
                let Some(node) =
                    plan.nodes[number as usize].map(|given| &all[given]).filter(|_| inside[number as usize])
                else {
                    continue;
                };
                // Who shares records begins where the other does.
                if plan.shares[number as usize].is_none() && (node.begins || !sent[number as usize]) {
                    entries.push(number);
                }
            }
        }
        if entries.is_empty() {
            return Err("a graph without entry points".to_owned());
        }
        plan.levels = levels(all, &plan, &targets, &entries)?;
        plan.entries = entries;
        Ok(plan)
    }

    /// The number of a node.
    pub fn find(&self, all: &[Node], id: &Id) -> Option<u32> {
        let is = |node: &Option<usize>| node.is_some_and(|given| all[given].id == *id);
        self.nodes.iter().position(is).map(|number| number as u32)
    }

    /// Numbers the nodes, array by array, and gives the numbers at which arrays begin. An array has numbers for all that outputs name,
    /// so that what is sent to a node that is not there comes to no other.
    fn number<'a>(&mut self, all: &'a [Node]) -> Result<BTreeMap<&'a str, u32>> {
        let mut arrays: BTreeMap<&str, Array> = BTreeMap::new();
        for (node, given) in all.iter().zip(0..) {
            let array = arrays.entry(&node.id.name).or_default();
            array.0 = array.0.max(node.id.index as usize + 1);
            array.1.push((node.id.index, given));
            for output in &node.outputs {
                let count = if output.count == u32::MAX { 1 } else { output.count.max(1) };
                let array = arrays.entry(&output.to.name).or_default();
                array.0 = array.0.max(output.to.index as usize + count as usize);
            }
        }
        let mut starts = BTreeMap::new();
        for (name, (size, nodes)) in arrays {
            let start = self.nodes.len();
            if start + size > MOST {
                return Err(format!("the array of nodes {name:?} is beyond what a graph can have"));
            }
            starts.insert(name, start as u32);
            self.nodes.resize(start + size, None);
            for (index, given) in nodes {
                if self.nodes[start + index as usize].replace(given).is_some() {
                    return Err(format!("two nodes are {name}[{index}]"));
                }
            }
        }
        Ok(starts)
    }

    /// The nodes that an output can send records to, and whether these are all that there must be.
    fn targets(&self, all: &[Node], output: &Output) -> (Vec<u32>, bool) {
        let last = output.to.index.saturating_add(output.count.max(1));
        let is = |node: &Option<usize>| match node.map(|given| &all[given].id) {
            Some(id) => id.name == output.to.name && (output.to.index..last).contains(&id.index),
            None => false,
        };
        let found: Vec<u32> =
            self.nodes.iter().zip(0u32..).filter(|(node, _)| is(node)).map(|(_, number)| number).collect();
        let complete = output.count == u32::MAX || output.sparse || found.len() == output.count.max(1) as usize;
        (found, complete)
    }
}

/// The nodes of each level, without those that share records of others: with those.
fn levels(all: &[Node], plan: &Plan, targets: &[Vec<u32>], entries: &[u32]) -> Result<Vec<Vec<Placed>>> {
    let sharers =
        |of: u32| plan.shares.iter().zip(0u32..).filter(move |(shares, _)| **shares == Some(of)).map(|(_, at)| at);
    let mut levels: Vec<Vec<Placed>> = Vec::new();
    let mut next: Vec<Placed> = Vec::new();
    let depth = |number: u32| plan.nodes[number as usize].map_or(0, |given| all[given].recursions);
    let add = |level: &mut Vec<Placed>, placed: Placed| match level.iter_mut().find(|known| known.node == placed.node) {
        // The same records count for both ways.
        Some(known) => known.recursions = known.recursions.max(placed.recursions),
        None => level.push(placed),
    };
    entries.iter().for_each(|node| add(&mut next, Placed { node: *node, recursions: depth(*node) }));
    while !next.is_empty() {
        if levels.len() == LEVELS {
            return Err(format!("a graph of more than {LEVELS} levels"));
        }
        let mut level = core::mem::take(&mut next);
        for placed in level.clone() {
            sharers(placed.node).for_each(|node| add(&mut level, Placed { node, recursions: depth(node) }));
        }
        for placed in &level {
            for target in &targets[placed.node as usize] {
                if *target != placed.node {
                    add(&mut next, Placed { node: *target, recursions: depth(*target) });
                } else if let Some(recursions) = placed.recursions.checked_sub(1) {
                    add(&mut next, Placed { node: *target, recursions });
                }
            }
        }
        levels.push(level);
    }
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str, index: u32) -> Id {
        Id { name: name.to_owned(), index }
    }

    fn node(name: &str, index: u32, outputs: &[(&str, u32, u32)]) -> Node {
        let output = |(name, index, count): &(&str, u32, u32)| Output {
            to: id(name, *index),
            count: *count,
            ..Output::default()
        };
        Node { id: id(name, index), outputs: outputs.iter().map(output).collect(), ..Node::default() }
    }

    fn plan(all: &[Node]) -> Plan {
        Plan::new(all, &vec![false; all.len()], &Wanted { all: true, entries: Vec::new() }).unwrap()
    }

    fn numbers(plan: &Plan) -> Vec<Vec<u32>> {
        plan.levels.iter().map(|level| level.iter().map(|placed| placed.node).collect()).collect()
    }

    #[test]
    fn arrays_have_neighbours_and_gaps() {
        let mut sparse = node("a", 0, &[("x", 0, u32::MAX)]);
        sparse.outputs[0].sparse = true;
        let all = [node("x", 3, &[]), sparse, node("x", 1, &[])];
        let plan = self::plan(&all);
        assert_eq!(plan.nodes, [Some(1), None, Some(2), None, Some(0)]);
        assert_eq!((&plan.outputs[0], &plan.entries), (&vec![1], &vec![0]));
        assert_eq!(numbers(&plan), [vec![0], vec![2, 4]]);
    }

    #[test]
    fn a_node_is_on_every_level_at_which_it_has_records() {
        let all = [node("a", 0, &[("b", 0, 0), ("c", 0, 0)]), node("b", 0, &[("c", 0, 0)]), node("c", 0, &[])];
        assert_eq!(numbers(&plan(&all)), [vec![0], vec![1, 2], vec![2]]);
    }

    #[test]
    fn recursion_ends() {
        let mut again = node("b", 0, &[("b", 0, 0), ("c", 0, 0)]);
        again.recursions = 2;
        let all = [node("a", 0, &[("b", 0, 0)]), again, node("c", 0, &[])];
        let plan = self::plan(&all);
        assert_eq!(numbers(&plan), [vec![0], vec![1], vec![1, 2], vec![1, 2], vec![2]]);
        let left: Vec<u32> =
            plan.levels.iter().flatten().filter(|placed| placed.node == 1).map(|placed| placed.recursions).collect();
        assert_eq!(left, [2, 1, 0]);
        // One that only sends to itself begins by itself.
        let mut alone = node("a", 0, &[("a", 0, 0)]);
        alone.recursions = 1;
        assert_eq!(numbers(&self::plan(&[alone])), [vec![0], vec![0]]);
    }

    #[test]
    fn who_shares_records_is_where_they_are() {
        let mut sharer = node("s", 0, &[("c", 0, 0)]);
        sharer.shares = Some(id("b", 0));
        let all = [node("a", 0, &[("b", 0, 0)]), node("b", 0, &[]), node("c", 0, &[]), sharer];
        let plan = self::plan(&all);
        assert_eq!(numbers(&plan), [vec![0], vec![1, 3], vec![2]]);
        assert_eq!((&plan.shares[3], &plan.entries), (&Some(1), &vec![0]));
    }

    #[test]
    fn a_graph_has_what_its_entry_points_reach() {
        let all = [node("a", 0, &[("b", 0, 0)]), node("b", 0, &[]), node("other", 0, &[])];
        let wanted = Wanted { all: false, entries: vec![id("a", 0)] };
        let plan = Plan::new(&all, &[false; 3], &wanted).unwrap();
        assert_eq!((numbers(&plan), plan.entries), (vec![vec![0], vec![1]], vec![0]));
        // What others lack does not matter.
        let mut other = all.clone();
        other[2] = node("other", 0, &[("nowhere", 0, 0)]);
        assert_eq!(Plan::new(&other, &[false; 3], &wanted).unwrap().entries, [0]);
        let named = Plan::new(&all, &[true, false, false], &Wanted::default()).unwrap();
        assert_eq!(numbers(&named), [vec![0], vec![1]]);
    }

    #[test]
    fn what_cannot_be_is_said() {
        let wrong = |all: &[Node], entries: &[Id]| {
            Plan::new(all, &vec![false; all.len()], &Wanted { all: true, entries: entries.to_vec() }).unwrap_err()
        };
        assert!(wrong(&[node("a", 0, &[("b", 0, 0)])], &[]).contains("b[0]"));
        assert!(wrong(&[node("a", 0, &[("b", 0, 2)]), node("b", 0, &[])], &[]).contains("b[0]"));
        assert!(wrong(&[node("a", 0, &[]), node("a", 0, &[])], &[]).contains("two nodes"));
        assert!(wrong(&[node("a", 0, &[])], &[id("z", 1)]).contains("z[1]"));
        assert!(wrong(&[node("a", u32::MAX, &[])], &[]).contains("beyond"));
        // A circle of two has no end.
        assert!(wrong(&[node("a", 0, &[("b", 0, 0)]), node("b", 0, &[("a", 0, 0)])], &[id("a", 0)]).contains("levels"));
    }
}
