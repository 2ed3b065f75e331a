//! What is known of a trace before its edits are looked at: who makes which object.

use crate::error::Error;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_timeline::{At, Call, Interests, Pass, codec, walk};
use reprise_trace::read::Trace;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// By object: how it came to be.
    pub(crate) made: HashMap<u32, Made>,
    /// By call: the objects that it makes.
    pub(crate) makes: HashMap<u64, Vec<u32>>,
    /// Calls that give out objects that were there before.
    pub(crate) gives_again: HashMap<u64, u32>,
    damaged: Option<String>,
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

pub(crate) fn survey(trace: &Trace) -> Result<Survey, Error> {
    let mut survey = Survey::default();
    walk(trace, &mut [&mut survey]).map_err(|error| Error::Trace(error.to_string()))?;
    survey.damaged.take().map_or(Ok(survey), |what| Err(Error::Trace(what)))
}

impl Pass for Survey {
    fn interests(&self) -> Interests {
        Interests::new().calls_where(|method| codec().traits(method).output_objects)
    }

    fn call(&mut self, call: &Call<'_>, _: &At) {
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
