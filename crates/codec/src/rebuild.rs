//! Wire bytes to native argument words for a real call.
//!
//! Invariant: every pointer in the result that the API may look through leads to memory of the arena that holds at least
//! as much as the arguments' own counts say, whatever the payload says. A payload that would have the callee read or
//! write beyond is refused.

use crate::decode::is_translated;
use crate::frame::{Frame, Owner, Span};
use crate::objects::{Objects, Texels};
use crate::path::Path;
use crate::reader::{Reader, word};
use crate::rule::named;
use crate::shape::{Kind, Link, is_array};
use crate::wire::{self, DEPTH, INLINE_BYTES, Reason};
use crate::{Arena, Codec, Wide};
use reprise_d3d12::model::{
    BlobKind, Direction, Field, InterfaceId, Len, MethodId, Pointee, Role, Rule, StructId, Type,
};

/// More output storage than this is refused: a count that large is damage.
const OUTPUT_BYTES: u64 = 1 << 30;

/// Translates recorded values to those of the replaying process. An error's text says why and ends the call's rebuild.
pub trait Resolver {
    /// The native pointer to pass for object `id` (never 0), which the model states to have `interface`.
    ///
    /// # Errors
    /// Why there is none.
    fn object(&mut self, id: u32, interface: InterfaceId) -> Result<u64, String>;

    /// The native value for a number of a translated role: CPU and GPU descriptors, GPU addresses, events, shared
    /// handles, callbacks, contexts, CPU addresses, foreign values. Not called for zero.
    ///
    /// # Errors
    /// Why there is none.
    fn word(&mut self, role: Role, value: u64) -> Result<u64, String>;

    /// The bytes of a blob.
    ///
    /// # Errors
    /// Why they cannot be had.
    fn blob(&mut self, number: u32, kind: BlobKind) -> Result<&[u8], String>;

    /// What to pass in the place of this compiled shader; `None` for the shader itself.
    fn shader(&mut self, _recorded: &[u8]) -> Option<&[u8]> {
        None
    }

    /// The extent of a subresource of the call's `this`, for the storage of `ReadFromSubresource`.
    fn texels(&self, _subresource: u32) -> Option<Texels> {
        None
    }
}

/// Numbers and ids as the trace has them, for readers that look at arguments in their native layout and pass them to nobody. There are no
/// blobs: a call that names one is refused.
pub struct AsRecorded;

impl Resolver for AsRecorded {
    fn object(&mut self, id: u32, _interface: InterfaceId) -> Result<u64, String> {
        Ok(id.into())
    }

    fn word(&mut self, _role: Role, value: u64) -> Result<u64, String> {
        Ok(value)
    }

    fn blob(&mut self, _number: u32, _kind: BlobKind) -> Result<&[u8], String> {
        Err("the call names a blob, and only its arguments are read".into())
    }
}

/// Why arguments could not be rebuilt.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{call}: {path}: byte {offset} of the payload: {what}")]
pub struct RebuildError {
    /// `Interface::Method` or the function.
    pub call: String,
    /// The argument and field, as in `pDesc.pParameters[3].ShaderVisibility`.
    pub path: String,
    /// Within the payload.
    pub offset: usize,
    /// What is wrong.
    pub what: String,
}

/// Native arguments; the memory behind them is the arena's.
#[derive(Debug)]
pub struct Rebuilt {
    /// One word per parameter, without `this`.
    pub words: Vec<u64>,
    /// The storage made for Out and InOut parameters.
    pub outputs: Vec<Output>,
}

/// Storage that a call writes to.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Index of the parameter.
    pub param: usize,
    /// The parameter.
    pub field: &'static Field,
    /// The type of an element.
    pub ty: Type,
    /// Number of elements.
    pub count: u64,
    /// Where the elements are.
    pub pointer: *mut u8,
}

