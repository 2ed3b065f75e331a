//! How values are spread: bins, percentiles, and what is no number.

use crate::texels::Texels;

/// Percentiles that are told.
pub const PERCENTILES: [u32; 7] = [1, 5, 25, 50, 75, 95, 99];

/// The values of one channel.
#[derive(Clone, PartialEq, Debug)]
pub struct Histogram {
    /// 0 red, 1 green, 2 blue, 3 alpha; depth and stencil are red.
    pub channel: usize,
    /// The least and the greatest value that is a number and not infinite; `None`: there is none.
    pub range: Option<(f64, f64)>,
    /// For each of [`PERCENTILES`] the least value that so many of a hundred finite values do not exceed.
    pub percentiles: Option<[f64; PERCENTILES.len()]>,
    /// What the first bin begins with and the last one ends with.
    pub bounds: (f64, f64),
    /// How many finite values lie in each of the bins, which are equally wide. The last one has its upper end, too.
    pub bins: Vec<u64>,
    /// Finite values below the first bin, and above the last.
    pub outside: (u64, u64),
    /// Values that are NaN.
    pub nan: u64,
    /// Values that are positive infinity.
    pub infinite: u64,
    /// Values that are negative infinity.
    pub negative_infinite: u64,
}

impl Histogram {
    /// That of each channel that the texels have, in so many bins; `bounds`: in place of the least and the greatest value.
    pub fn of(texels: &Texels, bins: usize, bounds: Option<(f64, f64)>) -> Vec<Self> {
        let there = texels.layout().channels();
        let all = (0..4).filter(|channel| there[*channel]);
        all.map(|channel| Self::of_values(channel, texels.iter().map(|texel| texel[channel]), bins, bounds)).collect()
    }

    fn of_values(channel: usize, values: impl Iterator<Item = f64>, bins: usize, bounds: Option<(f64, f64)>) -> Self {
        let (mut nan, mut infinite, mut negative_infinite) = (0, 0, 0);
        let mut finite = Vec::new();
        for value in values {
            match value {
                value if value.is_nan() => nan += 1,
                f64::INFINITY => infinite += 1,
                f64::NEG_INFINITY => negative_infinite += 1,
                value => finite.push(value),
            }
        }
        finite.sort_unstable_by(f64::total_cmp);
        let range = finite.first().copied().zip(finite.last().copied());
        let percentiles = range.map(|_| PERCENTILES.map(|part| finite[rank(part, finite.len())]));
        let (low, high) = bounds.or(range).unwrap_or((0.0, 1.0));
        let mut histogram = Self {
            channel,
            range,
            percentiles,
            bounds: (low, high),
            bins: vec![0; bins.max(1)],
            outside: (0, 0),
            nan,
            infinite,
            negative_infinite,
        };
        let last = histogram.bins.len() - 1;
        for value in finite {
            if value < low {
                histogram.outside.0 += 1;
            } else if value > high {
                histogram.outside.1 += 1;
            } else {
                // One value alone lies in the first bin.
                let part = if high > low { (value - low) / (high - low) } else { 0.0 };
                histogram.bins[((part * (last + 1) as f64) as usize).min(last)] += 1;
            }
        }
        histogram
    }
}

/// The place of a percentile among so many sorted values: nearest rank.
fn rank(part: u32, count: usize) -> usize {
    let place = (u128::from(part) * count as u128).div_ceil(100) as usize;
    place.saturating_sub(1).min(count.saturating_sub(1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_where_they_lie() {
        let values = (1..=100).map(f64::from).chain([f64::NAN, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY]);
        let found = Histogram::of_values(0, values, 10, None);
        assert_eq!((found.range, found.bounds), (Some((1.0, 100.0)), (1.0, 100.0)));
        assert_eq!(found.percentiles.unwrap(), [1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0]);
        assert_eq!((found.nan, found.infinite, found.negative_infinite), (1, 2, 1));
        assert_eq!(found.bins, [10; 10]);
        let cut = Histogram::of_values(0, (1..=100).map(f64::from), 2, Some((11.0, 50.0)));
        assert_eq!((cut.bins, cut.outside), (vec![20, 20], (10, 50)));
    }

    #[test]
    fn nothing_and_one_value_are_no_trouble() {
        let none = Histogram::of_values(0, [f64::NAN].into_iter(), 4, None);
        assert_eq!((none.range, none.percentiles, none.bins), (None, None, vec![0; 4]));
        let one = Histogram::of_values(0, [7.0; 3].into_iter(), 4, None);
        assert_eq!((one.range, one.bins), (Some((7.0, 7.0)), vec![3, 0, 0, 0]));
    }

    #[test]
    fn each_channel_that_is_there_has_one() {
        // R8G8_UNORM.
        let texels = Texels::new(49, 0, (2, 1), vec![0, 255, 255, 255]).unwrap();
        let found = Histogram::of(&texels, 2, None);
        let ranges: Vec<_> = found.iter().map(|it| (it.channel, it.range)).collect();
        assert_eq!(ranges, [(0, Some((0.0, 1.0))), (1, Some((1.0, 1.0)))]);
    }
}
