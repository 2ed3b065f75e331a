//! Members of decoded descriptions, by their names.

use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_state_object::plan::Rename;

/// The members of a structure, or of one that a pointer leads to.
pub(crate) fn members<'v, 'a>(value: &'v Value<'a>) -> &'v [Member<'a>] {
    match value {
        Value::Struct(_, members) => members,
        // A pointer to one structure may be shown as an array of one.
        Value::Array(all) if all.len() == 1 => all.first().map(members).unwrap_or_default(),
        _ => &[],
    }
}

/// The member of this name.
pub(crate) fn member<'v, 'a>(members: &'v [Member<'a>], name: &str) -> Option<&'v Value<'a>> {
    members.iter().find(|member| member.field.name == name).map(|member| &member.value)
}

pub(crate) fn text(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    }
}

/// The object's id; `None` for null.
pub(crate) fn object(value: &Value<'_>) -> Option<u32> {
    match value {
        Value::Object(id, _) if *id != 0 => Some(*id),
        _ => None,
    }
}

/// The exports that the description of a library or collection asks for.
pub(crate) fn renames(desc: &[Member<'_>]) -> Vec<Rename> {
    let Some(Value::Array(all)) = member(desc, "pExports") else { return Vec::new() };
    let rename = |export: &Value<'_>| {
        let export = members(export);
        let name = member(export, "Name").and_then(text).unwrap_or_default();
        let from = member(export, "ExportToRename").and_then(text).unwrap_or_else(|| name.clone());
        Rename { name, from }
    };
    all.iter().map(rename).collect()
}
