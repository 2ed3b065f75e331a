//! Wire bytes to values. Never panics, never reads outside the payload, allocates in proportion to it.

use crate::Codec;
use crate::codec::What;
use crate::encode::{RESULT, failed, is_slot};
use crate::frame::{Frame, Owner, Span};
use crate::path::Path;
use crate::reader::{Reader, word};
use crate::shape::{Kind, Link, is_array};
use crate::value::{FieldRef, Member, Value};
use crate::wire::{self, DEPTH};
use reprise_d3d12::model::{Direction, Field, Guid, MethodId, Role, StructId, Type};
use std::borrow::Cow;
use std::ops::Range;

/// Why a payload could not be decoded.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{call}: {path}: byte {offset} of the payload: {what}")]
pub struct DecodeError {
    /// `Interface::Method` or the function.
    pub call: String,
    /// The argument and field, as in `pDesc.pParameters[3].ShaderVisibility`.
    pub path: String,
    /// Within the payload.
    pub offset: usize,
    /// What is wrong.
    pub what: String,
}

/// The arguments of a call, from its enter payload.
#[derive(Clone, PartialEq, Debug)]
pub struct Arguments<'a> {
    /// Which call.
    pub method: MethodId,
    /// One per parameter. Pointers to outputs are [`Value::Word`]s with the raw address.
    pub members: Vec<Member<'a>>,
}

/// What a call gave back, from its leave payload.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome<'a> {
    /// The result; of pointer type: what it points to, where recorded.
    pub result: Value<'a>,
    /// One per Out or InOut parameter that has data.
    pub outputs: Vec<Member<'a>>,
}

impl Codec {
    /// Decodes an enter payload.
    ///
    /// # Errors
    /// The payload is not what the model says of the method, or the model does not have the method. The error names the argument
    /// and the byte.
    pub fn decode_enter<'a>(&self, method: MethodId, enter: &'a [u8]) -> Result<Arguments<'a>, DecodeError> {
        let mut decoder = Decoder::new(self, enter);
        decoder.enter(method).map_err(|what| decoder.error(method, what))
    }

    /// Decodes a leave payload, with the enter payload of the same call.
    ///
    /// # Errors
    /// As [`Codec::decode_enter`].
    pub fn decode_leave<'a>(
        &self,
        method: MethodId,
        enter: &'a [u8],
        leave: &'a [u8],
    ) -> Result<Outcome<'a>, DecodeError> {
        let mut decoder = Decoder::new(self, leave);
        decoder.leave = true;
        decoder.leave(method, enter).map_err(|what| decoder.error(method, what))
    }

    /// Decodes the bytes of a structure that has no pointers, as it lies in memory; objects are ids.
    ///
    /// # Errors
    /// When the bytes are fewer, or the structure has pointers that are not null.
    pub fn decode_structure<'a>(&self, id: StructId, bytes: &'a [u8]) -> Result<Value<'a>, String> {
        let frame = Frame::wire(Owner::Struct(id), &[], self.model.structs, &[], None);
        Decoder::new(self, &[]).structure(id, bytes, &frame, Span::default(), DEPTH)
    }

    /// The ids of the objects that a call gave out, in the order in which
    /// [`Codec::for_each_output_object`] visits them at replay; 0 for slots that were given nothing.
    ///
    /// # Errors
    /// As [`Codec::decode_enter`].
    pub fn output_ids(&self, method: MethodId, enter: &[u8], leave: &[u8]) -> Result<Vec<u32>, DecodeError> {
        if !self.traits(method).output_objects {
            return Ok(Vec::new());
        }
        let outcome = self.decode_leave(method, enter, leave)?;
        let mut ids = Vec::new();
        if let Value::Object(id, _) = outcome.result {
            ids.push(id);
        }
        for output in &outcome.outputs {
            slots(&output.value, &mut ids);
        }
        Ok(ids)
    }
}

/// Collects the objects that lie in the program's own storage.
fn slots(value: &Value<'_>, ids: &mut Vec<u32>) {
    match value {
        Value::Object(id, _) => ids.push(*id),
        Value::Array(values) => values.iter().for_each(|v| slots(v, ids)),
        Value::Struct(_, members) => {
            let inline = members.iter().filter(|m| !matches!(m.field.ty, Type::Pointer(_)));
            inline.for_each(|m| slots(&m.value, ids));
        }
        _ => {}
    }
}

