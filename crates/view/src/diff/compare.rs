//! Goes through two traces frame by frame, and says what is not the same.
//!
//! Frames belong together by their number. Within a frame calls are compared thread by thread, since how threads mix differs
//! from run to run, as do their numbers. Where a frame is longer than a window, what found no partner at the end of one goes on into the next.

use super::align::align;
use super::change::{Change, changes};
use super::item::Item;
use super::matching::{Matching, Which};
use super::side::{Compared, Ended, MOST_BYTES, MOST_ITEMS, Side};
use crate::damage::Met;
use reprise_trace::read::{ReadError, Trace};
use std::collections::BTreeMap;

/// What one trace has, or both have otherwise.
#[derive(Debug)]
pub struct Difference {
    /// What the first has there.
    pub a: Option<Item>,
    /// What the second has there.
    pub b: Option<Item>,
}

/// How much of two traces is the same.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Calls of each that were compared.
    pub calls: [u64; 2],
    /// Frame boundaries of each.
    pub frames: [u64; 2],
    /// Only in the first.
    pub removed: u64,
    /// Only in the second.
    pub added: u64,
    /// In both, but not the same.
    pub changed: u64,
    /// Frames with differences.
    pub different_frames: u64,
    /// The first of these frames, from 1.
    pub first: Option<u64>,
    last: Option<u64>,
    /// Differences by the method's name: removed, added, changed.
    pub methods: BTreeMap<String, [u64; 3]>,
    /// Places of each trace that are damaged, and calls that cannot be decoded.
    pub damaged: [u64; 2],
    /// Calls that cannot be decoded.
    pub undecoded: [u64; 2],
}

impl Summary {
    /// Whether both have the same calls and as many frames.
    pub fn is_equal(&self) -> bool {
        self.removed + self.added + self.changed == 0 && self.frames[0] == self.frames[1]
    }

    fn count(&mut self, difference: &Difference) {
        let Some(item) = difference.a.as_ref().or(difference.b.as_ref()) else { return };
        let (total, place) = match (&difference.a, &difference.b) {
            (Some(_), None) => (&mut self.removed, 0),
            (None, _) => (&mut self.added, 1),
            (Some(_), Some(_)) => (&mut self.changed, 2),
        };
        *total += 1;
        self.methods.entry(item.name()).or_default()[place] += 1;
        if self.last != Some(item.frame) {
            self.different_frames += 1;
            self.last = Some(item.frame);
            self.first.get_or_insert(item.frame);
        }
    }
}

/// Compares both; `tell` is given each difference, in order, with what has changed, and says whether to go on.
///
/// # Errors
/// When one of the files cannot be read, or telling fails.
pub fn compare<E: From<ReadError>>(
    traces: [&Trace; 2],
    compared: &Compared,
    mut tell: impl FnMut(&Difference, &[Change]) -> Result<bool, E>,
    mut progress: impl FnMut(u64),
) -> Result<Summary, E> {
    let mut sides = traces.map(|trace| Side::new(trace, compared.clone()));
    let mut matching = Matching::default();
    let mut summary = Summary::default();
    let mut windows: [Vec<Item>; 2] = Default::default();
    let mut ended = [Ended::Full; 2];
    'windows: while ended != [Ended::Trace; 2] {
        for ((side, window), ended) in sides.iter_mut().zip(&mut windows).zip(&mut ended) {
            if *ended == Ended::Full {
                *ended = side.fill(window)?;
            }
        }
        progress(sides[0].frames.max(sides[1].frames) + 1);
        // What is left of a frame of which there is more may have its partner there.
        let whole = !ended.contains(&Ended::Full);
        let (differences, left) = window(&mut matching, std::mem::take(&mut windows), whole);
        windows = left;
        for difference in &differences {
            summary.count(difference);
            let changes = match (&difference.a, &difference.b) {
                (Some(a), Some(b)) => changes(&matching, a, b),
                _ => Vec::new(),
            };
            if !tell(difference, &changes)? {
                break 'windows;
            }
        }
        if whole {
            ended = ended.map(|ended| if ended == Ended::Frame { Ended::Full } else { ended });
        }
    }
    for (index, side) in sides.iter().enumerate() {
        summary.calls[index] = side.calls;
        summary.frames[index] = side.frames;
        summary.undecoded[index] = side.undecoded();
        summary.damaged[index] = Met::of(side.trace).places() + side.undecoded();
    }
    Ok(summary)
}

