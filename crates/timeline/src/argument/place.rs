//! Where a parameter is in a payload: in the argument block, or behind which children.

use super::element::ElementShape;
use super::want::Want;
use crate::call::{Call, Payload};
use crate::damaged::Damaged;
use reprise_codec::wire::{self, Kind};
use reprise_d3d12::generated::{METHODS, STRUCTS};
use reprise_d3d12::model::{Direction, Field, Len, MethodId, Rule, Type};
use reprise_d3d12::{MODEL, Shape};

/// A parameter of a method.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub(super) method: MethodId,
    parameter: u8,
    /// In the argument block.
    pub(super) offset: u32,
    /// No child before the parameter's own has children itself, so that headers alone tell where it is.
    direct: bool,
}

/// What lies behind a pointer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child<'a> {
    pub(super) kind: Kind,
    /// Elements; bytes of blobs.
    pub(super) count: u64,
    /// The elements of an inline child, the number of a blob.
    pub(super) bytes: &'a [u8],
}

impl Place {
    /// # Panics
    /// When the method has no such parameter of this type. In a constant this is a compile error.
    pub(super) const fn new(method: MethodId, parameter: &str, want: Want) -> Place {
        let params = METHODS[method.0 as usize].params;
        let leave = want.is_out();
        let (mut at, mut direct) = (0, true);
        while at < params.len() {
            let field = &params[at];
            if same(field.name, parameter) {
                assert!(want.fits(field), "the parameter has another type in the model");
                return Place { method, parameter: at as u8, offset: field.offset, direct };
            }
            direct &= !has_child(field, leave) || is_direct(field);
            at += 1;
        }
        panic!("the method has no parameter of this name in the model")
    }

    /// The parameter at this place, if what it points to is an interface id that is passed in.
    pub(super) fn at(method: MethodId, parameter: u8) -> Option<Place> {
        let params = METHODS.get(usize::from(method.0))?.params;
        let field = params.get(usize::from(parameter))?;
        let direct = params[..usize::from(parameter)].iter().all(|field| !has_child(field, false) || is_direct(field));
        let is_guid = Want::In(ElementShape::Plain(Shape::Guid)).fits(field);
        is_guid.then_some(Place { method, parameter, offset: field.offset, direct })
    }

    pub(super) fn damaged(&self, what: &'static str) -> Damaged {
        Damaged::parameter(self.method, self.parameter, what)
    }

    /// The parameter's bytes in the argument block, and all behind them.
    #[inline]
    pub(super) fn block<'a>(&self, call: &Call<'a>) -> Result<&'a [u8], Damaged> {
        let bytes = call.enter.bytes.get(self.offset as usize..);
        bytes.ok_or_else(|| self.damaged("the argument block is too short"))
    }

    /// What the pointer leads to at the enter; `None` for null.
    #[inline]
    pub(super) fn entered<'a>(&self, call: &Call<'a>) -> Result<Option<Child<'a>>, Damaged> {
        let row = &METHODS[usize::from(self.method.0)];
        self.child(call, call.enter, usize::from(row.args_size), |_| true, false)
    }

    /// What came back through the pointer; `None` for null, and where nothing came back.
    pub(super) fn left<'a>(&self, call: &Call<'a>) -> Result<Option<Child<'a>>, Damaged> {
        let Some(leave) = call.leave() else { return Ok(None) };
        let succeeded = call.succeeded();
        self.child(call, leave, 8, |field| succeeded || is_slot(field), true)
    }

    fn child<'a>(
        &self,
        call: &Call<'a>,
        payload: Payload<'a>,
        first: usize,
        is_there: impl Fn(&Field) -> bool,
        leave: bool,
    ) -> Result<Option<Child<'a>>, Damaged> {
        let short = || self.damaged("the payload is too short");
        if !self.direct {
            return Err(self.damaged("it lies behind nested arguments"));
        }
        let params = METHODS[usize::from(self.method.0)].params;
        let mut at = first;
        for (index, field) in params.iter().enumerate().take(usize::from(self.parameter) + 1) {
            let Type::Pointer(to) = field.ty else { continue };
            if !has_child(field, leave) || !is_there(field) {
                continue;
            }
            let pointer = call.enter.bytes.get(field.offset as usize..).and_then(|b| b.first_chunk::<8>());
            if u64::from_le_bytes(*pointer.ok_or_else(short)?) == 0 {
                continue;
            }
            let rest = payload.bytes.get(at..).ok_or_else(short)?;
            let header = rest.first_chunk().map(|word| u64::from_le_bytes(*word)).ok_or_else(short)?;
            let (kind, count) = wire::parse(header).ok_or_else(|| self.damaged("there is no child header"))?;
            let size = match kind {
                Kind::Absent => 0,
                Kind::Blob => 8,
                Kind::Opaque => count,
                Kind::Inline => {
                    let size = to.ty.size(MODEL.structs).max(1);
                    count.checked_mul(size.into()).ok_or_else(short)?
                }
            };
            let size = usize::try_from(size).map_err(|_| short())?;
            let bytes = rest.get(8..).and_then(|rest| rest.get(..size)).ok_or_else(short)?;
            if index == usize::from(self.parameter) {
                return Ok(Some(Child { kind, count, bytes }));
            }
            at += 8 + size.next_multiple_of(8);
        }
        Ok(None)
    }
}

/// Whether a payload has a child for a parameter that is not null.
const fn has_child(field: &Field, leave: bool) -> bool {
    let Type::Pointer(to) = field.ty else { return false };
    if matches!((to.ty, to.len), (Type::Void, Len::One)) {
        return false;
    }
    match field.direction {
        Direction::In => !leave,
        Direction::Out => leave,
        Direction::InOut => true,
    }
}

/// Whether a header alone tells how long the child is: elements without children.
const fn is_direct(field: &Field) -> bool {
    let Type::Pointer(to) = field.ty else { return true };
    let elements = match to.len {
        Len::Rule(Rule::RenderTargets | Rule::SubresourceData | Rule::CalleeOwned | Rule::Mapping) => true,
        Len::Rule(_) => false,
        _ => true,
    };
    elements && !leads_on(to.ty)
}

/// Whether values of this type hold pointers.
const fn leads_on(ty: Type) -> bool {
    match ty {
        Type::Pointer(_) => true,
        Type::Struct(id) => {
            let row = &STRUCTS[id.0 as usize];
            let mut at = 0;
            while at < row.fields.len() && !row.flat {
                if leads_on(row.fields[at].ty) {
                    return true;
                }
                at += 1;
            }
            false
        }
        _ => false,
    }
}

/// A pointer to one object that is given out: there also after a failure.
fn is_slot(field: &Field) -> bool {
    matches!(field.ty, Type::Pointer(to) if matches!((to.ty, to.len), (Type::Object(_), Len::One)))
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    a.len() == b.len()
}
