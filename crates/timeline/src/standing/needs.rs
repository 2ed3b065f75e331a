//! The objects that a call's arguments name: by id, by address, by handle.

use crate::codec;
use crate::state::Addresses;
use reprise_codec::Value;
use reprise_d3d12::model::{MethodId, Role};

/// What the arguments of a call name.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs {
    /// Objects, in no order.
    pub(super) objects: Vec<u32>,
    /// An address or a handle is of no live object.
    pub(super) lost: bool,
}

impl Needs {
    /// The objects, addresses and handles among a call's arguments. Numbers mean what they mean at this call. Of damaged arguments only those before
    /// the damage are read.
    pub(super) fn of(method: MethodId, enter: &[u8], addresses: &Addresses) -> Needs {
        let mut needs = Needs::default();
        if let Ok(arguments) = codec().decode_enter(method, enter) {
            arguments.members.iter().for_each(|member| needs.value(&member.value, addresses));
        }
        needs
    }

    fn value(&mut self, value: &Value<'_>, addresses: &Addresses) {
        match value {
            Value::Object(0, _) => {}
            Value::Object(id, _) => self.objects.push(*id),
            Value::Struct(_, members) => members.iter().for_each(|member| self.value(&member.value, addresses)),
            Value::Array(values) => values.iter().for_each(|value| self.value(value, addresses)),
            Value::Stream(values) => values.iter().for_each(|(_, value)| self.value(value, addresses)),
            Value::Word(role, number) if *number != 0 => self.number(*role, *number, addresses),
            _ => {}
        }
    }

    fn number(&mut self, role: Role, number: u64, addresses: &Addresses) {
        let found = match role {
            Role::GpuAddress => addresses.resource(number).map(|location| location.resource),
            Role::CpuDescriptor => addresses.cpu(number).map(|slot| slot.heap),
            Role::GpuDescriptor => addresses.gpu(number).map(|slot| slot.heap),
            _ => return,
        };
        match found {
            Some(object) => self.objects.push(object),
            None => self.lost = true,
        }
    }
}
