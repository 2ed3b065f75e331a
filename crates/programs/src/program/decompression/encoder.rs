//! An encoder of GDeflate: stored, fixed and dynamic blocks, matches of every length and distance.
//!
//! Invariant: it follows what a decoder reads, round by round, so that each stream of bits has its next word where the decoder looks for it.

use std::collections::HashMap;

/// Streams of bits of a tile.
const LANES: usize = 32;
/// Bytes of a whole tile.
pub(super) const TILE: usize = 65536;
/// The symbol that ends a block.
const END: usize = 256;
/// The order in which lengths of codes for lengths of codes come.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// How a block is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Stored,
    Fixed,
    Dynamic,
}

/// What a block consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Literal(u8),
    /// Bytes, and how far back they lie.
    Match(usize, usize),
}

/// A symbol, and bits behind it: their value and number.
type Coded = (usize, usize, u32);

/// The interleaved streams of bits of a tile.
pub(super) struct Writer {
    bits: Vec<Vec<bool>>,
    /// Bits that a decoder has at hand.
    held: [u32; LANES],
    /// Streams of bits, in the order in which a decoder takes their words.
    order: Vec<usize>,
}

impl Writer {
    pub(super) fn new() -> Writer {
        Writer { bits: vec![Vec::new(); LANES], held: [32; LANES], order: (0..LANES).collect() }
    }

    /// Bits for a lane, the lowest first.
    pub(super) fn put(&mut self, lane: usize, value: usize, count: u32) {
        self.bits[lane].extend((0..count).map(|bit| value >> bit & 1 != 0));
        self.held[lane] -= count;
    }

    /// A lane's turn is over: a decoder takes a word where it has too few bits.
    pub(super) fn turn(&mut self, lane: usize) {
        if self.held[lane] < 32 {
            self.held[lane] += 32;
            self.order.push(lane);
        }
    }

    /// A code, whose first bit is its highest, and bits behind it.
    fn code(&mut self, lane: usize, codes: &Codes, (symbol, extra, count): Coded) {
        let (code, length) = codes.of[symbol];
        assert!(length != 0, "a symbol without a code");
        self.put(lane, (0..length).fold(0, |bits, bit| bits | (code >> (length - 1 - bit) & 1) << bit), length);
        self.put(lane, extra, count);
    }

    /// The words as a decoder takes them.
    pub(super) fn finish(self) -> Vec<u8> {
        let mut taken = [0; LANES];
        let mut bytes = Vec::with_capacity(4 * self.order.len());
        for lane in self.order {
            let bit = |at: usize| u32::from(self.bits[lane].get(taken[lane] + at).copied().unwrap_or(false));
            let word = (0..32).fold(0u32, |word, at| word | bit(at) << at);
            taken[lane] += 32;
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }
}

/// Codes of an alphabet: each symbol's code, and its bits; 0 for those without.
pub(super) struct Codes {
    of: Vec<(usize, u32)>,
}

impl Codes {
    /// Of lengths, as RFC 1951 makes them (3.2.2).
    pub(super) fn of_lengths(lengths: &[u32]) -> Codes {
        let mut of = vec![(0, 0); lengths.len()];
        let mut code = 0;
        for length in 1..=15 {
            code <<= 1;
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, own)| **own == length) {
                of[symbol] = (code, length);
                code += 1;
            }
        }
        Codes { of }
    }

    /// Of the counts of symbols, none longer than `most`: counts are halved until that is so.
    fn of_counts(counts: &[usize], most: u32) -> Codes {
        let mut counts = counts.to_vec();
        // A decoder needs a code.
        if counts.iter().all(|count| *count == 0) {
            counts[0] = 1;
        }
        loop {
            let lengths = huffman(&counts);
            if lengths.iter().all(|length| *length <= most) {
                return Codes::of_lengths(&lengths);
            }
            counts.iter_mut().filter(|count| **count > 0).for_each(|count| *count = *count / 2 + 1);
        }
    }

    fn lengths(&self) -> Vec<u32> {
        self.of.iter().map(|(_, length)| *length).collect()
    }
}

