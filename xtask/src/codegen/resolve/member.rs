//! One parameter or field: its type, direction, role and class, from facts and rules.
//!
//! Invariant: a pointer whose meaning neither states is reported by name.

use super::{CType, Field, Len, Length, Member, Resolver, Rule, Ty, position};
use anyhow::{Result, bail};

impl Resolver<'_> {
    /// Resolves one member; lengths that name siblings are left to the caller (as a rule).
    pub(super) fn field(
        &mut self,
        owner: &str,
        member: &Member,
        rule: &Rule,
        param: bool,
    ) -> Result<(Field, Option<Length>)> {
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
        if is_guid && role.is_none() && ["riid", "iid", "refiid"].contains(&member.name.as_str()) {
            role = Some("Iid".into());
        }
        if facts.reserved {
            role = role.or(Some("Reserved".into()));
        }
        if direction == "In" {
            class = None;
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
    pub(super) fn element(
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
}
