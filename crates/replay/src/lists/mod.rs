//! Command lists that are recorded ahead: the walk's side of it.
//!
//! The walk resolves the arguments of a list's call, as of that point of the trace, and puts the call into the batch of its lane.
//! Full batches go to the `recorders`, and so does the rest at a `Close`. Recordings that are too short for another thread stay
//! here until something waits for the lane. `choice` decides by what calls cost whether they go to lanes at all. Invariant: before
//! the walk makes a call that a call in a batch could notice, it asks here; `lanes` says what it has to wait for.

pub(crate) mod barrier;
pub(crate) mod batch;
pub(crate) mod choice;
pub(crate) mod closings;
pub(crate) mod effect;
pub(crate) mod lanes;
pub(crate) mod reads;
pub(crate) mod recorders;

use std::time::Instant;

use reprise_d3d12::MODEL;
use reprise_d3d12::model::{MethodId, render_target_handles};

use crate::call::creation::MadeObject;
use batch::{Batch, Closed};
use choice::Choice;
use effect::{Effect, Reading, Writing};
use lanes::{Lane, Lanes, Wait};
use recorders::Recorders;

/// Recordings of which most was too short for another thread are followed by so many that are not recorded ahead.
const REST: u32 = 15;
/// Calls of a list that are worth the way to another thread, where the user states no number.
const WORTH: u32 = 64;
/// Batches that the walk fills at the same time, at most.
const FILLING: usize = 64;

/// A lane, as the walk sees it.
#[derive(Default)]
struct Filling {
    batch: Batch,
    /// Batches of it were handed over since it was last waited for.
    handed: bool,
    /// Calls of the recording under way, and those of them that were handed over.
    calls: u32,
    handed_calls: u32,
    /// Recordings to come that are not recorded ahead.
    rest: u32,
}

/// Lists that are recorded ahead, as the walk sees them.
#[derive(Default)]
pub(crate) struct Lists {
    /// `None`: every call is made where it stands.
    recorders: Option<Recorders>,
    /// By method.
    effects: Vec<Effect>,
    lanes: Lanes,
    /// Fewer calls are not worth the way to another thread.
    worth: u32,
    filling: Vec<Filling>,
    /// Batches that no lane needs.
    spare: Vec<Batch>,
    /// The list of the last call, and its lane.
    recent: Option<(u32, Lane)>,
    /// Results of `Close` calls that are made.
    closed: Vec<Closed>,
    /// Numbers of `Close` calls.
    closes: u64,
    choice: Choice,
    /// Calls are being measured.
    measures: bool,
}

impl Lists {
    /// With these threads. `worth`: for lists of so many calls and more; `None`: where measuring shows a gain. A `strict` runtime wants the
    /// calls of all lists in the order of the trace.
    pub(crate) fn new(recorders: Recorders, worth: Option<u32>, strict: bool) -> Self {
        let effects = (0..MODEL.methods.len()).map(|method| effect::of(MethodId(method as u16))).collect();
        let mut lists = Self::default();
        (lists.recorders, lists.effects, lists.lanes) = (Some(recorders), effects, Lanes::new(strict));
        lists.worth = worth.unwrap_or(WORTH).max(1);
        if worth.is_some() && !lists.choice.turns() {
            lists.choice = Choice::always();
        }
        lists
    }

    /// Whether lists are recorded ahead at all.
    #[inline]
    pub(crate) fn are_on(&self) -> bool {
        self.recorders.is_some()
    }

    /// Whether calls go to lanes now, or lanes still have some.
    #[inline(always)]
    pub(crate) fn are_ahead(&self) -> bool {
        self.are_on() && (self.choice.is_ahead() || !self.lanes.all_open().is_empty())
    }

    /// The time, where the next calls are to be measured, and are not measured already.
    #[inline]
    pub(crate) fn begin_calls(&mut self) -> Option<Instant> {
        let measures = self.are_on() && self.choice.is_open() && !self.measures;
        self.measures |= measures;
        measures.then(Instant::now)
    }

    /// So many calls were made, or put into lanes, since `begin`.
    #[inline]
    pub(crate) fn end_calls(&mut self, begin: Option<Instant>, calls: u64) {
        if let Some(begin) = begin {
            if self.choice.is_overdue(calls) {
                self.before_all();
            }
            self.measures = false;
            let settled = self.lanes.all_open().is_empty();
            self.choice.note(calls, begin.elapsed().as_nanos() as u64, settled);
        }
    }