/// Lengths of Huffman's codes.
fn huffman(counts: &[usize]) -> Vec<u32> {
    let mut trees: Vec<(usize, Vec<usize>)> = Vec::new();
    trees.extend(counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(at, count)| (*count, vec![at])));
    let mut lengths = vec![0; counts.len()];
    if let [(_, only)] = &trees[..] {
        lengths[only[0]] = 1;
    }
    while trees.len() > 1 {
        trees.sort_by_key(|(count, symbols)| (core::cmp::Reverse(*count), symbols[0]));
        let (Some(one), Some(two)) = (trees.pop(), trees.pop()) else { break };
        let symbols: Vec<usize> = one.1.into_iter().chain(two.1).collect();
        symbols.iter().for_each(|symbol| lengths[*symbol] += 1);
        trees.push((one.0 + two.0, symbols));
    }
    lengths
}

/// The symbol of a length of 3 to 65538.
fn length_symbol(length: usize) -> Coded {
    // As in DEFLATE64.
    if length > 257 {
        return (285, length - 3, 16);
    }
    let value = length - 3;
    if value < 8 {
        return (257 + value, 0, 0);
    }
    let extra = value.ilog2() - 2;
    (261 + 4 * extra as usize + (value >> extra & 3), value & ((1 << extra) - 1), extra)
}

/// The symbol of a distance of 1 to 65536.
fn distance_symbol(distance: usize) -> Coded {
    let value = distance - 1;
    if value < 2 {
        return (value, 0, 0);
    }
    let extra = value.ilog2() - 1;
    (2 + 2 * extra as usize + (value >> extra & 1), value & ((1 << extra) - 1), extra)
}

/// Literals and matches of a tile's bytes; the last place of three bytes is where a match is looked for.
fn tokens(bytes: &[u8]) -> Vec<Token> {
    let mut places: HashMap<[u8; 3], usize> = HashMap::new();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let key = |at: usize| Some([*bytes.get(at)?, *bytes.get(at + 1)?, *bytes.get(at + 2)?]);
        let found = key(at).and_then(|key| places.get(&key).copied());
        let length =
            found.map_or(0, |from| (at..bytes.len()).take_while(|to| bytes[from + to - at] == bytes[*to]).count());
        let (token, next) = match found {
            Some(from) if length >= 3 => (Token::Match(length, at - from), at + length),
            _ => (Token::Literal(bytes[at]), at + 1),
        };
        tokens.push(token);
        // Long runs would take their time.
        let known = (at..next.min(at + 300)).filter_map(|place| Some((key(place)?, place)));
        known.for_each(|(key, place)| _ = places.insert(key, place));
        at = next;
    }
    tokens
}

/// A block of literals and matches, with codes for both alphabets.
fn coded(writer: &mut Writer, tokens: &[Token], literals: &Codes, distances: &Codes) {
    let mut rest = tokens.iter();
    let mut waiting = [None; LANES];
    let mut ended = false;
    loop {
        let last = ended;
        for (lane, waits) in waiting.iter_mut().enumerate() {
            if let Some(distance) = waits.take() {
                writer.code(lane, distances, distance_symbol(distance));
            } else if !ended {
                match rest.next() {
                    Some(Token::Literal(byte)) => writer.code(lane, literals, ((*byte).into(), 0, 0)),
                    Some(Token::Match(length, distance)) => {
                        writer.code(lane, literals, length_symbol(*length));
                        *waits = Some(*distance);
                    }
                    None => {
                        writer.code(lane, literals, (END, 0, 0));
                        ended = true;
                    }
                }
            }
            writer.turn(lane);
        }
        if last {
            return;
        }
    }
}

/// A block's beginning.
pub(super) fn header(writer: &mut Writer, last: bool, kind: usize) {
    writer.put(0, usize::from(last) | kind << 1, 3);
}

