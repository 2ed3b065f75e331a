//! A map from descriptions to Vulkan objects, read without a lock.
//!
//! Invariants: entries are only ever added, at the head of one of a few lists, so a reader sees whole entries; equal keys have
//! one object.

use core::ptr::null_mut;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::error::Result;

const LISTS: usize = 16;

#[derive(Debug)]
struct Node<const N: usize> {
    key: [u64; N],
    handle: u64,
    next: *mut Node<N>,
}

/// Handles by keys of `N` words. The owner destroys the handles, which [`Known::take`] gives.
#[derive(Debug)]
pub(super) struct Known<const N: usize> {
    lists: [AtomicPtr<Node<N>>; LISTS],
}

// SAFETY: nodes are owned, never changed once they are in a list, and freed with the whole only.
unsafe impl<const N: usize> Send for Known<N> {}
// SAFETY: nodes are only added, by atomic exchanges of the lists' heads, and never changed once they are in a list.
unsafe impl<const N: usize> Sync for Known<N> {}

impl<const N: usize> Default for Known<N> {
    fn default() -> Self {
        Known { lists: [const { AtomicPtr::new(null_mut()) }; LISTS] }
    }
}

impl<const N: usize> Known<N> {
    /// The handle of a key. `make` makes one; `destroy` gets it back when another thread was faster.
    #[inline]
    pub(super) fn get(
        &self,
        key: [u64; N],
        make: impl FnOnce() -> Result<u64>,
        destroy: impl FnOnce(u64),
    ) -> Result<u64> {
        let list = &self.lists[place(&key)];
        let head = list.load(Ordering::Acquire);
        match find(&key, head, null_mut()) {
            Some(handle) => Ok(handle),
            None => Ok(add(list, head, key, make()?, destroy)),
        }
    }

    /// Everything, with its keys; nobody looks any more.
    pub(super) fn take(&mut self) -> impl Iterator<Item = ([u64; N], u64)> + '_ {
        self.lists.iter_mut().flat_map(|list| {
            let mut next = core::mem::replace(list.get_mut(), null_mut());
            core::iter::from_fn(move || {
                // SAFETY: null, or made by `add` and in no list any more.
                let node = (!next.is_null()).then(|| unsafe { Box::from_raw(next) })?;
                next = node.next;
                Some((node.key, node.handle))
            })
        })
    }
}

impl<const N: usize> Drop for Known<N> {
    fn drop(&mut self) {
        self.take().for_each(drop);
    }
}

/// Adds to a list that had `head` when the key was not in it.
#[cold]
fn add<const N: usize>(
    list: &AtomicPtr<Node<N>>,
    mut head: *mut Node<N>,
    key: [u64; N],
    handle: u64,
    destroy: impl FnOnce(u64),
) -> u64 {
    let node = Box::into_raw(Box::new(Node { key, handle, next: head }));
    while let Err(newer) = list.compare_exchange(head, node, Ordering::AcqRel, Ordering::Acquire) {
        if let Some(other) = find(&key, newer, head) {
            // SAFETY: the node is still ours, and nobody has seen it.
            drop(unsafe { Box::from_raw(node) });
            destroy(handle);
            return other;
        }
        head = newer;
        // SAFETY: the node is still ours: the exchange that would have shown it failed.
        unsafe { (*node).next = head };
    }
    handle
}

/// Looks through a list from `head` until `end`.
#[inline]
fn find<const N: usize>(key: &[u64; N], mut head: *mut Node<N>, end: *mut Node<N>) -> Option<u64> {
    while head != end {
        // SAFETY: nodes in a list live as long as the whole.
        let node = unsafe { &*head };
        if node.key == *key {
            return Some(node.handle);
        }
        head = node.next;
    }
    None
}

#[inline]
fn place<const N: usize>(key: &[u64; N]) -> usize {
    let mixed = key.iter().fold(0u64, |mixed, word| mixed.rotate_left(17) ^ word);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize
}

const _: () = assert!(LISTS == 16, "a place has four bits");

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeMap;
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Threads that ask for the same keys get the same handles, and every handle made is either given out or destroyed.
    #[test]
    fn a_key_has_one_handle_whoever_asks() {
        let (mut known, made, gone) = (Known::<2>::default(), AtomicU64::new(0), AtomicU64::new(0));
        let answers: Vec<Vec<u64>> = std::thread::scope(|scope| {
            let ask = || {
                let one = |key: u64| {
                    let make = || Ok(made.fetch_add(1, Ordering::Relaxed) + 1);
                    let destroy = |_| _ = gone.fetch_add(1, Ordering::Relaxed);
                    known.get([key % 500, key % 500 % 7], make, destroy).unwrap()
                };
                (0..5000).map(one).collect()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]));
        let all: BTreeMap<_, _> = known.take().collect();
        assert_eq!(all.len(), 500);
        assert!(all.iter().all(|(key, handle)| answers[0][key[0] as usize] == *handle));
        assert_eq!(made.into_inner(), 500 + gone.into_inner());
        assert_eq!(known.take().count(), 0);
    }
}
