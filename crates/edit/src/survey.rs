//! What is known of a trace before its edits are looked at: who makes which object, and what puts contents into resources.

use crate::error::Error;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::operation::{self, Operation};
use reprise_timeline::walk::Memory;
use reprise_timeline::{At, Call, Interests, Pass, codec, walk};
use reprise_trace::fact::ALLOCATION;
use reprise_trace::read::{Event, Trace};
use reprise_trace::record::Kind;
use std::collections::{HashMap, HashSet};

#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// By object: how it came to be.
    pub(crate) made: HashMap<u32, Made>,
    /// By call: the objects that it makes.
    pub(crate) makes: HashMap<u64, Vec<u32>>,
    /// Calls that give out objects that were there before.
    pub(crate) gives_again: HashMap<u64, u32>,
    /// By heap or texture: its bytes, as the program's device states them.
    pub(crate) sizes: HashMap<u32, u64>,
    /// Where contents are to be replaced.
    pub(crate) uploads: Uploads,
    with_uploads: bool,
    damaged: Option<String>,
}

/// What puts contents into resources.
#[derive(Debug, Default)]
pub(crate) struct Uploads {
    /// Resources to which the program stores.
    pub(crate) stored: HashSet<u32>,
    /// Copies and resolves.
    pub(crate) copies: Vec<Copy>,
    /// By texture: the first WriteToSubresource.
    pub(crate) written: HashMap<u32, u64>,
}

/// A copy: the call, its method and its arguments.
pub(crate) type Copy = (u64, MethodId, Vec<u8>);

fn is_copy(method: MethodId) -> bool {
    operation::of(method.get()).is_some_and(|of| matches!(of, Operation::Copy | Operation::Resolve))
}

fn writes_texels(method: MethodId) -> bool {
    method.get().name == "WriteToSubresource"
}

/// How an object came to be.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) call: u64,
    pub(crate) method: MethodId,
    pub(crate) interface: InterfaceId,
    /// The arguments.
    pub(crate) enter: Box<[u8]>,
    /// The blobs that they name.
    pub(crate) blobs: Box<[(u32, u64)]>,
}

/// `with_uploads`: contents are to be replaced. All that edits of contents need is read here, in one pass for all of them.
pub(crate) fn survey(trace: &Trace, with_uploads: bool) -> Result<Survey, Error> {
    let mut survey = Survey { with_uploads, ..Survey::default() };
    walk(trace, &mut [&mut survey]).map_err(|error| Error::Trace(error.to_string()))?;
    survey.damaged.take().map_or(Ok(survey), |what| Err(Error::Trace(what)))
}

impl Pass for Survey {
    fn interests(&self) -> Interests {
        let with = self.with_uploads;
        Interests::new()
            .calls_where(|method| {
                codec().traits(method).output_objects || with && (is_copy(method) || writes_texels(method))
            })
            .memory_if(with)
            .facts()
    }

    fn fact(&mut self, object: u32, kind: u32, bytes: &[u8], _: &At) {
        if let (ALLOCATION, Some(size)) = (kind, bytes.first_chunk()) {
            self.sizes.insert(object, u64::from_le_bytes(*size));
        }
    }

    fn memory(&mut self, memory: &Memory<'_>, _: &At) {
        if !memory.observed {
            self.uploads.stored.insert(memory.resource);
        }
    }

    fn damaged(&mut self, event: &Event<'_>, _: &At) {
        let what = match event.kind {
            Kind::Fact => "a fact",
            Kind::Memory | Kind::Pages => "a store",
            _ => "a record",
        };
        self.damaged.get_or_insert_with(|| format!("behind call {}: {what} cannot be read", event.number));
    }

    fn call(&mut self, call: &Call<'_>, _: &At) {
        if is_copy(call.method) {
            self.uploads.copies.push((call.number, call.method, call.enter.bytes.to_vec()));
        } else if writes_texels(call.method) {
            let first = self.uploads.written.entry(call.object).or_insert(call.number);
            *first = call.number.min(*first);
        }
        let given = match call.given() {
            Ok(given) => given,
            Err(damaged) => {
                self.damaged.get_or_insert_with(|| format!("call {}: {damaged}", call.number));
                return;
            }
        };
        for given in given {
            if self.made.contains_key(&given.object) {
                self.gives_again.insert(call.number, given.object);
                continue;
            }
            let (number, enter, blobs) = (call.number, call.enter.bytes.into(), call.enter.blobs.into());
            let made = Made { call: number, method: call.method, interface: given.interface, enter, blobs };
            self.made.insert(given.object, made);
            self.makes.entry(call.number).or_default().push(given.object);
        }
    }
}
