//! Other contents of buffers and textures, where the program stored them: in its mapped memory, or in that of an upload that is copied.
//!
//! Invariant: what is replaced is all of what the edit names, and no other copy reads the bytes of an upload that are replaced. Whether a shader
//! reads them out of the upload itself is not known.

use crate::error::{Error, refused};
use crate::language::{Contents, Edit, Part};
use crate::replacement::{Piece, Replacement};
use crate::survey::{Copy, Survey, Uploads};
use crate::values::{inner, member};
use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{MODEL, format, interface};
use reprise_timeline::codec;
use std::ops::Range;

/// The stores that an edit changes, as they will be found.
pub(crate) fn replacement(survey: &Survey, edit: &Edit, what: &Contents, file: Vec<u8>) -> Result<Replacement, Error> {
    let wrong = |call: u64, why: String| refused(edit, call, why);
    let uploads = &survey.uploads;
    let id = what.resource;
    let Some(made) = survey.made.get(&id) else {
        return Err(wrong(0, format!("there is no resource {id}")));
    };
    if !made.interface.derives_from(interface("ID3D12Resource")) {
        return Err(wrong(made.call, format!("it makes object {id}, which is no resource")));
    }
    if file.is_empty() {
        return Err(wrong(0, format!("{} is empty", what.file.display())));
    }
    let description = Description::of(made.method, &made.enter);
    let (resource, pieces, once) = match what.part {
        Part::Bytes(from) => {
            if description.as_ref().is_some_and(|it| !it.is_buffer) {
                return Err(wrong(made.call, format!("resource {id} is a texture: `texture {id} subresource N = …`")));
            }
            let Some(end) = from.checked_add(file.len() as u64) else {
                return Err(wrong(0, "the file ends beyond every buffer".into()));
            };
            if let Some(it) = description.as_ref().filter(|it| end > it.width) {
                let why = format!("resource {id} has {} bytes, and the file would end at byte {end}", it.width);
                return Err(wrong(made.call, why));
            }
            let whole = Piece { bytes: from..end, from: 0 };
            if uploads.stored.contains(&id) {
                (id, vec![whole], false)
            } else {
                let (source, pieces) = source_of_buffer(uploads, edit, id, &description, whole)?;
                (source, pieces, true)
            }
        }
        Part::Subresource(number) => {
            if description.as_ref().is_none_or(|it| it.is_buffer) {
                return Err(wrong(made.call, format!("resource {id} is no texture: `buffer {id} = …`")));
            }
            let (source, pieces) = source_of_texture(uploads, edit, id, number, &description, &file)?;
            (source, pieces, true)
        }
    };
    if resource != id && !uploads.stored.contains(&resource) {
        let why = format!(
            "resource {id} is copied from resource {resource}, to which the program stores nothing: its bytes come from the GPU, and are not in \
             the trace"
        );
        return Err(wrong(0, why));
    }
    Ok(Replacement::new(resource, id, pieces, once, file))
}

/// What of its description matters here.
struct Description {
    is_buffer: bool,
    width: u64,
    flags: u64,
}

impl Description {
    fn of(method: MethodId, enter: &[u8]) -> Option<Description> {
        let arguments = codec().decode_enter(method, enter).ok()?;
        let desc = member(&arguments.members, "pDesc")?;
        let number = |name: &str| inner(desc, name)?.number();
        Some(Description { is_buffer: number("Dimension")? == 1, width: number("Width")?, flags: number("Flags")? })
    }
}

/// The one copy that writes a resource, if one does and nothing else can be told to.
fn only_copy<'c>(
    edit: &Edit,
    resource: u32,
    copies: &'c [Copy],
    writes: impl Fn(&'static str, &[Member<'_>]) -> bool,
) -> Result<&'c Copy, Error> {
    let mut found = None;
    for copy in copies {
        let arguments = codec().decode_enter(copy.1, &copy.2).map_err(|error| Error::Trace(error.to_string()))?;
        if !writes(copy.1.get().name, &arguments.members) {
            continue;
        }
        if let Some((first, ..)) = found.replace(copy) {
            let why = format!("calls {first} and {} both write it: whose bytes are meant cannot be told", copy.0);
            return Err(refused(edit, 0, format!("resource {resource}: {why}")));
        }
    }
    found.ok_or_else(|| {
        let why = "the program stores nothing to it, and no call copies to it: its contents come from the GPU, and are not in the trace";
        refused(edit, 0, format!("resource {resource}: {why}"))
    })
}

