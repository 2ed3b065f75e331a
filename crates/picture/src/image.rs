//! A picture for people: 8 or 16 bits a channel, and its PNG file.

use std::io::Write;

/// Red, green, blue and alpha of each pixel, rows top first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Image {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Four for each pixel; of 8 bits each the low half is used.
    pub channels: Vec<u16>,
    /// Channels have 16 bits, and not 8.
    pub is_deep: bool,
    /// Alpha has a meaning.
    pub has_alpha: bool,
}

impl Image {
    /// Writes a PNG file.
    ///
    /// # Errors
    /// The picture has no pixels, or the file cannot be written.
    pub fn write_png(&self, file: impl Write) -> Result<(), String> {
        let kept = if self.has_alpha { 4 } else { 3 };
        let channels = self.channels.as_chunks::<4>().0.iter().flat_map(|pixel| &pixel[..kept]);
        let bytes: Vec<u8> = match self.is_deep {
            true => channels.flat_map(|channel| channel.to_be_bytes()).collect(),
            false => channels.map(|channel| *channel as u8).collect(),
        };
        let write = || -> Result<(), png::EncodingError> {
            let mut encoder = png::Encoder::new(file, self.width, self.height);
            encoder.set_color(if self.has_alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
            encoder.set_depth(if self.is_deep { png::BitDepth::Sixteen } else { png::BitDepth::Eight });
            encoder.set_compression(png::Compression::Fast);
            let mut writer = encoder.write_header()?;
            writer.write_image_data(&bytes)?;
            writer.finish()
        };
        write().map_err(|error| error.to_string())
    }
}
