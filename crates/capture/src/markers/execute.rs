//! A submission of the program's: what the lists in it have recorded, whose words are cleared.

use super::list;
use super::submissions::{Run, add};
use crate::call::Call;
use crate::wrapper::object;
use core::ffi::c_void;
use std::sync::atomic::Ordering;

/// Lists are given to a queue next, by a call that was recorded.
///
/// # Safety
/// The call is an `ExecuteCommandLists` of the program's.
pub(crate) unsafe fn submitted(call: &Call<'_>) {
    let [count, lists, ..] = *call.words else { return };
    let lists = lists as *const *mut c_void;
    let count = if lists.is_null() { 0 } else { count as u32 };
    let run = |index: u32| {
        // SAFETY: the program passes so many pointers to lists.
        let chain = unsafe { object::from_pointer(*lists.add(index as usize)) }?;
        let recording = list::recording(chain.identity())?;
        recording.pair.clear();
        let operations = recording.operations.load(Ordering::Relaxed);
        Some(Run { list: chain.id, index, operations, recording })
    };
    let lists: Vec<Run> = (0..count).filter_map(run).collect();
    #[cfg(unix)]
    super::still::watch();
    add(call.object(), lists);
}
