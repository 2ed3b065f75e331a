//! The types of single values, and arrays of them as they lie in a payload.

use reprise_d3d12::model::{Role, Type};
use reprise_d3d12::{Plain, Shape};
use std::fmt;
use std::marker::PhantomData;

/// The id of an object; 0 for null and for objects that the capture layer does not know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct ObjectId(pub u32);
/// A CPU descriptor handle, as the program was told it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct CpuHandle(pub u64);
/// A GPU descriptor handle, as the program was told it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct GpuHandle(pub u64);
/// A GPU virtual address, as the program was told it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct GpuAddress(pub u64);
/// A handle of a shared object, as the program was given it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct SharedHandle(pub u64);

/// What a single value stands for in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementShape {
    /// Plain bytes.
    Plain(Shape),
    /// An object.
    Object,
    /// A number of 8 bytes with this role.
    Word(Role),
}

impl ElementShape {
    /// Whether a value of this type and role is one.
    pub(crate) const fn fits(self, ty: Type, role: Role) -> bool {
        match self {
            ElementShape::Object => matches!(ty, Type::Object(_)),
            ElementShape::Word(Role::CpuDescriptor) => matches!(role, Role::CpuDescriptor),
            ElementShape::Word(Role::GpuDescriptor) => matches!(role, Role::GpuDescriptor),
            ElementShape::Word(Role::GpuAddress) => matches!(role, Role::GpuAddress) && matches!(ty, Type::U64),
            ElementShape::Word(Role::SharedHandle) => matches!(role, Role::SharedHandle),
            ElementShape::Word(_) => false,
            ElementShape::Plain(shape) => shape.fits(ty),
        }
    }
}

/// A value of fixed size in a payload.
pub trait Element: Sized {
    /// What it stands for.
    const SHAPE: ElementShape;
    /// Bytes of it.
    const SIZE: usize;
    /// The value at the beginning of these bytes; `None` where they are too few, or no such value.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

impl<T: Plain> Element for T {
    const SHAPE: ElementShape = ElementShape::Plain(T::SHAPE);
    const SIZE: usize = size_of::<T>();
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Option<T> {
        let bytes = bytes.get(..size_of::<T>())?;
        // SAFETY: as many bytes as the type has were just taken, and every bit pattern is a value of a plain type.
        Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
    }
}

#[inline]
fn word(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|word| u64::from_le_bytes(*word))
}

macro_rules! words {
    ($($name:ident: $role:ident,)*) => { $(
        impl Element for $name {
            const SHAPE: ElementShape = ElementShape::Word(Role::$role);
            const SIZE: usize = 8;
            #[inline]
            fn from_bytes(bytes: &[u8]) -> Option<Self> {
                word(bytes).map($name)
            }
        }
    )* };
}

words! { CpuHandle: CpuDescriptor, GpuHandle: GpuDescriptor, GpuAddress: GpuAddress,
SharedHandle: SharedHandle, }

impl Element for ObjectId {
    const SHAPE: ElementShape = ElementShape::Object;
    const SIZE: usize = 8;
    #[inline]
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        word(bytes).and_then(|id| u32::try_from(id).ok()).map(ObjectId)
    }
}

/// An array as it lies in a payload.
#[derive(Clone, Copy)]
pub struct Elements<'a, T> {
    bytes: &'a [u8],
    element: PhantomData<fn() -> T>,
}

impl<T> Default for Elements<'_, T> {
    fn default() -> Self {
        Elements { bytes: &[], element: PhantomData }
    }
}

impl<'a, T: Element> Elements<'a, T> {
    /// The whole elements of these bytes.
    pub(crate) fn new(bytes: &'a [u8]) -> Elements<'a, T> {
        Elements { bytes, element: PhantomData }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / T::SIZE
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One of them; `None` past the end, and where the bytes are no such value.
    pub fn get(&self, index: usize) -> Option<T> {
        T::from_bytes(self.bytes.get(index.checked_mul(T::SIZE)?..)?)
    }

    /// All of them. The bytes of objects with ids beyond 32 bits, which only a damaged trace has, end it.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'a, T> {
        self.bytes.chunks_exact(T::SIZE).map_while(T::from_bytes)
    }

    /// The bytes, as in memory.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for Elements<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
