//! What a shader of a draw gave against what the GPU has of it, number by number.

use super::sampler;
use reprise_interpreter::{Open, is_free};
use reprise_picture::{Kind, Layout, Texels, srgb};

/// What a comparison of a number came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Equal,
    /// They differ, and the API leaves that open.
    Open,
    Differs,
}

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numeral {
    Unsigned,
    Signed,
    Float,
}

/// A number that was compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    /// As HLSL has it: `SEEN0.y`, `SV_Target0.x`.
    pub(crate) name: String,
    /// By the interpreter and by the GPU, as people read them.
    pub(crate) expected: String,
    pub(crate) found: String,
    pub(crate) verdict: Verdict,
    /// How far they may be apart, where that is looked at.
    pub(crate) tolerance: Option<f64>,
    /// What is open about the interpreter's.
    pub(crate) open: Open,
}

/// A comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Compared {
    pub(crate) outputs: Vec<Output>,
    /// What could not be compared, and why.
    pub(crate) unseen: Vec<String>,
    /// What there is to say beside.
    pub(crate) notes: Vec<String>,
    /// The predicate that is set left the draw out.
    pub(crate) left_out: bool,
}

impl Compared {
    /// Whether something differs that nothing open explains, or was not looked at.
    pub(crate) fn is_wrong(&self) -> bool {
        self.is_empty()
            || !self.unseen.is_empty()
            || self.outputs.iter().any(|output| output.verdict == Verdict::Differs)
    }

    /// Whether nothing was compared: also where the GPU did not make the draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }
}

/// How far a float may be from the GPU's, where only its last bits are open: twice the most that runs beside make of it, and its own last
/// bits. `None`: one of them is infinite or no number, so that nothing bounds it.
pub(crate) fn exactness(own: f64, asides: &[f64]) -> Option<f64> {
    // An infinity that nothing changes is that infinity.
    if own.is_infinite() && asides.iter().all(|aside| *aside == own) {
        return Some(0.0);
    }
    let change = asides.iter().map(|aside| (aside - own).abs()).fold(0.0, f64::max);
    let is_bounded = asides.iter().all(|aside| aside.is_finite() == own.is_finite());
    is_bounded.then(|| 2.0 * change + own.abs() * 2f64.powi(-20))
}

/// The least and the greatest of a whole number and of what runs beside make of it.
pub(crate) fn hull(own: f64, asides: &[f64]) -> [f64; 2] {
    asides.iter().fold([own, own], |[least, greatest], aside| [least.min(*aside), greatest.max(*aside)])
}

/// Words of 32 bits, bit for bit; where last bits are open, as far from each other as the runs beside say.
pub(crate) fn words(
    name: String,
    numeral: Numeral,
    (expected, open): (u64, Open),
    asides: &[u64],
    found: u32,
) -> Output {
    let expected = expected as u32;
    let number = |bits: u32| match numeral {
        Numeral::Unsigned => f64::from(bits),
        Numeral::Signed => f64::from(bits as i32),
        Numeral::Float => f64::from(f32::from_bits(bits)),
    };
    let text = |bits: u32| match numeral {
        Numeral::Unsigned => bits.to_string(),
        Numeral::Signed => (bits as i32).to_string(),
        Numeral::Float => format!("{:?}", f32::from_bits(bits)),
    };
    let (own, other) = (number(expected), number(found));
    let numbers: Vec<f64> = asides.iter().map(|bits| number(*bits as u32)).collect();
    let tolerance = match numeral {
        _ if open == 0 || is_free(open) => None,
        Numeral::Float => Some(exactness(own, &numbers).unwrap_or(f64::INFINITY)),
        _ => Some(0.0),
    };
    let is_near = match (numeral, tolerance) {
        (_, None) => true,
        // The bits of a NaN are open.
        (Numeral::Float, Some(_)) if own.is_nan() && other.is_nan() => true,
        (Numeral::Float, Some(tolerance)) => tolerance == f64::INFINITY || (own - other).abs() <= tolerance,
        (_, Some(_)) => {
            let [least, greatest] = hull(own, &numbers);
            (least..=greatest).contains(&other)
        }
    };
    let verdict = match expected == found {
        true => Verdict::Equal,
        false if open != 0 && is_near => Verdict::Open,
        false => Verdict::Differs,
    };
    let tolerance = tolerance.filter(|_| numeral == Numeral::Float);
    // Numbers that read the same are told apart by their bits.
    let (mut one, mut other) = (text(expected), text(found));
    if one == other && expected != found {
        (one, other) = (format!("{one} ({expected:#010x})"), format!("{other} ({found:#010x})"));
    }
    Output { name, expected: one, found: other, verdict, tolerance, open }
}

