//! The vertices and indices of a draw, decoded by its input layout. Those behind the vertex stage are `outputs`.
//!
//! Invariant: what lies outside a view reads as zero, as the API has it.

use super::picture::{self, BYTES};
use super::store::Store;
use super::{Job, outputs, picture::show};
use crate::answer::Refused;
use crate::subject::Subject;
use reprise_picture::{Kind, Layout, Texels, format_number};
use serde_json::{Value as Json, json};

/// The index that cuts a strip, widened to 32 bits.
const CUT: u32 = u32::MAX;
/// `D3D12_APPEND_ALIGNED_ELEMENT`.
const APPEND: u64 = 0xffff_ffff;
/// Indices or vertices of a mesh.
const MOST: u64 = 8 << 20;

/// Which draw, on which side of the vertex stage, and which of its instances.
pub(super) struct Wish {
    call: u64,
    is_behind: bool,
    instance: u64,
}

impl Wish {
    /// # Errors
    /// The question lacks something, or asks for what cannot be had.
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let is_behind = match with.get("stage").and_then(Json::as_str).unwrap_or("input") {
            "input" => false,
            "vertex" => true,
            _ => return Err(Refused::question("stage must be input or vertex")),
        };
        let instance = with.get("instance").and_then(Json::as_u64).unwrap_or(0);
        Ok(Wish { call: picture::call(with)?, is_behind, instance })
    }
}

/// An element of the input layout.
struct Element {
    name: String,
    index: u64,
    format: u32,
    layout: Layout,
    slot: u64,
    offset: u64,
    /// `InstanceDataStepRate`: so many instances share a value. `None`: each vertex has its own.
    rate: Option<u64>,
}

impl Element {
    /// How many channels its format has.
    fn components(&self) -> usize {
        self.layout.channels().into_iter().filter(|there| *there).count()
    }

    fn kind(&self) -> &'static str {
        match self.layout.kind() {
            Kind::Uint => "u32",
            Kind::Sint => "i32",
            _ => "f32",
        }
    }
}

/// A part of a buffer that is bound.
#[derive(Clone, Debug)]
struct View {
    resource: u64,
    offset: u64,
    bytes: u64,
    stride: u64,
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    if wish.is_behind {
        return outputs::run(job, subject, wish.call, wish.instance, store);
    }
    let key = Store::key(subject, &json!({ "kind": "mesh", "call": wish.call, "instance": wish.instance }));
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let report = subject.report(wish.call, None)?;
    let arguments = &report["call"]["args"];
    let argument = |name: &str| arguments[name].as_i64();
    let bound = &report["bound"];
    let pipeline = bound["pipeline"]["object"]["id"].as_u64().and_then(|id| u32::try_from(id).ok());
    let pipeline = pipeline.ok_or_else(|| Refused::missing("no pipeline is bound at this call"))?;
    let about = subject.report(wish.call, Some(pipeline))?;
    let elements = elements(&about["object"]["creation"])?;
    let input = &bound["input"];
    let topology = input["topology"]["value"].clone();
    let instance = argument("StartInstanceLocation").unwrap_or(0).max(0) as u64 + wish.instance;
    let indexed = match bound["action"].as_str() {
        Some("draw_indexed") => true,
        Some("draw") => false,
        _ => {
            return Err(Refused::missing(
                "this call draws no vertices whose number it states: ask at DrawInstanced or DrawIndexedInstanced",
            ));
        }
    };
    let (first, count, indices) = if indexed {
        let indices = read_indices(
            job,
            subject,
            wish.call,
            (&input["index"], topology.as_str().is_some_and(|name| name.contains("STRIP"))),
            arguments,
        )?;
        let base = argument("BaseVertexLocation").unwrap_or(0);
        let real = || indices.iter().filter(|index| **index != CUT).map(|index| i64::from(*index) + base);
        let (first, last) = (real().min().unwrap_or(0).max(0), real().max().unwrap_or(-1));
        let from_first = |index: &u32| match *index {
            CUT => CUT,
            index => u32::try_from(i64::from(index) + base - first).unwrap_or(CUT),
        };
        let relative: Vec<u32> = indices.iter().map(from_first).collect();
        (first as u64, (last - first + 1).max(0) as u64, Some(relative))
    } else {
        let first = argument("StartVertexLocation").unwrap_or(0).max(0) as u64;
        (first, argument("VertexCountPerInstance").unwrap_or(0).max(0) as u64, None)
    };
    if count > MOST {
        return Err(Refused::unavailable(format!("{count} vertices are more than the page shows ({MOST})")));
    }
    let columns = read_columns(job, subject, wish.call, input, &elements, (first, count), instance)?;
    let stride: usize = elements.iter().map(|element| element.components() * 4).sum();
    let mut vertices = vec![0; stride * count as usize];
    let mut at = 0;
    let mut described = Vec::new();
    for (element, words) in elements.iter().zip(&columns) {
        let bytes = element.components() * 4;
        for (vertex, value) in words.chunks_exact(bytes).enumerate() {
            let place = vertex * stride + at;
            vertices[place..place + bytes].copy_from_slice(value);
        }
        described.push(json!({
            "name": element.name, "index": element.index, "type": element.kind(), "components": element.components(),
            "offset": at, "per_instance": element.rate.is_some(),
        }));
        at += bytes;
    }
    let file = store.put_bytes(&vertices, &format!("{key}.bin"))?;
    let indices = match indices {
        Some(indices) => {
            let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
            let file = store.put_bytes(&bytes, &format!("{key}-i.bin"))?;
            json!({ "file": file, "count": indices.len() })
        }
        None => Json::Null,
    };
    let is_position = |element: &Element| element.name.to_uppercase().contains("POS");
    let position = elements.iter().position(is_position).or((!elements.is_empty()).then_some(0));
    let answer = json!({
        "topology": topology, "stage": "input", "vertices": count, "first_vertex": first, "columns": described,
        "stride": stride, "file": file, "indices": indices, "position": position, "error": null,
    });
    store.keep(&key, &answer)?;
    Ok(answer)
}

