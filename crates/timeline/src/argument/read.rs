//! The ways to read a parameter.

use super::element::{Element, Elements};
use super::place::{Child, Place};
use super::want::Want;
use crate::call::Call;
use crate::damaged::Damaged;
use reprise_codec::wire::Kind;
use std::marker::PhantomData;

/// A way to read a parameter.
pub trait Read {
    /// The parameters that can be read so.
    const WANT: Want;
    /// What is read.
    type Output<'a>;
    /// Reads it.
    ///
    /// # Errors
    /// When the payload is damaged.
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<Self::Output<'a>, Damaged>;
}

impl<T: Element> Read for T {
    const WANT: Want = Want::Value(T::SHAPE);
    type Output<'a> = T;
    #[inline]
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<T, Damaged> {
        T::from_bytes(place.block(call)?)
            .ok_or_else(|| place.damaged("the argument block is too short, or an id too large"))
    }
}

/// Reads what a pointer leads to: one value.
#[derive(Debug)]
pub struct One<T>(PhantomData<T>);
/// Reads what a pointer leads to: an array.
#[derive(Debug)]
pub struct Many<T>(PhantomData<T>);
/// Reads what came back through a pointer: one value.
#[derive(Debug)]
pub struct Out<T>(PhantomData<T>);
/// Reads what came back through a pointer: an array.
#[derive(Debug)]
pub struct OutMany<T>(PhantomData<T>);
/// Reads bytes that were passed in.
#[derive(Debug)]
pub struct Bytes;
/// Reads text that was passed in.
#[derive(Debug)]
pub struct Text;

/// Bytes that were passed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'a> {
    /// In the payload.
    Inline(&'a [u8]),
    /// In the trace, at this place ([`blob_by_id`](reprise_trace::read::Trace::blob_by_id)), of so many bytes.
    Blob(u64, u64),
    /// The recording has none, for the reason that the number states ([`reprise_codec::wire::Reason`]).
    Absent(u64),
}

pub(super) fn elements<'a, T: Element>(place: &Place, child: Option<Child<'a>>) -> Result<Elements<'a, T>, Damaged> {
    match child {
        None => Ok(Elements::new(&[])),
        Some(Child { kind: Kind::Inline, bytes, .. }) => Ok(Elements::new(bytes)),
        Some(Child { kind: Kind::Absent, .. }) => Err(place.damaged("the recording does not have it")),
        Some(_) => Err(place.damaged("there are no elements where there must be some")),
    }
}

fn one<T: Element>(place: &Place, child: Option<Child<'_>>) -> Result<Option<T>, Damaged> {
    let Some(child) = child else { return Ok(None) };
    let one = elements::<T>(place, Some(child))?.get(0);
    one.map(Some).ok_or_else(|| place.damaged("there is no value where there must be one"))
}

impl<T: Element> Read for One<T> {
    const WANT: Want = Want::In(T::SHAPE);
    type Output<'a> = Option<T>;
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<Option<T>, Damaged> {
        one(place, place.entered(call)?)
    }
}

impl<T: Element> Read for Many<T> {
    const WANT: Want = Want::In(T::SHAPE);
    type Output<'a> = Elements<'a, T>;
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<Elements<'a, T>, Damaged> {
        elements(place, place.entered(call)?)
    }
}

impl<T: Element> Read for Out<T> {
    const WANT: Want = Want::Out(T::SHAPE);
    type Output<'a> = Option<T>;
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<Option<T>, Damaged> {
        one(place, place.left(call)?)
    }
}

impl<T: Element> Read for OutMany<T> {
    const WANT: Want = Want::Out(T::SHAPE);
    type Output<'a> = Elements<'a, T>;
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<Elements<'a, T>, Damaged> {
        elements(place, place.left(call)?)
    }
}

impl Read for Bytes {
    const WANT: Want = Want::Bytes;
    type Output<'a> = Option<Content<'a>>;
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<Option<Content<'a>>, Damaged> {
        let Some(child) = place.entered(call)? else { return Ok(None) };
        Ok(Some(match child.kind {
            Kind::Inline => Content::Inline(child.bytes),
            Kind::Absent => Content::Absent(child.count),
            Kind::Opaque => return Err(place.damaged("bytes of an unknown type")),
            Kind::Blob => {
                let number = u64::from_bytes(child.bytes).and_then(|number| u32::try_from(number).ok());
                let id = number.and_then(|number| call.enter.blob(number));
                Content::Blob(
                    id.ok_or_else(|| place.damaged("it names a blob that does not come with it"))?,
                    child.count,
                )
            }
        }))
    }
}

impl Read for Text {
    const WANT: Want = Want::Text;
    type Output<'a> = Option<String>;
    fn read<'a>(place: &Place, call: &Call<'a>) -> Result<Option<String>, Damaged> {
        let Some(child) = place.entered(call)? else { return Ok(None) };
        if child.kind != Kind::Inline {
            return Err(place.damaged("the recording does not have the text"));
        }
        let wide = child.bytes.len() as u64 != child.count;
        let text = if wide {
            let units = child.bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
            char::decode_utf16(units.take_while(|unit| *unit != 0))
                .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        } else {
            let end = child.bytes.iter().position(|byte| *byte == 0).unwrap_or(child.bytes.len());
            String::from_utf8_lossy(&child.bytes[..end]).into_owned()
        };
        Ok(Some(text))
    }
}