/// How far an open value may be from the GPU's: `None` where it may be any, infinite where nothing bounds it.
pub(crate) type Tolerance = Option<f64>;

/// A float against another one, which may be as far away as the tolerance says.
pub(crate) fn near(name: String, (expected, open): (f64, Open), found: f64, tolerance: Tolerance) -> Output {
    let same = expected == found || expected.is_nan() && found.is_nan();
    let within = tolerance.is_none_or(|tolerance| {
        // Also where one of them is no number.
        tolerance == f64::INFINITY || (expected - found).abs() <= tolerance
    });
    let verdict = match (same, open != 0 && within) {
        (true, _) => Verdict::Equal,
        (false, true) => Verdict::Open,
        (false, false) => Verdict::Differs,
    };
    let tolerance = tolerance.filter(|_| open != 0);
    Output { name, expected: format!("{expected:?}"), found: format!("{found:?}"), verdict, tolerance, open }
}

/// A word that a pixel shader gives for a target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) bits: u64,
    pub(crate) open: Open,
    /// Of a float.
    pub(crate) tolerance: Tolerance,
    /// What runs beside give.
    pub(crate) asides: Vec<u64>,
}

/// Numbers that a pixel shader gives for a target against a texel of the GPU's; `None`: the shader does not give the component.
///
/// # Errors
/// In words: texels of the format are not understood.
pub(crate) fn texel(target: u32, format: u32, given: &[Option<Given>; 4], texel: &[u8]) -> Result<Vec<Output>, String> {
    let layout = Layout::of(format, 0)?;
    let found = Texels::new(format, 0, (1, 1), texel.to_vec())?.at(0, 0).ok_or("a texel is cut")?;
    let there = layout.channels();
    let (kind, widths) = match layout {
        Layout::Packed { channels, kind, .. } => (kind, channels.map(|(_, width)| u32::from(width))),
        _ => return Err("targets whose texels are no numbers by themselves are not compared".to_owned()),
    };
    let mut outputs = Vec::new();
    for (channel, ((given, found), there)) in given.iter().zip(found).zip(there).enumerate() {
        let Some(given) = given.as_ref().filter(|_| there) else { continue };
        let Given { bits, open, tolerance, .. } = *given;
        let name = format!("SV_Target{target}.{}", ['x', 'y', 'z', 'w'][channel]);
        let real = f64::from(f32::from_bits(bits as u32));
        outputs.push(match kind {
            Kind::Uint | Kind::Sint => whole(name, (kind, widths[channel]), given, found),
            Kind::Unorm | Kind::Snorm => {
                let least = if kind == Kind::Snorm { -1.0 } else { 0.0 };
                let clamped = if real.is_nan() { 0.0 } else { real.clamp(least, 1.0) };
                // The encoding makes up to so much of a small difference.
                let (expected, tolerance) = match layout.is_srgb() && channel < 3 {
                    true => (srgb::encoded(clamped), tolerance.map(|tolerance| tolerance * 12.92)),
                    false => (clamped, tolerance),
                };
                let step = sampler::steps(layout)[channel].map_or(0.0, |steps| 1.0 / steps);
                rounded(name, (expected, open), found, (step, tolerance))
            }
            _ => match widths[channel] {
                32 => near(name, (real, open), found, tolerance),
                width => {
                    // One part of the last bit, in either direction.
                    let bits = sampler::fraction_bits(width as u8);
                    let real = if width < 16 { real.max(0.0) } else { real };
                    let step = 2f64.powi(found.abs().max(real.abs()).max(2f64.powi(-14)).log2().floor() as i32 - bits);
                    rounded(name, (real, open), found, (step, tolerance))
                }
            },
        });
    }
    Ok(outputs)
}

