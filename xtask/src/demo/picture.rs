//! The frames of three runs as pictures: raw dumps of the capture library, PNG files of the replays.

use super::run::Run;
use anyhow::{Context, Result, ensure};
use std::path::Path;

/// One frame of all three runs, each as a PNG.
pub(super) struct Row {
    pub(super) frame: u64,
    pub(super) captured: Vec<u8>,
    /// Replayed on the library of the capture.
    pub(super) theirs: Replayed,
    /// Replayed on our runtime.
    pub(super) ours: Replayed,
}

/// A frame of a replay.
pub(super) struct Replayed {
    pub(super) png: Vec<u8>,
    /// Pixels that are not as captured.
    pub(super) different: usize,
}

/// The rows of the asked frames that the capture has.
pub(super) fn rows(run: &Run<'_>, frames: &[u64]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for &frame in frames {
        let dump = run.captured.pictures.join(format!("frame_{frame:06}.pam"));
        if !dump.exists() {
            continue; // The program ended before this frame.
        }
        let captured = Picture::from_pam(&read(&dump)?).with_context(|| dump.display().to_string())?;
        let replayed = |folder: &Path| -> Result<Replayed> {
            let path = folder.join(format!("frame_{frame:06}.png"));
            let png = read(&path)?;
            let picture = Picture::from_png(&png).with_context(|| path.display().to_string())?;
            let different = captured.different(&picture).context("a replayed frame has another size")?;
            Ok(Replayed { png, different })
        };
        let (theirs, ours) = (replayed(&run.theirs.pictures)?, replayed(&run.ours.pictures)?);
        let captured = captured.to_png()?;
        std::fs::write(dump.with_extension("png"), &captured).context("cannot write a picture")?;
        std::fs::remove_file(&dump).context("cannot remove a dump")?;
        rows.push(Row { frame, captured, theirs, ours });
    }
    ensure!(!rows.is_empty(), "none of the frames {frames:?} was captured");
    Ok(rows)
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Rows of red, green and blue, 8 bits each: what a person sees. What the alpha of a frame holds is in its hash.
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) rgb: Vec<u8>,
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

    pub(super) fn from_png(bytes: &[u8]) -> Result<Picture> {
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

    /// How many pixels are not the same; none where the sizes are not.
    fn different(&self, other: &Picture) -> Option<usize> {
        let (left, right) = (self.rgb.chunks_exact(3), other.rgb.chunks_exact(3));
        let same = (self.width, self.height) == (other.width, other.height);
        same.then(|| left.zip(right).filter(|(left, right)| left != right).count())
    }

    pub(super) fn to_png(&self) -> Result<Vec<u8>> {
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
        let mut again = Picture::from_png(&picture.to_png().unwrap()).unwrap();
        assert_eq!(picture.different(&again), Some(0));
        again.rgb[4] = 0;
        assert_eq!(picture.different(&again), Some(1));
        pam.pop();
        assert!(Picture::from_pam(&pam).is_err());
    }
}
