//! Wire bytes to values. Never panics, never reads outside the payload, allocates in proportion to it.

use crate::Codec;
use crate::value::{Member, Value};
use reprise_d3d12::model::MethodId;

/// Why a payload could not be decoded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{call}: {path}: byte {offset} of the payload: {what}")]
pub struct DecodeError {
    /// `Interface::Method` or the function.
    pub call: String,
    /// The argument and field, as in `pDesc.pParameters[3].ShaderVisibility`.
    pub path: String,
    /// Within the payload.
    pub offset: usize,
    /// What is wrong.
    pub what: String,
}

/// The arguments of a call, from its enter payload.
#[derive(Clone, PartialEq, Debug)]
pub struct Arguments<'a> {
    /// Which call.
    pub method: MethodId,
    /// One per parameter. Pointers to outputs are [`Value::Word`]s with the raw address.
    pub members: Vec<Member<'a>>,
}

/// What a call gave back, from its leave payload.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome<'a> {
    /// The result; of pointer type: what it points to, where recorded.
    pub result: Value<'a>,
    /// One per Out or InOut parameter that has data.
    pub outputs: Vec<Member<'a>>,
}

impl Codec {
    /// Decodes an enter payload.
    pub fn decode_enter<'a>(&self, _method: MethodId, _enter: &'a [u8]) -> Result<Arguments<'a>, DecodeError> {
        unimplemented!()
    }

    /// Decodes a leave payload, with the enter payload of the same call.
    pub fn decode_leave<'a>(
        &self,
        _method: MethodId,
        _enter: &'a [u8],
        _leave: &'a [u8],
    ) -> Result<Outcome<'a>, DecodeError> {
        unimplemented!()
    }

    /// The ids of the objects that a call gave out, in the order in which
    /// [`Codec::for_each_output_object`] visits them at replay; 0 for slots that were given nothing.
    pub fn output_ids(&self, _method: MethodId, _enter: &[u8], _leave: &[u8]) -> Result<Vec<u32>, DecodeError> {
        unimplemented!()
    }
}
