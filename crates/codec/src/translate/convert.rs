//! Writes a payload of the trace as today's model has it.
//!
//! The bytes of a structure are made field by field, by name, from the trace's. Then today's own walk over the new bytes says
//! which pointers have children, in which order and of which type; each takes the child of the pointer that its address came
//! from. So what comes out is what today's walks read, or the call is refused: nothing is dropped unless it is zero.

use super::plan::{Fields, Fix, How, Plans, Step, Union, is_flat};
use super::tree::{self, Children, Node, OF_RESULT};
use crate::Codec;
use crate::codec::What;
use crate::decode::is_translated;
use crate::encode::{RESULT, failed, is_slot};
use crate::frame::{Frame, Owner};
use crate::reader::word;
use crate::rule::feature;
use crate::shape::{Kind, Link};
use crate::wire;
use reprise_d3d12::model::{Direction, Field, Len, MethodId, Rule, StructId, Type};

type Fallible<T> = Result<T, String>;

/// A method in both models.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) theirs: MethodId,
    pub(super) ours: MethodId,
    pub(super) parameters: Fields,
    pub(super) result: How,
}

/// The two models, and what becomes of one in the other.
pub(super) struct Converter<'c> {
    pub(super) theirs: &'c Codec,
    pub(super) ours: &'c Codec,
    pub(super) plans: &'c Plans,
}

/// The bytes of something, made from the trace's, and where its addresses came from.
#[derive(Default)]
struct Made {
    bytes: Vec<u8>,
    /// Of each pointer that is not null: its place here, and in the trace's bytes.
    origins: Vec<(usize, usize)>,
}

impl Made {
    /// Makes origins ready to be found by their places.
    fn sorted(mut self) -> Made {
        self.origins.sort_unstable();
        self
    }
}

/// An array that pointers may lead into.
#[derive(Clone, Copy, Default)]
struct Array {
    address: u64,
    bytes: u64,
    sizes: (u64, u64),
}

/// The surroundings of bytes that are converted.
#[derive(Clone, Copy)]
struct Around<'a, 'n> {
    children: &'n Children<'a>,
    array: Array,
}

