//! Pictures of what programs draw: from dumps, PNG files and X servers, compared and joined.

use anyhow::{Context, Result, ensure};

/// Rows of red, green and blue, 8 bits each. Alpha is left out: a person does not see it, and the frame's hash has it.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgb: Vec<u8>,
}

impl Picture {
    /// The portable arbitrary map: a few lines of text, then the pixels.
    pub(crate) fn from_pam(bytes: &[u8]) -> Result<Picture> {
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

    /// As an X server gives it: four bytes a pixel, blue first.
    pub(crate) fn from_screen((width, height, pixels): (u16, u16, Vec<u8>)) -> Picture {
        let rgb = pixels.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        Picture { width: width.into(), height: height.into(), rgb }
    }

    pub(crate) fn from_png(bytes: &[u8]) -> Result<Picture> {
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
    pub(crate) fn different(&self, other: &Picture) -> Option<usize> {
        let (left, right) = (self.rgb.chunks_exact(3), other.rgb.chunks_exact(3));
        let same = (self.width, self.height) == (other.width, other.height);
        same.then(|| left.zip(right).filter(|(left, right)| left != right).count())
    }

    /// How many pixels are apart by more than `step` of 255 in a channel; none where the sizes are not the same.
    pub(crate) fn apart(&self, other: &Picture, step: u8) -> Option<usize> {
        let (left, right) = (self.rgb.chunks_exact(3), other.rgb.chunks_exact(3));
        let is_apart = |(left, right): &(&[u8], &[u8])| left.iter().zip(*right).any(|(l, r)| l.abs_diff(*r) > step);
        let same = (self.width, self.height) == (other.width, other.height);
        same.then(|| left.zip(right).filter(is_apart).count())
    }

    /// How many colours there are, counted up to `most`.
    pub(crate) fn colours(&self, most: usize) -> usize {
        let mut seen = std::collections::BTreeSet::new();
        for pixel in self.rgb.chunks_exact(3) {
            seen.insert(pixel);
            if seen.len() >= most {
                break;
            }
        }
        seen.len()
    }

    /// Both, side by side from the top, with a line of white between them.
    pub(crate) fn beside(&self, other: &Picture) -> Picture {
        const LINE: usize = 2;
        let row = |picture: &Picture, y: u32| {
            let length = picture.width as usize * 3;
            let begin = y as usize * length;
            let row = picture.rgb.get(begin..begin + length).map(<[u8]>::to_vec);
            row.unwrap_or_else(|| vec![0; length])
        };
        let height = self.height.max(other.height);
        let rgb = (0..height).flat_map(|y| [row(self, y), vec![255; LINE * 3], row(other, y)].concat()).collect();
        Picture { width: self.width + LINE as u32 + other.width, height, rgb }
    }

    pub(crate) fn to_png(&self) -> Result<Vec<u8>> {
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

    #[test]
    fn pictures_are_compared_by_steps_and_joined() {
        let left = Picture::from_screen((2, 1, vec![3, 2, 1, 0, 6, 5, 4, 0]));
        assert_eq!(left.rgb, [1, 2, 3, 4, 5, 6]);
        let right = Picture { rgb: vec![1, 2, 3, 4, 8, 6], ..Picture::from_screen((2, 1, vec![0; 8])) };
        assert_eq!((left.apart(&right, 2), left.apart(&right, 3)), (Some(1), Some(0)));
        let tall = Picture { width: 1, height: 2, rgb: vec![7; 6] };
        assert_eq!(left.apart(&tall, 2), None);
        assert_eq!((left.colours(9), left.colours(1), tall.colours(9)), (2, 1, 1));
        let joined = left.beside(&tall);
        assert_eq!((joined.width, joined.height), (5, 2));
        let white = [255; 6];
        assert_eq!(joined.rgb, [&left.rgb[..], &white, &[7; 3], &[0; 6], &white, &[7; 3]].concat());
    }
}
