//! Objects that the program has released, with the calls that released them.

use std::collections::VecDeque;

use crate::resolve::ids::IdMap;

/// So many are kept. An object that went before is treated as one that never was.
const MOST: usize = 65_536;

/// Released objects.
#[derive(Default)]
pub(crate) struct Departed {
    calls: IdMap<u64>,
    /// Oldest first.
    order: VecDeque<u32>,
}

impl Departed {
    /// The call released the program's last reference to the object.
    pub(crate) fn add(&mut self, id: u32, call: u64) {
        if self.calls.insert(id, call).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.calls.remove(&oldest);
        }
    }

    /// The call that released an object; `None` where none did.
    pub(crate) fn call(&self, id: u32) -> Option<u64> {
        self.calls.get(&id).copied()
    }
}
