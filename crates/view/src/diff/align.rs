//! Which elements of two sequences belong together: Myers' greedy algorithm, with a bound on what it may cost.
//!
//! Invariants: pairs are of equal keys and rise in both sequences; as long as no more than [`MOST`] elements must be added
//! or removed there is no longer such list of pairs. Beyond, the sequences are cut at what occurs once in each (as "patience"
//! diffs do), and between the cuts all begins anew; where nothing does, the path that came furthest is kept, and the search
//! goes on where it ends. So the cost is bounded by the length times [`MOST`], and the memory by its square.

use std::collections::HashMap;

/// Elements added and removed in one search.
const MOST: usize = 1024;

/// Places of equal keys in both sequences.
pub(super) fn align(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    align_within(a, b, MOST)
}

fn align_within(a: &[u64], b: &[u64], most: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::with_capacity(a.len().min(b.len()));
    // What is left to do: begin and end in both, and whether it is known that nothing in it occurs once in each.
    let mut stretches = vec![([0, 0], [a.len(), b.len()], false)];
    while let Some(([mut x, mut y], [mut end_x, mut end_y], alike)) = stretches.pop() {
        while x < end_x && y < end_y && a[x] == b[y] {
            pairs.push((x, y));
            (x, y) = (x + 1, y + 1);
        }
        while x < end_x && y < end_y && a[end_x - 1] == b[end_y - 1] {
            (end_x, end_y) = (end_x - 1, end_y - 1);
            pairs.push((end_x, end_y));
        }
        if x == end_x || y == end_y {
            continue;
        }
        let (steps_x, steps_y, found) = search(&a[x..end_x], &b[y..end_y], most);
        let cuts = match alike || (x + steps_x, y + steps_y) == (end_x, end_y) {
            true => Vec::new(),
            false => cuts(&a[x..end_x], &b[y..end_y]),
        };
        if cuts.is_empty() {
            pairs.extend(found.into_iter().map(|(i, j)| (x + i, y + j)));
            stretches.push(([x + steps_x, y + steps_y], [end_x, end_y], true));
            continue;
        }
        let (mut from, end) = ([x, y], [end_x, end_y]);
        for (i, j) in cuts {
            let cut = [x + i, y + j];
            pairs.push((cut[0], cut[1]));
            stretches.push((from, cut, false));
            from = [cut[0] + 1, cut[1] + 1];
        }
        stretches.push((from, end, false));
    }
    pairs.sort_unstable();
    pairs
}

/// Places of keys that occur once in each: the longest list of them that rises in both.
fn cuts(a: &[u64], b: &[u64]) -> Vec<(usize, usize)> {
    let once = |keys: &[u64]| {
        let mut places: HashMap<u64, Option<usize>> = HashMap::with_capacity(keys.len());
        for (place, key) in keys.iter().enumerate() {
            places.entry(*key).and_modify(|first| *first = None).or_insert(Some(place));
        }
        places
    };
    let (in_a, in_b) = (once(a), once(b));
    let both = a.iter().enumerate().filter(|(_, key)| in_a.get(key).copied().flatten().is_some());
    let both: Vec<(usize, usize)> =
        both.filter_map(|(place, key)| Some((place, in_b.get(key).copied().flatten()?))).collect();
    // For each length of such a list the pair that ends it with the lowest place in `b`, and what stands before each pair.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(both.len());
    for (index, (_, place)) in both.iter().enumerate() {
        let length = ends.partition_point(|end| both[*end].1 < *place);
        before.push(length.checked_sub(1).map(|last| ends[last]));
        if length == ends.len() {
            ends.push(index);
        } else {
            ends[length] = index;
        }
    }
    let mut chain = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(index) = next {
        chain.push(both[index]);
        next = before[index];
    }
    chain.reverse();
    chain
}

