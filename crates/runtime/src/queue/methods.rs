//! The command queue as an object, and its interface.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use ash::vk;
use reprise_com::result::{DXGI_ERROR_DEVICE_REMOVED, DXGI_ERROR_INVALID_CALL, E_FAIL, E_INVALIDARG, S_OK};
use reprise_com::{Class, Object, Slots, Vtable, guard, vtable_of_lists};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::D3D12_COMMAND_QUEUE_DESC;

use crate::device::{Device, this as device_this};
use crate::error::{Context, code};
use crate::fence::Fence;
use crate::list::CommandList;
use crate::queue::fifo::{Fifo, Item, Life};
use crate::queue::worker::{self, Shared, Submitter};
use crate::queue::{Recorded, Timeline};
use crate::{Child, Error, Result, tile};

/// The body of `ID3D12CommandQueue`.
pub struct CommandQueue {
    device: Child,
    desc: D3D12_COMMAND_QUEUE_DESC,
    shared: Arc<Shared>,
    /// The submission thread and the one that waits; empty once the queue is released.
    threads: Mutex<Vec<JoinHandle<()>>>,
}

const NEWEST: InterfaceId = interface("ID3D12CommandQueue1");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> =
    vtable_of_lists(NEWEST, Object::<CommandQueue>::SHARED, &[QUEUE_METHODS, tile::QUEUE_METHODS]);

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
    const VTABLE: &'static [*const c_void] = VTABLE.slots();

    fn released(object: &Object<CommandQueue>) {
        object.stop();
        object.device.release();
    }

    fn device(&self) -> Option<NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

impl CommandQueue {
    /// A queue of `device`, with its threads.
    pub fn new(device: &Object<Device>, desc: &D3D12_COMMAND_QUEUE_DESC) -> Result<CommandQueue> {
        let hardware = device.queues.pick(desc.Type)?;
        if desc.NodeMask > 1 {
            return Err(Error::Invalid("a command queue on a node other than the first"));
        }
        let shared = Arc::new(Shared {
            device: device.keep(),
            hardware,
            timeline: Arc::new(Timeline::new(device)?),
            fifo: Fifo::default(),
            life: Life::default(),
        });
        let (done, after) = mpsc::channel();
        let submitter = Submitter::new(shared.clone(), done)?;
        let failed = |_| Error::Device("a thread cannot be made".into());
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let waiting = shared.clone();
        let waits = thread("reprise-fence").spawn(move || worker::wait(&waiting, &after)).map_err(failed)?;
        let submits = thread("reprise-queue").spawn(move || submitter.run()).map_err(failed)?;
        Ok(CommandQueue {
            device: Child::new(device),
            desc: D3D12_COMMAND_QUEUE_DESC { NodeMask: 1, ..*desc },
            shared,
            threads: Mutex::new(vec![submits, waits]),
        })
    }

