//! Packs the records of a chunk of events: only the difference from a prediction is stored.
//!
//! Records of one form (the first 8 bytes of their header: size, method, kind, flags) are much alike. A record is split into
//! lanes of 32 bits. The prediction of a lane is its value in the last record of the form; a lane that has just grown by the
//! same amount twice is predicted to grow by it again. For each record the chunk has the number of its form, one bit for each
//! lane that says whether the prediction was wrong, and the wrongly predicted lanes. Packed records have about a quarter of the
//! bytes, so compression costs about a quarter, too.
//!
//! Owns this direction; [`unpack`](crate::file::unpack) is the other one. Invariants: packing loses nothing; a chunk is packed
//! by itself; one packed byte stands for at most [`EXPANSION`] bytes.

use std::collections::HashMap;

use crate::file::predict::{Instructions, KEY, OCT_WORDS, Oct};

/// How many words of 8 bytes of a record are predicted, from the one with object and ordinal on. Further words are stored as
/// they are.
pub(crate) const WORDS: usize = 32;
/// Lanes of as many words.
const LANES: usize = 2 * WORDS;
/// Most forms in a chunk; records of further forms are stored as they are.
pub(crate) const FORMS: usize = 1024;
/// Bytes of records that one packed byte can stand for: 264 of a form with all words take 9.
pub(crate) const EXPANSION: u64 = 32;
/// Sections of a packed chunk.
pub(crate) const SECTIONS: usize = 5;
/// The code of a record that is stored as it is.
pub(crate) const LITERAL: u32 = 0;

/// Bytes of a form's record, and how many of its words are predicted.
#[inline]
pub(crate) fn extent(key: u64) -> (usize, usize) {
    let size = key as u32 as usize;
    (size, (size.saturating_sub(8) / 8).min(WORDS))
}

/// Places for the forms that were looked up last.
const RECENT: usize = 2048;

/// Takes records and packs them.
pub(crate) struct Packer {
    instructions: Instructions,
    /// By code, from 1.
    forms: Vec<Packed>,
    octs: Vec<Oct>,
    codes_of: HashMap<u64, u32>,
    recent: Box<[(u64, u32)]>,
    codes: Vec<u8>,
    masks: Section<u8, 8>,
    lanes: Section<[u8; 4], LANES>,
    keys: Vec<u64>,
    bytes: Vec<u8>,
    records: usize,
}

/// A form as the packer knows it.
#[derive(Clone, Copy)]
struct Packed {
    /// The first of its predictions among those of all forms.
    first: usize,
    /// How many there are: as many as a mask has bytes.
    octs: usize,
    /// Bytes of a record that are predicted, the key among them.
    extent: usize,
}

impl Default for Packer {
    fn default() -> Packer {
        Packer {
            instructions: Instructions::best(),
            forms: Vec::new(),
            octs: Vec::new(),
            codes_of: HashMap::new(),
            recent: vec![(0, LITERAL); RECENT].into_boxed_slice(),
            codes: Vec::new(),
            masks: Section::new(),
            lanes: Section::new(),
            keys: Vec::new(),
            bytes: Vec::new(),
            records: 0,
        }
    }
}

