//! Structures: where each member lies, with the members of anonymous unions and structures taken into their parent.
//!
//! Invariant: a member of a union has a selector, or all its siblings are left out.

use super::{CType, Field, Found, Resolver, Rule, Struct, Ty, ir, packed, position, round, set_length};
use crate::codegen::overlay::Arm;
use anyhow::{Context, Result, bail, ensure};

impl Resolver<'_> {
    pub(super) fn structure(&mut self, structure: &ir::Struct) -> Result<Struct> {
        let mut fields = Vec::new();
        let (size, align) = self.flatten(&structure.name, structure, 0, None, &mut fields)?;
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

    pub(super) fn arm(&self, names: &[(String, Ty)], arm: &Arm) -> Result<(usize, Vec<i64>, bool)> {
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
    pub(super) fn flatten(
        &mut self,
        owner: &str,
        structure: &ir::Struct,
        base: u32,
        inherited: Option<&Rule>,
        fields: &mut Vec<(Field, Rule)>,
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
                    let (size, inner_align) = self.flatten(owner, &inner, 0, None, &mut probe)?;
                    let inner_align = packed(inner_align, structure.pack);
                    let at = if structure.union { 0 } else { round(end, inner_align) };
                    let passed = key.as_ref().or(inherited).or(structure.union.then_some(&rule));
                    if structure.union && !inner.union && passed.is_none_or(|rule| rule.arm.is_none() && !rule.skip) {
                        let place = format!("{owner}.{}", inner.name);
                        self.errors.insert(format!("{place}: member of a union without `when`, `unless` or `skip`"));
                    }
                    self.flatten(owner, &inner, base + at, passed, fields)?;
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

    pub(super) fn is_flat(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Plain(_) | Ty::Enum(_) => true,
            Ty::Struct(name) => self.structs.get(name).is_some_and(|inner| inner.flat),
            Ty::Object(_) | Ty::Pointer(..) => false,
        }
    }

    /// Size and alignment on x86-64.
    pub(super) fn layout(&self, ty: &Ty) -> Result<(u32, u32)> {
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
