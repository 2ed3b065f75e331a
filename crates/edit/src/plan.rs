//! What is changed in a trace: edits, checked against all of it before anything is written.
//!
//! Invariant: a plan changes what its edits say and nothing else. Every edit does something, and what it makes impossible has been refused.

use crate::contents;
use crate::dropping::Dropping;
use crate::error::{Error, Refusal};
use crate::force;
use crate::insertion;
use crate::known::{Here, Sizes};
use crate::language::{Action, Calls, Edit, Edits, What, is_named};
use crate::shader;
use crate::survey::{self, Survey};
use reprise_codec::amend::Literal;
use reprise_codec::{Arena, Codec, Place, Placed, Value};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Method, MethodId};
use reprise_timeline::{State, Walk, codec};
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Gives what files hold that edits name. An error is a sentence.
pub type Files<'f> = dyn FnMut(&Path, Option<Source<'_>>) -> Result<Vec<u8>, String> + 'f;

/// How a file of HLSL is compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source<'s> {
    /// As descriptions of pipelines name the stage: `PS`.
    pub stage: &'s str,
    /// The function.
    pub entry: &'s str,
}

/// What is changed.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// By call: its arguments.
    pub(crate) changed: HashMap<u64, Changed>,
    pub(crate) dropped: HashSet<u64>,
    /// Objects that nobody makes any more.
    pub(crate) gone: HashSet<u32>,
    /// By call: what stands before it.
    pub(crate) before: BTreeMap<u64, Vec<New>>,
    /// By call: what stands behind it, and behind its end.
    pub(crate) after: BTreeMap<u64, Vec<New>>,
    /// By number of the store, from 0: its bytes.
    pub(crate) stores: HashMap<u64, Vec<u8>>,
    /// The texts of the edits.
    pub(crate) edits: Vec<String>,
}

/// Other arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct Changed {
    pub(crate) enter: Vec<u8>,
    pub(crate) blobs: Vec<(u32, Content)>,
}

/// A call that no program made.
#[derive(Clone, Debug)]
pub(crate) struct New {
    pub(crate) method: MethodId,
    pub(crate) object: u32,
    pub(crate) enter: Vec<u8>,
    pub(crate) blobs: Vec<(u32, Content)>,
}

/// The contents of a blob.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Recorded(u64),
    New(Arc<[u8]>),
}

impl Plan {
    /// How many calls have other arguments.
    pub fn changed(&self) -> usize {
        self.changed.len()
    }

    /// How many calls are left out.
    pub fn dropped(&self) -> usize {
        self.dropped.len()
    }

    /// How many calls are new.
    pub fn inserted(&self) -> usize {
        self.before.values().chain(self.after.values()).map(Vec::len).sum()
    }

    /// How many stores to memory have other bytes.
    pub fn stores(&self) -> usize {
        self.stores.len()
    }
}

/// Checks edits against a trace.
///
/// # Errors
/// The trace is damaged or lacks something, or an edit cannot be done.
pub fn plan(trace: &Trace, edits: &Edits, files: &mut Files<'_>) -> Result<Plan, Error> {
    whole(trace)?;
    let survey = survey::survey(trace)?;
    let mut planner = Planner {
        trace,
        codec: codec(),
        edits: &edits.list,
        files,
        hits: vec![0; edits.list.len()],
        same: vec![0; edits.list.len()],
        state: State::default(),
        survey: &survey,
        dropping: Dropping::default(),
        plan: Plan { edits: edits.texts().map(str::to_owned).collect(), ..Plan::default() },
    };
    planner.contents()?;
    planner.walk()?;
    planner.finish()
}

/// # Errors
/// The trace lacks something, so nobody could tell what an edit does.
fn whole(trace: &Trace) -> Result<(), Error> {
    let statistics = trace.statistics();
    let cut = trace.meta().get("cut").and_then(|cut| cut.as_str());
    match (cut, statistics.finished, statistics.complete) {
        (Some(why), ..) => Err(Error::Trace(format!("it is cut, and cannot be edited: {why}"))),
        (None, false, _) => {
            Err(Error::Trace("its writer did not finish it; `reprise repair` makes a trace that can be edited".into()))
        }
        (None, true, false) => Err(Error::Trace("it is not complete, and cannot be edited".into())),
        (None, true, true) => Ok(()),
    }
}

