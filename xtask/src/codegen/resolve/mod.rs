//! From declarations and rules to the tables' content: layouts, lengths, arms, roles.
//!
//! Invariant: a pointer whose meaning neither the metadata nor the overlay states is an error that names it.

mod layout;
mod member;
mod method;

use super::ir::{self, CType, Length as Stated, Member, World};
use super::metadata::{Found, Metadata};
use super::overlay::{Length, Overlay, Rule};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    /// A variant of `model::Type` without content.
    Plain(String),
    Enum(String),
    Struct(String),
    Object(String),
    Pointer(Box<Ty>, Len),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Len {
    One,
    Const(u32),
    Field(usize),
    Through(usize),
    Bytes(usize),
    BytesThrough(usize),
    Text,
    Rule(String),
    Named(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub name: String,
    pub ty: Ty,
    pub offset: u32,
    pub count: u32,
    pub direction: &'static str,
    pub optional: bool,
    pub role: String,
    pub arm: Option<(usize, Vec<i64>, bool)>,
    pub iid: Option<usize>,
    pub class: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub size: u32,
    pub align: u32,
    pub flat: bool,
    pub fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub name: String,
    pub params: Vec<Field>,
    pub result: Ty,
    pub result_role: String,
    pub args_size: u32,
    pub returns_structure: bool,
    pub order: &'static str,
}

/// A table of choices: name, selecting enumeration, cases.
pub(crate) type Select = (String, String, Vec<(i64, Ty)>);

pub(crate) struct Tables {
    /// The declarations, for the Rust types.
    pub world: World,
    pub structs: BTreeMap<String, Struct>,
    /// By interface, in slot order.
    pub methods: BTreeMap<String, Vec<Method>>,
    pub functions: Vec<Method>,
    pub selects: Vec<Select>,
    /// Scalar typedefs that occur, with the C type they stand for.
    pub scalars: BTreeMap<String, String>,
}

pub(crate) struct Resolver<'a> {
    metadata: Metadata,
    overlay: &'a Overlay,
    inline: BTreeMap<String, Rule>,
    declared: BTreeMap<String, Found>,
    world: World,
    structs: BTreeMap<String, Struct>,
    scalars: BTreeMap<String, String>,
    pending: Vec<String>,
    errors: BTreeSet<String>,
}

/// What a name resolves to, with the role that the name itself carries.
struct Meaning {
    ty: Ty,
    role: Option<String>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(metadata: Metadata, overlay: &'a Overlay) -> Self {
        let mut inline = BTreeMap::new();
        let mut declared = BTreeMap::new();
        let mut adopt = |owner: &str, rules: &BTreeMap<String, Rule>| {
            inline.extend(rules.iter().map(|(name, rule)| (format!("{owner}.{name}"), rule.clone())));
        };
        for (structure, rules) in &overlay.structs {
            adopt(&structure.name, rules);
            declared.insert(structure.name.clone(), Found::Struct(structure.clone()));
        }
        for enumeration in &overlay.enums {
            declared.insert(enumeration.name.clone(), Found::Enum(enumeration.clone()));
        }
        for (interface, rules) in &overlay.interfaces {
            adopt(&interface.name, rules);
            declared.insert(interface.name.clone(), Found::Interface(interface.clone()));
        }
        for (function, rules) in &overlay.functions {
            adopt(&function.name, rules);
        }
        Self {
            metadata,
            overlay,
            inline,
            declared,
            world: World::default(),
            structs: BTreeMap::new(),
            scalars: BTreeMap::new(),
            pending: Vec::new(),
            errors: BTreeSet::new(),
        }
    }

