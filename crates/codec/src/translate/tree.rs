//! A payload of the trace taken apart by the trace's own model: where each pointer's child is.
//!
//! Invariant: the tree has the children in the places that `decode` finds them in, and needs memory in proportion to the
//! payload.

use crate::Codec;
use crate::codec::What;
use crate::decode::is_translated;
use crate::encode::{RESULT, failed, is_slot};
use crate::frame::{Frame, Owner, Span};
use crate::path::Path;
use crate::reader::{Reader, word};
use crate::shape::{Kind, Link};
use crate::wire::{self, DEPTH};
use reprise_d3d12::model::{Direction, Field, MethodId, StructId, Type};

type Fallible<T> = Result<T, String>;

/// The children of pointers, each with the place of its pointer in the bytes around it, by rising place.
pub(super) type Children<'a> = Vec<(usize, Node<'a>)>;

/// What a pointer leads to.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) form: wire::Kind,
    /// Elements, bytes or the reason, as the form has it.
    pub(super) count: u64,
    pub(super) kind: Kind,
    /// The address in the recorded program.
    pub(super) pointer: u64,
    /// The elements; of a blob, the word with its number.
    pub(super) bytes: &'a [u8],
    pub(super) children: Children<'a>,
}

/// The child of the pointer at `place`.
pub(super) fn find<'n, 'a>(children: &'n Children<'a>, place: usize) -> Option<&'n Node<'a>> {
    children.binary_search_by_key(&place, |child| child.0).ok().map(|at| &children[at].1)
}

/// The place of the child of a call's result, which is in no block.
pub(super) const OF_RESULT: usize = usize::MAX;

/// A call's payload.
pub(super) struct Tree<'a> {
    /// The packed arguments of an enter payload; the result of a leave payload.
    pub(super) head: &'a [u8],
    pub(super) children: Children<'a>,
}

/// Takes an enter payload apart.
///
/// # Errors
/// The payload is not what the model says. The text says where.
pub(super) fn enter<'a>(codec: &Codec, method: MethodId, payload: &'a [u8]) -> Fallible<Tree<'a>> {
    let mut walk = Walk { codec, leave: false, reader: Reader::new(payload), path: Path::default() };
    walk.enter(method).map_err(|what| walk.wrong(what))
}

/// Takes a leave payload apart.
///
/// # Errors
/// As [`enter`].
pub(super) fn leave<'a>(codec: &Codec, method: MethodId, enter: &'a [u8], leave: &'a [u8]) -> Fallible<Tree<'a>> {
    let mut walk = Walk { codec, leave: true, reader: Reader::new(leave), path: Path::default() };
    walk.leave(method, enter).map_err(|what| walk.wrong(what))
}

struct Walk<'c, 'a> {
    codec: &'c Codec,
    leave: bool,
    reader: Reader<'a>,
    path: Path,
}