/// Whole numbers; more than fits is the greatest. Where last bits are open they lie between those of the runs beside.
fn whole(name: String, (kind, width): (Kind, u32), given: &Given, found: f64) -> Output {
    let kept = |bits: u64| match (kind, width, bits as u32) {
        (Kind::Uint, 32, bits) => f64::from(bits),
        (Kind::Uint, width, bits) => f64::from(bits.min((1 << width) - 1)),
        (_, 32, bits) => f64::from(bits as i32),
        (_, width, bits) => f64::from((bits as i32).clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1)),
    };
    let expected = kept(given.bits);
    let asides: Vec<f64> = given.asides.iter().copied().map(kept).collect();
    let [least, greatest] = hull(expected, &asides);
    let verdict = match given.open {
        _ if expected == found => Verdict::Equal,
        0 => Verdict::Differs,
        open if is_free(open) || (least..=greatest).contains(&found) => Verdict::Open,
        _ => Verdict::Differs,
    };
    let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
    Output { name, expected, found, verdict, tolerance: None, open: given.open }
}

/// Conversions may be wrong by 0.6 of a step (Direct3D 11.3 functional specification, 3.2.3.5).
const CONVERSION: f64 = 0.6;

/// A value that the target's format rounds to steps.
fn rounded(name: String, (expected, open): (f64, Open), found: f64, (step, tolerance): (f64, Tolerance)) -> Output {
    let apart = (expected - found).abs();
    let verdict = if apart <= step * CONVERSION || expected == found || expected.is_nan() && found.is_nan() {
        Verdict::Equal
    } else if open != 0
        && tolerance.is_none_or(|tolerance| tolerance == f64::INFINITY || apart <= tolerance + step * CONVERSION)
    {
        Verdict::Open
    } else {
        Verdict::Differs
    };
    let tolerance = tolerance.filter(|_| open != 0);
    Output { name, expected: format!("{expected:?}"), found: format!("{found:?}"), verdict, tolerance, open }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::types::DXGI_FORMAT;

    /// The verdicts of red and green, of a texel of two bytes or more.
    fn verdicts(format: DXGI_FORMAT, given: [f32; 2], open: Open, tolerance: Tolerance, bytes: &[u8]) -> Vec<Verdict> {
        let word = |value: f32| Some(Given { bits: value.to_bits().into(), open, tolerance, asides: Vec::new() });
        let given = [word(given[0]), word(given[1]), word(0.0), word(1.0)];
        let outputs = texel(0, format.0 as u32, &given, bytes).unwrap();
        outputs.into_iter().map(|output| output.verdict).collect()
    }

    #[test]
    fn conversions_may_be_wrong_by_a_part_of_a_step() {
        use Verdict::{Differs, Equal, Open};
        let unorm = DXGI_FORMAT::FORMAT_R8G8_UNORM;
        let steps = |count: f32| count / 255.0;
        assert_eq!(verdicts(unorm, [steps(10.5), 7.0], 0, None, &[10, 255]), [Equal, Equal]);
        assert_eq!(verdicts(unorm, [steps(10.5), steps(10.55)], 0, None, &[11, 10]), [Equal, Equal]);
        assert_eq!(verdicts(unorm, [steps(10.7), f32::NAN], 0, None, &[10, 1]), [Differs, Differs]);
        // Two steps that come of something open, and three.
        let open = |bytes| verdicts(unorm, [steps(10.0), steps(10.0)], 1, Some(2.0 / 255.0), bytes);
        assert_eq!(open(&[12, 13]), [Open, Differs]);
        let snorm = DXGI_FORMAT::FORMAT_R8G8_SNORM;
        assert_eq!(verdicts(snorm, [-1.0, 0.5], 0, None, &[0x81, 66]), [Equal, Differs]);
        let whole = DXGI_FORMAT::FORMAT_R8G8_UINT;
        let word = |value: u32| f32::from_bits(value);
        assert_eq!(verdicts(whole, [word(300), word(7)], 0, None, &[255, 8]), [Equal, Differs]);
        let halves = DXGI_FORMAT::FORMAT_R16G16_FLOAT;
        // 1 and 1 + 2^-10; half way between them either will do.
        assert_eq!(verdicts(halves, [1.000_4, 1.002], 0, None, &[0, 0x3c, 1, 0x3c]), [Equal, Differs]);
        let single = DXGI_FORMAT::FORMAT_R32G32_FLOAT;
        let bytes = [1f32.to_le_bytes(), 1f32.to_le_bytes()].concat();
        assert_eq!(verdicts(single, [1.0, 1.000_001], 0, None, &bytes), [Equal, Differs]);
        assert_eq!(verdicts(single, [1.0, 1.000_001], 1, Some(1e-5), &bytes), [Equal, Open]);
    }

    #[test]
    fn colours_are_compared_as_they_are_encoded() {
        let srgb = DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB;
        // A linear half is 188 of 255.
        let found = verdicts(srgb, [0.5, 0.5], 0, None, &[188, 128, 0, 255]);
        assert_eq!(found, [Verdict::Equal, Verdict::Differs, Verdict::Equal, Verdict::Equal]);
    }

    /// Names of what is open: entirely, and in its last bits alone.
    fn names() -> (Open, Open) {
        let mut opens = reprise_interpreter::Opens::default();
        (opens.name("anything"), opens.near("last bits"))
    }

    #[test]
    fn numbers_that_read_the_same_are_told_apart() {
        let output = words("A0.x".to_owned(), Numeral::Float, (0x7fc0_0001, 0), &[], 0x7fc0_0000);
        assert_eq!((output.verdict, output.found.as_str()), (Verdict::Differs, "NaN (0x7fc00000)"));
        let (free, _) = names();
        assert_eq!(words(String::new(), Numeral::Signed, (u64::MAX, free), &[], 1).verdict, Verdict::Open);
    }

    /// What is open in its last bits alone may not be anything.
    #[test]
    fn words_are_as_far_away_as_runs_beside_make_them() {
        use Verdict::{Differs, Equal, Open};
        let (free, near) = names();
        let bits = |value: f32| value.to_bits();
        let asides = [0.999f32, 1.001].map(|value| u64::from(bits(value)));
        let float =
            |open, found: f32| words(String::new(), Numeral::Float, (bits(1.0).into(), open), &asides, bits(found));
        let verdicts = |open| [1.0, 1.001_9, 1.003, -7.0, f32::NAN].map(|found| float(open, found).verdict);
        assert_eq!(verdicts(near), [Equal, Open, Differs, Differs, Differs]);
        assert_eq!(verdicts(free), [Equal, Open, Open, Open, Open]);
        assert_eq!(verdicts(0), [Equal, Differs, Differs, Differs, Differs]);
        let signed = |found: i32| {
            words(String::new(), Numeral::Signed, (0, near), &[u64::from(u32::MAX), 2], found as u32).verdict
        };
        assert_eq!([0, -1, 1, 2, 3, -2].map(signed), [Equal, Open, Open, Open, Differs, Differs]);
        let nan = |found: f32| {
            words(String::new(), Numeral::Float, (0x7fc0_0000, near), &[0x7fc0_0000], bits(found) | 1).verdict
        };
        assert_eq!([nan(f32::NAN), nan(0.0)], [Open, Differs]);
        // Beside it one is infinite: nothing bounds it, and that is told.
        let beside = [u64::from(bits(f32::INFINITY))];
        let output = words(String::new(), Numeral::Float, (bits(3e38).into(), near), &beside, bits(-1.0));
        assert_eq!((output.verdict, output.tolerance), (Open, Some(f64::INFINITY)));
    }

    /// Integers of a target lie between those of the runs beside, and components that the shader does not give are not compared.
    #[test]
    fn integers_of_targets_are_compared_as_integers() {
        use Verdict::{Differs, Equal, Open};
        let (free, near) = names();
        let format = DXGI_FORMAT::FORMAT_R8G8_UINT.0 as u32;
        let red = |open, found: u8| {
            let given = Given { bits: 250, open, tolerance: Some(1e9), asides: vec![249, 300] };
            let outputs = texel(0, format, &[Some(given), None, None, None], &[found, 77]).unwrap();
            assert_eq!(outputs.len(), 1);
            outputs[0].verdict
        };
        assert_eq!(
            [250, 249, 252, 255, 248, 7].map(|found| red(near, found)),
            [Equal, Open, Open, Open, Differs, Differs]
        );
        assert_eq!([250, 7].map(|found| red(free, found)), [Equal, Open]);
        assert_eq!(red(0, 249), Differs);
    }

    #[test]
    fn what_compares_nothing_is_not_equal() {
        let nothing = Compared::default();
        assert!(nothing.is_empty() && nothing.is_wrong());
        let left_out = Compared { left_out: true, ..Compared::default() };
        assert!(left_out.is_empty() && left_out.is_wrong());
    }
}
