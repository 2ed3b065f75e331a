//! An overlay over a target: what `reprise show --overlay` paints and counts.

use super::Job;
use super::picture;
use super::replay;
use super::store::Store;
use crate::answer::Refused;
use crate::subject::Subject;
use serde_json::{Value as Json, json};

/// The kinds, in the words of `reprise show --overlay`.
pub(crate) const KINDS: &[&str] = &[
    "draw",
    "changed",
    "wireframe",
    "depth",
    "stencil",
    "backface",
    "viewport",
    "nan",
    "clipping",
    "quads",
    "triangles",
    "without=scissor",
    "without=cull",
    "without=depth-clip",
    "without=sample-mask",
    "without=discard",
    "without=stencil",
    "without=depth",
    "without=blend",
    "without=all",
];

/// Over what, and which.
pub(super) struct Wish {
    call: u64,
    kind: &'static str,
    /// In the words of a question for a picture.
    of: Json,
    /// What is not clipped.
    range: Option<(f64, f64)>,
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let word = with.get("overlay").and_then(Json::as_str).unwrap_or_default();
        let kind = KINDS.iter().copied().find(|name| *name == word);
        let kind = kind.ok_or_else(|| Refused::question(format!("overlay must be one of {}", KINDS.join(", "))))?;
        let ends = with.get("range").and_then(Json::as_array).map(|ends| {
            let at = |place: usize| ends.get(place).and_then(Json::as_f64);
            at(0).zip(at(1)).filter(|(low, high)| low < high)
        });
        if ends == Some(None) {
            return Err(Refused::question("range must be two numbers, the first of them the lower one"));
        }
        // It says what is wrong with the rest.
        picture::Wish::of(with)?;
        let call = picture::call(with)?;
        let of = ["target", "resource", "mip", "slice", "plane", "sample"].into_iter();
        let of =
            of.filter_map(|name| Some((name.to_owned(), with.get(name).filter(|value| !value.is_null())?.clone())));
        Ok(Wish { call, kind, of: Json::Object(of.collect()), range: ends.flatten() })
    }

    /// The words of the command, without what it writes to.
    fn words(&self) -> Vec<String> {
        let mut words: Vec<String> =
            ["show", "--call", &self.call.to_string(), "--overlay", self.kind].map(String::from).into();
        match &self.of["target"] {
            Json::String(word) => words.push(format!("--{word}")),
            Json::Number(slot) => words.extend(["--target".to_owned(), slot.to_string()]),
            _ => {}
        }
        for name in ["resource", "mip", "slice", "plane", "sample"] {
            if let Some(number) = self.of[name].as_u64().filter(|number| name == "resource" || *number != 0) {
                words.extend([format!("--{name}"), number.to_string()]);
            }
        }
        if let Some((low, high)) = self.range {
            words.push(format!("--range={low},{high}"));
        }
        words
    }
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let mut question = wish.of.clone();
    (question["call"], question["kind"]) = (wish.call.into(), "overlay".into());
    (question["overlay"], question["range"]) = (wish.kind.into(), json!(wish.range));
    let key = Store::key(subject, &question);
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let picture = store.beside("png")?;
    let mut words = wish.words();
    words.extend(["--json".to_owned(), "--output".to_owned(), picture.display().to_string()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut said: Option<Json> = None;
    let ended = replay::lines(job, subject, &words, None, |line| {
        said = Some(serde_json::from_str(line).map_err(Refused::unavailable)?);
        Ok(())
    });
    let told = match (said, ended) {
        // It says why itself, and ends with a failure for it.
        (Some(said), _) if said["error"].is_string() => {
            Err(Refused::missing(said["error"].as_str().unwrap_or_default()))
        }
        (_, Err(why)) => Err(why),
        (None, Ok(())) => Err(Refused::unavailable("the replay ended before it came to the call")),
        (Some(said), Ok(())) => Ok(said),
    };
    let kept = told.and_then(|said| Ok((store.put(&picture, &format!("{key}.png"))?, said)));
    let _ = std::fs::remove_file(&picture);
    let (file, said) = kept?;
    let answer = json!({
        "overlay": wish.kind, "picture": file, "width": said["width"], "height": said["height"], "counts": said["counts"],
        "numbers": said["numbers"], "legend": said["legend"], "notes": said["notes"], "submission": said["submission"],
        "resource": said["resource"],
    });
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
        let question = json!({ "call": 9, "target": 1, "overlay": "clipping", "slice": 2, "range": [0.25, 2.0] });
        assert_eq!(words(question).unwrap(), "show --call 9 --overlay clipping --target 1 --slice 2 --range=0.25,2");
        let question = json!({ "call": 9, "target": "stencil", "overlay": "stencil" });
        assert_eq!(words(question).unwrap(), "show --call 9 --overlay stencil --stencil");
        for (wrong, what) in [
            (json!({ "call": 9, "target": 0, "overlay": "depth; rm" }), "overlay must be one of"),
            (json!({ "call": 9, "target": 0, "overlay": "clipping", "range": [1, 0] }), "range"),
            (json!({ "target": 0, "overlay": "depth" }), "call is missing"),
            (json!({ "call": 9, "overlay": "depth" }), "resource"),
        ] {
            let why = words(wrong).unwrap_err();
            assert!(why.contains(what), "{why}");
        }
    }
}
