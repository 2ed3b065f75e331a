//! Reads declarations from the Windows metadata (`Windows.Win32`, one flat namespace).
//!
//! Invariant: an item that the metadata lack is `None`, never a guess; the overlay may then state it.

use super::ir::{CType, Enum, Facts, Interface, Length, Member, Method, Struct};
use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use windows_metadata::reader::{
    BufferRelationship, File, HasAttributes, Index, Item, MethodDef, ParamDirection, TypeCategory, TypeDef,
};
use windows_metadata::{Type, TypeAttributes, Value};

const NAMESPACE: &str = "Windows.Win32";

/// What a name stands for.
pub(crate) enum Found {
    Struct(Struct),
    Enum(Enum),
    Interface(Interface),
    /// A typedef of a scalar or pointer (`HRESULT`, `PCWSTR`).
    Typedef(CType),
    Callback,
}

pub(crate) struct Metadata {
    index: &'static Index,
    nested: HashMap<String, TypeDef<'static>>,
}

impl Metadata {
    /// Opens the embedded metadata for x86-64.
    pub(crate) fn open() -> Result<Self> {
        let file = File::new(windows_default::WIN32.to_vec()).context("windows-default: not a winmd file")?;
        let index = Index::new_for_architecture(vec![file], 2).leak();
        Ok(Self { index, nested: HashMap::new() })
    }

