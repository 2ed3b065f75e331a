//! NaN and infinity that draws and dispatches write to render targets and unordered views of floats: the first call, the first element.
//!
//! `writes` goes over the trace for what draws and dispatches write. The trace is then played with looks (`resource_dump`) at both ends of
//! each run of such calls. Where an element became NaN or infinite in between, the run is split and played again, until one call is left.
//! Invariant: an element that was NaN or infinite before a call is not that call's finding, so what programs upload, clear to or copy is none.

mod writes;

use std::collections::{BTreeMap, HashMap, HashSet};

use reprise_trace::read::Trace;

use crate::error::Error;
use crate::marks::{Element, Look, NoNumber};
use crate::resource_dump::Point;
use writes::Run;

/// Parts that a run is split into each time it is played.
const PARTS: usize = 16;

/// An element of a resource that a call made NaN or infinite.
#[derive(Clone, PartialEq, Debug)]
pub struct NotNumber {
    /// What it holds.
    pub what: NoNumber,
    /// Its resource, by id.
    pub resource: u32,
    /// The draw or dispatch. In a render pass or bundle: the first that writes the resource there.
    pub call: u64,
    /// The last that can have been it; `call` itself where that is sure.
    pub last: u64,
    /// The list that it stands in.
    pub list: u32,
    /// The call that submitted it.
    pub submission: u64,
    /// `DXGI_FORMAT` of the view.
    pub format: u32,
    /// Whether it was written through a render target view, and not an unordered one.
    pub target: bool,
    /// The first such element.
    pub element: Element,
    /// Its channels, where they are known.
    pub values: Vec<f32>,
    /// Elements that became so there.
    pub elements: u64,
}

/// What a search for NaN and infinity found.
#[derive(Clone, Debug, Default)]
pub struct NanReport {
    /// In the order in which the GPU came to them; one for each resource and kind.
    pub findings: Vec<NotNumber>,
    /// Draws and dispatches that write floats, each target and view counted.
    pub writes: u64,
    /// Runs of such writes that were looked at.
    pub looked_at: u64,
    /// How often the trace was played.
    pub rounds: u32,
    /// What was not looked at, by reason.
    pub left_out: BTreeMap<String, u64>,
}

/// A part of a run, between two looks.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    run: usize,
    /// Its writes, the last one not included.
    from: usize,
    to: usize,
    /// What is looked for; both where nothing was found yet.
    what: Option<NoNumber>,
}

/// A run of calls in which an element became NaN or infinite.
struct Hit {
    at: (u64, usize),
    stretch: Stretch,
    what: NoNumber,
    element: Element,
    values: Vec<f32>,
    elements: u64,
}

/// What points showed, by their number.
type Looks = HashMap<usize, Result<Look, String>>;

