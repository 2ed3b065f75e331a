//! Which elements of a resource's contents are NaN or infinite.
//!
//! Invariant: an element is marked by its bits as the view's format has them; contents of other formats are never looked at.

use crate::format::{Texel, texel, typed};

/// What an element holds in the place of a finite number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NoNumber {
    /// NaN in one of its channels.
    Nan,
    /// Infinity in one of its channels.
    Infinity,
}

impl NoNumber {
    /// Both of them.
    pub(crate) const ALL: [Self; 2] = [Self::Nan, Self::Infinity];
}

/// Elements whose values are kept, of each look.
const KEPT: usize = 256;

/// A subresource among the elements of a look.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The number of its first element.
    first: u64,
    subresource: u32,
    width: u32,
    height: u32,
}

/// Where an element lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// In a texture.
    Texel {
        /// As the API counts them.
        subresource: u32,
        /// Column, row and slice of depth.
        at: [u32; 3],
    },
    /// In a buffer: bytes from its beginning.
    Byte(u64),
}

/// A subresource that was copied: texels row by row, without gaps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'p> {
    pub(crate) subresource: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) bytes: &'p [u8],
}

/// What a look at a resource showed.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// The submission that made the copy, and the copy's turn in it.
    pub(crate) at: (u64, usize),
    pub(crate) marks: Marks,
}

/// The elements of one look that are NaN or infinite.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// A bit for each element, by [`NoNumber`]: words, and how often each follows one another. Words at the end that have no bit are
    /// left out. A texture that is cleared to infinity takes one.
    bits: [Vec<(u64, u64)>; 2],
    spans: Vec<Span>,
    /// Of a buffer: where the look begins, and the bytes of an element.
    buffer: Option<(u64, u64)>,
    /// The values of the first elements that are marked.
    values: Vec<(u64, Vec<f32>)>,
}

/// Whether values of this `DXGI_FORMAT` can be NaN or infinite.
pub(crate) fn is_float(format: u32) -> bool {
    // Those of `R32G32B32A32_FLOAT` … `R16_FLOAT`; typeless ones have a view with a type.
    matches!(format, 2 | 6 | 10 | 16 | 26 | 34 | 41 | 54)
}

/// Bytes of an element of a format that [`is_float`] takes.
pub(crate) fn element_bytes(format: u32) -> Option<u64> {
    texel(format).filter(|_| is_float(format)).map(|texel| u64::from(texel.bytes()))
}

impl Marks {
    /// Looks at bytes from an offset of a buffer, as a view of this format has them.
    ///
    /// # Errors
    /// The format is none of floats.
    pub(crate) fn of_buffer(offset: u64, bytes: &[u8], format: u32) -> Result<Self, String> {
        let channels = channels(format)?;
        let mut marks = Self { buffer: Some((offset, u64::from(channels.bytes()))), ..Self::default() };
        marks.scan(0, bytes, channels);
        Ok(marks)
    }

    /// Looks at subresources of a texture of the format `own`, as a view of `format` has them.
    ///
    /// # Errors
    /// The view's format is none of floats, or has other texels.
    pub(crate) fn of_texture<'p>(
        own: u32,
        pieces: impl Iterator<Item = Piece<'p>>,
        format: u32,
    ) -> Result<Self, String> {
        let channels = channels(format)?;
        if texel(typed(own, 0)).is_some_and(|own| own.bytes() != channels.bytes()) {
            return Err(format!("a view of DXGI format {format} has other texels than the texture"));
        }
        let mut marks = Self::default();
        let mut first = 0;
        for Piece { subresource, width, height, bytes } in pieces {
            marks.spans.push(Span { first, subresource, width, height });
            marks.scan(first, bytes, channels);
            first += bytes.len() as u64 / u64::from(channels.bytes());
        }
        Ok(marks)
    }

    fn scan(&mut self, first: u64, bytes: &[u8], channels: Texel) {
        let size = channels.bytes() as usize;
        let mut words = self.bits.each_mut().map(Words::after);
        for (at, element) in (first..).zip(bytes.chunks_exact(size)) {
            let found = no_numbers(element, channels);
            if found == [false; 2] {
                continue;
            }
            words.iter_mut().zip(found).filter(|(_, found)| *found).for_each(|(words, _)| words.set(at));
            if self.values.len() < KEPT {
                self.values.push((at, values(element, channels)));
            }
        }
        words.into_iter().for_each(Words::finish);
    }

    /// The first element that is marked here and was not marked `before`, and how many there are.
    pub(crate) fn since(&self, before: &Self, what: NoNumber) -> Option<(u64, u64)> {
        let [own, old] = [&self.bits[what as usize], &before.bits[what as usize]];
        let words = expanded(own).zip(expanded(old).chain(std::iter::repeat(0))).map(|(own, old)| own & !old);
        let (mut first, mut count) = (None, 0);
        for (at, word) in (0..).zip(words).filter(|(_, word)| *word != 0) {
            first = first.or(Some(at * 64 + u64::from(word.trailing_zeros())));
            count += u64::from(word.count_ones());
        }
        Some((first?, count))
    }

    /// Where an element lies.
    pub(crate) fn place(&self, element: u64) -> Element {
        if let Some((offset, size)) = self.buffer {
            return Element::Byte(offset + element * size);
        }
        let span = self.spans.iter().rev().find(|span| span.first <= element);
        let span = span.copied().unwrap_or(Span { first: 0, subresource: 0, width: 1, height: 1 });
        let at = element - span.first;
        let (width, height) = (u64::from(span.width.max(1)), u64::from(span.height.max(1)));
        let at = [at % width, at / width % height, at / (width * height)].map(|part| part as u32);
        Element::Texel { subresource: span.subresource, at }
    }

    /// The channels of an element, where they were kept.
    pub(crate) fn value(&self, element: u64) -> Vec<f32> {
        let kept = self.values.binary_search_by_key(&element, |(at, _)| *at);
        kept.map(|at| self.values[at].1.clone()).unwrap_or_default()
    }
}

