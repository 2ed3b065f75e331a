//! The next ordinal of every object.

use std::collections::HashMap;

/// Objects with ids below this have a place in the table, which so has 16 MiB at most.
const TABLE: u32 = 1 << 22;

/// Whether an ordinal lies ahead of the expected one, on a circle of 2^32.
pub(super) fn is_ahead(ordinal: u32, expected: u32) -> bool {
    (ordinal.wrapping_sub(expected) as i32) > 0
}

/// The next ordinal of every object. Ids are dense, so nearly all objects have a place in a plain table.
#[derive(Debug, Default)]
pub(super) struct Ordinals {
    table: Vec<u32>,
    others: HashMap<u32, u32>,
}

impl Ordinals {
    #[inline]
    pub(super) fn get(&self, object: u32) -> u32 {
        match self.table.get(object as usize) {
            Some(&ordinal) => ordinal,
            None => self.others.get(&object).copied().unwrap_or(0),
        }
    }

    /// Goes past an ordinal, if it is the next one.
    #[inline(always)]
    pub(super) fn take(&mut self, object: u32, ordinal: u32) -> bool {
        if let Some(place) = self.table.get_mut(object as usize) {
            let next = *place == ordinal;
            *place = place.wrapping_add(u32::from(next));
            return next;
        }
        let next = self.get(object) == ordinal;
        if next {
            self.set(object, ordinal.wrapping_add(1));
        }
        next
    }

    #[inline]
    pub(super) fn set(&mut self, object: u32, ordinal: u32) {
        if let Some(place) = self.table.get_mut(object as usize) {
            *place = ordinal;
        } else if object < TABLE {
            self.table.resize((object as usize + 1).next_power_of_two(), 0);
            self.table[object as usize] = ordinal;
        } else {
            self.others.insert(object, ordinal);
        }
    }
}
