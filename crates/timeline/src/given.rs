//! The objects that a call gave out, with their interfaces.

use crate::argument::guid;
use crate::call::Call;
use crate::codec::codec;
use crate::damaged::Damaged;
use reprise_codec::Value;
use reprise_d3d12::lookup::by_iid;
use reprise_d3d12::model::{InterfaceId, Type};

impl Call<'_> {
    /// The objects that the call gave out into the program's own storage, in the order of the model's parameters.
    ///
    /// # Errors
    /// When a payload is damaged.
    pub fn given(&self) -> Result<Vec<Given>, Damaged> {
        let Some(leave) = self.leave().filter(|_| codec().traits(self.method).output_objects) else {
            return Ok(Vec::new());
        };
        let outcome = codec().decode_leave(self.method, self.enter.bytes, leave.bytes);
        let outcome = outcome.map_err(|error| Damaged::new(self.method, error))?;
        let mut all = Vec::new();
        slots(&outcome.result, None, &mut all);
        for output in &outcome.outputs {
            let asked = output.field.iid.and_then(|parameter| guid(self, parameter));
            slots(&output.value, asked.as_ref().and_then(by_iid), &mut all);
        }
        Ok(all)
    }
}

/// An object that a call gave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Given {
    /// Its id; not 0.
    pub object: u32,
    /// The interface that the program asked for, or that the model states.
    pub interface: InterfaceId,
}

/// Collects the objects that lie in the program's own storage.
fn slots(value: &Value<'_>, asked: Option<InterfaceId>, all: &mut Vec<Given>) {
    match value {
        Value::Object(0, _) => {}
        Value::Object(object, stated) => all.push(Given { object: *object, interface: asked.unwrap_or(*stated) }),
        Value::Array(values) => values.iter().for_each(|value| slots(value, None, all)),
        Value::Struct(_, members) => {
            let inline = members.iter().filter(|member| !matches!(member.field.ty, Type::Pointer(_)));
            inline.for_each(|member| slots(&member.value, None, all));
        }
        _ => {}
    }
}