pub(crate) struct Planner<'p, 'f> {
    pub(crate) trace: &'p Trace,
    pub(crate) codec: &'static Codec,
    pub(crate) edits: &'p [Edit],
    pub(crate) files: &'p mut Files<'f>,
    /// By edit, how often it did something.
    pub(crate) hits: Vec<u64>,
    /// By edit, how often something was as it says already.
    same: Vec<u64>,
    /// Before the event that is looked at.
    pub(crate) state: State,
    pub(crate) survey: &'p Survey,
    pub(crate) dropping: Dropping,
    pub(crate) plan: Plan,
}

/// A call as it begins, with its edited arguments.
pub(crate) struct Draft<'e> {
    pub(crate) event: &'e Event<'e>,
    pub(crate) method: MethodId,
    pub(crate) enter: Vec<u8>,
    pub(crate) added: Vec<(u32, Arc<[u8]>)>,
    is_changed: bool,
    /// The last edit that changed it.
    by: usize,
}

impl Planner<'_, '_> {
    fn contents(&mut self) -> Result<(), Error> {
        for (index, edit) in self.edits.iter().enumerate() {
            if let What::Contents(what) = &edit.what {
                let bytes = (self.files)(&what.file, None).map_err(|why| refused(edit, 0, why))?;
                let stores = contents::stores(self.trace, self.survey, edit, what, &bytes)?;
                self.hits[index] += stores.len() as u64;
                // Edits of the same store go on with what those before them made of it.
                for store in stores {
                    let bytes = self.plan.stores.entry(store.number).or_insert(store.payload);
                    for (at, part) in store.parts {
                        bytes[at..at + part.len()].copy_from_slice(&part);
                    }
                }
            }
        }
        Ok(())
    }

    fn walk(&mut self) -> Result<(), Error> {
        let trace = self.trace;
        let mut walk = Walk::new(&[&mut self.state]);
        let mut events = trace.events();
        while let Some(event) = events.next().map_err(|error| Error::Trace(error.to_string()))? {
            if event.is_damage() {
                return Err(Error::Trace(format!("it is damaged: {}", event.gap_text())));
            }
            match event.kind {
                Kind::Enter => self.enter(&event)?,
                Kind::Leave => self.leave(&event)?,
                Kind::Memory | Kind::Pages | Kind::Observe => {
                    self.mentions(event.object, event.number, "memory or a value of it is recorded")?
                }
                _ => {}
            }
            walk.event(&event, &mut [&mut self.state]);
        }
        Ok(())
    }

    fn enter(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let id = MethodId(event.method);
        let Some(method) = MODEL.methods.get(usize::from(event.method)) else {
            let name = self.codec.method_name(id);
            return Err(Error::Trace(format!(
                "call {}: {name} is not of this build's model, and the trace cannot be written anew",
                event.number
            )));
        };
        let mut draft =
            Draft { event, method: id, enter: event.payload.to_vec(), added: Vec::new(), is_changed: false, by: 0 };
        let edits = self.edits;
        for (index, edit) in edits.iter().enumerate() {
            let in_frame = edit.frames.as_ref().is_none_or(|frames| frames.contains(&event.frame.saturating_add(1)));
            if !in_frame {
                continue;
            }
            match &edit.what {
                What::Calls(calls, actions) if self.is_meant(edit, calls, event, method)? => {
                    for action in actions {
                        match action {
                            Action::Drop => self.drop(edit, index, event, method)?,
                            Action::Repeat => insertion::repeat(self, edit, index, event, method)?,
                            Action::Set(path, value) => self.set(edit, index, &mut draft, path, value)?,
                        }
                    }
                }
                What::Insert(insert) if insert.call == event.number => {
                    self.hits[index] += 1;
                    insertion::insert(self, edit, insert, event, method)?;
                }
                What::Shader(what) => shader::replace(self, edit, index, what, &mut draft)?,
                What::Force(what) => force::force(self, edit, index, what, &mut draft)?,
                _ => {}
            }
        }
        self.dropping.begin(event, method);
        let is_dropped = self.plan.dropped.contains(&event.number);
        if is_dropped && draft.is_changed {
            let what = "another edit drops the call that this one changes";
            return Err(refused(&edits[draft.by], event.number, what));
        }
        if !is_dropped {
            self.uses(&draft)?;
        }
        self.dropping.pair(self.edits, self.codec, event, method, is_dropped)?;
        if draft.is_changed { self.accept(draft) } else { Ok(()) }
    }