    #[inline]
    pub(crate) fn effect(&self, method: u16) -> Effect {
        self.effects.get(usize::from(method)).copied().unwrap_or(Effect::Other)
    }

    /// The lane of a list, where its calls are recorded ahead.
    #[inline]
    pub(crate) fn lane(&mut self, list: u32) -> Option<Lane> {
        #[cfg(test)]
        self.choice.turn();
        if !self.choice.is_ahead() {
            return None;
        }
        let lane = match self.recent {
            Some((recent, lane)) if recent == list => lane,
            _ => {
                let lane = self.lanes.of(list)?;
                self.recent = Some((list, lane));
                lane
            }
        };
        (self.filling[lane.0].rest == 0).then_some(lane)
    }

    /// Where the lane's next call goes.
    #[inline]
    pub(crate) fn batch(&mut self, lane: Lane) -> &mut Batch {
        if !self.lanes.is_open(lane) {
            self.open(lane);
        }
        &mut self.filling[lane.0].batch
    }

    /// Only lanes with calls to be made have memory for them, and not without end.
    fn open(&mut self, lane: Lane) {
        if self.lanes.all_open().len() >= FILLING {
            self.wait(Wait::All);
        }
        self.filling[lane.0].batch = self.spare.pop().unwrap_or_default();
        self.lanes.open(lane);
    }

    /// A call was put into the lane's batch, with these words.
    ///
    /// # Safety
    /// The words are valid arguments of the call, which reads descriptors as `reading` says.
    #[inline]
    pub(crate) unsafe fn put(&mut self, lane: Lane, reading: Reading, words: &[u64]) {
        if reading != Reading::Nothing {
            // SAFETY: the words are valid arguments of the call, says the caller.
            unsafe { self.note(reading, words) };
        }
        if self.filling[lane.0].batch.is_full(self.worth) {
            self.hand_over(lane);
        }
    }

    /// # Safety
    /// As for [`Lists::put`].
    unsafe fn note(&mut self, reading: Reading, words: &[u64]) {
        let reads = self.lanes.reads();
        match (reading, words) {
            (Reading::One(at), words) => reads.note(words.get(at).copied().unwrap_or(0), 1),
            (Reading::Targets, &[count, targets, row, depth]) => {
                let (targets, count) = (targets as *const u64, u64::from(count as u32));
                let row = row as u32 != 0;
                if !targets.is_null() {
                    for at in 0..render_target_handles(count, row) as usize {
                        // SAFETY: the words are valid arguments of `OMSetRenderTargets`, which reads so many handles.
                        let first = unsafe { targets.add(at).read_unaligned() };
                        reads.note(first, if row { count } else { 1 });
                    }
                }
                if depth != 0 {
                    // SAFETY: the words are valid arguments: a depth handle that is not null leads to one handle.
                    reads.note(unsafe { (depth as *const u64).read_unaligned() }, 1);
                }
            }
            (Reading::Nothing, _) => {}
            _ => reads.note_all(),
        }
    }

    /// Puts a `Close` in; its result will be under the number that this gives.
    pub(crate) fn put_close(&mut self, lane: Lane, this: u64) -> u64 {
        self.closes += 1;
        let number = self.closes;
        self.batch(lane).push_close(this, number);
        let filling = &self.filling[lane.0];
        if filling.handed || filling.batch.calls() >= self.worth {
            self.hand_over(lane);
        }
        number
    }

    fn hand_over(&mut self, lane: Lane) {
        let (Some(recorders), filling) = (&mut self.recorders, &mut self.filling[lane.0]) else { return };
        let calls = filling.batch.calls();
        (filling.calls, filling.handed_calls) = (filling.calls + calls, filling.handed_calls + calls);
        filling.handed = true;
        filling.batch = recorders.hand_over(lane, core::mem::take(&mut filling.batch));
    }

    /// A call of a list is made by the walk.
    pub(crate) fn before_call(&mut self, list: u32) {
        self.wait(self.lanes.before_call(list));
    }

    /// An object is passed on, or asked.
    pub(crate) fn before_use(&mut self, id: u32) {
        self.wait(self.lanes.before_use(id));
    }

    /// Something happens that any call could notice.
    pub(crate) fn before_all(&mut self) {
        self.wait(self.lanes.before_all());
    }

