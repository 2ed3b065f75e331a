//! Shared by all parts of a replay: the runtime's side, the lists recorded ahead, the options, the report.
//!
//! Invariant: differences stand in the report in the order of the trace, also where another thread found them later.

use reprise_codec::Codec;
use reprise_d3d12::MODEL;
use reprise_trace::read::Event;

use crate::call::open_call::OpenCall;
use crate::error::{Error, Place};
use crate::lists::Lists;
use crate::lists::closings::Closings;
use crate::options::Options;
use crate::report::skipped::Skips;
use crate::report::{Difference, Guesses, Report, Stale};
use crate::stead::Stead;
use crate::world::World;

/// Shared by all parts of a replay.
pub(crate) struct Context<'a, 'o> {
    // Dropped in this order: calls of lists need the world.
    pub(crate) lists: Lists,
    closings: Closings,
    /// Calls that are not made; in the report at the end.
    pub(crate) skips: Skips,
    pub(crate) world: World,
    pub(crate) codec: Codec,
    pub(crate) options: &'a mut Options<'o>,
    pub(crate) report: Report,
}

impl<'a, 'o> Context<'a, 'o> {
    pub(crate) fn new(world: World, options: &'a mut Options<'o>) -> Self {
        let codec = Codec::new(MODEL, world.runtime.wide());
        let refused = options.check.then_some(0);
        let guesses = options.patch_guess.then(Guesses::default);
        let report = Report { runtime: world.runtime.name.clone(), refused, guesses, ..Report::default() };
        Self {
            lists: Lists::default(),
            closings: Closings::default(),
            skips: Skips::default(),
            world,
            codec,
            options,
            report,
        }
    }

    /// Whether an event stands behind all that is played.
    pub(crate) fn end(&self) -> impl Fn(&Event<'_>) -> bool + use<> {
        let (frame, call) = (self.options.quit_after_frame, self.options.quit_after_call);
        move |event| {
            frame.is_some_and(|last| u64::from(event.frame) >= last) || call.is_some_and(|last| event.number > last)
        }
    }

    /// Frames of the program that are complete.
    pub(crate) fn frames(&self) -> u64 {
        self.report.left_out + self.report.frames.len() as u64
    }

    /// Reports a difference in words.
    pub(crate) fn differ(&mut self, place: &Place, what: impl Into<String>) {
        let (place, what) = (place.clone(), what.into());
        self.add_difference(Difference { place, what, change: None, asked: String::new(), count: 1 });
    }

    /// Reports a difference, behind those of calls that stand before it.
    pub(crate) fn add_difference(&mut self, difference: Difference) {
        if self.closings.are_waiting() {
            self.compare_closings(true);
        }
        self.report.add(difference);
    }

    /// Counts a call, or a record, that is not made.
    pub(crate) fn skip(&mut self, place: &Place, reason: &'static str) {
        self.skips.add(&place.method, reason);
    }

    /// Counts and names a call that is left out, because of what it names and is not there.
    ///
    /// # Errors
    /// Every other error.
    pub(crate) fn leave_out(&mut self, error: Error) -> Result<(), Error> {
        let Error::LeftOut { place, missing, what } = error else { return Err(error) };
        self.skip(&place, "it names what is gone, or was never there");
        self.report.note_stale(Stale { place, missing, what, stead: Stead::LeftOut, count: 1 });
        Ok(())
    }

    /// Counts a call that is made.
    pub(crate) fn count_call(&mut self) {
        self.report.replayed += 1;
    }

    /// A `Close` is over in the trace; its result is compared where something waits for the list.
    pub(crate) fn expect_close(&mut self, number: u64, call: OpenCall, leave: Vec<u8>) {
        self.closings.expect(&mut self.lists, number, call, leave);
    }

    /// Compares the results of `Close` calls that are made; with `all`, waits for all lists first.
    ///
    /// # Errors
    /// The first one in the trace that cannot be honoured.
    #[inline]
    pub(crate) fn settle_lists(&mut self, all: bool) -> Result<(), Error> {
        if all || self.lists.have_closed() || self.closings.have_failed() {
            self.compare_closings(all);
            self.closings.take_failure()
        } else {
            Ok(())
        }
    }

    fn compare_closings(&mut self, all: bool) {
        self.closings.settle(&mut self.lists, &self.codec, &mut self.report, all);
    }
}
