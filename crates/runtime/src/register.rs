//! The resources that views of targets name.
//!
//! A descriptor of a target is plain data: the program copies it as it likes, and it stays when the resource goes. So it names its
//! resource by a number that is given out once. Invariant: a number leads to a resource that the program has not released, or to
//! nothing. What a resource is the register does not know: its users do.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// The number of a resource; 0 while no view names it.
#[derive(Debug, Default)]
pub struct Number(AtomicU64);

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// How often the place was given out.
    turn: u32,
    /// The resource's address; 0 is none.
    resource: usize,
}

#[derive(Debug, Default)]
struct Places {
    all: Vec<Place>,
    free: Vec<u32>,
}

/// A device's resources with numbers.
#[derive(Debug, Default)]
pub struct Register(RwLock<Places>);

/// The place that a number names, and its turn.
fn split(number: u64) -> (usize, u32) {
    ((number as u32).wrapping_sub(1) as usize, (number >> 32) as u32)
}

impl Register {
    /// The number of a resource at an address, which leaves before it goes.
    pub fn number(&self, of: &Number, resource: usize) -> u64 {
        let known = of.0.load(Ordering::Acquire);
        if known != 0 {
            return known;
        }
        let mut places = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        let known = of.0.load(Ordering::Acquire);
        if known != 0 {
            return known;
        }
        let at = places.free.pop().unwrap_or_else(|| {
            places.all.push(Place::default());
            places.all.len() as u32 - 1
        });
        let place = &mut places.all[at as usize];
        place.turn = place.turn.wrapping_add(1);
        place.resource = resource;
        let number = u64::from(at + 1) | u64::from(place.turn) << 32;
        of.0.store(number, Ordering::Release);
        number
    }

    /// A resource is let go: its number leads to nothing from now on. Later views of it have another one.
    pub fn leave(&self, of: &Number) {
        if of.0.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut places = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let (at, _) = split(of.0.swap(0, Ordering::AcqRel));
        if let Some(place) = places.all.get_mut(at) {
            place.resource = 0;
            places.free.push(at as u32);
        }
    }

    /// Looks at the address of the resource with a number, which cannot leave meanwhile; `None` where it has left.
    pub fn with<T>(&self, number: u64, look: impl FnOnce(usize) -> T) -> Option<T> {
        let places = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (at, turn) = split(number);
        places.all.get(at).filter(|place| place.turn == turn && place.resource != 0).map(|place| look(place.resource))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_leads_to_its_resource_until_it_leaves() {
        let (register, [first, second]) = (Register::default(), [Number::default(), Number::default()]);
        let (one, two) = (register.number(&first, 10), register.number(&second, 20));
        assert_eq!((register.number(&first, 10), one != two, one != 0), (one, true, true));
        let at = |number: u64| register.with(number, |resource| resource);
        assert_eq!([at(one), at(two), at(0), at(99), at(u64::MAX)], [Some(10), Some(20), None, None, None]);
        register.leave(&first);
        register.leave(&first);
        assert_eq!([at(one), at(two)], [None, Some(20)]);
        // Another resource has the place, and not the number.
        let third = Number::default();
        let three = register.number(&third, 30);
        assert_eq!([at(one), at(three), at(two)], [None, Some(30), Some(20)]);
        assert_eq!(three as u32, one as u32, "the same place");
        let again = register.number(&first, 10);
        assert_eq!([at(one), at(again)], [None, Some(10)]);
    }
}