/// Is told where values lie as a payload is decoded. Places are offsets in the payload.
pub(crate) trait Watch {
    /// A number, an object, a handle.
    fn value(&mut self, path: &Path, at: usize, ty: Type, role: Role);
    /// Text or bytes within a structure.
    fn inline(&mut self, path: &Path, at: usize, bytes: usize, field: &'static Field);
    /// A pointer, and its child: an empty range, where the child would be, if there is none.
    fn pointer(&mut self, path: &Path, at: usize, link: &Link<'_>, child: Range<usize>);
}

pub(crate) struct Decoder<'c, 'a> {
    codec: &'c Codec,
    /// After the call: outputs inside structures have children too.
    leave: bool,
    reader: Reader<'a>,
    path: Path,
    /// Is told where each value of an enter payload lies.
    pub(crate) watch: Option<&'c mut dyn Watch>,
}

/// What went wrong; place and path are the decoder's.
type Fallible<T> = Result<T, String>;

impl<'c, 'a> Decoder<'c, 'a> {
    pub(crate) fn new(codec: &'c Codec, bytes: &'a [u8]) -> Self {
        Decoder { codec, leave: false, reader: Reader::new(bytes), path: Path::default(), watch: None }
    }

    pub(crate) fn error(&self, method: MethodId, what: String) -> DecodeError {
        DecodeError {
            call: self.codec.method_name(method),
            path: self.path.to_string(),
            offset: self.reader.at(),
            what,
        }
    }

    pub(crate) fn enter(&mut self, method: MethodId) -> Fallible<Arguments<'a>> {
        let model = &self.codec.model;
        let tables = model.methods.get(method.0 as usize).ok_or("the model has no such method")?;
        let block = self.reader.take(tables.args_size as usize)?;
        let frame = Frame::wire(Owner::Call(method), tables.params, model.structs, block, None);
        let mut members = Vec::with_capacity(tables.params.len());
        for field in tables.params {
            self.path.push(field.name);
            let value = match field.ty {
                Type::Pointer(_) if field.direction == Direction::Out => {
                    address(frame.read(field.offset as usize, 8), Role::CpuAddress)
                }
                _ => self.field(field, &frame, block, DEPTH)?,
            };
            members.push(Member { field: FieldRef(field), value });
            self.path.pop();
        }
        self.reader.finish()?;
        Ok(Arguments { method, members })
    }

    fn leave(&mut self, method: MethodId, enter: &'a [u8]) -> Fallible<Outcome<'a>> {
        let model = &self.codec.model;
        let tables = model.methods.get(method.0 as usize).ok_or("the model has no such method")?;
        let block = enter.get(..tables.args_size as usize).ok_or("the call's enter payload is too short")?;
        let frame = Frame::wire(Owner::Call(method), tables.params, model.structs, block, None);
        let result = self.reader.word()?;
        let failed = failed(tables.result, result);
        self.path.push(RESULT.name);
        let result = match tables.result {
            Type::Void => Value::Void,
            Type::Pointer(pointee) if result != 0 => {
                let link = Link { field: &RESULT, pointee, frame: &frame, index: 0, inner: false };
                self.child(&link, result, DEPTH)?
            }
            Type::Struct(_) => address(result, Role::CpuAddress),
            _ if tables.returns_structure => address(result, Role::CpuAddress),
            Type::Pointer(_) => Value::Null,
            ty => {
                let size = ty.size(model.structs).min(8) as usize;
                scalar(ty, &result.to_le_bytes()[..size], tables.result_role)
            }
        };
        self.path.pop();
        let mut outputs = Vec::new();
        for step in &self.codec.methods[method.0 as usize].steps {
            let What::Pointer(pointee) = step.what else { continue };
            let pointer = frame.read(step.offset, 8);
            if !step.leaves() || pointer == 0 || failed && !is_slot(step.field) || !step.active(&frame) {
                continue;
            }
            self.path.push(step.field.name);
            let link = Link { field: step.field, pointee, frame: &frame, index: 0, inner: false };
            let value = self.child(&link, pointer, DEPTH)?;
            outputs.push(Member { field: FieldRef(step.field), value });
            self.path.pop();
        }
        self.reader.finish()?;
        Ok(Outcome { result, outputs })
    }

    /// The value of a field, inline arrays included; `bytes` are the frame's.
    fn field(&mut self, field: &'static Field, frame: &Frame<'_>, bytes: &'a [u8], depth: u32) -> Fallible<Value<'a>> {
        let size = field.ty.size(self.codec.model.structs) as usize;
        let offset = field.offset as usize;
        let count = field.count.max(1) as usize;
        let bytes = (bytes.get(offset..)).and_then(|b| b.get(..size * count)).ok_or("a field outside its structure")?;
        if count == 1 {
            return self.one(field, frame, bytes, 0, depth);
        }
        if matches!((field.ty, field.role), (Type::U8 | Type::I8, _) | (Type::U16 | Type::I16, Role::Text))
            && let Some(watch) = &mut self.watch
        {
            watch.inline(&self.path, self.reader.place_of(bytes), bytes.len(), field);
        }
        match (field.ty, field.role) {
            (Type::U8 | Type::I8, Role::Text) => Ok(narrow(bytes)),
            (Type::U16 | Type::I16, Role::Text) => Ok(Value::Text(utf16(bytes))),
            (Type::U8 | Type::I8, _) => Ok(Value::Bytes(Cow::Borrowed(bytes))),
            _ => {
                let mut values = Vec::with_capacity(count);
                for i in 0..count {
                    self.path.index(i);
                    values.push(self.one(field, frame, &bytes[i * size..(i + 1) * size], i, depth)?);
                    self.path.pop();
                }
                Ok(Value::Array(values))
            }
        }
    }

    /// One element of a field.
    fn one(
        &mut self,
        field: &'static Field,
        frame: &Frame<'_>,
        bytes: &'a [u8],
        index: usize,
        depth: u32,
    ) -> Fallible<Value<'a>> {
        let Type::Pointer(pointee) = field.ty else { return self.value(field.ty, bytes, field.role, frame, depth) };
        let pointer = word(bytes);
        if pointer != 0 && !self.leave && field.direction == Direction::Out {
            return Ok(address(pointer, Role::CpuAddress));
        }
        self.behind(&Link { field, pointee, frame, index, inner: false }, bytes, pointer, depth)
    }

    /// What a pointer points to; `bytes` are its own.
    fn behind(&mut self, link: &Link<'_>, bytes: &'a [u8], pointer: u64, depth: u32) -> Fallible<Value<'a>> {
        let from = self.reader.at();
        let value = if pointer == 0 { Value::Null } else { self.child(link, pointer, depth)? };
        if let Some(watch) = &mut self.watch {
            watch.pointer(&self.path, self.reader.place_of(bytes), link, from..self.reader.at());
        }
        Ok(value)
    }

    /// A value that is not a pointer; `bytes` are its own.
    fn value(&mut self, ty: Type, bytes: &'a [u8], role: Role, parent: &Frame<'_>, depth: u32) -> Fallible<Value<'a>> {
        match ty {
            Type::Struct(id) if !(is_translated(role) && bytes.len() == 8) => {
                self.structure(id, bytes, parent, Span::default(), depth)
            }
            Type::Object(_) if word(bytes) > u64::from(u32::MAX) => Err("an object id beyond 32 bits".to_owned()),
            _ => {
                if let Some(watch) = &mut self.watch {
                    watch.value(&self.path, self.reader.place_of(bytes), ty, role);
                }
                Ok(scalar(ty, bytes, role))
            }
        }
    }

