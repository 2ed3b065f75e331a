//! Reads a schema in the form that `write` gives it.
//!
//! Invariant: tables come out only of a text in which every word is understood. A word that is unknown, repeated or out of
//! place is an error with its line.

use super::{SchemaError, tables, token};
use reprise_d3d12::model::{
    Arm, Direction, Enum, EnumId, Field, Guid, Interface, InterfaceId, Len, Method, MethodId, Model, Pointee, Role,
    Select, Struct, StructId, Type,
};
use std::collections::HashMap;

type Fallible<T> = Result<T, String>;

/// Reads the tables that a schema describes. They live as long as the process.
///
/// # Errors
/// A line is not understood, or the tables are not sound.
pub(super) fn model(schema: &[u8]) -> Result<Model, SchemaError> {
    let text = std::str::from_utf8(schema).map_err(|error| SchemaError::Malformed(error.to_string()))?;
    let mut lines = text.strip_suffix('\n').unwrap_or(text).split('\n').enumerate().map(|(at, line)| (at + 1, line));
    match lines.next() {
        Some((_, super::FIRST_LINE)) => {}
        Some((_, line)) if line.starts_with("schema ") => return Err(SchemaError::Newer(line.to_owned())),
        _ => return Err(SchemaError::Malformed("it does not begin with its version".into())),
    }
    let mut declarations: Vec<Declaration<'_>> = Vec::new();
    for (at, line) in lines {
        match line.strip_prefix(' ') {
            Some(field) => match declarations.last_mut() {
                Some(above) => above.fields.push((at, field)),
                None => return Err(wrong(at, "a field of nothing")),
            },
            None => {
                let (kind, words) = line.split_once(' ').ok_or_else(|| wrong(at, "a line of one word"))?;
                declarations.push(Declaration { at, kind, words: words.split(' ').collect(), fields: Vec::new() });
            }
        }
    }
    if !text.ends_with('\n') {
        return Err(SchemaError::Malformed("its last line has no end".into()));
    }
    Tables::new(&declarations)?.model(&declarations)
}

fn wrong(line: usize, what: impl std::fmt::Display) -> SchemaError {
    SchemaError::Malformed(format!("line {line}: {what}"))
}

/// A line that declares something, and the lines of its fields.
struct Declaration<'t> {
    at: usize,
    kind: &'t str,
    words: Vec<&'t str>,
    fields: Vec<(usize, &'t str)>,
}

impl<'t> Declaration<'t> {
    fn word(&self, index: usize) -> Result<&'t str, SchemaError> {
        self.words.get(index).copied().ok_or_else(|| wrong(self.at, "a word is missing"))
    }

    /// A word that is a number, not beyond `most`.
    fn number(&self, index: usize, most: u64) -> Result<u64, SchemaError> {
        number(self.word(index)?, most).map_err(|error| wrong(self.at, error))
    }

    fn done(&self, words: usize) -> Result<(), SchemaError> {
        match self.words.get(words) {
            None => Ok(()),
            Some(word) => Err(wrong(self.at, format_args!("`{word}` is too much"))),
        }
    }
}

/// A decimal number, written as numbers are: no sign, no zero before it.
fn number(word: &str, most: u64) -> Fallible<u64> {
    let number: u64 = word.parse().map_err(|_| format!("`{word}` is no number"))?;
    match number {
        number if number.to_string() != word => Err(format!("`{word}` is no plain number")),
        number if number > most => Err(format!("{number} is more than {most}")),
        number => Ok(number),
    }
}

fn value(word: &str) -> Fallible<i64> {
    let number: i64 = word.parse().map_err(|_| format!("`{word}` is no number"))?;
    if number.to_string() == word { Ok(number) } else { Err(format!("`{word}` is no plain number")) }
}

/// Whether a word can be the name of something in C.
fn name(word: &str) -> Fallible<&str> {
    let sound = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if sound { Ok(word) } else { Err(format!("`{word}` is no name")) }
}

/// The types that are declared, by name.
struct Tables<'t> {
    types: HashMap<&'t str, Type>,
    /// Size and alignment, to work offsets out; the fields come later.
    structs: Vec<Struct>,
    enums: HashMap<&'t str, EnumId>,
    interfaces: HashMap<&'t str, InterfaceId>,
}

