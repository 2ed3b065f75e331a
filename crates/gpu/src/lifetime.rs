//! Whether what plain data names is still there.
//!
//! A descriptor holds nothing, and its Vulkan handle does not say whether the object lives. So the descriptor has the number of a
//! [`Lifetime`], which the object owns. A question costs one load. An object costs two bytes, which later objects get again. A
//! descriptor costs nothing: its record has room.
//!
//! Invariant: no two lifetimes of a process have the same number. A place whose turns are used up is not given out any more; without
//! free places lifetimes have the number 0, which always lasts.

use core::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bits of a number that say the place.
const PLACE: u32 = 20;
/// Turns of a place.
const TURNS: u16 = 1 << (32 - PLACE);
/// Places whose lifetimes can be there at once.
const PLACES: usize = 1 << PLACE;

/// The turn that each place is in; odd while a lifetime has it. Pages that nothing was written to take no memory.
static PLACES_TURNS: [AtomicU16; PLACES] = [const { AtomicU16::new(0) }; PLACES];

/// Places that are free: those below the count were given out before.
static FREE: Mutex<Free> = Mutex::new(Free { used: 0, again: Vec::new() });

struct Free {
    used: u32,
    again: Vec<u32>,
}

/// The time in which an object is there: from [`Lifetime::begin`] until it is dropped.
#[derive(Debug)]
pub struct Lifetime(u32);

impl Lifetime {
    /// Begins.
    pub fn begin() -> Lifetime {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        let place = free.again.pop().or_else(|| {
            let place = free.used;
            free.used += u32::from((place as usize) < PLACES);
            ((place as usize) < PLACES).then_some(place)
        });
        drop(free);
        let Some(place) = place else { return Lifetime(0) };
        let turn = PLACES_TURNS[place as usize].fetch_add(1, Ordering::Relaxed) + 1;
        Lifetime(u32::from(turn) << PLACE | place)
    }

    /// What plain data keeps of it.
    pub fn number(&self) -> u32 {
        self.0
    }
}

impl Drop for Lifetime {
    fn drop(&mut self) {
        if self.0 == 0 {
            return;
        }
        let place = self.0 % PLACES as u32;
        let turn = PLACES_TURNS[place as usize].fetch_add(1, Ordering::Relaxed) + 1;
        if turn < TURNS {
            FREE.lock().unwrap_or_else(PoisonError::into_inner).again.push(place);
        }
    }
}

/// Whether the lifetime of a number is not over; true for 0.
#[inline(always)]
pub fn lasts(number: u32) -> bool {
    let turn = PLACES_TURNS[number as usize % PLACES].load(Ordering::Relaxed);
    number == 0 || u32::from(turn) == number >> PLACE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_lasts_until_its_lifetime_is_over_and_comes_once() {
        assert!(lasts(0));
        let mut seen = std::collections::BTreeSet::new();
        // More than one place has turns.
        for _ in 0..3 * u32::from(TURNS) {
            let [one, two] = [Lifetime::begin(), Lifetime::begin()];
            let numbers = [one.number(), two.number()];
            assert!(numbers.iter().all(|number| *number != 0 && lasts(*number) && seen.insert(*number)), "{numbers:?}");
            drop(one);
            assert_eq!(numbers.map(lasts), [false, true]);
            drop(two);
            assert_eq!(numbers.map(lasts), [false, false]);
        }
        assert!(seen.into_iter().all(|number| !lasts(number)));
    }
}
