//! How the contents of a resource differ in two dumps: texels of a texture, bytes of a buffer.

use reprise_view::api;
use serde_json::{Value as Json, json};
use std::fmt;

/// A difference of two dumps.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Unlike {
    /// Files of different shapes.
    Shape,
    Texels(Texels),
    Bytes(Bytes),
}

/// Texels of a subresource: of the first one that differs.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Texels {
    pub(super) format: String,
    pub(super) mip: u32,
    pub(super) slice: u32,
    /// How many differ, and how many there are.
    pub(super) count: u64,
    pub(super) of: u64,
    /// Columns and rows that hold them all, from 0 at the top left, both ends included.
    pub(super) columns: (u32, u32),
    pub(super) rows: (u32, u32),
    /// The first in reading order.
    pub(super) first: (u32, u32),
    /// Its channels on both sides: steps of integers and of normalised numbers, floats as they are.
    pub(super) values: [Vec<f64>; 2],
    /// The largest difference of a channel; NaN on one side alone counts as infinitely far.
    pub(super) largest: f64,
    /// Other subresources that differ.
    pub(super) more: u32,
}

/// Bytes of a buffer, or of what has no texels that are known here.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Bytes {
    pub(super) count: u64,
    pub(super) of: u64,
    /// The first that differs, and the words of 4 bytes there.
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) values: [u32; 2],
}

/// A channel: its bits, and how they are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Channel {
    shift: u32,
    bits: u32,
    is_float: bool,
    is_signed: bool,
}

/// Where the two files differ; `None` where they do not.
pub(super) fn unlike(name: &str, a: &[u8], b: &[u8]) -> Option<Unlike> {
    if a == b {
        return None;
    }
    if a.len() != b.len() {
        return Some(Unlike::Shape);
    }
    let texture = name.ends_with(".dds").then(|| Texture::of(a)).flatten();
    let texels = texture.filter(|_| Texture::of(b).is_some()).and_then(|texture| texture.unlike(a, b));
    texels.map(Unlike::Texels).or_else(|| bytes(a, b).map(Unlike::Bytes))
}

fn bytes(a: &[u8], b: &[u8]) -> Option<Bytes> {
    let mut different = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at);
    let first = different.next()?;
    let (count, last) = different.fold((1, first), |(count, _), at| (count + 1, at));
    let word = |bytes: &[u8]| {
        let start = first / 4 * 4;
        let mut word = [0; 4];
        bytes[start..].iter().zip(&mut word).for_each(|(byte, place)| *place = *byte);
        u32::from_le_bytes(word)
    };
    Some(Bytes { count, of: a.len() as u64, first: first as u64, last: last as u64, values: [word(a), word(b)] })
}

/// What the header of a DDS file says.
struct Texture {
    format: String,
    channels: Vec<Channel>,
    texel: usize,
    size: (u32, u32, u32),
    mips: u32,
    slices: u32,
}

/// Bytes before the texels: the magic word, the header and its extension.
const HEADER: usize = 4 + 124 + 20;
/// `D3D10_RESOURCE_DIMENSION_TEXTURE3D`, as the file has it.
const VOLUME: u32 = 4;

impl Texture {
    /// `None` where the file is not one of ours, or its texels are blocks.
    fn of(file: &[u8]) -> Option<Texture> {
        let word = |at: usize| Some(u32::from_le_bytes(*file.get(at..)?.first_chunk()?));
        if file.get(84..88)? != b"DX10" || file.len() < HEADER {
            return None;
        }
        let format = api::enum_name("DXGI_FORMAT", word(128)?).trim_start_matches("DXGI_FORMAT_").to_owned();
        let channels = channels(&format)?;
        let bits: u32 = channels.iter().map(|channel| channel.bits).sum();
        let depth = if word(132)? == VOLUME { word(24)?.max(1) } else { 1 };
        let texel = usize::try_from(bits / 8).ok().filter(|bytes| *bytes > 0 && bits.is_multiple_of(8))?;
        let (size, mips, slices) = ((word(16)?.max(1), word(12)?.max(1), depth), word(28)?.max(1), word(140)?.max(1));
        Some(Texture { format, channels, texel, size, mips, slices })
    }

    fn unlike(&self, a: &[u8], b: &[u8]) -> Option<Texels> {
        let (mut at, mut found, mut more) = (HEADER, None, 0);
        for slice in 0..self.slices {
            for mip in 0..self.mips {
                let level = |size: u32| size.checked_shr(mip).unwrap_or(0).max(1);
                let (width, height) = (level(self.size.0), level(self.size.1) as usize * level(self.size.2) as usize);
                let end = at.checked_add((width as usize).checked_mul(height)?.checked_mul(self.texel)?)?;
                let (left, right) = (a.get(at..end)?, b.get(at..end)?);
                at = end;
                if left == right {
                    continue;
                }
                match found {
                    None => found = Some(self.subresource(left, right, width, (mip, slice))),
                    Some(_) => more += 1,
                }
            }
        }
        found.map(|texels| Texels { more, ..texels })
    }