/// Lengths of codes, in the form in which dynamic blocks have them: symbols of lengths, with the bits behind them.
pub(super) fn code_lengths(writer: &mut Writer, literals: &[u32], distances: &[u32]) {
    let all: Vec<u32> = literals.iter().chain(distances).copied().collect();
    let mut coded: Vec<Coded> = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let length = all[at];
        let run = all[at..].iter().take_while(|other| **other == length).count();
        let again = at > 0 && all[at - 1] == length;
        let (symbol, taken) = match (length, run) {
            (0, 11..) => ((18, run.min(138) - 11, 7), run.min(138)),
            (0, 3..) => ((17, run - 3, 3), run),
            (1.., 3..) if again => ((16, run.min(6) - 3, 2), run.min(6)),
            _ => ((length as usize, 0, 0), 1),
        };
        coded.push(symbol);
        at += taken;
    }
    let mut counts = [0; 19];
    coded.iter().for_each(|(symbol, ..)| counts[*symbol] += 1);
    let codes = Codes::of_counts(&counts, 7);
    let known = ORDER.iter().rposition(|symbol| codes.of[*symbol].1 != 0).map_or(4, |last| (last + 1).max(4));
    writer.put(0, literals.len() - 257, 5);
    writer.put(0, distances.len() - 1, 5);
    writer.put(0, known - 4, 4);
    writer.turn(0);
    for (lane, symbol) in ORDER[..known].iter().enumerate() {
        writer.put(lane, codes.of[*symbol].1 as usize, 3);
        writer.turn(lane);
    }
    for (number, symbol) in coded.into_iter().enumerate() {
        let lane = number % LANES;
        writer.code(lane, &codes, symbol);
        writer.turn(lane);
    }
}

/// The lengths of the codes of fixed blocks.
fn fixed() -> (Codes, Codes) {
    let length = |symbol| {
        if symbol < 144 {
            8
        } else if symbol < 256 {
            9
        } else if symbol < 280 {
            7
        } else {
            8
        }
    };
    (Codes::of_lengths(&(0..288).map(length).collect::<Vec<u32>>()), Codes::of_lengths(&[5; 32]))
}

/// A stored block of bytes, of which there may be none.
pub(super) fn stored(writer: &mut Writer, last: bool, bytes: &[u8]) {
    header(writer, last, 0);
    writer.put(0, bytes.len(), 16);
    writer.turn(0);
    for (number, byte) in bytes.iter().enumerate() {
        writer.put(number % LANES, (*byte).into(), 8);
        writer.turn(number % LANES);
    }
}

/// A block of these kinds of symbols.
fn block(writer: &mut Writer, last: bool, kind: Kind, tokens: &[Token], bytes: &[u8]) {
    match kind {
        Kind::Stored => stored(writer, last, bytes),
        Kind::Fixed => {
            header(writer, last, 1);
            writer.turn(0);
            let (literals, distances) = fixed();
            coded(writer, tokens, &literals, &distances);
        }
        Kind::Dynamic => {
            let (mut literals, mut distances) = ([0; 286], [0; 32]);
            literals[END] = 1;
            for token in tokens {
                match token {
                    Token::Literal(byte) => literals[usize::from(*byte)] += 1,
                    Token::Match(length, distance) => {
                        literals[length_symbol(*length).0] += 1;
                        distances[distance_symbol(*distance).0] += 1;
                    }
                }
            }
            let (literals, distances) = (Codes::of_counts(&literals, 15), Codes::of_counts(&distances, 15));
            header(writer, last, 2);
            let trimmed = |codes: &Codes, least: usize| {
                let mut lengths = codes.lengths();
                while lengths.len() > least && lengths.last() == Some(&0) {
                    lengths.pop();
                }
                lengths
            };
            code_lengths(writer, &trimmed(&literals, 257), &trimmed(&distances, 1));
            coded(writer, tokens, &literals, &distances);
        }
    }
}

/// A tile of blocks of these kinds in turn, each of so many symbols; stored blocks have those symbols' bytes, at most 65535.
pub(super) fn tile(bytes: &[u8], kinds: &[Kind], symbols: usize) -> Vec<u8> {
    let mut writer = Writer::new();
    let tokens = tokens(bytes);
    let blocks: Vec<&[Token]> = tokens.chunks(symbols.max(1)).collect();
    let mut at = 0;
    for (number, tokens) in blocks.iter().enumerate() {
        let size = |token: &Token| if let Token::Match(length, _) = token { *length } else { 1 };
        let part = &bytes[at..at + tokens.iter().map(size).sum::<usize>()];
        at += part.len();
        let last = number + 1 == blocks.len();
        let kind = kinds[number % kinds.len()];
        if kind == Kind::Stored && part.len() > 0xffff {
            let (one, two) = part.split_at(0x8000);
            stored(&mut writer, false, one);
            stored(&mut writer, last, two);
        } else {
            block(&mut writer, last, kind, tokens, part);
        }
    }
    writer.finish()
}

