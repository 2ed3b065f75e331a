//! Files of texels, by the endings of their names: PNG for people, OpenEXR for floats, DDS and raw bytes for programs.

use crate::shown::wish::Look;
use crate::terminal::whole_file;
use anyhow::{Context, Result, bail};
use reprise_picture::dds::{self, Shape};
use reprise_picture::exr::{self, Channels};
use reprise_picture::{Kind, Layout, Texels, file_format};
use std::fs;
use std::path::Path;

/// Writes texels of a format; of one with planes, those of one plane.
///
/// # Errors
/// The kind of file is unknown or cannot hold them, or it cannot be written.
pub(crate) fn write(path: &Path, texels: &Texels, look: &Look, (format, plane): (u32, u32)) -> Result<()> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let mut bytes = Vec::new();
    match ending.as_str() {
        "png" => look.mapping.picture(texels).write_png(&mut bytes).map_err(anyhow::Error::msg)?,
        "exr" => bytes = as_exr(texels)?,
        "dds" => bytes = as_dds(texels, (format, plane))?,
        "bin" | "raw" => bytes = texels.bytes().to_vec(),
        _ => bail!("{}: files of pictures end in .png, .exr, .dds or .bin", path.display()),
    }
    write_bytes(path, &bytes)
}

/// Writes a file, and the folder that it stands in. One that is there is replaced by the whole new one.
///
/// # Errors
/// It cannot be written.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    whole_file::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn as_exr(texels: &Texels) -> Result<Vec<u8>> {
    let layout = texels.layout();
    let names: &'static [&'static str] = match (layout.kind(), layout.channels()) {
        (Kind::Depth, _) => &["Z"],
        (_, [true, false, false, false]) => &["R"],
        (_, [true, true, false, false]) => &["R", "G"],
        (_, [true, true, true, false]) => &["R", "G", "B"],
        (_, [false, false, false, true]) => &["A"],
        _ => &["R", "G", "B", "A"],
    };
    let is_whole = matches!(layout.kind(), Kind::Uint | Kind::Sint);
    if is_whole && layout.depth() > 24 {
        bail!("an EXR file has floats, and these do not hold whole numbers of 32 bits: write a .dds or .bin file");
    }
    let first = if names == ["A"] { 3 } else { 0 };
    let kept = first..first + names.len();
    let halves = layout.kind() == Kind::Float && layout.depth() == 16 && matches!(layout, Layout::Packed { .. });
    let (bytes, each) = match halves {
        // Their very bits.
        true => (texels.bytes().to_vec(), 2),
        false => {
            let values = texels.iter().flat_map(|texel| texel[kept.clone()].to_vec());
            (values.flat_map(|value| (value as f32).to_le_bytes()).collect(), 4)
        }
    };
    let (width, height) = texels.size();
    exr::encode(width, height, &Channels { names, bytes: each }, &bytes).map_err(anyhow::Error::msg)
}

fn as_dds(texels: &Texels, (format, plane): (u32, u32)) -> Result<Vec<u8>> {
    const TEXTURE2D: u32 = 3;
    let shape = Shape {
        format: file_format(format, plane).map_err(anyhow::Error::msg)?,
        dimension: TEXTURE2D,
        mips: 1,
        slices: 1,
    };
    let (width, height) = texels.size();
    // 24 bits of depth have no format of their own there; floats hold them exactly.
    let floats: Vec<u8> = match (texels.layout().kind(), texels.layout().depth()) {
        (Kind::Depth, 24) => texels.iter().flat_map(|texel| (texel[0] as f32).to_le_bytes()).collect(),
        _ => texels.bytes().to_vec(),
    };
    Ok(dds::encode(shape, [width, height, 1], [floats.as_slice()]))
}
