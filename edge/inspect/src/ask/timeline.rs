//! The timeline: calls of threads, operations of queues and values of fences, by time.

use super::calls;
use crate::answer::{Deadline, Refused};
use crate::parameters::Parameters;
use crate::subject::Subject;
use crate::subject::grid::Slice;
use crate::subject::kind::{self, Kind};
use crate::subject::queues::{Operation, Seen};
use crate::subject::survey::{BLOCK, Survey};
use reprise_times::Placed;
use reprise_view::api;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};

/// Calls that are told one by one.
const CALLS: usize = 2000;
/// Calls that are read again to tell buckets that are finer than the survey's.
const SCANNED: u64 = 1 << 18;
/// Events of a queue or fence that are told.
const EVENTS: usize = 2000;
/// Frames that are told.
const FRAMES: usize = 2000;

/// A range of time in buckets.
struct Buckets {
    begin: u64,
    end: u64,
    count: u64,
}

impl Buckets {
    /// Nanoseconds of one.
    fn width(&self) -> f64 {
        (self.end - self.begin) as f64 / self.count as f64
    }

    /// The bucket of a time; `None` outside.
    fn of(&self, time: u64) -> Option<u64> {
        let within = (self.begin..self.end).contains(&time);
        within.then(|| (((time - self.begin) as f64 / self.width()) as u64).min(self.count - 1))
    }
}

/// A thread's calls: number, begin, end, method.
type Calls = Vec<(u64, u64, u64, u16)>;

pub(crate) fn of(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let survey = subject.survey(until)?;
    let last = survey.end_ns.saturating_add(1);
    let begin = with.number::<u64>("begin")?.unwrap_or(0).min(last - 1);
    let end = with.number::<u64>("end")?.unwrap_or(last).min(last);
    if end <= begin {
        return Err(Refused::question("end must be later than begin"));
    }
    let count = with.number::<u64>("buckets")?.unwrap_or(1000).clamp(1, 4000);
    let buckets = Buckets { begin, end, count };
    let blocks = overlapping(survey, begin, end);
    let rows = (blocks.1 - blocks.0) as u64 * BLOCK;
    let fine = rows <= SCANNED;
    let (slices, calls) =
        if fine { scanned(subject, survey, &buckets, blocks, until)? } else { coarse(survey, &buckets) };
    let threads: Vec<Json> = survey
        .threads
        .iter()
        .map(|(thread, of)| {
            let none = BTreeMap::new();
            let own = slices.get(thread).unwrap_or(&none);
            let bucket = |(place, slice): (&u64, &Slice)| {
                json!([place, slice.calls, slice.draws, slice.submissions, slice.busy_ns])
            };
            let told = calls.as_ref().map(|calls| {
                let call = |(call, begin, end, method): &(u64, u64, u64, u16)| {
                    let name = api::method(*method).map_or("", |method| method.name);
                    json!([call, begin, end, kind::of(*method).name(), name])
                };
                calls.get(thread).map(|calls| calls.iter().map(call).collect::<Vec<_>>()).unwrap_or_default()
            });
            json!({
                "thread": thread, "name": of.name, "buckets": own.iter().map(bucket).collect::<Vec<_>>(), "calls": told,
            })
        })
        .collect();
    let (frames, frames_more) = frames(survey, &buckets);
    Ok(json!({
        "begin": begin, "end": end, "bucket_ns": buckets.width(), "duration_ns": survey.end_ns,
        "threads": threads, "frames": frames, "frames_more": frames_more,
        "queues": queues(survey, &buckets), "fences": fences(survey, &buckets), "gpu": gpu(subject, survey, &buckets),
    }))
}

/// The blocks in which calls of a time may be: the first, and the one behind the last.
fn overlapping(survey: &Survey, begin: u64, end: u64) -> (usize, usize) {
    let meets = |block: &crate::subject::survey::Block| block.begin_ns < end && block.end_ns >= begin;
    let first = survey.blocks.iter().position(meets).unwrap_or(survey.blocks.len());
    let last = survey.blocks.iter().rposition(meets).map_or(first, |last| last + 1);
    (first, last)
}

/// Slices by thread and bucket, and calls by thread.
type Read = (HashMap<u32, BTreeMap<u64, Slice>>, Option<HashMap<u32, Calls>>);

fn coarse(survey: &Survey, buckets: &Buckets) -> Read {
    let mut all: HashMap<u32, BTreeMap<u64, Slice>> = HashMap::new();
    let width = survey.grid.width;
    for (thread, slices) in &survey.grid.threads {
        let own = all.entry(*thread).or_default();
        let first = slices.partition_point(|(place, _)| (u64::from(*place) + 1).saturating_mul(width) <= buckets.begin);
        for (place, slice) in &slices[first..] {
            let time = (u64::from(*place) * width).max(buckets.begin);
            match buckets.of(time) {
                Some(bucket) => own.entry(bucket).or_default().add(slice),
                None => break,
            }
        }
    }
    (all, None)
}