    fn structure(
        &mut self,
        id: StructId,
        bytes: &'a [u8],
        parent: &Frame<'_>,
        span: Span,
        depth: u32,
    ) -> Fallible<Value<'a>> {
        let structs = self.codec.model.structs;
        let layout = structs.get(id.0 as usize).ok_or("the model has no such structure")?;
        let mut frame = Frame::wire(Owner::Struct(id), layout.fields, structs, bytes, Some(parent));
        frame.span = span;
        let mut members = Vec::with_capacity(layout.fields.len());
        for field in layout.fields.iter().filter(|f| frame.active(f)) {
            self.path.push(field.name);
            let value = self.field(field, &frame, bytes, depth)?;
            // A union's other member, by a rule.
            if value != Value::Void {
                members.push(Member { field: FieldRef(field), value });
            }
            self.path.pop();
        }
        Ok(Value::Struct(id, members))
    }

    /// What a non-null pointer points to, from its child if it has one.
    fn child(&mut self, link: &Link<'_>, pointer: u64, depth: u32) -> Fallible<Value<'a>> {
        let kind = self.codec.kind(link);
        match kind {
            Kind::Inactive => return Ok(Value::Void),
            Kind::Skip => return Ok(address(pointer, link.field.role)),
            Kind::Reference => return Ok(reference(link, pointer)),
            _ => {}
        }
        let (form, count) = self.reader.header()?;
        let blob = |role| if let Role::Blob(kind) = role { kind } else { reprise_d3d12::model::BlobKind::Bytes };
        match (form, kind) {
            (wire::Kind::Absent, _) => {
                let reason = wire::Reason::from_number(count).ok_or("an unknown reason for absent data")?;
                return Ok(Value::Absent(pointer, reason));
            }
            (wire::Kind::Blob, Kind::Elements(Type::U8 | Type::I8)) => {
                let number = self.reader.word()?;
                let number = u32::try_from(number).map_err(|_| "a blob number beyond 32 bits")?;
                return Ok(Value::Blob(number, blob(link.field.role), count));
            }
            (wire::Kind::Blob, _) => return Err("a blob where there must be elements".to_owned()),
            (wire::Kind::Opaque, _) => {
                let bytes = self.reader.padded(count, 1)?;
                let number = if let Kind::Opaque(number) = kind { number } else { 0 };
                return Ok(Value::Unknown(number, Cow::Borrowed(bytes)));
            }
            (wire::Kind::Inline, _) => {}
        }
        if depth == 0 {
            return Err("nested too deeply".to_owned());
        }
        match kind {
            Kind::Text { wide } => {
                let bytes = self.reader.padded(count, if wide { 2 } else { 1 })?;
                Ok(Value::Text(if wide { utf16(bytes) } else { String::from_utf8_lossy(bytes).into_owned() }))
            }
            Kind::Stream => {
                let bytes = self.reader.padded(count, 1)?;
                self.stream(bytes, link.frame, depth - 1)
            }
            Kind::List(id, _) => self.elements(Type::Struct(id), count, true, link, pointer, depth - 1),
            Kind::Elements(ty) => {
                let array = is_array(link, ty);
                self.elements(ty, count, array, link, pointer, depth - 1)
            }
            Kind::Tagged => {
                let tag = self.reader.peek(4)?;
                let id = self.codec.subobjects(link.frame.owner).chained(tag as u32);
                let id = id.ok_or_else(|| format!("a chained structure of unknown type {tag}"))?;
                self.elements(Type::Struct(id), 1, false, link, pointer, depth - 1)
            }
            Kind::Opaque(number) => Ok(Value::Unknown(number, Cow::Borrowed(self.reader.padded(count, 1)?))),
            Kind::Skip | Kind::Inactive | Kind::Reference => Ok(Value::Null),
        }
    }

    fn elements(
        &mut self,
        ty: Type,
        count: u64,
        array: bool,
        link: &Link<'_>,
        pointer: u64,
        depth: u32,
    ) -> Fallible<Value<'a>> {
        let size = self.codec.size_of(ty);
        let bytes = self.reader.padded(count, size)?;
        if matches!(ty, Type::U8 | Type::I8) && array {
            return Ok(if link.field.role == Role::Text { narrow(bytes) } else { Value::Bytes(Cow::Borrowed(bytes)) });
        }
        let span = Span { old: pointer, new: 0, bytes: bytes.len() as u64 };
        let mut values = Vec::with_capacity(count as usize);
        for (i, element) in bytes.chunks_exact(size as usize).enumerate() {
            if array {
                self.path.index(i);
            }
            values.push(match ty {
                Type::Struct(id) => self.structure(id, element, link.frame, span, depth)?,
                Type::Pointer(pointee) => {
                    self.behind(&Link { pointee, index: i, inner: true, ..*link }, element, word(element), depth)?
                }
                _ => self.value(ty, element, link.field.role, link.frame, depth)?,
            });
            if array {
                self.path.pop();
            }
        }
        Ok(if array || values.len() != 1 { Value::Array(values) } else { values.swap_remove(0) })
    }

    fn stream(&mut self, bytes: &'a [u8], parent: &Frame<'_>, depth: u32) -> Fallible<Value<'a>> {
        let mut subobjects = Vec::new();
        let mut offset = 0;
        while offset + 4 <= bytes.len() {
            let number = word(&bytes[offset..offset + 4]) as u32;
            self.path.index(subobjects.len());
            let subs = self.codec.subobjects(parent.owner);
            let Some(sub) = subs.stream_at(&self.codec.model, number, offset, bytes.len()) else {
                let rest = Value::Unknown(u64::from(number), Cow::Borrowed(&bytes[offset..]));
                subobjects.push((number, rest));
                self.path.pop();
                break;
            };
            let size = self.codec.size_of(sub.ty) as usize;
            let inner = &bytes[sub.offset..sub.offset + size];
            // As JSON has it.
            let named = self.watch.is_some();
            if named {
                self.path.push("Value");
            }
            let value = match sub.ty {
                Type::Struct(id) => self.structure(id, inner, parent, Span::default(), depth)?,
                ty => self.value(ty, inner, Role::Plain, parent, depth)?,
            };
            if named {
                self.path.pop();
            }
            subobjects.push((number, value));
            self.path.pop();
            offset = sub.next;
        }
        Ok(Value::Stream(subobjects))
    }
}

