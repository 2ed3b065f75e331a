//! What a pointer points to: the one place that all walks ask.
//!
//! [`Codec::kind`] needs only the bytes around the pointer, so it gives the same answer on the wire as in memory;
//! [`Codec::count`] looks through pointers and is asked on native memory only (the wire states its counts).

use crate::codec::Codec;
use crate::frame::{Frame, Owner, read_word};
use crate::objects::Objects;
use crate::rule;
use crate::wire::{LIST_NODES, Reason};
use reprise_d3d12::model::{Field, Len, Pointee, Rule, StructId, Type};

/// How the data behind a non-null pointer is taken.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// No child on the wire: the value of the pointer is all there is.
    Skip,
    /// Not in use: another member of the union is. No child on the wire, no value.
    Inactive,
    /// An array.
    Elements(Type),
    /// Zero-terminated text; `wide` text is `WCHAR`s natively and UTF-16 on the wire, narrow text bytes.
    Text { wide: bool },
    /// A pipeline state stream, its length in bytes.
    Stream,
    /// A pointer into the array that holds the parent's parent; no child on the wire.
    Reference,
    /// A linked list, stored as an array; the offset of the link.
    List(StructId, u32),
    /// One structure that begins with the number of its type, from the table of choices for Vulkan's chains.
    Tagged,
    /// Of a type that nobody here knows; the number is what the program said it is.
    Opaque(u64),
}

/// A pointer being looked through.
#[derive(Clone, Copy)]
pub(crate) struct Link<'p> {
    pub(crate) field: &'static Field,
    pub(crate) pointee: &'static Pointee,
    /// The structure or call that the field belongs to.
    pub(crate) frame: &'p Frame<'p>,
    /// Which element, for a pointer that is itself an element of an array behind `field`.
    pub(crate) index: usize,
    /// Whether the pointer is such an element.
    pub(crate) inner: bool,
}

impl Codec {
    /// What is behind a pointer.
    pub(crate) fn kind(&self, link: &Link<'_>) -> Kind {
        if let Some(arm) = &link.field.arm {
            for twins in &self.twins {
                // Data that could be one or the other is kept, but not looked through.
                let both = link.frame.active(twins.first) && link.frame.active(twins.second);
                if std::ptr::eq(link.field, twins.first) && both {
                    return Kind::Opaque(link.frame.value(arm.selector as usize));
                }
                if std::ptr::eq(link.field, twins.second) && both {
                    return Kind::Inactive;
                }
            }
        }
        match link.pointee.len {
            Len::Text => Kind::Text { wide: matches!(link.pointee.ty, Type::U16 | Type::I16) },
            Len::Rule(Rule::CalleeOwned) => self.plain(link),
            Len::Rule(rule) => rule::kind(self, rule, link),
            Len::One if matches!(link.pointee.ty, Type::Void) => Kind::Skip,
            Len::One => self.plain(link),
            _ => Kind::Elements(element(link.pointee.ty)),
        }
    }

    /// Bytes from element to element in native memory, for elements of `size` bytes. On the wire they lie side by side.
    pub(crate) fn step(&self, link: &Link<'_>, size: u64) -> u64 {
        match link.pointee.len {
            Len::Rule(Rule::Named(name)) if !link.inner => rule::named::step(name, link).unwrap_or(size),
            _ => size,
        }
    }

    /// Bytes that the storage behind a rebuilt input of `bytes` must have at least.
    ///
    /// # Errors
    /// The callee reads what is not in those bytes.
    pub(crate) fn room(&self, link: &Link<'_>, bytes: u64) -> Result<u64, &'static str> {
        match link.pointee.len {
            Len::Rule(Rule::Named(name)) if !link.inner => rule::named::room(name, link, bytes),
            _ => Ok(0),
        }
    }

    fn plain(&self, link: &Link<'_>) -> Kind {
        if let Type::Struct(id) = link.pointee.ty
            && let Some(next) = self.struct_plan(id).next
        {
            // The list is stored where it begins; links inside it have nothing more to say.
            return if link.frame.owner == Owner::Struct(id) { Kind::Skip } else { Kind::List(id, next) };
        }
        Kind::Elements(element(link.pointee.ty))
    }

    /// How many elements (bytes for streams, nodes for lists) are behind the non-null `pointer` in native memory.
    ///
    /// # Safety
    /// The frame is over native memory. Each pointer in it is null, or readable for as many bytes as the model's length rules give.
    pub(crate) unsafe fn count(
        &self,
        kind: Kind,
        link: &Link<'_>,
        pointer: u64,
        objects: &dyn Objects,
    ) -> Result<u64, Reason> {
        let frame = link.frame;
        let size = match kind {
            Kind::Elements(ty) => self.size_of(ty),
            // SAFETY: the callee's list is made of valid nodes, which hold the link at `next`.
            Kind::List(_, next) => return Ok(unsafe { list_nodes(pointer, next) }),
            _ => 1,
        };
        match link.pointee.len {
            Len::One => Ok(1),
            Len::Const(n) => Ok(u64::from(n)),
            Len::Field(i) => Ok(frame.value(i as usize)),
            // SAFETY: the API reads or writes the count through this sibling.
            Len::Through(i) => unsafe { through(frame, i as usize) },
            Len::Bytes(i) => Ok(frame.value(i as usize) / size),
            // SAFETY: the API reads or writes the count through this sibling.
            Len::BytesThrough(i) => Ok(unsafe { through(frame, i as usize) }? / size),
            Len::Text => Ok(0),
            // SAFETY: the frame is over native memory, as the rules demand.
            Len::Rule(rule) => unsafe { rule::count(self, rule, link, pointer, objects) },
        }
    }
}

/// Bytes where the model says nothing about the type.
pub(crate) fn element(ty: Type) -> Type {
    if matches!(ty, Type::Void) { Type::U8 } else { ty }
}

/// The number that a sibling points to.
///
/// # Safety
/// The sibling is a valid pointer or null.
pub(crate) unsafe fn through(frame: &Frame<'_>, sibling: usize) -> Result<u64, Reason> {
    let pointer = frame.value(sibling);
    let size = match frame.fields.get(sibling).map(|f| f.ty) {
        Some(Type::Pointer(p)) => p.ty.size(frame.structs) as usize,
        _ => return Err(Reason::NoRule),
    };
    if pointer == 0 {
        return Err(Reason::NoCount);
    }
    // SAFETY: the API reads or writes the count through it, and it is not null as just checked.
    Ok(unsafe { read_word(pointer as *const u8, size) })
}

unsafe fn list_nodes(first: u64, next: u32) -> u64 {
    let mut pointer = first;
    let mut nodes = 0;
    while pointer != 0 && nodes < LIST_NODES {
        nodes += 1;
        // SAFETY: each node of the callee's list is valid, and holds the link at `next`.
        pointer = unsafe { read_word((pointer as *const u8).wrapping_add(next as usize), 8) };
    }
    nodes
}

/// Whether a dump shows what the pointer points to as an array, even when it has one element.
pub(crate) fn is_array(link: &Link<'_>, ty: Type) -> bool {
    match link.pointee.len {
        Len::One => false,
        Len::Rule(Rule::StateSubobject | Rule::FeatureData | Rule::CalleeOwned | Rule::Mapping) => {
            matches!(ty, Type::U8 | Type::I8)
        }
        Len::Rule(Rule::ElementsLayout) => !link.inner,
        Len::Rule(Rule::Named("OneInBuffer")) => false,
        _ => true,
    }
}
