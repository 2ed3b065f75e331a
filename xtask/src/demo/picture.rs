//! The frames of both runs as pictures: raw dumps of the capture library, PNG files of the replay.

use super::Files;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// One frame of both runs, each as a PNG.
pub(crate) struct Pair {
    pub(crate) frame: u64,
    pub(crate) captured: Vec<u8>,
    pub(crate) replayed: Vec<u8>,
    /// Every pixel is the same.
    pub(crate) equal: bool,
}

/// The pairs of the asked frames that both runs have.
pub(crate) fn pairs(files: &Files, frames: &[u64]) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for &frame in frames {
        let dump = files.captured_frames.join(format!("frame_{frame:06}.pam"));
        let picture = files.replayed_frames.join(format!("frame_{frame:06}.png"));
        if !dump.exists() || !picture.exists() {
            continue; // The program ended before this frame.
        }
        let captured = Picture::from_pam(&read(&dump)?).with_context(|| dump.display().to_string())?;
        let png = read(&picture)?;
        let replayed = Picture::from_png(&png).with_context(|| picture.display().to_string())?;
        let captured_png = captured.to_png()?;
        std::fs::write(dump.with_extension("png"), &captured_png).context("cannot write a picture")?;
        std::fs::remove_file(&dump).context("cannot remove a dump")?;
        pairs.push(Pair { frame, captured: captured_png, replayed: png, equal: captured == replayed });
    }
    ensure!(!pairs.is_empty(), "none of the frames {frames:?} was kept by both runs");
    Ok(pairs)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Rows of red, green and blue, 8 bits each: what a person sees. What the alpha of a frame holds is in its hash.
#[derive(PartialEq, Eq)]
struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// The portable arbitrary map: a few lines of text, then the pixels.
    fn from_pam(bytes: &[u8]) -> Result<Picture> {
        const END: &[u8] = b"ENDHDR\n";
        let end = bytes.windows(END.len()).take(4096).position(|window| window == END);
        let end = end.context("no header of a portable arbitrary map")? + END.len();
        let header = String::from_utf8_lossy(&bytes[..end]);
        let field = |name: &str| -> Result<u32> {
            let line = header.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok()).with_context(|| format!("the header has no {name}"))
        };
        ensure!(field("DEPTH")? == 4 && field("MAXVAL")? == 255, "only 8-bit red, green, blue, alpha are known");
        let (width, height) = (field("WIDTH")?, field("HEIGHT")?);
        let pixels = &bytes[end..];
        ensure!(pixels.len() as u64 == u64::from(width) * u64::from(height) * 4, "the pixels do not match the size");
        Ok(Picture { width, height, rgb: without_alpha(pixels) })
    }

    fn from_png(bytes: &[u8]) -> Result<Picture> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info()?;
        let mut pixels = vec![0; reader.output_buffer_size().context("the picture is too large")?];
        let info = reader.next_frame(&mut pixels)?;
        pixels.truncate(info.buffer_size());
        let rgb = match (info.color_type, info.bit_depth) {
            (png::ColorType::Rgb, png::BitDepth::Eight) => pixels,
            (png::ColorType::Rgba, png::BitDepth::Eight) => without_alpha(&pixels),
            other => anyhow::bail!("pictures of {other:?} are not compared"),
        };
        Ok(Picture { width: info.width, height: info.height, rgb })
    }

    fn to_png(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&self.rgb)?;
        Ok(bytes)
    }
}

fn without_alpha(pixels: &[u8]) -> Vec<u8> {
    pixels.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_dump_survives_the_way_through_png() {
        let mut pam = b"P7\nWIDTH 2\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n".to_vec();
        pam.extend([1, 2, 3, 255, 4, 5, 6, 0]);
        let picture = Picture::from_pam(&pam).unwrap();
        assert_eq!(picture.rgb, [1, 2, 3, 4, 5, 6]);
        assert!(Picture::from_png(&picture.to_png().unwrap()).unwrap() == picture);
        pam.pop();
        assert!(Picture::from_pam(&pam).is_err());
    }
}
