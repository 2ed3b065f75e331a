//! Predicts the lanes of a record, eight at a time, and finds the wrongly predicted ones.
//!
//! A lane is predicted to be as before; a lane that has just grown by the same amount twice is predicted to grow by it again.
//! The writer does this for every call, so there are two implementations: with AVX2, without a branch for each lane, and in
//! plain Rust for processors without AVX2. A test compares them. Invariant: lanes behind the end of a record are zero, and as
//! predicted.

use crate::record::HEADER;

/// Lanes of 32 bits that are compared together.
pub(crate) const OCT: usize = 8;
/// Words of 64 bits in as many lanes.
pub(crate) const OCT_WORDS: usize = OCT / 2;
/// Bytes of a record that are not predicted: the first half of its header.
pub(crate) const KEY: usize = HEADER / 2;

/// Eight neighbouring lanes: their last values and their predictions.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
#[repr(C, align(32))]
pub(crate) struct Oct {
    /// The prediction.
    next: [u32; OCT],
    /// The last value.
    value: [u32; OCT],
    /// By how much it grew last.
    step: [u32; OCT],
}

/// What is new in a record.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct New {
    /// A bit for each lane, the first one lowest.
    pub(crate) mask: u64,
    /// How many lanes that are.
    pub(crate) number: usize,
}

/// How lanes are compared on this processor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instructions {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Instructions {
    /// The best there is.
    pub(crate) fn best() -> Instructions {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
            return Instructions::Avx2;
        }
        Instructions::Plain
    }

    /// Puts the lanes of `record` that are not as predicted into `room`, and predicts the next record. Of the first word of
    /// the lanes only the bits in `keep` count. `octs` are the octs of the record's lanes, eight at most.
    #[inline(always)]
    pub(crate) fn compare(self, octs: &mut [Oct], record: &[u8], keep: u64, room: &mut [[u8; 4]; 64]) -> New {
        match self {
            Instructions::Plain => plain(octs, record, keep, room),
            // SAFETY: only `best` gives this, where the processor has both.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { avx2(octs, record, keep, room) },
        }
    }
}

fn plain(octs: &mut [Oct], record: &[u8], mut keep: u64, room: &mut [[u8; 4]; 64]) -> New {
    let mut new = New::default();
    let words = record.get(KEY..).unwrap_or(&[]).as_chunks::<8>().0;
    for (at, (oct, words)) in octs.iter_mut().zip(words.chunks(OCT_WORDS)).enumerate() {
        let mut came = [0; OCT];
        for (lanes, word) in came.as_chunks_mut::<2>().0.iter_mut().zip(words) {
            let word = u64::from_le_bytes(*word) & std::mem::replace(&mut keep, u64::MAX);
            *lanes = [word as u32, (word >> 32) as u32];
        }
        for (index, lane) in came.into_iter().enumerate() {
            let other = lane != oct.next[index];
            room[new.number % room.len()] = lane.to_le_bytes();
            new.number += usize::from(other);
            new.mask |= u64::from(other) << (at * OCT + index);
            let step = lane.wrapping_sub(oct.value[index]);
            let again = if step == oct.step[index] { step } else { 0 };
            (oct.next[index], oct.value[index], oct.step[index]) = (lane.wrapping_add(again), lane, step);
        }
    }
    new
}

/// For each mask of eight lanes: their numbers, in order.
#[cfg(target_arch = "x86_64")]
static ORDER: [[u8; OCT]; 256] = {
    let mut order = [[0; OCT]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut number) = (0, 0);
        while lane < OCT {
            if mask >> lane & 1 != 0 {
                order[mask][number] = lane as u8;
                number += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    order
};

/// By how many words there are: which of four may be read.
#[cfg(target_arch = "x86_64")]
static THERE: [[i64; OCT_WORDS]; OCT_WORDS + 1] =
    [[0; 4], [-1, 0, 0, 0], [-1, -1, 0, 0], [-1, -1, -1, 0], [-1, -1, -1, -1]];

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn avx2(octs: &mut [Oct], record: &[u8], keep: u64, room: &mut [[u8; 4]; 64]) -> New {
    use std::arch::x86_64::*;
    let mut new = New::default();
    let words = record.get(KEY..).unwrap_or(&[]);
    let mut keep = _mm256_setr_epi64x(keep as i64, -1, -1, -1);
    // Eight octs have as many lanes as the room.
    for (at, oct) in octs.iter_mut().take(OCT).enumerate() {
        let Some(rest) = words.get(at * 4 * OCT..) else { break };
        let there = &THERE[(rest.len() / 8).min(OCT_WORDS)];
        // SAFETY: as many words are read as the slice has, 4 at most; `Oct` is aligned to 32 and made of three times 32
        // bytes; `number` is at most `8 * at`, so 8 lanes fit behind it.
        unsafe {
            let came = _mm256_maskload_epi64(rest.as_ptr().cast(), _mm256_loadu_si256(there.as_ptr().cast()));
            let came = _mm256_and_si256(came, keep);
            keep = _mm256_set1_epi64x(-1);
            let (next, value, step) =
                (oct.next.as_mut_ptr().cast(), oct.value.as_mut_ptr().cast(), oct.step.as_mut_ptr().cast());
            let same = _mm256_cmpeq_epi32(came, _mm256_load_si256(next));
            let other = !_mm256_movemask_ps(_mm256_castsi256_ps(same)) as u8;
            let order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(ORDER[usize::from(other)].as_ptr().cast()));
            let lanes = _mm256_permutevar8x32_epi32(came, order);
            _mm256_storeu_si256(room.as_mut_ptr().add(new.number).cast(), lanes);
            new.number += other.count_ones() as usize;
            new.mask |= u64::from(other) << (at * OCT);
            let grown = _mm256_sub_epi32(came, _mm256_load_si256(value));
            let again = _mm256_cmpeq_epi32(grown, _mm256_load_si256(step));
            _mm256_store_si256(next, _mm256_add_epi32(came, _mm256_and_si256(grown, again)));
            _mm256_store_si256(value, came);
            _mm256_store_si256(step, grown);
        }
    }
    new
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_ways_give_the_same(
            records in prop::collection::vec((prop::collection::vec(0..4u64, 0..36), any::<u64>(), any::<bool>()), 1..40),
        ) {
            let (mut ours, mut theirs) = ([Oct::default(); 8], [Oct::default(); 8]);
            for (words, far, whole) in records {
                let mut record = vec![0xff; KEY];
                words.iter().for_each(|word| record.extend((word.wrapping_mul(far >> (8 * word))).to_le_bytes()));
                let keep = if whole { u64::MAX } else { u32::MAX.into() };
                let octs = words.len().div_ceil(OCT_WORDS).min(8);
                let (mut room, mut other) = ([[0; 4]; 64], [[0; 4]; 64]);
                let plain = plain(&mut theirs[..octs], &record, keep, &mut other);
                let best = Instructions::best().compare(&mut ours[..octs], &record, keep, &mut room);
                prop_assert_eq!(best, plain);
                prop_assert_eq!(&room[..best.number], &other[..plain.number]);
                prop_assert_eq!(ours, theirs);
                prop_assert_eq!(best.mask.count_ones() as usize, best.number);
            }
        }
    }
}
