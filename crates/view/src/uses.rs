//! Uses of resources, for people and programs: who wrote one before a call and who does next, and how its subresources stand.
//!
//! `reprise_lint` tells what a use is; this module walks, stops where the answer is known, and gives names to numbers.

use crate::api;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::{function, interface, method};
use reprise_lint::{Linter, Moment, Part, Reached, Stand, Standing, Used, Wish};
use reprise_timeline::State;
use reprise_timeline::index::{Index, IndexError};
use reprise_timeline::state::lists::records;
use reprise_timeline::walk::{Pass, Walk};
use reprise_trace::read::{ReadError, Trace};
use reprise_trace::record::Kind;
use serde::Serialize;
use std::collections::BTreeMap;

/// Calls that give out resources which no call of the program describes, and whose uses are followed.
const GIVEN: [MethodId; 2] = [method("IDXGISwapChain", "GetBuffer"), function("vkd3d_create_image_resource")];
const RESOURCE: InterfaceId = interface("ID3D12Resource");
/// Calls between two reports of progress.
const STEP: u64 = 1 << 14;

/// Subresources: of mips, layers and planes the first one and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PartReport {
    /// The first level.
    pub mip: u32,
    /// How many levels.
    pub mips: u32,
    /// The first layer of an array.
    pub layer: u32,
    /// How many layers.
    pub layers: u32,
    /// The first plane: 1 is stencil, or chroma.
    pub plane: u32,
    /// How many planes.
    pub planes: u32,
}

/// A use of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UseReport {
    /// The call; of a store the last one before it was noticed.
    pub call: u64,
    /// Absent of stores and of what the program saw in mapped memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The frame, from 1: of a list's call that of the submission.
    pub frame: u64,
    /// The resource.
    pub resource: u32,
    /// `clear`, `render_target`, `copy_source` and so on.
    pub kind: &'static str,
    /// Contents may be others after it.
    pub writes: bool,
    /// `certain`, `likely` (a shader is made for it) or `possible` (a shader may pick it out of many).
    pub sure: &'static str,
    /// The list that ran: of a bundle's command the list that ran the bundle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<u32>,
    /// The submission that ran it; none of the processor's uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<RanBy>,
    /// The subresources.
    pub parts: Vec<PartReport>,
    /// These are all that the resource has.
    pub whole: bool,
    /// The first byte and how many, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<[u64; 2]>,
}

/// A submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RanBy {
    /// Among all submissions, from 1.
    pub number: u64,
    /// The call.
    pub call: u64,
    /// The queue.
    pub queue: u32,
}

/// How some subresources stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StandReport {
    /// The subresources.
    #[serde(flatten)]
    pub part: PartReport,
    /// `state`, `layout`, `split` or `unknown`.
    pub kind: &'static str,
    /// `D3D12_RESOURCE_STATES` or `D3D12_BARRIER_LAYOUT`, or both sides of a split barrier; null where it is not known.
    pub state: Option<String>,
    /// The call that brought them there: a barrier, a use that promoted them, or their creation.
    pub call: u64,
}

/// How a resource is used around a call.
#[derive(Clone, Debug, Serialize)]
pub struct UsageReport {
    /// The resource.
    pub resource: u32,
    /// `submission`: as the call finds it when its list runs first; `processor`: behind all that was submitted before the call;
    /// `not_run`: the same of a call whose list no submission runs.
    pub at: &'static str,
    /// The call of that submission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<u64>,
    /// Why its uses are not told, where they are not; then the rest says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// How its subresources stand; empty where that is not followed.
    pub subresources: Vec<StandReport>,
    /// The last write before the call.
    pub previous_write: Option<UseReport>,
    /// The first write behind the call.
    pub next_write: Option<UseReport>,
    /// What the call itself does with it.
    pub here: Vec<UseReport>,
    /// Calls whose arguments cannot be read: their uses are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damaged: Option<u64>,
}

