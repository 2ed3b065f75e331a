//! State objects: collections of shaders, ray tracing pipelines, and executables, whose programs are work graphs ([`graph`]) and graphics
//! pipelines ([`generic`]).
//!
//! [`subobject`] reads what a program describes, `reprise_state_object` resolves names and associations, [`object`] makes [`piece`]s of Vulkan's
//! pipelines: each part of a state object that others may take over is a pipeline library, and each global root signature has a whole
//! pipeline that links its parts. Invariants: an identifier is the driver's handle of a shader group, and the same in every state object
//! that takes its export over, and in a later process that asks for the driver's handles of this one ([`handles`]); what lies behind it in a record is the API's layout (`reprise_state_object::RecordLayout`).

pub mod generic;
pub mod graph;
mod graph_properties;
pub mod handles;
pub mod layout;
mod methods;
mod object;
pub mod piece;
mod properties;
pub mod record;
mod subobject;

pub use methods::DEVICE_METHODS;
pub use object::StateObject;

use reprise_log::warning;
use reprise_state_object::Invalid;

use crate::Error;

/// Says in the log what is wrong, and makes the error.
fn invalid(what: String) -> Error {
    Invalid(what).into()
}

impl From<Invalid> for Error {
    fn from(Invalid(what): Invalid) -> Error {
        warning(format!("state object: {what}"));
        Error::Invalid("a state object's description; the log says which part")
    }
}
