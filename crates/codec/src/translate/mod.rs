//! Calls of an older trace as calls of today's model.
//!
//! Owns the comparison of a trace's [schema](crate::schema) with the built-in tables, and the conversion of payloads. It sits
//! where events are read ([`attach`] gives it to the trace), so that replay and every tool see today's numbers and layouts
//! and none of them knows that models differ.
//!
//! Each method of the trace is one of three things. *Same*: its payloads are understood as they stand; only its number may
//! have moved. *Translated*: its payloads are converted when they are read. *Not understood*: it keeps the trace's own layout
//! under a number behind today's methods, so that it can be shown, and replay refuses a call of it. A call of a translated
//! method that holds what today's model cannot say is not understood either.
//!
//! Invariant: what a conversion gives is read by today's walks, or the call is not understood; nothing is left out silently.

mod convert;
mod difference;
mod enumeration;
mod extend;
mod plan;
mod tree;

pub use extend::Extended;
pub(crate) use extend::Section;

use crate::schema::{self, SchemaError};
use crate::{Codec, Wide};
use convert::{Converter, Method};
use plan::{How, Plans};
use reprise_d3d12::model::{MethodId, Model, Order, Type};
use reprise_d3d12::{FINGERPRINT, method};
use reprise_trace::read::Trace;
use std::fmt;
use std::sync::Arc;

/// Stands for a method that the trace's schema does not name.
pub const UNNAMED: u16 = u16::MAX;

/// What this build makes of a method of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Understanding {
    /// Its payloads are as today's model has them.
    Same,
    /// Its payloads are converted.
    Translated,
    /// Its calls can be shown, not played: why.
    NotUnderstood(String),
}

/// A trace's model beside today's.
pub struct Translation {
    theirs: Codec,
    ours: Codec,
    plans: Plans,
    /// By the trace's number.
    calls: Vec<Call>,
    extended: Extended,
    differences: Vec<String>,
}

/// What becomes of the calls of a method.
enum Call {
    Unused,
    Same(u16),
    /// Converted; or, where that does not go, as it is under the second number.
    Translated(Box<Method>, u16),
    NotUnderstood(u16, String),
}

impl fmt::Debug for Translation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translation").field("differences", &self.differences).finish_non_exhaustive()
    }
}

impl Translation {
    /// Compares a schema with today's tables; `None` where there is no difference, so that nothing need be done. An empty schema
    /// is that of a recording whose writer did not finish: it is taken to be of today's tables.
    ///
    /// # Errors
    /// The schema is malformed.
    pub fn new(today: &Extended, schema: &[u8]) -> Result<Option<Translation>, SchemaError> {
        if schema.is_empty() || schema::is_of(&today.model, schema) {
            return Ok(None);
        }
        let theirs = schema::model(schema)?;
        let translation = Translation::between(today, theirs)
            .ok_or_else(|| SchemaError::Malformed("it names more types than have numbers".into()))?;
        let none = translation.differences.is_empty() && translation.moved().next().is_none();
        Ok((!none).then_some(translation))
    }

    /// Compares two models. `None` where the trace's has more types than numbers are left.
    pub fn between(today: &Extended, theirs: Model) -> Option<Translation> {
        let used = schema::used(&theirs);
        let (their_codec, our_codec) = (Codec::new(theirs, Wide::Bits16), Codec::extended(today, Wide::Bits16));
        let mut plans = Plans::new(&their_codec, &our_codec);
        let mut compared: Vec<(u16, Result<Vec<Method>, String>)> =
            used.iter().map(|number| (*number, candidates(&mut plans, &theirs, today, *number))).collect();
        plans.settle();
        let mut calls: Vec<Call> = (0..theirs.methods.len()).map(|_| Call::Unused).collect();
        let mut appended = Vec::new();
        let mut matched = Vec::new();
        for (number, methods) in &mut compared {
            let mut own = |why: Option<String>| {
                appended.push(*number);
                (today.model.methods.len() + appended.len() - 1, why)
            };
            calls[usize::from(*number)] = match std::mem::replace(methods, Ok(Vec::new())) {
                Err(why) => {
                    let (at, why) = own(Some(why));
                    Call::NotUnderstood(at as u16, why.unwrap_or_default())
                }
                Ok(mut methods) => {
                    let same = methods.iter().position(|method| is_same(&plans, method));
                    // What is not the same is only converted to today's own.
                    let mut method = methods.swap_remove(same.unwrap_or(0));
                    plans.settle_unions(&mut method.parameters.unions);
                    matched.push((*number, method.ours.0));
                    match (same, refusal(&method)) {
                        (Some(_), _) => Call::Same(method.ours.0),
                        (None, Some(why)) => Call::NotUnderstood(own(None).0 as u16, why),
                        (None, None) => Call::Translated(Box::new(method), own(None).0 as u16),
                    }
                }
            };
        }
        let differences = difference::between(&theirs, &today.model, &matched);
        let extended = if appended.is_empty() { today.clone() } else { today.append(&theirs, &appended)? };
        Some(Translation { theirs: their_codec, ours: our_codec, plans, calls, extended, differences })
    }

