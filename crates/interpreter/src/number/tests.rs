//! Expectations are those of the SPIR-V specification (3.56.13, "Arithmetic Instructions", and after it) and of IEEE 754, as numbers.

#![allow(clippy::unwrap_used)]

use super::*;

const I32: Number = Number::Integer(32);
const F32: Number = Number::Float(32);

fn integer(op: Op, arguments: &[u32]) -> Answer {
    let arguments: Vec<u64> = arguments.iter().map(|it| u64::from(*it)).collect();
    apply(op, I32, I32, &arguments, Denormals::Open).unwrap()
}

fn single(op: Op, arguments: &[f32]) -> (f32, Option<&'static str>) {
    let arguments: Vec<u64> = arguments.iter().map(|it| u64::from(it.to_bits())).collect();
    let answer = apply(op, F32, F32, &arguments, Denormals::Open).unwrap();
    (f32::from_bits(answer.bits as u32), answer.open)
}

#[test]
fn integers_wrap_around() {
    for (op, arguments, wanted) in [
        (Op::IAdd, [0xffff_ffff, 2], 1),
        (Op::ISub, [1, 2], 0xffff_ffff),
        (Op::IMul, [0x8000_0001, 2], 2),
        (Op::UDiv, [0xffff_fffe, 2], 0x7fff_ffff),
        (Op::SDiv, [-7i32 as u32, 2], -3i32 as u32),
        // The sign is that of the first operand, and that of the second.
        (Op::SRem, [-7i32 as u32, 3], -1i32 as u32),
        (Op::SMod, [-7i32 as u32, 3], 2),
        (Op::SMod, [7, -3i32 as u32], -2i32 as u32),
        (Op::SMod, [6, -3i32 as u32], 0),
        (Op::UMod, [7, 3], 1),
        (Op::ShiftLeftLogical, [1, 31], 0x8000_0000),
        (Op::ShiftRightLogical, [0x8000_0000, 31], 1),
        (Op::ShiftRightArithmetic, [0x8000_0000, 31], 0xffff_ffff),
    ] {
        assert_eq!(integer(op, &arguments), Answer::exact(wanted.into()), "{op:?} {arguments:x?}");
    }
}

/// "The resulting value is undefined" (OpUDiv, OpSDiv, OpShiftLeftLogical): a value, with a name.
#[test]
fn what_is_undefined_is_named() {
    for (op, arguments) in [
        (Op::UDiv, [7, 0]),
        (Op::UMod, [7, 0]),
        (Op::SDiv, [0x8000_0000, 0xffff_ffff]),
        (Op::SRem, [0x8000_0000, 0xffff_ffff]),
        (Op::ShiftLeftLogical, [1, 32]),
        (Op::ShiftRightArithmetic, [1, 0xffff_ffff]),
    ] {
        assert!(integer(op, &arguments).open.is_some(), "{op:?} {arguments:x?}");
    }
}

#[test]
fn fields_of_bits_are_cut_and_put() {
    assert_eq!(integer(Op::BitFieldUExtract, &[0xabcd_1234, 8, 8]), Answer::exact(0x12));
    assert_eq!(integer(Op::BitFieldSExtract, &[0x0000_f000, 12, 4]), Answer::exact(0xffff_ffff));
    assert_eq!(integer(Op::BitFieldSExtract, &[0xffff_ffff, 3, 0]), Answer::exact(0));
    assert_eq!(integer(Op::BitFieldUExtract, &[0xffff_ffff, 0, 32]), Answer::exact(0xffff_ffff));
    assert_eq!(integer(Op::BitFieldInsert, &[0xffff_ffff, 0x5, 4, 8]), Answer::exact(0xffff_f05f));
    assert!(integer(Op::BitFieldInsert, &[0, 0, 20, 13]).open.is_some());
    assert_eq!(integer(Op::BitReverse, &[1]), Answer::exact(0x8000_0000));
    assert_eq!(integer(Op::BitCount, &[0xf0f0]), Answer::exact(8));
}

#[test]
fn floats_are_rounded_once_to_the_nearest() {
    assert_eq!(single(Op::FAdd, &[16_777_216.0, 1.0]), (16_777_216.0, None));
    assert_eq!(single(Op::FAdd, &[16_777_216.0, 3.0]), (16_777_220.0, None));
    assert_eq!(single(Op::FMul, &[0.1, 0.1]).0.to_bits(), 0x3c23_d70b);
    assert_eq!(single(Op::FSub, &[0.0, 0.0]).0.to_bits(), 0);
    assert_eq!(single(Op::FNegate, &[0.0]).0.to_bits(), 0x8000_0000);
    assert_eq!(single(Op::FDiv, &[1.0, 3.0]).0.to_bits(), 0x3eaa_aaab);
    assert!(single(Op::FDiv, &[1.0, 3.0]).1.is_some(), "its last bits are open");
    let (nan, open) = single(Op::FMul, &[0.0, f32::INFINITY]);
    assert!(nan.is_nan() && open == Some(NAN));
}

