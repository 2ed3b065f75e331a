//! The container: a header, a table of offsets, and tagged parts.

use crate::checksum::{self, checksum};
use crate::{Bytes, Malformed};

/// Four letters that name a part.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tag(pub [u8; 4]);

impl Tag {
    /// The container itself.
    pub const DXBC: Tag = Tag(*b"DXBC");
    /// Shader model 6 code.
    pub const DXIL: Tag = Tag(*b"DXIL");
    /// What a library says of itself at run time.
    pub const RDAT: Tag = Tag(*b"RDAT");
    /// Shader model 4 code.
    pub const SHDR: Tag = Tag(*b"SHDR");
    /// Shader model 5 code.
    pub const SHEX: Tag = Tag(*b"SHEX");
    /// A root signature.
    pub const RTS0: Tag = Tag(*b"RTS0");
}

impl core::fmt::Debug for Tag {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}

/// A part of a container.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// What it is.
    pub tag: Tag,
    /// Its contents.
    pub data: &'a [u8],
    /// Where the contents begin in the container.
    pub offset: usize,
}

/// A container whose table of parts has been checked.
#[derive(Clone, Debug)]
pub struct Container<'a> {
    bytes: &'a [u8],
    parts: Vec<Part<'a>>,
}

const HEADER: usize = 32;
/// No container of any compiler has near as many; it bounds what a hostile one costs.
const MOST_PARTS: u32 = 4096;

impl<'a> Container<'a> {
    /// Reads the table of parts. Bytes after the stated size are ignored, as every runtime does.
    ///
    /// # Errors
    /// When the tag, a size, a count or an offset is impossible. The checksum is not looked at: see
    /// [`Container::checksum`].
    pub fn parse(bytes: &'a [u8]) -> Result<Container<'a>, Malformed> {
        let all = Bytes(bytes);
        let tag = all.slice(0, 4, "the container's tag")?;
        if tag != Tag::DXBC.0 {
            return Err(Malformed::new(0, format!("{:?} is not a container's tag", tag.escape_ascii().to_string())));
        }
        let [version, size, count] = all.words(20, "the container's header")?;
        if version != 1 {
            return Err(Malformed::new(20, format!("container version {version} is not known, only 1 is")));
        }
        let whole = all.slice(0, size as usize, "the container")?;
        if count > MOST_PARTS {
            return Err(Malformed::new(28, format!("{count} parts are more than {MOST_PARTS}")));
        }
        let all = Bytes(whole);
        let mut parts = Vec::new();
        for index in 0..count as usize {
            let offset = all.u32(HEADER + index * 4, "the table of parts")? as usize;
            let [tag, size] = all.words(offset, "a part's header")?;
            let data = all.slice(offset.saturating_add(8), size as usize, "a part")?;
            parts.push(Part { tag: Tag(tag.to_le_bytes()), data, offset: offset + 8 });
        }
        Ok(Container { bytes: whole, parts })
    }

    /// The parts in the order of the table.
    pub fn parts(&self) -> &[Part<'a>] {
        &self.parts
    }

    /// The first part with this tag.
    pub fn part(&self, tag: Tag) -> Option<Part<'a>> {
        self.parts.iter().copied().find(|part| part.tag == tag)
    }

    /// What the stored checksum is.
    pub fn checksum(&self) -> Checksum {
        let stored = self.bytes.get(checksum::AT..checksum::COVERS).unwrap_or(&[]);
        match stored {
            _ if stored == checksum(self.bytes) => Checksum::Valid,
            _ if stored == [0; 16] => Checksum::Unsigned,
            _ if stored == [1; 16] => Checksum::Bypass,
            _ if stored == [2; 16] => Checksum::Preview,
            _ => Checksum::Wrong,
        }
    }
}

/// What a container's checksum is. Some values stand for something else, and are never that of any bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// That of the bytes.
    Valid,
    /// All zeros: no validator has seen the shader.
    Unsigned,
    /// All ones: runtimes are to take the shader as it is.
    Bypass,
    /// All twos: DXC writes it for shader models that are not final.
    Preview,
    /// Any other.
    Wrong,
}

impl Checksum {
    /// In a word, for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Checksum::Valid => "valid",
            Checksum::Unsigned => "unsigned",
            Checksum::Bypass => "bypass",
            Checksum::Preview => "preview",
            Checksum::Wrong => "wrong",
        }
    }
}

/// Makes a container of these parts, with its checksum. Parts are padded to 4 bytes.
pub fn build(parts: &[(Tag, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; HEADER + parts.len() * 4];
    for (index, (tag, data)) in parts.iter().enumerate() {
        let offset = bytes.len() as u32;
        bytes[HEADER + index * 4..][..4].copy_from_slice(&offset.to_le_bytes());
        bytes.extend(tag.0);
        bytes.extend((data.len().next_multiple_of(4) as u32).to_le_bytes());
        bytes.extend(*data);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
    }
    let size = bytes.len() as u32;
    bytes[..4].copy_from_slice(&Tag::DXBC.0);
    for (place, word) in [(20, 1), (24, size), (28, parts.len() as u32)] {
        bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
    }
    let sum = checksum(&bytes);
    bytes[checksum::AT..checksum::COVERS].copy_from_slice(&sum);
    bytes
}
