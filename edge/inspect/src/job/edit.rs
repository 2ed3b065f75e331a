//! What edits make of a picture, as `reprise edit` and `reprise show` tell it; and the edited trace as a file.

use super::replay::{self, Played};
use super::store::{Store, Workplace};
use super::{Job, picture};
use crate::answer::Refused;
use crate::attached::{Attached, Files, is_plain};
use crate::subject::Subject;
use reprise_edit::Edits;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// The file of the edits, as messages name it.
const NAME: &str = "edits";
/// The edited trace, for as long as it is looked at.
const OUTPUT: &str = "edited.reprise";

/// Edits, with the files that they name.
#[derive(Clone)]
struct Script {
    text: String,
    files: Files,
}

impl Script {
    /// # Errors
    /// A line is no edit, or names a file that is not attached.
    fn of(with: &Json, attached: &Attached) -> Result<Script, Refused> {
        let text = with.get("edits").and_then(Json::as_str).filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| Refused::question("edits is missing: edits, one a line"))?.to_owned();
        let files = attached.files(with.get("files"))?;
        // They lie in one folder. Where upper case is lower case, too.
        if let Some((name, _)) =
            files.iter().find(|(name, _)| [NAME, OUTPUT].iter().any(|own| own.eq_ignore_ascii_case(name)))
        {
            return Err(Refused::question(format!("{name} is a name that the server needs: choose another one")));
        }
        let lacks =
            |name: &Path| format!("{} is not attached: edits of the page name attached files only", name.display());
        let find = |name: &Path| name.to_str().and_then(|name| files.get(name)).ok_or_else(|| lacks(name));
        let edits = Edits::parse(&text, NAME, &mut |name| find(name).map(<[u8]>::to_vec)).map_err(Refused::question)?;
        if edits.is_empty() {
            return Err(Refused::question("there is no edit: each line that is not empty or a remark is one"));
        }
        for name in edits.files() {
            find(name).map_err(Refused::question)?;
        }
        Ok(Script { text, files })
    }

    fn stamp(&self) -> Json {
        json!({ "edits": self.text, "files": self.files.stamp() })
    }

    /// Writes the edited trace, and gives what the command says.
    fn write(
        &self,
        job: &Job,
        subject: &Subject,
        place: &Workplace,
        output: &Path,
        call: u64,
    ) -> Result<Json, Refused> {
        place.put(NAME, self.text.as_bytes())?;
        for (name, bytes) in self.files.iter() {
            place.put(name, bytes)?;
        }
        let (output, call) = (output.display().to_string(), call.to_string());
        let words = ["edit", "--edit", NAME, "--json", "--number", &call, "--output", &output];
        let mut said = None;
        let ended = replay::read_only(job, Played::of(subject), place.path(), &words, |line| {
            said = Some(serde_json::from_str::<Json>(line).map_err(Refused::unavailable)?);
            Ok(())
        });
        match (said, ended) {
            (_, Err(why)) => Err(why),
            (Some(said), Ok(())) => Ok(said),
            (None, Ok(())) => Err(Refused::unavailable("the edits ended without a word")),
        }
    }
}

/// Which edits, and which picture.
pub(super) struct Wish {
    script: Script,
    picture: picture::Wish,
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json, attached: &Attached) -> Result<Wish, Refused> {
        Ok(Wish { script: Script::of(with, attached)?, picture: picture::Wish::of(with)? })
    }
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let stamp = wish.script.stamp();
    let key = Store::key(subject, &json!({ "kind": "edit", "stamp": stamp, "picture": wish.picture.json() }));
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let place = store.workplace()?;
    let output = place.path().join(OUTPUT);
    job.progress(0, 0, || "writing the edited trace".to_owned());
    let call = wish.picture.call;
    let said = wish.script.write(job, subject, &place, &output, call)?;
    let before = picture::run(job, subject, &wish.picture, store)?;
    let number = said["numbers"][call.to_string()].as_u64();
    let (after, why) = match number {
        Some(number) => {
            let moved = wish.picture.at(number);
            (picture::of(job, subject, Played::other(subject, &output), &[], (&moved, &stamp), store)?, None)
        }
        None => (Json::Null, Some(format!("call {call} is not in the edited trace: look at it after another call"))),
    };
    let counts = ["changed_calls", "dropped_calls", "inserted_calls", "changed_stores"];
    let counts: serde_json::Map<String, Json> =
        counts.into_iter().map(|name| (name.to_owned(), said[name].clone())).collect();
    let answer = json!({ "counts": counts, "call": number, "before": before, "after": after, "why": why });
    store.keep(&key, &answer)?;
    Ok(answer)
}

/// Which edits, and the file to write.
pub(super) struct Save {
    script: Script,
    output: PathBuf,
}

impl Save {
    /// # Errors
    /// The question lacks something, or the file is there.
    pub(super) fn of(with: &Json, attached: &Attached, subject: &Subject) -> Result<Save, Refused> {
        let name = with.get("name").and_then(Json::as_str).unwrap_or_default();
        if !is_plain(name) || !name.ends_with(".reprise") {
            return Err(Refused::question(
                "name is that of a new trace in the folder of this one, and ends in .reprise",
            ));
        }
        if subject.dropped {
            let what = "this trace was dropped onto the page, and its folder goes with the server: open the file by its name to save edits";
            return Err(Refused::conflict(what));
        }
        let file = std::path::absolute(&subject.file).map_err(Refused::unavailable)?;
        let output = file.with_file_name(name);
        if output.symlink_metadata().is_ok() {
            return Err(Refused::conflict(format!("{name} is there already: choose another name")));
        }
        Ok(Save { script: Script::of(with, attached)?, output })
    }
}

pub(super) fn save(job: &Job, subject: &Subject, wish: &Save, store: &Store) -> Result<Json, Refused> {
    let place = store.workplace()?;
    job.progress(0, 0, || "writing the edited trace".to_owned());
    wish.script.write(job, subject, &place, &wish.output, 1)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn edits_name_attached_files_only() {
        let attached = Attached::default();
        let id = attached.keep(b"\0\0\x80\x3f");
        let of = |text: &str| {
            let with = json!({ "edits": text, "files": { "red.bin": id } });
            Script::of(&with, &attached).map(|_| ()).map_err(|refused| (refused.status, refused.why))
        };
        assert_eq!(of("buffer 20+28 = \"red.bin\""), Ok(()));
        assert_eq!(of("call 9: drop\n# a remark"), Ok(()));
        for (wrong, what) in [
            ("buffer 20 = \"/etc/passwd\"", "not attached"),
            ("buffer 20 = \"../red.bin\"", "not attached"),
            ("buffer 20 = \"./red.bin\"", "not attached"),
            ("shader of 57 PS = \"/tmp/a.hlsl\"", "not attached"),
            ("texture 30 = \"other.bin\"", "not attached"),
            ("call 9: pData = file \"/etc/passwd\"", "not attached"),
            ("call 9: fly", "edits, line 1"),
            ("# nothing", "no edit"),
            ("", "edits is missing"),
        ] {
            let (status, why) = of(wrong).unwrap_err();
            assert!(status == 400 && why.contains(what), "{wrong}: {why}");
        }
        // A file in the place of the edits would be edits that nobody has looked at.
        for name in ["edits", "Edits", "edited.reprise"] {
            let with = json!({ "edits": "call 9: drop", "files": { name: id } });
            let refused = Script::of(&with, &attached).err().map(|refused| refused.why);
            assert!(refused.unwrap().contains("choose another one"), "{name}");
        }
    }
}
