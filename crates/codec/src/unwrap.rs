//! Program-visible objects to the runtime's own, in argument words and in copies of what they point to.
//!
//! The program's memory is never written: where objects lie behind a pointer, the structure or array is copied into an
//! arena and the copy is changed. What holds no object is passed on as it is.

use crate::codec::{Step, What};
use crate::encode::Block;
use crate::frame::{Frame, Owner, Span, read_word};
use crate::shape::{Kind, Link};
use crate::wire::{DEPTH, INLINE_BYTES};
use crate::{Arena, Codec, Objects};
use reprise_d3d12::model::{InterfaceId, MethodId, StructId, Type};

impl Codec {
    /// Replaces program-visible objects in `words` by the runtime's. Structures and arrays that hold objects are copied
    /// into `arena`; everything else is passed on untouched. Needed only where [`Traits`](crate::Traits) say so.
    ///
    /// # Safety
    /// `words` are the arguments of a call of `method` as the program made it. The result is valid until the arena is
    /// rewound.
    pub unsafe fn unwrap_words(&self, method: MethodId, words: &mut [u64], objects: &impl Objects, arena: &mut Arena) {
        let (plan, tables) = (&self.methods[method.0 as usize], &self.model.methods[method.0 as usize]);
        if plan.traits.deep_objects {
            // SAFETY: the words are the program's arguments, so those of large structures point to them.
            let block = unsafe { Block::pack(plan, tables.args_size as usize, words) };
            let frame = Frame::wire(Owner::Call(method), tables.params, self.model.structs, block.bytes(), None);
            let map = |object, _| objects.real_of(object);
            let mut copier = Copier { codec: self, objects, map, arena };
            for step in plan.steps.iter().filter(|s| s.objects && s.enters()) {
                let (What::Pointer(pointee), Some(word)) = (step.what, words.get_mut(step.index)) else { continue };
                if *word != 0 {
                    let link = Link { field: step.field, pointee, frame: &frame, index: 0, inner: false };
                    // SAFETY: the program passes this non-null pointer for the call to look through.
                    *word = unsafe { copier.child(&link, *word, DEPTH) };
                }
            }
        }
        if plan.traits.object_words {
            for step in plan.steps.iter().filter(|s| matches!(s.what, What::Object(_))) {
                if let Some(word) = words.get_mut(step.index).filter(|w| **w != 0) {
                    *word = objects.real_of(*word);
                }
            }
        }
    }
}

/// Copies structures, arrays, streams and lists in which objects must be replaced.
pub(crate) struct Copier<'c, F> {
    pub(crate) codec: &'c Codec,
    pub(crate) objects: &'c dyn Objects,
    pub(crate) map: F,
    pub(crate) arena: &'c mut Arena,
}

