//! A call of the trace between its enter and its leave.

use reprise_codec::Codec;
use reprise_codec::decode::Arguments;
use reprise_d3d12::model::{Method, MethodId};
use reprise_trace::read::Event;

use super::Called;
use super::decision::Decision;
use crate::error::{Error, Place};
use crate::input::source::Blobs;
use crate::input::values::{argument, at, ids};
use crate::stead::Missing;

/// A call at its enter, before anything is done with it.
#[derive(Clone, Copy)]
pub(crate) struct Enter<'c, 'e> {
    pub(crate) event: &'c Event<'e>,
    pub(crate) method: &'static Method,
    pub(crate) place: &'c Place,
    /// The blobs that its payload names.
    pub(crate) blobs: &'c dyn Blobs,
}

impl Enter<'_, '_> {
    /// The method's number in the model.
    pub(crate) fn id(&self) -> MethodId {
        MethodId(self.event.method)
    }

    /// A parameter's own bytes, zero-extended; an object is its id. `None` where the method has no such parameter.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        argument(self.method, self.event.payload, name)
    }

    /// The lists that a submission names.
    pub(crate) fn submitted(&self, codec: &Codec) -> Vec<u32> {
        let arguments = codec.decode_enter(self.id(), self.event.payload).ok();
        arguments.and_then(|arguments| at(&arguments.members, "ppCommandLists").map(ids)).unwrap_or_default()
    }

    /// Why the call cannot be honoured.
    pub(crate) fn fail(&self, what: impl Into<String>) -> Error {
        self.place.fail(what)
    }

    /// The call makes no sense without an object that is not there.
    pub(crate) fn leave_out(&self, what: String) -> Error {
        self.leave_out_for(Missing::Object, what)
    }

    /// The call makes no sense without what is missing.
    pub(crate) fn leave_out_for(&self, missing: Missing, what: String) -> Error {
        Error::LeftOut { place: self.place.clone(), missing, what }
    }
}

impl OpenCall {
    /// A parameter's own bytes, zero-extended; an object is its id. `None` where the method has no such parameter.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        argument(self.method.get(), &self.enter, name)
    }

    /// Why the call cannot be honoured.
    pub(crate) fn fail(&self, what: impl Into<String>) -> Error {
        self.place.fail(what)
    }

    /// The call makes no sense without an object that is not there.
    pub(crate) fn leave_out(&self, what: impl Into<String>) -> Error {
        Error::LeftOut { place: self.place.clone(), missing: Missing::Object, what: what.into() }
    }

    /// Its arguments, decoded.
    ///
    /// # Errors
    /// The payload is damaged.
    pub(crate) fn arguments(&self, codec: &Codec) -> Result<Arguments<'_>, Error> {
        codec.decode_enter(self.method, &self.enter).map_err(|error| self.fail(error.to_string()))
    }
}

/// A call between its enter and its leave.
pub(crate) struct OpenCall {
    pub(crate) place: Place,
    /// The number of the call, which its leave has, too.
    pub(crate) number: u64,
    pub(crate) method: MethodId,
    /// The object that it is called on; 0 for functions.
    pub(crate) object: u32,
    /// The payload of its enter.
    pub(crate) enter: Vec<u8>,
    pub(crate) decision: Decision,
    /// Version of the objects at the enter: where it is the same, none of them has gone since.
    pub(crate) objects: u64,
    /// The call, once it is made.
    pub(crate) called: Option<Called>,
}
