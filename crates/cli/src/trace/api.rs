//! The API model that this program speaks, and the codec for it.

use reprise_codec::{Codec, Wide};
use reprise_d3d12::model::{Guid, InterfaceId, Method, MethodId, Model};
use std::sync::OnceLock;

static FOREIGN: OnceLock<Model> = OnceLock::new();

/// The tables that the trace at hand is read with: the built-in ones, or those it carries.
pub(crate) fn model() -> &'static Model {
    FOREIGN.get().unwrap_or(&reprise_d3d12::MODEL)
}

/// Reads with these tables from here on: those of the one trace that this program opens.
pub(crate) fn set_model(model: Model) {
    let _ = FOREIGN.set(model);
}

/// The codec for [`model`]. The width of native text does not matter here: nothing native is read or made.
pub(crate) fn codec() -> Codec {
    Codec::new(*model(), Wide::Bits16)
}

/// The method with this number, if this model has it.
pub(crate) fn method(number: u16) -> Option<&'static Method> {
    model().methods.get(usize::from(number))
}

/// `Interface::Method`, or the name of a function; a number that the model does not have says so.
pub(crate) fn name(method: MethodId) -> String {
    match self::method(method.0) {
        Some(method) => match method.interface.and_then(|id| model().interfaces.get(usize::from(id.0))) {
            Some(interface) => format!("{}::{}", interface.name, method.name),
            None => method.name.to_owned(),
        },
        None => format!("method {} (not in this program's model)", method.0),
    }
}

/// The interface with this id, if this model has it.
pub(crate) fn by_iid(iid: &Guid) -> Option<InterfaceId> {
    let index = model().interfaces.iter().position(|own| own.iid == *iid)?;
    u16::try_from(index).ok().map(InterfaceId)
}

/// The name of an interface.
pub(crate) fn class(interface: reprise_d3d12::model::InterfaceId) -> &'static str {
    model().interfaces.get(usize::from(interface.0)).map_or("IUnknown", |interface| interface.name)
}

/// The name of a value of an enumeration, or the number where it has none.
pub(crate) fn enum_name(enumeration: &str, value: u32) -> String {
    let members = model().enums.iter().find(|own| own.name == enumeration).map_or(&[][..], |own| own.members);
    let member = members.iter().find(|(_, number)| *number == i64::from(value));
    member.map_or_else(|| value.to_string(), |(name, _)| (*name).to_owned())
}
