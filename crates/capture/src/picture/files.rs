//! Chosen frames as picture files, for comparing a capture with its replay by eye (`cargo xtask demo`).
//!
//! The files are portable arbitrary maps: they need no encoder in the program, and writing one is a single pass over the
//! pixels. Only frames that are read for their hash anyway are written. A failure is reported once and never stops the program.

use std::path::PathBuf;
use std::sync::OnceLock;

use reprise_d3d12::types::DXGI_FORMAT;
use reprise_environment::capture::FRAME_DUMP;

use super::Shown;
use crate::session::environment;

struct Wanted {
    folder: PathBuf,
    frames: Vec<(u64, u64)>,
}

fn wanted() -> Option<&'static Wanted> {
    static WANTED_FRAMES: OnceLock<Option<Wanted>> = OnceLock::new();
    WANTED_FRAMES.get_or_init(|| parse(&environment::text(FRAME_DUMP)?)).as_ref()
}

fn parse(text: &str) -> Option<Wanted> {
    let (folder, frames) = text.rsplit_once(':')?;
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    let frames: Option<Vec<(u64, u64)>> = frames.split(',').map(range).collect();
    Some(Wanted { folder: folder.into(), frames: frames? })
}

/// Keeps the picture of a frame, if it is one of those asked for. Rows follow each other without padding.
pub(crate) fn keep(frame: u64, shown: Shown, pixels: &[u8]) {
    let Some(wanted) = wanted() else { return };
    if !wanted.frames.iter().any(|(first, last)| (*first..=*last).contains(&frame)) {
        return;
    }
    let path = wanted.folder.join(format!("frame_{frame:06}.pam"));
    let written = picture(shown.width, shown.height, DXGI_FORMAT(shown.format as i32), pixels)
        .ok_or_else(|| std::io::Error::other(format!("pictures of DXGI_FORMAT {} are not kept", shown.format)))
        .and_then(|bytes| reprise_log::without_signals(|| std::fs::write(&path, bytes)));
    if let Err(error) = written {
        static SAID: OnceLock<()> = OnceLock::new();
        SAID.get_or_init(|| reprise_log::warning(format_args!("cannot keep {}: {error}", path.display())));
    }
}

/// The file's bytes: red, green, blue, alpha of 8 bits, whatever order the frame had. `None` for other formats.
fn picture(width: u32, height: u32, format: DXGI_FORMAT, pixels: &[u8]) -> Option<Vec<u8>> {
    let swapped = match format {
        DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM | DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM_SRGB => false,
        DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM | DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM_SRGB => true,
        _ => return None,
    };
    let mut bytes =
        format!("P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n").into_bytes();
    let start = bytes.len();
    bytes.extend_from_slice(pixels.get(..width as usize * height as usize * 4)?);
    if swapped {
        bytes[start..].chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
    }
    Some(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_colours_is_the_files() {
        let bytes = picture(1, 1, DXGI_FORMAT::FORMAT_B8G8R8A8_UNORM, &[1, 2, 3, 4]).unwrap();
        assert!(bytes.ends_with(b"ENDHDR\n\x03\x02\x01\x04"));
        let bytes = picture(1, 1, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, &[1, 2, 3, 4]).unwrap();
        assert!(bytes.ends_with(b"ENDHDR\n\x01\x02\x03\x04"));
        assert_eq!(picture(2, 1, DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM, &[0; 4]), None);
        assert_eq!(picture(1, 1, DXGI_FORMAT::FORMAT_B5G6R5_UNORM, &[0; 4]), None);
    }

    #[test]
    fn folders_may_hold_colons() {
        let wanted = parse("/a:b/c:1,5-7").unwrap();
        assert_eq!(wanted.folder, PathBuf::from("/a:b/c"));
        assert_eq!(wanted.frames, [(1, 1), (5, 7)]);
        assert!(parse("/a").is_none() && parse("/a:x").is_none());
    }
}