    /// Whether the edit is about this call.
    fn is_meant(&mut self, edit: &Edit, calls: &Calls, event: &Event<'_>, method: &Method) -> Result<bool, Error> {
        if calls.numbers.as_ref().is_some_and(|numbers| !numbers.contains(&event.number)) {
            return Ok(false);
        }
        if let Some(name) = &calls.method
            && !is_named(method, name)
        {
            return match &calls.numbers {
                Some(numbers) if numbers.start() == numbers.end() => {
                    let is = self.codec.method_name(MethodId(event.method));
                    Err(refused(edit, event.number, format!("it is {is}, not {name}")))
                }
                _ => Ok(false),
            };
        }
        if calls.conditions.is_empty() {
            return Ok(true);
        }
        let id = MethodId(event.method);
        let places = self.codec.places(id, event.payload).map_err(|error| Error::Trace(error.to_string()))?;
        for (path, value) in &calls.conditions {
            // An element that is not there has no value, and neither has a member that is not in use.
            let path = spelled(path, method);
            let Some(place) = places.iter().find(|place| place.path == path) else {
                let name = path.split(['.', '[']).next().unwrap_or_default();
                if !method.params.iter().any(|param| param.name == name) {
                    return Err(refused(edit, event.number, missing(&path, &places, method)));
                }
                return Ok(false);
            };
            let is = event.payload.get(place.bytes.clone()).unwrap_or_default();
            let equal = match (place.what.clone(), value) {
                (Placed::Pointer(..), Literal::Null) => is.iter().all(|byte| *byte == 0),
                (Placed::Value(ty, role), value) => {
                    let mut any = Anything(&self.state);
                    let wanted = self.codec.scalar(ty, role, value, &mut any);
                    wanted.map_err(|what| refused(edit, event.number, format!("{path} {what}")))? == is
                }
                _ => {
                    let what = format!("{path} is not one value, and cannot be compared");
                    return Err(refused(edit, event.number, what));
                }
            };
            if !equal {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn drop(&mut self, edit: &Edit, index: usize, event: &Event<'_>, method: &'static Method) -> Result<(), Error> {
        let made = self.survey.makes.get(&event.number).map_or(&[][..], |made| made);
        let gone = |object: u32| self.plan.gone.contains(&object);
        self.dropping
            .check(event, method, made, self.survey, gone)
            .map_err(|what| refused(edit, event.number, what))?;
        self.hits[index] += 1;
        self.plan.dropped.insert(event.number);
        self.dropping.note(event.number, index, made);
        self.plan.gone.extend(made);
        Ok(())
    }

    /// # Errors
    /// An object that nobody makes any more is used.
    fn mentions(&self, object: u32, call: u64, how: &str) -> Result<(), Error> {
        let Some((maker, edit)) = self.dropping.maker(object) else { return Ok(()) };
        let what = format!("it makes object {object}, of which, behind call {call}, {how}: it cannot be dropped");
        Err(refused(&self.edits[edit], maker, what))
    }

    /// # Errors
    /// The call uses an object that nobody makes any more.
    fn uses(&self, draft: &Draft<'_>) -> Result<(), Error> {
        if self.plan.gone.is_empty() {
            return Ok(());
        }
        let mut used = vec![draft.event.object];
        let arguments =
            self.codec.decode_enter(draft.method, &draft.enter).map_err(|error| Error::Trace(error.to_string()))?;
        arguments.members.iter().for_each(|member| self.named(&member.value, &mut used));
        let Some((object, (maker, edit))) =
            used.iter().find_map(|object| Some((object, self.dropping.maker(*object)?)))
        else {
            return Ok(());
        };
        let (name, call) = (self.codec.method_name(draft.method), draft.event.number);
        let what = format!(
            "it makes object {object}, which call {call} ({name}) uses: it cannot be dropped, unless that call is, too"
        );
        Err(refused(&self.edits[edit], maker, what))
    }

    /// The objects that a value names, itself or by an address or a handle.
    fn named(&self, value: &Value<'_>, used: &mut Vec<u32>) {
        let addresses = &self.state.addresses;
        match value {
            Value::Object(id, _) => used.push(*id),
            Value::Word(role, word) => used.extend(match role {
                reprise_d3d12::model::Role::CpuDescriptor => addresses.cpu(*word).map(|slot| slot.heap),
                reprise_d3d12::model::Role::GpuDescriptor => addresses.gpu(*word).map(|slot| slot.heap),
                reprise_d3d12::model::Role::GpuAddress => addresses.resource(*word).map(|at| at.resource),
                _ => None,
            }),
            Value::Struct(_, members) => members.iter().for_each(|member| self.named(&member.value, used)),
            Value::Array(values) => values.iter().for_each(|value| self.named(value, used)),
            Value::Stream(all) => all.iter().for_each(|(_, value)| self.named(value, used)),
            _ => {}
        }
    }

    /// Puts a value into a call.
    pub(crate) fn set(
        &mut self,
        edit: &Edit,
        index: usize,
        draft: &mut Draft<'_>,
        path: &str,
        value: &Literal,
    ) -> Result<(), Error> {
        let call = draft.event.number;
        let method = draft.method.get();
        let path = spelled(path, method);
        let places = self.codec.places(draft.method, &draft.enter);
        let places = places.map_err(|error| Error::Trace(format!("call {call}: {error}")))?;
        let Some(place) = places.iter().find(|place| place.path == path) else {
            return Err(refused(edit, call, missing(&path, &places, method)));
        };
        let first = draft.event.blobs.iter().map(|(number, _)| *number).max().map_or(1, |most| most.saturating_add(1));
        let next = draft.added.iter().map(|(number, _)| number.saturating_add(1)).max().unwrap_or(0).max(first);
        let mut here = Here::new(&self.state, next).instead_of(self.alone(draft, place));
        let amended = self.codec.amend(draft.method, &draft.enter, place, value, &mut here);
        let amended = amended.map_err(|what| refused(edit, call, format!("{path}: {what}")))?;
        if amended == draft.enter && here.added.is_empty() {
            self.same[index] += 1;
            return Ok(());
        }
        self.hits[index] += 1;
        draft.enter = amended;
        draft.added.append(&mut here.added);
        (draft.is_changed, draft.by) = (true, index);
        Ok(())
    }

    /// The number of the blob that a place names, if nothing else of the call names it. So a blob that comes and goes leaves no trace.
    fn alone(&self, draft: &Draft<'_>, place: &Place) -> Option<u32> {
        let Placed::Pointer(_, child) = &place.what else { return None };
        let child = draft.enter.get(child.clone())?;
        let word = |at: usize| child.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let number = match reprise_codec::wire::parse(word(0)?)? {
            (reprise_codec::wire::Kind::Blob, _) => u32::try_from(word(8)?).ok()?,
            _ => return None,
        };
        let arguments = self.codec.decode_enter(draft.method, &draft.enter).ok()?;
        let mut named = Vec::new();
        arguments.members.iter().for_each(|member| blobs(&member.value, &mut named));
        (named.iter().filter(|named| **named == number).count() == 1).then_some(number)
    }

    /// Takes the changed arguments of a call in, if they can be those of a call.
    fn accept(&mut self, draft: Draft<'_>) -> Result<(), Error> {
        let edit = &self.edits[draft.by];
        let call = draft.event.number;
        let blobs = self.sound(draft.method, &draft.enter, draft.event.blobs, &draft.added, Some(draft.event.payload));
        let blobs = blobs.map_err(|what| refused(edit, call, what))?;
        self.plan.changed.insert(call, Changed { enter: draft.enter, blobs });
        Ok(())
    }

    /// Checks that arguments are such as a call can have, and gives the blobs that they name.
    pub(crate) fn sound(
        &self,
        method: MethodId,
        enter: &[u8],
        recorded: &[(u32, u64)],
        added: &[(u32, Arc<[u8]>)],
        before: Option<&[u8]>,
    ) -> Result<Vec<(u32, Content)>, String> {
        let arguments = self.codec.decode_enter(method, enter).map_err(|error| error.to_string())?;
        let rebuild = |enter: &[u8]| {
            let mut sizes = Sizes::new(self.trace, recorded, added);
            self.codec.rebuild(method, enter, &mut sizes, &mut Arena::default()).map(drop)
        };
        if let Err(error) = rebuild(enter) {
            // What could not be checked before cannot be checked now.
            if before.is_none_or(|before| rebuild(before).is_ok()) {
                return Err(format!("the call would read what it does not have: {error}"));
            }
        }
        let mut named = Vec::new();
        arguments.members.iter().for_each(|member| blobs(&member.value, &mut named));
        let mut seen = HashSet::new();
        named.retain(|number| seen.insert(*number));
        let content = |number: u32| {
            let new = added.iter().rev().find(|(own, _)| *own == number).map(|(_, bytes)| Content::New(bytes.clone()));
            let old = || recorded.iter().rev().find(|(own, _)| *own == number).map(|(_, id)| Content::Recorded(*id));
            new.or_else(old).ok_or_else(|| format!("it names blob {number}, which is not there"))
        };
        named.into_iter().map(|number| Ok((number, content(number)?))).collect()
    }

    fn leave(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let dropped = |call: u64| self.plan.dropped.contains(&call);
        if let Some(within) = self.dropping.end(event, dropped) {
            let edit = &self.edits[self.dropping.edit_of(event.number)];
            let what = format!("call {within} is made within it: it cannot be dropped");
            return Err(refused(edit, event.number, what));
        }
        let Some(changed) = self.plan.changed.get(&event.number) else { return Ok(()) };
        // What came back was written by the old arguments.
        let method = MethodId(event.method);
        if let Err(error) = self.codec.decode_leave(method, &changed.enter, event.payload) {
            let what = format!("what the call gave back does not fit its new arguments: {error}");
            let edit = self.edits.iter().find(|edit| matches!(&edit.what, What::Calls(calls, _) if calls.numbers.as_ref().is_none_or(|numbers| numbers.contains(&event.number))));
            return Err(
                edit.map_or_else(|| Error::Trace(what.clone()), |edit| refused(edit, event.number, what.clone()))
            );
        }
        Ok(())
    }

    fn finish(self) -> Result<Plan, Error> {
        self.dropping.finish(self.edits)?;
        let calls = self.trace.statistics().calls;
        for ((edit, hits), same) in self.edits.iter().zip(&self.hits).zip(&self.same) {
            if *hits > 0 {
                continue;
            }
            if *same > 0 {
                return Err(refused(edit, 0, "the trace has this value there already: nothing would change"));
            }
            let number = match &edit.what {
                What::Calls(Calls { numbers: Some(numbers), .. }, _) => Some(*numbers.start()),
                What::Insert(insert) => Some(insert.call),
                _ => None,
            };
            let what = match number {
                Some(number) if number == 0 || number > calls => {
                    format!("there is no call {number}: the trace has {calls} calls, counted from 1")
                }
                _ => "nothing in the trace is what it names: no call, object, shader or value".to_owned(),
            };
            return Err(refused(edit, 0, what));
        }
        Ok(self.plan)
    }
}

/// The refusal of an edit.
pub(crate) fn refused(edit: &Edit, call: u64, what: impl Into<String>) -> Error {
    Error::Refused(Refusal { place: edit.place.clone(), edit: edit.text.clone(), call, what: what.into() })
}

/// A path that begins with the method's name: `RSSetViewports.pViewports[0].Width`, or `RSSetViewports[0].Width` where the method has one array.
fn spelled(path: &str, method: &Method) -> String {
    let Some(rest) = path.strip_prefix(method.name) else { return path.to_owned() };
    if let Some(rest) = rest.strip_prefix('.') {
        return rest.to_owned();
    }
    let is_array = |param: &&reprise_d3d12::model::Field| matches!(param.ty, reprise_d3d12::model::Type::Pointer(pointee) if !matches!(pointee.len, reprise_d3d12::model::Len::One));
    let mut arrays = method.params.iter().filter(is_array);
    match (rest.starts_with('['), arrays.next(), arrays.next()) {
        (true, Some(array), None) => format!("{}{rest}", array.name),
        _ => path.to_owned(),
    }
}

/// Why a path leads to nothing, with what there is.
fn missing(path: &str, places: &[Place], method: &Method) -> String {
    // The longest beginning that leads somewhere.
    let ends: Vec<usize> =
        path.char_indices().filter(|(_, c)| matches!(c, '.' | '[')).map(|(at, _)| at).chain([path.len()]).collect();
    let leads = |to: &str| {
        places.iter().any(|place| {
            place.path.strip_prefix(to).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let known = ends.iter().rev().map(|end| &path[..*end]).find(|to| leads(to));
    let Some(known) = known else {
        let params: Vec<&str> = method.params.iter().map(|param| param.name).collect();
        let name = path.split(['.', '[']).next().unwrap_or(path);
        return match params.contains(&name) {
            true => format!("{name} is an output, or has nothing that can be written"),
            false => format!("{} has no argument {name}: it has {}", method.name, params.join(", ")),
        };
    };
    let mut names: Vec<&str> = Vec::new();
    for place in places {
        let Some(rest) = place.path.strip_prefix(known).filter(|rest| !rest.is_empty()) else { continue };
        let end = rest[1..].find(['.', '[']).map_or(rest.len(), |end| end + 1);
        if !names.contains(&&rest[..end]) {
            names.push(&rest[..end]);
        }
    }
    const FEW: usize = 16;
    let more = if names.len() > FEW { ", …" } else { "" };
    let list = names.iter().take(FEW).copied().collect::<Vec<_>>().join(", ");
    match (known == path, names.is_empty()) {
        (true, _) => format!("{path} is not one value: write to its members {list}{more}"),
        (false, true) => format!("{known} has no members and no elements here"),
        (false, false) => {
            format!("{known} has no {}: it has {list}{more}", path[known.len()..].trim_start_matches('.'))
        }
    }
}

/// The numbers of the blobs that a value names, as often as it names them.
fn blobs(value: &Value<'_>, named: &mut Vec<u32>) {
    match value {
        Value::Blob(number, ..) => named.push(*number),
        Value::Struct(_, members) => members.iter().for_each(|member| blobs(&member.value, named)),
        Value::Array(values) => values.iter().for_each(|value| blobs(value, named)),
        Value::Stream(all) => all.iter().for_each(|(_, value)| blobs(value, named)),
        _ => {}
    }
}

/// For conditions: whatever is named may be compared, whether it is there or not.
struct Anything<'s>(&'s State);

impl reprise_codec::amend::Known for Anything<'_> {
    fn object(&mut self, _id: u32, _interface: reprise_d3d12::model::InterfaceId) -> Result<(), String> {
        Ok(())
    }

    fn word(&mut self, _role: reprise_d3d12::model::Role, _value: u64) -> Result<(), String> {
        Ok(())
    }

    // What is nowhere has no number, and equals none that a program has.
    fn descriptor(&mut self, role: reprise_d3d12::model::Role, heap: u32, index: u64) -> Result<u64, String> {
        Ok(Here::new(self.0, 0).descriptor(role, heap, index).unwrap_or(u64::MAX))
    }

    fn address(&mut self, resource: u32, offset: u64) -> Result<u64, String> {
        Ok(Here::new(self.0, 0).address(resource, offset).unwrap_or(u64::MAX))
    }

    fn blob(&mut self, _bytes: &[u8]) -> u32 {
        0
    }
}