impl UsageReport {
    /// Of a resource that nothing in the trace describes.
    fn unfollowed(resource: u32) -> UsageReport {
        UsageReport {
            resource,
            reason: Some(
                "its uses are not followed: no call of the trace describes it (it was opened by a handle, or made in another way)",
            ),
            at: "processor",
            submission: None,
            subresources: Vec::new(),
            previous_write: None,
            next_write: None,
            here: Vec::new(),
            damaged: None,
        }
    }
}

impl From<Part> for PartReport {
    fn from(part: Part) -> PartReport {
        let [(mip, mips), (layer, layers), (plane, planes)] = [part.mips, part.layers, part.planes];
        PartReport { mip, mips, layer, layers, plane, planes }
    }
}

impl From<&Used> for UseReport {
    fn from(used: &Used) -> UseReport {
        UseReport {
            call: used.call,
            method: used.method.map(api::name),
            frame: u64::from(used.frame) + 1,
            resource: used.resource,
            kind: used.role.name(),
            writes: used.role.writes(),
            sure: used.sure.name(),
            list: used.list,
            submission: used.submission.map(|(queue, number, call)| RanBy { number, call, queue }),
            parts: used.parts.iter().map(|part| PartReport::from(*part)).collect(),
            whole: used.whole,
            bytes: used.bytes.map(|(first, count)| [first, count]),
        }
    }
}

impl From<&Stand> for StandReport {
    fn from(stand: &Stand) -> StandReport {
        let codec = api::codec();
        let state = |bits| api::value_name(&codec, "D3D12_RESOURCE_STATES", bits);
        let (kind, state) = match stand.standing {
            Standing::Unknown => ("unknown", None),
            Standing::State(bits) => ("state", Some(state(bits))),
            Standing::Layout(layout) => ("layout", Some(api::value_name(&codec, "D3D12_BARRIER_LAYOUT", layout))),
            Standing::Split { before, after } => ("split", Some(format!("{} to {}", state(before), state(after)))),
        };
        StandReport { part: stand.part.into(), kind, state, call: stand.call }
    }
}

/// Gives all uses of a trace, in the order in which they happen, with the state behind them; both say whether to go on, and `progress` is told
/// the calls.
///
/// # Errors
/// The trace cannot be read.
pub fn each(
    trace: &Trace,
    resource: Option<u32>,
    progress: &mut dyn FnMut(u64) -> bool,
    each: &mut dyn FnMut(&State, &Used) -> bool,
) -> Result<(), ReadError> {
    let wish = Wish { resource, moment: None };
    follow(trace, wish, progress, |linter, _| {
        let uses = linter.take_uses();
        uses.iter().all(|used| each(linter.state(), used))
    })
    .map(drop)
}

/// A call and a resource, with what has to be known of the call before the walk.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    resource: u32,
    moment: Moment,
    /// A list or bundle records it.
    recorded: bool,
    /// Calls before it that cannot be read.
    damaged: u64,
    /// The uses of the resource are followed.
    followed: bool,
}

impl Asked {
    /// A question about a resource at a call; none where no such resource exists then.
    ///
    /// # Errors
    /// There is no such call, or the trace cannot be read.
    pub fn of(trace: &Trace, index: &mut Index, call: u64, resource: u32) -> Result<Option<Asked>, IndexError> {
        let moment = index.at(trace, call, &mut |_| {})?;
        let recorded = records(MethodId(moment.call.method));
        let list = if recorded { moment.call.object } else { 0 };
        let bundle = recorded && moment.state.lists.get(list).is_some_and(|list| list.is_bundle());
        let damaged = moment.state.damaged.calls;
        // What a swap chain or Vulkan made is known by the call that gave it out; nothing describes it as a resource.
        let given = |method: MethodId| GIVEN.contains(&method);
        let object = moment.state.objects.get(resource);
        let followed =
            moment.state.memory.resource(resource).is_some() || object.is_some_and(|object| given(object.method()));
        let exists = followed || object.is_some_and(|object| object.interface().derives_from(RESOURCE));
        Ok(exists.then_some(Asked { resource, moment: Moment { call, list, bundle }, recorded, damaged, followed }))
    }
}

