//! OpenEXR files of one image: scan lines, no compression. The crate `exr` writes them; only this module names it.
//!
//! Invariant: floats and halves keep their bits.

use std::io::Cursor;

use exr::prelude::*;

/// Channels of a float image, as OpenEXR has them.
#[derive(Clone, Copy, Debug)]
pub struct Channels {
    /// As `R`, `Z`.
    pub names: &'static [&'static str],
    /// 2 bytes: halves; 4: floats.
    pub bytes: usize,
}

/// The file for an image of rows of texels, channels side by side in each texel.
///
/// # Errors
/// The image has no texels, or more than the file can state.
pub fn encode(width: u32, height: u32, channels: &Channels, texels: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let each = channels.names.iter().enumerate().map(|(at, name)| {
        let samples =
            texels.chunks_exact(channels.bytes * channels.names.len()).map(|texel| &texel[at * channels.bytes..]);
        let samples = match channels.bytes {
            2 => FlatSamples::F16(samples.map(|it| f16::from_le_bytes([it[0], it[1]])).collect()),
            _ => FlatSamples::F32(samples.map(|it| f32::from_le_bytes([it[0], it[1], it[2], it[3]])).collect()),
        };
        AnyChannel::new(*name, samples)
    });
    let layer = Layer::new(
        (width as usize, height as usize),
        LayerAttributes::default(),
        Encoding::UNCOMPRESSED,
        AnyChannels::sort(each.collect()),
    );
    let mut file = Cursor::new(Vec::with_capacity(texels.len() + 1024));
    Image::from_layer(layer).write().non_parallel().to_buffered(&mut file).map_err(|error| error.to_string())?;
    Ok(file.into_inner())
}
