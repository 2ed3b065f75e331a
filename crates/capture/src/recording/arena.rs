//! Scratch memory for a call's arguments with wrappers replaced by the runtime's objects.

use crate::session::recorder::Recorder;
use core::cell::Cell;
use reprise_codec::Arena;

/// This call's part of the thread's arena: the recorder's, or one that calls pass on where nothing is recorded.
pub(super) struct Borrowed {
    recorder: *mut Recorder,
    mark: Option<reprise_codec::arena::Mark>,
    own: Arena,
}

thread_local! {
    /// The arena of calls that are not recorded, between two of them; a call within such a call makes one of its own.
    static SPARE: Cell<Option<Arena>> = const { Cell::new(None) };
}

impl Borrowed {
    /// This call's part of the arena of `recorder`, which is this thread's, or null.
    pub(super) fn new(recorder: *mut Recorder) -> Borrowed {
        // SAFETY: null or this thread's recorder, to which no reference lives between walks.
        let mark = unsafe { recorder.as_ref() }.map(|recorder| recorder.arena.mark());
        // Past its destructors a thread has no spare.
        let spare = if mark.is_none() { SPARE.try_with(Cell::take).ok().flatten() } else { None };
        Borrowed { recorder, mark, own: spare.unwrap_or_else(Arena::new) }
    }

    /// The arena, for one walk.
    pub(super) fn get(&mut self) -> &mut Arena {
        // SAFETY: null or this thread's recorder; the borrow lasts for one walk, during which no other call runs.
        unsafe { self.recorder.as_mut() }.map_or(&mut self.own, |recorder| &mut recorder.arena)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        if let Some(mark) = self.mark {
            self.get().rewind(mark);
        } else {
            let mut own = std::mem::replace(&mut self.own, Arena::new());
            own.clear();
            let _ = SPARE.try_with(|spare| spare.set(Some(own)));
        }
    }
}
