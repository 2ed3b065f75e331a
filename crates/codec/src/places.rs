//! Where in an enter payload each value lies, by the path that a dump shows it under.

use crate::Codec;
use crate::decode::{DecodeError, Decoder, Watch};
use crate::path::Path;
use crate::shape::Link;
use reprise_d3d12::model::{Direction, Field, MethodId, Role, Type};
use std::ops::Range;

/// A value of an enter payload.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// As a dump shows it: `pDesc.SampleDesc.Count`. A subobject of a pipeline's stream is `….pPipelineStateSubobjectStream[3].Value`.
    pub path: String,
    /// Its own bytes in the payload: of a pointer its word.
    pub bytes: Range<usize>,
    /// What it is.
    pub what: Placed,
}

/// What lies at a place.
#[derive(Clone, Debug)]
pub enum Placed {
    /// A number, an object, a handle: its type and role.
    Value(Type, Role),
    /// Text or bytes within a structure.
    Inline,
    /// A pointer, and where its child is; empty where it is null, or has no child.
    Pointer(Role, Range<usize>),
}

impl PartialEq for Placed {
    fn eq(&self, other: &Placed) -> bool {
        // Types lead to tables, which are not compared.
        match (self, other) {
            (Placed::Value(_, a), Placed::Value(_, b)) => a == b,
            (Placed::Inline, Placed::Inline) => true,
            (Placed::Pointer(a, at), Placed::Pointer(b, other)) => (a, at) == (b, other),
            _ => false,
        }
    }
}

impl Codec {
    /// The places of an enter payload, those within a structure or behind a pointer before the pointer itself.
    ///
    /// # Errors
    /// As [`Codec::decode_enter`].
    pub fn places(&self, method: MethodId, enter: &[u8]) -> Result<Vec<Place>, DecodeError> {
        let mut all = All { codec: self, places: Vec::new() };
        let mut decoder = Decoder::new(self, enter);
        decoder.watch = Some(&mut all);
        decoder.enter(method).map_err(|what| decoder.error(method, what))?;
        Ok(all.places)
    }
}

struct All<'c> {
    codec: &'c Codec,
    places: Vec<Place>,
}

impl Watch for All<'_> {
    fn value(&mut self, path: &Path, at: usize, ty: Type, role: Role) {
        let size = ty.size(self.codec.model.structs) as usize;
        self.places.push(Place { path: path.to_string(), bytes: at..at + size, what: Placed::Value(ty, role) });
    }

    fn inline(&mut self, path: &Path, at: usize, bytes: usize, _field: &'static Field) {
        self.places.push(Place { path: path.to_string(), bytes: at..at + bytes, what: Placed::Inline });
    }

    fn pointer(&mut self, path: &Path, at: usize, link: &Link<'_>, child: Range<usize>) {
        if link.field.direction == Direction::Out {
            return;
        }
        let what = Placed::Pointer(link.field.role, child);
        self.places.push(Place { path: path.to_string(), bytes: at..at + 8, what });
    }
}
