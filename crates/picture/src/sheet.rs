//! Many small pictures as one: a sheet with a number above each, or one after another in time.

use std::io::Write;

use crate::font;
use crate::image::Image;

/// A small picture and what stands above it.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Of 8 bits a channel.
    pub image: Image,
    /// What stands above it: digits and `#-+.x`; other letters stay blank.
    pub label: String,
}

/// Pixels between pictures.
const GAP: u32 = 4;
/// The longest side of a sheet, in pixels.
const LONGEST: u32 = 16384;
/// Behind the pictures.
const GREY: u16 = 32;

/// The size that all pictures fit into, and that of a place with its label.
fn cell(tiles: &[Tile]) -> (u32, u32) {
    let width = tiles.iter().map(|tile| tile.image.width.max(font::width(&tile.label))).max().unwrap_or(1);
    let height = tiles.iter().map(|tile| tile.image.height).max().unwrap_or(1);
    (width, height + font::HEIGHT + 2)
}

/// All pictures in rows, which are read as text is.
///
/// # Errors
/// There are none, or too many for one sheet.
pub fn sheet(tiles: &[Tile]) -> Result<Image, String> {
    if tiles.is_empty() {
        return Err("there is no picture for a sheet".into());
    }
    let (width, height) = cell(tiles);
    let (step, rise) = (width.saturating_add(GAP), height.saturating_add(GAP));
    let count = tiles.len() as u64;
    // About as high as wide.
    let columns = (1..=count).find(|columns| columns * u64::from(step) >= count.div_ceil(*columns) * u64::from(rise));
    let columns = columns.unwrap_or(count);
    let size = [columns * u64::from(step), count.div_ceil(columns) * u64::from(rise)].map(|side| side + u64::from(GAP));
    if size.iter().any(|side| *side > u64::from(LONGEST)) {
        return Err(format!(
            "{count} pictures do not fit into a sheet of {LONGEST} pixels: take fewer, smaller ones, or write them into a folder"
        ));
    }
    let mut sheet = blank(size[0] as u32, size[1] as u32);
    for (at, tile) in (0u64..).zip(tiles) {
        let (x, y) = ((at % columns) as u32 * step + GAP, (at / columns) as u32 * rise + GAP);
        put(&mut sheet, tile, (x, y));
    }
    Ok(sheet)
}

/// Writes an animated PNG: each picture is seen for so many thousandths of a second, again and again.
///
/// # Errors
/// There is none, or the file cannot be written.
pub fn write_animation(tiles: &[Tile], milliseconds: u16, file: impl Write) -> Result<(), String> {
    let (width, height) = cell(tiles);
    let (width, height) = (width + 2 * GAP, height + 2 * GAP);
    let count = u32::try_from(tiles.len()).ok().filter(|count| *count > 0).ok_or("there is no picture to show")?;
    let write = || -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(file, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_animated(count, 0)?;
        encoder.set_frame_delay(milliseconds, 1000)?;
        let mut writer = encoder.write_header()?;
        for tile in tiles {
            let mut picture = blank(width, height);
            put(&mut picture, tile, (GAP, GAP));
            let bytes = picture.channels.as_chunks::<4>().0.iter().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
            writer.write_image_data(&bytes.map(|channel| channel as u8).collect::<Vec<u8>>())?;
        }
        writer.finish()
    };
    write().map_err(|error| error.to_string())
}

fn blank(width: u32, height: u32) -> Image {
    let channels = [GREY, GREY, GREY, 255].repeat(width as usize * height as usize);
    Image { width, height, channels, is_deep: false, has_alpha: false }
}

fn put(sheet: &mut Image, tile: &Tile, (left, top): (u32, u32)) {
    font::draw(sheet, &tile.label, (left, top), [220, 220, 220, 255]);
    let (image, top) = (&tile.image, top + font::HEIGHT + 2);
    for (y, row) in image.channels.chunks_exact(image.width.max(1) as usize * 4).enumerate() {
        let start = ((top as usize + y) * sheet.width as usize + left as usize) * 4;
        if let Some(to) = sheet.channels.get_mut(start..start + row.len()) {
            to.copy_from_slice(row);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn tile(label: &str, value: u16) -> Tile {
        let channels = [value, value, value, 255].repeat(12);
        Tile { image: Image { width: 4, height: 3, channels, is_deep: false, has_alpha: false }, label: label.into() }
    }

    #[test]
    fn every_picture_is_on_the_sheet_and_in_the_animation() {
        let tiles: Vec<Tile> = (0..7).map(|at| tile(&at.to_string(), 100 + at)).collect();
        let sheet = sheet(&tiles).unwrap();
        for at in 0..7 {
            let count = sheet.channels.as_chunks::<4>().0.iter().filter(|pixel| pixel[0] == 100 + at).count();
            assert_eq!(count, 12, "picture {at}");
        }
        let mut file = Vec::new();
        write_animation(&tiles, 100, &mut file).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut frame = vec![0; reader.output_buffer_size().unwrap()];
        for at in 0..7u8 {
            reader.next_frame(&mut frame).unwrap();
            assert_eq!(frame.chunks(3).filter(|pixel| pixel[0] == 100 + at).count(), 12);
        }
        assert!(super::sheet(&vec![tile("1", 1); 3_000_000]).is_err() && super::sheet(&[]).is_err());
    }
}