impl Converter<'_> {
    /// Today's enter payload.
    ///
    /// # Errors
    /// The payload is damaged, or holds something that today's model cannot say.
    pub(super) fn enter(&self, method: &Method, payload: &[u8], out: &mut Vec<u8>) -> Fallible<()> {
        let tree = tree::enter(self.theirs, method.theirs, payload)?;
        let block = self.block(method, tree.head, &tree.children)?;
        out.extend_from_slice(&block.bytes);
        let tables = &self.ours.model().methods[usize::from(method.ours.0)];
        let frame = Frame::wire(Owner::Call(method.ours), tables.params, self.ours.model().structs, &block.bytes, None);
        let mut giver = Giver { converter: self, leave: false, made: &block, children: &tree.children, given: 0 };
        for field in tables.params {
            if !matches!((field.ty, field.direction), (Type::Pointer(_), Direction::Out)) && frame.active(field) {
                giver.field(field, &frame, 0, Array::default(), out)?;
            }
        }
        giver.done()
    }

    /// Today's leave payload.
    ///
    /// # Errors
    /// As [`Converter::enter`].
    pub(super) fn leave(&self, method: &Method, enter: &[u8], payload: &[u8], out: &mut Vec<u8>) -> Fallible<()> {
        let tree = tree::leave(self.theirs, method.theirs, enter, payload)?;
        let theirs = &self.theirs.model().methods[usize::from(method.theirs.0)];
        let head = enter.get(..theirs.args_size.into()).ok_or("the call's enter payload is too short")?;
        let block = self.block(method, head, &tree.children)?;
        let result = word(&self.result(method, tree.head)?);
        out.extend_from_slice(&result.to_le_bytes());
        let tables = &self.ours.model().methods[usize::from(method.ours.0)];
        let frame = Frame::wire(Owner::Call(method.ours), tables.params, self.ours.model().structs, &block.bytes, None);
        let mut giver = Giver { converter: self, leave: true, made: &block, children: &tree.children, given: 0 };
        if let Type::Pointer(pointee) = tables.result
            && result != 0
        {
            let link = Link { field: &RESULT, pointee, frame: &frame, index: 0, inner: false };
            giver.child(&link, OF_RESULT, Array::default(), out)?;
        }
        let failed = failed(tables.result, result);
        for step in &self.ours.methods[usize::from(method.ours.0)].steps {
            let What::Pointer(pointee) = step.what else { continue };
            let pointer = frame.read(step.offset, 8);
            if step.leaves() && pointer != 0 && (!failed || is_slot(step.field)) && step.active(&frame) {
                let link = Link { field: step.field, pointee, frame: &frame, index: 0, inner: false };
                let told = |what| format!("{}: {what}", step.field.name);
                giver.pointer(&link, step.offset, Array::default(), out).map_err(told)?;
            }
        }
        giver.done()
    }

    /// Today's result, in 8 bytes, from a leave payload of which that may be all.
    ///
    /// # Errors
    /// Today's model cannot say it.
    pub(super) fn result(&self, method: &Method, payload: &[u8]) -> Fallible<[u8; 8]> {
        let result: [u8; 8] = payload.first_chunk().copied().ok_or("the leave payload is too short")?;
        let told = |what| format!("result: {what}");
        match &method.result {
            How::Enum(values) => {
                let value = self.plans.values(*values).get(word(&result[..4]) as u32).map_err(told)?;
                Ok(u64::from(value).to_le_bytes())
            }
            How::Never(why) if word(&result) != 0 => Err(told(why.clone())),
            // Results fill their 8 bytes: a wider or smaller integer is the same there.
            _ => Ok(result),
        }
    }

    fn block(&self, method: &Method, head: &[u8], children: &Children<'_>) -> Fallible<Made> {
        let tables = &self.ours.model().methods[usize::from(method.ours.0)];
        let theirs = &self.theirs.model().methods[usize::from(method.theirs.0)];
        let mut made = Made { bytes: vec![0; tables.args_size.into()], origins: Vec::new() };
        let frame = Frame::wire(Owner::Call(method.theirs), theirs.params, self.theirs.model().structs, head, None);
        let around = Around { children, array: Array::default() };
        self.fields(&method.parameters, &frame, head, 0, tables.params, &mut made, 0, around)?;
        Ok(made.sorted())
    }

    /// Converts fields. `from` are the bytes of the trace's, which stand at `at` of the bytes that hold them; today's are made
    /// at `to`.
    #[allow(clippy::too_many_arguments)]
    fn fields(
        &self,
        fields: &Fields,
        frame: &Frame<'_>,
        from: &[u8],
        at: usize,
        ours: &'static [Field],
        made: &mut Made,
        to: usize,
        around: Around<'_, '_>,
    ) -> Fallible<()> {
        for union in &fields.unions {
            union_bytes(union, frame, from, &mut made.bytes[to..])?;
        }
        for gone in fields.gone.iter().filter(|gone| frame.active(gone)) {
            let size = gone.ty.size(frame.structs) as usize * usize::from(gone.count);
            let own = from.get(gone.offset as usize..).and_then(|own| own.get(..size)).unwrap_or(&[]);
            if own.iter().any(|byte| *byte != 0) {
                return Err(format!("{} is set, which today's model does not have", gone.name));
            }
        }
        for step in fields.steps.iter().filter(|step| frame.active(step.theirs)) {
            let told = |what: String| format!("{}: {what}", step.theirs.name);
            self.step(step, frame, from, at, made, to, around).map_err(told)?;
        }
        for step in &fields.steps {
            if let Some(fix) = step.fix.filter(|_| frame.active(step.theirs)) {
                self.fix(fix, step, frame, at, ours, made, to, around)?;
            }
        }
        // A member that is in use in the trace must be so today, and no other in its place.
        let size = made.bytes.len() - to;
        let new = Frame::wire(Owner::Call(MethodId(0)), ours, self.ours.model().structs, &made.bytes[to..], None);
        for step in fields.steps.iter().filter(|step| step.theirs.arm.is_some() && frame.active(step.theirs)) {
            let own = step.ours.offset as usize;
            let set = made.bytes[to..].get(own..(own + step.sizes.1).min(size)).unwrap_or(&[]);
            if !new.active(step.ours) && set.iter().any(|byte| *byte != 0) {
                return Err(format!("{} is in use, but not by today's model", step.theirs.name));
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        step: &Step,
        frame: &Frame<'_>,
        from: &[u8],
        at: usize,
        made: &mut Made,
        to: usize,
        around: Around<'_, '_>,
    ) -> Fallible<()> {
        let (count, kept) = (usize::from(step.theirs.count), usize::from(step.ours.count));
        for index in 0..count {
            let place = step.theirs.offset as usize + index * step.sizes.0;
            let own = from.get(place..place + step.sizes.0).ok_or("a field outside its structure")?;
            if index >= kept {
                if own.iter().any(|byte| *byte != 0) {
                    return Err(format!("element {index} is set, and today's model has {kept}"));
                }
                continue;
            }
            let target = to + step.ours.offset as usize + index * step.sizes.1;
            self.element(&step.how, step.sizes.1, own, at + place, frame, made, target, around)?;
        }
        Ok(())
    }

    /// Converts one value. `own` stands at `at` of the trace's bytes and is made at `to`, with `size` bytes there.
    #[allow(clippy::too_many_arguments)]
    fn element(
        &self,
        how: &How,
        size: usize,
        own: &[u8],
        at: usize,
        parent: &Frame<'_>,
        made: &mut Made,
        to: usize,
        around: Around<'_, '_>,
    ) -> Fallible<()> {
        let place = made.bytes.get_mut(to..to + size).ok_or("a field outside today's structure")?;
        match how {
            How::Bytes => place.copy_from_slice(own.get(..size).ok_or("a value of another size")?),
            How::Pointer => {
                place.copy_from_slice(own);
                if word(own) != 0 {
                    made.origins.push((to, at));
                }
            }
            How::Number(signed) => place.copy_from_slice(&number(own, *signed, size)?.to_le_bytes()[..size]),
            How::Enum(values) => {
                let value = self.plans.values(*values).get(word(own) as u32)?;
                place.copy_from_slice(&value.to_le_bytes());
            }
            How::Never(why) if own.iter().any(|byte| *byte != 0) => return Err(why.clone()),
            How::Never(_) => {}
            How::Struct(pair) => {
                let pair = self.plans.pair(*pair);
                let theirs = self.theirs.model().structs;
                let layout = &theirs[usize::from(pair.theirs.0)];
                if pair.same && layout.flat {
                    place.copy_from_slice(own);
                    return Ok(());
                }
                let frame = Frame::wire(Owner::Struct(pair.theirs), layout.fields, theirs, own, Some(parent));
                let ours = self.ours.model().structs[usize::from(pair.ours.0)].fields;
                return self.fields(&pair.fields, &frame, own, at, ours, made, to, around);
            }
        }
        Ok(())
    }

    /// Changes the number that goes with a pointer.
    #[allow(clippy::too_many_arguments)]
    fn fix(
        &self,
        fix: Fix,
        step: &Step,
        frame: &Frame<'_>,
        at: usize,
        ours: &'static [Field],
        made: &mut Made,
        to: usize,
        around: Around<'_, '_>,
    ) -> Fallible<()> {
        let pointer = frame.read(step.theirs.offset as usize, 8);
        if pointer == 0 {
            return Ok(());
        }
        let node = tree::find(around.children, at + step.theirs.offset as usize);
        let (field, value) = match fix {
            Fix::Bytes { sibling, from, to: size } => {
                let bytes = read(&made.bytes[to..], sibling, self.ours);
                (
                    sibling,
                    (bytes / from)
                        .checked_mul(size)
                        .map(|all| all + bytes % from)
                        .ok_or("a length beyond all memory")?,
                )
            }
            Fix::Stream(sibling) => match node.filter(|node| node.form == wire::Kind::Inline) {
                Some(node) => (sibling, self.stream(node, around.array)?.bytes.len() as u64),
                None => return Ok(()),
            },
            Fix::Feature(sibling) => {
                let known = node.is_some_and(|node| matches!(node.kind, Kind::Elements(Type::Struct(_))));
                let chosen = ours.iter().find_map(|field| match field.ty {
                    Type::Enum(id) => {
                        feature::structure(self.ours, id, read(&made.bytes[to..], field, self.ours) as i64)
                    }
                    _ => None,
                });
                match chosen.filter(|_| known) {
                    Some(ty) => (sibling, self.ours.size_of(ty)),
                    None => return Ok(()),
                }
            }
            Fix::Reference => {
                let array = around.array;
                let offset = pointer.wrapping_sub(array.address);
                if array.sizes.0 == array.sizes.1 || offset >= array.bytes || !offset.is_multiple_of(array.sizes.0) {
                    return Ok(());
                }
                (step.ours, array.address.wrapping_add((offset / array.sizes.0).wrapping_mul(array.sizes.1)))
            }
        };
        let size = field.ty.size(self.ours.model().structs).min(8) as usize;
        if size < 8 && value >> (size * 8) != 0 {
            return Err(format!("{}: {value} does not fit today", field.name));
        }
        let place = made.bytes.get_mut(to + field.offset as usize..).and_then(|own| own.get_mut(..size));
        place.ok_or("a field outside today's structure")?.copy_from_slice(&value.to_le_bytes()[..size]);
        Ok(())
    }

    /// The elements of an inline child.
    fn elements(&self, node: &Node<'_>, theirs: Type, ours: Type, array: Array) -> Fallible<Made> {
        let sizes = (self.theirs.size_of(theirs) as usize, self.ours.size_of(ours) as usize);
        let how = self.plans.elements(theirs, ours);
        if matches!(how, How::Bytes) && sizes.0 == sizes.1 {
            return Ok(Made { bytes: node.bytes.to_vec(), origins: Vec::new() });
        }
        let count = node.bytes.len() / sizes.0;
        let length = count.checked_mul(sizes.1).filter(|length| *length as u64 <= MOST_BYTES);
        let mut made = Made { bytes: vec![0; length.ok_or("too large today")?], origins: Vec::new() };
        let none = Frame::wire(Owner::Call(MethodId(0)), &[], self.theirs.model().structs, &[], None);
        let around = Around { children: &node.children, array };
        for (index, own) in node.bytes.chunks_exact(sizes.0).enumerate() {
            let told = |what: String| format!("[{index}]: {what}");
            let (at, to) = (index * sizes.0, index * sizes.1);
            self.element(&how, sizes.1, own, at, &none, &mut made, to, around).map_err(told)?;
        }
        Ok(made.sorted())
    }

    /// A pipeline stream: each subobject at its place today.
    fn stream(&self, node: &Node<'_>, array: Array) -> Fallible<Made> {
        let (theirs, ours) = (&self.theirs.subobjects, &self.ours.subobjects);
        let none = Frame::wire(Owner::Call(MethodId(0)), &[], self.theirs.model().structs, &[], None);
        let around = Around { children: &node.children, array };
        let bytes = node.bytes;
        let mut made = Made::default();
        let mut offset = 0;
        let mut end = 0;
        while offset + 4 <= bytes.len() {
            let number = word(&bytes[offset..offset + 4]) as u32;
            let Some(sub) = theirs.stream_at(self.theirs.model(), number, offset, bytes.len()) else { break };
            let told = |what: String| format!("subobject {number}: {what}");
            let today = self.plans.choice(theirs.stream_types, ours.stream_types, number).map_err(told)?;
            let ty = ours.stream_type(today).ok_or_else(|| told("not in today's model".into()))?;
            made.bytes.resize(made.bytes.len().next_multiple_of(8), 0);
            made.bytes.extend_from_slice(&today.to_le_bytes());
            let to = made.bytes.len().next_multiple_of(ty.align(self.ours.model().structs).max(4) as usize);
            let sizes = (self.theirs.size_of(sub.ty) as usize, self.ours.size_of(ty) as usize);
            made.bytes.resize(to + sizes.1, 0);
            end = sub.offset + sizes.0;
            let own = &bytes[sub.offset..end];
            let how = self.plans.elements(sub.ty, ty);
            self.element(&how, sizes.1, own, sub.offset, &none, &mut made, to, around).map_err(told)?;
            offset = sub.next;
        }
        match bytes.get(offset..) {
            // Of a last subobject that is filled up, or not wholly.
            None | Some([]) => {
                let fill = (bytes.len() - end).min(made.bytes.len().wrapping_neg() % 8);
                let fill = if offset == bytes.len() { made.bytes.len().wrapping_neg() % 8 } else { fill };
                made.bytes.resize(made.bytes.len() + fill, 0);
            }
            Some(rest) => {
                made.bytes.resize(made.bytes.len().next_multiple_of(8), 0);
                let begin = made.bytes.len();
                made.bytes.extend_from_slice(rest);
                self.check_unknown(&made.bytes, begin)?;
            }
        }
        Ok(made.sorted())
    }

    /// What the recorder did not know in a stream is bytes, without objects or children. Today's walk may know it.
    fn check_unknown(&self, stream: &[u8], mut offset: usize) -> Fallible<()> {
        while offset + 4 <= stream.len() {
            let number = word(&stream[offset..offset + 4]) as u32;
            let sub = self.ours.subobjects.stream_at(self.ours.model(), number, offset, stream.len());
            let Some(sub) = sub else { break };
            if !is_flat(self.ours.model(), sub.ty) {
                return Err(format!("subobject {number}: the recorder did not know what it holds"));
            }
            offset = sub.next;
        }
        Ok(())
    }
}

/// The longest child that a conversion may make.
const MOST_BYTES: u64 = wire::INLINE_BYTES;

/// Gives the children of bytes that were made, as today's walk asks for them.
struct Giver<'c, 'a, 'n> {
    converter: &'c Converter<'c>,
    leave: bool,
    made: &'n Made,
    children: &'n Children<'a>,
    given: usize,
}