/// How a resource is used around a call. The walk ends where the next write is known.
///
/// # Errors
/// The trace cannot be read.
pub fn around(trace: &Trace, asked: Asked, progress: &mut dyn FnMut(u64) -> bool) -> Result<UsageReport, ReadError> {
    let Asked { resource, moment, recorded, mut damaged, followed } = asked;
    if !followed {
        return Ok(UsageReport::unfollowed(resource));
    }
    let call = moment.call;
    let wish = Wish { resource: Some(resource), moment: Some(moment) };
    let (mut uses, mut fallback, mut found) = (Vec::<Used>::new(), None, None::<Reached>);
    let mut onward = Onward::default();
    let linter = follow(trace, wish, progress, |linter, number| {
        uses.extend(linter.take_uses());
        if number >= call && fallback.is_none() {
            let stands = linter.stands(resource);
            fallback = Some(Reached { uses: uses.len(), stands, submission: None });
        }
        if found.is_none() {
            found = linter.reached().cloned();
        }
        let Some(found) = &found else { return true };
        !onward.finds(&uses, call, found)
    })?;
    damaged = damaged.max(linter.state().damaged.calls);
    let at = match (&found, recorded) {
        (Some(_), true) => "submission",
        (_, false) => "processor",
        (None, true) => "not_run",
    };
    let found = found.or(fallback).unwrap_or_default();
    let (before, behind) = uses.split_at(found.uses.min(uses.len()));
    Ok(UsageReport {
        resource,
        reason: None,
        at,
        submission: found.submission,
        subresources: found.stands.iter().map(StandReport::from).collect(),
        previous_write: before.iter().rev().find(|used| used.role.writes()).map(UseReport::from),
        next_write: behind.iter().find(|used| used.role.writes() && !is_here(used, call, &found)).map(UseReport::from),
        here: behind.iter().filter(|used| is_here(used, call, &found)).map(UseReport::from).collect(),
        damaged: (damaged != 0).then_some(damaged),
    })
}

/// Looks for the first write behind a moment in a list that grows, at each use once.
#[derive(Debug, Default)]
struct Onward {
    /// How many uses were looked at, or came before the moment.
    looked: usize,
}

impl Onward {
    /// Whether one of the uses that are new since it was asked last is a write behind the moment.
    fn finds(&mut self, uses: &[Used], call: u64, found: &Reached) -> bool {
        let new = uses.get(self.looked.max(found.uses)..).unwrap_or_default();
        self.looked = uses.len();
        new.iter().any(|used| used.role.writes() && !is_here(used, call, found))
    }
}

/// Whether a use is that of the call, in the submission that is looked at.
fn is_here(used: &Used, call: u64, found: &Reached) -> bool {
    used.call == call && used.method.is_some() && used.submission.map(|(.., call)| call) == found.submission
}

/// Walks a trace with its uses noted. `step` is asked before each call and once behind the last one, with `u64::MAX`: false ends the walk.
fn follow<'t>(
    trace: &'t Trace,
    wish: Wish,
    progress: &mut dyn FnMut(u64) -> bool,
    mut step: impl FnMut(&mut Linter<'t>, u64) -> bool,
) -> Result<Linter<'t>, ReadError> {
    let mut linter = Linter::new(trace);
    linter.note_uses(wish);
    let mut walk = Walk::new(&[&mut linter as &mut dyn Pass]);
    let mut events = trace.events();
    while let Some(event) = events.next()? {
        if event.kind == Kind::Enter {
            linter.passes(event.number);
            if !step(&mut linter, event.number) || (event.number % STEP == 0 && !progress(event.number)) {
                return Ok(linter);
            }
        }
        walk.event(&event, &mut [&mut linter]);
    }
    walk.finish(&mut [&mut linter]);
    linter.passes(u64::MAX);
    linter.run_rest();
    step(&mut linter, u64::MAX);
    Ok(linter)
}

