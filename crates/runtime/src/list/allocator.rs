//! Command allocators: the Vulkan command buffers that lists record into.
//!
//! Invariants: one list at a time records on an allocator; a command buffer is recorded again only after every submission
//! of it is done; a Vulkan pool lives as long as anything submitted from it. An allocator that is reset while the GPU needs its pool
//! goes on with another one.

use core::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ash::vk;
use reprise_com::result::E_FAIL;
use reprise_com::{Class, Object, Tables, Vtable, guard, vtable};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;

use crate::device::{self, Child, Device};
use crate::{Error, Result, error};
use reprise_gpu::queue::Recorded;
use reprise_log::warning_once;

/// How long a reset waits for queues to let go of what the GPU is done with. Their threads may be set aside for long on a machine
/// that has much else to do; the program is right, and must not fail for that.
const LETTING_GO: Duration = Duration::from_secs(60);

/// The body of `ID3D12CommandAllocator`.
#[derive(Debug)]
pub struct CommandAllocator {
    device: Child,
    /// What lists may record here.
    pub kind: D3D12_COMMAND_LIST_TYPE,
    state: Mutex<Buffers>,
}

/// A Vulkan command pool. Submissions hold it, so it outlives the allocator while the GPU works.
#[derive(Debug)]
pub struct Pool {
    device: Arc<reprise_gpu::Device>,
    pool: vk::CommandPool,
}

#[derive(Debug)]
struct Buffers {
    pool: Arc<Pool>,
    recording: bool,
    /// All command buffers of the pool.
    buffers: Vec<vk::CommandBuffer>,
    /// How many of them are used since the last reset.
    used: usize,
    /// What was closed since the last reset. The list holds it weakly, a queue strongly until the GPU is done.
    closed: Vec<Arc<Recorded>>,
}

impl CommandAllocator {
    /// Makes an allocator for lists of one kind.
    ///
    /// # Errors
    /// The API has no such lists, or the device is out of memory.
    pub fn new(device: &Object<Device>, kind: D3D12_COMMAND_LIST_TYPE) -> Result<CommandAllocator> {
        let buffers = Buffers::new(device, kind)?;
        Ok(CommandAllocator { device: Child::new(device), kind, state: Mutex::new(buffers) })
    }

    fn state(&self) -> MutexGuard<'_, Buffers> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pool, to be kept by what is submitted.
    pub fn pool(&self) -> Arc<Pool> {
        Arc::clone(&self.state().pool)
    }

    /// A list begins to record here; gives it its first command buffer. A bundle needs none and gets the null handle.
    ///
    /// # Errors
    /// Another list records here, or the device is out of memory.
    pub fn begin(&self) -> Result<vk::CommandBuffer> {
        let mut state = self.state();
        if state.recording {
            return Err(Error::Invalid("another command list records on the allocator"));
        }
        let buffer = if self.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE {
            vk::CommandBuffer::null()
        } else {
            let buffer = self.next(&mut state)?;
            // The API does not let a list be executed again while the GPU still executes it.
            let info = vk::CommandBufferBeginInfo::default();
            // SAFETY: the buffer is new or reset, and only this list's.
            self.device.check("vkBeginCommandBuffer", unsafe { self.device.vk.begin_command_buffer(buffer, &info) })?;
            buffer
        };
        state.recording = true;
        Ok(buffer)
    }

    fn next(&self, state: &mut Buffers) -> Result<vk::CommandBuffer> {
        if state.used == state.buffers.len() {
            let info = vk::CommandBufferAllocateInfo::default()
                .command_pool(state.pool.pool)
                .level(vk::CommandBufferLevel::PRIMARY)
                .command_buffer_count(1);
            // SAFETY: the state's lock keeps others from the pool.
            let made = unsafe { self.device.vk.allocate_command_buffers(&info) };
            state.buffers.extend(self.device.check("vkAllocateCommandBuffers", made)?);
        }
        let buffer = state.buffers[state.used];
        state.used += 1;
        Ok(buffer)
    }