/// # Errors
/// Shaders or targets may write it.
fn copied_only(edit: &Edit, resource: u32, description: &Option<Description>) -> Result<(), Error> {
    // D3D12_RESOURCE_FLAG_ALLOW_RENDER_TARGET, _DEPTH_STENCIL, _UNORDERED_ACCESS.
    match description {
        Some(it) if it.flags & 7 == 0 => Ok(()),
        _ => {
            let why = "the GPU may write it, as a target or by a shader: what it holds is not in the trace";
            Err(refused(edit, 0, format!("resource {resource}: {why}")))
        }
    }
}

/// The bytes of an upload that are copied to a buffer.
fn source_of_buffer(
    uploads: &Uploads,
    edit: &Edit,
    id: u32,
    description: &Option<Description>,
    wanted: Piece,
) -> Result<(u32, Vec<Piece>), Error> {
    copied_only(edit, id, description)?;
    let copies = &uploads.copies;
    let target = |name: &str, members: &[Member<'_>]| {
        let name = if name == "CopyResource" { "pDstResource" } else { "pDstBuffer" };
        member(members, name).and_then(Value::number) == Some(id.into())
    };
    let bytes = |members: &[Member<'_>]| -> Option<(u64, u64, u64)> {
        let of = |name: &str| member(members, name).and_then(Value::number);
        Some((of("DstOffset")?, of("SrcOffset")?, of("NumBytes")?))
    };
    let overlaps = |name: &'static str, members: &[Member<'_>]| match name {
        "CopyBufferRegion" => {
            target(name, members)
                && bytes(members)
                    .is_none_or(|(to, _, count)| to < wanted.bytes.end && to.saturating_add(count) > wanted.bytes.start)
        }
        "CopyResource" => target(name, members),
        "CopyTextureRegion" => {
            member(members, "pDst").and_then(|to| inner(to, "pResource")).and_then(Value::number) == Some(id.into())
        }
        // What it writes there is not looked at.
        _ => names(members, id),
    };
    let (call, method, enter) = only_copy(edit, id, copies, overlaps)?;
    let arguments = codec().decode_enter(*method, enter).map_err(|error| Error::Trace(error.to_string()))?;
    let of = |name: &str| member(&arguments.members, name).and_then(Value::number);
    let (source, to, from, count) = match method.get().name {
        "CopyBufferRegion" => match (of("pSrcBuffer"), bytes(&arguments.members)) {
            (Some(source), Some((to, from, count))) => (source as u32, to, from, count),
            _ => return Err(refused(edit, *call, "its arguments cannot be read")),
        },
        "CopyResource" => (of("pSrcResource").unwrap_or(0) as u32, 0, 0, u64::MAX),
        name => {
            return Err(refused(edit, *call, format!("{name} writes the buffer, and its bytes cannot be told apart")));
        }
    };
    if to > wanted.bytes.start || to.saturating_add(count) < wanted.bytes.end {
        let why =
            format!("it copies bytes {to} to {} there, and the file is for others, too", to.saturating_add(count));
        return Err(refused(edit, *call, why));
    }
    let Some(bytes) = copied_from(&wanted.bytes, to, from) else {
        return Err(refused(
            edit,
            *call,
            format!("it copies from byte {from}, and these bytes are beyond every buffer"),
        ));
    };
    let piece = Piece { bytes, from: wanted.from };
    read_once(edit, source, *call, std::slice::from_ref(&piece), copies)?;
    Ok((source, vec![piece]))
}

/// Where the bytes of a copy's target come from, which begin at or behind `to`; none where no number of 64 bits says so.
fn copied_from(wanted: &Range<u64>, to: u64, from: u64) -> Option<Range<u64>> {
    let start = wanted.start.checked_sub(to)?.checked_add(from)?;
    Some(start..start.checked_add(wanted.end.checked_sub(wanted.start)?)?)
}