impl Giver<'_, '_, '_> {
    /// # Errors
    /// The trace has children that today's walk did not ask for.
    fn done(&self) -> Fallible<()> {
        if self.given == self.children.len() {
            return Ok(());
        }
        Err("it holds data that today's model does not look for".into())
    }

    fn field(
        &mut self,
        field: &'static Field,
        frame: &Frame<'_>,
        base: usize,
        array: Array,
        out: &mut Vec<u8>,
    ) -> Fallible<()> {
        let told = |what: String| format!("{}: {what}", field.name);
        match field.ty {
            Type::Pointer(pointee) => {
                for index in 0..usize::from(field.count.max(1)) {
                    let at = field.offset as usize + index * 8;
                    if frame.read(at, 8) != 0 && (self.leave || field.direction != Direction::Out) {
                        let link = Link { field, pointee, frame, index, inner: false };
                        self.pointer(&link, base + at, array, out).map_err(told)?;
                    }
                }
            }
            Type::Struct(id) if !frame.structs[usize::from(id.0)].flat => {
                let size = field.ty.size(frame.structs) as usize;
                if is_translated(field.role) && size == 8 {
                    return Ok(());
                }
                for index in 0..usize::from(field.count.max(1)) {
                    let at = field.offset as usize + index * size;
                    self.structure(&frame.nested(id, at), base + at, array, out).map_err(told)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn structure(&mut self, frame: &Frame<'_>, base: usize, array: Array, out: &mut Vec<u8>) -> Fallible<()> {
        for field in frame.fields.iter().filter(|field| frame.active(field)) {
            self.field(field, frame, base, array, out)?;
        }
        Ok(())
    }

    /// The child of the pointer at `place` of the bytes that were made.
    fn pointer(&mut self, link: &Link<'_>, place: usize, array: Array, out: &mut Vec<u8>) -> Fallible<()> {
        let at = self.made.origins.binary_search_by_key(&place, |origin| origin.0);
        let at = at.map_err(|_| "the trace has nothing of what it points to")?;
        self.child(link, self.made.origins[at].1, array, out)
    }

    /// The child of a pointer that stood at `origin` in the trace.
    fn child(&mut self, link: &Link<'_>, origin: usize, array: Array, out: &mut Vec<u8>) -> Fallible<()> {
        let kind = self.converter.ours.kind(link);
        if matches!(kind, Kind::Skip | Kind::Inactive | Kind::Reference) {
            return Ok(());
        }
        let node = tree::find(self.children, origin).ok_or("the trace has nothing of what it points to")?;
        self.given += 1;
        self.node(node, kind, link, array, out)
    }

    fn node(&self, node: &Node<'_>, kind: Kind, link: &Link<'_>, array: Array, out: &mut Vec<u8>) -> Fallible<()> {
        let converter = self.converter;
        let apart = || format!("{} in the trace, {} today", shown(node.kind), shown(kind));
        match node.form {
            wire::Kind::Absent => put(out, node.form, node.count, &[]),
            wire::Kind::Opaque => put(out, node.form, node.count, node.bytes),
            wire::Kind::Blob if matches!(kind, Kind::Elements(Type::U8 | Type::I8)) => {
                put(out, node.form, node.count, node.bytes);
            }
            wire::Kind::Blob => return Err(apart()),
            wire::Kind::Inline => match (node.kind, kind) {
                (Kind::Text { wide }, Kind::Text { wide: today }) if wide == today => {
                    put(out, node.form, node.count, node.bytes);
                }
                (Kind::Stream, Kind::Stream) => {
                    let made = converter.stream(node, array)?;
                    put(out, node.form, made.bytes.len() as u64, &made.bytes);
                    self.of_stream(node, &made, link, array, out)?;
                }
                (Kind::Elements(from), Kind::Elements(to)) => self.of_elements(node, from, to, link, array, out)?,
                (Kind::List(from, _), Kind::List(to, _)) => {
                    self.of_elements(node, Type::Struct(from), Type::Struct(to), link, array, out)?;
                }
                (Kind::Tagged, Kind::Tagged) => {
                    let (theirs, ours) = (&converter.theirs.subobjects, &converter.ours.subobjects);
                    let tag = word(node.bytes.get(..4).unwrap_or(&[])) as u32;
                    let today = converter.plans.choice(theirs.chain_types, ours.chain_types, tag)?;
                    let from = theirs.chained(tag).ok_or("a chained structure of unknown type")?;
                    let to = ours
                        .chained(today)
                        .ok_or_else(|| format!("the structure of type {tag} is not in today's model"))?;
                    self.of_elements(node, Type::Struct(from), Type::Struct(to), link, array, out)?;
                }
                _ => return Err(apart()),
            },
        }
        Ok(())
    }

    fn of_elements(
        &self,
        node: &Node<'_>,
        from: Type,
        to: Type,
        link: &Link<'_>,
        array: Array,
        out: &mut Vec<u8>,
    ) -> Fallible<()> {
        let converter = self.converter;
        let features = matches!(link.pointee.len, Len::Rule(Rule::FeatureData));
        match (from, to) {
            // A feature that only one of the two models knows is bytes in the other.
            (Type::Struct(_), Type::U8) if features && is_flat(converter.theirs.model(), from) => {
                put(out, wire::Kind::Inline, node.bytes.len() as u64, node.bytes);
                return Ok(());
            }
            (Type::U8, Type::Struct(_)) if features && is_flat(converter.ours.model(), to) => {
                if node.bytes.len() as u64 != converter.ours.size_of(to) {
                    return Err("the answer has another size today".into());
                }
                put(out, wire::Kind::Inline, 1, node.bytes);
                return Ok(());
            }
            _ => {}
        }
        let made = converter.elements(node, from, to, array)?;
        put(out, node.form, if matches!(node.kind, Kind::Tagged) { 1 } else { node.count }, &made.bytes);
        let sizes = (converter.theirs.size_of(from), converter.ours.size_of(to));
        let own = Array { address: node.pointer, bytes: node.bytes.len() as u64, sizes };
        let mut giver = Giver { converter, leave: self.leave, made: &made, children: &node.children, given: 0 };
        for (index, element) in made.bytes.chunks_exact(sizes.1 as usize).enumerate() {
            let place = index * sizes.1 as usize;
            let told = |what: String| format!("[{index}].{what}");
            match to {
                Type::Struct(id) => {
                    if converter.ours.model().structs[usize::from(id.0)].flat {
                        break;
                    }
                    giver.structure(&over(converter, id, element, link), place, own, out).map_err(told)?;
                }
                Type::Pointer(pointee) if word(element) != 0 => {
                    let link = Link { pointee, index, inner: true, ..*link };
                    giver.pointer(&link, place, own, out).map_err(told)?;
                }
                Type::Pointer(_) => {}
                _ => break,
            }
        }
        giver.done()
    }

    fn of_stream(
        &self,
        node: &Node<'_>,
        made: &Made,
        link: &Link<'_>,
        array: Array,
        out: &mut Vec<u8>,
    ) -> Fallible<()> {
        let converter = self.converter;
        let mut giver = Giver { converter, leave: self.leave, made, children: &node.children, given: 0 };
        let mut offset = 0;
        while offset + 4 <= made.bytes.len() {
            let number = word(&made.bytes[offset..offset + 4]) as u32;
            let sub = converter.ours.subobjects.stream_at(converter.ours.model(), number, offset, made.bytes.len());
            let Some(sub) = sub else { break };
            if let Type::Struct(id) = sub.ty {
                let size = converter.ours.size_of(sub.ty) as usize;
                let frame = over(converter, id, &made.bytes[sub.offset..sub.offset + size], link);
                giver.structure(&frame, sub.offset, array, out)?;
            }
            offset = sub.next;
        }
        giver.done()
    }
}

/// A frame of today's model over a structure behind a pointer.
fn over<'p>(converter: &Converter<'_>, id: StructId, bytes: &'p [u8], link: &'p Link<'p>) -> Frame<'p> {
    let structs = converter.ours.model().structs;
    Frame::wire(Owner::Struct(id), structs[usize::from(id.0)].fields, structs, bytes, Some(link.frame))
}

/// The bytes of a union of which no member is in use that the trace's model knows.
fn union_bytes(union: &Union, frame: &Frame<'_>, from: &[u8], to: &mut [u8]) -> Fallible<()> {
    if union.members.iter().any(|member| frame.active(member)) {
        return Ok(());
    }
    let own = from.get(union.from..union.from + union.len).unwrap_or(&[]);
    match union.to.and_then(|at| to.get_mut(at..at + own.len())) {
        Some(place) => place.copy_from_slice(own),
        None if own.iter().all(|byte| *byte == 0) => {}
        None => {
            let name = union.members.first().map_or("", |member| member.name);
            return Err(format!("a member of the union of {name} is in use that the recorder did not know"));
        }
    }
    Ok(())
}

/// An integer in another width.
fn number(own: &[u8], signed: bool, size: usize) -> Fallible<u64> {
    let bits = word(own);
    let unused = 64 - 8 * own.len().min(8) as u32;
    let value = if signed { ((bits << unused) as i64 >> unused) as u64 } else { bits };
    let lost = 64 - 8 * size.min(8) as u32;
    let kept = if signed { ((value << lost) as i64 >> lost) as u64 } else { value << lost >> lost };
    if kept == value { Ok(value) } else { Err(format!("{value} does not fit in {size} bytes")) }
}

fn read(bytes: &[u8], field: &Field, codec: &Codec) -> u64 {
    let size = field.ty.size(codec.model().structs).min(8) as usize;
    bytes.get(field.offset as usize..).and_then(|own| own.get(..size)).map_or(0, word)
}

/// Appends a child's header and bytes.
fn put(out: &mut Vec<u8>, form: wire::Kind, count: u64, bytes: &[u8]) {
    out.extend_from_slice(&wire::header(form, count).to_le_bytes());
    out.extend_from_slice(bytes);
    out.resize(out.len() + bytes.len().wrapping_neg() % 8, 0);
}

fn shown(kind: Kind) -> &'static str {
    match kind {
        Kind::Elements(Type::Struct(_)) | Kind::Tagged => "a structure",
        Kind::Elements(_) => "numbers, addresses or objects",
        Kind::Text { .. } => "text",
        Kind::Stream => "a pipeline stream",
        Kind::List(..) => "a list",
        Kind::Opaque(_) => "of a type that is not known",
        Kind::Skip | Kind::Inactive | Kind::Reference => "nothing",
    }
}
