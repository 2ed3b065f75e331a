//! Reads `crates/d3d12/overlay.toml`: what headers and metadata do not say, and what is missing from the metadata.
//!
//! A rule is a line of clauses separated by `;` (the grammar is at the top of the overlay itself).
//! Invariant: every rule is used; a rule that nothing asks for is an error, so that the overlay cannot go stale.

use super::ir::{CType, Enum, Facts, Interface, Member, Method, Struct};
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// One rule, taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rule {
    pub length: Option<Length>,
    /// Length of each pointer in an array of pointers.
    pub each: Option<Length>,
    /// Sets the direction: `in`, `out`, `inout`.
    pub direction: Option<&'static str>,
    pub optional: Option<bool>,
    pub role: Option<String>,
    pub class: Option<String>,
    pub iid: Option<String>,
    /// Replaces the type: of the element for pointers.
    pub retype: Option<CType>,
    pub arm: Option<Arm>,
    /// The pointer is not looked through.
    pub word: bool,
    /// This member of a union repeats another one's bytes: leave it out of the tables.
    pub skip: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Length {
    One,
    Const(u32),
    Field(String),
    Through(String),
    Bytes(String),
    BytesThrough(String),
    Text,
    Rule(String),
    Named(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arm {
    pub selector: String,
    pub values: Vec<String>,
    pub inverted: bool,
}

/// A table from an enumeration to a type: what a tagged `void *` points to.
pub(crate) struct Select {
    pub name: String,
    pub selector: String,
    pub cases: Vec<(String, CType)>,
}

/// A scalar typedef: its type and role.
#[derive(Clone)]
pub(crate) struct Scalar {
    pub ty: String,
    pub role: Option<String>,
}

pub(crate) struct Overlay {
    rules: BTreeMap<String, Rule>,
    names: BTreeMap<String, Rule>,
    unused: RefCell<BTreeSet<String>>,
    pub scalars: BTreeMap<String, Scalar>,
    pub orders: BTreeMap<String, String>,
    pub roots: BTreeMap<String, Vec<String>>,
    pub rename: BTreeMap<String, String>,
    pub structs: Vec<(Struct, BTreeMap<String, Rule>)>,
    pub enums: Vec<Enum>,
    /// Members to add to enumerations of the metadata.
    pub extend: BTreeMap<String, Vec<(String, i64)>>,
    /// Members to add to structures and unions of the metadata.
    pub append: BTreeMap<String, Vec<Member>>,
    pub interfaces: Vec<(Interface, BTreeMap<String, Rule>)>,
    pub functions: Vec<(Method, BTreeMap<String, Rule>)>,
    pub selects: Vec<Select>,
    /// Named rules and what each means, for the codec.
    pub named: BTreeMap<String, String>,
}

impl Overlay {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let root: toml::Table = text.parse().context("overlay.toml")?;
        let mut overlay = Self {
            rules: BTreeMap::new(),
            names: BTreeMap::new(),
            unused: RefCell::default(),
            scalars: BTreeMap::new(),
            orders: strings(&root, "order")?,
            roots: BTreeMap::new(),
            rename: strings(&root, "rename")?,
            structs: Vec::new(),
            enums: Vec::new(),
            extend: BTreeMap::new(),
            append: BTreeMap::new(),
            interfaces: Vec::new(),
            functions: Vec::new(),
            selects: Vec::new(),
            named: strings(&root, "named")?,
        };
        let known = [
            "order",
            "rename",
            "named",
            "scalars",
            "roots",
            "names",
            "rules",
            "struct",
            "enum",
            "extend",
            "append",
            "interface",
            "function",
            "select",
        ];
        for key in root.keys() {
            ensure!(known.contains(&key.as_str()), "overlay.toml: unknown table [{key}]");
        }
        for (name, text) in strings(&root, "scalars")? {
            let (ty, role) =
                text.split_once(' ').map_or((text.as_str(), None), |(ty, role)| (ty, Some(role.to_string())));
            overlay.scalars.insert(name, Scalar { ty: ty.into(), role });
        }
        for (key, value) in table(&root, "roots")? {
            let list = value.as_array().with_context(|| format!("roots.{key}: a list"))?;
            let list = list.iter().filter_map(|item| item.as_str().map(str::to_string)).collect();
            overlay.roots.insert(key.clone(), list);
        }
        for (name, text) in strings(&root, "names")? {
            overlay.names.insert(name.clone(), rule(&text).with_context(|| format!("names.{name}"))?);
        }
        let mut rules = BTreeMap::new();
        flatten("", table(&root, "rules")?, &mut rules)?;
        for (key, text) in rules {
            overlay.rules.insert(key.clone(), rule(&text).with_context(|| format!("rules.{key}"))?);
        }
        let names = overlay.names.keys().map(|name| format!("names.{name}"));
        overlay.unused = RefCell::new(overlay.rules.keys().cloned().chain(names).collect());
        overlay.declarations(&root)?;
        Ok(overlay)
    }

    fn declarations(&mut self, root: &toml::Table) -> Result<()> {
        for (name, value) in table(root, "struct")? {
            let (union, lines) = match value {
                toml::Value::Table(inner) => {
                    (true, inner.get("union").with_context(|| format!("struct.{name}: union = [..]"))?)
                }
                other => (false, other),
            };
            let (fields, rules) = members(lines).with_context(|| format!("struct.{name}"))?;
            self.structs.push((Struct { name: name.clone(), union, pack: 0, fields }, rules));
        }
        for (name, value) in table(root, "enum")? {
            let flags = value.get("flags").is_some_and(|flags| flags.as_bool() == Some(true));
            let members = enumerators(value).with_context(|| format!("enum.{name}"))?;
            self.enums.push(Enum { name: name.clone(), flags, unsigned: flags, members });
        }
        for (name, value) in table(root, "extend")? {
            self.extend.insert(name.clone(), enumerators(value).with_context(|| format!("extend.{name}"))?);
        }
        for (name, value) in table(root, "append")? {
            self.append.insert(name.clone(), members(value).with_context(|| format!("append.{name}"))?.0);
        }
        for (name, value) in table(root, "interface")? {
            let inner = value.as_table().with_context(|| format!("interface.{name}: a table"))?;
            let text = |key: &str| inner.get(key).and_then(toml::Value::as_str).map(str::to_string);
            let mut rules = BTreeMap::new();
            let mut methods = Vec::new();
            for line in inner.get("methods").and_then(toml::Value::as_array).into_iter().flatten() {
                let line = line.as_str().with_context(|| format!("interface.{name}: methods are text"))?;
                let (method, own) = method(line).with_context(|| format!("interface.{name}: {line}"))?;
                rules.extend(own.into_iter().map(|(param, rule)| (format!("{}.{param}", method.name), rule)));
                methods.push(method);
            }
            let iid = text("iid").with_context(|| format!("interface.{name}: iid"))?;
            self.interfaces.push((Interface { name: name.clone(), iid, base: text("base"), methods }, rules));
        }
        for line in root
            .get("function")
            .and_then(|value| value.get("list"))
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten()
        {
            let line = line.as_str().context("function.list: text")?;
            self.functions.push(method(line).with_context(|| format!("function: {line}"))?);
        }
        for (name, value) in table(root, "select")? {
            let inner = value.as_table().with_context(|| format!("select.{name}: a table"))?;
            let mut select = Select { name: name.clone(), selector: String::new(), cases: Vec::new() };
            for (key, value) in inner {
                let value = value.as_str().with_context(|| format!("select.{name}.{key}: text"))?;
                match key.as_str() {
                    "selector" => select.selector = value.into(),
                    _ => select.cases.push((key.clone(), ctype(value)?.0)),
                }
            }
            self.selects.push(select);
        }
        Ok(())
    }

    /// The rule for `owner.member`, if any; counts as its use.
    pub(crate) fn rule(&self, key: &str) -> Option<&Rule> {
        self.unused.borrow_mut().remove(key);
        self.rules.get(key)
    }

    /// The rule for members of this name anywhere.
    pub(crate) fn by_name(&self, name: &str) -> Option<&Rule> {
        let found = self.names.get(name)?;
        self.unused.borrow_mut().remove(&format!("names.{name}"));
        Some(found)
    }

    /// Rules that nothing asked for.
    pub(crate) fn unused(&self) -> Vec<String> {
        self.unused.borrow().iter().cloned().collect()
    }
}

fn table<'a>(
    root: &'a toml::Table,
    key: &str,
) -> Result<impl Iterator<Item = (&'a String, &'a toml::Value)> + use<'a>> {
    let table = match root.get(key) {
        None => None,
        Some(value) => Some(value.as_table().with_context(|| format!("overlay.toml: [{key}] must be a table"))?),
    };
    Ok(table.into_iter().flatten())
}