/// The differences of one window, and what is left for the next one: nothing where these are `whole` frames.
fn window(matching: &mut Matching, items: [Vec<Item>; 2], whole: bool) -> (Vec<Difference>, [Vec<Item>; 2]) {
    let [a, b] = items;
    matching.learn_threads(&a, &b);
    let [mut a, mut b] = [by_thread(matching, Which::A, a), by_thread(matching, Which::B, b)];
    let mut threads: Vec<u64> = a.keys().chain(b.keys()).copied().collect();
    threads.sort_unstable();
    threads.dedup();
    // First as if objects without a partner were all alike, to learn which belong together; then for good.
    for thread in &threads {
        if let (Some(a), Some(b)) = (a.get(thread), b.get(thread)) {
            learn(matching, a, b);
        }
    }
    let (mut differences, mut left) = (Vec::new(), [Vec::new(), Vec::new()]);
    for thread in threads {
        let (a, b) = (a.remove(&thread).unwrap_or_default(), b.remove(&thread).unwrap_or_default());
        let pairs = same(matching, &a, &b, false);
        let steps = steps(matching, &pairs, (&a, &b), false);
        let rest = steps.iter().rposition(|step| matches!(step, Step::Same(..)));
        // Where nothing is the same, waiting would not help.
        let rest = rest.filter(|_| !whole).map_or(steps.len(), |last| last + 1);
        let [mut a, mut b] = [a, b].map(|items| items.into_iter().map(Some).collect::<Vec<Option<Item>>>());
        let mut order = 0;
        for (index, step) in steps.into_iter().enumerate() {
            let (place_a, place_b) = step.places();
            let a = place_a.and_then(|place| a[place].take());
            let b = place_b.and_then(|place| b[place].take());
            order = a.as_ref().map_or(order, |item| item.number);
            if matches!(step, Step::Same(..)) {
                continue;
            }
            if index < rest {
                differences.push((order, Difference { a, b }));
            } else {
                left[0].extend(a);
                left[1].extend(b);
            }
        }
    }
    // By the place in the first trace; what only the second has follows what it follows there.
    differences.sort_by_key(|(order, difference)| (*order, difference.a.is_none()));
    let mut differences: Vec<Difference> = differences.into_iter().map(|(_, difference)| difference).collect();
    let bytes = |items: &[Item]| items.iter().map(Item::held).sum::<usize>();
    if left.iter().any(|items| items.len() > MOST_ITEMS / 2 || bytes(items) > MOST_BYTES / 2) {
        // So much has no partner that it will not find one.
        let [a, b] = std::mem::take(&mut left);
        differences.extend(a.into_iter().map(|item| Difference { a: Some(item), b: None }));
        differences.extend(b.into_iter().map(|item| Difference { a: None, b: Some(item) }));
    }
    (differences, left)
}

fn by_thread(matching: &Matching, which: Which, items: Vec<Item>) -> BTreeMap<u64, Vec<Item>> {
    let mut threads: BTreeMap<u64, Vec<Item>> = BTreeMap::new();
    items.into_iter().for_each(|item| threads.entry(matching.thread(which, item.thread)).or_default().push(item));
    // Calls are complete when they return; they count from where they began.
    threads.values_mut().for_each(|items| items.sort_by_key(|item| item.number));
    threads
}

/// Objects of calls that belong together belong together.
fn learn(matching: &mut Matching, a: &[Item], b: &[Item]) {
    let pairs = same(matching, a, b, true);
    for step in steps(matching, &pairs, (a, b), true) {
        if let (Some(i), Some(j)) = step.places() {
            matching.bind(&a[i], &b[j]);
        }
    }
}

/// The calls that are the same; with `open`, as far as objects without a partner allow to tell.
fn same(matching: &Matching, a: &[Item], b: &[Item], open: bool) -> Vec<(usize, usize)> {
    let keys =
        |which, items: &[Item]| -> Vec<u64> { items.iter().map(|item| matching.key(which, item, open)).collect() };
    align(&keys(Which::A, a), &keys(Which::B, b))
}

/// What becomes of a place in one sequence or both.
#[derive(Clone, Copy, Debug)]
enum Step {
    Same(usize, usize),
    Changed(usize, usize),
    Removed(usize),
    Added(usize),
}

impl Step {
    fn places(self) -> (Option<usize>, Option<usize>) {
        match self {
            Step::Same(a, b) | Step::Changed(a, b) => (Some(a), Some(b)),
            Step::Removed(a) => (Some(a), None),
            Step::Added(b) => (None, Some(b)),
        }
    }
}

