//! A font of digits and a few letters, five pixels by seven, for labels on sheets.

use crate::image::Image;

/// In pixels, of a line.
pub(crate) const HEIGHT: u32 = 7;
/// In pixels, of a letter and the gap behind it.
const STEP: u32 = 6;

/// Letters, and their rows from the top; the highest of five bits is on the left.
const LETTERS: [(char, [u8; 7]); 16] = [
    ('0', [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110]),
    ('1', [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110]),
    ('2', [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111]),
    ('3', [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110]),
    ('4', [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010]),
    ('5', [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110]),
    ('6', [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110]),
    ('7', [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000]),
    ('8', [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110]),
    ('9', [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100]),
    ('#', [0b01010, 0b01010, 0b11111, 0b01010, 0b11111, 0b01010, 0b01010]),
    ('-', [0b00000, 0b00000, 0b00000, 0b11111, 0b00000, 0b00000, 0b00000]),
    ('+', [0b00000, 0b00100, 0b00100, 0b11111, 0b00100, 0b00100, 0b00000]),
    ('.', [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b01100, 0b01100]),
    ('x', [0b00000, 0b00000, 0b10001, 0b01010, 0b00100, 0b01010, 0b10001]),
    (' ', [0; 7]),
];

/// In pixels.
pub(crate) fn width(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX).saturating_mul(STEP)
}

/// Draws a line; letters that there are not stay blank, and what lies outside is left out.
pub(crate) fn draw(image: &mut Image, text: &str, (left, top): (u32, u32), colour: [u16; 4]) {
    for (at, letter) in (0u32..).zip(text.chars()) {
        let Some((_, rows)) = LETTERS.iter().find(|(known, _)| *known == letter) else { continue };
        for (y, row) in (top..).zip(rows) {
            for bit in (0..5).filter(|bit| row >> (4 - bit) & 1 == 1) {
                let x = left.saturating_add(at.saturating_mul(STEP)).saturating_add(bit);
                let place = (y as usize * image.width as usize + x as usize) * 4;
                if x < image.width
                    && let Some(pixel) = image.channels.get_mut(place..place + 4)
                {
                    pixel.copy_from_slice(&colour);
                }
            }
        }
    }
}
