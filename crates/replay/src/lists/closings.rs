//! `Close` calls that are over in the trace while other threads still record their lists.
//!
//! Invariant: results are compared, and differences reported, in the order of the trace; of several failures the first in
//! the trace counts.

use reprise_codec::{Codec, Value};

use super::Lists;
use crate::call::open_call::OpenCall;
use crate::error::Error;
use crate::report::{Report, result_code};

/// `Close` calls that wait for their results, at most.
const MOST: usize = 256;

/// `Close` calls that are over in the trace.
#[derive(Default)]
pub(crate) struct Closings {
    waiting: Vec<Closing>,
    /// Results by number, where they came before the leave.
    results: Vec<(u64, u64)>,
    /// The first failure, until it is taken.
    failed: Option<Error>,
}

struct Closing {
    /// As [`Lists::put_close`] gave it.
    number: u64,
    call: OpenCall,
    /// The payload of its leave.
    leave: Vec<u8>,
}

impl Closings {
    /// A `Close` is over in the trace; its result is compared once its list is recorded.
    pub(crate) fn expect(&mut self, lists: &mut Lists, number: u64, call: OpenCall, leave: Vec<u8>) {
        self.waiting.push(Closing { number, call, leave });
        if self.waiting.len() > MOST {
            lists.before_all();
        }
    }

    /// Whether any result is still to be compared.
    pub(crate) fn are_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether there is a failure to take.
    #[inline]
    pub(crate) fn have_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Takes the first failure.
    ///
    /// # Errors
    /// That failure.
    pub(crate) fn take_failure(&mut self) -> Result<(), Error> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Compares the results that are there; with `all`, waits for all lists first.
    pub(crate) fn settle(&mut self, lists: &mut Lists, codec: &Codec, report: &mut Report, all: bool) {
        if all {
            lists.before_all();
        }
        self.results.extend(lists.take_closed());
        // Nearly every result is the recorded one: those go without a look at their order.
        let results = &mut self.results;
        let mut differ = false;
        self.waiting.retain(|closing| {
            let Some(at) = results.iter().position(|(number, _)| *number == closing.number) else { return true };
            let result = results[at].1 as u32;
            let outcome = codec.decode_leave(closing.call.method, &closing.call.enter, &closing.leave);
            let same = outcome.is_ok_and(|it| matches!(it.result, Value::Hresult(code) if code == result));
            differ |= !same;
            if same {
                results.swap_remove(at);
            }
            !same
        });
        if differ || all {
            self.settle_in_order(lists, codec, report);
        }
    }

    /// Compares all of them, in the order of the trace.
    #[cold]
    fn settle_in_order(&mut self, lists: &mut Lists, codec: &Codec, report: &mut Report) {
        lists.before_all();
        self.results.extend(lists.take_closed());
        for closing in core::mem::take(&mut self.waiting) {
            if let Err(error) = self.compare(closing, codec, report)
                && self.failed.is_none()
            {
                self.failed = Some(error);
            }
        }
    }

    fn compare(&mut self, closing: Closing, codec: &Codec, report: &mut Report) -> Result<(), Error> {
        let Closing { number, call, leave } = closing;
        let at = self.results.iter().position(|(other, _)| *other == number);
        let at = at.ok_or_else(|| call.fail("the thread that recorded this list died in it"))?;
        let here = self.results.swap_remove(at).1 as u32;
        let outcome = codec.decode_leave(call.method, &call.enter, &leave);
        let outcome = outcome.map_err(|error| call.fail(error.to_string()))?;
        let Value::Hresult(recorded) = outcome.result else { return Ok(()) };
        result_code::check_device(&call, recorded, here)?;
        if recorded != here {
            report.add(result_code::difference(codec, &call, recorded, here));
        }
        Ok(())
    }
}