impl Codec {
    /// Native arguments from an enter payload: structures copied into `arena`, pointers patched, numbers translated,
    /// zeroed storage for outputs. Counts in the payload are checked against what was stored, so that a real call reads
    /// and writes only the arena.
    ///
    /// # Errors
    /// The payload is not what the model says of the method, states more elements than it has, holds something of unknown type,
    /// or the resolver refuses a value. The error names the argument and the byte.
    pub fn rebuild(
        &self,
        method: MethodId,
        enter: &[u8],
        resolver: &mut impl Resolver,
        arena: &mut Arena,
    ) -> Result<Rebuilt, RebuildError> {
        let mut rebuilder = Rebuilder {
            codec: self,
            reader: Reader::new(enter),
            path: Path::default(),
            resolver,
            arena,
            allocations: Vec::new(),
        };
        rebuilder.call(method).map_err(|what| RebuildError {
            call: self.method_name(method),
            path: rebuilder.path.to_string(),
            offset: rebuilder.reader.at(),
            what,
        })
    }
}

struct Rebuilder<'c, 'a, R> {
    codec: &'c Codec,
    reader: Reader<'a>,
    path: Path,
    resolver: &'c mut R,
    arena: &'c mut Arena,
    /// Address and size of what was made, by rising time: what pointers may lead to.
    allocations: Vec<(u64, u64)>,
}

type Fallible<T> = Result<T, String>;

