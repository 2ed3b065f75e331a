//! Writes the tables as Rust text, one item a line.
//!
//! The text is compact on purpose (its size is a metric): short builders from `crates/d3d12/src/build.rs`, numbers for
//! references between tables, enumerators without their common prefix.

use super::ir::{self, CType};
use super::overlay::Overlay;
use super::resolve::{Field, Len, Method, Tables, Ty};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

const HEADER: &str = "// Made by `cargo xtask codegen` from windows-default 0.100.0 and overlay.toml; do not edit.\n";

/// Every named rule is explained, and every explanation is of a rule that occurs.
fn check_named(tables: &Tables, overlay: &Overlay) -> Result<()> {
    fn walk<'a>(ty: &'a Ty, used: &mut BTreeSet<&'a str>) {
        if let Ty::Pointer(inner, len) = ty {
            if let Len::Named(name) = len {
                used.insert(name);
            }
            walk(inner, used);
        }
    }
    let mut used = BTreeSet::new();
    let methods = tables.methods.values().flatten().chain(&tables.functions);
    let fields = methods
        .flat_map(|method| &method.params)
        .chain(tables.structs.values().flat_map(|structure| &structure.fields));
    fields.for_each(|field| walk(&field.ty, &mut used));
    let explained: BTreeSet<&str> = overlay.named.keys().map(String::as_str).collect();
    ensure!(used == explained, "named rules in use {used:?}, but explained {explained:?}");
    Ok(())
}

/// Positions of everything in the tables.
struct Numbers {
    interfaces: Vec<String>,
    interface: BTreeMap<String, usize>,
    structs: BTreeMap<String, usize>,
    enums: BTreeMap<String, usize>,
    family: BTreeMap<String, String>,
}

/// All files by name.
pub(crate) fn files(tables: &Tables, overlay: &Overlay) -> Result<Vec<(&'static str, String)>> {
    let numbers = Numbers::new(tables);
    check_named(tables, overlay)?;
    let rename = |name: &str| overlay.rename.get(name).cloned().unwrap_or_else(|| name.to_string());
    Ok(vec![
        ("mod.rs", module()),
        ("interfaces.rs", interfaces(tables, &numbers, &rename)?),
        ("methods.rs", methods(tables, &numbers)?),
        ("structs.rs", structs(tables, &numbers)?),
        ("enums.rs", enums(tables)?),
        ("types.rs", types(tables)?),
        ("thunks.rs", thunks(tables, &numbers)?),
    ])
}

impl Numbers {
    fn new(tables: &Tables) -> Self {
        let mut interfaces: Vec<String> = tables.methods.keys().cloned().collect();
        interfaces.sort_by_key(|name| (name != "IUnknown", stem(name).to_string(), version(name)));
        let numbered =
            |names: Vec<&String>| names.into_iter().enumerate().map(|(at, name)| (name.clone(), at)).collect();
        let interface = interfaces.iter().cloned().enumerate().map(|(at, name)| (name, at)).collect();
        let mut family = BTreeMap::new();
        for name in &interfaces {
            let newest = interfaces
                .iter()
                .filter(|other| stem(other) == stem(name) && derives(&tables.world, other, name))
                .max_by_key(|other| version(other));
            family.insert(name.clone(), newest.unwrap_or(name).clone());
        }
        Self {
            interfaces,
            interface,
            structs: numbered(tables.structs.keys().collect()),
            enums: numbered(tables.world.enums.keys().collect()),
            family,
        }
    }
}

