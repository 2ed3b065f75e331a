//! Records as a chunk of events stores them: by what is other than expected.
//!
//! Records of one form (the first 8 bytes of their header: size, method, kind, flags) are much alike. Of each only a code for
//! the form is stored, one bit for each of its 32-bit lanes that says whether the lane is other than predicted, and those
//! lanes. A lane is predicted to be what it was in the last record of the form, or, where it has just grown by the same
//! amount twice, to grow by it again. What does not compress away is so what is new; and it is a quarter of the bytes, which
//! makes compression that much cheaper.
//!
//! Owns this direction; [`unpack`](crate::unpack) is the other one. Invariants: packing loses nothing; a chunk is packed by
//! itself; a byte stands for [`EXPANSION`] at most.

use std::collections::HashMap;

use crate::record::HEADER;

/// Words of 8 bytes in a record that are predicted, the one with object and ordinal first; what follows is stored as it is.
pub(crate) const WORDS: usize = 32;
/// Lanes of as many words.
const LANES: usize = 2 * WORDS;
/// Forms in a chunk; records of further ones are stored as they are.
pub(crate) const FORMS: usize = 1024;
/// Bytes of records that one packed byte can stand for: 264 of a form with all words take 9.
pub(crate) const EXPANSION: u64 = 32;
/// Sections of a packed chunk.
pub(crate) const SECTIONS: usize = 5;
/// The code of a record that is stored as it is.
pub(crate) const LITERAL: u32 = 0;

/// Four lanes.
pub(crate) type Lanes = [u32; 4];

/// What four neighbouring lanes were, and are expected to be.
#[derive(Clone, Copy, Default)]
struct Quad {
    /// What comes next.
    next: Lanes,
    /// What it was.
    value: Lanes,
    /// By how much it grew last.
    step: Lanes,
}

impl Quad {
    /// Whether nothing changes here where this comes.
    #[inline(always)]
    fn rests(&self, came: Lanes) -> bool {
        whole(came) ^ whole(self.next) | whole(self.step) == 0
    }

    /// Takes what came.
    #[inline(always)]
    fn take(&mut self, came: Lanes) {
        let step: Lanes = std::array::from_fn(|at| came[at].wrapping_sub(self.value[at]));
        let next =
            std::array::from_fn(|at| came[at].wrapping_add(if step[at] == self.step[at] { step[at] } else { 0 }));
        *self = Quad { next, value: came, step };
    }
}

#[inline(always)]
fn whole(lanes: Lanes) -> u128 {
    let [a, b, c, d] = lanes.map(u128::from);
    a | b << 32 | c << 64 | d << 96
}

/// The lanes of two words.
#[inline(always)]
fn lanes(first: u64, second: u64) -> Lanes {
    [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32]
}

/// Records of one form.
#[derive(Clone, Copy)]
struct Form {
    /// The first of its predictions among those of all forms.
    first: usize,
    /// Words that are predicted. Where they are odd, half of the last prediction is not in use.
    words: usize,
}

/// Bytes of a form's record, and how many of its words are predicted.
#[inline]
pub(crate) fn extent(key: u64) -> (usize, usize) {
    let size = key as u32 as usize;
    (size, (size.saturating_sub(8) / 8).min(WORDS))
}

/// Predictions by form. Code 1 is the first one.
#[derive(Default)]
struct Forms {
    forms: Vec<Form>,
    quads: Vec<Quad>,
}

impl Forms {
    fn clear(&mut self) {
        self.forms.clear();
        self.quads.clear();
    }

    /// Adds a form; gives its code.
    fn add(&mut self, words: usize) -> u32 {
        self.forms.push(Form { first: self.quads.len(), words });
        self.quads.resize(self.quads.len() + words.div_ceil(2), Quad::default());
        self.forms.len() as u32
    }

    /// The words of the form with this code that are predicted, and the predictions.
    #[inline(always)]
    fn of(&mut self, code: u32) -> Option<(usize, &mut [Quad])> {
        let form = self.forms.get((code as usize).wrapping_sub(1))?;
        Some((form.words, self.quads.get_mut(form.first..form.first + form.words.div_ceil(2))?))
    }
}

/// Places for the forms that were looked up last.
const RECENT: usize = 2048;