/// Whether arguments name an object anywhere.
fn names(members: &[Member<'_>], id: u32) -> bool {
    fn value(of: &Value<'_>, id: u32) -> bool {
        match of {
            Value::Object(object, _) => *object == id,
            Value::Struct(_, members) => names(members, id),
            Value::Array(values) => values.iter().any(|inner| value(inner, id)),
            _ => false,
        }
    }
    members.iter().any(|member| value(&member.value, id))
}

/// # Errors
/// Another copy reads these bytes, too, and so would get the file's.
fn read_once(edit: &Edit, source: u32, by: u64, pieces: &[Piece], copies: &[Copy]) -> Result<(), Error> {
    for (call, method, enter) in copies.iter().filter(|(call, ..)| *call != by) {
        let arguments = codec().decode_enter(*method, enter).map_err(|error| Error::Trace(error.to_string()))?;
        let members = &arguments.members;
        if !names(members, source) {
            continue;
        }
        let read: Option<Range<u64>> = match method.get().name {
            "CopyBufferRegion" => {
                let of = |name: &str| member(members, name).and_then(Value::number);
                of("SrcOffset").zip(of("NumBytes")).map(|(from, count)| from..from.saturating_add(count))
            }
            "CopyTextureRegion" => member(members, "pSrc").and_then(footprint).map(|it| it.bytes()),
            _ => None,
        };
        // What is not known may read all.
        let read = read.unwrap_or(0..u64::MAX);
        if pieces.iter().any(|piece| piece.bytes.start < read.end && read.start < piece.bytes.end) {
            let why =
                format!("it copies these bytes of resource {source}, too: they cannot be replaced for call {by} alone");
            return Err(refused(edit, *call, why));
        }
    }
    Ok(())
}

/// Texels in a buffer.
struct Footprint {
    offset: u64,
    format: u32,
    width: u32,
    height: u32,
    depth: u32,
    pitch: u32,
    /// Bytes of a row of blocks, and how many rows.
    row: u64,
    rows: u64,
}

impl Footprint {
    /// The bytes that it lies in, at most.
    fn bytes(&self) -> Range<u64> {
        let rows = self.rows.saturating_mul(self.depth.into());
        self.offset..self.offset.saturating_add(rows.saturating_mul(self.pitch.into()))
    }

    /// Bytes of the texels, without gaps; none where no number of 64 bits says so.
    fn size(&self) -> Option<u64> {
        self.row.checked_mul(self.rows)?.checked_mul(self.depth.into())
    }

    /// The rows, for a file of the right size; none where they end beyond every buffer.
    fn pieces(&self) -> Option<Vec<Piece>> {
        let rows = 0..self.rows.checked_mul(self.depth.into())?;
        let piece = |row: u64| {
            let start = self.offset.checked_add(row.checked_mul(self.pitch.into())?)?;
            let from = usize::try_from(row.checked_mul(self.row)?).ok()?;
            Some(Piece { bytes: start..start.checked_add(self.row)?, from })
        };
        rows.map(piece).collect()
    }
}

/// What a texture's copy location says of a buffer.
fn footprint(location: &Value<'_>) -> Option<Footprint> {
    let placed = inner(location, "PlacedFootprint")?;
    let print = inner(placed, "Footprint")?;
    let of = |name: &str| inner(print, name)?.number().map(|it| it as u32);
    let (width, height, depth, pitch) = (of("Width")?, of("Height")?, of("Depth")?, of("RowPitch")?);
    let format = of("Format")?;
    let blocks = format::of(format)?;
    let row = u64::from(width.div_ceil(blocks.block_width.into())) * u64::from(blocks.planes.first()?.bytes);
    let rows = u64::from(height.div_ceil(blocks.block_height.into()));
    Some(Footprint { offset: inner(placed, "Offset")?.number()?, format, width, height, depth, pitch, row, rows })
}

/// The rows of an upload that are copied to a subresource of a texture.
fn source_of_texture(
    uploads: &Uploads,
    edit: &Edit,
    id: u32,
    subresource: u32,
    description: &Option<Description>,
    file: &[u8],
) -> Result<(u32, Vec<Piece>), Error> {
    copied_only(edit, id, description)?;
    let copies = &uploads.copies;
    let writes = |name: &'static str, members: &[Member<'_>]| match name {
        "CopyTextureRegion" => member(members, "pDst").is_some_and(|location| {
            let number_of = |name: &str| inner(location, name).and_then(Value::number);
            number_of("pResource") == Some(id.into())
                && number_of("SubresourceIndex").is_none_or(|it| it == u64::from(subresource))
        }),
        "CopyResource" => member(members, "pDstResource").and_then(Value::number) == Some(id.into()),
        _ => {
            ["pSrcResource", "pSrcBuffer"]
                .iter()
                .all(|name| member(members, name).and_then(Value::number) != Some(id.into()))
                && names(members, id)
        }
    };
    if let Some(call) = uploads.written.get(&id) {
        return Err(refused(edit, *call, "WriteToSubresource gives the texels: edit that call, pSrcData = file \"…\""));
    }
    let (call, method, enter) = only_copy(edit, id, copies, writes)?;
    let arguments = codec().decode_enter(*method, enter).map_err(|error| Error::Trace(error.to_string()))?;
    let of = |name: &str| member(&arguments.members, name).and_then(Value::number);
    let source = member(&arguments.members, "pSrc")
        .and_then(|location| Some((inner(location, "pResource")?.number()? as u32, footprint(location)?)));
    let Some((source, print)) = source else {
        let why = format!("{} writes the texture from another one: edit that one", method.get().name);
        return Err(refused(edit, *call, why));
    };
    let whole = [of("DstX"), of("DstY"), of("DstZ")] == [Some(0); 3]
        && matches!(member(&arguments.members, "pSrcBox"), Some(Value::Null));
    if !whole {
        return Err(refused(
            edit,
            *call,
            "it copies a part of the subresource only: edit the buffer that it copies from",
        ));
    }
    let beyond = || refused(edit, *call, "it copies texels that end beyond every buffer");
    let size = print.size().ok_or_else(beyond)?;
    if file.len() as u64 != size {
        let Footprint { width, height, depth, row, rows, .. } = print;
        let format = codec().enum_name(format_enum(), print.format);
        let why = format!(
            "the subresource has {width} × {height} × {depth} texels of {format}: {rows} rows of {row} bytes without gaps, {size} in all; \
             the file has {}",
            file.len()
        );
        return Err(refused(edit, *call, why));
    }
    let pieces = print.pieces().ok_or_else(beyond)?;
    read_once(edit, source, *call, &pieces, copies)?;
    Ok((source, pieces))
}

