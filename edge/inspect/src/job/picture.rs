//! A picture of a texture at a call with the values of its texels, and the bytes of a buffer.

use super::Job;
use super::replay::{self, Played};
use super::store::Store;
use crate::answer::Refused;
use crate::subject::Subject;
use reprise_picture::{Kind, Layout, Texels};
use serde_json::{Value as Json, json};
use std::path::Path;

/// The most texels of a picture.
const TEXELS: u64 = 64 << 20;
/// Bytes of a buffer that are read at a time.
pub(super) const BYTES: u64 = 64 << 20;

/// Which texture, and what of it.
pub(super) struct Wish {
    pub(super) call: u64,
    /// In the words of a batch of `reprise show`.
    of: Json,
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let call = call(with)?;
        let mut of = json!({});
        match (with.get("target"), with.get("resource").and_then(Json::as_u64)) {
            (Some(Json::String(word)), _) if word == "depth" || word == "stencil" => of[word] = true.into(),
            (Some(Json::Number(slot)), _) if slot.as_u64().is_some_and(|slot| slot < 8) => {
                of["target"] = slot.clone().into()
            }
            (None | Some(Json::Null), Some(id)) => of["resource"] = id.into(),
            _ => {
                return Err(Refused::question(
                    "target (0 to 7, \"depth\", \"stencil\") or resource (an id) is missing",
                ));
            }
        }
        for name in ["mip", "slice", "plane", "sample"] {
            let number = with.get(name).and_then(Json::as_u64).unwrap_or(0);
            // 0 is what each means without being stated. The program refuses what does not fit the texture.
            if number != 0 {
                of[name] = number.into();
            }
        }
        if with.get("before").and_then(Json::as_bool).unwrap_or(false) {
            of["before"] = true.into();
        }
        Ok(Wish { call, of })
    }
}

impl Wish {
    /// The same at another call.
    pub(super) fn at(&self, call: u64) -> Wish {
        Wish { call, of: self.of.clone() }
    }

    /// Tells it from others.
    pub(super) fn json(&self) -> Json {
        json!({ "call": self.call, "of": self.of })
    }
}

/// The call that a question is about.
pub(super) fn call(with: &Json) -> Result<u64, Refused> {
    let call = with.get("call").and_then(Json::as_u64).filter(|call| *call > 0);
    call.ok_or_else(|| Refused::question("call is missing"))
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    of(job, subject, Played::of(subject), &[], (wish, &Json::Null), store)
}

/// The same of a file that is played instead of the subject's, or with further words of `reprise show`. `stamp` tells this question from others.
pub(super) fn of(
    job: &Job,
    subject: &Subject,
    played: Played<'_>,
    words: &[&str],
    (wish, stamp): (&Wish, &Json),
    store: &Store,
) -> Result<Json, Refused> {
    let mut question = wish.of.clone();
    (question["call"], question["kind"]) = (wish.call.into(), "picture".into());
    if !stamp.is_null() {
        question["stamp"] = stamp.clone();
    }
    let key = Store::key(subject, &question);
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let (picture, raw) = (store.beside("png")?, store.beside("raw")?);
    let mut batch = wish.of.clone();
    batch["call"] = wish.call.into();
    batch["output"] = picture.display().to_string().into();
    batch["raw"] = raw.display().to_string().into();
    let said = show_of(job, played, words, &[batch]);
    let answered =
        said.and_then(|said| answer(subject, said.first().unwrap_or(&Json::Null), (&picture, &raw), store, &key));
    for path in [&picture, &raw, &raw.with_extension("raw.json")] {
        // A file that was kept has another name by now.
        let _ = std::fs::remove_file(path);
    }
    let answer = answered?;
    store.keep(&key, &answer)?;
    Ok(answer)
}

/// What `reprise show` says to these wishes, in their order.
///
/// # Errors
/// It cannot run, or says of one of them why there is nothing.
pub(super) fn show(job: &Job, subject: &Subject, wishes: &[Json]) -> Result<Vec<Json>, Refused> {
    show_of(job, Played::of(subject), &[], wishes)
}

/// The same of any file, with further words of the command.
fn show_of(job: &Job, played: Played<'_>, words: &[&str], wishes: &[Json]) -> Result<Vec<Json>, Refused> {
    let input: String = wishes.iter().map(|wish| format!("{wish}\n")).collect();
    let mut said: Vec<Json> = vec![Json::Null; wishes.len()];
    let mut refused = None;
    let words = [&["show", "--batch", "-", "--json"], words].concat();
    let ended = replay::played(job, played, (&words, &[]), Some(input), |line| {
        let answer: Json = serde_json::from_str(line).map_err(Refused::unavailable)?;
        if let Some(why) = answer["error"].as_str() {
            refused.get_or_insert(Refused::missing(why));
        }
        let place = answer["request"].as_u64().and_then(|place| usize::try_from(place).ok());
        if let Some(own) = place.and_then(|place| said.get_mut(place)) {
            *own = answer;
        }
        Ok(())
    });
    match (refused, ended) {
        (Some(why), _) => Err(why),
        (None, Err(why)) => Err(why),
        (None, Ok(())) if said.iter().any(Json::is_null) => {
            Err(Refused::unavailable("the replay ended before it came to the call"))
        }
        (None, Ok(())) => Ok(said),
    }
}

