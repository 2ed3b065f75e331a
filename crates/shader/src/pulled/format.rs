//! Formats of attributes, and the code that reads them.

use super::code::{Code, op};
use super::{Attribute, SLOTS};

/// How a component's bits are a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Floating point of 32 or 16 bits; of 11 and 10 bits without sign.
    Float,
    /// From 0 to 1.
    Unorm,
    /// From -1 to 1.
    Snorm,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
}

/// A format of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// What components are.
    pub number: Number,
    /// Which component, its first bit and its bits.
    pub places: [(usize, u32, u32); 4],
    /// Components that there are: so many of the places count.
    pub count: usize,
}

impl Format {
    fn bits(&self) -> u32 {
        self.places[..self.count].iter().map(|(_, first, bits)| first + bits).max().unwrap_or(0)
    }

    /// Components share bytes.
    fn is_packed(&self) -> bool {
        self.places[..self.count].iter().any(|(.., bits)| !bits.is_multiple_of(8))
    }
}

/// Extended instructions.
const F_MAX: u32 = 40;
const UNPACK_HALVES: u32 = 62;

/// Four components of an attribute, of the vertex or step with a number. What the format lacks is 0, and 1 for alpha.
pub(super) fn read(code: &mut Code, attribute: &Attribute, number: u32) -> [u32; 4] {
    let format = attribute.format;
    let view = code.view(SLOTS + attribute.slot);
    let stride = code.part(view, 3);
    let start = code.value(op::I_MUL, code.word, &[number, stride]);
    let [offset, bytes] = [attribute.offset, format.bits().div_ceil(8)].map(|value| code.constant(value));
    let start = code.sum(start, offset);
    let place = code.place(view, start, bytes);
    let signed = matches!(format.number, Number::Snorm | Number::Sint);
    let integer = matches!(format.number, Number::Uint | Number::Sint);
    let whole = format.is_packed().then(|| code.load(place, format.bits() / 8));
    let mut all = [None; 4];
    for (component, first, bits) in &format.places[..format.count.min(4)] {
        let raw = match whole {
            Some(word) => code.bits(word, (*first, *bits), signed),
            None => {
                let byte = code.constant(first / 8);
                let place = code.further(place, byte);
                let word = code.load(place, bits / 8);
                if *bits == 32 { word } else { code.bits(word, (0, *bits), signed) }
            }
        };
        all[component & 3] = Some(number_of(code, format.number, raw, *bits));
    }
    let [zero, one] = match integer {
        true => [0, 1].map(|value| code.constant(value)),
        false => [0.0, 1.0].map(|value| code.float(value)),
    };
    let [red, green, blue, alpha] = all;
    [red.unwrap_or(zero), green.unwrap_or(zero), blue.unwrap_or(zero), alpha.unwrap_or(one)]
}

/// The number that bits are.
fn number_of(code: &mut Code, number: Number, raw: u32, bits: u32) -> u32 {
    match (number, bits) {
        (Number::Uint | Number::Sint, _) => raw,
        (Number::Float, 32) => code.value(op::BITCAST, code.float, &[raw]),
        (Number::Float, _) => {
            // Those without a sign are halves that lack the last bits.
            let missing = code.constant(15u32.saturating_sub(bits));
            let half = code.value(op::SHIFT_LEFT, code.word, &[raw, missing]);
            let pair = code.of(op::TYPE_VECTOR, &[code.float, 2]);
            let pair = code.extended(UNPACK_HALVES, pair, &[half]);
            code.value(op::COMPOSITE_EXTRACT, code.float, &[pair, 0])
        }
        (Number::Unorm, _) => {
            let value = code.value(op::CONVERT_U_TO_F, code.float, &[raw]);
            let most = code.float(((1u64 << bits) - 1) as f32);
            code.value(op::F_DIV, code.float, &[value, most])
        }
        (Number::Snorm, _) => {
            let value = code.value(op::CONVERT_S_TO_F, code.float, &[raw]);
            let most = code.float(((1u64 << (bits - 1)) - 1) as f32);
            let value = code.value(op::F_DIV, code.float, &[value, most]);
            let least = code.float(-1.0);
            code.extended(F_MAX, code.float, &[value, least])
        }
    }
}
