//! What a pass keeps of the calls of each list, from one reset of the list to the next.
//!
//! Invariant: only a reset that had its effect takes what a list has. One that failed leaves the list as it was, and what it had recorded
//! can still be submitted.

use crate::call::Call;
use crate::state::lists::begins_anew;
use std::collections::HashMap;

/// Entries of lists, in the order of their calls.
#[derive(Clone, Debug)]
pub struct Recorded<T> {
    lists: HashMap<u32, Vec<T>>,
}

impl<T> Default for Recorded<T> {
    fn default() -> Self {
        Self { lists: HashMap::new() }
    }
}

impl<T> Recorded<T> {
    /// Takes what a list has, if the call is a reset that had its effect; whether it is.
    pub fn call(&mut self, call: &Call<'_>) -> bool {
        let is_reset = begins_anew(call);
        if is_reset {
            self.lists.remove(&call.object);
        }
        is_reset
    }

    /// Adds to what a list has.
    pub fn push(&mut self, list: u32, entry: T) {
        self.lists.entry(list).or_default().push(entry);
    }

    /// What a list has.
    pub fn of(&self, list: u32) -> &[T] {
        self.lists.get(&list).map_or(&[], Vec::as_slice)
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, list: u32) -> &mut [T] {
        self.lists.get_mut(&list).map_or(&mut [], Vec::as_mut_slice)
    }

    /// The same, which the list has no longer.
    pub fn take(&mut self, list: u32) -> Vec<T> {
        self.lists.remove(&list).unwrap_or_default()
    }
}
