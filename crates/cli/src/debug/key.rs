//! Names of contents.

use reprise_replay::{ShotContents, ShotOf, ShotPart};

/// A buffer, or one subresource of a texture, or one slice of a volume's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) resource: u32,
    /// Level, slice, plane, sample.
    pub(crate) part: Option<[u32; 4]>,
}

impl Key {
    pub(crate) fn buffer(resource: u32) -> Key {
        Key { resource, part: None }
    }

    /// The bytes that a shot shows; of a texture its columns and rows beside them.
    pub(crate) fn bytes_of(contents: ShotContents) -> (Vec<u8>, (u32, u32)) {
        match contents.part {
            ShotPart::Bytes { bytes, .. } => (bytes, (0, 0)),
            ShotPart::Texels { width, height, bytes, .. } => (bytes, (width, height)),
        }
    }

    /// What a replay is asked for.
    pub(crate) fn shot(self) -> ShotOf {
        let resource = self.resource;
        match self.part {
            None => ShotOf::Buffer { resource, bytes: None },
            Some([mip, slice, plane, sample]) => ShotOf::Texture { resource, mip, slice, plane, sample },
        }
    }
}
