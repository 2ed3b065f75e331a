//! Small pictures of large ones: each pixel is the mean of what it covers.

use crate::image::Image;

impl Image {
    /// The picture with 8 bits a channel, and no side longer than `side`; one that is small already keeps its size.
    ///
    /// Means are of the stored values. A pixel that is covered in part counts by that part.
    pub fn shrunk(&self, side: u32) -> Image {
        let side = side.max(1);
        let longest = self.width.max(self.height).max(1);
        let fit = |length: u32| match longest > side {
            true => ((u64::from(length) * u64::from(side)).div_euclid(u64::from(longest)) as u32).max(1),
            false => length,
        };
        let (width, height) = (fit(self.width), fit(self.height));
        let most = if self.is_deep { 257 } else { 1 };
        let columns = shares(self.width, width);
        let rows = shares(self.height, height);
        let mut channels = Vec::with_capacity(width as usize * height as usize * 4);
        // Shares of a pixel add up to the whole side.
        let whole = u64::from(self.width) * u64::from(self.height) * most;
        for row in &rows {
            for column in &columns {
                let mut sums = [0u64; 4];
                for (y, tall) in row {
                    for (x, wide) in column {
                        let at = (*y as usize * self.width as usize + *x as usize) * 4;
                        let pixel = self.channels.get(at..at + 4).unwrap_or(&[0; 4]);
                        sums.iter_mut().zip(pixel).for_each(|(sum, channel)| *sum += u64::from(*channel) * tall * wide);
                    }
                }
                channels.extend(sums.map(|sum| ((sum + whole / 2) / whole.max(1)) as u16));
            }
        }
        Image { width, height, channels, is_deep: false, has_alpha: self.has_alpha }
    }
}

/// For each of `to` places: the places of `from` that it covers, and how much of each, in `from` parts altogether.
fn shares(from: u32, to: u32) -> Vec<Vec<(u32, u64)>> {
    let (all, parts) = (u64::from(from), u64::from(to));
    (0..parts)
        .map(|place| {
            let (begin, end) = (place * all, (place + 1) * all);
            let covered = begin / parts..end.div_ceil(parts);
            covered.map(|at| (at as u32, end.min((at + 1) * parts) - begin.max(at * parts))).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_the_mean_of_what_it_covers() {
        let of = |width: u32, height: u32, values: &[u16]| {
            let channels = values.iter().flat_map(|value| [*value, 0, 255, 255]).collect();
            Image { width, height, channels, is_deep: false, has_alpha: false }
        };
        let red = |image: Image| -> Vec<u16> { image.channels.iter().step_by(4).copied().collect() };
        assert_eq!(red(of(4, 2, &[0, 10, 20, 30, 10, 20, 40, 50]).shrunk(2)), [10, 35]);
        // Three pixels become two: the one in the middle counts half on each side.
        assert_eq!(red(of(3, 1, &[30, 60, 90]).shrunk(2)), [40, 80]);
        assert_eq!(red(of(2, 1, &[1, 2]).shrunk(9)), [1, 2]);
        let deep = Image { is_deep: true, ..of(2, 1, &[65535, 0]) };
        assert_eq!(red(deep.shrunk(1)), [128]);
        let sizes = [(1000, 1), (1, 1000), (640, 480), (161, 160)].map(|(width, height)| {
            let small = of(width, height, &vec![7; (width * height) as usize]).shrunk(160);
            assert!(small.channels.iter().step_by(4).all(|red| *red == 7));
            (small.width, small.height)
        });
        assert_eq!(sizes, [(160, 1), (1, 160), (160, 120), (160, 159)]);
    }
}
