//! The three calling conventions of the API on x86-64, from one code base.
//!
//! Windows, Wine and Debian's libvkd3d use *win64*; vkd3d-proton's native library and our own runtime use *System V*.
//! Both give `this` first, then, for methods that return a structure, the out pointer, then the parameters. *Itanium* is
//! System V as C++ compilers for Linux make it of Microsoft's headers (`libd3d12.so`): only methods that return a structure
//! differ ([`Returned`]). Outside this module a call's arguments are words (the crate's README, "Argument words"); this module
//! turns registers into words ([`thunk`]) and words into registers ([`call()`]).
//!
//! Invariants: a word has no bits above its parameter's size; a method that returns a structure gives its out pointer
//! back, whatever the handler returned (callers read the result through it, and only release builds show when it is not).

pub mod call;
pub mod direct;
pub mod thunk;

use crate::generated::STRUCTS;
use crate::model::{Method, Type};

pub use call::call;
pub use direct::Direct;
pub use thunk::{Handler, Thunks, Vtables};

/// A calling convention, at run time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Convention {
    /// `ms_abi`: by position, four registers and a shadow area.
    Win64,
    /// By class: six integer and eight vector registers.
    SystemV,
    /// System V, but structures are returned as C++ for Linux does: see [`Returned`].
    Itanium,
}

impl Convention {
    /// How many there are, for tables by convention.
    pub const COUNT: usize = 3;
}

/// How [`Convention::Itanium`] returns a method's structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Returned {
    /// The method returns none: it is as in System V.
    Nothing,
    /// At most 16 bytes, in RAX and RDX; the caller passes no out pointer.
    Registers,
    /// More, through an out pointer before `this`.
    Memory,
}

/// How a method's structure is returned in [`Convention::Itanium`].
pub const fn returned(method: &Method) -> Returned {
    if !method.returns_structure {
        return Returned::Nothing;
    }
    match method.params[0].ty {
        Type::Pointer(pointee) if pointee.ty.size(STRUCTS) <= 16 => Returned::Registers,
        _ => Returned::Memory,
    }
}

/// A calling convention, at compile time.
pub trait Abi: Copy + Send + Sync + 'static {
    /// The same at run time.
    const CONVENTION: Convention;
}

/// [`Convention::Win64`] as a type.
#[derive(Clone, Copy, Debug)]
pub enum Win64 {}

/// [`Convention::SystemV`] as a type.
#[derive(Clone, Copy, Debug)]
pub enum SystemV {}

/// [`Convention::Itanium`] as a type.
#[derive(Clone, Copy, Debug)]
pub enum Itanium {}

impl Abi for Win64 {
    const CONVENTION: Convention = Convention::Win64;
}

impl Abi for SystemV {
    const CONVENTION: Convention = Convention::SystemV;
}

impl Abi for Itanium {
    const CONVENTION: Convention = Convention::Itanium;
}