    /// Resolves everything reachable from the roots.
    pub(crate) fn run(mut self) -> Result<Tables> {
        let overlay = self.overlay;
        let root = |key: &str| overlay.roots.get(key).map(Vec::as_slice).unwrap_or_default();
        let prefixes = root("interface_prefixes");
        let not = root("interfaces_left_out");
        let mut names = self.metadata.names(|name, item| {
            let windows_metadata::reader::Item::Type(def) = item else { return false };
            def.category() == windows_metadata::reader::TypeCategory::Interface
                && prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()))
                && !not.iter().any(|out| out == name)
        });
        names.extend(overlay.interfaces.iter().map(|(interface, _)| interface.name.clone()));
        names.extend(root("interfaces").iter().cloned());
        self.pending = names;
        let mut methods = BTreeMap::new();
        let mut functions = Vec::new();
        let mut declared: Vec<ir::Method> = Vec::new();
        for name in root("functions") {
            declared.push(
                self.metadata.function(name)?.with_context(|| format!("function {name} is not in the metadata"))?,
            );
        }
        declared.extend(overlay.functions.iter().map(|(function, _)| function.clone()));
        for function in &declared {
            functions.push(self.method(&function.name, function, false)?);
        }
        self.world.functions = declared;
        for name in root("structs") {
            self.meaning(name)?;
        }
        let mut selects = Vec::new();
        for select in &overlay.selects {
            self.meaning(&select.selector)?;
            let mut cases = Vec::new();
            for (member, ty) in &select.cases {
                let value = self.value(&select.selector, member)?;
                cases.push((value, self.ty(ty)?.ty));
            }
            cases.sort_by_key(|(value, _)| *value);
            selects.push((select.name.clone(), select.selector.clone(), cases));
        }
        while let Some(name) = self.pending.pop() {
            if methods.contains_key(&name) {
                continue;
            }
            self.meaning(&name)?;
            let interface =
                self.world.interfaces.get(&name).with_context(|| format!("{name} is not an interface"))?.clone();
            if let Some(base) = &interface.base {
                self.meaning(base)?;
            }
            let lists = self.is_command_list(&name)?;
            let mut own = Vec::new();
            for method in &interface.methods {
                own.push(self.method(&format!("{name}.{}", method.name), method, lists)?);
            }
            methods.insert(name, own);
        }
        for key in overlay.unused() {
            self.errors.insert(format!("overlay rule `{key}` is used by nothing"));
        }
        if !self.errors.is_empty() {
            let all: Vec<_> = self.errors.iter().map(String::as_str).collect();
            bail!("the overlay is not complete:\n  {}", all.join("\n  "));
        }
        Ok(Tables { world: self.world, structs: self.structs, methods, functions, selects, scalars: self.scalars })
    }

    fn is_command_list(&mut self, name: &str) -> Result<bool> {
        let mut at = Some(name.to_string());
        while let Some(name) = at {
            if name == "ID3D12CommandList" {
                return Ok(true);
            }
            self.meaning(&name)?;
            at = self.world.interfaces.get(&name).and_then(|interface| interface.base.clone());
        }
        Ok(false)
    }

    /// Resolves a name, loading what it stands for on the way.
    fn meaning(&mut self, name: &str) -> Result<Meaning> {
        let plain = |ty: Ty| Meaning { ty, role: None };
        if let Some(scalar) = self.overlay.scalars.get(name) {
            let ty = match scalar.ty.as_str() {
                "Text16" => Ty::Pointer(Box::new(Ty::Plain("U16".into())), Len::Text),
                "Text8" => Ty::Pointer(Box::new(Ty::Plain("U8".into())), Len::Text),
                other => Ty::Plain(other.into()),
            };
            if self.is_aggregate(name)? {
                self.load_aggregate(name)?;
            } else {
                self.scalars.insert(name.into(), scalar.ty.clone());
            }
            return Ok(Meaning { ty, role: scalar.role.clone() });
        }
        if self.world.structs.contains_key(name) {
            return Ok(plain(Ty::Struct(name.into())));
        }
        if self.world.enums.contains_key(name) {
            return Ok(plain(Ty::Enum(name.into())));
        }
        if self.world.interfaces.contains_key(name) {
            return Ok(plain(Ty::Object(name.into())));
        }
        match self.find(name)? {
            Found::Struct(structure) => {
                self.world.structs.insert(name.into(), structure.clone());
                let resolved = self.structure(&structure).with_context(|| name.to_string())?;
                self.structs.insert(name.into(), resolved);
                Ok(plain(Ty::Struct(name.into())))
            }
            Found::Enum(mut enumeration) => {
                enumeration.members.extend(self.overlay.extend.get(name).into_iter().flatten().cloned());
                self.world.enums.insert(name.into(), enumeration);
                Ok(plain(Ty::Enum(name.into())))
            }
            Found::Interface(interface) => {
                self.pending.push(name.into());
                self.world.interfaces.insert(name.into(), interface);
                Ok(plain(Ty::Object(name.into())))
            }
            Found::Typedef(inner) => {
                if !matches!(inner, CType::Pointer(..)) {
                    let meaning = self.ty(&inner)?;
                    let target = match (&meaning.ty, inner.clone()) {
                        (Ty::Plain(scalar), _) => Some(scalar.clone()),
                        (_, CType::Named(target)) => Some(target),
                        _ => None,
                    };
                    if let Some(target) = target {
                        self.scalars.insert(name.into(), target);
                        return Ok(meaning);
                    }
                }
                bail!("typedef {name} = {inner:?}: state it under [scalars]")
            }
            Found::Callback => {
                self.scalars.insert(name.into(), "Word".into());
                Ok(Meaning { ty: Ty::Plain("Word".into()), role: Some("Callback".into()) })
            }
        }
    }

    fn find(&mut self, name: &str) -> Result<Found> {
        if let Some(found) = self.declared.remove(name) {
            return Ok(found);
        }
        let found = self.metadata.find(name)?;
        let mut found =
            found.with_context(|| format!("{name}: neither the metadata nor the overlay know this name"))?;
        if let Found::Struct(structure) = &mut found {
            structure.fields.extend(self.overlay.append.get(name).into_iter().flatten().cloned());
        }
        Ok(found)
    }

    /// Structures of one word that the tables treat as scalars (descriptor handles) are still structures in C.
    fn is_aggregate(&mut self, name: &str) -> Result<bool> {
        if self.world.structs.contains_key(name) || matches!(self.declared.get(name), Some(Found::Struct(_))) {
            return Ok(true);
        }
        Ok(matches!(self.metadata.find(name)?, Some(Found::Struct(_))))
    }

    fn load_aggregate(&mut self, name: &str) -> Result<()> {
        if !self.world.structs.contains_key(name) {
            let Found::Struct(structure) = self.find(name)? else { bail!("{name}: expected a structure") };
            if name != "GUID" {
                self.world.structs.insert(name.into(), structure.clone());
                // The members of a LARGE_INTEGER are of no interest: only the Rust type needs them.
                let all: Vec<CType> = structure.fields.iter().map(|field| field.ty.clone()).collect();
                for ty in all {
                    if let CType::Named(inner) = ty {
                        self.load_aggregate(&inner)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn ty(&mut self, ty: &CType) -> Result<Meaning> {
        let name = match ty {
            CType::Named(name) => return self.meaning(name),
            CType::Void => "Void",
            CType::U8 => "U8",
            CType::I8 => "I8",
            CType::U16 => "U16",
            CType::I16 => "I16",
            CType::U32 => "U32",
            CType::I32 => "I32",
            CType::U64 => "U64",
            CType::I64 => "I64",
            CType::F32 => "F32",
            CType::F64 => "F64",
            CType::Pointer(..) | CType::Array(..) => bail!("pointer or array where neither can be: {ty:?}"),
        };
        Ok(Meaning { ty: Ty::Plain(name.into()), role: None })
    }

    /// Value of an enumeration's member, by its whole name or its end.
    fn value(&self, enumeration: &str, member: &str) -> Result<i64> {
        let found =
            self.world.enums.get(enumeration).with_context(|| format!("{enumeration} is not an enumeration"))?;
        let whole = found.members.iter().find(|(name, _)| name == member);
        let end = format!("_{member}");
        let mut ends = found.members.iter().filter(|(name, _)| name.ends_with(&end));
        let by_end = match (ends.next(), ends.next()) {
            (Some(one), None) => Some(one),
            _ => found.members.iter().find(|(name, _)| *name == format!("{enumeration}_{member}")),
        };
        let (_, value) = whole.or(by_end).with_context(|| format!("{enumeration} has no single member {member}"))?;
        Ok(*value)
    }

    fn rule(&self, owner: &str, member: &str) -> Rule {
        let key = format!("{owner}.{member}");
        let mut rule = self.inline.get(&key).or(self.overlay.rule(&key)).cloned().unwrap_or_default();
        if let Some(general) = self.overlay.by_name(member) {
            rule.role = rule.role.or_else(|| general.role.clone());
            rule.length = rule.length.or_else(|| general.length.clone());
            rule.class = rule.class.or_else(|| general.class.clone());
            rule.retype = rule.retype.or_else(|| general.retype.clone());
            rule.optional = rule.optional.or(general.optional);
            rule.word |= general.word;
        }
        rule
    }
}

fn round(at: u32, align: u32) -> u32 {
    at.next_multiple_of(align)
}

fn packed(align: u32, pack: u32) -> u32 {
    if pack == 0 { align } else { align.min(pack) }
}

fn set_length(ty: &mut Ty, length: Option<Len>) {
    if let (Ty::Pointer(_, len), Some(length)) = (ty, length) {
        *len = length;
    }
}

/// Turns a sibling's name into its position.
fn position(length: &Length, names: &[(String, Ty)]) -> Result<Len> {
    let at = |name: &str| {
        names.iter().position(|(sibling, _)| sibling == name).with_context(|| format!("no sibling named `{name}`"))
    };
    Ok(match length {
        Length::One => Len::One,
        Length::Const(count) => Len::Const(*count),
        Length::Field(name) => Len::Field(at(name)?),
        Length::Through(name) => Len::Through(at(name)?),
        Length::Bytes(name) => Len::Bytes(at(name)?),
        Length::BytesThrough(name) => Len::BytesThrough(at(name)?),
        Length::Text => Len::Text,
        Length::Rule(name) => Len::Rule(name.clone()),
        Length::Named(name) => Len::Named(name.clone()),
    })
}
