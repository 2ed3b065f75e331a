//! Random but well-formed native arguments for any method of the model.
//!
//! Invariant: what is made is what a correct program could pass, as far as the model says: counts fit their arrays,
//! selectors choose one of the stated members, text ends, storage for outputs is as large as the counts claim.

use crate::frame::{Frame, Owner, Span};
use crate::objects::{Objects, Texels};
use crate::rule::feature;
use crate::shape::{Kind, Link};
use crate::wire::DEPTH;
use crate::{Arena, Codec, Wide};
use reprise_d3d12::model::{Direction, Field, InterfaceId, Len, MethodId, Pointee, Role, Rule, Type};

/// The extent that fabricated `WriteToSubresource` and `ReadFromSubresource` calls assume of their resource.
pub const TEXELS: Texels = Texels { width: 4, height: 4, depth: 1, block_bytes: 4, block_width: 1, block_height: 1 };

/// Bytes of the record that stands for those of every work graph.
pub const RECORD: u64 = 12;

/// A count that would need more is a number that this file does not know to be one.
const MOST_BYTES: u64 = 1 << 16;

/// A small deterministic generator (SplitMix64), so that a failure is repeated by its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len() as u64) as usize).copied()
    }
}

impl Codec {
    /// Argument words for a call of `method`: pointees random but well-formed, arrays of 0 to 3 elements (byte buffers up
    /// to 400), unions with one of their members, outputs with storage. `object` gives a program-visible pointer (or 0)
    /// for an interface. All memory is the arena's.
    pub fn fabricate(
        &self,
        method: MethodId,
        random: &mut Random,
        object: &mut dyn FnMut(InterfaceId) -> u64,
        arena: &mut Arena,
    ) -> Vec<u64> {
        let tables = &self.model.methods[method.0 as usize];
        let size = usize::from(tables.args_size);
        let block = arena.zeroed(size);
        let mut maker = Maker { codec: self, random, object, arena };
        let owner = Owner::Call(method);
        // SAFETY: the block is fresh memory of the call's size.
        unsafe {
            let frame = Frame::native(owner, tables.params, self.model.structs, block, size, None);
            maker.fields(&frame, block, DEPTH - 4);
            (self.methods[method.0 as usize].slots.iter())
                .map(|slot| match slot.size {
                    0..=8 => frame.read(slot.offset as usize, slot.size as usize),
                    _ => block.add(slot.offset as usize) as u64,
                })
                .collect()
        }
    }
}

struct Maker<'m> {
    codec: &'m Codec,
    random: &'m mut Random,
    object: &'m mut dyn FnMut(InterfaceId) -> u64,
    arena: &'m mut Arena,
}

