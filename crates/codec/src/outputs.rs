//! Objects that a call gives out: where they lie, before the call and after it.

use crate::codec::{Step, What};
use crate::encode::{Block, RESULT, failed, is_slot};
use crate::frame::{Frame, Owner, read_word};
use crate::shape::{Kind, Link};
use crate::unwrap::Copier;
use crate::wire::DEPTH;
use crate::{Arena, Codec, Objects};
use reprise_d3d12::model::{Field, Guid, InterfaceId, MethodId, StructId, Type};

/// What a call may write over, as it was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Before {
    /// The values that output-object slots held: a failing call that leaves a slot as it was has given nothing, whatever the slot
    /// holds.
    pub(crate) slots: [u64; 4],
    /// Elements for which the program's array has room, where the call writes another number there
    /// ([`Traits::rooms`](crate::Traits::rooms)). No method has two such arrays.
    pub(crate) room: u64,
}

impl Default for Before {
    fn default() -> Self {
        Before { slots: [0; 4], room: u64::MAX }
    }
}

/// One object that a call gave out.
#[derive(Debug)]
pub struct OutputObject {
    /// Its place among all output slots of the call, null ones included: the index into
    /// [`Codec::output_ids`](crate::Codec::output_ids).
    pub index: usize,
    /// The interface asked for, where the call has an interface id.
    pub iid: Option<Guid>,
    /// The class that the model states; `None` where any object may come out.
    pub class: Option<InterfaceId>,
    /// The interface of the slot's declared type; `IUnknown` for `void **`.
    pub interface: InterfaceId,
    /// Holds the object's pointer, never null; may be overwritten with a wrapper.
    pub slot: *mut u64,
}

/// For walks that look at outputs only and need nothing from the program's objects.
struct NoObjects;

impl Objects for NoObjects {
    fn id_of(&self, _pointer: u64) -> u64 {
        0
    }
    fn real_of(&self, pointer: u64) -> u64 {
        pointer
    }
}

impl Codec {
    /// Notes, before the call, what output-object slots hold, and the room of an array. Cheap for methods without any.
    ///
    /// # Safety
    /// `words` are valid arguments of a call of `method`.
    pub unsafe fn outputs_before(&self, method: MethodId, words: &[u64]) -> Before {
        let mut before = Before::default();
        let plan = &self.methods[method.0 as usize];
        if plan.traits.output_objects {
            let slots = plan.steps.iter().filter(|s| is_slot(s.field));
            for (note, step) in before.slots.iter_mut().zip(slots) {
                if let Some(pointer) = words.get(step.index).copied().filter(|w| *w != 0) {
                    // SAFETY: the program passes this non-null pointer for the call to write an object to.
                    *note = unsafe { read_word(pointer as *const u8, 8) };
                }
            }
        }
        if plan.traits.rooms
            && let Some(through) = plan.steps.iter().find_map(|step| step.room())
            && let Type::Pointer(pointee) = self.model.methods[method.0 as usize].params[through].ty
            && let Some(pointer) = words.get(through).filter(|word| **word != 0)
        {
            // SAFETY: the program passes this non-null pointer for the call to read the room from.
            before.room = unsafe { read_word(*pointer as *const u8, self.size_of(pointee.ty) as usize) };
        }
        before
    }