fn answer(subject: &Subject, said: &Json, files: (&Path, &Path), store: &Store, key: &str) -> Result<Json, Refused> {
    let number = |name: &str| said[name].as_u64().unwrap_or_default();
    let size = (number("width") as u32, number("height") as u32);
    if u64::from(size.0) * u64::from(size.1) > TEXELS {
        return Err(Refused::unavailable(format!("{}x{} texels are more than the page shows", size.0, size.1)));
    }
    let bytes = std::fs::read(files.1).map_err(|error| Refused::unavailable(format!("the raw texels: {error}")))?;
    let texels = Texels::new(number("dxgi_format") as u32, number("plane") as u32, size, bytes);
    let texels = texels.map_err(Refused::unavailable)?;
    let (values, kind) = values(&texels);
    let file = store.put_bytes(&values, &format!("{key}.bin"))?;
    let picture = store.put(files.0, &format!("{key}.png"))?;
    let there = texels.layout().channels();
    let channels: Vec<&str> =
        ["r", "g", "b", "a"].into_iter().zip(there).filter_map(|(name, there)| there.then_some(name)).collect();
    let survey = subject.survey_now();
    let resource = said["resource"].as_u64().unwrap_or_default() as u32;
    let object = survey
        .map_or_else(|| json!({ "id": resource, "class": "ID3D12Resource" }), |survey| survey.object_json(resource));
    let planes = if number("plane") > 0 || is_planar(said) { 2 } else { 1 };
    let format = |name: &str| said[name].as_str().map(|name| format!("DXGI_FORMAT_{name}"));
    Ok(json!({
        "resource": object, "mip": said["mip"], "slice": said["slice"], "plane": said["plane"], "sample": said["sample"],
        "mips": said["mips"], "slices": said["slices"], "planes": planes, "samples": said["samples"],
        "width": size.0, "height": size.1, "format": format("format"), "resource_format": format("resource_format"),
        "channels": channels, "least": said["minimum"], "greatest": said["maximum"], "nan": said["nan"],
        "infinite": said["infinite"], "srgb": said["srgb"], "notes": said["notes"], "submission": said["submission"],
        "dimension": said["dimension"], "picture": picture,
        "values": { "file": file, "type": kind, "channels": channels.len(), "row_bytes": u64::from(size.0) * channels.len() as u64 * 4 },
    }))
}

/// Whether a resource has a plane for stencil or chroma.
fn is_planar(said: &Json) -> bool {
    let format = said["resource_format"].as_str().unwrap_or_default();
    format.contains("D24")
        || format.contains("R24G8")
        || format.contains("R32G8X24")
        || format.contains("S8X24")
        || format.ends_with("NV12")
        || format.ends_with("P010")
}

/// Texels row by row as 32-bit words of their channels, and what the words are.
fn values(texels: &Texels) -> (Vec<u8>, &'static str) {
    let layout: Layout = texels.layout();
    let kind = match layout.kind() {
        Kind::Uint => "u32",
        Kind::Sint => "i32",
        _ => "f32",
    };
    let there = layout.channels();
    let (width, height) = texels.size();
    let mut bytes =
        Vec::with_capacity(width as usize * height as usize * 4 * there.iter().filter(|there| **there).count());
    for texel in texels.iter() {
        for (value, _) in texel.into_iter().zip(there).filter(|(_, there)| *there) {
            bytes.extend(match kind {
                "u32" => (value as u32).to_le_bytes(),
                "i32" => (value as i32).to_le_bytes(),
                _ => (value as f32).to_le_bytes(),
            });
        }
    }
    (bytes, kind)
}

/// Which bytes of which buffer.
pub(super) struct Bytes {
    call: u64,
    resource: u64,
    offset: u64,
    bytes: u64,
    before: bool,
}

impl Bytes {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json) -> Result<Bytes, Refused> {
        let number = |name: &str| with.get(name).and_then(Json::as_u64);
        let needed = |name: &str| number(name).ok_or_else(|| Refused::question(format!("{name} is missing")));
        let bytes = needed("bytes")?;
        if bytes == 0 || bytes > BYTES {
            return Err(Refused::question(format!("bytes must be 1 to {BYTES}")));
        }
        let before = with.get("before").and_then(Json::as_bool).unwrap_or(false);
        Ok(Bytes {
            call: call(with)?,
            resource: needed("resource")?,
            offset: number("offset").unwrap_or(0),
            bytes,
            before,
        })
    }
}

pub(super) fn bytes(job: &Job, subject: &Subject, wish: &Bytes, store: &Store) -> Result<Json, Refused> {
    let last = wish.offset.saturating_add(wish.bytes - 1);
    let mut batch = json!({ "call": wish.call, "buffer": wish.resource, "bytes": format!("{}-{last}", wish.offset) });
    if wish.before {
        batch["before"] = true.into();
    }
    let key = Store::key(subject, &batch);
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let raw = store.beside("raw")?;
    batch["raw"] = raw.display().to_string().into();
    let said = show(job, subject, &[batch])?;
    let _ = std::fs::remove_file(raw.with_extension("raw.json"));
    let file = store.put(&raw, &format!("{key}.bin"))?;
    let said = &said[0];
    let answer = json!({ "file": file, "offset": said["offset"], "bytes": said["size"], "size": said["bytes"], "notes": said["notes"] });
    store.keep(&key, &answer)?;
    Ok(answer)
}
