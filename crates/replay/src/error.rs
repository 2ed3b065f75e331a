//! The errors that end a replay: each says what failed, at which call, and what to do.

use std::fmt;
use std::path::PathBuf;

use reprise_d3d12::MODEL;
use reprise_d3d12::model::Method;
use reprise_trace::read::Event;
use reprise_trace::record::Kind;

use crate::stead::{Missing, Stead};

/// A call of the trace, as an error names it. Made for every event, so it holds numbers, and words only when it is shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The number that `reprise dump` gives the call; 0 for a record that is not a call.
    pub call: u64,
    /// The call or record there.
    pub method: Subject,
    /// Frames count from 1.
    pub frame: u64,
}

/// The subject of an event; shown as `Interface::Method`, the name of the function, or the kind of the record.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Subject {
    /// Before the first event.
    #[default]
    Nothing,
    /// A call of this method of the model.
    Method(u16),
    /// A record that is no call, and the object that it is about.
    Record(Kind, u32),
}

impl Place {
    /// The error for a call at this place that cannot be honoured.
    pub(crate) fn fail(&self, what: impl Into<String>) -> Error {
        Error::Call { place: self.clone(), what: what.into() }
    }

    /// Where an event is.
    #[inline]
    pub(crate) fn of(event: &Event<'_>) -> Self {
        let method = match event.kind {
            Kind::Enter | Kind::Leave => Subject::Method(event.method),
            kind => Subject::Record(kind, event.object),
        };
        Self { call: event.number, method, frame: u64::from(event.frame) + 1 }
    }
}

/// Everything that ends a replay early.
// The message of each variant says what its fields are.
#[allow(missing_docs)]
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The trace file.
    #[error("cannot read the trace {}: {reason}", path.display())]
    Trace { path: PathBuf, reason: String },

    /// A trace whose schema is damaged, or is missing where it is needed.
    #[error("cannot play the trace: {reason}")]
    Foreign { reason: String },

    /// A library that was named.
    #[error(
        "cannot load the runtime {name}: {reason}; --runtime takes ours, system, vkd3d, vkd3d-proton or the path of a library"
    )]
    Runtime { name: String, reason: String },

    /// No library was named, and none found.
    #[error("no Direct3D 12 runtime was found (looked for {looked_for}); install libvkd3d, or name one with --runtime")]
    NoRuntime { looked_for: String },

    /// A call that cannot be honoured.
    #[error("{place}: {what}")]
    Call { place: Place, what: String },

    /// A list was recorded while everything lay where it lay at capture, and what came since could not be had there. Played anew with
    /// addresses moved, it can be honoured.
    #[error("{place}: {what}")]
    Late { place: Place, what: String },

    /// A call of another model of the API than today's. No conversion makes a call of today's of it.
    #[error(
        "call {call} (frame {frame}), {why}. This build cannot play the call: play the frames before it, or play the trace \
         with the build of Reprise that recorded it"
    )]
    NotUnderstood { call: u64, frame: u64, why: String },

    /// The runtime refuses a call that the one at capture granted.
    #[error(
        "{place}: this call {made} at capture and fails here with {result}; {hint}{asked}",
        made = Made(*object),
        result = crate::hresult::HresultName(*result),
        asked = Asked(asked)
    )]
    Creation { place: Place, object: u32, result: u32, hint: String, asked: String },

    /// An argument of a call names what is not there, and the call makes no sense without it. Such a call is left out: the walk takes this
    /// error, and it ends no replay.
    #[error("{place}: {what}; {}", Stead::LeftOut)]
    LeftOut { place: Place, missing: Missing, what: String },

    /// A bounded wait that expired.
    #[error(
        "{place}: fence {fence} did not reach {value} within {seconds:.1} s (its value is {reached}); the program had seen \
         that value here. Raise --fence-timeout if the device is slow; else the work that signals it was lost{shared}",
        shared = if *shared { ", or another process signals what it waits for: the program shared objects, and what others do to \
                              them is in no trace" } else { "" }
    )]
    FenceWait { place: Place, fence: u32, value: u64, reached: u64, seconds: f64, shared: bool },

    /// Work that was given to a queue, and did not end by the end of the replay.
    #[error("{place}: the trace is played to its end, and queue {queue} still works: {what}")]
    Unended { place: Place, queue: u32, what: String },

    /// The device is gone.
    #[error("{place}: the device was removed: {reason}")]
    DeviceRemoved { place: Place, reason: String },

    /// An option asks for something that cannot be done with this trace.
    #[error("{what}")]
    Plan { what: String },

    /// Shaders that were to replace the program's.
    #[error("cannot replace shaders by {}: {reason}", path.display())]
    Replacement { path: PathBuf, reason: String },

    /// A picture that cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Output { path: PathBuf, reason: String },

    /// A picture that cannot be read.
    #[error("cannot read the picture {}: {reason}", path.display())]
    Picture { path: PathBuf, reason: String },
}

impl Error {
    /// The call that it names; 0 where it names none.
    pub fn call(&self) -> u64 {
        match self {
            Self::Call { place, .. }
            | Self::Creation { place, .. }
            | Self::FenceWait { place, .. }
            | Self::Unended { place, .. }
            | Self::LeftOut { place, .. }
            | Self::DeviceRemoved { place, .. } => place.call,
            Self::NotUnderstood { call, .. } => *call,
            _ => 0,
        }
    }
}

/// The object that a creation made; 0 for none.
struct Made(u32);

impl fmt::Display for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("succeeded"),
            id => write!(f, "made object {id}"),
        }
    }
}

/// The arguments of a call, as a sentence of their own.
struct Asked<'a>(&'a str);

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, ". It asks for {}", self.0) }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Nothing => Ok(()),
            Self::Method(number) => match MODEL.methods.get(usize::from(number)) {
                Some(Method { interface: Some(interface), name, .. }) => write!(f, "{}::{name}", interface.get().name),
                Some(method) => f.write_str(method.name),
                None => write!(f, "method {number}"),
            },
            Self::Record(kind, object) => write!(f, "{kind:?} record of object {object}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.call == 0 {
            write!(f, "frame {}, {}", self.frame, self.method)
        } else {
            write!(f, "call {} (frame {}), {}", self.call, self.frame, self.method)
        }
    }
}
