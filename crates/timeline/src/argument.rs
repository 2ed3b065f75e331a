//! Typed accessors for arguments and outputs, checked against the model by the compiler.
//!
//! `const COUNT: Argument<u32> = argument!("ID3D12GraphicsCommandList", "DrawInstanced", "VertexCountPerInstance");` does not
//! compile when the model has no such parameter or when it has another type. Reading takes no look-up by name.
//!
//! | accessor | parameter | gives |
//! |---|---|---|
//! | `Argument<T>` | by value | `T` |
//! | `Argument<One<T>>` | pointer to one that is passed in | `Option<T>`, `None` for null |
//! | `Argument<Many<T>>` | pointer to an array that is passed in | [`Elements`], empty for null |
//! | `Argument<Bytes>` | pointer to bytes that are passed in | `Option<Content>`, inline or a blob |
//! | `Argument<Text>` | pointer to text | `Option<String>` |
//! | `Argument<Out<T>>` | pointer through which one comes back | `Option<T>`, `None` where nothing came back |
//! | `Argument<OutMany<T>>` | pointer through which an array comes back | [`Elements`] |
//!
//! `T` is a number, an enumeration or a structure of [`reprise_d3d12::types`], [`ObjectId`], or a handle or address
//! ([`CpuHandle`], [`GpuHandle`], [`GpuAddress`], [`SharedHandle`]). Pointers in structures are the recorded ones; objects in them are ids.
//!
//! Invariant: an accessor reads inside the payload or says [`Damaged`].

mod element;
mod place;
mod read;
mod want;

pub use element::{CpuHandle, Element, ElementShape, Elements, GpuAddress, GpuHandle, ObjectId, SharedHandle};
pub use read::{Bytes, Content, Many, One, Out, OutMany, Read, Text};
pub use want::Want;

pub use crate::damaged::Damaged;

use crate::call::Call;
use place::Place;
use reprise_d3d12::model::{Guid, MethodId};
use std::marker::PhantomData;

/// A parameter of one method, read as a `T`.
#[derive(Debug)]
pub struct Argument<T> {
    place: Place,
    read: PhantomData<fn() -> T>,
}

impl<T> Clone for Argument<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Argument<T> {}

impl<T: Read> Argument<T> {
    /// The parameter of this name. Use it in constants, through [`argument!`](crate::argument!).
    ///
    /// # Panics
    /// When the method has no such parameter, or it has another type. In a constant this is a compile error.
    pub const fn new(method: MethodId, parameter: &str) -> Argument<T> {
        Argument { place: Place::new(method, parameter, T::WANT), read: PhantomData }
    }

    /// The method whose parameter it is.
    pub const fn method(&self) -> MethodId {
        self.place.method
    }

    /// Where the parameter is in the argument block, in bytes.
    pub const fn offset(&self) -> usize {
        self.place.offset as usize
    }

    /// Says that what the parameter holds cannot be.
    pub(crate) fn damaged(&self, what: &'static str) -> Damaged {
        self.place.damaged(what)
    }

    /// What the call says.
    ///
    /// # Errors
    /// When the payload is damaged, or the call is of another method.
    #[inline]
    pub fn of<'a>(&self, call: &Call<'a>) -> Result<T::Output<'a>, Damaged> {
        if call.method.0 != self.place.method.0 {
            return Err(self.place.damaged("the call is of another method"));
        }
        T::read(&self.place, call)
    }
}

impl<T: Element> Argument<One<T>> {
    /// The bytes that the pointer leads to, as in memory; none for null.
    ///
    /// # Errors
    /// As for [`Argument::of`].
    pub fn bytes<'a>(&self, call: &Call<'a>) -> Result<&'a [u8], Damaged> {
        if call.method.0 != self.place.method.0 {
            return Err(self.place.damaged("the call is of another method"));
        }
        Ok(read::elements::<T>(&self.place, self.place.entered(call)?)?.bytes())
    }
}

/// The interface id that a parameter of a call points to, by the parameter's place; `None` where there is none.
pub(crate) fn guid(call: &Call<'_>, parameter: u8) -> Option<Guid> {
    let place = Place::at(call.method, parameter)?;
    <One<Guid> as Read>::read(&place, call).ok()?
}

/// An accessor for a parameter: `argument!("Interface", "Method", "Parameter")`, or `argument!("Function", "Parameter")`.
/// The type of the constant that it is given to says how the parameter is read; see [`argument`](mod@crate::argument).
#[macro_export]
macro_rules! argument {
    ($interface:literal, $method:literal, $parameter:literal) => {
        $crate::argument::Argument::new(reprise_d3d12::method($interface, $method), $parameter)
    };
    ($function:literal, $parameter:literal) => {
        $crate::argument::Argument::new(reprise_d3d12::function($function), $parameter)
    };
}
