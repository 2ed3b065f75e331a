//! What a call reads in any case, and does not have: by the model's types and the API's headers.
//!
//! Headers say of parameters which may be null. Of members of structures they say nothing: those that are always read stand here.

use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::{Direction, Field, Len, Method, Role, Rule, Type};

/// Objects in structures that a call with the structure reads.
const READ: [(&str, &str); 6] = [
    ("D3D12_RESOURCE_TRANSITION_BARRIER", "pResource"),
    ("D3D12_TEXTURE_BARRIER", "pResource"),
    ("D3D12_BUFFER_BARRIER", "pResource"),
    ("D3D12_TEXTURE_COPY_LOCATION", "pResource"),
    ("D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_PARAMETERS", "pSrcResource"),
    ("D3D12_RENDER_PASS_ENDING_ACCESS_RESOLVE_PARAMETERS", "pDstResource"),
];

/// Something that a call cannot have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lack {
    pub(crate) path: String,
    pub(crate) what: String,
}

/// All that a call reads and does not have.
pub(crate) fn lacks(method: &Method, members: &[Member<'_>]) -> Vec<Lack> {
    let mut all = Vec::new();
    for member in members {
        let (field, path) = (member.field.0, member.field.name.to_owned());
        if field.direction != Direction::In {
            continue;
        }
        let is_null = matches!(member.value, Value::Object(0, _) | Value::Word(Role::CpuDescriptor, 0));
        if is_null && !field.optional {
            all.push(Lack { path: path.clone(), what: "must not be null: the call reads it".into() });
        }
        if let (Type::Pointer(pointee), Value::Array(values)) = (field.ty, &member.value)
            && matches!(pointee.ty, Type::Object(_))
        {
            let null = values.iter().enumerate().filter(|(_, value)| matches!(value, Value::Object(0, _)));
            all.extend(null.map(|(index, _)| Lack {
                path: format!("{path}[{index}]"),
                what: "must not be null: the call reads it".into(),
            }));
        }
        counted(field, method.params, members, member, &path, &mut all);
        within(&member.value, &path, &mut all);
    }
    all
}

/// An array that is null, though its count says that there are elements.
fn counted(
    field: &Field,
    siblings: &[Field],
    members: &[Member<'_>],
    array: &Member<'_>,
    path: &str,
    all: &mut Vec<Lack>,
) {
    let (Type::Pointer(pointee), Value::Null) = (field.ty, &array.value) else { return };
    let of = match pointee.len {
        Len::Field(of) | Len::Bytes(of) if !field.optional => of,
        // The headers say that it may be null, and mean that of no targets.
        Len::Rule(Rule::RenderTargets) => 0,
        _ => return,
    };
    let Some(of) = siblings.get(usize::from(of)) else { return };
    let count = members.iter().find(|member| member.field.name == of.name).and_then(|member| member.value.number());
    if let Some(count) = count.filter(|count| *count > 0) {
        let what = format!("is null, and {} says that it has {count}: set that to 0, too", of.name);
        all.push(Lack { path: path.to_owned(), what });
    }
}

fn within(value: &Value<'_>, path: &str, all: &mut Vec<Lack>) {
    match value {
        Value::Struct(id, members) => {
            let Some(layout) = MODEL.structs.get(usize::from(id.0)) else { return };
            for member in members {
                let path = format!("{path}.{}", member.field.name);
                let is_read = READ.contains(&(layout.name, member.field.name));
                if is_read && matches!(member.value, Value::Object(0, _)) {
                    all.push(Lack { path: path.clone(), what: "must not be null: the call reads it".into() });
                }
                counted(member.field.0, layout.fields, members, member, &path, all);
                within(&member.value, &path, all);
            }
        }
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(index, value)| within(value, &format!("{path}[{index}]"), all));
        }
        Value::Stream(parts) => {
            parts.iter().enumerate().for_each(|(index, (_, value))| within(value, &format!("{path}[{index}]"), all));
        }
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_always_read_is_in_the_model() {
        for (name, member) in READ {
            let layout = MODEL.structs.iter().find(|layout| layout.name == name).unwrap();
            let field = layout.fields.iter().find(|field| field.name == member).unwrap();
            assert!(matches!(field.ty, Type::Object(_)), "{name}.{member}");
        }
        let targets = MODEL.methods.iter().find(|method| method.name == "OMSetRenderTargets").unwrap();
        assert_eq!(targets.params[0].name, "NumRenderTargetDescriptors");
    }
}