/// The elements of the layout in a pipeline's creation.
fn elements(creation: &Json) -> Result<Vec<Element>, Refused> {
    let mut next: std::collections::HashMap<u64, u64> = std::collections::HashMap::new();
    let mut elements = Vec::new();
    for json in found(creation).into_iter().flatten() {
        let number = |name: &str| json[name].as_u64().unwrap_or(0);
        let name = json["Format"].as_str().unwrap_or_default();
        let format = format_number(name.trim_start_matches("DXGI_FORMAT_")).or_else(|| format_number(name));
        let layout = format.ok_or_else(|| format!("{name:?} is no format")).and_then(|format| Layout::of(format, 0));
        let layout = layout.map_err(|why| Refused::unavailable(format!("an element of the input layout: {why}")))?;
        let slot = number("InputSlot");
        let size = u64::from(layout.bytes());
        let end = next.entry(slot).or_default();
        let offset = match number("AlignedByteOffset") {
            // Elements that are appended are aligned to their size, at most to four bytes.
            APPEND => end.next_multiple_of(size.clamp(1, 4)),
            given => given,
        };
        *end = offset + size;
        let per_instance = json["InputSlotClass"].as_str().is_some_and(|class| class.contains("PER_INSTANCE"));
        elements.push(Element {
            name: json["SemanticName"].as_str().unwrap_or_default().to_owned(),
            index: number("SemanticIndex"),
            format: format.unwrap_or_default(),
            layout,
            slot,
            offset,
            rate: per_instance.then(|| number("InstanceDataStepRate")),
        });
    }
    Ok(elements)
}

/// The list of elements, wherever it stands.
fn found(json: &Json) -> Option<&Vec<Json>> {
    match json {
        Json::Object(members) => match members.get("pInputElementDescs") {
            Some(Json::Array(elements)) => Some(elements),
            _ => members.values().find_map(found),
        },
        Json::Array(values) => values.iter().find_map(found),
        _ => None,
    }
}

fn view(json: &Json) -> Option<View> {
    Some(View {
        resource: json["location"]["resource"]["id"].as_u64()?,
        offset: json["location"]["offset"].as_u64()?,
        bytes: json["bytes"].as_u64()?,
        stride: json["stride"].as_u64().unwrap_or(0),
    })
}

/// The line of a batch of `reprise show` that asks for these bytes of a view, and how many of them lie in the view.
fn asked(call: u64, view: &View, from: u64, bytes: u64, raw: &std::path::Path) -> Option<(Json, u64)> {
    let to = from.saturating_add(bytes).min(view.bytes);
    let length = to.checked_sub(from).filter(|length| *length > 0)?;
    let (first, last) = (view.offset + from, view.offset + to - 1);
    let wish = json!({
        "call": call, "before": true, "buffer": view.resource, "bytes": format!("{first}-{last}"),
        "raw": raw.display().to_string(),
    });
    Some((wish, length))
}

fn read_indices(
    job: &Job,
    subject: &Subject,
    call: u64,
    (index, strips): (&Json, bool),
    arguments: &Json,
) -> Result<Vec<u32>, Refused> {
    let view = view(index).ok_or_else(|| Refused::missing("no index buffer is bound at this call"))?;
    let size = if index["format"].as_str().is_some_and(|format| format.contains("R32")) { 4 } else { 2 };
    let count = arguments["IndexCountPerInstance"].as_u64().unwrap_or(0);
    let start = arguments["StartIndexLocation"].as_u64().unwrap_or(0);
    if count > MOST {
        return Err(Refused::unavailable(format!("{count} indices are more than the page shows ({MOST})")));
    }
    let bytes = read(job, subject, call, &[(view, start * size, count * size)])?.pop().unwrap_or_default();
    Ok(match size {
        2 => {
            let wide = |index: &[u8; 2]| match u16::from_le_bytes(*index) {
                u16::MAX if strips => CUT,
                index => u32::from(index),
            };
            bytes.as_chunks::<2>().0.iter().map(wide).collect()
        }
        _ => bytes.as_chunks::<4>().0.iter().map(|index| u32::from_le_bytes(*index)).collect(),
    })
}