fn strings(root: &toml::Table, key: &str) -> Result<BTreeMap<String, String>> {
    table(root, key)?
        .map(|(name, value)| {
            let text = value.as_str().with_context(|| format!("overlay.toml: {key}.{name} must be text"))?;
            Ok((name.clone(), text.to_string()))
        })
        .collect()
}

fn flatten<'a>(
    prefix: &str,
    items: impl Iterator<Item = (&'a String, &'a toml::Value)>,
    out: &mut BTreeMap<String, String>,
) -> Result<()> {
    for (key, value) in items {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            toml::Value::Table(inner) => flatten(&path, inner.iter(), out)?,
            toml::Value::String(text) => drop(out.insert(path, text.clone())),
            _ => bail!("rules.{path}: must be text"),
        }
    }
    Ok(())
}

/// Parses the clauses of a rule.
pub(crate) fn rule(text: &str) -> Result<Rule> {
    let mut rule = Rule::default();
    for clause in text.split(';').map(str::trim).filter(|clause| !clause.is_empty()) {
        let (word, rest) = clause.split_once(' ').map_or((clause, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "in" => rule.direction = Some("In"),
            "out" => rule.direction = Some("Out"),
            "inout" => rule.direction = Some("InOut"),
            "opt" => rule.optional = Some(true),
            "required" => rule.optional = Some(false),
            "one" | "text" | "count" | "bytes" | "rule" | "named" => rule.length = Some(length(word, rest)?),
            "each" => {
                let (word, rest) = rest.split_once(' ').map_or((rest, ""), |(word, rest)| (word, rest.trim()));
                rule.each = Some(length(word, rest)?);
            }
            "role" => rule.role = Some(rest.into()),
            "blob" => rule.role = Some(format!("Blob(B::{rest})")),
            "class" => rule.class = Some(rest.into()),
            "iid" => rule.iid = Some(rest.into()),
            "as" => rule.retype = Some(ctype(rest)?.0),
            "word" => rule.word = true,
            "skip" => rule.skip = true,
            "when" | "unless" => {
                let (selector, values) = rest.split_once('=').with_context(|| format!("{clause}: `=` expected"))?;
                rule.arm = Some(Arm {
                    selector: selector.trim().into(),
                    values: values.split('|').map(|value| value.trim().to_string()).collect(),
                    inverted: word == "unless",
                });
            }
            _ => bail!("unknown clause `{clause}`"),
        }
    }
    Ok(rule)
}

fn length(word: &str, rest: &str) -> Result<Length> {
    Ok(match (word, rest.strip_prefix('*'), rest.parse()) {
        ("one", ..) => Length::One,
        ("text", ..) => Length::Text,
        ("count", _, Ok(count)) => Length::Const(count),
        ("count", Some(name), _) => Length::Through(name.into()),
        ("count", ..) => Length::Field(rest.into()),
        ("bytes", Some(name), _) => Length::BytesThrough(name.into()),
        ("bytes", ..) => Length::Bytes(rest.into()),
        ("rule", ..) => Length::Rule(rest.into()),
        ("named", ..) => Length::Named(rest.into()),
        _ => bail!("unknown length `{word} {rest}`"),
    })
}

/// Parses a C type at the start of `text`; gives the rest back.
fn ctype(text: &str) -> Result<(CType, &str)> {
    let mut rest = text.trim();
    let mut constant = false;
    while let Some(after) = rest.strip_prefix("const ").or_else(|| rest.strip_prefix("struct ")) {
        constant |= rest.starts_with("const ");
        rest = after.trim_start();
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    ensure!(!name.is_empty(), "a type is expected in `{text}`");
    let mut ty = match name {
        "void" | "Void" => CType::Void,
        "UINT8" | "BYTE" | "U8" | "CHAR" | "char" => CType::U8,
        "UINT16" | "WCHAR" | "U16" => CType::U16,
        "UINT" | "UINT32" | "DWORD" | "ULONG" | "U32" | "uint32_t" => CType::U32,
        "INT" | "LONG" | "I32" | "int32_t" => CType::I32,
        "UINT64" | "SIZE_T" | "U64" | "uint64_t" | "size_t" => CType::U64,
        "INT64" | "I64" => CType::I64,
        "FLOAT" | "F32" => CType::F32,
        "DOUBLE" | "F64" => CType::F64,
        _ => CType::named(name),
    };
    let mut rest = after.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix('*') {
            ty = CType::Pointer(Box::new(ty), constant);
            rest = after.trim_start();
        } else if let Some(after) = rest.strip_prefix("const") {
            rest = after.trim_start();
        } else {
            return Ok((ty, rest));
        }
    }
}

/// `type name[3] : rule`
fn member(text: &str) -> Result<(Member, Rule)> {
    let (declaration, own) = match text.split_once(':') {
        Some((declaration, clauses)) => (declaration, rule(clauses)?),
        None => (text, Rule::default()),
    };
    let (mut ty, mut name) = ctype(declaration)?;
    name = name.trim();
    if let Some((short, count)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        ty = CType::Array(Box::new(ty), count.parse().with_context(|| format!("array length in `{text}`"))?);
        name = short;
    }
    ensure!(
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
        "a name is expected in `{text}`"
    );
    let output = own.direction.is_some_and(|direction| direction != "In");
    let facts = Facts { output, input: own.direction != Some("Out"), ..Facts::default() };
    Ok((Member { name: name.into(), ty, facts }, own))
}

fn enumerators(value: &toml::Value) -> Result<Vec<(String, i64)>> {
    let all = value.as_table().context("a table")?.iter().filter(|(key, _)| *key != "flags");
    all.map(|(name, value)| Ok((name.clone(), value.as_integer().with_context(|| name.clone())?))).collect()
}

fn members(lines: &toml::Value) -> Result<(Vec<Member>, BTreeMap<String, Rule>)> {
    let mut fields = Vec::new();
    let mut rules = BTreeMap::new();
    for line in lines.as_array().context("a list of declarations")? {
        let (field, rule) = member(line.as_str().context("declarations are text")?)?;
        rules.insert(field.name.clone(), rule);
        fields.push(field);
    }
    Ok((fields, rules))
}

/// `result name(type name : rule, ..)`
fn method(text: &str) -> Result<(Method, BTreeMap<String, Rule>)> {
    let (head, rest) = text.split_once('(').ok_or_else(|| anyhow!("`(` expected"))?;
    let inner = rest.trim_end().strip_suffix(')').ok_or_else(|| anyhow!("`)` expected"))?;
    let (result, name) = ctype(head)?;
    let mut params = Vec::new();
    let mut rules = BTreeMap::new();
    for part in inner.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (param, rule) = member(part)?;
        rules.insert(param.name.clone(), rule);
        params.push(param);
    }
    Ok((Method { name: name.trim().into(), result, params }, rules))
}
