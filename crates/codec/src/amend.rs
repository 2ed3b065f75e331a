//! Values that people write, put into enter payloads: in the place of one that was recorded, or as the arguments of a new call.
//!
//! A value is written as a dump shows it. Invariant: of a payload that is amended only the value's own bytes change, and those of its
//! array's count; so a second amendment with the first value gives the first bytes.

use crate::Codec;
use crate::compose::Composer;
use crate::decode::{Decoder, Watch};
use crate::literal::{Known, Literal};
use crate::path::Path;
use crate::places::Place;
use crate::shape::Link;
use reprise_d3d12::model::{Field, Len, MethodId, Role, Type};
use std::ops::Range;

impl Codec {
    /// The payload with another value at a place. The count of an array or of bytes follows.
    ///
    /// # Errors
    /// The payload cannot be decoded, or the value is not one for the place. The text goes on from the place's name.
    pub fn amend(
        &self,
        method: MethodId,
        enter: &[u8],
        place: &Place,
        value: &Literal,
        known: &mut dyn Known,
    ) -> Result<Vec<u8>, String> {
        let mut amend = Amend { codec: self, payload: enter, place, value, known, done: None };
        let mut decoder = Decoder::new(self, enter);
        decoder.watch = Some(&mut amend);
        let decoded = decoder.enter(method).map_err(|what| decoder.error(method, what).to_string());
        decoded?;
        amend.done.unwrap_or_else(|| Err("is not in the call".into()))
    }

    /// The enter payload of a call with these arguments, in the order of the parameters.
    ///
    /// # Errors
    /// The arguments are not those of the method. The text names the parameter.
    pub fn compose(&self, method: MethodId, arguments: &[Literal], known: &mut dyn Known) -> Result<Vec<u8>, String> {
        Composer::new(self, known).call(method, arguments)
    }
}

struct Amend<'a> {
    codec: &'a Codec,
    payload: &'a [u8],
    place: &'a Place,
    value: &'a Literal,
    known: &'a mut dyn Known,
    done: Option<Result<Vec<u8>, String>>,
}

impl Amend<'_> {
    /// Places do not overlap, but for an array's own text.
    fn is_here(&self, path: &Path, at: usize) -> bool {
        self.done.is_none() && at == self.place.bytes.start && path.to_string() == self.place.path
    }

    fn put(&self, at: usize, bytes: &[u8]) -> Vec<u8> {
        let mut payload = self.payload.to_vec();
        if let Some(room) = payload.get_mut(at..at + bytes.len()) {
            room.copy_from_slice(bytes);
        }
        payload
    }

    /// The payload with another child behind a pointer.
    fn behind(&mut self, at: usize, link: &Link<'_>, child: Range<usize>) -> Result<Vec<u8>, String> {
        // Headers say it of parameters alone, whose frame is the payload's beginning.
        if *self.value == Literal::Null && core::ptr::eq(link.frame.base(), self.payload.as_ptr()) {
            crate::compose::takes_null(link.field)?;
        }
        let mut composer = Composer::new(self.codec, self.known);
        let (new, count) = match self.value {
            Literal::Null => (Vec::new(), Some(0)),
            value => composer.behind(link, value)?,
        };
        let old = u64::from_le_bytes(self.payload.get(at..at + 8).and_then(|b| b.try_into().ok()).unwrap_or_default());
        let word = match self.value {
            Literal::Null => 0,
            _ if old != 0 => old,
            _ => crate::compose::SOMEWHERE,
        };
        let mut payload = self.put(at, &word.to_le_bytes());
        if let (Some(count), Some((place, size))) = (count, self.count_of(link)) {
            if size < 8 && count >> (8 * size) != 0 {
                return Err(format!("{count} elements are more than its count can say"));
            }
            if let Some(room) = payload.get_mut(place..place + size) {
                room.copy_from_slice(&count.to_le_bytes()[..size]);
            }
        }
        payload.splice(child, new);
        Ok(payload)
    }

    /// Where the count of what a pointer leads to lies, and how many bytes it has.
    fn count_of(&self, link: &Link<'_>) -> Option<(usize, usize)> {
        let (Len::Field(of) | Len::Bytes(of)) = link.pointee.len else { return None };
        let field = link.frame.fields.get(usize::from(of))?;
        let frame = (link.frame.base() as usize).wrapping_sub(self.payload.as_ptr() as usize);
        let size = field.ty.size(self.codec.model.structs) as usize;
        let at = frame.checked_add(field.offset as usize)?;
        (size <= 8 && at.checked_add(size)? <= self.payload.len()).then_some((at, size))
    }
}

impl Watch for Amend<'_> {
    fn value(&mut self, path: &Path, at: usize, ty: Type, role: Role) {
        if self.is_here(path, at) {
            let bytes = self.codec.scalar(ty, role, self.value, self.known);
            self.done = Some(bytes.map(|bytes| self.put(at, &bytes)));
        }
    }

    fn inline(&mut self, path: &Path, at: usize, bytes: usize, field: &'static Field) {
        if self.is_here(path, at) {
            let new = crate::compose::inline(field, bytes, self.value);
            self.done = Some(new.map(|new| self.put(at, &new)));
        }
    }

    fn pointer(&mut self, path: &Path, at: usize, link: &Link<'_>, child: Range<usize>) {
        if self.is_here(path, at) {
            self.done = Some(self.behind(at, link, child));
        }
    }
}
