//! Program-visible objects to the runtime's own, in argument words and in copies of what they point to.

use crate::{Arena, Codec, Objects};
use reprise_d3d12::model::MethodId;

impl Codec {
    /// Replaces program-visible objects in `words` by the runtime's. Structures and arrays that hold objects are copied
    /// into `arena`; everything else is passed on untouched. Needed only where [`Traits`](crate::Traits) say so.
    ///
    /// # Safety
    /// `words` are the arguments of a call of `method` as the program made it. The result is valid until the arena is
    /// rewound.
    pub unsafe fn unwrap_words(
        &self,
        _method: MethodId,
        _words: &mut [u64],
        _objects: &impl Objects,
        _arena: &mut Arena,
    ) {
        unimplemented!()
    }
}
