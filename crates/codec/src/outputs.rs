//! Objects that a call gives out: where they lie, before the call and after it.

use crate::{Arena, Codec};
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};

/// The values that output-object slots held before a call: a failing call that leaves a slot as it was has given
/// nothing, whatever the slot holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Before(pub(crate) [u64; 4]);

/// One object that a call gave out.
pub struct OutputObject {
    /// The interface asked for, where the call has an interface id.
    pub iid: Option<Guid>,
    /// The class or interface that the model states; `None` where any object may come out.
    pub class: Option<InterfaceId>,
    /// Holds the object's pointer, never null; may be overwritten with a wrapper.
    pub slot: *mut u64,
}

impl Codec {
    /// Notes, before the call, what output-object slots hold. Cheap for methods without any.
    ///
    /// # Safety
    /// `words` are valid arguments of a call of `method`.
    pub unsafe fn outputs_before(&self, _method: MethodId, _words: &[u64]) -> Before {
        unimplemented!()
    }

    /// Visits every object that the call gave out, after it returned `result`: by pointer, in arrays, in structures, or as
    /// the result itself, in the order of the leave payload.
    ///
    /// # Safety
    /// `words` are the arguments of the call of `method` that returned `result`.
    pub unsafe fn for_each_output_object(
        &self,
        _method: MethodId,
        _words: &[u64],
        _result: &mut u64,
        _before: &Before,
        _visit: impl FnMut(OutputObject),
    ) {
        unimplemented!()
    }

    /// For [`Traits::owned_objects`](crate::Traits): replaces the callee's structures that were given out by copies in
    /// `arena` in which `wrap` has replaced each object. The arena must live as long as the program may look.
    ///
    /// # Safety
    /// As for [`Codec::for_each_output_object`].
    pub unsafe fn shadow_owned(
        &self,
        _method: MethodId,
        _words: &[u64],
        _result: &mut u64,
        _arena: &mut Arena,
        _wrap: impl FnMut(u64, InterfaceId) -> u64,
    ) {
        unimplemented!()
    }
}
