//! Overlays as files, as JSON, and in words.

use super::classes_of;
use super::evidence::Evidence;
use super::kind::Kind;
use crate::shown::file::write_bytes;
use crate::shown::wish::Wish;
use crate::terminal::output::plural;
use anyhow::{Result, bail};
use reprise_replay::ShotContents;
use serde_json::{Map, Value as Json, json};
use std::path::Path;

/// Writes the picture of an overlay, and gives what is to be said of it.
///
/// # Errors
/// The overlay cannot be made, or the file not be written.
pub(crate) fn told(
    wish: &Wish,
    kind: Kind,
    evidence: &Evidence,
    contents: &ShotContents,
    file: Option<&Path>,
) -> Result<Json> {
    let found = classes_of(kind, evidence)?;
    if let Some(file) = file {
        if file.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("png")) {
            bail!("{}: an overlay is a picture for people: name a .png file", file.display());
        }
        let below = evidence.look.mapping.picture(&evidence.after);
        let mut bytes = Vec::new();
        let picture = match &found.instead {
            Some(picture) => picture,
            None => &found.picture(Some(&below)),
        };
        picture.write_png(&mut bytes).map_err(anyhow::Error::msg)?;
        write_bytes(file, &bytes)?;
    }
    let (mut counts, mut legend) = (Map::new(), Map::new());
    for (class, count) in found.counts() {
        counts.insert(class.name.to_owned(), count.into());
        legend.insert(
            class.name.to_owned(),
            json!({ "colour": class.colour.name, "rgb": class.colour.hexadecimal(), "about": class.about }),
        );
    }
    let (width, height) = found.size;
    let mut said = json!({
        "call": wish.shot.call,
        "what": wish.shot.of.to_string(),
        "resource": contents.resource,
        "submission": contents.submission,
        "overlay": kind.to_string(),
        "width": width,
        "height": height,
        "counts": counts,
        "legend": legend,
        "notes": found.notes.iter().chain(&contents.notes).collect::<Vec<_>>(),
    });
    if !found.numbers.is_empty() {
        let numbers = found.numbers.iter().map(|(name, number)| ((*name).to_owned(), json!(number)));
        said["numbers"] = Json::Object(numbers.collect());
    }
    if let Some(file) = file {
        said["file"] = file.display().to_string().into();
    }
    Ok(said)
}

/// The same for people.
pub(crate) fn in_words(said: &Json) -> Vec<String> {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let (what, kind) = (text(&said["what"]), text(&said["overlay"]));
    let mut lines =
        vec![format!("{what} at call {}, overlay {kind}: {}x{}", said["call"], said["width"], said["height"])];
    for (name, count) in said["counts"].as_object().into_iter().flatten() {
        let legend = &said["legend"][name];
        let count = plural(count.as_u64().unwrap_or(0), "texel");
        lines.push(format!("  {:<8} {name}: {count} ({})", text(&legend["colour"]), text(&legend["about"])));
    }
    let numbers: Vec<String> =
        said["numbers"].as_object().into_iter().flatten().map(|(name, number)| format!("{name} {number}")).collect();
    if !numbers.is_empty() {
        lines.push(format!("  {}", numbers.join(", ")));
    }
    let notes = said["notes"].as_array().into_iter().flatten();
    lines.extend(notes.filter_map(|note| Some(format!("  {}", note.as_str()?))));
    lines.extend(said["file"].as_str().map(|file| format!("  {file}")));
    lines
}
