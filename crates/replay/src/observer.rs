//! Who watches the calls of a replay, one by one, in the order of the trace.
//!
//! Invariant: an observer sees each call before and after it is made, or left out, and changes nothing: what it is given is the replay's own.

/// A call of the trace, where it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedCall {
    /// The number that `reprise dump` gives it.
    pub number: u64,
    /// Frames count from 1.
    pub frame: u64,
    /// Number of the thread that made it at capture, from 0.
    pub thread: u32,
    /// The object that it is made on, by its id in the trace; 0 for functions.
    pub object: u32,
    /// That object's pointer in this replay, of the interface of the call; 0 where there is none. It is borrowed.
    pub native: u64,
}

/// See the module.
pub trait Observer {
    /// The replay begins; where it has to begin anew, once more.
    fn begin(&mut self);
    /// A call is made next.
    fn before(&mut self, call: &ObservedCall);
    /// It was made or left out, and its result was compared. A call that cannot be made, and one that the trace ends in, has no such moment.
    fn after(&mut self, call: &ObservedCall);
    /// A frame is over; frames count from 1.
    fn frame(&mut self, number: u64);
    /// The replay made its last call, or ended at one that cannot be made, and everything is still there.
    fn end(&mut self);
}