    /// Today's tables, and behind them those of the methods that the trace alone knows.
    pub fn extended(&self) -> &Extended {
        &self.extended
    }

    /// What the two models say differently of what the trace uses, one sentence each.
    pub fn differences(&self) -> &[String] {
        &self.differences
    }

    /// The methods of the trace by rising number there, with what is made of each.
    pub fn methods(&self) -> impl Iterator<Item = (String, Understanding)> + '_ {
        self.calls.iter().enumerate().filter_map(|(number, call)| {
            let understanding = match call {
                Call::Unused => return None,
                Call::Same(_) => Understanding::Same,
                Call::Translated(..) => Understanding::Translated,
                Call::NotUnderstood(_, why) => Understanding::NotUnderstood(why.clone()),
            };
            Some((self.theirs.method_name(MethodId(number as u16)), understanding))
        })
    }

    /// The number under which payloads of a method are given as they are; `None` where they are converted.
    pub fn number(&self, method: u16) -> Option<u16> {
        match self.calls.get(usize::from(method)) {
            None | Some(Call::Unused) => Some(UNNAMED),
            Some(Call::Same(today)) => Some(*today),
            Some(Call::NotUnderstood(own, _)) => Some(*own),
            Some(Call::Translated(..)) => None,
        }
    }

    /// Converts an enter payload, appended to `out`; gives the method's number, which says whether it could be converted.
    pub fn enter(&self, method: u16, payload: &[u8], out: &mut Vec<u8>) -> u16 {
        let Some(Call::Translated(known, own)) = self.calls.get(usize::from(method)) else {
            out.extend_from_slice(payload);
            return self.number(method).unwrap_or(UNNAMED);
        };
        let begin = out.len();
        if self.converter().enter(known, payload, out).is_ok() {
            return known.ours.0;
        }
        out.truncate(begin);
        out.extend_from_slice(payload);
        *own
    }

    /// Converts a leave payload, appended to `out`; gives the method's number. `enter` is the call's enter payload as it is in
    /// the trace; without it only the result is given.
    pub fn leave(&self, method: u16, enter: Option<&[u8]>, payload: &[u8], out: &mut Vec<u8>) -> u16 {
        let Some(Call::Translated(known, own)) = self.calls.get(usize::from(method)) else {
            out.extend_from_slice(payload);
            return self.number(method).unwrap_or(UNNAMED);
        };
        let converter = self.converter();
        let begin = out.len();
        if let Some(enter) = enter {
            // A call is understood as a whole, or shown as a whole.
            if converter.enter(known, enter, &mut Vec::new()).is_err() {
                out.extend_from_slice(payload);
                return *own;
            }
            if converter.leave(known, enter, payload, out).is_ok() {
                return known.ours.0;
            }
            out.truncate(begin);
        }
        if let Ok(result) = converter.result(known, payload) {
            out.extend_from_slice(&result);
        }
        known.ours.0
    }

    /// Why a call with this number (behind today's methods) is not understood.
    pub fn why(&self, number: u16, enter: &[u8]) -> String {
        for (at, call) in self.calls.iter().enumerate() {
            let (own, why) = match call {
                Call::NotUnderstood(own, why) => (*own, why.clone()),
                Call::Translated(known, own) if *own == number => {
                    let converted = self.converter().enter(known, enter, &mut Vec::new());
                    (*own, converted.err().unwrap_or_else(|| "its outputs could not be converted".into()))
                }
                _ => continue,
            };
            if own == number {
                return format!("{}: {why}", self.theirs.method_name(MethodId(at as u16)));
            }
        }
        "the trace's schema does not name its method".into()
    }

    fn moved(&self) -> impl Iterator<Item = u16> + '_ {
        let moved = |(number, call): (usize, &Call)| match call {
            Call::Unused => None,
            Call::Same(today) if usize::from(*today) == number => None,
            _ => Some(number as u16),
        };
        self.calls.iter().enumerate().filter_map(moved)
    }

    fn converter(&self) -> Converter<'_> {
        Converter { theirs: &self.theirs, ours: &self.ours, plans: &self.plans }
    }
}

