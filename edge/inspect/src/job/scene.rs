//! What rays of a call can hit, as `reprise scene` draws it, with the rays of a thread.

use super::store::Store;
use super::{Job, picture, replay};
use crate::answer::Refused;
use crate::subject::Subject;
use serde_json::{Value as Json, json};

/// Pixels of a side.
const LARGEST: u64 = 2048;
const USUAL: [u64; 2] = [800, 600];

/// Which call's scene, and what of it is drawn.
pub(super) struct Wish {
    call: u64,
    thread: Option<[u32; 3]>,
    /// Of those that the call reaches, counted from 0.
    structure: Option<u64>,
    /// Where the camera stands.
    eye: Option<[f64; 3]>,
    size: [u64; 2],
}

/// As many as are wanted, from a list.
fn list<T, const N: usize>(json: &Json, read: impl Fn(&Json) -> Option<T>) -> Option<[T; N]> {
    json.as_array()?.iter().map(read).collect::<Option<Vec<T>>>()?.try_into().ok()
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let call = picture::call(with)?;
        let given = |name: &str| with.get(name).filter(|value| !value.is_null());
        let wrong = |what: &'static str| move || Refused::question(what);
        let number = |json: &Json| json.as_u64().and_then(|number| u32::try_from(number).ok());
        let thread = given("thread").map(|it| list(it, number).ok_or_else(wrong("thread is [x, y, z]")));
        let structure =
            given("structure").map(|it| it.as_u64().ok_or_else(wrong("structure is a number, counted from 0")));
        let eye = given("eye").map(|it| list(it, Json::as_f64).ok_or_else(wrong("eye is [x, y, z]")));
        let side = |json: &Json| json.as_u64().filter(|side| (1..=LARGEST).contains(side));
        let size = given("size").map(|it| list(it, side).ok_or_else(wrong("size is [width, height], up to 2048")));
        Ok(Wish {
            call,
            thread: thread.transpose()?,
            structure: structure.transpose()?,
            eye: eye.transpose()?,
            size: size.transpose()?.unwrap_or(USUAL),
        })
    }

    /// In the words of `reprise scene`, without the call and what it writes to.
    fn words(&self) -> Vec<String> {
        let joined = |parts: &[String]| parts.join(",");
        let mut words = vec![format!("--size={}x{}", self.size[0], self.size[1])];
        words.extend(self.thread.map(|it| format!("--thread={}", joined(&it.map(|at| at.to_string())))));
        words.extend(self.structure.map(|it| format!("--structure={it}")));
        words.extend(self.eye.map(|it| format!("--eye={}", joined(&it.map(|at| at.to_string())))));
        words
    }
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let (words, call) = (wish.words(), wish.call.to_string());
    let key = Store::key(subject, &json!({ "kind": "scene", "words": words, "call": call }));
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let picture = store.beside("png")?;
    let to = picture.display().to_string();
    let mut all = vec!["scene", "--json", "--output", &to];
    all.extend(words.iter().map(String::as_str));
    let mut said: Option<Json> = None;
    let played = replay::Played::of(subject);
    let ended = replay::played(job, played, (&all, &[call.as_str()]), None, |line| {
        said = Some(serde_json::from_str(line).map_err(Refused::unavailable)?);
        Ok(())
    });
    // A geometry that is left out ends the command with a failure, and the record says which it is.
    let told = said.ok_or_else(|| ended.err().unwrap_or_else(|| Refused::unavailable("the command drew nothing")));
    let kept = told.and_then(|said| Ok((store.put(&picture, &format!("{key}.png"))?, said)));
    let _ = std::fs::remove_file(&picture);
    let (file, mut said) = kept?;
    // The name that the command wrote to is nobody's matter.
    if let Some(said) = said.as_object_mut() {
        said.remove("file");
    }
    let answer = json!({ "scene": said, "picture": file, "width": wish.size[0], "height": wish.size[1] });
    store.keep(&key, &answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_becomes_the_command() {
        let words =
            |question: Json| Wish::of(&question).map(|wish| wish.words().join(" ")).map_err(|refused| refused.why);
        assert_eq!(words(json!({ "call": 9 })).unwrap(), "--size=800x600");
        let all = json!({ "call": 9, "thread": [5, 1, 0], "structure": 2, "eye": [0, -2.5, 1], "size": [640, 480] });
        assert_eq!(words(all).unwrap(), "--size=640x480 --thread=5,1,0 --structure=2 --eye=0,-2.5,1");
        for (wrong, what) in [
            (json!({ "thread": [0, 0, 0] }), "call"),
            (json!({ "call": 9, "thread": [0, 0] }), "thread"),
            (json!({ "call": 9, "thread": ["--help", 0, 0] }), "thread"),
            (json!({ "call": 9, "structure": "0" }), "structure"),
            (json!({ "call": 9, "eye": "0,0,0" }), "eye"),
            (json!({ "call": 9, "size": [0, 600] }), "size"),
            (json!({ "call": 9, "size": [4096, 600] }), "size"),
        ] {
            let why = words(wrong).unwrap_err();
            assert!(why.contains(what), "{why}");
        }
    }
}
