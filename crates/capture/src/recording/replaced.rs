//! Arguments and results that capture exchanges for its own.

use crate::call::{Call, MAX_WORDS};
use crate::model::special::Special;
use crate::real;
use crate::recording::callback::{self, Callback, Signature};
use crate::wrapper::notice::NOTICE_GUID;
use reprise_d3d12::model::Guid;

/// Replaces arguments of the runtime's call by ours.
pub(crate) fn arguments(call: &Call<'_>, special: Special, words: &mut [u64; MAX_WORDS]) -> Option<Callback> {
    match special {
        Special::SetPrivateDataInterface => {
            // The object stored must come back as the program knows it, so the wrapper itself is stored.
            words[1] = *call.words.get(1)?;
            None
        }
        Special::MessageCallback => callback::replace(call.convention, words, 0, 2, Signature::Message),
        Special::DestructionCallback => callback::replace(call.convention, words, 0, 1, Signature::Destruction),
        _ => None,
    }
}

/// Keeps or forgets a callback of ours after the call that registered it.
pub(crate) fn settle(callback: Option<Callback>, result: u64) {
    if let Some(callback) = callback {
        callback.settle(result as i32 >= 0);
    }
}

/// The result of a call that must not reach the runtime.
pub(crate) fn answer(call: &Call<'_>, special: Special) -> Option<u64> {
    if special != Special::GetPrivateData {
        return None;
    }
    let guid = *call.words.first()? as *const Guid;
    // SAFETY: the program passes null or a readable GUID; argument 1 is null or leads to the 32 bits of a size.
    unsafe {
        if guid.is_null() || *guid != NOTICE_GUID {
            return None;
        }
        let size = *call.words.get(1)? as *mut u32;
        if !size.is_null() {
            *size = 0;
        }
    }
    Some(u64::from(real::NOT_FOUND as u32))
}
