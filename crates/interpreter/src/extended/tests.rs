//! Expectations are those of "SPIR-V Extended Instructions for GLSL".

#![allow(clippy::unwrap_used)]

use super::*;

const F32: Number = Number::Float(32);
const I32: Number = Number::Integer(32);

fn single(op: Glsl, arguments: &[f32]) -> (f32, bool) {
    let arguments: Vec<u64> = arguments.iter().map(|it| u64::from(it.to_bits())).collect();
    let answer = apply(op, F32, F32, &arguments, Denormals::Open).unwrap();
    (f32::from_bits(answer.bits as u32), answer.open.is_some())
}

fn integer(op: Glsl, arguments: &[u32]) -> u32 {
    let arguments: Vec<u64> = arguments.iter().map(|it| u64::from(*it)).collect();
    apply(op, I32, I32, &arguments, Denormals::Open).unwrap().bits as u32
}

/// NMin: "if one operand is a NaN, the other operand will be the result"; FMin: "undefined".
#[test]
fn of_a_number_and_nan() {
    assert_eq!(single(Glsl::NMin, &[f32::NAN, 2.0]), (2.0, false));
    assert_eq!(single(Glsl::NMax, &[2.0, f32::NAN]), (2.0, false));
    assert!(single(Glsl::NMax, &[f32::NAN, f32::NAN]).0.is_nan());
    assert!(single(Glsl::FMin, &[f32::NAN, 2.0]).1);
    assert_eq!(single(Glsl::NClamp, &[f32::NAN, 1.0, 2.0]), (1.0, false));
    assert_eq!(single(Glsl::FClamp, &[5.0, 1.0, 2.0]), (2.0, false));
    assert_eq!(single(Glsl::FMin, &[1.0, -2.0]), (-2.0, false));
    assert_eq!(single(Glsl::FMax, &[1.0, -2.0]), (1.0, false));
    assert!(single(Glsl::NMin, &[0.0, -0.0]).1, "either zero");
}

#[test]
fn rounding() {
    assert_eq!(single(Glsl::RoundEven, &[2.5]), (2.0, false));
    assert_eq!(single(Glsl::RoundEven, &[3.5]), (4.0, false));
    assert_eq!(single(Glsl::Trunc, &[-1.9]), (-1.0, false));
    assert_eq!(single(Glsl::Floor, &[-1.1]), (-2.0, false));
    assert_eq!(single(Glsl::Ceil, &[-1.9]), (-1.0, false));
    assert_eq!(single(Glsl::Fract, &[-0.25]), (0.75, false));
    assert!(single(Glsl::Fract, &[-1e-10]).1, "1, or just below");
    assert!(single(Glsl::Round, &[2.5]).1, "either way");
    assert_eq!(single(Glsl::FSign, &[-3.0]), (-1.0, false));
}

#[test]
fn functions_whose_last_bits_are_open() {
    for (op, argument, wanted) in
        [(Glsl::Sin, 0.5, 0.479_425_54), (Glsl::Exp2, 3.0, 8.0), (Glsl::Log2, 8.0, 3.0), (Glsl::InverseSqrt, 4.0, 0.5)]
    {
        assert_eq!(single(op, &[argument]), (wanted, true), "{op:?}");
    }
    assert_eq!(single(Glsl::Pow, &[2.0, 10.0]), (1024.0, true));
}

#[test]
fn powers_of_two() {
    let of = |number: f32, exponent: i32| {
        let arguments = [u64::from(number.to_bits()), u64::from(exponent as u32)];
        f32::from_bits(apply(Glsl::Ldexp, F32, F32, &arguments, Denormals::Kept).unwrap().bits as u32)
    };
    assert_eq!(of(1.5, 4), 24.0);
    assert_eq!(of(1.0, -149).to_bits(), 1);
    assert_eq!(of(1.0, 128), f32::INFINITY);
    assert_eq!(of(f32::from_bits(1), 149), 1.0);
}

/// "fma: a * b + c", fused or not: both are right where they differ.
#[test]
fn a_product_and_a_sum() {
    assert_eq!(single(Glsl::Fma, &[2.0, 3.0, 4.0]), (10.0, false));
    let above = 1.0 + f32::EPSILON;
    // (1 + e)² is 1 + 2e + e²: rounded, the last part is gone.
    assert!(single(Glsl::Fma, &[above, above, -1.0 - 2.0 * f32::EPSILON]).1);
}

#[test]
fn bits_that_are_found() {
    for (op, argument, wanted) in [
        (Glsl::FindILsb, 0x10, 4),
        (Glsl::FindILsb, 0, u32::MAX),
        (Glsl::FindUMsb, 0x10, 4),
        (Glsl::FindUMsb, 0, u32::MAX),
        (Glsl::FindSMsb, 0xffff_ffff, u32::MAX),
        (Glsl::FindSMsb, 0xffff_0000, 15),
        (Glsl::FindSMsb, 5, 2),
        (Glsl::SAbs, -5i32 as u32, 5),
        (Glsl::SSign, -5i32 as u32, u32::MAX),
    ] {
        assert_eq!(integer(op, &[argument]), wanted, "{op:?} {argument:x}");
    }
    assert_eq!(integer(Glsl::SMin, &[u32::MAX, 1]), u32::MAX);
    assert_eq!(integer(Glsl::UMin, &[u32::MAX, 1]), 1);
    assert_eq!(integer(Glsl::SClamp, &[u32::MAX, 0, 5]), 0);
}

#[test]
fn halves_in_a_word() {
    let one = u64::from(1f32.to_bits());
    assert_eq!(pack_halves([one, u64::from((-2f32).to_bits())], 0.0), (0xc000_3c00, None));
    // What lies between two halves becomes either of them.
    let tenth = |side: f64| pack_halves([u64::from(0.1f32.to_bits()), one], side);
    assert_eq!([-1.0, 0.0, 1.0].map(|side| tenth(side).0 & 0xffff), [0x2e66, 0x2e66, 0x2e67]);
    assert!(tenth(0.0).1.is_some());
}