impl Packer {
    /// Bytes of the records so far.
    #[inline]
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.forms.clear();
        self.octs.clear();
        self.codes_of.clear();
        self.recent.fill((0, LITERAL));
        self.codes.clear();
        self.masks.used = 0;
        self.lanes.used = 0;
        self.keys.clear();
        self.bytes.clear();
        self.records = 0;
    }

    /// Adds a record: its header, and what follows that, padded.
    #[inline]
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.push_some(record, u64::MAX);
    }

    /// As [`Packer::push`]; of the second half of the header only the bits in `keep` are taken, the others are zero.
    #[inline]
    pub(crate) fn push_some(&mut self, record: &[u8], keep: u64) {
        let Some((key, rest)) = record.split_first_chunk::<KEY>() else { return };
        let key = u64::from_le_bytes(*key);
        debug_assert_eq!(key as u32 as usize, record.len());
        self.records += record.len();
        let recent = self.recent[place(key)];
        let code = if recent.0 == key { recent.1 } else { self.code(key) };
        put_code(&mut self.codes, code);
        let Some(&form) = self.forms.get((code as usize).wrapping_sub(1)) else {
            let Some((second, rest)) = rest.split_first_chunk() else { return };
            self.bytes.extend_from_slice(&key.to_le_bytes());
            self.bytes.extend_from_slice(&(u64::from_le_bytes(*second) & keep).to_le_bytes());
            self.bytes.extend_from_slice(rest);
            return;
        };
        let Some(octs) = self.octs.get_mut(form.first..form.first + form.octs) else { return };
        let new = self.instructions.compare(octs, record, keep, self.lanes.room());
        self.lanes.used += new.number;
        *self.masks.room() = new.mask.to_le_bytes();
        self.masks.used += form.octs;
        if record.len() > form.extent {
            self.bytes.extend_from_slice(&record[form.extent..]);
        }
    }

    /// The code of a form, which is noted among the recent ones.
    #[cold]
    #[inline(never)]
    fn code(&mut self, key: u64) -> u32 {
        let code = match self.codes_of.get(&key) {
            Some(&code) => code,
            None if self.codes_of.len() >= FORMS => return LITERAL,
            None => {
                let words = extent(key).1;
                let octs = words.div_ceil(OCT_WORDS);
                self.forms.push(Packed { first: self.octs.len(), octs, extent: KEY + 8 * words });
                self.octs.resize(self.octs.len() + octs, Oct::default());
                self.codes_of.insert(key, self.forms.len() as u32);
                self.keys.push(key);
                self.forms.len() as u32
            }
        };
        self.recent[place(key)] = (key, code);
        code
    }

    /// Appends what was packed: the length of each section, then the sections.
    pub(crate) fn put(&self, to: &mut Vec<u8>) {
        let (masks, lanes, keys) = (self.masks.bytes(), self.lanes.bytes().as_flattened(), 8 * self.keys.len());
        let lengths: [usize; SECTIONS] = [self.codes.len(), masks.len(), lanes.len(), keys, self.bytes.len()];
        to.reserve(lengths.iter().sum::<usize>() + 4 * SECTIONS);
        lengths.iter().for_each(|length| to.extend_from_slice(&(*length as u32).to_le_bytes()));
        to.extend_from_slice(&self.codes);
        to.extend_from_slice(masks);
        to.extend_from_slice(lanes);
        self.keys.iter().for_each(|key| to.extend_from_slice(&key.to_le_bytes()));
        to.extend_from_slice(&self.bytes);
    }
}

/// A section that is written through a window of fixed size: neither a look at the capacity nor a copy of some length for
/// every piece. `T` is what is counted, `N` how many of them the window has.
struct Section<T, const N: usize> {
    place: Vec<T>,
    used: usize,
}

impl<T: Copy + Default, const N: usize> Section<T, N> {
    fn new() -> Section<T, N> {
        Section { place: vec![T::default(); N], used: 0 }
    }

    /// What follows what is in use.
    #[inline(always)]
    fn room(&mut self) -> &mut [T; N] {
        if self.place.len() < self.used + N {
            self.grow();
        }
        let Some(room) = self.place[self.used..].first_chunk_mut() else { unreachable!("grown") };
        room
    }

    #[cold]
    fn grow(&mut self) {
        self.place.resize(2 * (self.used + N), T::default());
    }

    fn bytes(&self) -> &[T] {
        &self.place[..self.used]
    }
}

/// Where a form is among the recent ones.
#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize
}

