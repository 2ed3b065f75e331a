//! What the validator of DXIL wrote for runtimes (part `PSV0`): information about the shader, its registers, and a table of strings.
//!
//! The information has grown with shader models, and its size says how much of it there is. What a compiler appends later is left alone,
//! so the form of DXC 1.9 (60 bytes) reads as those before it. Invariant: bytes are untrusted; what is cut off is not there.

use crate::{Container, Tag};

/// The part, taken apart.
#[derive(Clone, Copy, Debug)]
pub struct Validation<'a> {
    information: &'a [u8],
    /// A register range each.
    rows: &'a [u8],
    row: usize,
    strings: &'a [u8],
}

const PSV0: Tag = Tag(*b"PSV0");
/// Where things lie in the information.
const THREADS: usize = 36;
const ENTRY: usize = 48;
const GROUP_SHARED: usize = 52;

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

/// Bytes with their size before them, and what lies behind them.
fn sized(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    bytes.get(4..)?.split_at_checked(word(bytes, 0)? as usize)
}

impl<'a> Validation<'a> {
    /// Reads a container's; `None` without the part, and where its sizes are impossible.
    #[must_use]
    pub fn of(container: &Container<'a>) -> Option<Validation<'a>> {
        let (information, rest) = sized(container.part(PSV0)?.data)?;
        let count = word(rest, 0)? as usize;
        // Without registers there is no size of a row.
        let (row, rest) = match count {
            0 => (0, &rest[4..]),
            _ => (word(rest, 4)? as usize, &rest[8..]),
        };
        let (rows, rest) = rest.split_at_checked(count.checked_mul(row)?)?;
        // The first form has no strings.
        let strings = sized(rest).map_or(&[][..], |(strings, _)| strings);
        Some(Validation { information, rows, row, strings })
    }

    /// Threads of a group; `None` for stages without groups.
    #[must_use]
    pub fn threads(&self) -> Option<[u32; 3]> {
        let count = |axis: usize| word(self.information, THREADS + 4 * axis);
        Some([count(0)?, count(1)?, count(2)?]).filter(|threads| *threads != [0; 3])
    }

    /// The name of the entry point.
    #[must_use]
    pub fn entry(&self) -> Option<&'a str> {
        let name = self.strings.get(word(self.information, ENTRY)? as usize..)?;
        let end = name.iter().position(|byte| *byte == 0)?;
        core::str::from_utf8(&name[..end]).ok().filter(|name| !name.is_empty())
    }

    /// Bytes of group memory; `None` where the compiler is too old to say.
    #[must_use]
    pub fn group_shared(&self) -> Option<u32> {
        word(self.information, GROUP_SHARED)
    }

    /// The registers: their kind as a number, space, first and last.
    pub(crate) fn registers(&self) -> impl Iterator<Item = [u32; 4]> + use<'a> {
        let rows = self.rows.chunks_exact(self.row.max(1));
        rows.filter_map(|row| Some([word(row, 0)?, word(row, 4)?, word(row, 8)?, word(row, 12)?]))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::container::build;

    /// A part with so many bytes of information, one row of registers, and strings.
    fn part(information: usize) -> Vec<u8> {
        let words: Vec<u8> = (0..information as u32 / 4).flat_map(u32::to_le_bytes).collect();
        let row = [3u32, 7, 2, 5].into_iter().flat_map(u32::to_le_bytes);
        let sizes = |sizes: [u32; 2]| sizes.into_iter().flat_map(u32::to_le_bytes);
        let mut part: Vec<u8> = (information as u32).to_le_bytes().into_iter().chain(words).collect();
        part.extend(sizes([1, 16]).chain(row).chain(16u32.to_le_bytes()).chain(*b"\0first\0second...\0"));
        part
    }

    /// Threads along an axis and bytes of group memory, the entry point, and registers.
    type Read = ([Option<u32>; 2], Option<String>, Vec<[u32; 4]>);

    fn of(part: &[u8]) -> Option<Read> {
        let container = build(&[(PSV0, part)]);
        let read = Validation::of(&Container::parse(&container).unwrap())?;
        let threads = read.threads().map(|threads| threads[0]);
        Some(([threads, read.group_shared()], read.entry().map(str::to_owned), read.registers().collect()))
    }

    #[test]
    fn what_is_there_depends_on_the_size() {
        let rows = vec![[3, 7, 2, 5]];
        // Each word of the information is its place in words.
        let name = "econd..".to_owned();
        assert_eq!(of(&part(24)), Some(([None, None], None, rows.clone())));
        assert_eq!(of(&part(48)), Some(([Some(9), None], None, rows.clone())));
        for size in [56, 60, 128] {
            let (numbers, entry, registers) = of(&part(size)).unwrap();
            assert_eq!((numbers, registers), ([Some(9), Some(13)], rows.clone()), "{size}");
            assert!(entry.is_none() || entry == Some(name.clone()));
        }
    }

    #[test]
    fn what_is_cut_off_is_not_there() {
        let whole = part(60);
        for end in (0..whole.len()).step_by(4) {
            let cut = of(&whole[..end]);
            assert!(cut.is_none() || end >= 4 + 60 + 8 + 16, "{end}");
        }
        let mut huge = whole;
        huge[64..72].copy_from_slice(&[0xff; 8]);
        assert_eq!(of(&huge), None);
    }
}
