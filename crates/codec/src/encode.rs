//! Native arguments to wire bytes.
//!
//! Reads the program's memory only where the model says that the API reads or wrote it. Appends to a buffer that the
//! caller keeps, so that a warm encoder does not allocate.

use crate::codec::{MethodPlan, Step, What};
use crate::frame::{Frame, Owner, Span, read_word};
use crate::outputs::Before;
use crate::shape::{Kind, Link};
use crate::wire::{self, BLOB_BYTES, COUNT_MASK, DEPTH, INLINE_BYTES, Reason, TEXT_UNITS};
use crate::{BlobSink, Codec, Objects, Wide};
use reprise_d3d12::model::{Direction, Field, Len, MethodId, Role, StructId, Type};
use std::mem::MaybeUninit;

/// The largest packed argument block, in words; checked when a codec is made.
pub(crate) const BLOCK_WORDS: usize = 64;

/// Stands for the result where a walk needs a field.
pub(crate) static RESULT: Field = Field {
    name: "result",
    ty: Type::Word,
    offset: 0,
    count: 1,
    direction: Direction::Out,
    optional: true,
    role: Role::Plain,
    arm: None,
    iid: None,
    class: None,
};

/// A packed argument block on the stack.
pub(crate) struct Block {
    words: MaybeUninit<[u64; BLOCK_WORDS]>,
    len: usize,
}

impl Block {
    /// Packs argument words as the wire and the frames have them.
    ///
    /// # Safety
    /// The words of structures larger than 8 bytes are valid pointers to them.
    #[inline]
    pub(crate) unsafe fn pack(plan: &MethodPlan, len: usize, words: &[u64]) -> Block {
        let mut block = Block { words: MaybeUninit::uninit(), len };
        // SAFETY: `len` is at most the block's size, as was checked when the codec was made.
        unsafe { pack(plan, len, words, block.words.as_mut_ptr().cast()) };
        block
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the first `len` bytes were written in `pack`.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.len) }
    }
}

/// Writes the packed block of `len` bytes to `to`, every byte of it.
///
/// # Safety
/// `to` is writable for `len` bytes; the words of structures larger than 8 bytes are valid pointers to them.
#[inline]
unsafe fn pack(plan: &MethodPlan, len: usize, words: &[u64], to: *mut u64) {
    if words.len() < plan.slots.len() || !plan.aligned {
        // SAFETY: the caller's promises for `to` and the words are this function's. Missing words are zero.
        return unsafe { pack_bytes(plan, len, words, to.cast()) };
    }
    for (slot, word) in plan.slots.iter().zip(words) {
        // SAFETY: slots lie inside the block. Each of its words has a first slot, or the rest of a structure.
        unsafe {
            let place = to.add(slot.offset as usize / 8);
            if slot.size <= 8 {
                let bits = (word & slot.mask) << slot.shift;
                place.write_unaligned(if slot.first { bits } else { place.read_unaligned() | bits });
            } else if *word == 0 {
                place.cast::<u8>().write_bytes(0, slot.size.next_multiple_of(8) as usize);
            } else {
                place.cast::<u8>().copy_from_nonoverlapping(*word as *const u8, slot.size as usize);
            }
        }
    }
}

/// [`pack`] for blocks whose parameters lie across words.
///
/// # Safety
/// As for [`pack`].
#[cold]
unsafe fn pack_bytes(plan: &MethodPlan, len: usize, words: &[u64], to: *mut u8) {
    // SAFETY: slots lie inside the block; structures larger than a word come as valid pointers.
    unsafe {
        to.write_bytes(0, len);
        for (slot, word) in plan.slots.iter().zip(words) {
            let size = slot.size as usize;
            let from = if size <= 8 { (&raw const *word).cast() } else { *word as *const u8 };
            if !from.is_null() {
                to.add(slot.offset as usize).copy_from_nonoverlapping(from, size);
            }
        }
    }
}