    /// Visits every object that the call gave out, after it returned `result`: as the result itself, by pointer, in arrays
    /// or in structures, in the order of the leave payload. Objects in the callee's own memory are for
    /// [`Codec::shadow_owned`].
    ///
    /// # Safety
    /// `words` are the arguments of the call of `method` that returned `result`.
    pub unsafe fn for_each_output_object(
        &self,
        method: MethodId,
        words: &[u64],
        result: &mut u64,
        before: &Before,
        visit: impl FnMut(OutputObject),
    ) {
        let (plan, tables) = (&self.methods[method.0 as usize], &self.model.methods[method.0 as usize]);
        if !plan.traits.output_objects {
            return;
        }
        let mut visitor = Visitor { codec: self, visit, index: 0 };
        let failed = failed(tables.result, *result);
        if let Type::Object(interface) = tables.result {
            // SAFETY: the caller's own word.
            unsafe { visitor.slot(&RESULT, None, interface, result) };
        }
        // SAFETY: the words are the arguments of the call just made, so those of large structures point to them.
        let block = unsafe { Block::pack(plan, tables.args_size as usize, words) };
        let frame = Frame::wire(Owner::Call(method), tables.params, self.model.structs, block.bytes(), None);
        let mut noted = before.slots.iter();
        for step in plan.steps.iter().filter(|s| s.leaves()) {
            let What::Pointer(pointee) = step.what else { continue };
            let before = if is_slot(step.field) { Some(noted.next().copied()) } else { None };
            let pointer = words.get(step.index).copied().unwrap_or(0);
            if !step.objects || pointer == 0 {
                continue;
            }
            if failed {
                let Some(before) = before else { continue };
                // SAFETY: a non-null pointer to an output slot.
                if before.is_none_or(|b| b == unsafe { read_word(pointer as *const u8, 8) }) {
                    visitor.index += 1;
                    continue;
                }
            }
            let link = Link { field: step.field, pointee, frame: &frame, index: 0, inner: false };
            let Kind::Elements(ty) = self.kind(&link) else { continue };
            // SAFETY: the frame holds the arguments of the call just made, which read or wrote the counts.
            let Ok(count) = (unsafe { self.count(Kind::Elements(ty), &link, pointer, &NoObjects) }) else { continue };
            // SAFETY: the interface id, where there is one, is a valid pointer.
            let iid = unsafe { interface_id(step, &frame) };
            let size = self.size_of(ty) as usize;
            for i in 0..count as usize {
                let element = (pointer as *mut u8).wrapping_add(i * size);
                // SAFETY: an element of the output, which the call has written.
                unsafe { visitor.value(step.field, iid, ty, element, &frame) };
            }
        }
    }

    /// For [`Traits::owned_objects`](crate::Traits): replaces the callee's structures that were given out by copies in
    /// `arena` in which `wrap` has replaced each object. The arena must live as long as the program may look.
    ///
    /// # Safety
    /// As for [`Codec::for_each_output_object`].
    pub unsafe fn shadow_owned(
        &self,
        method: MethodId,
        words: &[u64],
        result: &mut u64,
        arena: &mut Arena,
        wrap: impl FnMut(u64, InterfaceId) -> u64,
    ) {
        let (plan, tables) = (&self.methods[method.0 as usize], &self.model.methods[method.0 as usize]);
        if !plan.traits.owned_objects || failed(tables.result, *result) {
            return;
        }
        // SAFETY: the words are the arguments of the call just made, so those of large structures point to them.
        let block = unsafe { Block::pack(plan, tables.args_size as usize, words) };
        let frame = Frame::wire(Owner::Call(method), tables.params, self.model.structs, block.bytes(), None);
        let mut copier = Copier { codec: self, objects: &NoObjects, map: wrap, arena };
        if let Type::Pointer(pointee) = tables.result
            && *result != 0
        {
            let link = Link { field: &RESULT, pointee, frame: &frame, index: 0, inner: false };
            // SAFETY: a pointer that the call returned.
            *result = unsafe { copier.child(&link, *result, DEPTH) };
        }
        for step in plan.steps.iter().filter(|s| s.leaves() && s.objects) {
            let What::Pointer(pointee) = step.what else { continue };
            let pointer = words.get(step.index).copied().unwrap_or(0);
            if pointer == 0 {
                continue;
            }
            let link = Link { field: step.field, pointee, frame: &frame, index: 0, inner: false };
            let Kind::Elements(ty) = self.kind(&link) else { continue };
            // SAFETY: the frame holds the arguments of the call just made, which read or wrote the counts.
            let Ok(count) = (unsafe { self.count(Kind::Elements(ty), &link, pointer, &NoObjects) }) else { continue };
            for i in 0..count as usize {
                let element = (pointer as *mut u8).wrapping_add(i * self.size_of(ty) as usize);
                // SAFETY: an element of the output, which is the program's and which the call has written.
                unsafe { shadow(&mut copier, ty, element, &Link { index: i, ..link }) };
            }
        }
    }
}

