//! Where the samples of pixels lie, and which of them a run of a pixel shader is of.

use reprise_timeline::state::lists::Bound;

/// In sixteenths of a pixel from its middle: the standard positions (Direct3D 11.3 functional specification, 19.2.4.1).
const STANDARD: [&[(i8, i8)]; 5] = [
    &[(0, 0)],
    &[(4, 4), (-4, -4)],
    &[(-2, -6), (6, -2), (-6, 2), (2, 6)],
    &[(1, -3), (-1, 3), (5, 1), (-3, -5), (-5, 5), (-7, -1), (3, 7), (7, -7)],
    &[
        (1, 1),
        (-1, -3),
        (-3, 2),
        (4, -1),
        (-5, -2),
        (2, 5),
        (5, 3),
        (3, -5),
        (-2, 6),
        (0, -7),
        (-4, -6),
        (-6, 4),
        (-8, 0),
        (7, -4),
        (6, 7),
        (-7, -8),
    ],
];

/// A sample of the targets, and where all of them lie.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sampling {
    /// The sample that is looked at.
    pub(crate) sample: u32,
    /// Of a pixel.
    pub(crate) samples: u32,
    /// In sixteenths from the middle, of each pixel of a quad, or of all pixels.
    positions: Vec<(i8, i8)>,
}

impl Sampling {
    /// # Errors
    /// In words: where samples lie is not known.
    pub(crate) fn of(bound: &Bound, samples: u32, sample: u32) -> Result<Sampling, String> {
        let set = bound.sample_positions.as_ref().map(|set| &set.value).filter(|set| set.samples != 0);
        let positions = match set {
            Some(set) if set.samples == samples && set.positions.len() as u32 == samples * set.pixels => {
                set.positions.clone()
            }
            Some(set) => {
                return Err(format!(
                    "positions of {} samples in {} pixels are set, and the targets have {samples}",
                    set.samples, set.pixels
                ));
            }
            None => {
                let standard = STANDARD.iter().find(|all| all.len() as u32 == samples);
                standard.ok_or_else(|| format!("where {samples} samples lie is not known"))?.to_vec()
            }
        };
        Ok(Sampling { sample, samples, positions })
    }

    /// The same with all samples on the other side of their pixel's middle: the comparison with the GPU has to notice.
    pub(crate) fn turned(mut self) -> Sampling {
        for (right, down) in &mut self.positions {
            (*right, *down) = (right.wrapping_neg(), down.wrapping_neg());
        }
        self
    }

    pub(crate) fn is_of_several(&self) -> bool {
        self.samples > 1
    }

    /// The place of a sample of a pixel, in pixels.
    pub(crate) fn place(&self, (x, y): (u32, u32), sample: u32) -> (f64, f64) {
        let pixel = if self.positions.len() as u32 == 4 * self.samples { x % 2 + y % 2 * 2 } else { 0 };
        let (right, down) = self.positions.get((pixel * self.samples + sample) as usize).copied().unwrap_or_default();
        (f64::from(x) + 0.5 + f64::from(right) / 16.0, f64::from(y) + 0.5 + f64::from(down) / 16.0)
    }

    /// The place of the own sample of a pixel.
    pub(crate) fn own(&self, at: (u32, u32)) -> (f64, f64) {
        self.place(at, self.sample)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_timeline::state::lists::{SamplePositions, Setting};

    #[test]
    fn samples_lie_where_they_are_set_to_lie() {
        let standard = Sampling::of(&Bound::default(), 4, 1).unwrap();
        assert_eq!((standard.own((3, 2)), standard.place((3, 2), 0)), ((3.875, 2.375), (3.375, 2.125)));
        assert_eq!(standard.turned().own((3, 2)), (3.125, 2.625));
        assert_eq!(Sampling::of(&Bound::default(), 1, 0).unwrap().own((3, 2)), (3.5, 2.5));
        let positions: Vec<(i8, i8)> = (0..8).map(|at| (at, -at)).collect();
        let value = SamplePositions { samples: 2, pixels: 4, positions };
        let bound = Bound { sample_positions: Some(Setting { value, call: 1 }), ..Bound::default() };
        let own = Sampling::of(&bound, 2, 1).unwrap();
        // The second sample of the quad's third pixel is the sixth.
        assert_eq!(own.own((4, 5)), (4.5 + 5.0 / 16.0, 5.5 - 5.0 / 16.0));
        assert!(Sampling::of(&bound, 4, 0).is_err() && Sampling::of(&Bound::default(), 3, 0).is_err());
    }
}
