//! The codec for one model: tables, and what was worked out from them once so that the walks need not.

use reprise_d3d12::model::{MethodId, Model};

/// The native width of `WCHAR`. The wire always holds UTF-16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wide {
    /// Windows, Wine, and Linux libraries with a 16-bit `WCHAR`.
    Bits16,
    /// Libraries whose `WCHAR` is the Linux `wchar_t` (Debian's libvkd3d).
    Bits32,
}

/// What a method asks of the capture layer; constant per method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traits {
    /// Some argument word is itself an object.
    pub object_words: bool,
    /// Objects lie behind pointers that are passed in: structures or arrays need copies to unwrap.
    pub deep_objects: bool,
    /// The enter payload may have children, so the argument words alone are not enough.
    pub enter_children: bool,
    /// The call gives objects out, through a pointer or as its result.
    pub output_objects: bool,
    /// The call gives out structures of the callee's own memory that hold objects (DRED).
    pub owned_objects: bool,
}

/// Tables plus what was derived from them. Immutable; share one for the process.
pub struct Codec {
    pub(crate) model: Model,
    pub(crate) wide: Wide,
}

impl Codec {
    /// Derives what the walks need. `wide` is the native side's `WCHAR`.
    pub fn new(model: Model, wide: Wide) -> Codec {
        Codec { model, wide }
    }

    /// The tables this codec works from.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What `method` asks of the capture layer; a table look-up.
    pub fn traits(&self, _method: MethodId) -> Traits {
        unimplemented!()
    }
}