/// All places of both, in order. Between calls that are the same, those of one method on one object are taken for one that
/// has changed.
fn steps(matching: &Matching, pairs: &[(usize, usize)], (a, b): (&[Item], &[Item]), open: bool) -> Vec<Step> {
    let keys = |which, items: &[Item]| -> Vec<u64> {
        items.iter().map(|item| matching.rough_key(which, item, open)).collect()
    };
    let mut steps = Vec::with_capacity(a.len().max(b.len()));
    let (mut x, mut y) = (0, 0);
    for (i, j) in pairs.iter().copied().chain([(a.len(), b.len())]) {
        if x < i && y < j {
            let (from_x, from_y) = (x, y);
            for (m, n) in align(&keys(Which::A, &a[x..i]), &keys(Which::B, &b[y..j])) {
                let (m, n) = (from_x + m, from_y + n);
                steps.extend((x..m).map(Step::Removed).chain((y..n).map(Step::Added)));
                steps.push(Step::Changed(m, n));
                (x, y) = (m + 1, n + 1);
            }
        }
        steps.extend((x..i).map(Step::Removed).chain((y..j).map(Step::Added)));
        if i < a.len() && j < b.len() {
            steps.push(Step::Same(i, j));
        }
        (x, y) = (i + 1, j + 1);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::item::{END, Kind, OBJECT};
    use super::*;
    use reprise_d3d12::method;

    /// A call on an object (0: none) that gives another one out, or takes a number.
    fn call(number: u64, name: &str, this: u32, argument: u64, gives: Option<u32>) -> Item {
        let method = method("ID3D12Device", name).0;
        let object = |class: &str| format!("\"{OBJECT}{class}{END}\"");
        let gives_text = gives.map_or_else(|| "null".to_owned(), |_| object("ID3D12Fence"));
        let text =
            format!("{{\"this\":{},\"args\":{{\"n\":{argument}}},\"outputs\":{gives_text}}}", object("ID3D12Device"));
        let objects = [Some(this), gives].into_iter().flatten().collect();
        let key = argument + 1000 * u64::from(method) + u64::from(gives.is_some());
        Item { number, frame: 1, thread: 0, kind: Kind::Call(method), text, objects, key }
    }

    fn told(differences: &[Difference]) -> Vec<(Option<u64>, Option<u64>)> {
        let number = |item: &Option<Item>| item.as_ref().map(|item| item.number);
        differences.iter().map(|difference| (number(&difference.a), number(&difference.b))).collect()
    }

    /// Creates fences 2, 3 and 4 of one device, and asks something of each.
    fn program(first_id: u32) -> Vec<Item> {
        let mut items = vec![call(1, "CreateCommandQueue", 1, 0, None)];
        items.extend(
            (0..3).map(|fence| call(2 + u64::from(fence), "CreateFence", 1, fence.into(), Some(first_id + fence))),
        );
        items.extend((0..3).map(|fence| call(5 + u64::from(fence), "GetNodeCount", first_id + fence, 7, None)));
        items
    }

    #[test]
    fn ids_do_not_matter_and_what_they_stand_for_does() {
        let mut matching = Matching::default();
        let (differences, _) = window(&mut matching, [program(2), program(200)], true);
        assert_eq!(told(&differences), []);
        let mut other = program(200);
        other[4].objects[0] = 201;
        let mut matching = Matching::default();
        let (differences, _) = window(&mut matching, [program(2), other], true);
        assert!(!differences.is_empty(), "the first question is asked of the second fence");
        assert!(told(&differences).iter().all(|(a, b)| a.or(*b) == Some(5)), "{:?}", told(&differences));
    }

    #[test]
    fn an_object_more_is_one_difference() {
        let mut more = program(200);
        more.insert(1, call(90, "CreateFence", 1, 55, Some(100)));
        let mut matching = Matching::default();
        let (differences, _) = window(&mut matching, [program(2), more], true);
        assert_eq!(told(&differences), [(None, Some(90))]);
    }

    #[test]
    fn an_object_made_otherwise_is_the_same_afterwards() {
        let mut other = program(200);
        other[2] = call(3, "CreateFence", 1, 99, Some(201));
        let mut matching = Matching::default();
        let (differences, _) = window(&mut matching, [program(2), other], true);
        assert_eq!(told(&differences), [(Some(3), Some(3))]);
    }

    #[test]
    fn what_may_have_its_partner_later_waits() {
        let mut matching = Matching::default();
        let [mut a, b] = [program(2), program(200)];
        let rest = a.split_off(5);
        let (differences, left) = window(&mut matching, [a, b], false);
        assert_eq!((told(&differences), left[0].len(), left[1].len()), (vec![], 0, 2));
        let [_, left] = left;
        let (differences, _) = window(&mut matching, [rest, left], true);
        assert_eq!(told(&differences), []);
    }
}
