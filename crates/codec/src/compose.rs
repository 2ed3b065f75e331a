//! Enter payloads of values that people wrote.
//!
//! Invariant: what is composed decodes to the values that were written, because the same `shape` says what a pointer leads to.

use crate::Codec;
use crate::frame::{Frame, Owner};
use crate::literal::{Known, Literal, wrong};
use crate::shape::{Kind, Link, is_array};
use crate::wire::{self, BLOB_BYTES, DEPTH, TEXT_UNITS};
use reprise_d3d12::model::{Direction, Field, Len, MethodId, Role, Type};

/// What a pointer of no program holds. A replay sees that it is not null, and nothing else.
pub(crate) const SOMEWHERE: u64 = 0x1000;

type Fallible<T> = Result<T, String>;

pub(crate) struct Composer<'c, 'k> {
    codec: &'c Codec,
    known: &'k mut dyn Known,
    out: Vec<u8>,
}

/// Whether a parameter may be null, as the API's headers say. An array's count follows, so that nothing is read behind it.
pub(crate) fn takes_null(param: &Field) -> Fallible<()> {
    let Type::Pointer(pointee) = param.ty else { return Ok(()) };
    let is_counted = matches!(pointee.len, Len::Field(_) | Len::Bytes(_));
    if param.optional || is_counted || param.direction != Direction::In {
        return Ok(());
    }
    Err("must not be null: the call reads what it leads to".into())
}

impl<'c, 'k> Composer<'c, 'k> {
    pub(crate) fn new(codec: &'c Codec, known: &'k mut dyn Known) -> Composer<'c, 'k> {
        Composer { codec, known, out: Vec::new() }
    }

    /// The payload of a call.
    pub(crate) fn call(mut self, method: MethodId, arguments: &[Literal]) -> Fallible<Vec<u8>> {
        let model = &self.codec.model;
        let tables = model.methods.get(usize::from(method.0)).ok_or("the model has no such method")?;
        if arguments.len() != tables.params.len() {
            let names: Vec<&str> = tables.params.iter().map(|param| param.name).collect();
            let (has, takes) = (arguments.len(), names.len());
            return Err(format!("it takes {takes} arguments ({}), not {has}", names.join(", ")));
        }
        if let Some(output) = tables.params.iter().find(|param| param.direction == Direction::Out) {
            return Err(format!("{} is an output, and what a call gives cannot be made up", output.name));
        }
        let mut block = vec![0; usize::from(tables.args_size)];
        for (field, value) in tables.params.iter().zip(arguments) {
            if *value == Literal::Null {
                takes_null(field).map_err(|what| format!("{} {what}", field.name))?;
            }
            self.field(field, value, &mut block).map_err(|what| format!("{} {what}", field.name))?;
        }
        self.out.extend_from_slice(&block);
        let frame = Frame::wire(Owner::Call(method), tables.params, model.structs, &block, None);
        for (field, value) in tables.params.iter().zip(arguments) {
            self.children(field, value, &frame, DEPTH).map_err(|what| format!("{} {what}", field.name))?;
        }
        Ok(self.out)
    }

    /// The child behind a pointer, and the number that its count has to be, where it has one.
    pub(crate) fn behind(&mut self, link: &Link<'_>, value: &Literal) -> Fallible<(Vec<u8>, Option<u64>)> {
        let count = self.child(link, value, DEPTH)?;
        Ok((std::mem::take(&mut self.out), count))
    }

    /// The own bytes of a field, inline arrays included.
    fn field(&mut self, field: &'static Field, value: &Literal, bytes: &mut [u8]) -> Fallible<()> {
        let size = field.ty.size(self.codec.model.structs) as usize;
        let count = usize::from(field.count.max(1));
        let at = field.offset as usize;
        let bytes = bytes.get_mut(at..at + size * count).ok_or("lies outside its structure")?;
        if count == 1 {
            return self.one(field, value, bytes);
        }
        if matches!((field.ty, field.role), (Type::U8 | Type::I8, _) | (Type::U16 | Type::I16, Role::Text)) {
            bytes.copy_from_slice(&inline(field, bytes.len(), value)?);
            return Ok(());
        }
        let Literal::List(values) = value else { return Err(wrong(value, &format!("a list of {count}"))) };
        if values.len() != count {
            return Err(format!("has {count} elements, not {}", values.len()));
        }
        for (index, (value, bytes)) in values.iter().zip(bytes.chunks_exact_mut(size)).enumerate() {
            self.one(field, value, bytes).map_err(|what| format!("[{index}] {what}"))?;
        }
        Ok(())
    }

