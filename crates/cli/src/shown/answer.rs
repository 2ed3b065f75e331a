//! The answer to a wish: files, and what they show, for people and for programs.

use crate::shown::elements;
use crate::shown::file;
use crate::shown::histogram;
use crate::shown::number::plain;
use crate::shown::wish::{Look, Wish};
use crate::terminal::output::plural;
use anyhow::{Context, Result, bail};
use reprise_d3d12::types::{D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION};
use reprise_picture::{Histogram, Kind, Layout, Texels, format_name};
use reprise_replay::{ShotContents, ShotOf, ShotPart};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Writes the files of a wish, and gives what is to be said of it.
///
/// # Errors
/// The contents cannot be read as a picture, or a file cannot be written.
pub(crate) fn answer(wish: &Wish, contents: &ShotContents) -> Result<Json> {
    let mut said = json!({
        "call": wish.shot.call,
        "before": wish.shot.before,
        "what": wish.shot.of.to_string(),
        "resource": contents.resource,
        "submission": contents.submission,
    });
    let more = match &contents.part {
        ShotPart::Bytes { offset, bytes } => of_buffer(wish, &contents.desc, *offset, bytes)?,
        ShotPart::Texels { .. } => of_texels(wish, contents)?,
    };
    if let (Json::Object(said), Json::Object(more)) = (&mut said, more) {
        said.extend(more);
        let mut notes = contents.notes.clone();
        notes.extend(cut(wish, contents));
        said.insert("notes".into(), json!(notes));
    }
    Ok(said)
}

/// What is said where a buffer has fewer bytes than are asked for.
fn cut(wish: &Wish, contents: &ShotContents) -> Option<String> {
    let (ShotOf::Buffer { bytes: Some((_, wanted)), .. }, ShotPart::Bytes { bytes, .. }) =
        (&wish.shot.of, &contents.part)
    else {
        return None;
    };
    let found = bytes.len() as u64;
    (found < *wanted).then(|| format!("the buffer ends there: {found} of the {wanted} bytes that are asked for"))
}

fn of_buffer(wish: &Wish, desc: &D3D12_RESOURCE_DESC, offset: u64, bytes: &[u8]) -> Result<Json> {
    if !wish.look.pixels.is_empty() {
        bail!("a buffer has no pixels: read its bytes");
    }
    let about = json!({ "dimension": "buffer", "bytes": desc.Width, "offset": offset, "size": bytes.len() });
    if let Some(output) = &wish.output {
        let ending = output.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match (ending.as_deref(), &wish.look.elements) {
            (Some("csv"), Some(elements)) => file::write_bytes(output, elements.csv(bytes).as_bytes())?,
            (Some("csv"), None) => bail!("{}: say what the bytes are by --struct", output.display()),
            (Some("bin" | "raw"), _) => file::write_bytes(output, bytes)?,
            _ => bail!(
                "{}: bytes of a buffer are no picture: name a .bin file, or with --struct a .csv",
                output.display()
            ),
        }
    }
    if let Some(raw) = &wish.raw {
        beside(raw, bytes, &about)?;
    }
    let mut said = about;
    if let Some(elements) = &wish.look.elements
        && let (Json::Object(said), Json::Object(more)) = (&mut said, elements.json(bytes)?)
    {
        said.extend(more);
    }
    name_files(wish, &mut said);
    Ok(said)
}

