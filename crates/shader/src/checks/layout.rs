//! What lies in the buffers of checks: what the process writes for shaders, and what shaders write for it. Pure.
//!
//! A *record* belongs to one draw or dispatch. Its first words say where the facts about the bound heaps are; behind them each kind of
//! fault has [`FAULT_WORDS`] words of its own. Records and the table of what is alive begin with [`BEFORE`] bytes that nobody
//! uses, because the translator's type of such buffers has other members there.

use crate::Stage;

/// Bytes before the first word of a record, and of the table of what is alive.
pub const BEFORE: usize = 44;
/// Words of a record.
pub const RECORD_WORDS: usize = 112;
/// Words of a fault. Kind `n` has those from `n` times as many on.
pub const FAULT_WORDS: u32 = 16;
/// Of a fault: not 0 once the rest is written.
pub const DONE: u32 = 1;
/// Of a fault: the first word of the rest.
pub const FIRST_SAID: u32 = 2;
/// Places of uses are counted up to here.
pub const MOST_SITES: u32 = 0xffff;
/// In the place of a table's word: the index comes from no table.
pub const NO_WORD: u32 = 0xffff;

/// Words that the process writes, by number. Addresses have two, the low one first.
pub mod word {
    /// Address of the facts about the heap of views, or 0.
    pub const VIEWS: u32 = 0;
    /// Address of the facts about the heap of samplers, or 0.
    pub const SAMPLERS: u32 = 2;
    /// Address of the table of what is alive, one bit a cookie.
    pub const LIVE: u32 = 4;
    /// A bit for each word of the root arguments that is a table of another heap than the one that is set; two words.
    pub const OTHERS: u32 = 6;
}

/// What a descriptor is good for, one bit each. The first seven and the last are the translator's numbers.
pub mod types {
    /// A texture that is read.
    pub const SAMPLED_IMAGE: u32 = 1;
    /// A texture that is written.
    pub const STORAGE_IMAGE: u32 = 2;
    /// A constant buffer.
    pub const CONSTANT_BUFFER: u32 = 4;
    /// A raw or structured buffer.
    pub const RAW_BUFFER: u32 = 8;
    /// A typed buffer that is read.
    pub const UNIFORM_TEXELS: u32 = 16;
    /// A typed buffer that is written.
    pub const STORAGE_TEXELS: u32 = 32;
    /// An acceleration structure.
    pub const ACCELERATION: u32 = 64;
    /// A sampler.
    pub const SAMPLER: u32 = 128;
    /// An address beside the descriptor: of a counter, or of an acceleration structure.
    pub const ADDRESS: u32 = 256;

    /// What the bits mean, in words.
    pub fn in_words(types: u32) -> String {
        const NAMES: [(u32, &str); 9] = [
            (SAMPLED_IMAGE, "texture SRV"),
            (STORAGE_IMAGE, "texture UAV"),
            (CONSTANT_BUFFER, "CBV"),
            (RAW_BUFFER, "raw or structured buffer"),
            (UNIFORM_TEXELS, "typed buffer SRV"),
            (STORAGE_TEXELS, "typed buffer UAV"),
            (ACCELERATION, "acceleration structure"),
            (SAMPLER, "sampler"),
            (ADDRESS, "UAV counter"),
        ];
        // An acceleration structure is found by its address.
        let shown = if types & ACCELERATION != 0 { types & !ADDRESS } else { types };
        let named: Vec<&str> = NAMES.iter().filter(|(bit, _)| shown & bit != 0).map(|(_, name)| *name).collect();
        if named.is_empty() { "nothing".to_owned() } else { named.join(" or ") }
    }
}

/// What is wrong with a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Kind {
    /// The index is none of the heap's, or there is no heap.
    Index = 1,
    /// The descriptor was never written.
    Unwritten = 2,
    /// The descriptor is of another type.
    Type = 3,
    /// The resource is gone.
    Gone = 4,
    /// The table is of another heap than the one that is set.
    Heap = 5,
    /// The address of a root descriptor lies in no buffer that lives. No shader writes this one: the process knows it.
    Root = 6,
}