/// A stream of tiles that decompress to so many bytes.
pub(super) fn stream(tiles: &[Vec<u8>], size: usize) -> Vec<u8> {
    let rest = size % TILE;
    let mut bytes = vec![4, 0xfb];
    bytes.extend((tiles.len() as u16).to_le_bytes());
    bytes.extend((1 | (rest as u32) << 2).to_le_bytes());
    bytes.extend((tiles.last().map_or(0, Vec::len) as u32).to_le_bytes());
    let mut at = 0;
    for tile in tiles.iter().rev().skip(1).rev() {
        at += tile.len() as u32;
        bytes.extend(at.to_le_bytes());
    }
    tiles.iter().for_each(|tile| bytes.extend(tile));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_those_of_the_tables() {
        // RFC 1951, 3.2.5, and DEFLATE64 at the ends.
        let lengths = [(3, (257, 0, 0)), (10, (264, 0, 0)), (11, (265, 0, 1)), (18, (268, 1, 1)), (19, (269, 0, 2))];
        for (length, symbol) in lengths.into_iter().chain([(257, (284, 30, 5)), (258, (285, 255, 16))]) {
            assert_eq!(length_symbol(length), symbol, "{length}");
        }
        let distances = [(1, (0, 0, 0)), (4, (3, 0, 0)), (5, (4, 0, 1)), (8, (5, 1, 1)), (24577, (29, 0, 13))];
        for (distance, symbol) in distances.into_iter().chain([(32769, (30, 0, 14)), (65536, (31, 16383, 14))]) {
            assert_eq!(distance_symbol(distance), symbol, "{distance}");
        }
    }

    #[test]
    fn codes_are_those_of_the_standards_example() {
        // RFC 1951, 3.2.2: lengths 3 3 3 3 3 2 4 4.
        let codes = Codes::of_lengths(&[3, 3, 3, 3, 3, 2, 4, 4]);
        assert_eq!(codes.of.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 0, 14, 15]);
        assert_eq!(huffman(&[0, 5, 0]), [0, 1, 0]);
        assert_eq!(huffman(&[8, 4, 2, 2]), [1, 2, 3, 3]);
        let doubled: Vec<usize> = (0..20).map(|bit| 1 << bit).collect();
        let limited = Codes::of_counts(&doubled, 7).lengths();
        assert!(limited.iter().all(|length| (1..=7).contains(length)), "{limited:?}");
        // Complete: every sequence of bits is a code.
        assert_eq!(limited.iter().map(|length| 1 << (7 - length)).sum::<u32>(), 1 << 7);
    }

    #[test]
    fn matches_give_the_bytes_again() {
        let bytes: Vec<u8> = (0..5000u32).map(|at| (at % 7 * (at / 900)) as u8).collect();
        let mut again: Vec<u8> = Vec::new();
        for token in tokens(&bytes) {
            match token {
                Token::Literal(byte) => again.push(byte),
                Token::Match(length, distance) => (0..length).for_each(|_| again.push(again[again.len() - distance])),
            }
        }
        assert_eq!(again, bytes);
    }

    #[test]
    fn words_come_as_a_decoder_takes_them() {
        let mut writer = Writer::new();
        stored(&mut writer, true, b"ab");
        let bytes = writer.finish();
        // 32 words at first. The first lane has 19 bits of header and a byte left in it, and takes a word after the header.
        assert_eq!(bytes.len(), 4 * 34);
        assert_eq!(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), 1 | 2 << 3 | 0x61 << 19);
        assert_eq!(bytes[4], b'b');
    }

    #[test]
    fn streams_have_a_table() {
        let bytes = stream(&[vec![1; 8], vec![2; 12]], TILE + 5);
        assert_eq!(bytes[..8], [4, 0xfb, 2, 0, 1 | 5 << 2, 0, 0, 0]);
        assert_eq!(bytes[8..16], [12, 0, 0, 0, 8, 0, 0, 0]);
        assert_eq!(bytes.len(), 16 + 20);
    }
}