fn scanned(
    subject: &Subject,
    survey: &Survey,
    buckets: &Buckets,
    blocks: (usize, usize),
    until: &Deadline,
) -> Result<Read, Refused> {
    let mut calls: HashMap<u32, Calls> = HashMap::new();
    let mut slices: HashMap<u32, BTreeMap<u64, Slice>> = HashMap::new();
    let rows = (blocks.1 - blocks.0) as u64 * BLOCK;
    calls::scan(subject, survey, blocks.0 as u64 * BLOCK, rows, until, |_, event| {
        if let Some(bucket) = buckets.of(event.time_ns) {
            let kind = kind::of(event.method);
            let slice = Slice {
                calls: 1,
                draws: u64::from(kind.draws()),
                submissions: u64::from(kind == Kind::Submit),
                busy_ns: 0,
            };
            slices.entry(event.thread).or_default().entry(bucket).or_default().add(&slice);
            let own = calls.entry(event.thread).or_default();
            if own.len() <= CALLS {
                own.push((event.number, event.time_ns, event.time_ns, event.method));
            }
        }
        true
    })?;
    let few = calls.values().map(Vec::len).sum::<usize>() <= CALLS;
    if few {
        ends(subject, survey, &mut calls, until)?;
    }
    // A call that began before the range and ends in it or behind it took long: the survey has kept it.
    for (thread, call, begin, end, method) in &survey.long {
        if *begin < buckets.end && *end > buckets.begin {
            let own = calls.entry(*thread).or_default();
            match own.iter_mut().find(|(number, ..)| number == call) {
                Some(found) => found.2 = *end,
                None if *begin < buckets.begin => own.push((*call, *begin, *end, *method)),
                None => {}
            }
        }
    }
    for (thread, own) in &mut calls {
        own.sort_unstable_by_key(|(call, begin, ..)| (*begin, *call));
        busy(buckets, own, slices.entry(*thread).or_default());
    }
    Ok((slices, few.then_some(calls)))
}

/// Finds the ends of calls.
fn ends(subject: &Subject, survey: &Survey, calls: &mut HashMap<u32, Calls>, until: &Deadline) -> Result<(), Refused> {
    let first = calls.values().flatten().map(|(call, ..)| *call).min();
    let Some(first) = first.filter(|_| survey.rows > 0) else { return Ok(()) };
    let mut open: HashMap<u64, (u32, usize)> = HashMap::new();
    for (thread, own) in calls.iter() {
        for (place, (call, _, _, method)) in own.iter().enumerate() {
            let leaves =
                api::method(*method).is_some_and(|method| method.order == reprise_d3d12::model::Order::EnterLeave);
            if leaves {
                open.insert(*call, (*thread, place));
            }
        }
    }
    let mut events = subject.trace.from_call(first).without_pages();
    let mut read = 0;
    while !open.is_empty() && read < SCANNED * 2 {
        let Some(event) = events.next()? else { break };
        until.check()?;
        read += 1;
        if event.kind == reprise_trace::record::Kind::Leave
            && let Some((thread, place)) = open.remove(&event.number)
            && let Some(call) = calls.get_mut(&thread).and_then(|own| own.get_mut(place))
        {
            call.2 = event.time_ns.max(call.1);
        }
    }
    Ok(())
}

/// Adds the time within calls to the buckets; a call within another one counts once.
fn busy(buckets: &Buckets, calls: &Calls, slices: &mut BTreeMap<u64, Slice>) {
    let mut reached = buckets.begin;
    for (_, begin, end, _) in calls {
        let (from, to) = ((*begin).max(reached), (*end).min(buckets.end));
        if to <= from {
            continue;
        }
        reached = to;
        let (Some(first), Some(last)) = (buckets.of(from), buckets.of(to - 1)) else { continue };
        for bucket in first..=last {
            let start = buckets.begin + (bucket as f64 * buckets.width()) as u64;
            let next = buckets.begin + ((bucket + 1) as f64 * buckets.width()) as u64;
            let part = to.min(next).saturating_sub(from.max(start));
            slices.entry(bucket).or_default().busy_ns += part;
        }
    }
}

fn frames(survey: &Survey, buckets: &Buckets) -> (Vec<Json>, usize) {
    let first = survey.frames.partition_point(|frame| frame.end_ns < buckets.begin);
    let end = survey.frames.partition_point(|frame| frame.begin_ns < buckets.end);
    let all = survey.frames.get(first..end).unwrap_or_default();
    let frame = |(frame, number): (&crate::subject::survey::Frame, usize)| json!({ "frame": number, "begin": frame.begin_ns, "end": frame.end_ns });
    let told = all.iter().zip(first + 1..).take(FRAMES).map(frame).collect();
    (told, all.len().saturating_sub(FRAMES))
}

