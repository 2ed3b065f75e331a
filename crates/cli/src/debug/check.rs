//! What the interpreter wrote against what the GPU left.

use super::outputs::{exactness, hull};
use super::sampler;
use super::store::{Content, Key, Store};
use reprise_interpreter::{Open, Opens, Range, is_free};
use reprise_picture::{Kind, Layout, Texels};
use std::collections::{BTreeMap, BTreeSet};

/// What differs: a word of a buffer, or a component of a texel.
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
    /// The least and the greatest number that the API lets a device give, where it bounds what is open.
    pub(crate) bounds: Option<[f64; 2]>,
    /// What the GPU left is beyond them.
    pub(crate) beyond: bool,
    /// Last bits are open, and nothing bounds what they make of it.
    pub(crate) unbounded: bool,
    /// Of a component of a texel the first byte of that, and which one.
    component: Option<(u64, u32, usize)>,
}

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub(crate) struct Check {
    /// Bytes that were written.
    pub(crate) written: u64,
    /// Bytes that were compared.
    pub(crate) compared: u64,
    pub(crate) differences: Vec<Difference>,
    /// The call's predicate kept the GPU from making it: all is as it was, and not as the shader leaves it. Nothing is compared then.
    pub(crate) left_out: bool,
    /// Contents that could not be looked at afterwards, and why.
    pub(crate) unseen: Vec<(Key, String)>,
    /// How far a difference may go, only runs beside this one say, and there are none.
    pub(crate) wants_asides: bool,
}

impl Check {
    /// Whether something differs that nothing open explains, or was not looked at.
    pub(crate) fn is_wrong(&self) -> bool {
        self.is_empty() || self.differences.iter().any(|it| it.open == 0 || it.beyond) || !self.unseen.is_empty()
    }

    /// Whether nothing was compared.
    pub(crate) fn is_empty(&self) -> bool {
        self.left_out || self.compared == 0
    }
}

/// What a run left that leans to one side where last bits are open.
pub(crate) type Aside = BTreeMap<Key, Vec<u8>>;

/// Whether the GPU changed nothing at all.
fn is_untouched(store: &Store<'_>, after: &BTreeMap<Key, Result<Vec<u8>, String>>) -> bool {
    store.contents.iter().all(|(key, content)| matches!(after.get(key), Some(Ok(found)) if *found == content.before))
}

/// Compares. `whole`: all groups ran, so that every byte is known, and not only what was written.
pub(crate) fn compare(
    store: &Store<'_>,
    after: &BTreeMap<Key, Result<Vec<u8>, String>>,
    (whole, predicated): (bool, bool),
    opens: &Opens,
    asides: &[Aside],
) -> Check {
    let mut check = Check::default();
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
        let mut pair = Pair { key: *key, content, found, scattered, all: Vec::new(), seen: BTreeSet::new() };
        if whole {
            let count = content.bytes.len().max(found.len()) as u64;
            check.compared += count;
            (0..count).for_each(|at| pair.look(at, content.written.get(&at).copied()));
        } else {
            check.compared += content.written.len() as u64;
            content.written.iter().for_each(|(at, open)| pair.look(*at, Some(*open)));
        }
        let beside: Vec<&[u8]> = asides.iter().filter_map(|aside| aside.get(key)).map(Vec::as_slice).collect();
        for mut difference in pair.all {
            let judged = judge(content, found, &beside, &difference, opens);
            check.wants_asides |= matches!(judged, Judged::Unknown) && asides.is_empty();
            difference.unbounded = judged == Judged::Unbounded;
            (difference.bounds, difference.beyond) = match judged {
                Judged::Free | Judged::Unbounded => (None, false),
                Judged::Within(bounds) => (bounds, false),
                Judged::Beyond(bounds) => (bounds, true),
                // Nothing says that it may be so far away.
                Judged::Unknown => (None, true),
            };
            difference.open = opens.plain(difference.open);
            check.differences.push(difference);
        }
    }
    // Where the shader changes nothing either, it makes no odds whether the GPU ran it.
    if predicated && !check.differences.is_empty() && is_untouched(store, after) {
        return Check { left_out: true, written: check.written, ..Check::default() };
    }
    check
}

/// Contents by the interpreter, and what the GPU left there.
struct Pair<'p> {
    key: Key,
    content: &'p Content,
    found: &'p [u8],
    /// What is open about where the shader writes.
    scattered: Open,
    all: Vec<Difference>,
    /// Components of texels that were looked at: the first byte, and which one.
    seen: BTreeSet<(u64, usize)>,
}

