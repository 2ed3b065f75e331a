//! Calling methods of COM objects, with arguments checked against the model.
//!
//! [`call!`] names interface and method and resolves both when compiling. Invariants: each argument has the size of its
//! parameter, and is a pointer or an object exactly where the model says so, and the object has been asked for an interface that
//! has the method, or the call panics with its name: a wrong test program must not look like a wrong runtime. A [`Com`] owns one
//! reference.

use crate::failure::Failure;
use crate::runtime::Runtime;
use core::ffi::c_void;
use core::ptr::NonNull;
use reprise_d3d12::abi;
use reprise_d3d12::generated::STRUCTS;
use reprise_d3d12::model::{InterfaceId, MethodId, Type};

/// Calls a method and gives its result's word: `call!(com, "ID3D12Fence", "Signal", 1u64)`.
///
/// What is not checked is that pointers lead to what the method wants: that they are made from values of this crate, right at
/// the call, is the fact on which it is sound.
macro_rules! call {
    ($com:expr, $interface:literal, $method:literal $(, $argument:expr)* $(,)?) => {{
        const METHOD: reprise_d3d12::model::MethodId = reprise_d3d12::method($interface, $method);
        // A match, because it keeps what arguments point to until the call is over.
        match [$($crate::com::Word::from($argument)),*] {
            // SAFETY: the object is alive while its `Com` is; it has the method, and words fit it, or the call panics; pointers
            // lead to values of this crate that outlive the call.
            words => unsafe { $com.call(METHOD, &words) },
        }
    }};
}

/// Calls a method that answers an `HRESULT`.
macro_rules! attempt {
    ($com:expr, $interface:literal, $method:literal $(, $argument:expr)* $(,)?) => {
        $crate::com::succeeded(
            const { reprise_d3d12::method($interface, $method) },
            $crate::com::call!($com, $interface, $method $(, $argument)*),
        )
    };
}

/// Calls a method whose last two parameters are an interface id and the place for the object; gives the object.
macro_rules! create {
    ($com:expr, $interface:literal, $method:literal $(, $argument:expr)* ; $class:literal) => {{
        const METHOD: reprise_d3d12::model::MethodId = reprise_d3d12::method($interface, $method);
        const CLASS: reprise_d3d12::model::InterfaceId = reprise_d3d12::interface($class);
        match vec![$($crate::com::Word::from($argument)),*] {
            // SAFETY: as in `call!`; the last two arguments are `create`'s.
            mut words => unsafe { $com.create(METHOD, CLASS, &mut words) },
        }
    }};
}

pub(crate) use {attempt, call, create};

/// One argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word {
    bits: u64,
    /// In bytes; what the parameter must have.
    size: u32,
    class: Class,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Number,
    Float,
    Pointer,
    Object,
    /// May stand for an object or a pointer.
    Null,
}

/// No object, or no data.
pub(crate) struct Null;

impl Word {
    /// The words as [`abi::call`] takes them.
    ///
    /// # Panics
    /// When one does not fit its parameter.
    pub(crate) fn checked(words: &[Word], method: MethodId) -> Vec<u64> {
        let method = method.get();
        assert_eq!(words.len(), method.params.len(), "arguments of {}", method.name);
        for (word, param) in words.iter().zip(method.params) {
            let fits = match param.ty {
                Type::Object(_) => matches!(word.class, Class::Object | Class::Null),
                Type::Pointer(_) => matches!(word.class, Class::Pointer | Class::Null),
                Type::F32 | Type::F64 => word.class == Class::Float,
                // A handle, or the address of a pointer that the model does not look through.
                Type::Word => true,
                // A structure of two words goes by its address; `abi::call` copies it.
                Type::Struct(_) if param.ty.size(STRUCTS) == 16 => word.class == Class::Pointer,
                _ => word.class == Class::Number,
            };
            let size = match param.ty.size(STRUCTS) {
                16 => 8,
                size => size,
            };
            assert!(fits && word.size == size, "argument {} of {}: {word:?}", param.name, method.name);
        }
        words.iter().map(|word| word.bits).collect()
    }
}

macro_rules! words {
    ($($ty:ty as $class:ident: $bits:expr;)*) => {
        $(impl From<$ty> for Word {
            fn from(value: $ty) -> Self {
                let bits: fn($ty) -> u64 = $bits;
                Word { bits: bits(value), size: size_of::<$ty>() as u32, class: Class::$class }
            }
        })*
    };
}

words! {
    u8 as Number: u64::from;
    u32 as Number: u64::from;
    u64 as Number: u64::from;
    i32 as Number: |value| u64::from(value as u32);
    f32 as Float: |value| u64::from(value.to_bits());
    f64 as Float: f64::to_bits;
    &Com as Object: |com| com.pointer.as_ptr() as u64;
}

impl From<Null> for Word {
    fn from(_: Null) -> Self {
        Word { bits: 0, size: 8, class: Class::Null }
    }
}

impl From<Option<&Com>> for Word {
    fn from(value: Option<&Com>) -> Self {
        value.map_or_else(|| Null.into(), Word::from)
    }
}

