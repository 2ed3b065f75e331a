//! Reads the first form of schemas: JSON whose tokens are what Rust's `Debug` writes of the model's types.
//!
//! Builds before the second form wrote it, and no build writes it now. FORMAT.md, "Schema before `schema 2`", describes it.

use super::SchemaError;
use super::tables::{self, MOST_ARGUMENTS, MOST_BYTES, MOST_FIELDS, MOST_POINTERS, check_fields, leak, unused};
use reprise_d3d12::model::{
    Arm, BlobKind, Direction, Enum, EnumId, Field, Guid, Interface, InterfaceId, Len, Method, MethodId, Model, Order,
    Pointee, Role, Rule, Select, Struct, StructId, Type,
};
use serde_json::{Map, Value as Json};
use std::collections::HashMap;

/// Reads the tables that a schema describes.
///
/// # Errors
/// The schema is malformed, or its tables are not sound.
pub(super) fn model(schema: &[u8]) -> Result<Model, SchemaError> {
    let json: Json = serde_json::from_slice(schema).map_err(|error| SchemaError::Malformed(error.to_string()))?;
    let tables = Tables::new(&json).ok_or_else(|| SchemaError::Malformed("a part is missing".into()))?;
    tables.model().map_err(SchemaError::Malformed)
}

/// The parts of a schema, and the numbers given to names.
struct Tables<'j> {
    methods: &'j Map<String, Json>,
    structs: &'j Map<String, Json>,
    enums: &'j Map<String, Json>,
    interfaces: &'j Map<String, Json>,
    selects: &'j Map<String, Json>,
    struct_ids: HashMap<&'j str, u16>,
    enum_ids: HashMap<&'j str, u16>,
    interface_ids: HashMap<&'j str, u16>,
}

fn ids(part: &Map<String, Json>) -> Option<HashMap<&str, u16>> {
    part.keys().enumerate().map(|(id, name)| Some((name.as_str(), u16::try_from(id).ok()?))).collect()
}

fn number(json: &Json, name: &str) -> Result<u64, String> {
    json.get(name).and_then(Json::as_u64).filter(|n| *n <= MOST_BYTES).ok_or_else(|| format!("no sound `{name}`"))
}

fn text<'j>(json: &'j Json, name: &str) -> Result<&'j str, String> {
    json.get(name).and_then(Json::as_str).ok_or_else(|| format!("no `{name}`"))
}

/// The text in brackets behind a word: `3` of `Field(3)`.
fn inside<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')')
}

/// The value that `Debug` writes as `text`.
fn named<T: Copy + std::fmt::Debug>(all: &[T], text: &str) -> Option<T> {
    all.iter().copied().find(|value| format!("{value:?}") == text)
}

