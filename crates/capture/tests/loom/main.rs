//! Every interleaving of a few threads over the structures of `src/sync`, whose files are compiled here with the atomics of `loom`.
#![allow(clippy::unwrap_used)]

mod atomic;
#[allow(dead_code)]
#[path = "../../src/sync/handover.rs"]
mod handover;
#[allow(dead_code)]
#[path = "../../src/sync/link.rs"]
mod link;
#[allow(dead_code)]
#[path = "../../src/sync/reentrant.rs"]
mod reentrant;
#[allow(dead_code)]
#[path = "../../src/sync/version.rs"]
mod version;

use core::num::NonZeroUsize;
use handover::Handover;
use link::Link;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::Mutex;
use loom::thread;
use reentrant::{Owner, Reentrant};
use version::Versioned;

// loom remembers the last access to an atomic only, so a thread that loads before it stores hides the loads of others: readers are
// threads of their own, which loom runs after the writers first.

/// Shares what the standard library would not: the tests say which threads may touch what.
struct Shared<T>(T);
// SAFETY: loom's cells report each access that another one may race with.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: loom's cells report each access that another one may race with.
unsafe impl<T> Sync for Shared<T> {}

/// The recording ends while a thread records: the thread finds its recorder retired, and nobody else has freed or used it.
#[test]
fn a_recorder_that_is_taken_away_is_the_owners_to_free() {
    loom::model(|| {
        let words = Arc::new(Shared((Handover::<UnsafeCell<u32>>::new(), Mutex::new(()))));
        let recorder = Box::into_raw(Box::new(UnsafeCell::new(0)));
        words.0.0.set(recorder);
        let ending = {
            let words = Arc::clone(&words);
            thread::spawn(move || {
                let _list = words.0.1.lock().unwrap();
                words.0.0.retire();
            })
        };
        let (handover, list) = &words.0;
        let mut recorded = 0;
        for _ in 0..2 {
            let current = handover.current();
            if !current.is_null() {
                // SAFETY: only this thread, the owner, frees it.
                unsafe { (*current).with_mut(|count| *count += 1) };
                recorded += 1;
            }
        }
        if handover.is_retired() {
            assert!(handover.current().is_null(), "taken away before it is retired");
        }
        ending.join().unwrap();
        assert!(handover.is_retired() && handover.current().is_null());
        let _list = list.lock().unwrap();
        handover.clear();
        // SAFETY: the owner, past every use.
        let recorder = unsafe { Box::from_raw(recorder) };
        // SAFETY: the cell lives, and loom reports an access that races with another.
        recorder.with(|count| assert_eq!(unsafe { *count }, recorded));
    });
}

struct Element {
    value: UnsafeCell<u32>,
    next: Link<Element>,
}

/// A reader walks a list that two threads add to: whatever it meets is complete, and in the end all is there.
#[test]
fn a_list_that_grows_shows_complete_elements() {
    loom::model(|| {
        let list = Arc::new(Shared((Link::<Element>::end(), Mutex::new(()))));
        let add = |value: u32| {
            let list = Arc::clone(&list);
            move || {
                let element = Box::into_raw(Box::new(Element { value: UnsafeCell::new(0), next: Link::end() }));
                // SAFETY: made just now, and freed at the end of the test only.
                let new = unsafe { &*element };
                // SAFETY: the cell lives, and loom reports an access that races with another.
                new.value.with_mut(|place| unsafe { *place = value });
                let _one_at_a_time = list.0.1.lock().unwrap();
                list.0.0.insert(element, &new.next);
            }
        };
        let walk = |list: &Link<Element>| {
            let (mut next, mut values) = (list.next(), Vec::new());
            while !next.is_null() {
                // SAFETY: elements stay until the end of the test.
                let element = unsafe { &*next };
                // SAFETY: the cell lives, and loom reports an access that races with another.
                values.push(element.value.with(|value| unsafe { *value }));
                next = element.next.next();
            }
            values
        };
        let reader = {
            let list = Arc::clone(&list);
            thread::spawn(move || assert!(walk(&list.0.0).iter().all(|value| [1, 2].contains(value))))
        };
        let other = thread::spawn(add(1));
        add(2)();
        reader.join().unwrap();
        other.join().unwrap();
        let mut values = walk(&list.0.0);
        values.sort_unstable();
        assert_eq!(values, [1, 2]);
        let mut next = list.0.0.next();
        while !next.is_null() {
            // SAFETY: all threads are past the list.
            let mut element = unsafe { Box::from_raw(next) };
            next = element.next.cut();
        }
    });
}

/// Two threads learn two newer versions of an interface while a third asks: a version that is reached has its pointer.
#[test]
fn a_version_that_is_reached_has_its_pointer() {
    loom::model(|| {
        static PLACES: [u8; 3] = [0; 3];
        let pointer = |version: u16| core::ptr::from_ref(&PLACES[usize::from(version)]).cast_mut();
        let known = Arc::new(Shared((Versioned::new(pointer(0), 0), Mutex::new(()))));
        let learn = |version: u16| {
            let (known, place) = (Arc::clone(&known), Shared(pointer(version)));
            move || {
                let place = place;
                known.0.0.learn(version, place.0, &known.0.1);
            }
        };
        let reader = {
            let known = Arc::clone(&known);
            thread::spawn(move || {
                for version in [2, 1] {
                    if known.0.0.has(version) {
                        let found = known.0.0.get();
                        assert!((version..=2).any(|newer| found == pointer(newer)), "version {version}");
                    }
                }
            })
        };
        let other = thread::spawn(learn(1));
        learn(2)();
        reader.join().unwrap();
        other.join().unwrap();
        assert!(known.0.0.has(2) && known.0.0.get() == pointer(2), "the newest wins");
    });
}

/// Two threads hold a lock twice each and count under it.
#[test]
fn one_thread_takes_the_lock_again_and_another_waits() {
    loom::model(|| {
        let shared = Arc::new(Shared((Reentrant::new(), UnsafeCell::new(0))));
        let count = |number: usize| {
            let shared = Arc::clone(&shared);
            move || {
                let here = Owner(NonZeroUsize::new(number).unwrap());
                let outer = shared.0.0.hold(here);
                let inner = shared.0.0.hold(here);
                // SAFETY: the cell lives, and loom reports an access that races with another.
                shared.0.1.with_mut(|count| unsafe { *count += 1 });
                drop(inner);
                // SAFETY: the cell lives, and loom reports an access that races with another.
                shared.0.1.with_mut(|count| unsafe { *count += 1 });
                drop(outer);
            }
        };
        let other = thread::spawn(count(1));
        count(2)();
        other.join().unwrap();
        let _held = shared.0.0.hold(Owner(NonZeroUsize::new(3).unwrap()));
        // SAFETY: the cell lives, and loom reports an access that races with another.
        shared.0.1.with(|count| assert_eq!(unsafe { *count }, 4));
    });
}