/// Searches a trace; `play` plays it once with looks at these points. With `words`, raw and structured views are taken for floats.
///
/// # Errors
/// The trace cannot be read or played.
pub(crate) fn hunt(
    trace: &Trace,
    each: bool,
    words: bool,
    mut play: impl FnMut(Vec<Point>) -> Result<Looks, Error>,
) -> Result<NanReport, Error> {
    let writes::Found { runs, left_out } = writes::find(trace, words)
        .map_err(|what| Error::Plan { what: format!("looking for what writes floats: {what}") })?;
    let mut report = NanReport { left_out, ..NanReport::default() };
    report.writes = runs.iter().map(|run| run.writes.len() as u64).sum();
    report.looked_at = runs.len() as u64;
    let whole = |run: usize| (run, 0, runs[run].writes.len());
    let mut open: Vec<Stretch> = (0..runs.len())
        .map(whole)
        .flat_map(|(run, from, to)| match each {
            true => (from..to).map(|at| Stretch { run, from: at, to: at + 1, what: None }).collect(),
            false => vec![Stretch { run, from, to, what: None }],
        })
        .collect();
    let mut first = true;
    loop {
        let (points, ends) = points(&runs, &open);
        // The first time also where there is nothing to look at: the caller wants the trace played.
        if points.is_empty() && !first {
            break;
        }
        let mut looks = play(points)?;
        report.rounds += 1;
        if first {
            for failure in looks.values().filter_map(|look| look.as_ref().err()) {
                *report.left_out.entry(failure.clone()).or_default() += 1;
            }
        }
        let mut hits: Vec<Hit> = Vec::new();
        for (stretch, ends) in open.iter().zip(&ends) {
            hits.extend(compare(*stretch, *ends, &looks));
        }
        looks.clear();
        let wanted: HashSet<(usize, NoNumber)> =
            open.iter().filter_map(|stretch| Some((stretch.run, stretch.what?))).collect();
        let found: HashSet<(usize, NoNumber)> = hits.iter().map(|hit| (hit.stretch.run, hit.what)).collect();
        for (run, _) in wanted.difference(&found) {
            let reason = format!(
                "the replays differ: an element of resource {} was NaN or infinite in one replay and a number in the next",
                runs[*run].part.resource
            );
            *report.left_out.entry(reason).or_default() += 1;
        }
        hits.sort_by_key(|hit| hit.at);
        open.clear();
        let mut known: HashSet<(u32, NoNumber)> =
            report.findings.iter().map(|found| (found.resource, found.what)).collect();
        for hit in hits {
            let run = &runs[hit.stretch.run];
            if !known.insert((run.part.resource, hit.what)) {
                continue;
            }
            let Stretch { from, to, .. } = hit.stretch;
            if to - from == 1 {
                report.findings.push(finding(run, hit));
                continue;
            }
            let size = (to - from).div_ceil(PARTS);
            open.extend((from..to).step_by(size).map(|at| Stretch {
                run: hit.stretch.run,
                from: at,
                to: (at + size).min(to),
                what: Some(hit.what),
            }));
        }
        first = false;
        if open.is_empty() {
            break;
        }
    }
    report.findings.sort_by_key(|found| (found.submission, found.call, found.what));
    Ok(report)
}

/// The looks at both ends of each stretch; a look that two stretches share, because one follows the other, is one. Gives the numbers of each stretch's two.
fn points(runs: &[Run], stretches: &[Stretch]) -> (Vec<Point>, Vec<[usize; 2]>) {
    let mut points = Vec::new();
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let ends = stretches.iter().map(|stretch| {
        let run = &runs[stretch.run];
        // Between two writes of a run nothing writes: what one left is what the next one found.
        [stretch.from, stretch.to].map(|end| {
            let before = end == 0;
            let call = if before { run.writes[0].before } else { run.writes[end - 1].after };
            *known.entry((stretch.run, end)).or_insert_with(|| {
                points.push(Point {
                    list: run.list,
                    call,
                    before,
                    resource: run.part.resource,
                    subresource: run.part.subresource,
                    bytes: run.part.bytes,
                    format: Some(run.part.format),
                });
                points.len() - 1
            })
        })
    });
    let ends = ends.collect();
    (points, ends)
}

/// What became NaN or infinite in a run of calls.
fn compare(stretch: Stretch, ends: [usize; 2], looks: &Looks) -> Vec<Hit> {
    let [Some(Ok(before)), Some(Ok(after))] = ends.map(|end| looks.get(&end)) else { return Vec::new() };
    let wanted = NoNumber::ALL.into_iter().filter(|what| stretch.what.is_none_or(|wanted| wanted == *what));
    let hit = |what| {
        let (element, elements) = after.marks.since(&before.marks, what)?;
        let (place, values) = (after.marks.place(element), after.marks.value(element));
        Some(Hit { at: after.at, stretch, what, element: place, values, elements })
    };
    wanted.filter_map(hit).collect()
}

fn finding(run: &Run, hit: Hit) -> NotNumber {
    let write = run.writes[hit.stretch.from];
    NotNumber {
        what: hit.what,
        resource: run.part.resource,
        call: write.first,
        last: write.last,
        list: run.list,
        submission: hit.at.0,
        format: run.part.format,
        target: run.part.target,
        element: hit.element,
        values: hit.values,
        elements: hit.elements,
    }
}
