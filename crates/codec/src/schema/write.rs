//! Writes the schema of the methods that a trace uses.
//!
//! Invariant: everything that the methods reach is declared once, and nothing else is.

use super::token;
use reprise_d3d12::model::{
    Enum, EnumId, Field, InterfaceId, Len, Method, Model, Pointee, Rule, Struct, StructId, Type,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text of the schema: the methods by number, then the types that they reach, by name.
pub(super) fn text(model: &Model, methods: &[u16]) -> String {
    let mut writer = Writer {
        model,
        structs: Met::default(),
        enums: Met::default(),
        interfaces: Met::default(),
        classes: BTreeSet::new(),
        selects: Met::default(),
    };
    let mut text = format!("{}\n", super::FIRST_LINE);
    for number in methods {
        if let Some(method) = model.methods.get(usize::from(*number)) {
            writer.method(*number, method, &mut text);
        }
    }
    let mut types = writer.types();
    types.sort();
    types.into_iter().for_each(|(_, _, declaration)| text.push_str(&declaration));
    text
}

/// Indices of types that are reached, and those of them that are not described yet.
#[derive(Default)]
struct Met {
    all: BTreeSet<usize>,
    open: Vec<usize>,
}

impl Met {
    fn meet(&mut self, id: usize) {
        if self.all.insert(id) {
            self.open.push(id);
        }
    }
}

struct Writer<'m> {
    model: &'m Model,
    structs: Met,
    enums: Met,
    interfaces: Met,
    /// Interfaces that are named as the class of an output.
    classes: BTreeSet<usize>,
    selects: Met,
}

