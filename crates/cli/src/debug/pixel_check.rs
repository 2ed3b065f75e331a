//! What a pixel's shader gave against what the GPU has of its fragment.
//!
//! Interpolated values are open in their last bits, and so are the results of many operations. How much that is in what comes of them, runs
//! of the shader beside it say: with inputs of places a little aside, with a little noise on them, and with operations that lean to one side.
//! What is further away than they make it is a difference.

use super::draw::Draw;
use super::outputs::{self, Compared, Given, Output, Verdict};
use super::pixel::Target;
use reprise_interpreter::{BuiltIn, Left, Open, Opens, Port, is_free};
use reprise_replay::{DrawTests, PixelTest};

/// What the GPU gives for the target in a slot.
#[derive(Clone, Debug)]
pub(crate) struct Texel {
    pub(crate) slot: u32,
    pub(crate) format: u32,
    /// `Err`: why it is not known.
    pub(crate) bytes: Result<Vec<u8>, String>,
}

/// A run of the shader: what the pixel's lane left, and the depth that the rasteriser gives it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aside {
    pub(crate) left: Left,
    pub(crate) depth: f64,
}

/// All runs.
pub(crate) struct Runs<'r> {
    pub(crate) own: &'r Aside,
    pub(crate) aside: &'r [Aside],
    pub(crate) opens: &'r Opens,
    /// What is open about the depth, which is interpolated, too.
    pub(crate) interpolated: Open,
    /// Fragments are tested before the shader runs.
    pub(crate) tests_early: bool,
}

/// Twice what the runs aside make of a value, and what 32-bit floats lose on the way. Infinite where nothing bounds it.
fn tolerance(value: f64, asides: &[f64]) -> f64 {
    match outputs::exactness(value, asides) {
        Some(exactness) => exactness + value.abs() * 2f64.powi(-16) + 2f64.powi(-20),
        None => f64::INFINITY,
    }
}

impl Runs<'_> {
    fn word(&self, port: Port) -> Option<Given> {
        let (bits, open) = *self.own.left.words.get(&port)?;
        let real = |bits: u64| f64::from(f32::from_bits(bits as u32));
        let words = self.aside.iter().filter_map(|run| Some(run.left.words.get(&port)?.0));
        let asides: Vec<u64> = words.collect();
        if open == 0 || is_free(open) {
            return Some(Given { bits, open, tolerance: None, asides });
        }
        // A sample has bounds of its own, for inputs that are as they are: those of its place come on top.
        let bounds =
            self.opens.range(open).map(|it| (it.greatest - real(bits)).abs().max((real(bits) - it.least).abs()));
        let beside: Vec<f64> = asides.iter().copied().map(real).collect();
        let tolerance = Some(tolerance(real(bits), &beside) + bounds.unwrap_or(0.0));
        Some(Given { bits, open, tolerance, asides })
    }
}

/// Why counts may tell of no discard.
const COUNTED_EARLY: &str =
    "its shader tests fragments before it runs, and this device counts them there: what it discards is counted, too";

/// Whether the GPU's fragment is discarded, where its counts tell. Of a shader that tests early they may count what it discards: Vulkan says
/// that it "should" run after samples are counted (Fragment Operations), and Direct3D that tests come first.
fn is_discarded(tests: &DrawTests, tests_early: bool) -> Option<bool> {
    let at = tests.left.iter().position(|(test, _)| *test == PixelTest::Discard)?;
    let (before, after) = (tests.left.get(at.checked_sub(1)?)?.1, tests.left[at].1);
    match (before, after) {
        (0, _) => None,
        (before, after) if before == after => (!tests_early).then_some(false),
        (_, 0) => Some(true),
        _ => None,
    }
}

