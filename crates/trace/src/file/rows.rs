//! Rows: payloads that are arrays of structures, stored as the differences from one row to the next.
//!
//! A compressor finds each field of each structure anew: one match per field that stayed, one run of literals per field that did not.
//! Differences between structures that follow each other are mostly zeros, which are one match for many fields. 10,000 instances of a top
//! level come out of zstd four times as fast, and take a third of the room.
//! This module finds the width of rows, makes differences of a payload, and the payload of differences. Invariants: the payload comes back
//! byte for byte; a reader may pass any bytes and any width; no function here allocates, but for the differences that the caller takes.

/// Bytes of the unit that widths are counted in.
pub(crate) const UNIT: usize = 4;
/// The widest rows that are looked for, in units.
const WIDEST: usize = 64;
/// The narrowest ones: what repeats within fewer bytes a compressor takes as one match.
const NARROWEST: usize = 3;
/// Of so many units one must be as in the row before, or no differences are tried.
const FEW: usize = 4;

/// A width that is worth a try for such a payload, in units: with it most units are as in the row before.
pub(crate) fn width(sample: &[u8]) -> Option<u8> {
    let units = sample.as_chunks::<UNIT>().0;
    let alike = |width: usize| {
        let pairs = units.iter().zip(units.get(width..).unwrap_or(&[]));
        pairs.map(|(one, next)| u32::from(one == next)).sum::<u32>() as usize
    };
    // Of widths that are as good, the first: the others are its multiples.
    let best = (NARROWEST..=WIDEST).map(|width| (alike(width), width)).rev().max()?;
    let best = (NARROWEST..best.1)
        .map(|width| (alike(width), width))
        .find(|(there, _)| there * 33 >= best.0 * 32)
        .unwrap_or(best);
    (best.0 > 0 && best.0 * FEW >= units.len()).then_some(best.1 as u8)
}

/// Appends the differences: the first row as it is, then each byte XOR that of the row before.
pub(crate) fn apart(payload: &[u8], width: u8, out: &mut Vec<u8>) {
    let row = usize::from(width) * UNIT;
    out.extend_from_slice(payload.get(..row).unwrap_or(payload));
    out.extend(payload.iter().zip(payload.get(row..).unwrap_or(&[])).map(|(before, byte)| before ^ byte));
}

/// Makes the payload of its differences. A width of 0 leaves it as it is.
pub(crate) fn together(differences: &mut [u8], width: u8) {
    let row = usize::from(width) * UNIT;
    if row == 0 {
        return;
    }
    let mut left = differences;
    // Bounded: each turn takes a row off the front.
    while left.len() > row {
        let (before, rest) = left.split_at_mut(row);
        rest.iter_mut().zip(before.iter()).for_each(|(byte, before)| *byte ^= before);
        left = rest;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_taken_apart_is_put_together(payload in proptest::collection::vec(any::<u8>(), 0..3000), width in 0u8..) {
            let mut there = Vec::new();
            if width > 0 {
                apart(&payload, width, &mut there);
            } else {
                there.extend_from_slice(&payload);
            }
            // By the words of FORMAT.md, one byte after another.
            let mut expected = there.clone();
            let row = usize::from(width) * 4;
            for at in row..if width > 0 { expected.len() } else { 0 } {
                expected[at] ^= expected[at - row];
            }
            together(&mut there, width);
            prop_assert_eq!(&there, &payload);
            prop_assert_eq!(expected, payload);
        }
    }

    /// Structures of so many words, of which two change.
    fn structures(words: usize, number: u32) -> Vec<u8> {
        let fields = |at: u32| {
            (0..words as u32).map(move |field| match field {
                0 => at.wrapping_mul(0x9e37_79b9),
                2 => at,
                _ => field.wrapping_mul(0x0101_4567),
            })
        };
        (0..number).flat_map(fields).flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn the_width_of_structures_is_found_and_of_noise_there_is_none() {
        for words in [3, 8, 12, 16, 20, 32, 64] {
            assert_eq!(width(&structures(words, 500)), Some(words as u8), "{words}");
        }
        let noise: Vec<u8> = (0..20_000u32).flat_map(|at| at.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
        assert_eq!(width(&noise), None);
        assert_eq!(width(&structures(100, 500)), None, "wider than is looked for");
        for short in [&b""[..], b"abc", b"abcdefgh"] {
            assert_eq!(width(short), None);
        }
    }
}