impl Maker<'_> {
    /// Fills a structure or argument block: numbers first, so that counts and selectors are there for the pointers.
    ///
    /// # Safety
    /// `base` is writable memory of the frame.
    unsafe fn fields(&mut self, frame: &Frame<'_>, base: *mut u8, depth: u32) {
        // SAFETY: all fields lie inside the frame.
        unsafe {
            let selects = |i: usize| frame.fields.iter().any(|f| f.arm.is_some_and(|a| usize::from(a.selector) == i));
            for (i, field) in frame.fields.iter().enumerate().filter(|(i, _)| selects(*i)) {
                let value = self.selector(frame, i);
                write(base, field.offset as usize, field.ty.size(frame.structs) as usize, value);
            }
            for (i, field) in frame.fields.iter().enumerate() {
                if selects(i) || !frame.active(field) || matches!(field.ty, Type::Pointer(_)) {
                    continue;
                }
                let size = field.ty.size(frame.structs) as usize;
                for n in 0..field.count.max(1) as usize {
                    let to = base.add(field.offset as usize + n * size);
                    match count_unit(frame, i) {
                        Some((unit, bytes)) => {
                            let count = if bytes && self.random.one_in(4) { 400 } else { self.random.below(4) };
                            write(to, 0, size, count * unit);
                        }
                        None => self.value(field.ty, field.role, to, frame, Span::default(), depth),
                    }
                }
            }
            self.rules(frame, base);
            // Counts behind pointers come before what they count.
            for counts in [true, false] {
                for (i, field) in frame.fields.iter().enumerate() {
                    let Type::Pointer(pointee) = field.ty else { continue };
                    if !frame.active(field) || counted_through(frame, i).is_some() != counts {
                        continue;
                    }
                    for n in 0..field.count.max(1) as usize {
                        let link = Link { field, pointee, frame, index: n, inner: false };
                        if let Some(pointer) = self.pointer(&link, base, depth) {
                            write(base, field.offset as usize + n * 8, 8, pointer);
                        }
                    }
                }
            }
        }
    }

    /// A value for the selector of a union.
    fn selector(&mut self, frame: &Frame<'_>, index: usize) -> u64 {
        let arms = frame.fields.iter().filter_map(|f| f.arm).filter(|a| usize::from(a.selector) == index);
        let mut values: Vec<i64> = arms.flat_map(|a| a.values.iter().copied()).collect();
        // What cannot be told apart cannot be rebuilt.
        let twins = self.codec.twins.iter().filter(|t| frame.fields.iter().any(|f| std::ptr::eq(f, t.first)));
        for (first, second) in twins.filter_map(|t| t.first.arm.zip(t.second.arm)) {
            values.retain(|v| !(first.values.contains(v) && second.values.contains(v)));
        }
        if let Type::Enum(id) = frame.fields[index].ty {
            values.extend(self.codec.model.enums[id.0 as usize].members.iter().map(|m| m.1));
        }
        self.random.pick(&values).unwrap_or(0) as u64
    }

    /// Numbers that rules relate to pointers.
    ///
    /// # Safety
    /// `base` is writable memory of the frame.
    unsafe fn rules(&mut self, frame: &Frame<'_>, base: *mut u8) {
        let model = &self.codec.model;
        let set = |name: &str, value: u64| {
            if let Some(field) = frame.position(name).map(|i| &frame.fields[i]) {
                // SAFETY: the field lies inside the frame.
                unsafe { write(base, field.offset as usize, field.ty.size(frame.structs) as usize, value) };
            }
        };
        for field in frame.fields {
            match field.ty {
                Type::Pointer(Pointee { len: Len::Rule(Rule::StateSubobject), .. }) => {
                    let numbers = self.codec.subobjects.state_numbers();
                    set("Type", u64::from(self.random.pick(&numbers).unwrap_or(0)));
                }
                Type::Pointer(Pointee { len: Len::Rule(Rule::ElementsLayout), .. }) => {
                    set("DescsLayout", self.random.below(2));
                }
                Type::Pointer(Pointee { len: Len::Rule(Rule::SubresourceData), .. }) => {
                    for name in ["DstRowPitch", "SrcRowPitch", "DstDepthPitch", "SrcDepthPitch"] {
                        set(name, 16 + self.random.below(3) * 8);
                    }
                }
                Type::Pointer(Pointee { len: Len::Rule(Rule::Named("NodeRecords")), .. }) => {
                    set("RecordStrideInBytes", self.random.pick(&[0, 12, 16, 24]).unwrap_or(0));
                }
                Type::Pointer(Pointee { len: Len::Rule(Rule::Named("NodeInputs")), .. }) => {
                    set("NodeInputStrideInBytes", self.random.pick(&[0, 24, 32, 72]).unwrap_or(0));
                }
                Type::Pointer(Pointee { len: Len::Rule(Rule::FeatureData), .. }) => {
                    let Some(Type::Enum(features)) = frame.fields.first().map(|f| f.ty) else { continue };
                    let known: Vec<(i64, u32)> = (model.enums[features.0 as usize].members.iter())
                        .filter_map(|m| {
                            let ty = feature::structure(self.codec, features, m.1)?;
                            Some((m.1, ty.size(model.structs)))
                        })
                        .collect();
                    let (value, size) = self.random.pick(&known).unwrap_or((0, 8));
                    set(frame.fields[0].name, value as u64);
                    set("FeatureSupportDataSize", u64::from(size));
                }
                _ => {}
            }
        }
    }

    /// # Safety
    /// `to` is writable memory for the type.
    unsafe fn value(&mut self, ty: Type, role: Role, to: *mut u8, parent: &Frame<'_>, span: Span, depth: u32) {
        let structs = parent.structs;
        let random = self.random.next();
        let bits = match ty {
            Type::Object(interface) => (self.object)(interface),
            Type::Struct(id) => {
                let layout = &structs[id.0 as usize];
                // SAFETY: `to` is writable for the type, which is this structure.
                unsafe {
                    let (owner, size) = (Owner::Struct(id), layout.size as usize);
                    let mut frame = Frame::native(owner, layout.fields, structs, to, size, Some(parent));
                    frame.span = span;
                    return self.fields(&frame, to, depth);
                }
            }
            Type::Guid => {
                // SAFETY: `to` is writable for the type, which is a GUID of 16 bytes.
                return unsafe { to.cast::<[u64; 2]>().write_unaligned([random, self.random.next()]) };
            }
            Type::Enum(id) => {
                let entry = &self.codec.model.enums[id.0 as usize];
                let mut pick = || self.random.pick(entry.members).map_or(0, |m| m.1);
                (if entry.flags { pick() | pick() } else { pick() }) as u64
            }
            Type::Bool => random & 1,
            _ if role == Role::Reserved => 0,
            _ if role == Role::Text => 0,
            _ => random,
        };
        // SAFETY: `to` is writable for the type.
        unsafe { write(to, 0, ty.size(structs) as usize, bits) };
    }

    /// Memory for a pointer to lead to; `None` leaves the field as it is.
    ///
    /// # Safety
    /// `base` is writable memory of the link's frame.
    unsafe fn pointer(&mut self, link: &Link<'_>, base: *mut u8, depth: u32) -> Option<u64> {
        let structs = link.frame.structs;
        let out = link.field.direction == Direction::Out;
        let kind = self.codec.kind(link);
        if matches!(kind, Kind::Inactive) || depth == 0 || link.field.role == Role::Reserved {
            return None;
        }
        if link.field.optional && self.random.one_in(4) {
            return Some(0);
        }
        if link.field.name.ends_with("Box") && link.frame.fields.iter().any(is_texels) {
            // The whole of the resource that is assumed.
            return Some(0);
        }
        match kind {
            Kind::Inactive => None,
            Kind::Tagged => Some(0),
            Kind::Skip => Some(self.arena.zeroed(64) as u64),
            Kind::Opaque(_) => Some(self.arena.zeroed(128) as u64),
            Kind::Reference => {
                let span = link.frame.parent.map_or(Span::default(), |p| p.span);
                let size = u64::from(
                    structs[match link.frame.parent?.owner {
                        Owner::Struct(id) => id.0 as usize,
                        Owner::Call(_) => return None,
                    }]
                    .size,
                );
                Some(span.old + self.random.below(span.bytes / size) * size)
            }
            Kind::Text { wide } => Some(self.text(wide)),
            // SAFETY: `base` is the memory of the link's frame, which describes the stream.
            Kind::Stream => Some(unsafe { self.stream(link, base, depth - 1) }),
            Kind::List(id, _) => Some(self.arena.zeroed(structs[id.0 as usize].size as usize) as u64),
            Kind::Elements(ty) => {
                // SAFETY: the frame's numbers and earlier pointers are in place.
                let count = unsafe { self.codec.count(kind, link, 0, &Env) }.unwrap_or(0);
                let size = ty.size(structs).max(1) as usize;
                if count * size as u64 > MOST_BYTES {
                    return Some(0);
                }
                let step = self.codec.step(link, size as u64) as usize;
                let memory = self.arena.zeroed(step.max(size) * count as usize);
                if out {
                    return Some(memory as u64);
                }
                let span = Span { old: memory as u64, new: 0, bytes: (size as u64) * count };
                for i in 0..count as usize {
                    // SAFETY: an element of the memory just made.
                    unsafe { self.element(ty, link, i, memory.add(i * step), span, depth - 1) };
                }
                Some(memory as u64)
            }
        }
    }

    /// # Safety
    /// `to` is writable memory for the type.
    unsafe fn element(&mut self, ty: Type, link: &Link<'_>, index: usize, to: *mut u8, span: Span, depth: u32) {
        if let Type::Pointer(pointee) = ty {
            let link = Link { pointee, index, inner: true, ..*link };
            // SAFETY: `to` is writable for the type, which is a pointer of 8 bytes.
            unsafe {
                if let Some(pointer) = self.pointer(&link, to, depth) {
                    write(to, 0, 8, pointer);
                }
            }
            return;
        }
        let own = (link.frame.fields.iter().position(|f| std::ptr::eq(f, link.field))).unwrap_or(usize::MAX);
        let class = link.frame.fields.iter().find(|f| f.iid.is_some_and(|i| usize::from(i) == own));
        match (ty, counted_through(link.frame, own)) {
            (Type::Guid, _) if link.field.role == Role::Iid => {
                let class = class.and_then(|f| f.class).map_or(0, |c| usize::from(c.0));
                let iid = self.codec.model.interfaces[class].iid;
                // SAFETY: `to` is writable for the type, which is a GUID of 16 bytes.
                unsafe { to.cast::<reprise_d3d12::model::Guid>().write_unaligned(iid) };
            }
            (_, Some(unit)) => {
                let count = self.random.below(4) * unit;
                // SAFETY: `to` is writable for the type.
                unsafe { write(to, 0, ty.size(link.frame.structs) as usize, count) };
            }
            // SAFETY: `to` is writable for the type.
            _ => unsafe { self.value(ty, link.field.role, to, link.frame, span, depth) },
        }
    }

    fn text(&mut self, wide: bool) -> u64 {
        let words = ["", "main", "Größe", "描画", "a 𝄞 clef", "a name of some length"];
        let text = self.random.pick(&words).unwrap_or("");
        let mut bytes = Vec::new();
        match (wide, self.codec.wide) {
            (false, _) => bytes.extend_from_slice(text.as_bytes()),
            (true, Wide::Bits16) => text.encode_utf16().for_each(|u| bytes.extend_from_slice(&u.to_le_bytes())),
            (true, Wide::Bits32) => text.chars().for_each(|c| bytes.extend_from_slice(&u32::from(c).to_le_bytes())),
        }
        bytes.extend_from_slice(&[0; 4]);
        self.arena.bytes(&bytes) as u64
    }

    /// # Safety
    /// `base` is writable memory of the link's frame.
    unsafe fn stream(&mut self, link: &Link<'_>, base: *mut u8, depth: u32) -> u64 {
        let numbers = self.codec.subobjects.stream_numbers();
        let memory = self.arena.zeroed(8192);
        let mut offset = 0;
        for _ in 0..self.random.below(5) {
            let Some(number) = self.random.pick(&numbers) else { break };
            let Some(sub) = self.codec.subobjects.stream_at(&self.codec.model, number, offset, 8192) else { break };
            // SAFETY: the subobject fits the memory.
            unsafe {
                write(memory, offset, 4, u64::from(number));
                self.value(sub.ty, Role::Plain, memory.add(sub.offset), link.frame, Span::default(), depth);
            }
            offset = sub.next;
        }
        if let Some(field) = link.frame.position("SizeInBytes").map(|i| &link.frame.fields[i]) {
            // SAFETY: the field lies inside the frame.
            unsafe { write(base, field.offset as usize, 8, offset as u64) };
        }
        memory as u64
    }
}