impl<'a, R: Resolver> Rebuilder<'_, 'a, R> {
    fn call(&mut self, method: MethodId) -> Fallible<Rebuilt> {
        let model = &self.codec.model;
        let tables = model.methods.get(method.0 as usize).ok_or("the model has no such method")?;
        let bytes = self.reader.take(tables.args_size as usize)?;
        let block = self.arena.bytes(bytes);
        let wire = Frame::wire(Owner::Call(method), tables.params, model.structs, bytes, None);
        for field in tables.params {
            self.path.push(field.name);
            if !is_output(field) {
                self.field(field, &wire, bytes, block, DEPTH)?;
            }
            self.path.pop();
        }
        self.reader.finish()?;
        // SAFETY: the block is a copy of the payload's, of the same length, and stays in the arena.
        let native =
            unsafe { Frame::native(Owner::Call(method), tables.params, model.structs, block, bytes.len(), None) };
        let mut outputs = self.outputs(&native, block)?;
        // SAFETY: all pointers in the block are null or lead to the arena.
        unsafe { self.check(&native, DEPTH)? };
        let words = (self.codec.methods[method.0 as usize].slots.iter())
            .map(|slot| match slot.size {
                0..=8 => native.read(slot.offset as usize, slot.size as usize),
                // SAFETY: the slot lies inside the block.
                _ => unsafe { block.add(slot.offset as usize) as u64 },
            })
            .collect();
        outputs.sort_by_key(|o| o.param);
        Ok(Rebuilt { words, outputs })
    }

    /// Makes storage for outputs: single values first, since they may be the counts of others.
    fn outputs(&mut self, native: &Frame<'_>, block: *mut u8) -> Fallible<Vec<Output>> {
        let mut outputs = Vec::new();
        for single in [true, false] {
            for (param, field) in native.fields.iter().enumerate() {
                let Type::Pointer(pointee) = field.ty else { continue };
                let pointer = native.read(field.offset as usize, 8);
                if pointer == 0 || field.direction == Direction::In || matches!(pointee.len, Len::One) != single {
                    continue;
                }
                self.path.push(field.name);
                let link = Link { field, pointee, frame: native, index: 0, inner: false };
                let kind = self.codec.kind(&link);
                let new = is_output(field);
                let output = match kind {
                    Kind::Elements(ty) => {
                        // SAFETY: inputs were rebuilt, so counts behind pointers are in the arena; outputs that may be
                        // counts were made in the first round.
                        let count = unsafe { self.codec.count(kind, &link, pointer, &Adapter(self.resolver)) };
                        let count = match count {
                            // The program asked for nothing: it gave no room for the number.
                            Err(Reason::NoCount) => 0,
                            other => other.map_err(|r| format!("storage for the output: {}", r.text()))?,
                        };
                        let size = count.checked_mul(self.codec.size_of(ty)).filter(|s| *s <= OUTPUT_BYTES);
                        let size = size.ok_or_else(|| format!("{count} elements of output are too many"))?;
                        let room = match pointee.len {
                            // SAFETY: the same link and pointer.
                            Len::Rule(Rule::Named(name)) => unsafe { named::storage(name, &link) },
                            _ => 0,
                        };
                        if room > OUTPUT_BYTES {
                            return Err(format!("{room} bytes of output are too many"));
                        }
                        let pointer = if new { self.zeroed(size.max(room)) } else { pointer };
                        Some(Output { param, field, ty, count, pointer: pointer as *mut u8 })
                    }
                    Kind::List(id, _) => {
                        let ty = Type::Struct(id);
                        let pointer = if new { self.zeroed(self.codec.size_of(ty)) } else { pointer };
                        Some(Output { param, field, ty, count: 1, pointer: pointer as *mut u8 })
                    }
                    _ if new => {
                        let value = self.translate(field.role, pointer)?;
                        // SAFETY: the field lies inside the block.
                        unsafe { put(block, field.offset as usize, value) };
                        None
                    }
                    _ => None,
                };
                if let Some(output) = output {
                    if new {
                        // SAFETY: the field lies inside the block.
                        unsafe { put(block, field.offset as usize, output.pointer as u64) };
                    }
                    outputs.push(output);
                }
                self.path.pop();
            }
        }
        Ok(outputs)
    }

    /// A parameter or member, inline arrays included. `bytes` are the frame's, `native` their copy.
    fn field(
        &mut self,
        field: &'static Field,
        frame: &Frame<'_>,
        bytes: &'a [u8],
        native: *mut u8,
        depth: u32,
    ) -> Fallible<()> {
        if !frame.active(field) {
            return Ok(());
        }
        let size = field.ty.size(frame.structs) as usize;
        let count = field.count.max(1) as usize;
        let offset = field.offset as usize;
        let bytes = bytes.get(offset..).and_then(|b| b.get(..size * count)).ok_or("a field outside its structure")?;
        if !self.codec.is_rebuilt(field.ty, field.role) {
            return Ok(());
        }
        for (i, element) in bytes.chunks_exact(size.max(1)).enumerate() {
            // SAFETY: the field lies inside the frame, and so inside its copy.
            let native = unsafe { native.add(offset + i * size) };
            if count > 1 {
                self.path.index(i);
            }
            match field.ty {
                Type::Pointer(pointee) => {
                    let pointer = word(element);
                    let link = Link { field, pointee, frame, index: i, inner: false };
                    if pointer != 0 && field.direction == Direction::Out {
                        self.inner_output(&link, native)?;
                    } else if pointer != 0 {
                        self.pointer(&link, pointer, native, depth)?;
                    }
                }
                ty => self.value(ty, field.role, element, native, frame, Span::default(), depth)?,
            }
            if count > 1 {
                self.path.pop();
            }
        }
        Ok(())
    }

    /// Storage for an output inside a structure, whose count is a number of the same structure.
    fn inner_output(&mut self, link: &Link<'_>, native: *mut u8) -> Fallible<()> {
        let kind = self.codec.kind(link);
        let new = match (kind, link.pointee.len) {
            (Kind::Inactive, _) => return Ok(()),
            (Kind::Elements(ty), Len::One | Len::Const(_) | Len::Field(_) | Len::Bytes(_)) => {
                // SAFETY: these lengths are numbers of the structure itself; nothing is looked through.
                let count = unsafe { self.codec.count(kind, link, 0, &Adapter(self.resolver)) };
                let count = count.map_err(|r| r.text().to_owned())?;
                let size = count.checked_mul(self.codec.size_of(ty)).filter(|s| *s <= OUTPUT_BYTES);
                self.zeroed(size.ok_or_else(|| format!("{count} elements of output are too many"))?)
            }
            _ => return Err("storage for an output of this kind cannot be made".to_owned()),
        };
        // SAFETY: `native` is the pointer's place in a copy.
        unsafe { put(native, 0, new) };
        Ok(())
    }

    /// Rebuilds what a pointer leads to and writes the new pointer to `native`.
    fn pointer(&mut self, link: &Link<'_>, pointer: u64, native: *mut u8, depth: u32) -> Fallible<()> {
        let new = match self.codec.kind(link) {
            Kind::Inactive => return Ok(()),
            Kind::Skip => self.translate(link.field.role, pointer)?,
            Kind::Reference => reference(link, pointer).ok_or("points outside the array of subobjects")?,
            kind => {
                let new = self.child(kind, link, pointer, depth)?;
                match (link.field.role, link.pointee.len) {
                    (Role::Blob(BlobKind::Shader), Len::Bytes(length)) => self.replaced(link, new, native, length)?,
                    _ => new,
                }
            }
        };
        // SAFETY: `native` is the pointer's place in a copy.
        unsafe { put(native, 0, new) };
        Ok(())
    }

    /// The shader that the resolver wants instead of the one at `new`; its size goes to the structure's own field.
    fn replaced(&mut self, link: &Link<'_>, new: u64, native: *mut u8, length: u8) -> Fallible<u64> {
        let Some(&(_, size)) = self.allocations.iter().rfind(|made| made.0 == new) else { return Ok(new) };
        // SAFETY: an allocation of the arena, of this size.
        let recorded = unsafe { std::slice::from_raw_parts(new as *const u8, size as usize) };
        let Some(other) = self.resolver.shader(recorded) else { return Ok(new) };
        let field = link.frame.fields.get(usize::from(length)).ok_or("a length outside its structure")?;
        let pointer = self.arena.bytes(other) as u64;
        self.allocations.push((pointer, other.len() as u64));
        // SAFETY: `native` is the pointer's place in a copy of the structure, which has the length, of 8 bytes, too.
        unsafe { put(native.sub(link.field.offset as usize), field.offset as usize, other.len() as u64) };
        Ok(pointer)
    }

    #[allow(clippy::too_many_arguments)]
    fn value(
        &mut self,
        ty: Type,
        role: Role,
        bytes: &'a [u8],
        native: *mut u8,
        parent: &Frame<'_>,
        span: Span,
        depth: u32,
    ) -> Fallible<()> {
        let bits = word(bytes);
        match ty {
            Type::Object(interface) if bits != 0 => {
                let id = u32::try_from(bits).map_err(|_| "an object id beyond 32 bits")?;
                let object = self.resolver.object(id, interface)?;
                // SAFETY: `native` is the object's place in a copy.
                unsafe { put(native, 0, object) };
            }
            Type::Struct(id) if !(is_translated(role) && bytes.len() == 8) => {
                let layout = &parent.structs[id.0 as usize];
                let mut frame = Frame::wire(Owner::Struct(id), layout.fields, parent.structs, bytes, Some(parent));
                frame.span = span;
                for field in layout.fields {
                    self.path.push(field.name);
                    self.field(field, &frame, bytes, native, depth)?;
                    self.path.pop();
                }
            }
            _ if bytes.len() == 8 && bits != 0 && is_translated(role) => {
                let value = self.resolver.word(role, bits)?;
                // SAFETY: `native` is the number's place in a copy.
                unsafe { put(native, 0, value) };
            }
            _ => {}
        }
        Ok(())
    }

    fn translate(&mut self, role: Role, value: u64) -> Fallible<u64> {
        self.resolver.word(if is_translated(role) { role } else { Role::CpuAddress }, value)
    }

    /// The address of what a child holds.
    fn child(&mut self, kind: Kind, link: &Link<'_>, old: u64, depth: u32) -> Fallible<u64> {
        let (form, count) = self.reader.header()?;
        match form {
            wire::Kind::Absent => {
                let reason = Reason::from_number(count).map_or("for an unknown reason", Reason::text);
                return Err(format!("the capture did not record this argument: {reason}"));
            }
            wire::Kind::Opaque => {
                return Err("of a type that the recorder did not know; it cannot be replayed".to_owned());
            }
            wire::Kind::Blob => {
                let Kind::Elements(Type::U8 | Type::I8) = kind else {
                    return Err("a blob where there must be elements".to_owned());
                };
                let number = u32::try_from(self.reader.word()?).map_err(|_| "a blob number beyond 32 bits")?;
                let kind = if let Role::Blob(kind) = link.field.role { kind } else { BlobKind::Bytes };
                let bytes = self.resolver.blob(number, kind)?;
                if bytes.len() as u64 != count {
                    return Err(format!("blob {number} has {} bytes, not {count}", bytes.len()));
                }
                let room = self.codec.room(link, count)?;
                return Ok(input(self.arena, &mut self.allocations, bytes, room)? as u64);
            }
            wire::Kind::Inline => {}
        }
        let depth = depth.checked_sub(1).ok_or("nested too deeply")?;
        if let Some(expected) = constant(link.pointee)
            && expected != count
            && matches!(kind, Kind::Elements(_))
        {
            return Err(format!("{count} elements where there must be {expected}"));
        }
        match kind {
            Kind::Text { wide } => {
                let bytes = self.reader.padded(count, if wide { 2 } else { 1 })?;
                Ok(self.text(bytes, wide))
            }
            Kind::Stream => self.stream(count, link.frame, depth),
            Kind::Elements(ty) => self.elements(ty, count, link, old, depth),
            Kind::Tagged => {
                let tag = self.reader.peek(4)?;
                let id = self.codec.subobjects.chained(tag as u32);
                let id = id.ok_or_else(|| format!("a chained structure of type {tag}, which is not known here"))?;
                self.elements(Type::Struct(id), 1, link, old, depth)
            }
            Kind::List(..) => Err("a linked list is not an argument".to_owned()),
            Kind::Opaque(number) => Err(format!("type {number} is not known here; it cannot be replayed")),
            Kind::Skip | Kind::Inactive | Kind::Reference => Err("nothing here has data".to_owned()),
        }
    }

    fn elements(&mut self, ty: Type, count: u64, link: &Link<'_>, old: u64, depth: u32) -> Fallible<u64> {
        let size = self.codec.size_of(ty);
        let bytes = self.reader.padded(count, size)?;
        let step = self.codec.step(link, size);
        let copy = if step == size {
            let room = self.codec.room(link, bytes.len() as u64)?;
            input(self.arena, &mut self.allocations, bytes, room)?
        } else {
            self.spread(bytes, (size, step))?
        };
        if !self.codec.is_rebuilt(ty, link.field.role) {
            return Ok(copy as u64);
        }
        let span = Span { old, new: copy as u64, bytes: bytes.len() as u64 };
        let array = is_array(link, ty);
        for (i, element) in bytes.chunks_exact(size as usize).enumerate() {
            // SAFETY: the copy is as long as the bytes.
            let native = unsafe { copy.add(i * step as usize) };
            if array {
                self.path.index(i);
            }
            match ty {
                Type::Pointer(pointee) => {
                    let pointer = word(element);
                    if pointer != 0 {
                        let link = Link { pointee, index: i, inner: true, ..*link };
                        self.pointer(&link, pointer, native, depth)?;
                    }
                }
                _ => self.value(ty, link.field.role, element, native, link.frame, span, depth)?,
            }
            if array {
                self.path.pop();
            }
        }
        Ok(copy as u64)
    }

    /// Elements of `size` bytes, put `step` bytes apart.
    fn spread(&mut self, bytes: &[u8], (size, step): (u64, u64)) -> Fallible<*mut u8> {
        let count = bytes.len() as u64 / size;
        let room = count.saturating_sub(1).checked_mul(step).and_then(|all| all.checked_add(size));
        let room =
            room.filter(|room| *room <= INLINE_BYTES).ok_or("elements lie further apart than memory has room")?;
        let mut spread = vec![0; room as usize];
        for (i, element) in bytes.chunks_exact(size as usize).enumerate() {
            let at = i * step as usize;
            spread[at..at + element.len()].copy_from_slice(element);
        }
        Ok(self.copy(&spread))
    }

    fn stream(&mut self, length: u64, parent: &Frame<'_>, depth: u32) -> Fallible<u64> {
        let bytes = self.reader.padded(length, 1)?;
        let copy = self.copy(bytes);
        let mut offset = 0;
        let mut index = 0;
        while offset + 4 <= bytes.len() {
            self.path.index(index);
            let number = word(&bytes[offset..offset + 4]) as u32;
            let sub = self.codec.subobjects.stream_at(&self.codec.model, number, offset, bytes.len());
            let sub = sub.ok_or_else(|| {
                format!("subobject type {number} is not known here or does not fit; it cannot be replayed")
            })?;
            let size = self.codec.size_of(sub.ty) as usize;
            let inner = &bytes[sub.offset..sub.offset + size];
            // SAFETY: the subobject fits the stream, and so the copy.
            let native = unsafe { copy.add(sub.offset) };
            self.value(sub.ty, Role::Plain, inner, native, parent, Span::default(), depth)?;
            self.path.pop();
            offset = sub.next;
            index += 1;
        }
        Ok(copy as u64)
    }

    fn text(&mut self, bytes: &[u8], wide: bool) -> u64 {
        let mut native = Vec::with_capacity(bytes.len() * 2 + 4);
        match (wide, self.codec.wide) {
            (true, Wide::Bits32) => {
                let units = bytes.chunks_exact(2).map(|u| word(u) as u16);
                for unit in char::decode_utf16(units) {
                    let unit = unit.map_or_else(|e| u32::from(e.unpaired_surrogate()), u32::from);
                    native.extend_from_slice(&unit.to_le_bytes());
                }
            }
            _ => native.extend_from_slice(bytes),
        }
        native.extend_from_slice(&[0; 4]);
        self.copy(&native) as u64
    }

    fn copy(&mut self, bytes: &[u8]) -> *mut u8 {
        let pointer = self.arena.bytes(bytes);
        self.allocations.push((pointer as u64, bytes.len() as u64));
        pointer
    }

    fn zeroed(&mut self, size: u64) -> u64 {
        let pointer = self.arena.zeroed(size as usize) as u64;
        self.allocations.push((pointer, size));
        pointer
    }

    /// Compares what the API would look at with what is there.
    ///
    /// # Safety
    /// The frame is over rebuilt memory.
    unsafe fn check(&mut self, frame: &Frame<'_>, depth: u32) -> Fallible<()> {
        // Rules may look at what siblings point to, so those are checked first.
        for ruled in [false, true] {
            for field in frame.fields.iter().filter(|f| frame.active(f) && is_ruled(f) == ruled) {
                self.path.push(field.name);
                for i in 0..field.count.max(1) as usize {
                    let offset = field.offset as usize + i * field.ty.size(frame.structs) as usize;
                    match field.ty {
                        Type::Pointer(pointee) => {
                            let link = Link { field, pointee, frame, index: i, inner: false };
                            // SAFETY: a pointer of rebuilt memory.
                            unsafe { self.check_pointer(&link, frame.read(offset, 8), depth)? };
                        }
                        Type::Struct(id) if !frame.structs[id.0 as usize].flat => {
                            let nested = frame.nested(id, offset);
                            // SAFETY: part of rebuilt memory.
                            unsafe { self.check(&nested, depth)? };
                        }
                        _ => {}
                    }
                }
                self.path.pop();
            }
        }
        Ok(())
    }

    /// # Safety
    /// The link's frame is over rebuilt memory, and `pointer` is in it.
    unsafe fn check_pointer(&mut self, link: &Link<'_>, pointer: u64, depth: u32) -> Fallible<()> {
        let kind = self.codec.kind(link);
        let ty = match kind {
            _ if pointer == 0 => return Ok(()),
            Kind::Elements(ty) => ty,
            Kind::Stream => Type::U8,
            Kind::Tagged => {
                // SAFETY: a rebuilt structure, which begins with its type.
                let tag = unsafe { crate::frame::read_word(pointer as *const u8, 4) } as u32;
                match self.codec.subobjects.chained(tag) {
                    Some(id) => Type::Struct(id),
                    None => return Err(format!("a chained structure of unknown type {tag}")),
                }
            }
            _ => return Ok(()),
        };
        let depth = depth.checked_sub(1).ok_or("nested too deeply")?;
        // SAFETY: counts behind pointers are in the arena.
        let count = unsafe { self.codec.count(kind, link, pointer, &Adapter(self.resolver)) };
        let count = match count {
            Err(Reason::NoCount) if link.field.direction == Direction::Out => 0,
            // What has room for the largest has room.
            Err(Reason::SizeUnknown) if self.codec.room(link, 1).is_ok_and(|room| room != 0) => 0,
            other => other.map_err(|r| r.text().to_owned())?,
        };
        let size = self.codec.size_of(ty);
        let step = self.codec.step(link, size);
        let needed = match step == size || count == 0 {
            true => count.checked_mul(size),
            false => (count - 1).checked_mul(step).and_then(|all| all.checked_add(size)),
        };
        let needed = needed.ok_or("a count beyond all memory")?.max(self.codec.room(link, 1)?);
        let found = self.allocations.iter().rev().find(|a| a.0 == pointer).map_or(0, |a| a.1);
        if needed > found {
            return Err(format!("the arguments state {needed} bytes here, the payload has {found}"));
        }
        if link.field.direction == Direction::Out {
            // Zeroed storage leads nowhere.
            return Ok(());
        }
        match ty {
            Type::Pointer(pointee) => {
                for i in 0..count as usize {
                    let link = Link { pointee, index: i, inner: true, ..*link };
                    // SAFETY: inside the allocation, as just compared.
                    unsafe {
                        let inner = crate::frame::read_word((pointer as *const u8).add(i * 8), 8);
                        self.check_pointer(&link, inner, depth)?;
                    }
                }
            }
            Type::Struct(id) if !link.frame.structs[id.0 as usize].flat => {
                for i in 0..count as usize {
                    // SAFETY: inside the allocation, as just compared.
                    unsafe { self.check_structure(id, (pointer as *const u8).add(i * step as usize), link, depth)? };
                }
            }
            _ => {}
        }
        if matches!(kind, Kind::Stream) {
            let mut offset = 0;
            while offset + 4 <= needed as usize {
                // SAFETY: inside the allocation, as just compared.
                let number = unsafe { crate::frame::read_word((pointer as *const u8).add(offset), 4) } as u32;
                let sub = self.codec.subobjects.stream_at(&self.codec.model, number, offset, needed as usize);
                let Some(sub) = sub else { break };
                if let Type::Struct(id) = sub.ty {
                    // SAFETY: the subobject fits the stream.
                    unsafe { self.check_structure(id, (pointer as *const u8).add(sub.offset), link, depth)? };
                }
                offset = sub.next;
            }
        }
        Ok(())
    }

    /// # Safety
    /// `base` holds a rebuilt structure.
    unsafe fn check_structure(&mut self, id: StructId, base: *const u8, link: &Link<'_>, depth: u32) -> Fallible<()> {
        let structs = link.frame.structs;
        let layout = &structs[id.0 as usize];
        // SAFETY: `check_pointer` has compared the allocation at `base` with the structure's size; its pointers are rebuilt.
        unsafe {
            let size = layout.size as usize;
            let frame = Frame::native(Owner::Struct(id), layout.fields, structs, base, size, Some(link.frame));
            self.check(&frame, depth)
        }
    }
}

