//! The interface of command queues.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::Arc;

use reprise_com::result::{DXGI_ERROR_INVALID_CALL, E_FAIL, E_INVALIDARG, S_OK};
use reprise_com::{Class, Object, Slots, Tables, Vtable, guard, vtable_of_lists};
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::D3D12_COMMAND_QUEUE_DESC;
use reprise_d3d12::{interface, method};

use reprise_gpu::queue::Recorded;

use crate::checks;
use crate::device::this as device_this;
use crate::error::{code, code_at};
use crate::fence::Fence;
use crate::list::CommandList;
use crate::own::is_own;
use crate::queue::object::{CommandQueue, Facets};
use crate::queue::swap_chain;
use crate::queue::tile_methods;
use crate::queue::{debug, ext};
use crate::trail::Run;
use crate::{Error, Result};

const NEWEST: InterfaceId = interface("ID3D12CommandQueue1");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> =
    vtable_of_lists(NEWEST, Object::<CommandQueue>::SHARED, &[QUEUE_METHODS, tile_methods::QUEUE_METHODS]);

const QUEUE_METHODS: &Slots = &[
    ("ExecuteCommandLists", execute_command_lists as *const c_void),
    ("SetMarker", set_marker as *const c_void),
    ("BeginEvent", set_marker as *const c_void),
    ("EndEvent", end_event as *const c_void),
    ("Signal", signal as *const c_void),
    ("Wait", wait as *const c_void),
    ("GetTimestampFrequency", get_timestamp_frequency as *const c_void),
    ("GetClockCalibration", get_clock_calibration as *const c_void),
    ("GetDesc", get_desc as *const c_void),
];

impl Class for CommandQueue {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn facet(object: &Object<CommandQueue>, iid: &Guid) -> Option<*mut c_void> {
        let own = is_own(iid).then(|| object.pointer());
        own.or_else(|| swap_chain::answer(object, iid))
            .or_else(|| ext::answer(object, iid))
            .or_else(|| debug::answer(object, iid))
    }

    fn released(object: &Object<CommandQueue>) {
        object.gpu.stop();
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

/// The facets of a new queue.
pub fn facets() -> Facets {
    Facets {
        swap_chains: swap_chain::vulkan::factory::facet(),
        #[cfg(windows)]
        window_swap_chains: swap_chain::dxgi::factory::facet(),
        ext: ext::new_facet(),
        debug: debug::new_facet(),
    }
}

/// Methods of the device that make or ask about these.
pub(crate) const DEVICE_METHODS: &Slots = &[
    ("CreateCommandQueue", create_command_queue as *const c_void),
    ("CreateCommandQueue1", create_command_queue1 as *const c_void),
];

unsafe extern "C" fn create_command_queue(
    device: *mut c_void,
    desc: *const D3D12_COMMAND_QUEUE_DESC,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        if desc.is_null() || iid.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: the slot is of a device's vtable, and the queue holds the device; description and id are not null and readable, `out` is
        // null or room for a pointer.
        unsafe {
            match CommandQueue::new(device_this(device), &*desc, facets()) {
                Ok(queue) => Object::make(queue).give(&*iid, out),
                Err(error) => code_at(Err(error), const { method("ID3D12Device", "CreateCommandQueue") }),
            }
        }
    })
}

unsafe extern "C" fn create_command_queue1(
    device: *mut c_void,
    desc: *const D3D12_COMMAND_QUEUE_DESC,
    _creator: *const Guid,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    // SAFETY: the same arguments.
    unsafe { create_command_queue(device, desc, iid, out) }
}

/// # Safety
/// `queue` is the COM pointer of a living queue of ours.
unsafe fn this<'a>(queue: *mut c_void) -> &'a Object<CommandQueue> {
    // SAFETY: the caller passes the COM pointer of a living queue of ours.
    unsafe { Object::this(queue) }
}

unsafe extern "C" fn execute_command_lists(queue: *mut c_void, count: u32, lists: *const *mut c_void) {
    guard((), || {
        if count == 0 || lists.is_null() {
            return;
        }
        // SAFETY: a queue of ours; the program's array, as long as it says.
        let (queue, lists) = unsafe { (this(queue), core::slice::from_raw_parts(lists, count as usize)) };
        // SAFETY: null or COM pointers of the program.
        let taken: Result<Vec<_>> = lists.iter().map(|&list| unsafe { recorded(queue, list) }).collect();
        match taken {
            Ok(taken) => {
                if queue.device.bindings.checks().is_some() {
                    checks::sweep();
                    // SAFETY: COM pointers of lists of ours, since all of them were taken.
                    let ours = |&list: &*mut c_void| unsafe { Object::<CommandList>::from_pointer(list) };
                    lists.iter().filter_map(ours).for_each(|list| list.check_roots());
                }
                if queue.device.trail.wishes().crumbs {
                    // SAFETY: COM pointers of lists of ours, since all of them were taken.
                    unsafe { note(queue, lists) };
                }
                queue.execute(taken);
            }
            Err(error) => {
                reprise_log::error(format_args!("ExecuteCommandLists: {error}"));
                queue.device.remove(DXGI_ERROR_INVALID_CALL);
            }
        }
    });
}

