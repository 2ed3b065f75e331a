//! Where pointers lead, and what views are.

use crate::kind::Image;
use crate::open::Open;
use std::fmt;

/// A pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    /// Where it leads.
    pub place: Place,
    /// Type of what lies there.
    pub to: u32,
    /// What is open about where it leads.
    pub open: Open,
}

/// A place.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A part of a variable that no resource holds.
    Variable {
        /// The variable.
        variable: u32,
        /// All lanes of a group share it.
        shared: bool,
        /// Part of a part.
        path: Vec<u32>,
    },
    /// A view of a resource, or an array of them.
    Descriptor {
        /// Where it is.
        descriptor: Descriptor,
        /// Its number in the array is chosen.
        chosen: bool,
    },
    /// Bytes of a buffer.
    Memory(Buffer, u64),
    /// A texel, for atomic operations.
    Texel(Box<(Handle, Texel)>),
}

/// A descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Descriptor set.
    pub set: u32,
    /// Binding in it.
    pub binding: u32,
    /// Number in the binding's array.
    pub index: u32,
}

/// What holds bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Buffer {
    /// The block of root arguments.
    Root,
    /// What a descriptor leads to; offsets are of the view.
    View(Descriptor),
    /// Memory by its GPU address; offsets are addresses.
    Address,
    /// What lies in a shader's record behind the identifier.
    Record,
}

/// A texel of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Texel {
    /// Column, row, slice.
    pub at: [i64; 3],
    /// Level, counted from the view's first.
    pub level: i64,
    /// Sample.
    pub sample: u32,
}

/// A view or a sampler in a register.
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// Where its descriptor is.
    pub descriptor: Descriptor,
    /// What the shader says of it; `None` for samplers.
    pub image: Option<Image>,
    /// Of a texture with a sampler: where that one's is.
    pub sampler: Option<Descriptor>,
    /// What is open about which descriptor it is.
    pub open: Open,
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "set {} binding {} [{}]", self.set, self.binding, self.index)
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Buffer::Root => f.write_str("root arguments"),
            Buffer::View(descriptor) => write!(f, "{descriptor}"),
            Buffer::Address => f.write_str("address"),
            Buffer::Record => f.write_str("the shader's record"),
        }
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.descriptor)?;
        self.sampler.map_or(Ok(()), |sampler| write!(f, " with sampler {sampler}"))
    }
}
