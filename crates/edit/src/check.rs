//! Edits, checked against all of a trace before anything is written.

use crate::bundle::Bundles;
use crate::contents;
use crate::dropping::Dropping;
use crate::editor::{Draft, Editor, missing, spelled};
use crate::error::{Error, refused};
use crate::force;
use crate::insertion;
use crate::known::Here;
use crate::language::{Action, Calls, Edit, Edits, What, is_named};
use crate::masks::Masks;
use crate::plan::{Files, Plan};
use crate::room::Room;
use crate::shader;
use crate::survey;
use crate::unrolling;
use reprise_codec::Placed;
use reprise_codec::literal::{Known, Literal};
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{InterfaceId, Method, MethodId, Role};
use reprise_timeline::{State, Walk, codec};
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind;

/// Checks edits against a trace.
///
/// # Errors
/// The trace is damaged or lacks something, or an edit cannot be done.
pub fn plan(trace: &Trace, edits: &Edits, files: &mut Files<'_>) -> Result<Plan, Error> {
    whole(trace)?;
    let frames = trace.frame_count().max(1);
    for edit in &edits.list {
        if let Some(first) = edit.frames.as_ref().map(|frames| *frames.start()).filter(|first| *first > frames) {
            let behind = if first == frames + 1 { "; what follows the end of the last one is of no frame" } else { "" };
            return Err(refused(edit, 0, format!("there is no frame {first}: the trace has {frames}{behind}")));
        }
    }
    let with_contents = edits.list.iter().any(|edit| matches!(edit.what, What::Contents(_)));
    let survey = survey::survey(trace, with_contents)?;
    let mut editor = Editor {
        trace,
        frames,
        codec: codec(),
        edits: &edits.list,
        files,
        hits: vec![0; edits.list.len()],
        same: vec![0; edits.list.len()],
        state: State::default(),
        survey: &survey,
        dropping: Dropping::default(),
        room: Room::default(),
        bundles: Bundles::new(edits.list.iter().any(|edit| {
            matches!(&edit.what, What::Calls(_, actions) if actions.iter().any(|action| matches!(action, Action::Unroll)))
        })),
        masks: Masks::default(),
        replacements: Vec::new(),
        stores: 0,
        plan: Plan { edits: edits.texts().map(str::to_owned).collect(), ..Plan::default() },
    };
    editor.contents()?;
    editor.walk()?;
    editor.finish()
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

impl Editor<'_, '_> {
    fn contents(&mut self) -> Result<(), Error> {
        for (index, edit) in self.edits.iter().enumerate() {
            if let What::Contents(what) = &edit.what {
                let bytes = (self.files)(&what.file, None).map_err(|why| refused(edit, 0, why))?;
                self.replacements.push((index, contents::replacement(self.survey, edit, what, bytes)?));
            }
        }
        Ok(())
    }

    /// A store of the program.
    fn store(&mut self, event: &Event<'_>) -> Result<(), Error> {
        let number = self.stores;
        self.stores += 1;
        for (index, replacement) in &mut self.replacements {
            let parts = replacement.parts(&self.edits[*index], event)?;
            if parts.is_empty() {
                continue;
            }
            self.hits[*index] += 1;
            // Edits of the same store go on with what those before them made of it.
            let bytes = self.plan.stores.entry(number).or_insert_with(|| event.payload.to_vec());
            for (at, part) in parts {
                bytes[at..at + part.len()].copy_from_slice(&part);
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
                    self.mentions(event.object, event.number, "memory or a value of it is recorded")?;
                    if event.kind != Kind::Observe {
                        self.store(&event)?;
                    }
                }
                _ => {}
            }
            walk.event(&event, &mut [&mut self.state]);
        }
        // A trace is damaged also where its tables and its records do not say the same: how many calls are left out, for one.
        match self.trace.damage().0.first() {
            Some(first) => Err(Error::Trace(format!("it is damaged: {first}"))),
            None => Ok(()),
        }
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
        let mut draft = Draft {
            event,
            method: id,
            enter: event.payload.to_vec(),
            added: Vec::new(),
            is_changed: false,
            by: 0,
            repeated_by: None,
            unrolled_by: None,
            repeats: Vec::new(),
        };
        let edits = self.edits;
        for (index, edit) in edits.iter().enumerate() {
            // What follows the end of the last frame is of none.
            let frame = event.frame.saturating_add(1);
            let in_frame = edit.frames.as_ref().is_none_or(|own| own.contains(&frame) && frame <= self.frames);
            if !in_frame {
                continue;
            }
            match &edit.what {
                What::Calls(calls, actions) if self.is_meant(edit, calls, event, method)? => {
                    for action in actions {
                        match action {
                            Action::Drop => self.drop(edit, index, event, method)?,
                            Action::Unroll => unrolling::unroll(self, edit, index, &mut draft, method)?,
                            Action::Repeat => insertion::repeat(self, edit, index, &mut draft, method)?,
                            Action::Set(path, value) => self.set(edit, index, &mut draft, path, value)?,
                        }
                    }
                }
                What::Insert(insert) if insert.call == event.number => {
                    self.hits[index] += 1;
                    insertion::insert(self, (index, edit), insert, event, method)?;
                }
                What::Shader(what) => shader::replace(self, edit, index, what, &mut draft)?,
                What::Force(_) if self.plan.dropped.contains(&event.number) => {}
                What::Force(what) => force::force(self, edit, index, what, &mut draft)?,
                _ => {}
            }
        }
        if let Some(by) = draft.unrolled_by {
            unrolling::put(self, by, event)?;
        }
        self.bundles.note(&self.state, event, method);
        self.dropping.begin(event, method);
        let is_dropped = self.plan.dropped.contains(&event.number);
        if is_dropped && draft.is_changed {
            let what = "another edit drops the call that this one changes";
            return Err(refused(&edits[draft.by], event.number, what));
        }
        if let Some(by) = draft.repeated_by.filter(|_| is_dropped) {
            return Err(refused(&edits[by], event.number, "another edit drops the call that this one repeats"));
        }
        if !is_dropped {
            self.uses(&draft)?;
        }
        self.dropping.pair(self.edits, self.codec, event, method, is_dropped)?;
        if draft.is_changed {
            self.accept(draft)?;
        }
        self.masks.note(self.codec, &self.state, &self.bundles, &self.plan, event);
        Ok(())
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
        if self.bundles.unrolled.contains(&event.number) {
            return Err(refused(edit, event.number, "another edit unrolls the call that this one drops"));
        }
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
            return Err(refused(&self.edits[changed.by], event.number, what));
        }
        Ok(())
    }

    fn finish(self) -> Result<Plan, Error> {
        self.dropping.finish(self.edits)?;
        for (index, replacement) in &self.replacements {
            replacement.finish(&self.edits[*index])?;
        }
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

/// For conditions: whatever is named may be compared, whether it is there or not.
struct Anything<'s>(&'s State);

impl Known for Anything<'_> {
    fn object(&mut self, _id: u32, _interface: InterfaceId) -> Result<(), String> {
        Ok(())
    }

    fn word(&mut self, _role: Role, _value: u64) -> Result<(), String> {
        Ok(())
    }

    // What is nowhere has no number, and equals none that a program has.
    fn descriptor(&mut self, role: Role, heap: u32, index: u64) -> Result<u64, String> {
        Ok(Here::new(self.0, 0).descriptor(role, heap, index).unwrap_or(u64::MAX))
    }

    fn address(&mut self, resource: u32, offset: u64) -> Result<u64, String> {
        Ok(Here::new(self.0, 0).address(resource, offset).unwrap_or(u64::MAX))
    }

    fn blob(&mut self, _bytes: &[u8]) -> u32 {
        0
    }
}
