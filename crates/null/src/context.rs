//! One call under way, and what it takes to make objects in it.

use crate::lock::lock;
use crate::object::Object;
use crate::read::{Reader, Scope};
use crate::state::State;
use core::ffi::c_void;
use reprise_d3d12::abi::Convention;
use reprise_d3d12::model::{Direction, Field, Guid, InterfaceId, Len, Method, MethodId, Rule, Type};
use std::collections::BTreeMap;

pub(crate) const S_OK: u32 = 0;
pub(crate) const S_FALSE: u32 = 1;
pub(crate) const E_NOINTERFACE: u32 = 0x8000_4002;
pub(crate) const E_POINTER: u32 = 0x8000_4003;
pub(crate) const NOT_FOUND: u32 = 0x887a_0002;
pub(crate) const MORE_DATA: u32 = 0x887a_0003;

/// One call under way.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) convention: Convention,
    pub(crate) id: MethodId,
    pub(crate) method: &'static Method,
    /// `None` for functions.
    pub(crate) object: Option<&'a Object>,
    pub(crate) words: &'a [u64],
    /// From 1, over all calls.
    pub(crate) number: u64,
}

impl Context<'_> {
    /// The bits of parameter `index`.
    pub(crate) fn bits(&self, index: usize) -> u64 {
        Scope::Call(self.method, self.words).bits(crate::model(), index)
    }

    /// The bits of the parameter with this name.
    pub(crate) fn named(&self, name: &str) -> Option<u64> {
        Scope::Call(self.method, self.words).named(crate::model(), name)
    }

    /// Makes an object in one reference; children of devices hold the device.
    pub(crate) fn create(&self, class: InterfaceId) -> u64 {
        let parent = self.object.map_or(core::ptr::null(), |object| {
            if object.parent.is_null() { core::ptr::from_ref(object) } else { object.parent }
        });
        let mut state = State { bytes: 16 + (self.number % 5) as usize * 8, ..State::default() };
        state.descriptions = self.descriptions();
        state.heap_flags = self.named("HeapFlags").unwrap_or(0) as u32;
        if let Some(initial) = self.named("InitialValue") {
            lock(&state.fence).value = initial;
        }
        Object::create(self.convention, class, parent, state) as u64
    }

    /// The structures that describe what is being made, by name, as bytes.
    fn descriptions(&self) -> BTreeMap<&'static str, Vec<u8>> {
        let model = crate::model();
        let mut found = BTreeMap::new();
        for (index, field) in self.method.params.iter().enumerate() {
            let Type::Pointer(pointee) = field.ty else { continue };
            let (Type::Struct(id), Len::One, Direction::In) = (pointee.ty, pointee.len, field.direction) else {
                continue;
            };
            let structure = &model.structs[id.0 as usize];
            let at = self.words[index] as *const u8;
            if at.is_null() || !structure.flat {
                continue;
            }
            // SAFETY: the parameter points to one such structure, by the model.
            let bytes = unsafe { core::slice::from_raw_parts(at, structure.size as usize) };
            found.insert(structure.name, bytes.to_vec());
        }
        found
    }

    /// How many elements of `size` bytes the caller has room for.
    ///
    /// # Safety
    /// The words are valid arguments of the method.
    pub(crate) unsafe fn room(&self, len: Len, size: u64) -> Option<u64> {
        let reader = Reader { model: crate::model() };
        let scope = Scope::Call(self.method, self.words);
        let ty = if size == 8 { Type::U64 } else { Type::U8 };
        // SAFETY: the words are valid arguments of the method, as the caller says.
        let count = unsafe { reader.count(len, ty, &scope)? };
        Some(match len {
            Len::Bytes(_) | Len::BytesThrough(_) if size != 8 => count / size,
            _ => count,
        })
    }

    /// Whether parameter `index` points to the count of another parameter.
    pub(crate) fn counts_something(&self, index: usize) -> bool {
        self.method.params.iter().any(|p| match p.ty {
            Type::Pointer(pointee) => match pointee.len {
                Len::Through(i) | Len::BytesThrough(i) => usize::from(i) == index,
                Len::Rule(Rule::Named("OneInBuffer")) => index > 0 && core::ptr::eq(p, &self.method.params[index - 1]),
                _ => false,
            },
            _ => false,
        })
    }

    /// The object for an output slot, and the result that goes with it.
    ///
    /// # Safety
    /// The words are valid arguments of the method.
    pub(crate) unsafe fn output_object(&self, field: &Field, interface: InterfaceId) -> (u64, u32) {
        let iid = field.iid.map(usize::from).or_else(|| self.guid_before(field)).and_then(|i| {
            // SAFETY: an interface id that is not null is readable.
            unsafe { (self.bits(i) as *const Guid).as_ref() }
        });
        let asked = iid.and_then(crate::chains::interface);
        let class = match (field.class, iid) {
            // A class that others derive from: the one asked for is made.
            (Some(class), _) => asked.filter(|asked| asked.derives_from(class)).unwrap_or(class),
            (None, Some(iid)) => match crate::chains::interface(iid) {
                Some(wanted) => wanted,
                None => return (0, E_NOINTERFACE),
            },
            (None, None) => interface,
        };
        let made = self.create(class);
        let Some(iid) = iid else { return (made, S_OK) };
        // SAFETY: just made; the reference is given up when the interface asked for is not there.
        unsafe {
            let object = Object::from_facet(made as *mut c_void);
            match object.facet_for(iid) {
                Some(facet) => (facet as u64, S_OK),
                None => {
                    Object::release(object);
                    (0, E_NOINTERFACE)
                }
            }
        }
    }

    /// The API's habit: an interface id right before the output that it is for.
    fn guid_before(&self, field: &Field) -> Option<usize> {
        let at = self.method.params.iter().position(|p| core::ptr::eq(p, field))?.checked_sub(1)?;
        let Type::Pointer(pointee) = self.method.params[at].ty else { return None };
        matches!(pointee.ty, Type::Guid).then_some(at)
    }

    /// Sets output objects to null, as failing calls do.
    ///
    /// # Safety
    /// The words are valid arguments of the method.
    pub(crate) unsafe fn objects_null(&self) {
        for (index, field) in self.method.params.iter().enumerate() {
            let Type::Pointer(pointee) = field.ty else { continue };
            if field.direction == Direction::In || self.words[index] == 0 || !matches!(pointee.ty, Type::Object(_)) {
                continue;
            }
            // SAFETY: the words are valid arguments of the method, whose output slots are writable.
            unsafe {
                let count = self.room(pointee.len, 8).unwrap_or(0);
                core::ptr::write_bytes(self.words[index] as *mut u64, 0, count as usize);
            }
        }
    }
}
