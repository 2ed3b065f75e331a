//! What the generator knows about the API before it is written out: declarations by name, as the sources state them.
//!
//! Invariant: nothing here is resolved to table indices; that is the writer's work, so that both sources (metadata and
//! overlay) are equal.

use std::collections::BTreeMap;

/// A type as written in C.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CType {
    Void,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
    /// Structure, union, enumeration, interface or typedef.
    Named(String),
    /// Pointer; the flag says that the pointee is const.
    Pointer(Box<CType>, bool),
    Array(Box<CType>, u32),
}

impl CType {
    pub(crate) fn named(name: &str) -> Self {
        Self::Named(name.into())
    }
}

/// Direction and array length as the metadata states them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub output: bool,
    pub input: bool,
    pub optional: bool,
    pub com_out: bool,
    pub reserved: bool,
    pub length: Option<Length>,
}

#[derive(Clone, Debug)]
pub(crate) enum Length {
    ElementsParam(usize),
    BytesParam(usize),
    Const(u32),
}

/// A parameter or a field.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub name: String,
    pub ty: CType,
    pub facts: Facts,
}

#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub name: String,
    pub union: bool,
    pub pack: u32,
    pub fields: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub name: String,
    pub flags: bool,
    pub unsigned: bool,
    pub members: Vec<(String, i64)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub name: String,
    pub result: CType,
    pub params: Vec<Member>,
}

#[derive(Clone, Debug)]
pub(crate) struct Interface {
    pub name: String,
    pub iid: String,
    pub base: Option<String>,
    pub methods: Vec<Method>,
}

/// Every declaration reached so far.
#[derive(Default)]
pub(crate) struct World {
    pub structs: BTreeMap<String, Struct>,
    pub enums: BTreeMap<String, Enum>,
    pub interfaces: BTreeMap<String, Interface>,
    pub functions: Vec<Method>,
}
