//! The framing of records, in rings and in the trace file alike.
//!
//! Owns the 16-byte header, the kinds, the flags, and their checks. Invariant: [`Record::parse`] accepts a record only if it
//! lies whole within the bytes, so no later code checks a length again.

/// Every record's size and place is a multiple of this many bytes.
pub const ALIGN: usize = 8;
/// Size of [`Header`] in bytes.
pub const HEADER: usize = 16;
/// The longest piece of a blob, of memory or of a joined payload, in bytes; less where the ring is small.
pub const MAX_PIECE: usize = 64 << 10;

/// A `sequence` word follows the header: the record's place in the order of the whole session.
pub const SEQUENCE: u8 = 1;
/// A `ticks` word follows (after `sequence`): the time stamp counter.
pub const TICKS: u8 = 2;
/// `ordinal` is the record's place among all records of `object` that have this flag; numbers start at 0 and are dense.
/// May stand beside [`SEQUENCE`]: a `Close` of a list takes both places.
pub const ORDERED: u8 = 4;
/// An `after` word follows (last): every sequence number below it precedes this record. A record without [`SEQUENCE`] has it
/// when another thread took numbers since this thread last looked. So the writer never puts a call before one that it depends
/// on.
pub const AFTER: u8 = 8;
/// On an enter record: a leave record of the same thread will end the call. Light calls have none.
pub const LEAVES: u8 = 16;
/// The `method` of a [`Kind::Memory`] record whose bytes the GPU may have written (readback memory). The program could see
/// these bytes; a replay does not store them back.
pub const OBSERVED: u16 = 1;

/// All flags that are defined.
pub const ALL_FLAGS: u8 = SEQUENCE | TICKS | ORDERED | AFTER | LEAVES;

/// What a record says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Fills the ring up to its end; no meaning. The only kind that may be 8 bytes long.
    Pad = 0,
    /// A call begins.
    Enter = 1,
    /// The innermost open call of this thread ends.
    Leave = 2,
    /// The payload of the next record of this thread begins with these bytes.
    Part = 3,
    /// A piece of blob number `ordinal` of this thread.
    Blob = 4,
    /// Bytes that the program stored to mapped memory.
    Memory = 5,
    /// A fence was seen at this completed value.
    Observe = 6,
    /// A frame ends here.
    Frame = 7,
    /// Something the capture layer asked or knows: see [`crate::fact`].
    Fact = 8,
    /// Something could not be recorded.
    Gap = 9,
    /// Only in trace files: the records that follow are of thread `object`.
    Thread = 10,
    /// Only in trace files: whole pages of memory, by the ids of their contents.
    Pages = 11,
}

/// What ended a frame: the `source` of a [`Kind::Frame`] record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u32)]
pub enum FrameSource {
    /// A present.
    Present = 1,
    /// A marker of the program.
    Marker = 2,
    /// A submission.
    Submission = 3,
}

impl FrameSource {
    /// The source with this number; `None` for those of later formats.
    pub const fn from_u32(value: u32) -> Option<FrameSource> {
        match value {
            1 => Some(FrameSource::Present),
            2 => Some(FrameSource::Marker),
            3 => Some(FrameSource::Submission),
            _ => None,
        }
    }
}

impl Kind {
    /// The kind with this number.
    pub const fn from_u8(value: u8) -> Option<Kind> {
        Some(match value {
            0 => Kind::Pad,
            1 => Kind::Enter,
            2 => Kind::Leave,
            3 => Kind::Part,
            4 => Kind::Blob,
            5 => Kind::Memory,
            6 => Kind::Observe,
            7 => Kind::Frame,
            8 => Kind::Fact,
            9 => Kind::Gap,
            10 => Kind::Thread,
            11 => Kind::Pages,
            _ => return None,
        })
    }

    /// Whether a ring may hold it.
    pub const fn in_ring(self) -> bool {
        !matches!(self, Kind::Thread | Kind::Pages)
    }
}