/// Replaces the pointers to the callee's memory in an output of the program's.
///
/// # Safety
/// `value` is valid for the type, and its pointers are.
unsafe fn shadow<F: FnMut(u64, InterfaceId) -> u64>(
    copier: &mut Copier<'_, F>,
    ty: Type,
    value: *mut u8,
    link: &Link<'_>,
) {
    match ty {
        Type::Pointer(pointee) => {
            // SAFETY: `value` is a pointer that the callee wrote, null or to memory of its own.
            unsafe {
                let pointer = read_word(value, 8);
                if pointer != 0 {
                    let copy = copier.child(&Link { pointee, inner: true, ..*link }, pointer, DEPTH);
                    value.cast::<u64>().write_unaligned(copy);
                }
            }
        }
        Type::Struct(id) => {
            let structs = copier.codec.model.structs;
            let layout = &structs[id.0 as usize];
            // SAFETY: `value` holds a structure of this type, which the callee wrote.
            let frame = unsafe {
                let size = layout.size as usize;
                Frame::native(Owner::Struct(id), layout.fields, structs, value, size, Some(link.frame))
            };
            let codec = copier.codec;
            for step in codec.struct_plan(id).steps.iter().filter(|s| s.objects && s.active(&frame)) {
                let ty = match step.what {
                    What::Pointer(p) => Type::Pointer(p),
                    What::Struct(s) => Type::Struct(s),
                    What::Object(_) => continue,
                };
                let link =
                    |index| Link { field: step.field, pointee: link.pointee, frame: &frame, index, inner: false };
                for i in 0..step.count {
                    let offset = step.offset + i * codec.size_of(ty) as usize;
                    // SAFETY: the field lies inside the valid structure.
                    unsafe {
                        match ty {
                            Type::Pointer(pointee) => {
                                let pointer = frame.read(offset, 8);
                                if pointer != 0 {
                                    let copy = copier.child(&Link { pointee, ..link(i) }, pointer, DEPTH);
                                    value.add(offset).cast::<u64>().write_unaligned(copy);
                                }
                            }
                            _ => shadow(copier, ty, value.add(offset), &link(i)),
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

struct Visitor<'c, V> {
    codec: &'c Codec,
    visit: V,
    index: usize,
}

impl<V: FnMut(OutputObject)> Visitor<'_, V> {
    /// # Safety
    /// `value` is valid for the type.
    unsafe fn value(&mut self, field: &Field, iid: Option<Guid>, ty: Type, value: *mut u8, parent: &Frame<'_>) {
        match ty {
            // SAFETY: `value` is valid for the type, which is an object pointer of 8 bytes.
            Type::Object(interface) => unsafe { self.slot(field, iid, interface, value.cast()) },
            // SAFETY: `value` is valid for the type, which is this structure.
            Type::Struct(id) => unsafe { self.structure(id, value, parent) },
            _ => {}
        }
    }

    /// # Safety
    /// `value` holds a valid structure.
    unsafe fn structure(&mut self, id: StructId, value: *mut u8, parent: &Frame<'_>) {
        let structs = self.codec.model.structs;
        let layout = &structs[id.0 as usize];
        // SAFETY: `value` holds a structure of this type, `layout.size` bytes long.
        let frame = unsafe {
            Frame::native(Owner::Struct(id), layout.fields, structs, value, layout.size as usize, Some(parent))
        };
        for step in self.codec.struct_plan(id).steps.iter().filter(|s| s.active(&frame)) {
            let ty = match step.what {
                What::Object(i) => Type::Object(i),
                What::Struct(s) => Type::Struct(s),
                What::Pointer(_) => continue,
            };
            for i in 0..step.count {
                let offset = step.offset + i * self.codec.size_of(ty) as usize;
                // SAFETY: the field lies inside the valid structure.
                unsafe { self.value(step.field, None, ty, value.add(offset), &frame) };
            }
        }
    }

    /// # Safety
    /// `slot` is readable.
    unsafe fn slot(&mut self, field: &Field, iid: Option<Guid>, interface: InterfaceId, slot: *mut u64) {
        let index = self.index;
        self.index += 1;
        // SAFETY: the caller has a readable slot of 8 bytes; the load needs no alignment.
        if unsafe { slot.read_unaligned() } != 0 {
            (self.visit)(OutputObject { index, iid, class: field.class, interface, slot });
        }
    }
}

/// # Safety
/// The frame is over valid arguments.
unsafe fn interface_id(step: &Step, frame: &Frame<'_>) -> Option<Guid> {
    let pointer = frame.value(step.field.iid? as usize);
    // SAFETY: an interface id is passed by a valid pointer.
    (pointer != 0).then(|| unsafe { (pointer as *const Guid).read_unaligned() })
}