    fn subresource(&self, a: &[u8], b: &[u8], width: u32, (mip, slice): (u32, u32)) -> Texels {
        let mut texels = Texels {
            format: self.format.clone(),
            mip,
            slice,
            count: 0,
            of: (a.len() / self.texel) as u64,
            columns: (u32::MAX, 0),
            rows: (u32::MAX, 0),
            first: (0, 0),
            values: [Vec::new(), Vec::new()],
            largest: 0.0,
            more: 0,
        };
        let pairs = a.chunks_exact(self.texel).zip(b.chunks_exact(self.texel));
        for (index, (left, right)) in (0u64..).zip(pairs).filter(|(_, (left, right))| left != right) {
            let (column, row) = ((index % u64::from(width)) as u32, (index / u64::from(width)) as u32);
            let values = [left, right].map(|texel| self.channels.iter().map(|it| it.read(texel)).collect::<Vec<f64>>());
            let steps = values[0].iter().zip(&values[1]).map(|(a, b)| {
                let apart = (a - b).abs();
                // The same infinity, or NaN on both sides.
                if a == b || a.is_nan() && b.is_nan() {
                    0.0
                } else if apart.is_nan() {
                    f64::INFINITY
                } else {
                    apart
                }
            });
            texels.largest = steps.fold(texels.largest, f64::max);
            if texels.count == 0 {
                (texels.first, texels.values) = ((column, row), values);
            }
            texels.count += 1;
            texels.columns = (texels.columns.0.min(column), texels.columns.1.max(column));
            texels.rows = (texels.rows.0.min(row), texels.rows.1.max(row));
        }
        texels
    }
}

/// The channels that a name says: `R10G10B10A2_UNORM`, from the low bits on. `None` for blocks, video and shared exponents.
fn channels(name: &str) -> Option<Vec<Channel>> {
    let (layout, kind) = name.split_once('_')?;
    if name.starts_with("BC") || kind.contains('_') && !kind.starts_with("UNORM") || kind == "SHAREDEXP" {
        return None;
    }
    let (mut channels, mut shift, mut letters) = (Vec::new(), 0, layout.chars().peekable());
    while let Some(letter) = letters.next() {
        if !"RGBAXDSL".contains(letter) {
            return None;
        }
        let mut bits = 0;
        while let Some(digit) = letters.peek().and_then(|digit| digit.to_digit(10)) {
            bits = bits * 10 + digit;
            letters.next();
        }
        let is_signed = kind.starts_with('S');
        channels.push(Channel { shift, bits, is_float: kind == "FLOAT" && bits >= 16, is_signed });
        shift += bits;
    }
    (!channels.is_empty() && channels.iter().all(|channel| (1..=32).contains(&channel.bits))).then_some(channels)
}

impl Channel {
    fn read(self, texel: &[u8]) -> f64 {
        let mut bits = [0; 16];
        texel.iter().zip(&mut bits).for_each(|(byte, place)| *place = *byte);
        let raw = (u128::from_le_bytes(bits) >> self.shift) as u64 & ((1 << self.bits) - 1);
        match (self.is_float, self.is_signed) {
            (true, _) if self.bits == 32 => f32::from_bits(raw as u32).into(),
            (true, _) => half::f16::from_bits(raw as u16).to_f64(),
            (false, true) => (((raw << (64 - self.bits)) as i64) >> (64 - self.bits)) as f64,
            (false, false) => raw as f64,
        }
    }
}

/// With no more digits than a float of 32 bits has, where it is one.
fn short(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value { single.to_string() } else { value.to_string() }
}

