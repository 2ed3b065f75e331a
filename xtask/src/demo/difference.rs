//! How far two replays are apart, as `reprise verify --against --json` tells it.

use anyhow::{Context, Result};
use serde_json::Value;

/// Pixels of a frame that differ where vertices are rounded otherwise, each at an edge of its own, at most: as `verify` is told.
pub(super) const POINTS: u64 = 4;
/// The longest straight edge of what the demo's programs draw that can lie on the centres of its pixels: a side of a tooth.
const EDGE: u64 = 16;

/// What differs in all frames.
pub(super) struct Differences {
    pub(super) frames: u64,
    pub(super) pixels: u64,
    /// Pixels of all frames that were compared.
    pub(super) of: u64,
    /// Something was compared, and no frame differs by more than rounding explains.
    pub(super) rounding: bool,
    /// The frames that differ, in order.
    pub(super) each: Vec<Difference>,
}

/// What differs in one frame.
pub(super) struct Difference {
    pub(super) frame: u64,
    /// None where the frames cannot be compared by pixels at all.
    pub(super) pixels: Option<u64>,
    /// The largest difference of a channel, of 255.
    pub(super) step: u64,
    /// Column and row of the first one.
    pub(super) first: (u32, u32),
}

impl Differences {
    pub(super) fn read(json: &[u8]) -> Result<Differences> {
        let value: Value = serde_json::from_slice(json).context("reprise verify wrote no valid JSON")?;
        let number = |name: &str| value[name].as_u64().with_context(|| format!("reprise verify says no {name}"));
        let each = value["different"].as_array().context("reprise verify lists no frames")?.iter();
        let each = each.map(|one| {
            let at = |index: usize| one["first"][index].as_u64().and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
            Ok(Difference {
                frame: one["frame"].as_u64().context("a frame without a number")?,
                pixels: one["pixels"].as_u64(),
                step: one["step"].as_u64().unwrap_or(0),
                first: (at(0), at(1)),
            })
        });
        Ok(Differences {
            frames: number("different_frames")?,
            pixels: number("different_pixels")?,
            of: number("pixels")?,
            rounding: value["passed"].as_bool().context("reprise verify gives no verdict")? || all_rounded(&value),
            each: each.collect::<Result<_>>()?,
        })
    }

    pub(super) fn line(&self) -> String {
        format!("{} of {} pixels differ", self.pixels, self.of)
    }
}

/// Whether each frame that differs does so in a few pixels, or in one straight edge, which moved over the centres of all its pixels at once.
fn all_rounded(verdict: &Value) -> bool {
    let is_rounded = |one: &Value| {
        let Some(pixels) = one["beyond"].as_u64() else { return false };
        let span = |name: &str| Some(one[name][1].as_u64()?.checked_sub(one[name][0].as_u64()?)? + 1);
        let long = span("columns").zip(span("rows")).map(|(columns, rows)| columns.max(rows));
        pixels <= POINTS || (pixels <= EDGE && long == Some(pixels) && one["pixels"].as_u64() == Some(pixels))
    };
    verdict["different"].as_array().is_some_and(|each| !each.is_empty() && each.iter().all(is_rounded))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_verify_says_is_understood() {
        let json = br#"{"different_frames":2,"different_pixels":3,"pixels":900,"passed":false,"different":[
            {"frame":7,"pixels":3,"of":300,"step":208,"first":[4,5]},{"frame":9,"only":"runtime"}]}"#;
        let differences = Differences::read(json).unwrap();
        let first = &differences.each[0];
        assert_eq!((first.frame, first.pixels, first.step, first.first), (7, Some(3), 208, (4, 5)));
        assert_eq!((differences.rounding, differences.each[1].pixels), (false, None));
        assert!(Differences::read(b"{}").is_err());
    }

    #[test]
    fn an_edge_that_moves_is_rounding_and_an_area_is_not() {
        let rounds = |pixels: u64, beyond: u64, columns: [u64; 2], rows: [u64; 2]| {
            let one = serde_json::json!({ "pixels": pixels, "beyond": beyond, "columns": columns, "rows": rows });
            all_rounded(&serde_json::json!({ "different": [one] }))
        };
        // As measured: a diagonal of eight pixels.
        assert!(rounds(8, 8, [118, 125], [257, 264]));
        assert!(rounds(16, 16, [0, 15], [3, 3]) && rounds(4, 4, [0, 200], [0, 200]));
        // Too long; an area; pixels apart; a frame that was not compared; no frame at all.
        assert!(!rounds(17, 17, [0, 16], [3, 3]));
        assert!(!rounds(9, 9, [0, 2], [0, 2]));
        assert!(!rounds(8, 8, [0, 200], [0, 7]));
        assert!(!all_rounded(&serde_json::json!({ "different": [{ "frame": 9, "only": "runtime" }] })));
        assert!(!all_rounded(&serde_json::json!({ "different": [] })));
    }
}