    /// Ends the threads after what was asked of them. A queue that waits for a value that nobody has promised is left to
    /// itself: it goes on when the value comes, and holds what it needs.
    fn stop(&self) {
        let threads = core::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        if threads.is_empty() {
            return;
        }
        self.shared.fifo.push(Item::Stop);
        if self.shared.life.settled() {
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
    }

    /// Runs lists.
    pub fn execute(&self, lists: Vec<Arc<Recorded>>) {
        self.shared.fifo.push(Item::Execute(lists));
    }

    /// Signals a fence after everything before.
    pub fn signal(&self, fence: &Fence, value: u64) {
        fence.state.expect(self.shared.timeline.queue, value);
        self.shared.fifo.push(Item::Signal(fence.state.clone(), value));
    }

    /// Lets everything after wait for a fence.
    pub fn wait(&self, fence: &Fence, value: u64) {
        let ticket = fence.state.arm(self.shared.timeline.queue, value);
        self.shared.fifo.push(Item::Wait(fence.state.clone(), ticket));
    }

    /// Changes mappings of tiles after everything before.
    pub fn change_tiles(&self, update: tile::Update) {
        self.shared.fifo.push(Item::Tiles(update));
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Blocks until the GPU has done everything that was asked before.
    pub fn drain(&self) {
        let (answer, answered) = mpsc::channel();
        self.shared.fifo.push(Item::Drain(answer));
        // An error says that the thread has let go of the answer: the device is removed.
        let _ = answered.recv();
    }

    /// Ticks of the GPU's time stamps in a second.
    pub fn timestamp_frequency(&self) -> Result<u64> {
        if self.shared.hardware.family.timestamp_bits == 0 {
            return Err(Error::Call("the queue has no time stamps"));
        }
        Ok((1e9 / f64::from(self.device.caps.limits.timestamp_period)).round() as u64)
    }

    /// The GPU's time and the CPU's at the same instant. The CPU's is that of `CLOCK_MONOTONIC` in nanoseconds on Linux
    /// and the performance counter on Windows.
    pub fn calibration(&self) -> Result<(u64, u64)> {
        let Some(functions) = &self.device.ext.calibrated_timestamps else {
            return Err(Error::Unsupported("the Vulkan device cannot read its clock beside the CPU's"));
        };
        let cpu = if cfg!(windows) {
            vk::TimeDomainEXT::QUERY_PERFORMANCE_COUNTER
        } else {
            vk::TimeDomainEXT::CLOCK_MONOTONIC
        };
        let there =
            ash::ext::calibrated_timestamps::Instance::new(&self.device.instance.entry, &self.device.instance.instance);
        // SAFETY: the device has the extension.
        let domains = unsafe { there.get_physical_device_calibrateable_time_domains(self.device.physical) }
            .call("vkGetPhysicalDeviceCalibrateableTimeDomainsEXT")?;
        if !domains.contains(&cpu) || !domains.contains(&vk::TimeDomainEXT::DEVICE) {
            return Err(Error::Unsupported("the Vulkan device cannot read its clock beside the CPU's"));
        }
        let info = |domain| vk::CalibratedTimestampInfoEXT::default().time_domain(domain);
        let infos = [info(vk::TimeDomainEXT::DEVICE), info(cpu)];
        // SAFETY: the device has the extension.
        let (times, _) = unsafe { functions.get_calibrated_timestamps(&infos) }.call("vkGetCalibratedTimestampsEXT")?;
        Ok((times[0], times[1]))
    }
}

impl core::fmt::Debug for CommandQueue {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CommandQueue").field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Methods of the device that make or ask about these.
pub(super) const DEVICE_METHODS: &Slots = &[
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
        // SAFETY: a device of ours; the program's pointers as the API demands them.
        unsafe {
            if device_this(device).removed_reason() != S_OK {
                return DXGI_ERROR_DEVICE_REMOVED;
            }
            match CommandQueue::new(device_this(device), &*desc) {
                Ok(queue) => Object::make(queue).give(&*iid, out),
                Err(error) => code(Err(error)),
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
    // SAFETY: by contract.
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
            Ok(taken) => queue.execute(taken),
            Err(error) => {
                reprise_log::error(format_args!("ExecuteCommandLists: {error}"));
                queue.device.remove(DXGI_ERROR_INVALID_CALL);
            }
        }
    });
}

/// What a list has recorded, if this queue can run it.
///
/// # Safety
/// `list` is null or a COM pointer.
unsafe fn recorded(queue: &CommandQueue, list: *mut c_void) -> Result<Arc<Recorded>> {
    // SAFETY: by contract.
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
        // SAFETY: by contract.
        let (queue, fence) = unsafe { (this(queue), Object::<Fence>::from_pointer(fence)) };
        let Some(fence) = fence else {
            return code(Err(Error::Invalid("the fence is null or of another runtime")));
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
    // SAFETY: the program's arguments, as the API demands them.
    unsafe { with_fence(queue, fence, |queue, fence| queue.signal(fence, value)) }
}

unsafe extern "C" fn wait(queue: *mut c_void, fence: *mut c_void, value: u64) -> i32 {
    // SAFETY: the program's arguments, as the API demands them.
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
            match this(queue).calibration() {
                Ok((at_gpu, at_cpu)) => {
                    gpu.write(at_gpu);
                    cpu.write(at_cpu);
                    S_OK
                }
                Err(error) => code(Err(error)),
            }
        }
    })
}

unsafe extern "C" fn get_desc(queue: *mut c_void, out: *mut D3D12_COMMAND_QUEUE_DESC) -> *mut D3D12_COMMAND_QUEUE_DESC {
    // SAFETY: a queue of ours; the place is the caller's.
    unsafe { out.write(this(queue).desc) };
    out
}