impl Codec {
    /// Appends the enter payload of a call to `out`.
    ///
    /// # Safety
    /// `words` are the arguments of a call of `method` that the program is making: each pointer is null, or readable for as many bytes as the
    /// model's length rules give for the other arguments. That the program may not free or change them meanwhile is the API's rule.
    pub unsafe fn encode_enter(
        &self,
        method: MethodId,
        words: &[u64],
        objects: &impl Objects,
        out: &mut Vec<u8>,
        blobs: &mut impl BlobSink,
    ) {
        let (plan, tables) = (&self.methods[method.0 as usize], &self.model.methods[method.0 as usize]);
        let (at, size) = (out.len(), tables.args_size as usize);
        if plan.steps.is_empty() {
            out.reserve(size);
            // SAFETY: `reserve` made room for `size` bytes and `pack` writes all of them; the words are the program's arguments.
            unsafe {
                pack(plan, size, words, out.as_mut_ptr().add(at).cast());
                out.set_len(at + size);
            }
            return;
        }
        // SAFETY: the words are the program's arguments, so those of large structures point to them.
        let block = unsafe { Block::pack(plan, size, words) };
        out.extend_from_slice(block.bytes());
        let frame = Frame::wire(Owner::Call(method), tables.params, self.model.structs, block.bytes(), None);
        let mut encoder = Encoder { codec: self, objects, out, blobs, leave: false, most: u64::MAX };
        for step in plan.steps.iter().filter(|s| !matches!(s.what, What::Pointer(_)) || s.enters()) {
            // SAFETY: the frame holds the program's arguments, whose pointers it passes to the call itself.
            unsafe { encoder.step(step, &frame, at, DEPTH) };
        }
    }

    /// Appends the leave payload of a call to `out`. Output slots already hold what the program will see.
    ///
    /// # Safety
    /// As for [`Codec::encode_enter`], after the call returned `result`.
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn encode_leave(
        &self,
        method: MethodId,
        words: &[u64],
        result: u64,
        before: &Before,
        objects: &impl Objects,
        out: &mut Vec<u8>,
        blobs: &mut impl BlobSink,
    ) {
        let (plan, tables) = (&self.methods[method.0 as usize], &self.model.methods[method.0 as usize]);
        // SAFETY: the words are the program's arguments, so those of large structures point to them.
        let block = unsafe { Block::pack(plan, tables.args_size as usize, words) };
        let frame = Frame::wire(Owner::Call(method), tables.params, self.model.structs, block.bytes(), None);
        let word = if matches!(tables.result, Type::Object(_)) { objects.id_of(result) } else { result };
        out.extend_from_slice(&word.to_le_bytes());
        let mut encoder = Encoder { codec: self, objects, out, blobs, leave: true, most: u64::MAX };
        if let Type::Pointer(pointee) = tables.result
            && result != 0
        {
            let link = Link { field: &RESULT, pointee, frame: &frame, index: 0, inner: false };
            // SAFETY: a pointer that the call returned, of the type the model states.
            unsafe { encoder.child(&link, result, DEPTH) };
        }
        let failed = failed(tables.result, result);
        let mut slots = 0;
        for step in plan.steps.iter().filter(|s| matches!(s.what, What::Pointer(_)) && s.leaves()) {
            let slot = is_slot(step.field);
            if slot {
                slots += 1;
            }
            if !failed {
                if plan.traits.rooms && step.room().is_some() {
                    encoder.most = before.room;
                }
                // SAFETY: the frame holds the call's arguments, whose outputs the call has written.
                unsafe { encoder.step(step, &frame, 0, DEPTH) };
            } else if slot {
                let pointer = frame.read(step.offset, 8);
                if pointer != 0 {
                    // SAFETY: the API demands a valid pointer to the slot, and it is not null.
                    let value = unsafe { read_word(pointer as *const u8, 8) };
                    let given = before.slots.get(slots - 1).is_some_and(|before| *before != value);
                    let id = if given { encoder.objects.id_of(value) } else { 0 };
                    encoder.header(wire::Kind::Inline, 1);
                    encoder.out.extend_from_slice(&id.to_le_bytes());
                }
            }
        }
    }
}

/// Whether a call's result says that it failed: its outputs, other than single objects, are then not looked at.
pub(crate) fn failed(ty: Type, result: u64) -> bool {
    matches!(ty, Type::Hresult) && (result as i32) < 0
}

/// A pointer to one output object: looked at also after a failure (error blobs).
pub(crate) fn is_slot(field: &Field) -> bool {
    field.direction != Direction::In
        && matches!(field.ty, Type::Pointer(p) if matches!(p.ty, Type::Object(_)) && matches!(p.len, Len::One))
}

struct Encoder<'e, O, B> {
    codec: &'e Codec,
    objects: &'e O,
    out: &'e mut Vec<u8>,
    blobs: &'e mut B,
    /// After the call: outputs inside structures are there too.
    leave: bool,
    /// Elements of the next array, at most.
    most: u64,
}

