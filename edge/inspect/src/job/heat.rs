//! What each texel of a target cost: the time of each operation of a frame, spread over the texels that it changed.
//!
//! A replay copies the texture before and after each operation. So a texel has no share of what was drawn there and left no trace: what was hidden
//! behind something else, or has the value that was there.

use super::store::Store;
use super::{Job, replay};
use crate::answer::Refused;
use crate::subject::Subject;
use reprise_d3d12::operation::{Operation, of_name};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The most operations that are looked at.
const MOST: u64 = 256;
/// Bytes of copies that one replay may keep, where a texel has at most [`TEXEL`].
const BYTES: u64 = 1 << 30;
/// Bytes of the largest texel.
const TEXEL: u64 = 16;
/// The parts of a texture.
const PARTS: [&str; 4] = ["mip", "slice", "plane", "sample"];

/// Which texture, in which frame.
pub(super) struct Wish {
    frame: u64,
    resource: u32,
    parts: [u64; 4],
}

/// An operation with its time.
#[derive(Clone, Copy)]
struct Timed {
    submission: u64,
    call: u64,
    ns: f64,
}

impl Timed {
    fn place(&self) -> (u64, u64) {
        (self.submission, self.call)
    }
}

/// What has come of an operation so far.
#[derive(Default)]
struct Copies {
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

/// What was found so far.
#[derive(Default)]
struct Found {
    size: (u64, u64),
    heat: Vec<f32>,
    /// Calls, how many texels each changed, and how long it took.
    changed: Vec<(u64, u64, f64)>,
    unchanged: u64,
    /// Operations of which nothing is known, by reason.
    left_out: BTreeMap<String, u64>,
    notes: BTreeMap<String, u64>,
}

impl Wish {
    /// # Errors
    /// The question lacks something.
    pub(super) fn of(with: &Json) -> Result<Wish, Refused> {
        let number = |name: &str| with.get(name).and_then(Json::as_u64);
        let frame = number("frame").filter(|frame| *frame > 0);
        let resource = number("resource").and_then(|id| u32::try_from(id).ok());
        Ok(Wish {
            frame: frame.ok_or_else(|| Refused::question("frame is missing; frames count from 1"))?,
            resource: resource.ok_or_else(|| Refused::question("resource is missing: an id"))?,
            parts: PARTS.map(|part| number(part).unwrap_or(0)),
        })
    }
}

pub(super) fn run(job: &Job, subject: &Subject, wish: &Wish, store: &Store) -> Result<Json, Refused> {
    let (all, total) = operations(subject, wish.frame)?;
    if all.is_empty() {
        return Err(Refused::missing(format!(
            "no operation of frame {} was timed that can write a texture",
            wish.frame
        )));
    }
    let mut chosen = all.clone();
    chosen.sort_by(|one, other| other.ns.total_cmp(&one.ns).then(one.place().cmp(&other.place())));
    chosen.truncate(at_most(subject, wish.resource));
    chosen.sort_by_key(Timed::place);
    let rounded: Vec<((u64, u64), u64)> = chosen.iter().map(|one| (one.place(), one.ns as u64)).collect();
    let question = json!({ "kind": "heat", "resource": wish.resource, "parts": wish.parts, "times": rounded });
    let key = Store::key(subject, &question);
    if let Some(known) = store.answer(&key) {
        return Ok(named(known, subject, wish));
    }
    let raws: Vec<PathBuf> = (0..chosen.len() * 2).map(|_| store.beside("raw")).collect::<Result<_, _>>()?;
    let found = look(job, subject, wish, &chosen, &raws);
    for raw in &raws {
        // One that was read is gone by now.
        let _ = (std::fs::remove_file(raw), std::fs::remove_file(raw.with_extension("raw.json")));
    }
    let found = found?;
    if found.heat.is_empty() {
        let why = found.left_out.keys().next().cloned();
        return Err(Refused::missing(
            why.unwrap_or_else(|| "nothing of the texture can be shown in this frame".into()),
        ));
    }
    let bytes: Vec<u8> = found.heat.iter().flat_map(|texel| texel.to_le_bytes()).collect();
    let file = store.put_bytes(&bytes, &format!("{key}.bin"))?;
    let seen: f64 = chosen.iter().map(|one| one.ns).sum();
    let changed: Vec<Json> = found
        .changed
        .iter()
        .map(|(call, texels, ns)| json!({ "call": call, "texels": texels, "gpu_ns": ns }))
        .collect();
    let answer = json!({
        "frame": wish.frame, "width": found.size.0, "height": found.size.1,
        "operations": chosen.len(), "of": all.len(), "share": if total > 0.0 { seen / total } else { 0.0 }, "changed": changed,
        "unchanged": found.unchanged, "left_out": found.left_out, "notes": found.notes,
        "values": { "file": file, "type": "f32", "channels": 1, "row_bytes": found.size.0 * 4 },
    });
    store.keep(&key, &answer)?;
    Ok(named(answer, subject, wish))
}

/// An answer with the texture as it is called today: its name may be known later than what was measured.
fn named(mut answer: Json, subject: &Subject, wish: &Wish) -> Json {
    answer["resource"] = subject.survey_now().map(|survey| survey.object_json(wish.resource)).into();
    answer
}

/// Operations of a frame that can write a texture, and the time of all operations of the frame.
fn operations(subject: &Subject, frame: u64) -> Result<(Vec<Timed>, f64), Refused> {
    use Operation::{Bundle, Clear, Copy, Discard, Dispatch, Draw, Graph, Indirect, Meta, PassEnd, Rays, Resolve};
    let measured = subject.times()?;
    let writes = |call: u64| {
        let operation = measured.times.operations.get(&call).and_then(|operation| of_name(&operation.method));
        operation.is_some_and(|operation| {
            matches!(
                operation,
                Bundle | Clear | Copy | Discard | Dispatch | Draw | Graph | Indirect | Meta | PassEnd | Rays | Resolve
            )
        })
    };
    // A submission that runs a list twice runs each operation twice; the first one is looked at.
    let mut all: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    let mut total = 0.0;
    for cost in measured.operations.iter().filter(|cost| cost.frame == frame) {
        let Some(duration) = cost.duration else { continue };
        total += duration;
        if writes(cost.call) {
            *all.entry((cost.submission, cost.call)).or_default() += duration;
        }
    }
    Ok((all.into_iter().map(|((submission, call), ns)| Timed { submission, call, ns }).collect(), total))
}

/// How many operations can be looked at: each needs two copies.
fn at_most(subject: &Subject, resource: u32) -> usize {
    let made = subject.survey_now().and_then(|survey| survey.made.get(&resource)?.resource);
    let texels = made.map_or(1 << 22, |desc| (desc.width * u64::from(desc.height)).max(1));
    (BYTES / (texels * TEXEL * 2)).clamp(1, MOST) as usize
}

/// Plays the trace, with copies before and after each of these operations.
fn look(job: &Job, subject: &Subject, wish: &Wish, chosen: &[Timed], raws: &[PathBuf]) -> Result<Found, Refused> {
    let mut input = String::new();
    for (at, raw) in raws.iter().enumerate() {
        let mut one = json!({ "call": chosen[at / 2].call, "submission": chosen[at / 2].submission, "resource": wish.resource, "raw": raw.display().to_string() });
        if at % 2 == 0 {
            one["before"] = true.into();
        }
        for (part, value) in PARTS.iter().zip(wish.parts).filter(|(_, value)| *value != 0) {
            one[*part] = value.into();
        }
        input.push_str(&format!("{one}\n"));
    }
    let mut found = Found::default();
    let mut open: BTreeMap<usize, Copies> = BTreeMap::new();
    let mut failed: BTreeSet<usize> = BTreeSet::new();
    let mut come = 0;
    let ended = replay::lines(job, subject, &["show", "--batch", "-", "--json"], Some(input), |line| {
        let said: Json = serde_json::from_str(line).map_err(Refused::unavailable)?;
        let Some(at) = said["request"].as_u64().and_then(|at| usize::try_from(at).ok()).filter(|at| *at < raws.len())
        else {
            return Ok(());
        };
        come += 1;
        job.progress(come, raws.len() as u64, || format!("call {}", said["call"]));
        if let Some(why) = said["error"].as_str() {
            // One of both is enough to know nothing; an operation is counted once.
            if failed.insert(at / 2) {
                *found.left_out.entry(why.to_owned()).or_default() += 1;
            }
            open.remove(&(at / 2));
            return Ok(());
        }
        let bytes =
            std::fs::read(&raws[at]).map_err(|error| Refused::unavailable(format!("the raw texels: {error}")))?;
        // As many copies as a frame has would fill a disk.
        let _ = (std::fs::remove_file(&raws[at]), std::fs::remove_file(raws[at].with_extension("raw.json")));
        if failed.contains(&(at / 2)) {
            return Ok(());
        }
        let copies = open.entry(at / 2).or_default();
        match at % 2 {
            0 => copies.before = Some(bytes),
            _ => {
                copies.after = Some(bytes);
                for note in said["notes"].as_array().into_iter().flatten().filter_map(Json::as_str) {
                    *found.notes.entry(note.to_owned()).or_default() += 1;
                }
            }
        }
        if let Some(Copies { before: Some(before), after: Some(after) }) = open.get(&(at / 2)) {
            found.spread(&said, chosen[at / 2], before, after);
            open.remove(&(at / 2));
        }
        Ok(())
    });
    // The command fails where it refuses one of them; the others are there.
    match ended {
        Err(why) if come < raws.len() as u64 => Err(why),
        Ok(()) if come < raws.len() as u64 => {
            Err(Refused::unavailable("the replay ended before it came to the frame's end"))
        }
        _ => Ok(found),
    }
}

impl Found {
    /// Spreads the time of an operation over what it changed.
    fn spread(&mut self, said: &Json, Timed { call, ns, .. }: Timed, before: &[u8], after: &[u8]) {
        let number = |name: &str| said[name].as_u64().unwrap_or(0);
        let (size, texel) = ((number("width"), number("height")), number("bytes_per_texel") as usize);
        let texels = (size.0 * size.1) as usize;
        if texel == 0 || before.len() != after.len() || after.len() < texels * texel {
            *self
                .left_out
                .entry("its texels are not bytes of their own, or it has another size there".into())
                .or_default() += 1;
            return;
        }
        if self.heat.is_empty() {
            (self.size, self.heat) = (size, vec![0.0; texels]);
        }
        if self.size != size {
            *self.left_out.entry("the texture has another size there".into()).or_default() += 1;
            return;
        }
        let pairs = || before.chunks_exact(texel).zip(after.chunks_exact(texel)).zip(0..texels);
        let changed = pairs().filter(|((before, after), _)| before != after).count();
        if changed == 0 {
            self.unchanged += 1;
            return;
        }
        let each = (ns / changed as f64) as f32;
        for (_, at) in pairs().filter(|((before, after), _)| before != after) {
            self.heat[at] += each;
        }
        self.changed.push((call, changed as u64, ns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_texel_has_its_part_of_what_changed_it() {
        let of = |call, ns| Timed { submission: 9, call, ns };
        let said = json!({ "width": 2, "height": 2, "bytes_per_texel": 2 });
        let mut found = Found::default();
        found.spread(&said, of(7, 300.0), &[0, 0, 1, 1, 2, 2, 3, 3], &[0, 1, 1, 1, 9, 2, 8, 8]);
        found.spread(&said, of(8, 50.0), &[0; 8], &[0, 0, 0, 0, 0, 0, 0, 5]);
        found.spread(&said, of(9, 70.0), &[4; 8], &[4; 8]);
        assert_eq!(found.heat, [100.0, 0.0, 100.0, 150.0]);
        assert_eq!((found.changed, found.unchanged), (vec![(7, 3, 300.0), (8, 1, 50.0)], 1));
        let mut other = Found::default();
        other.spread(&json!({ "width": 4, "height": 4, "bytes_per_block": 8 }), of(7, 1.0), &[0; 8], &[1; 8]);
        assert_eq!((other.heat.len(), other.left_out.len()), (0, 1));
    }
}
