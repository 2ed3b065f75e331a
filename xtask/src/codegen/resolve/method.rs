//! Methods and functions: the packed argument block, the hidden out pointer, the result, and the order of the call.

use super::{CType, Field, Len, Length, Member, Method, Resolver, Stated, Ty, ir, position, round, set_length};
use anyhow::{Context, Result, bail};

impl Resolver<'_> {
    pub(super) fn method(&mut self, owner: &str, method: &ir::Method, lists: bool) -> Result<Method> {
        self.method_inner(owner, method, lists).with_context(|| owner.to_string())
    }

    pub(super) fn method_inner(&mut self, owner: &str, method: &ir::Method, lists: bool) -> Result<Method> {
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
                result_role = rule.role.clone().or(meaning.role).unwrap_or_else(|| "Plain".into());
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
    pub(super) fn counted(&self, param: &Member, name: String, bytes: bool) -> Length {
        match (matches!(param.ty, CType::Pointer(..)), bytes) {
            (false, false) => Length::Field(name),
            (false, true) => Length::Bytes(name),
            (true, false) => Length::Through(name),
            (true, true) => Length::BytesThrough(name),
        }
    }
}
