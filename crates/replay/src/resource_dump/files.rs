//! The files of a dump: which kinds fit its format, their names, and the description beside them.
//!
//! Invariant: names follow from the dump alone, so that two replays can be compared file by file.

use std::fs;
use std::path::{Path, PathBuf};

use reprise_d3d12::types::{D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION};
use reprise_picture::dds::{self, Shape};
use reprise_picture::exr;
use serde_json::{Value as Json, json};

use super::contents::{Contents, Piece, floats, floats_of_depth24, png};
use super::plan::Job;
use crate::format::{is_depth24, plane_name, planes, typed};

/// `DXGI_FORMAT_D32_FLOAT`.
const D32_FLOAT: u32 = 40;

/// Writes all files of a dump into `dir`.
pub(super) fn write(dir: &Path, job: &Job, contents: &Contents) -> Result<Vec<PathBuf>, String> {
    fs::create_dir_all(dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
    let mut out = Out { dir, name: &job.name, files: Vec::new() };
    let mut notes = job.notes.clone();
    let about = match contents {
        Contents::Buffer { offset, width, bytes } => {
            out.file(".bin", bytes)?;
            json!({ "dimension": "buffer", "width": width, "offset": offset, "bytes": bytes.len() })
        }
        Contents::Texture { desc, pieces } => {
            let format = desc.Format.0 as u32;
            for plane in 0..planes(format) {
                let of_plane = |piece: &&Piece| plane_of(desc, piece.subresource) == plane;
                let mut pieces: Vec<Piece> = pieces.iter().filter(of_plane).cloned().collect();
                if plane == 0 && is_depth24(format) {
                    pieces.iter_mut().for_each(|piece| piece.bytes = floats_of_depth24(&piece.bytes));
                    notes.push("24 bits of depth are written as floats: n / 16777215".into());
                }
                if !pieces.is_empty() {
                    out.plane(desc, plane, &pieces, job.subresource.is_some())?;
                }
            }
            describe(desc)
        }
    };
    let mut files: Vec<Json> = Vec::new();
    for file in &out.files {
        files.push(file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()).into());
    }
    let beside = json!({ "what": job.what, "resource": job.resource, "desc": about, "notes": notes, "files": files });
    out.file(".json", format!("{beside:#}\n").as_bytes())?;
    Ok(out.files)
}

fn describe(desc: &D3D12_RESOURCE_DESC) -> Json {
    let dimension = match desc.Dimension {
        D3D12_RESOURCE_DIMENSION::TEXTURE1D => "texture1d",
        D3D12_RESOURCE_DIMENSION::TEXTURE3D => "texture3d",
        _ => "texture2d",
    };
    json!({
        "dimension": dimension,
        "width": desc.Width,
        "height": desc.Height,
        "depth_or_array_size": desc.DepthOrArraySize,
        "mip_levels": desc.MipLevels,
        "dxgi_format": desc.Format.0,
    })
}

fn slices(desc: &D3D12_RESOURCE_DESC) -> u32 {
    let volume = desc.Dimension == D3D12_RESOURCE_DIMENSION::TEXTURE3D;
    if volume { 1 } else { u32::from(desc.DepthOrArraySize).max(1) }
}

fn plane_of(desc: &D3D12_RESOURCE_DESC, subresource: u32) -> u32 {
    subresource / (u32::from(desc.MipLevels).max(1) * slices(desc))
}

struct Out<'a> {
    dir: &'a Path,
    name: &'a str,
    files: Vec<PathBuf>,
}

impl Out<'_> {
    fn file(&mut self, ending: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.dir.join(format!("{}{ending}", self.name));
        fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        self.files.push(path);
        Ok(())
    }

    /// One plane: all of it as DDS, each subresource that is a picture also as PNG or EXR.
    fn plane(&mut self, desc: &D3D12_RESOURCE_DESC, plane: u32, pieces: &[Piece], single: bool) -> Result<(), String> {
        let raw = desc.Format.0 as u32;
        let (format, plane) = (typed(raw, plane), plane_name(raw, plane));
        let name = plane.map_or_else(String::new, |plane| format!("_{plane}"));
        let (mips, slices) = if single { (1, 1) } else { (u32::from(desc.MipLevels).max(1), slices(desc)) };
        let size = pieces.first().map_or([0; 3], |piece| [piece.width, piece.height, piece.depth]);
        let shape = Shape { format, dimension: desc.Dimension.0 as u32, mips, slices };
        self.file(&format!("{name}.dds"), &dds::encode(shape, size, pieces.iter().map(|piece| &*piece.bytes)))?;
        for piece in pieces.iter().filter(|piece| piece.depth == 1) {
            let which = if pieces.len() > 1 { format!("_sub{}", piece.subresource) } else { String::new() };
            if let Some(pixels) = png(format, &piece.bytes) {
                let path = self.dir.join(format!("{}{name}{which}.png", self.name));
                pixels
                    .write(&path, (piece.width, piece.height))
                    .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
                self.files.push(path);
            } else if let Some((channels, texels)) =
                floats(format, plane == Some("depth") || raw == D32_FLOAT, &piece.bytes)
            {
                let ending = format!("{name}{which}.exr");
                let file = exr::encode(piece.width, piece.height, &channels, &texels);
                self.file(&ending, &file.map_err(|error| format!("cannot write {}{ending}: {error}", self.name))?)?;
            }
        }
        Ok(())
    }
}
