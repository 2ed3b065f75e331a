//! The error of an argument or outcome that cannot be read.

use crate::codec::codec;
use reprise_codec::decode::DecodeError;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::MethodId;
use std::fmt;

/// A payload that does not hold what the model says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damaged {
    method: MethodId,
    what: What,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    /// A parameter, by its place.
    Parameter(u8, &'static str),
    Decode(Box<DecodeError>),
}

impl std::error::Error for Damaged {}

impl Damaged {
    #[cold]
    pub(crate) fn new(method: MethodId, error: DecodeError) -> Damaged {
        Damaged { method, what: What::Decode(Box::new(error)) }
    }

    #[cold]
    pub(crate) fn parameter(method: MethodId, parameter: u8, what: &'static str) -> Damaged {
        Damaged { method, what: What::Parameter(parameter, what) }
    }
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Decode(error) => error.fmt(f),
            What::Parameter(parameter, what) => {
                let name = codec().method_name(self.method);
                let row = MODEL.methods.get(usize::from(self.method.0));
                let parameter = row.and_then(|row| row.params.get(usize::from(*parameter))).map_or("?", |p| p.name);
                write!(f, "{name}: {parameter}: {what}")
            }
        }
    }
}
