//! Command lists and their allocators.
//!
//! An open list is a [`recording`]: an encoder, which writes straight into a Vulkan command buffer of the allocator, what is
//! [`bound`], and what is kept alive ([`keep`]). A setter stores a value and marks it dirty; a draw or dispatch first encodes what
//! is dirty. Bundles keep [`command`]s, which the list that executes them records. Each other file has one group of calls.
//!
//! Invariant: a call that a list cannot record marks the list, and `Close` fails; nothing is drawn in its place.

mod acceleration;
mod allocator;
mod array;
mod attachments;
pub mod barrier;
mod bound;
mod bundle;
mod checked;
pub mod clear;
mod command;
mod copy;
mod counting;
mod debug;
mod discard;
mod draw;
mod driver_counters;
mod enhanced;
mod expanded;
mod ext;
mod fault;
mod feedback;
pub mod fixed_state;
mod generated;
mod graph;
mod graph_state;
mod indirect;
mod keep;
mod layouts;
mod lend;
mod mark;
mod meta;
mod methods;
mod micromaps;
mod missing;
mod operations;
mod pass;
mod pass_state;
mod position_state;
mod positions;
mod predicated;
mod predication;
mod query;
mod query_state;
mod rate_state;
mod rates;
mod rays;
mod recording;
pub mod region;
mod resolve;
mod set;
mod side;
mod slow;
mod stream_output;
mod texels;
mod tile;
mod unordered;
mod views;
mod watched;

use core::cell::UnsafeCell;
use core::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ash::vk;
use reprise_com::{Class, Facet, Object, Public, Ref, Slots, Tables, Vtable, vtable_of_lists};
use reprise_d3d12::interface;
use reprise_d3d12::model::{Guid, InterfaceId};
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;

pub use allocator::{CommandAllocator, Pool};

use crate::device::{Child, Device};
use crate::list::command::Command;
use crate::list::operations::Lease;
use crate::list::recording::Recording;
use crate::own::is_own;
use crate::trail::crumbs::Crumbs;
use crate::{Error, Result};
use reprise_gpu::queue::Recorded;

/// Methods of the device that make or ask about these.
pub const DEVICE_METHODS: &Slots = &[
    ("CreateCommandAllocator", allocator::create as *const c_void),
    ("CreateCommandList", methods::create as *const c_void),
    ("CreateCommandList1", methods::create_closed as *const c_void),
];

/// The body of `ID3D12GraphicsCommandList`.
pub struct CommandList {
    device: Child,
    /// Direct, compute, copy, or a bundle.
    pub kind: D3D12_COMMAND_LIST_TYPE,
    /// The recording. The API lets one thread at a time call a list's methods.
    recording: UnsafeCell<Recording>,
    /// What was recorded, from `Close` to the next `Reset`; queues of other threads take it. The allocator lives as long: a program
    /// may have released it.
    closed: Mutex<Option<(Weak<Recorded>, Ref<CommandAllocator>)>>,
    /// What checks of descriptors have noted of what was recorded, likewise.
    lease: Mutex<Weak<Lease>>,
    /// The breadcrumbs of what was recorded, from `Close` to the next `Reset`.
    crumbs: Mutex<Option<Arc<Crumbs>>>,
    /// What a closed bundle recorded.
    commands: Mutex<Option<Arc<[Command]>>>,
    /// The private interface for its command buffer.
    pub(crate) ext: Facet,
    /// `ID3D12DebugCommandList3`.
    pub(crate) debug: Facet,
    /// `ID3D12DebugCommandList1`.
    pub(crate) debug_parameters: Facet,
}

// SAFETY: nothing in it belongs to a thread. Programs record a list from one thread at a time, which alone reaches the recording; the
// rest never changes, or lies in mutexes.
unsafe impl Send for CommandList {}
// SAFETY: the same: a shared reference leads to the recording in the thread that records only, and to what lies in mutexes.
unsafe impl Sync for CommandList {}

