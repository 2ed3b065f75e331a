//! Values among decoded arguments, by name, for calls that replay interprets before it makes them.
//!
//! Invariant: a value that is not there is `None`.

use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::model::{Guid, Method};

/// The member with this name.
pub(crate) fn member<'v, 'a>(members: &'v [Member<'a>], name: &str) -> Option<&'v Value<'a>> {
    members.iter().find(|member| member.field.name == name).map(|member| &member.value)
}

/// A value reached through names, as in `pDesc.SampleDesc.Count`; a pointer to one element is that element.
pub(crate) fn at<'v, 'a>(members: &'v [Member<'a>], path: &str) -> Option<&'v Value<'a>> {
    let mut names = path.split('.');
    let mut value = member(members, names.next()?)?;
    for name in names {
        value = member(structure(value)?, name)?;
    }
    Some(value)
}

/// The members of a structure, or of the only one in an array.
pub(crate) fn structure<'v, 'a>(value: &'v Value<'a>) -> Option<&'v [Member<'a>]> {
    match value {
        Value::Struct(_, members) => Some(members),
        Value::Array(elements) if elements.len() == 1 => structure(&elements[0]),
        _ => None,
    }
}

/// Any value that is one number, as arguments have it: floats by their bits, a null as 0.
pub(crate) fn number(value: &Value<'_>) -> Option<u64> {
    Some(match value {
        Value::Null => 0,
        Value::F64(bits) => *bits,
        Value::F32(bits) | Value::Hresult(bits) => u64::from(*bits),
        Value::Array(elements) if elements.len() == 1 => return number(&elements[0]),
        other => return other.number(),
    })
}

/// All numbers of an array, or the one number.
pub(crate) fn numbers(value: &Value<'_>) -> Vec<u64> {
    match value {
        Value::Array(elements) => elements.iter().filter_map(number).collect(),
        other => number(other).into_iter().collect(),
    }
}

/// The number reached through names.
pub(crate) fn number_at(members: &[Member<'_>], path: &str) -> Option<u64> {
    number(at(members, path)?)
}

/// An interface id.
pub(crate) fn guid(value: &Value<'_>) -> Option<Guid> {
    match value {
        Value::Guid(guid) => Some(*guid),
        Value::Array(elements) if elements.len() == 1 => guid(&elements[0]),
        _ => None,
    }
}

/// Ids of the objects in an output.
pub(crate) fn ids(value: &Value<'_>) -> Vec<u32> {
    match value {
        Value::Object(id, _) => vec![*id],
        Value::Array(elements) => elements.iter().flat_map(ids).collect(),
        _ => Vec::new(),
    }
}

/// A parameter's own bytes in an enter payload, zero-extended; an object is its id.
pub(crate) fn argument(method: &Method, enter: &[u8], name: &str) -> Option<u64> {
    let field = method.params.iter().find(|field| field.name == name)?;
    let start = field.offset as usize;
    let size = (field.ty.size(reprise_d3d12::MODEL.structs) as usize).min(8);
    let mut bytes = [0; 8];
    bytes.get_mut(..size)?.copy_from_slice(enter.get(start..start + size)?);
    Some(u64::from_le_bytes(bytes))
}
