//! Numbers as colours: none is black, then blue, green, yellow and red, up to white for the greatest; a scale stands below.

use crate::font;
use crate::image::Image;

/// Colours at equal steps between the least above 0 and the greatest.
const COLOURS: [[u16; 3]; 6] = [[0, 0, 160], [0, 128, 255], [0, 200, 80], [255, 230, 0], [255, 60, 0], [255, 255, 255]];
/// In pixels, of the scale with its numbers.
const SCALE: u32 = 24;

/// The colour of a number, of those up to `most`.
fn colour(number: u32, most: u32) -> [u16; 4] {
    if number == 0 {
        return [0, 0, 0, 255];
    }
    let part = f64::from(number.min(most) - 1) / f64::from(most.saturating_sub(1).max(1)) * (COLOURS.len() - 1) as f64;
    let at = (part as usize).min(COLOURS.len() - 2);
    let mix = |channel: usize| {
        let (one, next) = (f64::from(COLOURS[at][channel]), f64::from(COLOURS[at + 1][channel]));
        (one + (next - one) * (part - at as f64)).round() as u16
    };
    [mix(0), mix(1), mix(2), 255]
}

/// The picture of so many numbers, row by row, and a scale from 1 to the greatest below it.
///
/// # Errors
/// There are not as many numbers as pixels, or none.
pub fn heat((width, height): (u32, u32), numbers: &[u32]) -> Result<Image, String> {
    if numbers.is_empty() || numbers.len() as u64 != u64::from(width) * u64::from(height) {
        return Err(format!("{} numbers are no picture of {width} by {height}", numbers.len()));
    }
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let mut channels: Vec<u16> = numbers.iter().flat_map(|number| colour(*number, most)).collect();
    channels.extend([32, 32, 32, 255].repeat(width as usize * SCALE as usize));
    let mut image = Image { width, height: height + SCALE, channels, is_deep: false, has_alpha: false };
    for x in 0..width {
        let number = 1 + (u64::from(x) * u64::from(most) / u64::from(width)) as u32;
        for y in height + 2..height + 12 {
            let place = (y as usize * width as usize + x as usize) * 4;
            image.channels[place..place + 4].copy_from_slice(&colour(number, most));
        }
    }
    let greatest = most.to_string();
    let white = [255; 4];
    font::draw(&mut image, "1", (1, height + 14), white);
    font::draw(&mut image, &greatest, (width.saturating_sub(font::width(&greatest)), height + 14), white);
    Ok(image)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn more_is_another_colour() {
        let numbers: Vec<u32> = (0..64).collect();
        let image = heat((64, 1), &numbers).unwrap();
        let colours: Vec<&[u16]> = image.channels.chunks(4).take(64).collect();
        assert_eq!(colours[0], [0, 0, 0, 255]);
        assert_eq!((colours[1], colours[63]), (&[0, 0, 160, 255][..], &[255, 255, 255, 255][..]));
        assert!((0..64).all(|at| (at + 1..64).all(|other| colours[at] != colours[other])));
        assert!(heat((2, 2), &[1]).is_err() && heat((0, 0), &[]).is_err());
        // The greatest is white, unless nothing is more than 1.
        assert_eq!(heat((1, 1), &[u32::MAX]).unwrap().channels[..4], [255, 255, 255, 255]);
        assert_eq!(heat((1, 1), &[1]).unwrap().channels[..4], [0, 0, 160, 255]);
    }
}