impl CommandList {
    /// Makes a closed list.
    pub fn new(device: &Object<Device>, kind: D3D12_COMMAND_LIST_TYPE) -> CommandList {
        let [debug, debug_parameters] = debug::new_facets();
        CommandList {
            device: Child::new(device),
            kind,
            recording: UnsafeCell::new(Recording::new(device, kind)),
            closed: Mutex::new(None),
            lease: Mutex::new(Weak::new()),
            crumbs: Mutex::new(None),
            commands: Mutex::new(None),
            ext: ext::new_facet(),
            debug,
            debug_parameters,
        }
    }

    /// Makes a closed list, watched where something wants to know of its operations.
    pub(crate) fn make(device: &Object<Device>, kind: D3D12_COMMAND_LIST_TYPE) -> Public<CommandList> {
        let list = CommandList::new(device, kind);
        if watched::is_wanted(device) { Object::make_watched(list) } else { Object::make(list) }
    }

    fn is_bundle(&self) -> bool {
        self.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE
    }

    /// What was recorded. `None` for a list that is open or never was, and when its allocator has been reset since.
    pub fn recorded(&self) -> Option<Arc<Recorded>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.0.upgrade()
    }

    /// What was recorded last can be given to no queue any more.
    fn leave_recorded(&self) {
        let before = self.closed.lock().unwrap_or_else(PoisonError::into_inner).take();
        let recorded = before.as_ref().and_then(|(recorded, _)| recorded.upgrade());
        // Destructors run here, outside of all locks.
        drop(recorded.map(|recorded| recorded.leave()));
    }

    /// The list is given to a queue, and descriptors are checked.
    pub fn check_roots(&self) {
        let lease = self.lease.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if let Some(lease) = lease {
            lease.submit();
        }
    }

    /// The breadcrumbs of what was recorded, where it has left any.
    pub fn crumbs(&self) -> Option<Arc<Crumbs>> {
        self.crumbs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A closed bundle's commands.
    fn bundle(&self) -> Option<Arc<[Command]>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The recording.
    ///
    /// # Safety
    /// Only in a method that the program has called on this list, once in it.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the API lets one thread at a time call a list's methods")]
    unsafe fn recording(&self) -> &mut Recording {
        // SAFETY: the caller calls this only in a method that the program has called on this list, once in it.
        unsafe { &mut *self.recording.get() }
    }

    /// `Reset`, and the end of `CreateCommandList`.
    fn open(&self, recording: &mut Recording, allocator: &Object<CommandAllocator>) -> Result<()> {
        if recording.allocator.is_some() {
            return Err(Error::Fail("the command list is open"));
        }
        if allocator.kind != self.kind {
            return Err(Error::Invalid("the command allocator is of another type"));
        }
        let buffer = allocator.begin()?;
        recording.restart(allocator.keep(), buffer);
        match self.kind {
            D3D12_COMMAND_LIST_TYPE::BUNDLE => {
                *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            _ => {
                self.leave_recorded();
                if self.device.trail.wishes().crumbs {
                    *self.crumbs.lock().unwrap_or_else(PoisonError::into_inner) = None;
                    recording.crumbs = self.device.trail.begin();
                }
            }
        }
        Ok(())
    }

    /// `Close`.
    fn close(&self, recording: &mut Recording, name: &dyn Fn() -> Option<String>) -> Result<()> {
        let Some(allocator) = recording.allocator.take() else {
            return Err(Error::Fail("the command list is closed"));
        };
        if self.kind != D3D12_COMMAND_LIST_TYPE::BUNDLE {
            recording.encoder.pause_predication();
            recording.encoder.end_labels();
            if let Err(error) = recording.check_pass().and_then(|()| recording.finish_counts()) {
                recording.fail(error);
            }
            if let Some(crumbs) = &recording.crumbs {
                crumbs.finish(&mut recording.encoder);
            }
            // Each submission ends with a barrier for everything, so that what follows in the queue's order, and the CPU, see what
            // its lists have written. Between lists of one submission, as between calls of a list, barriers are the program's.
            recording.encoder.outside();
            recording.encoder.end_builds();
            recording.encoder.rest_all();
        }
        let (first_uses, keep) = recording.finish(allocator.pool(), name);
        if let Some(lease) = recording.lease.take() {
            *self.lease.lock().unwrap_or_else(PoisonError::into_inner) = lease;
        }
        let ended = match recording.encoder.buffer == vk::CommandBuffer::null() {
            true => Ok(()),
            // SAFETY: the buffer is being recorded by this list.
            false => unsafe { self.device.vk.end_command_buffer(recording.encoder.buffer) },
        };
        let ended = self.device.check("vkEndCommandBuffer", ended);
        let hold = recording.hold.take();
        if let Err(error) = recording.failed.take().map_or(ended.map_err(Error::from), Err) {
            allocator.end(None);
            return Err(error);
        }
        if self.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE {
            let commands = core::mem::take(&mut recording.commands).into();
            *self.commands.lock().unwrap_or_else(PoisonError::into_inner) = Some(commands);
            allocator.end(None);
            return Ok(());
        }
        let recorded: Arc<Recorded> = match recording.crumbs.take() {
            None => Arc::new(Recorded::new(recording.encoder.buffer, first_uses, hold, keep)),
            Some(crumbs) => {
                // The GPU writes them as long as it may run the list.
                let crumbs = Arc::new(*crumbs);
                *self.crumbs.lock().unwrap_or_else(PoisonError::into_inner) = Some(crumbs.clone());
                Arc::new(Recorded::new(recording.encoder.buffer, first_uses, hold, (keep, crumbs)))
            }
        };
        allocator.end(Some(&recorded));
        *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = Some((Arc::downgrade(&recorded), allocator));
        Ok(())
    }
}

impl Drop for CommandList {
    fn drop(&mut self) {
        if let Some(allocator) = self.recording.get_mut().allocator.take() {
            allocator.end(None);
        }
    }
}

impl core::fmt::Debug for CommandList {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("CommandList").field("kind", &self.kind).finish_non_exhaustive()
    }
}

