//! Things that the program has let go and that work may still need.
//!
//! Nothing counts what descriptors name. So what the program lets go is *buried*: it lives until everything is over that had begun
//! before and might reach it. That is a submission, until the GPU is done with it, and a list, from its beginning until it is begun
//! anew or let go ([`Hold`]).
//!
//! Time is cut into [`Era`]s. A hold keeps the era in which it began, each era keeps the one behind it, and what is buried lies in the
//! era that goes with the last hold that was there. So a burial costs a lock, a hold costs a lock and a count, and nobody looks through
//! anything. Without holds nothing is buried: it goes at once.
//!
//! Memory has a bound. A program may keep a list without ever submitting it, so lists alone hold at most [`LIMIT`] bytes. Most lists that
//! the GPU is done with are never executed again, so those hold at most [`EXECUTED`] bytes. Beyond a bound, and where the device has no
//! memory left, the oldest such holds end ([`Graveyard::make_room`]).
//!
//! Invariants: nothing goes while a lock of this module is held, because destructors may come back here.

use core::any::Any;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Bytes that may stay buried for the sake of lists alone.
pub const LIMIT: u64 = 512 << 20;
/// The same, of lists that the GPU is done with.
pub const EXECUTED: u64 = 128 << 20;
/// What a thing counts at least: it costs more than its bytes.
const LEAST: u64 = 16 << 10;

/// Something that is buried.
type Thing = Box<dyn Any + Send + Sync>;

/// The time between two burials. What is buried in it goes when nobody holds it or an era before it any more.
struct Era {
    buried: Mutex<Vec<Thing>>,
    /// Bytes of what is buried here, which the graveyard counts.
    bytes: AtomicU64,
    all: Arc<AtomicU64>,
    /// The era behind this one.
    next: OnceLock<Arc<Era>>,
}

impl Era {
    fn new(all: &Arc<AtomicU64>) -> Arc<Era> {
        let (buried, bytes) = (Mutex::default(), AtomicU64::new(0));
        Arc::new(Era { buried, bytes, all: all.clone(), next: OnceLock::new() })
    }

    fn bury(&self, thing: Thing, bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.all.fetch_add(bytes, Ordering::Relaxed);
        self.buried.lock().unwrap_or_else(PoisonError::into_inner).push(thing);
    }

