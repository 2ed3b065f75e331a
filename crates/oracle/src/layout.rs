//! What the buffers of a program hold, and where.
//!
//! All programs have the same: a constant buffer, an input that the views of reading share, and an output that those of writing
//! share. Numbers of floating point are small multiples of a quarter, so that [`crate::exact`] holds for what is calculated of them.

use crate::program::{Program, Source, View};
use crate::random::Random;
use crate::value::Base;

/// Registers of the constant buffer, of four words each; those before [`INTEGERS`] hold floating point.
pub(crate) const REGISTERS: usize = 16;
pub(crate) const INTEGERS: usize = 8;
/// Words of the input.
pub(crate) const INPUT: usize = 256;
/// Words at the beginning of the output that all threads share.
pub(crate) const COMMON: usize = 64;
/// Words that each thread has for itself.
pub(crate) const SLOTS: usize = 32;
/// The bits of whole part that inputs have, and of fraction.
pub(crate) const WHOLE: i32 = 8;
pub(crate) const FRACTION: i32 = 2;

/// Floating point that is not calculated with, only looked at.
const WILD: [f32; 16] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    1e10,
    -1e10,
    2_147_483_648.0,
    -2_147_483_648.0,
    -2_147_483_904.0,
    2_147_483_520.0,
    4_294_967_296.0,
    4_294_967_040.0,
    3e9,
    -0.75,
    0.75,
    1e-30,
    65504.0,
];

/// A part of the input: its first word, and how many elements it has.
pub(crate) fn part(source: Source) -> (usize, usize) {
    match source {
        Source::RawFloat | Source::TypedFloat => (0, 16),
        Source::Wild => (96, 16),
        Source::RawUint | Source::StructuredUint | Source::TypedUint => (128, 32),
    }
}

/// The words of the constant buffer, then those of the input.
pub fn inputs(program: &Program) -> (Vec<u32>, Vec<u32>) {
    let mut random = Random::new(program.seed ^ 0x1257);
    let constants = (0..REGISTERS * 4)
        .map(|word| if word < INTEGERS * 4 { quarter(&mut random) } else { random.word() as u32 })
        .collect();
    let input = (0..INPUT)
        .map(|word| match word {
            0..96 => quarter(&mut random),
            96..128 => WILD[word % WILD.len()].to_bits(),
            _ => random.word() as u32,
        })
        .collect();
    (constants, input)
}

/// A number within the bounds, and now and then one at its end or 0.
fn quarter(random: &mut Random) -> u32 {
    let end = 1i64 << (WHOLE + FRACTION);
    let number = match random.below(4) {
        0 => random.below(9) as i64 - 4,
        1 => random.pick(&[end, -end, 4, -4, 8, 2]),
        _ => random.below(2 * end as usize) as i64 - end,
    };
    Base::Float.of_real(number as f64 / 4.0) as u32
}

/// Words of the output.
pub fn output_words(program: &Program) -> usize {
    COMMON + program.all_threads() * SLOTS
}

/// The word of a thread's slot.
pub(crate) fn slot(thread: usize, slot: usize) -> usize {
    COMMON + thread * SLOTS + slot
}

/// The first of the words that threads share and use by this view, of which there are 16.
pub(crate) fn common(view: View) -> usize {
    match view {
        View::Raw => 0,
        View::Typed => 16,
        View::Structured => 32,
    }
}

/// Words for each view in the part that threads share.
pub(crate) const COMMON_OF_VIEW: usize = 16;