fn of_texels(wish: &Wish, contents: &ShotContents) -> Result<Json> {
    let ShotPart::Texels { mip, slice, plane, sample, format, width, height, bytes } = &contents.part else {
        bail!("no texels")
    };
    let desc = &contents.desc;
    let name = |number: u32| format_name(number).unwrap_or("unknown");
    let look = &wish.look;
    check_format(look, contents)?;
    let format = look.format.unwrap_or(*format);
    let read = Texels::new(format, *plane, (*width, *height), bytes.clone());
    let mut about = json!({
        "dimension": match desc.Dimension {
            D3D12_RESOURCE_DIMENSION::TEXTURE1D => "texture1d",
            D3D12_RESOURCE_DIMENSION::TEXTURE3D => "texture3d",
            _ => "texture2d",
        },
        "format": name(format),
        "dxgi_format": format,
        "resource_format": name(desc.Format.0 as u32),
        "width": width,
        "height": height,
        "mip": mip,
        "mips": desc.MipLevels,
        "slice": slice,
        "slices": desc.DepthOrArraySize,
        "plane": plane,
        "sample": sample,
        "samples": desc.SampleDesc.Count.max(1),
    });
    let texels = match read {
        Ok(texels) => texels,
        Err(_) if look.format.is_none() && wish.output.is_none() && look.pixels.is_empty() && wish.raw.is_some() => {
            if let Some(raw) = &wish.raw {
                beside(raw, bytes, &about)?;
            }
            name_files(wish, &mut about);
            return Ok(about);
        }
        Err(reason) => bail!("{reason}"),
    };
    let layout = texels.layout();
    let unit = if layout.bytes() > 0 { u64::from(layout.bytes()) } else { 1 };
    let is_blocks = texels.row_bytes() != unit * u64::from(*width)
        || *height > 0 && texels.bytes().len() as u64 != texels.row_bytes() * u64::from(*height);
    about["row_pitch"] = texels.row_bytes().into();
    about[if is_blocks { "bytes_per_block" } else { "bytes_per_texel" }] = unit.into();
    about["bytes"] = texels.bytes().len().into();
    about["kind"] = json!(match layout.kind() {
        Kind::Unorm => "unorm",
        Kind::Snorm => "snorm",
        Kind::Uint => "uint",
        Kind::Sint => "sint",
        Kind::Float => "float",
        Kind::Depth => "depth",
    });
    about["srgb"] = layout.is_srgb().into();
    let letters = layout.channels().into_iter().zip(["r", "g", "b", "a"]);
    about["channels"] = letters.filter_map(|(there, letter)| there.then_some(letter)).collect::<String>().into();
    if let Some(raw) = &wish.raw {
        beside(raw, texels.bytes(), &about)?;
    }
    let mut said = about;
    if let Some(output) = &wish.output {
        file::write(output, &texels, look, (format, *plane))?;
    }
    let found = texels.statistics();
    let there = layout.channels();
    let some = |values: [Option<f64>; 4]| -> Vec<Json> {
        values
            .into_iter()
            .zip(there)
            .filter(|(_, there)| *there)
            .map(|(value, _)| value.map_or(Json::Null, plain))
            .collect()
    };
    said["minimum"] = some(found.least).into();
    said["maximum"] = some(found.greatest).into();
    said["nan"] = found.nan.into();
    said["infinite"] = found.infinite.into();
    let (low, high) = look.mapping.range_of(&texels);
    said["range"] = json!([plain(low), plain(high)]);
    if look.mapping.auto && look.mapping.each {
        let ranges = look.mapping.ranges_of(&texels).into_iter().zip(there).filter(|(_, there)| *there);
        said["ranges"] = ranges.map(|((low, high), _)| json!([plain(low), plain(high)])).collect::<Vec<_>>().into();
    }
    if let Some(bins) = look.histogram {
        let bounds = look.mapping.range.filter(|_| !look.mapping.auto);
        said["histogram"] = histogram::json(&Histogram::of(&texels, bins, bounds));
    }
    if !look.pixels.is_empty() {
        let mut pixels = Vec::new();
        for &(x, y) in &look.pixels {
            let texel = texels.at(x, y);
            let texel =
                texel.with_context(|| format!("pixel {x},{y} lies outside: the picture is {width} by {height}"))?;
            let values: Vec<Json> =
                texel.into_iter().zip(there).filter(|(_, there)| *there).map(|(value, _)| plain(value)).collect();
            pixels.push(json!({ "x": x, "y": y, "values": values }));
        }
        said["pixels"] = pixels.into();
    }
    name_files(wish, &mut said);
    Ok(said)
}