impl Kind {
    /// All kinds that shaders write, in the order of their numbers.
    pub const ALL: [Kind; 5] = [Kind::Index, Kind::Unwritten, Kind::Type, Kind::Gone, Kind::Heap];
}

/// A place of use in one word: its number, and the word of the root arguments that holds the table.
pub(crate) fn place(number: u32, table: Option<u32>) -> u32 {
    table.unwrap_or(NO_WORD).min(NO_WORD) << 16 | number.min(MOST_SITES)
}

/// What a shader wrote down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: Kind,
    /// Index in the heap.
    pub index: u32,
    /// What the descriptor would have to be.
    pub wanted: u32,
    /// The cookie of its resource; 0 is none.
    pub cookie: u32,
    /// What it is.
    pub found: u32,
    /// The number of the use in the shader, from 1; samplers are counted apart.
    pub site: u32,
    /// The word of the root arguments, behind the addresses, that holds the table; `None` where the heap is indexed directly.
    pub table: Option<u32>,
    /// Descriptors of the heap.
    pub count: u32,
    /// The number that the process gave the descriptor when it was written.
    pub written: u32,
    /// A hash of the shader's container.
    pub shader: u64,
    /// The shader's stage.
    pub stage: Option<Stage>,
}

/// The faults of a record, which begins behind [`BEFORE`].
pub fn faults(record: &[u32]) -> Vec<Fault> {
    let read = |kind: Kind| {
        let base = (kind as u32 * FAULT_WORDS) as usize;
        let words = record.get(base..base + FAULT_WORDS as usize)?;
        if words[DONE as usize] == 0 {
            return None;
        }
        let said = &words[FIRST_SAID as usize..];
        let table = said[4] >> 16;
        Some(Fault {
            kind,
            index: said[0],
            wanted: said[1],
            cookie: said[2],
            found: said[3],
            site: said[4] & MOST_SITES,
            table: (table != NO_WORD).then_some(table),
            count: said[5],
            shader: u64::from(said[6]) | u64::from(said[7]) << 32,
            stage: Stage::ALL.into_iter().find(|stage| *stage as u32 == said[8]),
            written: said[9],
        })
    };
    Kind::ALL.into_iter().filter_map(read).collect()
}

const _: () = assert!(RECORD_WORDS >= 6 * FAULT_WORDS as usize);
const _: () = assert!(word::OTHERS + 2 <= FAULT_WORDS);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_finished_faults_are_read() {
        let mut record = vec![0u32; RECORD_WORDS];
        let base = Kind::Type as usize * FAULT_WORDS as usize;
        record[base] = 1;
        assert_eq!(faults(&record), [], "claimed, not written yet");
        let said = [7, types::RAW_BUFFER, 3, types::SAMPLED_IMAGE, 5 << 16 | 2, 16, 0x89ab_cdef, 0x0123_4567, 5, 99];
        record[base + 2..base + 2 + said.len()].copy_from_slice(&said);
        record[base + 1] = 1;
        let expected = Fault {
            kind: Kind::Type,
            index: 7,
            wanted: types::RAW_BUFFER,
            cookie: 3,
            found: types::SAMPLED_IMAGE,
            site: 2,
            table: Some(5),
            count: 16,
            written: 99,
            shader: 0x0123_4567_89ab_cdef,
            stage: Stage::ALL.into_iter().find(|stage| *stage as u32 == 5),
        };
        assert_eq!(faults(&record), [expected]);
        for length in 0..record.len() {
            assert!(faults(&record[..length]).len() <= 1);
        }
    }

    #[test]
    fn a_place_is_a_number_and_a_word() {
        assert_eq!(place(3, Some(2)), 2 << 16 | 3);
        assert_eq!(place(3, None) >> 16, NO_WORD);
        assert_eq!(place(u32::MAX, Some(0)), MOST_SITES);
    }

    #[test]
    fn types_have_names() {
        assert_eq!(types::in_words(0), "nothing");
        assert_eq!(types::in_words(types::ACCELERATION | types::ADDRESS), "acceleration structure");
        assert_eq!(types::in_words(types::ADDRESS | types::RAW_BUFFER), "raw or structured buffer or UAV counter");
    }
}
