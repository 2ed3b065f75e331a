//! The input layout of a pipeline, by its recorded description.

use reprise_picture::{Layout, format_number};
use serde_json::Value as Json;
use std::collections::HashMap;

/// `D3D12_APPEND_ALIGNED_ELEMENT`.
const APPEND: u64 = u32::MAX as u64;

/// An element of an input layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) semantic: String,
    pub(crate) index: u32,
    /// `DXGI_FORMAT`, and its bytes.
    pub(crate) format: u32,
    pub(crate) bytes: u32,
    pub(crate) slot: usize,
    pub(crate) offset: u64,
    /// `None` steps per vertex, `Some` per that many instances.
    pub(crate) step: Option<u32>,
}

/// The elements of the layout in a pipeline's description.
///
/// # Errors
/// In words: a format is not understood.
pub(super) fn of(description: &Json) -> Result<Vec<Attribute>, String> {
    let mut ends: HashMap<usize, u64> = HashMap::new();
    let mut all = Vec::new();
    for json in found(description, "pInputElementDescs").and_then(Json::as_array).into_iter().flatten() {
        let number = |name: &str| json[name].as_u64().unwrap_or(0);
        let format = format(&json["Format"]);
        let layout = format.ok_or_else(|| format!("{} is no format", json["Format"])).and_then(|it| Layout::of(it, 0));
        let semantic = json["SemanticName"].as_str().unwrap_or_default().to_owned();
        let layout = layout.map_err(|what| format!("the element {semantic} of the input layout: {what}"))?;
        let (slot, bytes) = (number("InputSlot") as usize, layout.bytes());
        let end = ends.entry(slot).or_default();
        let offset = match number("AlignedByteOffset") {
            // Elements that are appended are aligned to their size, at most to four bytes.
            APPEND => end.next_multiple_of(u64::from(bytes.clamp(1, 4))),
            given => given,
        };
        *end = offset + u64::from(bytes);
        let per_instance = json["InputSlotClass"].as_str().is_some_and(|class| class.contains("PER_INSTANCE"));
        all.push(Attribute {
            semantic,
            index: number("SemanticIndex") as u32,
            format: format.unwrap_or_default(),
            bytes,
            slot,
            offset,
            step: per_instance.then(|| number("InstanceDataStepRate") as u32),
        });
    }
    Ok(all)
}

/// The number of a format's name.
pub(super) fn format(name: &Json) -> Option<u32> {
    let name = name.as_str()?;
    format_number(name.trim_start_matches("DXGI_FORMAT_")).or_else(|| format_number(name))
}

/// The member of this name, wherever it stands.
pub(super) fn found<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    match json {
        Json::Object(members) => match members.get(name) {
            Some(Json::Null) | None => members.values().find_map(|inner| found(inner, name)),
            Some(member) => Some(member),
        },
        Json::Array(values) => values.iter().find_map(|inner| found(inner, name)),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn elements_that_are_appended_follow_those_of_their_slot() {
        let element = |name: &str, format: &str, slot: u32, offset: u32, class: &str| {
            json!({
                "SemanticName": name, "SemanticIndex": 2, "Format": format, "InputSlot": slot,
                "AlignedByteOffset": offset, "InputSlotClass": class, "InstanceDataStepRate": 3,
            })
        };
        let vertex = "D3D12_INPUT_CLASSIFICATION_PER_VERTEX_DATA";
        let instance = "D3D12_INPUT_CLASSIFICATION_PER_INSTANCE_DATA";
        let all = json!({ "pDesc": { "InputLayout": { "pInputElementDescs": [
            element("A", "DXGI_FORMAT_R16_UINT", 0, u32::MAX, vertex),
            element("B", "DXGI_FORMAT_R32G32_FLOAT", 0, u32::MAX, vertex),
            element("C", "DXGI_FORMAT_R8_UNORM", 1, 7, instance),
        ] } } });
        let all = of(&all).unwrap();
        let told: Vec<_> = all.iter().map(|it| (it.slot, it.offset, it.bytes, it.step)).collect();
        assert_eq!(told, [(0, 0, 2, None), (0, 4, 8, None), (1, 7, 1, Some(3))]);
        assert_eq!((all[1].semantic.as_str(), all[1].index), ("B", 2));
    }
}
