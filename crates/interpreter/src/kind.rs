//! Types.

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Void,
    /// True or false.
    Bool,
    /// An integer.
    Integer {
        /// Bits.
        width: u32,
        /// Whether it is shown with a sign. Instructions have signs of their own.
        signed: bool,
    },
    /// A number of floating point.
    Float {
        /// Bits.
        width: u32,
    },
    /// A vector, or a matrix, which is a vector of columns.
    Vector {
        /// Type of a component.
        of: u32,
        /// How many.
        count: u32,
        /// Its components are columns.
        matrix: bool,
    },
    /// An array.
    Array {
        /// Type of an element.
        of: u32,
        /// How many; `None` for an array whose length the buffer says.
        count: Option<u32>,
    },
    /// A structure.
    Structure {
        /// Types of its members.
        members: Vec<u32>,
    },
    /// A pointer.
    Pointer {
        /// Storage class, by its number.
        class: u32,
        /// Type of what it leads to.
        to: u32,
    },
    /// A texture or a typed buffer.
    Image(Image),
    /// A sampler.
    Sampler,
    /// A texture with a sampler.
    SampledImage {
        /// Type of the texture.
        image: u32,
    },
    /// An acceleration structure: its address.
    Acceleration,
    /// A ray query, which the lane has beside its variables.
    RayQuery,
    /// A type without values here, by its instruction.
    Opaque(&'static str),
}

/// What an image is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Type of a component.
    pub texel: u32,
    /// `Dim` of SPIR-V: 0 to 2 for that many and one more, 3 a cube, 5 a buffer.
    pub dimension: u32,
    /// It has slices.
    pub arrayed: bool,
    /// It has samples.
    pub multisampled: bool,
    /// It is written, or read without a sampler.
    pub storage: bool,
}

impl Image {
    /// How many coordinates name a texel.
    pub fn coordinates(&self) -> usize {
        let plain = match self.dimension {
            0 | 5 => 1,
            2 | 3 => 3,
            _ => 2,
        };
        // Storage images of cubes are arrays of faces: the third coordinate is the face.
        plain + usize::from(self.arrayed && self.dimension != 3)
    }
}
