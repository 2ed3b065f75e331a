//! Members of decoded values by their names.

use reprise_codec::Value;
use reprise_codec::value::Member;

pub(crate) fn member<'v, 'a>(members: &'v [Member<'a>], name: &str) -> Option<&'v Value<'a>> {
    members.iter().find(|member| member.field.name == name).map(|member| &member.value)
}

pub(crate) fn inner<'v, 'a>(value: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    match value {
        Value::Struct(_, members) => member(members, name),
        _ => None,
    }
}
