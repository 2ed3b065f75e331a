//! Values to one line of text for people.

use crate::Codec;
use crate::decode::{Arguments, Outcome};
use crate::json::Namer;

impl Codec {
    /// `Method(name = value, ...) = result [outputs]` on one line.
    pub fn text_call(&self, _arguments: &Arguments<'_>, _outcome: Option<&Outcome<'_>>, _namer: &impl Namer) -> String {
        unimplemented!()
    }
}
