//! Where the parts of types lie in memory.

use crate::fault::Fault;
use crate::kind::Kind;
use crate::module::Module;

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