    /// One element of a field.
    fn one(&mut self, field: &'static Field, value: &Literal, bytes: &mut [u8]) -> Fallible<()> {
        match field.ty {
            Type::Pointer(_) => {
                let word = if *value == Literal::Null { 0 } else { SOMEWHERE };
                bytes.copy_from_slice(&word.to_le_bytes());
                Ok(())
            }
            ty => self.value(ty, field.role, value, bytes),
        }
    }

    /// The own bytes of what is no pointer.
    fn value(&mut self, ty: Type, role: Role, value: &Literal, bytes: &mut [u8]) -> Fallible<()> {
        let Type::Struct(id) = ty else {
            bytes.copy_from_slice(&self.codec.scalar(ty, role, value, self.known)?);
            return Ok(());
        };
        if crate::decode::is_translated(role) && bytes.len() == 8 {
            bytes.copy_from_slice(&self.codec.scalar(ty, role, value, self.known)?);
            return Ok(());
        }
        let layout = &self.codec.model.structs[usize::from(id.0)];
        let Literal::Members(members) = value else { return Err(wrong(value, "members: {NAME = VALUE, …}")) };
        for (name, value) in members {
            let field = layout.fields.iter().find(|field| field.name == name).ok_or_else(|| {
                let names: Vec<&str> = layout.fields.iter().map(|field| field.name).collect();
                format!("has no {name}: {} has {}", layout.name, names.join(", "))
            })?;
            self.field(field, value, bytes).map_err(|what| format!(".{name} {what}"))?;
        }
        let frame = Frame::wire(Owner::Struct(id), layout.fields, self.codec.model.structs, bytes, None);
        for (name, _) in members {
            if layout.fields.iter().any(|field| field.name == name && !frame.active(field)) {
                return Err(format!("has {name} not in use: another member of the union is"));
            }
        }
        Ok(())
    }

