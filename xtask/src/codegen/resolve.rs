//! From declarations and rules to the tables' content: layouts, lengths, arms, roles.
//!
//! Invariant: a pointer whose meaning neither the metadata nor the overlay states is an error that names it.

use super::ir::{self, CType, Length as Stated, Member, World};
use super::metadata::{Found, Metadata};
use super::overlay::{Length, Overlay, Rule};
use anyhow::{Context, Result, bail, ensure};
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

pub(crate) struct Tables {
    /// The declarations, for the Rust types.
    pub world: World,
    pub structs: BTreeMap<String, Struct>,
    /// By interface, in slot order.
    pub methods: BTreeMap<String, Vec<Method>>,
    pub functions: Vec<Method>,
    pub selects: Vec<(String, String, Vec<(i64, Ty)>)>,
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
        self.metadata
            .find(name)?
            .with_context(|| format!("{name}: neither the metadata nor the overlay know this name"))
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

    fn structure(&mut self, structure: &ir::Struct) -> Result<Struct> {
        let mut fields = Vec::new();
        let mut arms = Vec::new();
        let (size, align) = self.flatten(&structure.name, structure, 0, None, &mut fields, &mut arms)?;
        let names: Vec<(String, Ty)> =
            fields.iter().map(|(field, _): &(Field, Rule)| (field.name.clone(), field.ty.clone())).collect();
        let mut out = Vec::new();
        for (mut field, rule) in fields {
            let place = format!("{}.{}", structure.name, field.name);
            let length = rule.length.as_ref().map(|length| position(length, &names)).transpose();
            match length.with_context(|| place.clone()) {
                Ok(length) => set_length(&mut field.ty, length),
                Err(error) => drop(self.errors.insert(format!("{error:#}"))),
            }
            if let Some(arm) = &rule.arm {
                match self.arm(&names, arm) {
                    Ok(arm) => field.arm = Some(arm),
                    Err(error) => drop(self.errors.insert(format!("{place}: {error:#}"))),
                }
            }
            out.push(field);
        }
        let mut names: Vec<_> = out.iter().map(|field| &field.name).collect();
        names.sort();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            self.errors.insert(format!("{}.{}: two members of this name after flattening", structure.name, pair[0]));
        }
        let flat = out.iter().all(|field| self.is_flat(&field.ty));
        Ok(Struct { size, align, flat, fields: out })
    }

    fn arm(&self, names: &[(String, Ty)], arm: &super::overlay::Arm) -> Result<(usize, Vec<i64>, bool)> {
        let at = names.iter().position(|(name, _)| *name == arm.selector);
        let at = at.with_context(|| format!("no selector named {}", arm.selector))?;
        let values = arm.values.iter().map(|value| match (&names[at].1, value.strip_prefix("sizeof ")) {
            (_, Some(name)) => Ok(i64::from(self.structs.get(name).with_context(|| format!("{name}: unknown"))?.size)),
            (Ty::Enum(name), None) if value.parse::<i64>().is_err() => self.value(name, value),
            (_, None) => value.parse().with_context(|| format!("{value}: a number is expected")),
        });
        Ok((at, values.collect::<Result<_>>()?, arm.inverted))
    }

    /// Lays a structure out and appends its members, those of anonymous members included.
    fn flatten(
        &mut self,
        owner: &str,
        structure: &ir::Struct,
        base: u32,
        inherited: Option<&Rule>,
        fields: &mut Vec<(Field, Rule)>,
        arms: &mut Vec<String>,
    ) -> Result<(u32, u32)> {
        let mut end = 0;
        let mut align = 1;
        for member in &structure.fields {
            let mut rule = self.rule(owner, &member.name);
            if let Some(inherited) = inherited.filter(|_| rule.arm.is_none()) {
                rule.arm = inherited.arm.clone();
                rule.skip |= inherited.skip;
            }
            let anonymous = match &member.ty {
                CType::Named(inner) if member.name.starts_with("Anonymous") => match self.find(inner)? {
                    Found::Struct(inner) => Some(inner),
                    _ => bail!("{inner}: an anonymous member must be a structure"),
                },
                _ => None,
            };
            let (field_size, field_align) = match anonymous {
                Some(inner) => {
                    let key = self.overlay.rule(&format!("{owner}.{}", inner.name)).cloned();
                    let mut probe = Vec::new();
                    let (size, inner_align) = self.flatten(owner, &inner, 0, None, &mut probe, &mut Vec::new())?;
                    let inner_align = packed(inner_align, structure.pack);
                    let at = if structure.union { 0 } else { round(end, inner_align) };
                    let passed = key.as_ref().or(inherited).or(structure.union.then_some(&rule));
                    if structure.union && !inner.union && passed.is_none_or(|rule| rule.arm.is_none() && !rule.skip) {
                        let place = format!("{owner}.{}", inner.name);
                        self.errors.insert(format!("{place}: member of a union without `when`, `unless` or `skip`"));
                    }
                    self.flatten(owner, &inner, base + at, passed, fields, arms)?;
                    self.world.structs.insert(inner.name.clone(), inner);
                    (size, inner_align)
                }
                None => {
                    let (mut field, _) = self.field(owner, member, &rule, false)?;
                    let (size, field_align) = self.layout(&field.ty)?;
                    let field_align = packed(field_align, structure.pack);
                    field.offset = base + if structure.union { 0 } else { round(end, field_align) };
                    let size = size * field.count;
                    if structure.union
                        && rule.arm.is_none()
                        && !rule.skip
                        && inherited.is_none_or(|rule| rule.arm.is_none())
                    {
                        let alone = structure
                            .fields
                            .iter()
                            .all(|other| other.name == member.name || self.rule(owner, &other.name).skip);
                        if !alone {
                            self.errors.insert(format!(
                                "{owner}.{}: member of a union without `when`, `unless` or `skip`",
                                member.name
                            ));
                        }
                    }
                    if !rule.skip {
                        fields.push((field, rule));
                    }
                    (size, field_align)
                }
            };
            align = align.max(field_align);
            end = if structure.union { end.max(field_size) } else { round(end, field_align) + field_size };
        }
        Ok((round(end.max(1), align), align))
    }

    /// Resolves one member; lengths that name siblings are left to the caller (as a rule).
    fn field(&mut self, owner: &str, member: &Member, rule: &Rule, param: bool) -> Result<(Field, Option<Length>)> {
        let place = format!("{owner}.{}", member.name);
        let facts = &member.facts;
        let mut count = 1;
        let mut ty = &member.ty;
        while let CType::Array(inner, n) = ty {
            count *= n;
            ty = inner;
        }
        let mut role = rule.role.clone();
        let mut class = None;
        let mut length = rule.length.clone();
        let mut direction = "In";
        let resolved = if rule.word {
            role = role.or(Some("CpuAddress".into()));
            Ty::Plain("Word".into())
        } else if let CType::Pointer(inner, _) = ty {
            direction = rule.direction.unwrap_or(match (facts.output, facts.input) {
                _ if !param => "In",
                (true, true) => "InOut",
                (true, false) => "Out",
                _ => "In",
            });
            let untyped = matches!(&**inner, CType::Pointer(deep, _) if **deep == CType::Void);
            let com_out = facts.com_out || (untyped && rule.class.is_some());
            let (element, unit) = self.element(&place, inner, rule, com_out, &mut class, &mut role)?;
            length = length.or(unit);
            let element = match (element, &rule.each) {
                (Some(Ty::Pointer(inner, _)), Some(each)) => Some(Ty::Pointer(inner, position(each, &[])?)),
                (_, Some(_)) => bail!("{place}: `each` needs an array of pointers"),
                (element, None) => element,
            };
            let len = if com_out || (param && length.is_none() && element.is_some() && facts.length.is_none()) {
                length = None;
                Len::One
            } else {
                if length.is_none() && facts.length.is_none() {
                    self.errors.insert(format!("{place}: pointer without a rule ({:?})", member.ty));
                }
                Len::One
            };
            if matches!(element, Some(Ty::Object(_))) && direction == "InOut" {
                // The metadata say so of a few output objects (EnumOutputs); nothing is ever read from them.
                direction = "Out";
            }
            Ty::Pointer(Box::new(element.unwrap_or(Ty::Plain("U8".into()))), len)
        } else {
            let meaning = match &rule.retype {
                Some(other) => self.ty(other)?,
                None => self.ty(ty)?,
            };
            role = role.or(meaning.role);
            if let (Ty::Pointer(_, Len::Text), Some(other)) = (&meaning.ty, rule.direction) {
                direction = other;
            } else if matches!(meaning.ty, Ty::Pointer(..)) && facts.output && param {
                direction = rule.direction.unwrap_or("Out");
            }
            meaning.ty
        };
        if matches!(resolved, Ty::Pointer(_, Len::Text)) && length.is_none() {
            role = role.or(Some("Text".into()));
            length = None;
        }
        if matches!(length, Some(Length::Text)) {
            role = role.or(Some("Text".into()));
        }
        if count > 1 && matches!(resolved, Ty::Plain(ref unit) if unit == "U16" || unit == "I8") && role.is_none() {
            role = Some("Text".into());
        }
        let is_guid = matches!(&resolved, Ty::Pointer(inner, _) if **inner == Ty::Plain("Guid".into()));
        if is_guid
            && role.is_none()
            && ["riid", "iid", "refiid", "ReturnedReflectionInterface"].contains(&member.name.as_str())
        {
            role = Some("Iid".into());
        }
        if facts.reserved {
            role = role.or(Some("Reserved".into()));
        }
        let optional = rule.optional.unwrap_or(facts.optional || !param);
        let field = Field {
            name: member.name.clone(),
            ty: resolved,
            offset: 0,
            count,
            direction,
            optional,
            role: role.unwrap_or_else(|| "Plain".into()),
            arm: None,
            iid: None,
            class,
        };
        Ok((field, length))
    }

    /// What a pointer points to (`None`: untyped without a rule), and a length that follows from the rule itself.
    fn element(
        &mut self,
        place: &str,
        inner: &CType,
        rule: &Rule,
        com_out: bool,
        class: &mut Option<String>,
        role: &mut Option<String>,
    ) -> Result<(Option<Ty>, Option<Length>)> {
        if com_out {
            match rule.class.as_deref() {
                Some("any") => {}
                Some(name) => *class = Some(name.into()),
                None => drop(self.errors.insert(format!("{place}: output object without `class`"))),
            }
            let object = class.clone().unwrap_or_else(|| "IUnknown".into());
            self.meaning(&object)?;
            return Ok((Some(Ty::Object(object)), None));
        }
        if let Some(other) = &rule.retype {
            if let CType::Named(_) = inner {
                // The Rust type keeps the declared one.
                self.ty(inner)?;
            }
            if let CType::Pointer(deep, _) = other {
                let deep = self.ty(deep)?;
                return Ok((Some(Ty::Pointer(Box::new(deep.ty), Len::One)), None));
            }
            let meaning = self.ty(other)?;
            *role = role.take().or(meaning.role);
            return Ok((Some(meaning.ty), None));
        }
        match inner {
            CType::Void => Ok((None, None)),
            CType::Pointer(deep, _) if **deep == CType::Void => {
                self.errors.insert(format!("{place}: pointer to an untyped pointer without a rule"));
                Ok((None, None))
            }
            CType::Pointer(deep, _) => {
                let deep = self.ty(deep)?;
                Ok((Some(Ty::Pointer(Box::new(deep.ty), Len::One)), None))
            }
            other => {
                let meaning = self.ty(other)?;
                *role = role.take().or(meaning.role);
                if let Ty::Object(name) = &meaning.ty {
                    *class = Some(rule.class.clone().unwrap_or_else(|| name.clone()));
                }
                Ok((Some(meaning.ty), None))
            }
        }
    }

    fn method(&mut self, owner: &str, method: &ir::Method, lists: bool) -> Result<Method> {
        self.method_inner(owner, method, lists).with_context(|| owner.to_string())
    }

    fn method_inner(&mut self, owner: &str, method: &ir::Method, lists: bool) -> Result<Method> {
        let mut fields: Vec<(Field, Option<Length>)> = Vec::new();
        let mut returns_structure = false;
        let mut result_role = "Plain".to_string();
        let rule = self.rule(owner, "result");
        let mut result = match &method.result {
            CType::Pointer(inner, _) if rule.word || rule.length.is_some() => {
                if rule.word {
                    result_role = rule.role.clone().unwrap_or_else(|| "CpuAddress".into());
                    Ty::Plain("Word".into())
                } else {
                    let (element, _) = self.element(owner, inner, &rule, false, &mut None, &mut None)?;
                    let element = element.unwrap_or(Ty::Plain("U8".into()));
                    let length = position(rule.length.as_ref().unwrap_or(&Length::One), &[])?;
                    Ty::Pointer(Box::new(element), length)
                }
            }
            CType::Pointer(..) => {
                self.errors.insert(format!("{owner}.result: pointer without a rule"));
                Ty::Plain("Word".into())
            }
            CType::Named(name) if self.is_aggregate(name)? => {
                let meaning = self.meaning(name)?;
                returns_structure = true;
                let field = Field {
                    name: "result".into(),
                    ty: Ty::Pointer(Box::new(meaning.ty), Len::One),
                    offset: 0,
                    count: 1,
                    direction: "Out",
                    optional: false,
                    role: meaning.role.unwrap_or_else(|| "Plain".into()),
                    arm: None,
                    iid: None,
                    class: None,
                };
                fields.push((field, None));
                Ty::Plain("Word".into())
            }
            other => {
                let meaning = self.ty(other)?;
                result_role = meaning.role.or(rule.role.clone()).unwrap_or_else(|| "Plain".into());
                meaning.ty
            }
        };
        if let (Ty::Pointer(_, Len::Text), "Plain") = (&result, result_role.as_str()) {
            result_role = "Text".into();
        }
        for param in &method.params {
            let rule = self.rule(owner, &param.name);
            let (mut field, mut length) = self.field(owner, param, &rule, true)?;
            if length.is_none() {
                let name = |at: usize| {
                    method.params.get(at).map(|param| param.name.clone()).context("array info names no parameter")
                };
                length = match &param.facts.length {
                    Some(Stated::Const(count)) => Some(Length::Const(*count)),
                    Some(Stated::ElementsParam(at)) => Some(self.counted(&method.params[*at], name(*at)?, false)),
                    Some(Stated::BytesParam(at)) => Some(self.counted(&method.params[*at], name(*at)?, true)),
                    None => None,
                };
            }
            let untyped = matches!(&param.ty, CType::Pointer(inner, _) if matches!(&**inner, CType::Pointer(deep, _) if **deep == CType::Void));
            if param.facts.com_out || rule.iid.is_some() || (untyped && rule.class.is_some()) {
                let at = match &rule.iid {
                    Some(name) => fields.iter().position(|(field, _)| field.name == *name),
                    None => fields.iter().rposition(|(field, _)| field.role == "Iid"),
                };
                field.iid = at;
                if at.is_none() {
                    self.errors.insert(format!("{owner}.{}: no interface id among the parameters", param.name));
                }
            }
            fields.push((field, length));
        }
        let names: Vec<(String, Ty)> = fields.iter().map(|(field, _)| (field.name.clone(), field.ty.clone())).collect();
        let mut params = Vec::new();
        let mut end = 0;
        for (mut field, length) in fields {
            match length.as_ref().map(|length| position(length, &names)).transpose() {
                Ok(length) => set_length(&mut field.ty, length),
                Err(error) => drop(self.errors.insert(format!("{owner}.{}: {error:#}", field.name))),
            }
            let (size, align) = self.layout(&field.ty)?;
            if size > 8 && size != 16 {
                self.errors.insert(format!("{owner}.{}: {size} bytes by value", field.name));
            }
            field.offset = round(end, align);
            end = field.offset + size;
            params.push(field);
        }
        if let Ty::Struct(name) = &result {
            self.errors.insert(format!("{owner}: returns {name} in a way that is not modelled"));
            result = Ty::Plain("U64".into());
        }
        let silent = result == Ty::Plain("Void".into()) && params.iter().all(|param| param.direction == "In");
        let order = match (silent, lists) {
            (true, true) => "Object",
            (true, false) => "Enter",
            _ => "EnterLeave",
        };
        let order = match self.overlay.orders.get(owner).map(String::as_str) {
            None => order,
            Some("Object") => "Object",
            Some("Enter") => "Enter",
            Some("EnterLeave") => "EnterLeave",
            Some(other) => bail!("order `{other}`"),
        };
        let args_size = round(end, 8);
        Ok(Method { name: method.name.clone(), params, result, result_role, args_size, returns_structure, order })
    }

    /// A count parameter may itself be a pointer to the count.
    fn counted(&self, param: &Member, name: String, bytes: bool) -> Length {
        match (matches!(param.ty, CType::Pointer(..)), bytes) {
            (false, false) => Length::Field(name),
            (false, true) => Length::Bytes(name),
            (true, false) => Length::Through(name),
            (true, true) => Length::BytesThrough(name),
        }
    }

    fn is_flat(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Plain(_) | Ty::Enum(_) => true,
            Ty::Struct(name) => self.structs.get(name).is_some_and(|inner| inner.flat),
            Ty::Object(_) | Ty::Pointer(..) => false,
        }
    }

    /// Size and alignment on x86-64.
    fn layout(&self, ty: &Ty) -> Result<(u32, u32)> {
        let same = |n| Ok((n, n));
        match ty {
            Ty::Plain(name) => match name.as_str() {
                "Void" => Ok((0, 1)),
                "U8" | "I8" => same(1),
                "U16" | "I16" => same(2),
                "U32" | "I32" | "F32" | "Bool" | "Hresult" => same(4),
                "U64" | "I64" | "F64" | "Word" => same(8),
                "Guid" => Ok((16, 4)),
                other => bail!("{other} is not a type of the model"),
            },
            Ty::Enum(_) => same(4),
            Ty::Object(_) | Ty::Pointer(..) => same(8),
            Ty::Struct(name) => {
                let inner = self.structs.get(name).with_context(|| format!("{name} contains itself"))?;
                ensure!(inner.size > 0, "{name} is empty");
                Ok((inner.size, inner.align))
            }
        }
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