/// What lengths ask of the program's objects.
struct Env;

impl Objects for Env {
    fn id_of(&self, _pointer: u64) -> u64 {
        0
    }
    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
    fn record_bytes(&self, _entry: u32) -> Option<u64> {
        Some(RECORD)
    }
    fn texels(&self, _subresource: u32) -> Option<Texels> {
        Some(TEXELS)
    }
}

fn is_texels(field: &Field) -> bool {
    matches!(field.ty, Type::Pointer(Pointee { len: Len::Rule(Rule::SubresourceData), .. }))
}

/// If a field is a count: the size of what it counts (1 for elements), and whether it counts bytes of a buffer.
fn count_unit(frame: &Frame<'_>, index: usize) -> Option<(u64, bool)> {
    for field in frame.fields {
        let Type::Pointer(pointee) = field.ty else { continue };
        let ty = crate::shape::element(pointee.ty);
        match pointee.len {
            Len::Field(i) if usize::from(i) == index => return Some((1, matches!(ty, Type::U8))),
            Len::Bytes(i) if usize::from(i) == index => {
                return Some((u64::from(ty.size(frame.structs)), matches!(ty, Type::U8)));
            }
            _ => {}
        }
    }
    let field = &frame.fields[index];
    let named = field.name.starts_with("Num") || field.name.starts_with("num");
    (named && matches!(field.ty, Type::U32)).then_some((1, false))
}

