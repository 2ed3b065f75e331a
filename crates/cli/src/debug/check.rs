//! What the interpreter wrote against what the GPU left.

use super::store::{Key, Store};
use reprise_interpreter::Open;
use std::collections::BTreeMap;

/// Bytes that differ, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) key: Key,
    /// Offset of the first byte in the buffer, or among the subresource's rows without gaps.
    pub(crate) offset: u64,
    /// By the interpreter.
    pub(crate) expected: Vec<u8>,
    /// By the GPU.
    pub(crate) found: Vec<u8>,
    /// What is open about them; 0: nothing, so one of the two is wrong.
    pub(crate) open: Open,
    /// The shader wrote there, as the interpreter ran it.
    pub(crate) written: bool,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Check {
    /// Bytes that were written.
    pub(crate) written: u64,
    /// Bytes that were compared.
    pub(crate) compared: u64,
    pub(crate) differences: Vec<Difference>,
    /// The call's predicate kept the GPU from making it: all is as it was.
    pub(crate) left_out: bool,
    /// Contents that could not be looked at afterwards, and why.
    pub(crate) unseen: Vec<(Key, String)>,
}

impl Check {
    /// Whether something differs that nothing open explains, or was not looked at.
    pub(crate) fn is_wrong(&self) -> bool {
        !self.left_out && !self.differences.is_empty() && self.differences.iter().any(|it| it.open == 0)
            || !self.unseen.is_empty()
    }
}

/// Whether the GPU changed nothing at all.
fn is_untouched(store: &Store<'_>, after: &BTreeMap<Key, Result<Vec<u8>, String>>) -> bool {
    store.contents.iter().all(|(key, content)| matches!(after.get(key), Some(Ok(found)) if *found == content.before))
}

/// Compares. `whole`: all groups ran, so that every byte is known, and not only what was written.
pub(crate) fn compare(
    store: &Store<'_>,
    after: &BTreeMap<Key, Result<Vec<u8>, String>>,
    whole: bool,
    predicated: bool,
) -> Check {
    let mut check = Check { left_out: predicated && is_untouched(store, after), ..Check::default() };
    for (key, content) in &store.contents {
        check.written += content.written.len() as u64;
        let found = match after.get(key) {
            Some(Ok(found)) => found,
            Some(Err(reason)) => {
                check.unseen.push((*key, reason.clone()));
                continue;
            }
            None => continue,
        };
        let scattered = store.scattered.get(&key.resource).copied().unwrap_or(0);
        let mut last: Option<Difference> = None;
        let mut look = |at: u64, written: Option<Open>| {
            check.compared += 1;
            let (expected, found) = (content.bytes.get(at as usize), found.get(at as usize));
            if expected == found {
                return;
            }
            let open = match written {
                Some(open) if open != 0 => open,
                _ => scattered,
            };
            let (expected, found) = (expected.copied().unwrap_or(0), found.copied().unwrap_or(0));
            match &mut last {
                Some(difference)
                    if difference.offset + difference.expected.len() as u64 == at
                        && (difference.open, difference.written) == (open, written.is_some())
                        // A word each, so that they can be read.
                        && !at.is_multiple_of(4) =>
                {
                    difference.expected.push(expected);
                    difference.found.push(found);
                }
                _ => {
                    let (expected, found) = (vec![expected], vec![found]);
                    let next = Difference { key: *key, offset: at, expected, found, open, written: written.is_some() };
                    check.differences.extend(last.replace(next));
                }
            }
        };
        if whole {
            let count = content.bytes.len().max(found.len()) as u64;
            (0..count).for_each(|at| look(at, content.written.get(&at).copied()));
        } else {
            content.written.iter().for_each(|(at, open)| look(*at, Some(*open)));
        }
        check.differences.extend(last);
    }
    check
}