/// What the interpreter gave against what the GPU has.
pub(crate) fn compare(draw: &Draw, target: &Target, tests: &DrawTests, texels: &[Texel], runs: &Runs<'_>) -> Compared {
    let mut compared = Compared::default();
    let own = &runs.own.left;
    // What is not compared is said beside what is, or it is why nothing is.
    let mut wanting = Vec::new();
    discarded((draw, target), tests, runs, &mut compared, &mut wanting);
    if !own.discarded {
        for texel in texels {
            let row = draw
                .outputs
                .iter()
                .find(|row| row.semantic.eq_ignore_ascii_case("SV_Target") && row.index == texel.slot);
            let mask = row.map_or(0xf, |row| row.mask);
            let given = [0, 1, 2, 3].map(|component: u32| {
                let port = Port::Location { location: texel.slot, component, source: 0 };
                runs.word(port).filter(|_| mask >> component & 1 != 0)
            });
            let found = texel.bytes.as_ref().map_err(Clone::clone);
            let found = found.and_then(|bytes| outputs::texel(texel.slot, texel.format, &given, bytes));
            match found {
                Ok(found) => compared.outputs.extend(found),
                Err(why) => {
                    compared.unseen.push(format!("SV_Target{}: {why}", texel.slot));
                    continue;
                }
            }
            wanting.extend(absent(texel, &given));
        }
    }
    if texels.is_empty() && !draw.outputs.is_empty() {
        wanting.push("no target is bound that the shader gives anything for".to_owned());
    }
    depth(draw, target, (texels, own.discarded), runs, &mut compared, &mut wanting);
    if compared.outputs.is_empty() && compared.unseen.is_empty() {
        if wanting.is_empty() {
            wanting.push("the shader gives nothing that the GPU has, too".to_owned());
        }
        compared.unseen.append(&mut wanting);
    }
    compared.notes.append(&mut wanting);
    if let Some(front) = target.fragment.front {
        compared.notes.push(format!("a {} face, as the GPU says", if front { "front" } else { "back" }));
    }
    compared
}

/// The components of a target that the shader does not give, in words.
fn absent(texel: &Texel, given: &[Option<Given>; 4]) -> Option<String> {
    let there = reprise_picture::Layout::of(texel.format, 0).ok()?.channels();
    let names = "xyzw".chars().zip(given).zip(there);
    let absent: String =
        names.filter(|((_, given), there)| *there && given.is_none()).map(|((name, _), _)| name).collect();
    let what = format!("SV_Target{}.{absent} is not compared: the shader does not give it", texel.slot);
    (!absent.is_empty()).then_some(what)
}

fn discarded(
    (draw, target): (&Draw, &Target),
    tests: &DrawTests,
    runs: &Runs<'_>,
    compared: &mut Compared,
    wanting: &mut Vec<String>,
) {
    let own = runs.own.left.discarded;
    let not_told = || {
        let why = if runs.tests_early { format!(": {COUNTED_EARLY}") } else { String::new() };
        format!("whether the GPU discards the fragment is not told{why}")
    };
    let found = match is_discarded(tests, runs.tests_early) {
        Some(found) => found,
        // It has an output, so it is there.
        None if target.fragment.output.is_some() && !runs.tests_early => false,
        _ if own => {
            compared.unseen.push(not_told());
            return;
        }
        _ => {
            if tests.left.iter().any(|(test, _)| *test == PixelTest::Discard) {
                wanting.push(not_told());
            }
            return;
        }
    };
    if own == found && !own {
        return;
    }
    if found && !own && draw.raster.alpha_to_coverage {
        // Which samples an alpha leaves, each device decides: the API does not say.
        wanting.push(
            "the GPU's fragment has no sample left: alpha to coverage may take them, which is not told".to_owned(),
        );
        return;
    }
    let way = runs.own.left.way;
    let may_differ = is_free(way) || way != 0 && runs.aside.iter().any(|run| run.left.discarded != own);
    let verdict = match (own == found, may_differ) {
        (true, _) => Verdict::Equal,
        (false, true) => Verdict::Open,
        (false, false) => Verdict::Differs,
    };
    let (expected, found, open) = (own.to_string(), found.to_string(), runs.own.left.way);
    compared.outputs.push(Output { name: "discarded".to_owned(), expected, found, verdict, tolerance: None, open });
}