/// The words of runs.
fn expanded(runs: &[(u64, u64)]) -> impl Iterator<Item = u64> {
    runs.iter().flat_map(|(word, count)| (0..*count).map(move |_| *word))
}

/// Bits that are set one after another, from the last word on.
struct Words<'b> {
    runs: &'b mut Vec<(u64, u64)>,
    /// The number of the word, and the word.
    at: u64,
    word: u64,
}

impl<'b> Words<'b> {
    /// Goes on where the runs end.
    fn after(runs: &'b mut Vec<(u64, u64)>) -> Self {
        let words: u64 = runs.iter().map(|(_, count)| count).sum();
        // The last word may get more bits.
        let last = runs.last().map_or(0, |(word, _)| *word);
        match runs.last_mut() {
            Some((_, count)) if *count > 1 => *count -= 1,
            _ => _ = runs.pop(),
        }
        Self { runs, at: words.saturating_sub(1), word: last }
    }

    /// Sets a bit that is none before the last.
    fn set(&mut self, bit: u64) {
        if bit / 64 > self.at {
            self.push(self.word, 1);
            self.push(0, bit / 64 - self.at - 1);
            (self.at, self.word) = (bit / 64, 0);
        }
        self.word |= 1 << (bit % 64);
    }

    fn push(&mut self, word: u64, count: u64) {
        match self.runs.last_mut() {
            Some((last, times)) if *last == word => *times += count,
            _ if count > 0 => self.runs.push((word, count)),
            _ => {}
        }
    }

    fn finish(mut self) {
        if self.word != 0 {
            self.push(self.word, 1);
        }
    }
}

fn channels(format: u32) -> Result<Texel, String> {
    let channels = texel(format).filter(|_| is_float(format));
    channels.ok_or_else(|| format!("DXGI format {format} is none of floats"))
}

/// By [`NoNumber`].
fn no_numbers(element: &[u8], channels: Texel) -> [bool; 2] {
    let mut found = [false; 2];
    // An exponent of all ones: infinity without further bits, else NaN.
    let mut look = |bits: u32, fraction: u32, exponent: u32| {
        if bits >> fraction & exponent == exponent {
            let is_infinity = bits & ((1 << fraction) - 1) == 0;
            found[usize::from(is_infinity)] = true;
        }
    };
    match channels {
        Texel::Floats(_) => {
            element.as_chunks::<4>().0.iter().for_each(|word| look(u32::from_le_bytes(*word), 23, 0xff));
        }
        Texel::Halves(_) => {
            element.as_chunks::<2>().0.iter().for_each(|half| look(u16::from_le_bytes(*half).into(), 10, 0x1f));
        }
        Texel::SmallFloats => {
            let word = element.first_chunk::<4>().map_or(0, |word| u32::from_le_bytes(*word));
            look(word & 0x7ff, 6, 0x1f);
            look(word >> 11 & 0x7ff, 6, 0x1f);
            look(word >> 22, 5, 0x1f);
        }
        _ => {}
    }
    found
}

fn values(element: &[u8], channels: Texel) -> Vec<f32> {
    match channels {
        Texel::Floats(_) => element.as_chunks::<4>().0.iter().map(|word| f32::from_le_bytes(*word)).collect(),
        Texel::Halves(_) => element.as_chunks::<2>().0.iter().map(|it| half(u16::from_le_bytes(*it))).collect(),
        Texel::SmallFloats => {
            let word = element.first_chunk::<4>().map_or(0, |word| u32::from_le_bytes(*word));
            [(word & 0x7ff) << 4, (word >> 11 & 0x7ff) << 4, (word >> 22) << 5].map(|it| half(it as u16)).to_vec()
        }
        _ => Vec::new(),
    }
}

