//! Which threads of a dispatch write a texel.
//!
//! Which texel a thread writes is its shader's matter, so groups run on the processor until one writes it: first those that nearly all
//! shaders write it by, and then all in their order, as far as that takes no longer than `reprise debug` itself.

use std::collections::BTreeSet;

/// Texels in each direction that a thread may write: a group is tried first for each of these.
const TILES: [u32; 3] = [1, 2, 4];

/// The threads of a dispatch that write a texel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Writers {
    /// Of the group that was found, in the order of their writes.
    pub(crate) threads: Vec<[u32; 3]>,
    /// Whether they leave what the GPU left; nothing where that is not known.
    pub(crate) same: Option<bool>,
    /// Whether the API leaves open where the group writes, or what.
    pub(crate) open: bool,
    /// Of an indirect call which command they are of.
    pub(crate) number: Option<usize>,
    /// Groups that ran, of how many.
    pub(crate) ran: u64,
    pub(crate) groups: u64,
}

/// Command and group: those first whose threads lie where the texel does, and then all that there are. Of each command the groups that it
/// dispatches and the threads of one; the texel by column, row and slice.
pub(crate) fn order<'g>(
    groups: &'g [[u32; 3]],
    sizes: &[[u32; 3]],
    at: [u32; 3],
) -> impl Iterator<Item = (usize, [u32; 3])> + use<'g> {
    let mut first = Vec::new();
    for tile in TILES {
        for (command, (groups, size)) in groups.iter().zip(sizes).enumerate() {
            let of = |axis: usize| at[axis] / if axis < 2 { tile } else { 1 } / size[axis].max(1);
            let whole = [of(0), of(1), of(2)];
            // One row of groups may go through all slices.
            for group in [whole, [whole[0], whole[1], 0]] {
                let is_there = (0..3).all(|axis| group[axis] < groups[axis]);
                if is_there && !first.contains(&(command, group)) {
                    first.push((command, group));
                }
            }
        }
    }
    let known: BTreeSet<(usize, [u32; 3])> = first.iter().copied().collect();
    let all = groups.iter().copied().enumerate().flat_map(|(command, [columns, rows, slices])| {
        (0..slices).flat_map(move |z| (0..rows).flat_map(move |y| (0..columns).map(move |x| (command, [x, y, z]))))
    });
    first.into_iter().chain(all.filter(move |group| !known.contains(group)))
}

/// A lane of a group, as `SV_DispatchThreadID` counts.
pub(crate) fn thread(size: [u32; 3], group: [u32; 3], lane: u32) -> [u32; 3] {
    let within = [lane % size[0], lane / size[0] % size[1], lane / size[0] / size[1]];
    [0, 1, 2].map(|axis| group[axis] * size[axis] + within[axis])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each group comes once, and those of the texel's place come first: also where a thread writes two by two texels, and in each command.
    #[test]
    fn groups_of_the_texel_come_first_and_all_come_once() {
        let of = |at| order(&[[4, 3, 2], [1, 1, 1]], &[[8, 8, 1], [8, 8, 1]], at).collect::<Vec<_>>();
        let all = of([25, 17, 1]);
        assert_eq!(all[..4], [(0, [3, 2, 1]), (0, [3, 2, 0]), (0, [1, 1, 1]), (0, [1, 1, 0])]);
        let mut sorted = all.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!((all.len(), sorted.len()), (25, 25));
        assert_eq!(of([1, 1, 0])[..2], [(0, [0, 0, 0]), (1, [0, 0, 0])]);
        // A texel that no thread has the place of.
        assert_eq!(of([900, 0, 0]).len(), 25);
        assert_eq!(order(&[[0, 7, 7]], &[[1, 1, 1]], [0, 0, 0]).count(), 0);
    }

    #[test]
    fn lanes_are_counted_column_by_column() {
        assert_eq!(thread([8, 4, 2], [0, 0, 0], 0), [0, 0, 0]);
        assert_eq!(thread([8, 4, 2], [2, 1, 3], 8 + 3), [19, 5, 6]);
        assert_eq!(thread([8, 4, 2], [2, 1, 3], 32 + 8 + 3), [19, 5, 7]);
    }
}