/// Takes records and packs them.
pub(crate) struct Packer {
    forms: Forms,
    codes_of: HashMap<u64, u32>,
    recent: Box<[(u64, u32)]>,
    codes: Vec<u8>,
    masks: Section<u8, 8>,
    lanes: Section<[u8; 4], LANES>,
    keys: Vec<u64>,
    bytes: Vec<u8>,
    records: usize,
}

impl Default for Packer {
    fn default() -> Packer {
        Packer {
            forms: Forms::default(),
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
    pub(crate) fn push(&mut self, header: &[u8; HEADER], rest: &[u8]) {
        let [first, second] = halves(header);
        debug_assert_eq!(first as u32 as usize, HEADER + rest.len());
        self.records += HEADER + rest.len();
        let recent = self.recent[place(first)];
        let code = if recent.0 == first { recent.1 } else { self.code(first) };
        put_code(&mut self.codes, code);
        let Some((count, quads)) = self.forms.of(code) else {
            self.bytes.extend_from_slice(header);
            self.bytes.extend_from_slice(rest);
            return;
        };
        let words = rest.as_chunks::<8>().0;
        let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
        let Some((first, further)) = quads.split_first_mut() else { return };
        let mut new = New { mask: 0, lanes: self.lanes.room(), number: 0 };
        new.compare(0, first, lanes(second, word(0)));
        // The first word of the rest went with the header's.
        let (pairs, last) = words.get(1..).unwrap_or(&[]).as_chunks::<2>();
        for (at, (quad, [low, high])) in further.iter_mut().zip(pairs).enumerate() {
            new.compare(4 * (at + 1), quad, lanes(u64::from_le_bytes(*low), u64::from_le_bytes(*high)));
        }
        if let ([last], Some(quad)) = (last, further.get_mut(pairs.len())) {
            new.compare(4 * (pairs.len() + 1), quad, lanes(u64::from_le_bytes(*last), 0));
        }
        let New { mask, number, .. } = new;
        self.lanes.used += number;
        *self.masks.room() = mask.to_le_bytes();
        self.masks.used += count.div_ceil(4);
        if rest.len() > 8 * count - 8 {
            self.bytes.extend_from_slice(&rest[8 * count - 8..]);
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
                let code = self.forms.add(extent(key).1);
                self.codes_of.insert(key, code);
                self.keys.push(key);
                code
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

/// What is new in a record.
struct New<'a> {
    mask: u64,
    lanes: &'a mut [[u8; 4]; LANES],
    number: usize,
}

impl New<'_> {
    /// Takes four lanes, the first of which is the one at `at`.
    #[inline(always)]
    fn compare(&mut self, at: usize, quad: &mut Quad, came: Lanes) {
        if quad.rests(came) {
            return;
        }
        // Without branches: which are kept is a matter of the numbers.
        for (index, lane) in came.into_iter().enumerate() {
            let other = lane != quad.next[index];
            self.lanes[self.number % LANES] = lane.to_le_bytes();
            self.number += usize::from(other);
            self.mask |= u64::from(other) << (at + index);
        }
        quad.take(came);
    }
}

/// Where a form is among the recent ones.
#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53) as usize
}

fn halves(header: &[u8; HEADER]) -> [u64; 2] {
    let whole = u128::from_le_bytes(*header);
    [whole as u64, (whole >> 64) as u64]
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
    use crate::record::Header;
    use crate::unpack::{Found, Unpacker};
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
            let (header, rest) = record.split_first_chunk().unwrap();
            packer.push(header, rest);
        }
        packer
    }

    /// All records together, and what follows them; `None` where there is damage.
    fn unpack(packed: &[u8], records: usize) -> Option<(Vec<u8>, Vec<u8>)> {
        let mut unpacker = Unpacker::new(packed.to_vec(), records)?;
        let (behind, mut all) = (unpacker.behind().to_vec(), Vec::new());
        loop {
            match unpacker.advance() {
                Found::End => return Some((all, behind)),
                Found::Damage => {
                    assert_eq!(unpacker.advance(), Found::Damage);
                    return None;
                }
                Found::Plain | Found::Record => all.extend_from_slice(unpacker.record()),
            }
            assert_eq!(unpacker.position(), all.len());
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