    /// Appends the children of a field's pointers.
    fn children(&mut self, field: &'static Field, value: &Literal, frame: &Frame<'_>, depth: u32) -> Fallible<()> {
        if !frame.active(field) {
            return Ok(());
        }
        let count = usize::from(field.count.max(1));
        for index in 0..count {
            let value = match value {
                Literal::List(values) if count > 1 => values.get(index).unwrap_or(&Literal::Null),
                value => value,
            };
            match field.ty {
                Type::Pointer(pointee) if *value != Literal::Null => {
                    let link = Link { field, pointee, frame, index, inner: false };
                    self.child(&link, value, depth)?;
                }
                Type::Struct(id) if !self.codec.model.structs[usize::from(id.0)].flat => {
                    let size = self.codec.model.structs[usize::from(id.0)].size as usize;
                    self.within(value, &frame.nested(id, field.offset as usize + index * size), depth)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Appends the children of a structure's pointers, in the order of its fields.
    fn within(&mut self, value: &Literal, frame: &Frame<'_>, depth: u32) -> Fallible<()> {
        let Literal::Members(members) = value else { return Ok(()) };
        for field in frame.fields {
            if let Some((name, value)) = members.iter().find(|(name, _)| name == field.name) {
                self.children(field, value, frame, depth).map_err(|what| format!(".{name} {what}"))?;
            }
        }
        Ok(())
    }

    /// Appends what a pointer leads to. Gives the number that its count has to be.
    fn child(&mut self, link: &Link<'_>, value: &Literal, depth: u32) -> Fallible<Option<u64>> {
        let depth = depth.checked_sub(1).ok_or("is nested too deeply")?;
        match (self.codec.kind(link), value) {
            (Kind::Text { wide }, Literal::Text(text)) => {
                let bytes: Vec<u8> = match wide {
                    true => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                    false => text.bytes().collect(),
                };
                let units = (bytes.len() / if wide { 2 } else { 1 }) as u64;
                if units > TEXT_UNITS || text.contains('\0') {
                    return Err("is too long, or has a zero in it".into());
                }
                self.header(wire::Kind::Inline, units);
                self.padded(&bytes);
                Ok(None)
            }
            (Kind::Text { .. }, value) => Err(wrong(value, "text in quotation marks, or null")),
            (Kind::Elements(Type::U8 | Type::I8), value) => {
                let bytes = bytes_of(value)?;
                if bytes.len() as u64 >= BLOB_BYTES && link.field.role != Role::Text {
                    let number = self.known.blob(&bytes);
                    self.header(wire::Kind::Blob, bytes.len() as u64);
                    self.out.extend_from_slice(&u64::from(number).to_le_bytes());
                } else {
                    self.header(wire::Kind::Inline, bytes.len() as u64);
                    self.padded(&bytes);
                }
                Ok(Some(bytes.len() as u64))
            }
            (Kind::Elements(ty), value) => self.elements(ty, link, value, depth).map(Some),
            (Kind::Skip, _) => Err("is an address in the program, and only null can be written there".into()),
            (Kind::Reference, _) => Err("leads to another subobject, and cannot be written yet".into()),
            (Kind::Stream, _) => Err("is a stream of subobjects: write to one of them, […].Value".into()),
            (Kind::List(..) | Kind::Tagged | Kind::Opaque(_) | Kind::Inactive, _) => {
                Err("is of a kind that cannot be written; write to what is in it".into())
            }
        }
    }

    fn elements(&mut self, ty: Type, link: &Link<'_>, value: &Literal, depth: u32) -> Fallible<u64> {
        let array = is_array(link, ty);
        let values: &[Literal] = match value {
            Literal::List(values) => values,
            value if !array => std::slice::from_ref(value),
            value => return Err(wrong(value, "a list: […]")),
        };
        let size = self.codec.size_of(ty) as usize;
        let mut bytes = vec![0; size * values.len()];
        let named = |index: usize, what: String| if array { format!("[{index}] {what}") } else { what };
        for (index, (value, bytes)) in values.iter().zip(bytes.chunks_exact_mut(size)).enumerate() {
            let put = match ty {
                Type::Pointer(_) => {
                    let word = if *value == Literal::Null { 0 } else { SOMEWHERE };
                    bytes.copy_from_slice(&word.to_le_bytes());
                    Ok(())
                }
                ty => self.value(ty, link.field.role, value, bytes),
            };
            put.map_err(|what| named(index, what))?;
        }
        self.header(wire::Kind::Inline, values.len() as u64);
        self.padded(&bytes);
        for (index, (value, bytes)) in values.iter().zip(bytes.chunks_exact(size)).enumerate() {
            let put = match ty {
                Type::Pointer(pointee) if *value != Literal::Null => {
                    self.child(&Link { pointee, index, inner: true, ..*link }, value, depth).map(drop)
                }
                Type::Struct(id) => {
                    let layout = &self.codec.model.structs[usize::from(id.0)];
                    let parent = Some(link.frame);
                    let frame = Frame::wire(Owner::Struct(id), layout.fields, self.codec.model.structs, bytes, parent);
                    self.within(value, &frame, depth)
                }
                _ => Ok(()),
            };
            put.map_err(|what| named(index, what))?;
        }
        let bytes = matches!(link.pointee.len, reprise_d3d12::model::Len::Bytes(_));
        Ok(if bytes { (size * values.len()) as u64 } else { values.len() as u64 })
    }

    fn header(&mut self, kind: wire::Kind, count: u64) {
        self.out.extend_from_slice(&wire::header(kind, count).to_le_bytes());
    }

    fn padded(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.out.resize(self.out.len().next_multiple_of(8), 0);
    }
}

/// Text or bytes within a structure.
pub(crate) fn inline(field: &Field, room: usize, value: &Literal) -> Fallible<Vec<u8>> {
    let mut bytes = match (value, field.role, field.ty) {
        (Literal::Text(text), Role::Text, Type::U16 | Type::I16) => {
            text.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        (Literal::Text(text), Role::Text, _) => text.as_bytes().to_vec(),
        (value, Role::Text, _) => return Err(wrong(value, "text in quotation marks")),
        (value, ..) => bytes_of(value)?,
    };
    if bytes.len() > room {
        return Err(format!("has room for {room} bytes, not for {}", bytes.len()));
    }
    bytes.resize(room, 0);
    Ok(bytes)
}

/// Bytes: of a file, or hexadecimal as a dump shows them.
fn bytes_of(value: &Literal) -> Fallible<Vec<u8>> {
    let digits = match value {
        Literal::Bytes(bytes) => return Ok(bytes.clone()),
        Literal::Text(digits) => digits,
        value => return Err(wrong(value, "`file \"NAME\"`, or bytes as hexadecimal digits in quotation marks")),
    };
    let pairs = digits.as_bytes().as_chunks::<2>();
    let pair = |pair: &[u8; 2]| {
        let text = std::str::from_utf8(pair).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u8::from_str_radix(text, 16).ok()
    };
    let bytes: Option<Vec<u8>> = pairs.0.iter().map(pair).collect();
    bytes.filter(|_| pairs.1.is_empty()).ok_or_else(|| wrong(value, "pairs of hexadecimal digits"))
}