impl Pair<'_> {
    /// Looks at a byte.
    fn look(&mut self, at: u64, written: Option<Open>) {
        let (content, all) = (self.content, self.found);
        let (expected, found) = (content.bytes.get(at as usize), all.get(at as usize));
        if expected == found {
            return;
        }
        let (expected, found) = (expected.copied().unwrap_or(0), found.copied().unwrap_or(0));
        if let Some((first, texel)) = content.texels.range(..=at).next_back()
            && let Ok(Layout::Packed { bytes, channels, .. }) = Layout::of(texel.0, 0)
            && at < first + u64::from(bytes)
        {
            for (which, (bit, width)) in channels.into_iter().enumerate() {
                let (from, to) = (first + u64::from(bit / 8), first + (u64::from(bit) + u64::from(width)).div_ceil(8));
                let part = |all: &[u8]| all.get(from as usize..to as usize).unwrap_or_default().to_vec();
                let (expected, found) = (part(&content.bytes), part(all));
                let differs = bits_of(&expected, bit, width) != bits_of(&found, bit, width);
                if width != 0 && (from..to).contains(&at) && differs && self.seen.insert((*first, which)) {
                    self.push(from, (expected, found), (texel.1[which], true), Some((*first, texel.0, which)));
                }
            }
            return;
        }
        let open = written.unwrap_or(0);
        let open = if open == 0 { self.scattered } else { open };
        match self.all.last_mut() {
            Some(difference)
                if difference.component.is_none()
                    && difference.offset + difference.expected.len() as u64 == at
                    && (difference.open, difference.written) == (open, written.is_some())
                    // A word each, so that they can be read.
                    && !at.is_multiple_of(4) =>
            {
                difference.expected.push(expected);
                difference.found.push(found);
            }
            _ => self.push(at, (vec![expected], vec![found]), (open, written.is_some()), None),
        }
    }

    fn push(
        &mut self,
        offset: u64,
        (expected, found): (Vec<u8>, Vec<u8>),
        (open, written): (Open, bool),
        component: Option<(u64, u32, usize)>,
    ) {
        let open = if open == 0 { self.scattered } else { open };
        let (key, bounds, beyond, unbounded) = (self.key, None, false, false);
        self.all.push(Difference { key, offset, expected, found, open, written, bounds, beyond, unbounded, component });
    }
}

/// The bits of a component, in the bytes that have some of them.
fn bits_of(bytes: &[u8], bit: u8, width: u8) -> u64 {
    let all = bytes.iter().take(8).rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    let mask = u64::MAX.checked_shr(64 - u32::from(width)).unwrap_or(0);
    all >> (bit % 8) & mask
}

/// What is to be said of a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Judged {
    /// A device may leave anything there, or nothing is open, so that it is wrong by itself.
    Free,
    Within(Option<[f64; 2]>),
    /// Runs beside make an infinity or a NaN of it.
    Unbounded,
    Beyond(Option<[f64; 2]>),
    /// What is there says nothing of that.
    Unknown,
}

impl Judged {
    fn of(bounds: [f64; 2], found: f64) -> Judged {
        let is_within = (bounds[0]..=bounds[1]).contains(&found);
        if is_within { Judged::Within(Some(bounds)) } else { Judged::Beyond(Some(bounds)) }
    }
}

fn judge(content: &Content, found: &[u8], beside: &[&[u8]], difference: &Difference, opens: &Opens) -> Judged {
    if difference.open == 0 || is_free(difference.open) {
        return Judged::Free;
    }
    // Bounds are sure where nothing but the number itself is open.
    let range = opens.range(difference.open).filter(|range| !range.conditional);
    match difference.component {
        Some((first, format, component)) => {
            component_of((&content.bytes, found, beside), (first, format, component), range).unwrap_or(Judged::Unknown)
        }
        None => {
            let first = difference.offset & !3;
            if let Some(range) = range
                && let Some(judged) = within(&content.bytes, found, first, range)
            {
                return judged;
            }
            word_of(&content.bytes, found, beside, first)
        }
    }
}

/// A word that holds a float of a sampler; `None`: it was not written as it was computed, so that bounds do not hold for it.
fn within(own: &[u8], found: &[u8], first: u64, range: &Range) -> Option<Judged> {
    let single = |all: &[u8]| {
        all.get(first as usize..)?.first_chunk().map(|bytes| f64::from(f32::from_bits(u32::from_le_bytes(*bytes))))
    };
    let (own, other) = (single(own)?, single(found)?);
    (own == range.value).then(|| Judged::of([range.least, range.greatest], other))
}

/// A component of a texel: by the bounds of a sampler, or by what runs beside make of it. Texels are what their formats hold of a number: a
/// step to each side.
fn component_of(
    (own, found, beside): (&[u8], &[u8], &[&[u8]]),
    (first, format, component): (u64, u32, usize),
    range: Option<&Range>,
) -> Option<Judged> {
    let layout = Layout::of(format, 0).ok()?;
    let Layout::Packed { bytes, channels, kind, .. } = layout else { return None };
    let number = |all: &[u8]| {
        let texel = all.get(first as usize..first as usize + bytes as usize)?.to_vec();
        Some(Texels::new(format, 0, (1, 1), texel).ok()?.at(0, 0)?[component])
    };
    let (own, other) = (number(own)?, number(found)?);
    let is_whole = matches!(kind, Kind::Uint | Kind::Sint);
    let step = match sampler::steps(layout)[component] {
        Some(steps) => 1.0 / steps,
        None if is_whole => 0.0,
        None => own.abs().max(other.abs()) * 2f64.powi(-sampler::fraction_bits(channels[component].1)),
    };
    if let Some(range) = range
        && (own - range.value).abs() <= step
    {
        return Some(match Judged::of([range.least - step, range.greatest + step], other) {
            Judged::Beyond(_) => Judged::Beyond(Some([range.least, range.greatest])),
            _ => Judged::Within(Some([range.least, range.greatest])),
        });
    }
    if beside.is_empty() {
        return None;
    }
    let asides: Vec<f64> = beside.iter().filter_map(|all| number(all)).collect();
    if is_whole {
        return Some(Judged::of(hull(own, &asides), other));
    }
    if own.is_nan() && other.is_nan() {
        return Some(Judged::Within(None));
    }
    let Some(tolerance) = exactness(own, &asides) else { return Some(Judged::Unbounded) };
    Some(Judged::of([own - tolerance - step, own + tolerance + step], other))
}

