//! A shader step by step, as `reprise debug` runs it. The steps are kept in files of so many each, so that a long record is read part by part.

use super::store::Store;
use super::{Job, picture, replay};
use crate::answer::Refused;
use crate::subject::Subject;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json, json};

/// Steps of a file.
const PAGE: usize = 10_000;
/// Steps that are kept: what a browser reads while somebody waits.
const KEPT: usize = 200_000;

/// What runs the shader.
enum Of {
    Thread([u32; 3]),
    Vertex(u32),
    Pixel([u32; 2]),
}

/// Which shader of a call, for what.
pub(super) struct Wish {
    call: u64,
    of: Of,
    /// Numbers that narrow it, as the option that names each is called.
    narrow: Vec<(&'static str, u64)>,
}

/// As many numbers as are wanted, from a list.
fn numbers<const N: usize>(json: &Json) -> Option<[u32; N]> {
    let list = json.as_array()?.iter().map(|one| one.as_u64().and_then(|one| u32::try_from(one).ok()));
    list.collect::<Option<Vec<u32>>>()?.try_into().ok()
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let call = picture::call(with)?;
        let given = |name: &str| with.get(name).filter(|value| !value.is_null());
        let of = match (given("thread"), given("vertex"), given("pixel")) {
            (Some(thread), None, None) => numbers(thread).map(Of::Thread),
            (None, Some(vertex), None) => vertex.as_u64().and_then(|vertex| u32::try_from(vertex).ok()).map(Of::Vertex),
            (None, None, Some(pixel)) => numbers(pixel).map(Of::Pixel),
            _ => None,
        };
        let what = "name one of thread ([x, y, z]), vertex (a number) and pixel ([column, row])";
        let of = of.ok_or_else(|| Refused::question(what))?;
        let may: &[&'static str] = match of {
            Of::Thread(_) => &["submission", "command"],
            Of::Vertex(_) => &["submission", "command", "instance"],
            Of::Pixel(_) => &["submission", "command", "instance", "primitive", "sample"],
        };
        let mut narrow = Vec::new();
        for name in may {
            if let Some(number) = given(name) {
                let number = number.as_u64().ok_or_else(|| Refused::question(format!("{name} is a number")))?;
                narrow.push((*name, number));
            }
        }
        Ok(Wish { call, of, narrow })
    }

    /// In the words of `reprise debug`.
    fn words(&self) -> Vec<String> {
        let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let of = match &self.of {
            Of::Thread(at) => format!("--thread={}", list(at)),
            Of::Vertex(index) => format!("--vertex={index}"),
            Of::Pixel(at) => format!("--pixel={}", list(at)),
        };
        let narrow = self.narrow.iter().map(|(name, number)| format!("--{name}={number}"));
        [of].into_iter().chain(narrow).collect()
    }
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let words = wish.words();
    let call = wish.call.to_string();
    let key = Store::key(subject, &json!({ "kind": "debug", "words": words, "call": call }));
    if let Some(known) = store.answer(&key) {
        return Ok(known);
    }
    let mut said = None;
    let all: Vec<&str> = ["debug", "--json"].into_iter().chain(words.iter().map(String::as_str)).collect();
    let played = replay::Played::of(subject);
    let ended = replay::played(job, played, (&all, &[call.as_str()]), None, |line| {
        said = Some(read(line, store, &key)?);
        Ok(())
    });
    let answer = match (said, ended) {
        (None, Err(why)) => return Err(why),
        (None, Ok(())) => return Err(Refused::unavailable("the command ended without a record")),
        // A difference from the GPU's result ends the command with a failure, and the record says which it is.
        (Some(said), _) => said,
    };
    job.go_on()?;
    store.keep(&key, &answer)?;
    Ok(answer)
}

/// A record as it is kept: all but its steps, and where these are.
fn read(line: &str, store: &Store, key: &str) -> Result<Json, Refused> {
    if line.len() as u64 + 1 >= replay::MOST {
        let what =
            format!("the record has more than {} bytes: `reprise debug --steps` lists parts of it", replay::MOST);
        return Err(Refused::unavailable(what));
    }
    let mut steps = Steps { total: 0, part: Vec::new(), files: Vec::new(), store, key };
    let record = Record(&mut steps).deserialize(&mut serde_json::Deserializer::from_str(line));
    let record = record.map_err(|error| Refused::unavailable(format!("the record of the steps: {error}")))?;
    steps.flush().map_err(Refused::unavailable)?;
    let kept = steps.total.min(KEPT as u64);
    Ok(json!({
        "record": record,
        "steps": { "total": steps.total, "kept": kept, "page": PAGE, "files": steps.files },
    }))
}

/// Steps on their way to files.
struct Steps<'s> {
    total: u64,
    part: Vec<Box<RawValue>>,
    files: Vec<String>,
    store: &'s Store,
    key: &'s str,
}

