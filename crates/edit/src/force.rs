//! The same format, number of samples or size for everything that had another one.

use crate::editor::{Draft, Editor};
use crate::error::{Error, refused};
use crate::language::{Edit, Force};
use reprise_codec::literal::Literal;
use reprise_codec::{Place, Placed};
use reprise_d3d12::MODEL;
use reprise_d3d12::format;
use reprise_d3d12::model::Type;

/// Sets what the edit is about in a call.
pub(crate) fn force(
    editor: &mut Editor<'_, '_>,
    edit: &Edit,
    index: usize,
    what: &Force,
    draft: &mut Draft<'_>,
) -> Result<(), Error> {
    // Questions are the program's.
    let name = draft.method.get().name;
    if asks(name) {
        return Ok(());
    }
    possible(what).map_err(|why| refused(edit, 0, why))?;
    let places = editor.codec.places(draft.method, &draft.enter).map_err(|error| Error::Trace(error.to_string()))?;
    let values = match what {
        Force::Format(from, to) => formats(draft, &places, *from, *to),
        Force::Samples(from, to) => samples(draft, &places, *from, *to),
        Force::Size(from, to) => sizes(draft, &places, *from, *to),
    };
    let values = values.map_err(|why| refused(edit, draft.event.number, why))?;
    if values.is_empty() {
        return Ok(());
    }
    if name.starts_with("CreateSwapChain") || name.starts_with("ResizeBuffers") {
        let why = format!(
            "{name} makes buffers of a swap chain, whose sizes and formats the trace states apart: they cannot be forced"
        );
        return Err(refused(edit, draft.event.number, why));
    }
    for (path, value) in values {
        editor.set(edit, index, draft, &path, &Literal::Word(value))?;
    }
    Ok(())
}

/// Whether a method only asks the device about what its arguments describe.
fn asks(name: &str) -> bool {
    const FAMILIES: [&str; 3] = ["CheckFeatureSupport", "GetCopyableFootprints", "GetResourceAllocationInfo"];
    FAMILIES.iter().any(|family| name.starts_with(family))
}

fn possible(what: &Force) -> Result<(), String> {
    match what {
        Force::Format(from, to) => {
            let (Some(old), Some(new)) = (format::of(*from), format::of(*to)) else {
                return Err("UNKNOWN is no format of texels".into());
            };
            let block = |of: &format::Format| (of.block_width, of.block_height, of.planes.len());
            if block(&old) != block(&new) || format::has_stencil(*from) != format::has_stencil(*to) {
                return Err("the two formats differ in blocks or planes, and stand in no place of each other".into());
            }
            Ok(())
        }
        Force::Samples(from, to) => {
            let is_many = |count: u32| matches!(count, 2 | 4 | 8 | 16);
            if is_many(*from) && is_many(*to) {
                return Ok(());
            }
            Err("samples can be 2, 4, 8 or 16: textures of one sample have other views, and nothing to resolve".into())
        }
        Force::Size(..) => Ok(()),
    }
}

fn word(draft: &Draft<'_>, place: &Place) -> u64 {
    let mut word = [0; 8];
    let bytes = draft.enter.get(place.bytes.clone()).unwrap_or_default();
    let count = bytes.len().min(8);
    word[..count].copy_from_slice(&bytes[..count]);
    u64::from_le_bytes(word)
}

type Values = Result<Vec<(String, String)>, String>;

fn formats(draft: &Draft<'_>, places: &[Place], from: u32, to: u32) -> Values {
    let is_format = |place: &&Place| match place.what {
        Placed::Value(Type::Enum(id), _) => {
            MODEL.enums.get(usize::from(id.0)).is_some_and(|of| of.name == "DXGI_FORMAT")
        }
        _ => false,
    };
    let name = draft.method.get().name;
    let (old, new) = (format::texel_bytes(from), format::texel_bytes(to));
    let mut all = Vec::new();
    for place in places.iter().filter(is_format).filter(|place| word(draft, place) == u64::from(from)) {
        // Vertices and indices are no texels.
        if place.path.contains("pInputElementDescs") || name == "IASetIndexBuffer" {
            continue;
        }
        if old != new && place.path.ends_with("Footprint.Format") {
            return Err(format!(
                "{name} copies between a buffer and a texture of this format, whose texels have another size then"
            ));
        }
        if old < new && name.starts_with("CreatePlacedResource") {
            return Err(format!("{name} puts the texture into a heap, where it has no room to grow"));
        }
        all.push((place.path.clone(), to.to_string()));
    }
    Ok(all)
}

