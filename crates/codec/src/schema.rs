//! Names and layouts of what a trace uses, as the trace carries them.
//!
//! The writer stores [`of`] the methods that occur. Whoever opens the trace asks [`check`] whether the tables at hand say the
//! same about these methods; a change of the model elsewhere does not matter. The text is JSON, so that a trace of
//! another version can be understood by other means, too.
//!
//! Invariant: equal bytes mean that every payload of these methods is understood as it was written.

use reprise_d3d12::model::{EnumId, Field, InterfaceId, Len, Method, Model, Pointee, StructId, Type};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;

/// A trace that the tables at hand do not fit.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SchemaError {
    /// The chunk is damaged, or written by something else.
    #[error("the trace's schema is not understood: {0}")]
    Malformed(String),
    /// Something is laid out differently, or unknown, here.
    #[error(
        "the trace was written with another model of the API: {what} differs; read it with the version that wrote it"
    )]
    Differs {
        /// The first method, structure, enumeration or interface that differs.
        what: String,
    },
}

/// The schema of these methods: they, and every type they reach.
pub fn of(model: &Model, methods: &[u16]) -> Vec<u8> {
    // Maps of strings to values always can be written.
    serde_json::to_vec(&describe(model, methods)).unwrap_or_default()
}

/// Whether the tables say what the trace says. An empty schema (the writer did not get to it) is taken on trust.
pub fn check(model: &Model, schema: &[u8]) -> Result<(), SchemaError> {
    if schema.is_empty() {
        return Ok(());
    }
    let theirs: Json = serde_json::from_slice(schema).map_err(|error| SchemaError::Malformed(error.to_string()))?;
    let malformed = || SchemaError::Malformed("a part is missing".into());
    let methods = theirs.get("methods").and_then(Json::as_object).ok_or_else(malformed)?;
    let ids: Option<Vec<u16>> = methods.keys().map(|id| id.parse().ok()).collect();
    let ours = describe(model, &ids.ok_or_else(malformed)?);
    if ours == theirs {
        return Ok(());
    }
    for part in ["methods", "structs", "enums", "interfaces", "selects"] {
        let theirs = theirs.get(part).and_then(Json::as_object).ok_or_else(malformed)?;
        let different = theirs.iter().find(|(name, value)| ours[part].get(name.as_str()) != Some(*value));
        if let Some((name, value)) = different {
            let name = value.get("name").and_then(Json::as_str).unwrap_or(name);
            return Err(SchemaError::Differs { what: name.to_owned() });
        }
    }
    Err(SchemaError::Differs { what: "a type that they reach".into() })
}

fn describe(model: &Model, methods: &[u16]) -> Json {
    let mut walk =
        Walk { model, structs: Names::default(), enums: Names::default(), interfaces: Names::default(), rules: false };
    let mut described = Map::new();
    for id in methods {
        let method = model.methods.get(usize::from(*id));
        described.insert(id.to_string(), method.map_or(Json::Null, |method| walk.method(method)));
    }
    walk.finish(described)
}

/// Indices met so far, and those of them not described yet.
#[derive(Default)]
struct Names {
    met: BTreeSet<u16>,
    open: Vec<u16>,
}

impl Names {
    fn meet(&mut self, id: u16) {
        if self.met.insert(id) {
            self.open.push(id);
        }
    }
}

struct Walk<'m> {
    model: &'m Model,
    structs: Names,
    enums: Names,
    interfaces: Names,
    /// A pointer has a rule: the tables of selected types belong to the schema.
    rules: bool,
}

