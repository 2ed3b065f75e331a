//! Medians and spreads.

/// Median, least and greatest of some measurements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    /// The middle one; the mean of the two middle ones of an even number.
    pub median: f64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

/// Sums up; all zero for no measurements.
pub fn spread(values: &[f64]) -> Spread {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Spread::default() };
    let half = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 };
    Spread { median, min, max }
}

impl core::fmt::Display for Spread {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{:.1} [{:.1}-{:.1}]", self.median, self.min, self.max)
    }
}

impl Spread {
    /// As JSON.
    pub fn to_json(self) -> serde_json::Value {
        serde_json::json!({ "median": self.median, "min": self.min, "max": self.max })
    }
}