/// Seven bits a byte, lowest first; the highest bit says that more follow.
#[inline]
fn put_code(to: &mut Vec<u8>, mut code: u32) {
    while code >= 128 {
        to.push(code as u8 | 128);
        code >>= 7;
    }
    to.push(code as u8);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::file::laid::Laid;
    use crate::file::unpack::{Found, Unpacker};
    use crate::record::{HEADER, Header};
    use proptest::prelude::*;

    fn record(method: u16, object: u32, words: &[u64]) -> Vec<u8> {
        let size = (HEADER + 8 * words.len()) as u32;
        let mut bytes = Header { size, method, kind: 1, object, ..Header::default() }.to_bytes().to_vec();
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    fn pack(records: &[Vec<u8>]) -> Packer {
        let mut packer = Packer::default();
        for record in records {
            packer.push(record);
        }
        packer
    }

    /// All records together, and the bytes behind them; `None` where there is damage. Also checks each record's `Turn`: a lane that
    /// it calls unchanged must be equal to that of the record before.
    fn unpack(packed: &[u8], records: usize) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut laid = Laid::default();
        assert!(Unpacker::new(packed.to_vec(), records).is_none_or(|mut unpacker| laid.lay(&mut unpacker)));
        let mut unpacker = Unpacker::new(packed.to_vec(), records)?;
        let (behind, mut all) = (unpacker.behind().to_vec(), Vec::new());
        let mut last: HashMap<usize, (u64, Vec<u8>)> = HashMap::new();
        loop {
            let found = unpacker.advance();
            assert_eq!((laid.advance(), laid.position()), (found, unpacker.position()));
            match found {
                Found::End => return Some((all, behind)),
                Found::Damage => {
                    assert_eq!((unpacker.advance(), laid.advance()), (found, found));
                    return None;
                }
                Found::Plain(head) => {
                    let (ahead, here) = (laid.plain(head).unwrap(), unpacker.plain(head).unwrap());
                    assert_eq!((ahead.0, ahead.1), (here.0, here.1));
                    // Each taking apart has numbers of its own.
                    let number = |number: u64, turns: u64| number.saturating_sub(turns);
                    assert_eq!((ahead.2.form, ahead.2.changed), (here.2.form, here.2.changed));
                    assert_eq!(number(ahead.2.number, laid.turns()), number(here.2.number, unpacker.turns()));
                    assert!(ahead.2.number == 0 || ahead.2.number > laid.turns());
                }
                Found::Record => {}
            }
            all.extend_from_slice(unpacker.record());
            assert_eq!((laid.record(), laid.position()), (unpacker.record(), all.len()));
            assert_eq!(unpacker.position(), all.len());
            let (_, payload, turn) = unpacker.plain(HEADER).unwrap();
            if turn.number == 0 {
                continue;
            }
            if let Some((number, before)) = last.insert(turn.form, (turn.number, payload.to_vec())) {
                assert_eq!(turn.number, number + 1);
                for (lane, (here, before)) in payload.chunks(4).zip(before.chunks(4)).enumerate() {
                    assert!(here == before || turn.changed >> lane & 1 != 0, "lane {lane} of {turn:?}");
                }
            }
        }
    }

    fn check(records: &[Vec<u8>]) {
        let packer = pack(records);
        let (whole, mut packed) = (records.concat(), Vec::new());
        packer.put(&mut packed);
        assert!((packed.len() as u64 - 20) * EXPANSION >= whole.len() as u64);
        packed.extend(b"state");
        assert_eq!(packer.records(), whole.len());
        let (unpacked, rest) = unpack(&packed, whole.len()).unwrap();
        assert_eq!((unpacked, rest), (whole.clone(), b"state".to_vec()));
        assert!(unpack(&packed, whole.len() + 8).is_none());
        for end in 0..packed.len() - 5 {
            assert!(unpack(&packed[..end], whole.len()).is_none(), "{end} bytes");
        }
    }

    #[test]
    fn what_is_as_expected_takes_two_bytes_a_record() {
        let records: Vec<_> = (0..100).map(|i| record(7, 3, &[5, 0x1000 + 256 * i])).collect();
        let packer = pack(&records);
        assert_eq!((packer.codes.len(), packer.masks.used, packer.keys.len(), packer.bytes.len()), (100, 100, 1, 0));
        // Object, first argument, and the second twice more, until it has grown by the same amount twice.
        assert_eq!(packer.lanes.used, 5);
        check(&records);
    }

    #[test]
    fn more_forms_than_there_are_codes_and_long_records_are_kept() {
        let records: Vec<_> = (0..1500u16).map(|method| record(method, 1, &[u64::from(method); 2])).collect();
        check(&records[..1100]);
        check(&[record(1, 2, &[3; 100]), record(1, 2, &[4; 100]), record(2, 2, &[]), record(1, 2, &[3; 100])]);
        let packer = pack(&records);
        assert_eq!(packer.bytes.len(), (1500 - FORMS) * 32);
    }

    proptest! {
        #[test]
        fn packing_loses_nothing(
            records in prop::collection::vec((0..4u16, 0..3u32, prop::collection::vec(0..4u64, 0..40), any::<u64>()), 0..60),
        ) {
            let records: Vec<Vec<u8>> = records
                .into_iter()
                .map(|(method, object, words, far)| {
                    let words: Vec<u64> = words.iter().map(|word| word.wrapping_mul(far >> (8 * word))).collect();
                    record(method, object, &words)
                })
                .collect();
            check(&records);
        }

        #[test]
        fn anything_is_unpacked_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), records in 0..4000usize) {
            if let Some((unpacked, _)) = unpack(&bytes, records) {
                prop_assert_eq!(unpacked.len(), records);
                prop_assert!(records as u64 <= bytes.len() as u64 * EXPANSION);
            }
            // The same with lengths that fit.
            let cuts = [bytes.len() / 4, bytes.len() / 4, bytes.len() / 4, bytes.len() / 8];
            let last = bytes.len() - cuts.iter().sum::<usize>();
            let lengths = cuts.into_iter().chain([last]).flat_map(|len| (len as u32).to_le_bytes());
            let packed: Vec<u8> = lengths.chain(bytes).collect();
            if let Some((unpacked, _)) = unpack(&packed, records) {
                prop_assert_eq!(unpacked.len(), records);
            }
        }
    }
}