/// A copy of these bytes in storage that has so much room at least, with zeroes behind them.
fn input(arena: &mut Arena, allocations: &mut Vec<(u64, u64)>, bytes: &[u8], room: u64) -> Fallible<*mut u8> {
    let size = room.max(bytes.len() as u64);
    if room > OUTPUT_BYTES {
        return Err(format!("the arguments state {room} bytes here, the payload has {}", bytes.len()));
    }
    let copy = if size > bytes.len() as u64 {
        let copy = arena.zeroed(size as usize);
        // SAFETY: the storage has more bytes than these, and nothing else uses it yet.
        unsafe { copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        copy
    } else {
        arena.bytes(bytes)
    };
    allocations.push((copy as u64, size));
    Ok(copy)
}

impl Codec {
    /// Where the subobject of this type lies in a pipeline's stream, in bytes from its start.
    ///
    /// # Safety
    /// The stream has so many readable bytes.
    pub unsafe fn subobject_in_stream(&self, stream: *const u8, length: usize, wanted: u32) -> Option<usize> {
        let mut offset = 0;
        while !stream.is_null() && offset + 4 <= length {
            // SAFETY: inside the stream, as just compared.
            let number = unsafe { crate::frame::read_word(stream.add(offset), 4) } as u32;
            let sub = self.subobjects.stream_at(&self.model, number, offset, length)?;
            if number == wanted {
                return Some(sub.offset);
            }
            offset = sub.next;
        }
        None
    }

    /// Whether a value of this type and role can differ from its recorded bytes.
    fn is_rebuilt(&self, ty: Type, role: Role) -> bool {
        match ty {
            Type::Object(_) | Type::Pointer(_) => true,
            Type::Struct(id) => is_translated(role) || self.struct_plan(id).rebuilt,
            _ => is_translated(role),
        }
    }
}

/// Gives the resolver's answers to walks that ask for objects.
struct Adapter<'r, R>(&'r R);

