//! The framing of children on the wire: header, kinds, reasons. See `FORMAT.md`, "Calls".

/// Byte buffers of this size and more go out as blobs.
pub const BLOB_BYTES: u64 = 256;
/// More elements than a child header can state, or a payload larger than this, is absent ([`Reason::TooLarge`]).
pub const INLINE_BYTES: u64 = 1 << 32;
/// Structures nested deeper than this are absent ([`Reason::Depth`]).
pub const DEPTH: u32 = 12;
/// Nodes of a linked list beyond this number are cut off; the last stored node's raw pointer then is not null.
pub const LIST_NODES: u64 = 4096;
/// Units of text beyond this number make it absent ([`Reason::Unterminated`]).
pub const TEXT_UNITS: u64 = 1 << 20;

/// What follows a child header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The elements as in memory, padded to 8 bytes, then their children.
    Inline = 0,
    /// The number of a blob as 8 bytes; the count is in bytes.
    Blob = 1,
    /// Nothing; the count is the [`Reason`].
    Absent = 2,
    /// `count` bytes as found at the pointer, padded to 8, of a type that the recorder did not know.
    Opaque = 3,
}

/// Why something that a pointer points to is not in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Reason {
    /// Count times size overflows or exceeds what a record may hold.
    TooLarge = 1,
    /// The size is known only to the callee, which did not tell.
    SizeUnknown = 2,
    /// Text without an end within bounds.
    Unterminated = 3,
    /// Nested too deeply.
    Depth = 4,
    /// The pointer to the count is null.
    NoCount = 5,
    /// The model has no rule for it here.
    NoRule = 6,
}

impl Reason {
    /// The reason with this number, if it is one.
    pub fn from_number(number: u64) -> Option<Reason> {
        Some(match number {
            1 => Reason::TooLarge,
            2 => Reason::SizeUnknown,
            3 => Reason::Unterminated,
            4 => Reason::Depth,
            5 => Reason::NoCount,
            6 => Reason::NoRule,
            _ => return None,
        })
    }

    /// In words, for dumps and errors.
    pub fn text(self) -> &'static str {
        match self {
            Reason::TooLarge => "too large to record",
            Reason::SizeUnknown => "its size was not known",
            Reason::Unterminated => "text without an end",
            Reason::Depth => "nested too deeply",
            Reason::NoCount => "the pointer to its count was null",
            Reason::NoRule => "the recorder had no rule for it",
        }
    }
}

/// A child header: bits 0–47 the count, bits 56–63 the kind.
pub const fn header(kind: Kind, count: u64) -> u64 {
    (count & COUNT_MASK) | (kind as u64) << 56
}

pub(crate) const COUNT_MASK: u64 = (1 << 48) - 1;

/// Kind and count of a child header; `None` for an unknown kind or reserved bits in use.
pub fn parse(header: u64) -> Option<(Kind, u64)> {
    if header >> 48 & 0xff != 0 {
        return None;
    }
    let kind = match header >> 56 {
        0 => Kind::Inline,
        1 => Kind::Blob,
        2 => Kind::Absent,
        3 => Kind::Opaque,
        _ => return None,
    };
    Some((kind, header & COUNT_MASK))
}
