//! Words and texels, beside what the runs that lean make of them.

use super::*;
use reprise_d3d12::types::DXGI_FORMAT;

const RANGE: Range = Range { open: 1, value: 0.5, least: 0.49, greatest: 0.51, conditional: false };

/// A float of a buffer: within its bounds, beyond them, and one that was not written as it was computed.
#[test]
fn bounds_hold_for_what_was_written() {
    let judge = |own: f32, found: f32| {
        let judged = within(&own.to_le_bytes(), &found.to_le_bytes(), 0, &RANGE);
        judged.map(|judged| matches!(judged, Judged::Beyond(_)))
    };
    assert_eq!(judge(0.5, 0.505), Some(false));
    assert_eq!(judge(0.5, 0.52), Some(true));
    assert_eq!(judge(0.5, f32::NAN), Some(true));
    // It was computed of: its own bounds are not known.
    assert_eq!(judge(0.25, 0.7), None);
}

/// A texel holds of a float what its format does: a step to each side.
#[test]
fn bounds_are_as_wide_as_a_formats_steps() {
    let range = Range { least: 0.5, greatest: 0.502, ..RANGE };
    let format = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM.0 as u32;
    let judge = |found: u8| {
        let judged = component_of((&[0, 128, 0, 255], &[0, found, 0, 255], &[]), (0, format, 1), Some(&range));
        matches!(judged, Some(Judged::Beyond(_)))
    };
    assert_eq!([127, 128, 129, 130, 90].map(judge), [false, false, false, true, true]);
}

fn float(number: f32) -> [u8; 4] {
    number.to_le_bytes()
}

fn is_within(own: &[u8], asides: &[&[u8]], found: &[u8]) -> bool {
    matches!(word_of(own, found, asides, 0), Judged::Within(_))
}

/// What is only open in its last bits may not be anywhere.
#[test]
fn words_are_as_far_as_runs_beside_make_them() {
    let (less, more) = (float(0.999), float(1.002));
    let near = |found: f32| is_within(&float(1.0), &[&less, &more], &float(found));
    assert_eq!([1.003, 0.997, 1.005, 0.5, f32::NAN, f32::INFINITY].map(near), [true, true, false, false, false, false]);
    // Without a change there are the last bits alone, however small the number is.
    let alone = |found: f32| is_within(&float(1e-20), &[&float(1e-20)], &float(found));
    assert_eq!([1.000_000_2e-20, 1.1e-20, 0.0].map(alone), [true, false, false]);
    // About 0 the sign changes, and that is no leave for all numbers of a sign.
    let about = |found: f32| is_within(&float(1e-6), &[&float(-1e-6)], &float(found));
    assert_eq!([-2e-6, 4e-6, 1.0, -1.0].map(about), [true, true, false, false]);
    // A NaN has any bits, and stays one.
    let nan = |found: u32| is_within(&float(f32::NAN), &[&float(f32::NAN)], &found.to_le_bytes());
    assert_eq!([0xffc0_1234, 0x3f80_0000, 0].map(nan), [true, false, false]);
    // What overflows beside it may do so on a device.
    let overflown = word_of(&float(3e38), &float(f32::INFINITY), &[&float(f32::INFINITY)], 0);
    assert_eq!(overflown, Judged::Unbounded);
}

#[test]
fn integers_are_between_those_of_the_runs() {
    let word = |number: i32| number.to_le_bytes();
    let near = |found: i32| is_within(&word(10), &[&word(9), &word(12)], &word(found));
    assert_eq!([9, 11, 12, 8, 13, -10].map(near), [true, true, true, false, false, false]);
    let about = |found: i32| is_within(&word(0), &[&word(-1), &word(0)], &word(found));
    assert_eq!([-1, 1, -2, 1000].map(about), [true, false, false, false]);
    let halves = |one: u16, other: u16| (u32::from(one) | u32::from(other) << 16).to_le_bytes();
    let packed = |one: u16, other: u16| {
        let asides = [halves(0x3c01, 0x0000), halves(0x3bff, 0x0001)];
        is_within(&halves(0x3c00, 0x0000), &[&asides[0], &asides[1]], &halves(one, other))
    };
    assert_eq!([packed(0x3c01, 1), packed(0x3800, 0), packed(0x3c00, 0x8000)], [true, false, false]);
}

/// The lower half of a float of 64 bits says little by itself.
#[test]
fn doubles_are_judged_whole() {
    let double = |number: f64| number.to_le_bytes();
    let third = 1.0 / 3.0;
    let asides = [double(third * (1.0 - 2f64.powi(-50))), double(third * (1.0 + 2f64.powi(-50)))];
    let near = |found: f64| is_within(&double(third), &[&asides[0], &asides[1]], &double(found));
    assert_eq!([third + 2e-16, third + 1e-14].map(near), [true, false]);
}

