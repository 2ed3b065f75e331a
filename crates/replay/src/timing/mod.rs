//! How long the GPU works at each operation: time stamps between the operations of the lists of some frames.
//!
//! A pass over the trace finds the lists that these frames submit ([`plan`]). While replay records them, it stamps the beginning of the first
//! operation and the end of each ([`queries`]), by the API's own queries, so that any runtime can be timed. A stamp is written when everything
//! before it is done. Where operations overlap, the time between two stamps is therefore what the later one adds; with
//! [`TimeWish::serial`](crate::TimeWish) a barrier keeps them apart. Bundles are one operation. In other replays draws and dispatches stand
//! between queries that count ([`counter`]), or that have the driver count ([`driver`]); what copies and clears write is known from the calls ([`bytes`]). In one more replay
//! our runtime says what the driver made of shaders ([`shaders`]). Stamps of several queues are brought onto one clock ([`clock`]). Invariant: a submission has the
//! times of all of its lists, or is named with the reason why not, and so is each operation that is not counted.

mod bytes;
mod clock;
mod counter;
mod driver;
mod plan;
mod queries;
pub(crate) mod shaders;
mod timer;

pub(crate) use plan::Finder;
pub(crate) use timer::Timer;