    /// What was buried, which goes when the caller drops it.
    fn empty(&mut self) -> Vec<Thing> {
        self.all.fetch_sub(core::mem::take(self.bytes.get_mut()), Ordering::Relaxed);
        core::mem::take(self.buried.get_mut().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Era {
    fn drop(&mut self) {
        drop(self.empty());
        // One after the other: a chain may be long.
        let mut next = self.next.take();
        while let Some(mut era) = next.and_then(Arc::into_inner) {
            drop(era.empty());
            next = era.next.take();
        }
    }
}

impl core::fmt::Debug for Era {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Era").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// Keeps what is buried from its beginning on.
#[derive(Debug)]
pub struct Hold(#[allow(dead_code, reason = "held until dropped")] Held);

#[derive(Debug)]
#[allow(dead_code, reason = "held until dropped")]
enum Held {
    /// Until it is dropped.
    Surely(Arc<Era>),
    /// Until it is dropped or room is made.
    Perhaps(Arc<Ending>),
}

/// What a hold has until room is made.
type Ending = Mutex<Option<Arc<Era>>>;

#[derive(Debug)]
struct State {
    current: Arc<Era>,
    /// The era before, where the last thing was buried.
    last: Weak<Era>,
    /// Holds of all lists.
    lists: Endings,
    /// Those of lists that the GPU is done with.
    executed: Endings,
}

/// Holds that end where room is made, the oldest first.
#[derive(Debug, Default)]
struct Endings {
    all: VecDeque<Weak<Ending>>,
    /// How many of them there were when those that are gone were last looked for.
    looked: usize,
}

impl Endings {
    fn add(&mut self, held: &Arc<Ending>) {
        /// Holds between two looks for those that are gone.
        const OFTEN: usize = 64;
        if self.all.len() >= self.looked + OFTEN {
            self.all.retain(|list| list.strong_count() != 0);
            self.looked = self.all.len();
        }
        self.all.push_back(Arc::downgrade(held));
    }
}

/// The graveyard of a device.
#[derive(Debug)]
pub struct Graveyard {
    state: Mutex<State>,
    /// Bytes of everything that is buried.
    bytes: Arc<AtomicU64>,
}

impl Default for Graveyard {
    fn default() -> Graveyard {
        let bytes = Arc::default();
        let state = State {
            current: Era::new(&bytes),
            last: Weak::new(),
            lists: Endings::default(),
            executed: Endings::default(),
        };
        Graveyard { state: Mutex::new(state), bytes }
    }
}

impl Graveyard {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work is given to a queue: what it may reach stays until the hold is dropped.
    pub fn hold(&self) -> Hold {
        Hold(Held::Surely(self.lock().current.clone()))
    }

    /// A list begins: as [`Graveyard::hold`], but the hold may end before, where room has to be made.
    pub fn hold_for_list(&self) -> Hold {
        let mut state = self.lock();
        let held = Arc::new(Mutex::new(Some(state.current.clone())));
        state.lists.add(&held);
        Hold(Held::Perhaps(held))
    }

    /// The GPU is done with the list of a hold, which may be executed again.
    pub fn executed(&self, hold: &Hold) {
        if let Held::Perhaps(held) = &hold.0 {
            self.lock().executed.add(held);
        }
    }

    /// Whether nothing has begun that is not over, so that what is let go now may go.
    pub fn is_calm(&self) -> bool {
        // The count is that of the state, of holds, and of the era before, which somebody holds.
        Arc::strong_count(&self.lock().current) == 1
    }

    /// Lets a thing of so many bytes go, now or when nothing can reach it any more.
    pub fn bury(&self, thing: impl Any + Send + Sync, bytes: u64) {
        let mut state = self.lock();
        if Arc::strong_count(&state.current) == 1 {
            drop(state);
            return drop(thing);
        }
        let bytes = bytes.max(LEAST);
        let last = state.last.upgrade().filter(|_| Arc::strong_count(&state.current) == 2);
        let era = last.unwrap_or_else(|| {
            let next = Era::new(&self.bytes);
            let era = core::mem::replace(&mut state.current, next.clone());
            // An era is current once.
            let _ = era.next.set(next);
            state.last = Arc::downgrade(&era);
            era
        });
        drop(state);
        era.bury(Box::new(thing), bytes);
        // This may be the last reference.
        drop(era);
        if self.bytes() > EXECUTED {
            self.end(EXECUTED, |state| &mut state.executed);
        }
        if self.bytes() > LIMIT {
            self.make_room(LIMIT);
        }
    }

    /// Bytes that are buried.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Ends holds of lists, of executed ones first, the oldest first, until at most so many bytes are buried. Gives whether any went.
    pub fn make_room(&self, bytes: u64) -> bool {
        let before = self.bytes();
        self.end(bytes, |state| &mut state.executed);
        self.end(bytes, |state| &mut state.lists);
        self.bytes() < before
    }

    /// Ends some holds until at most so many bytes are buried.
    fn end(&self, bytes: u64, of: impl Fn(&mut State) -> &mut Endings) {
        while self.bytes() > bytes {
            let Some(oldest) = of(&mut self.lock()).all.pop_front() else { break };
            let held = oldest.upgrade().and_then(|held| held.lock().unwrap_or_else(PoisonError::into_inner).take());
            drop(held);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// Something that says when it goes.
    struct Body(usize, Arc<Mutex<Vec<usize>>>);

    impl Drop for Body {
        fn drop(&mut self) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    proptest! {
        /// Against a model that has all holds and bodies in lists: a body goes when the last hold goes that was there when it was buried.
        #[test]
        fn what_is_buried_goes_with_the_last_hold_before_it(
            steps in prop::collection::vec((0u32..4, 0usize..8), 1..200)
        ) {
            let (yard, gone) = (Graveyard::default(), Arc::new(Mutex::new(Vec::new())));
            let mut holds: Vec<(usize, Hold)> = Vec::new();
            // Each body with the holds that were there.
            let mut bodies: Vec<(usize, Vec<usize>)> = Vec::new();
            let mut expected = Vec::new();
            for (number, (what, which)) in steps.into_iter().enumerate() {
                match what {
                    0 => holds.push((number, yard.hold())),
                    1 => holds.push((number, yard.hold_for_list())),
                    2 => {
                        bodies.push((number, holds.iter().map(|(hold, _)| *hold).collect()));
                        yard.bury(Body(number, gone.clone()), 1);
                    }
                    _ if holds.is_empty() => {}
                    _ => {
                        let (hold, held) = holds.swap_remove(which % holds.len());
                        drop(held);
                        bodies.iter_mut().for_each(|(_, kept)| kept.retain(|other| *other != hold));
                    }
                }
                bodies.retain(|(body, kept)| {
                    expected.extend(kept.is_empty().then_some(*body));
                    !kept.is_empty()
                });
                let mut gone = gone.lock().unwrap().clone();
                gone.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(&gone, &expected);
                prop_assert_eq!(yard.bytes(), LEAST * bodies.len() as u64);
            }
        }
    }

    #[test]
    fn lists_hold_no_more_than_the_limit_and_submissions_do() {
        let (yard, gone) = (Graveyard::default(), Arc::new(Mutex::new(Vec::new())));
        let list = yard.hold_for_list();
        for number in 0..5 {
            yard.bury(Body(number, gone.clone()), LIMIT / 4);
        }
        assert_eq!(gone.lock().unwrap().len(), 5, "the fifth made the oldest list let go, and all were its");
        let submission = yard.hold();
        yard.bury(Body(5, gone.clone()), 2 * LIMIT);
        assert!(!yard.make_room(0) && gone.lock().unwrap().len() == 5, "what the GPU may read stays");
        drop(submission);
        assert_eq!((gone.lock().unwrap().len(), yard.bytes()), (6, 0));
        drop(list);
    }

    #[test]
    fn lists_that_were_executed_hold_less_and_let_go_first() {
        let (yard, gone) = (Graveyard::default(), Arc::new(Mutex::new(Vec::new())));
        let executed = yard.hold_for_list();
        yard.executed(&executed);
        yard.bury(Body(0, gone.clone()), EXECUTED / 2);
        let waiting = yard.hold_for_list();
        yard.bury(Body(1, gone.clone()), EXECUTED / 2);
        assert!(gone.lock().unwrap().is_empty(), "both lists may be executed");
        yard.bury(Body(2, gone.clone()), LEAST);
        assert_eq!(
            *gone.lock().unwrap(),
            [0],
            "the executed list let go, and the other has what was there when it began"
        );
        drop(waiting);
        let last = gone.lock().unwrap().len();
        assert_eq!((last, yard.bytes()), (3, 0));
        drop(executed);
    }

    /// A list that is never submitted, and a million burials: neither a stack nor memory ends.
    #[test]
    fn a_long_chain_of_eras_goes_one_by_one() {
        let yard = Graveyard::default();
        let first = yard.hold();
        for _ in 0..200_000 {
            let other = yard.hold();
            yard.bury((), 0);
            // Nobody but the first holds the era any more in which this is buried.
            drop(other);
        }
        drop(first);
        assert_eq!(yard.bytes(), 0);
    }

    /// What goes may bury others.
    #[test]
    fn a_body_may_bury_another() {
        struct Parent(Arc<Graveyard>);
        impl Drop for Parent {
            fn drop(&mut self) {
                self.0.bury((), 0);
            }
        }
        let yard = Arc::new(Graveyard::default());
        let hold = yard.hold();
        yard.bury(Parent(yard.clone()), 0);
        drop(hold);
        assert_eq!((yard.bytes(), Arc::strong_count(&yard)), (0, 1));
    }
}