impl Writer<'_> {
    fn method(&mut self, number: u16, method: &Method, text: &mut String) {
        let interface = match method.interface {
            Some(interface) => format!("{}::", self.interface(interface)),
            None => String::new(),
        };
        let result = self.ty(&method.result, &[]);
        let _ = write!(text, "method {number} {interface}{} {} {result}", method.name, token::order(method.order));
        if method.result_role != reprise_d3d12::model::Role::Plain {
            let _ = write!(text, " role:{}", token::role(method.result_role));
        }
        if method.returns_structure {
            text.push_str(" structure");
        }
        text.push('\n');
        self.fields(method.params, text);
    }

    fn fields(&mut self, fields: &[Field], text: &mut String) {
        let structs = self.model.structs;
        // Where the next field lies unless the schema says otherwise.
        let mut end: u32 = 0;
        for field in fields {
            let _ = write!(text, " {} {}", field.name, self.ty(&field.ty, fields));
            if field.offset != end.next_multiple_of(field.ty.align(structs)) {
                let _ = write!(text, " @{}", field.offset);
            }
            end = field.offset + field.ty.size(structs) * u32::from(field.count);
            if field.count != 1 {
                let _ = write!(text, " x{}", field.count);
            }
            if field.direction != reprise_d3d12::model::Direction::In {
                let _ = write!(text, " {}", token::direction(field.direction));
            }
            if field.role != reprise_d3d12::model::Role::Plain {
                let _ = write!(text, " role:{}", token::role(field.role));
            }
            if let Some(arm) = field.arm {
                let word = if arm.inverted { "unless" } else { "if" };
                let values: Vec<String> = arm.values.iter().map(i64::to_string).collect();
                let _ = write!(text, " {word}:{}={}", sibling(fields, arm.selector), values.join(","));
            }
            if let Some(iid) = field.iid {
                let _ = write!(text, " iid:{}", sibling(fields, iid));
            }
            if let Some(class) = field.class {
                let _ = write!(text, " class:{}", self.class(class));
            }
            text.push('\n');
            if matches!(field.ty, Type::Pointer(Pointee { len: Len::Rule(Rule::FeatureData), .. })) {
                self.features(fields);
            }
        }
    }

    /// The table of choices that names what the features of this call's enumeration are answered with.
    fn features(&mut self, fields: &[Field]) {
        for field in fields {
            let Type::Enum(features) = field.ty else { continue };
            self.choices(|model, at| model.selects[at].selector == features);
        }
    }

    fn choices(&mut self, wanted: impl Fn(&Model, usize) -> bool) {
        if let Some(at) = (0..self.model.selects.len()).find(|at| wanted(self.model, *at)) {
            self.selects.meet(at);
        }
    }

    fn ty(&mut self, ty: &Type, fields: &[Field]) -> String {
        match ty {
            Type::Struct(StructId(id)) => {
                self.structs.meet((*id).into());
                self.model.structs.get(usize::from(*id)).map_or("", |own| own.name).to_owned()
            }
            Type::Enum(id) => self.enumeration(*id).to_owned(),
            Type::Object(interface) => self.interface(*interface).to_owned(),
            Type::Pointer(Pointee { ty, len }) => {
                let of = self.ty(ty, fields);
                match len {
                    Len::One => format!("*{of}"),
                    Len::Const(count) => format!("*[{count}]{of}"),
                    Len::Field(index) => format!("*[{}]{of}", sibling(fields, *index)),
                    Len::Through(index) => format!("*[*{}]{of}", sibling(fields, *index)),
                    Len::Bytes(index) => format!("*[bytes:{}]{of}", sibling(fields, *index)),
                    Len::BytesThrough(index) => format!("*[bytes:*{}]{of}", sibling(fields, *index)),
                    Len::Text => format!("*[:text]{of}"),
                    Len::Rule(rule) => {
                        match rule {
                            Rule::PipelineStream => {
                                self.choices(|model, at| model.selects[at].name == "PipelineStream")
                            }
                            Rule::StateSubobject => {
                                self.choices(|model, at| model.selects[at].name == "StateSubobject")
                            }
                            Rule::Named("VkNext") => self.choices(|model, at| model.selects[at].name == "VkNext"),
                            _ => {}
                        }
                        format!("*[:{}]{of}", token::rule(*rule))
                    }
                }
            }
            scalar => token::scalar(*scalar).to_owned(),
        }
    }

    fn enumeration(&mut self, EnumId(id): EnumId) -> &'static str {
        self.enums.meet(id.into());
        self.model.enums.get(usize::from(id)).map_or("", |own| own.name)
    }

    fn interface(&mut self, InterfaceId(id): InterfaceId) -> &'static str {
        self.interfaces.meet(id.into());
        self.model.interfaces.get(usize::from(id)).map_or("", |own| own.name)
    }

    /// An interface that is only said of what comes out. Its id is 16 bytes that no compression takes away, so it is left out
    /// unless the interface is reached otherwise, too.
    fn class(&mut self, InterfaceId(id): InterfaceId) -> &'static str {
        self.classes.insert(id.into());
        self.model.interfaces.get(usize::from(id)).map_or("", |own| own.name)
    }

    /// Declares the types that were reached, and those that they reach. Each with its kind's place and its name, for sorting.
    fn types(&mut self) -> Vec<(u8, &'static str, String)> {
        let model = self.model;
        let mut types = Vec::new();
        loop {
            if let Some(at) = self.structs.open.pop() {
                let Some(own) = model.structs.get(at) else { continue };
                types.push((0, own.name, self.structure(own)));
            } else if let Some(at) = self.selects.open.pop() {
                let own = &model.selects[at];
                let mut text = format!("select {} {}", own.name, self.enumeration(own.selector));
                for (value, ty) in own.cases {
                    let _ = write!(text, " {value}={}", self.ty(ty, &[]));
                }
                types.push((1, own.name, text + "\n"));
            } else if let Some(at) = self.enums.open.pop() {
                let Some(own) = model.enums.get(at) else { continue };
                types.push((2, own.name, members(own)));
            } else if let Some(at) = self.interfaces.open.pop() {
                let Some(own) = model.interfaces.get(at) else { continue };
                types.push((3, own.name, format!("interface {} {}\n", own.name, own.iid)));
            } else {
                let classes = self.classes.difference(&self.interfaces.all).filter_map(|at| model.interfaces.get(*at));
                types.extend(classes.map(|own| (3, own.name, format!("interface {}\n", own.name))));
                return types;
            }
        }
    }

    fn structure(&mut self, own: &Struct) -> String {
        let mut text = format!("struct {} {} {}\n", own.name, own.size, own.align);
        self.fields(own.fields, &mut text);
        text
    }
}

fn sibling(fields: &[Field], index: u8) -> &'static str {
    fields.get(usize::from(index)).map_or("", |field| field.name)
}

/// An enumeration's line. Of several names for one value only the first is written: it is the one that readers show.
fn members(own: &Enum) -> String {
    let mut values = BTreeSet::new();
    let named: Vec<(&str, i64)> = own.members.iter().copied().filter(|(_, value)| values.insert(*value)).collect();
    let prefix = prefix(&named);
    let mut text = format!(
        "{} {} {}",
        if own.flags { "flags" } else { "enum" },
        own.name,
        if prefix.is_empty() { "-" } else { prefix }
    );
    let mut next = 0;
    for (name, value) in &named {
        let _ = write!(text, " {}", &name[prefix.len()..]);
        if *value != next {
            let _ = write!(text, "={value}");
        }
        next = value.wrapping_add(1);
    }
    text.push('\n');
    text
}

/// The longest beginning, up to an underscore, that all names share.
fn prefix<'n>(named: &[(&'n str, i64)]) -> &'n str {
    let Some(((first, _), rest)) = named.split_first() else { return "" };
    let shared = rest.iter().fold(first.len(), |shared, (name, _)| {
        shared.min(first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count())
    });
    // A name that is the prefix itself would be left with no letters.
    let shared = if rest.is_empty() { 0 } else { shared };
    &first[..first[..shared].rfind('_').map_or(0, |at| at + 1)]
}
