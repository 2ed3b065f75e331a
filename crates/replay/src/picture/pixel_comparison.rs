//! How one picture differs from another, pixel by pixel.
//!
//! Invariant: two pictures differ here exactly where their hashes differ: every byte counts, also those of alpha and padding.

use std::fmt;
use std::ops::RangeInclusive;

use crate::picture;
use crate::picture::Picture;

/// Pictures that are not the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unlike {
    /// Width, height and `DXGI_FORMAT` of each: nothing else can be compared.
    Shape([(u32, u32, u32); 2]),
    /// Some of their pixels.
    Pixels(Pixels),
}

/// Pixels that are not the same in two pictures of one shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pixels {
    /// How many there are.
    pub count: u64,
    /// Of these, pixels with a channel that differs by more than the tolerance.
    pub beyond: u64,
    /// Pixels of a picture.
    pub of: u64,
    /// The first one in reading order: column and row, from 0 at the top left.
    pub first: (u32, u32),
    /// Columns and rows that hold them all.
    pub area: (RangeInclusive<u32>, RangeInclusive<u32>),
    /// The largest difference of a channel, in steps of the format (8 bits have 255); `None` for formats without steps.
    pub step: Option<u32>,
}

/// Where two pictures differ; `None` where they do not. The tolerance is in steps of a channel; it only decides what is `beyond`.
pub fn unlike(left: &Picture, right: &Picture, tolerance: u32) -> Option<Unlike> {
    let shape = |picture: &Picture| (picture.width, picture.height, picture.format);
    if shape(left) != shape(right) || left.bytes.len() != right.bytes.len() {
        return Some(Unlike::Shape([shape(left), shape(right)]));
    }
    if left.bytes == right.bytes {
        return None;
    }
    let size = picture::pixel_bytes(left.format)?.max(1) as usize;
    let width = left.width.max(1);
    let mut found: Option<Pixels> = None;
    let pairs = left.bytes.chunks_exact(size).zip(right.bytes.chunks_exact(size));
    for (index, (a, b)) in (0u64..).zip(pairs).filter(|(_, (a, b))| a != b) {
        let (column, row) = ((index % u64::from(width)) as u32, (index / u64::from(width)) as u32);
        let step = picture::channels(left.format, a).zip(picture::channels(left.format, b));
        let step = step.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0));
        let pixels = found.get_or_insert_with(|| Pixels {
            count: 0,
            beyond: 0,
            of: u64::from(left.width) * u64::from(left.height),
            first: (column, row),
            area: (column..=column, row..=row),
            step: None,
        });
        pixels.count += 1;
        pixels.beyond += u64::from(step.is_none_or(|step| step > tolerance));
        pixels.step = pixels.step.max(step);
        let (columns, rows) = &mut pixels.area;
        *columns = column.min(*columns.start())..=column.max(*columns.end());
        *rows = row.min(*rows.start())..=row.max(*rows.end());
    }
    found.map(Unlike::Pixels)
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape([(width, height, format), other]) => write!(
                f,
                "{width} × {height} pixels of DXGI format {format} here, {} × {} of format {} there",
                other.0, other.1, other.2
            ),
            Self::Pixels(pixels) => pixels.fmt(f),
        }
    }
}

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y) = self.first;
        let one = self.count == 1;
        write!(f, "{} of {} pixels {}", self.count, self.of, if one { "differs" } else { "differ" })?;
        if let Some(step) = self.step {
            write!(f, ", by up to {step}")?;
        }
        write!(f, ", {} ({x}, {y})", if one { "at" } else { "the first at" })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn picture(format: u32, bytes: &[u8]) -> Picture {
        let pixel = picture::pixel_bytes(format).unwrap() as usize;
        Picture { width: 3, height: (bytes.len() / pixel / 3) as u32, format, bytes: bytes.to_vec() }
    }

    #[test]
    fn pixels_are_counted_and_placed() {
        let left = picture(28, &[7; 3 * 4 * 4]);
        assert_eq!(unlike(&left, &left, 0), None);
        let mut right = left.clone();
        right.bytes[(3 + 2) * 4 + 1] = 9; // column 2, row 1
        right.bytes[(6 + 1) * 4] = 0; // column 1, row 2
        right.bytes[(6 + 1) * 4 + 3] = 8;
        let found = unlike(&left, &right, 1).unwrap();
        let expected = Pixels { count: 2, beyond: 2, of: 12, first: (2, 1), area: (1..=2, 1..=2), step: Some(7) };
        assert_eq!(found, Unlike::Pixels(expected));
        assert_eq!(found.to_string(), "2 of 12 pixels differ, by up to 7, the first at (2, 1)");
        right.bytes.copy_from_slice(&left.bytes);
        right.bytes[3] = 8; // alpha alone
        assert_eq!(unlike(&left, &right, 1).unwrap().to_string(), "1 of 12 pixels differs, by up to 1, at (0, 0)");
        right.bytes[7] = 9;
        let Some(Unlike::Pixels(pixels)) = unlike(&left, &right, 1) else { panic!("equal") };
        assert_eq!((pixels.count, pixels.beyond), (2, 1));
    }

    #[test]
    fn channels_of_ten_bits_are_not_bytes() {
        let word = |red: u32, green: u32| (red | green << 10).to_le_bytes();
        let left = picture(24, &[word(256, 3), word(0, 0), word(0, 0)].concat());
        let right = picture(24, &[word(255, 3), word(0, 0), word(0, 0)].concat());
        let Some(Unlike::Pixels(pixels)) = unlike(&left, &right, 1) else { panic!("equal") };
        assert_eq!((pixels.count, pixels.step), (1, Some(1)));
    }

    #[test]
    fn other_shapes_are_not_compared() {
        let left = picture(28, &[0; 24]);
        let right = Picture { format: 87, ..left.clone() };
        assert!(matches!(unlike(&left, &right, 1), Some(Unlike::Shape(_))));
        let floats = picture(2, &[0; 3 * 16]);
        let mut other = floats.clone();
        other.bytes[20] = 1;
        let Some(Unlike::Pixels(pixels)) = unlike(&floats, &other, 1) else { panic!("equal") };
        assert_eq!((pixels.first, pixels.step, pixels.beyond), ((1, 0), None, 1));
    }
}
