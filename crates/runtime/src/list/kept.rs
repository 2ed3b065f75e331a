//! Objects that a recording needs until the GPU is done with it.

use reprise_com::{Class, Object, Ref};

/// References to objects of a class. One that comes back soon after it went is kept once.
#[derive(Debug)]
pub(super) struct Kept<T: Class>(Vec<Ref<T>>);

impl<T: Class> Default for Kept<T> {
    fn default() -> Self {
        Kept(Vec::new())
    }
}

/// References to look back for an object.
const LOOK_BACK: usize = 8;

impl<T: Class> Kept<T> {
    /// Where an object is among the most recent ones.
    fn recent(&self, object: &Object<T>) -> Option<usize> {
        let first = self.0.len().saturating_sub(LOOK_BACK);
        self.0[first..].iter().rposition(|kept| core::ptr::eq(&**kept, object)).map(|at| first + at)
    }

    /// Keeps an object.
    pub(super) fn add(&mut self, object: &Object<T>) {
        if self.recent(object).is_none() {
            self.0.push(object.keep());
        }
    }

    /// Makes an object the current one, and keeps the one before. Objects that alternate are not counted: their references
    /// change places.
    #[inline]
    pub(super) fn exchange(&mut self, current: &mut Option<Ref<T>>, object: Option<&Object<T>>) {
        match (object.and_then(|object| self.recent(object)), current.as_mut()) {
            (Some(at), Some(current)) => core::mem::swap(&mut self.0[at], current),
            (Some(at), None) => *current = Some(self.0.swap_remove(at)),
            (None, _) => self.0.extend(core::mem::replace(current, object.map(Object::keep))),
        }
    }
}
