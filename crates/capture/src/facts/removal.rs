//! What the runtime says of a device that was removed: a fact in the trace, so that `reprise diagnose` needs no GPU.
//!
//! When a call first tells the program of the removal, we ask the runtime for the reason, DRED's breadcrumbs and the address of a fault.
//! Invariants: a device is asked once, after the program's call has returned; the program gets the runtime's own result.

use crate::call::{Call, failed};
use crate::model::special::Special;
use crate::session::{environment, record};
use crate::wrapper::object::Chain;
use crate::wrapper::table;
use crate::{Convention, markers, real};
use core::ffi::c_void;
use reprise_d3d12::model::{Guid, InterfaceId, MethodId};
use reprise_d3d12::removal::{REASONS, Removal, Unfinished};
use reprise_d3d12::types::{
    D3D12_AUTO_BREADCRUMB_NODE, D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT, D3D12_DRED_PAGE_FAULT_OUTPUT,
};
use reprise_d3d12::{function, interface, method};
use reprise_environment::runtime::BREADCRUMBS;
use reprise_trace::fact;
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

/// `D3D12_DRED_ENABLEMENT_FORCED_ON`.
const ON: u64 = 2;
/// Lists that a fact has at most. Where there are more, a list without an id and operations stands for them.
const MOST_LISTS: usize = 4096;
/// Operations that the lists of a fact have at most, together: 4 MiB. Further lists have none.
const MOST_OPERATIONS: usize = 4 << 20;

/// Devices that were asked, by their real `IUnknown`.
static ASKED: LazyLock<Mutex<HashSet<usize>>> = LazyLock::new(Mutex::default);

/// Whether a call tells that the device is gone: by its result, or as a fence that has every value.
fn tells(call: &Call<'_>, special: Special, result: u64) -> bool {
    match special {
        Special::Fence => result == u64::MAX,
        _ => failed(call.method, result) && REASONS.contains(&(result as u32)),
    }
}

/// A call has returned.
///
/// # Safety
/// The call returned `result` just now, and what it was called on is alive.
pub(crate) unsafe fn after(call: &Call<'_>, special: Special, result: u64) {
    if !tells(call, special, result) {
        return;
    }
    let Some(chain) = call.chain else { return };
    // SAFETY: the object that was called is alive; references that the answers bring are given back.
    unsafe {
        let device = device_of(chain);
        if !device.is_null() {
            ask(call.convention, device);
            real::release(call.convention, device);
        }
    }
}

/// The real device behind an object, with a reference; null where there is none.
///
/// # Safety
/// The chain's object is alive.
unsafe fn device_of(chain: &Chain) -> *mut c_void {
    const GET: MethodId = method("ID3D12DeviceChild", "GetDevice");
    let convention = chain.identity().convention;
    let device: InterfaceId = interface("ID3D12Device");
    // A swap chain is asked by way of its queue, which it holds.
    let queue = chain.identity().queue.load(core::sync::atomic::Ordering::Relaxed);
    // SAFETY: the queue of a swap chain lives as long as the swap chain.
    let object = unsafe { queue.as_ref() }.map_or(chain.real(), |queue| queue.primary.real());
    // SAFETY: the object is alive; each answer's reference is kept or given back.
    unsafe {
        let own = real::query(convention, object, &device.get().iid);
        if !own.is_null() {
            return own;
        }
        let child = real::query(convention, object, &interface("ID3D12DeviceChild").get().iid);
        if child.is_null() {
            return child;
        }
        let mut found: *mut c_void = core::ptr::null_mut();
        let words = [core::ptr::from_ref::<Guid>(&device.get().iid) as u64, (&raw mut found) as u64];
        let result = real::ask(convention, child, GET, &words);
        real::release(convention, child);
        if (result as i32) < 0 { core::ptr::null_mut() } else { found }
    }
}