/// Parts of views, each as many bytes as were asked for.
fn read(job: &Job, subject: &Subject, call: u64, parts: &[(View, u64, u64)]) -> Result<Vec<Vec<u8>>, Refused> {
    let total: u64 = parts.iter().map(|(_, _, bytes)| bytes).sum();
    if total > BYTES {
        return Err(Refused::unavailable(format!("{total} bytes of vertices are more than the page shows ({BYTES})")));
    }
    let folder = Scratch::new()?;
    let mut wishes = Vec::new();
    let mut files = Vec::new();
    for (place, (view, from, bytes)) in parts.iter().enumerate() {
        let raw = folder.0.join(format!("{place}.raw"));
        let wish = asked(call, view, *from, *bytes, &raw);
        files.push((wish.is_some().then_some(raw), *bytes as usize));
        wishes.extend(wish.map(|(wish, _)| wish));
    }
    if !wishes.is_empty() {
        show(job, subject, &wishes)?;
    }
    files
        .into_iter()
        .map(|(file, bytes)| {
            let mut read = match file {
                Some(file) => std::fs::read(&file)
                    .map_err(|error| Refused::unavailable(format!("{}: {error}", file.display())))?,
                None => Vec::new(),
            };
            read.resize(bytes, 0);
            Ok(read)
        })
        .collect()
}

/// A folder that goes with its owner.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, Refused> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("reprise-inspect-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).map_err(|error| Refused::unavailable(format!("{}: {error}", path.display())))?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // One that cannot be removed lies in the system's folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The values of each element, as words of its channels, vertex by vertex.
fn read_columns(
    job: &Job,
    subject: &Subject,
    call: u64,
    input: &Json,
    elements: &[Element],
    (first, count): (u64, u64),
    instance: u64,
) -> Result<Vec<Vec<u8>>, Refused> {
    let views: Vec<(u64, View)> = input["vertices"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|json| Some((json["slot"].as_u64()?, view(json)?)))
        .collect();
    let of = |slot: u64| views.iter().find(|(own, _)| *own == slot).map(|(_, view)| view.clone());
    // The bytes of each element: of one value where instances share it, otherwise of all vertices.
    let mut parts = Vec::new();
    for element in elements {
        let none = View { resource: 0, offset: 0, bytes: 0, stride: 0 };
        let view = of(element.slot).unwrap_or(none);
        let (step, steps) = match element.rate {
            Some(0) => (0, 1),
            Some(rate) => (instance / rate, 1),
            None => (first, count),
        };
        let size = u64::from(element.layout.bytes());
        let bytes = if steps == 0 { 0 } else { (steps - 1) * view.stride + size };
        let from = step * view.stride + element.offset;
        parts.push((view, from, bytes));
    }
    // Elements of one slot overlap: they are read once.
    let mut together: Vec<(View, u64, u64)> = Vec::new();
    let mut place_of = Vec::new();
    for (view, from, bytes) in &parts {
        let same = together.iter_mut().position(|(own, start, length)| {
            (own.resource, own.offset) == (view.resource, view.offset)
                && *from <= *start + *length
                && *start <= from + bytes
        });
        let place = match same {
            Some(place) => {
                let (_, start, length) = &mut together[place];
                let end = (*start + *length).max(from + bytes);
                *start = (*start).min(*from);
                *length = end - *start;
                place
            }
            None => {
                together.push((view.clone(), *from, *bytes));
                together.len() - 1
            }
        };
        place_of.push(place);
    }
    let read = read(job, subject, call, &together)?;
    let mut columns = Vec::new();
    for ((element, (view, from, _)), place) in elements.iter().zip(&parts).zip(place_of) {
        let start = (from - together[place].1) as usize;
        let size = element.layout.bytes() as usize;
        let mut packed = Vec::with_capacity(size * count as usize);
        for vertex in 0..count as usize {
            let step = if element.rate.is_some() { 0 } else { vertex * view.stride as usize };
            match read[place].get(start + step..start + step + size) {
                Some(bytes) => packed.extend_from_slice(bytes),
                None => packed.resize(packed.len() + size, 0),
            }
        }
        let texels = Texels::new(element.format, 0, (count as u32, 1), packed).map_err(Refused::unavailable)?;
        let there = element.layout.channels();
        let mut words = Vec::with_capacity(element.components() * 4 * count as usize);
        for value in texels.iter() {
            for (value, _) in value.into_iter().zip(there).filter(|(_, there)| *there) {
                words.extend(match element.kind() {
                    "u32" => (value as u32).to_le_bytes(),
                    "i32" => (value as i32).to_le_bytes(),
                    _ => (value as f32).to_le_bytes(),
                });
            }
        }
        columns.push(words);
    }
    Ok(columns)
}