/// Lists with breadcrumbs are about to run.
///
/// # Safety
/// The lists are COM pointers.
unsafe fn note(queue: &Object<CommandQueue>, lists: &[*mut c_void]) {
    let runs = lists.iter().filter_map(|&list| {
        // SAFETY: as the caller promises.
        let list = unsafe { Object::<CommandList>::from_pointer(list) }?;
        Some(Run::new(list.crumbs()?, list, queue))
    });
    queue.device.trail.submit(runs);
}

/// What a list has recorded, if this queue can run it.
///
/// # Safety
/// `list` is null or a COM pointer.
unsafe fn recorded(queue: &CommandQueue, list: *mut c_void) -> Result<Arc<Recorded>> {
    // SAFETY: the caller passes null or a COM pointer.
    let Some(list) = (unsafe { Object::<CommandList>::from_pointer(list) }) else {
        return Err(Error::Call("a list is null or of another runtime"));
    };
    if list.kind != queue.desc.Type {
        return Err(Error::Call("a list is of another type than the queue, or a bundle"));
    }
    list.recorded().ok_or(Error::Call("a list is not closed, or its allocator was reset since"))
}

/// What markers say is for debuggers; there is nobody to tell.
unsafe extern "C" fn set_marker(_queue: *mut c_void, _metadata: u32, _data: *const c_void, _size: u32) {}

unsafe extern "C" fn end_event(_queue: *mut c_void) {}

/// # Safety
/// `queue` is the COM pointer of a living queue of ours, `fence` null or a COM pointer.
unsafe fn with_fence(queue: *mut c_void, fence: *mut c_void, act: impl FnOnce(&CommandQueue, &Fence)) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: the caller passes a living queue of ours, and a fence that is null or a COM pointer.
        let (queue, fence) = unsafe { (this(queue), Object::<Fence>::from_pointer(fence)) };
        let Some(fence) = fence else {
            let error = Error::Invalid("the fence is null or of another runtime");
            return code_at(Err(error), const { method("ID3D12CommandQueue", "Signal") });
        };
        let reason = queue.device.removed_reason();
        if reason != S_OK {
            return reprise_com::result::DXGI_ERROR_DEVICE_REMOVED;
        }
        act(queue, fence);
        S_OK
    })
}

unsafe extern "C" fn signal(queue: *mut c_void, fence: *mut c_void, value: u64) -> i32 {
    // SAFETY: the slot is of a queue's vtable; the fence is null or a COM pointer that the program holds during the call.
    unsafe { with_fence(queue, fence, |queue, fence| queue.signal(fence, value)) }
}

unsafe extern "C" fn wait(queue: *mut c_void, fence: *mut c_void, value: u64) -> i32 {
    // SAFETY: the slot is of a queue's vtable; the fence is null or a COM pointer that the program holds during the call.
    unsafe { with_fence(queue, fence, |queue, fence| queue.wait(fence, value)) }
}

unsafe extern "C" fn get_timestamp_frequency(queue: *mut c_void, frequency: *mut u64) -> i32 {
    guard(E_FAIL, || {
        if frequency.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a queue of ours; the place is the program's.
        unsafe {
            match this(queue).timestamp_frequency() {
                Ok(value) => frequency.write(value),
                Err(error) => {
                    code(Err(error));
                    return E_FAIL;
                }
            }
        }
        S_OK
    })
}

unsafe extern "C" fn get_clock_calibration(queue: *mut c_void, gpu: *mut u64, cpu: *mut u64) -> i32 {
    guard(E_FAIL, || {
        if gpu.is_null() || cpu.is_null() {
            return E_INVALIDARG;
        }
        // SAFETY: a queue of ours; the places are the program's.
        unsafe {
            match this(queue).device.calibration() {
                Ok((at_gpu, at_cpu)) => {
                    gpu.write(at_gpu);
                    cpu.write(at_cpu);
                    S_OK
                }
                Err(error) => code(Err(error.into())),
            }
        }
    })
}

unsafe extern "C" fn get_desc(queue: *mut c_void, out: *mut D3D12_COMMAND_QUEUE_DESC) -> *mut D3D12_COMMAND_QUEUE_DESC {
    // SAFETY: a queue of ours; the place is the caller's.
    unsafe { out.write(this(queue).desc) };
    out
}