/// A float of 16 bits.
fn half(bits: u16) -> f32 {
    ::half::f16::from_bits(bits).to_f32()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALVES: u32 = 34;
    const SMALL: u32 = 26;
    const FLOAT: u32 = 41;

    fn buffer(bytes: Vec<u8>, format: u32) -> Marks {
        Marks::of_buffer(32, &bytes, format).unwrap()
    }

    #[test]
    fn halves_are_told_apart() {
        // 1 and infinity; 65504 and 2^-24; NaN and -infinity.
        let words: [u16; 6] = [0x3c00, 0x7c00, 0x7bff, 0x0001, 0x7e01, 0xfc00];
        let marks = buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect(), HALVES);
        let none = Marks::default();
        assert_eq!(marks.since(&none, NoNumber::Infinity), Some((0, 2)));
        assert_eq!(marks.since(&none, NoNumber::Nan), Some((2, 1)));
        assert_eq!(marks.place(2), Element::Byte(40));
        assert_eq!(marks.value(0), [1.0, f32::INFINITY]);
        assert_eq!([half(0x7bff), half(0x0001), half(0xc000)], [65504.0, 2f32.powi(-24), -2.0]);
        assert_eq!(marks.since(&marks, NoNumber::Nan), None);
    }

    /// Against a plain set of elements, with pieces that end within a word.
    #[test]
    fn runs_of_words_hold_the_bits_that_were_set() {
        let mut random = 1u32;
        for round in 0..200 {
            let mut next = || {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                random >> 16
            };
            let sizes = [next() as usize % 300, next() as usize % 300, next() as usize % 20];
            let density = [1, 2, 3, 100][round % 4];
            let mut looks = Vec::new();
            let mut sets = Vec::new();
            for _ in 0..2 {
                let pieces = sizes.map(|size| {
                    let word = |_| if next() % density == 0 { f32::NAN } else { 1.0 };
                    (0..size).map(word).collect::<Vec<f32>>()
                });
                sets.push(pieces.concat().iter().map(|value| value.is_nan()).collect::<Vec<bool>>());
                let bytes = pieces.map(|piece| piece.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>());
                let piece = |bytes| Piece { subresource: 0, width: 1, height: 1, bytes };
                looks.push(Marks::of_texture(FLOAT, bytes.iter().map(|bytes| piece(&bytes[..])), FLOAT).unwrap());
            }
            let new: Vec<u64> = (0..)
                .zip(sets[1].iter().zip(&sets[0]))
                .filter(|(_, (own, old))| **own && !**old)
                .map(|it| it.0)
                .collect();
            let expected = new.first().map(|first| (*first, new.len() as u64));
            assert_eq!(looks[1].since(&looks[0], NoNumber::Nan), expected, "round {round}");
        }
    }

    #[test]
    fn every_channel_of_small_floats_is_looked_at() {
        for (word, expected) in [
            (0x7c0, [false, true]),
            (0x7c1, [true, false]),
            (0x7c0 << 11, [false, true]),
            (0x7ff << 11, [true, false]),
            (0x3e0 << 22, [false, true]),
            (0x3e1 << 22, [true, false]),
            (0x7bf | 0x7bf << 11 | 0x3df << 22, [false, false]),
        ] {
            let word: u32 = word;
            let marks = buffer(word.to_le_bytes().to_vec(), SMALL);
            let found = NoNumber::ALL.map(|what| marks.since(&Marks::default(), what).is_some());
            assert_eq!(found, expected, "{word:#x}");
        }
    }

    #[test]
    fn elements_are_placed_in_their_subresource() {
        let float = |at: &[usize]| {
            let mut words = [1f32; 12];
            at.iter().for_each(|at| words[*at] = f32::NAN);
            words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()
        };
        let look = |at: &[usize]| {
            let contents = [(4, float(&[])), (5, float(at))];
            let piece = |(subresource, bytes)| Piece { subresource, width: 3, height: 2, bytes };
            Marks::of_texture(FLOAT, contents.iter().map(|(at, bytes)| piece((*at, &bytes[..]))), FLOAT).unwrap()
        };
        let (before, after) = (look(&[2]), look(&[2, 10, 11]));
        let (first, count) = after.since(&before, NoNumber::Nan).unwrap();
        assert_eq!(count, 2);
        assert_eq!(after.place(first), Element::Texel { subresource: 5, at: [1, 1, 1] });
        assert!(Marks::of_texture(FLOAT, [].into_iter(), 2).is_err());
    }
}