#[test]
fn denormals_are_as_the_module_says() {
    let least = 1u64;
    let add = |denormals| apply(Op::FAdd, F32, F32, &[least, 0], denormals).unwrap();
    assert_eq!(add(Denormals::Kept), Answer::exact(least));
    assert_eq!(add(Denormals::Zero), Answer::exact(0));
    assert_eq!(add(Denormals::Open), Answer::open(least, DENORMAL));
    // A result, too; and of 64 bits they are always kept.
    let half = f32::MIN_POSITIVE.to_bits().into();
    let product = apply(Op::FMul, F32, F32, &[half, 0x3f00_0000], Denormals::Zero).unwrap();
    assert_eq!(product, Answer::exact(0));
    let double = Number::Float(64);
    assert_eq!(apply(Op::FAdd, double, double, &[1, 0], Denormals::Open), Some(Answer::exact(1)));
}

#[test]
fn comparisons_with_nan_are_ordered_or_not() {
    let nan = u64::from(f32::NAN.to_bits());
    for (op, wanted) in [
        (Op::FOrdEqual, 0),
        (Op::FOrdNotEqual, 0),
        (Op::FOrdLessThan, 0),
        (Op::FOrdGreaterThanEqual, 0),
        (Op::FUnordEqual, 1),
        (Op::FUnordNotEqual, 1),
        (Op::FUnordLessThan, 1),
        (Op::FUnordGreaterThanEqual, 1),
        (Op::IsNan, 1),
        (Op::IsInf, 0),
    ] {
        let answer = apply(op, F32, Number::Bool, &[nan, 0], Denormals::Open);
        assert_eq!(answer, Some(Answer::exact(wanted)), "{op:?}");
    }
}

#[test]
fn conversions_cut_towards_zero_and_name_what_does_not_fit() {
    let of = |op, to, number: f32| apply(op, F32, to, &[number.to_bits().into()], Denormals::Open).unwrap();
    assert_eq!(of(Op::ConvertFToS, I32, -2.9), Answer::exact(0xffff_fffe));
    assert_eq!(of(Op::ConvertFToU, I32, 4_294_967_040.0), Answer::exact(4_294_967_040));
    assert_eq!(of(Op::ConvertFToU, I32, -0.9), Answer::exact(0));
    for number in [-1.0, f32::NAN, f32::INFINITY, 4_294_967_296.0] {
        assert!(of(Op::ConvertFToU, I32, number).open.is_some(), "{number}");
    }
    assert_eq!(of(Op::ConvertFToS, I32, -2_147_483_648.0), Answer::exact(0x8000_0000));
    assert!(of(Op::ConvertFToS, I32, 2_147_483_648.0).open.is_some());
    let back = |op, bits: u64| apply(op, I32, F32, &[bits], Denormals::Open).unwrap().bits as u32;
    assert_eq!(back(Op::ConvertUToF, 0xffff_ffff), 4_294_967_296f32.to_bits());
    assert_eq!(back(Op::ConvertSToF, 0xffff_ffff), (-1f32).to_bits());
    // 2^24 + 1 lies between two: the even one.
    assert_eq!(back(Op::ConvertUToF, 16_777_217), 16_777_216f32.to_bits());
    let wide = apply(Op::SConvert, Number::Integer(16), Number::Integer(64), &[0x8000], Denormals::Open);
    assert_eq!(wide, Some(Answer::exact(0xffff_ffff_ffff_8000)));
    assert_eq!(of(Op::FConvert, Number::Float(64), 0.5), Answer::exact(0.5f64.to_bits()));
    assert!(of(Op::FConvert, Number::Float(16), 0.1).open.is_some(), "how it is rounded is open");
    assert_eq!(of(Op::FConvert, Number::Float(16), 1.5), Answer::exact(0x3e00));
}

#[test]
fn narrow_and_wide_integers_keep_their_bits() {
    let narrow = Number::Integer(16);
    let of = |op, number, a, b| apply(op, number, number, &[a, b], Denormals::Open).unwrap().bits;
    assert_eq!(of(Op::IAdd, narrow, 0xffff, 1), 0);
    assert_eq!(of(Op::ShiftRightArithmetic, narrow, 0x8000, 15), 0xffff);
    let wide = Number::Integer(64);
    assert_eq!(of(Op::IMul, wide, u64::MAX, 2), u64::MAX - 1);
    assert_eq!(of(Op::SDiv, wide, -9i64 as u64, 2), -4i64 as u64);
}

#[test]
fn other_instructions_are_refused() {
    assert_eq!(apply(Op::EmitVertex, I32, I32, &[0], Denormals::Open), None);
}