/// What a resource was written by last, for lists of resources.
#[derive(Debug, Default)]
pub struct LastWrites(BTreeMap<u32, (u64, Used)>);

impl LastWrites {
    /// The last write of each resource in the whole trace.
    ///
    /// # Errors
    /// The trace cannot be read.
    pub fn of(trace: &Trace, progress: &mut dyn FnMut(u64) -> bool) -> Result<LastWrites, ReadError> {
        let (mut last, mut place) = (BTreeMap::new(), 0);
        follow(trace, Wish::default(), progress, |linter, _| {
            for used in linter.take_uses() {
                if used.role.writes() {
                    last.insert(used.resource, (place, used));
                    place += 1;
                }
            }
            true
        })?;
        Ok(LastWrites(last))
    }

    /// By resource: the place of the write among all, and the write.
    pub fn iter(&self) -> impl Iterator<Item = (u32, (u64, UseReport))> {
        self.0.iter().map(|(resource, (place, used))| (*resource, (*place, UseReport::from(used))))
    }
}

/// `mips 1 to 3, layer 2`; nothing for a buffer or a texture of one subresource.
pub fn part_in_words(part: &PartReport) -> String {
    let one = |name: &str, first: u32, count: u32| match count {
        1 => format!("{name} {first}"),
        _ => format!("{name}s {first} to {}", first.saturating_add(count).saturating_sub(1)),
    };
    [one("mip", part.mip, part.mips), one("layer", part.layer, part.layers), one("plane", part.plane, part.planes)]
        .join(", ")
}

/// A use as a line: the call, what it does, where, and how sure that is.
pub fn use_in_words(it: &UseReport) -> String {
    let method = it.method.as_deref().map(|method| format!(" {}", api::plain(method))).unwrap_or_default();
    let mut text = format!("call {}{method}: {}", it.call, it.kind.replace('_', " "));
    let parts: Vec<String> = it.parts.iter().map(part_in_words).collect();
    match it.bytes {
        Some([first, count]) => {
            text += &format!(", bytes {first} to {}", first.saturating_add(count).saturating_sub(1))
        }
        None => text += &format!(", {}", parts.join("; ")),
    }
    if it.sure != "certain" {
        text += &format!(", {}", it.sure);
    }
    match (&it.submission, it.list) {
        (Some(submission), Some(list)) => text + &format!(" (list {list}, submission {})", submission.call),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reprise_lint::{Role, Sureness};

    fn used(call: u64, role: Role) -> Used {
        Used {
            call,
            frame: 0,
            method: Some(method("ID3D12GraphicsCommandList", "DrawInstanced")),
            list: Some(3),
            submission: Some((2, 1, 90)),
            resource: 7,
            role,
            sure: Sureness::Certain,
            parts: Vec::new(),
            whole: true,
            bytes: None,
        }
    }

    #[test]
    fn each_use_behind_the_moment_is_looked_at_once() {
        let found = Reached { uses: 1, stands: Vec::new(), submission: Some(90) };
        let mut onward = Onward::default();
        // A write before the moment, and one that the call itself does, end nothing.
        let mut uses = vec![used(10, Role::Clear), used(11, Role::RenderTarget), used(12, Role::ShaderResource)];
        assert!(!onward.finds(&uses, 11, &found));
        assert_eq!(onward.looked, 3);
        // What was looked at would end it now, and is not looked at again.
        uses[2].role = Role::RenderTarget;
        assert!(!onward.finds(&uses, 11, &found));
        uses.push(used(13, Role::RenderTarget));
        assert!(onward.finds(&uses, 11, &found));
        // The control: who looks for the first time meets it.
        assert!(Onward::default().finds(&uses[..3], 11, &found));
    }
}
