//! Loops that are to stay loops: nested ones that read buffers. Invariant: a module computes what it did; only loop controls that were none change.
//!
//! Drivers unroll loops with a known number of iterations. Of two such loops, one in the other, come as many copies of each read as the product of both
//! numbers, and each is checked for its bounds (`findings/lavapipe-nested-loops.sh`). Reads of constant buffers are no part of it: they were not seen to cost as much.

use std::collections::HashSet;

/// Words before the first instruction (SPIR-V 1.6, section 2.3).
const HEADER: usize = 5;
const TYPE_POINTER: u32 = 32;
const LOAD: u32 = 61;
const ACCESS_CHAIN: u32 = 65;
const IN_BOUNDS_ACCESS_CHAIN: u32 = 66;
const LOOP_MERGE: u32 = 246;
const LABEL: u32 = 248;
/// Storage classes of buffers: `StorageBuffer`, `PhysicalStorageBuffer`.
const BUFFERS: [u32; 2] = [12, 5349];
/// Loop control `DontUnroll`.
const DONT_UNROLL: u32 = 2;

/// Asks the driver not to unroll nested loops that read buffers, where the module says nothing of them. What is no module is left as it is.
pub fn keep_nested(words: &mut [u32]) {
    for place in nested(words) {
        if let Some(control @ 0) = words.get_mut(place) {
            *control = DONT_UNROLL;
        }
    }
}

/// Where the controls of such loops stand.
fn nested(words: &[u32]) -> HashSet<usize> {
    let (mut pointers, mut places) = (HashSet::new(), HashSet::new());
    // Loops that are open: where they end, and their controls.
    let mut open: Vec<(u32, usize)> = Vec::new();
    let mut at = HEADER;
    while let Some(&first) = words.get(at) {
        let length = (first >> 16) as usize;
        let operands = words.get(at + 1..at + length.max(1)).unwrap_or_default();
        match (first & 0xffff, operands) {
            (TYPE_POINTER, [result, class, ..]) if BUFFERS.contains(class) => {
                pointers.insert(*result);
            }
            (ACCESS_CHAIN | IN_BOUNDS_ACCESS_CHAIN, [kind, result, ..]) if pointers.contains(kind) => {
                pointers.insert(*result);
            }
            (LOOP_MERGE, [end, _, _, ..]) => open.push((*end, at + 3)),
            (LABEL, [block]) => {
                if let Some(first) = open.iter().position(|(end, _)| end == block) {
                    open.truncate(first);
                }
            }
            (LOAD, [_, _, pointer, ..]) if open.len() > 1 && pointers.contains(pointer) => {
                places.extend(open.iter().map(|(_, control)| *control));
            }
            _ => {}
        }
        at += length.max(1);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instruction.
    fn op(code: u32, operands: &[u32]) -> Vec<u32> {
        [&[(operands.len() as u32 + 1) << 16 | code][..], operands].concat()
    }

    /// A pointer of a class (20), a variable's element (30), and loops with these controls and ends, in each other; the innermost one loads.
    fn module(class: u32, loops: &[(u32, u32)], behind: bool) -> Vec<u32> {
        let mut words = vec![0; HEADER];
        words.extend(op(TYPE_POINTER, &[20, class, 1]));
        for (control, end) in loops {
            words.extend(op(LOOP_MERGE, &[*end, 99, *control]));
        }
        let load = [op(ACCESS_CHAIN, &[20, 30, 31]), op(LOAD, &[1, 32, 30])].concat();
        let ends: Vec<u32> = loops.iter().rev().flat_map(|(_, end)| op(LABEL, &[*end])).collect();
        words.extend(if behind { [ends, load].concat() } else { [load, ends].concat() });
        words
    }

    fn kept(class: u32, loops: &[(u32, u32)], behind: bool) -> Vec<u32> {
        let mut words = module(class, loops, behind);
        keep_nested(&mut words);
        words
    }

    #[test]
    fn nested_loops_that_read_buffers_stay() {
        let two = [(0, 40), (0, 41)];
        let both = [(DONT_UNROLL, 40), (DONT_UNROLL, 41)];
        for class in BUFFERS {
            assert_eq!(kept(class, &two, false), module(class, &both, false));
        }
        // A hint of the module's own stays.
        assert_eq!(kept(12, &[(1, 40), (0, 41)], false), module(12, &[(1, 40), (DONT_UNROLL, 41)], false));
        // One loop alone, what is no buffer, and what is read behind the loops.
        assert_eq!(kept(12, &[(0, 40)], false), module(12, &[(0, 40)], false));
        assert_eq!(kept(7, &two, false), module(7, &two, false));
        assert_eq!(kept(12, &two, true), module(12, &two, true));
    }

    #[test]
    fn what_is_no_module_ends() {
        let whole = module(12, &[(0, 40), (0, 41)], false);
        for length in 0..whole.len() {
            keep_nested(&mut whole[..length].to_vec());
        }
        let mut empty = vec![0; 9];
        keep_nested(&mut empty);
        assert_eq!(empty, [0; 9]);
    }
}