impl Steps<'_> {
    fn flush(&mut self) -> Result<(), String> {
        if self.part.is_empty() {
            return Ok(());
        }
        let bytes = serde_json::to_vec(&self.part).map_err(|error| error.to_string())?;
        self.part.clear();
        let name = format!("{}-{}.bin", self.key, self.files.len());
        self.files.push(self.store.put_bytes(&bytes, &name).map_err(|refused| refused.why)?);
        Ok(())
    }
}

/// A record, whose steps go elsewhere.
struct Record<'r, 's>(&'r mut Steps<'s>);

impl<'de> DeserializeSeed<'de> for Record<'_, '_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Record<'_, '_> {
    type Value = Json;

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("the record of `reprise debug --json`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut record = Map::new();
        while let Some(name) = from.next_key::<String>()? {
            if name == "steps" {
                from.next_value_seed(List(self.0))?;
            } else {
                record.insert(name, from.next_value()?);
            }
        }
        Ok(Json::Object(record))
    }
}

/// The steps of a record.
struct List<'r, 's>(&'r mut Steps<'s>);

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("a list of steps")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let steps = self.0;
        while steps.total < KEPT as u64 {
            let Some(step) = from.next_element::<Box<RawValue>>()? else { return Ok(()) };
            steps.total += 1;
            steps.part.push(step);
            if steps.part.len() == PAGE {
                steps.flush().map_err(A::Error::custom)?;
            }
        }
        while from.next_element::<IgnoredAny>()?.is_some() {
            steps.total += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_question_becomes_the_command() {
        let words =
            |question: Json| Wish::of(&question).map(|wish| wish.words().join(" ")).map_err(|refused| refused.why);
        let pixel =
            json!({ "call": 9, "pixel": [3, 4], "primitive": 36, "instance": 0, "submission": 12, "command": 1 });
        assert_eq!(words(pixel).unwrap(), "--pixel=3,4 --submission=12 --command=1 --instance=0 --primitive=36");
        assert_eq!(words(json!({ "call": 9, "thread": [5, 0, 1] })).unwrap(), "--thread=5,0,1");
        assert_eq!(words(json!({ "call": 9, "vertex": 7, "instance": 2 })).unwrap(), "--vertex=7 --instance=2");
        for (of, word) in [("vertex", json!(7)), ("pixel", json!([3, 4])), ("thread", json!([5, 0, 1]))] {
            let told = words(json!({ "call": 9, of: word, "command": 3 })).unwrap();
            assert!(told.ends_with(" --command=3"), "an indirect call has many: {told}");
        }
        for wrong in [
            json!({ "call": 9 }),
            json!({ "pixel": [1, 2] }),
            json!({ "call": 9, "pixel": [1] }),
            json!({ "call": 9, "pixel": [1, -2] }),
            json!({ "call": 9, "pixel": ["--json", 2] }),
            json!({ "call": 9, "vertex": 1, "thread": [0, 0, 0] }),
            json!({ "call": 9, "vertex": 1, "instance": "--help" }),
        ] {
            assert!(words(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn steps_go_to_files_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(folder.path());
        let step = |number: usize| format!(r#"{{"step": {number}, "value": "0.1"}}"#);
        let all: Vec<String> = (1..=PAGE + 3).map(step).collect();
        let line = format!(r#"{{"call": 9, "steps": [{}], "check": {{"equal": true}}}}"#, all.join(","));
        let told = read(&line, &store, "k").unwrap();
        assert_eq!(told["record"], json!({ "call": 9, "check": { "equal": true } }));
        let of = &told["steps"];
        assert_eq!((&of["total"], &of["kept"]), (&json!(PAGE + 3), &json!(PAGE + 3)));
        let read = |name: &str| -> Json { serde_json::from_slice(&store.read(name).unwrap().0).unwrap() };
        assert_eq!(of["files"], json!(["api/files/k-0.bin", "api/files/k-1.bin"]));
        assert_eq!(
            (read("k-0.bin")[0]["step"].clone(), read("k-1.bin")[2]["step"].clone()),
            (json!(1), json!(PAGE + 3))
        );
        for cut in ["{\"call\": 9, \"steps\": [{\"step\": 1}", "", "[]", "{\"steps\": 3}"] {
            assert!(super::read(cut, &store, "c").is_err(), "{cut}");
        }
    }

    #[test]
    fn more_steps_than_are_kept_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::within(folder.path());
        let line = format!(r#"{{"steps": [{}]}}"#, vec!["1"; KEPT + 5].join(","));
        let told = read(&line, &store, "k").unwrap();
        assert_eq!((&told["steps"]["total"], &told["steps"]["kept"]), (&json!(KEPT + 5), &json!(KEPT)));
        assert_eq!(told["steps"]["files"].as_array().map(Vec::len), Some(KEPT / PAGE));
    }
}