/// One search from the beginning of both: how far it came, and the pairs on its way. It comes to both ends, or as far as
/// `most` (at least 1) changes lead.
fn search(a: &[u64], b: &[u64], most: usize) -> (usize, usize, Vec<(usize, usize)>) {
    let along = |mut x: usize, diagonal: isize| {
        let y = |x: usize| x.wrapping_add_signed(-diagonal);
        while x < a.len() && y(x) < b.len() && a[x] == b[y(x)] {
            x += 1;
        }
        x
    };
    // For each number of changes, how far in `a` each diagonal (x - y) from -changes to +changes in steps of 2 came;
    // `None` where it would be outside.
    let mut levels: Vec<Vec<Option<usize>>> = Vec::new();
    let inside = |x: usize, diagonal: isize| {
        let y = x.checked_add_signed(-diagonal)?;
        (x <= a.len() && y <= b.len()).then(|| along(x, diagonal))
    };
    for changes in 0..=most.max(1) {
        let of = |levels: &[Vec<Option<usize>>], diagonal: isize| -> Option<usize> {
            let level: &Vec<Option<usize>> = levels.last()?;
            let place = diagonal + changes as isize - 1;
            usize::try_from(place).ok().and_then(|place| level.get(place / 2).copied().flatten())
        };
        let level: Vec<Option<usize>> = (0..=changes)
            .map(|index| {
                let diagonal = 2 * index as isize - changes as isize;
                if changes == 0 {
                    return inside(0, 0);
                }
                // Either an element of `b` is added, or one of `a` removed.
                let added = of(&levels, diagonal + 1);
                let removed = of(&levels, diagonal - 1).map(|x| x + 1);
                [added, removed].into_iter().flatten().filter_map(|x| inside(x, diagonal)).max()
            })
            .collect();
        let ends = |x: usize, diagonal: isize| (x, x.wrapping_add_signed(-diagonal));
        let reached = level.iter().enumerate().filter_map(|(index, x)| {
            let diagonal = 2 * index as isize - changes as isize;
            x.map(|x| (ends(x, diagonal), diagonal))
        });
        let furthest = reached.max_by_key(|((x, y), _)| x + y);
        levels.push(level);
        if let Some(((x, y), diagonal)) = furthest
            && (changes == most.max(1) || (x == a.len() && y == b.len()))
        {
            return (x, y, walk_back(&levels, x, diagonal));
        }
    }
    // Not reached: the last level returns.
    (a.len(), b.len(), Vec::new())
}

/// The pairs on the way to `x` on a diagonal of the last level.
fn walk_back(levels: &[Vec<Option<usize>>], mut x: usize, mut diagonal: isize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for changes in (0..levels.len()).rev() {
        let before = |diagonal: isize| -> Option<usize> {
            let level = levels.get(changes.checked_sub(1)?)?;
            let place = usize::try_from(diagonal + changes as isize - 1).ok()?;
            level.get(place / 2).copied().flatten()
        };
        let added = before(diagonal + 1);
        let removed = before(diagonal - 1).map(|x| x + 1);
        // The same choice as on the way there: the further one that lies inside, which is never beyond where we are.
        let start = [added, removed].into_iter().flatten().filter(|start| *start <= x).max().unwrap_or(0);
        while x > start {
            x -= 1;
            pairs.push((x, x.wrapping_add_signed(-diagonal)));
        }
        if removed == Some(start) && (added != Some(start)) {
            x = start - 1;
            diagonal -= 1;
        } else {
            diagonal += 1;
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of the longest common subsequence, by the textbook's table.
    fn longest(a: &[u64], b: &[u64]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                table[i + 1][j + 1] = if x == y { table[i][j] + 1 } else { table[i][j + 1].max(table[i + 1][j]) };
            }
        }
        table[a.len()][b.len()]
    }

    fn check(a: &[u64], b: &[u64], pairs: &[(usize, usize)]) {
        assert!(pairs.iter().all(|(i, j)| a[*i] == b[*j]), "{a:?} {b:?} {pairs:?}");
        assert!(pairs.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1), "{a:?} {b:?} {pairs:?}");
    }

    proptest! {
        #[test]
        fn no_longer_list_of_pairs_exists(
            a in proptest::collection::vec(0u64..5, 0..40),
            b in proptest::collection::vec(0u64..5, 0..40),
        ) {
            let pairs = align(&a, &b);
            check(&a, &b, &pairs);
            prop_assert_eq!(pairs.len(), longest(&a, &b));
        }

        #[test]
        fn with_a_small_bound_pairs_are_still_sound(
            a in proptest::collection::vec(0u64..5, 0..40),
            b in proptest::collection::vec(0u64..5, 0..40),
            most in 1usize..4,
        ) {
            check(&a, &b, &align_within(&a, &b, most));
        }
    }

    #[test]
    fn long_sequences_with_nothing_in_common_come_to_an_end() {
        let (a, b): (Vec<u64>, Vec<u64>) = ((0..20_000).collect(), (100_000..120_000).collect());
        assert_eq!(align_within(&a, &b, 16), []);
        let mut c = a.clone();
        c.splice(5_000..5_000, 900_000..900_010);
        assert_eq!(align(&a, &c).len(), a.len());
        // More than a search may take, and the same much less at the end.
        let mut d = a.clone();
        d.splice(5_000..5_000, 900_000..903_000);
        d.truncate(a.len());
        assert_eq!(align(&a, &d).len(), a.len() - 3_000);
    }
}