/// Raw bytes, and their description in a file of the same name with `.json` behind it.
fn beside(raw: &Path, bytes: &[u8], about: &Json) -> Result<()> {
    file::write_bytes(raw, bytes)?;
    let mut description = raw.as_os_str().to_owned();
    description.push(".json");
    file::write_bytes(Path::new(&description), format!("{about:#}\n").as_bytes())
}

fn name_files(wish: &Wish, said: &mut Json) {
    for (name, path) in [("file", &wish.output), ("raw", &wish.raw)] {
        if let Some(path) = path {
            said[name] = path.display().to_string().into();
        }
    }
}

/// An answer for people.
pub(crate) fn in_words(said: &Json) -> Vec<String> {
    let text = |name: &str| said[name].as_str().unwrap_or_default();
    let side = if said["before"] == true { "before" } else { "after" };
    let what = format!("{} {side} call {}", text("what"), said["call"]);
    let mut line = match text("dimension") {
        "buffer" => format!("{what}: {} bytes from {} on, of {}", said["size"], said["offset"], said["bytes"]),
        _ => {
            let mut line = format!("{what}: {}x{} {}", said["width"], said["height"], text("format"));
            for (one, all) in [("mip", "mips"), ("slice", "slices"), ("sample", "samples")] {
                if said[all] != 1 {
                    line.push_str(&format!(", {one} {} of {}", said[one], said[all]));
                }
            }
            if said["minimum"].is_array() {
                line.push_str(&format!(", values from {} to {}", said["minimum"], said["maximum"]));
            }
            line
        }
    };
    if said["shader"].is_string() {
        line.push_str(&format!(", by {}", text("shader")));
    }
    if !text("what").ends_with(&said["resource"].to_string()) {
        line.push_str(&format!(", resource {}", said["resource"]));
    }
    let mut lines = vec![line];
    for (name, one) in [("nan", "NaN"), ("infinite", "infinity")] {
        if let Some(count) = said[name].as_u64().filter(|count| *count > 0) {
            lines.push(format!("  {one}: {}", plural(count, "value")));
        }
    }
    lines.extend(elements::in_words(said));
    lines.extend(histogram::in_words(&said["histogram"]));
    for pixel in said["pixels"].as_array().into_iter().flatten() {
        lines.push(format!("  {},{}: {}", pixel["x"], pixel["y"], pixel["values"]));
    }
    lines.extend(
        said["notes"].as_array().into_iter().flatten().filter_map(|note| Some(format!("  {}", note.as_str()?))),
    );
    for name in ["file", "raw"] {
        if said[name].is_string() {
            lines.push(format!("  {}", text(name)));
        }
    }
    lines
}

/// Refuses to read texels as those of a format whose texels have another size: it would take pieces of them for texels.
///
/// # Errors
/// `--as` names such a format.
pub(crate) fn check_format(look: &Look, contents: &ShotContents) -> Result<()> {
    let ShotPart::Texels { plane, format, .. } = &contents.part else { return Ok(()) };
    let name = |number: u32| format_name(number).unwrap_or("unknown");
    let lies =
        |format: u32| Layout::of(format, *plane).ok().map(|it| (it.bytes(), matches!(it, Layout::Blocks { .. })));
    if let Some(other) = look.format
        && let (Some(wanted), Some(there)) = (lies(other), lies(*format))
        && wanted != there
    {
        let unit = |is_block: bool| if is_block { "blocks" } else { "texels" };
        bail!(
            "--as {}: it has {} of {} bytes, and {} has {} of {}",
            name(other),
            unit(wanted.1),
            wanted.0,
            name(*format),
            unit(there.1),
            there.0
        );
    }
    Ok(())
}