impl reprise_trace::read::Translate for Translation {
    fn number(&self, method: u16) -> u16 {
        match self.calls.get(usize::from(method)) {
            None | Some(Call::Unused) => UNNAMED,
            Some(Call::Same(today)) => *today,
            Some(Call::NotUnderstood(own, _)) => *own,
            Some(Call::Translated(known, _)) => known.ours.0,
        }
    }

    fn converts(&self, method: u16) -> bool {
        matches!(self.calls.get(usize::from(method)), Some(Call::Translated(..)))
    }

    fn enter(&self, method: u16, payload: &[u8], out: &mut Vec<u8>) -> u16 {
        Translation::enter(self, method, payload, out)
    }

    fn leave(&self, method: u16, enter: Option<&[u8]>, payload: &[u8], out: &mut Vec<u8>) -> u16 {
        Translation::leave(self, method, enter, payload, out)
    }

    fn why(&self, number: u16, enter: &[u8]) -> String {
        Translation::why(self, number, enter)
    }
}

/// A submission ends a frame where nothing that was recorded does.
const SUBMIT: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");

/// Gives a trace's events in the numbers and layouts of `today` from here on, where its model is another. `None` where there
/// is nothing to convert, or where the trace is converted already. Where it has no frame boundaries, [submissions stand for
/// frames](Trace::divide) from here on. To be called before events are read.
///
/// # Errors
/// The schema is malformed; or there is none, and a build that this one does not know recorded the trace.
pub fn attach(trace: &Trace, today: &Extended) -> Result<Option<Arc<Translation>>, SchemaError> {
    if trace.translation().is_some() {
        return Ok(None);
    }
    let build = trace.api().1;
    let translation = if trace.schema().is_empty() && build != 0 && build != FINGERPRINT {
        Translation::new(today, &schema::models::of(build).ok_or(SchemaError::Missing)?)?
    } else {
        Translation::new(today, trace.schema())?
    };
    let translation = translation.map(Arc::new);
    if let Some(translation) = &translation {
        trace.translate(translation.clone());
    }
    trace.end_frames_by_submissions(SUBMIT.0);
    Ok(translation)
}

/// Today's methods of the name, compared with the trace's.
fn candidates(plans: &mut Plans, theirs: &Model, today: &Extended, number: u16) -> Result<Vec<Method>, String> {
    let own = &theirs.methods[usize::from(number)];
    let class = |model: &Model, interface: Option<reprise_d3d12::model::InterfaceId>| {
        interface.and_then(|id| model.interfaces.get(usize::from(id.0))).map(|own| own.name)
    };
    let interface = class(theirs, own.interface);
    let mut named = Vec::new();
    for (at, other) in (0..).zip(today.model.methods) {
        if other.name == own.name && class(&today.model, other.interface) == interface {
            named.push((at, other));
        }
    }
    if named.is_empty() {
        return Err(match interface {
            Some(name) if !today.model.interfaces.iter().any(|other| other.name == name) => {
                format!("today's model has no interface {name}")
            }
            _ => "today's model has no such method".into(),
        });
    }
    let returns = |order: Order| order == Order::EnterLeave;
    let alike = named.into_iter().map(|(at, other)| {
        if returns(own.order) != returns(other.order) {
            return Err(if returns(own.order) {
                "its return is recorded, today it is not"
            } else {
                "its return is not recorded"
            });
        }
        if own.returns_structure != other.returns_structure {
            return Err("it returns a structure in one of the two models");
        }
        let (theirs, ours) = (MethodId(number), MethodId(at));
        let (parameters, result) = (plans.parameters(own, other), plans.result(own.result, other.result));
        Ok(Method { theirs, ours, parameters, result })
    });
    let mut alike: Vec<Result<Method, &str>> = alike.collect();
    if let Some(Err(why)) = alike.first() {
        return Err((*why).to_owned());
    }
    Ok(alike.drain(..).filter_map(Result::ok).collect())
}

fn is_same(plans: &Plans, method: &Method) -> bool {
    plans.are_same(&method.parameters) && matches!(method.result, How::Bytes | How::Pointer | How::Struct(_))
}

/// Why no call of the method can be converted: something that each of them has cannot be.
fn refusal(method: &Method) -> Option<String> {
    if let How::Never(why) = &method.result {
        return Some(format!("result: {why}"));
    }
    let always = method.parameters.steps.iter().filter(|step| !matches!(step.theirs.ty, Type::Pointer(_)));
    always.into_iter().find_map(|step| match &step.how {
        How::Never(why) => Some(format!("{}: {why}", step.theirs.name)),
        _ => None,
    })
}
