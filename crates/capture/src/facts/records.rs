//! How large records of work graphs are: the arguments of `DispatchGraph` alone do not say it.
//!
//! A program that uses a graph has asked for its identifier, and its list has been told that identifier. So the sizes are asked of the
//! runtime when the program asks for the identifier. Invariant: nothing is guessed; what is not known has no size here.

use crate::call::Call;
use crate::model::special::Special;
use crate::real;
use core::ffi::c_void;
use reprise_d3d12::interface;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{D3D12_PROGRAM_IDENTIFIER, D3D12_PROGRAM_TYPE, D3D12_SET_PROGRAM_DESC};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Bytes of a record of each entry point.
type Sizes = Arc<[u32]>;

#[derive(Default)]
struct Known {
    /// By a program's identifier.
    programs: HashMap<[u64; 4], Sizes>,
    /// By the id of a list: those of the graph that it dispatches.
    lists: HashMap<u32, Sizes>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

fn known<T>(look: impl FnOnce(&mut Known) -> T) -> T {
    look(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A list is told which graph it dispatches.
///
/// # Safety
/// The words are the program's arguments of the call.
pub(crate) unsafe fn before(call: &Call<'_>, special: Special) {
    if special != Special::SetProgram {
        return;
    }
    let desc = call.words.first().map_or(0, |word| *word as usize) as *const D3D12_SET_PROGRAM_DESC;
    // SAFETY: null or the program's description.
    let Some(desc) = (unsafe { desc.as_ref() }) else { return };
    let graph = match desc.Type {
        // SAFETY: programs of this type have this arm.
        D3D12_PROGRAM_TYPE::WORK_GRAPH => Some(unsafe { desc.Anonymous.WorkGraph }),
        _ => None,
    };
    known(|known| {
        let sizes = graph.and_then(|graph| known.programs.get(&graph.ProgramIdentifier.OpaqueData).cloned());
        match sizes {
            Some(sizes) => known.lists.insert(call.object(), sizes),
            None => known.lists.remove(&call.object()),
        };
    });
}

/// The program was told an identifier.
///
/// # Safety
/// The words are the program's arguments of the call, which has returned.
pub(crate) unsafe fn after(call: &Call<'_>, special: Special) {
    const INDEX: MethodId = reprise_d3d12::method("ID3D12WorkGraphProperties", "GetWorkGraphIndex");
    const ENTRIES: MethodId = reprise_d3d12::method("ID3D12WorkGraphProperties", "GetNumEntrypoints");
    const SIZE: MethodId = reprise_d3d12::method("ID3D12WorkGraphProperties", "GetEntrypointRecordSizeInBytes");
    /// More than any graph has.
    const MOST: u32 = 1 << 20;
    if special != Special::ProgramIdentifier {
        return;
    }
    let (Some(chain), [told, name, ..]) = (call.chain, call.words) else { return };
    let told = *told as usize as *const D3D12_PROGRAM_IDENTIFIER;
    // SAFETY: null, or where the call has written the identifier.
    let Some(told) = (unsafe { told.as_ref() }) else { return };
    if told.OpaqueData == [0; 4] {
        return;
    }
    let ask = |object: *mut c_void, method: MethodId, words: &[u64]| {
        // SAFETY: the object is asked below for the interface that has these methods; they take numbers and the program's name.
        unsafe { real::ask(call.convention, object, method, words) as u32 }
    };
    // SAFETY: the object that is called lives; the reference that the answer brings is given back.
    unsafe {
        let graphs = real::query(call.convention, chain.real(), &interface("ID3D12WorkGraphProperties").get().iid);
        if graphs.is_null() {
            return;
        }
        let index = u64::from(ask(graphs, INDEX, &[*name]));
        if index != u64::from(u32::MAX) {
            let entries = 0..u64::from(ask(graphs, ENTRIES, &[index]).min(MOST));
            let sizes: Sizes = entries.map(|entry| ask(graphs, SIZE, &[index, entry])).collect();
            known(|known| known.programs.insert(told.OpaqueData, sizes));
        }
        real::release(call.convention, graphs);
    }
}

/// Bytes of a record of an entry point, for the list that is called.
pub(crate) fn of(call: &Call<'_>, entry: u32) -> Option<u64> {
    known(|known| known.lists.get(&call.object())?.get(entry as usize).copied()).map(u64::from)
}
