//! A texture as a pixel shader of the user's shows it, by `reprise show --shader`.

use super::replay::Played;
use super::store::Store;
use super::{Job, picture};
use crate::answer::Refused;
use crate::attached::{Attached, Files};
use crate::subject::Subject;
use serde_json::{Value as Json, json};

/// Which picture, and by which shader.
pub(super) struct Wish {
    picture: picture::Wish,
    files: Files,
    shader: String,
    entry: String,
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json, attached: &Attached) -> Result<Wish, Refused> {
        let files = attached.files(with.get("files"))?;
        let shader = with.get("shader").and_then(Json::as_str).filter(|name| files.get(name).is_some());
        let shader =
            shader.ok_or_else(|| Refused::question("shader is missing: the name of one of the files"))?.to_owned();
        if !files.may_be_shader(&shader) {
            return Err(Refused::question(format!("{shader} is neither a compiled shader nor a text in UTF-8")));
        }
        let entry =
            with.get("entry").and_then(Json::as_str).filter(|entry| !entry.is_empty()).unwrap_or("main").to_owned();
        let is_name = entry.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') && entry.len() <= 100;
        if !is_name {
            return Err(Refused::question("entry is the name of a function"));
        }
        Ok(Wish { picture: picture::Wish::of(with)?, files, shader, entry })
    }
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let place = store.workplace()?;
    for (name, bytes) in wish.files.iter() {
        place.put(name, bytes)?;
    }
    let file = place.path().join(&wish.shader).display().to_string();
    let words = ["--shader", &file, "--shader-entry", &wish.entry];
    let stamp = json!({ "files": wish.files.stamp(), "shader": wish.shader, "entry": wish.entry });
    let made = picture::of(job, subject, Played::of(subject), &words, (&wish.picture, &stamp), store);
    // A person knows the file by its name.
    let folder = format!("{}{}", place.path().display(), std::path::MAIN_SEPARATOR);
    made.map_err(|refused| Refused { why: refused.why.replace(&folder, ""), ..refused })
}