impl<'t> Tables<'t> {
    /// Numbers the types in the order of their declarations.
    fn new(declarations: &[Declaration<'t>]) -> Result<Tables<'t>, SchemaError> {
        let mut tables =
            Tables { types: HashMap::new(), structs: Vec::new(), enums: HashMap::new(), interfaces: HashMap::new() };
        for own in declarations {
            let name = name(own.word(usize::from(own.kind == "method"))?.rsplit("::").next().unwrap_or(""))
                .map_err(|error| wrong(own.at, error))?;
            let too_many = || wrong(own.at, "more types than numbers for them");
            let ty = match own.kind {
                "struct" => {
                    let (size, align) = (own.number(1, tables::MOST_BYTES)?, own.number(2, 8)?);
                    own.done(3)?;
                    if size == 0 || !matches!(align, 1 | 2 | 4 | 8) {
                        return Err(wrong(own.at, "no sound size and alignment"));
                    }
                    let id = u16::try_from(tables.structs.len()).map_err(|_| too_many())?;
                    let name = tables::leak(name);
                    tables.structs.push(Struct {
                        name,
                        size: size as u32,
                        align: align as u8,
                        flat: false,
                        fields: &[],
                    });
                    Type::Struct(StructId(id))
                }
                "enum" | "flags" => {
                    let id = EnumId(u16::try_from(tables.enums.len()).map_err(|_| too_many())?);
                    tables.enums.insert(name, id);
                    Type::Enum(id)
                }
                "interface" => {
                    let id = InterfaceId(u16::try_from(tables.interfaces.len()).map_err(|_| too_many())?);
                    tables.interfaces.insert(name, id);
                    Type::Object(id)
                }
                "method" | "select" => continue,
                other => return Err(wrong(own.at, format_args!("`{other}` is not known"))),
            };
            if token::scalar_of(name).is_some() || tables.types.insert(name, ty).is_some() {
                return Err(wrong(own.at, format_args!("{name} is declared twice")));
            }
        }
        Ok(tables)
    }

    fn model(mut self, declarations: &[Declaration<'t>]) -> Result<Model, SchemaError> {
        let mut structs = Vec::new();
        let (mut enums, mut interfaces, mut selects) = (Vec::new(), Vec::new(), Vec::<Select>::new());
        let mut numbered: Vec<(u16, usize, Method)> = Vec::new();
        for own in declarations {
            if !own.fields.is_empty() && !matches!(own.kind, "struct" | "method") {
                return Err(wrong(own.at, format_args!("a field of `{}`", own.kind)));
            }
            let about = |error: String| wrong(own.at, error);
            match own.kind {
                "struct" => structs.push(self.fields(own)?),
                "enum" | "flags" => enums.push(enumeration(own).map_err(about)?),
                "interface" => {
                    own.done(2)?;
                    let iid = own.words.get(1).map_or(Some(Guid::from_u128(0)), |word| guid(word));
                    let iid = iid.ok_or_else(|| wrong(own.at, "no interface id"))?;
                    let id = InterfaceId(interfaces.len() as u16);
                    interfaces.push(interface(tables::leak(own.word(0)?), iid, id));
                }
                "select" => {
                    let select = self.select(own).map_err(about)?;
                    if selects.iter().any(|other| other.name == select.name) {
                        return Err(wrong(own.at, format_args!("{} is declared twice", select.name)));
                    }
                    selects.push(select);
                }
                _ => {
                    let number = own.number(0, u16::MAX.into())? as u16;
                    numbered.push((number, own.at, self.method(own)?));
                }
            }
        }
        for (own, fields) in self.structs.iter_mut().zip(structs) {
            own.fields = fields;
        }
        tables::finish(&mut self.structs).map_err(SchemaError::Malformed)?;
        let mut methods: Vec<Method> = Vec::new();
        let mut last = None;
        for (number, at, method) in numbered {
            if last.is_some_and(|last| number <= last) {
                return Err(wrong(at, format_args!("method {number} stands behind a later one")));
            }
            last = Some(number);
            tables::check_fields(method.params, method.args_size.into(), &self.structs)
                .map_err(|error| wrong(at, error))?;
            methods.resize_with(number.into(), tables::unused);
            methods.push(method);
        }
        Ok(Model {
            interfaces: interfaces.leak(),
            methods: methods.leak(),
            structs: self.structs.leak(),
            enums: enums.leak(),
            selects: selects.leak(),
        })
    }

    fn method(&self, own: &Declaration<'_>) -> Result<Method, SchemaError> {
        let about = |error: String| wrong(own.at, error);
        let (interface, method) = match own.word(1)?.split_once("::") {
            Some((interface, method)) => {
                let id = self.interfaces.get(interface);
                (Some(*id.ok_or_else(|| wrong(own.at, format_args!("no interface {interface}")))?), method)
            }
            None => (None, own.word(1)?),
        };
        let order = token::order_of(own.word(2)?).ok_or_else(|| wrong(own.at, "no order"))?;
        let result = self.ty(own.word(3)?, &[]).map_err(about)?;
        let mut words = own.words[4..].iter().copied().peekable();
        let role = words.next_if(|word| word.starts_with("role:")).map(role).transpose().map_err(about)?;
        let returns_structure = words.next_if_eq(&"structure").is_some();
        if let Some(word) = words.next() {
            return Err(wrong(own.at, format_args!("`{word}` is not understood")));
        }
        let params = self.fields(own)?;
        let end = params.iter().map(|field| u64::from(field.offset) + self.size(field)).max().unwrap_or(0);
        let args_size = end.next_multiple_of(8);
        if args_size > tables::MOST_ARGUMENTS {
            return Err(wrong(own.at, format_args!("{args_size} bytes of arguments")));
        }
        Ok(Method {
            name: tables::leak(name(method).map_err(about)?),
            interface,
            slot: 0,
            params,
            result,
            result_role: role.unwrap_or(Role::Plain),
            args_size: args_size as u16,
            returns_structure,
            order,
        })
    }

    fn size(&self, field: &Field) -> u64 {
        u64::from(field.ty.size(&self.structs)) * u64::from(field.count)
    }

    fn fields(&self, own: &Declaration<'_>) -> Result<&'static [Field], SchemaError> {
        if own.fields.len() > tables::MOST_FIELDS {
            return Err(wrong(own.at, "too many fields"));
        }
        // Fields name each other, also those that follow.
        let mut names: Vec<&'static str> = Vec::with_capacity(own.fields.len());
        for (at, line) in &own.fields {
            let word = name(line.split(' ').next().unwrap_or("")).map_err(|error| wrong(*at, error))?;
            if names.contains(&word) {
                return Err(wrong(*at, format_args!("{word} is there twice")));
            }
            names.push(tables::leak(word));
        }
        let mut fields = Vec::with_capacity(own.fields.len());
        let mut end: u64 = 0;
        for (at, line) in &own.fields {
            let field = self.field(line, &names, end).map_err(|error| wrong(*at, error))?;
            end = u64::from(field.offset) + self.size(&field);
            fields.push(field);
        }
        Ok(fields.leak())
    }

    /// A field whose place, unless it is stated, is behind `end`.
    fn field(&self, line: &str, names: &[&'static str], end: u64) -> Fallible<Field> {
        let mut words = line.split(' ').peekable();
        let own = words.next().unwrap_or("");
        let ty = self.ty(words.next().ok_or("no type")?, names)?;
        let offset = match words.next_if(|word| word.starts_with('@')) {
            Some(word) => number(&word[1..], tables::MOST_BYTES)?,
            None => end.next_multiple_of(ty.align(&self.structs).into()),
        };
        let mut field = Field {
            name: names.iter().copied().find(|name| *name == own).ok_or("no name")?,
            ty,
            offset: u32::try_from(offset).map_err(|_| "no place")?,
            count: 1,
            direction: Direction::In,
            optional: false,
            role: Role::Plain,
            arm: None,
            iid: None,
            class: None,
        };
        if let Some(word) = words.next_if(|word| word.starts_with('x')) {
            field.count = number(&word[1..], u16::MAX.into())? as u16;
        }
        if let Some(direction) = words.peek().and_then(|word| token::direction_of(word)) {
            words.next();
            field.direction = direction;
        }
        if let Some(word) = words.next_if(|word| word.starts_with("role:")) {
            field.role = role(word)?;
        }
        if let Some(word) = words.next_if(|word| word.starts_with("if:") || word.starts_with("unless:")) {
            field.arm = Some(arm(word, names)?);
        }
        if let Some(word) = words.next_if(|word| word.starts_with("iid:")) {
            field.iid = Some(sibling(&word[4..], names)?);
        }
        if let Some(word) = words.next_if(|word| word.starts_with("class:")) {
            let class = self.interfaces.get(&word[6..]);
            field.class = Some(*class.ok_or_else(|| format!("no interface {}", &word[6..]))?);
        }
        match words.next() {
            None => Ok(field),
            Some(word) => Err(format!("{own}: `{word}` is not understood")),
        }
    }

    fn ty(&self, word: &str, names: &[&'static str]) -> Fallible<Type> {
        if word.matches('*').count() > 2 * tables::MOST_POINTERS {
            return Err(format!("`{word}` has too many pointers"));
        }
        let Some(rest) = word.strip_prefix('*') else {
            let named = || self.types.get(word).copied().ok_or_else(|| format!("no type {word}"));
            return token::scalar_of(word).map_or_else(named, Ok);
        };
        let (len, of) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (len, of) = rest.split_once(']').ok_or("a length without an end")?;
                (length(len, names)?, of)
            }
            None => (Len::One, rest),
        };
        Ok(Type::Pointer(Box::leak(Box::new(Pointee { ty: self.ty(of, names)?, len }))))
    }

    fn select(&self, own: &Declaration<'_>) -> Fallible<Select> {
        let [table, selector, cases @ ..] = own.words.as_slice() else { return Err("a word is missing".into()) };
        let selector = *self.enums.get(selector).ok_or_else(|| format!("no enumeration {selector}"))?;
        let mut all: Vec<(i64, Type)> = Vec::with_capacity(cases.len());
        for case in cases {
            let (number, ty) = case.split_once('=').ok_or_else(|| format!("`{case}` is no case"))?;
            let number = value(number)?;
            if all.last().is_some_and(|(last, _)| *last >= number) {
                return Err(format!("case {number} stands behind a later one"));
            }
            all.push((number, self.ty(ty, &[])?));
        }
        Ok(Select { name: tables::leak(name(table)?), selector, cases: all.leak() })
    }
}

fn enumeration(own: &Declaration<'_>) -> Fallible<Enum> {
    let [own_name, prefix, members @ ..] = own.words.as_slice() else { return Err("a word is missing".into()) };
    let prefix = if *prefix == "-" { "" } else { name(prefix)? };
    let mut all: Vec<(&'static str, i64)> = Vec::with_capacity(members.len());
    let mut next = 0i64;
    for member in members {
        let (word, number) = match member.split_once('=') {
            Some((word, number)) => (word, value(number)?),
            None => (*member, next),
        };
        let full = format!("{prefix}{}", name(word)?);
        if all.iter().any(|(other, value)| *other == full || *value == number) {
            return Err(format!("{full}, or its value, is there twice"));
        }
        all.push((tables::leak(&full), number));
        next = number.wrapping_add(1);
    }
    Ok(Enum { name: tables::leak(own_name), flags: own.kind == "flags", members: all.leak() })
}

fn interface(name: &'static str, iid: Guid, family: InterfaceId) -> Interface {
    Interface { name, iid, base: None, first_slot: 0, first_method: MethodId(0), method_count: 0, family }
}

/// An interface id in its text form, small letters.
fn guid(word: &str) -> Option<Guid> {
    let digits: String = word.chars().filter(|c| *c != '-').collect();
    let iid = Guid::from_u128(u128::from_str_radix(&digits, 16).ok()?);
    (iid.to_string() == word).then_some(iid)
}

fn role(word: &str) -> Fallible<Role> {
    let word = word.strip_prefix("role:").unwrap_or(word);
    token::role_of(word).ok_or_else(|| format!("no role `{word}`"))
}

fn sibling(word: &str, names: &[&'static str]) -> Fallible<u8> {
    let at = names.iter().position(|name| *name == word).ok_or_else(|| format!("no field {word}"))?;
    u8::try_from(at).map_err(|_| format!("{word} is too far"))
}

fn arm(word: &str, names: &[&'static str]) -> Fallible<Arm> {
    let (when, rest) = word.split_once(':').ok_or("no selector")?;
    let (selector, values) = rest.split_once('=').ok_or("no values")?;
    let values: Fallible<Vec<i64>> =
        if values.is_empty() { Ok(Vec::new()) } else { values.split(',').map(value).collect() };
    Ok(Arm { selector: sibling(selector, names)?, values: values?.leak(), inverted: when == "unless" })
}

fn length(word: &str, names: &[&'static str]) -> Fallible<Len> {
    if let Some(rule) = word.strip_prefix(':') {
        return match rule {
            "text" => Ok(Len::Text),
            rule => token::rule_of(rule).map(Len::Rule).ok_or_else(|| format!("no rule `{rule}`")),
        };
    }
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(Len::Const(number(word, tables::MOST_BYTES)? as u32));
    }
    let (bytes, word) = word.strip_prefix("bytes:").map_or((false, word), |word| (true, word));
    let (through, word) = word.strip_prefix('*').map_or((false, word), |word| (true, word));
    let index = sibling(word, names)?;
    Ok(match (bytes, through) {
        (false, false) => Len::Field(index),
        (false, true) => Len::Through(index),
        (true, false) => Len::Bytes(index),
        (true, true) => Len::BytesThrough(index),
    })
}