/// If a field points to a count, the size of what it counts.
fn counted_through(frame: &Frame<'_>, index: usize) -> Option<u64> {
    frame.fields.iter().find_map(|field| {
        let Type::Pointer(pointee) = field.ty else { return None };
        match pointee.len {
            Len::Through(i) if usize::from(i) == index => Some(1),
            Len::BytesThrough(i) if usize::from(i) == index => {
                Some(u64::from(crate::shape::element(pointee.ty).size(frame.structs)))
            }
            Len::Rule(Rule::CastableFormats) if frame.fields.get(index)?.name == "pNumCastableFormats" => Some(1),
            Len::Rule(Rule::Named(_)) if frame.fields.get(index)?.name == "pConfigurationStructSizes" => Some(1),
            // A buffer with room for one structure, or for none.
            Len::Rule(Rule::Named("OneInBuffer")) if std::ptr::eq(frame.fields.get(index.checked_sub(1)?)?, field) => {
                Some(u64::from(pointee.ty.size(frame.structs)))
            }
            _ => None,
        }
    })
}

/// # Safety
/// `base` is writable for `size` bytes at `offset`.
unsafe fn write(base: *mut u8, offset: usize, size: usize, value: u64) {
    // SAFETY: the caller has `size` writable bytes at `offset`; at most 8 are copied from `value`.
    unsafe { base.add(offset).copy_from_nonoverlapping((&raw const value).cast(), size.min(8)) };
}