/// Depth: of the shader, where it gives one, or of the primitive.
fn depth(
    draw: &Draw,
    target: &Target,
    (texels, is_discarded): (&[Texel], bool),
    runs: &Runs<'_>,
    compared: &mut Compared,
    wanting: &mut Vec<String>,
) {
    let Some(found) = target.fragment.depth else { return };
    let port = Port::BuiltIn(BuiltIn::FragDepth as u32, 0);
    let is_of_shader = texels.iter().any(|texel| texel.bytes.is_ok());
    match runs.word(port) {
        Some(Given { bits, open, tolerance, .. }) => {
            if is_of_shader && !is_discarded {
                let depth = target.in_range(f64::from(f32::from_bits(bits as u32)));
                compared.outputs.push(outputs::near("SV_Depth".to_owned(), (depth, open), found.into(), tolerance));
            } else if !is_discarded {
                compared.unseen.push("SV_Depth: what the GPU has of it is not told".to_owned());
            }
        }
        None if draw.raster.depth_bias => {
            wanting.push("its depth is not compared: the pipeline adds a bias to it".to_owned());
        }
        None => {
            let depth = f64::from(runs.own.depth as f32);
            let asides: Vec<f64> = runs.aside.iter().map(|run| run.depth).collect();
            let tolerance = tolerance(depth, &asides);
            compared.outputs.push(outputs::near(
                "depth".to_owned(),
                (depth, runs.interpolated),
                found.into(),
                (!is_free(runs.interpolated)).then_some(tolerance),
            ));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::debug::pixel::INTERPOLATION;
    use reprise_interpreter::Range;

    #[test]
    fn what_is_further_away_than_the_runs_aside_make_it_differs() {
        let value = |bits: f32, open| {
            let mut left = Left::default();
            let port = Port::Location { location: 0, component: 0, source: 0 };
            left.words.insert(port, (bits.to_bits().into(), open));
            Aside { left, depth: 0.0 }
        };
        let mut opens = Opens::default();
        let port = Port::Location { location: 0, component: 0, source: 0 };
        let verdicts = |opens: &Opens, open| {
            let (own, aside) = (value(0.5, open), [value(0.51, open), value(0.495, open)]);
            let runs = Runs { own: &own, aside: &aside, opens, interpolated: open, tests_early: false };
            let given = runs.word(port).unwrap();
            let real = f64::from(f32::from_bits(given.bits as u32));
            let near = |found: f64| outputs::near(String::new(), (real, open), found, given.tolerance).verdict;
            [near(0.5), near(0.519), near(0.53)]
        };
        // Whatever operation leaves the last bits open, they are the last bits.
        for open in [opens.near(INTERPOLATION), opens.near("FDiv: its last bits")] {
            assert_eq!(verdicts(&opens, open), [Verdict::Equal, Verdict::Open, Verdict::Differs]);
        }
        let free = opens.name("AtomicIAdd: in which order lanes come");
        assert_eq!(verdicts(&opens, free), [Verdict::Equal, Verdict::Open, Verdict::Open]);
        // A sample of an open place: its own bounds, and what the place makes of it.
        let range =
            Range { open: opens.near(INTERPOLATION), value: 0.5, least: 0.48, greatest: 0.51, conditional: true };
        let open = opens.bound(range);
        let (own, aside) = (value(0.5, open), [value(0.51, open)]);
        let runs = Runs { own: &own, aside: &aside, opens: &opens, interpolated: open, tests_early: false };
        let tolerance = runs.word(port).unwrap().tolerance.unwrap();
        assert!((0.04..0.041).contains(&tolerance), "{tolerance}");
        // Nothing is open: no tolerance.
        assert_eq!(outputs::near(String::new(), (0.5, 0), 0.500_001, None).verdict, Verdict::Differs);
        // Beside it one is no number: nothing bounds it, and that is told.
        let open = opens.near(INTERPOLATION);
        let (own, aside) = (value(0.5, open), [value(f32::NAN, open)]);
        let runs = Runs { own: &own, aside: &aside, opens: &opens, interpolated: open, tests_early: false };
        assert_eq!(runs.word(port).unwrap().tolerance, Some(f64::INFINITY));
    }

    /// A device may count what a shader discards that tests early, and another may not.
    #[test]
    fn equal_counts_tell_nothing_of_shaders_that_test_early() {
        let tests = |after| {
            let left = vec![(PixelTest::SampleMask, 1), (PixelTest::Discard, after)];
            DrawTests { left, ..DrawTests::default() }
        };
        let told = |after| [false, true].map(|tests_early| is_discarded(&tests(after), tests_early));
        assert_eq!(told(1), [Some(false), None]);
        assert_eq!(told(0), [Some(true), Some(true)]);
    }

    #[test]
    fn components_that_the_shader_does_not_give_are_named() {
        let texel = Texel { slot: 2, format: 28, bytes: Ok(vec![0; 4]) };
        let given = || Some(Given::default());
        assert_eq!(absent(&texel, &[given(), given(), given(), given()]), None);
        let said = absent(&texel, &[given(), None, given(), None]).unwrap();
        assert!(said.starts_with("SV_Target2.yw is not compared"), "{said}");
    }
}