impl<R: Resolver> Objects for Adapter<'_, R> {
    fn id_of(&self, _pointer: u64) -> u64 {
        0
    }
    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
    fn texels(&self, subresource: u32) -> Option<Texels> {
        self.0.texels(subresource)
    }
}

/// A parameter whose storage is only written by the call.
fn is_output(field: &Field) -> bool {
    matches!(field.ty, Type::Pointer(_)) && field.direction == Direction::Out
}

/// A pointer whose length, or whose elements' lengths, only code can tell.
fn is_ruled(field: &Field) -> bool {
    let Type::Pointer(pointee) = field.ty else { return false };
    let inner = if let Type::Pointer(inner) = pointee.ty { inner.len } else { pointee.len };
    matches!(pointee.len, Len::Rule(_)) || matches!(inner, Len::Rule(_))
}

/// A number of elements that does not depend on the arguments.
fn constant(pointee: &Pointee) -> Option<u64> {
    match pointee.len {
        Len::One => Some(1),
        Len::Const(n) => Some(u64::from(n)),
        _ => None,
    }
}

/// Where the copy of the subobject is that the recorded pointer points to.
fn reference(link: &Link<'_>, pointer: u64) -> Option<u64> {
    let parent = link.frame.parent?;
    let Owner::Struct(id) = parent.owner else { return None };
    let size = u64::from(parent.structs[id.0 as usize].size).max(1);
    let offset = pointer.checked_sub(parent.span.old)?;
    (offset < parent.span.bytes && offset % size == 0).then(|| parent.span.new + offset)
}

/// # Safety
/// `base` is writable for 8 bytes at `offset`.
unsafe fn put(base: *mut u8, offset: usize, value: u64) {
    // SAFETY: the caller has 8 writable bytes at `offset`; the store needs no alignment.
    unsafe { base.add(offset).cast::<u64>().write_unaligned(value) };
}