/// Whether replay must translate numbers of this role.
pub(crate) fn is_translated(role: Role) -> bool {
    match role {
        Role::CpuDescriptor
        | Role::GpuDescriptor
        | Role::GpuAddress
        | Role::Event
        | Role::SharedHandle
        | Role::Callback
        | Role::Context
        | Role::CpuAddress
        | Role::Foreign => true,
        Role::Plain | Role::Size | Role::Text | Role::Blob(_) | Role::Iid | Role::Reserved | Role::Color => false,
    }
}

/// A raw pointer without recorded data.
fn address<'a>(pointer: u64, role: Role) -> Value<'a> {
    match pointer {
        0 => Value::Null,
        _ => Value::Word(if is_translated(role) { role } else { Role::CpuAddress }, pointer),
    }
}

/// Index of the subobject that a pointer into the array of the parent's parent points to.
fn reference<'a>(link: &Link<'_>, pointer: u64) -> Value<'a> {
    let Some(parent) = link.frame.parent else { return Value::Reference(None) };
    let Owner::Struct(id) = parent.owner else { return Value::Reference(None) };
    let size = u64::from(parent.structs[id.0 as usize].size).max(1);
    let offset = pointer.checked_sub(parent.span.old).filter(|o| *o < parent.span.bytes && o % size == 0);
    Value::Reference(offset.map(|o| o / size))
}

