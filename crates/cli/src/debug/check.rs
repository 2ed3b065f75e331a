//! What the interpreter wrote against what the GPU left.

use super::sampler;
use super::store::{Content, Key, Store};
use reprise_interpreter::{Open, Opens, Range};
use reprise_picture::{Layout, Texels};
use std::collections::BTreeMap;

/// Bytes that differ, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) key: Key,
    /// Offset of the first byte in the buffer, or among the subresource's rows without gaps.
    pub(crate) offset: u64,
    /// By the interpreter.
    pub(crate) expected: Vec<u8>,
    /// By the GPU.
    pub(crate) found: Vec<u8>,
    /// What is open about them; 0: nothing, so one of the two is wrong.
    pub(crate) open: Open,
    /// The shader wrote there, as the interpreter ran it.
    pub(crate) written: bool,
    /// The least and the greatest float that the API lets a device give, where it bounds what is open.
    pub(crate) bounds: Option<[f64; 2]>,
    /// What the GPU left is beyond them.
    pub(crate) beyond: bool,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Check {
    /// Bytes that were written.
    pub(crate) written: u64,
    /// Bytes that were compared.
    pub(crate) compared: u64,
    pub(crate) differences: Vec<Difference>,
    /// The call's predicate kept the GPU from making it: all is as it was.
    pub(crate) left_out: bool,
    /// Contents that could not be looked at afterwards, and why.
    pub(crate) unseen: Vec<(Key, String)>,
}

impl Check {
    /// Whether something differs that nothing open explains, or was not looked at.
    pub(crate) fn is_wrong(&self) -> bool {
        !self.left_out && !self.differences.is_empty() && self.differences.iter().any(|it| it.open == 0 || it.beyond)
            || !self.unseen.is_empty()
    }
}

/// Whether the GPU changed nothing at all.
fn is_untouched(store: &Store<'_>, after: &BTreeMap<Key, Result<Vec<u8>, String>>) -> bool {
    store.contents.iter().all(|(key, content)| matches!(after.get(key), Some(Ok(found)) if *found == content.before))
}

/// Compares. `whole`: all groups ran, so that every byte is known, and not only what was written.
pub(crate) fn compare(
    store: &Store<'_>,
    after: &BTreeMap<Key, Result<Vec<u8>, String>>,
    whole: bool,
    predicated: bool,
    opens: &Opens,
) -> Check {
    let mut check = Check { left_out: predicated && is_untouched(store, after), ..Check::default() };
    for (key, content) in &store.contents {
        check.written += content.written.len() as u64;
        let found = match after.get(key) {
            Some(Ok(found)) => found,
            Some(Err(reason)) => {
                check.unseen.push((*key, reason.clone()));
                continue;
            }
            None => continue,
        };
        let scattered = store.scattered.get(&key.resource).copied().unwrap_or(0);
        let mut last: Option<Difference> = None;
        let mut look = |at: u64, written: Option<Open>| {
            check.compared += 1;
            let (expected, found) = (content.bytes.get(at as usize), found.get(at as usize));
            if expected == found {
                return;
            }
            let open = match written {
                Some(open) if open != 0 => open,
                _ => scattered,
            };
            let (expected, found) = (expected.copied().unwrap_or(0), found.copied().unwrap_or(0));
            match &mut last {
                Some(difference)
                    if difference.offset + difference.expected.len() as u64 == at
                        && (difference.open, difference.written) == (open, written.is_some())
                        // A word each, so that they can be read.
                        && !at.is_multiple_of(4) =>
                {
                    difference.expected.push(expected);
                    difference.found.push(found);
                }
                _ => {
                    let (expected, found) = (vec![expected], vec![found]);
                    let written = written.is_some();
                    let (bounds, beyond) = (None, false);
                    let next = Difference { key: *key, offset: at, expected, found, open, written, bounds, beyond };
                    check.differences.extend(last.replace(next));
                }
            }
        };
        if whole {
            let count = content.bytes.len().max(found.len()) as u64;
            (0..count).for_each(|at| look(at, content.written.get(&at).copied()));
        } else {
            content.written.iter().for_each(|(at, open)| look(*at, Some(*open)));
        }
        check.differences.extend(last);
    }
    for difference in &mut check.differences {
        let (Some(content), Some(Ok(found))) = (store.contents.get(&difference.key), after.get(&difference.key)) else {
            continue;
        };
        let judged = opens.range(difference.open).and_then(|range| within(content, found, difference.offset, range));
        if let Some(((least, greatest), beyond)) = judged {
            (difference.bounds, difference.beyond) = (Some([least, greatest]), beyond);
        }
        difference.open = opens.plain(difference.open);
    }
    check
}

