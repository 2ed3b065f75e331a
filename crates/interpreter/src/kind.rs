//! Types, and where their parts lie in memory.

use crate::fault::Fault;
use crate::module::Module;

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

impl Module {
    /// Bytes that a value of a type takes in memory without what pads it.
    pub(crate) fn size(&self, kind: u32, offset: u32) -> Result<u64, Fault> {
        Ok(match self.kind(kind, offset)? {
            Kind::Integer { width, .. } | Kind::Float { width } => u64::from(*width / 8),
            Kind::Bool => 4,
            Kind::Pointer { .. } => 8,
            Kind::Vector { of, count, .. } => self.size(*of, offset)? * u64::from(*count),
            Kind::Array { of, count: Some(count) } => {
                let stride = match self.stride(kind) {
                    0 => self.size(*of, offset)?,
                    stride => u64::from(stride),
                };
                stride * u64::from(*count)
            }
            Kind::Structure { members } => match members.len() {
                0 => 0,
                count => {
                    let last = count - 1;
                    self.member_offset(kind, last as u32) + self.size(members[last], offset)?
                }
            },
            other => return Err(self.malformed(offset, format!("{other:?} has no size in memory"))),
        })
    }

    /// The type of a part, and how many bytes behind the whole's beginning it lies.
    pub(crate) fn part(&self, kind: u32, index: u32, offset: u32) -> Result<(u32, u64), Fault> {
        Ok(match self.kind(kind, offset)? {
            Kind::Vector { of, matrix: false, .. } => (*of, u64::from(index) * self.size(*of, offset)?),
            Kind::Array { of, .. } => {
                let stride = match self.stride(kind) {
                    0 => self.size(*of, offset)?,
                    stride => u64::from(stride),
                };
                (*of, u64::from(index) * stride)
            }
            Kind::Structure { members } => {
                let member = members.get(index as usize);
                let member = member.ok_or_else(|| self.malformed(offset, format!("there is no member {index}")))?;
                (*member, self.member_offset(kind, index))
            }
            Kind::Vector { .. } => {
                return Err(Fault::Unsupported { offset, what: "a matrix in a buffer".to_owned() });
            }
            other => return Err(self.malformed(offset, format!("{other:?} has no parts"))),
        })
    }
}