impl<O: Objects, B: BlobSink> Encoder<'_, O, B> {
    /// Replaces the objects of a field by their ids in the bytes already written at `at`, and appends the children of its
    /// pointers.
    ///
    /// # Safety
    /// The frame is over native memory whose pointers are valid.
    #[inline]
    unsafe fn step(&mut self, step: &Step, frame: &Frame<'_>, at: usize, depth: u32) {
        if !step.active(frame) {
            return;
        }
        for i in 0..step.count {
            match step.what {
                What::Object(_) => {
                    let offset = step.offset + i * 8;
                    self.replace(at + offset, frame.read(offset, 8));
                }
                What::Pointer(pointee) => {
                    let pointer = frame.read(step.offset + i * 8, 8);
                    if pointer != 0 && (self.leave || step.enters()) {
                        let link = Link { field: step.field, pointee, frame, index: i, inner: false };
                        // SAFETY: a non-null pointer of a valid frame.
                        unsafe { self.child(&link, pointer, depth) };
                    }
                }
                What::Struct(id) => {
                    let offset = step.offset + i * self.codec.model.structs[id.0 as usize].size as usize;
                    let nested = frame.nested(id, offset);
                    for step in &self.codec.struct_plan(id).steps {
                        // SAFETY: the nested structure is part of the valid frame.
                        unsafe { self.step(step, &nested, at + offset, depth) };
                    }
                }
            }
        }
    }

    /// Appends what a non-null pointer points to.
    ///
    /// # Safety
    /// The frame is over native memory whose pointers are valid; `pointer` is valid for what the model says.
    unsafe fn child(&mut self, link: &Link<'_>, pointer: u64, depth: u32) {
        let kind = self.codec.kind(link);
        match kind {
            Kind::Skip | Kind::Inactive | Kind::Reference => return,
            _ if depth == 0 => return self.absent(Reason::Depth),
            // SAFETY: the model says that the API reads zero-terminated text here.
            Kind::Text { wide } => return unsafe { self.text(pointer, wide) },
            // SAFETY: the API looks through the pointer, so one byte is readable.
            Kind::Opaque(_) => return unsafe { self.opaque(pointer) },
            // SAFETY: the API reads a structure here that begins with its 4-byte type.
            Kind::Tagged => return unsafe { self.tagged(link, pointer, depth - 1) },
            Kind::Elements(_) | Kind::Stream | Kind::List(..) => {}
        }
        // SAFETY: the frame is over the program's memory, whose counts the API itself reads.
        let count = match unsafe { self.codec.count(kind, link, pointer, self.objects) } {
            Ok(count) => count,
            Err(reason) => return self.absent(reason),
        };
        let count = count.min(core::mem::replace(&mut self.most, u64::MAX));
        let ty = match kind {
            Kind::Elements(ty) => ty,
            Kind::List(id, _) => Type::Struct(id),
            _ => Type::U8,
        };
        let size = self.codec.size_of(ty);
        let Some(bytes) = count.checked_mul(size).filter(|b| *b <= INLINE_BYTES) else {
            return self.absent(Reason::TooLarge);
        };
        let step = self.codec.step(link, size);
        if step != size {
            // SAFETY: the API reads `count` structures here, `step` bytes apart.
            return unsafe { self.apart(ty, (count, step), pointer, link, depth) };
        }
        let base = pointer as *const u8;
        if bytes >= BLOB_BYTES && size == 1 && !matches!(kind, Kind::Stream) && link.field.role != Role::Text {
            // SAFETY: the API reads or wrote this many bytes here.
            let number = self.blobs.blob(unsafe { std::slice::from_raw_parts(base, bytes as usize) });
            self.header(wire::Kind::Blob, bytes);
            return self.out.extend_from_slice(&u64::from(number).to_le_bytes());
        }
        self.header(wire::Kind::Inline, count);
        let at = self.out.len();
        if let Kind::List(id, next) = kind {
            // SAFETY: the callee's list is valid; it has `count` nodes.
            return unsafe { self.list(id, next as usize, count, pointer, link, depth - 1) };
        }
        // SAFETY: the API reads or wrote this many bytes here.
        unsafe { self.copy(base, bytes as usize) };
        match (kind, ty) {
            (Kind::Stream, _) => {
                // SAFETY: the stream is valid for its bytes, and so are the pointers in it.
                unsafe { self.stream(base, bytes as usize, at, link, depth - 1) };
            }
            (_, Type::Object(_)) => {
                for i in 0..count as usize {
                    // SAFETY: inside the array just copied.
                    let object = unsafe { read_word(base.add(i * 8), 8) };
                    self.replace(at + i * 8, object);
                }
            }
            (_, Type::Pointer(pointee)) => {
                for i in 0..count as usize {
                    // SAFETY: inside the array just copied.
                    let inner = unsafe { read_word(base.add(i * 8), 8) };
                    if inner != 0 {
                        let link = Link { pointee, index: i, inner: true, ..*link };
                        // SAFETY: a non-null pointer of a valid array.
                        unsafe { self.child(&link, inner, depth - 1) };
                    }
                }
            }
            (_, Type::Struct(id)) => {
                let span = Span { old: pointer, new: 0, bytes };
                for i in 0..count as usize {
                    let offset = i * size as usize;
                    // SAFETY: inside the array just copied.
                    unsafe { self.structure(id, base.add(offset), at + offset, link.frame, span, depth - 1) };
                }
            }
            _ => {}
        }
    }

    /// Appends elements that lie `step` bytes apart.
    ///
    /// # Safety
    /// `pointer` leads to `count` structures that lie so.
    #[cold]
    unsafe fn apart(&mut self, ty: Type, (count, step): (u64, u64), pointer: u64, link: &Link<'_>, depth: u32) {
        let Type::Struct(id) = ty else { return self.absent(Reason::NoRule) };
        if count.checked_mul(step).is_none_or(|bytes| bytes > INLINE_BYTES) {
            return self.absent(Reason::TooLarge);
        }
        let size = self.codec.size_of(ty) as usize;
        self.header(wire::Kind::Inline, count);
        let at = self.out.len();
        let element = |i: usize| (pointer as *const u8).wrapping_add(i * step as usize);
        for i in 0..count as usize {
            // SAFETY: an element, says the caller.
            unsafe { self.out.extend_from_slice(std::slice::from_raw_parts(element(i), size)) };
        }
        self.pad(at);
        for i in 0..count as usize {
            // SAFETY: an element, whose bytes were written just now.
            unsafe {
                self.structure(id, element(i), at + i * size, link.frame, Span::default(), depth - 1);
            }
        }
    }

    /// # Safety
    /// `base` holds a valid structure, whose bytes were written at `at`.
    #[inline]
    unsafe fn structure(
        &mut self,
        id: StructId,
        base: *const u8,
        at: usize,
        parent: &Frame<'_>,
        span: Span,
        depth: u32,
    ) {
        let plan = self.codec.struct_plan(id);
        if let Some(sites) = &plan.sites {
            for site in sites {
                // SAFETY: sites and their selectors lie inside the structure.
                unsafe {
                    if site.active(base) {
                        self.replace(at + site.offset, read_word(base.add(site.offset), 8));
                    }
                }
            }
            return;
        }
        let structs = self.codec.model.structs;
        let layout = &structs[id.0 as usize];
        // SAFETY: `base` holds a structure of this type, `layout.size` bytes long.
        let mut frame = unsafe {
            Frame::native(Owner::Struct(id), layout.fields, structs, base, layout.size as usize, Some(parent))
        };
        frame.span = span;
        for step in &plan.steps {
            // SAFETY: the frame is over a valid structure.
            unsafe { self.step(step, &frame, at, depth) };
        }
    }

    /// # Safety
    /// `pointer` points to a structure that begins with its type.
    unsafe fn tagged(&mut self, link: &Link<'_>, pointer: u64, depth: u32) {
        let base = pointer as *const u8;
        // SAFETY: the structure begins with its 4-byte type.
        let Some(id) = self.codec.subobjects.chained(unsafe { read_word(base, 4) } as u32) else {
            // SAFETY: the 4 bytes of its type were just read.
            return unsafe { self.opaque(pointer) };
        };
        self.header(wire::Kind::Inline, 1);
        let at = self.out.len();
        // SAFETY: the structure that the type names.
        unsafe {
            self.copy(base, self.codec.size_of(Type::Struct(id)) as usize);
            self.structure(id, base, at, link.frame, Span::default(), depth);
        }
    }

    /// # Safety
    /// `base` holds a valid stream of `length` bytes, copied to `at`.
    unsafe fn stream(&mut self, base: *const u8, length: usize, at: usize, link: &Link<'_>, depth: u32) {
        let mut offset = 0;
        while offset + 4 <= length {
            // SAFETY: inside the stream, as just compared.
            let number = unsafe { read_word(base.add(offset), 4) } as u32;
            let Some(sub) = self.codec.subobjects.stream_at(&self.codec.model, number, offset, length) else { return };
            match sub.ty {
                Type::Object(_) => {
                    // SAFETY: the subobject fits the stream.
                    let object = unsafe { read_word(base.add(sub.offset), 8) };
                    self.replace(at + sub.offset, object);
                }
                Type::Struct(id) => {
                    let (from, to) = (base.wrapping_add(sub.offset), at + sub.offset);
                    // SAFETY: the subobject fits the stream.
                    unsafe { self.structure(id, from, to, link.frame, Span::default(), depth) };
                }
                _ => {}
            }
            offset = sub.next;
        }
    }

    /// # Safety
    /// The list is valid and has `count` nodes.
    unsafe fn list(&mut self, id: StructId, next: usize, count: u64, first: u64, link: &Link<'_>, depth: u32) {
        let size = self.codec.size_of(Type::Struct(id)) as usize;
        let start = self.out.len();
        let mut pointer = first;
        for _ in 0..count {
            let base = pointer as *const u8;
            // SAFETY: a valid node, with the link at `next`.
            pointer = unsafe {
                self.out.extend_from_slice(std::slice::from_raw_parts(base, size));
                read_word(base.add(next), 8)
            };
        }
        self.pad(start);
        let mut pointer = first;
        for i in 0..count as usize {
            let base = pointer as *const u8;
            // SAFETY: a valid node, with the link at `next`.
            pointer = unsafe {
                self.structure(id, base, start + i * size, link.frame, Span::default(), depth);
                read_word(base.add(next), 8)
            };
        }
    }

    /// # Safety
    /// `pointer` points to zero-terminated text.
    unsafe fn text(&mut self, pointer: u64, wide: bool) {
        let width = match (wide, self.codec.wide) {
            (false, _) => 1,
            // SAFETY: the caller promises a text that ends with zero.
            (true, Wide::Bits16) if unsafe { reprise_d3d12::wide::has_four_bytes(pointer as *const u16) } => 4,
            (true, Wide::Bits16) => 2,
            (true, Wide::Bits32) => 4,
        };
        let head = self.out.len();
        self.header(wire::Kind::Inline, 0);
        let start = self.out.len();
        for i in 0..TEXT_UNITS as usize {
            // SAFETY: the text has not ended before this unit.
            let unit = unsafe { read_word((pointer as *const u8).wrapping_add(i * width), width) };
            if unit == 0 {
                let units = (self.out.len() - start) / if wide { 2 } else { 1 };
                self.pad(start);
                let header = wire::header(wire::Kind::Inline, units as u64);
                return self.out[head..head + 8].copy_from_slice(&header.to_le_bytes());
            }
            match width {
                1 => self.out.push(unit as u8),
                2 => self.out.extend_from_slice(&(unit as u16).to_le_bytes()),
                _ => self.utf16(unit as u32),
            }
        }
        self.out.truncate(head);
        self.absent(Reason::Unterminated);
    }

    /// A 32-bit unit as UTF-16; what is no code point becomes the replacement character.
    fn utf16(&mut self, unit: u32) {
        let mut units = [0; 2];
        let units: &[u16] = match u16::try_from(unit) {
            // Lone surrogates pass as they are.
            Ok(unit) => &[unit],
            Err(_) => char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER).encode_utf16(&mut units),
        };
        for unit in units {
            self.out.extend_from_slice(&unit.to_le_bytes());
        }
    }

    /// Keeps the first bytes of something of unknown type: up to 64, and not beyond the page, which is readable.
    ///
    /// # Safety
    /// `pointer` is readable for at least one byte.
    unsafe fn opaque(&mut self, pointer: u64) {
        let count = (4096 - pointer % 4096).min(64);
        self.header(wire::Kind::Opaque, count);
        // SAFETY: in the same page as a readable byte.
        unsafe { self.copy(pointer as *const u8, count as usize) };
    }

    fn replace(&mut self, at: usize, object: u64) {
        let id = if object == 0 { 0 } else { self.objects.id_of(object) };
        if let Some(place) = self.out.get_mut(at..at + 8) {
            place.copy_from_slice(&id.to_le_bytes());
        }
    }

    fn absent(&mut self, reason: Reason) {
        self.header(wire::Kind::Absent, reason as u64);
    }

    fn header(&mut self, kind: wire::Kind, count: u64) {
        debug_assert!(count <= COUNT_MASK);
        self.out.extend_from_slice(&wire::header(kind, count).to_le_bytes());
    }

    /// # Safety
    /// `base` is readable for `bytes`.
    unsafe fn copy(&mut self, base: *const u8, bytes: usize) {
        let start = self.out.len();
        // SAFETY: the caller has `bytes` readable bytes at `base`.
        self.out.extend_from_slice(unsafe { std::slice::from_raw_parts(base, bytes) });
        self.pad(start);
    }

    fn pad(&mut self, start: usize) {
        let pad = (self.out.len() - start).wrapping_neg() % 8;
        if pad != 0 {
            self.out.extend_from_slice(&[0; 8][..pad]);
        }
    }
}