/// The bounds of a float that differs, and whether what the GPU left is beyond them; `None`: it was not written as it was computed, so that
/// they do not hold for it.
fn within(content: &Content, found: &[u8], offset: u64, range: &Range) -> Option<((f64, f64), bool)> {
    let bounds = (range.least, range.greatest);
    // Texels are what their formats hold of it: half a step to each side.
    if let Some(format) = content.format {
        let layout = Layout::of(format, 0).ok()?;
        let Layout::Packed { bytes, channels, .. } = layout else { return None };
        let size = u64::from(bytes);
        let first = offset / size * size;
        let texel = |all: &[u8]| {
            let texel = all.get(first as usize..(first + size) as usize)?.to_vec();
            Texels::new(format, 0, (1, 1), texel).ok()?.at(0, 0)
        };
        let (own, other) = (texel(&content.bytes)?, texel(found)?);
        let behind = ((offset - first) * 8) as u8;
        let holds = |(bit, width): &(u8, u8)| *width != 0 && *bit < behind + 8 && bit + width > behind;
        let component = channels.iter().position(holds)?;
        let step = match sampler::steps(layout)[component] {
            Some(steps) => 1.0 / steps,
            None => own[component].abs().max(other[component].abs()) * half_step(channels[component].1),
        };
        if (own[component] - range.value).abs() > step {
            return None;
        }
        let beyond = other[component] < range.least - step || other[component] > range.greatest + step;
        return Some((bounds, beyond || other[component].is_nan()));
    }
    let first = (offset & !3) as usize;
    let single =
        |all: &[u8]| all.get(first..)?.first_chunk().map(|bytes| f64::from(f32::from_bits(u32::from_le_bytes(*bytes))));
    let (own, other) = (single(&content.bytes)?, single(found)?);
    (own == range.value).then(|| (bounds, !(range.least..=range.greatest).contains(&other)))
}

/// How far apart floats of so many bits are, for one of 1.
fn half_step(width: u8) -> f64 {
    match width {
        32 => f64::from(f32::EPSILON),
        16 => 2f64.powi(-10),
        11 => 2f64.powi(-6),
        _ => 2f64.powi(-5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_d3d12::types::DXGI_FORMAT;

    fn content(bytes: &[u8], format: Option<DXGI_FORMAT>) -> Content {
        let mut content = Content::default();
        content.bytes = bytes.to_vec();
        content.format = format.map(|format| format.0 as u32);
        content
    }

    /// A float of a buffer: within its bounds, beyond them, and one that was not written as it was computed.
    #[test]
    fn bounds_hold_for_what_was_written() {
        let range = Range { open: 1, value: 0.5, least: 0.49, greatest: 0.51 };
        let judge = |own: f32, found: f32| {
            within(&content(&own.to_le_bytes(), None), &found.to_le_bytes(), 1, &range).map(|(_, beyond)| beyond)
        };
        assert_eq!(judge(0.5, 0.505), Some(false));
        assert_eq!(judge(0.5, 0.52), Some(true));
        assert_eq!(judge(0.5, f32::NAN), Some(true));
        // It was computed of: its own bounds are not known.
        assert_eq!(judge(0.25, 0.7), None);
    }

    /// A texel holds of a float what its format does: a step to each side.
    #[test]
    fn bounds_are_as_wide_as_a_formats_steps() {
        let range = Range { open: 1, value: 0.5, least: 0.5, greatest: 0.502 };
        let judge = |found: u8| {
            let texel = content(&[0, 128, 0, 255], Some(DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM));
            within(&texel, &[0, found, 0, 255], 1, &range).map(|(_, beyond)| beyond)
        };
        assert_eq!([127, 128, 129, 130, 90].map(judge), [false, false, false, true, true].map(Some));
    }
}