impl<'a> Walk<'_, 'a> {
    fn wrong(&self, what: String) -> String {
        format!("{}: byte {} of the payload: {what}", self.path, self.reader.at())
    }

    fn enter(&mut self, method: MethodId) -> Fallible<Tree<'a>> {
        let model = self.codec.model();
        let tables = model.methods.get(usize::from(method.0)).ok_or("the schema has no such method")?;
        let head = self.reader.take(tables.args_size.into())?;
        let frame = Frame::wire(Owner::Call(method), tables.params, model.structs, head, None);
        let mut children = Vec::new();
        for field in tables.params {
            if !matches!((field.ty, field.direction), (Type::Pointer(_), Direction::Out)) {
                self.field(field, &frame, head, 0, DEPTH, &mut children)?;
            }
        }
        self.reader.finish()?;
        children.sort_by_key(|child| child.0);
        Ok(Tree { head, children })
    }

    fn leave(&mut self, method: MethodId, enter: &'a [u8]) -> Fallible<Tree<'a>> {
        let model = self.codec.model();
        let tables = model.methods.get(usize::from(method.0)).ok_or("the schema has no such method")?;
        let block = enter.get(..tables.args_size.into()).ok_or("the call's enter payload is too short")?;
        let frame = Frame::wire(Owner::Call(method), tables.params, model.structs, block, None);
        let head = self.reader.take(8)?;
        let result = word(head);
        let mut children = Vec::new();
        if let Type::Pointer(pointee) = tables.result
            && result != 0
        {
            let link = Link { field: &RESULT, pointee, frame: &frame, index: 0, inner: false };
            self.child(&link, result, OF_RESULT, DEPTH, &mut children)?;
        }
        let failed = failed(tables.result, result);
        for step in &self.codec.methods[usize::from(method.0)].steps {
            let What::Pointer(pointee) = step.what else { continue };
            let pointer = frame.read(step.offset, 8);
            if step.leaves() && pointer != 0 && (!failed || is_slot(step.field)) && step.active(&frame) {
                self.path.push(step.field.name);
                let link = Link { field: step.field, pointee, frame: &frame, index: 0, inner: false };
                self.child(&link, pointer, step.offset, DEPTH, &mut children)?;
                self.path.pop();
            }
        }
        self.reader.finish()?;
        children.sort_by_key(|child| child.0);
        Ok(Tree { head, children })
    }

    /// The children of a field; `bytes` are the frame's, which begin at `base` of those that places are stated in.
    fn field(
        &mut self,
        field: &'static Field,
        frame: &Frame<'_>,
        bytes: &'a [u8],
        base: usize,
        depth: u32,
        children: &mut Children<'a>,
    ) -> Fallible<()> {
        let (pointee, id) = match field.ty {
            Type::Pointer(pointee) => (Some(pointee), None),
            Type::Struct(id) if !self.is_flat(id) => (None, Some(id)),
            _ => return Ok(()),
        };
        let size = self.codec.size_of(field.ty) as usize;
        self.path.push(field.name);
        for index in 0..usize::from(field.count.max(1)) {
            let at = field.offset as usize + index * size;
            let own = bytes.get(at..at + size).ok_or("a field outside its structure")?;
            if let Some(pointee) = pointee {
                let pointer = word(own);
                if pointer != 0 && (self.leave || field.direction != Direction::Out) {
                    let link = Link { field, pointee, frame, index, inner: false };
                    self.child(&link, pointer, base + at, depth, children)?;
                }
            } else if let Some(id) = id.filter(|_| !(is_translated(field.role) && size == 8)) {
                self.structure(id, own, frame, Span::default(), base + at, depth, children)?;
            }
        }
        self.path.pop();
        Ok(())
    }

    fn is_flat(&self, id: StructId) -> bool {
        self.codec.model().structs.get(usize::from(id.0)).is_none_or(|own| own.flat)
    }

    #[allow(clippy::too_many_arguments)]
    fn structure(
        &mut self,
        id: StructId,
        bytes: &'a [u8],
        parent: &Frame<'_>,
        span: Span,
        base: usize,
        depth: u32,
        children: &mut Children<'a>,
    ) -> Fallible<()> {
        let structs = self.codec.model().structs;
        let layout = structs.get(usize::from(id.0)).ok_or("the schema has no such structure")?;
        if layout.flat {
            return Ok(());
        }
        let mut frame = Frame::wire(Owner::Struct(id), layout.fields, structs, bytes, Some(parent));
        frame.span = span;
        for field in layout.fields.iter().filter(|field| frame.active(field)) {
            self.field(field, &frame, bytes, base, depth, children)?;
        }
        Ok(())
    }

    fn child(
        &mut self,
        link: &Link<'_>,
        pointer: u64,
        place: usize,
        depth: u32,
        children: &mut Children<'a>,
    ) -> Fallible<()> {
        let kind = self.codec.kind(link);
        if matches!(kind, Kind::Inactive | Kind::Skip | Kind::Reference) {
            return Ok(());
        }
        let (form, count) = self.reader.header()?;
        let mut node = Node { form, count, kind, pointer, bytes: &[], children: Vec::new() };
        match form {
            wire::Kind::Absent => {}
            wire::Kind::Blob => node.bytes = self.reader.take(8)?,
            wire::Kind::Opaque => node.bytes = self.reader.padded(count, 1)?,
            wire::Kind::Inline => self.inline(&mut node, link, depth.checked_sub(1).ok_or("nested too deeply")?)?,
        }
        node.children.sort_by_key(|child| child.0);
        children.push((place, node));
        Ok(())
    }

    fn inline(&mut self, node: &mut Node<'a>, link: &Link<'_>, depth: u32) -> Fallible<()> {
        let ty = match node.kind {
            Kind::Text { wide: true } => Type::U16,
            Kind::Elements(ty) => ty,
            Kind::List(id, _) => Type::Struct(id),
            Kind::Tagged => {
                let tag = self.reader.peek(4)?;
                let id = self.codec.subobjects(link.frame.owner).chained(tag as u32);
                Type::Struct(id.ok_or_else(|| format!("a chained structure of unknown type {tag}"))?)
            }
            _ => Type::U8,
        };
        let size = self.codec.size_of(ty);
        let count = if matches!(node.kind, Kind::Tagged) { 1 } else { node.count };
        node.bytes = self.reader.padded(count, size)?;
        if matches!(node.kind, Kind::Stream) {
            return self.stream(node, link, depth);
        }
        let span = Span { old: node.pointer, new: 0, bytes: node.bytes.len() as u64 };
        for (index, own) in node.bytes.chunks_exact(size as usize).enumerate() {
            let place = index * size as usize;
            match ty {
                Type::Struct(id) => {
                    self.structure(id, own, link.frame, span, place, depth, &mut node.children)?;
                }
                Type::Pointer(pointee) if word(own) != 0 => {
                    let link = Link { pointee, index, inner: true, ..*link };
                    self.child(&link, word(own), place, depth, &mut node.children)?;
                }
                Type::Pointer(_) => {}
                _ => break,
            }
        }
        Ok(())
    }

    fn stream(&mut self, node: &mut Node<'a>, link: &Link<'_>, depth: u32) -> Fallible<()> {
        let bytes = node.bytes;
        let mut offset = 0;
        while offset + 4 <= bytes.len() {
            let number = word(&bytes[offset..offset + 4]) as u32;
            let sub =
                self.codec.subobjects(link.frame.owner).stream_at(self.codec.model(), number, offset, bytes.len());
            let Some(sub) = sub else { break };
            if let Type::Struct(id) = sub.ty {
                let size = self.codec.size_of(sub.ty) as usize;
                let own = &bytes[sub.offset..sub.offset + size];
                self.structure(id, own, link.frame, Span::default(), sub.offset, depth, &mut node.children)?;
            }
            offset = sub.next;
        }
        Ok(())
    }
}