impl<F: FnMut(u64, InterfaceId) -> u64> Copier<'_, F> {
    /// Where the copy of what `pointer` points to is; `pointer` itself when nothing in it needs replacing.
    ///
    /// # Safety
    /// The frame is over native memory whose pointers are valid; `pointer` is valid for what the model says.
    pub(crate) unsafe fn child(&mut self, link: &Link<'_>, pointer: u64, depth: u32) -> u64 {
        let kind = self.codec.kind(link);
        let ty = match kind {
            Kind::Reference => return reference(link, pointer),
            Kind::Elements(ty) if self.codec.holds_objects(ty) => ty,
            Kind::Stream => Type::U8,
            Kind::List(id, _) if self.codec.struct_plan(id).objects => Type::Struct(id),
            _ => return pointer,
        };
        if depth == 0 {
            return pointer;
        }
        // SAFETY: the frame is over the program's memory, whose counts the API itself reads.
        let Ok(count) = (unsafe { self.codec.count(kind, link, pointer, self.objects) }) else { return pointer };
        let size = self.codec.size_of(ty);
        let Some(bytes) = count.checked_mul(size).filter(|b| *b <= INLINE_BYTES) else { return pointer };
        let base = pointer as *const u8;
        if let Kind::List(id, next) = kind {
            // SAFETY: the callee's list is valid; it has `count` nodes.
            return unsafe { self.list(id, next as usize, count, pointer, link, depth - 1) };
        }
        // SAFETY: the API reads this many bytes here.
        let copy = unsafe { self.arena.copy(base, bytes as usize) };
        match (kind, ty) {
            // SAFETY: the stream is valid for its bytes.
            (Kind::Stream, _) => unsafe { self.stream(base, bytes as usize, copy, link, depth - 1) },
            (_, Type::Object(interface)) => {
                for i in 0..count as usize {
                    // SAFETY: inside the array, and inside its copy.
                    unsafe { self.object(base.add(i * 8), copy.add(i * 8), interface) };
                }
            }
            (_, Type::Pointer(pointee)) => {
                for i in 0..count as usize {
                    // SAFETY: inside the array, and inside its copy; non-null elements are valid.
                    unsafe {
                        let inner = read_word(base.add(i * 8), 8);
                        if inner != 0 {
                            let link = Link { pointee, index: i, inner: true, ..*link };
                            let new = self.child(&link, inner, depth - 1);
                            copy.add(i * 8).cast::<u64>().write_unaligned(new);
                        }
                    }
                }
            }
            (_, Type::Struct(id)) => {
                let span = Span { old: pointer, new: copy as u64, bytes };
                for i in 0..count as usize {
                    let offset = i * size as usize;
                    // SAFETY: inside the array, and inside its copy.
                    unsafe { self.structure(id, base.add(offset), copy.add(offset), link.frame, span, depth - 1) };
                }
            }
            _ => {}
        }
        copy as u64
    }

    /// # Safety
    /// `from` is readable and `to` writable for 8 bytes.
    unsafe fn object(&mut self, from: *const u8, to: *mut u8, interface: InterfaceId) {
        // SAFETY: the caller has 8 readable bytes at `from`.
        let object = unsafe { read_word(from, 8) };
        if object != 0 {
            // SAFETY: the caller has 8 writable bytes at `to`.
            unsafe { to.cast::<u64>().write_unaligned((self.map)(object, interface)) };
        }
    }

    /// # Safety
    /// `base` holds a valid structure and `copy` a copy of it.
    unsafe fn structure(
        &mut self,
        id: StructId,
        base: *const u8,
        copy: *mut u8,
        parent: &Frame<'_>,
        span: Span,
        depth: u32,
    ) {
        if let Some(sites) = &self.codec.struct_plan(id).sites {
            for site in sites {
                // SAFETY: sites and their selectors lie inside the structure and its copy.
                unsafe {
                    if site.active(base) {
                        self.object(base.add(site.offset), copy.add(site.offset), site.interface);
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
        for step in self.codec.struct_plan(id).steps.iter().filter(|s| s.objects) {
            // SAFETY: the frame is over a valid structure, `copy` over its copy.
            unsafe { self.step(step, &frame, copy, depth) };
        }
    }

    /// # Safety
    /// The frame is over a valid structure, `copy` over its copy.
    unsafe fn step(&mut self, step: &Step, frame: &Frame<'_>, copy: *mut u8, depth: u32) {
        if !step.active(frame) {
            return;
        }
        for i in 0..step.count {
            let offset = step.offset + i * 8;
            match step.what {
                // SAFETY: the field lies inside the structure and its copy.
                What::Object(interface) => unsafe {
                    self.object(frame.base().add(offset), copy.add(offset), interface);
                },
                What::Pointer(pointee) => {
                    let pointer = frame.read(offset, 8);
                    if pointer != 0 {
                        let link = Link { field: step.field, pointee, frame, index: i, inner: false };
                        // SAFETY: a non-null pointer of a valid structure; the field lies inside the copy.
                        unsafe {
                            let new = self.child(&link, pointer, depth);
                            copy.add(offset).cast::<u64>().write_unaligned(new);
                        }
                    }
                }
                What::Struct(id) => {
                    let offset = step.offset + i * self.codec.size_of(Type::Struct(id)) as usize;
                    let nested = frame.nested(id, offset);
                    for step in self.codec.struct_plan(id).steps.iter().filter(|s| s.objects) {
                        // SAFETY: the nested structure lies inside the structure and its copy.
                        unsafe { self.step(step, &nested, copy.add(offset), depth) };
                    }
                }
            }
        }
    }

    /// # Safety
    /// `base` holds a valid stream of `length` bytes, `copy` a copy of it.
    unsafe fn stream(&mut self, base: *const u8, length: usize, copy: *mut u8, link: &Link<'_>, depth: u32) {
        let mut offset = 0;
        while offset + 4 <= length {
            // SAFETY: inside the stream, as just compared.
            let number = unsafe { read_word(base.add(offset), 4) } as u32;
            let Some(sub) = self.codec.subobjects.stream_at(&self.codec.model, number, offset, length) else { return };
            // SAFETY: the subobject fits the stream and its copy.
            unsafe {
                let (from, to) = (base.add(sub.offset), copy.add(sub.offset));
                match sub.ty {
                    Type::Object(interface) => self.object(from, to, interface),
                    Type::Struct(id) if self.codec.struct_plan(id).objects => {
                        self.structure(id, from, to, link.frame, Span::default(), depth);
                    }
                    _ => {}
                }
            }
            offset = sub.next;
        }
    }

    /// Copies a linked list, node by node, into one array whose links lead through it.
    ///
    /// # Safety
    /// The list is valid and has `count` nodes.
    unsafe fn list(&mut self, id: StructId, next: usize, count: u64, first: u64, link: &Link<'_>, depth: u32) -> u64 {
        let size = self.codec.size_of(Type::Struct(id)) as usize;
        let copy = self.arena.zeroed(size * count as usize);
        let mut pointer = first;
        for i in 0..count as usize {
            let base = pointer as *const u8;
            // SAFETY: a valid node with the link at `next`; the copy has room for `count` nodes.
            unsafe {
                let node = copy.add(i * size);
                node.copy_from_nonoverlapping(base, size);
                self.structure(id, base, node, link.frame, Span::default(), depth);
                let follow = if i + 1 < count as usize { node.add(size) as u64 } else { 0 };
                node.add(next).cast::<u64>().write_unaligned(follow);
                pointer = read_word(base.add(next), 8);
            }
        }
        copy as u64
    }
}

/// A pointer to an element of the array that holds the parent's parent, moved to that array's copy.
fn reference(link: &Link<'_>, pointer: u64) -> u64 {
    let span = link.frame.parent.map_or(Span::default(), |p| p.span);
    match pointer.checked_sub(span.old) {
        Some(offset) if offset < span.bytes && span.new != 0 => span.new + offset,
        _ => pointer,
    }
}