fn samples(draft: &Draft<'_>, places: &[Place], from: u32, to: u32) -> Values {
    let name = draft.method.get().name;
    let is_count = |place: &&Place| {
        // In a pipeline's stream the description of samples is a subobject: its Quality stands beside it.
        let in_stream = place.path.strip_suffix(".Value.Count").is_some_and(|before| {
            let quality = format!("{before}.Value.Quality");
            places.iter().any(|other| other.path == quality)
        });
        place.path.ends_with("SampleDesc.Count") || in_stream
    };
    let mut all = Vec::new();
    for place in places.iter().filter(is_count).filter(|place| word(draft, place) == u64::from(from)) {
        if from < to && name.starts_with("CreatePlacedResource") {
            return Err(format!("{name} puts the texture into a heap, where it has no room to grow"));
        }
        all.push((place.path.clone(), to.to_string()));
    }
    Ok(all)
}

/// Textures, viewports and rectangles that are as large as that.
fn sizes(draft: &Draft<'_>, places: &[Place], from: [u32; 2], to: [u32; 2]) -> Values {
    let name = draft.method.get().name;
    let sibling = |before: &str, name: &str| {
        let path = format!("{before}.{name}");
        places.iter().find(|place| place.path == path)
    };
    let is = |place: &Place, number: u32| match place.what {
        Placed::Value(Type::F32, _) => f32::from_bits(word(draft, place) as u32) == number as f32,
        _ => word(draft, place) == u64::from(number),
    };
    let mut all = Vec::new();
    for place in places {
        let Some((before, last)) = place.path.rsplit_once('.') else { continue };
        let pair = match last {
            "Width" => sibling(before, "Height").map(|height| (place, height)),
            "right" => sibling(before, "bottom").map(|bottom| (place, bottom)),
            _ => None,
        };
        let Some((width, height)) = pair.filter(|(width, height)| is(width, from[0]) && is(height, from[1])) else {
            continue;
        };
        if before.ends_with("Footprint") {
            return Err(format!(
                "{name} copies between a buffer and a texture of this size, whose rows are others then"
            ));
        }
        if name.starts_with("CreatePlacedResource") && (to[0] > from[0] || to[1] > from[1]) {
            return Err(format!("{name} puts the texture into a heap, where it has no room to grow"));
        }
        if last == "right"
            && ["left", "top"].iter().any(|side| sibling(before, side).is_none_or(|it| word(draft, it) != 0))
        {
            continue;
        }
        all.push((width.path.clone(), to[0].to_string()));
        all.push((height.path.clone(), to[1].to_string()));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_method_that_asks_is_forced() {
        let asking: Vec<&str> = MODEL.methods.iter().map(|method| method.name).filter(|name| asks(name)).collect();
        for name in [
            "CheckFeatureSupport",
            "GetCopyableFootprints",
            "GetCopyableFootprints1",
            "GetResourceAllocationInfo",
            "GetResourceAllocationInfo1",
            "GetResourceAllocationInfo2",
            "GetResourceAllocationInfo3",
        ] {
            assert!(asking.contains(&name), "{name}: {asking:?}");
        }
        // Whatever has a description of a resource makes one, or asks.
        let describes = |field: &reprise_d3d12::model::Field| match field.ty {
            Type::Pointer(pointee) if field.direction == reprise_d3d12::model::Direction::In => {
                matches!(pointee.ty, Type::Struct(id) if MODEL.structs[usize::from(id.0)].name.starts_with("D3D12_RESOURCE_DESC"))
            }
            _ => false,
        };
        for method in MODEL.methods.iter().filter(|method| method.params.iter().any(describes)) {
            assert_eq!(asks(method.name), !method.name.starts_with("Create"), "{}", method.name);
        }
    }
}