impl Unlike {
    pub(super) fn json(&self) -> Json {
        match self {
            Unlike::Shape => json!({ "shape": true }),
            // Infinity and NaN have no place in JSON, and become null.
            Unlike::Texels(it) => json!({
                "format": it.format, "mip": it.mip, "slice": it.slice, "texels": it.count, "of": it.of,
                "columns": it.columns, "rows": it.rows, "first": it.first, "values": it.values,
                "largest": it.largest, "more_subresources": it.more,
            }),
            Unlike::Bytes(it) => json!({
                "bytes": it.count, "of": it.of, "first": it.first, "last": it.last, "values": it.values,
            }),
        }
    }
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unlike::Shape => f.write_str("the sizes are not the same"),
            Unlike::Texels(it) => {
                let Texels { count, of, columns, rows, first, .. } = it;
                write!(f, "{count} of {of} texels ({})", it.format)?;
                if it.mip > 0 || it.slice > 0 {
                    write!(f, " of mip {}, slice {}", it.mip, it.slice)?;
                }
                write!(f, ", in columns {} to {} and rows {} to {}", columns.0, columns.1, rows.0, rows.1)?;
                write!(f, ", by up to {}", short(it.largest))?;
                let [a, b] = it.values.each_ref().map(|values| values.iter().map(|it| short(*it)).collect::<Vec<_>>());
                write!(f, "; the first at ({}, {}): {} and {}", first.0, first.1, a.join(" "), b.join(" "))?;
                if it.more > 0 { write!(f, "; and {} more subresources", it.more) } else { Ok(()) }
            }
            Unlike::Bytes(it) => {
                write!(f, "{} of {} bytes, from {} to {}", it.count, it.of, it.first, it.last)?;
                let [a, b] = it.values;
                write!(f, "; the first word: {a:#010x} and {b:#010x} (as floats ")?;
                write!(f, "{} and {})", f32::from_bits(a), f32::from_bits(b))
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn dds(format: u32, (width, height): (u32, u32), mips: u32, texels: &[u8]) -> Vec<u8> {
        let mut file = vec![0; HEADER];
        let fields = [(12, height), (16, width), (28, mips), (128, format), (132, 3), (140, 1)];
        for (at, value) in fields {
            file[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        file[84..88].copy_from_slice(b"DX10");
        file.extend(texels);
        file
    }

    #[test]
    fn texels_are_counted_placed_and_read() {
        // R10G10B10A2_UNORM, 3 × 2 and a mip of 1 × 1.
        let word = |red: u32, green: u32| (red | green << 10 | 3 << 30).to_le_bytes();
        let left = [word(5, 6); 7].concat();
        let mut right = left.clone();
        right[4 * 4..5 * 4].copy_from_slice(&word(5, 9));
        right[5 * 4..6 * 4].copy_from_slice(&word(1023, 6));
        let [a, b] = [&left, &right].map(|texels| dds(24, (3, 2), 2, texels));
        let Some(Unlike::Texels(found)) = unlike("x.dds", &a, &b) else { panic!() };
        assert_eq!((found.count, found.of, found.columns, found.rows, found.first), (2, 6, (1, 2), (1, 1), (1, 1)));
        assert_eq!(found.values, [vec![5.0, 6.0, 0.0, 3.0], vec![5.0, 9.0, 0.0, 3.0]]);
        assert_eq!((found.largest, found.mip, found.more), (1018.0, 0, 0));
        let text = "2 of 6 texels (R10G10B10A2_UNORM), in columns 1 to 2 and rows 1 to 1, by up to 1018; the first at (1, 1): 5 6 0 3 \
                    and 5 9 0 3";
        assert_eq!(Unlike::Texels(found).to_string(), text);
        right[..16].copy_from_slice(&left[..16]);
        right[16..24].copy_from_slice(&left[16..24]);
        right[24] ^= 1;
        let Some(Unlike::Texels(found)) = unlike("x.dds", &a, &dds(24, (3, 2), 2, &right)) else { panic!() };
        assert_eq!((found.mip, found.count, found.of, found.first), (1, 1, 1, (0, 0)));
        assert_eq!(unlike("x.dds", &a, &a), None);
    }

    #[test]
    fn floats_and_bytes_are_read() {
        let halves = |values: [u16; 4]| values.map(u16::to_le_bytes).concat();
        let [a, b] = [halves([0x3c00, 0xc000, 0, 0x7c00]), halves([0x3c00, 0xc000, 1, 0x7e00])];
        let [a, b] = [a, b].map(|texels| dds(10, (1, 1), 1, &texels));
        let Some(Unlike::Texels(found)) = unlike("x.dds", &a, &b) else { panic!() };
        assert_eq!(found.values[0], [1.0, -2.0, 0.0, f64::INFINITY]);
        assert_eq!((found.values[1][2], found.largest), (2f64.powi(-24), f64::INFINITY));
        let Some(Unlike::Bytes(found)) = unlike("x.bin", &[0, 0, 0, 0, 0, 0, 128, 63], &[0, 0, 0, 0, 0, 0, 0, 64])
        else {
            panic!()
        };
        assert_eq!((found.first, found.count, found.values), (6, 2, [0x3f80_0000, 0x4000_0000]));
        assert_eq!(unlike("x.bin", &[0], &[0, 1]), Some(Unlike::Shape));
        assert_eq!(channels("BC1_UNORM"), None);
        assert_eq!(channels("R9G9B9E5_SHAREDEXP"), None);
        assert_eq!(channels("R8G8B8A8_UNORM_SRGB").unwrap().len(), 4);
    }
}