impl<'j> Tables<'j> {
    fn new(json: &'j Json) -> Option<Tables<'j>> {
        let part = |name: &str| json.get(name).and_then(Json::as_object);
        let (structs, enums, interfaces) = (part("structs")?, part("enums")?, part("interfaces")?);
        Some(Tables {
            methods: part("methods")?,
            structs,
            enums,
            interfaces,
            selects: part("selects")?,
            struct_ids: ids(structs)?,
            enum_ids: ids(enums)?,
            interface_ids: ids(interfaces)?,
        })
    }

    fn model(&self) -> Result<Model, String> {
        let about = |name: &str, error: String| format!("{name}: {error}");
        let enums: Result<Vec<Enum>, String> =
            self.enums.iter().map(|(name, own)| self.enumeration(name, own).map_err(|e| about(name, e))).collect();
        let interfaces: Result<Vec<Interface>, String> =
            self.interfaces.iter().map(|(name, own)| self.interface(name, own).map_err(|e| about(name, e))).collect();
        let structs: Result<Vec<Struct>, String> =
            self.structs.iter().map(|(name, own)| self.structure(name, own).map_err(|e| about(name, e))).collect();
        let mut structs = structs?;
        tables::finish(&mut structs)?;
        let mut methods: Vec<Method> = Vec::new();
        for (id, own) in self.methods {
            let id: u16 = id.parse().map_err(|_| format!("{id} is no method's number"))?;
            let method = self.method(own).map_err(|e| about(&format!("method {id}"), e))?;
            check_fields(method.params, method.args_size.into(), &structs).map_err(|e| about(method.name, e))?;
            while methods.len() <= usize::from(id) {
                methods.push(unused());
            }
            methods[usize::from(id)] = method;
        }
        let selects: Result<Vec<Select>, String> =
            self.selects.iter().map(|(name, own)| self.select(name, own).map_err(|e| about(name, e))).collect();
        Ok(Model {
            interfaces: interfaces?.leak(),
            methods: methods.leak(),
            structs: structs.leak(),
            enums: enums?.leak(),
            selects: selects?.leak(),
        })
    }

    fn enumeration(&self, name: &str, own: &Json) -> Result<Enum, String> {
        let members = own.get("members").and_then(Json::as_object).ok_or("no members")?;
        let members: Option<Vec<(&'static str, i64)>> =
            members.iter().map(|(name, value)| Some((leak(name), value.as_i64()?))).collect();
        let flags = own.get("flags").and_then(Json::as_bool).ok_or("no flags")?;
        Ok(Enum { name: leak(name), flags, members: members.ok_or("a member is no number")?.leak() })
    }

    fn interface(&self, name: &str, own: &Json) -> Result<Interface, String> {
        let digits: String = text(own, "iid")?.chars().filter(|c| *c != '-').collect();
        let iid = u128::from_str_radix(&digits, 16).map_err(|_| "no interface id")?;
        let base = own.get("base").and_then(Json::as_str).map(|base| self.interface_id(base)).transpose()?;
        Ok(Interface {
            name: leak(name),
            iid: Guid::from_u128(iid),
            base,
            first_slot: 0,
            first_method: MethodId(0),
            method_count: 0,
            family: self.interface_id(name)?,
        })
    }

    fn interface_id(&self, name: &str) -> Result<InterfaceId, String> {
        self.interface_ids.get(name).map(|id| InterfaceId(*id)).ok_or_else(|| format!("no interface {name}"))
    }

    fn structure(&self, name: &str, own: &Json) -> Result<Struct, String> {
        let (size, align) = (number(own, "size")?, number(own, "align")?);
        if size == 0 || !matches!(align, 1 | 2 | 4 | 8) {
            return Err("no sound size and alignment".into());
        }
        let fields = self.fields(own.get("fields"))?;
        Ok(Struct { name: leak(name), size: size as u32, align: align as u8, flat: false, fields })
    }

    fn method(&self, own: &Json) -> Result<Method, String> {
        let (interface, name) = match text(own, "name")?.split_once("::") {
            Some((interface, name)) => (Some(self.interface_id(interface)?), name),
            None => (None, text(own, "name")?),
        };
        let args_size = number(own, "size")?;
        if !args_size.is_multiple_of(8) || args_size > MOST_ARGUMENTS {
            return Err("no sound size".into());
        }
        Ok(Method {
            name: leak(name),
            interface,
            slot: 0,
            params: self.fields(own.get("params"))?,
            result: self.ty(text(own, "result")?)?,
            result_role: role(text(own, "result_role")?)?,
            args_size: args_size as u16,
            returns_structure: own.get("returns_structure").and_then(Json::as_bool).ok_or("no `returns_structure`")?,
            order: named(&[Order::Object, Order::Enter, Order::EnterLeave], text(own, "order")?).ok_or("no order")?,
        })
    }

    fn select(&self, name: &str, own: &Json) -> Result<Select, String> {
        let selector = text(own, "selector")?;
        let selector = self.enum_ids.get(selector).ok_or_else(|| format!("no enumeration {selector}"))?;
        let cases = own.get("cases").and_then(Json::as_array).ok_or("no cases")?;
        let cases: Result<Vec<(i64, Type)>, String> = (cases.iter())
            .map(|case| {
                let (value, ty) = (case.get(0).and_then(Json::as_i64), case.get(1).and_then(Json::as_str));
                let (value, ty) = value.zip(ty).ok_or("a case is no pair")?;
                Ok((value, self.ty(ty)?))
            })
            .collect();
        Ok(Select { name: leak(name), selector: EnumId(*selector), cases: cases?.leak() })
    }

    fn fields(&self, json: Option<&Json>) -> Result<&'static [Field], String> {
        let fields = json.and_then(Json::as_array).ok_or("no fields")?;
        if fields.len() > MOST_FIELDS {
            return Err("too many fields".into());
        }
        let fields: Result<Vec<Field>, String> = fields.iter().map(|field| self.field(field)).collect();
        Ok(fields?.leak())
    }

    fn field(&self, json: &Json) -> Result<Field, String> {
        let parts = json.as_array().ok_or("a field is no list")?;
        let [Json::String(name), Json::String(ty), offset, rest @ ..] = parts.as_slice() else {
            return Err("a field lacks a part".into());
        };
        let mut field = Field {
            name: leak(name),
            ty: self.ty(ty)?,
            offset: offset.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or("no offset")?,
            count: 1,
            direction: Direction::In,
            optional: false,
            role: Role::Plain,
            arm: None,
            iid: None,
            class: None,
        };
        for part in rest {
            let part = part.as_str().ok_or("a part of a field is no text")?;
            self.part(&mut field, part).ok_or_else(|| format!("{name}: `{part}` is not understood"))?;
        }
        Ok(field)
    }

    fn part(&self, field: &mut Field, part: &str) -> Option<()> {
        match part.split_once(' ') {
            None if part == "optional" => field.optional = true,
            Some(("count", count)) => field.count = count.parse().ok()?,
            Some(("iid", index)) => field.iid = Some(index.parse().ok()?),
            Some(("class", name)) => field.class = Some(self.interface_id(name).ok()?),
            Some(("arm", arm)) => {
                let (selector, rest) = arm.split_once(" [")?;
                let (values, inverted) = rest.split_once("] ")?;
                let values: Option<Vec<i64>> =
                    values.split(", ").filter(|v| !v.is_empty()).map(|v| v.parse().ok()).collect();
                let (selector, inverted) = (selector.parse().ok()?, inverted.parse().ok()?);
                field.arm = Some(Arm { selector, values: values?.leak(), inverted });
            }
            Some((direction, of)) => {
                field.direction = named(&[Direction::In, Direction::Out, Direction::InOut], direction)?;
                field.role = role(of).ok()?;
            }
            None => return None,
        }
        Some(())
    }

    fn ty(&self, text: &str) -> Result<Type, String> {
        let unknown = || format!("no type `{text}`");
        match text.split_once(' ') {
            Some(("struct", name)) => {
                self.struct_ids.get(name).map(|id| Type::Struct(StructId(*id))).ok_or_else(unknown)
            }
            Some(("enum", name)) => self.enum_ids.get(name).map(|id| Type::Enum(EnumId(*id))).ok_or_else(unknown),
            Some(("object", name)) => self.interface_id(name).map(Type::Object),
            Some(("pointer", rest)) => {
                let (len, ty) = rest.split_once(" to ").ok_or_else(unknown)?;
                if ty.matches("pointer ").count() >= MOST_POINTERS {
                    return Err(unknown());
                }
                let pointee = Pointee { ty: self.ty(ty)?, len: length(len).ok_or_else(unknown)? };
                Ok(Type::Pointer(Box::leak(Box::new(pointee))))
            }
            _ => plain(text).ok_or_else(unknown),
        }
    }
}

fn plain(text: &str) -> Option<Type> {
    const ALL: [Type; 15] = [
        Type::Void,
        Type::U8,
        Type::I8,
        Type::U16,
        Type::I16,
        Type::U32,
        Type::I32,
        Type::U64,
        Type::I64,
        Type::F32,
        Type::F64,
        Type::Bool,
        Type::Hresult,
        Type::Guid,
        Type::Word,
    ];
    named(&ALL, text)
}

fn length(text: &str) -> Option<Len> {
    let index = |word: &str| inside(text, word).and_then(|n| n.parse::<u8>().ok());
    if let Some(rule) = inside(text, "Rule") {
        return Some(Len::Rule(self::rule(rule)?));
    }
    if let Some(count) = inside(text, "Const") {
        return Some(Len::Const(count.parse().ok()?));
    }
    named(&[Len::One, Len::Text], text)
        .or_else(|| index("Field").map(Len::Field))
        .or_else(|| index("Through").map(Len::Through))
        .or_else(|| index("Bytes").map(Len::Bytes))
        .or_else(|| index("BytesThrough").map(Len::BytesThrough))
}

fn rule(text: &str) -> Option<Rule> {
    if let Some(name) = inside(text, "Named") {
        // Only the rules that this program has code for.
        let name = name.trim_matches('"');
        return crate::rule::named::NAMES.iter().copied().find(|known| *known == name).map(Rule::Named);
    }
    const ALL: [Rule; 10] = [
        Rule::PipelineStream,
        Rule::StateSubobject,
        Rule::StateSubobjectReference,
        Rule::FeatureData,
        Rule::RenderTargets,
        Rule::SubresourceData,
        Rule::Mapping,
        Rule::CastableFormats,
        Rule::CalleeOwned,
        Rule::ElementsLayout,
    ];
    named(&ALL, text)
}

fn role(text: &str) -> Result<Role, String> {
    const KINDS: [BlobKind; 7] = [
        BlobKind::Bytes,
        BlobKind::Shader,
        BlobKind::RootSignature,
        BlobKind::CachedPipeline,
        BlobKind::PrivateData,
        BlobKind::Marker,
        BlobKind::Texels,
    ];
    const ALL: [Role; 15] = [
        Role::Plain,
        Role::CpuDescriptor,
        Role::GpuDescriptor,
        Role::GpuAddress,
        Role::Size,
        Role::Event,
        Role::SharedHandle,
        Role::Callback,
        Role::Context,
        Role::Text,
        Role::Iid,
        Role::CpuAddress,
        Role::Foreign,
        Role::Reserved,
        Role::Color,
    ];
    let found = match inside(text, "Blob") {
        Some(kind) => named(&KINDS, kind).map(Role::Blob),
        None => named(&ALL, text),
    };
    found.ok_or_else(|| format!("no role `{text}`"))
}