const NEWEST: InterfaceId = interface("ID3D12GraphicsCommandList10");

static VTABLE: Vtable<{ NEWEST.slots() as usize }> = vtable_of_lists(
    NEWEST,
    Object::<CommandList>::SHARED,
    &[
        acceleration::LIST_METHODS,
        barrier::LIST_METHODS,
        bundle::LIST_METHODS,
        clear::LIST_METHODS,
        copy::LIST_METHODS,
        discard::LIST_METHODS,
        draw::LIST_METHODS,
        enhanced::LIST_METHODS,
        graph::LIST_METHODS,
        indirect::LIST_METHODS,
        mark::LIST_METHODS,
        meta::LIST_METHODS,
        methods::LIST_METHODS,
        missing::LIST_METHODS,
        pass::LIST_METHODS,
        positions::LIST_METHODS,
        predication::LIST_METHODS,
        query::LIST_METHODS,
        rates::LIST_METHODS,
        rays::LIST_METHODS,
        resolve::LIST_METHODS,
        set::LIST_METHODS,
        stream_output::LIST_METHODS,
        tile::LIST_METHODS,
        unordered::LIST_METHODS,
        views::LIST_METHODS,
    ],
);

impl Class for CommandList {
    const INTERFACE: InterfaceId = NEWEST;
    const VTABLE: Tables = VTABLE.tables();
    const WATCHED: Option<Tables> = Some(watched::VTABLE.tables());

    fn facet(object: &Object<Self>, iid: &Guid) -> Option<*mut c_void> {
        let own = is_own(iid).then(|| object.pointer()).or_else(|| ext::answer(object, iid));
        own.or_else(|| debug::answer(object, iid))
    }

    fn released(object: &Object<Self>) {
        // A list lets its allocator go, and what it kept where no queue has it.
        // SAFETY: the program's last reference is gone, so no other method runs.
        let recording = unsafe { object.recording() };
        recording.hold = None;
        if let Some(allocator) = recording.allocator.take() {
            allocator.end(None);
        }
        object.leave_recorded();
        object.device.release();
    }

    fn device(&self) -> Option<core::ptr::NonNull<c_void>> {
        Some(self.device.pointer())
    }
}