/// Components are judged each by itself, also those that share a byte.
#[test]
fn components_are_kept_apart() {
    let format = DXGI_FORMAT::FORMAT_R10G10B10A2_UINT.0 as u32;
    let texel = |red: u32, green: u32| (red | green << 10).to_le_bytes().to_vec();
    let near = 5;
    let mut content = Content::default();
    content.bytes = texel(7, 1000);
    content.written = (0..4).map(|at| (at, near)).collect();
    content.texels = [(0, (format, [near, 0, 0, 0]))].into();
    let key = Key::buffer(1);
    let differences = |found: &[u8]| {
        let mut pair = Pair { key, content: &content, found, scattered: 0, all: Vec::new(), seen: BTreeSet::new() };
        (0..4).for_each(|at| pair.look(at, Some(near)));
        pair.all.iter().map(|it| (it.offset, it.open, it.component.map(|it| it.2))).collect::<Vec<_>>()
    };
    assert_eq!(differences(&texel(7, 1000)), []);
    assert_eq!(differences(&texel(8, 1000)), [(0, near, Some(0))]);
    assert_eq!(differences(&texel(7, 1001)), [(1, 0, Some(1))]);
    assert_eq!(differences(&texel(263, 3)), [(0, near, Some(0)), (1, 0, Some(1))]);
    let judge = |red: u32| {
        let (one, other) = (texel(6, 1000), texel(8, 1000));
        component_of((&content.bytes, &texel(red, 1000), &[&one, &other]), (0, format, 0), None)
    };
    assert!(matches!(judge(8), Some(Judged::Within(_))) && matches!(judge(9), Some(Judged::Beyond(_))));
}

/// Bounds of a sample are sure where its place is; otherwise they are those of the place that the run had, and the runs beside say how far
/// others are.
#[test]
fn bounds_of_an_open_place_are_not_sure() {
    let mut opens = Opens::default();
    let name = opens.near("a weight of the sampler");
    let mut content = Content::default();
    content.bytes = float(0.5).to_vec();
    let beside = [float(0.3), float(0.6)];
    let mut judge_as = |conditional: bool, found: f32| {
        let open = opens.bound(Range { open: name, conditional, ..RANGE });
        let (expected, found_bytes) = (float(0.5).to_vec(), float(found).to_vec());
        let (key, bounds) = (Key::buffer(1), None);
        let difference = Difference {
            key,
            offset: 0,
            expected,
            found: found_bytes,
            open,
            written: true,
            bounds,
            unbounded: false,
            beyond: false,
            component: None,
        };
        judge(&content, &float(found), &[&beside[0], &beside[1]], &difference, &opens)
    };
    assert!(matches!(judge_as(false, 0.505), Judged::Within(_)) && matches!(judge_as(false, 0.6), Judged::Beyond(_)));
    assert!(matches!(judge_as(true, 0.6), Judged::Within(_)) && matches!(judge_as(true, 1.0), Judged::Beyond(_)));
}

/// Two floats beside each other are no float of 64 bits, of which any lower half would be near.
#[test]
fn the_lower_of_two_floats_is_near_for_itself() {
    let pair = |low: f32, high: f32| [low.to_le_bytes(), high.to_le_bytes()].concat();
    let up = |number: f32| f32::from_bits(number.to_bits() + 1);
    let root = 2f32.sqrt();
    let own = pair(root, root);
    let asides = [pair(up(root), up(root)), pair(root, up(root))];
    let beside: Vec<&[u8]> = asides.iter().map(Vec::as_slice).collect();
    let near = |found: &[u8]| matches!(word_of(&own, found, &beside, 0), Judged::Within(_));
    assert!(near(&pair(up(root), root)));
    assert!(!near(&pair(111.1, root)));
    let double = |number: f64| number.to_le_bytes();
    let (own, aside) = (double(2f64.sqrt()), double(f64::from_bits(2f64.sqrt().to_bits() + 1)));
    let near = |found: f64| matches!(word_of(&own, &double(found), &[&aside], 0), Judged::Within(_));
    assert!(near(f64::from_bits(2f64.sqrt().to_bits() - 1)) && !near(2f64.sqrt() + 1e-9));
}

#[test]
fn what_nothing_bounds_is_said() {
    let (own, found) = (3.4e38f32.to_le_bytes(), (-7f32).to_le_bytes());
    assert_eq!(word_of(&own, &found, &[&f32::INFINITY.to_le_bytes()], 0), Judged::Unbounded);
    let infinite = f32::INFINITY.to_le_bytes();
    assert!(matches!(word_of(&infinite, &found, &[&infinite], 0), Judged::Beyond(_)));
}