/// Asks a device, unless it was asked before.
///
/// # Safety
/// The device is alive, and the runtime's own.
unsafe fn ask(convention: Convention, device: *mut c_void) {
    const REASON: MethodId = method("ID3D12Device", "GetDeviceRemovedReason");
    // SAFETY: the device is alive.
    let (key, reason) = unsafe { (real::canonical(convention, device), real::ask(convention, device, REASON, &[])) };
    // A fence may have every value for another reason.
    if (reason as i32) >= 0 || !ASKED.lock().unwrap_or_else(PoisonError::into_inner).insert(key as usize) {
        return;
    }
    let no_interface = real::E_NOINTERFACE as u32;
    let mut removal =
        Removal { reason: reason as u32, breadcrumbs: no_interface, fault: no_interface, ..Removal::default() };
    // SAFETY: the device is alive; the reference that the answer brings is given back.
    unsafe {
        let data = real::query(convention, device, &interface("ID3D12DeviceRemovedExtendedData").get().iid);
        if !data.is_null() {
            breadcrumbs(convention, data, &mut removal);
            page_fault(convention, data, &mut removal);
            real::release(convention, data);
        }
    }
    record::fact(table::id_of(key), fact::REMOVAL, &removal.to_bytes());
    if markers::wanted() {
        markers::removed(key as usize);
    }
}

/// # Safety
/// `data` is a live `ID3D12DeviceRemovedExtendedData`.
unsafe fn page_fault(convention: Convention, data: *mut c_void, removal: &mut Removal) {
    const OUTPUT: MethodId = method("ID3D12DeviceRemovedExtendedData", "GetPageFaultAllocationOutput");
    let mut output = D3D12_DRED_PAGE_FAULT_OUTPUT::default();
    // SAFETY: the interface has the method, which fills the structure.
    removal.fault = unsafe { real::ask(convention, data, OUTPUT, &[(&raw mut output) as u64]) } as u32;
    removal.address = output.PageFaultVA;
}

/// # Safety
/// `data` is a live `ID3D12DeviceRemovedExtendedData`.
unsafe fn breadcrumbs(convention: Convention, data: *mut c_void, removal: &mut Removal) {
    const OUTPUT: MethodId = method("ID3D12DeviceRemovedExtendedData", "GetAutoBreadcrumbsOutput");
    let mut output = D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT::default();
    // SAFETY: the interface has the method, which fills the structure.
    removal.breadcrumbs = unsafe { real::ask(convention, data, OUTPUT, &[(&raw mut output) as u64]) } as u32;
    let mut next = output.pHeadAutoBreadcrumbNode;
    let nodes = core::iter::from_fn(|| {
        // SAFETY: the nodes live as long as the device, and what they point to.
        let node = unsafe { next.as_ref() }?;
        next = node.pNext;
        // SAFETY: likewise.
        Some((unsafe { unfinished(node) }, node.BreadcrumbCount))
    });
    removal.lists = kept(nodes);
}

/// Lists that are not completed, of those that have so many breadcrumbs each. Nothing is left out without a sign: a reader takes lists that
/// are missing for completed.
fn kept(nodes: impl Iterator<Item = (Unfinished, u32)>) -> Vec<Unfinished> {
    let mut lists = Vec::new();
    let mut operations = 0;
    for (mut list, _) in nodes.filter(|(list, count)| list.completed < *count) {
        if lists.len() == MOST_LISTS {
            lists.push(Unfinished::default());
            break;
        }
        operations += list.operations.len();
        if operations > MOST_OPERATIONS {
            operations -= list.operations.len();
            list.operations = Vec::new();
        }
        lists.push(list);
    }
    lists
}

/// # Safety
/// The node is the runtime's: what it points to lives as long as the device.
unsafe fn unfinished(node: &D3D12_AUTO_BREADCRUMB_NODE) -> Unfinished {
    /// Breadcrumbs that the API's history has room for: the newer ones take the places of the first ones.
    const HISTORY: usize = 65_536;
    // SAFETY: null, or the count that the runtime keeps.
    let completed = unsafe { node.pLastBreadcrumbValue.as_ref() }.copied().unwrap_or(0);
    let count = node.BreadcrumbCount as usize;
    let operations = if node.pCommandHistory.is_null() || count > HISTORY {
        Vec::new()
    } else {
        // SAFETY: the history has so many entries.
        let history = unsafe { core::slice::from_raw_parts(node.pCommandHistory, count) };
        history.iter().map(|op| u8::try_from(op.0).unwrap_or(u8::MAX)).collect()
    };
    // The pointers are only compared: an object may be gone.
    let (list, queue) = (table::id_of(node.pCommandList), table::id_of(node.pCommandQueue));
    Unfinished { list, queue, completed, operations }
}