/// The widest spread of integers that counts as what last bits make of them: that of floats about 0 is far wider.
const WIDEST: f64 = (1u32 << 20) as f64;

/// A word of a buffer by what runs beside make of it. Buffers do not say what their words are: the word has to be within what they make of
/// a float, of an integer, of a float of 64 bits that it is a half of, or of two numbers of 16 bits.
fn word_of(own: &[u8], found: &[u8], beside: &[&[u8]], first: u64) -> Judged {
    let word = |all: &[u8]| {
        let bytes = all.get(first as usize..)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let (Some(before), Some(other)) = (word(own), word(found)) else { return Judged::Unknown };
    let asides: Vec<u32> = beside.iter().filter_map(|all| word(all)).collect();
    if asides.is_empty() {
        return Judged::Unknown;
    }
    let mut beyond = None;
    let mut is_within = |judged: Option<Judged>| match judged {
        Some(Judged::Within(_) | Judged::Unbounded) => judged,
        Some(Judged::Beyond(bounds)) => {
            beyond = beyond.or(bounds);
            None
        }
        _ => None,
    };
    let double = |all: &[u8]| {
        let bytes = all.get((first & !7) as usize..)?.first_chunk::<8>()?;
        Some(f64::from_bits(u64::from_le_bytes(*bytes)))
    };
    let doubles: Vec<f64> = beside.iter().filter_map(|all| double(all)).collect();
    let small = |bounds: [f64; 2]| (bounds[1] - bounds[0] <= WIDEST).then_some(bounds);
    let whole = |number: fn(u32) -> f64| {
        let numbers: Vec<f64> = asides.iter().copied().map(number).collect();
        Some(Judged::of(small(hull(number(before), &numbers))?, number(other)))
    };
    let found = is_within(single_of(before, &asides, other))
        .or_else(|| is_within(whole(f64::from)))
        .or_else(|| is_within(whole(|word| f64::from(word as i32))))
        .or_else(|| is_within(double_of(double(own)?, &doubles, double(found)?)))
        .or_else(|| is_within(shorts_of(before, &asides, other)));
    found.unwrap_or(Judged::Beyond(beyond))
}

/// A float. What reads as a NaN of a kind that no operation gives, or as a denormal, is an integer: denormals may be anything already.
fn single_of(own: u32, asides: &[u32], found: u32) -> Option<Judged> {
    let float = |bits: u32| {
        let number = f32::from_bits(bits);
        let is_float = (!number.is_nan() || bits & 0x7fff_ffff == 0x7fc0_0000) && !number.is_subnormal();
        is_float.then_some(f64::from(number))
    };
    // The bits of a NaN are open, and so any may be another one.
    let nan = |bits: u32| f32::from_bits(bits).is_nan();
    if nan(own) && nan(found) {
        return Some(Judged::Within(None));
    }
    let asides: Vec<f64> = asides.iter().copied().map(float).collect::<Option<_>>()?;
    let (own, found) = (float(own)?, f64::from(f32::from_bits(found)));
    Some(match exactness(own, &asides) {
        None => Judged::Unbounded,
        Some(tolerance) => Judged::of([own - tolerance, own + tolerance], found),
    })
}

/// A float of 64 bits, of which a word is a half. Where runs beside change its upper half they are of another word, which lies beside this one: any
/// lower half would be near.
fn double_of(own: f64, asides: &[f64], found: f64) -> Option<Judged> {
    let change = asides.iter().map(|aside| (aside - own).abs()).fold(0.0, f64::max);
    // The upper half has 20 bits of the number.
    if change > own.abs() * 2f64.powi(-24) {
        return None;
    }
    let tolerance = 2.0 * change + own.abs() * 2f64.powi(-49);
    tolerance.is_finite().then(|| Judged::of([own - tolerance, own + tolerance], found))
}

/// Two numbers of 16 bits.
fn shorts_of(own: u32, asides: &[u32], found: u32) -> Option<Judged> {
    const MOST: f64 = 1024.0;
    let is_within = |shift: u32| {
        let part = |word: u32| f64::from(word >> shift & 0xffff);
        let asides: Vec<f64> = asides.iter().copied().map(part).collect();
        let [least, greatest] = hull(part(own), &asides);
        greatest - least <= MOST && (least..=greatest).contains(&part(found))
    };
    (is_within(0) && is_within(16)).then_some(Judged::Within(None))
}

#[cfg(test)]
mod tests;
