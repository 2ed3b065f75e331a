//! Histograms of channels, as JSON and in words.

use super::number::plain;
use reprise_picture::{Histogram, PERCENTILES};
use serde_json::{Map, Value as Json, json};

const LETTERS: [&str; 4] = ["r", "g", "b", "a"];
/// Letters of the longest bar.
const LONGEST: u64 = 40;

/// All channels.
pub(super) fn json(histograms: &[Histogram]) -> Json {
    let one = |it: &Histogram| {
        let percentiles: Option<Map<String, Json>> = it.percentiles.map(|values| {
            PERCENTILES.iter().zip(values).map(|(part, value)| (part.to_string(), plain(value))).collect()
        });
        json!({
            "channel": LETTERS[it.channel],
            "minimum": it.range.map(|(least, _)| plain(least)),
            "maximum": it.range.map(|(_, greatest)| plain(greatest)),
            "percentiles": percentiles,
            "from": plain(it.bounds.0),
            "to": plain(it.bounds.1),
            "bins": it.bins,
            "below": it.outside.0,
            "above": it.outside.1,
            "nan": it.nan,
            "infinite": it.infinite,
            "negative_infinite": it.negative_infinite,
        })
    };
    histograms.iter().map(one).collect()
}

/// The same for people.
pub(super) fn in_words(said: &Json) -> Vec<String> {
    let mut lines = Vec::new();
    for channel in said.as_array().into_iter().flatten() {
        let name = channel["channel"].as_str().unwrap_or_default();
        let no_numbers = format!(
            "NaN {}, infinity {}, -infinity {}",
            channel["nan"], channel["infinite"], channel["negative_infinite"]
        );
        lines.push(format!("  {name}: {} to {}; {no_numbers}", channel["minimum"], channel["maximum"]));
        if let Some(percentiles) = channel["percentiles"].as_object() {
            let all = PERCENTILES.iter().filter_map(|part| Some((part, percentiles.get(&part.to_string())?)));
            let all: Vec<String> = all.map(|(part, value)| format!("{part}% {value}")).collect();
            lines.push(format!("    percentiles: {}", all.join(", ")));
        }
        lines.extend(bars(channel));
        for side in ["below", "above"] {
            if let Some(count) = channel[side].as_u64().filter(|count| *count > 0) {
                lines.push(format!("    {side}: {count}"));
            }
        }
    }
    lines
}

fn bars(channel: &Json) -> Vec<String> {
    let bins: Vec<u64> = channel["bins"].as_array().into_iter().flatten().filter_map(Json::as_u64).collect();
    let most = bins.iter().copied().max().unwrap_or(0).max(1);
    let (Some(low), Some(high)) = (channel["from"].as_f64(), channel["to"].as_f64()) else { return Vec::new() };
    let width = (high - low) / bins.len().max(1) as f64;
    let bar = |(at, count): (usize, &u64)| {
        let length = (u128::from(*count) * u128::from(LONGEST)).div_ceil(u128::from(most)) as usize;
        format!("    {:>12.6} {count:>9} {}", low + width * at as f64, "#".repeat(length)).trim_end().to_owned()
    };
    bins.iter().enumerate().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_counts_are_large() {
        let texels = reprise_picture::Texels::new(61, 0, (4, 1), vec![0, 0, 0, 255]);
        let found = texels.map(|texels| json(&Histogram::of(&texels, 2, None))).unwrap_or_default();
        assert_eq!((&found[0]["bins"], &found[0]["percentiles"]["50"]), (&json!([3, 1]), &json!(0)));
        let lines = in_words(&found);
        let lengths: Vec<usize> = lines[2..].iter().map(|line| line.matches('#').count()).collect();
        assert_eq!(lengths, [40, 14], "{lines:?}");
    }
}