/// A device is to be made by the runtime's function `create`: asks the runtime to keep breadcrumbs and faults, where `REPRISE_BREADCRUMBS` wants them. Runtimes without DRED
/// keep none.
pub(crate) fn ask_for_breadcrumbs(convention: Convention, create: *const c_void) {
    const BREADCRUMB: MethodId = method("ID3D12DeviceRemovedExtendedDataSettings", "SetAutoBreadcrumbsEnablement");
    const FAULT: MethodId = method("ID3D12DeviceRemovedExtendedDataSettings", "SetPageFaultEnablement");
    if environment::get(BREADCRUMBS).is_none_or(|value| value == "0") {
        return;
    }
    let Some(get) = debug_interface(create) else { return };
    let mut settings: *mut c_void = core::ptr::null_mut();
    let iid = &interface("ID3D12DeviceRemovedExtendedDataSettings").get().iid;
    let words = [core::ptr::from_ref::<Guid>(iid) as u64, (&raw mut settings) as u64];
    // SAFETY: the real function of this name; an interface id and an out pointer, both ours; the settings' methods take a number.
    unsafe {
        let result = real::invoke(convention, get, None, &words, function("D3D12GetDebugInterface"));
        if result as i32 >= 0 && !settings.is_null() {
            real::ask(convention, settings, BREADCRUMB, &[ON]);
            real::ask(convention, settings, FAULT, &[ON]);
            real::release(convention, settings);
        }
    }
}

/// The runtime's `D3D12GetDebugInterface`.
#[cfg(unix)]
fn debug_interface(_: *const c_void) -> Option<*const c_void> {
    crate::loader::resolved::real(c"D3D12GetDebugInterface")
}

/// The `D3D12GetDebugInterface` of the library that makes the device.
#[cfg(windows)]
fn debug_interface(create: *const c_void) -> Option<*const c_void> {
    crate::host::module::Module::of(create)?.export(c"D3D12GetDebugInterface")
}

#[cfg(test)]
mod tests {
    use super::{MOST_LISTS, MOST_OPERATIONS, kept};
    use reprise_d3d12::removal::Unfinished;

    fn node(list: u32, completed: u32, history: usize) -> Unfinished {
        Unfinished { list, queue: 1, completed, operations: vec![3; history] }
    }

    #[test]
    fn a_list_that_is_not_completed_is_never_left_out() {
        // The second one is completed; the third one has more breadcrumbs than the history has room for.
        let nodes = [(node(1, 2, 3), 3), (node(2, 3, 3), 3), (node(3, 70_000, 0), 80_000), (node(4, 0, 1), 1)];
        let ids: Vec<_> = kept(nodes.into_iter()).iter().map(|list| (list.list, list.operations.len())).collect();
        assert_eq!(ids, [(1, 3), (3, 0), (4, 1)]);
    }

    #[test]
    fn lists_without_room_are_there_without_operations() {
        let half = MOST_OPERATIONS / 2 + 1;
        let nodes = [(node(1, 0, half), half as u32), (node(2, 5, half), half as u32), (node(3, 0, 7), 7)];
        let ids: Vec<_> = kept(nodes.into_iter()).iter().map(|list| (list.list, list.operations.len())).collect();
        assert_eq!(ids, [(1, half), (2, 0), (3, 7)]);
        let many = (1..).map(|list| (node(list, 0, 1), 1)).take(MOST_LISTS + 7);
        let lists = kept(many);
        assert_eq!((lists.len(), lists.last()), (MOST_LISTS + 1, Some(&Unfinished::default())));
    }
}