fn queues(survey: &Survey, buckets: &Buckets) -> Vec<Json> {
    let mut by_queue: BTreeMap<u32, Vec<&Operation>> = BTreeMap::new();
    for operation in &survey.operations {
        let own = by_queue.entry(operation.object).or_default();
        if operation.time_ns < buckets.end && operation.end_ns >= buckets.begin {
            own.push(operation);
        }
    }
    by_queue.iter().map(|(queue, operations)| self::queue(survey, buckets, *queue, operations)).collect()
}

fn queue(survey: &Survey, buckets: &Buckets, queue: u32, operations: &[&Operation]) -> Json {
    let event = |operation: &&Operation| {
        let mut json = json!({
            "kind": operation.kind.name(), "call": operation.call, "time_ns": operation.time_ns, "end_ns": operation.end_ns,
            "frame": u64::from(operation.frame) + 1,
        });
        if operation.submission != 0 {
            json["submission"] = operation.submission.into();
            json["lists"] = operation.lists.into();
        }
        if let Some((fence, value)) = operation.fence {
            json["fence"] = fence.into();
            json["value"] = value.to_string().into();
        }
        json
    };
    let more = operations.len().saturating_sub(EVENTS);
    let counted = (more > 0).then(|| {
        let mut counts: BTreeMap<u64, [u64; 4]> = BTreeMap::new();
        for operation in operations {
            let place = match operation.kind {
                Kind::Submit => 0,
                Kind::Signal => 1,
                Kind::Wait => 2,
                Kind::Present => 3,
                _ => continue,
            };
            if let Some(bucket) = buckets.of(operation.time_ns) {
                counts.entry(bucket).or_default()[place] += 1;
            }
        }
        counts.iter().map(|(bucket, [a, b, c, d])| json!([bucket, a, b, c, d])).collect::<Vec<_>>()
    });
    json!({
        "queue": survey.object_json(queue),
        "type": survey.queue_types.get(&queue),
        "events": operations.iter().take(EVENTS).map(event).collect::<Vec<_>>(),
        "more": more,
        "buckets": counted,
    })
}

/// What the GPU did by a measurement, a track for each queue that was timed.
fn gpu(subject: &Subject, survey: &Survey, buckets: &Buckets) -> Vec<Json> {
    let Ok(Some(costs)) = subject.measured() else { return Vec::new() };
    let mut submitted: Vec<&Operation> = survey.operations.iter().filter(|one| one.submission != 0).collect();
    submitted.sort_unstable_by_key(|operation| operation.call);
    let numbers: HashMap<u64, u64> = submitted.iter().map(|one| (one.call, one.submission)).collect();
    let mut tracks: BTreeMap<u32, Vec<Placed>> = BTreeMap::new();
    for placed in costs.placed(submitted.iter().map(|one| (one.call, one.object, one.end_ns))) {
        let track = tracks.entry(placed.queue).or_default();
        if placed.begin < buckets.end as f64 && placed.end >= buckets.begin as f64 {
            track.push(placed);
        }
    }
    let track = |(queue, all): (&u32, &Vec<Placed>)| {
        let submission = |placed: &Placed| {
            let number = numbers.get(&placed.call);
            json!({ "call": placed.call, "submission": number, "begin_ns": placed.begin, "end_ns": placed.end })
        };
        let operation = |(call, begin, end): (u64, f64, f64)| {
            let name = costs.times.operations.get(&call).map_or("", |one| one.method.as_str());
            json!([call, begin, end, super::costs::kind_of(name), name])
        };
        let count: usize = all.iter().map(|placed| costs.of(placed.call).len()).sum();
        let calls = all.iter().flat_map(|placed| costs.operations_of(placed)).map(operation);
        json!({
            "queue": survey.object_json(*queue), "submissions": all.iter().take(EVENTS).map(submission).collect::<Vec<_>>(),
            "more": all.len().saturating_sub(EVENTS), "calls": (count <= CALLS).then(|| calls.collect::<Vec<_>>()),
        })
    };
    tracks.iter().map(track).collect()
}

fn fences(survey: &Survey, buckets: &Buckets) -> Vec<Json> {
    let mut by_fence: BTreeMap<u32, Vec<&Seen>> = BTreeMap::new();
    for seen in &survey.seen {
        if seen.time_ns < buckets.end && seen.end_ns >= buckets.begin {
            by_fence.entry(seen.fence).or_default().push(seen);
        }
    }
    let fence = |(fence, all): (&u32, &Vec<&Seen>)| {
        let event = |seen: &&Seen| {
            json!({
                "kind": seen.what, "call": seen.call, "time_ns": seen.time_ns, "end_ns": seen.end_ns,
                "value": seen.value.to_string(),
            })
        };
        json!({
            "fence": survey.object_json(*fence),
            "events": all.iter().take(EVENTS).map(event).collect::<Vec<_>>(),
            "more": all.len().saturating_sub(EVENTS),
        })
    };
    by_fence.iter().map(fence).collect()
}