fn format_enum() -> reprise_d3d12::model::EnumId {
    let at = MODEL.enums.iter().position(|of| of.name == "DXGI_FORMAT").unwrap_or(0);
    reprise_d3d12::model::EnumId(at as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_hostile_trace_are_refused_and_do_not_wrap() {
        assert_eq!(copied_from(&(20..24), 16, 100), Some(104..108));
        assert_eq!(copied_from(&(20..24), 21, 100), None);
        assert_eq!(copied_from(&(20..24), 0, u64::MAX - 19), None);
        assert_eq!(copied_from(&(20..24), 0, u64::MAX - 23), None);
        assert_eq!(copied_from(&(20..24), 0, u64::MAX - 24), Some(u64::MAX - 4..u64::MAX));

        let print = |offset, pitch, row, rows, depth| {
            let (format, width, height) = (28, 1, 1);
            Footprint { offset, format, width, height, depth, pitch, row, rows }
        };
        let sound = print(512, 256, 64, 2, 2);
        assert_eq!((sound.size(), sound.bytes()), (Some(256), 512..1536));
        let pieces: Vec<_> = sound.pieces().unwrap().into_iter().map(|piece| (piece.bytes, piece.from)).collect();
        assert_eq!(pieces, [(512..576, 0), (768..832, 64), (1024..1088, 128), (1280..1344, 192)]);
        let most = u32::MAX;
        assert_eq!(print(0, 1, 1 << 40, 1 << 30, 1).size(), None);
        assert_eq!(print(9, most, 1, most.into(), most).bytes(), 9..u64::MAX);
        assert!(print(u64::MAX, 1, 1, 1, 1).pieces().is_none());
        assert!(print(u64::MAX - 300, 256, 64, 2, 1).pieces().is_none());
        assert!(print(0, 1, 1, u64::MAX, 2).pieces().is_none());
    }
}