/// The reason of a [`Kind::Gap`]: the first word of its payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum GapReason {
    /// The capture layer could not record something; the text says what.
    Capture = 1,
    /// Sequence numbers were taken, but their records never appeared.
    MissingSequence = 2,
    /// Calls of an object are missing.
    MissingOrdinal = 3,
    /// A thread stopped recording: the writer was dead or stuck, or the session was stopped.
    Overflow = 4,
    /// The rest could not be stored: the disk was full.
    DiskFull = 5,
    /// A ring holds bytes that are no record.
    DamagedRing = 6,
    /// A chunk of the trace file is damaged.
    DamagedChunk = 7,
    /// A record came after its place had been given up.
    Late = 8,
    /// A blob's pieces do not fit together, or the blob is too long.
    IncompleteBlob = 9,
    /// A thread died while the arguments of a call were being read. The record's method and object are that call's, which
    /// never reached the runtime.
    UnreadArguments = 10,
    /// A thread ended within a call, while it wrote a blob or a long payload. No complete call is missing.
    Unfinished = 11,
}

/// The first 16 bytes of every record, little-endian.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Header {
    /// Bytes of the whole record, header included; a multiple of 8.
    pub size: u32,
    /// `d3d12::model::MethodId`; 0 where there is no call.
    pub method: u16,
    /// [`Kind`] as a number.
    pub kind: u8,
    /// [`SEQUENCE`], [`TICKS`], [`ORDERED`], [`AFTER`], [`LEAVES`].
    pub flags: u8,
    /// The object concerned; 0 for none.
    pub object: u32,
    /// By kind: order on the object, blob number, subresource.
    pub ordinal: u32,
}

const _: () = assert!(size_of::<Header>() == HEADER);

impl Header {
    /// The header as it is stored.
    pub fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0..4].copy_from_slice(&self.size.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.method.to_le_bytes());
        bytes[6] = self.kind;
        bytes[7] = self.flags;
        bytes[8..12].copy_from_slice(&self.object.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.ordinal.to_le_bytes());
        bytes
    }

    /// Reads the fields; checks nothing.
    pub fn from_bytes(b: &[u8; HEADER]) -> Header {
        Header {
            size: u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            method: u16::from_le_bytes([b[4], b[5]]),
            kind: b[6],
            flags: b[7],
            object: u32::from_le_bytes([b[8], b[9], b[10], b[11]]),
            ordinal: u32::from_le_bytes([b[12], b[13], b[14], b[15]]),
        }
    }
}

/// Bytes of header and optional words together.
#[inline(always)]
pub const fn head_size(flags: u8) -> usize {
    HEADER + 8 * (flags & (SEQUENCE | TICKS | AFTER)).count_ones() as usize
}

/// Rounds a payload up to the records' alignment.
#[inline(always)]
pub const fn padded(bytes: usize) -> usize {
    (bytes + ALIGN - 1) & !(ALIGN - 1)
}

/// Bytes that do not form a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Malformed {
    /// Fewer bytes than a header, or than the header promises.
    #[error("the record needs {needed} bytes, {left} are left")]
    Short {
        /// Bytes that the record needs.
        needed: u64,
        /// Bytes that there are.
        left: u64,
    },
    /// Too small for its own flags, or no multiple of 8.
    #[error("a record of kind {kind} with flags {flags:#x} cannot have a size of {size} bytes")]
    Size {
        /// The size stated.
        size: u32,
        /// The kind's number.
        kind: u8,
        /// The flags.
        flags: u8,
    },
    /// No such kind.
    #[error("unknown kind of record {0}")]
    Kind(u8),
    /// A flag that no version defines.
    #[error("unknown flags {0:#x}")]
    Flags(u8),
    /// One thread more than a chunk may be of.
    #[error("the chunk has records of more than {0} threads")]
    Threads(usize),
}

