//! What a pixel's shader gave against what the GPU has of its fragment.
//!
//! Interpolated values are open in their last bits. How much that is in what comes of them, runs of the shader beside it say: with inputs of
//! places a little aside, and with a little noise on them. What is further away than they make it is a difference.

use super::draw::Draw;
use super::outputs::{self, Compared, Output, Tolerance, Verdict};
use super::pixel::{INTERPOLATION, Target};
use reprise_interpreter::{BuiltIn, Left, Open, Opens, Port};
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
}

/// Twice what the runs aside make of a value, and what 32-bit floats lose on the way.
fn tolerance(value: f64, aside: impl Iterator<Item = f64>) -> f64 {
    let change = aside.map(|other| (other - value).abs()).fold(0f64, f64::max);
    let change = if change.is_finite() { change } else { f64::INFINITY };
    2.0 * change + value.abs() * 2f64.powi(-16) + 2f64.powi(-20)
}

impl Runs<'_> {
    fn word(&self, port: Port) -> Option<(u64, Open, Tolerance)> {
        let (bits, open) = *self.own.left.words.get(&port)?;
        let is_interpolated = self.opens.get(open).is_some_and(|it| it.what == INTERPOLATION);
        let real = |bits: u64| f64::from(f32::from_bits(bits as u32));
        let aside = self.aside.iter().filter_map(|run| Some(real(run.left.words.get(&port)?.0)));
        // A sample has bounds of its own, for inputs that are as they are: those of its place come on top.
        let bounds =
            self.opens.range(open).map(|it| (it.greatest - real(bits)).abs().max((real(bits) - it.least).abs()));
        let is_bounded = is_interpolated || bounds.is_some();
        Some((bits, open, is_bounded.then(|| tolerance(real(bits), aside) + bounds.unwrap_or(0.0))))
    }
}

/// Whether the GPU's fragment is discarded, where its counts tell.
fn is_discarded(tests: &DrawTests) -> Option<bool> {
    let at = tests.left.iter().position(|(test, _)| *test == PixelTest::Discard)?;
    let (before, after) = (tests.left.get(at.checked_sub(1)?)?.1, tests.left[at].1);
    match (before, after) {
        (0, _) => None,
        (before, after) if before == after => Some(false),
        (_, 0) => Some(true),
        _ => None,
    }
}

/// What the interpreter gave against what the GPU has.
pub(crate) fn compare(draw: &Draw, target: &Target, tests: &DrawTests, texels: &[Texel], runs: &Runs<'_>) -> Compared {
    let mut compared = Compared::default();
    let own = &runs.own.left;
    discarded(target, tests, runs, &mut compared);
    if !own.discarded {
        for texel in texels {
            let of = |component: u32| {
                let port = Port::Location { location: texel.slot, component, source: 0 };
                runs.word(port).unwrap_or((0, 0, None))
            };
            let found = texel.bytes.as_ref().map_err(Clone::clone);
            let given = [0, 1, 2, 3].map(of);
            let found = found.and_then(|bytes| outputs::texel(texel.slot, texel.format, given, bytes));
            match found {
                Ok(found) => compared.outputs.extend(found),
                Err(why) => compared.unseen.push(format!("SV_Target{}: {why}", texel.slot)),
            }
        }
    }
    if texels.is_empty() && !draw.outputs.is_empty() {
        compared.notes.push("no target is bound that the shader gives anything for".to_owned());
    }
    depth(draw, target, (texels, own.discarded), runs, &mut compared);
    if let Some(front) = target.fragment.front {
        compared.notes.push(format!("a {} face, as the GPU says", if front { "front" } else { "back" }));
    }
    compared
}

fn discarded(target: &Target, tests: &DrawTests, runs: &Runs<'_>, compared: &mut Compared) {
    let own = runs.own.left.discarded;
    let found = match is_discarded(tests) {
        Some(found) => found,
        // It has an output, so it is there.
        None if target.fragment.output.is_some() => false,
        _ if own => {
            compared.unseen.push("whether the GPU discards the fragment is not told".to_owned());
            return;
        }
        _ => return,
    };
    if own == found && !own {
        return;
    }
    let may_differ = runs.own.left.way != 0 && runs.aside.iter().any(|run| run.left.discarded != own);
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
) {
    let Some(found) = target.fragment.depth else { return };
    let port = Port::BuiltIn(BuiltIn::FragDepth as u32, 0);
    let is_of_shader = texels.iter().any(|texel| texel.bytes.is_ok());
    match runs.word(port) {
        Some((bits, open, tolerance)) => {
            if is_of_shader && !is_discarded {
                let depth = target.in_range(f64::from(f32::from_bits(bits as u32)));
                compared.outputs.push(outputs::near("SV_Depth".to_owned(), (depth, open), found.into(), tolerance));
            } else if !is_discarded {
                compared.unseen.push("SV_Depth: what the GPU has of it is not told".to_owned());
            }
        }
        None if draw.raster.depth_bias => {
            compared.notes.push("its depth is not compared: the pipeline adds a bias to it".to_owned());
        }
        None => {
            let depth = f64::from(runs.own.depth as f32);
            let tolerance = tolerance(depth, runs.aside.iter().map(|run| run.depth));
            compared.outputs.push(outputs::near(
                "depth".to_owned(),
                (depth, runs.interpolated),
                found.into(),
                Some(tolerance),
            ));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_further_away_than_the_runs_aside_make_it_differs() {
        let value = |bits: f32, open| {
            let mut left = Left::default();
            let port = Port::Location { location: 0, component: 0, source: 0 };
            left.words.insert(port, (bits.to_bits().into(), open));
            Aside { left, depth: 0.0 }
        };
        let mut opens = Opens::default();
        let open = opens.name(INTERPOLATION);
        let (own, aside) = (value(0.5, open), [value(0.51, open), value(0.495, open)]);
        let runs = Runs { own: &own, aside: &aside, opens: &opens, interpolated: open };
        let (bits, open, tolerance) = runs.word(Port::Location { location: 0, component: 0, source: 0 }).unwrap();
        let real = f64::from(f32::from_bits(bits as u32));
        let near = |found: f64| outputs::near(String::new(), (real, open), found, tolerance).verdict;
        assert_eq!([near(0.5), near(0.519), near(0.53)], [Verdict::Equal, Verdict::Open, Verdict::Differs]);
        // Nothing is open: no tolerance.
        assert_eq!(outputs::near(String::new(), (0.5, 0), 0.500_001, None).verdict, Verdict::Differs);
    }
}