    /// Names of every type that satisfies `wanted`, sorted.
    pub(crate) fn names(&self, wanted: impl Fn(&str, &Item) -> bool) -> Vec<String> {
        let items = self.index.namespace_items(NAMESPACE).filter(|(name, item)| wanted(name, item));
        let mut names: Vec<String> = items.map(|(name, _)| name.to_string()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Looks a type up by name.
    pub(crate) fn find(&mut self, name: &str) -> Result<Option<Found>> {
        let def = match self.nested.get(name) {
            Some(def) => Some(*def),
            None => self.index.get(NAMESPACE, name).next(),
        };
        let Some(def) = def else { return Ok(None) };
        for inner in self.index.nested(def) {
            self.nested.insert(inner.name().to_string(), inner);
        }
        Ok(Some(match def.category() {
            TypeCategory::Struct if def.has_attribute("NativeTypedefAttribute") => {
                let field = def.fields().next().context("typedef without a field")?;
                Found::Typedef(ctype(&field.ty())?)
            }
            TypeCategory::Struct => Found::Struct(self.structure(name, def)?),
            TypeCategory::Enum => Found::Enum(enumeration(name, def)?),
            TypeCategory::Interface => Found::Interface(interface(name, def)?),
            TypeCategory::Delegate => Found::Callback,
            other => bail!("{name}: unexpected metadata category {other:?}"),
        }))
    }

    /// Looks an exported function up by name.
    pub(crate) fn function(&self, name: &str) -> Result<Option<Method>> {
        for item in self.index.get_item(NAMESPACE, name) {
            if let Item::Fn(def) = item {
                return Ok(Some(method(def)?));
            }
        }
        Ok(None)
    }

    fn structure(&self, name: &str, def: TypeDef<'static>) -> Result<Struct> {
        let fields = def
            .fields()
            .filter(|field| field.constant().is_none())
            .map(|field| Ok(Member { name: field.name().into(), ty: ctype(&field.ty())?, facts: Facts::default() }))
            .collect::<Result<Vec<_>>>()
            .with_context(|| name.to_string())?;
        Ok(Struct {
            name: name.into(),
            union: def.flags().contains(TypeAttributes::ExplicitLayout),
            pack: def.class_layout().map_or(0, |layout| u32::from(layout.packing_size())),
            fields,
        })
    }
}

fn enumeration(name: &str, def: TypeDef) -> Result<Enum> {
    let unsigned = match def.underlying_type() {
        Some(Type::I32) => false,
        Some(Type::U32) => true,
        other => bail!("{name}: enumeration of {other:?}, only 32 bits are modelled"),
    };
    let mut members = Vec::new();
    for field in def.fields() {
        if let Some(constant) = field.constant() {
            members.push((field.name().to_string(), integer(&constant.value()).context("enumeration value")?));
        }
    }
    Ok(Enum { name: name.into(), flags: def.has_attribute("FlagsAttribute"), unsigned, members })
}

fn integer(value: &Value) -> Option<i64> {
    Some(match value {
        Value::U8(v) => (*v).into(),
        Value::I8(v) => (*v).into(),
        Value::U16(v) => (*v).into(),
        Value::I16(v) => (*v).into(),
        Value::U32(v) => (*v).into(),
        Value::I32(v) => (*v).into(),
        Value::I64(v) => *v,
        Value::EnumValue(_, inner) => integer(inner)?,
        _ => return None,
    })
}

fn interface(name: &str, def: TypeDef) -> Result<Interface> {
    let base = def.interface_impls().next().and_then(|implemented| match implemented.interface(&[]) {
        Type::ClassName(base) => Some(base.name),
        _ => None,
    });
    let methods = def.methods().map(method).collect::<Result<_>>().with_context(|| name.to_string())?;
    Ok(Interface { name: name.into(), iid: guid(def).with_context(|| format!("{name}: no GUID"))?, base, methods })
}

fn guid(def: TypeDef) -> Option<String> {
    let parts: Vec<i64> = def.find_attribute("GuidAttribute")?.value().iter().filter_map(|(_, v)| integer(v)).collect();
    let [a, b, c, d @ ..] = parts.as_slice() else { return None };
    let tail: String = d.iter().map(|byte| format!("{byte:02x}")).collect();
    let (head, tail) = tail.split_at_checked(4)?;
    Some(format!("{a:08x}-{b:04x}-{c:04x}-{head}-{tail}"))
}

fn method(def: MethodDef) -> Result<Method> {
    let signature = def.signature(&[]);
    let rows = def.params_by_sequence(signature.types.len())?;
    let mut params = Vec::new();
    for (ty, row) in signature.types.iter().zip(rows.params()) {
        let row = row.with_context(|| format!("{}: parameter without a row", def.name()))?;
        let direction = row.direction();
        let length = match row.buffer_relationship() {
            Some(BufferRelationship::ElementsParam(at)) => Some(Length::ElementsParam(usize::try_from(at)?)),
            Some(BufferRelationship::BytesParam(at)) => Some(Length::BytesParam(usize::try_from(at)?)),
            Some(BufferRelationship::ElementsConst(count)) => Some(Length::Const(u32::try_from(count)?)),
            None => None,
        };
        let facts = Facts {
            output: matches!(direction, ParamDirection::Output | ParamDirection::InputOutput),
            input: matches!(direction, ParamDirection::Input | ParamDirection::InputOutput),
            optional: row.is_optional(),
            com_out: row.has_attribute("ComOutPtrAttribute"),
            reserved: row.is_reserved(),
            length,
        };
        params.push(Member { name: row.name().into(), ty: ctype(ty)?, facts });
    }
    Ok(Method { name: def.name().into(), result: ctype(&signature.return_type)?, params })
}

fn ctype(ty: &Type) -> Result<CType> {
    let pointers = |inner: &Type, depth: usize, constant: bool| -> Result<CType> {
        let mut out = ctype(inner)?;
        // An interface is a pointer already, and the metadata count it so.
        for _ in 0..depth {
            out = CType::Pointer(Box::new(out), constant);
        }
        Ok(out)
    };
    Ok(match ty {
        Type::Void => CType::Void,
        Type::U8 | Type::Bool => CType::U8,
        Type::I8 => CType::I8,
        Type::U16 | Type::Char => CType::U16,
        Type::I16 => CType::I16,
        Type::U32 => CType::U32,
        Type::I32 => CType::I32,
        Type::U64 | Type::USize => CType::U64,
        Type::I64 | Type::ISize => CType::I64,
        Type::F32 => CType::F32,
        Type::F64 => CType::F64,
        Type::ClassName(name) | Type::ValueName(name) => CType::Named(name.name.clone()),
        Type::PtrMut(inner, depth) => pointers(inner, *depth, false)?,
        Type::PtrConst(inner, depth) => pointers(inner, *depth, true)?,
        Type::ArrayFixed(inner, count) => CType::Array(Box::new(ctype(inner)?), u32::try_from(*count)?),
        other => bail!("metadata type {other:?} is not modelled"),
    })
}
