//! Texels whose bytes a call changed.

use super::classes::{Class, Classes, GREEN};
use super::evidence::Evidence;
use anyhow::{Result, anyhow};

const CLASSES: [Class; 1] =
    [Class { name: "changed", colour: GREEN, about: "its bytes after the call are others than before it" }];

pub(super) fn classes(evidence: &Evidence) -> Result<Classes> {
    let (after, before) = (&evidence.after, evidence.before.as_ref());
    let before = before.ok_or_else(|| anyhow!("what was there before the call is not known"))?;
    let mut found = Classes::new(evidence.size(), &CLASSES, |x, y| {
        let bytes = |(bytes, _)| bytes;
        (after.bytes_at(x, y).map(bytes) != before.bytes_at(x, y).map(bytes)).then_some(0)
    });
    let (width, height) = after.size();
    if after.row_bytes() < u64::from(width) || u64::from(width) * u64::from(height) > after.bytes().len() as u64 {
        found.notes.push("texels lie in blocks: where a block changed, all of its texels count".into());
    }
    Ok(found)
}