fn stem(name: &str) -> &str {
    // The 2 of IDXGI..2 is a version; the 12 of ID3D12 never ends a name.
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn version(name: &str) -> u32 {
    name[stem(name).len()..].parse().unwrap_or(0)
}

fn derives(world: &ir::World, name: &str, from: &str) -> bool {
    let mut at = Some(name);
    while let Some(name) = at {
        if name == from {
            return true;
        }
        at = world.interfaces.get(name).and_then(|interface| interface.base.as_deref());
    }
    false
}

fn module() -> String {
    format!(
        "{HEADER}//! The API's tables and types; see `crate::model` for what they mean.\n\
         mod enums;\nmod interfaces;\nmod methods;\nmod structs;\npub mod types;\n\
         pub use enums::*;\npub use interfaces::*;\npub use methods::*;\npub use structs::*;\n"
    )
}

fn interfaces(tables: &Tables, numbers: &Numbers, rename: &dyn Fn(&str) -> String) -> Result<String> {
    let mut out = format!(
        "{HEADER}use crate::build::i;\nuse crate::model::Interface;\n/// Every interface.\npub static INTERFACES: &[Interface] = &[\n"
    );
    let mut method = 0;
    let mut iids = Vec::new();
    for name in &numbers.interfaces {
        let declared = &tables.world.interfaces[name];
        let own = tables.methods[name].len();
        let base = declared.base.as_ref().map_or(-1, |base| numbers.interface[base] as i64);
        let hex: String = declared.iid.chars().filter(char::is_ascii_hexdigit).collect();
        ensure!(hex.len() == 32, "{name}: interface id {}", declared.iid);
        iids.push((hex.clone(), numbers.interface[name]));
        let family = numbers.interface[&numbers.family[name]];
        writeln!(out, "i(\"{}\",0x{hex},{base},{},{method},{own},{family}),", rename(name), first_slot(tables, name))?;
        method += own;
    }
    iids.sort();
    write!(out, "];\n/// Positions in `INTERFACES`, by rising interface id.\npub static BY_IID: &[u16] = &[")?;
    for (_, at) in iids {
        write!(out, "{at},")?;
    }
    writeln!(out, "];")?;
    Ok(out)
}

fn first_slot(tables: &Tables, name: &str) -> usize {
    match &tables.world.interfaces[name].base {
        Some(base) => first_slot(tables, base) + tables.methods[base].len(),
        None => 0,
    }
}

fn methods(tables: &Tables, numbers: &Numbers) -> Result<String> {
    let mut out = format!(
        "{HEADER}use crate::build::*;\nuse crate::model::Method;\n/// Methods of all interfaces in slot order, then functions.\npub static METHODS: &[Method] = &[\n"
    );
    for name in &numbers.interfaces {
        writeln!(out, "// {name}")?;
        let first = first_slot(tables, name);
        for (at, method) in tables.methods[name].iter().enumerate() {
            writeln!(out, "{},", method_text(method, numbers, numbers.interface[name] as i64, first + at)?)?;
        }
    }
    writeln!(out, "// functions")?;
    for function in &tables.functions {
        writeln!(out, "{},", method_text(function, numbers, -1, 0)?)?;
    }
    writeln!(out, "];")?;
    Ok(out)
}

fn method_text(method: &Method, numbers: &Numbers, interface: i64, slot: usize) -> Result<String> {
    let mut text = format!("m(\"{}\",{interface},{slot},&[", method.name);
    for param in &method.params {
        text.push_str(&field(param, numbers, true).with_context(|| method.name.clone())?);
    }
    let order = match method.order {
        "Object" => "OB",
        "Enter" => "EN",
        _ => "EL",
    };
    write!(text, "],{},{},{order})", ty(&method.result, numbers)?, method.args_size)?;
    if method.returns_structure {
        text.push_str(".rs()");
    }
    if method.result_role != "Plain" {
        write!(text, ".rr({})", role(&method.result_role))?;
    }
    Ok(text)
}

fn role(name: &str) -> String {
    format!("R::{name}")
}

fn field(field: &Field, numbers: &Numbers, param: bool) -> Result<String> {
    let mut text = format!("f(\"{}\",{},{})", field.name, ty(&field.ty, numbers)?, field.offset);
    if field.count != 1 {
        write!(text, ".n({})", field.count)?;
    }
    match field.direction {
        "Out" => text.push_str(".out()"),
        "InOut" => text.push_str(".io()"),
        _ => {}
    }
    let pointer = matches!(field.ty, Ty::Pointer(..) | Ty::Object(_));
    if field.optional && pointer && param {
        text.push_str(".opt()");
    }
    if field.role != "Plain" {
        write!(text, ".r({})", role(&field.role))?;
    }
    if let Some((selector, values, inverted)) = &field.arm {
        let name = if *inverted { "not" } else { "on" };
        let values: Vec<_> = values.iter().map(i64::to_string).collect();
        write!(text, ".{name}({selector},&[{}])", values.join(","))?;
    }
    if let Some(iid) = field.iid {
        write!(text, ".iid({iid})")?;
    }
    if let Some(class) = &field.class {
        let family = numbers.family.get(class).with_context(|| format!("{class}: no such interface"))?;
        write!(text, ".c({})", numbers.interface[family])?;
    }
    text.push(',');
    Ok(text)
}

fn ty(ty_: &Ty, numbers: &Numbers) -> Result<String> {
    Ok(match ty_ {
        Ty::Plain(name) => name.clone(),
        Ty::Enum(name) => format!("E({})", numbers.enums.get(name).with_context(|| name.clone())?),
        Ty::Struct(name) => format!("S({})", numbers.structs.get(name).with_context(|| name.clone())?),
        Ty::Object(name) => format!("O({})", numbers.interface.get(name).with_context(|| name.clone())?),
        Ty::Pointer(inner, len) => {
            let inner = ty(inner, numbers)?;
            match len {
                Len::One => format!("P(&o({inner}))"),
                Len::Text => format!("P(&t({inner}))"),
                Len::Const(count) => format!("P(&q({inner},L::Const({count})))"),
                Len::Field(at) => format!("P(&q({inner},L::Field({at})))"),
                Len::Through(at) => format!("P(&q({inner},L::Through({at})))"),
                Len::Bytes(at) => format!("P(&q({inner},L::Bytes({at})))"),
                Len::BytesThrough(at) => format!("P(&q({inner},L::BytesThrough({at})))"),
                Len::Rule(name) => format!("P(&u({inner},X::{name}))"),
                Len::Named(name) => format!("P(&u({inner},X::Named(\"{name}\")))"),
            }
        }
    })
}

fn structs(tables: &Tables, numbers: &Numbers) -> Result<String> {
    let mut out = format!(
        "{HEADER}use crate::build::*;\nuse crate::model::{{Select, Struct}};\n/// Structures and unions, by name.\npub static STRUCTS: &[Struct] = &[\n"
    );
    for (name, structure) in &tables.structs {
        write!(out, "s(\"{name}\",{},{},{},&[", structure.size, structure.align, u8::from(structure.flat))?;
        for member in &structure.fields {
            out.push_str(&field(member, numbers, false).with_context(|| name.clone())?);
        }
        writeln!(out, "]),")?;
    }
    writeln!(out, "];\n/// What a tagged untyped pointer points to.\npub static SELECTS: &[Select] = &[")?;
    for (name, selector, cases) in &tables.selects {
        write!(out, "l(\"{name}\",{},&[", numbers.enums[selector])?;
        for (value, case) in cases {
            write!(out, "({value},{}),", ty(case, numbers)?)?;
        }
        writeln!(out, "]),")?;
    }
    writeln!(out, "];")?;
    Ok(out)
}

/// The longest common beginning, up to an underscore, that leaves a name to every member.
fn common_prefix(members: &[(String, i64)]) -> &str {
    let Some((first, _)) = members.first() else { return "" };
    let starts = |at: usize| {
        members.iter().all(|(name, _)| {
            name.get(..at) == first.get(..at) && name[at..].starts_with(|c: char| c.is_ascii_alphabetic())
        })
    };
    let ends = first.match_indices('_').map(|(at, _)| at + 1);
    let best = ends
        .filter(|at| members.iter().all(|(name, _)| name.len() > *at && name.is_char_boundary(*at)) && starts(*at))
        .max();
    &first[..best.unwrap_or(0)]
}

fn enums(tables: &Tables) -> Result<String> {
    let mut out = format!("{HEADER}use crate::build::enums;\nenums! {{\n");
    for (name, declared) in &tables.world.enums {
        let prefix = common_prefix(&declared.members);
        let unit = if declared.unsigned { "u32" } else { "i32" };
        write!(out, "{name} {unit} {} \"{prefix}\" {{", declared.flags)?;
        let mut seen = BTreeSet::new();
        for (member, value) in &declared.members {
            let short = &member[prefix.len()..];
            if seen.insert(short) {
                let value = if declared.unsigned { *value as u32 as i64 } else { *value as i32 as i64 };
                write!(out, "{short}={value},")?;
            }
        }
        writeln!(out, "}}")?;
    }
    writeln!(out, "}}")?;
    Ok(out)
}

fn types(tables: &Tables) -> Result<String> {
    let mut out = format!(
        "{HEADER}//! Binary types under the API's own names.\n#![allow(missing_docs, non_camel_case_types, non_snake_case)]\n\
        use crate::build::{{structs, unions}};\npub use super::enums::*;\npub use crate::model::Guid as GUID;\nuse core::ffi::c_void;\n"
    );
    for (name, scalar) in &tables.scalars {
        if name == "GUID" || name == scalar {
            continue;
        }
        let unit = match scalar.as_str() {
            "Word" => "*mut c_void".to_string(),
            "Text16" => "*const u16".to_string(),
            "Text8" => "*const u8".to_string(),
            "Bool" | "Hresult" => "i32".to_string(),
            "Guid" => "GUID".to_string(),
            other if tables.world.structs.contains_key(other) || tables.world.enums.contains_key(other) => {
                other.to_string()
            }
            other => other.to_ascii_lowercase(),
        };
        writeln!(out, "pub type {name} = {unit};")?;
    }
    for (kind, wanted) in [("structs", false), ("unions", true)] {
        writeln!(out, "{kind}! {{")?;
        for (name, declared) in tables.world.structs.iter().filter(|(_, declared)| declared.union == wanted) {
            ensure!(declared.pack == 0, "{name}: packed structures are not modelled");
            write!(out, "{name} {{")?;
            for member in &declared.fields {
                write!(out, "{}:{},", keyword(&member.name), rust(&member.ty, tables))?;
            }
            writeln!(out, "}}")?;
        }
        writeln!(out, "}}")?;
    }
    Ok(out)
}

fn keyword(name: &str) -> String {
    match name {
        "type" | "ref" | "in" | "where" | "match" => format!("r#{name}"),
        _ => name.to_string(),
    }
}

fn rust(ty: &CType, tables: &Tables) -> String {
    match ty {
        CType::Void => "c_void".into(),
        CType::U8 => "u8".into(),
        CType::I8 => "i8".into(),
        CType::U16 => "u16".into(),
        CType::I16 => "i16".into(),
        CType::U32 => "u32".into(),
        CType::I32 => "i32".into(),
        CType::U64 => "u64".into(),
        CType::I64 => "i64".into(),
        CType::F32 => "f32".into(),
        CType::F64 => "f64".into(),
        CType::Named(name) if tables.world.interfaces.contains_key(name) => "*mut c_void".into(),
        CType::Named(name) => name.clone(),
        CType::Pointer(inner, constant) => {
            format!("*{} {}", if *constant { "const" } else { "mut" }, rust(inner, tables))
        }
        CType::Array(inner, count) => format!("[{};{count}]", rust(inner, tables)),
    }
}

/// One thunk a method: its shape (words, and which of them are floats or 16 bytes).
fn thunks(tables: &Tables, numbers: &Numbers) -> Result<String> {
    let all: Vec<(&Method, bool)> = numbers
        .interfaces
        .iter()
        .flat_map(|name| tables.methods[name].iter().map(|method| (method, true)))
        .chain(tables.functions.iter().map(|function| (function, false)))
        .collect();
    let mut shapes = BTreeSet::new();
    let mut list = String::new();
    let mut exports = String::new();
    for (at, (method, this)) in all.iter().enumerate() {
        let shape = shape(method, *this, tables)?;
        write!(list, "{shape} {at},")?;
        if at % 16 == 15 {
            list.push('\n');
        }
        shapes.insert(shape.clone());
        if !this {
            let (name, letters) = (&method.name, letters(&shape));
            writeln!(exports, "({name},$h:ty,$($a:tt)*)=>{{$crate::export_as!($h,$($a)*,{name},{at},({letters}));}};")?;
        }
    }
    let mut out = format!("{HEADER}// Which shape each method's thunk has; included by `abi::thunk`.\nshapes! {{\n");
    for shape in &shapes {
        writeln!(out, "{} {shape}({});", &shape[..1], letters(shape))?;
    }
    write!(out, "}}\nthunk_list! {{\n{list}\n}}\n")?;
    write!(out, "#[macro_export]\n#[doc(hidden)]\nmacro_rules! export_named {{\n{exports}}}\n")?;
    Ok(out)
}

/// `m` or `f` (with or without `this`), then a letter a word: `i`nteger, `s`ingle or `d`ouble float, `b`ig (16 bytes by
/// value).
fn shape(method: &Method, this: bool, tables: &Tables) -> Result<String> {
    let mut shape = String::from(if this { "m_" } else { "f_" });
    for param in &method.params {
        shape.push(match &param.ty {
            Ty::Plain(name) if name == "F32" => 's',
            Ty::Plain(name) if name == "F64" => 'd',
            Ty::Plain(name) if name == "Guid" => 'b',
            Ty::Struct(name) if tables.structs[name].size == 16 => 'b',
            _ => 'i',
        });
    }
    ensure!(
        !matches!(&method.result, Ty::Plain(name) if name == "F32" || name == "F64"),
        "{}: returns a float",
        method.name
    );
    Ok(shape)
}

fn letters(shape: &str) -> String {
    let kinds = shape.chars().skip(2).enumerate();
    kinds.map(|(at, kind)| format!("a{at} {at} {kind}")).collect::<Vec<_>>().join(",")
}