/// A record within a buffer, its optional words taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The header.
    pub header: Header,
    /// The kind, known to be valid.
    pub kind: Kind,
    /// The global sequence number; 0 for none (numbers start at 1).
    pub sequence: u64,
    /// The time stamp counter; 0 for none.
    pub ticks: u64,
    /// All sequence numbers below this one come before the record; 0 for none.
    pub after: u64,
    /// What follows; padded with zeros to a multiple of 8.
    pub payload: &'a [u8],
}

impl<'a> Record<'a> {
    /// Takes the record at the beginning of `bytes`; it ends at `header.size`.
    ///
    /// # Errors
    /// The bytes are no record, or it does not lie whole within them.
    #[inline(always)]
    pub fn parse(bytes: &'a [u8]) -> Result<Record<'a>, Malformed> {
        let left = bytes.len() as u64;
        let Some(first) = bytes.first_chunk::<8>() else {
            return Err(Malformed::Short { needed: 8, left });
        };
        let size = u32::from_le_bytes([first[0], first[1], first[2], first[3]]);
        let (number, flags) = (first[6], first[7]);
        let kind = Kind::from_u8(number).ok_or(Malformed::Kind(number))?;
        if flags & !ALL_FLAGS != 0 {
            return Err(Malformed::Flags(flags));
        }
        let head = if kind == Kind::Pad { 8 } else { head_size(flags) };
        if (size as usize) < head || !(size as usize).is_multiple_of(ALIGN) {
            return Err(Malformed::Size { size, kind: number, flags });
        }
        let Some(whole) = bytes.get(..size as usize) else {
            return Err(Malformed::Short { needed: size.into(), left });
        };
        let Some((fields, mut rest)) = whole.split_first_chunk::<HEADER>() else {
            // A pad of 8 bytes.
            let header = Header { size, kind: number, ..Header::default() };
            return Ok(Record { header, kind, sequence: 0, ticks: 0, after: 0, payload: &[] });
        };
        let mut word = |flag| match rest.split_first_chunk::<8>() {
            Some((word, tail)) if flags & flag != 0 && kind != Kind::Pad => {
                rest = tail;
                u64::from_le_bytes(*word)
            }
            _ => 0,
        };
        let (sequence, ticks, after) = (word(SEQUENCE), word(TICKS), word(AFTER));
        // The size is the checked one.
        let header = Header { size, kind: number, flags, ..Header::from_bytes(fields) };
        Ok(Record { header, kind, sequence, ticks, after, payload: rest })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_the_header_in_the_stated_order() {
        let mut bytes = Header { size: 48, method: 7, kind: 1, flags: SEQUENCE | TICKS | AFTER, object: 3, ordinal: 9 }
            .to_bytes()
            .to_vec();
        for word in [11u64, 12, 13, 14] {
            bytes.extend(word.to_le_bytes());
        }
        let record = Record::parse(&bytes).unwrap();
        assert_eq!((record.sequence, record.ticks, record.after), (11, 12, 13));
        assert_eq!(record.payload, 14u64.to_le_bytes());
        assert_eq!((record.header.method, record.header.object, record.header.ordinal), (7, 3, 9));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let good = Header { size: 24, kind: 1, flags: SEQUENCE, ..Header::default() };
        let with = |header: Header| {
            let mut bytes = header.to_bytes().to_vec();
            bytes.resize(24, 0);
            Record::parse(&bytes).map(|_| ())
        };
        assert_eq!(with(good), Ok(()));
        assert!(matches!(with(Header { size: 32, ..good }), Err(Malformed::Short { needed: 32, left: 24 })));
        for size in [0, 8, 16, 20, 23] {
            assert!(matches!(with(Header { size, ..good }), Err(Malformed::Size { .. })), "{size}");
        }
        assert_eq!(with(Header { kind: 12, ..good }), Err(Malformed::Kind(12)));
        assert_eq!(with(Header { flags: 32, ..good }), Err(Malformed::Flags(32)));
        assert!(Record::parse(&[8, 0, 0, 0, 0, 0, 0, 0]).is_ok());
        assert!(Record::parse(&[8, 0, 0, 0, 0, 0, 1, 0]).is_err());
    }
}