/// A number, identifier or object; `bytes` are its own.
fn scalar<'a>(ty: Type, bytes: &[u8], role: Role) -> Value<'a> {
    let bits = word(bytes);
    if is_translated(role) && bytes.len() == 8 && !matches!(ty, Type::Object(_)) {
        return Value::Word(role, bits);
    }
    match ty {
        Type::Void => Value::Void,
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => Value::Unsigned(bits),
        Type::I8 => Value::Signed(i64::from(bits as i8)),
        Type::I16 => Value::Signed(i64::from(bits as i16)),
        Type::I32 => Value::Signed(i64::from(bits as i32)),
        Type::I64 => Value::Signed(bits as i64),
        Type::F32 => Value::F32(bits as u32),
        Type::F64 => Value::F64(bits),
        Type::Bool => Value::Bool(bits as u32),
        Type::Hresult => Value::Hresult(bits as u32),
        Type::Enum(id) => Value::Enum(id, bits as u32),
        Type::Object(interface) => Value::Object(bits as u32, interface),
        Type::Guid => Value::Guid(guid(bytes)),
        Type::Word | Type::Pointer(_) | Type::Struct(_) => Value::Word(role, bits),
    }
}

/// From memory order.
pub(crate) fn guid(bytes: &[u8]) -> Guid {
    let mut data4 = [0; 8];
    if let Some(tail) = bytes.get(8..16) {
        data4.copy_from_slice(tail);
    }
    let part = |from: usize, to: usize| bytes.get(from..to).map_or(0, word);
    Guid { data1: part(0, 4) as u32, data2: part(4, 6) as u16, data3: part(6, 8) as u16, data4 }
}

/// Text of bytes, up to a terminator.
fn narrow<'a>(bytes: &[u8]) -> Value<'a> {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    Value::Text(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// Text from units in memory order, up to a terminator; lone surrogates become the replacement character.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|u| word(u) as u16).take_while(|u| *u != 0);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}