impl<T> From<*const T> for Word {
    fn from(value: *const T) -> Self {
        Word { bits: value as u64, size: 8, class: Class::Pointer }
    }
}

impl<T> From<*mut T> for Word {
    fn from(value: *mut T) -> Self {
        value.cast_const().into()
    }
}

/// `Ok` unless the call failed.
pub(crate) fn succeeded(method: MethodId, result: u64) -> Result<(), Failure> {
    if (result as i32) < 0 { Err(Failure::of_call(method, result as u32)) } else { Ok(()) }
}

/// An object of the runtime, with one reference.
pub(crate) struct Com {
    pointer: NonNull<c_void>,
    /// What the pointer was asked for.
    class: InterfaceId,
    runtime: &'static Runtime,
}

// SAFETY: objects of the API may be used and released on any thread; those that must not be used on two at once (lists,
// allocators) are behind types that take them by `&mut`.
unsafe impl Send for Com {}
// SAFETY: methods that need one thread at a time are behind types that take the object by `&mut`.
unsafe impl Sync for Com {}

impl Com {
    /// Takes over one reference; `None` for null.
    ///
    /// # Safety
    /// A pointer to this interface of an object of this runtime.
    pub(crate) unsafe fn new(runtime: &'static Runtime, class: InterfaceId, pointer: *mut c_void) -> Option<Self> {
        Some(Self { pointer: NonNull::new(pointer)?, class, runtime })
    }

    /// The library that the object belongs to.
    pub(crate) fn runtime(&self) -> &'static Runtime {
        self.runtime
    }

    /// As structures of the API hold it: without a reference.
    pub(crate) fn as_ptr(&self) -> *mut c_void {
        self.pointer.as_ptr()
    }

    /// Calls a method; see [`call!`].
    ///
    /// # Safety
    /// Pointers among the words lead to what the method wants.
    ///
    /// # Panics
    /// When the interface does not have the method, or the words do not fit it.
    pub(crate) unsafe fn call(&self, method: MethodId, words: &[Word]) -> u64 {
        let has = method.get().interface.is_some_and(|interface| self.class.derives_from(interface));
        assert!(has, "{} has no {}", self.class.get().name, method.get().name);
        let words = Word::checked(words, method);
        let this = self.pointer.as_ptr();
        // SAFETY: a live object begins with the address of its table, which has a function in each slot of its interface.
        let function = unsafe { *(*this.cast::<*const *const c_void>()).add(usize::from(method.get().slot)) };
        // SAFETY: the function in that slot has the method's shape, in the runtime's convention.
        unsafe { abi::call(self.runtime.convention, function, Some(this), &words, method.get()) }
    }

    /// Calls a method that makes an object of the interface `class`; see [`create!`].
    ///
    /// # Safety
    /// As [`Com::call`]; the method's last two parameters are an interface id and the place for the object.
    pub(crate) unsafe fn create(
        &self,
        method: MethodId,
        class: InterfaceId,
        words: &mut Vec<Word>,
    ) -> Result<Com, Failure> {
        let mut made: *mut c_void = core::ptr::null_mut();
        words.push((&raw const class.get().iid).into());
        words.push((&raw mut made).into());
        // SAFETY: by the caller's promise; the last two words point to a constant and to a local of ours.
        succeeded(method, unsafe { self.call(method, words) })?;
        // SAFETY: the call succeeded, so this is null or an object with a reference for us.
        unsafe { Com::new(self.runtime, class, made) }
            .ok_or_else(|| Failure::Wrong(format!("{} succeeds and gives nothing", method.get().name)))
    }

    /// Another interface of the object, where it has it.
    pub(crate) fn query(&self, class: InterfaceId) -> Option<Com> {
        const QUERY: MethodId = reprise_d3d12::method("IUnknown", "QueryInterface");
        // SAFETY: every object has this method, and both its parameters are what `create` adds.
        unsafe { self.create(QUERY, class, &mut Vec::new()) }.ok()
    }
}

impl Clone for Com {
    fn clone(&self) -> Self {
        call!(self, "IUnknown", "AddRef");
        Self { pointer: self.pointer, class: self.class, runtime: self.runtime }
    }
}

impl Drop for Com {
    fn drop(&mut self) {
        call!(self, "IUnknown", "Release");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPY: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "OMSetBlendFactor");

    #[test]
    #[should_panic(expected = "BlendFactor")]
    fn a_number_is_no_pointer() {
        Word::checked(&[1u64.into()], COPY);
    }

    #[test]
    #[should_panic(expected = "StencilRef")]
    fn a_wide_number_does_not_fit_a_narrow_parameter() {
        Word::checked(&[1u64.into()], reprise_d3d12::method("ID3D12GraphicsCommandList", "OMSetStencilRef"));
    }

    #[test]
    fn what_fits_is_passed() {
        let factors = [0f32; 4];
        assert_eq!(Word::checked(&[factors.as_ptr().into()], COPY), [factors.as_ptr() as u64]);
        assert_eq!(Word::checked(&[Null.into()], COPY), [0]);
        let signal = reprise_d3d12::method("ID3D12Fence", "Signal");
        assert_eq!(Word::checked(&[7u64.into()], signal), [7]);
    }
}