    /// A call is made, with these words, that may write descriptors.
    ///
    /// # Safety
    /// The words are valid arguments of the method.
    #[inline(always)]
    pub(crate) unsafe fn before_write(&mut self, method: u16, words: &[u64]) {
        if !self.lanes.writes_are_free() {
            // SAFETY: the words are valid arguments of the method, says the caller.
            unsafe { self.before_any_write(method, words) };
        }
    }

    /// # Safety
    /// As for [`Lists::before_write`].
    unsafe fn before_any_write(&mut self, method: u16, words: &[u64]) {
        let wait = match (self.effect(method), words) {
            (Effect::Write(Writing::One(at)), words) => self.lanes.before_write(words.get(at).copied().unwrap_or(0), 1),
            (Effect::Write(Writing::Row), &[count, first, ..]) => self.lanes.before_write(first, count),
            (Effect::Write(Writing::Rows), &[count, starts, sizes, ..]) if starts != 0 => {
                let (starts, sizes) = (starts as *const u64, sizes as *const u32);
                let waits = (0..count as usize).map(|at| {
                    // SAFETY: the words are valid arguments of `CopyDescriptors`: `count` starts, and null or `count` sizes.
                    let (start, size) = unsafe {
                        let size = if sizes.is_null() { 1 } else { sizes.add(at).read_unaligned() };
                        (starts.add(at).read_unaligned(), size)
                    };
                    self.lanes.before_write(start, size.into())
                });
                waits.into_iter().find(|wait| *wait != Wait::Nothing).unwrap_or(Wait::Nothing)
            }
            (Effect::Write(_) | Effect::All, _) => self.lanes.before_all(),
            _ => Wait::Nothing,
        };
        self.wait(wait);
    }

    #[inline]
    fn wait(&mut self, wait: Wait) {
        match wait {
            Wait::Nothing => {}
            Wait::One(lane) => self.finish(lane),
            Wait::All => {
                while let Some(lane) = self.lanes.all_open().last().copied() {
                    self.finish(lane);
                }
            }
        }
    }

    fn finish(&mut self, lane: Lane) {
        let begin = self.begin_calls();
        self.finish_lane(lane);
        self.end_calls(begin, 0);
    }

    fn finish_lane(&mut self, lane: Lane) {
        let (Some(recorders), filling) = (&self.recorders, &mut self.filling[lane.0]) else { return };
        if core::mem::take(&mut filling.handed) {
            recorders.finish(lane);
            recorders.take_closed(&mut self.closed);
        }
        if filling.batch.calls() > 0 {
            filling.calls += filling.batch.calls();
            recorders.make_here(&mut filling.batch);
            self.closed.append(&mut filling.batch.closed);
        }
        self.spare.push(core::mem::take(&mut filling.batch));
        self.lanes.done(lane);
    }

    /// Whether calls gave something since it was last taken.
    #[inline]
    pub(crate) fn have_closed(&self) -> bool {
        !self.closed.is_empty()
    }

    /// Results of `Close` calls, by the numbers of [`Lists::put_close`].
    pub(crate) fn take_closed(&mut self) -> Vec<Closed> {
        core::mem::take(&mut self.closed)
    }
}

impl Lists {
    /// A list begins to record into an allocator.
    pub(crate) fn begin(&mut self, list: u32, allocator: u32) {
        if !self.are_on() {
            return;
        }
        self.recent = None;
        self.lanes.begin(list, allocator);
        let Some(Lane(lane)) = self.lanes.of(list) else { return };
        if self.filling.len() <= lane {
            self.filling.resize_with(lane + 1, Filling::default);
        }
        let filling = &mut self.filling[lane];
        // Where most of the last recording stayed here, most of the next one will, too.
        let short = filling.calls > 0 && filling.handed_calls < filling.calls / 2;
        filling.rest = if short { REST } else { filling.rest.saturating_sub(1) };
        (filling.calls, filling.handed_calls) = (0, 0);
    }

    /// An object was made.
    pub(crate) fn made(&mut self, id: u32, made: &MadeObject) {
        if let MadeObject::List(made) = made
            && made.allocator != 0
        {
            self.begin(id, made.allocator);
        }
    }

    /// An object is gone, or nothing is known of it any more; nothing waits for its calls.
    pub(crate) fn forget(&mut self, id: u32) {
        self.recent = None;
        self.lanes.forget(id);
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        // All that was put in is made.
        self.before_all();
    }
}