impl Walk<'_> {
    fn method(&mut self, method: &Method) -> Json {
        let name = match method.interface {
            Some(interface) => format!("{}::{}", self.interface(interface), method.name),
            None => method.name.to_owned(),
        };
        json!({
            "name": name,
            "order": format!("{:?}", method.order),
            "size": method.args_size,
            "result": self.ty(&method.result),
            "result_role": format!("{:?}", method.result_role),
            "returns_structure": method.returns_structure,
            "params": method.params.iter().map(|field| self.field(field)).collect::<Vec<_>>(),
        })
    }

    /// One field as a list: name, type, offset, and what is not as usual.
    fn field(&mut self, field: &Field) -> Json {
        let mut parts = vec![json!(field.name), json!(self.ty(&field.ty)), json!(field.offset)];
        if field.count != 1 {
            parts.push(json!(format!("count {}", field.count)));
        }
        parts.push(json!(format!("{:?} {:?}", field.direction, field.role)));
        if field.optional {
            parts.push(json!("optional"));
        }
        if let Some(arm) = field.arm {
            parts.push(json!(format!("arm {} {:?} {}", arm.selector, arm.values, arm.inverted)));
        }
        if let Some(iid) = field.iid {
            parts.push(json!(format!("iid {iid}")));
        }
        if let Some(class) = field.class {
            let class = self.interface(class);
            parts.push(json!(format!("class {class}")));
        }
        parts.into()
    }

    fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Struct(StructId(id)) => {
                self.structs.meet(*id);
                format!("struct {}", self.model.structs.get(usize::from(*id)).map_or("?", |own| own.name))
            }
            Type::Enum(EnumId(id)) => {
                self.enums.meet(*id);
                format!("enum {}", self.model.enums.get(usize::from(*id)).map_or("?", |own| own.name))
            }
            Type::Object(interface) => format!("object {}", self.interface(*interface)),
            Type::Pointer(Pointee { ty, len }) => {
                self.rules |= matches!(len, Len::Rule(_));
                format!("pointer {len:?} to {}", self.ty(ty))
            }
            other => format!("{other:?}"),
        }
    }

    fn interface(&mut self, InterfaceId(id): InterfaceId) -> String {
        self.interfaces.meet(id);
        self.model.interfaces.get(usize::from(id)).map_or("?", |own| own.name).to_owned()
    }

    /// Describes what was met, and what is met on the way, until nothing is left.
    fn finish(mut self, methods: Map<String, Json>) -> Json {
        let model = self.model;
        let (mut structs, mut enums, mut interfaces, mut selects) = (Map::new(), Map::new(), Map::new(), Map::new());
        loop {
            if let Some(id) = self.structs.open.pop() {
                let Some(own) = model.structs.get(usize::from(id)) else { continue };
                let fields: Vec<Json> = own.fields.iter().map(|field| self.field(field)).collect();
                structs.insert(own.name.into(), json!({ "size": own.size, "align": own.align, "fields": fields }));
            } else if let Some(id) = self.enums.open.pop() {
                let Some(own) = model.enums.get(usize::from(id)) else { continue };
                let members: Map<String, Json> =
                    own.members.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
                enums.insert(own.name.into(), json!({ "flags": own.flags, "members": members }));
            } else if let Some(id) = self.interfaces.open.pop() {
                let Some(own) = model.interfaces.get(usize::from(id)) else { continue };
                let base = own.base.map(|base| self.interface(base));
                interfaces.insert(own.name.into(), json!({ "iid": own.iid.to_string(), "base": base }));
            } else if self.rules && selects.is_empty() && !model.selects.is_empty() {
                for select in model.selects {
                    let cases: Vec<Json> = select.cases.iter().map(|(at, ty)| json!([at, self.ty(ty)])).collect();
                    let EnumId(selector) = select.selector;
                    self.enums.meet(selector);
                    let selector = model.enums.get(usize::from(selector)).map_or("?", |own| own.name);
                    selects.insert(select.name.into(), json!({ "selector": selector, "cases": cases }));
                }
            } else {
                break;
            }
        }
        json!({ "methods": methods, "structs": structs, "enums": enums, "interfaces": interfaces, "selects": selects })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use reprise_d3d12::MODEL;
    use reprise_d3d12::model::MethodId;

    const BARRIER: MethodId = reprise_d3d12::method("ID3D12GraphicsCommandList", "ResourceBarrier");
    const DEVICE: MethodId = reprise_d3d12::function("D3D12CreateDevice");

    #[test]
    fn a_schema_reaches_all_types_and_fits_its_own_model() {
        let schema = of(&MODEL, &[BARRIER.0, DEVICE.0]);
        let value: Json = serde_json::from_slice(&schema).unwrap();
        let method = &value["methods"][BARRIER.0.to_string()];
        assert_eq!(method["name"], "ID3D12GraphicsCommandList::ResourceBarrier");
        // Through a pointer, then through a union of structures, then an object and an enumeration.
        assert_eq!(value["structs"]["D3D12_RESOURCE_BARRIER"]["size"], 32);
        assert_eq!(value["structs"]["D3D12_RESOURCE_TRANSITION_BARRIER"]["size"], 24);
        assert_eq!(value["enums"]["D3D12_RESOURCE_STATES"]["members"]["D3D12_RESOURCE_STATE_COPY_DEST"], 0x400);
        assert_eq!(value["interfaces"]["IUnknown"]["iid"], "00000000-0000-0000-c000-000000000046");
        assert_eq!(check(&MODEL, &schema), Ok(()));
        assert_eq!(check(&MODEL, &[]), Ok(()));
    }

    #[test]
    fn every_method_has_a_schema() {
        let all: Vec<u16> = (0..MODEL.methods.len()).map(|id| u16::try_from(id).unwrap()).collect();
        let schema = of(&MODEL, &all);
        assert!(!String::from_utf8(schema.clone()).unwrap().contains('?'), "a name is missing");
        assert_eq!(check(&MODEL, &schema), Ok(()));
    }

    #[test]
    fn what_differs_is_named() {
        let text = String::from_utf8(of(&MODEL, &[BARRIER.0])).unwrap();
        let differs = |text: String| match check(&MODEL, text.as_bytes()) {
            Err(SchemaError::Differs { what }) => what,
            other => panic!("{other:?}"),
        };
        let moved = text.replacen("\"size\":32", "\"size\":40", 1);
        assert_eq!(differs(moved), "D3D12_RESOURCE_BARRIER");
        let renamed = text.replacen("::ResourceBarrier", "::Other", 1);
        assert_eq!(differs(renamed), "ID3D12GraphicsCommandList::Other");
        let unknown = text.replacen(&format!("\"{}\"", BARRIER.0), "\"65535\"", 1);
        assert_eq!(differs(unknown), "ID3D12GraphicsCommandList::ResourceBarrier");
    }

    #[test]
    fn damage_is_an_error() {
        let schema = of(&MODEL, &[BARRIER.0]);
        for end in 1..schema.len() {
            assert!(check(&MODEL, &schema[..end]).is_err());
        }
        for text in ["{}", "[]", "{\"methods\":{\"x\":null}}", "{\"methods\":{\"70000\":null}}", "{\"methods\":7}"] {
            assert!(check(&MODEL, text.as_bytes()).is_err(), "{text}");
        }
    }
}
