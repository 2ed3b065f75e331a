//! The resources that views of targets name.
//!
//! A descriptor of a target is plain data: the program copies it as it likes, and it stays when the resource goes. So it names its
//! resource by a number that is given out once. Invariant: a number leads to a resource that the program has not released, or to
//! nothing.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use reprise_com::Object;

use crate::resource::object::Resource;

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

/// A number of a place, which is not 0, and its turn.
fn split(number: u64) -> (usize, u32) {
    ((number as u32).wrapping_sub(1) as usize, (number >> 32) as u32)
}

impl Register {
    /// The number of a resource that the program holds.
    pub fn number(&self, resource: &Object<Resource>) -> u64 {
        let known = resource.number.0.load(Ordering::Acquire);
        if known != 0 {
            return known;
        }
        let mut places = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first.
        let known = resource.number.0.load(Ordering::Acquire);
        if known != 0 {
            return known;
        }
        let at = places.free.pop().unwrap_or_else(|| {
            places.all.push(Place::default());
            places.all.len() as u32 - 1
        });
        let place = &mut places.all[at as usize];
        place.turn = place.turn.wrapping_add(1);
        place.resource = resource.pointer().expose_provenance();
        let number = u64::from(at + 1) | u64::from(place.turn) << 32;
        resource.number.0.store(number, Ordering::Release);
        number
    }

    /// The program lets a resource go: its number leads to nothing from now on. Other views of it have another one.
    pub fn leave(&self, resource: &Resource) {
        if resource.number.0.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut places = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let (at, _) = split(resource.number.0.swap(0, Ordering::AcqRel));
        if let Some(place) = places.all.get_mut(at) {
            place.resource = 0;
            places.free.push(at as u32);
        }
    }

    /// Looks at the resource with a number; `None` where it has left.
    pub fn with<T>(&self, number: u64, look: impl FnOnce(&Object<Resource>) -> T) -> Option<T> {
        let places = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (at, turn) = split(number);
        let place = places.all.get(at).filter(|place| place.turn == turn && place.resource != 0)?;
        // SAFETY: a resource leaves, under the lock, before it can go.
        let resource = unsafe { Object::<Resource>::from_pointer(core::ptr::with_exposed_provenance(place.resource)) };
        resource.map(look)
    }
}
