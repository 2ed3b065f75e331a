//! A call of the API on its way from the program to the runtime.

use crate::session::words;
use crate::wrapper::object::Chain;
use crate::{Convention, model, real};
use core::ffi::c_void;
use reprise_d3d12::model::{MethodId, Type};

/// Most parameters that any method has.
pub(crate) const MAX_WORDS: usize = 32;

/// A call on its way through: what the program passed, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) convention: Convention,
    pub(crate) method: MethodId,
    /// `None` for exported functions.
    pub(crate) chain: Option<&'a Chain>,
    /// The real function.
    pub(crate) function: *const c_void,
    /// As the program passed them.
    pub(crate) words: &'a [u64],
}

impl Call<'_> {
    /// Id of the object called; 0 for functions.
    pub(crate) fn object(&self) -> u32 {
        self.chain.map_or(0, |chain| chain.id)
    }

    /// Forwards with `words`; the thread is inside the runtime meanwhile.
    ///
    /// # Safety
    /// `words` are valid arguments for the runtime.
    pub(crate) unsafe fn forward(&self, words: &[u64]) -> u64 {
        let here = words::words();
        let depth = here.depth.get();
        here.depth.set(depth + 1);
        let this = self.chain.map(Chain::real);
        // SAFETY: whoever makes a `Call` states a function of this method, object and convention; the caller passes valid words.
        let result = unsafe { real::invoke(self.convention, self.function, this, words, self.method) };
        here.depth.set(depth);
        result
    }
}

/// Whether a result says that the call failed.
pub(crate) fn failed(method: MethodId, result: u64) -> bool {
    matches!(model::method(method).result, Type::Hresult) && (result as i32) < 0
}
