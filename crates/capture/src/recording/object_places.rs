//! The places of objects within the elements of an array, worked out at compile time, for light calls that pass barriers, heaps
//! or copy locations.
//!
//! Invariant: these are the objects that `codec`'s walk finds (a test compares the bytes of every light method).

use reprise_d3d12::generated::STRUCTS;
use reprise_d3d12::model::{StructId, Type};

/// Most places in one structure.
const MOST: usize = 8;

/// When an object's member of a union is the one in use.
#[derive(Clone, Copy)]
struct Selected {
    offset: u32,
    size: u32,
    values: &'static [i64],
    inverted: bool,
}

/// An object in a structure, nested ones included.
#[derive(Clone, Copy)]
struct Site {
    offset: u32,
    selected: Option<Selected>,
}

/// All objects of an element.
#[derive(Clone, Copy)]
pub(crate) struct ObjectPlaces {
    all: [Site; MOST],
    count: usize,
    /// There is nothing else in it that is more than its bytes.
    complete: bool,
}

impl ObjectPlaces {
    /// Of elements of this type; `None` where objects are not all there is to say about them.
    pub(crate) const fn of(ty: Type) -> Option<ObjectPlaces> {
        let none = ObjectPlaces { all: [Site { offset: 0, selected: None }; MOST], count: 0, complete: true };
        let found = match ty {
            Type::Object(_) => none.with(0, None),
            Type::Struct(id) => none.with_fields(id, 0, None),
            _ => return None,
        };
        if found.complete && found.count > 0 { Some(found) } else { None }
    }

    const fn with(mut self, offset: u32, selected: Option<Selected>) -> ObjectPlaces {
        if self.count == MOST {
            self.complete = false;
            return self;
        }
        self.all[self.count] = Site { offset, selected };
        self.count += 1;
        self
    }

    /// With those of a structure at `base`, which is in use when `outer` says so.
    const fn with_fields(mut self, id: StructId, base: u32, outer: Option<Selected>) -> ObjectPlaces {
        let fields = STRUCTS[id.0 as usize].fields;
        let mut at = 0;
        while at < fields.len() {
            let field = &fields[at];
            at += 1;
            let plain = match field.ty {
                Type::Struct(inner) => STRUCTS[inner.0 as usize].flat,
                Type::Object(_) | Type::Pointer(_) => false,
                _ => true,
            };
            if plain {
                continue;
            }
            let selected = match (&field.arm, outer) {
                (None, outer) => outer,
                (Some(arm), None) => {
                    let selector = &fields[arm.selector as usize];
                    let (offset, size) = (base + selector.offset, selector.ty.size(STRUCTS));
                    Some(Selected { offset, size, values: arm.values, inverted: arm.inverted })
                }
                (Some(_), Some(_)) => {
                    self.complete = false;
                    None
                }
            };
            match field.ty {
                Type::Object(_) => {
                    let mut index = 0;
                    while index < field.count as u32 {
                        self = self.with(base + field.offset + index * 8, selected);
                        index += 1;
                    }
                }
                Type::Struct(inner) if field.count == 1 => {
                    self = self.with_fields(inner, base + field.offset, selected);
                }
                _ => self.complete = false,
            }
        }
        self
    }

    /// Visits the offset of each object that is in use in an element.
    ///
    /// # Safety
    /// `element` is a readable element of the type.
    #[inline(always)]
    pub(crate) unsafe fn each(&self, element: *const u8, mut visit: impl FnMut(usize)) {
        let mut at = 0;
        while at < self.count {
            let site = &self.all[at];
            let used = match &site.selected {
                None => true,
                // SAFETY: selectors lie inside the element.
                Some(selected) => unsafe { selected.holds(element) },
            };
            if used {
                visit(site.offset as usize);
            }
            at += 1;
        }
    }
}

impl Selected {
    /// # Safety
    /// As [`ObjectPlaces::each`].
    #[inline(always)]
    unsafe fn holds(&self, element: *const u8) -> bool {
        let mut value = 0u64;
        // SAFETY: the caller passes a readable element of the type, and the model places the selector inside it.
        unsafe {
            let selector = element.add(self.offset as usize);
            match self.size {
                4 => value = selector.cast::<u32>().read_unaligned().into(),
                size => selector.copy_to_nonoverlapping((&raw mut value).cast(), size as usize),
            }
        }
        let mask = if self.size >= 8 { u64::MAX } else { (1 << (self.size * 8)) - 1 };
        self.values.iter().any(|one| *one as u64 & mask == value) != self.inverted
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sites(name: &str) -> Option<ObjectPlaces> {
        let id = STRUCTS.iter().position(|layout| layout.name == name).unwrap();
        ObjectPlaces::of(Type::Struct(StructId(id as u16)))
    }

    #[test]
    fn the_objects_of_a_barrier_are_those_of_its_type() {
        let sites = sites("D3D12_RESOURCE_BARRIER").unwrap();
        for (kind, expected) in [(0u8, &[8][..]), (1, &[8, 16]), (2, &[8]), (3, &[])] {
            let barrier = [[kind, 0, 0, 0, 0, 0, 0, 0], [0; 8], [0; 8], [0; 8]];
            let mut found = Vec::new();
            // SAFETY: the bytes of a barrier.
            unsafe { sites.each(barrier.as_ptr().cast(), |offset| found.push(offset)) };
            assert_eq!(found, expected, "type {kind}");
        }
    }

    #[test]
    fn structures_with_more_than_objects_are_not_for_this() {
        assert!(sites("D3D12_TEXTURE_COPY_LOCATION").is_some());
        assert!(sites("D3D12_VIEWPORT").is_none(), "there is none in it");
        assert!(sites("D3D12_GRAPHICS_PIPELINE_STATE_DESC").is_none(), "pointers");
    }
}
