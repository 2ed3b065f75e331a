//! Small pictures of frames.

use super::Job;
use super::replay;
use super::store::Store;
use crate::answer::Refused;
use crate::subject::Subject;
use serde_json::{Value as Json, json};

/// Frames of one job.
const MOST: u64 = 10_000;

/// Which frames, and how large.
pub(super) struct Wish {
    first: u64,
    last: u64,
    size: u64,
}

impl Wish {
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let wrong = || Refused::question("frames must be two numbers from 1, the first of them not the greater one");
        let at = |place: usize| with["frames"].get(place).and_then(Json::as_u64);
        let (first, last) = at(0).zip(at(1)).filter(|(first, last)| *first >= 1 && first <= last).ok_or_else(wrong)?;
        let size = with.get("size").and_then(Json::as_u64).unwrap_or(256).clamp(16, 1024);
        Ok(Wish { first, last: last.min(first + MOST - 1), size })
    }
}

/// The name that a frame's picture is kept under.
fn key(subject: &Subject, frame: u64, size: u64) -> String {
    Store::key(subject, &json!({ "kind": "thumbnail", "frame": frame, "size": size }))
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let mut missing: Option<(u64, u64)> = None;
    for frame in wish.first..=wish.last {
        match store.answer(&key(subject, frame, wish.size)) {
            Some(known) => _ = job.found(known),
            None => missing = Some((missing.map_or(frame, |(first, _)| first), frame)),
        }
    }
    let Some((first, last)) = missing else { return Ok(json!({ "made": 0 })) };
    let folder = store.beside("pictures")?;
    std::fs::create_dir_all(&folder).map_err(|error| Refused::unavailable(format!("{}: {error}", folder.display())))?;
    let (frames, size) = (format!("{first}-{last}"), wish.size.to_string());
    let text = format!("{}/", folder.display());
    let words = ["thumbnails", "--frames", &frames, "--size", &size, "--output", &text, "--json"];
    let mut made = 0;
    let of = last - first + 1;
    let ended = replay::lines(job, subject, &words, None, |line| {
        let said: Json = serde_json::from_str(line).map_err(Refused::unavailable)?;
        let (Some(frame), Some(file)) = (said["frame"].as_u64(), said["file"].as_str()) else { return Ok(()) };
        let key = key(subject, frame, wish.size);
        let file = store.put(std::path::Path::new(file), &format!("{key}.png"))?;
        let mut item = json!({ "frame": frame, "file": file, "width": said["width"], "height": said["height"] });
        // Where nothing ended a frame, the picture is that of a texture.
        for name in ["resource", "call"].into_iter().filter(|name| said[*name].is_u64()) {
            item[name] = said[name].clone();
        }
        store.keep(&key, &item)?;
        made += 1;
        job.progress(made, of, || format!("frame {frame}"));
        job.found(item);
        Ok(())
    });
    // Pictures that are left there are of a run that ended early.
    let _ = std::fs::remove_dir_all(&folder);
    ended?;
    Ok(json!({ "made": made }))
}
