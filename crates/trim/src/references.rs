//! What a call names: objects by their ids, descriptors and memory by numbers.
//!
//! Invariant: everything that stands in the arguments is found, at any depth. What lies in memory is not an argument.

use crate::error::Error;
use reprise_codec::Value;
use reprise_d3d12::model::Role;
use reprise_timeline::{Call, codec};

/// What a call names. Numbers are the program's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct References {
    /// Ids, the object of the call first.
    pub(crate) objects: Vec<u32>,
    /// CPU handles of descriptors.
    pub(crate) cpu: Vec<u64>,
    /// GPU handles of descriptors.
    pub(crate) gpu: Vec<u64>,
    /// GPU addresses.
    pub(crate) addresses: Vec<u64>,
}

impl References {
    /// Of the arguments of a call.
    ///
    /// # Errors
    /// The arguments cannot be read.
    pub(crate) fn of(call: &Call<'_>) -> Result<References, Error> {
        let mut all = References::default();
        all.object(call.object);
        if call.enter.bytes.is_empty() {
            return Ok(all);
        }
        let arguments = codec().decode_enter(call.method, call.enter.bytes);
        let arguments =
            arguments.map_err(|error| Error::Trace(format!("call {}: {}: {}", call.number, error.path, error.what)))?;
        for member in arguments.members {
            all.value(&member.value);
        }
        Ok(all)
    }

    fn object(&mut self, id: u32) {
        if id != 0 && !self.objects.contains(&id) {
            self.objects.push(id);
        }
    }

    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Object(id, _) => self.object(*id),
            Value::Word(_, 0) => {}
            Value::Word(Role::CpuDescriptor, handle) => self.cpu.push(*handle),
            Value::Word(Role::GpuDescriptor, handle) => self.gpu.push(*handle),
            Value::Word(Role::GpuAddress, address) => self.addresses.push(*address),
            Value::Struct(_, members) => members.iter().for_each(|member| self.value(&member.value)),
            Value::Array(values) => values.iter().for_each(|value| self.value(value)),
            Value::Stream(subobjects) => subobjects.iter().for_each(|(_, value)| self.value(value)),
            _ => {}
        }
    }
}