    /// The list that records here is closed, with what it recorded, or gone.
    pub fn end(&self, recorded: Option<&Arc<Recorded>>) {
        let mut state = self.state();
        state.recording = false;
        state.closed.extend(recorded.cloned());
    }

    /// `Reset`.
    fn reset(&self) -> i32 {
        let mut state = self.state();
        if state.recording {
            return E_FAIL;
        }
        // Lists hold what they recorded weakly: another strong count is a queue's. It lets go on its own thread, a moment
        // after programs can see that the GPU is done.
        let mut begin = None;
        while let Some(held) = state.closed.iter().find(|recorded| Arc::strong_count(recorded) > 1) {
            if !held.is_done() {
                return error::code(self.renew(&mut state));
            }
            if begin.get_or_insert_with(Instant::now).elapsed() > LETTING_GO {
                return E_FAIL;
            }
            std::thread::yield_now();
        }
        state.closed.clear();
        state.used = 0;
        // SAFETY: nothing recorded here is in flight; the state's lock keeps others from the pool.
        let reset = unsafe { self.device.vk.reset_command_pool(state.pool.pool, vk::CommandPoolResetFlags::empty()) };
        error::code(self.device.check("vkResetCommandPool", reset).map_err(Error::from))
    }

    /// As `Reset`, while the GPU needs what was recorded: the submissions keep the pool that they are from.
    #[cold]
    fn renew(&self, state: &mut Buffers) -> Result<()> {
        warning_once("a command allocator has another pool:", "it is reset while the GPU executes its lists");
        *state = Buffers::new(&self.device, self.kind)?;
        Ok(())
    }
}

impl Buffers {
    fn new(device: &Device, kind: D3D12_COMMAND_LIST_TYPE) -> Result<Buffers> {
        let family = match kind {
            D3D12_COMMAND_LIST_TYPE::DIRECT | D3D12_COMMAND_LIST_TYPE::BUNDLE => device.families.graphics,
            D3D12_COMMAND_LIST_TYPE::COMPUTE => device.families.compute,
            D3D12_COMMAND_LIST_TYPE::COPY => device.families.copy,
            _ => return Err(Error::Invalid("the type of the command allocator")),
        };
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family.index);
        // SAFETY: the family is one of the device's.
        let pool = unsafe { device.vk.create_command_pool(&info, None) };
        let pool = Arc::new(Pool { device: device.gpu.clone(), pool: device.check("vkCreateCommandPool", pool)? });
        Ok(Buffers { pool, recording: false, buffers: Vec::new(), used: 0, closed: Vec::new() })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: whoever submits from the pool holds it.
        unsafe { self.device.vk.destroy_command_pool(self.pool, None) };
    }
}

const NEWEST: InterfaceId = interface("ID3D12CommandAllocator");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> =
    vtable(NEWEST, Object::<CommandAllocator>::SHARED, &[("Reset", reset as *const c_void)]);

impl Class for CommandAllocator {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();

    fn released(object: &Object<Self>) {
        object.device.release();
    }

    fn device(&self) -> Option<core::ptr::NonNull<c_void>> {
        Some(self.device.pointer())
    }
}

unsafe extern "C" fn reset(this: *mut c_void) -> i32 {
    // SAFETY: an allocator of ours.
    guard(E_FAIL, || unsafe { Object::<CommandAllocator>::this(this) }.reset())
}

/// `ID3D12Device::CreateCommandAllocator`.
pub(super) unsafe extern "C" fn create(
    this: *mut c_void,
    kind: D3D12_COMMAND_LIST_TYPE,
    iid: *const Guid,
    out: *mut *mut c_void,
) -> i32 {
    guard(E_FAIL, || {
        // SAFETY: a device of ours; `iid` and `out` are the program's.
        unsafe { device::give(CommandAllocator::new(device::this(this), kind), iid, out) }
    })
}
